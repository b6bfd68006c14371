"""Powers of Python numbers: of a negative base they are complex, where NumPy's are NaN. The rules take them for real."""

from __future__ import annotations

import builtins
import math
from collections.abc import Mapping

from ...analysis.abstract import Abstract
from ...analysis.literals import POWERS, folded
from ...analysis.scope import MISSING, Scope
from ...syntax import nodes as n
from ...syntax.quote import expression
from ..facts.values import Values

Power = tuple[n.expr, n.expr]
Made = Mapping[str, n.expr | None]


def doubtful_powers(node: n.stmt, values: Values, made: Made) -> list[Power]:
    """Base and exponent of the powers in a simple statement that are complex if the base is negative: they are asked when it runs.

    ``made`` says by what a name is bound that is bound once.

    >>> from sourcediff import gradient_source
    >>> def root(a):
    ...     return a ** 0.5 + a ** 2
    >>> print(gradient_source(root, args=(2.0,)).splitlines()[-3].split("  #")[0])
        check_power(a, 0.5)
    """
    found: list[Power] = []
    if isinstance(node, (n.Assign, n.AugAssign, n.Return)) and node.value is not None:
        found = powers(node.value, values)
    if isinstance(node, n.AugAssign) and isinstance(node.op, n.Pow) and isinstance(node.target, n.Name):
        found.append((expression(node.target.id), node.value))
    return [pair for pair in found if is_doubtful(*pair, values, values.before.get(node, {}), made)]


def powers(node: n.AST, values: Values) -> list[Power]:
    """The powers in an expression that are certainly evaluated, of operands that can be asked twice."""
    if isinstance(node, (n.IfExp, n.BoolOp, n.Lambda, *n.COMPREHENSIONS)):
        return []
    found = [power for part in n.below(node) for power in powers(part, values)]
    if isinstance(node, n.BinOp) and isinstance(node.op, n.Pow):
        found.append((node.left, node.right))
    elif isinstance(node, n.Call) and len(node.args) == 2 and not node.keywords and values.scope.resolve(node.func) in POWERS:
        found.append((node.args[0], node.args[1]))
    return [power for power in found if not any(isinstance(part, (n.Call, n.NamedExpr)) for side in power for part in n.walk(side))]


def is_doubtful(base: n.expr, exponent: n.expr, values: Values, environment: Mapping[str, Abstract], made: Made) -> bool:
    """Whether both are Python's numbers, the base may be negative, and the exponent no whole number."""
    known, power = values.of(base, environment), values.of(exponent, environment)
    if known.kind != "python" or power.kind != "python" or known.dtype is None or known.dtype.kind not in "if" or power.dtype.kind != "f":
        return False
    number, of = folded(exponent, values.scope.once), folded(base, values.scope.once)
    whole = number is not MISSING and not isinstance(number, complex) and float(number).is_integer()
    return not whole and (of is MISSING or of < 0) and not never_negative(base, values.scope, made)


def never_negative(node: n.expr | None, scope: Scope, made: Made) -> bool:
    """Whether an expression is written as something that is never negative: ``x * x + y ** 2``, ``abs(x)``."""
    if isinstance(node, n.Name):
        return made.get(node.id) is not None and never_negative(made[node.id], scope, made)
    if isinstance(node, n.Constant):
        return isinstance(node.value, (int, float)) and node.value >= 0
    if isinstance(node, n.Call):
        return scope.resolve(node.func) in NEVER_NEGATIVE
    if not isinstance(node, n.BinOp):
        return False
    if isinstance(node.op, n.Mult) and isinstance(node.left, n.Name) and isinstance(node.right, n.Name) and node.left.id == node.right.id:
        return True
    if isinstance(node.op, (n.Add, n.Mult, n.Div)):
        return never_negative(node.left, scope, made) and never_negative(node.right, scope, made)
    return isinstance(node.op, n.Pow) and isinstance(node.right, n.Constant) and node.right.value == 2


NEVER_NEGATIVE = (builtins.abs, math.exp, math.sqrt, math.hypot, math.fabs, math.cosh)
