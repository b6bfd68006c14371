"""Python's max and min of equal numbers: the first one's, however they are given; NumPy's share evenly. The same in both engines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sourcediff import grad, hvp, jvp, vjp

MODES = ("compiled", "eager")


def collected(a: Any, b: Any) -> Any:
    found = []
    for v in (a, b):
        found.append(v)
    return max(found)


def named(a: Any, b: Any) -> Any:
    both = [a, b]
    return max(both)


OF_TWO: list[Callable[..., Any]] = [
    lambda a, b: max(a, b), lambda a, b: min(a, b), lambda a, b: max(a, b, 0.5), lambda a, b: min(a, b, 2.0),
    lambda a, b: max([a, b]), lambda a, b: min((a, b)), named, collected, lambda a, b: max(v for v in (a, b)),
    lambda a, b: max(*[a, b]), lambda a, b: max([a, b], key=lambda v: v), lambda a, b: max([a, b], default=0.0),
    lambda a, b: max(np.array([a, b])), lambda a, b: max({"p": a, "q": b}.values()), lambda a, b: max(map(abs, [a, b])),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("f", OF_TWO)
def test_the_first_of_two_arguments_wins(f: Callable[..., Any], mode: str) -> None:
    assert grad(f, wrt=(0, 1), mode=mode)(1.0, 1.0) == (1.0, 0.0)
    assert grad(f, wrt=(0, 1), mode=mode)(1.0, 1.25) in ((0.0, 1.0), (1.0, 0.0))
    assert vjp(f, 1.0, 1.0, mode=mode)[1](2.0) == (2.0, 0.0)
    assert jvp(f, (1.0, 1.0), (1.0, 0.0), mode=mode)[1] == 1.0
    assert jvp(f, (1.0, 1.0), (0.0, 1.0), mode=mode)[1] == 0.0


@pytest.mark.parametrize("mode", MODES)
def test_a_constant_before_it_wins_too(mode: str) -> None:
    assert grad(lambda a: max(1.0, a), mode=mode)(1.0) == 0.0
    assert grad(lambda a: max(a, 1.0), mode=mode)(1.0) == 1.0


OF_ONE: list[Callable[..., Any]] = [
    lambda x: max(x), lambda x: min(x), lambda x: max(v for v in x), lambda x: max(list(x)), lambda x: max([abs(v) for v in x]),
    lambda x: max(*x),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", [list, tuple, np.array])
@pytest.mark.parametrize("f", OF_ONE)
def test_the_first_entry_wins(f: Callable[..., Any], kind: Callable[..., Any], mode: str) -> None:
    np.testing.assert_array_equal(grad(f, mode=mode)(kind([2.0, 2.0, 2.0])), [1.0, 0.0, 0.0])
    np.testing.assert_array_equal(grad(f, mode=mode)(kind([2.0, 3.0, 3.0]))[2], 0.0)
    assert jvp(f, (kind([2.0, 2.0, 2.0]),), (kind([1.0, 0.0, 0.0]),), mode=mode)[1] == 1.0
    assert jvp(f, (kind([2.0, 2.0, 2.0]),), (kind([0.0, 1.0, 1.0]),), mode=mode)[1] == 0.0


@pytest.mark.parametrize("mode", MODES)
def test_numpy_shares(mode: str) -> None:
    for f in (np.max, np.min, lambda x: x.max(), lambda x: np.amin(x)):
        np.testing.assert_allclose(grad(lambda x, f=f: f(x) ** 2, mode=mode)(np.array([2.0, 2.0])), [2.0, 2.0])


@pytest.mark.parametrize("mode", MODES)
def test_in_second_order_it_is_the_first_too(mode: str) -> None:
    x, v = np.array([2.0, 3.0, 3.0]), np.array([1.0, 1.0, 5.0])
    np.testing.assert_allclose(hvp(lambda x: max(x) ** 3, mode=mode)(x, v), [0.0, 18.0, 0.0])
