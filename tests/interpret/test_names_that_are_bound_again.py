"""What is kept of a loop's variables where its trips are written out: each trip binds them again."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError

DATA = [(0.1, 2.0), (0.4, 1.0), (0.9, 3.0), (1.3, 0.5)]
X = np.array([0.5, 1.2, 0.7])


class Event:
    def __init__(self, t, v):
        self.t, self.v = t, v


EVENTS = [Event(t, v) for t, v in DATA]


def default_of_a_lambda(x):
    functions = []
    for t, v in DATA:
        functions.append(lambda z, w=t: z * w)
    return sum(function(x[0]) for function in functions)


def default_of_a_function(x):
    functions = []
    for t, v in DATA:
        def scaled(z, w=v, u=t):
            return z * w + u * x[1]
        functions.append(scaled)
    return sum(function(x[0]) * (k + 1) for k, function in enumerate(functions))


def partials(x):
    functions = []
    for t, v in DATA:
        functions.append(functools.partial(lambda w, z: z * w, v))
    return sum(function(x[0]) * (k + 1) for k, function in enumerate(functions))


def beside_a_lambda(x):
    pairs = []
    for t, v in DATA:
        pairs.append((t, lambda z: z * x[0]))
    return sum(function(t) * (k + 1) for k, (t, function) in enumerate(pairs))


def stored_later(x):
    rows = []
    for k, (t, v) in enumerate(DATA):
        rows.append([t, v, lambda z: z])
        if k:
            rows[k - 1][0] = v
    return sum(row[2](x[0]) * row[0] * row[1] for row in rows)


def the_last_one(x):
    total, before = 0.0, None
    for t, v in DATA:
        if before is not None:
            total += (t - before) * x[0] * v
        before = t
    return total + before * x[1]


def read_afterwards(x):
    total = 0.0
    for t, v in shown(DATA):
        if v > 2.5:
            break
        kept = v
        total += x[0] * t * kept
    return total + kept * x[1] + t * x[2]


def shown(data):
    for t, v in data:
        u = t
        yield u, v


def shadowed(x):
    total = 0.0
    for t, v in DATA:
        w = v
        for v, q in DATA:
            total += w * v * x[0] + q
        total += w * x[1] + v * x[2] + t
    return total + w * x[0]


def bound_anew(x):
    total = 0.0
    for t, v in DATA:
        w = t
        t = t + 1
        total += w * x[0] + t * x[1]
        w = w * 2
        total += w * v * x[2]
    return total


def rows_of_zip(x):
    total = 0.0
    for row in zip(x, x ** 2, EVENTS):
        for k in range(2):
            total += row[k] * (k + 1)
        u, *rest = row
        total += u * rest[0] * row[2].v
        last = row
    return total + last[0] ** 2


def rows_kept(x):
    rows = []
    for row in zip(x, x * 2, [1.0, 2.0, 3.0]):
        rows.append(row)
    return sum(a * b * c for a, b, c in rows)


def objects_in_turn(x):
    total, before = 0.0, None
    for event in EVENTS:
        if before is not None:
            total += (event.t - before.t) * x[0] * event.v
        before = event
    return total


PROGRAMS = [
    default_of_a_lambda, default_of_a_function, partials, beside_a_lambda, stored_later, the_last_one, read_afterwards, shadowed,
    bound_anew, rows_of_zip, rows_kept, objects_in_turn,
]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_the_gradient(function):
    moved = [(function(X + step) - function(X - step)) / 2e-6 for step in 1e-6 * np.eye(3)]
    try:
        value, gradient = sourcediff.value_and_grad(function, mode="compiled")(X)
    except SourcediffError:
        assert function is objects_in_turn
        return
    np.testing.assert_allclose(value, function(X))
    np.testing.assert_allclose(gradient, moved, rtol=1e-5, atol=1e-8)
