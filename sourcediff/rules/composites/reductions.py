"""Reductions with the keywords that their rules do not take: ``where=``, ``initial=``, ``correction=``, ``mean=``, ``dtype=``."""

import numpy as np

from ...runtime.arrays import astype
from ..frames import named
from ..library_functions import composite


@composite(np.sum)
def sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
    chosen = a if where is None else np.where(where, a, 0)
    total = np.sum(chosen, axis, keepdims=keepdims) if dtype is None else np.sum(chosen, axis, dtype, keepdims=keepdims)
    return total if initial is None else total + initial


@composite(np.prod)
def prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
    numbers = a if dtype is None else astype(a, dtype)
    total = np.prod(numbers if where is None else np.where(where, numbers, 1), axis, keepdims=keepdims)
    return total if initial is None else total * initial


@composite(np.max, *named(np, "amax"))
def max(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    if initial is None and where is None:
        return np.max(a, axis, keepdims=keepdims)
    return np.maximum(np.max(a if where is None else np.where(where, a, initial), axis, keepdims=keepdims), initial)


@composite(np.min, *named(np, "amin"))
def min(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    if initial is None and where is None:
        return np.min(a, axis, keepdims=keepdims)
    return np.minimum(np.min(a if where is None else np.where(where, a, initial), axis, keepdims=keepdims), initial)


@composite(np.mean)
def mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=None):
    numbers = a if dtype is None else astype(a, dtype)
    if where is None:
        return np.mean(numbers, axis, keepdims=keepdims)
    count = np.sum(np.broadcast_to(where, np.shape(a)), axis, keepdims=keepdims)
    return np.sum(np.where(where, numbers, 0), axis, keepdims=keepdims) / count


@composite(np.var)
def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=None, mean=None, correction=None):
    if dtype is not None:
        a = astype(a, dtype)
    if correction is not None:
        ddof = correction
    if where is None and mean is None:
        return np.var(a, axis, ddof=ddof, keepdims=keepdims)
    chosen = np.ones(np.shape(a), bool) if where is None else np.broadcast_to(where, np.shape(a))
    if mean is None:
        mean = np.sum(np.where(chosen, a, 0), axis, keepdims=True) / np.sum(chosen, axis, keepdims=True)
    apart = np.where(chosen, a - mean, 0)
    return np.sum(np.real(apart * np.conjugate(apart)), axis, keepdims=keepdims) / (np.sum(chosen, axis, keepdims=keepdims) - ddof)


@composite(np.std)
def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=None, mean=None, correction=None):
    if dtype is not None:
        a = astype(a, dtype)
    if correction is not None:
        ddof = correction
    if where is None and mean is None:
        return np.std(a, axis, ddof=ddof, keepdims=keepdims)
    return np.sqrt(var(a, axis, None, None, ddof, keepdims, where=where, mean=mean))


@composite(np.nansum)
def nansum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
    return sum(np.where(np.isnan(a), 0, a), axis, dtype, None, keepdims, initial, where)


@composite(np.nanmean)
def nanmean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=None):
    known = ~np.isnan(a) if where is None else ~np.isnan(a) & where
    return mean(np.where(known, a, 0), axis, dtype, None, keepdims, where=known)


@composite(np.cumsum)
def cumsum(a, axis=None, dtype=None, out=None):
    return np.cumsum(astype(a, dtype), axis)


@composite(np.cumprod)
def cumprod(a, axis=None, dtype=None, out=None):
    return np.cumprod(astype(a, dtype), axis)


@composite(*named(np, "cumulative_sum"))
def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    if dtype is not None:
        x = astype(x, dtype)
    total = np.cumulative_sum(x, axis=axis)
    return np.insert(total, 0, 0, 0 if axis is None else axis) if include_initial else total


@composite(*named(np, "cumulative_prod"))
def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    if dtype is not None:
        x = astype(x, dtype)
    total = np.cumulative_prod(x, axis=axis)
    return np.insert(total, 0, 1, 0 if axis is None else axis) if include_initial else total
