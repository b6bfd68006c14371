"""How arrays were before a library run: after a refusal they are so again. (All else is changed when the run ends, not before.)"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


class Before:
    """What a run may change, as it was when the run first came to it."""

    def __init__(self) -> None:
        self.undo: list[Callable[[], None]] = []

    def array(self, array: np.ndarray[Any, Any]) -> None:
        """Keep an array's entries; to be called before the first change."""
        entries = np.copy(array)

        def restore() -> None:
            if getattr(array.flags, "writeable", True):  # CuPy's always are
                array[...] = entries

        self.undo.append(restore)

    def restore(self) -> None:
        """Undo every change, the latest first: the oldest copy of memory that was reached in two ways is the right one."""
        for undo in reversed(self.undo):
            undo()
