"""How arrays were before a library run: after a refusal they are so again. (All else is changed when the run ends, not before.)"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np


class Before:
    """What a run may change, as it was when the run first came to it."""

    def __init__(self) -> None:
        self.kept: list[tuple[Any, Any]] = []  # each array, and its entries

    def array(self, array: np.ndarray[Any, Any]) -> None:
        """Keep an array's entries; to be called before the first change."""
        self.kept.append((array, np.copy(array)))

    def restore(self) -> None:
        """Undo every change, the latest first: the oldest copy of memory that was reached in two ways is the right one."""
        for array, entries in reversed(self.kept):
            _refill(array, entries)

    @contextlib.contextmanager
    def undone(self) -> Iterator[None]:
        """A scope in which every change is undone."""
        now = [(array, np.copy(array)) for array, _ in self.kept]
        self.restore()
        try:
            yield
        finally:
            for array, entries in now:
                _refill(array, entries)


def _refill(array: Any, entries: Any) -> None:
    if getattr(array.flags, "writeable", True):  # CuPy's always are
        array[...] = entries
