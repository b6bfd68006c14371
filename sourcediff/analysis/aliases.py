"""Aliases: which names may stand for (parts of) the same array, and where one would see a change in place through another."""

from __future__ import annotations

import operator
from collections.abc import Callable

from ..syntax import nodes as n
from ..syntax.quote import as_read
from .abstract import UNKNOWN
from .applications import METADATA, application
from .effects import base, grown, mutates, popped, shrunk, target_names, targets
from .fresh import always_copies, may_not_copy
from .holders import VIEWS
from .liveness import Liveness
from .scope import Scope
from .values import Values

Sharing = dict[str, frozenset[str]]
"""name → the other names that may share memory with it: symmetric, and never changed once it is made."""


def outside(parameter: str) -> str:
    """The pseudo-name of the object that the caller passed for a parameter (or that a closure holds)."""
    return "@" + parameter


def within(name: str) -> str:
    """The pseudo-name of an item of a list that may be in it twice."""
    return "*" + name


class Aliases:
    """``before[statement]``: which names may share memory there; ``final``: which may at the end."""

    def __init__(self, body: list[n.stmt], parameters: list[str], values: Values, live: Liveness):
        self.values = values
        self.scope: Scope = values.scope
        self.live = live
        self.before: dict[n.stmt, Sharing] = {}
        self._holders: dict[str, set[str]] = {}
        self.final = self.block(body, joined({}, [(name, outside(name)) for name in parameters]))

    def block(self, body: list[n.stmt], sharing: Sharing) -> Sharing:
        for statement in body:
            known = self.before.get(statement)
            self.before[statement] = sharing if known is None else merged(known, sharing)  # mostly one object for many statements
            sharing = self.statement(statement, sharing)
        return sharing

    def statement(self, node: n.stmt, sharing: Sharing) -> Sharing:
        if isinstance(node, n.Assign):
            target = node.targets[0]
            sources = self.sources(node.value, node)
            if isinstance(target, n.Subscript):  # a container may come to hold it; an array copies it
                holder = base(target)
                if holder and self.values.before[node].get(holder) is not None and self.values.before[node][holder].kind == "array":
                    return sharing
                return joined(sharing, [(holder, source) for source in sources if holder and holder != source])
            return self.bound(target_names(target), sources, sharing, node)
        if (name := grown(node)) is not None:
            sources = self.sources(node.value.args[0], node)
            sources = {source for source in sources if not self.values.before[node].get(source, UNKNOWN).scalar}
            if sources:  # what is appended again later, under another name or none, may be the same array
                sharing = joined(sharing, [(name, within(name))])
            return joined(sharing, [(name, other) for other in related(sources, sharing) if other != name])
        if isinstance(node, n.If):
            return merged(self.block(node.body, sharing), self.block(node.orelse, sharing))
        if isinstance(node, (n.For, n.While)):
            while True:
                start = sharing
                if isinstance(node, n.For):
                    start = self.bound(target_names(node.target), self.sources(node.iter, node), sharing, node, within=True)
                new = merged(sharing, self.block(node.body, start))
                if new is sharing:
                    return sharing
                sharing = new
        return sharing

    def bound(self, names: set[str], sources: set[str], sharing: Sharing, node: n.stmt, within: bool = False) -> Sharing:
        """What shares memory once ``names`` are bound to something that may do so with ``sources`` (``within``: in a loop's head)."""
        others = related(sources, sharing) - names
        environment = (self.values.before if within else self.values.after).get(node, {})
        fresh: list[tuple[str, str]] = []
        for name in names:
            known = environment.get(name)
            if within or known is None or not (known.scalar or known.kind == "static"):
                fresh += [(name, other) for other in others]
        return joined(parted(names, sharing), fresh)

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
        if isinstance(node, (n.Tuple, n.List, n.BoolOp)):
            parts = node.values if isinstance(node, n.BoolOp) else node.elts
            return set().union(*(self.sources(part, at) for part in parts)) if parts else set()
        applied = application(node, self.scope)
        fresh = applied is not None and applied.function not in VIEWS and not may_not_copy(node) or always_copies(node)
        if applied is not None and applied.rule is not None and not applied.rule.own and fresh:
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

    def gathers(self, array: n.expr, index: n.expr, at: n.stmt) -> bool:
        """Whether an index certainly takes entries of an array one by one, which makes a new array."""
        environment = self.values.before.get(at, {})
        parts = index.elts if isinstance(index, n.Tuple) else [index]
        return self.values.of(array, environment).kind == "array" and any(
            isinstance(part, n.List) or self.values.of(part, environment).kind == "array" for part in parts)

    def entangled_entries(self, node: n.stmt) -> str | None:
        """The list, tuple or dict of which a statement changes an array in place, if other entries may share that one's memory."""
        slot = targets(node)[0] if isinstance(node, (n.Assign, n.AugAssign)) else None
        environment = self.values.before[node]
        if not isinstance(slot, n.Subscript) or (name := base(slot)) is None:
            return None
        if environment.get(name, UNKNOWN).kind not in ("sequence", "mapping"):
            return None
        replaces = isinstance(node, n.Assign) or self.values.of(slot, environment).scalar
        if replaces and self.values.of(slot.value, environment).kind in ("sequence", "mapping"):  # an entry, not what is in it
            return None
        made = [part for part in self.before if any(name in target_names(target) for target in targets(part))]
        grown_somewhere = any(grown(part) == name for part in self.before)
        return None if not grown_somewhere and all(map(self.distinct, made)) else name

    def distinct(self, node: n.stmt) -> bool:
        """Whether a statement makes a list, tuple or dict of arrays of which no two share memory."""
        display = node.value if isinstance(node, n.Assign) else None
        if not isinstance(display, (n.List, n.Tuple, n.Dict)):
            return False
        known = self.values.before[node]
        parts = display.values if isinstance(display, n.Dict) else display.elts
        parts = [part for part in parts if not self.values.of(part, known).scalar and not isinstance(part, n.Constant)]
        names = [part.id for part in parts if isinstance(part, n.Name)]
        return len(names) == len(parts) == len(set(names)) and not any(self.of(name, node) & set(names) for name in names)

    def of(self, name: str, node: n.stmt) -> set[str]:
        """The other names that may share memory with ``name`` before a statement."""
        return set(self.before.get(node, {}).get(name, ()))

    def entangled(self) -> set[str]:
        """The names that may share memory with another one somewhere."""
        different = {id(sharing): sharing for sharing in self.before.values()}
        return {name for sharing in different.values() for name, others in sharing.items() if others}

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
                links += [(source, name) for source in self.sources(value, node) for name in names]
                if not isinstance(value, (n.Tuple, n.List)):  # the list may be the very one, or in it
                    links += [(name, source) for source in self.sources(value, node) for name in names]
            elif (parts := grown(node)) is not None:
                links += [(source, parts) for source in self.sources(node.value.args[0], node)]
        return links

    def conflicts(self, report: Callable[[n.stmt, str, str], None]) -> None:
        """Report each change in place that a name still in use could see: ``report(statement, changed, seen_through)``."""
        for node in self.before:
            if isinstance(node, (n.If, n.For, n.While)):
                continue
            if (holder := self.entangled_entries(node)) is not None:
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
                    if shrunk(node) and single or grown(node) and (single or other not in self.holders(name)):
                        continue  # a list that grows leaves what it holds alone
                    if not other.startswith(("@", "*")) and other in self.live.after[node]:
                        report(node, name, other)


def related(names: set[str], sharing: Sharing) -> set[str]:
    """Some names, and those that may share memory with one of them."""
    return names.union(*(sharing.get(name, ()) for name in names))


def joined(sharing: Sharing, pairs: list[tuple[str, str]]) -> Sharing:
    """What may share memory where two names of each of these pairs may too.

    >>> joined({}, [("a", "b")])
    {'a': frozenset({'b'}), 'b': frozenset({'a'})}
    """
    new: dict[str, set[str]] = {}
    for one, other in pairs:
        if other not in sharing.get(one, ()):
            new.setdefault(one, set()).add(other)
            new.setdefault(other, set()).add(one)
    return {**sharing, **{name: sharing.get(name, frozenset()) | others for name, others in new.items()}} if new else sharing


def parted(names: set[str], sharing: Sharing) -> Sharing:
    """What may share memory once some names stand for something else.

    >>> parted({"a"}, {"a": frozenset("b"), "b": frozenset("ac"), "c": frozenset("b")})
    {'b': frozenset({'c'}), 'c': frozenset({'b'})}
    """
    touched = {other for name in names for other in sharing.get(name, ())}
    if not touched:
        return sharing
    kept = {**sharing, **{other: sharing[other] - names for other in touched}}
    return {name: others for name, others in kept.items() if name not in names and others}


def merged(one: Sharing, other: Sharing) -> Sharing:
    """What may share memory where the one or the other holds; ``one`` itself if it says as much."""
    if one is other:
        return one
    new = {name: others | one.get(name, frozenset()) for name, others in other.items() if not others <= one.get(name, frozenset())}
    return {**one, **new} if new else one
