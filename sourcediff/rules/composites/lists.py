"""Methods of lists, written in Python: what the compiler reads where the class of the items says in its own way which are equal."""

from __future__ import annotations

from typing import Any


def first_equal(items: list[Any], item: Any) -> int:
    """The place of the first item that is ``item``, or equal to it. Raises ValueError where there is none.

    >>> first_equal([2, 1.0, 1], 1)
    1
    """
    for place, other in enumerate(items):
        if other is item or other == item:
            return place
    raise ValueError("x not in list")


def has_equal(items: list[Any], item: Any) -> bool:
    """Whether a list holds ``item``, or what is equal to it.

    >>> has_equal([2, 1.0], 1)
    True
    """
    for other in items:
        if other is item or other == item:
            return True
    return False
