"""Literals: numbers, None, and tuples of these, as values."""

from __future__ import annotations

from typing import Any

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
