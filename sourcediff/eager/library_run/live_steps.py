"""One recorded step of a run: its node, and the number or array that it gives."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ...rules.frames import Rule
from ..engine.nodes import OF_FLOAT64, Node, kind_of, tick
from ..engine.plans import Plan, plan_for
from .live import Buffer, Live, LiveNumber

ndarray, float64, new = np.ndarray, np.float64, object.__new__
CONSTANTS = frozenset({float, int, float64})
FLOATS = frozenset({float, float64})
SEQUENCES = (list, tuple)


def is_usual(array: Any) -> bool:
    """Whether what a Live Variable stands for is an array of floats that has dimensions: one that takes the short way."""
    return type(array) is ndarray and array.ndim > 0 and array.dtype.kind == "f"


def number(plan: Plan, z: Any, values: tuple[Any, ...], edges: tuple[Any, ...], restore: Any = None) -> LiveNumber:
    """The number ``z`` that a function gave of floats."""
    node = new(Node)
    node.plan = plan
    node.edges = edges
    node.saved = plan.save(z, *values) if plan.keeps else ()
    node.seq = tick()
    node.kind = None
    node.restore = restore
    result = new(LiveNumber)
    result._value = z
    result._place = node
    return result


def array(plan: Plan, z: Any, values: tuple[Any, ...], edges: tuple[Any, ...], active: tuple[Any, ...], holders: tuple[Any, ...]) -> Live:
    """The array ``z`` that a function gave of ``values``, for which the ``holders`` stand, None for a constant.

    The ``edges`` are the nodes of those that are ``active``, if the function is elementwise.
    """
    node = new(Node)
    node.plan = plan
    node.edges = edges
    node.saved = plan.save(z, *values) if plan.keeps else ()
    node.seq = tick()
    node.kind = node.restore = None
    result = new(Live)
    result._value = z
    result._place = node
    result._parent = result._how = None
    result._buffer = new(Buffer)
    result._seen = 0
    shape, dtype = z.shape, z.dtype
    for x in active:
        if type(x) is not ndarray or x.dtype is not dtype or x.shape != shape:
            node.restore = tuple([kind_if_other(x, shape, dtype) for x in active])
            break
    for position in plan.holds:
        if not position:
            result._buffer.savers = [node]
        elif type(x := values[position - 1]) is ndarray:
            holder = holders[position - 1]
            if holder is None:  # it belongs to nobody who would note that it changes
                node.saved = tuple([np.copy(value) if value is x else value for value in node.saved])
            elif (buffer := holder._buffer).savers:
                buffer.savers.append(node)
            else:
                buffer.savers = [node]
    return result


def kind_if_other(x: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """The kind of a value, None if it is an array of this shape and dtype."""
    kind = type(x)
    if kind is ndarray:
        return None if x.dtype is dtype and x.shape == shape else (x.shape, x.dtype)
    return OF_FLOAT64 if kind is float64 else kind_of(x)


def plan_of(rule: Rule, names: tuple[str, ...]) -> Callable[[], Plan]:
    """What gives the plan of a rule, made when it is first asked for."""
    return cache(lambda: plan_for(rule, names))


def is_constant_array(value: Any) -> bool:
    """Whether a plain array takes part in what is computed of floats."""
    return value.ndim > 0 and value.dtype.kind in "fbiu"
