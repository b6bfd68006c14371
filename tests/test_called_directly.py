"""Functions of libraries that have rules, given to the transforms as they are: ``grad(np.sum)``, ``vjp(np.max, x)``."""

import math

import numpy as np
import pytest
from scipy import special, stats

import sourcediff
from sourcediff.errors import SourceUnavailableError

X = np.array([0.3, 1.2, -0.7])
MODES = ("compiled", "auto", "eager")


@pytest.mark.parametrize("mode", MODES)
def test_every_transform_takes_them(mode):
    np.testing.assert_allclose(sourcediff.grad(np.sum, mode=mode)(X), np.ones(3))
    value, gradient = sourcediff.value_and_grad(np.prod, mode=mode)(X)
    np.testing.assert_allclose(gradient, value / X)
    value, pullback = sourcediff.vjp(np.max, X, mode=mode)
    assert value == 1.2
    np.testing.assert_array_equal(pullback(2.0)[0], [0.0, 2.0, 0.0])
    value, tangent = sourcediff.jvp(np.mean, (X,), (np.arange(3.0),), mode=mode)
    assert tangent == pytest.approx(1.0)
    np.testing.assert_allclose(sourcediff.jacobian(np.sin, mode=mode)(X), np.diag(np.cos(X)))
    np.testing.assert_allclose(sourcediff.elementwise_grad(special.gammaln, mode=mode)(X + 1), special.digamma(X + 1))
    p = special.softmax(X)
    np.testing.assert_allclose(sourcediff.grad(special.logsumexp, mode=mode)(X), p)
    np.testing.assert_allclose(sourcediff.hessian(special.logsumexp, mode=mode)(X), np.diag(p) - np.outer(p, p), atol=1e-15)
    np.testing.assert_allclose(sourcediff.hvp(special.logsumexp, mode=mode)(X, X), p * X - p * (p @ X), atol=1e-15)


@pytest.mark.parametrize("mode", MODES)
def test_their_parameters_are_their_own(mode):
    np.testing.assert_allclose(sourcediff.grad(np.dot, 1, mode=mode)(X, np.ones(3)), X)
    np.testing.assert_allclose(sourcediff.jacobian(np.sum, mode=mode)(np.ones((2, 2)), axis=0), [[[1, 0], [1, 0]], [[0, 1], [0, 1]]])
    assert sourcediff.grad(math.sin, mode=mode)(1.0) == pytest.approx(math.cos(1.0))
    assert sourcediff.grad(np.arctan2, 1, mode=mode)(1.0, 2.0) == pytest.approx(-0.2)


@pytest.mark.filterwarnings("ignore::sourcediff.FallbackWarning")
def test_methods_of_distributions_are_functions():
    np.testing.assert_allclose(sourcediff.elementwise_grad(stats.norm.logpdf)(X), -X)


def test_the_checks_and_the_source_take_them():
    assert "def sum_grad(a)" in sourcediff.gradient_source(np.sum, args=(X,))
    sourcediff.check_grads(np.tanh, (X,))
    assert "agree" in str(sourcediff.cross_check(np.sum, X))


def test_what_has_no_rule_is_refused_by_name():
    with pytest.raises(SourceUnavailableError, match="fromstring has no Python source"):
        sourcediff.grad(np.fromstring)
