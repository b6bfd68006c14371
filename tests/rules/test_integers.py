"""Operands of integers, small and unsigned: the formulas compute in floating-point numbers, as NumPy's functions do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sourcediff

special = pytest.importorskip("scipy.special")

V = np.array([0.41, -0.77, 1.19])
LONG = np.array([0.41, -0.77, 1.19, 0.3, -0.2, 0.7, 0.9, 0.5])
SMALL = np.array([200, 100, 250], np.uint8)
ORDERS = np.array([0, 1, 2], np.uint8)
WIDE = np.array([-30000, 20000, 30000], np.int16)

PROGRAMS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "arctan2": (lambda v: np.sum(np.arctan2(v, np.array([300, 200, 30], np.int16))) * 100, V),
    "interp, values": (lambda v: np.sum(np.interp(v, [-1.0, 0.0, 2.0], SMALL)), V),
    "interp, points": (lambda v: np.sum(np.sin(np.interp(ORDERS, np.array([3, 5, 8], np.uint8), v))), V),
    "interp, far points": (lambda v: np.sum(np.sin(np.interp(np.array([-20000, 25000], np.int16), WIDE, v))), V),
    "polyval": (lambda v: np.log(1 + np.polyval(v, 1000) ** 2), LONG),
    "polyval, coefficients": (lambda v: np.sum(np.polyval(SMALL, v)), V),
    "polyfit": (lambda v: np.polyval(np.polyfit(np.arange(8) * 5000, v, 5), 12345.0), LONG),
    "gradient, spacing": (lambda v: np.sum(np.sin(np.gradient(v, np.array([3, 2, 0], np.uint8)))), V),
    "gradient, values": (lambda v: np.sum(np.sin(np.gradient(SMALL, v[0]) / 100)), V),
    "roll": (lambda v: np.sum(np.roll(v, np.uint8(1)) ** 2 * np.arange(3.0)), V),
    "roll, bool": (lambda v: np.sum(np.roll(v, True) ** 2 * np.arange(3.0)), V),
    "roll, shifts": (lambda v: np.sum(np.roll(v, ORDERS[1:], (0, 0)) ** 2 * np.arange(2.0, 5.0)), V),
    "power": (lambda v: np.sum(v ** np.uint64(0)) + np.sum(np.abs(v) ** ORDERS), V),
    "power, base": (lambda v: np.sum(ORDERS[1:] ** v[1:]) + np.sum(np.logspace(v, 2.0, 3, base=np.uint8(10))), V),
    "diag": (lambda v: np.sum(np.diag(v, np.uint8(1)) ** 2) + np.sum(np.diag(np.outer(v, v**2), np.uint8(1))), V),
    "trace": (lambda v: np.trace(np.outer(v, v**2), np.uint8(1)), V),
    "boxcox": (lambda v: np.sum(special.boxcox(np.abs(v), np.array(0, np.uint8))), V),
    "zeta": (lambda v: np.sum(special.zeta(np.array([2, 3, 255], np.uint8), 1 + np.abs(v))), V),
    "huber": (lambda v: np.sum(special.huber(np.ones(3, np.uint8), 3 * v)), V),
    "gammainc": (lambda v: np.sum(special.gammainc(ORDERS, np.abs(v))), V),
    **{f.__name__: (lambda v, f=f: np.sum(f(ORDERS, np.abs(v))), V)  # type: ignore[misc]
       for f in (special.jv, special.yv, special.iv, special.ive, special.kv, special.yn)},
}


@pytest.mark.parametrize("function, at", PROGRAMS.values(), ids=PROGRAMS)
def test_integers_do_not_wrap_around(function: Callable[[Any], Any], at: Any) -> None:
    steps = 1e-6 * np.eye(at.size)
    expected = [(function(at + step) - function(at - step)) / 2e-6 for step in steps]
    assert np.allclose(sourcediff.grad(function, mode="compiled")(at), expected, 1e-6, 1e-6)
    assert np.allclose(sourcediff.grad(function, mode="eager")(at), expected, 1e-4, 1e-6)
    assert np.allclose([sourcediff.jvp(function, (at,), (step * 1e6,))[1] for step in steps], expected, 1e-4, 1e-6)


def test_conversions_are_not_written_where_there_is_nothing_to_convert() -> None:
    text = sourcediff.gradient_source(lambda x, y: np.sum(np.arctan2(x, y) + x**y + np.interp(x, y, x)), args=(V, np.sort(np.abs(V))))
    assert "inexact" not in text


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_second_derivatives_of_values_that_an_array_of_integers_takes(mode: str) -> None:
    def f(v: Any) -> Any:
        return np.sum(np.insert(SMALL, 1, v[0]) * v[1] ** 3)

    expected = np.zeros((3, 3))
    expected[1, 1] = 550 * 6 * V[1]
    np.testing.assert_allclose(sourcediff.hessian(f, mode=mode)(V), expected)
