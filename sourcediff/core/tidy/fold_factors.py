"""Multiply literal factors out, where that changes no rounding.

>>> from sourcediff.syntax.quote import expression
>>> from sourcediff.syntax.text import to_source
>>> to_source(Factors(lambda node: True).multiplied(expression("0.5 * (2 * x) + 3 * (4 * y / z) + 3 * (0.1 * z)")))
'x + 12 * y / z + 3 * (0.1 * z)'
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

from ...analysis.literals import constant as literal
from ...syntax import nodes as n


class Factors(n.NodeTransformer):
    """``0.5 * (2 * x)`` becomes ``x``: literal factors are multiplied out where one is a power of two, so that no rounding changes.

    ``floating`` says of an expression that it is certainly of floats: only then may ``1.0 * x`` be ``x``.
    """

    def __init__(self, floating: Callable[[n.expr], bool]):
        self.floating = floating
        self.within = False  # whether what is visited is an operand, of which another array is made

    def visit(self, node: n.AST) -> n.AST:
        within, self.within = self.within, isinstance(node, (n.BinOp, n.UnaryOp))
        made: n.AST = self.visit_product(node, within) if isinstance(node, n.BinOp) else self.generic_visit(node)
        self.within = within
        return made

    def multiplied(self, node: n.expr, within: bool = False) -> n.expr:
        """The expression with its literal factors multiplied out; ``within``: another array is made of it, or it is added to one."""
        self.within = within
        nested = any(type(part) is n.BinOp and type(part.op) is n.Mult and type(part.right) is n.BinOp for part in n.walk(node))
        return self.visit(node) if nested or within else node  # type: ignore[return-value]

    def visit_product(self, node: n.BinOp, within: bool) -> n.expr:
        """A product: a factor that cancels leaves the other one where that is no array of somebody's: ``np.ravel(0.5 * (2 * x))`` is none
        of ``x``."""
        self.generic_visit(node)
        factor = literal(node.left)
        if within and isinstance(node.op, n.Mult) and _is_number(factor) and factor == 1 and self.floating(node.right):
            return node.right
        first = node.right
        while isinstance(first, n.BinOp) and isinstance(first.op, (n.Mult, n.Div)) and isinstance(first.left, n.BinOp):
            first = first.left
        if not (isinstance(node.op, n.Mult) and isinstance(first, n.BinOp) and isinstance(first.op, n.Mult)):
            return node
        one, other = literal(node.left), literal(first.left)
        if not (_is_number(one) and _is_number(other) and (is_power_of_two(one) or is_power_of_two(other))):
            return node
        product = one * other
        if product and not sys.float_info.min <= abs(product) <= sys.float_info.max:
            return node
        new = within or first is not node.right or isinstance(first.right, n.BinOp)
        kept = first.right if product == 1 and new and self.floating(first.right) else None
        made = kept or n.BinOp(left=n.Constant(value=product, kind=None), op=n.Mult(), right=first.right)
        return made if first is node.right else replaced(node.right, first, made)


def replaced(product: n.expr, first: n.expr, other: n.expr) -> n.expr:
    """A product of several factors with other ones for the first of them."""
    left = other if product.left is first else replaced(product.left, first, other)
    return n.BinOp(left=left, op=product.op, right=product.right)


def _is_number(value: object) -> bool:
    return type(value) in (int, float)


def is_power_of_two(value: object) -> bool:
    """Whether a value is a number by which products are exact."""
    return _is_number(value) and value != 0 and abs(math.frexp(value)[0]) == 0.5  # type: ignore[arg-type]
