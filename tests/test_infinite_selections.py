"""What was not selected has a zero that stays zero, also where it is infinite: a branch not taken, a table that begins with infinities."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import sourcediff

BIG = np.array([1.0, 800.0])


def exponential(x: Any) -> Any:
    return np.sum(np.where(x < 700, np.exp(x), x))


def catenary(x: Any) -> Any:
    return np.sum(np.where(np.abs(x) < 700, np.cosh(x) + np.sinh(x) ** 2, x))


def powers(x: Any) -> Any:
    return np.sum(np.where(x < 100, x**110.0 + np.power(1.01, x**2), x))


def of_two(x: Any) -> Any:
    return np.sum(np.where(x < 700, np.exp2(x) * np.expm1(x), x))


def logistic(x: Any) -> Any:
    e = np.exp(x)
    return np.sum(np.where(x < 700, e / (1 + e), 1.0))


def slope_of_it(x: Any) -> Any:
    return np.sum(np.where(x < 700, np.exp(x) / (1 + np.exp(x)) ** 2, 0))


def softplus(x: Any) -> Any:
    return np.sum(np.where(x > 30, x, np.log1p(np.exp(x))))


def weighed(x: Any) -> Any:
    return np.sum(np.where(x < 700, 3.0 * np.exp(x) * x, x))


def entropy(x: Any) -> Any:
    p = x * np.array([0.5, 0.0])
    return np.sum(np.where(p > 0, -p * np.log(p), 0.0)) + np.sum(x)


def inverse_squares(x: Any) -> Any:
    r = 1 / (x * np.array([1.0, 0.0]))
    return np.sum(np.where(x < 700, r * r + np.sin(r), x))


def one_entry(x: Any) -> Any:
    return np.exp(x)[0] + x[1]


def some_entries(x: Any) -> Any:
    y, m = np.exp(x) * x, x < 700
    return np.sum(y[m]) + np.sum(x[~m])


def stored(x: Any) -> Any:
    y = np.exp(x)
    y[1] = x[1] ** 2
    return np.sum(y)


def bounded(x: Any) -> Any:
    return np.sum(np.minimum(np.exp(x), 1e5) + np.clip(np.exp(x), 0.0, 50.0)) + np.sum(x)


def summed(x: Any) -> Any:
    return np.sum(np.where(x < 700, np.cumsum(np.exp(x)), x))


def twice(x: Any) -> Any:
    return np.sum(np.where(x < 700, np.exp(np.exp(x)), x))


def in_a_loop(x: Any) -> Any:
    total = 0.0
    for k in range(len(x)):
        y = np.exp(x)
        total = total + np.where(x < 700, y * x, x)[k]
    return total


def squared(x: Any) -> Any:
    return np.sum(np.where(x > 0, x * np.sinh(x) ** 2 / 3, 0)[:1])


def of_numbers(x: Any) -> Any:
    return np.where(x[1] < 700, np.exp(x[1]) * x[0], x[1] * x[0]) + x[0]


SELECTED = [
    exponential, catenary, powers, of_two, logistic, slope_of_it, softplus, weighed, entropy, inverse_squares, one_entry, some_entries,
    stored, bounded, summed, twice, in_a_loop, squared, of_numbers,
]


def slopes(f: Any, x: Any) -> Any:
    """The gradient by differences, extrapolated once."""
    found = []
    for unit in np.eye(len(x)):
        first, second = ((f(x + h * unit) - f(x - h * unit)) / (2 * h) for h in (2e-4, 1e-4))
        found.append((4 * second - first) / 3)
    return np.array(found)


def curves(f: Any, x: Any, v: Any) -> Any:
    """The Hessian's product with a vector along each direction, by differences."""


    def curve(u: Any, h: float) -> Any:
        return (f(x + h * v + h * u) - f(x + h * v - h * u) - f(x - h * v + h * u) + f(x - h * v - h * u)) / (4 * h * h)

    return np.array([(4 * curve(u, 5e-4) - curve(u, 1e-3)) / 3 for u in np.eye(len(x))])


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("f", SELECTED)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_branch_not_taken_overflows(f: Any, mode: str) -> None:
    due = slopes(f, BIG)
    np.testing.assert_allclose(sourcediff.grad(f, mode=mode)(BIG), due, rtol=1e-6, atol=1e-6)
    for unit, slope in zip(np.eye(2), due):
        assert sourcediff.jvp(f, (BIG,), (unit,), mode=mode)[1] == pytest.approx(slope, rel=1e-6, abs=1e-6)
    np.testing.assert_allclose(sourcediff.jacobian(f, mode=mode, direction="forward")(BIG), due, rtol=1e-6, atol=1e-6)
    for v in (np.array([1.0, 0.0]), np.array([1.0, 0.5])):
        np.testing.assert_allclose(sourcediff.hvp(f, mode=mode)(BIG, v), curves(f, BIG, v), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("direction", ["forward", "reverse"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_an_infinite_entry_has_no_part_in_its_neighbours(direction: str, mode: str) -> None:
    for f, x, due in (
        (lambda x: np.exp(x) * x, [1.0, 800.0], [2 * math.e, math.inf]), (lambda x: 1 / x, [0.0, 2.0], [-math.inf, -0.25]),
        (lambda x: np.sqrt(x) * 3.0, [0.0, 4.0], [math.inf, 0.75]),
    ):
        found = sourcediff.jacobian(f, direction=direction, mode=mode)(np.array(x))
        np.testing.assert_allclose(found, np.where(np.eye(2, dtype=bool), np.diag(due), 0), rtol=1e-12)


def soft_minimum(gamma: float, *values: Any) -> Any:
    return -gamma * np.log(sum(np.exp(-v / gamma) for v in values))


def warped(d: Any) -> Any:
    n, m = d.shape
    r = np.full((n + 1, m + 1), np.inf)
    r[0, 0] = 0.0
    for i in range(n):
        for j in range(m):
            r[i + 1, j + 1] = d[i, j] + soft_minimum(0.7, r[i, j], r[i, j + 1], r[i + 1, j])
    return r[n, m]


def warped_by_logaddexp(d: Any) -> Any:
    n, m = d.shape
    r = np.full((n + 1, m + 1), np.inf)
    r[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            z = -np.array([r[i - 1, j - 1], r[i - 1, j], r[i, j - 1]])
            r[i, j] = d[i - 1, j - 1] - np.logaddexp(np.logaddexp(z[0], z[1]), z[2])
    return r[n, m]


def warped_with_the_least_apart(d: Any) -> Any:
    n, m = d.shape
    r = np.inf * np.ones((n + 1, m + 1))
    r[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            a = np.stack([r[i - 1, j - 1], r[i - 1, j], r[i, j - 1]])
            k = np.min(a)
            r[i, j] = d[i - 1, j - 1] + k - np.log(np.sum(np.exp(-(a - k))))
    return r[n, m]


def forward_algorithm(d: Any) -> Any:
    n, m = d.shape
    a = np.full(m, -np.inf)
    a[0] = d[0, 0]
    for i in range(1, n):
        shifted = np.concatenate([np.array([-np.inf]), a[:-1]])
        a = np.logaddexp(a, shifted) + d[i]
    return a[1]


def scaled_table(d: Any) -> Any:
    r = np.full(4, np.inf)
    r[0] = d[0, 0]
    y, z = r * d[1, 1], np.exp(-r) * np.sin(1 / r)
    return y[0] + np.sum(z)


def soft_least(values: Any, gamma: Any) -> Any:
    z = [-v / gamma for v in values]
    top = max(z)
    return -gamma * (top + np.log(sum(np.exp(v - top) for v in z)))


def warped_at_a_temperature(d: Any) -> Any:
    """What begins as an infinity is divided by a number that moves: an infinite tangent, of which nothing comes."""
    r = np.full((3, 3), np.inf)
    r[0, 0] = 0.0
    for i in range(1, 3):
        for j in range(1, 3):
            r[i, j] = d[i - 1, j - 1] + soft_least([r[i - 1, j], r[i, j - 1], r[i - 1, j - 1]], d[2, 2])
    return r[2, 2]


def warped_by_logaddexp_at_a_temperature(d: Any) -> Any:
    r, s = np.full((3, 3), math.inf), d[2, 2]
    r[0, 0] = 0.0
    for i in range(1, 3):
        for j in range(1, 3):
            v = -np.array([r[i - 1, j], r[i, j - 1], r[i - 1, j - 1]]) / s
            r[i, j] = d[i - 1, j - 1] - s * np.logaddexp(np.logaddexp(v[0], v[1]), v[2])
    return r[2, 2]


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("f", [
    warped, warped_by_logaddexp, warped_with_the_least_apart, forward_algorithm, scaled_table, warped_at_a_temperature,
    warped_by_logaddexp_at_a_temperature,
])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_table_that_begins_with_infinities(f: Any, mode: str) -> None:
    rng = np.random.default_rng(3)
    d, e = rng.random((3, 3)) + 0.1, rng.random((3, 3))
    first, second = ((f(d + h * e) - f(d - h * e)) / (2 * h) for h in (2e-4, 1e-4))
    due = (4 * second - first) / 3
    curved = (f(d + 1e-3 * e) - 2 * f(d) + f(d - 1e-3 * e)) / 1e-6
    assert np.sum(sourcediff.grad(f, mode=mode)(d) * e) == pytest.approx(due, rel=1e-7)
    assert sourcediff.jvp(f, (d,), (e,), mode=mode)[1] == pytest.approx(due, rel=1e-7)
    assert np.sum(sourcediff.jacobian(f, mode=mode, direction="forward")(d) * e) == pytest.approx(due, rel=1e-7)
    assert np.sum(sourcediff.hvp(f, mode=mode)(d, e) * e) == pytest.approx(curved, rel=1e-4, abs=1e-5)
    hessian = sourcediff.hessian(f, mode=mode)(d)
    assert np.sum(hessian * e * e[:, :, None, None]) == pytest.approx(curved, rel=1e-4, abs=1e-5)


DATA = np.array([1.0, np.nan, 3.0])


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_data_of_which_some_is_missing(mode: str) -> None:
    def of_a_global(m: Any) -> Any:
        return np.nansum((DATA * m) ** 2)

    def of_an_argument(m: Any, data: Any, s: float) -> Any:
        known = np.isfinite(data)
        return np.sum(np.where(known, (data * m) * s + m * (data - m), 0)) + np.sum((data * m)[known])

    m = np.array([0.5, 0.7, 2.0])
    np.testing.assert_allclose(sourcediff.grad(of_a_global, mode=mode)(m), [1.0, 0.0, 36.0])
    due = np.where(np.isnan(DATA), 0, DATA * 2.0 + DATA - 2 * m + DATA)
    np.testing.assert_allclose(sourcediff.grad(of_an_argument, mode=mode)(m, DATA, 2.0), due)
    assert sourcediff.jvp(of_an_argument, (m, DATA, 2.0), (m, None, None), mode=mode)[1] == pytest.approx(due @ m)
    second = sourcediff.hvp(of_an_argument, mode=mode)(m, DATA, 2.0, m)
    np.testing.assert_allclose(second, np.where(np.isnan(DATA), 0, -2 * m))


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_differentiated_may_be_missing_too(mode: str) -> None:
    def f(x: Any) -> Any:
        return np.sum(np.where(np.isfinite(x), x * x + x**2, 0))

    x = np.array([1.0, np.nan, -np.inf])
    np.testing.assert_array_equal(sourcediff.grad(f, mode=mode)(x), [4.0, 0.0, 0.0])
    np.testing.assert_array_equal(sourcediff.vjp(f, x, mode=mode)[1](1.0)[0], [4.0, 0.0, 0.0])


def test_a_constant_factor_is_not_guarded() -> None:
    def f(x: Any) -> Any:
        return np.sum(np.where(x > 0, np.sin(x) / 9.0, x / -2))

    for mode in ("reverse", "pullback", "forward"):
        text = sourcediff.gradient_source(f, args=(BIG,), mode=mode)
        assert "keep_zeros" not in text and "UNGUARDED" not in text


def test_without_a_selection_nothing_is_guarded() -> None:
    def f(x: Any, y: Any) -> Any:
        return np.sum(np.exp(x) * y / (1 + np.exp(-x)))

    assert "keep_zeros" not in sourcediff.gradient_source(f, args=(BIG, BIG))


def test_a_product_of_what_is_finite_is_not_guarded() -> None:
    def f(x: Any, w: Any) -> Any:
        h = np.zeros(4)
        for k in range(3):
            h[k + 1] = np.tanh(w * h[k] + x[k] * x[k])
        return h[3]

    assert "keep_zeros" not in sourcediff.gradient_source(f, args=(np.ones(3), 0.5))
