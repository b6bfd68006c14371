"""Lists and tuples where NumPy takes an array, though nobody sees at first that they are lists: chosen, found, handed on, grown."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sourcediff import FallbackWarning, grad, hvp, jvp, vjp


def chosen(p: Any, x: Any, first: Any) -> Any:
    return np.linalg.norm(p if first else [1.0, 2.0, 3.0]) + np.sum(x)


def chosen_by_a_branch(p: Any, x: Any, first: Any) -> Any:
    q = p if first else [1.0, 2.0, 3.0]
    return np.sum((x[:3] - q) ** 2) + np.sum((q * x[:3]) ** 2)


def subtracted(p: Any, x: Any) -> Any:
    return np.sum((x[:3] - p) ** 2)


def by_operators(p: Any, x: Any) -> Any:
    return np.sum(x[:3] * p) + np.sum(p * x[:3]) + np.sum(x[:3] + p) - np.sum(p - x[:3]) + np.sum(x[:3] / p)


def updated(p: Any, x: Any) -> Any:
    y = x[:3].copy()
    y += p
    y *= p
    return np.sum(y)


def best_of(p: Any) -> Any:
    best = None
    for k in range(2):
        q = [v * (k + 1) for v in p]
        if best is None or np.linalg.norm(q) > np.linalg.norm(best):
            best = q
    return np.linalg.norm(best)


def in_a_dict(p: Any) -> Any:
    held = {"a": p}
    return np.linalg.norm(held["a"]) + np.dot(held["a"], held["a"])


def rows(p: Any) -> Any:
    both = [p, p]
    return np.linalg.norm(both[0]) + np.sum(np.exp(both))


def largest_list(a: Any, b: Any, c: Any, d: Any) -> Any:
    return np.linalg.norm(max([a, b], [c, d]))


def parts(p: Any) -> Any:
    return np.linalg.norm(p[1:]) + np.sum(np.square(p[:-1]))


def ordered(p: Any) -> Any:
    return np.linalg.norm(sorted(p)) + np.mean(p) + np.std(p) + p[np.argmax(p)] ** 2


def scaled_twice(p: Any) -> Any:
    q = p
    for _ in range(2):
        q = [v * 1.5 for v in q]
    return np.linalg.norm(q)


def dotted(x: Any, weights: Any) -> Any:
    return np.dot(x, weights) + np.sum((x - weights) ** 2)


def scaled_and_shifted(x: Any, p: Any) -> Any:
    pixels = np.column_stack([x, x**2]) * [p[0], p[1]] + [p[2], p[0]]
    return np.sum(pixels**2)


def distorted(x: Any, p: Any) -> Any:
    return np.column_stack([x * p[0], x**2])


def by_a_helper(x: Any, p: Any) -> Any:
    return np.sum((distorted(x, p) * [p[0], p[1]] + [p[2], p[0]]) ** 2)


P, X = [1.0, 3.0, 2.0], np.array([0.5, 1.5, 2.5, 3.0])
PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (chosen, (P, X, True)), (chosen_by_a_branch, (P, X, True)), (subtracted, (P, X)), (by_operators, (P, X)), (updated, (P, X)),
    (best_of, (P,)), (in_a_dict, (P,)), (rows, (P,)), (largest_list, (1.0, 3.0, 2.0, 1.0)), (parts, (P,)), (ordered, (P,)),
    (scaled_twice, (P,)), (scaled_and_shifted, (X[:3], P)), (by_a_helper, (X[:3], P)), (dotted, (X[:3], P)),
]


def slopes(f: Callable[..., Any], args: tuple[Any, ...], wrt: int) -> Any:
    at = np.asarray(args[wrt], float)
    back = np.ndarray.tolist if isinstance(args[wrt], list) else float if not at.ndim else np.asarray
    found = np.zeros(at.shape)
    for index in np.ndindex(at.shape):
        step = np.zeros(at.shape)
        step[index] = 1e-6
        ends = [f(*args[:wrt], back(at + way * step), *args[wrt + 1:]) for way in (1, -1)]
        found[index] = (ends[0] - ends[1]) / 2e-6
    return found


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_a_list_counts_as_an_array(f: Callable[..., Any], args: tuple[Any, ...], mode: str) -> None:
    for wrt in range(min(2, len(args))):
        expected = slopes(f, args, wrt)
        np.testing.assert_allclose(grad(f, wrt=wrt, mode=mode)(*args), expected, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(vjp(f, *args, wrt=wrt, mode=mode)[1](1.0), expected, rtol=1e-6, atol=1e-8)
        along = tuple(value if position == wrt else None for position, value in enumerate(args))
        np.testing.assert_allclose(jvp(f, args, along, mode=mode)[1], np.sum(expected * np.asarray(args[wrt])), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_in_second_order_too(mode: str) -> None:
    v = [1.0, -1.0, 0.5]
    np.testing.assert_allclose(hvp(subtracted, mode=mode)(P, X, v), np.multiply(2, v))
    r = np.linalg.norm(P)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)  # the compiler takes the derivative of this one once
        found = hvp(chosen, mode="auto" if mode == "compiled" else mode)(P, X, True, v)
    np.testing.assert_allclose(found, np.array(v) / r - np.array(P) * np.dot(P, v) / r ** 3)
