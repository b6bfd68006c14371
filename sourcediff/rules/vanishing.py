"""What a forward formula of one's own is where some of its tangents are zero.

A formula of the table is tested with each tangent alone; one from outside may add within a call, and count on what is added to be
broadcast. So a term is left out only where nothing but elementwise operators stand between it and what is returned. Elsewhere the
tangent is written out as zeros.
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from ..runtime.whose_error import pass_on
from ..syntax import nodes as n
from ..syntax.quote import names, remade
from .formula import Pushforward, Slice, sliced
from .frames import RULES, meaning_of

LINEAR = {np.sum: "a", np.mean: "a", np.linalg.solve: "b"}
"""Functions of another kind that are linear in one parameter."""


class OwnPushforward(Pushforward):
    """A forward formula of one's own, parsed once. ``short``: what it gives without its terms may have to be broadcast."""

    def __init__(self, rule: Any):
        super().__init__(rule)
        self.formula = rule.tangent

    def _without(self, zero: frozenset[str]) -> Slice:
        """The formula where the tangents ``zero`` are zero. Those of them that it still reads have to be written out."""
        gone = set(zero)
        for assignment in self.assignments:
            assigned = names(assignment.targets)
            gone = gone | assigned if self.vanishes(assignment.value, gone) else gone - assigned
        parts = self.returned.elts if isinstance(self.returned, n.Tuple) else [self.returned]
        left = {part: self.remaining(part, gone) for part in parts}
        returned = left[self.returned] if self.returned in left else remade(self.returned, lambda part: left.get(part, part))
        return sliced(self.assignments, (returned,), self.own, self.helpers)._replace(short=any(left[part] is not part for part in parts))

    def remaining(self, node: n.expr, zero: set[str]) -> n.expr:
        """An expression without the terms that are zero; the very same where there is none, or nothing else.

        What it gives broadcasts to what the whole would give.
        """
        if isinstance(node, n.BinOp) and isinstance(node.op, (n.Add, n.Sub)):
            without_left, without_right = (self.vanishes(side, zero) for side in (node.left, node.right))
            if without_left and without_right:
                return node
            if without_right:
                return self.remaining(node.left, zero)
            if without_left:
                right = self.remaining(node.right, zero)
                return right if isinstance(node.op, n.Add) else n.UnaryOp(op=n.USub(), operand=right)
        if isinstance(node, n.BinOp) and isinstance(node.op, (n.Add, n.Sub, n.Mult)):
            inner = [node.left, node.right]
        elif isinstance(node, n.BinOp) and isinstance(node.op, n.Div):
            inner = [node.left]
        elif isinstance(node, n.UnaryOp) and isinstance(node.op, n.USub):
            inner = [node.operand]
        elif isinstance(node, n.IfExp):
            inner = [node.body, node.orelse]
        else:
            return node
        left = {part: self.remaining(part, zero) for part in inner}
        return node if all(part is new for part, new in left.items()) else remade(node, lambda part: left.get(part, part))

    def vanishes(self, node: n.expr, zero: set[str]) -> bool:
        """Whether an expression is certainly zero where these names are: a product with one, or what a linear function makes of it."""

        def gone(part: n.expr) -> bool:
            return self.vanishes(part, zero)

        if isinstance(node, n.Name):
            return node.id in zero
        if isinstance(node, n.BinOp):
            left, right = gone(node.left), gone(node.right)
            if isinstance(node.op, (n.Add, n.Sub)):
                return left and right
            return left if isinstance(node.op, n.Div) else (left or right) and isinstance(node.op, (n.Mult, n.MatMult))
        if isinstance(node, n.UnaryOp):
            return isinstance(node.op, n.USub) and gone(node.operand)
        if isinstance(node, n.Attribute):
            return node.attr in ("T", "mT") and gone(node.value)
        if isinstance(node, n.Subscript):
            return gone(node.value)
        if isinstance(node, n.IfExp):
            return gone(node.body) and gone(node.orelse)
        return isinstance(node, n.Call) and self.vanishing(node, zero)

    def vanishing(self, node: n.Call, zero: set[str]) -> bool:
        """Whether a call of a linear function of the table is certainly zero."""
        rule = RULES.get(self.function(node.func))
        if rule is None or any(isinstance(part, n.Starred) for part in node.args) or any(word.arg is None for word in node.keywords):
            return False
        try:
            bound = rule.bind(tuple(node.args), {word.arg: word.value for word in node.keywords})
        except Exception as error:  # it is no call that the rule knows
            pass_on(error)
            return False
        linear = [LINEAR[rule.function]] if rule.function in LINEAR else rule.differentiable
        if rule.kind not in ("linear", "multilinear") and rule.function not in LINEAR:
            return False
        gone = [all(self.vanishes(part, zero) for part in each_of(bound[name])) for name in linear]
        return any(gone) if rule.kind == "multilinear" else all(gone)

    def function(self, node: n.expr) -> Any:
        """The function that a dotted name stands for, None if it is not one of a module."""
        if isinstance(node, n.Name):
            found = meaning_of(self.formula, node.id)
            return found if isinstance(found, types.ModuleType) else None
        owner = self.function(node.value) if isinstance(node, n.Attribute) else None
        found = getattr(owner, node.attr, None) if isinstance(owner, types.ModuleType) else None
        return found if callable(found) or isinstance(found, types.ModuleType) else None


def each_of(node: Any) -> list[Any]:
    """An argument, or those of a sequence of them."""
    return list(node.elts) if isinstance(node, (n.Tuple, n.List)) and node.elts else [node]
