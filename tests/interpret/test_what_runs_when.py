"""What runs only on one way, what runs once, and containers of which it is known at run time alone which part is meant."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sourcediff


def counted_on_one_way(x):
    calls = 0

    def count():
        nonlocal calls
        calls += 1
        return calls

    y = count() * x if x > 100.0 else x
    if x > 100.0 and count() > 0:
        y = y * 2
    while count() < 4:
        y = y * 1.1
    return y * calls


def bound_in_a_condition(x):
    k = 1
    y = (k := 5) * x if x > 100.0 else x
    return y * k


def noted_until_one_holds(x):
    seen = []

    def note(v):
        seen.append(v)
        return v

    return x * len(seen) if x > 100.0 or note(x) > 1.0 and note(2.0) > 5 else x * (1 + len(seen))


def literal_that_a_loop_or_a_branch_leaves(x):
    for _ in range(3):
        k = 3
    if x > 0:
        m = 2
    for i in range(5):
        if i == 3:
            v = 7.0
            break
        v = 2.0 * i
    if x > 100:
        k = m = v = x
    return k * x + m * v * x


def returned_from_a_loop_or_not(x):
    for i in range(4):
        if 2 < i * x < 3:
            return -0.15 * x
    return x**2


def generator_beside_a_row(x):
    def harmonics(count):
        for k in range(1, count + 1):
            yield np.sin(k * x)

    row, total = np.array([1.0, 2.0]) * x, 0.0
    for a, wave in zip([4.0, 5.0, 6.0], harmonics(3)):
        total = total + a * wave
    for k, v in zip([2.0, 3.0], row):
        total = total + k * v
    return total * np.hypot(*row)


def in_the_order_of_a_key(x):
    row = np.array([3.0, -1.0, 2.0]) * x

    def cost(i):
        return (row[i] - 0.25) ** 2

    best, rows = min(range(3), key=cost), [(x, 2.0), (x**2, 1.0)]
    return sorted(row, key=lambda v: -v)[0] * row[best] * sorted(rows, key=lambda pair: pair[1])[0][0]


def pairs_that_are_in_no_set(x):
    bonds = {tuple(sorted(pair)) for pair in [(0, 1), (2, 1)]}
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4) if (i, j) not in bonds]
    row = np.arange(1.0, 5.0) * x
    assert row.shape == (4,)
    return sum(row[i] * row[j] ** 2 for i, j in pairs)


def iterators_that_are_shared(x):
    one, other, third = iter([x, 2.0, x**2, 3.0]), iter([x, 3 * x, 5.0]), iter([x, x**2, x**3])
    total = sum(p * q for p, q in zip(one, one))
    for v, k in zip(other, [1, 2]):
        total = total + v * k
    return total * sum(itertools.islice(third, 2)) * next(third)


def filtered_by_calls(x):
    calls = 0

    def count(v):
        nonlocal calls
        calls += 1
        return v

    y = [count(v) for v in (1.0, 2.0, 3.0) if v > 1.5 and count(v) > 2.5]
    return x * calls * y[0]


def drawn_once(x):
    rng = np.random.default_rng(0)
    return np.sum(np.where(rng.random(4) > 0.4, np.maximum(x * np.arange(4.0), 2.0), np.arctan(-x))) * rng.random()


def emptied_by_its_test(x):
    values, s = [x, 2 * x, 3 * x], 0.1
    while values and (v := values.pop()) > -1e6:
        s = s * v + v
    return s


def entry_of_a_list(x):
    weights, t = [x, x**2, x**3], 0.0
    for i in range(6):
        t = t + weights[i % 3] * i
    return t


def entry_of_a_tuple(x):
    points, t = [(0, x), (1, x**2)], 0.0
    for k in range(4):
        n, v = points[k % 2]
        t = t + n * v
    return t


def one_list_under_two_names(x):
    a = [x, x + 1]
    b = a
    for i in range(2):
        b[i % 2] = b[i % 2] * 2
    return a[0] * a[1]


def rows_of_rows(x):
    rows = [[0.0] * 3 for _ in range(3)]
    for i in range(3):
        for j in range(3):
            rows[i][(i + j) % 3] = x * (i + j)
    return rows[0][1] * rows[2][2]


def entries_under_computed_keys(x):
    d = {0: x, 1: 2 * x}
    for i in range(5):
        d[i % 2] += x * i
    memo: dict[int, Any] = {}
    for i in range(4):
        memo[i * 2] = x**i
    return d[0] * d[1] + memo[4] * memo[2]


def queue(x):
    waiting = [x, 2 * x]
    while len(waiting) > 0 and x > 0:
        y = waiting.pop()
        if y > 3:
            break
        x = x + y
        if x < 10:
            waiting.insert(0, y * 1.5)
    return x


def appended_on_one_way(x):
    parts = [x]
    if x > 0:
        parts.append(x * 2)
    del parts[0]
    return sum(parts) * sorted([x, 2 * x])[0]


@pytest.mark.parametrize("program", [
    literal_that_a_loop_or_a_branch_leaves, returned_from_a_loop_or_not,
    generator_beside_a_row, counted_on_one_way, bound_in_a_condition, noted_until_one_holds,
    iterators_that_are_shared, filtered_by_calls, drawn_once, emptied_by_its_test,
    entry_of_a_list, entry_of_a_tuple, one_list_under_two_names, rows_of_rows, entries_under_computed_keys, queue,
    appended_on_one_way, in_the_order_of_a_key, pairs_that_are_in_no_set,
])
def test_it_is_compiled_and_right(program: Callable[..., Any]) -> None:
    for x in (1.4, 0.6):
        value, slope = sourcediff.value_and_grad(program, mode="compiled")(x)
        np.testing.assert_allclose(value, program(x), rtol=1e-12)
        np.testing.assert_allclose(slope, (program(x + 1e-6) - program(x - 1e-6)) / 2e-6, rtol=1e-6)


def test_a_name_that_is_unbound_in_a_list_raises():
    def function(x):
        if x > 0:
            y = x * 3
        return [x, y][0]

    assert sourcediff.grad(function, mode="compiled")(1.0) == 1.0
    with pytest.raises(UnboundLocalError):
        sourcediff.grad(function, mode="compiled")(-1.0)
