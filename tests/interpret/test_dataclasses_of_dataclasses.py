"""Dataclasses whose class adds to them without being one, and fields that are given by name alone."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

import sourcediff

X = np.array([0.7, -1.3, 0.95])


@dataclass
class Plate:
    a: float
    b: float = 2.0

    def area(self):
        return self.a * self.b


class Thick(Plate):
    height = 3.0

    def area(self):
        return super().area() * self.height


class After(Plate):
    def __post_init__(self):  # of which Plate does not know
        self.a = self.a * 5


@dataclass(frozen=True)
class Still:
    a: float
    b: float = 1.5


class Sum(Still):
    @property
    def sum(self):
        return self.a + self.b ** 2


@dataclass
class Named:
    x: float = field(default=2.0, kw_only=True)
    y: float = 3.0
    z: float = field(default=5.0, init=False)


@dataclass(kw_only=True)
class Scaled(Plate):
    c: float = 1.0

    def __post_init__(self):
        self.c = self.c * self.a


class Twice(Scaled):
    def __post_init__(self):
        self.c = self.c * self.a * 3


def added_to(x):
    plate = Thick(x[0], x[1])
    plate.a *= 2
    return plate.area()


def replaced(x):
    return replace(Thick(x[0]), b=x[1]).area() + replace(Sum(x[2]), b=x[1]).sum


def frozen(x):
    return Sum(x[0], x[1]).sum * x[2]


def not_called_after(x):
    return After(x[0], x[1]).area()


def by_name(x):
    first, second = Named(x[0]), Named(x[1], x=x[2])
    return first.x * first.y * first.z + second.x * second.y * second.z


def called_after(x):
    first, second = Scaled(x[0], x[1], c=x[2]), Twice(x[0], c=x[2])
    return first.a * first.b * first.c + second.a * second.b * second.c


@pytest.mark.parametrize("program", [added_to, replaced, frozen, not_called_after, by_name, called_after])
def test_it_is_compiled(program):
    value, slopes = sourcediff.value_and_grad(program, mode="compiled")(X)
    assert value == pytest.approx(program(X), rel=1e-12)
    np.testing.assert_allclose(
        slopes, [(program(X + step) - program(X - step)) / 2e-6 for step in 1e-6 * np.eye(3)], rtol=1e-6, atol=1e-6)
