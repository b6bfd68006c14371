"""Tangents of tangents, and adjoints of tangents, where a Python float becomes complex on the way and real again."""

import numpy as np
import pytest

import sourcediff

POINT = (1.1, 1.2, 0.3, -0.7)
ALONG = (0.1, 0.2, -0.4, 0.5)


def along(function, a, b, c, d):
    z = a + 1j * b
    return sourcediff.jvp(function, (np.real(z), np.imag(z)), (c, d), mode="eager")[1]


def of_modulus(a, b, c, d):
    return along(lambda p, q: np.abs(p + 1j * q), a, b, c, d)


def of_sine(a, b, c, d):
    return along(lambda p, q: np.real(np.sin(p + 1j * q)), a, b, c, d)


def of_arcsinh(a, b, c, d):
    return along(lambda p, q: np.imag(np.arcsinh(p + 1j * q)), a, b, c, d)


def of_square(a, b, c, d):
    v = np.imag(1j * d)
    return sourcediff.jvp(lambda q: np.real(q * (1.0 + 0j)) ** 2, (np.imag(1j * b),), (v,), mode="eager")[1] * a * c


@pytest.mark.parametrize("kinds", [(float,) * 4, (np.float64,) * 4, (float, float, np.float64, np.float64),
                                   (np.float64, float, np.float64, float)], ids=str)
@pytest.mark.parametrize("function", [of_modulus, of_sine, of_arcsinh, of_square], ids=lambda function: function.__name__)
def test_of_numbers_of_any_kind(function, kinds):
    at = tuple(kind(number) for kind, number in zip(kinds, POINT))
    step = 1e-6
    above, below = ([p + sign * step * v for p, v in zip(POINT, ALONG)] for sign in (1, -1))
    expected = (function(*above) - function(*below)) / (2 * step)
    assert sourcediff.jvp(function, at, ALONG, mode="eager")[1] == pytest.approx(expected, rel=1e-7)
    gradients = sourcediff.vjp(function, *at, mode="eager")[1](1.0)
    assert np.dot(gradients, ALONG) == pytest.approx(expected, rel=1e-7)
