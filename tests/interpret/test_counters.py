"""Counters of objects from outside, and of classes: counted as the function counts them, never read by it."""

from __future__ import annotations

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import UnsupportedSyntaxError

X = np.array([1.0, 2.0])


class Counting:
    hits = 0

    def __init__(self):
        self.k, self.n, self.spent = np.array([1.0, 2.0]), 0, 0.0


class Model(Counting):
    def once(self, x):
        self.n += 1
        return np.sum(self.k * x**2)

    def spelled_out(self, x):
        self.n = self.n + 1
        return np.sum(self.k * x**2)

    def of_classes(self, x):
        Model.hits += 1
        type(self).hits += 2
        Counting.hits += 1
        return np.sum(x**2)

    def in_branches(self, x):
        if np.sum(x) > 0:
            self.n += 1
            x = x * 2
        else:
            self.n += 10
        return np.sum(x**2)

    def in_loops(self, x):
        while np.sum(x**2) < 50:
            self.n += 1
            x = x * 1.5
        for _ in range(3):
            self.n += 2
            x = np.sin(x)
        return np.sum(x**2)

    def in_helpers(self, x):
        def squared(z):
            self.n += 1
            return z * z

        return np.sum(squared(x)) + np.sum(squared(squared(x))) + self.once(x)

    def in_generators(self, x):
        def squares():
            for value in x:
                self.n += 1
                yield value * value

        return sum(squares())

    def read(self, x):
        self.n += 1
        return np.sum(x * self.n)

    def read_by_a_helper(self, x):
        self.n += 1
        return weighted(self, x)

    def read_by_name(self, x):
        self.n += 1
        return np.sum(x) * getattr(self, "n")  # noqa: B009

    def of_floats(self, x):
        self.spent += 1.0
        return np.sum(x)

    def of_what_is_differentiated(self, x):
        self.n += np.sum(x)
        return np.sum(x)


def weighted(model, x):
    return np.sum(x * model.n)


COUNTED = [Model.once, Model.spelled_out, Model.of_classes, Model.in_branches, Model.in_loops, Model.in_helpers, Model.in_generators]
READ = [Model.read, Model.read_by_a_helper, Model.read_by_name, Model.of_floats, Model.of_what_is_differentiated]


@pytest.fixture(autouse=True)
def none_counted(monkeypatch):
    for kind in (Counting, Model):
        monkeypatch.setattr(kind, "hits", 0)


def counts(model):
    return model.n, Model.hits, Counting.hits


@pytest.mark.parametrize("method", COUNTED)
@pytest.mark.parametrize("transform", [sourcediff.value_and_grad, sourcediff.hessian])
def test_each_call_counts_once(method, transform, monkeypatch):
    plain, model = Model(), Model()
    for _ in range(2):
        method(plain, X)
    wanted = counts(plain)
    for kind in (Counting, Model):
        monkeypatch.setattr(kind, "hits", 0)
    derived = transform(getattr(model, method.__name__), mode="compiled")
    found = [derived(X) for _ in range(2)]
    assert counts(model) == wanted
    if transform is sourcediff.value_and_grad:
        slopes = [(method(Model(), X + step) - method(Model(), X - step)) / 2e-6 for step in 1e-6 * np.eye(2)]
        np.testing.assert_allclose(found[0][1], slopes, rtol=1e-6)


@pytest.mark.parametrize("method", READ)
def test_what_may_be_read_is_no_counter(method):
    model = Model()
    with pytest.raises(UnsupportedSyntaxError):
        sourcediff.grad(getattr(model, method.__name__), mode="compiled")(X)
    assert counts(model) == (0, 0, 0) and model.spent == 0.0


def test_a_counter_compiles_nothing_anew():
    model = Model()
    gradient = sourcediff.grad(model.once, mode="compiled")
    gradient(X)
    before = sourcediff.cache.info().misses
    for _ in range(3):
        gradient(X)
    assert sourcediff.cache.info().misses == before and model.n == 4
