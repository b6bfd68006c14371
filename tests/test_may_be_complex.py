"""What is said to be complex may be: a number of points is no value, a factor of a real matrix is real, a complex default is one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg

from sourcediff import ComplexError, MissingRuleError, NonDifferentiableError, grad, jvp

MATRIX = np.array([[2.0, 0.5], [0.5, 1.0]])
X = np.array([0.5, 1.5, 0.7, 2.0, 1.0])


def on_a_grid(x: Any) -> Any:
    return np.max(np.mgrid[0:1:5j] * x)


def on_an_open_grid(x: Any) -> Any:
    return np.max(np.ogrid[0:1:5j] * x)


def on_points(x: Any) -> Any:
    return np.max(np.r_[0:1:5j] * x)


def on_two_grids(x: Any) -> Any:
    a, b = np.mgrid[0:1:3j, 0:1:2j]
    return np.sum(np.sort((a + b) * x[0], axis=None))


def by_a_factor(x: Any) -> Any:
    return np.max(x[:2] * np.diag(scipy.linalg.cholesky(MATRIX)))


def by_a_solution(x: Any) -> Any:
    factors = scipy.linalg.cho_factor(MATRIX)
    return np.max(x[:2] * scipy.linalg.cho_solve(factors, np.ones(2)))


def refracted(t: Any, n: complex = 3.8 - 0.02j) -> Any:
    return t * abs(n)


def by_a_complex_default(x: Any) -> Any:
    return np.sum(refracted(x) ** 2)


def by_an_inner_default(x: Any) -> Any:
    def wave(t: Any, n: complex = 3.8 - 0.02j) -> Any:
        return t * np.real(n * np.exp(1j * t))

    return np.sum(wave(x))


PROGRAMS = [
    on_a_grid, on_an_open_grid, on_points, on_two_grids, by_a_factor, by_a_solution, by_a_complex_default, by_an_inner_default,
]


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("f", PROGRAMS)
def test_what_is_real_is_taken_for_real(f: Callable[..., Any], mode: str) -> None:
    expected = [(f(X + step) - f(X - step)) / 2e-6 for step in 1e-6 * np.eye(5)]
    np.testing.assert_allclose(grad(f, mode=mode)(X), expected, rtol=1e-6, atol=1e-8)
    v = np.array([1.0, -2.0, 0.5, 3.0, 0.25])
    np.testing.assert_allclose(jvp(f, (X,), (v,), mode=mode)[1], np.dot(expected, v), rtol=1e-6)


def factored(a: Any) -> Any:
    return np.max(scipy.linalg.schur(a)[0])


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_a_function_without_a_rule_is_refused_for_that(mode: str) -> None:
    with pytest.raises(MissingRuleError, match="schur"):
        grad(factored, mode=mode)(MATRIX)


def of_complex_points(x: Any) -> Any:
    return np.max(np.r_[x, 1j])


def of_a_root(x: Any) -> Any:
    return np.max(x[:2] * scipy.linalg.sqrtm(-MATRIX)[0])


@pytest.mark.parametrize(("f", "error"), [(of_complex_points, NonDifferentiableError), (of_a_root, ComplexError)])
def test_what_is_complex_is_refused(f: Callable[..., Any], error: type[Exception]) -> None:
    with pytest.raises(error, match="complex"):
        grad(f, mode="compiled")(X)
