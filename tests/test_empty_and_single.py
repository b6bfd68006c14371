"""Arrays of no entries, of one, and without dimensions: NumPy's answers, and gradients of the shape that the argument has."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import DegenerateError, NonDifferentiableError

EMPTY, ROWS, COLUMNS, ONE, THREE = np.zeros(0), np.zeros((0, 3)), np.zeros((3, 0)), np.array([2.0]), np.array([1.0, 2.0, 3.5])
ALL = ["compiled", "auto", "eager"]


def differences_of_differences(x: Any) -> Any:
    return np.sum(np.diff(x, n=4) ** 2) + np.sum(x**2)


def second_differences(x: Any) -> Any:
    return np.sum(np.diff(x, 2)) + np.sum(x)


def between_edges(x: Any) -> Any:
    return np.sum(np.diff(x, n=3, prepend=0.0, append=1.0) ** 2) + np.sum(x)


def along_rows(x: Any) -> Any:
    m = np.outer(x, np.arange(2.0))
    return np.sum(np.diff(m, n=5, axis=0)) + np.sum(np.diff(m, n=1, axis=1))


def flat_differences(x: Any) -> Any:
    return np.sum(np.ediff1d(x) ** 2) + np.sum(x)


def padded(x: Any) -> Any:
    return np.sum(np.pad(x, 2) ** 2) + np.sum(np.pad(x[:0], (0, 3))) + np.sum(np.pad(np.outer(x, x[1:]), ((0, 1), (2, 0))))


def area(x: Any) -> Any:
    return np.trapezoid(x**2) + np.trapezoid(x, np.cumsum(x)) + np.trapezoid(x[:0])


def products_of_none(x: Any) -> Any:
    return np.prod(x[x > 100]) * np.sum(x) + np.sum(np.prod(np.outer(x[:0], x), axis=0) * x)


def kept_axes(x: Any) -> Any:
    return np.sum(np.sum(x, keepdims=0) * np.mean(x * x, axis=0, keepdims=1))


DEFINED = [
    differences_of_differences, second_differences, between_edges, along_rows, flat_differences, padded, area, products_of_none, kept_axes,
]


@pytest.mark.parametrize("mode", ALL)
@pytest.mark.parametrize("x", [ONE, THREE, np.arange(6.0) / 3 + 0.1], ids=len)
@pytest.mark.parametrize("f", DEFINED)
def test_what_is_shorter_than_the_function_expects(f: Any, x: Any, mode: str) -> None:
    steps = np.eye(len(x)) * 1e-4
    due = np.array([(8 * (f(x + s) - f(x - s)) - (f(x + 2 * s) - f(x - 2 * s))) / 12e-4 for s in steps])
    value, gradient = sourcediff.value_and_grad(f, mode=mode)(x)
    assert value == pytest.approx(f(x)) and gradient.shape == x.shape
    np.testing.assert_allclose(gradient, due, rtol=1e-8, atol=1e-8)
    tangent = np.linspace(0.3, 0.9, len(x))
    assert sourcediff.jvp(f, (x,), (tangent,), mode=mode)[1] == pytest.approx(due @ tangent, rel=1e-8, abs=1e-8)
    second = (np.array(sourcediff.grad(f)(x + 1e-5 * tangent)) - sourcediff.grad(f)(x - 1e-5 * tangent)) / 2e-5
    np.testing.assert_allclose(sourcediff.hvp(f, mode=mode)(x, tangent), second, rtol=1e-5, atol=1e-5)


REDUCTIONS = ["sum", "mean", "var", "std", "prod", "median", "average", "nansum", "nanmean", "nanvar", "nanprod"]


@pytest.mark.parametrize("mode", ["auto", "eager"])
@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.filterwarnings("ignore")
def test_reductions_of_nothing(name: str, mode: str) -> None:
    reduce = getattr(np, name)

    def of_all(x: Any) -> Any:
        return reduce(x)

    def of_each(x: Any) -> Any:
        return np.sum(reduce(x, axis=0)) + np.sum(x)

    def of_some(x: Any) -> Any:
        return reduce(x[x > 100]) * 0.5 + np.sum(x * x)

    cases = [(of_some, THREE, 2 * THREE)]
    if name != "average":  # of which NumPy raises ZeroDivisionError
        cases += [(of_all, EMPTY, EMPTY), (of_each, ROWS, ROWS), (of_each, COLUMNS, COLUMNS)]
    for f, x, due in cases:
        try:
            plain = f(x)
        except ZeroDivisionError:
            with pytest.raises(ZeroDivisionError):
                sourcediff.grad(f, mode=mode)(x)
            continue
        value, gradient = sourcediff.value_and_grad(f, mode=mode)(x)
        np.testing.assert_equal(value, plain)
        np.testing.assert_allclose(gradient, due)
        np.testing.assert_equal(sourcediff.jvp(f, (x,), (np.ones_like(x),), mode=mode)[0], plain)
        assert sourcediff.hvp(f, mode=mode)(x, np.ones_like(x)).shape == x.shape


def test_the_mean_of_nothing_warns_as_numpy_does() -> None:
    def f(x: Any) -> Any:
        return np.mean(x[x > 100]) + np.sum(x)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = sourcediff.value_and_grad(f, mode="eager")(THREE)[0]
    assert np.isnan(value) and any("Mean of empty slice" in str(warning.message) for warning in caught)


def of_no_entries(x: Any) -> Any:
    return np.mean(x[:0]) * np.ones(2) + x[:2]


@pytest.mark.filterwarnings("ignore")
def test_other_derivatives_of_the_mean_of_nothing() -> None:
    for mode in ("auto", "eager"):
        np.testing.assert_array_equal(sourcediff.jacobian(of_no_entries, mode=mode)(THREE), np.eye(2, 3))
    np.testing.assert_array_equal(sourcediff.vjp(of_no_entries, THREE, mode="eager")[1](np.ones(2))[0], [1, 1, 0])
    for call in (
        lambda: sourcediff.vjp(of_no_entries, THREE)[1](np.ones(2)),  # what THREE is by now is not known
        lambda: sourcediff.jacobian(of_no_entries, mode="compiled", direction="reverse")(THREE),
    ):
        with pytest.raises(DegenerateError, match="divides by a number that is 0"):
            call()


@pytest.mark.parametrize("mode", ALL)
def test_a_path_without_return(mode: str) -> None:
    def forgets(x: Any) -> Any:
        if x[0] > 5:
            return (x * 2,)
        return None

    for call in (
        lambda: sourcediff.jvp(forgets, (THREE,), (THREE,), mode=mode), lambda: sourcediff.vjp(forgets, THREE, mode=mode),
        lambda: sourcediff.jacobian(forgets, mode=mode)(THREE),
    ):
        for _ in range(2):
            with pytest.raises(NonDifferentiableError, match=r"returned None|is NoneType"):
                call()


@pytest.mark.parametrize("mode", ALL)
@pytest.mark.parametrize("number", [np.array(2.0), np.float64(2.0)])
def test_numbers_with_kept_axes(number: Any, mode: str) -> None:
    def f(x: Any) -> Any:
        return np.sum(np.sum(x, keepdims=True) ** 2 + np.mean(x, keepdims=True) * np.max(x, keepdims=True) + np.prod(x, keepdims=True))

    assert sourcediff.grad(f, mode=mode)(number) == pytest.approx(9.0)


@pytest.mark.parametrize("mode", ALL)
def test_riemanns_zeta(mode: str) -> None:
    special = pytest.importorskip("scipy.special", reason="scipy is not installed: its zeta is called here")

    def beside(x: Any) -> Any:
        return np.sum(special.zeta(np.array([2.0, 3.0, 4.0])) * x**2)

    def of_it(x: Any) -> Any:
        return np.sum(special.zeta(x))

    np.testing.assert_allclose(sourcediff.grad(beside, mode=mode)(THREE), 2 * THREE * special.zeta([2.0, 3.0, 4.0]))
    with pytest.raises(sourcediff.MissingRuleError, match=r"zeta has no derivative with respect to"):
        sourcediff.grad(of_it, mode=mode)(THREE)
