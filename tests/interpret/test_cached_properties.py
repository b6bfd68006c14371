"""What an object computes once, asked for first in a loop: what it is made of may change there, before or after."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError

X = np.array([1.2, 0.7, 1.9])


class Matrix:

    def __init__(self, k):
        self.k = k

    @cached_property
    def K(self):
        return np.outer(self.k, self.k) + self.P

    @cached_property
    def P(self):
        return np.diag(self.k)


def asked_in_a_loop(x):
    m = Matrix(x * 1.0)
    w = np.ones(3)
    for _ in range(5):
        w = m.K @ w
        w = w / w.sum()
    return w @ x


def after_another_attribute(x):
    m = Matrix(x * 1.0)
    w = np.ones(3)
    for i in range(3):
        m.k = m.k * 2.0
        w = m.K @ w
    return w.sum()


def after_an_entry(x):
    m = Matrix(x.copy())
    w = np.ones(3)
    for i in range(3):
        w[0] = x[1]
        m.k[0] = 3.0
        w = m.K @ w
    return w.sum()


def after_a_result_by_keyword(x):
    k = x.copy()
    m = Matrix(k)
    w = np.ones(3)
    for i in range(3):
        np.multiply(k, 2.0, out=k)
        w = m.K @ w
    return w.sum()


def in_two_loops(x):
    m = Matrix(x * 1.0)
    w = np.ones(3)
    for i in range(int(x[0])):
        for j in range(2):
            w = m.K @ w + m.P[0]
    m.k = x * 3.0
    return w.sum() + m.K.sum()


def after_an_update(x):
    k = x.copy()
    m = Matrix(k)
    w = np.ones(3)
    for i in range(3):
        k *= 2.0
        w = m.K @ w
    return w.sum()


def after_a_result_by_position(x):
    k = x.copy()
    m = Matrix(k)
    w = np.ones(3)
    for i in range(3):
        np.multiply(k, 2.0, k)
        w = m.K @ w
    return w.sum()


def after_a_copy(x):
    k = x.copy()
    m = Matrix(k)
    w = np.ones(3)
    for i in range(3):
        np.copyto(k, 2.0 * k)
        w = m.K @ w
    return w.sum()


def after_a_fill(x):
    k = x.copy()
    m = Matrix(k)
    w = np.ones(3)
    for i in range(3):
        k.fill(2.0)
        w = m.K @ w
    return w.sum()


def after_sums(x):
    k = x.copy()
    m = Matrix(k)
    w = np.ones(3)
    for i in range(3):
        np.add.at(k, [0, 0], x[1])
        w = m.K @ w
    return w.sum()


def after_a_target(x):
    k = x.copy()
    m = Matrix(k)
    w = np.ones(3)
    for i, k[0] in enumerate([3.0, 4.0, 5.0]):
        w = m.K @ w
    return w.sum()


def after_a_call(x):
    k = x.copy()
    m = Matrix(k)
    w = np.ones(3)

    def g(k):
        k *= 2.0
        return 1.0
    for i in [g(k), g(k)]:
        w = m.K @ w
    return w.sum()


def asked_in_one_branch(x):
    m = Matrix(x * 1.0)
    first = m.K[0, 1] if x[0] > 1.0 else m.k[1]
    return first * m.K.sum() + m.P[0, 0]


def asked_in_no_branch(x):
    m = Matrix(x * 1.0)
    first = m.K[0, 1] if x[0] > 100.0 else m.k[1]
    return first * m.K.sum()


ALL = [
    asked_in_one_branch, asked_in_no_branch, asked_in_a_loop, after_another_attribute, after_an_entry, after_a_result_by_keyword,
    after_an_update, after_a_result_by_position, after_a_copy, after_a_fill, after_sums, after_a_target, after_a_call,
]


@pytest.mark.parametrize("f", ALL)
def test_it_is_computed_once_and_then(f):
    value, found = sourcediff.value_and_grad(f, mode="compiled")(X.copy())
    np.testing.assert_allclose(value, f(X.copy()), rtol=1e-12)
    np.testing.assert_allclose(found, [(f(X + h) - f(X - h)) / 2e-6 for h in 1e-6 * np.eye(3)], rtol=1e-6, atol=1e-6)


def in_one_branch_before_a_change(x):
    k = x * 1.0
    m = Matrix(k)
    first = m.K[0, 1] if x[0] > 100.0 else m.k[1]
    k *= 2.0
    return first * m.K.sum()


class Counting(Matrix):
    asked = 0

    @cached_property
    def K(self):
        self.asked += 1
        return np.outer(self.k, self.k)


def in_no_trip(x):
    m = Matrix(x * 1.0)
    w = np.ones(3)
    for v in np.sin(x)[:int(x[0] * 0)]:
        w = m.K @ w * v
    m.k = x * 3.0
    return w.sum() + m.K.sum()


def counted_in_no_trip(x):
    m = Counting(x * 1.0)
    w = np.ones(3)
    for v in np.sin(x)[:int(x[0] * 0)]:
        w = m.K @ w * v
    return w @ x + m.asked * x[1]


@pytest.mark.parametrize("f", [in_two_loops, in_no_trip, counted_in_no_trip, in_one_branch_before_a_change])
def test_what_no_trip_may_ask_for_is_left_to_the_eager_engine(f):
    with pytest.raises(SourcediffError, match=r"what is computed once|what a class computes once"):
        sourcediff.grad(f, mode="compiled")(X.copy())
    found = sourcediff.grad(f, mode="eager")(X.copy())
    np.testing.assert_allclose(found, [(f(X + h) - f(X - h)) / 2e-6 for h in 1e-6 * np.eye(3)], rtol=1e-6, atol=1e-6)
