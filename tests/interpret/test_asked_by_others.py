"""Small idioms of programs of others: members by their words, keys that are tuples, products of iterators, exceptions that hold an object,
functions given to solvers that make objects.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from enum import Enum

import numpy as np
import pytest
from scipy.optimize import brentq

import sourcediff

X = np.array([0.7, 0.4, 0.3])


class Stage(Enum):
    EGG = 0
    ADULT = 1


class Rates:
    def __init__(self, survival, fecundity):
        self.table = {}
        for stage in Stage:
            self.table["survival", stage] = survival[stage.value]
        self.table |= {("fecundity", Stage[word]): x for word, x in fecundity.items()}

    def __getitem__(self, key):
        return self.table.get(key, 0.0)

    def __setitem__(self, key, value):
        self.table[key] = value


def members_by_words(x):
    rates = Rates(x[:2], {"ADULT": x[2] * 3})
    rates["survival", Stage["EGG"]] = x[0] * x[1]
    return sum(rates["survival", stage] * (1 + rates["fecundity", stage]) for stage in Stage)


def product_of_an_iterator(x):
    total = 0.0
    for a, (b, weight) in itertools.product(x, zip(x[1:], (2.0, 3.0))):
        total += a * b * weight
    return total


class Blocked(ArithmeticError):
    pass


@dataclass
class Surface:
    curvature: float
    gap: float

    def trace(self, y):
        inside = 1 - (self.curvature * y) ** 2
        if inside < 0:
            raise Blocked(self)
        return y * np.sqrt(inside) - self.gap


def through(surfaces, y):
    for surface in surfaces:
        y = surface.trace(y)
    return y


class Curve:
    def __init__(self):
        self.times, self.logs = [0.0], [0.0]

    def longer(self, time, rate):
        made = type(self)()
        made.times = self.times + [time]
        made.logs = self.logs + [self.logs[-1] - rate * (time - self.times[-1])]
        return made

    def __call__(self, time):
        i = min(np.searchsorted(self.times, time), len(self.times) - 1)
        w = (time - self.times[i - 1]) / (self.times[i] - self.times[i - 1])
        return np.exp((1 - w) * self.logs[i - 1] + w * self.logs[i])


def bootstrapped(x):
    curve = Curve()
    for time, quote in zip((0.5, 1.0, 2.0), x):
        rate = brentq(lambda r: curve.longer(time, r)(time) * (1 + quote * time) - 1, -0.1, 3.0, xtol=1e-14)  # noqa: B023
        curve = curve.longer(time, rate)
    return curve(1.5) * curve(0.7)


def by_differences(program, x):
    return [(program(x + d) - program(x - d)) / 2e-6 for d in 1e-6 * np.eye(len(x))]


@pytest.mark.parametrize("program", [members_by_words, product_of_an_iterator, bootstrapped])
def test_it_is_compiled(program):
    value, slopes = sourcediff.value_and_grad(program, mode="compiled")(X)
    assert value == pytest.approx(program(X), rel=1e-12)
    np.testing.assert_allclose(slopes, by_differences(program, X), rtol=1e-6, atol=1e-8)


def test_an_exception_may_hold_an_object():
    surfaces = [Surface(0.3, 0.1), Surface(0.5, 0.2)]
    slopes = sourcediff.grad(through, mode="compiled")(surfaces, 0.8)
    for position, name in itertools.product(range(2), ("curvature", "gap")):
        ends = []
        for step in (1e-6, -1e-6):
            moved = [Surface(s.curvature, s.gap) for s in surfaces]
            setattr(moved[position], name, getattr(moved[position], name) + step)
            ends.append(through(moved, 0.8))
        assert getattr(slopes[position], name) == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-7)
    blocking = [Surface(2.0, 0.1)]
    with pytest.raises(Blocked) as caught:
        sourcediff.grad(through, mode="compiled")(blocking, 0.8)
    assert caught.value.args[0] is blocking[0]
