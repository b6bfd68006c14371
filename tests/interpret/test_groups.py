"""``itertools.groupby`` over data: a group is a list, where the loop over the groups reads it once, as the iterator could be."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError

ROWS = [{"who": "b", "t": 1.0}, {"who": "a", "t": 2.0}, {"who": "b", "t": 0.5}, {"who": "c", "t": 3.0}, {"who": "a", "t": 1.5}]
LABELS = [0, 0, 1, 1, 1, 2]


def of_sorted_rows(x, rows):
    def who(row):
        return row["who"]

    total = 0.0
    for _, group in itertools.groupby(sorted(rows, key=who), key=who):
        total += sum(np.sin(x[0] * row["t"]) for row in group) ** 2
    return total


def with_its_number(x, rows):
    by_name = itertools.groupby(rows, key=operator.itemgetter("who"))
    total = 0.0
    for k, (name, group) in enumerate(by_name):
        rows = list(group)
        total += len(rows) * np.exp(x[k % 2] * rows[0]["t"]) * (2.0 if name == "b" else 1.0)
    return total


def in_a_comprehension(x, labels):
    return sum(len(list(group)) * x[label] ** 2 for label, group in itertools.groupby(labels))


def by_a_closure(x, labels):
    total = 0.0
    for label, group in itertools.groupby(range(len(labels)), lambda i: labels[i]):
        rows = list(group)
        total += np.prod(x[rows]) * (label + 1)
    return total


@pytest.mark.parametrize(("program", "data", "n"), [
    (of_sorted_rows, ROWS, 1), (with_its_number, ROWS, 2), (in_a_comprehension, LABELS, 3), (by_a_closure, LABELS, 6),
], ids=lambda part: getattr(part, "__name__", ""))
def test_groups(program: Callable[..., float], data: Any, n: int) -> None:
    x = np.linspace(0.5, 1.5, n)
    value, gradient = sourcediff.value_and_grad(program, mode="compiled")(x, data)
    assert value == pytest.approx(program(x, data), rel=1e-12)
    for k, step in enumerate(1e-6 * np.eye(n)):
        assert gradient[k] == pytest.approx((program(x + step, data) - program(x - step, data)) / 2e-6, rel=1e-6)


def read_twice(x, labels):
    total = 0.0
    for _, group in itertools.groupby(labels):
        total += x[0] * len(list(group)) + x[1] * len(list(group))  # noqa: B031
    return total


def read_in_a_loop(x, labels):
    total = 0.0
    for _, group in itertools.groupby(labels):
        for k in range(2):
            total += x[k] * len(list(group))  # noqa: B031
    return total


def kept_for_later(x, labels):
    groups = [group for _, group in itertools.groupby(labels)]
    return sum(len(list(group)) * x[0] for group in groups) + x[1]


@pytest.mark.parametrize("program", [read_twice, read_in_a_loop, kept_for_later])
def test_groups_that_are_read_again(program: Callable[..., float]) -> None:
    x = np.array([0.5, 1.5])
    try:
        value, gradient = sourcediff.value_and_grad(program, mode="compiled")(x, LABELS)
    except SourcediffError:
        return
    assert value == pytest.approx(program(x, LABELS))
    assert gradient == pytest.approx([program(step, LABELS) for step in np.eye(2)])
