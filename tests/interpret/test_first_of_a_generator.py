"""``next`` of a generator of which only the run tells the first item; loops that do not run; ``del`` of the last items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sourcediff

X = 1.3
POLICY = [((0.0, 1.0), 0.5), ((1.0, 2.0), 1.5), ((2.0, 9.0), 2.5)]
VALUES = np.array([1.0, 2.0, 3.0, 4.0])


def a_rate_in_force(x, policy):
    total = 0.0
    for k in np.arange(3.0):
        rate = next(r for (low, high), r in policy if low <= k * x < high)
        total += rate * x * k
    return total


def or_a_default(x, values):
    return next((y * x for y in values if y > 2), 0.0) * x + next((y * x for y in values if y > 20), x**3)


def its_place(x, values):
    i = next(i for i, y in enumerate(values) if y * x > 2.5)
    return values[i] * x * i


def in_two_loops(x, values):
    return next(a * b * x for a in values for b in values if a * b > 3.5)


def or_none(x, values):
    j = next((j for j in range(len(values)) if values[j] > 2), None)
    return x if j is None else x * x * values[j]


def a_stack(x, values):
    stack = []
    for y in values:
        stack.append(y * x)
        while len(stack) >= 3:
            if stack[-1] * x < 0:
                break
            del stack[-2:]
            stack.append(y * x * x)
    return sum(stack) * len(stack)


def the_last_ones(x, values):
    kept = [x, x * 2, x**2]
    del kept[-2:]
    del kept[-5:]
    kept.append(x * 3)
    return sum(kept) * len(kept) + values[0]


def a_dict_of_pairs(x, values):
    names = [f"n{int(y)}" for y in values]
    by_name = dict(zip(names, x * values))
    return by_name["n2"] * by_name[names[-1]]


PROGRAMS = [
    (a_rate_in_force, POLICY), (or_a_default, VALUES), (its_place, VALUES), (in_two_loops, VALUES), (or_none, VALUES), (a_stack, VALUES),
    (the_last_ones, VALUES), (a_dict_of_pairs, VALUES),
]


@pytest.mark.parametrize(("program", "data"), PROGRAMS, ids=lambda part: getattr(part, "__name__", ""))
def test_the_gradient(program: Callable[..., float], data: Any) -> None:
    value, gradient = sourcediff.value_and_grad(program, mode="compiled")(X, data)
    assert value == pytest.approx(program(X, data), rel=1e-12)
    assert gradient == pytest.approx((program(X + 1e-6, data) - program(X - 1e-6, data)) / 2e-6, rel=1e-6)


def test_there_is_none() -> None:
    def missing(x, values):
        return next(y * x for y in values if y > 20)

    with pytest.raises(StopIteration):
        sourcediff.grad(missing, mode="compiled")(X, VALUES)


CELLS = {(i, j): 1.0 + i * j for i in range(4) for j in range(4)}


def over_cells(x, cells):
    means = {(i, j): x * 2 * i + x * x for (i, j) in cells}
    return sum(n * np.log(means[key]) for key, n in cells.items())


def test_a_loop_over_many_entries_stays_one() -> None:
    gradient = sourcediff.value_and_grad(over_cells, mode="compiled")
    value, found = gradient(X, CELLS)
    assert value == pytest.approx(over_cells(X, CELLS))
    assert found == pytest.approx((over_cells(X + 1e-6, CELLS) - over_cells(X - 1e-6, CELLS)) / 2e-6, rel=1e-6)
    assert "cells.items()" in gradient.source
    assert len(gradient.source.splitlines()) < 60

