"""Python's floats raise where NumPy's become infinite; their derivatives are those of NumPy's, in every mode."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sourcediff
from tests.corpus.asserts import every_mode


def root(x: Any) -> Any:
    return x**0.5


def root_of_math(x: Any) -> Any:
    return math.sqrt(x)


def power_of_math(x: Any) -> Any:
    return math.pow(x, 0.25)


def builtin_power(x: Any) -> Any:
    return pow(x, 0.75)


def numpys_logarithm(x: Any) -> Any:
    return 2.0 * np.log(x)


def in_a_loop(x: Any) -> Any:
    total = 0.0
    for _ in range(2):
        total = total + math.sqrt(x)
    return total


STEEP = (root, root_of_math, power_of_math, builtin_power, numpys_logarithm, in_a_loop)


@every_mode
@pytest.mark.parametrize("function", STEEP)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_a_steep_slope_at_zero_is_infinite(function: Callable[..., Any], mode: str) -> None:
    with np.errstate(all="ignore"):
        assert sourcediff.grad(function, mode=mode)(0.0) == np.inf
        assert sourcediff.jvp(function, (0.0,), (1.0,), mode=mode)[1] == np.inf


@every_mode
@pytest.mark.parametrize("function", STEEP)
def test_elsewhere_it_is_a_python_float(function: Callable[..., Any], mode: str) -> None:
    found = sourcediff.grad(function, mode=mode)(0.7)
    assert type(found) is float
    assert math.isclose(found, (function(0.7 + 1e-6) - function(0.7 - 1e-6)) / 2e-6, rel_tol=1e-8)


def test_literal_squares_stay_as_they_are_written() -> None:
    def quotient(x: Any) -> Any:
        return x**3 / (x + 2.0)

    assert "float64" not in sourcediff.gradient_source(quotient, args=(1.0,))


@every_mode
def test_the_mean_of_very_many_halves(mode: str) -> None:
    """Their count is no number of half precision."""
    def energy(x: Any) -> Any:
        return 3 * np.mean(x * x)

    found = sourcediff.grad(energy, mode=mode)(np.full(70_000, 2, np.float16))
    assert found.dtype == np.float16
    np.testing.assert_allclose(found, 12 / 70_000, rtol=2e-3)


@pytest.mark.parametrize("mode", ["compiled", "auto", "eager"])
@pytest.mark.filterwarnings("ignore::sourcediff.errors.FallbackWarning")
def test_matrices_of_another_library(mode: str) -> None:
    """SciPy's sparse matrices compute in C, behind operators of their own: what they multiply is followed through them."""
    matrix = pytest.importorskip("scipy.sparse").csr_matrix([[1.0, 2.0], [0.0, 3.0]])

    def energy(x: Any) -> Any:
        return np.sum((matrix @ x) ** 2)

    np.testing.assert_allclose(sourcediff.grad(energy, mode=mode)(np.array([1.0, -2.0])), [-6.0, -48.0], rtol=1e-12)


@pytest.mark.parametrize("start", [2.0, np.float64(2.0), np.array(2.0)])
def test_the_general_version_takes_arrays_without_dimensions(start: Any) -> None:
    def filled(x: Any) -> Any:
        z = np.array(x)
        z[...] = z * z
        return z * x

    namespace: dict[str, Any] = {}
    exec(sourcediff.gradient_source(filled), namespace)
    assert namespace["filled_grad"](start) == 12.0


@every_mode
def test_a_tangent_keeps_the_zeros_of_parts_that_were_joined(mode: str) -> None:
    def roots(x: Any) -> Any:
        return np.sum(np.sqrt(np.concatenate((np.zeros(2), np.abs(x)))))

    assert np.isclose(sourcediff.jvp(roots, (np.array([1.0, 4.0]),), (np.ones(2),), mode=mode)[1], 0.75)


@every_mode
def test_an_entry_as_a_python_number_keeps_its_derivative(mode: str) -> None:
    def product(x: Any) -> Any:
        return x[0].item() * float(x[1]) * x.sum().item()

    np.testing.assert_allclose(sourcediff.grad(product, mode=mode)(np.array([2.0, 3.0])), [21.0, 16.0])


@every_mode
def test_an_entry_as_a_python_complex_number_keeps_its_derivative(mode: str) -> None:
    def turned(x: Any) -> Any:
        return ((x * 1j)[0].item() * complex(x[1], x[0])).real

    np.testing.assert_allclose(sourcediff.grad(turned, mode=mode)(np.array([2.0, 3.0])), [-4.0, 0.0])


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("entries", [(0.0, -0.0, -1.0), (-0.0, 0.0, -1.0), (np.nan, 1.0, 2.0), (1.0, np.nan, 0.5), (3.0, np.nan, 5.0)])
def test_of_zeros_and_nans_in_a_list_the_largest_is_the_one_that_python_takes(entries: tuple[float, ...], mode: str) -> None:
    def largest(x: Any) -> Any:
        return max(b for a, b in zip(x, x))

    def smallest(x: Any) -> Any:
        parts = []
        for entry in x:
            parts.append(entry * 1.0)
        return min(parts)

    for function in (largest, smallest):
        with np.errstate(invalid="ignore"):
            value, _ = sourcediff.value_and_grad(function, mode=mode)(np.array(entries))
        np.testing.assert_array_equal(np.float64(value).tobytes(), np.float64(function(np.array(entries))).tobytes())
