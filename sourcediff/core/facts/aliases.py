"""Aliases: which names may stand for (parts of) the same array, and where one would see a change in place through another."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable
from functools import cached_property

from ...analysis.abstract import KEY, SET, STATIC, UNKNOWN, Abstract, item_of
from ...analysis.applications import METADATA, application
from ...analysis.fresh import always_copies, may_not_copy
from ...analysis.scope import Scope
from ...analysis.source.out_arguments import among
from ...analysis.source.sharing import VIEWS
from ...analysis.statements import base, entry_put_in, grown, mutates, popped, shrunk, target_names
from ...rules.facts import FACTS
from ...runtime.structures import recorded
from ...syntax import nodes as n
from ...syntax.quote import as_read
from .distinct_entries import CONTAINERS, Entries, replaces_entry
from .identity import Identity
from .liveness import Liveness
from .values import Values

Sharing = dict[str, frozenset[str]]
"""name → the names that may share memory with it, itself among them, where there are others: symmetric, and never changed once made."""

NONE: frozenset[str] = frozenset()

COPYING = (builtins.list, builtins.tuple, builtins.sorted, recorded)
"""Functions that make a new list of the same items."""


def captured_names(parameter: str) -> str:
    """The pseudo-name of the object that the caller passed for a parameter (or that a closure holds)."""
    return "@" + parameter


def within_entry(name: str) -> str:
    """The pseudo-name of an item of a list that may be in it twice."""
    return "*" + name


class Aliases:
    """``before[statement]``: which names may share memory there; ``final``: which may at the end."""

    def __init__(self, body: list[n.stmt], parameters: list[str], values: Values, live: Liveness):
        self.values = values
        self.scope: Scope = values.scope
        self.live = live
        self.before: dict[n.stmt, Sharing] = {}
        self._blocks: dict[n.stmt, list[n.stmt]] = {}
        self._left: list[Sharing] = []  # at each break of the loop at hand
        self.by_calls: dict[n.stmt, dict[str, bool]] = {}  # what calls change, of the statements of which it was asked
        final = self.block(body, joined_pairs({}, [(name, captured_names(name)) for name in parameters]))
        self.final: Sharing = {} if final is None else final

    @cached_property
    def identity(self) -> Identity:
        """Which lists and dicts may be one object: asked of few programs, and then more than once."""
        return Identity(self)

    def block(self, body: list[n.stmt], sharing: Sharing) -> Sharing | None:
        """What shares memory after a block; None where a break leaves it: nothing that follows in its loop sees what it has done."""
        for statement in body:
            known = self.before.get(statement)
            self._blocks[statement] = body
            self.before[statement] = sharing if known is None else merged(known, sharing)  # mostly one object for many statements
            if isinstance(statement, n.Break):
                self._left.append(sharing)
                return None
            after = self.statement(statement, sharing)
            if after is None:
                return None
            sharing = after
        return sharing

    def statement(self, node: n.stmt, sharing: Sharing) -> Sharing | None:
        if isinstance(node, n.Assign):
            target = node.targets[0]
            sources = self.shareable(self.sources(node.value, node), node)
            if isinstance(target, n.Subscript):
                return joined_pairs(sharing, self.stored(target, sources, sharing, node))
            return self.bound(target_names(target), sources, sharing, node)
        if (name := grown(node)) is not None:
            sources = self.sources(entry_put_in(node), node)
            sources = self.shareable(sources, node)
            if sources:  # what is appended again later, under another name or none, may be the same array
                sharing = joined_pairs(sharing, [(name, within_entry(name))])
            return joined_pairs(sharing, [(name, other) for other in related(sources, sharing) if other != name])
        if isinstance(node, n.If):
            then, other = self.block(node.body, sharing), self.block(node.orelse, sharing)
            return then if other is None else other if then is None else merged(then, other)
        if isinstance(node, (n.For, n.While)):
            outer, self._left = self._left, []
            while True:
                start = sharing
                if isinstance(node, n.For):
                    first = node.body[0] if node.body else node
                    start = self.bound(target_names(node.target), self.sources(node.iter, node), sharing, first, within=True)
                end = self.block(node.body, start)
                new = sharing if end is None else merged(sharing, end)
                if new is sharing:
                    break
                sharing = new
            for left in self._left:
                sharing = merged(sharing, left)
            self._left = outer
        return sharing

    def stored(self, target: n.Subscript, sources: set[str], sharing: Sharing, node: n.stmt) -> list[tuple[str, str]]:
        """The pairs that a store adds: a list or dict, and all that may be the same one, comes to hold the value; an array copies it."""
        holder, environment = base(target), self.values.before[node]
        kinds = self.values.of(target.value, environment).kind, environment.get(holder or "", UNKNOWN).kind
        if holder is None or not sources or "array" in kinds:
            return []
        if isinstance(target.slice, (n.Slice, n.Tuple)) and "sequence" not in kinds and "mapping" not in kinds:
            return [(holder, source) for source in sources - {holder}]  # an array, as it seems
        same = {one for one in related({holder}, sharing) if one == holder or environment.get(one, UNKNOWN).kind != "array"}
        return [(holder, within_entry(holder)), *((one, other) for one in same for other in related(sources, sharing) if one != other)]

    def shareable(self, names: set[str], node: n.stmt) -> set[str]:
        """The names that do not stand for numbers before a statement: what holds them shares their memory."""
        return {name for name in names if not self.values.before[node].get(name, UNKNOWN).scalar}

    def bound(self, names: set[str], sources: set[str], sharing: Sharing, node: n.stmt, within: bool = False) -> Sharing:
        """What shares memory once ``names`` are bound to something that may do so with ``sources`` (``within``: in a loop's head)."""
        others = related(sources, sharing) - names
        environment = (self.values.before if within else self.values.after).get(node, {})
        fresh: list[tuple[str, str]] = []
        for name in names:
            known = environment.get(name)
            if known is None or not (known.scalar or known.kind == "static"):
                fresh += [(name, other) for other in others]
        return joined_pairs(pair_parts(names, sharing), fresh)

    def sources(self, node: n.expr, at: n.stmt) -> set[str]:
        """The names that the value of an expression may share memory with."""
        if isinstance(node, n.Name):
            return {node.id}
        if isinstance(node, (n.Constant, n.Compare, n.BinOp, n.UnaryOp)):
            return set()
        if (popped_from := popped(node)) is not None:  # an item is no longer in the list: it may be what else was appended
            return {popped_from} if popped_from not in self.scope.copies and self.of(popped_from, at) else set()
        if isinstance(node, n.Attribute) and node.attr in METADATA:
            return set()
        if isinstance(node, n.IfExp):
            return self.sources(node.body, at) | self.sources(node.orelse, at)
        if isinstance(node, n.ITEM_BY_ITEM):
            return self.sources_of_items(node, at)
        if isinstance(node, (n.Tuple, n.List, n.BoolOp)):
            parts = node.values if isinstance(node, n.BoolOp) else node.elts
            return set().union(*(self.sources(part, at) for part in parts)) if parts else set()
        applied = application(node, self.scope)
        fresh = applied is not None and applied.function not in VIEWS and not may_not_copy(node) or always_copies(node)
        if applied is not None and applied.rule is not None and not applied.rule.own and fresh:
            return set()
        value = self.values.of(node, self.values.before.get(at, {}))
        if value.scalar or applied is not None and applied.function in FACTS["spreads"] and value.rank == 2:
            return set()
        if applied is not None and applied.function in COPYING:
            of_set = self.values.of(applied.args[0], self.values.before.get(at, {})) == SET
            if of_set or item_of(value).scalar or item_of(value).kind == "static":
                return set()
        if applied is not None and applied.function is operator.getitem:
            return set() if self.gathers(applied.args[0], applied.args[1], at) else self.sources(applied.args[0], at)
        if isinstance(node, n.Call):  # what chooses is no part of what is chosen
            node = n.Call(func=node.func, args=node.args, keywords=[keyword for keyword in node.keywords if keyword.arg != "key"])
        found = set()
        for name in touched_names(node, self.scope):
            known = self.values.before.get(at, {}).get(name)
            if self.scope.lookup(name) is not None and not (known is not None and known.scalar):
                found.add(name)
        return {name for name in found if not self.scope.is_fixed(name) and not self.scope.is_builtin(name)}

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

    def block_of(self, node: n.stmt) -> list[n.stmt]:
        """The block that a statement stands in."""
        return self._blocks[node]

    def together(self, first: n.stmt, then: n.stmt) -> bool:
        """Whether the second of two statements of one block never runs without the first one having run before it."""
        block = self._blocks.get(first)
        return block is not None and block is self._blocks.get(then) and block.index(first) < block.index(then)

    def outermost(self, node: n.stmt) -> bool:
        """Whether a statement stands in no branch and no loop."""
        return self._blocks.get(node) is self._blocks.get(next(iter(self.before)))

    def of(self, name: str, node: n.stmt) -> set[str]:
        """The other names that may share memory with ``name`` before a statement."""
        return {*self.before.get(node, {}).get(name, ())} - {name}

    def shared(self) -> set[str]:
        """The names that share memory with others somewhere."""
        return set().union(*{id(sharing): sharing for sharing in self.before.values()}.values())

    def anywhere(self) -> Sharing:
        """The names that share memory with others somewhere, with all these others and themselves."""
        found: Sharing = {}
        last: Sharing = {}
        union = Unions()
        for sharing in {id(sharing): sharing for sharing in self.before.values()}.values():
            for name, group in sharing.items():
                if group is not last.get(name):  # mostly it is what it was at the statement before
                    last[name] = group
                    found[name] = union(found.get(name, NONE), group)
        return found

    def changed_outside(self, growth: bool = False) -> set[str]:
        """The parameters of which the caller may see that what they hold is changed; ``growth``: lists by append and pop too."""
        groups = {id(group): group for node, sharing in self.before.items() for name in mutates(node, growth)
                  if (group := sharing.get(name)) is not None}
        return {name[1:] for group in groups.values() for name in group if name.startswith("@")}

    def may_overlap(self, node: n.stmt) -> bool:
        """Whether a statement stores a vector that may be a view of the array it goes into."""
        if not isinstance(node, n.Assign) or not isinstance(node.targets[0], n.Subscript) or not isinstance(node.value, n.Name):
            return False
        array = base(node.targets[0])
        if self.values.of(node.targets[0].value, self.values.before[node]).kind in CONTAINERS:
            return False
        known = self.values.of(as_read(node.targets[0]), self.values.before[node])
        return array is not None and node.value.id in self.of(array, node) and not known.scalar and known.rank in (None, 1)

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
                    single = seen is not None and (seen.rank is not None or known is not None and is_part_alone(seen, known))
                    entries_change = grown(node) or shrunk(node) or isinstance(node, n.Delete) or replaces_entry(node, self.values)
                    if entries_change and (single or not self.identity.may_reach(name, other)):
                        continue  # a list that grows or shrinks, or gets another entry, leaves what it holds alone
                    if not other.startswith(("@", "*")) and other in self.live.after[node]:
                        report(node, name, other)


def is_part_alone(seen: Abstract, known: Abstract) -> bool:
    """Whether something seen is a list, a tuple or a key, which is not the dict that is known, and does not hold it."""
    return known.kind == "mapping" and holds_no_dict(seen)


def holds_no_dict(value: Abstract) -> bool:
    """Whether a value is certainly no dict, and holds none."""
    if value.kind != "sequence":
        return value.rank is not None or value in (KEY, STATIC)
    items = value.items if type(value.items) is tuple else (value.items,)
    return all(isinstance(item, Abstract) and holds_no_dict(item) for item in items)


def touched_names(node: n.AST, scope: Scope) -> set[str]:
    """The names that a tree reads the entries of: not those that it asks for their shape alone."""
    found: set[str] = set()
    parts = [node]
    for part in parts:
        if isinstance(part, n.Name):
            if isinstance(part.ctx, n.Load):
                found.add(part.id)
            continue
        measured = isinstance(part, n.Call) and among(scope.resolve(part.func), FACTS["measures"])
        if measured or isinstance(part, n.Attribute) and part.attr in METADATA:
            continue
        if isinstance(part, n.AugAssign) and isinstance(part.target, n.Name):
            found.add(part.target.id)
        parts += n.below(part)
    return found


def related(names: set[str], sharing: Sharing) -> set[str]:
    """Some names, and those that may share memory with one of them."""
    return names.union(*(sharing.get(name, ()) for name in names))


class Unions:
    """Unions of groups of names, each made once, and equal ones one object: of many names that share memory, each is in the same group."""

    def __init__(self) -> None:
        self.made: dict[tuple[int, int], tuple[frozenset[str], ...]] = {}  # by the ids of two groups, kept beside their union
        self.equal: dict[frozenset[str], frozenset[str]] = {}

    def __call__(self, one: frozenset[str], other: frozenset[str]) -> frozenset[str]:
        key = id(one), id(other)
        if key not in self.made:
            both = one | other
            self.made[key] = self.equal.setdefault(both, both), one, other
        return self.made[key][0]

    def same(self, group: frozenset[str]) -> frozenset[str]:
        """The group, as the object that equal ones have been."""
        return self.equal.setdefault(group, group)


def joined_pairs(sharing: Sharing, pairs: list[tuple[str, str]]) -> Sharing:
    """What may share memory where two names of each of these pairs may too.

    >>> {name: sorted(group) for name, group in joined_pairs({}, [("a", "b")]).items()}
    {'a': ['a', 'b'], 'b': ['a', 'b']}
    """
    new: dict[str, set[str]] = {}
    for one, other in pairs:
        if other not in sharing.get(one, ()):
            new.setdefault(one, {one}).add(other)
            new.setdefault(other, {other}).add(one)
    if not new:
        return sharing
    union = Unions()
    return {**sharing, **{name: union(sharing.get(name, NONE), union.same(frozenset(group))) for name, group in new.items()}}


def pair_parts(names: set[str], sharing: Sharing) -> Sharing:
    """What may share memory once some names stand for something else.

    >>> sharing = pair_parts({"a"}, joined_pairs({}, [("a", "b"), ("b", "c")]))
    >>> {name: sorted(group) for name, group in sharing.items()}
    {'b': ['b', 'c'], 'c': ['b', 'c']}
    """
    touched = names.intersection(sharing)
    if not touched:
        return sharing
    left: dict[int, frozenset[str]] = {}
    kept: Sharing = {}
    for name, group in sharing.items():
        if name not in touched:
            if id(group) not in left:
                left[id(group)] = group if touched.isdisjoint(group) else group - touched
            if len(left[id(group)]) > 1:
                kept[name] = left[id(group)]
    return kept


def merged(one: Sharing, other: Sharing) -> Sharing:
    """What may share memory where the one or the other holds; ``one`` itself if it says as much."""
    if one is other:
        return one
    union = Unions()
    new = {name: union(one.get(name, NONE), group) for name, group in other.items()
           if group is not one.get(name) and not group <= one.get(name, NONE)}
    return {**one, **new} if new else one
