"""Sorting, statistics, interpolation, signals: what scientists call beside the arithmetic."""

import numpy as np

from .case import array, case, positive


def weighted_order(x, w):
    return np.sum(np.sort(x) * w) + np.sum(np.sort(np.sin(x))[::-1][:2] ** 2)


case(weighted_order, array("n"), array("n"))


def spread_of_a_sample(x):
    return np.median(x) ** 2 + np.quantile(x, 0.3) * np.percentile(x, 80) + np.ptp(x)


case(spread_of_a_sample, array("n"), float32=True)


def medians_of_columns(a):
    return np.sum(np.median(a, axis=0) ** 2) + np.sum(np.median(a * a, axis=1, keepdims=True) * a)


case(medians_of_columns, array("n m"))


def smallest_two(x):
    return np.sum(np.partition(x, 1)[:2] ** 2)


case(smallest_two, array("n"))


def compound_growth(r):
    wealth = np.cumprod(1 + 0.1 * r)
    return np.sum(np.log(wealth)) + wealth[-1] ** 2


case(compound_growth, positive("n"), float32=True)


def halves_of_a_vector(x):
    a, b = np.split(x, 2)
    return np.sum(a * b) + np.sum(np.array_split(x, 4)[0] ** 3)


case(halves_of_a_vector, array("6"))


def smoothed(x, kernel):
    y = np.convolve(np.pad(x, 2, mode="edge"), kernel, mode="valid")
    return np.sum((x - y[:x.shape[0]]) ** 2)


case(smoothed, array("n"), array("3"))


def looked_up(x, values):
    points = np.array([-1.5, -0.5, 0.6, 1.7])
    return np.sum(np.interp(x, points, values) ** 2)


case(looked_up, array("n"), array("4"))


def area_under_a_polynomial(p, x):
    return np.trapezoid(np.polyval(p, x), dx=0.1) + np.trapezoid(x ** 2, np.cumsum(x ** 2))


case(area_under_a_polynomial, array("4"), array("n"))


def with_gaps(x):
    y = np.where(x > 0.5, np.nan, x)
    return np.nansum(y ** 2) + np.nanmean(y ** 3)


case(with_gaps, array("n"))


def torque(r, f):
    return np.sum(np.cross(r, f) ** 2) + np.vecdot(r, f) @ np.ones(4)


case(torque, array("4 3"), array("3"))


def appended_and_deleted(x):
    y = np.append(x, x[:1] ** 2)
    return np.sum(np.delete(y, 1) ** 2) + np.sum(np.diff(y) ** 2) + np.sum(np.ediff1d(y) ** 3)


case(appended_and_deleted, array("n"))


def band_limited(x):
    return np.sum(np.sinc(x) * np.arange(x.shape[0])) + np.sum(np.kron(x, np.array([1.0, -2.0])) ** 2)


case(band_limited, array("n"))
