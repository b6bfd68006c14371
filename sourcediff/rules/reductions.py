"""Reductions. ``g`` and ``z`` have the un-reduced rank here (length 1 along the axes); the frame spreads and sums."""

import numpy as np

from ..arrays import cast, count, others, undiff
from .frames import alias, constant, linear, named, reduction


@reduction(np.sum)
def sum(g, z, a, axis=None, dtype=None, *, keepdims=False):
    return g if dtype is None else cast(g, z.dtype, z.dtype)


@reduction(np.mean)
def mean(g, z, a, axis=None, *, keepdims=False):
    return g / (np.size(a) if axis is None else count(np.shape(a), axis))


@reduction(np.prod)
def prod(g, z, a, axis=None, *, keepdims=False):
    return g * others(a, axis)


@reduction(np.var)
def var(g, z, a, axis=None, *, ddof=0, keepdims=False):
    n = np.size(a) if axis is None else count(np.shape(a), axis)
    return 2 * g * (a - np.mean(a, axis=axis, keepdims=True)) / (n - ddof)


@reduction(np.std, singular=True)
def std(g, z, a, axis=None, *, ddof=0, keepdims=False):
    n = np.size(a) if axis is None else count(np.shape(a), axis)
    return g * (a - np.mean(a, axis=axis, keepdims=True)) / ((n - ddof) * np.where(z == 0, 1, z))


@reduction(np.max, np.min, selects=True)
def max(g, z, a, axis=None, *, keepdims=False):
    return np.where(a == z, g, 0) / np.sum(a == z, axis=axis, dtype=z.dtype, keepdims=True)


@linear(np.cumsum)
def cumsum(g, z, a, axis=None):
    back = np.flip(np.cumsum(np.flip(g, axis), axis), axis)
    return np.reshape(back, np.shape(a)) if axis is None else back


@linear(np.diff)
def diff(g, z, a, n=1, axis=-1):
    return undiff(g, n, axis)


constant(
    np.argmax, np.argmin, np.argsort, np.nanargmax, np.nanargmin, np.nonzero, np.flatnonzero, np.argwhere, np.count_nonzero,
    np.any, np.all, np.searchsorted, np.digitize, np.lexsort, any, all,
)
for _function, _like in (("amax", np.max), ("amin", np.min)):
    for _known in named(np, _function):
        alias(_known, _like)
