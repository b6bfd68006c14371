"""``reduce``, ``accumulate`` and ``reduceat`` of the ufuncs that make sums, products and extremes."""

import numpy as np

from ...runtime.arrays import log_sum, spans
from ..library_functions import composite
from . import reductions


@composite(np.add.reduce)
def add_reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=None):
    return reductions.sum(array, axis, dtype, None, keepdims, initial, where)


@composite(np.multiply.reduce)
def multiply_reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=None):
    return reductions.prod(array, axis, dtype, None, keepdims, initial, where)


@composite(np.maximum.reduce)
def maximum_reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=None):
    return reductions.max(array, axis, None, keepdims, initial, where)


@composite(np.minimum.reduce)
def minimum_reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=None):
    return reductions.min(array, axis, None, keepdims, initial, where)


@composite(np.logaddexp.reduce)
def logaddexp_reduce(array, axis=0, dtype=None, out=None, keepdims=False):
    return log_sum(array, axis, keepdims=keepdims)


@composite(np.fmax.reduce)
def fmax_reduce(array, axis=0, dtype=None, out=None, keepdims=False):
    return np.nanmax(array, axis, keepdims=keepdims)


@composite(np.fmin.reduce)
def fmin_reduce(array, axis=0, dtype=None, out=None, keepdims=False):
    return np.nanmin(array, axis, keepdims=keepdims)


@composite(np.add.accumulate)
def add_accumulate(array, axis=0, dtype=None, out=None):
    return np.cumsum(array, axis) if dtype is None else reductions.cumsum(array, axis, dtype)


@composite(np.multiply.accumulate)
def multiply_accumulate(array, axis=0, dtype=None, out=None):
    return np.cumprod(array, axis) if dtype is None else reductions.cumprod(array, axis, dtype)


@composite(np.add.reduceat)
def add_reduceat(array, indices, axis=0, dtype=None, out=None):
    rows = np.moveaxis(array, axis, 0)
    return np.moveaxis(np.stack([np.sum(rows[start:stop], 0) for start, stop in spans(indices, len(rows))]), 0, axis)


@composite(np.multiply.reduceat)
def multiply_reduceat(array, indices, axis=0, dtype=None, out=None):
    rows = np.moveaxis(array, axis, 0)
    return np.moveaxis(np.stack([np.prod(rows[start:stop], 0) for start, stop in spans(indices, len(rows))]), 0, axis)


@composite(np.maximum.reduceat)
def maximum_reduceat(array, indices, axis=0, dtype=None, out=None):
    rows = np.moveaxis(array, axis, 0)
    return np.moveaxis(np.stack([np.max(rows[start:stop], 0) for start, stop in spans(indices, len(rows))]), 0, axis)


@composite(np.minimum.reduceat)
def minimum_reduceat(array, indices, axis=0, dtype=None, out=None):
    rows = np.moveaxis(array, axis, 0)
    return np.moveaxis(np.stack([np.min(rows[start:stop], 0) for start, stop in spans(indices, len(rows))]), 0, axis)
