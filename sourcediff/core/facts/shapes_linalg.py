"""Abstract values of products, transposes and functions of linear algebra."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...analysis.abstract import UNKNOWN, Abstract, dims_said, same_length, sampled
from ...analysis.applications import Application
from ...analysis.literals import constant
from ...analysis.scope import MISSING
from .evaluator import Evaluator
from .shapes_helpers import _of_numbers, _same


def _triangle(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.tril(a)`` and ``np.triu(a)``, of a vector a matrix."""
    value = values.of(applied.args[0], environment)
    return value._replace(dims=(value.dims[0], value.dims[0])) if value.rank == 1 else _same(values, applied, environment)


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


def _outer(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    if len(applied.args) != 2:
        return UNKNOWN
    x, y = (values.of(argument, environment) for argument in applied.args)
    if x.kind != "array" or y.kind != "array" or len(x.dims) != 1 or len(y.dims) != 1 or x.dtype is None or y.dtype is None:
        return UNKNOWN
    return Abstract("array", np.result_type(x.dtype, y.dtype), x.dims + y.dims)


def _inverse(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    value = values.of(applied.args[-1], environment)
    return value if value.kind == "array" and value.inexact else UNKNOWN


def _square(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.eye(n)``."""
    size = values.of(applied.args[0], environment)
    if len(applied.args) > 1 or applied.kwargs:
        return Abstract("array", None, (None, None))
    return Abstract("array", np.dtype(float), (dims_said(size) or (None,)) * 2)


def _diagonal(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.diag``: a matrix of a vector, the diagonal of a matrix."""
    value = values.of(applied.args[0], environment)
    value = _of_numbers(value) if value.kind == "sequence" else value
    if value.rank == 1 and len(applied.args) == 1 and not applied.kwargs:
        return Abstract("array", value.dtype, (value.dims[0], value.dims[0]))
    return Abstract("array", value.dtype, (None,) * (3 - value.rank)) if value.rank in (1, 2) else UNKNOWN


def _solved(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.linalg.solve(a, b)`` of one matrix: shaped like ``b``."""
    parts = [values.of(part, environment) for part in applied.args]
    if len(parts) != 2 or any(part.kind != "array" or not part.inexact for part in parts):
        return UNKNOWN
    a, b = parts
    if len(a.dims) != 2 or len(b.dims) > 2:
        return UNKNOWN
    return b._replace(dtype=np.result_type(a.dtype, b.dtype))


def _transformed(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """A Fourier transform: of the same rank, and where its length is not given and it is not halved, of the same shape."""
    value = values.of(applied.args[0], environment)
    if value.kind != "array" or value.dtype is None:
        return UNKNOWN
    dtype = sampled(np.fft.fft, (("array", value.dtype, 1),)).dtype
    whole = applied.function in (np.fft.fft, np.fft.ifft) and len(applied.args) == 1 and "n" not in applied.kwargs
    real = applied.function in (np.fft.irfft, np.fft.hfft)
    return Abstract("array", np.zeros(0, dtype).real.dtype if real else dtype, value.dims if whole else (None,) * len(value.dims))


def _decomposed(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.linalg.eigh``, ``svd``, ``qr`` and ``slogdet`` of one matrix: several arrays."""
    value = values.of(applied.args[0], environment)
    fewer = applied.function is np.linalg.qr and (len(applied.args) > 1 or applied.kwargs)
    fewer = fewer or applied.function is np.linalg.svd and (len(applied.args) > 2 or "compute_uv" in applied.kwargs)
    if value.rank != 2 or not value.floating or fewer:
        return UNKNOWN
    number, vector, matrix = Abstract("numpy", value.dtype), *(Abstract("array", value.dtype, (None,) * rank) for rank in (1, 2))
    size = value.dims[0]
    found = {
        np.linalg.eigh: (vector._replace(dims=(size,)), matrix._replace(dims=(size, size))), np.linalg.svd: (matrix, vector, matrix),
        np.linalg.qr: (matrix, matrix), np.linalg.slogdet: (number, number),
    }
    return Abstract("sequence", items=found[applied.function])


def _permuted(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """An array with the axes of the first argument in another order."""
    value = values.of(applied.args[0], environment)
    return value._replace(dims=(None,) * len(value.dims), length=None) if value.kind == "array" else UNKNOWN
