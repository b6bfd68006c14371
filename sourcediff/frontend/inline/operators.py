"""Resolve operators of objects: ``a @ x`` of an object whose class says what ``@`` means is a call of its method.

>>> from sourcediff.api.explain import text_after
>>> class Scale:
...     def __init__(self, factor):
...         self.factor = factor
...     def __matmul__(self, x):
...         return self.factor * x
>>> def scaled(k, x):
...     return Scale(k) @ x
>>> print(text_after("unbound_names", scaled))
factor = k
value = factor * x
"""

from __future__ import annotations

import types
from typing import Any

from ...analysis.applications import SIGNS, is_number, record_of
from ...analysis.literals import constant
from ...rules.frames import rule_for
from ...rules.library_functions import composite_for
from ...rules.library_objects import Record
from ...runtime.user_objects import member
from ...syntax import nodes as n
from ...syntax.quote import altered, expression, place
from ..room import Room


class Operators(Room):
    """Knows what operators are calls of, and which calls of a library's functions and methods are said by others for their arguments."""

    def written(self, node: n.expr) -> n.expr:
        """An expression as the call of a function or a method in Python, if it is one; else as it is, or with names for its operands."""
        if isinstance(node, n.BinOp) and type(node.op) in SIGNS and self.concerns(node):
            return self.of_two(node, self.is_number(node.left), self.is_number(node.right))
        if isinstance(node, n.UnaryOp) and isinstance(node.op, n.USub) and self.concerns(node):
            operand = self.operand(node.operand)
            return self.method(operand, "__neg__", [], node) or altered(node, operand=operand)
        if isinstance(node, n.Subscript) and self.concerns(node.value):
            owner = self.operand(node.value)
            return self.method(owner, "__getitem__", [as_value(node.slice)], node) or altered(node, value=owner)
        if isinstance(node, n.Call) and self.carries(node):
            return self.of_library(node)
        return node

    def concerns(self, node: n.expr) -> bool:
        """Whether an operand may be such an object."""
        return any(
            isinstance(part, n.Name) and (part.id in self.state.instances or part.id in self.scope.records)
            or isinstance(part, n.Call) and composite_for(self.scope.resolve(part.func)) is not None
            or isinstance(part, (n.Name, n.Attribute)) and record_of(part, self.scope) is not None
            or isinstance(part, n.Call) and self.lower.construction.made(part) is not None for part in n.walk(node)
        ) and self.carries(node)

    def of_two(self, node: n.BinOp, *numbers: bool) -> n.expr:
        """``a @ b``; ``numbers``: which of the two are certainly numbers."""
        left, right = (part if number else self.operand(part) for part, number in zip((node.left, node.right), numbers))
        sides = (("", left, right, numbers[1]), ("r", right, left, numbers[0]))
        for side, owner, other, number in sides:
            name = f"__{side}{SIGNS[type(node.op)]}__"
            if side == "" or number or self.asks_other(owner):
                if (made := self.method(owner, name, [other], node)) is not None:
                    return made
            known = record_of(owner, self.scope)
            if known is not None and self.carries(other) and self.lower.attributes.instance(other) is None:
                plain = composite_for(getattr(known.kind, name, None) if number else known.method(name))
                if plain is not None:
                    return place(n.Call(func=self.lower.methods.standing(plain), args=[owner, other], keywords=[]), node)
        return altered(node, left=left, right=right)

    def asks_other(self, node: n.expr) -> bool:
        """Whether arrays leave an operator to an object on its right."""
        instance = self.lower.attributes.instance(node)
        return instance is not None and getattr(instance.kind, "__array_ufunc__", node) is None

    def method(self, owner: n.expr, name: str, others: list[n.expr], at: n.expr) -> n.expr | None:
        """The call of an operator's method, if that is a function of an object's class; None if not."""
        instance = self.lower.attributes.instance(owner)
        function = None if instance is None else member(instance.kind, name)
        if not isinstance(function, types.FunctionType) or "NotImplemented" in function.__code__.co_names:
            return None
        return place(n.Call(func=self.lower.methods.standing(function), args=[owner, *others], keywords=[]), at)

    def of_library(self, node: n.Call) -> n.expr:
        """A call that a composite says because of what it is given: of a constant object or its method, or an object that is made here."""
        function: Any = self.scope.resolve(node.func)
        known: Record | None = None
        first: list[n.expr] = []
        if isinstance(node.func, n.Attribute) and (known := record_of(node.func.value, self.scope)) is not None:
            function, first = known.method(node.func.attr), [node.func.value]
        elif (known := record_of(node.func, self.scope)) is not None:
            function, first = known.method("__call__"), [node.func]
        plain = composite_for(function)
        starred = any(isinstance(part, n.Starred) for part in node.args)
        if plain is None or starred or known is None and (rule_for(function) is None or not any(map(self.concerns, node.args))):
            return node
        args = [self.operand(part) for part in node.args]
        if known is None and not any(map(self.lower.attributes.instance, args)):
            return altered(node, args=args)
        return place(n.Call(func=self.lower.methods.standing(plain), args=[*first, *args], keywords=node.keywords), node)

    def is_number(self, node: n.expr) -> bool:
        """Whether an expression is certainly a number."""
        if isinstance(node, (n.UnaryOp, n.BinOp)):
            return all(map(self.is_number, [node.operand] if isinstance(node, n.UnaryOp) else [node.left, node.right]))
        if isinstance(node, n.Subscript) and self.known(node.value).rank == 1:
            return type(constant(node.slice)) is int
        return isinstance(node, n.Constant) or is_number(node, self.scope) or self.known(node).scalar


def as_value(index: n.expr) -> n.expr:
    """An index as an expression of its own: ``slice(a, b, None)`` for ``a:b``."""
    if isinstance(index, n.Tuple):
        return altered(index, elts=[*map(as_value, index.elts)])
    if not isinstance(index, n.Slice):
        return index
    ends = [part or n.Constant(value=None, kind=None) for part in (index.lower, index.upper, index.step)]
    return place(expression("slice($a, $b, $c)", **dict(zip("abc", ends))), index)
