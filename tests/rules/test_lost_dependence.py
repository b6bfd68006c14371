"""What a composite, or the formula of a family, computes by helpers: what they are given is not taken for a constant, nor for another."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.fft

import sourcediff
from sourcediff.errors import SourcediffError

X, Y = np.array([0.1, 0.4, 0.35, 0.8, 0.9, 0.2]), np.array([0.3, 0.2, 0.7, 0.9, 0.1, 0.5])
EDGES = np.array([-0.01, 0.3, 0.6, 1.0])
W = np.cos(np.arange(9.0)).reshape(3, 3)
MODES = pytest.mark.parametrize("mode", ["compiled", "eager"])


@MODES
def test_a_density_depends_on_the_sizes_of_its_cells(mode):
    def f(x):
        return np.sum(np.histogram2d(x, Y, 3, density=True)[0] * W)

    expected = [(f(X + step) - f(X - step)) / 2e-6 for step in 1e-6 * np.eye(6)]
    np.testing.assert_allclose(sourcediff.grad(f, mode=mode)(X), expected, rtol=1e-6, atol=1e-8)


@MODES
@pytest.mark.parametrize("f", [
    lambda x: np.sum(np.histogram2d(Y, Y, x)[1] * X[:4]), lambda x: np.sum(np.histogram2d(Y, Y, [x, 3])[1] * X[:4]),
    lambda x: np.sum(np.histogram2d(Y, Y, 3, [[x[0], x[3]], [0, 1]])[1] * X[:4]), lambda x: np.sum(np.histogram(Y, x)[1] * X[:4]),
])
def test_edges_that_are_differentiated_are_refused(f, mode):
    with pytest.raises(SourcediffError):
        sourcediff.grad(f, mode=mode)(EDGES)


@MODES
@pytest.mark.parametrize("f", [
    lambda x: np.sum(np.histogram(x, 3, weights=x**2)[0] ** 2), lambda x: np.sum(np.histogram2d(x, x**3, 3, weights=np.sin(x))[0] * W),
])
def test_where_points_lie_moves_no_weight(f, mode):
    expected = [(f(X + step) - f(X - step)) / 2e-6 for step in 1e-6 * np.eye(6)]
    np.testing.assert_allclose(sourcediff.grad(f, mode=mode)(X), expected, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(sourcediff.jvp(f, (X,), (Y,), mode=mode)[1], np.dot(expected, Y), rtol=1e-6)


@MODES
@pytest.mark.parametrize("name", ["dct", "idct", "dst", "idst"])
def test_each_of_a_family_is_pushed_forward_by_itself(name, mode):
    function = getattr(scipy.fft, name)
    np.testing.assert_allclose(sourcediff.jvp(function, (X,), (Y,), mode=mode)[1], function(Y), rtol=1e-12)


@MODES
def test_the_characteristic_polynomial_is_numpys(mode):
    a = np.random.default_rng(3).normal(size=(12, 12))
    a = a @ a.T  # whose coefficients traces of powers get wrong

    def f(a):
        return np.sum(np.poly(a) * 10.0 ** -np.arange(13.0))

    value, gradient = sourcediff.value_and_grad(f, mode=mode)(a)
    assert value == f(a)
    step = 1e-5 * np.random.default_rng(1).normal(size=a.shape)
    np.testing.assert_allclose(np.sum(gradient * step), (f(a + step) - f(a - step)) / 2, rtol=1e-5)
