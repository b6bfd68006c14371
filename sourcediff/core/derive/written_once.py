"""Where a store need not be undone: no entry that the reverse sweep reads before it is one that it overwrites.

In ``x[k + 1] = f(x[k])`` for ascending ``k`` the adjoint code of a trip reads entries that no later trip stores into: a recurrence keeps
all of its past, and nothing is saved.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ...analysis.literals import constant
from ...analysis.scope import Scope
from ...analysis.statements import binds, grown, mutates, position, shrunk
from ...rules.formula import metadata_read
from ...syntax import nodes as n
from .steps import Step

Place = tuple[n.stmt, ...]
"""The loops around a statement, outermost first."""


class Range(NamedTuple):
    """A loop's variable: 1 if it grows and -1 if it falls, and what it is not below."""

    direction: int
    least: int


class Read:
    """An entry that the reverse sweep reads of an array (``index`` None: more than one), where, and when in the order of statements."""

    def __init__(self, index: n.expr | None, loops: Place, order: int):
        self.index, self.loops, self.order = index, loops, order


class WrittenOnce:
    """What is read in an outermost loop, by the arrays' names."""

    def __init__(self, step: Step, order: dict[n.stmt, int], cheap: dict[str, n.Assign], scope: Scope):
        self.scope = scope
        self.order = order
        self.cheap = {id(node): node for node in cheap.values()}
        self.reads: dict[str, list[Read]] = {}
        self.loops: dict[n.stmt, Place] = {}
        self._step(step, (), -1)

    def _step(self, step: Step, loops: Place, last: int) -> None:
        node = step.node
        order = self.order.get(node, last) if node is not None else last
        if node is not None:
            self.loops[node] = loops
        asked: list[n.AST] = [*step.code, *step.also]
        if isinstance(node, (n.If, n.While)):
            asked.append(node.test)
        elif isinstance(node, n.For):
            asked.append(node.iter)
        elif id(node) in self.cheap:
            asked.append(self.cheap[id(node)].value)
        if isinstance(node, (n.Assign, n.AugAssign)):  # to put back what it overwrites, its index is asked
            target = node.targets[0] if isinstance(node, n.Assign) else node.target
            asked += [target.slice] if isinstance(target, n.Subscript) else []
        asked += position(node) if node is not None and (grown(node) or shrunk(node)) else []
        for part in asked:
            for name, index in entries_read(part):
                for known in {*binds(node), *mutates(node)} if node is not None and name == step.new else (name,):
                    self.reads.setdefault(known, []).append(Read(index, loops, order))
        inner = (*loops, node) if isinstance(node, (n.For, n.While)) else loops
        for block in (step.body, step.orelse):
            before = order
            for part in block:
                self._step(part, inner, before)
                before = self.order.get(part.node, before) if part.node is not None else before

    def holds(self, target: n.Subscript, node: n.stmt) -> bool:
        """Whether no entry that is read before this store is the one that it overwrites, in this trip and in later ones."""
        assert isinstance(target.value, n.Name)
        return all(self._apart(read, target.slice, node) for read in self.reads.get(target.value.id, ()))

    def _apart(self, read: Read, stored: n.expr, node: n.stmt) -> bool:
        loops = self.loops[node]
        common = [one for one, other in zip(loops, read.loops) if one is other]
        ranges = {loop.target.id: found for loop in common if isinstance(loop, n.For) and (found := self._range(loop)) is not None}
        moved = moved_by(read.index, stored, ranges)
        for loop in common:
            variable = getattr(getattr(loop, "target", None), "id", "")
            if variable not in moved:
                return False
            if moved[variable]:
                return moved[variable] * ranges[variable].direction < 0
        return read.order > self.order[node]

    def _range(self, loop: n.For) -> Range | None:
        """What is known of a loop's variable that goes over a range; None of any other loop."""
        call = loop.iter
        if not isinstance(loop.target, n.Name) or not isinstance(call, n.Call) or loop.target.id in binds(loop.body):
            return None
        if self.scope.resolve(call.func) is not builtins.range or call.keywords or not 0 < len(call.args) < 4:
            return None
        step = constant(call.args[2]) if len(call.args) == 3 else 1
        if type(step) is not int or not step:
            return None
        least = (self._least(call.args[0]) if len(call.args) > 1 else 0) if step > 0 else self._least(call.args[1])
        return None if least is None else Range(1 if step > 0 else -1, least + (step < 0))

    def _least(self, bound: n.expr) -> int | None:
        """A number that an expression is not below, if one is known."""
        known = constant(bound)
        if isinstance(bound, n.Call) and self.scope.resolve(bound.func) is builtins.max and not bound.keywords:
            found = [least for part in bound.args if (least := self._least(part)) is not None]
            return max(found, default=None) if len(bound.args) > 1 else None
        return known if type(known) is int else None


def moved_by(read: n.expr | None, stored: n.expr, ranges: Mapping[str, Range]) -> dict[str, int]:
    """By how much the variables of loops have to grow for the entry stored then to be the one that is read now, where that is known.

    What counts from the end is not known, nor what comes after an index that may stand for several dimensions.
    """
    found: dict[str, int] = {}
    parts = [] if read is None else zip(*(part.elts if isinstance(part, n.Tuple) else [part] for part in (read, stored)))
    for pair in parts:
        shifts = [shifted(part) for part in pair]
        if not all(isinstance(part, n.Slice) or type(constant(part)) is int or shift is not None and shift[0] in ranges
                   for part, shift in zip(pair, shifts)):
            break
        (one, other) = shifts
        if one is not None and other is not None and one[0] == other[0] and ranges[one[0]].least + min(one[1], other[1]) >= 0:
            found[one[0]] = one[1] - other[1]
    return found


def entries_read(node: n.AST) -> Iterator[tuple[str, n.expr | None]]:
    """The arrays that a tree reads, each with the index of the entry; not those of which it asks the shape."""
    if metadata_read(node) is not None:
        return
    if isinstance(node, n.Subscript) and isinstance(node.value, n.Name):
        yield node.value.id, node.slice
        yield from entries_read(node.slice)
    elif isinstance(node, n.Name):
        yield node.id, None
    else:
        for part in n.below(node):
            yield from entries_read(part)


def shifted(index: n.expr) -> tuple[str, int] | None:
    """``(k, 1)`` for ``k + 1``, ``(k, 0)`` for ``k``; None for any other index."""
    if isinstance(index, n.Name):
        return index.id, 0
    if isinstance(index, n.BinOp) and isinstance(index.op, (n.Add, n.Sub)) and isinstance(index.left, n.Name):
        by = constant(index.right)
        return (index.left.id, by if isinstance(index.op, n.Add) else -by) if type(by) is int else None
    return None
