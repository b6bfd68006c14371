"""SciPy's distributions and statistics: values everywhere, what distributions make when they are called, and what is refused."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import sourcediff
from sourcediff.rules.library_functions import COMPOSITES
from sourcediff.runtime import beta_slope, gamma_slope
from tests.eager.numbers import differences
from tests.sampling import sampled

scipy = pytest.importorskip("scipy", reason="SciPy is not installed")
stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")
samples = pytest.importorskip("tests.rules.scipy.stats", reason="SciPy is not installed")

OLD = tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 16)
PLACES = np.array([-3.2, -1.0, -0.2, 0.0, 0.3, 0.5, 0.9, 1.0, 1.7, 2.0, 3.0, 3.3, 7.0, np.nan])
PROBABILITIES = np.array([-0.1, 0.0, 0.01, 0.2, 0.5, 0.77, 0.999, 1.0, 1.1, np.nan])
MODES = pytest.mark.parametrize("mode", ["compiled", "eager"])
X = np.array([0.3, 1.2, 0.8])
Y = np.array([0.1, 0.5, 0.9])


@pytest.mark.parametrize("name", sorted({method.__self__.name for method in samples.DISTRIBUTIONS}))
def test_values_are_the_librarys_everywhere(name):
    """Outside of the support, at its ends, and with parameters that no distribution has."""
    if name in ("t", "poisson") and OLD:
        pytest.skip("SciPy before 1.16 has other values where a probability is 1 or nan")
    for method in (method for method in samples.DISTRIBUTIONS if method.__self__.name == name):
        infinite = [np.inf, -np.inf] if hasattr(method.__self__, "pdf") and name != "f" else []  # of which SciPy's own are nan
        first = {"ppf": [PROBABILITIES], "isf": [PROBABILITIES]}.get(method.__name__, [np.append(PLACES, infinite)])
        first = [] if method.__name__ in ("mean", "var", "std", "entropy", "median") else first
        for shapes in [samples.SHAPES.get(name, ()), *samples.OTHERS.get(name, [])]:
            for others in ((), (0.5, 1.7), (0.5, -1.0), (0.5, 0.0)) if hasattr(method.__self__, "pdf") else ((), (1,)):
                with np.errstate(all="ignore"), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    found, wanted = (of(*first, *shapes, *others) for of in (COMPOSITES[method], method))
                np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-13, err_msg=f"{method.__name__}{(*first, *shapes, *others)}")


def of_what_is_differentiated(m, s):
    known = stats.norm(m, scale=s)
    return np.sum(known.logpdf(X)) + known.mean() * known.ppf(0.3) + stats.gamma(s).logpdf(0.4)


def made_of_constants(x, y):
    known = stats.norm(0.3, 2.0)
    return np.sum(known.logpdf(x)) + stats.beta(2, 3).cdf(y) + np.sum(known.rvs(size=3, random_state=1)) * y


def of_lists(m, s):
    return np.sum(stats.norm.logpdf([1.0, 2.0], m, s)) + np.sum(stats.poisson.logpmf([1, 2, 0], s))


def outside(x, s):
    return np.sum(stats.expon.pdf(x - 0.5, scale=s) + stats.beta.cdf(x, 1.4, 2.2)) + np.sum(stats.gamma.pdf(x - 0.9, 2.3, scale=s))


def taken_apart(x, y):
    slope, intercept, *_ = stats.linregress(x, y)
    r, p = stats.pearsonr(x, y)
    return slope * intercept + r * p + stats.pearsonr(x, y)[0] + stats.ttest_ind(x, y).statistic


def kernel_density(x, y):
    plane = stats.gaussian_kde(np.stack((x, y**2)))
    return np.sum(stats.gaussian_kde(x).logpdf(y)) + stats.gaussian_kde(x, 0.4)(y)[0] + plane([0.5, 0.3])[0]


@MODES
@pytest.mark.parametrize("function, given", [
    (of_what_is_differentiated, (0.4, 1.3)), (made_of_constants, (X, 0.4)), (of_lists, (0.4, 1.3)), (outside, (X, 1.3)),
    (taken_apart, (X, Y)), (kernel_density, (X, Y)),
])
def test_slopes(function, given, mode):
    found = sourcediff.grad(function, wrt=(0, 1), mode=mode)(*given)
    for k in range(2):
        (slopes,) = differences(lambda moved, k=k: function(*given[:k], moved, *given[k + 1:]), given[k])
        np.testing.assert_allclose(found[k], slopes, rtol=1e-5, atol=1e-8)


NOISE, WAITING = stats.norm(0.3, 2.0), stats.gamma(2.0, scale=1.5)
PRIORS = {"rate": stats.lognorm(s=0.5), "mean": NOISE}
logpdf = stats.norm.logpdf


class Posterior:
    def __init__(self, prior):
        self.prior = prior

    def at(self, x):
        return np.sum(self.prior.logpdf(x)) + np.sum(PRIORS["rate"].logcdf(x))


def frozen(x, y):
    return np.sum(NOISE.logpdf(x) * WAITING.sf(y)) + WAITING.ppf(0.3 * y) * NOISE.mean() + stats.poisson(3.0).logpmf(2) * y


def held(x, y):
    return Posterior(NOISE).at(x * y)


def given(x, y, prior=WAITING):
    return np.sum(prior.cdf(x) ** 2) * y


def under_another_name(x, y):
    log_survival = stats.norm.logsf
    return np.sum(logpdf(x, 0.2, y)) + np.sum(log_survival(x * y))


def as_an_argument(x, y, density=stats.norm.pdf):
    return np.sum(density(x, scale=y) ** 2)


@MODES
@pytest.mark.parametrize("function", [frozen, held, given, under_another_name, as_an_argument], ids=lambda f: f.__name__)
def test_distributions_from_outside(function, mode):
    test_slopes(function, (np.abs(X) + 0.1, 0.7), mode)


def test_another_distribution_is_another_gradient():
    slope = sourcediff.grad(given, mode="compiled")
    for prior in (stats.norm(0.5, 2.0), stats.norm(0.9, 1.0), stats.expon(scale=0.5)):
        np.testing.assert_allclose(slope(X, 1.0, prior), 2 * prior.cdf(X) * prior.pdf(X))


@pytest.mark.parametrize("method", ["pdf", "logpdf", "cdf"])
def test_methods_of_distributions_themselves(method):
    slope = sourcediff.grad(getattr(stats.norm, method), mode="compiled")
    np.testing.assert_allclose(slope(0.4), *differences(getattr(stats.norm, method), np.array(0.4)), rtol=1e-6)


FLAT = np.diag([1.0, 0.0, 2.0])
density = stats.beta.pdf


def called_by_another_name(x, a):
    return np.sum(density(x / 2, a, 2.2))


def of_a_distribution_that_is_given(x, a, function=stats.gamma.logpdf):
    return np.sum(function(x, a))


def on_a_plane(x, m):
    whole = stats.multivariate_normal(cov=FLAT, allow_singular=True).pdf(x * np.array([1.0, 0.0, 1.0]))
    return whole + stats.multivariate_normal.logpdf(np.array([0.1, 0.4, 0.8]), np.array([m, 0.4, m**2]), FLAT, allow_singular=True)


@MODES
@pytest.mark.parametrize("function", [called_by_another_name, of_a_distribution_that_is_given, on_a_plane])
def test_more_slopes(function, mode):
    found = sourcediff.grad(function, wrt=(0, 1), mode=mode)(X, 1.3)
    for k, moved in enumerate((lambda x: function(x, 1.3), lambda a: function(X, a))):
        np.testing.assert_allclose(found[k], differences(moved, (X, 1.3)[k])[0], rtol=1e-5, atol=1e-8)


def test_off_the_plane_there_is_no_density():
    found, slope = sourcediff.value_and_grad(lambda x: stats.multivariate_normal.logpdf(x, cov=FLAT, allow_singular=True))(X)
    assert found == -np.inf and not slope.any()


@MODES
@pytest.mark.parametrize("function", [
    lambda a: stats.vonmises(a).cdf(0.3), lambda a: stats.norm(a).interval(0.5)[0],
])
def test_what_has_no_derivative_is_refused_by_name(function, mode):
    with pytest.raises(sourcediff.MissingRuleError, match=r"vonmises|interval|rv_continuous"):
        sourcediff.grad(function, mode=mode)(1.4)


SHAPES = {  # of functions of a shape, to second order
    "tail": lambda a: np.sum(stats.gamma.logsf(4 * X, a) + stats.t.logsf(3 * X, a) + stats.beta.logcdf(Y / 50, a, 2 * a)),
    "quantiles": lambda a: np.sum(stats.gamma.ppf(Y, a, scale=1 / a) ** 2 + stats.t.ppf(Y, a) * stats.beta.ppf(Y, 2 * a, a)),
    "chi2": lambda a: np.sum(stats.chi2.isf(Y, a) * stats.chi2.cdf(X, a)),
    "counts": lambda a: stats.nbinom.cdf(3, a, 0.4) + stats.invgamma.sf(0.7, a) + stats.f.cdf(1.3, a, 2 * a),
}


@MODES
@sampled(2, "name", SHAPES)
def test_shapes_of_distribution_functions(name, mode):
    f = SHAPES[name]
    np.testing.assert_allclose(sourcediff.grad(f, mode=mode)(1.7), *differences(f, np.array(1.7)), rtol=1e-7)
    slope = sourcediff.grad(f, mode=mode)
    np.testing.assert_allclose(sourcediff.hessian(f, mode=mode)(1.7), *differences(slope, np.array(1.7)), rtol=1e-6)


FAR_OUT = [  # beside derivatives computed with 40 digits by mpmath 1.3
    (lambda gamma, beta: gamma(0.1, 1e-08), -2.99817964959652),
    (lambda gamma, beta: gamma(0.01, 1.5), -0.102690053003786),
    (lambda gamma, beta: gamma(2.5, 60.0), -1.06962345905105e-23),
    (lambda gamma, beta: gamma(100.0, 30.0), -8.90217711113139e-24),
    (lambda gamma, beta: gamma(1000.0, 1100.0), -0.000110489877840794),
    (lambda gamma, beta: beta(0.05, 3.0, 1e-06), -6.67528465906337),
    (lambda gamma, beta: beta(0.05, 3.0, 1e-06, 0, 1), 0.0105488055637515),
    (lambda gamma, beta: beta(40.0, 500.0, 0.2), -1.15447098888125e-16),
    (lambda gamma, beta: beta(40.0, 500.0, 0.2, 0, 1), 1.69250308139832e-17),
    (lambda gamma, beta: beta(3.0, 0.7, 0.9999, 0, 1), 0.0300120612079662),
]


@pytest.mark.parametrize("slope, exact", FAR_OUT)
def test_slopes_in_shapes_far_out(slope, exact):
    np.testing.assert_allclose(slope(gamma_slope, beta_slope), exact, rtol=1e-10)


def test_a_fourth_derivative_in_a_shape_is_refused():
    with pytest.raises(sourcediff.MissingRuleError, match="not 4 times"):
        sourcediff.grad(sourcediff.grad(sourcediff.grad(sourcediff.grad(lambda a: stats.beta.cdf(0.3, a, 2.0)))))(1.4)
