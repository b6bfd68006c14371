"""What is a view or a copy depends on how an array lies in memory: right for each layout, and where that cannot be, refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import AliasingError

from .corpus import mirrors
from .corpus.asserts import assert_clear, line_of
from .sampling import name_of, sampled

LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "rows": lambda a: np.array(a, order="C"), "columns": lambda a: np.array(a, order="F"),
    "every other": lambda a: np.repeat(np.repeat(a, 2, 0), 2, 1)[::2, ::2],
    "backwards": lambda a: np.ascontiguousarray(a[::-1, ::-1])[::-1, ::-1],
}
FUNCTIONS = [function for function in vars(mirrors).values() if getattr(function, "__module__", "") == mirrors.__name__]


@sampled(4, "function, layout, mode", FUNCTIONS, LAYOUTS, ["compiled", "eager"], ids=name_of)
def test_every_layout(function: Callable[..., Any], layout: str, mode: str) -> None:
    lay = LAYOUTS[layout]
    a = np.random.default_rng(5).standard_normal((3, 4))
    given, after = lay(a), lay(a)
    value = function(after)
    found, gradient = sourcediff.value_and_grad(function, mode=mode)(given)
    assert found == pytest.approx(value, rel=1e-13)
    np.testing.assert_array_equal(given, after)
    slopes = [(function(lay(a + step)) - function(lay(a - step))) / 2e-6 for step in 1e-6 * np.eye(a.size).reshape(a.size, *a.shape)]
    np.testing.assert_allclose(gradient, np.reshape(slopes, a.shape), rtol=1e-5, atol=1e-5 * max(1.0, np.max(np.abs(slopes))))


@sampled(8, "function, layout", FUNCTIONS, LAYOUTS, ids=name_of)
def test_every_layout_forwards_and_twice(function: Callable[..., Any], layout: str) -> None:
    lay = LAYOUTS[layout]
    a, v = np.random.default_rng(5).standard_normal((2, 3, 4))
    gradient = sourcediff.grad(function, mode="eager")(lay(a))
    assert sourcediff.jvp(function, (lay(a),), (v,), mode="compiled")[1] == pytest.approx(np.sum(gradient * v), rel=1e-9)
    try:
        found = sourcediff.hvp(function, mode="compiled")(lay(a), v)
    except AliasingError:
        return
    np.testing.assert_allclose(found, sourcediff.hvp(function, mode="eager")(lay(a), v), rtol=1e-7, atol=1e-9)


def stored_into_the_diagonal(a: np.ndarray) -> Any:
    b = a * 2
    d = np.diagonal(b)
    d[0] = a[0, 1]
    return np.sum(b)


def test_a_view_that_cannot_be_stored_into() -> None:
    with pytest.raises(AliasingError) as caught:
        sourcediff.grad(stored_into_the_diagonal, mode="compiled")(np.ones((2, 2)))
    assert_clear(caught.value, "d is changed in place while b", at=line_of(stored_into_the_diagonal, "d[0]"))
    with pytest.raises(ValueError, match="read-only"):
        sourcediff.grad(stored_into_the_diagonal, mode="eager")(np.ones((2, 2)))


def of_an_argument_by_another_name(x, y):
    b = x[0:3]
    x, y = y, x
    y[:] = y[2] * x[0]
    return np.sum(b)


def test_an_argument_whose_name_is_bound_again_is_refused() -> None:
    """Stored into at its end, it would be the other argument."""
    x, y = np.arange(1.0, 5.0), np.arange(2.0, 6.0)
    with pytest.raises(AliasingError) as caught:
        sourcediff.grad(of_an_argument_by_another_name, (0, 1), mode="compiled")(x, y)
    assert_clear(caught.value, at=line_of(of_an_argument_by_another_name, "y[:] = y[2] * x[0]"))
    found = sourcediff.grad(of_an_argument_by_another_name, (0, 1), mode="eager")(x, y)
    np.testing.assert_array_equal(found, [[0, 0, 6, 0], [9, 0, 0, 0]])


def swapped_while_its_mirror_changes(x: np.ndarray, a: np.ndarray) -> Any:
    for row in a:
        k = 0
        while k < 3:
            row[[1, 0]] = np.hypot(x[2:], 0.3 + a[k - 1, 1] ** 2)
            row, x = x, row
            k += 1
    return np.sum(np.sin(a))


def test_a_mirror_that_goes_on_by_another_name_is_refused() -> None:
    """Bound again, it would leave that name with what the array was."""
    with pytest.raises(AliasingError, match="still in use"):
        sourcediff.grad(swapped_while_its_mirror_changes, (0, 1), mode="compiled")(np.arange(1.0, 5.0), np.arange(12.0).reshape(3, 4) / 7)
