"""SciPy's statistics: the distributions, and what is computed of samples."""

from typing import Any, NamedTuple

import numpy as np
from scipy import special, stats

from ..frames import constant
from ..library_functions import composite
from . import continuous, discrete, multivariate  # noqa: F401  (filling the table)

constant(stats.rankdata)


class Result(NamedTuple):
    """What a test gives."""

    statistic: Any
    pvalue: Any


class Line(NamedTuple):
    """What ``linregress`` gives."""

    slope: Any
    intercept: Any
    rvalue: Any
    pvalue: Any
    stderr: Any


@composite(stats.norm.fit)
def norm_fit(data):
    return np.mean(data), np.std(data)


@composite(stats.zscore)
def zscore(a, axis=0, ddof=0):
    return (a - np.mean(a, axis=axis, keepdims=True)) / np.std(a, axis=axis, ddof=ddof, keepdims=True)


@composite(stats.sem)
def sem(a, axis=0, ddof=1):
    spread = np.std(a, axis=axis, ddof=ddof)
    return spread / np.sqrt(np.size(a) / np.size(spread))


@composite(stats.variation)
def variation(a, axis=0, *, ddof=0):
    return np.std(a, axis=axis, ddof=ddof) / np.mean(a, axis=axis)


@composite(stats.moment)
def moment(a, order=1, axis=0):
    return np.mean((a - np.mean(a, axis=axis, keepdims=True)) ** order, axis=axis)


@composite(stats.skew)
def skew(a, axis=0, bias=True):
    away = a - np.mean(a, axis=axis, keepdims=True)
    found = np.mean(away**3, axis=axis) / np.mean(away**2, axis=axis) ** 1.5
    n = np.size(a) / np.size(found)
    return found if bias else found * np.sqrt(n * (n - 1)) / (n - 2)


@composite(stats.kurtosis)
def kurtosis(a, axis=0, fisher=True, bias=True):
    away = a - np.mean(a, axis=axis, keepdims=True)
    found = np.mean(away**4, axis=axis) / np.mean(away**2, axis=axis) ** 2 - 3
    n = np.size(a) / np.size(found)
    excess = found if bias else (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * found + 6)
    return excess if fisher else excess + 3


@composite(stats.gmean)
def gmean(a, axis=0, dtype=None, weights=None):
    return np.exp(np.average(np.log(a), axis=axis, weights=weights))


@composite(stats.hmean)
def hmean(a, axis=0, dtype=None, *, weights=None):
    return 1 / np.average(1 / a, axis=axis, weights=weights)


@composite(stats.pmean)
def pmean(a, p, *, axis=0, dtype=None, weights=None):
    return np.average(a**p, axis=axis, weights=weights) ** (1 / p)


@composite(stats.iqr)
def iqr(x, axis=None):
    return np.percentile(x, 75, axis=axis) - np.percentile(x, 25, axis=axis)


@composite(stats.trim_mean)
def trim_mean(a, proportiontocut, axis=0):
    ordered = np.sort(np.ravel(a) if axis is None else np.moveaxis(a, axis, 0), axis=0)
    cut = int(proportiontocut * len(ordered))
    return np.mean(ordered[cut:len(ordered) - cut], axis=0)


@composite(stats.entropy)
def entropy(pk, qk=None, base=None, axis=0):
    if qk is None:
        found = np.sum(special.entr(pk / np.sum(pk, axis=axis, keepdims=True)), axis=axis)
    else:
        p, q = np.broadcast_arrays(pk, qk)
        p, q = p / np.sum(p, axis=axis, keepdims=True), q / np.sum(q, axis=axis, keepdims=True)
        found = np.sum(special.rel_entr(p, q), axis=axis)
    return found if base is None else found / np.log(base)


@composite(stats.pearsonr)
def pearsonr(x, y):
    x_away, y_away = x - np.mean(x, axis=0), y - np.mean(y, axis=0)
    r = np.sum(x_away * y_away, axis=0) / np.sqrt(np.sum(x_away**2, axis=0) * np.sum(y_away**2, axis=0))
    half = len(x) / 2 - 1
    return Result(r, 2 * special.betainc(half, half, 0.5 - 0.5 * np.abs(r)))


@composite(stats.linregress)
def linregress(x, y):
    x_away, y_away = x - np.mean(x), y - np.mean(y)
    xx, yy, xy, df = np.sum(x_away**2), np.sum(y_away**2), np.sum(x_away * y_away), len(x) - 2
    slope, r = xy / xx, xy / np.sqrt(xx * yy)
    t = r * np.sqrt(df / ((1 - r) * (1 + r)))
    return Line(slope, np.mean(y) - slope * np.mean(x), r, 2 * special.stdtr(df, -np.abs(t)), np.sqrt((1 - r**2) * yy / xx / df))


@composite(stats.ttest_1samp)
def ttest_1samp(a, popmean, axis=0):
    t = (np.mean(a, axis=axis) - popmean) / sem(a, axis)
    return Result(t, 2 * special.stdtr(np.size(a) / np.size(t) - 1, -np.abs(t)))


@composite(stats.ttest_rel)
def ttest_rel(a, b, axis=0):
    return ttest_1samp(a - b, 0, axis)


@composite(stats.ttest_ind)
def ttest_ind(a, b, axis=0):
    gap = np.mean(a, axis=axis) - np.mean(b, axis=axis)
    n, m = np.size(a) / np.size(gap), np.size(b) / np.size(gap)
    pooled = (n * np.var(a, axis=axis) + m * np.var(b, axis=axis)) / (n + m - 2)
    t = gap / np.sqrt(pooled * (1 / n + 1 / m))
    return Result(t, 2 * special.stdtr(n + m - 2, -np.abs(t)))


@composite(stats.boxcox_llf)
def boxcox_llf(lmb, data):
    logs = np.log(data)
    return (lmb - 1) * np.sum(logs, axis=0) - 0.5 * len(data) * np.log(np.var(continuous.inverse_log_power(lmb, logs), axis=0))


@composite(stats.wasserstein_distance)
def wasserstein_distance(u_values, v_values):
    points = np.sort(np.concatenate((u_values, v_values)))
    below = np.searchsorted(np.sort(u_values), points[:-1], "right") / len(u_values)
    return np.sum(np.abs(below - np.searchsorted(np.sort(v_values), points[:-1], "right") / len(v_values)) * np.diff(points))


@composite(stats.gaussian_kde)
class GaussianKde:
    def __init__(self, dataset, bw_method=None):
        self.dataset = np.atleast_2d(dataset)
        self.d, self.n = np.shape(self.dataset)
        self.factor = self.n ** (-1 / (self.d + 4)) if bw_method is None else bw_method
        away = self.dataset - np.mean(self.dataset, axis=1, keepdims=True)
        self.covariance = away @ away.T / (self.n - 1) * self.factor**2

    def logpdf(self, x):
        cholesky = np.linalg.cholesky(self.covariance)
        away = np.reshape(x, (self.d, -1, 1)) - self.dataset[:, None, :]
        white = np.linalg.solve(cholesky, np.reshape(away, (self.d, -1)))
        energy = np.reshape(np.sum(white**2, axis=0), (-1, self.n))
        log_volume = np.sum(np.log(np.diagonal(cholesky))) + 0.5 * self.d * np.log(2 * np.pi) + np.log(self.n)
        return special.logsumexp(-0.5 * energy, axis=1) - log_volume

    def evaluate(self, points):
        return np.exp(self.logpdf(points))

    def pdf(self, x):
        return np.exp(self.logpdf(x))

    def __call__(self, points):
        return np.exp(self.logpdf(points))
