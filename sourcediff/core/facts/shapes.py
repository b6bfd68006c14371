"""Shapes of the functions that are neither elementwise nor reductions: function → abstract value of its call."""

from __future__ import annotations

import bisect
import builtins
import functools
import math
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...analysis.abstract import BOOL, COMPLEX, FLOAT, INT, OTHER, UNKNOWN, Abstract
from ...analysis.abstraction import sampled
from ...analysis.applications import Application
from ...analysis.lengths import agreed, broadcast, can_be_one, least, length_of, number_of, plus, same_length
from ...analysis.lengths_within import dims_said
from ...analysis.literals import constant
from ...analysis.scope import MISSING
from ...rules.frames import is_singleton
from ...runtime import arrays, structures
from ...syntax import nodes as n
from ...syntax.quote import expression
from .evaluator import Evaluator
from .shapes_helpers import (
    _added,
    _added_at,
    _axis,
    _copied,
    _entry,
    _expanded,
    _filled_like,
    _length,
    _like,
    _matched,
    _metadata,
    _of_numbers,
    _probed,
    _same,
    _seeded,
    _summed_to,
    _zeros,
    dtype_of,
)

Shape = Callable[[Evaluator, Application, Mapping[str, Abstract]], Abstract]


def _array(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.array`` of an array, or of a list of numbers."""
    value = values.of(applied.args[0], environment)
    alone = len(applied.args) == 1 and not applied.kwargs
    return _of_numbers(value) if alone and value.kind == "sequence" else _same(values, applied, environment)


def _created(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.zeros(shape)`` and its like."""
    dtype = applied.kwargs.get("dtype", applied.args[1] if len(applied.args) > 1 else None)
    found = np.dtype(float) if dtype is None else dtype_of(values, dtype, environment)
    dims = dims_said(values.of(applied.args[0], environment))
    return UNKNOWN if dims is None else Abstract("array", found, dims)


def _where(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    parts = [values.of(argument, environment) for argument in applied.args]
    if len(parts) != 3 or any(part.rank is None or part.dtype is None for part in parts):
        return UNKNOWN
    kinds = tuple((part.kind, part.dtype, len(part.dims)) for part in parts)
    return sampled(np.where, kinds)._replace(dims=broadcast(*(part.dims for part in parts), equal=values.equal))


def grid(node: n.Subscript, function: Any, values: Evaluator, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.ogrid[…]``, an array for each slice, and ``np.mgrid[…]``, one of all of them."""
    slices = node.slice.elts if isinstance(node.slice, n.Tuple) else [node.slice]
    if not all(isinstance(part, n.Slice) for part in slices):
        return UNKNOWN
    ends = [values.of(end, environment) for part in slices for end in (part.lower, part.upper, part.step) if end is not None]
    dtypes = {end.dtype for end in ends}
    dtype = None if not dtypes or not dtypes <= {INT.dtype, FLOAT.dtype} else FLOAT.dtype if FLOAT.dtype in dtypes else INT.dtype
    one = Abstract("array", dtype, (None,) * len(slices))
    if function is np.mgrid:
        return one._replace(dims=(len(slices), *one.dims)) if isinstance(node.slice, n.Tuple) else one
    return Abstract("sequence", items=(one,) * len(slices)) if isinstance(node.slice, n.Tuple) else one


def _mesh(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.ix_(…)``: a tuple of integers for each axis, which is marked as such: it is an index of them all."""
    axes = len(applied.args)
    return Abstract("sequence", OTHER, items=tuple(
        Abstract("array", INT.dtype, tuple(None if axis == place else 1 for axis in range(axes))) for place in range(axes)))


def _full(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.full(shape, value)``."""
    shape = values.of(applied.args[0], environment)
    asked = applied.kwargs.get("dtype", applied.args[2] if len(applied.args) > 2 else None)
    if len(applied.args) < 2:
        dtype = None
    elif asked is None or isinstance(asked, n.Constant) and asked.value is None:
        dtype = values.of(applied.args[1], environment).dtype
    else:
        dtype = dtype_of(values, asked, environment)
    dims = dims_said(shape)
    return UNKNOWN if dims is None else Abstract("array", dtype, dims)


def _real_if_close(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.real_if_close(a)``: of complex numbers it gives complex or real ones, as these are."""
    value = values.of(applied.args[0], environment)
    if value.rank is None or value.dtype is None or value.dtype.kind == "c":
        return Abstract("array", None, value.dims) if value.kind == "array" else UNKNOWN
    return Abstract("array", value.dtype if value.dtype.kind == "f" else None, value.dims)


def _reshaped(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.reshape(a, shape)`` and the helper ``put_back``: the lengths that the shape says, where it does not say -1."""
    value = values.of(applied.args[0], environment)
    given = len(applied.args) == 2 or applied.function is arrays.put_back
    dims = dims_said(values.of(applied.args[1], environment)) if given else None
    if dims is None:
        return UNKNOWN
    return Abstract("array", value.dtype, tuple(dim if least(dim) >= 0 else None for dim in dims))  # and not a -1


def _joined_arrays(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.concatenate``: along the axis the lengths of the parts are added, along the others they are equal."""
    items = values.of(applied.args[0], environment).items
    axis = _axis(applied, 0)
    if axis is None or axis is MISSING:
        return UNKNOWN
    if type(items) is not tuple or not items or any(item.kind != "array" or len(item.dims) != len(items[0].dims) for item in items):
        return UNKNOWN
    return _end_to_end(values, items, axis)


def _end_to_end(values: Evaluator, items: Sequence[Abstract], axis: int) -> Abstract:
    """Arrays of as many dimensions one after the other along an axis."""
    dtypes = {item.dtype for item in items}
    dims = [agreed(values.equal, *parts) for parts in zip(*(item.dims for item in items))]
    if -len(dims) <= axis < len(dims):
        dims[axis] = length_of(functools.reduce(plus, (number_of(item.dims[axis]) for item in items)))
    return Abstract("array", dtypes.pop() if len(dtypes) == 1 else None, tuple(dims))


def _rows_or_columns(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.vstack``, ``np.hstack``, ``np.column_stack`` of arrays, those of one dimension as rows, as they are, or as columns."""
    items = values.of(applied.args[0], environment).items
    if type(items) is not tuple or not items or any(item.kind != "array" for item in items) or applied.kwargs or len(applied.args) > 1:
        return UNKNOWN
    columns, flat = applied.function is np.column_stack, applied.function is np.hstack
    if not flat:
        items = tuple(item if len(item.dims) > 1 else item._replace(dims=(*item.dims, 1) if columns else (1, *item.dims)) for item in items)
    if any(len(item.dims) != len(items[0].dims) for item in items):
        return UNKNOWN
    return _end_to_end(values, items, 1 if columns or flat and len(items[0].dims) > 1 else 0)


def _stacked(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    whole = values.of(applied.args[0], environment)
    items = whole.items if type(whole.items) is tuple else ()
    if len(applied.args) > 1 or applied.kwargs or not items or any(item.rank != items[0].rank or item.rank is None for item in items):
        return UNKNOWN
    dtypes = {item.dtype for item in items}
    dims = tuple(agreed(values.equal, *parts) for parts in zip(*(item.dims for item in items)))
    return Abstract("array", dtypes.pop() if len(dtypes) == 1 else None, (len(items), *dims))


def transformed(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.fft.rfft(a, n)`` and its like: as many dimensions as ``a`` has, of the last one it is ``n`` that tells how long it is; so
    ``np.roll`` and ``np.moveaxis``, whatever shifts and axes there are, and a distribution's function of points, point by point.
    """
    value = values.of(applied.args[0], environment)
    if isinstance(applied.function, types.MethodType) and is_singleton(applied.function.__self__):
        parts = [values.of(part, environment) for part in (*applied.args, *applied.kwargs.values())]
        whole = functools.reduce(lambda one, other: values.combined(np.hypot, [one, other]), parts, FLOAT)
        return whole if applied.function.__name__ in POINTWISE else UNKNOWN
    if value.kind == "array" and any(applied.function is each for each in (np.roll, np.moveaxis, np.swapaxes)):
        return value._replace(dims=value.dims if applied.function is np.roll else (None,) * len(value.dims))
    of_one = any(applied.function is each for each in TRANSFORMS)
    if not of_one or value.kind != "array" or len(applied.args) != 2 or applied.kwargs:
        return UNKNOWN
    return Abstract("array", None, (*value.dims[:-1], None))


def _converted(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    value = values.of(applied.args[0], environment)
    dtype = dtype_of(values, applied.args[1], environment) if len(applied.args) > 1 else None
    return Abstract("array", dtype, value.dims) if value.kind == "array" else UNKNOWN


def _listed(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``list(...)``, ``range(...)``, ``zip(...)``: what a loop over it would give."""
    call = n.Call(func=expression(applied.function.__name__), args=list(applied.args), keywords=[])
    return Abstract("sequence", items=values.iterated(UNKNOWN, call, environment))


def _squeezed(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.squeeze(a)``, ``np.squeeze(a, axis)``: the lengths that are certainly not 1, or those of the other axes."""
    value = values.of(applied.args[0], environment)
    given = [*applied.args[1:], *applied.kwargs.values()]
    axis = constant(given[0]) if given else None
    if value.kind != "array" or axis is MISSING:
        return UNKNOWN
    if axis is not None:
        axes = {one % max(1, len(value.dims)) for one in (axis if isinstance(axis, tuple) else (axis,))}
        return value._replace(dims=tuple(dim for place, dim in enumerate(value.dims) if place not in axes))
    if any(dim != 1 and can_be_one(dim) for dim in value.dims):
        return UNKNOWN
    return value._replace(dims=tuple(dim for dim in value.dims if dim != 1))


def _transposed(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    value = values.of(applied.args[0], environment)
    if value.kind != "array":
        return UNKNOWN
    given = list(applied.args[1:]) + list(applied.kwargs.values())
    axes = constant(given[0], None) if given else None
    axes = (axes,) if isinstance(axes, int) else axes
    if axes is MISSING or axes is not None and len(axes) != len(value.dims):
        return Abstract("array", value.dtype, (None,) * len(value.dims))
    order = range(len(value.dims))[::-1] if axes is None else axes
    return Abstract("array", value.dtype, tuple(value.dims[axis] for axis in order))


def _product(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``@`` and ``np.dot`` up to two dimensions."""
    if len(applied.args) != 2 or applied.kwargs:
        return UNKNOWN
    x, y = (values.of(argument, environment) for argument in applied.args)
    if 0 in (x.rank, y.rank):  # a number times the other one
        if applied.function is np.matmul:
            return UNKNOWN
        whole = values.combined(np.multiply, [x, y])
        return whole if x.dtype == y.dtype else whole._replace(dtype=None)  # here a Python number does count
    if x.kind != "array" or y.kind != "array" or not 1 <= len(x.dims) <= 2 or not 1 <= len(y.dims) <= 2:
        return UNKNOWN
    dtype = np.result_type(x.dtype, y.dtype) if x.dtype is not None and y.dtype is not None else None
    if x.dims[-1] != y.dims[0]:
        same_length(values.equal, x.dims[-1], y.dims[0])
    dims = x.dims[:-1] + (y.dims[1:] if len(y.dims) == 2 else ())
    return Abstract("array", dtype, dims) if dims else Abstract("numpy", dtype)


def _crossed(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.cross(x, y)`` where one of the vectors certainly has three entries: so has the result, and the other one three or two."""
    if len(applied.args) != 2 or applied.kwargs:
        return UNKNOWN
    x, y = (values.of(argument, environment) for argument in applied.args)
    if not x.dims or not y.dims or 3 not in (x.dims[-1], y.dims[-1]):
        return UNKNOWN
    dtype = np.result_type(x.dtype, y.dtype) if x.dtype is not None and y.dtype is not None else None
    return Abstract("array", dtype, (*(broadcast(x.dims[:-1], y.dims[:-1]) if x.dims[1:] or y.dims[1:] else ()), 3))


def _parted(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``divmod(n, k)`` of Python's numbers."""
    known = [values.of(arg, environment) for arg in applied.args]
    if len(known) != 2 or any(each.kind != "python" or each.dtype not in (INT.dtype, FLOAT.dtype) for each in known):
        return UNKNOWN
    whole = INT if all(each.dtype == INT.dtype for each in known) else FLOAT
    return Abstract("sequence", items=(whole, whole))


def _always(result: Abstract) -> Shape:
    return lambda values, applied, environment: result


SHAPES: dict[Any, Shape] = {
    np.copy: _same, np.zeros_like: _same, np.ones_like: _same, np.empty_like: _same, np.asarray: _array, np.asanyarray: _array,
    np.array: _array,
    np.zeros: _created, np.ones: _created, np.empty: _created, np.transpose: _transposed, np.matmul: _product, np.dot: _product,
    np.cross: _crossed, np.ix_: _mesh,
    np.where: _where, np.concatenate: _joined_arrays, np.stack: _stacked, np.full: _full,
    **dict.fromkeys((np.vstack, np.hstack, np.column_stack), _rows_or_columns),
    np.reshape: _reshaped, np.real_if_close: _real_if_close,
    **dict.fromkeys((np.shape, np.ndim, np.size), _metadata),
    builtins.divmod: _parted,
    builtins.len: _length, builtins.float: _always(FLOAT), builtins.int: _always(INT), builtins.bool: _always(BOOL),
    builtins.range: _listed, builtins.list: _listed, builtins.zip: _listed, builtins.enumerate: _listed,
    np.full_like: _filled_like, np.broadcast_to: _summed_to,
    np.expand_dims: _expanded, arrays.sum_to: _summed_to, arrays.sum_to_stored: _summed_to,
    structures.copied: _copied, structures.like: _like, structures.matched: _matched,
    **dict.fromkeys((structures.added_at, structures.with_added, structures.with_entry), _added_at), structures.added: _added,
    structures.zeros_like: _zeros, arrays.as_seed: _seeded,
    arrays.probes: _probed, arrays.put_back: _reshaped,
    structures.place_of: _always(INT),
    structures.order: _always(Abstract("sequence", items=INT)),
    **dict.fromkeys((bisect.bisect_left, bisect.bisect_right), _always(INT)),
    builtins.reversed: _listed, arrays.count: _always(INT), builtins.complex: _always(COMPLEX), arrays.number_of: _entry,
    np.squeeze: _squeezed,
}
for _function in (arrays.astype, getattr(np, "astype", arrays.astype)):
    SHAPES[_function] = _converted

NUMBERS = frozenset(
    function for name, function in vars(math).items() if name in (
        "acos acosh asin asinh atan atan2 atanh cbrt copysign cos cosh degrees dist erf erfc exp exp2 expm1 fabs fmod fsum gamma hypot "
        "ldexp lgamma log log10 log1p log2 pow radians remainder sin sinh sqrt tan tanh").split())
"""The functions of ``math`` that give a float, whatever they are given."""

POINTWISE = ("cdf", "isf", "logcdf", "logpdf", "logpmf", "logsf", "pdf", "pmf", "ppf", "sf")
"""The functions of a distribution that take points, and its parameters."""

TRANSFORMS = (np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft, np.fft.hfft, np.fft.ihfft)
