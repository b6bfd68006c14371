"""Functions through points: interpolation, slopes, the area under them, polynomials."""

import numpy as np

from ..runtime.arrays import axis_last, fitted, inexact, is_first, of_full_rank, only_axis, roots_of, scatter, sum_to, undiff
from .frames import general


@general(np.interp, holomorphic=True, only={"period": (None,)})
def interp(g, z, x, xp, fp, left=None, right=None, period=None):
    points = inexact(xp)
    values = inexact(fp)
    i = np.clip(np.searchsorted(xp, x, "right") - 1, 0, np.size(xp) - 2)
    inside = (x >= xp[0]) & (x <= xp[-1])
    t = np.clip((x - points[i]) / (points[i + 1] - points[i]), 0, 1)
    slope = np.where(inside, (values[i + 1] - values[i]) / (points[i + 1] - points[i]), 0)
    n = np.shape(xp)
    xp_bar = -(scatter(g * slope * (1 - t), n, i) + scatter(g * slope * t, n, i + 1))
    of_right = g if left is None else np.where(x < xp[0], 0, g)
    of_points = of_right if right is None else np.where(x > xp[-1], 0, of_right)
    fp_bar = scatter(of_points * (1 - t), n, i) + scatter(of_points * t, n, i + 1)
    return g * slope, xp_bar, fp_bar, np.sum(np.where(x < xp[0], g, 0)), np.sum(np.where(x > xp[-1], g, 0))


@interp.pushforward
def interp_forward(z, dx, dxp, dfp, dleft, dright, x, xp, fp, left=None, right=None, period=None):
    points = inexact(xp)
    values = inexact(fp)
    i = np.clip(np.searchsorted(xp, x, "right") - 1, 0, np.size(xp) - 2)
    inside = (x >= xp[0]) & (x <= xp[-1])
    t = np.clip((x - points[i]) / (points[i + 1] - points[i]), 0, 1)
    slope = np.where(inside, (values[i + 1] - values[i]) / (points[i + 1] - points[i]), 0)
    below = 0 if left is None else (x < xp[0]) * 1
    above = 0 if right is None else (x > xp[-1]) * 1
    moved = (1 - t) * dfp[i] + t * dfp[i + 1]
    return slope * (dx - (1 - t) * dxp[i] - t * dxp[i + 1]) + moved * (1 - below - above) + dleft * below + dright * above


@general(np.gradient, holomorphic=True)
def gradient(g, z, f, spacing=1, *, axis=None, edge_order=1):
    # by way of the slopes d between neighbours, h apart: inside, z is the mean of two, each weighted by the step of the other one;
    # at an end it is the last slope, or for edge_order=2 twice that less the next z
    k = only_axis(np.ndim(f), axis)
    h = np.diff(inexact(spacing)) if np.ndim(spacing) else spacing * np.ones(np.shape(f)[k] - 1, z.dtype)
    rows = np.moveaxis(g, k, -1)
    first = is_first(np.shape(rows[..., 1:-1]), -1)
    again = 0 if edge_order == 1 else np.where(first, rows[..., :1], 0) + np.where(np.flip(first, -1), rows[..., -1:], 0)
    share = (rows[..., 1:-1] - again) / (h[1:] + h[:-1])
    between = np.shape(rows[..., 1:])
    end = is_first(between, -1)
    ends = np.where(end, rows[..., :1], 0) + np.where(np.flip(end, -1), rows[..., -1:], 0)
    d_bar = np.roll(fitted(share * h[:-1], between), 1, -1) + fitted(share * h[1:], between) + edge_order * ends
    d = np.diff(np.moveaxis(inexact(f), k, -1)) / h
    inside = np.moveaxis(z, k, -1)[..., 1:-1]
    weights_bar = fitted(share * (d[..., 1:] - inside), between) + np.roll(fitted(share * (d[..., :-1] - inside), between), 1, -1)
    h_bar = weights_bar - d_bar * d / h
    spacing_bar = undiff(sum_to(h_bar, np.shape(h))) if np.ndim(spacing) else np.sum(h_bar)
    return np.moveaxis(undiff(d_bar / h), -1, k), spacing_bar


@gradient.pushforward
def gradient_forward(z, df, dspacing, f, spacing=1, *, axis=None, edge_order=1):
    k = only_axis(np.ndim(f), axis)
    h = np.diff(inexact(spacing)) if np.ndim(spacing) else spacing * np.ones(np.shape(f)[k] - 1, z.dtype)
    d = np.diff(np.moveaxis(inexact(f), k, -1)) / h
    inside = np.moveaxis(z, k, -1)[..., 1:-1]
    dh = np.diff(dspacing) if np.ndim(spacing) else np.full(np.shape(f)[k] - 1, dspacing, z.dtype)
    dd = -d * dh / h
    weighted = dd[..., 1:] * h[:-1] + dd[..., :-1] * h[1:] + dh[:-1] * (d[..., 1:] - inside) + dh[1:] * (d[..., :-1] - inside)
    middle = np.roll(fitted(weighted / (h[1:] + h[:-1]), np.shape(np.moveaxis(z, k, -1))), 1, -1)
    first = is_first(np.shape(middle), -1)
    start = edge_order * dd[..., :1] - (edge_order - 1) * middle[..., 1:2]
    stop = edge_order * dd[..., -1:] - (edge_order - 1) * middle[..., -2:-1]
    moved = middle + np.where(first, start, 0) + np.where(np.flip(first, -1), stop, 0)
    return np.gradient(df, spacing, axis=axis, edge_order=edge_order) + np.moveaxis(moved, -1, k)


@general(np.trapezoid, holomorphic=True)
def trapezoid(g, z, y, x=None, *, axis=-1):
    k = axis if axis < 0 else axis - np.ndim(y)
    points = x if axis == -1 or np.ndim(x) < 2 else axis_last(x, np.ndim(y), axis, True)
    steps = np.diff(points) if x is not None else 1.0
    half = 0.5 * np.expand_dims(g, -1)
    area = half * np.ones(np.shape(y)[axis], dtype=z.dtype)[1:] * steps
    shape = np.shape(area)[:-1] + (np.shape(y)[axis],)
    moved = fitted(area, shape) + np.flip(fitted(np.flip(area, -1), shape), -1)
    rows = y if axis == -1 else np.moveaxis(y, axis, -1)
    points_bar = sum_to(undiff(half * (rows[..., 1:] + rows[..., :-1]), 1, -1, shape), np.shape(points))
    x_bar = points_bar if axis == -1 or np.ndim(x) < 2 else np.reshape(np.moveaxis(points_bar, -1, axis), np.shape(x))
    return sum_to(moved if axis == -1 else np.moveaxis(moved, -1, k), np.shape(y)), x_bar


@trapezoid.pushforward
def trapezoid_forward(z, dy, dx, y, x=None, *, axis=-1):
    return np.trapezoid(dy, x, axis=axis) + (0 if x is None else np.trapezoid(y, dx, axis=axis))


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
    columns = inexact(np.expand_dims(x, -1))
    p_bar = sum_to(np.expand_dims(g, -1) * columns ** powers, np.shape(p)[1:] + np.shape(p)[:1])
    slope = np.sum(powers[:-1] * np.moveaxis(inexact(p), 0, -1)[..., :-1] * columns ** powers[1:], -1)
    return np.moveaxis(p_bar, -1, 0), sum_to(g * slope, np.shape(x))


@polyval.pushforward
def polyval_forward(z, dp, dx, p, x):
    powers = np.arange(np.shape(p)[0] - 1, -1, -1)
    slope = np.sum(powers[:-1] * np.moveaxis(inexact(p), 0, -1)[..., :-1] * inexact(np.expand_dims(x, -1)) ** powers[1:], -1)
    return np.polyval(dp, x) + dx * slope


@general(np.polyfit, only={"rcond": (None,), "full": (False,), "cov": (False,)}, refuses=("w",))
def polyfit(g, z, x, y, deg, rcond=None, full=False, w=None, cov=False):
    # least squares with the powers of x as columns, each row weighted: the coefficients are pinv(a) @ b, as in np.linalg.lstsq
    weights = np.ones((np.shape(x)[0], 1), z.dtype) if w is None else np.expand_dims(w, -1)
    powers = np.vander(inexact(x), np.shape(z)[0])
    scale = np.sqrt(np.sum((weights * powers) ** 2, axis=0))
    qr = np.linalg.qr(of_full_rank(weights * powers / scale))
    p = np.linalg.solve(qr[1], qr[0].T) / np.expand_dims(scale, -1)
    c = np.reshape(z, (np.shape(powers)[1], -1))
    c_bar = np.reshape(g, np.shape(c))
    left = weights * (np.reshape(y, (np.shape(x)[0], -1)) - powers @ c)
    y_bar = weights * (p.T @ c_bar)
    powers_bar = weights * (left @ (c_bar.T @ p @ p.T)) - y_bar @ c.T
    x_bar = np.sum(powers_bar[:, :-1] * np.arange(np.shape(z)[0] - 1, 0, -1) * powers[:, 1:], axis=1)
    return x_bar, np.reshape(y_bar, np.shape(y))


@polyfit.pushforward
def polyfit_forward(z, dx, dy, x, y, deg, rcond=None, full=False, w=None, cov=False):
    weights = np.ones((np.shape(x)[0], 1), z.dtype) if w is None else np.expand_dims(w, -1)
    powers = np.vander(inexact(x), np.shape(z)[0])
    scale = np.sqrt(np.sum((weights * powers) ** 2, axis=0))
    qr = np.linalg.qr(of_full_rank(weights * powers / scale))
    p = np.linalg.solve(qr[1], qr[0].T) / np.expand_dims(scale, -1)
    c = np.reshape(z, (np.shape(powers)[1], -1))
    left = weights * (np.reshape(y, (np.shape(x)[0], -1)) - powers @ c)
    dpowers = np.arange(np.shape(z)[0] - 1, -1, -1) * np.roll(powers, -1, 1) * np.expand_dims(dx, -1)
    dleft = weights * (np.reshape(dy, np.shape(left)) - dpowers @ c)
    return np.reshape(p @ dleft + p @ p.T @ (np.transpose(weights * dpowers) @ left), np.shape(z))


@general(roots_of, holomorphic=True)
def roots(g, z, p, kind):
    # of simple roots: where a root is multiple, the derivative is infinite
    columns = np.expand_dims(z, -1)
    powers = np.arange(np.size(p) - 1, -1, -1)
    slope = np.sum(powers[:-1] * p[:-1] * columns ** powers[1:], axis=-1)
    return -np.sum(np.expand_dims(g / slope, -1) * columns**powers, axis=0)


@roots.pushforward
def roots_forward(z, dp, p, kind):
    columns = np.expand_dims(z, -1)
    powers = np.arange(np.size(p) - 1, -1, -1)
    slope = np.sum(powers[:-1] * p[:-1] * columns ** powers[1:], axis=-1)
    return -np.sum(columns**powers * dp, axis=-1) / slope
