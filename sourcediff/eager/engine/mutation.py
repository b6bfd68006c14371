"""What was changed in place, so that a gradient that would be wrong is refused.

Saving an array costs nothing extra: instead, a change in place notes where it wrote, and its number in the order of nodes. A node
that saved a part of that memory before is refused when backward comes to it. There is no counter for all of an array: a change of one
row does not count against what was saved of another.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ...errors import InPlaceError
from ...runtime.arrays import is_array
from .nodes import Node
from .regions import SOMEWHERE, Region, covers, meet, overlap, owner_of, region_of, same_memory

FEW = 16
MANY = 10_000


class Change(NamedTuple):
    """A change in place: its number in the order of nodes, the operation that made it, and where."""

    seq: int
    operation: str
    region: Region


class Memory:
    """The changes of one allocation, in order: of those of the same region the latest."""

    __slots__ = ("changes", "latest", "owner", "spans")

    def __init__(self, owner: Callable[[], Any]):
        self.owner = owner
        self.changes: dict[Region, Change] = {}
        self.latest = 0
        self.spans: tuple[tuple[Change, ...], Any] = ((), None)

    def add(self, change: Change, whole: bool) -> None:
        """Note a change. One of the ``whole`` memory makes those before it forgotten; where there are very many, it counts as one."""
        if whole or len(self.changes) >= MANY:
            self.changes = {}
            change = change if whole else change._replace(region=SOMEWHERE)
        self.changes.pop(change.region, None)
        self.changes[change.region] = change
        self.latest = change.seq

    def changed(self, region: Region, since: int) -> Change | None:
        """A change of an entry in ``region`` later than ``since``, if there is one."""
        if self.latest <= since:
            return None
        return next((change for change in self._near(region, since) if meet(change.region, region)), None)

    def _near(self, region: Region, since: int) -> Iterator[Change]:
        changes = tuple(self.changes.values())  # at once: another thread may be adding to them
        if len(changes) <= FEW:
            return (change for change in changes if change.seq > since)
        known, spans = self.spans
        if known != changes:  # the comparison of two tuples of the same objects is quick
            spans = np.array([(change.seq, change.region.start, change.region.stop) for change in changes]).T
            self.spans = changes, spans
        seqs, starts, stops = spans
        return (changes[i] for i in np.flatnonzero((seqs > since) & (starts < region.stop) & (stops > region.start)))


Table = dict[int, Memory]

MUTATED: Table = {}
"""Changes by the identity of the memory's owner; an entry dies with its owner."""

REWRITTEN: Table = {}
"""Those of them that changed what a graph stands for: Variables that share the memory may be stale."""


class _Forget:
    """Takes an owner's entry out of a table when the owner dies."""

    __slots__ = ("key", "table")

    def __init__(self, table: Table, key: int):
        self.table = table
        self.key = key

    def __call__(self, _: Any) -> None:
        self.table.pop(self.key, None)


def note_change(array: Any, operation: str, seq: int, *, rewrites: bool) -> None:
    """Note that ``array`` was changed by ``operation``; ``rewrites``: in a way that the graph follows."""
    owner = owner_of(array)
    change = Change(seq, operation, region_of(array))
    for table in (MUTATED, REWRITTEN) if rewrites else (MUTATED,):
        memory = table.get(id(owner))
        if memory is None:
            memory = table.setdefault(id(owner), Memory(_reference(owner, table)))
        memory.add(change, covers(change.region, owner))


def _reference(owner: Any, table: Table) -> Callable[[], Any]:
    try:
        return weakref.ref(owner, _Forget(table, id(owner)))
    except TypeError:  # a bytearray: it stays, so that its identity stays its own
        return lambda: owner


def changed_since(array: Any, since: int, table: Table) -> Change | None:
    """A change of an entry of ``array`` later than the number ``since``, if there is one."""
    memory = table.get(id(owner_of(array)))
    return None if memory is None or memory.latest <= since else memory.changed(region_of(array), since)


def refuse_overwritten(node: Node) -> None:
    """Raise InPlaceError if an array that the node saved was changed after it was saved."""
    for value in node.saved or ():
        if is_array(value):
            _refuse_changed(value, node)
        elif type(value) is list:  # a rule's sequence
            for array in filter(is_array, value):
                _refuse_changed(array, node)
        elif hasattr(value, "save_for_backward"):  # a Function's context: its attributes
            for array in filter(is_array, vars(value).values()):
                _refuse_changed(array, node)


def _refuse_changed(array: Any, node: Node) -> None:
    change = changed_since(array, node.seq, MUTATED)
    if change is not None:
        raise InPlaceError(
            f"a value that the backward pass of {node.name} needs was changed by the in-place operation {change.operation}",
            why="its gradient would be computed from the new values",
            remedy="write an operation that makes a new array (x = x * 2 for x *= 2), or change a copy (x.clone())",
        )


__all__ = ["MUTATED", "REWRITTEN", "changed_since", "note_change", "overlap", "owner_of", "refuse_overwritten", "same_memory"]
