"""Histograms: linear in their weights. Where a point of a sample lies changes a count by jumps only, which is a derivative of zero."""

import numpy as np

from ..runtime.arrays import (
    binned,
    cell_numbers,
    counted,
    exponent,
    found_at,
    latest_at,
    of_axis,
    on_both_axes,
    spans,
    zeros_at,
)
from .frames import constant, general, linear


@linear(np.bincount, holomorphic=False)
def bincount(g, z, x, weights=None, minlength=0):
    return None, g[x]


@linear(binned, holomorphic=False)
def binned_rule(g, z, weights, points, bins, range=None):
    return np.append(np.ravel(g), 0)[cell_numbers(points, bins, range)], None, None


@general(np.histogram_bin_edges)
def histogram_bin_edges(g, z, a, bins=10, range=None, weights=None):
    moving = 1 if range is None and np.ndim(bins) == 0 else 0
    t = np.linspace(0, moving, np.size(z), dtype=z.dtype)
    lowest = a == np.min(a)
    highest = a == np.max(a)
    low = np.where(lowest, np.sum(g * (moving - t)), 0) / np.sum(lowest, dtype=z.dtype)
    return low + np.where(highest, np.sum(g * t), 0) / np.sum(highest, dtype=z.dtype)


@histogram_bin_edges.pushforward
def histogram_bin_edges_forward(z, da, a, bins=10, range=None, weights=None):
    moving = 1 if range is None and np.ndim(bins) == 0 else 0
    t = np.linspace(0, moving, np.size(z), dtype=z.dtype)
    low = np.mean(da[a == np.min(a)])
    return low * (moving - t) + np.mean(da[a == np.max(a)]) * t


@general(on_both_axes, refuses=("bins",))
def on_both_axes_rule(g, z, bins):
    return None


@general(of_axis, refuses=("given",))
def of_axis_rule(g, z, given, axis):
    return None


constant(counted, cell_numbers, found_at, latest_at, spans, zeros_at, exponent)
