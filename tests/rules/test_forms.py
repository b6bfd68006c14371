"""Calls in the less usual forms that NumPy allows: right, or refused with what to write instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import MissingRuleError, NonDifferentiableError

V = np.array([0.41, -0.77, 1.19])
X = np.sin(np.arange(12.0)).reshape(3, 4) + 0.1 * np.arange(4)

RIGHT: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "trapezoid, columns of steps": (lambda x: np.sum(np.sin(np.trapezoid(x, dx=np.array([[0.5], [0.8]]), axis=0))), X[:, :2]),
    "trapezoid, rows of steps": (lambda x: np.sum(np.sin(np.trapezoid(x, dx=np.arange(1.0, 5.0), axis=0))), X),
    "trapezoid, points of fewer dimensions": (lambda x: np.sum(np.sin(np.trapezoid(np.stack([x, x * x]), x, axis=-2))), X),
    "clip, one bound": (lambda v: np.sum(v.clip(0.9) ** 2), V),
    "clip, max": (lambda v: np.sum(v.clip(max=0.9) ** 2), V),
    "clip, min": (lambda v: np.sum(v.clip(min=v[0]) ** 2), V),
    "insert, more values than places": (lambda x: np.sum(np.insert(x, [1], x[:, :2], axis=1) ** 3), X),
    "insert, a row": (lambda x: np.sum(np.insert(x, 1, x[0], axis=0) ** 3 * np.arange(16.0).reshape(4, 4)), X),
    "split, descending": (lambda v: np.sum(np.split(v, [2, 1])[0] ** 3) + np.sum(np.split(v, [2, 1])[2] ** 2), V),
    "hsplit, descending": (lambda x: np.sum(np.hsplit(x, [3, 1])[2] ** 2), X),
    "insert, one value": (lambda x: np.sum(np.insert(x, [0, 2], x[0, 0]) ** 3 * np.arange(14.0)), X),
}

REFUSED: dict[str, tuple[Callable[[Any], Any], Any, type[Exception]]] = {
    "trapezoid": (lambda v: np.sum(np.trapezoid(v, X[:, :2], axis=0)), V, MissingRuleError),
    "qr": (lambda x: np.sum(np.linalg.qr(x)[1] ** 2), X, NonDifferentiableError),
}


@pytest.mark.parametrize("function, at", RIGHT.values(), ids=RIGHT)
def test_right(function: Callable[[Any], Any], at: Any) -> None:
    units = np.eye(at.size).reshape(-1, *at.shape)
    expected = np.reshape([(function(at + 1e-6 * unit) - function(at - 1e-6 * unit)) / 2e-6 for unit in units], at.shape)
    assert np.allclose(sourcediff.grad(function, mode="compiled")(at), expected, 1e-5, 1e-6)
    assert np.allclose(sourcediff.grad(function, mode="eager")(at), expected, 1e-5, 1e-6)
    tangents = [sourcediff.jvp(function, (at,), (unit,))[1] for unit in units]
    assert np.allclose(np.reshape(tangents, at.shape), expected, 1e-5, 1e-6)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("function, at, error", REFUSED.values(), ids=REFUSED)
def test_refused(function: Callable[[Any], Any], at: Any, error: type[Exception], mode: Any) -> None:
    with pytest.raises(error, match="instead"):
        sourcediff.grad(function, mode=mode)(at)


def test_second_derivatives_of_a_determinant_need_an_inverse() -> None:
    with pytest.raises(NonDifferentiableError, match="singular"):
        sourcediff.hessian(lambda x: np.linalg.det(x[[0, 1, 1]]))(X[:, :3])


@pytest.mark.parametrize("reduced", [
    lambda x: np.mean(x, keepdims=True), lambda x: np.sum(x, axis=(0, 1), keepdims=True), lambda x: x.sum(axis=None, keepdims=True),
])
def test_a_gradient_has_the_dtype_of_its_argument(reduced: Callable[[Any], Any]) -> None:
    def weighted(x: Any) -> Any:
        return np.sum(reduced(x) * np.array([[0.3]]))

    assert sourcediff.grad(weighted, mode="compiled")(X.astype(np.float32)).dtype == np.float32
