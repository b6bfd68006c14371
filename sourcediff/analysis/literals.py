"""Literals: numbers, None, and tuples of these, as values."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..syntax import nodes as n
from .scope import MISSING


def constant(node: n.expr | None, default: Any = MISSING) -> Any:
    """The value of a literal (numbers, None, tuples of these), MISSING if it is none."""
    if node is None:
        return default
    if isinstance(node, n.Constant):
        return node.value
    if isinstance(node, n.UnaryOp) and isinstance(node.op, n.USub) and isinstance(node.operand, n.Constant):
        return -node.operand.value
    if isinstance(node, (n.Tuple, n.List)):
        parts = tuple(constant(part) for part in node.elts)
        return MISSING if MISSING in parts else parts
    return MISSING


PYTHON: dict[type, Any] = {
    n.Add: operator.add, n.Sub: operator.sub, n.Mult: operator.mul, n.Div: operator.truediv, n.FloorDiv: operator.floordiv,
    n.Mod: operator.mod, n.Pow: operator.pow, n.USub: operator.neg, n.UAdd: operator.pos,
}
"""What operators mean on Python's own numbers."""

POWERS = (builtins.pow, operator.pow)
"""Python's powers, of which the type depends on the numbers."""


LARGEST = 1e6
"""Numbers that are computed with: powers of larger ones take their time."""


def folded(node: n.expr | None, once: Mapping[str, n.expr | None]) -> Any:
    """The number that an expression of literals stands for, and of names bound ``once`` to such; MISSING of any other.

    >>> from sourcediff.syntax.quote import expression
    >>> folded(expression("2 ** -k"), {"k": expression("3 - 2")}), folded(expression("x ** 2"), {"x": None})
    (0.5, MISSING)
    """
    if isinstance(node, n.Name):
        return MISSING if once.get(node.id) is None else folded(once[node.id], once)
    if not isinstance(node, (n.BinOp, n.UnaryOp)) or type(node.op) not in PYTHON:
        return constant(node)
    parts = [node.left, node.right] if isinstance(node, n.BinOp) else [node.operand]
    numbers = [folded(part, once) for part in parts]
    if not all(type(number) in (int, float, complex) and abs(number) < LARGEST for number in numbers):
        return MISSING
    try:
        return PYTHON[type(node.op)](*numbers)
    except ArithmeticError:
        return MISSING


def folded_text(node: n.expr | None, once: Mapping[str, n.expr | None]) -> str | None:
    """The text that an expression of literals stands for, and of names bound ``once`` to such; None of any other.

    >>> from sourcediff.syntax.quote import expression
    >>> folded_text(expression("f'{layer}_{k}' + end"), {"layer": expression("'enc'"), "k": expression("2"), "end": expression("'_w'")})
    'enc_2_w'
    """
    if isinstance(node, n.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, n.Name):
        return None if once.get(node.id) is None else folded_text(once[node.id], once)
    if isinstance(node, n.FormattedValue):
        number = folded(node.value, once)
        plain = node.conversion == -1 and node.format_spec is None
        return None if not plain else str(number) if type(number) is int else folded_text(node.value, once)
    parts = node.values if isinstance(node, n.JoinedStr) else [node.left, node.right] if isinstance(node, n.BinOp) else []
    if not parts or isinstance(node, n.BinOp) and not isinstance(node.op, n.Add):
        return None
    texts = [folded_text(part, once) for part in parts]
    return None if None in texts else "".join(filter(None, texts))


def ends_of_text(node: n.expr) -> tuple[str, str]:
    """What a text that is put together begins and ends with, as far as it is written there.

    >>> from sourcediff.syntax.quote import expression
    >>> ends_of_text(expression("f'W{i}_{j}.x'")), ends_of_text(expression("'W' + str(i)")), ends_of_text(expression("i"))
    (('W', '.x'), ('W', ''), ('', ''))
    """
    if isinstance(node, n.Constant) and isinstance(node.value, str):
        return node.value, node.value
    if isinstance(node, n.JoinedStr) and node.values:
        return ends_of_text(node.values[0])[0], ends_of_text(node.values[-1])[1]
    if isinstance(node, n.BinOp) and isinstance(node.op, n.Add):
        return ends_of_text(node.left)[0], ends_of_text(node.right)[1]
    return "", ""


def literal(value: Any) -> n.expr | None:
    """The literal of a number, a string, None, or a tuple of these; None if there is none.

    >>> from sourcediff.syntax.text import to_source
    >>> to_source(literal((0.9, "fast"))), literal([0.9])
    ("0.9, 'fast'", None)
    """
    if isinstance(value, (int, float, complex, str, type(None))) and type(value).__module__ in ("builtins", "numpy"):
        return n.Constant(value=value.item() if isinstance(value, np.generic) else value, kind=None)
    parts = [literal(part) for part in value] if type(value) is tuple else [None]
    return None if None in parts else n.Tuple(elts=parts, ctx=n.Load())
