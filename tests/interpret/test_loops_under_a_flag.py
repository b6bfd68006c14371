"""Loops over objects that a ``break`` or a ``return`` may leave: their trips are written out, and a flag tells whether there is another."""

from __future__ import annotations

import numpy as np
import pytest

import sourcediff

POINTS = [np.array([0.5, 1.2, 0.7]), np.array([1.9, 0.4, 0.9]), np.array([0.2, 0.3, 0.25]), np.array([2.6, 1.3, 1.1])]


class Surface:
    def __init__(self, a, kind="plain"):
        self.a, self.kind, self.hits = a, kind, 0

    def hit(self, t):
        if t * self.a > 3:
            return None, None
        return t * self.a, t + self.a

    def push(self, t):
        self.a = self.a * 0.5 + t
        self.hits += 1


def surfaces(x):
    return [Surface(x[0]), Surface(x[1], "mirror"), Surface(x[2]), Surface(x[0] * x[1], "mirror")]


def trace(rows, t):
    path = 0.0
    for surface in rows:
        p, q = surface.hit(t)
        if p is None:
            return None
        path += p * t
        if surface.kind == "mirror":
            t = t * q
            continue
        t = t - 0.3 * q
        if t < 0:
            return None
    return t, path


def traced(x, t):
    found = trace(surfaces(x), t)
    if found is None:
        return x[0] * t
    return found[0] * found[1]


def bundle(x, t):
    total = 0.0
    for k in range(3):
        found = trace(surfaces(x), t * (k + 1) * 0.5)
        if found is not None:
            u, v = found
            total += u * v
    return total


def pushed(x, t):
    rows = surfaces(x)
    for surface in rows:
        surface.push(t)
        if surface.a > 1.57:
            break
        t = t * surface.a
    return t + sum(surface.a * surface.hits for surface in rows)


def within_one_another(x, t):
    rows = surfaces(x)
    for one in rows:
        for other in rows:
            if other.a * one.a > 1.23:
                break
            t = t + other.a * one.a
        if t > 3.1:
            break
        one.push(t * 0.1)
    return t * rows[0].a


def best(x, t):
    found = Surface(0.0)
    for surface in surfaces(x):
        if surface.a > found.a:
            found = surface
        if found.a * t > 1.01:
            break
    return found.a * t * found.a


def counted(x, t):
    for number, surface in enumerate(surfaces(x)):
        t = t * surface.a
        if t < 0.51:
            break
    return t * number


def with_else(x, t):
    for surface in surfaces(x):
        t = t + surface.a
        if t > 3.02:
            break
    else:
        t = t * 10
    return t


def pairs(x, t):
    p = t, 1.0
    for surface in surfaces(x):
        if p[0] > 2.02:
            break
        p = p[0] + surface.a, p[1] * surface.a
    return p[0] * p[1]


def in_a_while(x, t):
    rows, i = surfaces(x), 0
    while i < 5:
        i += 1
        for surface in rows:
            surface.a = surface.a * 0.9
            if surface.a * t > 1.03:
                break
            t = t * 1.05
        t = t + rows[-1].a
    return t


def thrice_of_four(x, t):
    total = 0.0
    for z, kind in zip(np.concatenate([x, [t]]), ["a", "b", "c"]):
        total = total + z * (t if kind == "b" else x[0])
    return total


@pytest.mark.parametrize("function", [
    traced, bundle, pushed, within_one_another, best, counted, with_else, pairs, in_a_while, thrice_of_four,
], ids=lambda function: function.__name__)
def test_the_gradient(function):
    gradient = sourcediff.value_and_grad(function, wrt=(0, 1), mode="compiled")
    for x in POINTS:
        for t in (0.4, 1.3, 2.3):
            value, (along_x, along_t) = gradient(x, t)
            moved = [(function(x + step, t) - function(x - step, t)) / 2e-6 for step in 1e-6 * np.eye(3)]
            np.testing.assert_allclose(value, function(x, t))
            np.testing.assert_allclose(along_x, moved, rtol=1e-5, atol=1e-7)
            np.testing.assert_allclose(along_t, (function(x, t + 1e-6) - function(x, t - 1e-6)) / 2e-6, rtol=1e-5, atol=1e-7)
