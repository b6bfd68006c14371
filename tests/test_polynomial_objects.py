"""``np.poly1d`` and the classes of ``np.polynomial``: of constants, and of differentiated coefficients."""

import numpy as np
import pytest
from scipy.interpolate import interp1d

import sourcediff

from .differences import assert_compiled, by_differences

HEAD = np.poly1d([1.0, 2.0, 3.0])
LOAD = np.polynomial.Polynomial([1.0, 2.0, 3.0])
DRIFT = np.polynomial.Chebyshev([1.0, 0.2, 0.3], domain=[0, 2])
TIMES = np.linspace(-3.0, 3.0, 9)
SIGNAL = interp1d(TIMES, np.sin(TIMES), kind="cubic")


def constant_ones(x):
    return HEAD(x[0]) * LOAD(x[1]) + DRIFT(x[2]) + np.sum(HEAD(x)) + np.sum(DRIFT(x) ** 2)


def derivatives_of_constant_ones(x):
    return HEAD.deriv()(x[0]) * LOAD.deriv(2)(x[1]) + HEAD.integ()(x[3])


def given_as_a_default(x, head=HEAD):
    return head(x[0])


def of_coefficients(x):
    p = np.poly1d(x[:3])
    return p(0.3) + p(x[3]) + p.deriv()(x[1]) * p.integ()(x[2])


def of_a_fit(x):
    p = np.poly1d(np.polyfit(np.arange(5.0), x, 2))
    return p(2.5) + np.sum(p(x))


def of_series(x):
    p, c, q = np.polynomial.Polynomial(x[:3]), np.polynomial.Chebyshev(x[:4]), np.polynomial.Legendre(x[1:])
    return p(0.3) + p.deriv()(x[3]) + c(0.3) * q(x[0])


@pytest.mark.parametrize("program", [
    constant_ones, derivatives_of_constant_ones, given_as_a_default, of_coefficients, of_a_fit, of_series,
])
def test_programs(program):
    assert_compiled(program)


def test_the_text_is_plain():
    text = sourcediff.gradient_source(constant_ones, args=(np.ones(5),))
    assert "np.real" not in text


@pytest.mark.parametrize("function", [HEAD, LOAD, DRIFT, SIGNAL], ids=["poly1d", "Polynomial", "Chebyshev", "interp1d"])
def test_second_derivatives(function):
    x, v = np.array([0.7, 1.3, 0.4]), np.array([0.2, -0.5, 1.0])

    def program(x):
        return function(x[0]) ** 2 + np.sum(function(x))

    slope = sourcediff.grad(program, mode="compiled")
    found = sourcediff.hvp(program, mode="compiled")(x, v)
    np.testing.assert_allclose(found, by_differences(lambda x: slope(x) @ v, x), rtol=1e-5, atol=1e-6)
