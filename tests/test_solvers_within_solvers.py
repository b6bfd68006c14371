"""Solvers of functions that call solvers: the inner one gives values while the outer one looks for its answer."""

import numpy as np
import pytest

import sourcediff

integrate = pytest.importorskip("scipy.integrate", reason="SciPy is not installed")
optimize = pytest.importorskip("scipy.optimize", reason="SciPy is not installed")

X = np.array([3.0, 0.6, 1.2])


def current(v, x):
    return optimize.brentq(lambda i: x[0] - x[1] * np.exp(v + 0.1 * i) - i, -20.0, 20.0, xtol=1e-14)


def area(v, x):
    return integrate.quad(lambda t: np.exp(-x[1] * t * v), 0.0, x[2])[0]


def least_of_roots(x):
    return optimize.minimize_scalar(lambda v: (v * current(v, x) - x[2]) ** 2 + v**2, bracket=(0.1, 0.5), tol=1e-12).x * x[2]


def least_in_the_plane(x):
    found = optimize.minimize(lambda p: (p[0] - current(0.3, x)) ** 2 + (p[1] - p[0] * area(0.5, x)) ** 2, np.ones(2), tol=1e-12)
    return found.x @ np.array([1.0, 2.0])


def fitted(x):
    times = np.array([0.2, 0.5, 0.9])
    currents = [current(t, x) for t in times]
    found = optimize.least_squares(lambda p: p[0] * times + p[1] - currents - area(p[0], x), np.ones(2), xtol=1e-15, ftol=1e-15, gtol=1e-15)
    return found.x @ np.array([1.0, 2.0])


def system_of_roots(x):
    return np.sum(optimize.fsolve(lambda p: np.array([p[0] - current(p[1], x), p[1] - 0.1 * p[0] * x[2]]), np.ones(2), xtol=1e-13) ** 2)


def root_of_integrals(x):
    return optimize.brentq(lambda v: area(v, x) - 0.5, 0.1, 20.0, xtol=1e-14)


def integral_of_roots(x):
    return integrate.quad(lambda v: current(v, x) ** 2, 0.0, 1.0)[0]


def path_of_roots(x):
    found = integrate.solve_ivp(lambda t, y: -y * current(0.1 * t, x), (0.0, 0.5), x[:2], rtol=1e-10, atol=1e-10)
    return found.y[:, -1] @ np.array([1.0, 2.0])


def point_that_stays(x):
    return optimize.fixed_point(lambda v: 0.3 * current(0.2 * v, x), 0.5, xtol=1e-13)


def differences(function, x, h=1e-2):
    """The gradient by differences of fourth order, far enough apart for what a solver leaves undone."""
    def slope(e):
        return (8 * (function(x + h * e) - function(x - h * e)) - function(x + 2 * h * e) + function(x - 2 * h * e)) / (12 * h)

    return np.array([slope(e) for e in np.eye(len(x))])


PROGRAMS = [
    least_of_roots, least_in_the_plane, fitted, system_of_roots, root_of_integrals, integral_of_roots, path_of_roots, point_that_stays]


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_value_and_gradient(function, mode):
    value, gradient = sourcediff.value_and_grad(function, mode=mode)(X)
    np.testing.assert_allclose(value, function(X), rtol=1e-6)
    np.testing.assert_allclose(gradient, differences(function, X), rtol=1e-5, atol=1e-5)
