"""Abstract values of the helpers that generated code calls, and of conversions and copies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...analysis.abstract import BOOL, COMPLEX, FLOAT, INT, UNKNOWN, Abstract, item_of, joined, with_entry_known
from ...analysis.applications import Application
from ...analysis.lengths import number_of
from ...analysis.lengths_within import dims_said
from ...analysis.literals import constant
from ...analysis.scope import MISSING
from ...syntax import nodes as n
from ...syntax.quote import expression
from .evaluator import Evaluator


def _copied(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``copied(x)``: as ``x``."""
    return values.of(applied.args[0], environment)


def _entry(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``x.item()``: Python's number."""
    kind = getattr(values.of(applied.args[0], environment).dtype, "kind", "")
    return {"f": FLOAT, "c": COMPLEX, "i": INT, "b": BOOL}.get(kind, Abstract("python"))


def _like(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``like(x_bar, x)``: as ``x``."""
    value = values.of(applied.args[1], environment)
    return value if value.floating else UNKNOWN


def _matched(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``matched(g, x)``: in the shape of ``x``, of the dtype of ``g``."""
    g, value = (values.of(part, environment) for part in applied.args)
    return value._replace(dtype=g.dtype if g.kind == "array" else None) if value.kind == "array" and value.dims else UNKNOWN


def _zeros(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """The helper ``zeros_like``: floats."""
    return zero_value(values.of(applied.args[0], environment))


def zero_value(value: Abstract) -> Abstract:
    """A zero adjoint: of a number a float, of a structure the same structure, with lists for tuples."""
    if value.scalar or value.kind == "static":
        return FLOAT
    if value.kind == "array":
        return value if value.floating else UNKNOWN
    if value.kind == "sequence":
        return value._replace(items=tuple(map(zero_value, value.items)) if type(value.items) is tuple else zero_value(item_of(value)))
    if value.kind == "mapping":
        return value._replace(items=tuple((key, zero_value(item)) for key, item in value.items or ()))
    return UNKNOWN


def _added_at(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """The helper ``added_at``: a structure of the same kind, in which an entry is another one."""
    value = values.of(applied.args[0], environment)
    if value.kind in ("sequence", "mapping"):
        holder, index, entry = applied.args
        if any(isinstance(part, n.Slice) for part in n.walk(index)):
            return Abstract("sequence", items=UNKNOWN)
        before = values.of(expression("$x[$i]", x=holder, i=index), environment)
        return with_entry_known(value, [constant(index)], joined(before, values.of(entry, environment)))
    return value if value.kind == "array" else UNKNOWN


def _added(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """The helper ``added``: of structures, the first one's kind."""
    kind = values.of(applied.args[0], environment).kind
    return Abstract("sequence", items=UNKNOWN) if kind == "sequence" else Abstract("mapping") if kind == "mapping" else UNKNOWN


def _seeded(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """The helper ``as_seed``: what it is given, of the shape that it has made sure of."""
    value, shape = (values.of(part, environment) for part in applied.args)
    if value.kind != "array" or type(shape.items) is not tuple:
        return value
    return value._replace(dims=dims_said(shape) or ())


def _probed(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """The helper ``probes``: some arrays like ``x``."""
    value = values.of(applied.args[0], environment)
    if value.rank is None or value.kind != "python" and not value.floating:
        return UNKNOWN
    return Abstract("array", value.dtype if value.floating else np.dtype(float), (None, *value.dims))


def _filled_like(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.full_like(x, value)``."""
    value = values.of(applied.args[0], environment)
    return value if value.kind == "array" and len(applied.args) == 2 and not applied.kwargs else UNKNOWN


def _summed_to(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``sum_to(g, shape)`` and ``np.broadcast_to(g, shape)``: an array of a shape that is written out."""
    value = values.of(applied.args[0], environment)
    shape = values.of(applied.args[1], environment) if len(applied.args) == 2 else UNKNOWN
    dims = dims_said(shape) if shape.kind == "sequence" else None
    if dims is None or value.dtype is None:
        return UNKNOWN
    return Abstract("array", value.dtype, dims) if dims or value.kind == "array" and applied.function is np.broadcast_to else UNKNOWN


def _expanded(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.expand_dims(a, axis)``."""
    value = values.of(applied.args[0], environment)
    axis = constant(applied.args[1]) if len(applied.args) == 2 else MISSING
    if value.rank is None or axis is MISSING or axis is None:
        return UNKNOWN
    axes = axis if isinstance(axis, tuple) else (axis,)
    rank = value.rank + len(axes)
    places = {a % rank for a in axes}
    dims = iter(value.dims)
    return Abstract("array", value.dtype, tuple(1 if a in places else next(dims) for a in range(rank)))


def _of_numbers(value: Abstract) -> Abstract:
    """The array of a list of numbers; UNKNOWN of a list of anything else."""
    items = value.items
    if type(items) is tuple and items and all(item.scalar and item.dtype for item in items):
        return Abstract("array", np.result_type(*(item.dtype for item in items)), (len(items),))
    if isinstance(items, Abstract) and items.scalar and items.dtype == float:  # without items it is an array of floats too
        return Abstract("array", items.dtype, (None,))
    return Abstract("array", None, (None,)) if item_of(value).scalar else UNKNOWN


def _same(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """The shape and dtype of the first argument."""
    value = values.of(applied.args[0], environment)
    if not SHAPING.isdisjoint(applied.kwargs) or len(applied.args) > 2:
        return UNKNOWN
    if value.kind == "array" and (applied.kwargs or len(applied.args) > 1):
        asked = applied.kwargs.get("dtype")
        return Abstract("array", dtype_of(values, asked, environment) if asked is not None and len(applied.args) == 1 else None, value.dims)
    return value if value.kind == "array" else UNKNOWN


def _axis(applied: Application, default: int | None) -> Any:
    """The axis of a call that is given an array and nothing else; MISSING where more is given, or the axis is not known."""
    if len(applied.args) + len(applied.kwargs) > 2 or not {"axis"} >= applied.kwargs.keys():
        return MISSING
    return constant(applied.args[1] if len(applied.args) == 2 else applied.kwargs.get("axis"), default)


def _length(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    value = values.of(applied.args[0], environment)
    return INT._replace(length=number_of(value.dims[0])) if value.kind == "array" and value.dims else INT


def _metadata(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.shape``, ``np.ndim`` and ``np.size`` of one array."""
    known = values.of(applied.args[0], environment)
    return values.metadata(applied.function.__name__, known if len(applied.args) == 1 and not applied.kwargs else UNKNOWN)


SHAPING = frozenset({"ndmin", "shape", "subok"})
"""Keywords by which ``np.array`` and ``np.zeros_like`` give another shape, or another kind of array."""


def dtype_of(values: Evaluator, node: n.expr, environment: Mapping[str, Abstract]) -> Any:
    """The dtype that an expression stands for: ``complex``, ``np.float32``, ``"int"``, ``x.dtype``; None where it is not known."""
    if isinstance(node, n.Attribute) and node.attr == "dtype":
        return values.of(node.value, environment).dtype
    found = constant(node) if isinstance(node, n.Constant) else values.scope.resolve(node)
    try:
        return None if found is MISSING or found is None else np.dtype(found)
    except TypeError:
        return None
