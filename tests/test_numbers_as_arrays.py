"""Numbers where NumPy takes arrays: products of two of them, sums over an axis of one, an axis put before one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sourcediff


def summed_product(x):
    return np.sum(np.dot(x, x), axis=0)


def summed_twice(x):
    return np.sum(np.sum(np.dot(x, 3.0 * x), axis=0), axis=-1) * np.dot(2.0, x)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("x", [2.0, np.float64(2.0), np.array(2.0)], ids=["float", "float64", "0-d"])
@pytest.mark.parametrize(("function", "slope", "curvature"), [
    (summed_product, 4.0, 2.0), (summed_twice, 72.0, 72.0),
])
def test_products_of_numbers(function: Any, slope: float, curvature: float, x: Any, mode: str) -> None:
    assert sourcediff.grad(function, mode=mode)(x) == pytest.approx(slope)
    assert sourcediff.jacobian(function, mode=mode)(x) == pytest.approx(slope)
    assert sourcediff.hessian(function, mode=mode)(x) == pytest.approx(curvature)
    assert sourcediff.jvp(function, (x,), (x,), mode=mode)[1] == pytest.approx(2 * slope)
    assert x == 2.0


def beside_itself(x):
    y = x[0] ** 2
    p = [y[None], y]
    return np.sum(p[0] * 1.0) + p[1] * x[1]


def in_two_axes(x):
    y = np.sum(x**2)
    p = (y[None, None], y)
    return np.sum(np.sin(p[0]) * p[1])


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("function", [beside_itself, in_two_axes])
def test_a_number_beside_itself_as_an_array(function: Any, mode: str) -> None:
    x = np.array([1.5, -0.5])
    expected = np.array([(function(x + e) - function(x - e)) / 2e-6 for e in np.eye(2) * 1e-6])
    assert sourcediff.grad(function, mode=mode)(x) == pytest.approx(expected, rel=1e-8)
    gradient = sourcediff.grad(function, mode=mode)
    second = np.array([(gradient(x + e) - gradient(x - e)) / 2e-6 for e in np.eye(2) * 1e-6])
    assert sourcediff.hessian(function, mode=mode)(x) == pytest.approx(second, rel=1e-7)
    if mode == "compiled":
        assert sourcediff.jacobian(gradient, direction="reverse")(x) == pytest.approx(second, rel=1e-7)
