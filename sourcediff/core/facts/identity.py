"""Identity of containers: which lists and dicts may be one object, or hold one another (a unification-based analysis).

Each name stands for a class of containers, and what is in those is a class again; what a statement makes the same is joined
(B. Steensgaard, Points-to analysis in almost linear time, POPL 1996). Arrays and numbers hold nothing, and have no class.
"""

from __future__ import annotations

import builtins
import collections
from collections.abc import Iterable

from ...analysis.applications import application
from ...analysis.source.out_arguments import among
from ...analysis.statements import entry_put_in, grown, mutates, popped, target_names
from ...rules.facts import FACTS
from ...runtime.structures import recorded, with_added
from ...syntax import nodes as n
from .sources import Sources

COPYING = (
    builtins.list, builtins.tuple, builtins.set, builtins.frozenset, builtins.sorted, builtins.reversed, builtins.dict,
    collections.Counter, collections.deque, recorded,
)
"""Functions that make a new container of the same items."""

PAIRING = (builtins.enumerate, builtins.zip)
"""Functions that make pairs of the items."""


class Class:
    """Containers that may be one; what is in them is one class too. One that was joined with another points to it."""

    def __init__(self) -> None:
        self.joined: Class | None = None
        self.inside: Class | None = None

    def found(self) -> Class:
        """The class that stands for this one by now."""
        here = self
        while here.joined is not None:
            here = here.joined
        return here

    def entries(self) -> Class:
        """The class of what is in these containers."""
        here = self.found()
        if here.inside is None:
            here.inside = Class()
        return here.inside.found()

    def join(self, other: Class | None) -> None:
        """Let two classes be one, and what is in them."""
        pairs = [(self, other)]
        for one, another in pairs:
            one, another = one.found(), another.found() if another is not None else one.found()
            if one is not another:
                another.joined = one
                if one.inside is None:
                    one.inside = another.inside
                elif another.inside is not None:
                    pairs.append((one.inside, another.inside))


class Identity:
    """The classes of the names of a program."""

    def __init__(self, aliases: Sources):
        self.aliases = aliases
        self.values = aliases.values
        self.classes: dict[str, Class] = {}
        for node in aliases.before:
            self.statement(node)

    def may_reach(self, name: str, other: str) -> bool:
        """Whether ``other`` may stand for the container that ``name`` stands for, or for something in which that is."""
        wanted, here = self.of(name).found(), self.of(other).found()
        passed: set[Class] = set()
        while here not in passed and here is not wanted:
            passed.add(here)
            if here.inside is None:
                return False
            here = here.inside.found()
        return here is wanted

    def of(self, name: str) -> Class:
        return self.classes.setdefault(name, Class())

    def statement(self, node: n.stmt) -> None:
        """Join what a statement makes the same."""
        if isinstance(node, n.Assign):
            for target in node.targets:
                self.bind(target, self.value(node.value, node), node)
        elif isinstance(node, n.AugAssign):  # a list that is extended
            slot = self.of(node.target.id) if isinstance(node.target, n.Name) else self.slot(node.target, node)
            if slot is not None and (value := self.value(node.value, node)) is not None:
                slot.entries().join(value.entries())
        elif (name := grown(node)) is not None:
            self.of(name).entries().join(self.value(entry_put_in(node), node))
        elif isinstance(node, n.For):
            self.loop(node.target, node.iter, node)
        elif isinstance(node, n.Expr):
            for name in mutates([node]):
                self.mixed({name, *self.aliases.sources(node.value, node)})

    def bind(self, target: n.expr, value: Class | None, at: n.stmt) -> None:
        """Let a target stand for a value."""
        if value is None:
            return
        if isinstance(target, n.Name):
            self.of(target.id).join(value)
        elif isinstance(target, (n.Tuple, n.List)):
            for part in target.elts:
                self.bind(part, value.entries(), at)
        elif isinstance(target, n.Starred):
            self.bind(target.value, value, at)
        elif isinstance(target, n.Subscript) and (slot := self.slot(target, at)) is not None:
            slot.join(value.entries() if isinstance(target.slice, n.Slice) else value)

    def loop(self, target: n.expr, iterated: n.expr, at: n.stmt) -> None:
        """Let a loop's target stand for what is in what it goes over."""
        if (pairs := self.paired(iterated, at)) is not None and not isinstance(target, n.Name):
            for name in target_names(target):
                self.of(name).join(pairs)
        elif (value := self.value(iterated, at)) is not None:
            self.bind(target, value.entries(), at)

    def paired(self, node: n.expr, at: n.stmt) -> Class | None:
        """The class of what is in the pairs that ``zip``, ``enumerate`` or ``d.items()`` gives; None of anything else."""
        applied = application(node, self.aliases.scope)
        if applied is not None and applied.function in PAIRING:
            return joined_class(part and part.entries() for part in (self.value(arg, at) for arg in applied.args))
        holder = self.value(node.func.value, at) if container_method(node) == "items" else None  # type: ignore[attr-defined]
        return holder and holder.entries()

    def slot(self, node: n.expr, at: n.stmt) -> Class | None:
        """The class of what is at a place in a container; of a slice, of what is in it."""
        assert isinstance(node, (n.Subscript, n.Attribute))
        holder = self.value(node.value, at)
        return None if holder is None else holder.entries()

    def value(self, node: n.expr, at: n.stmt) -> Class | None:
        """The class of an expression's value, if it may be a container."""
        known = self.values.of(node, self.values.before.get(at, {}))
        if known.scalar or known.kind == "array" or isinstance(node, (n.Constant, n.Compare, n.UnaryOp)):
            return None
        if isinstance(node, n.Name):
            return self.of(node.id)
        if (name := popped(node)) is not None:
            entry = self.of(name).entries()
            return holder_classes([entry.entries()]) if name in self.aliases.scope.copies else entry
        if isinstance(node, n.IfExp):
            return joined_class(self.value(part, at) for part in (node.body, node.orelse))
        if isinstance(node, n.BoolOp):
            return joined_class(self.value(part, at) for part in node.values)
        if isinstance(node, n.Subscript):
            slot = self.slot(node, at)
            return slot if slot is None or not isinstance(node.slice, n.Slice) else holder_classes([slot])
        if isinstance(node, (n.Tuple, n.List)):
            return holder_classes(self.value(part, at) for part in node.elts)
        if isinstance(node, n.Dict):
            return holder_classes(self.value(part, at) for part in node.values)
        if isinstance(node, n.BinOp):
            return holder_classes(part and part.entries() for part in (self.value(node.left, at), self.value(node.right, at)))
        if isinstance(node, n.ITEM_BY_ITEM):
            for loop in node.generators:
                self.loop(loop.target, loop.iter, at)
            return holder_classes([self.value(node.elt, at)])
        return self.called(node, at)

    def called(self, node: n.expr, at: n.stmt) -> Class | None:
        """The class of what a call gives: a new container of the same things, one of these, or whatever its arguments lead to."""
        applied = application(node, self.aliases.scope)
        if applied is not None and applied.function in COPYING:
            return holder_classes(part and part.entries() for part in (self.value(arg, at) for arg in applied.args))
        if applied is not None and applied.function is with_added:
            x_bar, _, part = (self.value(arg, at) for arg in applied.args)
            return holder_classes([x_bar and x_bar.entries(), part])
        if applied is not None and among(applied.function, FACTS["exchanges"]):
            parts = [self.value(arg, at) for arg in applied.args]
            return joined_class([*(heap and heap.entries() for heap in parts[:1]), *parts[1:]])
        if isinstance(node, n.Attribute):
            return self.slot(node, at)
        if (within := self.paired(node, at)) is not None:
            return holder_classes([holder_classes([within])])
        method = container_method(node)
        if method == "keys":
            return None
        if method == "get" and (holder := self.value(node.func.value, at)) is not None:
            return joined_class([holder.entries(), *(self.value(arg, at) for arg in node.args[1:])])
        if method == "values" and (holder := self.value(node.func.value, at)) is not None:
            return holder_classes([holder.entries()])
        return self.mixed(self.aliases.sources(node, at))

    def mixed(self, names: set[str]) -> Class | None:
        """The class of what may be anything that some names lead to."""
        made = joined_class(part for name in names for part in (self.of(name), self.of(name).entries()))
        if made is not None:
            made.join(made.entries())
        return made


def container_method(node: n.expr) -> str | None:
    """``get`` for ``d.get(k)``."""
    return node.func.attr if isinstance(node, n.Call) and isinstance(node.func, n.Attribute) else None


def joined_class(classes: Iterable[Class | None]) -> Class | None:
    """One class for what may be any of these."""
    made = None
    for each in classes:
        if each is not None:
            made = made or each
            made.join(each)
    return made


def holder_classes(classes: Iterable[Class | None]) -> Class:
    """The class of a new container that these are in."""
    made = Class()
    for each in classes:
        made.entries().join(each)
    return made
