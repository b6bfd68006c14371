"""Warm calls are found by what they are given and by what is read from outside: what may decide is a part of that."""

from __future__ import annotations

import enum
import logging

import numpy as np
import pytest

import sourcediff
from sourcediff.dispatch.made import Made

X = np.array([0.3, 0.7, 1.1])
LIMITERS = {"a": np.tanh, "b": np.sin}
log = logging.getLogger(__name__)


class Side(enum.Enum):
    LEFT = 1
    RIGHT = 2


class Net:
    def __init__(self):
        self.act = np.tanh


SIDE, NET, WORDS, SEEN = Side.LEFT, Net(), ["a", "b"], {1, 2}


def by_word(x, word="a", flag=True):
    found = LIMITERS[word](x)
    return np.sum(found * 2 if flag else found)


def of_a_table(x):
    log.debug("asked")
    return np.sum(LIMITERS["a"](x))


def of_a_member(x):
    return np.sum(x ** 2 if SIDE is Side.LEFT else x ** 3)


def of_an_object(x):
    return np.sum(NET.act(x))


def of_words(x):
    return sum(np.sum(LIMITERS[word](x)) for word in WORDS) + len(SEEN) * x[0]


@pytest.fixture
def looked(monkeypatch):
    """How often kinds of arguments are looked at."""
    seen = []
    real = Made.remember
    monkeypatch.setattr(Made, "remember", lambda self, *args: (seen.append(1), real(self, *args))[1])
    return seen


def by_differences(f, *args):
    return [(f(X + d, *args) - f(X - d, *args)) / 2e-6 for d in 1e-6 * np.eye(3)]


def test_words_and_tests_of_arguments(looked):
    gradient = sourcediff.grad(by_word, mode="compiled")
    for _ in range(3):
        for word in ("a", "b"):
            for flag in (True, False):
                np.testing.assert_allclose(gradient(X, word, flag), by_differences(by_word, word, flag), rtol=1e-6)
    assert len(looked) == 4


@pytest.mark.parametrize("f, name, others", [
    (of_a_table, "LIMITERS", [{"a": np.sin}, {"a": np.exp, "c": np.tanh}, {"a": lambda x: x ** 2}]),
    (of_a_member, "SIDE", [Side.RIGHT, Side.LEFT]),
    (of_words, "WORDS", [["b"], ["b", "a", "a"], []]),
    (of_words, "SEEN", [set(), {1, 2, 3}, frozenset({1})]),
], ids=["table", "member", "words", "set"])
def test_other_data_are_found_anew(f, name, others, looked, monkeypatch):
    gradient = sourcediff.grad(f, mode="compiled")
    for _ in range(3):
        np.testing.assert_allclose(gradient(X), by_differences(f), rtol=1e-6)
    assert len(looked) == 1
    for other in others:
        monkeypatch.setattr(f"{__name__}.{name}", other)
        for _ in range(2):
            np.testing.assert_allclose(gradient(X), by_differences(f), rtol=1e-6, atol=1e-9)


class Law:
    def __init__(self, value):
        self.value = value


class Linear(Law):
    def of(self, z):
        return self.value * z


class Quartic(Law):
    def of(self, z):
        return self.value * z ** 4


class Network:
    KINDS = {"linear": Linear, "quartic": Quartic}  # noqa: RUF012
    OTHERS = [("a", np.sin), ("b", lambda z: z ** 2)]  # noqa: RUF012

    def __init__(self, laws):
        self.laws = [self.KINDS[kind](value) for (kind, _), value in laws.items()]


def of_a_table_of_a_class(x):
    network = Network({("linear", 0): x[0], ("quartic", 1): x[1]})
    return sum(law.of(x[2]) for law in network.laws) + sum(law(x[0]) for _, law in network.OTHERS)


def test_a_table_that_a_class_holds(monkeypatch):
    gradient = sourcediff.grad(of_a_table_of_a_class, mode="compiled")
    np.testing.assert_allclose(gradient(X), by_differences(of_a_table_of_a_class), rtol=1e-6)
    monkeypatch.setitem(Network.KINDS, "linear", Quartic)
    np.testing.assert_allclose(gradient(X), by_differences(of_a_table_of_a_class), rtol=1e-6)
    monkeypatch.setattr(Network, "OTHERS", [*Network.OTHERS, ("c", np.exp)])
    np.testing.assert_allclose(gradient(X), by_differences(of_a_table_of_a_class), rtol=1e-6)
    monkeypatch.setattr(Quartic, "of", lambda self, z: self.value * z ** 3)
    np.testing.assert_allclose(gradient(X), by_differences(of_a_table_of_a_class), rtol=1e-6)


def test_a_function_that_an_object_holds(looked):
    gradient = sourcediff.grad(of_an_object, mode="compiled")
    for act in (np.tanh, np.sin, np.tanh, lambda x: x ** 3):
        NET.act = act
        for _ in range(2):
            np.testing.assert_allclose(gradient(X), by_differences(of_an_object), rtol=1e-6)


def test_a_table_that_is_changed_in_place():
    gradient = sourcediff.grad(of_a_table, mode="compiled")
    gradient(X)
    former = LIMITERS["a"]
    LIMITERS["a"] = np.cos
    try:
        np.testing.assert_allclose(gradient(X), by_differences(of_a_table), rtol=1e-6)
    finally:
        LIMITERS["a"] = former
