"""The functions that are taken to other libraries."""

from __future__ import annotations

import numpy as np


def product(x, y):
    return np.sin(x) * y


def number(x, y):
    return np.sum(x**3 * y)


def several(x, y):
    return np.sum(x * y * x), x + y


def structured(p, y):
    return {"number": np.sum(p["w"] * y * p["w"]), "count": 3, "rest": (p["w"] + y, np.arange(3))}


def in_place(x):
    x *= 2.0
    return np.sum(x)


def returned(x):
    return x


def reversed_(x):
    return x[::-1]


def waves(u, rate, steps):
    u = u.copy()
    for _ in range(steps):
        u[1:-1] += rate * np.sin(u[2:] - u[:-2])
    return np.sum(u**2)


def of_mixed(x, y):
    """What the tests make of two functions of a library's, ``mixed`` and ``polar``, in NumPy alone."""
    def mixed(x, y):
        return np.sin(x) * y + y**3

    return np.sum(mixed(np.hypot(x, y), np.arctan2(y, x)) * mixed(x, y))


X, Y = np.array([0.3, -0.7, 1.2]), np.array([0.5, 0.6, 0.2])
