"""Sorting, and what is found by it. The entries stay what they are: their adjoints go back by the permutation that was applied."""

import numpy as np

from ..runtime.arrays import count, known_weights, quantile_weights, ranking
from .frames import general, reduction


@general(np.sort, selects=True)
def sort(g, z, a, axis=-1, kind=None, *, stable=None):
    order = np.argsort(a, axis, "stable")
    return np.reshape(np.take_along_axis(g, np.argsort(order, axis), axis), np.shape(a))


@sort.pushforward
def sort_forward(z, da, a, axis=-1, kind=None, *, stable=None):
    return np.take_along_axis(da, np.argsort(a, axis, "stable"), axis)


@general(np.sort_complex, selects=True, holomorphic=True)
def sort_complex(g, z, a):
    return np.take_along_axis(g, np.argsort(np.argsort(a, -1, "stable"), -1), -1)


@sort_complex.pushforward
def sort_complex_forward(z, da, a):
    return np.take_along_axis(da, np.argsort(a, -1, "stable"), -1)


@general(np.partition, selects=True)
def partition(g, z, a, kth, axis=-1):
    # by way of the sorted order: an entry of a stands in z where the entry of the same rank does
    ranks = np.argsort(np.argsort(a, axis, "stable"), axis)
    places = np.take_along_axis(np.argsort(z, axis, "stable"), ranks, axis)
    return np.reshape(np.take_along_axis(g, places, axis), np.shape(a))


@partition.pushforward
def partition_forward(z, da, a, kth, axis=-1):
    ranks = np.argsort(np.argsort(z, axis, "stable"), axis)
    return np.take_along_axis(da, np.take_along_axis(np.argsort(a, axis, "stable"), ranks, axis), axis)


@reduction(np.median, selects=True)
def median(g, z, a, axis=None, *, keepdims=False):
    n = count(np.shape(a), axis)
    weights = quantile_weights(0.5, n, z.dtype)[ranking(a, axis)]
    return np.where(weights == 0, 0, g * weights)


@reduction(np.quantile, selects=True)
def quantile(g, z, a, q, axis=None, *, keepdims=False):
    n = count(np.shape(a), axis)
    weights = quantile_weights(q, n, z.dtype)[ranking(a, axis)]
    return np.where(weights == 0, 0, g * weights)


@reduction(np.percentile, selects=True)
def percentile(g, z, a, q, axis=None, *, keepdims=False):
    n = count(np.shape(a), axis)
    weights = quantile_weights(np.divide(q, 100), n, z.dtype)[ranking(a, axis)]
    return np.where(weights == 0, 0, g * weights)


@reduction(np.nanquantile, selects=True)
def nanquantile(g, z, a, q, axis=None, *, keepdims=False):
    weights = known_weights(q, a, axis, z.dtype)
    return np.where(weights == 0, 0, g * weights)


@reduction(np.nanpercentile, selects=True)
def nanpercentile(g, z, a, q, axis=None, *, keepdims=False):
    weights = known_weights(np.divide(q, 100), a, axis, z.dtype)
    return np.where(weights == 0, 0, g * weights)


@reduction(np.nanmedian, selects=True)
def nanmedian(g, z, a, axis=None, *, keepdims=False):
    weights = known_weights(0.5, a, axis, z.dtype)
    return np.where(weights == 0, 0, g * weights)
