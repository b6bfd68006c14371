"""Samples of SciPy's distributions and statistics."""

import numpy as np
from scipy import stats

from sourcediff.rules.library_functions import COMPOSITES as KNOWN
from sourcediff.rules.scipy import loaded

from ..calls import call, positive, x

loaded("stats")

SHAPES = {
    "t": (3.3,), "skewnorm": (1.4,), "vonmises": (2.1,), "loggamma": (1.7,), "gamma": (2.3,), "chi2": (3.4,), "lognorm": (0.7,),
    "weibull_min": (1.6,), "invgamma": (4.3,), "invgauss": (0.9,), "f": (3.2, 6.1), "beta": (1.4, 2.2), "triang": (0.3,),
    "truncnorm": (-1.2, 0.8), "pareto": (3.2,), "loguniform": (0.4, 3.1), "genextreme": (0.3,), "genpareto": (-0.4,),
    "poisson": (2.3,), "bernoulli": (0.3,), "binom": (7, 0.3), "geom": (0.3,), "nbinom": (4, 0.4), "betabinom": (6, 1.3, 2.1),
}
OTHERS = {
    "t": [(1.5,), (0.5,), (-1.0,)], "gamma": [(1.0,), (0.4,), (-0.5,)], "pareto": [(0.5,), (1.5,)], "triang": [(0.0,), (1.0,)],
    "genextreme": [(-0.3,), (0.0,)], "genpareto": [(0.2,), (0.0,)], "truncnorm": [(2.0, 5.0), (-np.inf, 1.0), (1.0, 0.5)],
    "beta": [(1.0, 1.0), (-0.5, 1.0)], "binom": [(4, 0.0), (4, 1.0)], "poisson": [(0.0,)],
    "geom": [(1.0,)], "f": [(3.0, 3.0)], "vonmises": [(0.0,)], "bernoulli": [(0.0,), (1.0,)], "invgamma": [(1.5,)], "nbinom": [(3.0, 1.0)],
}
"""Shapes at which a distribution is another one, or none: what the functions give is the library's, there is no slope to compare."""

POINTS = {"pareto": 2.3, "loguniform": 1.4, "triang": 0.4, "beta": 0.4, "uniform": 0.6, "vonmises": 0.7}


def distribution_sample(method):
    """A call with places, one of them outside of the support (if it has an end), with ``loc`` and ``scale``."""
    owner, name = method.__self__, method.__name__
    shapes, inside = SHAPES.get(owner.name, ()), POINTS.get(owner.name, 0.9)
    first = {"ppf": [np.array([0.2, 0.4, 0.9])], "isf": [np.array([0.2, 0.4, 0.9])]}.get(name, [])
    if not first and name not in ("mean", "var", "std", "entropy", "median"):
        outside = "log" not in name  # where a logarithm is infinite
        first = [np.array([1.1 * inside, 1.5 * inside, *([-3.0, 5.0] if outside else [])])]
        first = [np.array([1, 3, *([-2, 40] if outside else [])])] if hasattr(owner, "pmf") else first
    return call(*first, *shapes, loc=1) if hasattr(owner, "pmf") else call(*first, *shapes, loc=0.1, scale=1.3)


FAMILIES = stats.rv_continuous, stats.rv_discrete
DISTRIBUTIONS = {
    method: [distribution_sample(method)] for method in KNOWN
    if isinstance(getattr(method, "__self__", None), FAMILIES) and method.__name__ != "fit"
}
TRIANGLE = np.tril(0.3 * x(3, 3)) + np.eye(3)
COVARIANCE = TRIANGLE @ TRIANGLE.T
SCATTER = TRIANGLE.T @ TRIANGLE
SHARES = np.array([0.1, 0.2, 0.3, 0.4])
AVERAGED = [call(positive(7)), call(positive(4, 3), axis=1)]
COMPOSITES = {
    **DISTRIBUTIONS,
    stats.norm.logpdf: [call(x(2, 3)), call(x(3), x(2, 1), positive(3)), call(0.3, loc=0.1, scale=1.5)],
    stats.multivariate_normal.logpdf: [call(x(4, 3), x(3), COVARIANCE), call(x(3), cov=2.3), call(x(3), x(3), positive(3)), call(0.3, 0.2),
                                       call(x(1), x(1), positive(1, 1)), call(x(1, 3), x(3))],
    stats.multivariate_normal.pdf: [call(x(3), cov=COVARIANCE), call(x(2, 3), x(3), COVARIANCE, True)],
    stats.multivariate_normal.entropy: [call(x(3), COVARIANCE), call(None, 2.0)],
    stats.multivariate_t.logpdf: [call(x(4, 3), x(3), COVARIANCE, df=3.2), call(x(3), None, COVARIANCE, 2)],
    stats.multivariate_t.pdf: [call(x(3), x(3), COVARIANCE)],
    stats.dirichlet.logpdf: [call(SHARES.tolist(), positive(4)), call(SHARES[:3].tolist(), positive(4))],
    stats.dirichlet.pdf: [call(SHARES.tolist(), positive(4))],
    stats.dirichlet.mean: [call(positive(4))],
    stats.wishart.logpdf: [call(SCATTER, 4.5, COVARIANCE)],
    stats.invwishart.logpdf: [call(SCATTER, 4.5, COVARIANCE)],
    stats.norm.fit: [call(x(5))],
    stats.zscore: [call(x(5)), call(x(4, 3), axis=1, ddof=1), call(x(2, 3), axis=None)],
    stats.sem: [call(x(5)), call(x(4, 3), axis=None, ddof=0)],
    stats.variation: AVERAGED,
    stats.moment: [call(x(5), 3), call(x(4, 3), 2, 1)],
    stats.skew: [call(x(7)), call(x(5, 3), bias=False), call(x(4, 3), None)],
    stats.kurtosis: [call(x(7)), call(x(5, 3), bias=False), call(x(5, 3), 0, False)],
    stats.gmean: [*AVERAGED, call(positive(5), weights=positive(5, seed=1))],
    stats.hmean: [*AVERAGED, call(positive(5), weights=positive(5, seed=1))],
    stats.pmean: [call(positive(7), 2.5), call(positive(4, 3), 1.5, axis=1)],
    stats.iqr: [call(x(7)), call(x(5, 3), axis=0)],
    stats.trim_mean: [call(x(7), 0.2), call(x(3, 5), 0.25, 1), call(x(3, 5), 0.1, None)],
    stats.entropy: [
        call(positive(5)), call(positive(5), positive(5, seed=1)), call(positive(4, 3), base=2),
        call(positive(4, 3), positive(4, 1), None, 1),
    ],
    stats.pearsonr: [call(x(7), x(7, seed=1))],
    stats.linregress: [call(x(7), x(7, seed=1))],
    stats.ttest_1samp: [call(x(7), 0.3)],
    stats.ttest_rel: [call(x(7), x(7, seed=1))],
    stats.ttest_ind: [call(x(7), x(6, seed=1)), call(x(7, 2), x(6, 2, seed=1))],
    stats.boxcox_llf: [call(0.7, positive(7)), call(-0.3, positive(5, 2))],
    stats.wasserstein_distance: [call(x(6), x(7, seed=1))],
}
