"""What is held in two places: a copy of what holds it holds one copy in both."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import HandledError
from .user_objects import is_users, own


def check_apart(*values: Any) -> None:
    """Raise HandledError where some array, list, dict or object is held in two places: of a copy, each of them would be one, too.

    >>> w = np.ones(2)
    >>> check_apart([w, w + 1])
    >>> check_apart({"a": w, "b": w})
    Traceback (most recent call last):
    sourcediff.errors.HandledError: an array that is held in two places is copied
      why: the copy holds one array, too, for which the gradient was not derived
      instead: leave mode out: the eager engine takes it
    """
    pending, seen = list(filter(is_held, values)), set()
    for part in pending:
        if id(part) in seen:
            raise HandledError(
                "an array that is held in two places is copied",
                why="the copy holds one array, too, for which the gradient was not derived",
                remedy="leave mode out: the eager engine takes it", at_run_time=True)
        seen.add(id(part))
        inside = own(part).values() if is_users(type(part)) else part.values() if isinstance(part, dict) else part if isinstance(
            part, (list, tuple)) else ()
        pending += filter(is_held, inside)


def is_held(value: Any) -> bool:
    """Whether a value is one that a copy makes anew: no number, word or empty tuple."""
    return isinstance(value, (list, dict, np.ndarray)) or isinstance(value, tuple) and bool(value) or is_users(type(value))
