"""An expression that is a statement, as the branch that it is."""

from __future__ import annotations

from ...syntax import nodes as n
from ...syntax.quote import place
from ..room import Block


def as_branch(node: n.stmt) -> n.stmt:
    """``a and f()`` and ``f() if a else g()``, where nobody asks what they give, as an ``if``.

    >>> from sourcediff.syntax.quote import statement
    >>> from sourcediff.syntax.text import block_lines
    >>> print("\\n".join(block_lines([as_branch(statement("a or f()"))], 0, [""])))
    if not a:
        f()
    """
    def alone(part: n.expr) -> Block:
        return [] if isinstance(part, (n.Constant, n.Name)) else [as_branch(place(n.Expr(value=part), node))]

    value = node.value if isinstance(node, n.Expr) else None
    if isinstance(value, n.IfExp):
        return place(n.If(test=value.test, body=alone(value.body) or [n.Pass()], orelse=alone(value.orelse)), node)
    if isinstance(value, n.BoolOp):
        first, *rest = value.values
        test = first if isinstance(value.op, n.And) else n.UnaryOp(op=n.Not(), operand=first)
        then = alone(rest[0] if len(rest) == 1 else place(n.BoolOp(op=value.op, values=rest), value))
        return place(n.If(test=test, body=then or [n.Pass()], orelse=[]), node)
    return node
