"""How things were before a library run: after a refusal the caller's arrays, containers and variables are so again."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np


class Before:
    """What a run may change, as it was when the run first came to it."""

    def __init__(self) -> None:
        self.undo: list[Callable[[], None]] = []

    def array(self, array: np.ndarray[Any, Any]) -> None:
        """Keep an array's entries; to be called before the first change."""
        entries = np.array(array)

        def restore() -> None:
            if array.flags.writeable:
                array[...] = entries

        self.undo.append(restore)

    def container(self, value: Any) -> None:
        """Keep what a list or dict holds, those within it too, or an object's attributes; of arrays only which ones they are."""
        seen: set[int] = set()
        pending = [value if isinstance(value, (list, dict)) else getattr(value, "__dict__", {})]
        while pending:
            part = pending.pop()
            if id(part) not in seen:
                seen.add(id(part))
                self.undo.append(_restoring(part))
                pending += [item for item in (part.values() if isinstance(part, dict) else part) if type(item) in (list, dict)]

    def cell(self, cell: types.CellType, content: Any) -> None:
        """Keep a variable of an outer function."""
        self.undo.append(lambda: setattr(cell, "cell_contents", content))

    def restore(self) -> None:
        """Undo every change, the latest first: the oldest copy of memory that was reached in two ways is the right one."""
        for undo in reversed(self.undo):
            undo()


def _restoring(part: Any) -> Callable[[], None]:
    if isinstance(part, dict):
        items = dict(part)

        def restore() -> None:
            if list(part) != list(items) or any(part[key] is not item for key, item in items.items()):
                part.clear()
                part.update(items)

        return restore
    had = list(part)

    def restore_list() -> None:
        if len(part) != len(had) or any(a is not b for a, b in zip(part, had)):
            part[:] = had

    return restore_list
