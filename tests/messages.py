"""What an error says by itself: without the user's line, which the library adds as a note, and before Python 3.11 to the message."""

from __future__ import annotations


def message(error: BaseException) -> str:
    """The text of an error as it was raised.

    >>> message(ValueError("too long\\nwhile differentiating heat.py:12: a = b[0]"))
    'too long'
    """
    return str(error).partition("\nwhile differentiating ")[0]
