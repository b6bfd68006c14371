"""Functions that make arrays: constant, or linear in what they fill them with."""

import numpy as np

from ..runtime.arrays import cast, sum_to, sum_to_stored
from .frames import constant, general, linear

constant(
    np.zeros, np.ones, np.empty, np.zeros_like, np.ones_like, np.empty_like, np.eye, np.identity, np.tri,
)


@linear(np.full)
def full(g, z, shape, fill_value, dtype=None):
    return None, sum_to_stored(cast(g, z.dtype, z.dtype), np.shape(fill_value))


@full.pushforward
def full_forward(z, dfill_value, shape, fill_value, dtype=None):
    return np.full(np.shape(z), cast(dfill_value, z.dtype, z.dtype))


@linear(np.full_like)
def full_like(g, z, a, fill_value, dtype=None):
    return None, sum_to_stored(cast(g, z.dtype, z.dtype), np.shape(fill_value))


@full_like.pushforward
def full_like_forward(z, dfill_value, a, fill_value, dtype=None):
    return np.full(np.shape(z), cast(dfill_value, z.dtype, z.dtype))


@linear(np.linspace)
def linspace(g, z, start, stop, num=50, endpoint=True):
    t = np.linspace(0, 1, num, endpoint, dtype=z.dtype)
    return sum_to(np.tensordot(1 - t, g, 1), np.shape(start)), sum_to(np.tensordot(t, g, 1), np.shape(stop))


@general(np.logspace)
def logspace(g, z, start, stop, num=50, endpoint=True):
    t = np.linspace(0, 1, num, endpoint, dtype=z.dtype)
    slope = 2.302585092994046 * g * z
    return sum_to(np.tensordot(1 - t, slope, 1), np.shape(start)), sum_to(np.tensordot(t, slope, 1), np.shape(stop))


@logspace.pushforward
def logspace_forward(z, dstart, dstop, start, stop, num=50, endpoint=True):
    return 2.302585092994046 * z * (
        np.linspace(dstart, np.zeros_like(stop), num, endpoint) + np.linspace(np.zeros_like(start), dstop, num, endpoint)
    )


@general(np.geomspace)
def geomspace(g, z, start, stop, num=50, endpoint=True):
    t = np.linspace(0, 1, num, endpoint, dtype=z.dtype)
    start_bar = np.tensordot(1 - t, g * z, 1) / start
    return sum_to(start_bar, np.shape(start)), sum_to(np.tensordot(t, g * z, 1) / stop, np.shape(stop))


@geomspace.pushforward
def geomspace_forward(z, dstart, dstop, start, stop, num=50, endpoint=True):
    one = dstart / start
    other = dstop / stop
    return z * (np.linspace(one, np.zeros_like(stop), num, endpoint) + np.linspace(np.zeros_like(start), other, num, endpoint))


@linear(np.arange, holomorphic=False)
def arange(g, z, start, stop=None, step=1):
    # arange(n) counts up to its argument: its entries do not depend on it, nor do they on where the counting stops
    counting = np.arange(np.size(z), dtype=z.dtype)
    return 0 if stop is None else np.sum(g), None, np.sum(g * counting)


@arange.pushforward
def arange_forward(z, dstart, dstep, start, stop=None, step=1):
    counting = np.arange(np.size(z), dtype=z.dtype)
    return (0 if stop is None else dstart) + dstep * counting
