"""What a warm call of a gradient costs beside the generated function that it calls."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import sourcediff

from .measure import Row, medians, same

BAR = 3e-6
CLOSER = 2e-6
"""The bar of three arrays."""


def one(x):
    return x * x


def three(a, b, c):
    return np.sum(a * b * c)


def four(a, b, c, d):
    return np.sum(a * b * c * d)


def structure(params, x):
    return np.sum(params["w"] * x) + np.sum(params["b"])


def rows() -> list[Row]:
    """``grad(f)(…)`` less a direct call of the generated function: against bars of 2 and 3 µs, and against a call of NumPy's."""
    small = np.ones(4)
    calls: list[tuple[str, Any, tuple[Any, ...], dict[str, Any]]] = [
        ("a number", one, (1.5,), {}),
        ("three arrays", three, (small,) * 3, {}),
        ("four arrays", four, (small,) * 4, {}),
        ("four arrays, two by keyword", four, (small, small), {"c": small, "d": small}),
        ("a dict of two arrays, and an array", structure, ({"w": small, "b": small}, small), {}),
    ]
    found = []
    for case, function, args, kwargs in calls:
        gradient = sourcediff.grad(function, mode="compiled")
        namespace: dict[str, Any] = {}
        exec(sourcediff.gradient_source(function, args=(*args, *kwargs.values())), namespace)
        direct = namespace[f"{function.__name__}_grad"]
        same(gradient(*args, **kwargs), direct(*args, **kwargs))
        whole, bare = medians(partial(gradient, *args, **kwargs), partial(direct, *args, **kwargs), rounds=101)
        bar = CLOSER if case == "three arrays" else BAR
        found.append(Row("overhead of a warm call", case, whole - bare, f"{bar * 1e6:.0f} µs", bar, 1.0))
    (add,) = medians(partial(np.add, small, small), rounds=101)
    return [*found, *(row._replace(peer="np.add of two arrays of 4", theirs=add, bar=None) for row in found[:2])]
