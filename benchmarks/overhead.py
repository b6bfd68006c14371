"""What a warm call of a gradient costs beside the generated function that it calls."""

from __future__ import annotations

import numpy as np

import sourcediff

from .measure import Row, medians, same

BAR = 3e-6


def square(x):
    return x * x


def rows() -> list[Row]:
    """``grad(f)(x)`` less a direct call of the generated function: against the bar of 3 µs, and against a call of NumPy's."""
    x = 1.5
    gradient = sourcediff.grad(square, mode="compiled")
    namespace: dict = {}
    exec(sourcediff.gradient_source(square, args=(x,)), namespace)
    direct = namespace["square_grad"]
    same(gradient(x), direct(x))

    small = np.ones(4)
    whole, bare, add = medians(lambda: gradient(x), lambda: direct(x), lambda: np.add(small, small), rounds=101)
    return [
        Row("warm call", "overhead of a call", whole - bare, "3 µs", BAR, 1.0),
        Row("warm call", "overhead of a call", whole - bare, "np.add of two arrays of 4", add),
    ]
