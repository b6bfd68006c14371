"""``np.einsum`` that only orders axes gives a view, and ``np.asanyarray`` the array itself: changes are seen through them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sourcediff import InPlaceError, Variable, grad

START = np.array([[1.0, 2.0], [3.0, 4.0]])
VIEWS: dict[str, Callable[[Any], Any]] = {
    "ij->ji": lambda b: np.einsum("ij->ji", b), "ij->ij": lambda b: np.einsum("ij->ij", b), "ii->i": lambda b: np.einsum("ii->i", b),
}


def value(x: Any, view: Callable[[Any], Any], into_view: bool) -> Any:
    b = x * 2
    y = view(b)
    (y if into_view else b)[0] = 7.0 * x[0, 0]
    return (b ** 2).sum() + (y * 3).sum()


@pytest.mark.parametrize("into_view", [True, False])
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_a_store_is_seen_through_both(view: Callable[[Any], Any], into_view: bool) -> None:
    v = Variable(START.copy(), requires_grad=True)
    out = value(v, view, into_view)
    out.backward()
    steps = 1e-6 * np.eye(4).reshape(4, 2, 2)
    expected = [(value(START + step, view, into_view) - value(START - step, view, into_view)) / 2e-6 for step in steps]
    assert float(out.data) == value(START, view, into_view)
    np.testing.assert_allclose(v.grad.data.ravel(), expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_a_leaf_is_not_changed_through_one(view: Callable[[Any], Any]) -> None:
    v = Variable(START.copy(), requires_grad=True)
    y = view(v)
    with pytest.raises(InPlaceError):
        y[0] = 5.0
    np.testing.assert_array_equal(v.data, START)


def through_itself(x: Any) -> Any:
    b = x * 2
    a = np.asanyarray(b)
    a[0] = 3 * x[1]
    return np.sum(b ** 2)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_asanyarray_is_the_array(mode: str) -> None:
    np.testing.assert_allclose(grad(through_itself, mode=mode)(np.ones(3)), [0.0, 26.0, 8.0])
