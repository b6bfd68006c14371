"""Lists that another list takes the place of, trip by trip: ``levels = levels + [x]``, and what else the list before it is called."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError

X = np.array([0.7, -1.3, 0.95, 0.2, -0.4])
OTHERS = np.array([-0.31, 1.27, 0.53, -0.84, 0.66]), np.array([1.9, 0.45, -0.77, -0.12, 0.58])


def the_one_before(x):
    levels = [x[0], x[1]]
    old = levels
    for v in np.sin(x)[1:] * 2:
        before = levels
        levels = levels + [before[-1] * v]
        old = before
    return levels[-1] + old[-1] * len(old)


class Levels:
    def __init__(self, x):
        self.held = [x[0]]

    def add(self, v):
        self.held = self.held + [self.held[-1] * v]
        return self.held


def an_attribute(x):
    levels = Levels(x)
    kept = levels.held
    for v in np.cos(x) * 1.5:
        found = levels.add(v)
    return found[-1] + kept[0] + len(kept) * x[1]


def two_that_swap(x):
    p, q = [x[0]], [x[1]]
    for v in np.sin(x) * 2:
        p, q = q + [v], p + [v * x[2]]
    return sum(p) * q[-1] + len(p)


def an_entry_of_a_dict(x):
    levels = {"a": [x[0]]}
    for v in np.sin(x) * 2:
        levels["a"] = levels["a"] + [v * levels["a"][-1]]
    return sum(levels["a"]) * len(levels["a"])


def reduced(x):
    levels = reduce(lambda held, v: [*held, held[-1] * v], np.cos(x) + 1, [x[0]])[1:]
    return sum(levels) * levels[-1]


def a_product_of_polynomials(x):
    p = [1.0]
    for v in np.sin(x) * 2:
        p = [a + b * v for a, b in zip([0.0] + p, p + [0.0])]
    return sum(c * (k + 1) for k, c in enumerate(p))


def another_name_that_grows(x):
    first = [x[0]]
    levels = first
    for v in np.sin(x)[1:] * 2:
        levels = levels + [levels[-1] + v]
    first.append(x[1])
    return np.sum(np.array(levels) ** 2) + first[0] * first[1] + len(first)


def by_differences(program, x):
    return np.array([(program(x + 1e-6 * e) - program(x - 1e-6 * e)) / 2e-6 for e in np.eye(len(x))])


@pytest.mark.parametrize(
    "program", [the_one_before, an_attribute, two_that_swap, an_entry_of_a_dict, reduced, a_product_of_polynomials])
def test_gradients(program):
    slope = sourcediff.value_and_grad(program, mode="compiled")
    for x in (X, *OTHERS):
        value, slopes = slope(x)
        assert value == pytest.approx(program(x), rel=1e-12)
        np.testing.assert_allclose(slopes, by_differences(program, x), rtol=1e-6, atol=1e-7)


def test_the_rest_is_left_to_the_eager_engine():
    with pytest.raises(SourcediffError):
        sourcediff.grad(another_name_that_grows, mode="compiled")(X)
    found = sourcediff.grad(another_name_that_grows, mode="eager")(X)
    np.testing.assert_allclose(found, by_differences(another_name_that_grows, X), rtol=1e-6)
