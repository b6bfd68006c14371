"""Objects that a loop with a break binds, or changes, read after it: as the last trip left them, and unbound where there was none."""

from __future__ import annotations

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError

X = np.array([0.3, 0.7, 1.1])


class Stream:
    def __init__(self, heat, load):
        self.heat, self.load = heat, load

    def grow(self, by):
        self.heat = self.heat + by

    def value(self):
        return self.heat * 2 + self.load


def converged(x):
    inlet, heat = Stream(x[0], 10.0), x[0]
    for _ in range(20):
        outlet = Stream(inlet.heat * (1 - x[1] * 0.1), inlet.load / (4.0 + 0.01 * heat))
        new = 0.5 * (heat + outlet.heat)
        change = abs(new - heat)
        heat = new
        if change < 1e-9:
            break
    return outlet.value() * heat * x[2]


def after_a_continue(x):
    for k in range(5):
        if k == 0:
            continue
        stream = Stream(x[0] * k, x[1])
        if stream.heat > 1.0:
            break
    return stream.value()


def without_an_end(x):
    while True:
        stream = Stream(x[0] * 2, x[1])
        x = x * 1.3
        if x[0] > 2:
            break
    return stream.value() * x[2]


def in_a_pair(x):
    for k in range(4):
        pair = (x[0] * k, Stream(x[1], x[2] * k))
        if pair[0] > 0.5:
            break
    return pair[0] * pair[1].value()


def seasons(x):
    stream = Stream(x[0], x[1])
    for k in range(6):
        stream.grow(x[2])
        yield k, stream
        if stream.heat > 3:
            break
        stream.load = stream.load * 1.1


def of_a_generator(x):
    total = 0.0
    for k, stream in seasons(x):
        total = total + stream.value() * k
    return total + stream.value()


def out_of_a_generator(x):
    total = 0.0
    for k, stream in seasons(x):
        if k == 2:
            break
        total = total + stream.value() * k
    return total + stream.value() * x[0]


def changed_afterwards(x):
    stream = Stream(x[0], x[1])
    for k in range(5):
        last = stream
        last.grow(x[2] * k)
        if last.heat > 4:
            break
    stream.grow(x[0])
    return last.value() * stream.heat


def another_name_changed(x):
    for k in range(3):
        stream = Stream(x[0] * k, x[1])
        other = stream
        if k == 1:
            break
    other.grow(x[2])
    return stream.value()


FOLLOWED = [converged, after_a_continue, without_an_end, in_a_pair, of_a_generator, out_of_a_generator]
REFUSED = [changed_afterwards, another_name_changed]


@pytest.mark.parametrize("f", FOLLOWED + REFUSED, ids=lambda f: f.__name__)
def test_right_or_refused(f):
    gradient = sourcediff.value_and_grad(f, mode="compiled")
    if f in REFUSED:
        with pytest.raises(SourcediffError, match="only shows what something else holds"):
            gradient(X)
        return
    value, found = gradient(X)
    assert value == pytest.approx(f(X))
    np.testing.assert_allclose(found, [(f(X + d) - f(X - d)) / 2e-6 for d in 1e-6 * np.eye(3)], rtol=1e-6, atol=1e-7)


def no_trip(x, trips):
    for k in range(trips):
        stream = Stream(x[0] * k, x[1])
        if stream.heat > 9:
            break
    return stream.value()


def no_trip_without_a_break(x, trips):
    for k in range(trips):
        stream = Stream(x[0] * k, x[1])
    return stream.value()


@pytest.mark.parametrize("f", [no_trip, no_trip_without_a_break], ids=lambda f: f.__name__)
def test_a_loop_without_a_trip_leaves_it_unbound(f):
    gradient = sourcediff.grad(f, mode="compiled")
    np.testing.assert_allclose(gradient(X, 2), [2.0, 1.0, 0.0])
    with pytest.raises(UnboundLocalError):
        f(X, 0)
    with pytest.raises(UnboundLocalError):
        gradient(X, 0)


def no_trip(x, t):
    for i, e in enumerate(x):
        for j in range(0):
            p = (0.4 / (1.5 + t ** 2), 0.4)  # noqa: F841
        t -= e ** 2
        if i % 3 == 0:
            return e / (1.5 + e ** 2)
    return t


def test_a_tuple_that_nothing_binds_is_not_read_where_a_loop_is_left():
    gradient, slope = sourcediff.grad(no_trip, wrt=(0, 1), mode="compiled")(np.array([1.0, 2.0]), 2.0)
    np.testing.assert_allclose(gradient, [0.5 / 2.5 ** 2, 0.0])
    assert slope == 0.0
