"""Interpolation, integration and numbers spread over an interval."""

import numpy as np

from ..library_functions import composite


@composite(np.interp)
def interp(x, xp, fp, left=None, right=None, period=None):
    points = np.remainder(xp, np.abs(period))
    order = np.argsort(points)
    around = np.concatenate((points[order][-1:] - np.abs(period), points[order], points[order][:1] + np.abs(period)))
    values = np.ravel(fp)[order]
    return np.interp(np.remainder(x, np.abs(period)), around, np.concatenate((values[-1:], values, values[:1])))


@composite(np.linspace)
def linspace(start, stop, num=50, endpoint=True, retstep=True):
    return np.linspace(start, stop, num, endpoint), (stop - start) / (num - 1 if endpoint else num)


@composite(np.vander)
def vander(x, N=None, increasing=True):
    return np.fliplr(np.vander(x, N))


@composite(np.logspace)
def logspace(start, stop, num=50, endpoint=True, base=10.0):
    return np.power(base, np.linspace(start, stop, num, endpoint))


@composite(np.trapezoid)
def trapezoid(y, x=None, dx=1.0, axis=-1):
    if x is not None:
        return np.trapezoid(y, x, axis=axis)
    rows = np.moveaxis(y, axis, -1)
    return np.sum(dx * np.moveaxis(rows[..., 1:] + rows[..., :-1], -1, axis) / 2, axis)
