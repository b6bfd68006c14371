"""Positions found in what is indexed, through every door; and the caller's lists of indices as a plain call leaves them."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sourcediff

from .corpus import positions

X = np.array([0.3, 1.0, 2.5, 0.1, 0.7, 0.4])
M = np.array([[0.3, 1.0, 2.5, 0.1], [0.5, 0.2, 1.4, 0.9], [1.1, 1.2, 0.3, 0.4]])
V = np.array([0.3, -1.2, 0.5, 0.8, -0.4, 1.7])

FUNCTIONS = [
    (positions.peak, X), (positions.from_peak, X), (positions.columns_from_peak, M), (positions.around_peak, X),
    (positions.halved_at_peak, X), (positions.part_of_itself, X), (positions.row_of_itself, M), (positions.sum_of_itself, M),
    (positions.largest_of_list, X), (positions.row_by_list, M), (positions.pivoted, M[:, :3]),
]


def differences(f: Callable[[Any], Any], x: Any) -> Any:
    found, h = np.zeros((*x.shape, *np.shape(f(x.copy())))), 1e-5
    for place in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[place] = h
        found[place] = (f(x + step) - f(x - step)) / (2 * h)
    return found


DOORS = {
    "grad": lambda f, x: sourcediff.grad(f, mode="compiled")(x),
    "eager": lambda f, x: sourcediff.grad(f, mode="eager")(x),
    "checked": lambda f, x: sourcediff.grad(f, check=True)(x),
    "value_and_grad": lambda f, x: sourcediff.value_and_grad(f)(x)[1],
    "vjp": lambda f, x: sourcediff.vjp(f, x)[1](1.0)[0],
    "reverse": lambda f, x: sourcediff.jacobian(f, direction="reverse")(x),
    "forward": lambda f, x: sourcediff.jacobian(f, direction="forward")(x),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("f", "x"), FUNCTIONS, ids=lambda part: getattr(part, "__name__", ""))
def test_first_order(f: Any, x: Any, door: str) -> None:
    np.testing.assert_allclose(DOORS[door](f, x.copy()), differences(f, x), rtol=1e-6, atol=1e-6)


SECOND = {
    "hvp": lambda f, x, v: sourcediff.hvp(f)(x, v),
    "hessian": lambda f, x, v: np.tensordot(sourcediff.hessian(f)(x), v, v.ndim),
    "twice": lambda f, x, v: sourcediff.grad(lambda x: np.sum(sourcediff.grad(f)(x) * v))(x),
}


@pytest.mark.parametrize("door", SECOND)
@pytest.mark.parametrize(("f", "x"), FUNCTIONS, ids=lambda part: getattr(part, "__name__", ""))
def test_second_order(f: Any, x: Any, door: str) -> None:
    v = np.resize(V, x.shape)
    h = 1e-4
    expected = (differences(f, x + h * v) - differences(f, x - h * v)) / (2 * h)
    np.testing.assert_allclose(SECOND[door](f, x.copy(), v), expected, rtol=1e-4, atol=1e-4)


def test_the_adjoint_is_found_by_the_primal() -> None:
    text = sourcediff.gradient_source(positions.peak, args=(X,))
    assert "x_bar[int(np.argmax(x))] = 2 * x[int(np.argmax(x))]" in text


def shortened_by_another_name(x, idx):
    mine, s = idx, 1.0
    while mine:
        s *= x[mine[-1]]
        k = mine.pop()
        s += x[k]
    return s


def shortened_in_a_pair(x, pair):
    idx, last = pair
    s = 1.0
    while idx:
        k = idx.pop()
        s *= x[k] + x[last]
    return s


def shortened_on_a_path(x, idx):
    s = 1.0
    if x[0] < 5:
        k = idx.pop()
        s = x[k] ** 2
    for k in idx:
        s *= x[k]
    return s * x[idx[0]]


@pytest.mark.filterwarnings("ignore::sourcediff.errors.FallbackWarning")  # a derivative of what puts them back is refused
@pytest.mark.parametrize("door", ["grad", "value_and_grad", "vjp", "forward", "hvp"])
@pytest.mark.parametrize(("f", "given"), [
    (positions.index_shortened, [3, 1, 2]), (positions.index_gone_over, [3, 1, 2]), (shortened_by_another_name, [3, 1, 2]),
    (shortened_in_a_pair, ([3, 1, 2], 4)), (shortened_on_a_path, [3, 1, 2]), (positions.stored_index, [1, 2, 3]),
], ids=lambda part: getattr(part, "__name__", ""))
def test_indices_are_left_as_a_plain_call_leaves_them(f: Any, given: Any, door: str) -> None:
    call = {
        "grad": lambda idx: sourcediff.grad(f)(X, idx),
        "value_and_grad": lambda idx: sourcediff.value_and_grad(f)(X, idx)[1],
        "vjp": lambda idx: sourcediff.vjp(f, X, idx, wrt=0)[1](1.0),
        "forward": lambda idx: sourcediff.jacobian(f, direction="forward")(X, idx),
        "hvp": lambda idx: sourcediff.hvp(f)(X, idx, V),
    }[door]
    left, got = copy.deepcopy(given), copy.deepcopy(given)
    f(X, left)
    found = call(got)
    assert got == left

    def plain(x: Any) -> Any:
        return f(x, copy.deepcopy(given))

    def slope(x: Any) -> Any:
        return differences(plain, x)

    expected = slope(X) if door != "hvp" else (slope(X + 1e-4 * V) - slope(X - 1e-4 * V)) / 2e-4
    np.testing.assert_allclose(found, expected, rtol=1e-4 if door == "hvp" else 1e-6, atol=1e-4 if door == "hvp" else 1e-6)
