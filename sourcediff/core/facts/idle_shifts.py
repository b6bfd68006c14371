"""Shifts on which nothing depends: ``np.exp(z - m) / np.sum(np.exp(z - m))`` and ``m + np.log(np.sum(np.exp(z - m)))`` are the same for
every ``m``, so the maximum that is taken for it, against overflow, needs no derivative.

A shift of ``m`` is followed from statement to statement: some values move by a multiple of it, others are multiplied by a power of its
exponential. Where those that do either are read by nothing else, all that is left does not move.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ...analysis.abstract import Abstract
from ...analysis.applications import METADATA, Application, application
from ...analysis.literals import constant
from ...analysis.scope import MISSING
from ...analysis.statements import binds, mutates, target_names
from ...rules.facts import FACTS
from ...runtime import arrays
from ...syntax import nodes as n
from ...syntax.text import to_source
from .aliases import Aliases

HIGHEST = (np.max, np.min, arrays.largest, arrays.smallest)
"""What is subtracted against overflow."""


class Along(NamedTuple):
    """How a shift lies along an array: it is the same along ``axis``, counted from the end, of ``rank`` axes (None: unknown), which is
    ``dropped``, or is there. Without an axis it is one number."""

    axis: int | None = None
    dropped: bool = False
    rank: int | None = None


class Moved(NamedTuple):
    """What a shift does to a value: adds ``by`` times the shift, or, of ``exponential``, multiplies by its exponential to that power."""

    exponential: bool
    by: Fraction
    along: Along


class Lost(Exception):
    """Something is done to a value that moves of which nothing is known."""


class Following:
    """Follows the shift of a maximum that ``node`` names through the rest of its block, and of the same, taken again: ``shifted``."""

    def __init__(self, aliases: Aliases, node: Any, along: Along):
        self.aliases = aliases
        self.values = aliases.values
        self.scope = aliases.values.scope
        self.shifted = {node}
        self.text = to_source(node.value)
        self.read = {part.id for part in n.names_in(node.value)}
        self.shift = Moved(False, Fraction(1), along)
        self.moved = {node.targets[0].id: self.shift}

    def step(self, node: n.stmt) -> None:
        """Follow it through a statement. Raises Lost."""
        touched = {part.id for part in n.names_in(node)} & self.moved.keys()
        named = isinstance(node, n.Assign) and isinstance(node.targets[0], n.Name)
        again = named and self.text and to_source(node.value) == self.text
        changed = mutates(node)
        if (changed | binds(node)) & self.read or any(self.aliases.of(name, node) & changed for name in self.read):
            self.text = ""  # of another array
        if again:
            self.shifted.add(node)
            self.bind(node.targets[0].id, self.shift)
        elif isinstance(node, n.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], n.Name):
            found = self.of(node.value, node) if {part.id for part in n.names_in(node.value)} & self.moved.keys() else None
            self.bind(node.targets[0].id, found)
        elif isinstance(node, n.AugAssign) and isinstance(node.target, n.Name) and touched:
            if self.aliases.of(node.target.id, node):
                raise Lost
            self.bind(node.target.id, self.of(n.BinOp(left=node.target, op=node.op, right=node.value), node))
        elif touched or any(isinstance(part, n.Break) for part in n.walk(node)):
            raise Lost

    def bind(self, name: str, moved: Moved | None) -> None:
        """Note what becomes of the value of a name."""
        self.moved.pop(name, None)
        if moved is not None and moved.by:
            self.moved[name] = moved

    def of(self, node: n.expr, at: n.stmt) -> Moved | None:
        """What becomes of the value of an expression; None if it does not move. Raises Lost."""
        if isinstance(node, n.Name):
            return self.moved.get(node.id)
        if not {part.id for part in n.names_in(node)} & self.moved.keys():
            return None
        if isinstance(node, n.Attribute) and node.attr in METADATA:
            return None
        found = application(node, self.scope)
        if found is None:
            raise Lost
        if any(found.function is function for function in FACTS["measures"]):
            return None
        return self.applied(found, at)

    def applied(self, found: Application, at: n.stmt) -> Moved | None:
        """The same of an application."""
        function, args = found.function, found.args
        if function is np.negative:
            return scaled(self.of(args[0], at), Fraction(-1))
        if function in (np.add, np.subtract):
            return self.sum_of(args, -1 if function is np.subtract else 1, at)
        if function in (np.multiply, np.true_divide):
            return self.product(args, -1 if function is np.true_divide else 1, at)
        if function is np.power and (power := exact(constant(args[1]))) is not None:
            return scaled(self.exponential(args[0], at), power)
        if function is np.sqrt:
            return scaled(self.exponential(args[0], at), Fraction(1, 2))
        if function is np.exp and not found.kwargs:
            return changed(self.additive(args[0], at), True)
        if function is np.log and not found.kwargs:
            return changed(self.exponential(args[0], at), False)
        if function in (np.sum, np.mean) and not found.kwargs.keys() - {"axis", "keepdims"}:
            return self.reduced(found, at)
        if function is np.matmul:
            return self.contracted(args, at)
        if found.function is MISSING or not args:
            raise Lost
        return self.spread(found, at)

    def additive(self, node: n.expr, at: n.stmt) -> Moved | None:
        """What becomes of a value that a multiple of the shift is added to."""
        found = self.of(node, at)
        if found is not None and found.exponential:
            raise Lost
        return found

    def exponential(self, node: n.expr, at: n.stmt) -> Moved | None:
        """What becomes of a value that is multiplied by a power."""
        found = self.of(node, at)
        if found is not None and not found.exponential:
            raise Lost
        return found

    def sum_of(self, args: tuple[n.expr, ...], sign: int, at: n.stmt) -> Moved | None:
        left, right = self.additive(args[0], at), scaled(self.additive(args[1], at), Fraction(sign))
        return self.together(left, right, args, at)

    def product(self, args: tuple[n.expr, ...], sign: int, at: n.stmt) -> Moved | None:
        left, right = self.of(args[0], at), self.of(args[1], at)
        for moved, other in ((left, args[1]), (right, args[0]) if sign > 0 else (None, args[0])):
            if moved is not None and not moved.exponential and (factor := exact(constant(other))):
                return scaled(moved, factor**sign)
        if any(moved is not None and not moved.exponential for moved in (left, right)):
            raise Lost
        return self.together(left, scaled(right, Fraction(sign)), args, at)

    def together(self, left: Moved | None, right: Moved | None, args: tuple[n.expr, ...], at: n.stmt) -> Moved | None:
        """What becomes of what two values are broadcast to."""
        if left is None or right is None:
            moved, other = (right, args[0]) if left is None else (left, args[1])
            return None if moved is None else moved._replace(along=beside(moved.along, self.known(other, at).rank))
        along = left.along if left.along == right.along else meeting(left.along, right.along)
        return Moved(left.exponential, left.by + right.by, along)

    def reduced(self, found: Application, at: n.stmt) -> Moved | None:
        """The same of a sum or a mean, along the axis along which the shift is the same."""
        moved = self.exponential(found.args[0], at)
        if moved is None or moved.along.axis is None:
            return moved
        axis = constant(found.kwargs.get("axis", found.args[1] if len(found.args) > 1 else None), None)
        rank = self.known(found.args[0], at).rank
        if type(axis) is not int or moved.along.dropped or axis >= 0 and rank is None or len(found.args) > 2:
            raise Lost
        if (axis if axis < 0 else axis - (rank or 0)) != moved.along.axis:
            raise Lost
        if constant(found.kwargs.get("keepdims"), False) is True:
            return moved
        return moved._replace(along=without_axis(moved.along.axis, rank))

    def contracted(self, args: tuple[n.expr, ...], at: n.stmt) -> Moved | None:
        """The same of a product of matrices, over the axis along which the shift is the same."""
        left, right = self.exponential(args[0], at), self.exponential(args[1], at)
        ranks = [self.known(arg, at).rank for arg in args]
        moved, axis = (right, -2) if left is None else (left, -1)
        if left is not None and right is not None or moved is None or ranks != [2, 2]:
            raise Lost
        if moved.along.axis is not None and (moved.along.axis != axis or moved.along.dropped):
            raise Lost
        return moved

    def spread(self, found: Application, at: n.stmt) -> Moved | None:
        """The same of an array with an axis more: ``m[:, None]``."""
        moved = self.of(found.args[0], at)
        rest = [*found.args[1:], *found.kwargs.values()]
        if moved is None or any({part.id for part in n.names_in(arg)} & self.moved.keys() for arg in rest):
            raise Lost
        if found.function is operator.getitem:
            axis, dropped, rank = moved.along
            if axis is None:
                return moved
            index = rest[0].elts if isinstance(rest[0], n.Tuple) else [rest[0]]
            if dropped and rank is not None and added_axes(index, rank) == [axis]:
                return moved._replace(along=Along(axis, False, rank))
        raise Lost

    def known(self, node: n.expr, at: n.stmt) -> Abstract:
        """What is known of an operand."""
        return self.values.of(node, self.values.before[at])


def added_axes(index: list[n.expr], rank: int) -> list[int]:
    """The axes, counted from the end, that an index adds to an array, which has ``rank`` then. Raises Lost for one that does more."""
    words = [constant(part, None) if isinstance(part, n.Constant) else part for part in index]
    whole = [isinstance(part, n.Slice) and part.lower is part.upper is part.step is None for part in words]
    if not all(plain or part is None or part is ... for part, plain in zip(words, whole)):
        raise Lost
    dots = next((k for k, part in enumerate(words) if part is ...), len(words))
    if dots == len(words) != rank:
        raise Lost
    return [k - rank if k < dots else k - len(words) for k, part in enumerate(words) if part is None]


def exact(value: Any) -> Fraction | None:
    """A number as a fraction; None for anything else."""
    return Fraction(value) if type(value) in (int, float) and np.isfinite(value) else None


def scaled(moved: Moved | None, factor: Fraction) -> Moved | None:
    """What a multiple, or a power, of a value does."""
    return None if moved is None else moved._replace(by=moved.by * factor)


def changed(moved: Moved | None, exponential: bool) -> Moved | None:
    """The same of an exponential, or a logarithm."""
    return None if moved is None else moved._replace(exponential=exponential)


def without_axis(axis: int, rank: int | None) -> Along:
    """How a shift lies along what has lost the axis along which it is the same. Raises Lost."""
    if rank is None:
        raise Lost
    return Along() if rank == 1 else Along(axis, True, rank)


def beside(along: Along, rank: int | None) -> Along:
    """How it lies along what a value is broadcast to with one that does not move. Raises Lost."""
    if not along.dropped or rank is not None and along.rank is not None and rank < along.rank:
        return along
    if rank is None or rank != along.rank or along.axis != -rank:
        raise Lost
    return Along(along.axis, False, rank)


def meeting(one: Along, other: Along) -> Along:
    """How it lies along what two values are broadcast to that both move. Raises Lost."""
    if one.axis == other.axis and one.dropped == other.dropped:
        return one if one.rank is not None else other
    dropped = one if one.dropped else other
    if one.axis != other.axis or dropped.rank is None or dropped.axis != -dropped.rank:
        raise Lost
    return Along(dropped.axis, False, dropped.rank)


def idle_shifts(body: list[n.stmt], aliases: Aliases, outputs: set[str]) -> set[n.stmt]:
    """The statements that name a maximum, or a minimum, on which nothing depends."""
    found = set()
    for block, k, along in candidates(body, aliases):
        if block[k] in found:
            continue
        following = Following(aliases, block[k], along)
        try:
            for node in block[k + 1:]:
                following.step(node)
        except Lost:
            continue
        elsewhere = Counter(part.id for node in body for part in n.names_in(node)) if block is not body else Counter()
        elsewhere.subtract(part.id for node in block[k:] for part in n.names_in(node))
        if not any(elsewhere[name] > 0 for name in following.moved) and not following.moved.keys() & outputs:
            found |= following.shifted
    return found


def candidates(body: list[n.stmt], aliases: Aliases) -> Iterator[tuple[list[Any], int, Along]]:
    """The maxima and minima that have a name: the block, the place in it, and how the maximum lies along the array."""
    for k, node in enumerate(body):
        for block in (getattr(node, field, []) for field in n.BLOCKS):
            yield from candidates(block, aliases)
        if not isinstance(node, n.Assign) or not isinstance(node.targets[0], n.Name) or node not in aliases.values.before:
            continue
        found = application(node.value, aliases.values.scope)
        if found is None or not found.args or not any(found.function is function for function in HIGHEST):
            continue
        axis = constant(found.kwargs.get("axis", found.args[1] if len(found.args) > 1 else None), None)
        kept = constant(found.kwargs.get("keepdims"), False)
        rank = aliases.values.of(found.args[0], aliases.values.before[node]).rank
        if len(found.args) > 2 or found.kwargs.keys() - {"axis", "keepdims"} or target_names(node.targets[0]) & {
                part.id for part in n.names_in(node.value)}:
            continue
        if axis is None or rank == 1:
            yield body, k, Along()
        elif type(axis) is int and kept in (True, False) and (axis < 0 or rank is not None) and (kept or rank is not None):
            yield body, k, Along(axis if axis < 0 else axis - (rank or 0), not kept, rank)
