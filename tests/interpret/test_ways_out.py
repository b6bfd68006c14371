"""Blocks that are left before their end, and what stands for one thing or another by the way that was taken."""

from __future__ import annotations

import contextlib
import enum
import functools
import itertools
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff import UnsupportedSyntaxError

POINTS = [np.array([1.0, 0.2, 0.3]), np.array([0.3, 0.7, -0.4]), np.array([0.1, 0.2, 0.8])]


class Counted:
    """A manager that counts how often it was entered and left."""

    def __init__(self) -> None:
        self.entered = self.left = 0

    def __enter__(self) -> Counted:
        self.entered += 1
        return self

    def __exit__(self, *raised: object) -> None:
        self.left += 5


class Way(enum.Enum):
    PLAIN = 1
    SQUARED = 2


class Tally:
    calls = 0

    def add(self, v: Any) -> Any:
        self.calls += 1
        return v * self.calls


@dataclass
class Setup:
    way: Way = Way.SQUARED
    weights: Any = field(default_factory=lambda: np.array([1.0, 2.0, 3.0]))


def continued_before_a_finally(x):
    y = 0.0
    for i in range(4):
        try:
            if i == 2:
                continue
            if x[0] * i > 2.5:
                break
            y = y + x[1] * i
        finally:
            y = y * 1.5
        y = y + x[2]
    return y


def returned_before_a_finally(x):
    buffer = x * 2.0
    try:
        if x[0] > 0.5:
            return np.sum(buffer * x)
        return np.sum(buffer)
    finally:
        buffer[:] = 0.0


def returned_from_a_quiet_block(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.where(x > 0, np.log(np.abs(x)), x)
        if np.sum(y) > -2.0:
            return np.sum(y)
    return np.sum(y * x)


def returned_from_managers(x):
    with np.errstate(all="ignore"), Counted() as counted:
        return np.sum(np.log(x * x)) * counted.entered


def broken_out_of_a_manager(x):
    counted, y = Counted(), x[0]
    for i in range(3):
        with counted as c:
            if y * i > 0.7:
                break
            y = y * c.entered
    return y * counted.left


def caught_or_not(x):
    try:
        y = x * x
        return np.sum(y * 3.0)
    except ValueError:
        return 1.0


def searched(x):
    def found(v):
        for k in range(len(v)):
            if v[k] > 0.6:
                return k, v[k]
        return None

    hit = found(x)
    if hit is None:
        return np.sum(x)
    return hit[0] * hit[1] + hit[1] ** 2


def the_best_so_far(x):
    best = None
    for i in range(3):
        if best is None or x[i] > best[1]:
            best = (i, x[i] * 2.0)
    return best[1] * (best[0] + 1)


def tuples_of_two_lengths(x):
    def powers(v):
        if v > 0:
            return v, v**2
        return (v,)

    return sum(powers(v)[-1] * len(powers(v)) for v in x)


def one_of_three_functions(x):
    if x[0] > 0.5:
        act = np.sin
    elif x[0] > 0.2:
        act = np.cos
    else:
        def act(v):
            return v * x[1]
    return np.sum(act(x))


def another_function_from_here_on(x):
    act = np.sin
    if x[0] > 0.2:
        act = np.cos
    y = act(x)
    if x[1] > 0.5:
        act = np.tanh
    return np.sum(act(y))


def left_at_one_of_a_few(x):
    total = 0.0
    for v in [x, 2 * x]:
        if v[0] > 1.5:
            break
        total = total + np.sum(v * v)
    return total + x[1]


def imported_here(x):
    import math

    from numpy import cos as cosine

    return math.sin(x[0]) * np.sum(cosine(x))


def counted_in_a_class_attribute(x):
    tally, total = Tally(), 0.0
    for v in x:
        if v > 0:
            total = total + tally.add(v)
    return total * tally.calls


def by_a_member(x, way=Way.PLAIN):
    setup = Setup()
    y = x * setup.weights if setup.way is Way.SQUARED else x
    return np.sum(y) if way is Way.SQUARED else np.sum(y * y)


def chosen_by_names(x):
    low, high = x < 0.25, x > 0.6
    return np.sum(np.select([low, high], [x**2, np.sin(x)], 0.5 * x))


def reduced(x):
    return functools.reduce(operator.mul, x) + sum(a * b for a, b in itertools.pairwise([v**2 for v in x]))


def said_by_half_a_sentence(x):
    kept = []
    x[0] > 0.2 and kept.append(x[0])
    kept.append(x[1]) if x[1] > 0.5 else kept.append(x[2])
    return sum(v * v for v in kept)


def factored_with_a_jitter(x):
    K = np.exp(-0.5 * np.subtract.outer(np.arange(3.0), np.arange(3.0)) ** 2) * (1.0 + x[0] ** 2) + np.diag(x**2)
    for jitter in (0.0, 1e-8, 1e-6):
        try:
            L = np.linalg.cholesky(K + jitter * np.eye(3))
            break
        except np.linalg.LinAlgError:
            continue
    return np.sum(np.log(np.diag(L))) * x[1]


class Simulation:
    def __init__(self, x: Any):
        self.rate, self.state = x[0], x * 1.0

    @contextlib.contextmanager
    def scaled(self, factor: float) -> Any:
        before, self.rate = self.rate, self.rate * factor
        yield self
        self.rate = before

    def step(self) -> None:
        self.state = self.state + 0.1 * self.rate * np.roll(self.state, 1)


def stepped_in_a_manager(x):
    simulation = Simulation(x)
    for _ in range(3):
        with simulation.scaled(1.5) as scaled:
            scaled.step()
        try:
            simulation.step()
        finally:
            simulation.rate = simulation.rate * 0.9
    return np.sum(simulation.state) * simulation.rate


def product_of_a_list(x):
    from math import pi

    turns = [np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]) for a in x * pi]
    whole = functools.reduce(np.matmul, turns)
    return whole[0, 0] * x[0] + whole[0, 1]


def two_of_each(x):
    a, b = (v * v for v in x[:2])
    return a * b + x[2]


def left_or_finished(x):
    total = 0.0
    for i in range(3):
        try:
            if x[i] > 0.6:
                break
            total = total + x[i] ** 2
        finally:
            total = np.sin(total) + x[0]
    else:
        total = total * x[1]
    return total


PROGRAMS = [
    left_or_finished,
    continued_before_a_finally, returned_before_a_finally, returned_from_a_quiet_block, returned_from_managers, broken_out_of_a_manager,
    caught_or_not, searched, the_best_so_far, tuples_of_two_lengths, one_of_three_functions, another_function_from_here_on,
    left_at_one_of_a_few, imported_here, counted_in_a_class_attribute, by_a_member, chosen_by_names, reduced, said_by_half_a_sentence,
    factored_with_a_jitter, stepped_in_a_manager, product_of_a_list, two_of_each,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_it_is_compiled_and_right(program: Callable[..., Any]) -> None:
    gradient = sourcediff.value_and_grad(program, mode="compiled")
    for x in POINTS:
        value, slope = gradient(x.copy())
        np.testing.assert_allclose(value, program(x.copy()), rtol=1e-12)
        steps = 1e-6 * np.eye(3)
        np.testing.assert_allclose(slope, [(program(x + step) - program(x - step)) / 2e-6 for step in steps], rtol=1e-6, atol=1e-8)


def test_what_follows_a_try_that_may_return_is_not_forgotten() -> None:
    def returned_or_not(x):
        try:
            if x > 0:
                return x
        except ValueError:
            pass
        return x * 2.0

    with pytest.raises(UnsupportedSyntaxError, match="leaving a try"):
        sourcediff.grad(returned_or_not, mode="compiled")(-1.5)
    assert sourcediff.grad(returned_or_not, mode="eager")(-1.5) == 2.0


def test_a_list_keeps_the_name_of_its_variable() -> None:
    def stacked(x, n):
        parts = []
        for j in range(n):
            parts.append(np.sin(x * j))
        return np.sum(np.stack(parts) ** 2)

    assert "parts.append(" in sourcediff.gradient_source(stacked, args=(POINTS[0], 3))
