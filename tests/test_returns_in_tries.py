"""What is raised in the ``return`` of a ``try``: the handler's way is differentiated, through all doors, and nothing is changed twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import UnsupportedSyntaxError

X = np.array([0.5, 1.0, 3.0])


def sixth(x: Any) -> Any:
    try:
        return x[5] * 1.0
    except IndexError:
        return np.sum(x**2)


def changed_before(x: Any) -> Any:
    x[0] *= 2.0
    try:
        return x[5] * 1.0
    except IndexError:
        return np.sum(x**2)


def item(x: Any, i: int) -> Any:
    return x[i] * 1.0


def by_a_helper(x: Any) -> Any:
    try:
        return item(x, 5)
    except IndexError:
        return np.sum(x**2)


CASES = [(sixth, 2 * X), (changed_before, 2 * X * [4, 1, 1]), (by_a_helper, 2 * X)]


@pytest.mark.filterwarnings("ignore::sourcediff.FallbackWarning")
@pytest.mark.parametrize("mode", ["auto", "eager"])
@pytest.mark.parametrize(("f", "gradient"), CASES)
def test_the_handler_answers(f: Callable[..., Any], gradient: Any, mode: str) -> None:
    v = np.array([1.0, -2.0, 0.5])
    x = X.copy()
    value, pullback = sourcediff.vjp(f, x, mode=mode)
    np.testing.assert_allclose(pullback(1.0)[0], gradient)
    after = X * [2, 1, 1] if f is changed_before else X
    np.testing.assert_array_equal(x, after)
    assert value == np.sum(after**2)
    np.testing.assert_allclose(sourcediff.grad(f, mode=mode)(X.copy()), gradient)
    np.testing.assert_allclose(sourcediff.jacobian(f, mode=mode)(X.copy()), gradient)
    np.testing.assert_allclose(sourcediff.jvp(f, (X.copy(),), (v,), mode=mode)[1], gradient @ v)


@pytest.mark.parametrize(("f", "gradient"), CASES)
def test_compiled_code_says_so(f: Callable[..., Any], gradient: Any) -> None:
    x = X.copy()
    for door in (lambda: sourcediff.vjp(f, x, mode="compiled"), lambda: sourcediff.jacobian(f, mode="compiled")(x)):
        with pytest.raises(UnsupportedSyntaxError, match="IndexError was raised in a try"):
            door()
    np.testing.assert_array_equal(x, X)
