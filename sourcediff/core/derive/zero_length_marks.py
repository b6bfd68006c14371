"""Mark quotients by lengths that may be zero in code that is derived again.

>>> from sourcediff.analysis.scope import Scope
>>> import numpy as np
>>> from sourcediff.rules import RULES
>>> from sourcediff.syntax.quote import statement
>>> from sourcediff.syntax.text import to_source
>>> norm = RULES[np.linalg.norm].text
>>> written = statement("t_bar = $value", value=norm.contributions[0])
>>> print(to_source(bent([written], Scope())[0]))
t_bar = of_length(g * x / np.where(z == 0, 1, z), z, x)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...analysis.scope import Scope
from ...runtime.zero_lengths import of_length, of_tangent
from ...syntax import nodes as n
from ...syntax.quote import altered, clone, expression, place, remade

Block = list[n.stmt]


def bent(body: Sequence[n.stmt], scope: Scope, forward: bool = False) -> Block:
    """A copy of a block in which each such quotient says what it was divided by, and what: see :mod:`sourcediff.runtime.zero_lengths`.

    ``forward``: they are of tangents.
    """
    named: dict[str, n.expr] = {}

    def each(node: Any) -> Any:
        made = remade(node, each)
        if isinstance(made, n.Assign) and isinstance(made.targets[0], n.Name):
            if is_length(made.value):
                named[made.targets[0].id] = made.value
                made.value = altered(made.value, length=False)
            else:
                named.pop(made.targets[0].id, None)
        if isinstance(made, n.BinOp) and isinstance(made.op, n.Div) and (length := divisor(made.right, named)) is not None:
            made.right = unmarked(made.right)
            function = of_tangent if forward else of_length
            holes = {"f": expression(scope.imported(function.__name__, function)), "c": made, "z": clone(length)}
            first, last = factors(made.left)
            call = "$f($c, $z, $x, $d)" if forward else "$f($c, $z, $x)"
            return place(expression(call, **holes, x=clone(last), d=clone(first)), node)
        return made

    return [each(node) for node in body]


def is_length(node: n.AST) -> bool:
    return bool(node.__dict__.get("length"))


def divisor(node: n.expr, named: dict[str, n.expr]) -> n.expr | None:
    """The length that a denominator is made of; None where it is of none."""
    for part in n.walk(node):
        part = named.get(part.id, part) if isinstance(part, n.Name) else part
        if is_length(part):
            test = part.test if isinstance(part, n.IfExp) else part.args[0]
            return test.left  # type: ignore[no-any-return]
    return None


def unmarked(node: Any) -> Any:
    made = remade(node, unmarked)
    return altered(made, length=False) if is_length(made) else made


def factors(node: n.expr) -> tuple[n.expr, n.expr]:
    """The adjoint (or the tangent) and what it was multiplied by: rules say ``g * x``."""
    while isinstance(node, n.UnaryOp):
        node = node.operand
    product = isinstance(node, n.BinOp) and isinstance(node.op, n.Mult)
    return (node.left, node.right) if product else (n.Constant(value=1.0, kind=None), node)


def any_length(body: Sequence[n.stmt]) -> bool:
    """Whether there is anything to be marked."""
    return any(is_length(part) for node in body for part in n.walk(node))


def straight(body: Sequence[n.stmt], scope: Scope) -> Block:
    """A copy of a block without the helpers, as it is printed: its value is what it was given, as an array of its own."""
    helpers = {name for name, value in scope.helpers.items() if value is of_length or value is of_tangent}

    def each(node: Any) -> Any:
        marked = isinstance(node, n.Call) and isinstance(node.func, n.Name) and node.func.id in helpers
        if not marked:
            return remade(node, each)
        inner = each(node.args[0])
        return n.UnaryOp(op=n.UAdd(), operand=inner) if isinstance(inner, (n.Name, n.Subscript, n.Attribute)) else inner

    return [each(node) for node in body] if helpers else list(body)
