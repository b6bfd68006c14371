"""``a.flat``: what it is given to, what it is stored from, and where it is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sourcediff import grad
from sourcediff.errors import AliasingError, UnsupportedSyntaxError

POINT = np.array([0.3, -0.5, 0.7, 1.2])


def given_to_functions(x: Any) -> Any:
    a = x.reshape(2, 2)
    return np.sum(a.T.flat) ** 2 + np.dot(np.array(a.flat), x) + np.dot(x.flat, x) + np.max(a.flat)


def test_functions_of_numpy_are_given_a_copy() -> None:
    expected = 2 * np.sum(POINT) + 4 * POINT + (POINT == np.max(POINT))
    assert np.allclose(grad(given_to_functions, mode="compiled")(POINT.copy()), expected)


def own_entries(x: Any) -> Any:
    a = x * 1.0
    a.flat[1:] = a[:-1]
    return np.sum(a ** 2)


def transposed_entries(x: Any) -> Any:
    a = x.reshape(2, 2) * 1.0
    a.flat = a.T
    return np.sum(a ** 2)


@pytest.mark.parametrize("function", [own_entries, transposed_entries])
@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_entries_stored_one_by_one_into_what_they_are_read_from_are_refused(function: Callable[..., Any], mode: str) -> None:
    with pytest.raises(AliasingError, match="entry by entry"):
        grad(function, mode=mode)(POINT.copy())


def named(x: Any) -> Any:
    a = x * 1.0
    entries = a.flat
    entries[1] = x[0] ** 2
    return np.sum(a ** 2)


def change(entries: Any) -> None:
    entries[0] = 3.0


def handed_on(x: Any) -> Any:
    a = x * 1.0
    change(a.flat)
    return np.sum(a ** 2)


@pytest.mark.parametrize("function", [named, handed_on])
def test_a_name_for_the_entries_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(UnsupportedSyntaxError):
        grad(function, mode="compiled")(POINT.copy())
    assert np.allclose(grad(function, mode="eager")(POINT.copy()), by_differences(function))


def in_the_order_of_memory(x: Any) -> Any:
    a = (x.reshape(2, 2) * 1.0).T
    total = 1.0
    for v in np.nditer(a):
        total = total * v + v
    return total


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_nditer_goes_as_the_entries_lie(mode: str) -> None:
    assert np.allclose(grad(in_the_order_of_memory, mode=mode)(POINT.copy()), by_differences(in_the_order_of_memory))


def by_differences(function: Callable[..., Any]) -> Any:
    steps = np.eye(4) * 1e-6
    return [(function(POINT + step) - function(POINT - step)) / 2e-6 for step in steps]
