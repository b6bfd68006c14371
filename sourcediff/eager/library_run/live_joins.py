"""Recorded calls that put arrays and numbers together: np.where, np.array of a row, np.concatenate and its like."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.frames import rule_for
from ..engine.graph import record
from ..engine.nodes import VOLATILE, kind_of
from ..engine.scopes import OFF
from .live import Live, LiveNumber
from .live_steps import CONSTANTS, FLOATS, SEQUENCES, array, is_usual, plan_of
from .operators import LIVES, STACK, WHERE
from .watch import WATCH

WHERE_PLANS = plan_of(WHERE, ("x",)), plan_of(WHERE, ("y",)), plan_of(WHERE, ("x", "y"))


def live_where(condition: Any, x: Any, y: Any) -> Any:
    """``np.where``, of a plain array as condition."""
    xn = yn = None
    xd, yd, xl, yl = x, y, None, None
    if type(x) in LIVES:
        xd, xn, xl = x._value, x._node, x
    if type(y) in LIVES:
        yd, yn, yl = y._value, y._node, y
    if OFF or type(condition) is not np.ndarray or condition.dtype.kind != "b" or xn is VOLATILE or yn is VOLATILE:
        return NotImplemented
    for value, known in ((xd, xl), (yd, yl)):
        kind = type(value)
        if kind is np.ndarray:
            if not is_usual(value) or known is None:
                return NotImplemented
        elif kind not in FLOATS and (kind is not int or known is not None):
            return NotImplemented
    z = np.where(condition, xd, yd)
    if not is_usual(z):
        return NotImplemented
    values, holders = (condition, xd, yd), (None, xl, yl)
    if yn is None:
        return Live(z) if xn is None else array(WHERE_PLANS[0](), z, values, (xn,), (xd,), holders)
    if xn is None:
        return array(WHERE_PLANS[1](), z, values, (yn,), (yd,), holders)
    return array(WHERE_PLANS[2](), z, values, (xn, yn), (xd, yd), holders)


JOINING = (np.concatenate, np.stack, np.vstack, np.hstack)

STACKING = plan_of(STACK, tuple(STACK.parameters)[:1])


def live_row(values: Any) -> Any:
    """``np.array`` of a list of numbers."""
    if type(values) not in SEQUENCES or OFF or WATCH.on_device:
        return NotImplemented
    plain: list[Any] = []
    edges: list[Any] = []
    kinds: list[Any] = []
    for position, value in enumerate(values):
        kind = type(value)
        if kind is LiveNumber:
            node, value = value._place, value._value
            kind = type(value)
            if kind not in FLOATS or node is VOLATILE:
                return NotImplemented
            if node is not None:
                edges.append(node)
                kinds.append((position, kind_of(value)))
        elif kind not in CONSTANTS:
            return NotImplemented
        plain.append(value)
    if not edges:
        return NotImplemented
    z = np.array(plain)
    plan = STACKING()
    return Live(z, record(plan, tuple(edges), plan.save(z, plain, 0), tuple(kinds)))


def live_joined(function: Any) -> Any:
    """``np.concatenate`` of a list of arrays, or what joins arrays in another way."""
    rule: Any = rule_for(function)
    plan = plan_of(rule, tuple(rule.parameters)[:1])
    names = tuple(rule.parameters)

    def joined(values: Any) -> Any:
        if type(values) not in SEQUENCES or OFF or not values:
            return NotImplemented
        edges: list[Any] = []
        kinds: list[Any] = []
        for position, value in enumerate(values):
            if type(value) is not Live or not is_usual(data := value._value) or data.dtype is not values[0]._value.dtype:
                return NotImplemented
            node = value._node
            if node is VOLATILE:
                return NotImplemented
            if node is not None:
                edges.append(node)
                kinds.append((position, (data.shape, data.dtype)))
        plain = [value._value for value in values]
        z = function(plain)
        if not edges:
            return Live(z)
        return Live(z, record(plan(), tuple(edges), plan().save(z, plain, *[0 for _ in names[1:]]), tuple(kinds)))

    return joined
