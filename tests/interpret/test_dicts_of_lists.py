"""Dicts of lists that are given differentiated values, under keys that the run tells: the text holds the items by key and position."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError

WORDS, NUMBERS = ["a", "b", "a", "c", "b", "a"], [2, 0, 1, 2, 2, 0]
X, T = np.array([0.5, 1.2, 0.7, 0.9, 1.6, 0.3]), 1.3


def by_default(x, t, keys=WORDS):
    groups = defaultdict(list)
    for i, k in enumerate(keys):
        groups[k].append(x[i] * t)
    total = 0.0
    for _, values in groups.items():
        total += sum(values) ** 2 / len(values)
    return total


def pairs_by_setdefault(x, t, keys=NUMBERS):
    groups = {}
    for i, k in enumerate(keys):
        groups.setdefault(k, []).append((x[i], x[i] * t))
    total = 0.0
    for pairs in groups.values():
        for u, w in pairs:
            total = total * 0.9 + u * w
    return total


def in_a_comprehension(x, t, keys=NUMBERS):
    groups = {k: [] for k in range(3)}
    for i, k in enumerate(keys):
        groups[k].append(x[i] ** 2)
    return sum(np.mean(groups[k]) * np.sum(groups[k]) for k in sorted(groups)) * t


def under_the_keys_of_a_list(x, t, keys=NUMBERS):
    places = sorted(set(keys))
    groups = {k: [] for k in places}
    for i in range(6):
        for k in places:
            groups[k].append(x[i] * (k + t))
    return sum(np.sum(np.array(groups[k]) ** 2) for k in places)


def asked_first(x, t, keys=WORDS):
    groups = {}
    for i, k in enumerate(keys):
        if k not in groups:
            groups[k] = []
        groups[k].append(x[i] * t)
    return sum(max(values) * values[0] * values[-1] for values in groups.values())


def from_the_last_one(x, t, keys=NUMBERS):
    groups = defaultdict(list)
    for i, k in enumerate(keys):
        if groups[k]:
            groups[k].append(groups[k][-1] * x[i])
        else:
            groups[k].append(x[i] * t)
    return sum(sum(values) for values in groups.values()) * (1 + len(groups[7]))


def begun_again(x, t, keys=NUMBERS):
    groups = defaultdict(list)
    for r in range(2):
        for i, k in enumerate(keys):
            groups[k].append(x[i] * t * (r + 1))
        groups[0] = [t]
    return sum(np.sum(np.array(values) ** 2) for values in groups.values())


def in_each_trip(x, t, keys=NUMBERS):
    total = 0.0
    for r in range(3):
        groups = defaultdict(list)
        for i, k in enumerate(keys):
            groups[k].append((x[i] * t, r))
        for k in groups:
            total += sum(u * (r + 1) for u, r in groups[k])
        x = x * 1.1
    return total


def means(x, t, keys=WORDS):
    groups = defaultdict(list)
    for i, k in enumerate(keys):
        groups[k].append(x[i] * t)
    mean = {k: np.mean(values) for k, values in groups.items()}
    return sum((x[i] - mean[k]) ** 2 for i, k in enumerate(keys))


def extended(x, t, keys=NUMBERS):
    groups = defaultdict(list)
    for i, k in enumerate(keys):
        groups[k].append(x[i] * t)
    first = groups[0]
    first.append(t * t)
    groups[1].extend([t, x[0]])
    return sum(sum(values) * len(values) for values in groups.values())


def in_order(x, t, keys=NUMBERS):
    groups = defaultdict(list)
    for i, k in enumerate(keys):
        groups[k].append(x[i] * t)
    total = 0.0
    for _, values in sorted(groups.items()):
        total = total * 0.5 + sum(values)
    return total


def arrays(x, t, keys=NUMBERS):
    groups = defaultdict(list)
    for i, k in enumerate(keys):
        groups[k].append(np.array([x[i], t]))
    return sum(np.sum(np.stack(values) ** 2) for values in groups.values()) + sum(len(values) for values in groups.values()) * t


def exchanged(x, t, keys=NUMBERS):
    groups = {}
    for i, k in enumerate(keys):
        groups.setdefault(k, []).append(x[i] * t)
    before = groups[0]
    groups[0] = [t]
    return sum(before) * sum(groups[0])


def shortened(x, t, keys=NUMBERS):
    groups = defaultdict(list)
    for i, k in enumerate(keys):
        groups[k].append(x[i] * t)
        if len(groups[k]) > 1:
            groups[k].pop(0)
    return sum(sum(values) for values in groups.values())


def shared(x, t, keys=NUMBERS):
    groups, others = defaultdict(list), defaultdict(list)
    for i, k in enumerate(keys):
        groups[k].append(x[i] * t)
        others[k] = groups[k]
    others[0].append(t)
    return sum(sum(values) for values in groups.values())


def updated(x, t, keys=NUMBERS):
    groups = defaultdict(list)
    for i, k in enumerate(keys):
        groups[k].append(x[i] * t)
    for values in groups.values():
        for q in range(len(values)):
            values[q] = values[q] * 2
    return sum(sum(values) for values in groups.values())


def grown_in_its_loop(x, t, keys=NUMBERS):
    groups = defaultdict(list)
    for i, k in enumerate(keys):
        groups[k].append(x[i] * t)
    total = 0.0
    for v in groups[0]:
        total += v
        if len(groups[0]) < 5:
            groups[0].append(v * 0.5)
    return total


PROGRAMS = [value for value in list(globals().values()) if callable(value) and getattr(value, "__module__", "") == __name__]
MAY_BE_REFUSED = {exchanged, shortened, shared, updated, grown_in_its_loop}


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_the_gradient(function):
    moved = [(function(X + step, T) - function(X - step, T)) / 2e-6 for step in 1e-6 * np.eye(6)]
    moved.append((function(X, T + 1e-6) - function(X, T - 1e-6)) / 2e-6)
    try:
        value, (along_x, along_t) = sourcediff.value_and_grad(function, wrt=(0, 1), mode="compiled")(X, T)
    except SourcediffError:
        assert function in MAY_BE_REFUSED
        return
    np.testing.assert_allclose(value, function(X, T))
    np.testing.assert_allclose([*along_x, along_t], moved, rtol=1e-5, atol=1e-7)
