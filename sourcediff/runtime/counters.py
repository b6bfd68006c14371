"""Counters: numbers of calls that objects of the user's keep."""

from __future__ import annotations

from typing import Any

from .linked_calls import RUNNING


def count_up(owner: Any, name: str, by: Any = 1) -> None:
    """Add to the attribute of an object or of a class that counts.

    >>> from types import SimpleNamespace
    >>> model = SimpleNamespace(calls=1)
    >>> count_up(model, "calls")
    >>> model.calls
    2
    """
    setattr(owner, name, getattr(owner, name) + by)


ONCE = (*RUNNING, count_up)
"""What is called once, whatever is computed again in the reverse sweep."""
