"""Programs of which the gradients were wrong: a tuple stays what it is where a loop or a branch changes what it holds."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest

import sourcediff

X = np.array([0.7, -1.3, 0.95, 0.2, -0.4])
OTHERS = np.array([-0.31, 1.27, 0.53, -0.84, 0.66]), np.array([1.9, 0.45, -0.77, -0.12, 0.58])
Pair = namedtuple("Pair", "a b")


class OnePole:
    def __init__(self, g):
        self.g, self.y = g, 0.0

    def tick(self, x):
        self.y = self.g * x - 0.3 * self.y
        return self.y


class Squared(OnePole):
    def tick(self, x):
        self.y = self.y * 0.5 + self.g * x
        return self.y ** 2


class Chain:
    def __init__(self, *blocks):
        self.blocks = blocks

    def tick(self, x):
        for block in self.blocks:
            x = block.tick(x)
        return x


@dataclass(frozen=True)
class Rack:
    first: object
    rest: tuple


def filters(x):
    chain = Chain(OnePole(x[0]), *[Squared(x[1]) for _ in range(2)])
    total = 0.0
    for _ in range(5):
        total += chain.tick(x[2] + total)
    return total


def bound_methods(x):
    ticks = (OnePole(x[0]).tick, Squared(x[1]).tick)
    t = 0.0
    for _ in range(4):
        for tick in ticks:
            t = tick(x[2] + t)
    return t


def in_a_dict(x):
    blocks = {"s": (OnePole(x[0]), Squared(x[1])), "k": Pair(Squared(x[2]), x[3])}
    t = 0.0
    for _ in range(4):
        t = blocks["s"][1].tick(blocks["s"][0].tick(x[2] + t)) + blocks["k"].a.tick(t) * blocks["k"].b
    return t


def in_a_frozen_dataclass(x):
    rack = Rack(OnePole(x[0]), (Squared(x[1]), [Squared(x[2])]))
    t = 0.0
    for _ in range(4):
        t = rack.first.tick(x[2] + t) + rack.rest[0].tick(t) + rack.rest[1][0].tick(t)
    return t


def in_one_branch(x):
    blocks = (OnePole(x[0]), Squared(x[1]))
    t = blocks[0].tick(x[2]) if x[2] > 0 else blocks[1].tick(x[3])
    return t + blocks[0].y * x[4] + blocks[1].y


def closures(x):
    def cell():
        kept = [x[0]]

        def up(z):
            kept[0] = kept[0] * 0.5 + z
            return kept[0]

        def get():
            return kept[0] * x[1]

        return up, get

    cells = (cell(), cell())
    t = 0.0
    for _ in range(4):
        for up, get in cells:
            t = t + up(x[2] + t) * get()
    return t


def arrays_lists_and_dicts(x):
    held = (np.array([x[0], x[1]]), [x[2]], {"k": x[3]})
    for _ in range(4):
        held[0][:] = held[0] * held[1][0]
        held[1][0] += held[2]["k"]
        held[2]["k"] = held[0].sum()
    return held[0].sum() + held[1][0] * x[4]


PROGRAMS = [filters, bound_methods, in_a_dict, in_a_frozen_dataclass, in_one_branch, closures, arrays_lists_and_dicts]


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_gradient(program):
    slope = sourcediff.value_and_grad(program, mode="compiled")
    for x in (X, *OTHERS):
        value, slopes = slope(x)
        assert value == pytest.approx(program(x), rel=1e-12)
        along = [(program(x + 1e-6 * e) - program(x - 1e-6 * e)) / 2e-6 for e in np.eye(len(x))]
        np.testing.assert_allclose(slopes, along, rtol=1e-5, atol=1e-5)
