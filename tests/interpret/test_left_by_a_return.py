"""Objects, dicts and tuples of them that a loop returns: what comes after the loop has them as the last trip left them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

import sourcediff
from sourcediff.errors import UnsupportedSyntaxError


class Stream:
    def __init__(self, flows, heat):
        self.flows = dict(flows)
        self.heat = heat

    def total(self):
        return sum(self.flows.values())

    def __mul__(self, k):
        return Stream({name: k * flow for name, flow in self.flows.items()}, self.heat)


@dataclass
class Pair:
    x: float
    y: float


def converged(x):
    tear = Stream({"a": x, "b": 1.0}, 3.0)
    for _ in range(50):
        new = Stream({"a": 0.5 * tear.flows["a"] + 0.3 * x, "b": 0.5 * tear.flows["b"] + 0.1 * x * x}, tear.heat + x)
        if abs(new.flows["a"] - tear.flows["a"]) < 1e-3:
            return new, tear * 2.0
        tear = new
    raise RuntimeError("no end")


def a_tuple_of_objects(x):
    new, old = converged(x)
    return new.total() * old.heat + old.flows["a"]


def of_one_return(x):
    def solved(x):
        pair = Pair(x, 1.0)
        for _ in range(50):
            pair = Pair(0.5 * pair.x + x, pair.y * x)
            if pair.x > 1.9 * x:
                return pair
        raise RuntimeError

    pair = solved(x)
    return pair.x * pair.y


def of_two_returns(x):
    def found(x):
        for i in range(9):
            if x * i > 2.5:
                return Pair(x * i, x * x)
            if i == 7:
                return Pair(1.0 * i, x)
        raise RuntimeError

    pair = found(x)
    return pair.x * pair.y


def or_what_comes_after(x):
    def found(x):
        for i in range(2):
            if x * i > 2.5:
                return Pair(x * i, x * x)
        return Pair(x, 3.0)

    pair = found(x)
    return pair.x * pair.y


def without_an_end(x):
    def found(x):
        i = 0
        while True:
            i += 1
            pair = Pair(x * i, x**i)
            if i > 3:
                return pair, i

    pair, i = found(x)
    return pair.x * pair.y * i


def a_dict(x):
    def found(x):
        for i in range(30):
            entry = {"a": x * i, "b": {"c": x**2}}
            if entry["a"] > 2:
                return entry
        raise ValueError

    entry = found(x)
    return entry["a"] * entry["b"]["c"]


def one_from_before(x):
    def moved(pair, x):
        for i in range(4):
            pair.x = pair.x + x
            if i == 2:
                return pair
        raise RuntimeError

    first = Pair(x, 2.0)
    second = moved(first, x)
    first.y = 5.0 * x
    return second.x * second.y


PROGRAMS = [a_tuple_of_objects, of_one_return, of_two_returns, or_what_comes_after, without_an_end, a_dict, one_from_before]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("x", [1.3, 0.45, 2.9])
def test_what_a_loop_returns(program: Callable[[float], Any], x: float) -> None:
    value, gradient = sourcediff.value_and_grad(program, mode="compiled")(x)
    assert value == pytest.approx(program(x), rel=1e-12)
    assert gradient == pytest.approx((program(x + 1e-6) - program(x - 1e-6)) / 2e-6, rel=1e-6)


def changed_after_it(x):
    def found(x):
        for i in range(5):
            pair = Pair(x * i, x)
            if i == 3:
                return pair
        raise RuntimeError

    pair = found(x)
    pair.x = pair.x * x
    return pair.x + pair.y


def held_elsewhere(x):
    def found(x):
        held = [Pair(1.0, 1.0)]
        for i in range(4):
            pair = Pair(x * i, x)
            held[0] = pair
            if i == 2:
                return pair, held
        raise RuntimeError

    pair, held = found(x)
    held[0].x = pair.x * x * 5
    return pair.x * pair.y


@pytest.mark.parametrize("program", [changed_after_it, held_elsewhere])
def test_what_is_changed_then_is_refused(program: Callable[[float], Any]) -> None:
    with pytest.raises(UnsupportedSyntaxError):
        sourcediff.grad(program, mode="compiled")(1.3)
