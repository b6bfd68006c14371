"""Central differences, for gradients of Variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sourcediff.eager import Variable, grad

STEP = 1e-6


def differences(f: Callable[..., float], *arrays: Any) -> list[Any]:
    """The gradient of a function of float64 arrays (or numbers) by central differences; accurate to about 1e-8."""
    found = []
    for position, array in enumerate(arrays):
        slopes = np.zeros(np.shape(array))
        for index in np.ndindex(slopes.shape):
            values = []
            for step in (STEP, -STEP):
                moved = np.array(array, dtype=float)
                moved[index] += step
                values.append(f(*arrays[:position], moved if np.ndim(array) else float(moved), *arrays[position + 1:]))
            slopes[index] = (values[0] - values[1]) / (2 * STEP)
        found.append(slopes)
    return found


def gradients(f: Callable[..., Any], *arrays: Any) -> list[Any]:
    """The gradient of the same function, on Variables."""
    variables = [Variable(array, requires_grad=True) for array in arrays]
    return [gradient.data for gradient in grad(f(*variables), variables)]


def agree(f: Callable[..., Any], *arrays: Any) -> None:
    """Assert that the two are equal, and that the value is that of the arrays."""
    variables = [Variable(array, requires_grad=True) for array in arrays]
    np.testing.assert_allclose(f(*variables).data, f(*arrays), rtol=1e-12)
    for got, expected in zip(gradients(f, *arrays), differences(f, *arrays)):
        np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-7)


def second_order_agrees(f: Callable[..., Any], *arrays: Any) -> None:
    """Assert that the derivative of the squared length of the gradient is right: the recorded backward pass."""

    def length(*points: Any) -> float:
        return sum(float(np.sum(gradient ** 2)) for gradient in gradients(f, *points))

    variables = [Variable(array, requires_grad=True) for array in arrays]
    first = grad(f(*variables), variables, create_graph=True)
    total = sum((np.sum(gradient * gradient) for gradient in first), start=0.0 * variables[0].sum())
    for got, expected in zip(grad(total, variables), differences(length, *arrays)):
        np.testing.assert_allclose(got.data, expected, rtol=1e-5, atol=1e-6)
