"""Aliases: which names may stand for (parts of) the same array, and where one would see a change in place through another."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable

from ..syntax import nodes as n
from ..syntax.quote import as_read
from .abstract import UNKNOWN, item_of
from .applications import METADATA, application
from .effects import base, entered, grown, mutates, popped, shrunk, target_names, targets
from .entries import CONTAINERS, Entries, replaces_entry
from .fresh import always_copies, may_not_copy
from .holders import VIEWS
from .liveness import Liveness
from .scope import Scope
from .values import Values

Pair = frozenset

COPYING = (builtins.list, builtins.tuple, builtins.sorted)
"""Functions that make a new list of the same items."""


def outside(parameter: str) -> str:
    """The pseudo-name of the object that the caller passed for a parameter (or that a closure holds)."""
    return "@" + parameter


def within(name: str) -> str:
    """The pseudo-name of an item of a list that may be in it twice."""
    return "*" + name


class Aliases:
    """``before[statement]``: the pairs of names that may share memory there; ``final``: those at the end."""

    def __init__(self, body: list[n.stmt], parameters: list[str], values: Values, live: Liveness):
        self.values = values
        self.scope: Scope = values.scope
        self.live = live
        self.before: dict[n.stmt, frozenset[Pair[str]]] = {}
        self._holders: dict[str, set[str]] = {}
        self._blocks: dict[n.stmt, list[n.stmt]] = {}
        start = frozenset(Pair((name, outside(name))) for name in parameters)
        self.final = self.block(body, start)

    def block(self, body: list[n.stmt], pairs: frozenset[Pair[str]]) -> frozenset[Pair[str]]:
        for statement in body:
            known = self.before.get(statement)
            self._blocks[statement] = body
            self.before[statement] = pairs if known is None else known | pairs  # mostly one object for many statements
            pairs = self.statement(statement, pairs)
        return pairs

    def statement(self, node: n.stmt, pairs: frozenset[Pair[str]]) -> frozenset[Pair[str]]:
        if isinstance(node, n.Assign):
            target = node.targets[0]
            sources = self.sources(node.value, node)
            if isinstance(target, n.Subscript):
                return pairs | self.stored(target, sources, pairs, node)
            return self.bound(target_names(target), sources, pairs, node)
        if (name := grown(node)) is not None:
            sources = self.sources(entered(node), node)
            sources = self.shareable(sources, node)
            if sources:  # what is appended again later, under another name or none, may be the same array
                pairs = pairs | {Pair((name, within(name)))}
            related = sources | {other for pair in pairs if pair & sources for other in pair}
            return pairs | {Pair((name, other)) for other in related if other != name}
        if isinstance(node, n.If):
            return self.block(node.body, pairs) | self.block(node.orelse, pairs)
        if isinstance(node, (n.For, n.While)):
            while True:
                start = pairs
                if isinstance(node, n.For):
                    first = node.body[0] if node.body else node
                    start = self.bound(target_names(node.target), self.sources(node.iter, node), pairs, first, within=True)
                new = pairs | self.block(node.body, start)
                if new == pairs:
                    return pairs
                pairs = new
        return pairs

    def stored(self, target: n.Subscript, sources: set[str], pairs: frozenset[Pair[str]], node: n.stmt) -> set[Pair[str]]:
        """The pairs that a store adds: a list or dict, and all that may be the same one, comes to hold the value; an array copies it."""
        holder, environment = base(target), self.values.before[node]
        sources = self.shareable(sources, node)
        kinds = self.values.of(target.value, environment).kind, environment.get(holder or "", UNKNOWN).kind
        if holder is None or not sources or "array" in kinds:
            return set()
        if isinstance(target.slice, (n.Slice, n.Tuple)) and "sequence" not in kinds and "mapping" not in kinds:
            return {Pair((holder, source)) for source in sources - {holder}}  # an array, as it seems
        held = sources | {other for pair in pairs if pair & sources for other in pair}
        same = {holder} | {other for pair in pairs if holder in pair for other in pair if environment.get(other, UNKNOWN).kind != "array"}
        return {Pair((one, other)) for one in same for other in held if one != other} | {Pair((holder, within(holder)))}

    def shareable(self, names: set[str], node: n.stmt) -> set[str]:
        """The names that do not stand for numbers before a statement: what holds them shares their memory."""
        return {name for name in names if not self.values.before[node].get(name, UNKNOWN).scalar}

    def bound(
        self, names: set[str], sources: set[str], pairs: frozenset[Pair[str]], node: n.stmt, within: bool = False
    ) -> frozenset[Pair[str]]:
        """The pairs after ``names`` were bound to something that may share memory with ``sources`` (``within``: in a loop's head)."""
        related = sources | {other for pair in pairs if pair & sources for other in pair}
        kept = frozenset(pair for pair in pairs if not pair & names)
        environment = (self.values.before if within else self.values.after).get(node, {})
        fresh: set[Pair[str]] = set()
        for name in names:
            known = environment.get(name)
            if known is not None and (known.scalar or known.kind == "static"):
                continue
            fresh |= {Pair((name, other)) for other in related - names}
        return pairs if kept == pairs and not fresh - pairs else kept | fresh

    def sources(self, node: n.expr, at: n.stmt) -> set[str]:
        """The names that the value of an expression may share memory with."""
        if isinstance(node, n.Name):
            return {node.id}
        if isinstance(node, (n.Constant, n.Compare, n.BinOp, n.UnaryOp)):
            return set()
        if (popped_from := popped(node)) is not None:  # an item is no longer in the list: it may be what else was appended
            return {popped_from} if self.of(popped_from, at) else set()
        if isinstance(node, n.Attribute) and node.attr in METADATA:
            return set()
        if isinstance(node, n.IfExp):
            return self.sources(node.body, at) | self.sources(node.orelse, at)
        if isinstance(node, (n.ListComp, n.GeneratorExp)):
            return self.sources_of_items(node, at)
        if isinstance(node, (n.Tuple, n.List, n.BoolOp)):
            parts = node.values if isinstance(node, n.BoolOp) else node.elts
            return set().union(*(self.sources(part, at) for part in parts)) if parts else set()
        applied = application(node, self.scope)
        fresh = applied is not None and applied.function not in VIEWS and not may_not_copy(node) or always_copies(node)
        if applied is not None and applied.rule is not None and not applied.rule.own and fresh:
            return set()
        value = self.values.of(node, self.values.before.get(at, {}))
        if value.scalar:
            return set()
        if applied is not None and applied.function in COPYING and (item_of(value).scalar or item_of(value).kind == "static"):
            return set()
        if applied is not None and applied.function is operator.getitem:
            return set() if self.gathers(applied.args[0], applied.args[1], at) else self.sources(applied.args[0], at)
        found = set()
        for part in n.walk(node):
            if isinstance(part, n.Name) and isinstance(part.ctx, n.Load):
                known = self.values.before.get(at, {}).get(part.id)
                if self.scope.lookup(part.id) is not None and not (known is not None and known.scalar):
                    found.add(part.id)
        return {name for name in found if name not in self.scope.free}

    def sources_of_items(self, node: n.ListComp | n.GeneratorExp, at: n.stmt) -> set[str]:
        """The names that the items of a comprehension may share memory with."""
        found = self.sources(node.elt, at)
        for loop in reversed(node.generators):
            if found & target_names(loop.target):
                found = found - target_names(loop.target) | self.sources(loop.iter, at)
        return found

    def gathers(self, array: n.expr, index: n.expr, at: n.stmt) -> bool:
        """Whether an index certainly takes entries of an array one by one, which makes a new array."""
        environment = self.values.before.get(at, {})
        parts = index.elts if isinstance(index, n.Tuple) else [index]
        return self.values.of(array, environment).kind == "array" and any(
            isinstance(part, n.List) or self.values.of(part, environment).kind == "array" for part in parts)

    def together(self, first: n.stmt, then: n.stmt) -> bool:
        """Whether the second of two statements of one block never runs without the first one having run before it."""
        block = self._blocks.get(first)
        return block is not None and block is self._blocks.get(then) and block.index(first) < block.index(then)

    def of(self, name: str, node: n.stmt) -> set[str]:
        """The other names that may share memory with ``name`` before a statement."""
        return {other for pair in self.before.get(node, ()) if name in pair for other in pair if other != name}

    def may_overlap(self, node: n.stmt) -> bool:
        """Whether a statement stores a vector that may be a view of the array it goes into."""
        if not isinstance(node, n.Assign) or not isinstance(node.targets[0], n.Subscript) or not isinstance(node.value, n.Name):
            return False
        array = base(node.targets[0])
        known = self.values.of(as_read(node.targets[0]), self.values.before[node])
        return array is not None and node.value.id in self.of(array, node) and not known.scalar and known.rank in (None, 1)

    def holders(self, name: str) -> set[str]:
        """The names that may stand for the same list as ``name``, or for something in which it is."""
        if name not in self._holders:
            found, links = {name}, self._links()
            while new := {other for source, other in links if source in found} - found:
                found |= new
            self._holders[name] = found
        return self._holders[name]

    def _links(self) -> list[tuple[str, str]]:
        """Pairs of names of which the second may hold what the first stands for, whatever the order of statements."""
        links = []
        for node in self.before:
            if isinstance(node, (n.Assign, n.For)):
                value = node.value if isinstance(node, n.Assign) else node.iter
                names = {name for target in targets(node) for name in target_names(target) or {base(target) or ""}}
                entry = isinstance(node, n.For) or popped(value) is not None or self.is_entry(value, node)
                if not entry:
                    links += [(source, name) for source in self.sources(value, node) for name in names]
                if not isinstance(value, (n.Tuple, n.List, n.Dict)):  # the list may be the very one, or in it
                    links += [(name, source) for source in self.sources(value, node) for name in names]
            elif (parts := grown(node)) is not None:
                links += [(source, parts) for source in self.sources(entered(node), node)]
        return links

    def is_entry(self, value: n.expr, at: n.stmt) -> bool:
        """Whether an expression is one entry of a list, tuple or dict."""
        if not isinstance(value, n.Subscript) or isinstance(value.slice, n.Slice):
            return False
        return self.values.of(value.value, self.values.before[at]).kind in CONTAINERS

    def conflicts(self, report: Callable[[n.stmt, str, str], None]) -> None:
        """Report each change in place that a name still in use could see: ``report(statement, changed, seen_through)``."""
        entries = Entries(self)
        for node in self.before:
            if isinstance(node, (n.If, n.For, n.While)):
                continue
            if (holder := entries.entangled(node)) is not None:
                report(node, holder, f"another entry of {holder}")
            for name in mutates(node):
                known = self.values.before[node].get(name)
                if known is not None and known.scalar:
                    continue
                for other in sorted(self.of(name, node)):
                    seen = self.values.before[node].get(other)
                    if name in self.scope.tapes:
                        continue  # no other name is the same list
                    single = seen is not None and (seen.kind == "array" or seen.scalar)
                    entries_change = grown(node) or replaces_entry(node, self.values)
                    if shrunk(node) and single or entries_change and (single or other not in self.holders(name)):
                        continue  # a list that grows, or gets another entry, leaves what it holds alone
                    if not other.startswith(("@", "*")) and other in self.live.after[node]:
                        report(node, name, other)
