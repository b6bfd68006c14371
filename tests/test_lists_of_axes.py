"""``np.einsum`` with lists of axes instead of letters: the array stands where the letters do else, and has its gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import MissingRuleError

X = np.array([[1.0, 2.0], [3.0, 4.0]])
W = np.array([[0.5, -1.0], [2.0, 1.5]])
AXES = [1, 0]


def ordered(x):
    return np.sum(np.einsum(x, [0, 1], [1, 0]) ** 2 * W)


def without_a_result(x):
    return np.sum(np.einsum(x, [1, 0]) ** 2 * W)


def diagonal(x):
    return np.sum(np.einsum(x, [0, 0], [0]) ** 2) + np.einsum(x, [0, 0], [])


def with_dots(x):
    return np.sum(np.einsum(x, [..., 0], [0, ...]) ** 3 * W) + np.sum(np.einsum(x, [0, Ellipsis], [Ellipsis]))


def of_two(x):
    return np.sum(np.einsum(x, [0, 1], W, [1, 2]) ** 2) + np.sum(np.einsum(W, [0, 1], x, (0, 2), (1, 2)) ** 2)


def of_three(x):
    return np.sum(np.einsum(x, [0, 1], x, [1, 2], x[0], [2]) ** 2)


def large_numbers(x):
    return np.sum(np.einsum(x, [30, 2]) ** 2 * W)


def with_an_option(x):
    return np.sum(np.einsum(x, [0, 1], [1, 0], optimize=True) ** 2 * W)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize(
    "function", [ordered, without_a_result, diagonal, with_dots, of_two, of_three, large_numbers, with_an_option], ids=lambda f: f.__name__)
def test_the_gradient_is_right(function: Callable[[Any], Any], mode: str) -> None:
    steps = 1e-6 * np.eye(4).reshape(4, 2, 2)
    wanted = [(function(X + step) - function(X - step)) / 2e-6 for step in steps]
    np.testing.assert_allclose(np.ravel(sourcediff.grad(function, mode=mode)(X)), wanted, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(sourcediff.jvp(function, (X,), (W,), mode=mode)[1], np.dot(wanted, W.ravel()), rtol=1e-7)


def axes_from_outside(x):
    return np.sum(np.einsum(x, AXES, [0, 1]) ** 2 * W)


def test_lists_that_are_not_written_out() -> None:
    """The array would be taken for the letters, which have no derivative: compiled code refuses it."""
    with pytest.raises(MissingRuleError, match="with respect to subscripts"):
        sourcediff.grad(axes_from_outside, mode="compiled")(X)
    np.testing.assert_allclose(sourcediff.grad(axes_from_outside, mode="eager")(X), 2 * X * W.T)


def letters_from_outside(x, letters):
    return np.sum(np.einsum(letters, x) ** 2 * W)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_letters_that_are_not_written_out(mode: str) -> None:
    np.testing.assert_allclose(sourcediff.grad(letters_from_outside, mode=mode)(X, "ij->ji"), 2 * X * W.T)
