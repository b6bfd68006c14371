"""Whether what a name stands for at some point may change in place after it, by whatever name, in a later trip too."""

from __future__ import annotations

from functools import cached_property

from ...analysis.abstract import UNKNOWN
from ...analysis.statements import base, entry_put_in, grown, mutates, shrunk, target_names
from ...syntax import nodes as n
from .aliases import Aliases, Sharing, related
from .distinct_entries import replaces_entry
from .unfollowed_changes import written_by_calls


class LaterChanges:
    """Follows one object from a point on: ``held`` are the names that may stand for it, for a part of it, or hold it."""

    def __init__(self, body: list[n.stmt], aliases: Aliases, parents: dict[n.stmt, list[n.stmt]], outputs: set[str]):
        self.body = body
        self.aliases = aliases
        self.values = aliases.values
        self.parents = parents
        self.outputs = outputs
        self.found: dict[tuple[str, n.stmt, bool], bool] = {}
        self.known: dict[n.stmt, tuple[set[str], set[str], set[str]]] = {}
        self.array = False
        self.changed = False
        self.left: list[frozenset[str]] = []

    @cached_property
    def anywhere(self) -> Sharing:
        """The names that share memory with others somewhere, with these."""
        return self.aliases.anywhere()

    def may_change(self, name: str, at: n.stmt, end: bool) -> bool:
        """Whether the object that ``name`` stands for before a statement, or at the end of its block, changes later or is returned."""
        key = name, at, end
        if key not in self.found:
            self.found[key] = self._may_change(name, at, end)
        return self.found[key]

    def _may_change(self, name: str, at: n.stmt, end: bool) -> bool:
        held = frozenset({name, *(self.anywhere.get(name, ()) if end else self.aliases.of(name, at))})
        if any(other.startswith("@") for other in held):
            return True
        ends = [self.values.after.get(block[-1], {}) for block in (at.body, getattr(at, "orelse", [])) if block] if end else []
        self.array = all(known.get(name, UNKNOWN).kind == "array" for known in ends or [self.values.before[at]])
        self.changed, self.left = False, []
        path = [*self.parents[at], at]
        if end:
            held = self._around(at, held)
        for depth in range(len(path) - 1, -1, -1):
            node = path[depth]
            parent = path[depth - 1] if depth else None
            blocks = [self.body] if parent is None else [parent.body, getattr(parent, "orelse", [])]
            block = next(block for block in blocks if node in block)
            first = block.index(node) + (end or depth < len(path) - 1)
            after = self.block(block[first:], held)
            held = frozenset() if after is None else after
            if parent is not None:
                held = self._around(parent, held)
            if self.changed:
                return True
        return not held.isdisjoint(self.outputs)

    def _around(self, node: n.stmt, held: frozenset[str]) -> frozenset[str]:
        """The names after a compound statement, from the end of a block of it on."""
        return self.loop(node, held) if isinstance(node, (n.For, n.While)) else held

    def block(self, body: list[n.stmt], held: frozenset[str]) -> frozenset[str] | None:
        """The names after a block; None where a break leaves it."""
        for node in body:
            if isinstance(node, n.Break):
                self.left.append(held)
                return None
            after = self.statement(node, held)
            if after is None or self.changed:
                return after
            held = after
        return held

    def loop(self, node: n.For | n.While, held: frozenset[str]) -> frozenset[str]:
        """The names after a loop that is about to make another trip, or none."""
        while True:
            start = held
            if isinstance(node, n.For):
                start = self.bound(target_names(node.target), self.aliases.sources(node.iter, node), held)
            new = held | (self.block(node.body, start) or frozenset())
            if new == held or self.changed:
                break
            held = new
        left, self.left = self.left, []
        return held.union(*left)

    def bound(self, names: set[str], sources: set[str], held: frozenset[str]) -> frozenset[str]:
        """The names after some are bound to what may be a part of what others stand for."""
        return held | names if sources & held else held - names

    def statement(self, node: n.stmt, held: frozenset[str]) -> frozenset[str] | None:
        """The names after a statement."""
        if isinstance(node, n.If):
            then, other = self.block(node.body, held), self.block(node.orelse, held)
            return then if other is None else other if then is None else then | other
        if isinstance(node, (n.For, n.While)):
            outer, self.left = self.left, []
            held = self.loop(node, held)
            self.left = outer
            return held
        changed, written, sources = self.facts(node)
        if not held.isdisjoint(changed) and not self.leaves(node) or not held.isdisjoint(written):
            self.changed = True
        elif isinstance(node, n.Assign):
            target = node.targets[0]
            if not isinstance(target, n.Subscript):
                return self.bound(target_names(target), sources, held)
            return held | related({base(target) or ""}, self.aliases.before[node]) if sources & held else held
        elif (name := grown(node)) is not None and sources & held:
            return held | related({name}, self.aliases.before[node])
        return held

    def facts(self, node: n.stmt) -> tuple[set[str], set[str], set[str]]:
        """What a statement changes, what its calls do, and what the value that it binds, stores or appends may be a part of."""
        if node not in self.known:
            sources: set[str] = set()
            if isinstance(node, n.Assign):
                sources = self.aliases.shareable(self.aliases.sources(node.value, node), node)
            elif grown(node) is not None:
                sources = self.aliases.sources(entry_put_in(node), node)
            self.known[node] = mutates([node]), {*written_by_calls(node, self.aliases)}, sources
        return self.known[node]

    def leaves(self, node: n.stmt) -> bool:
        """Whether a statement that changes something leaves the object alone: a number is bound anew, a list gets another entry."""
        if isinstance(node, n.AugAssign) and isinstance(node.target, n.Name):
            return self.values.before[node].get(node.target.id, UNKNOWN).scalar
        return self.array and bool(grown(node) or shrunk(node) or replaces_entry(node, self.values))
