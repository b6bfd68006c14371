"""Shapes of the functions that are neither elementwise nor reductions: function → abstract value of its call."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...analysis.abstract import (
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    UNKNOWN,
    Abstract,
    agreed,
    broadcast,
    can_be_one,
    dims_said,
    least,
    length_of,
    number_of,
    plus,
    sampled,
)
from ...analysis.applications import Application
from ...analysis.literals import constant
from ...analysis.scope import MISSING
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
    _of_numbers,
    _probed,
    _same,
    _seeded,
    _shape,
    _summed_to,
    _zeros,
    dtype_of,
)
from .shapes_linalg import (
    _decomposed,
    _diagonal,
    _inverse,
    _outer,
    _permuted,
    _product,
    _solved,
    _square,
    _transformed,
    _transposed,
    _triangle,
)

Shape = Callable[[Evaluator, Application, Mapping[str, Abstract]], Abstract]


def _array(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.array`` of an array, or of a list of numbers."""
    value = values.of(applied.args[0], environment)
    alone = len(applied.args) == 1 and not applied.kwargs
    return _of_numbers(value) if alone and value.kind == "sequence" else _same(values, applied, environment)


def _sorted(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.sort(x)``: as ``np.array(x)``."""
    return UNKNOWN if applied.kwargs or len(applied.args) > 1 else _array(values, applied, environment)


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
    dtypes = {item.dtype for item in items}
    dims = [agreed(values.equal, *parts) for parts in zip(*(item.dims for item in items))]
    if -len(dims) <= axis < len(dims):
        dims[axis] = length_of(functools.reduce(plus, (number_of(item.dims[axis]) for item in items)))
    return Abstract("array", dtypes.pop() if len(dtypes) == 1 else None, tuple(dims))


def _flat(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """A vector of the first argument's dtype."""
    value = values.of(applied.args[0], environment)
    return Abstract("array", value.dtype, value.dims if value.rank == 1 else (None,)) if value.kind == "array" else UNKNOWN


def _accumulated(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.cumsum``: flat without an axis."""
    value = values.of(applied.args[0], environment)
    if value.kind != "array" or not value.inexact:
        return UNKNOWN
    axis = _axis(applied, None)
    if axis is MISSING:
        return UNKNOWN
    return value if len(value.dims) == 1 or axis is not None else Abstract("array", value.dtype, (None,))


def _counted(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.arange``: a vector."""
    if applied.kwargs:
        return Abstract("array", None, (None,))
    dtypes = {values.of(part, environment).dtype for part in applied.args}
    return Abstract("array", dtypes.pop() if len(dtypes) == 1 else None, (None,))


def _spaced(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.linspace(a, b, n)``: along the first axis from one end to the other, each of which may be an array."""
    ends = [values.of(part, environment) for part in applied.args[:2]]
    known = {"num", "endpoint", "dtype"} >= set(applied.kwargs) and len(applied.args) <= 4
    if not known or len(ends) < 2 or any(end.rank is None for end in ends):
        return UNKNOWN
    double = all(end.dtype is not None and (end.dtype == np.float64 or end.dtype.kind in "iub") for end in ends)
    dtype = np.dtype(float) if double and "dtype" not in applied.kwargs else None
    return Abstract("array", dtype, (None,) * (1 + max(end.rank or 0 for end in ends)))


def _stacked(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    whole = values.of(applied.args[0], environment)
    items = whole.items if type(whole.items) is tuple else ()
    if len(applied.args) > 1 or applied.kwargs or not items or any(item.rank != items[0].rank or item.rank is None for item in items):
        return UNKNOWN
    dtypes = {item.dtype for item in items}
    dims = tuple(agreed(values.equal, *parts) for parts in zip(*(item.dims for item in items)))
    return Abstract("array", dtypes.pop() if len(dtypes) == 1 else None, (len(items), *dims))


def _converted(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    value = values.of(applied.args[0], environment)
    dtype = dtype_of(values, applied.args[1], environment) if len(applied.args) > 1 else None
    return Abstract("array", dtype, value.dims) if value.kind == "array" else UNKNOWN


def _listed(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``list(...)``, ``range(...)``, ``zip(...)``: what a loop over it would give."""
    call = n.Call(func=expression(applied.function.__name__), args=list(applied.args), keywords=[])
    return Abstract("sequence", items=values.iterated(UNKNOWN, call, environment))


def _moved(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.moveaxis(a, source, destination)``: of literal axes it is known which length goes where."""
    value, axes = values.of(applied.args[0], environment), [constant(part) for part in applied.args[1:]]
    dims = list(value.dims)
    rank = len(dims)
    if value.kind != "array" or len(axes) != 2 or not all(type(axis) is int and -rank <= axis < rank for axis in axes):
        return _permuted(values, applied, environment)
    dims.insert(axes[1] % rank, dims.pop(axes[0] % rank))
    return value._replace(dims=tuple(dims))


def _parts(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.split`` and its like: a list of arrays of the same rank."""
    part = _permuted(values, applied, environment)
    return Abstract("sequence", items=part) if part.kind == "array" else UNKNOWN


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


def _at_least(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.atleast_1d`` and its like, and ``np.ascontiguousarray``, of one array."""
    value = values.of(applied.args[0], environment)
    least = {np.atleast_2d: 2, np.atleast_3d: 3}.get(applied.function, 1)
    if value.kind != "array" or len(applied.args) != 1:
        return UNKNOWN
    dims = value.dims
    if len(dims) < least:
        dims = (1, *dims, 1) if least == 3 and len(dims) == 1 else (*dims, 1) if len(dims) == 2 else (1,) * (least - len(dims)) + dims
    return value._replace(dims=dims)


def _on_the_diagonal(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.diagonal(a)``."""
    value = values.of(applied.args[0], environment)
    return value._replace(dims=(None,) * (len(value.dims) - 1)) if value.kind == "array" and len(value.dims) > 1 else UNKNOWN


def _position(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.argmax(a)``, and along an axis: a whole number, or an array of such."""
    value, axis = values.of(applied.args[0], environment), applied.kwargs.get("axis", applied.args[1] if len(applied.args) == 2 else None)
    number = Abstract("numpy", np.dtype(np.intp))
    if value.kind != "array" or len(applied.args) > 2 or applied.kwargs.keys() - {"axis"}:
        return UNKNOWN
    if axis is None or value.rank == 1:
        return number if axis is None or constant(axis, None) in (0, -1, None) else UNKNOWN
    place = constant(axis)
    if type(place) is not int or value.rank is None or not -len(value.dims) <= place < len(value.dims):
        return UNKNOWN
    dims = list(value.dims)
    del dims[place]
    return Abstract("array", number.dtype, tuple(dims))


def _searched(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.searchsorted(a, v)``: a whole number for each entry of ``v``."""
    value = values.of(applied.args[1], environment) if len(applied.args) > 1 else UNKNOWN
    if value.scalar:
        return Abstract("numpy", np.dtype(np.intp))
    return Abstract("array", np.dtype(np.intp), value.dims) if value.kind == "array" else UNKNOWN


def _always(result: Abstract) -> Shape:
    return lambda values, applied, environment: result


SHAPES: dict[Any, Shape] = {
    np.copy: _same, np.zeros_like: _same, np.ones_like: _same, np.empty_like: _same, np.asarray: _array, np.asanyarray: _array,
    np.array: _array,
    np.zeros: _created, np.ones: _created, np.empty: _created, np.transpose: _transposed, np.matmul: _product, np.dot: _product,
    np.outer: _outer, np.where: _where, np.eye: _square, np.identity: _square, np.diag: _diagonal,
    np.full: _full, np.reshape: _reshaped, np.concatenate: _joined_arrays, np.ravel: _flat, np.cumsum: _accumulated,
    np.real_if_close: _real_if_close,
    np.arange: _counted, np.linspace: _spaced, np.linalg.solve: _solved, np.tril: _triangle, np.triu: _triangle,
    np.linalg.inv: _inverse, np.linalg.cholesky: _inverse, np.stack: _stacked, np.shape: _shape,
    builtins.len: _length, builtins.float: _always(FLOAT), builtins.int: _always(INT), builtins.bool: _always(BOOL),
    np.flip: _same, np.sort: _sorted, builtins.range: _listed, builtins.list: _listed, builtins.zip: _listed, builtins.enumerate: _listed,
    np.full_like: _filled_like, np.broadcast_to: _summed_to,
    np.expand_dims: _expanded, arrays.sum_to: _summed_to, arrays.sum_to_stored: _summed_to,
    structures.copied: _copied, structures.like: _like, structures.matched: _matched,
    **dict.fromkeys((structures.added_at, structures.with_added, structures.with_entry), _added_at), structures.added: _added,
    structures.zeros_like: _zeros, arrays.as_seed: _seeded,
    arrays.probes: _probed, np.moveaxis: _moved, arrays.put_back: _reshaped,
    structures.place_of: _always(INT),
    structures.order: _always(Abstract("sequence", items=INT)),
    builtins.reversed: _listed, arrays.count: _always(INT), builtins.complex: _always(COMPLEX), arrays.number_of: _entry,
    **dict.fromkeys((np.swapaxes, np.rollaxis, np.rot90, np.matrix_transpose), _permuted),
    np.squeeze: _squeezed, np.argmax: _position, np.argmin: _position, np.nanargmax: _position, np.nanargmin: _position,
    np.searchsorted: _searched,
    **dict.fromkeys((np.atleast_1d, np.atleast_2d, np.atleast_3d), _at_least), np.ascontiguousarray: _at_least,
    **dict.fromkeys((np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit), _parts),
    np.fliplr: _same, np.flipud: _same, np.diagonal: _on_the_diagonal,
    **dict.fromkeys((np.linalg.eigh, np.linalg.svd, np.linalg.qr, np.linalg.slogdet), _decomposed),
    **dict.fromkeys((np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.ihfft, np.fft.irfft, np.fft.hfft), _transformed),
}
for _function in (arrays.astype, getattr(np, "astype", arrays.astype)):
    SHAPES[_function] = _converted
