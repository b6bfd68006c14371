"""Decide what is known where a function is called: whether an optional parameter is None, or a function that is given.

>>> from sourcediff.explaining import text_after
>>> def steps(step, x, stop=None):
...     for k in range(3):
...         x = step(x)
...         if stop is not None and stop(x):
...             break
...     return x
>>> def grown(x):
...     return steps(lambda y: 2 * y, x)
>>> print(text_after("normalise", grown))
x1 = x
stop = None
for k in range(3):
    value = 2 * x1
    x1 = value
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..analysis.scope import bound_names
from ..syntax import nodes as n
from ..syntax.quote import altered, place, remade

Block = list[n.stmt]


def decided(tree: n.FunctionDef, given: Mapping[str, bool]) -> n.FunctionDef:
    """A function of which these parameters are certainly something that is true, or certainly None."""
    bound = bound_names(n.Module(body=tree.body, type_ignores=[]))
    known = {name: true for name, true in given.items() if name not in bound}
    return altered(tree, body=Decided(known).block(tree.body)) if known else tree


class Decided:
    """Writes anew what asks for these names."""

    def __init__(self, known: Mapping[str, bool]):
        self.known = known

    def block(self, body: Block) -> Block:
        return [made for node in body for made in self.statement(node)]

    def statement(self, node: Any) -> Block:
        if isinstance(node, (n.If, n.While)):
            test = self.test(node.test)
            if isinstance(node, n.If) and isinstance(test, n.Constant):
                return self.block(node.body if test.value else node.orelse)
            return [altered(node, test=test, body=self.block(node.body), orelse=self.block(node.orelse))]
        blocks = {field: self.block(block) for field in n.BLOCKS if type(block := getattr(node, field, None)) is list}
        inside = {part for block in blocks.values() for part in block}
        return [remade(altered(node, **blocks), lambda part: part if part in inside else self.value(part))]

    def value(self, node: Any) -> Any:
        """An expression, or another part of a statement."""
        if isinstance(node, n.Compare) and (answer := self.is_none(node)) is not None:
            return place(n.Constant(value=answer, kind=None), node)
        if isinstance(node, n.IfExp):
            test = self.test(node.test)
            if isinstance(test, n.Constant):
                return self.value(node.body if test.value else node.orelse)
            return altered(node, test=test, body=self.value(node.body), orelse=self.value(node.orelse))
        if isinstance(node, n.BoolOp):
            return self.joined(node, self.value)
        if isinstance(node, n.UnaryOp) and isinstance(node.op, n.Not):
            operand = self.test(node.operand)
            answer = not operand.value if isinstance(operand, n.Constant) else None
            return altered(node, operand=operand) if answer is None else place(n.Constant(value=answer, kind=None), node)
        return remade(node, self.value)

    def test(self, node: Any) -> Any:
        """An expression of which only counts whether it is true."""
        if isinstance(node, n.Name) and node.id in self.known:
            return place(n.Constant(value=self.known[node.id], kind=None), node)
        return self.joined(node, self.test) if isinstance(node, n.BoolOp) else self.value(node)

    def joined(self, node: n.BoolOp, inner: Callable[[Any], Any]) -> n.expr:
        """``a and b`` without the parts that decide nothing, and those that are not asked any more."""
        neutral = isinstance(node.op, n.And)
        parts: list[n.expr] = []
        for part in node.values:
            answer = self.test(part)
            known = bool(answer.value) if isinstance(answer, n.Constant) else None
            if known is not neutral or part is node.values[-1] and inner != self.test:
                parts.append(inner(part))
            if known is not None and known is not neutral:
                break
        if not parts:
            return place(n.Constant(value=neutral, kind=None), node)
        return altered(node, values=parts) if len(parts) > 1 else parts[0]

    def is_none(self, node: n.Compare) -> bool | None:
        """The answer to ``p is None`` or ``p is not None``; None if that is something else."""
        other = node.comparators[0]
        asked = isinstance(node.left, n.Name) and isinstance(other, n.Constant) and other.value is None and len(node.ops) == 1
        if not asked or node.left.id not in self.known or not isinstance(node.ops[0], (n.Is, n.IsNot)):
            return None
        return self.known[node.left.id] == isinstance(node.ops[0], n.IsNot)
