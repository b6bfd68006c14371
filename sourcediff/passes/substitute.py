"""Substitute functions of NumPy's that are others in disguise: for these there are rules.

>>> import numpy as np
>>> from sourcediff.explaining import text_after
>>> def piecewise(x, y):
...     chosen = np.select([x > 1, x > 0], [x, x * y])
...     return np.sum(np.block([chosen, y]))
>>> print(text_after("normalise", piecewise))
t = x * y
t1 = np.where(x > 0, t, 0)
chosen = np.where(x > 1, x, t1)
t2 = np.atleast_1d(chosen)
t3 = np.atleast_1d(y)
t4 = np.concatenate([t2, t3], axis=-1)
value = np.sum(t4)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..analysis.literals import constant
from ..syntax import nodes as n
from ..syntax.quote import expression, place

Displays = (n.List, n.Tuple)


def substituted(function: Any, node: n.Call, numpy: Callable[[], str]) -> n.expr | None:
    """A call of such a function by means of others (``numpy`` gives the name of the module), None for any other call."""
    substitute = SUBSTITUTES.get(function) if getattr(function, "__module__", None) == "numpy" else None
    known = {keyword.arg: keyword.value for keyword in node.keywords}
    if substitute is None or None in known or any(isinstance(argument, n.Starred) for argument in node.args):
        return None
    made = substitute(node.args, known, lambda text, **holes: expression(text, np=numpy(), **holes))
    return None if made is None else place(made, node)


def _select(args: list[n.expr], keywords: dict[str, n.expr], write: Any) -> n.expr | None:
    """``np.select([c, d], [a, b], e)`` as ``np.where(c, a, np.where(d, b, e))``."""
    if not 2 <= len(args) <= 3 or set(keywords) - {"default"} or not all(isinstance(part, Displays) for part in args[:2]):
        return None
    conditions, choices = args[0].elts, args[1].elts
    if len(conditions) != len(choices) or not conditions or not all(map(is_condition, conditions)):
        return None
    chosen = args[2] if len(args) == 3 else keywords.get("default", expression("0"))
    for condition, choice in zip(reversed(conditions), reversed(choices)):
        chosen = write("$np.where($c, $a, $b)", c=condition, a=choice, b=chosen)
    return chosen


def is_condition(node: n.expr) -> bool:
    """Whether an expression is certainly of truth values, which ``np.select`` insists on."""
    if isinstance(node, n.BinOp):
        return isinstance(node.op, (n.BitAnd, n.BitOr, n.BitXor)) and is_condition(node.left) and is_condition(node.right)
    return isinstance(node, n.Compare) or isinstance(node, n.UnaryOp) and isinstance(node.op, n.Invert) and is_condition(node.operand)


def _block(args: list[n.expr], keywords: dict[str, n.expr], write: Any) -> n.expr | None:
    """``np.block([[a, b], [c, d]])`` as a column of rows, each joined along its last axis; ``np.block([a, b])`` as one row."""
    if len(args) != 1 or keywords or not isinstance(args[0], Displays) or not args[0].elts:
        return None
    rows = args[0].elts
    deep = all(isinstance(row, Displays) and row.elts for row in rows)
    blocks = [block for row in rows for block in row.elts] if deep else rows
    if any(isinstance(block, Displays) for block in blocks):
        return None

    def row_of(parts: list[n.expr], rank: int) -> n.expr:
        whole = n.List(elts=[write(f"$np.atleast_{rank}d($p)", p=part) for part in parts], ctx=n.Load())
        joined: n.expr = write("$np.concatenate($w, axis=-1)", w=whole)
        return joined

    if not deep:
        return row_of(rows, 1)
    column: n.expr = write("$np.concatenate($w, axis=-2)", w=n.List(elts=[row_of(row.elts, 2) for row in rows], ctx=n.Load()))
    return column


def _meshgrid(args: list[n.expr], keywords: dict[str, n.expr], write: Any) -> n.expr | None:
    """``np.meshgrid(x, y)``: rows that are ``x``, columns that are ``y``, or the other way round with ``indexing="ij"``."""
    indexing = constant(keywords.get("indexing"), "xy")
    if len(args) != 2 or set(keywords) - {"indexing"} or indexing not in ("xy", "ij") or not all(isinstance(x, n.Name) for x in args):
        return None
    across, down = args if indexing == "xy" else reversed(args)
    rows = write("$np.tile($x, ($np.size($y), 1))", x=across, y=down)
    columns = write("$np.repeat($np.reshape($y, (-1, 1)), $np.size($x), axis=1)", x=across, y=down)
    return n.List(elts=[rows, columns] if indexing == "xy" else [columns, rows], ctx=n.Load())


SUBSTITUTES: dict[Any, Any] = {np.select: _select, np.block: _block, np.meshgrid: _meshgrid}
