"""Dicts of the text that are emptied, or asked for an entry that is a tuple; counters and chains that are given away."""

from collections import Counter, defaultdict
from itertools import chain, groupby, pairwise, product
from operator import itemgetter

import numpy as np
import pytest

from ..differences import assert_compiled, assert_refused

KEYS = "abacabba"


def a_default_until_it_is_emptied(x):
    seen = defaultdict(lambda: -1)
    total = 0.0
    for k, key in enumerate(KEYS):
        if key == "c":
            seen.clear()
        if k - seen[key] < 3:
            total = total + x[k % 5] ** 2
        seen[key] = k
    return total


def values_that_are_gone(x):
    last = {}
    total = 0.0
    for k, key in enumerate(KEYS):
        if key == "c":
            last.clear()
        if key in last:
            total = total + x[k % 5] ** 2 * last[key]
        last[key] = x[k % 5]
    return total


class Adam:
    def __init__(self, rate):
        self.rate, self.moments, self.t = rate, {}, 0

    def step(self, weights, slopes):
        self.t += 1
        for name, w in weights.items():
            m, v = self.moments.setdefault(name, (np.zeros_like(w), np.zeros_like(w)))
            m, v = 0.9 * m + 0.1 * slopes[name], 0.99 * v + 0.01 * slopes[name] ** 2
            self.moments[name] = m, v
            w -= self.rate * (m / (1 - 0.9 ** self.t)) / np.sqrt(v / (1 - 0.99 ** self.t) + 1e-3)


def moments_by_name(x):
    adam = Adam(0.1 + x[4] ** 2)
    weights = {"w": x[:2] * 1.0, "b": x[2:4] * 1.0}
    for _ in range(4):
        adam.step(weights, {"w": weights["w"] * 2 + x[2], "b": np.cos(weights["b"])})
    return (weights["w"] ** 2).sum() + weights["b"].sum()


def pairs_of(text):
    table = defaultdict(Counter)
    for a, b in pairwise(text):
        table[a][b] += 1
    return table


def counts_of_pairs(x):
    table = pairs_of("abcabdd")
    total = 0.0
    for first in "abcdz":
        row = table.get(first, Counter())
        whole = sum(row.values()) + 3 + x[0] ** 2
        for k, second in enumerate("abcd"):
            total += (row[second] + x[1]) / whole * x[k]
    return total


def chains_side_by_side(x):
    return sum((b - a) ** 2 for a, b in zip(chain([0.0], x), chain(x, [0.0])))


def chains_of_what_changes(x):
    y = x * 1.0
    total = 0.0
    for a, b in zip(chain([1.0], y), chain(y, [2.0])):
        y[4] = y[4] * 0.5
        total += a * b
    return total


def three_at_once(x):
    total = 0.0
    for (k, v), scale, sign in product(enumerate(x), (1.0, 2.0), "+-"):
        total += v ** 2 * scale * (k if sign == "+" else -0.5)
    return total


def groups_of_rows(x):
    rows = [(int(v > 0), v) for v in x]
    total = 0.0
    for key, group in groupby(rows, key=itemgetter(0)):
        group = list(group)
        total += (key + 1) * sum(v for _, v in group) ** 2 * len(group)
    return total


def groups_of_rows_in_order(x):
    by_place = {}
    for i, v in enumerate(x):
        by_place.setdefault(i % 2, []).append((i // 2, v ** 2))
    total = 0.0
    for rows in by_place.values():
        risk = 0.0
        for place, group in groupby(sorted(rows, key=itemgetter(0), reverse=True), key=itemgetter(0)):
            risk += sum(v for _, v in group)
            total += risk ** 2 * (place + 1)
    return total


def groups_of_what_grows(x):
    rows = [(0, x[0]), (0, x[1]), (1, x[2])]
    total = 0.0
    for key, group in groupby(rows, key=itemgetter(0)):
        if len(rows) < 5:
            rows.append((1, x[3]))
        for row in group:
            total += row[1] * (key + 1)
    return total


@pytest.mark.parametrize("program", [
    a_default_until_it_is_emptied, values_that_are_gone, moments_by_name, counts_of_pairs, chains_side_by_side, three_at_once,
    groups_of_rows, groups_of_rows_in_order,
])
def test_it_is_right(program):
    assert_compiled(program)


@pytest.mark.parametrize("program, why", [
    (chains_of_what_changes, "a chain of what a loop over it changes"), (groups_of_what_grows, "groups of what may change meanwhile"),
])
def test_what_changes_meanwhile_is_left_to_the_eager_engine(program, why):
    assert_refused(program, why)
