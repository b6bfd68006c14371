"""Literals: numbers, None, and tuples of these, as values."""

from __future__ import annotations

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


def literal(value: Any) -> n.expr | None:
    """The literal of a number, a string, None, or a tuple of these; None if there is none.

    >>> from sourcediff.syntax.text import to_source
    >>> to_source(literal((0.9, "fast"))), literal([0.9])
    ("0.9, 'fast'", None)
    """
    if isinstance(value, (int, float, str, type(None))) and type(value).__module__ in ("builtins", "numpy"):
        return n.Constant(value=value.item() if isinstance(value, np.generic) else value, kind=None)
    parts = [literal(part) for part in value] if type(value) is tuple else [None]
    return None if None in parts else n.Tuple(elts=parts, ctx=n.Load())
