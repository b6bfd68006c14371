"""What the sequencer writes is Python that does the same: it is run, and compared with the function that it was made of."""

from __future__ import annotations

import copy
import re
import types

import numpy as np
import pytest

from sourcediff.frontend.order.effects_first import sequenced
from sourcediff.syntax.source import read
from sourcediff.syntax.text import to_source

from .corpus import CASES
from .sampling import chosen, name_of, sampled


def rewritten(function):
    """The function that its sequenced source defines; None if the source is as it was."""
    source = sequenced(read(function))
    if source.own is None:
        return None
    namespace = dict(function.__globals__)
    exec(compile(to_source(source.tree), source.file, "exec"), namespace)
    made = namespace[source.tree.name]
    made.__defaults__, made.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    return made


def shown(value):
    """The text of a value, without addresses."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


PLAIN = [case for case in CASES if isinstance(case.function, types.FunctionType) and not case.function.__code__.co_freevars
         and "sourcediff" not in case.function.__code__.co_names]  # an inner function's derivative needs its source in a file


@sampled(6, "case", PLAIN, ids=name_of)
def test_it_does_the_same(case):
    made = rewritten(case.function)
    if made is None:
        return
    args, kwargs = case.make()
    expected, found = copy.deepcopy((args, kwargs)), copy.deepcopy((args, kwargs))
    with np.errstate(all="ignore"):
        value = case.function(*expected[0], **expected[1])
        again = made(*found[0], **found[1])
    assert repr(again) == repr(value)
    assert shown(found) == shown(expected)


def test_most_functions_stay_as_they_are():
    """A call of a function that changes nothing stays where it is."""
    some = chosen(10, PLAIN)
    changed = [case.name for case in some if rewritten(case.function)]
    assert 0 < len(changed) < len(some) / 4


class Cell:
    def __init__(self, v):
        self.v = v

    def up(self, k):
        self.v = self.v * k
        return self.v

    def get(self):
        self.v = self.v + 1
        return self.v


def arithmetic(x, f):
    return x[0] * f(x) + x[1] - f(x) * x[0]


def attributes(x):
    s = Cell(x[0])
    return s.v * s.up(2.0) * s.v + s.get() * s.v


def conditions(x, f):
    total = 0.0
    while x[0] < f(x) < 40.0 and (x[1] > 0 or f(x) > 3):
        total += x[0] if f(x) > 9.0 else x[1] * f(x)
    return total + (f(x) if x[0] > f(x) else x[0])


def targets(x, f):
    i = 0
    i, x[int(f(x)) % 2], *rest = 1, x[0] * 2, x[1], f(x)
    x[i] = y = f(x)
    x[int(f(x)) % 2] += x[0] * f(x)
    return x[0] * y + sum(rest)


def comprehensions(x, f):
    rows = [x[0] * f(x) for _ in range(2) if f(x) > 0]
    table = {f(x): x[0] + f(x) for k in range(2)}
    return sum(x[0] * f(x) for _ in range(2)) + sum(rows) + sum(a * b for a, b in table.items())


def displays(x, f):
    parts = [*x, f(x), *x, {"a": x[0], f(x): x[1]}, (x[0], f(x), x[0])]
    return f"{parts} {x[0]} {f(x)} {x[0]}", (lambda v, k=x[0]: v * k)(f(x))


def walrus(x, f):
    a = x[0]
    return a * (a := f(x)) * a + (b := a + 1) * f(x) * b


@pytest.mark.parametrize("function", [arithmetic, conditions, targets, comprehensions, displays, walrus])
def test_forms(function):
    def changing(x):
        x[0] = x[0] * 1.5
        x[1] = x[1] + x[0]
        return x[1] + x[0]

    made = rewritten(function)
    expected, found = np.array([1.0, 2.0]), np.array([1.0, 2.0])
    assert repr(made(found, changing)) == repr(function(expected, changing))
    np.testing.assert_array_equal(found, expected)


def test_attributes_are_read_between_calls():
    assert rewritten(attributes)([3.0]) == attributes([3.0])


def test_draws_keep_their_order():
    def drawn(x, rng):
        picked = np.array([x[rng.integers(2)] for _ in range(3)]) * rng.random()
        return x[rng.integers(2)] ** rng.integers(3) * rng.normal() + picked.sum() + rng.random()

    x = np.array([1.1, 0.7])
    assert rewritten(drawn)(x, np.random.default_rng(1)) == drawn(x, np.random.default_rng(1))
