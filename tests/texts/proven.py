"""What has been judged: a program's values were computed when the hashes of its texts were committed.

As long as the compiler generates the same text for it, the tests compute them again of a sample of the programs only, or with ``--long``.
``python -m tests.texts --write`` judges the values of whatever it stores anew.
"""

from __future__ import annotations

from functools import cache

from .programs import program
from .texts import forms, hashed, stored, text

kept = cache(stored)


@cache
def proven(name: str, form: str = "gradient") -> bool:
    """Whether the text of a program is the one of which the hash is kept."""
    hashes = dict(zip(forms(name), kept().get(name, ())))
    given = program(name)
    return given is not None and hashes.get(form) == hashed(text(given, form))
