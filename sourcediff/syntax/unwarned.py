"""Silence of Python's compiler about text that it has read before: what it warns of was said when the user's file was imported."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator


@contextlib.contextmanager
def unwarned() -> Iterator[None]:
    """A scope (or, of a decorator, a function) in which nothing is warned of, and no warning is an error.

    >>> with unwarned():
    ...     number = eval("1 is 1")
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
