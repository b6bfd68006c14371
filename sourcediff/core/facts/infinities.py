"""Which names may stand for what is infinite: zeros of a selection that meet it in a product become NaN, and have to be kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...analysis.applications import application
from ...analysis.literals import constant
from ...analysis.scope import MISSING, Scope
from ...analysis.statements import base, grown
from ...rules import RULES
from ...rules.facts import FACTS
from ...runtime.arrays.library import library_of
from ...syntax import nodes as n
from ...syntax.quote import names
from .values import Values


def may_be_infinite(values: Values) -> frozenset[str]:
    """The names of a program that may be infinite (or NaN): what overflows, has a pole, or is ``np.inf``.

    Data may be so too, and what is differentiated, where the program asks whether anything is.
    """
    found: set[str] = set()
    if any(asks_for_infinities(node, values.scope) for node in values.before):
        first = next(iter(values.before.values()))
        found = {name for name, known in first.items() if known.kind == "array" and known.floating}
        found |= {name for name, free in values.scope.free.items() if library_of(free.value)}
    return reached(values, found, is_infinite)


def holds_infinities(values: Values) -> frozenset[str]:
    """The names of a program that may hold an infinity that is written in it (``np.inf``): a table that begins with such, say.

    What is computed from it may be infinite too, and then so is its tangent, though nothing comes of it (``np.exp(-np.inf / t)``).
    """
    if not any(is_infinity(part) for node in values.before for part in n.walk(node)):
        return frozenset()
    return reached(values, set(), lambda node, _, found, values: holds_infinity(node.value, found, values.scope))


def may_diverge(node: n.expr) -> bool:
    """Whether an expression of finite numbers may be infinite: it divides, calls a function, or takes another power than a literal one.

    >>> from sourcediff.syntax.quote import expression
    >>> may_diverge(expression("g * (2 * x) / 9.0")), may_diverge(expression("g / x"))
    (False, True)
    """
    for part in n.walk(node):
        if isinstance(part, n.Call):
            return True
        if isinstance(part, n.BinOp) and isinstance(part.op, (n.Div, n.Mod, n.Pow)):
            known = constant(part.right)
            if not isinstance(known, (int, float)) or (known < 0 if isinstance(part.op, n.Pow) else known == 0):
                return True
    return False


def is_infinity(node: n.AST) -> bool:
    """Whether an expression is ``np.inf``, ``math.nan`` or ``float("inf")``."""
    if isinstance(node, n.Attribute):
        return node.attr in ("inf", "nan", "NINF", "PINF", "Inf")
    called = isinstance(node, n.Call) and isinstance(node.func, n.Name) and node.func.id == "float" and len(node.args) == 1
    return called and isinstance(constant(node.args[0]), str)


def holds_infinity(node: n.expr, found: set[str], scope: Scope) -> bool:
    """Whether what an expression gives may hold such an infinity."""
    if isinstance(node, n.Name):
        return node.id in found
    applied = application(node, scope)
    if applied is not None and applied.rule is not None and (applied.rule.kind == "constant" or applied.function in FACTS["bounded"]):
        return is_infinity(node)
    return is_infinity(node) or any(holds_infinity(part, found, scope) for part in n.iter_child_nodes(node) if isinstance(part, n.expr))


def reached(values: Values, found: set[str], counts: Callable[[Any, str, set[str], Values], bool]) -> frozenset[str]:
    """The names in ``found``, and those that statements bind which count for what has been found."""
    statements = [(node, target) for node in values.before for target in infinite_targets(node)]
    while True:
        more = {target for node, target in statements if target not in found and counts(node, target, found, values)}
        if not more:
            return frozenset(found)
        found |= more


def asks_for_infinities(node: n.stmt, scope: Scope) -> bool:
    """Whether a statement asks what is finite, or leaves out what is not a number."""
    tree = node.test if isinstance(node, (n.If, n.While)) else node
    calls = [part for part in n.walk(tree) if isinstance(part, n.Call)] if not isinstance(tree, n.For) else []
    return any((applied := application(call, scope)) is not None and applied.function in FACTS["tests finite"] for call in calls)


def infinite_targets(node: n.stmt) -> list[str]:
    """What a statement gives a value to."""
    if (name := grown(node)) is not None:
        return [name]
    given = node.targets if isinstance(node, n.Assign) else [node.target] if isinstance(node, n.AugAssign) else []
    parts = [part for target in given for part in (target.elts if isinstance(target, n.Tuple) else [target])]
    return [name for part in parts if (name := base(part)) is not None]


def is_infinite(node: n.Assign | n.AugAssign, target: str, found: set[str], values: Values) -> bool:
    """Whether a statement may make what it binds infinite, or NaN. Python's numbers raise instead, but where it is written."""
    if values.after[node].get(target) is not None and values.after[node][target].kind in ("python", "static"):
        return is_infinity(node.value) or isinstance(node.value, n.Name) and node.value.id in found
    if isinstance(node, n.AugAssign) and isinstance(node.op, n.Div) and not constant(node.value):
        return True
    return _infinite(node.value, found, values.scope)


def _infinite(node: n.expr, found: set[str], scope: Scope) -> bool:
    if isinstance(node, n.Name):
        return node.id in found
    if is_infinity(node):
        return True
    applied = application(node, scope)
    rule = None if applied is None else applied.rule
    if rule is not None:
        assert applied is not None
        if rule.kind == "constant" or rule.function in FACTS["bounded"]:
            return False
        if rule.overflows:
            return True
        if rule.singular and rule.kind == "elementwise":
            last = applied.args[-1] if applied.args else None
            known = constant(last) if isinstance(last, n.AST) else MISSING
            if names(node) & found:
                return True
            if rule.function in FACTS["divides"]:
                return not known or known is MISSING
            if rule.formula is RULES[np.power].formula:
                return known is MISSING or known < 0
            return rule.function is not np.cbrt
    return any(_infinite(part, found, scope) for part in n.iter_child_nodes(node) if isinstance(part, n.expr))
