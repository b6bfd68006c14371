"""Aliases: which names may stand for (parts of) the same array, and where one would see a change in place through another."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..syntax import nodes as n
from ..syntax.quote import clone
from .applications import METADATA, application
from .effects import base, grown, mutates, target_names
from .fresh import always_copies, may_not_copy
from .liveness import Liveness
from .scope import Scope
from .values import Values

VIEWS: frozenset[Any] = frozenset(
    function for function in (
        np.transpose, np.reshape, np.ravel, np.squeeze, np.expand_dims, np.swapaxes, np.moveaxis, np.diagonal, np.broadcast_to, np.asarray,
        np.atleast_1d, np.atleast_2d, np.atleast_3d, np.real, np.imag, np.diag, np.flip, np.fliplr, np.flipud, np.rollaxis,
        np.ascontiguousarray, np.asanyarray, getattr(np, "matrix_transpose", None), np.einsum, np.split, np.array_split,
        np.rot90, operator.getitem,
    ) if function is not None
)
"""Functions whose result may share memory with their argument."""

Pair = frozenset


def outside(parameter: str) -> str:
    """The pseudo-name of the object that the caller passed for a parameter (or that a closure holds)."""
    return "@" + parameter


class Aliases:
    """``before[statement]``: the pairs of names that may share memory there."""

    def __init__(self, body: list[n.stmt], parameters: list[str], values: Values, live: Liveness):
        self.values = values
        self.scope: Scope = values.scope
        self.live = live
        self.before: dict[n.stmt, frozenset[Pair[str]]] = {}
        start = frozenset(Pair((name, outside(name))) for name in parameters)
        self.block(body, start)

    def block(self, body: list[n.stmt], pairs: frozenset[Pair[str]]) -> frozenset[Pair[str]]:
        for statement in body:
            self.before[statement] = self.before.get(statement, frozenset()) | pairs
            pairs = self.statement(statement, pairs)
        return pairs

    def statement(self, node: n.stmt, pairs: frozenset[Pair[str]]) -> frozenset[Pair[str]]:
        if isinstance(node, n.Assign):
            target = node.targets[0]
            sources = self.sources(node.value, node)
            if isinstance(target, n.Subscript):  # a container may come to hold it; an array copies it
                holder = base(target)
                if holder and self.values.before[node].get(holder) is not None and self.values.before[node][holder].kind == "array":
                    return pairs
                return pairs | {Pair((holder, source)) for source in sources if holder and holder != source}
            return self.bound(target_names(target), sources, pairs, node)
        if (name := grown(node)) is not None:
            sources = self.sources(node.value.args[0], node)
            related = sources | {other for pair in pairs if pair & sources for other in pair}
            return pairs | {Pair((name, other)) for other in related if other != name}
        if isinstance(node, n.If):
            return self.block(node.body, pairs) | self.block(node.orelse, pairs)
        if isinstance(node, (n.For, n.While)):
            while True:
                start = pairs
                if isinstance(node, n.For):
                    start = self.bound(target_names(node.target), self.sources(node.iter, node), pairs, node, within=True)
                new = pairs | self.block(node.body, start)
                if new == pairs:
                    return pairs
                pairs = new
        return pairs

    def bound(
        self, names: set[str], sources: set[str], pairs: frozenset[Pair[str]], node: n.stmt, within: bool = False
    ) -> frozenset[Pair[str]]:
        """The pairs after ``names`` were bound to something that may share memory with ``sources`` (``within``: in a loop's head)."""
        related = sources | {other for pair in pairs if pair & sources for other in pair}
        kept = frozenset(pair for pair in pairs if not pair & names)
        environment = (self.values.before if within else self.values.after).get(node, {})
        fresh = set()
        for name in names:
            known = environment.get(name)
            if not within and known is not None and (known.scalar or known.kind == "static"):
                continue
            fresh |= {Pair((name, other)) for other in related - names}
        return kept | fresh

    def sources(self, node: n.expr, at: n.stmt) -> set[str]:
        """The names that the value of an expression may share memory with."""
        if isinstance(node, n.Name):
            return {node.id}
        if isinstance(node, (n.Constant, n.Compare, n.BinOp, n.UnaryOp)):
            return set()
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
            return self.sources(applied.args[0], at)
        found = set()
        for part in n.walk(node):
            if isinstance(part, n.Name) and isinstance(part.ctx, n.Load):
                known = self.values.before.get(at, {}).get(part.id)
                if self.scope.lookup(part.id) is not None and not (known is not None and known.scalar):
                    found.add(part.id)
        return {name for name in found if name not in self.scope.free}

    def of(self, name: str, node: n.stmt) -> set[str]:
        """The other names that may share memory with ``name`` before a statement."""
        return {other for pair in self.before.get(node, ()) if name in pair for other in pair if other != name}

    def may_overlap(self, node: n.stmt) -> bool:
        """Whether a statement stores a vector that may be a view of the array it goes into."""
        if not isinstance(node, n.Assign) or not isinstance(node.targets[0], n.Subscript) or not isinstance(node.value, n.Name):
            return False
        array = base(node.targets[0])
        slot = clone(node.targets[0])
        slot.ctx = n.Load()
        known = self.values.of(slot, self.values.before[node])
        return array is not None and node.value.id in self.of(array, node) and not known.scalar and known.rank in (None, 1)

    def conflicts(self, report: Callable[[n.stmt, str, str], None]) -> None:
        """Report each change in place that a name still in use could see: ``report(statement, changed, seen_through)``."""
        for node in self.before:
            if isinstance(node, (n.If, n.For, n.While)):
                continue
            for name in mutates(node):
                known = self.values.before[node].get(name)
                if known is not None and known.scalar:
                    continue
                for other in sorted(self.of(name, node)):
                    seen = self.values.before[node].get(other)
                    if grown(node) and seen is not None and (seen.kind == "array" or seen.scalar):
                        continue  # a list that grows leaves what it holds alone
                    if not other.startswith("@") and other in self.live.after[node]:
                        report(node, name, other)
