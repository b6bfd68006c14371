"""Fold what is known before the program runs out of an inlined formula: static tests, ranks, literal arithmetic.

Only rewrites that hold for arrays with NaN, inf and ints: never ``0 * x → 0``; ``1.0 * x → x`` only where ``x`` is known to be floating.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...analysis.abstract import OR_NONE, Abstract
from ...analysis.literals import constant
from ...analysis.scope import MISSING
from ...syntax import nodes as n
from ...syntax.quote import expression
from ..tidy.fold_factors import is_power_of_two

Known = Callable[[n.expr], Abstract]

_COMPARE: dict[type, Any] = {
    n.Eq: operator.eq, n.NotEq: operator.ne, n.Lt: operator.lt, n.LtE: operator.le, n.Gt: operator.gt, n.GtE: operator.ge,
    n.Is: operator.is_, n.IsNot: operator.is_not,
}
_ARITHMETIC: dict[type, Any] = {n.Add: operator.add, n.Sub: operator.sub, n.Mult: operator.mul}


def fold(node: Any, known: Known) -> Any:
    """The expression with its static parts evaluated; the given tree is used up."""
    held = node.__dict__
    for field in n.children[type(node)]:
        value = held.get(field)
        if isinstance(value, n.expr):
            held[field] = fold(value, known)
        elif type(value) is list:
            held[field] = [fold(item, known) if isinstance(item, (n.expr, n.keyword)) else item for item in value]
    method = _FOLDS.get(type(node))
    return node if method is None else method(node, known)


def _conditional(node: n.IfExp, known: Known) -> n.expr:
    test = constant(node.test)
    return node if test is MISSING else node.body if test else node.orelse


def _compare(node: n.Compare, known: Known) -> n.expr:
    if len(node.ops) != 1 or type(node.ops[0]) not in _COMPARE:
        return node
    left, right = constant(node.left), constant(node.comparators[0])
    if left is not MISSING and right is not MISSING:
        return expression("$c", c=bool(_COMPARE[type(node.ops[0])](left, right)))
    if right is None and isinstance(node.ops[0], (n.Is, n.IsNot)):
        value = known(node.left)
        if value.kind in ("array", "python", "numpy", "sequence", "mapping") and value.items != OR_NONE:
            return expression("$c", c=isinstance(node.ops[0], n.IsNot))
    return node


def _logic(node: n.BoolOp, known: Known) -> n.expr:
    stop = isinstance(node.op, n.Or)  # True decides an or, False an and
    values: list[n.expr] = []
    for value in node.values:
        found = constant(value)
        if found is MISSING:
            values.append(value)
        elif bool(found) is stop:
            values.append(value)
            break
    if not values:
        return expression("$c", c=not stop)
    node.values = values
    return values[0] if len(values) == 1 else node


def _not(node: n.UnaryOp, known: Known) -> n.expr:
    if isinstance(node.op, n.USub) and isinstance(node.operand, n.UnaryOp) and isinstance(node.operand.op, n.USub):
        return node.operand.operand
    found = constant(node.operand)
    return expression("$c", c=not found) if isinstance(node.op, n.Not) and found is not MISSING else node


def _binary(node: n.BinOp, known: Known) -> n.expr:
    left, right = constant(node.left), constant(node.right)
    numbers = (int, float)
    if isinstance(left, numbers) and isinstance(right, numbers) and type(node.op) in _ARITHMETIC:
        return expression("$c", c=_ARITHMETIC[type(node.op)](left, right))
    if isinstance(node.op, n.Pow) and isinstance(right, int) and right == 1 and right is not True:
        return node.left
    if isinstance(node.op, n.Mult):
        if left == 1 and isinstance(left, numbers) and known(node.right).floating:
            return node.right
        if right == 1 and isinstance(right, numbers) and (known(node.left).floating or isinstance(left, complex)):
            return node.left
        if left == -1 and isinstance(left, float) and known(node.right).floating:
            return expression("-$x", x=node.right)
    if isinstance(node.op, n.Mult) and isinstance(right, numbers) and left is MISSING:  # numbers first, as one writes
        return expression("$c * $x", c=node.right, x=node.left)
    product = node.right
    if isinstance(node.op, n.Mult) and left is MISSING and isinstance(product, n.BinOp) and isinstance(product.op, n.Mult):
        if is_power_of_two(constant(product.left)) and known(node.left).scalar and known(product.right).kind == "array":
            factor = n.BinOp(left=product.left, op=n.Mult(), right=node.left)  # a number times a number, not twice an array
            return n.BinOp(left=factor, op=n.Mult(), right=product.right)
    if isinstance(node.op, n.Mult) and isinstance(node.right, n.UnaryOp) and isinstance(node.right.op, n.USub) and left is MISSING:
        return expression("-($x * $y)", x=node.left, y=node.right.operand)
    if isinstance(node.op, n.Div) and right == 1 and isinstance(right, numbers) and known(node.left).floating:
        return node.left
    return node


def _call(node: n.Call, known: Known) -> n.expr:
    if not (isinstance(node.func, n.Attribute) and isinstance(node.func.value, n.Name) and node.func.value.id == "np"):
        return node
    name = node.func.attr
    node.keywords = [k for k in node.keywords if not (k.arg == "axis" and isinstance(k.value, n.Constant) and k.value.value is None)]
    if name in ("ndim", "shape", "size") and len(node.args) == 1:
        value = known(node.args[0])
        if value.rank is not None and name == "ndim":
            return expression("$c", c=value.rank)
        if value.rank == 0:  # arithmetic on an array without dimensions gives a number
            return expression("()") if name == "shape" else expression("1")
        if value.kind == "array":
            return expression(f"$x.{name}", x=node.args[0])
    if name == "negative" and isinstance(number := constant(node.args[0]), int):
        return expression("$c", c=-number)
    if name == "broadcast_to" and len(node.args) == 2 and isinstance(node.args[1], n.Tuple) and not node.args[1].elts:  # to a number
        return node.args[0] if known(node.args[0]).scalar else expression("np.sum($x)", x=node.args[0])
    if name == "where" and len(node.args) == 3 and all(known(part).scalar for part in node.args):
        test, one, other = node.args
        chosen = expression("$a if $test else $b", test=test, a=_beside(one, known(other)), b=_beside(other, known(one)))
        chosen.length = node.__dict__.get("length", False)
        return chosen
    return node


def _beside(node: n.expr, other: Abstract) -> n.expr:
    """One of two numbers of which either may be the result: an int beside a float is a float, as in an array (a list of ints would make an
    array of ints, which cuts off what is stored into it)."""
    if isinstance(node, n.Constant) and type(node.value) is int and not (other.dtype is not None and np.dtype(other.dtype).kind in "iub"):
        return n.Constant(value=float(node.value), kind=None)
    return node


def _subscript(node: n.Subscript, known: Known) -> n.expr:
    position = constant(node.slice)
    if isinstance(node.value, n.Tuple) and isinstance(position, int):
        return node.value.elts[position]
    if isinstance(node.value, n.Subscript) and isinstance(node.value.slice, n.Slice) and type(position) is int:  # x[-1:][0] is x[-1]
        first, whole = constant(node.value.slice.lower, 0), node.value.slice.upper is node.value.slice.step is None
        if whole and type(first) is int and position >= 0 and (first >= 0 or first + position < 0):
            return expression("$x[$k]", x=node.value.value, k=first + position)
    return node


_FOLDS: dict[type, Callable[[Any, Known], n.expr]] = {
    n.IfExp: _conditional, n.Compare: _compare, n.BoolOp: _logic, n.UnaryOp: _not, n.BinOp: _binary, n.Call: _call,
    n.Subscript: _subscript,
}
