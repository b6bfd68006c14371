"""Functions through points: interpolation, the area under them, polynomials."""

import numpy as np

from ..arrays import fitted, scatter, sum_to, undiff
from .frames import general


@general(np.interp, only={"left": (None,), "right": (None,), "period": (None,)})
def interp(g, z, x, xp, fp, left=None, right=None, period=None):
    i = np.clip(np.searchsorted(xp, x, "right") - 1, 0, np.size(xp) - 2)
    inside = (x >= xp[0]) & (x <= xp[-1])
    t = np.clip((x - xp[i]) / (xp[i + 1] - xp[i]), 0, 1)
    slope = np.where(inside, (fp[i + 1] - fp[i]) / (xp[i + 1] - xp[i]), 0)
    n = np.shape(xp)
    xp_bar = -(scatter(g * slope * (1 - t), n, i) + scatter(g * slope * t, n, i + 1))
    return g * slope, xp_bar, scatter(g * (1 - t), n, i) + scatter(g * t, n, i + 1)


@interp.pushforward
def interp_forward(z, dx, dxp, dfp, x, xp, fp, left=None, right=None, period=None):
    i = np.clip(np.searchsorted(xp, x, "right") - 1, 0, np.size(xp) - 2)
    inside = (x >= xp[0]) & (x <= xp[-1])
    t = np.clip((x - xp[i]) / (xp[i + 1] - xp[i]), 0, 1)
    slope = np.where(inside, (fp[i + 1] - fp[i]) / (xp[i + 1] - xp[i]), 0)
    return slope * (dx - (1 - t) * dxp[i] - t * dxp[i + 1]) + (1 - t) * dfp[i] + t * dfp[i + 1]


@general(np.trapezoid, holomorphic=True)
def trapezoid(g, z, y, x=None, dx=1.0, axis=-1):
    k = axis if axis < 0 else axis - np.ndim(y)
    points = x if axis == -1 or np.ndim(x) < 2 else np.moveaxis(x, axis, -1)
    half = 0.5 * np.expand_dims(g, -1)
    area = half * np.ones(np.shape(y)[axis] - 1, dtype=z.dtype) * (dx if x is None else np.diff(points))
    shape = np.shape(area)[:-1] + (np.shape(y)[axis],)
    moved = fitted(area, shape) + np.flip(fitted(np.flip(area, -1), shape), -1)
    rows = y if axis == -1 else np.moveaxis(y, axis, -1)
    points_bar = sum_to(undiff(half * (rows[..., 1:] + rows[..., :-1])), np.shape(points))
    x_bar = points_bar if axis == -1 or np.ndim(x) < 2 else np.moveaxis(points_bar, -1, axis)
    return sum_to(moved if axis == -1 else np.moveaxis(moved, -1, k), np.shape(y)), x_bar


@trapezoid.pushforward
def trapezoid_forward(z, dy, dx_, y, x=None, dx=1.0, axis=-1):
    return np.trapezoid(dy, x, dx, axis) + (0 if x is None else np.trapezoid(y, dx_, axis=axis))


@general(np.vander, only={"increasing": (False,)}, holomorphic=True)
def vander(g, z, x, N=None, increasing=False):
    powers = np.arange(np.shape(z)[1] - 1, 0, -1)
    return np.sum(g[:, :-1] * powers * z[:, 1:], axis=1)


@vander.pushforward
def vander_forward(z, dx, x, N=None, increasing=False):
    powers = np.arange(np.shape(z)[1] - 1, -1, -1)
    return powers * np.roll(z, -1, 1) * np.expand_dims(dx, -1)


@general(np.polyval, holomorphic=True)
def polyval(g, z, p, x):
    powers = np.arange(np.shape(p)[0] - 1, -1, -1)
    columns = np.expand_dims(x, -1)
    p_bar = sum_to(np.expand_dims(g, -1) * columns ** powers, np.shape(p)[1:] + np.shape(p)[:1])
    slope = np.sum(powers[:-1] * np.moveaxis(p, 0, -1)[..., :-1] * columns ** powers[1:], -1)
    return np.moveaxis(p_bar, -1, 0), sum_to(g * slope, np.shape(x))


@polyval.pushforward
def polyval_forward(z, dp, dx, p, x):
    powers = np.arange(np.shape(p)[0] - 1, -1, -1)
    slope = np.sum(powers[:-1] * np.moveaxis(p, 0, -1)[..., :-1] * np.expand_dims(x, -1) ** powers[1:], -1)
    return np.polyval(dp, x) + dx * slope
