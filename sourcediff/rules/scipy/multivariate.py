"""Distributions of vectors and matrices."""

import numpy as np
from scipy import special, stats

from ..library_functions import composite


def covariance_matrix(cov, d):
    """A matrix, of which a number or the diagonal may have been given."""
    return cov if np.ndim(cov) == 2 else cov * np.eye(d)


def places(x, mean, d):
    """How far places are from the mean, the components last."""
    away = np.expand_dims(x, -1) if d == 1 and np.ndim(x) < 2 else x
    return away if mean is None else away - mean


def dimension(mean, cov):
    """How many components there are."""
    return np.shape(cov)[0] if np.ndim(cov) > 1 else 1 if mean is None else np.size(mean)


def log_volume(cholesky):
    """Half the logarithm of the determinant of a matrix."""
    return np.sum(np.log(np.diagonal(cholesky)))


def degenerate_normal_logpdf(away, cov):
    """The logarithm of a density along the directions in which there is any variance, as SciPy tells them; of constant rank."""
    w, v = np.linalg.eigh(cov)
    least = 2.220446049250313e-10 * np.max(np.abs(w))
    white = away @ v[:, w > least] / np.sqrt(w[w > least])
    off = np.squeeze(np.sum((away @ v[:, w <= least])**2, axis=-1) >= (1e3 * least)**2)
    found = np.squeeze(np.sum(white**2, axis=-1)) + np.sum(np.log(2 * np.pi * w[w > least]))
    return np.where(off, -np.inf, -0.5 * found)[()]


@composite(stats.multivariate_normal.logpdf)
def multivariate_normal_logpdf(x, mean=None, cov=1, allow_singular=False):
    d = dimension(mean, cov)
    if allow_singular:
        return degenerate_normal_logpdf(places(x, mean, d), covariance_matrix(cov, d))
    cholesky = np.linalg.cholesky(covariance_matrix(cov, d))
    white = places(x, mean, d) @ np.linalg.inv(cholesky).T
    square = np.squeeze(np.sum(white**2, axis=-1))  # one place gives a number, however it is given
    return -0.5 * square[()] - log_volume(cholesky) - 0.5 * d * np.log(2 * np.pi)


@composite(stats.multivariate_normal.pdf)
def multivariate_normal_pdf(x, mean=None, cov=1, allow_singular=False):
    return np.exp(multivariate_normal_logpdf(x, mean, cov, allow_singular))


@composite(stats.multivariate_normal.entropy)
def multivariate_normal_entropy(mean=None, cov=1):
    d = dimension(mean, cov)
    return 0.5 * d * (1 + np.log(2 * np.pi)) + log_volume(np.linalg.cholesky(covariance_matrix(cov, d)))


@composite(stats.multivariate_normal)
class MultivariateNormal:
    def __init__(self, mean=None, cov=1, allow_singular=False):
        self.mean = mean
        self.cov = cov
        self.allow_singular = allow_singular

    def logpdf(self, x):
        return multivariate_normal_logpdf(x, self.mean, self.cov, self.allow_singular)

    def pdf(self, x):
        return np.exp(multivariate_normal_logpdf(x, self.mean, self.cov, self.allow_singular))

    def entropy(self):
        return multivariate_normal_entropy(self.mean, self.cov)


@composite(stats.multivariate_t.logpdf)
def multivariate_t_logpdf(x, loc=None, shape=1, df=1):
    d = dimension(loc, shape)
    cholesky = np.linalg.cholesky(covariance_matrix(shape, d))
    white = places(x, loc, d) @ np.linalg.inv(cholesky).T
    height = special.gammaln(0.5 * (df + d)) - special.gammaln(0.5 * df) - 0.5 * d * np.log(df * np.pi)
    square = np.squeeze(np.sum(white**2, axis=-1))
    return height - log_volume(cholesky) - 0.5 * (df + d) * np.log1p(square[()] / df)


@composite(stats.multivariate_t.pdf)
def multivariate_t_pdf(x, loc=None, shape=1, df=1):
    return np.exp(multivariate_t_logpdf(x, loc, shape, df))


@composite(stats.dirichlet.logpdf)
def dirichlet_logpdf(x, alpha):
    whole = x if len(x) == len(alpha) else np.concatenate((x, 1 - np.sum(x, axis=0, keepdims=True)))
    return special.gammaln(np.sum(alpha)) - np.sum(special.gammaln(alpha)) + np.sum(special.xlogy(alpha - 1, np.transpose(whole)), axis=-1)


@composite(stats.dirichlet.pdf)
def dirichlet_pdf(x, alpha):
    return np.exp(dirichlet_logpdf(x, alpha))


@composite(stats.dirichlet.mean)
def dirichlet_mean(alpha):
    return alpha / np.sum(alpha)


def log_gamma(a, d):
    """The logarithm of the gamma function of matrices of d rows."""
    return 0.25 * d * (d - 1) * np.log(np.pi) + np.sum(special.gammaln(a - 0.5 * np.arange(d)))


@composite(stats.wishart.logpdf)
def wishart_logpdf(x, df, scale):
    d, cholesky = len(scale), np.linalg.cholesky(scale)
    inverse = np.linalg.inv(cholesky)
    pull = 0.5 * np.sum((inverse.T @ inverse) * x) + df * log_volume(cholesky)
    return (df - d - 1) * log_volume(np.linalg.cholesky(x)) - pull - 0.5 * df * d * np.log(2.0) - log_gamma(0.5 * df, d)


@composite(stats.invwishart.logpdf)
def invwishart_logpdf(x, df, scale):
    d, left, right = len(scale), np.linalg.cholesky(x), np.linalg.cholesky(scale)
    pull = 0.5 * np.sum(np.linalg.solve(left, right)**2) - df * log_volume(right)
    return -(df + d + 1) * log_volume(left) - pull - 0.5 * df * d * np.log(2.0) - log_gamma(0.5 * df, d)
