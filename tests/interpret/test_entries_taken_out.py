"""Dicts that lose entries that are differentiated, by ``del`` and ``pop``: histories of contacts, caches; and ``get`` of lists in dicts."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError

X = np.array([0.7, -1.3, 0.95, 0.2, -0.4])
OTHERS = np.array([-0.31, 1.27, 0.53, -0.84, 0.66]), np.array([1.9, 0.45, -0.77, -0.12, 0.58])


def deleted(x):
    held, total = {}, 0.0
    for i in range(8):
        k = i % 3
        held[k] = held.get(k, 0.0) + x[i % 5] * x[(i + 1) % 5]
        total += held[k] * x[0]
        if x[i % 5] > 0.5:
            del held[k]
    return total + sum(held.values())


def under_pairs(x):
    held, total = {}, 0.0
    for i in range(8):
        k = (i % 3, i % 2)
        held[k] = held.get(k, 0.0) + x[i % 5] * x[(i + 1) % 5]
        total += held[k] * x[0]
        if x[i % 5] > 0.5:
            held.pop((0, i % 2), None)
    for k, v in held.items():
        total = total * 0.9 + v * (k[0] + 1)
    return total


def taken(x):
    held, total = {}, 0.0
    for i in range(8):
        held[i] = x[i % 5] * x[0]
        total = total + held.pop(i - 2, x[2] * 0.5) * (i + 1)
        for k in held:
            total = total * 0.9 + held[k] * k
    return total


def many(x):
    held, total = {}, 0.0
    for n in range(3):
        for i in range(5):
            if x[i] > 0.1 * n:
                held[i] = held.get(i, 0.0) * 0.5 + x[i]
        for k in [k for k in held if (k + n) % 2]:
            del held[k]
        total += sum(v * v * (k + 1) for k, v in held.items())
    return total


def at_the_end(x):
    """What is put in again comes last."""
    held = {i: x[i] * x[0] for i in range(5)}
    n = int(abs(x[0]) * 3) % 5
    v = held.pop(n)
    held[n] = v * v
    total = 0.0
    for k, v in held.items():
        total = total * 0.7 + v * (k + 1)
    return total


def arrays(x):
    held, total = {}, 0.0
    for i in range(5):
        held[i] = np.array([x[i], x[0]])
    for i in range(4):
        if x[i] > 0.3 and i in held:
            a = held.pop(i)
            total += a.sum() * x[4]
            held[i + 1] = held[i + 1] + a
    return total + sum(v @ v for v in held.values())


class Contacts:
    def __init__(self):
        self.springs = {}

    def force(self, key, slip):
        xi = self.springs.get(key, 0.0) + slip
        if abs(xi) > 0.9:
            xi = xi * 0.5
        self.springs[key] = xi
        return xi * xi

    def step(self, x, n):
        total = 0.0
        for i in range(5):
            for j in range(i + 1, 5):
                if x[i] * x[j] + 0.2 * n <= 0:
                    self.springs.pop((i, j), None)
                    continue
                total += self.force((i, j), x[i] * x[j] * 0.3)
        return total


def contacts(x):
    found, total = Contacts(), 0.0
    for n in range(4):
        total += found.step(x, n)
    return total


class Grain:
    def __init__(self, x, y):
        self.x, self.f = np.array([x, y]), 0.0


def neighbours(x):
    """Cells under pairs of ints, some of which hold nothing."""
    grains = [Grain(x[i], x[(i + 1) % 5]) for i in range(5)]
    total = 0.0
    for _ in range(3):
        cells = defaultdict(list)
        for i, grain in enumerate(grains):
            cells[(int(grain.x[0] // 0.5), int(grain.x[1] // 0.5))].append(i)
        for (cx, cy), members in cells.items():
            near = []
            for dx in (-1, 0, 1):
                near.extend(cells.get((cx + dx, cy), ()))
            for i in members:
                for j in near:
                    if i < j:
                        d = grains[i].x - grains[j].x
                        grains[i].f += d[0] * x[0]
                        grains[j].f -= d[0]
        for grain in grains:
            grain.x = grain.x + 0.01 * grain.f
        total += len(cells) * x[1]
    return total + sum(grain.f * grain.x[1] for grain in grains)


def lists_or_none(x):
    """What there is not is an empty list, which nothing else holds."""
    groups = defaultdict(list)
    before = groups.get(1, [])
    for i, v in enumerate(x):
        groups[i % 2].append(v * x[0])
    after = groups.get(1, [])
    groups[1].append(x[3])
    return sum(before) + sum(after) * x[1] + (after[-1] if after else 0.0)


def objects_or_none(x):
    grains, found, total = [Grain(v, 1.0) for v in x], {}, 0.0
    for grain in grains:
        found.setdefault(int(abs(grain.x[0]) * 2) % 4, []).append(grain)
    for k in range(6):
        row = found.get(k, [])
        total += len(row) * x[2]
        if row:
            row[0].f = row[0].f + total
        else:
            total -= x[3]
    return total + sum(grain.f * grain.x[0] for grain in grains)


PROGRAMS = [deleted, under_pairs, taken, many, at_the_end, arrays, contacts, neighbours, lists_or_none, objects_or_none]


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_gradient(program):
    slope = sourcediff.value_and_grad(program, mode="compiled")
    for x in (X, *OTHERS):
        value, slopes = slope(x)
        assert value == pytest.approx(program(x), rel=1e-12)
        along = [(program(x + 1e-6 * e) - program(x - 1e-6 * e)) / 2e-6 for e in np.eye(len(x))]
        np.testing.assert_allclose(slopes, along, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("program", [deleted, taken, many, at_the_end])
def test_forwards_and_twice(program):
    v = np.array([0.3, -0.2, 0.5, 0.7, -0.6])
    gradient = sourcediff.grad(program, mode="compiled")
    for x in (X, *OTHERS):
        along = (program(x + 1e-6 * v) - program(x - 1e-6 * v)) / 2e-6
        assert sourcediff.jvp(program, (x,), (v,), mode="compiled")[1] == pytest.approx(along, rel=1e-5, abs=1e-6)
        again = (gradient(x + 1e-6 * v) - gradient(x - 1e-6 * v)) / 2e-6
        np.testing.assert_allclose(sourcediff.hvp(program, mode="compiled")(x, v), again, rtol=1e-4, atol=1e-5)


def stored_into(x):
    """An array that is taken out, under two names, is stored to."""
    held = {i: np.array([x[i], x[0] * i]) for i in range(5)}
    a = held.pop(int(abs(x[0]) * 3) % 5)
    b = a
    a[0] = x[1] * x[2]
    held[9] = a
    a[1] *= 2.0
    return sum(v[0] * v[1] * (k + 1) for k, v in held.items()) + b[0] * x[4]


def of_an_argument(p):
    del p["a"]
    return p["b"] ** 2


def test_the_rest_is_left_to_the_eager_engine():
    with pytest.raises(SourcediffError):
        sourcediff.grad(stored_into, mode="compiled")(X)
    along = [(stored_into(X + 1e-6 * e) - stored_into(X - 1e-6 * e)) / 2e-6 for e in np.eye(5)]
    np.testing.assert_allclose(sourcediff.grad(stored_into, mode="eager")(X), along, rtol=1e-5, atol=1e-6)
    with pytest.raises(SourcediffError):
        sourcediff.grad(of_an_argument, mode="compiled")({"a": 1.0, "b": 2.0})
