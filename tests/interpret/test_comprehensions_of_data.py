"""Comprehensions of data that are refused item by item stay as they are, if nothing differentiated is in them and they only look."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError


@dataclass
class Unit:
    x: tuple
    treated: bool


UNITS = [Unit(tuple(0.1 * (k + j) for j in range(2 + k % 3)), k % 2 == 0) for k in range(80)]
X = np.array([0.3, 0.7, 1.1])


def rows_with_stars(x, units):
    rows = [[1.0, *u.x] for u in units if u.treated]
    return sum(len(row) * row[1] for row in rows) * x[0] ** 2


def in_a_loop(x, units):
    total = 0.0
    for k in range(3):
        sizes = [len([k, *u.x]) for u in units[k:]]
        total = total + x[k] ** 2 * sum(sizes)
    return total


def changed_afterwards(x, units):
    rows = [[*u.x, 1.0] for u in units]
    rows[0].append(2.0)
    first = rows[0]
    units = units[:2]
    return np.sum(first) * x[0] * len(units) * len(rows)


def with_what_is_differentiated(x, units):
    rows = [[x[0], *u.x] for u in units]
    return sum(row[0] * row[1] for row in rows)


def with_a_generator(x, units):
    rng = np.random.default_rng(0)
    rows = [[rng.normal(), *u.x] for u in units]
    return sum(row[0] * row[1] for row in rows) * x[1]


def of_another_name(x, units):
    u = 2.0
    rows = [[u, *v.x] for v in units]
    return sum(row[0] for row in rows) * x[2] * u


def of_its_own_name(x, units):
    u = units[3:]
    rows = helped(u[0], u)
    return len(rows) * x[0] ** 2 + len(rows[0]) * x[1]


def helped(units, u):
    u = u[1:]
    return [[1.0, *u.x] for u in u] + [units.x]


@pytest.mark.parametrize("function", [
    of_its_own_name, rows_with_stars, in_a_loop, changed_afterwards, with_what_is_differentiated, with_a_generator, of_another_name,
], ids=lambda function: function.__name__)
def test_the_gradient(function):
    moved = [(function(X + step, UNITS) - function(X - step, UNITS)) / 2e-6 for step in 1e-6 * np.eye(3)]
    try:
        value, gradient = sourcediff.value_and_grad(function, mode="compiled")(X, UNITS)
    except SourcediffError:
        assert function in (of_its_own_name, with_what_is_differentiated, with_a_generator, changed_afterwards)
        return
    np.testing.assert_allclose(value, function(X, UNITS))
    np.testing.assert_allclose(gradient, moved, rtol=1e-6)
