"""What was changed in place, so that a gradient that would be wrong is refused.

Saving an array costs nothing extra: instead, a change in place notes the memory that it wrote to and its number in the order
of nodes. A node that saved (part of) that memory before is refused when backward comes to it; a Variable whose graph has
become stale, because its memory was changed through another one, is refused when it is used.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import InPlaceError

if TYPE_CHECKING:
    from .graph import Node


class Change(NamedTuple):
    """The latest change of one buffer: its number, the one before it (0 for none), and the operation that made it."""

    seq: int
    before: int
    operation: str
    owner: weakref.ref[Any]


MUTATED: dict[int, Change] = {}
"""Changes by the identity of the memory's owner; an entry dies with its array."""

REWRITTEN: dict[int, Change] = {}
"""Those of them that changed what a graph stands for: Variables that share the memory may be stale."""


def owner_of(array: Any) -> Any:
    """The array that owns the memory of ``array``."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def overlap(a: Any, b: Any) -> bool:
    """Whether two arrays share an entry; yes, where that is too hard to tell.

    >>> x = np.zeros(4)
    >>> overlap(x[:2], x[1:]), overlap(x[::2], x[1::2])
    (True, False)
    """
    try:
        return np.may_share_memory(a, b) and np.shares_memory(a, b, max_work=10_000)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


class _Forget:
    """Takes an array's entry out of a table when the array dies."""

    __slots__ = ("key", "table")

    def __init__(self, table: dict[int, Change], key: int):
        self.table = table
        self.key = key

    def __call__(self, _: Any) -> None:
        self.table.pop(self.key, None)


def note_change(array: Any, operation: str, seq: int, *, rewrites: bool) -> None:
    """Note that the memory of ``array`` was changed by ``operation``; ``rewrites``: in a way that the graph follows."""
    owner = owner_of(array)
    key = id(owner)
    for table in (MUTATED, REWRITTEN) if rewrites else (MUTATED,):
        known = table.get(key)
        reference = known.owner if known else weakref.ref(owner, _Forget(table, key))
        table[key] = Change(seq, known.seq if known else 0, operation, reference)


def refuse_overwritten(node: Node) -> None:
    """Raise InPlaceError if an array that the node saved was changed after it was saved."""
    for array in node.saved or ():
        if isinstance(array, np.ndarray):
            change = MUTATED.get(id(owner_of(array)))
            if change is not None and change.seq > node.seq:
                raise InPlaceError(
                    f"a value that the backward pass of {node.name} needs was changed by the in-place operation {change.operation}",
                    why="its gradient would be computed from the new values",
                    remedy="write an operation that makes a new array (x = x * 2 for x *= 2), or change a copy (x.clone())",
                )


def refuse_stale(variable: Any) -> None:
    """Raise InPlaceError if the memory of ``variable`` was changed in place through another Variable."""
    data = variable._value
    if isinstance(data, np.ndarray):
        change = REWRITTEN.get(id(owner_of(data)))
        node = variable._node
        if change is not None and change.seq > (0 if node is None else node.seq):
            raise InPlaceError(
                f"this Variable shares memory with one that was changed by the in-place operation {change.operation}",
                why="its values have changed, but its graph still stands for the old ones",
                remedy="take the view again after the change, or change a copy (x.clone())",
            )
