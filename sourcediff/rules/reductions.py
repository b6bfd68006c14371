"""Reductions. ``g`` and ``z`` have the un-reduced rank here (length 1 along the axes); the frame spreads and sums."""

import bisect

import numpy as np

from ..runtime.arrays import (
    aligned,
    blank,
    cast,
    count,
    is_first,
    largest,
    latest_at,
    log_sum,
    numbers,
    others,
    put_back,
    recurrence,
    reduced,
    smallest,
    sum_to,
    undiff,
)
from .frames import alias, constant, general, linear, named, reduction


@reduction(np.sum, holomorphic=True)
def sum(g, z, a, axis=None, dtype=None, *, keepdims=False):
    return g if dtype is None else cast(g, z.dtype, z.dtype)


@reduction(np.mean, holomorphic=True)
def mean(g, z, a, axis=None, *, keepdims=False):
    return g * (1 / (np.size(a) if axis is None else count(np.shape(a), axis)))  # the count may be too large for float16


@general(np.average, only={"returned": (False,)}, holomorphic=True)
def average(g, z, a, axis=None, weights=None, returned=False, *, keepdims=False):
    w = blank(np.shape(a), g) + 1 if weights is None else np.reshape(weights, aligned(np.shape(weights), np.shape(a), axis))
    total = np.sum(np.broadcast_to(w, np.shape(a)), axis=reduced(np.ndim(a), axis), keepdims=True)
    share = np.reshape(g, np.shape(total)) / total
    excess = share * (a - np.reshape(z, np.shape(total)))
    weights_bar = sum_to(excess, aligned(np.shape(weights), np.shape(a), axis))
    return np.broadcast_to(share * w, np.shape(a)), None, np.reshape(weights_bar, np.shape(weights))


@average.pushforward
def average_forward(z, da, dweights, a, axis=None, weights=None, returned=False, *, keepdims=False):
    w = np.ones_like(a) if weights is None else np.reshape(weights, aligned(np.shape(weights), np.shape(a), axis))
    dw = 0 if weights is None else np.reshape(dweights, aligned(np.shape(weights), np.shape(a), axis))
    over = reduced(np.ndim(a), axis)
    total = np.sum(np.broadcast_to(w, np.shape(a)), axis=over, keepdims=True)
    change = np.sum(w * da + dw * (a - np.average(a, axis=axis, weights=weights, keepdims=True)), axis=over, keepdims=True)
    return np.reshape(change / total, np.shape(z))


@reduction(np.prod, holomorphic=True)
def prod(g, z, a, axis=None, *, keepdims=False):
    return g * others(a, axis)


@reduction(np.var)
def var(g, z, a, axis=None, *, ddof=0, keepdims=False):
    n = np.size(a) if axis is None else count(np.shape(a), axis)
    return 2 * g * (a - np.mean(a, axis=axis, keepdims=True)) / (n - ddof)


@var.of_complex
def var_of_complex(g, z, a, axis=None, *, ddof=0, keepdims=False):
    n = np.size(a) if axis is None else count(np.shape(a), axis)
    return 2 * g * np.conjugate(a - np.mean(a, axis=axis, keepdims=True)) / (n - ddof)


@reduction(np.std, singular=True)
def std(g, z, a, axis=None, *, ddof=0, keepdims=False):
    n = np.size(a) if axis is None else count(np.shape(a), axis)
    return g * (a - np.mean(a, axis=axis, keepdims=True)) / ((n - ddof) * np.where(z == 0, 1, z))


@std.of_complex
def std_of_complex(g, z, a, axis=None, *, ddof=0, keepdims=False):
    n = np.size(a) if axis is None else count(np.shape(a), axis)
    return g * np.conjugate(a - np.mean(a, axis=axis, keepdims=True)) / ((n - ddof) * np.where(z == 0, 1, z))


@reduction(np.max, np.min, np.nanmax, np.nanmin, selects=True)
def max(g, z, a, axis=None, *, keepdims=False):
    tied = a == z
    count = np.sum(tied, axis=axis, dtype=z.dtype, keepdims=True)
    return np.where(tied, g / count, 0 / count)


@reduction(largest, smallest, selects=True)
def first_largest(g, z, a):
    return np.where(np.arange(np.shape(a)[0]) == np.argmax(a == z), g, 0)  # Python's own takes the first of several


@reduction(np.ptp, selects=True)
def ptp(g, z, a, axis=None, *, keepdims=False):
    top = a == np.max(a, axis=axis, keepdims=True)
    low = a == np.min(a, axis=axis, keepdims=True)
    risen = np.where(top, g, 0) / np.sum(top, axis=axis, dtype=z.dtype, keepdims=True)
    return risen - np.where(low, g, 0) / np.sum(low, axis=axis, dtype=z.dtype, keepdims=True)


# The same without what is not a number


@reduction(np.nansum, selects=True, holomorphic=True)
def nansum(g, z, a, axis=None, *, keepdims=False):
    return np.where(np.isnan(a), 0, g)


@reduction(np.nanmean, selects=True, holomorphic=True)
def nanmean(g, z, a, axis=None, *, keepdims=False):
    known = ~np.isnan(a)
    return np.where(known, g, 0) / np.sum(known, axis=axis, dtype=z.dtype, keepdims=True)


@reduction(np.nanprod, selects=True, holomorphic=True)
def nanprod(g, z, a, axis=None, *, keepdims=False):
    known = ~np.isnan(a)
    return np.where(known, g, 0) * others(np.where(known, a, 1), axis)


@reduction(np.nanvar, selects=True)
def nanvar(g, z, a, axis=None, *, ddof=0, keepdims=False):
    known = ~np.isnan(a)
    n = np.sum(known, axis=axis, dtype=z.dtype, keepdims=True)
    return np.where(known, 2 * g * (a - np.nanmean(a, axis=axis, keepdims=True)) / (n - ddof), 0)


@reduction(np.nanstd, selects=True, singular=True)
def nanstd(g, z, a, axis=None, *, ddof=0, keepdims=False):
    known = ~np.isnan(a)
    n = np.sum(known, axis=axis, dtype=z.dtype, keepdims=True)
    return np.where(known, g * (a - np.nanmean(a, axis=axis, keepdims=True)) / ((n - ddof) * np.where(z == 0, 1, z)), 0)


# Covariances: rows are variables, columns observations (or the other way round, without rowvar)


@general(np.cov, only={"rowvar": (True, False)})
def cov(g, z, m, *, rowvar=True, ddof=None):
    rows = np.atleast_2d(m) if rowvar or np.ndim(m) == 1 else np.transpose(m)
    apart = rows - np.mean(rows, axis=1, keepdims=True)
    square = np.reshape(g, (np.shape(rows)[0], np.shape(rows)[0]))
    rows_bar = (square + np.transpose(square)) @ apart / (np.shape(rows)[1] - (1 if ddof is None else ddof))
    return np.reshape(rows_bar if rowvar or np.ndim(m) == 1 else np.transpose(rows_bar), np.shape(m))


@cov.pushforward
def cov_forward(z, dm, m, *, rowvar=True, ddof=None):
    rows = np.atleast_2d(m) if rowvar or np.ndim(m) == 1 else np.transpose(m)
    drows = np.atleast_2d(dm) if rowvar or np.ndim(m) == 1 else np.transpose(dm)
    half = drows @ np.transpose(rows - np.mean(rows, axis=1, keepdims=True)) / (np.shape(rows)[1] - (1 if ddof is None else ddof))
    return np.reshape(half + np.transpose(half), np.shape(z))


@general(np.corrcoef, only={"rowvar": (True, False)})
def corrcoef(g, z, x, *, rowvar=True):
    # of rows of length 1: what they change along themselves does not count
    rows = np.atleast_2d(x) if rowvar or np.ndim(x) == 1 else np.transpose(x)
    apart = rows - np.mean(rows, axis=1, keepdims=True)
    length = np.sqrt(np.sum(apart**2, axis=1, keepdims=True))
    unit = apart / length
    square = np.reshape(g, (np.shape(rows)[0], np.shape(rows)[0]))
    unit_bar = (square + np.transpose(square)) @ unit
    rows_bar = (unit_bar - unit * np.sum(unit * unit_bar, axis=1, keepdims=True)) / length
    return np.reshape(rows_bar if rowvar or np.ndim(x) == 1 else np.transpose(rows_bar), np.shape(x))


@corrcoef.pushforward
def corrcoef_forward(z, dx, x, *, rowvar=True):
    rows = np.atleast_2d(x) if rowvar or np.ndim(x) == 1 else np.transpose(x)
    drows = np.atleast_2d(dx) if rowvar or np.ndim(x) == 1 else np.transpose(dx)
    apart = rows - np.mean(rows, axis=1, keepdims=True)
    length = np.sqrt(np.sum(apart**2, axis=1, keepdims=True))
    unit = apart / length
    dapart = drows - np.mean(drows, axis=1, keepdims=True)
    half = (dapart - unit * np.sum(unit * dapart, axis=1, keepdims=True)) / length @ np.transpose(unit)
    return np.reshape(half + np.transpose(half), np.shape(z))


# Of ufuncs


@reduction(log_sum)
def log_sum_rule(g, z, a, axis=None, *, keepdims=False):
    return g * np.exp(a - z)


@general(np.maximum.accumulate, selects=True)
def maximum_accumulate(g, z, array, axis=0):
    return put_back(g, np.shape(array), np.take_along_axis(numbers(np.shape(array)), latest_at(z, array, axis), axis))


@maximum_accumulate.pushforward
def maximum_accumulate_forward(z, darray, array, axis=0):
    return np.take_along_axis(darray, latest_at(z, array, axis), axis)


alias(np.minimum.accumulate, np.maximum.accumulate)


@general(np.logaddexp.accumulate)
def logaddexp_accumulate(g, z, array, axis=0):
    # what comes after an entry depends on it by way of the next one
    share = np.exp(np.flip(z, axis) - np.roll(np.flip(z, axis), 1, axis))
    return np.flip(recurrence(np.flip(g, axis), share, axis), axis) * np.exp(array - z)


@logaddexp_accumulate.pushforward
def logaddexp_accumulate_forward(z, darray, array, axis=0):
    return recurrence(darray * np.exp(array - z), np.exp(np.roll(z, 1, axis) - z), axis)


# Running sums and products


@linear(np.cumsum)
def cumsum(g, z, a, axis=None):
    back = np.flip(np.cumsum(np.flip(g, axis), axis), axis)
    return np.reshape(back, np.shape(a)) if axis is None else back


@linear(*named(np, "cumulative_sum"))
def cumulative_sum(g, z, x, *, axis=None):
    k = 0 if axis is None else axis
    return np.flip(np.cumsum(np.flip(g, k), k), k)


@general(np.cumprod, holomorphic=True)
def cumprod(g, z, a, axis=None):
    # right with zeros too: the product of those before, times what comes after as it would be with this entry 1
    k = 0 if axis is None else axis
    after = recurrence(np.flip(g, k), np.roll(np.flip(np.ravel(a) if axis is None else a, k), 1, k), k)
    before = np.where(is_first(np.shape(z), k), 1, np.roll(z, 1, k))
    return np.reshape(before * np.flip(after, k), np.shape(a))


@cumprod.pushforward
def cumprod_forward(z, da, a, axis=None):
    k = 0 if axis is None else axis
    before = np.where(is_first(np.shape(z), k), 1, np.roll(z, 1, k))
    return recurrence(before * np.reshape(da, np.shape(z)), np.reshape(a, np.shape(z)), k)


@general(*named(np, "cumulative_prod"), holomorphic=True)
def cumulative_prod(g, z, x, *, axis=None):
    k = 0 if axis is None else axis
    after = recurrence(np.flip(g, k), np.roll(np.flip(x, k), 1, k), k)
    return np.where(is_first(np.shape(z), k), 1, np.roll(z, 1, k)) * np.flip(after, k)


@cumulative_prod.pushforward
def cumulative_prod_forward(z, dx, x, *, axis=None):
    k = 0 if axis is None else axis
    return recurrence(np.where(is_first(np.shape(z), k), 1, np.roll(z, 1, k)) * dx, x, k)


@linear(np.ediff1d)
def ediff1d(g, z, ary):
    return np.reshape(undiff(g, 1, -1, (np.size(ary),)), np.shape(ary))


@linear(np.diff)
def diff(g, z, a, n=1, axis=-1):
    return undiff(g, n, axis, np.shape(a))


constant(
    np.argmax, np.argmin, np.argsort, np.argpartition, np.nanargmax, np.nanargmin, np.nonzero, np.flatnonzero, np.argwhere,
    np.count_nonzero, np.logical_or.reduce, np.logical_and.reduce, np.any, np.all, np.searchsorted, np.digitize, np.lexsort, any, all,
    bisect.bisect_left, bisect.bisect_right,
)
for _function, _like in (("amax", np.max), ("amin", np.min)):
    for _known in named(np, _function):
        alias(_known, _like)
