"""Averages, covariances and histograms with their weights."""

import numpy as np

from ...runtime.arrays import aligned, binned, counted, of_axis, on_both_axes
from ..library_functions import composite


@composite(np.average)
def average(a, axis=None, weights=None, returned=True, *, keepdims=False):
    found = np.average(a, axis, weights, keepdims=keepdims)
    if weights is None:
        return found, np.full(np.shape(found), np.size(a) / np.size(found))
    spread = np.broadcast_to(np.reshape(weights, aligned(np.shape(weights), np.shape(a), axis)), np.shape(a))
    return found, np.sum(spread, axis, keepdims=keepdims)


@composite(np.cov)
def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None):
    first = np.atleast_2d(m) if rowvar else np.atleast_2d(np.transpose(m))
    rows = first if y is None else np.concatenate((first, np.atleast_2d(y) if rowvar else np.atleast_2d(np.transpose(y))))
    if ddof is None:
        ddof = 1 if bias == 0 else 0
    if fweights is None and aweights is None:
        return np.cov(rows, ddof=ddof)
    w = np.ones(np.shape(rows)[1]) if fweights is None else np.ravel(fweights)
    lost = ddof
    if aweights is not None:
        w = w * np.ravel(aweights)
        lost = ddof * np.sum(w * np.ravel(aweights)) / np.sum(w)
    apart = rows - np.expand_dims(np.average(rows, 1, w), 1)
    return np.squeeze((apart * w) @ np.transpose(np.conjugate(apart)) / (np.sum(w) - lost))


@composite(np.corrcoef)
def corrcoef(x, y, rowvar=True):
    first = np.atleast_2d(x) if rowvar else np.atleast_2d(np.transpose(x))
    return np.corrcoef(np.concatenate((first, np.atleast_2d(y) if rowvar else np.atleast_2d(np.transpose(y)))))


@composite(np.histogram)
def histogram(a, bins=10, range=None, density=None, weights=None):
    edges = np.histogram_bin_edges(a, bins, range)
    points = np.expand_dims(np.ravel(a), 1)
    counts = counted(points, [edges]).astype(int) if weights is None else binned(np.ravel(weights), points, [edges])
    if density:
        counts = counts / np.diff(edges) / np.sum(counts)
    return counts, edges


@composite(np.histogram2d)
def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    counts, edges = histogramdd(np.stack((x, y), 1), on_both_axes(bins), range, density, weights)
    return counts, edges[0], edges[1]


@composite(np.histogramdd)
def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    points = np.stack(sample, 1) if isinstance(sample, (list, tuple)) else sample
    counts = counted(points, bins, range) if weights is None else binned(weights, points, bins, range)
    edges = [np.histogram_bin_edges(column, of_axis(bins, k), of_axis(range, k)) for k, column in enumerate(np.transpose(points))]
    if density:
        sizes = np.ones(())
        for ends in edges:
            sizes = np.expand_dims(sizes, -1) * np.diff(ends)
        counts = counts / sizes / np.sum(counts)
    return counts, edges
