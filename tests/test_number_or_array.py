"""Sums that begin as a number and become an array: what is known of them in a loop, and after it."""

import numpy as np
import pytest

import sourcediff

from .differences import assert_compiled


def summed(x):
    s = 0.0
    for k in range(3):
        s = s + x * k
    return (s ** 2).sum()


def perhaps_never(x):
    s = 0
    for k in range(int(x[0] > 100)):
        s = s + x * k
    return np.sum(s) + x.sum()


def by_a_test(x):
    s = 0.0
    for k in range(3):
        s = s + x * (k + 1) if x[k] > 0 else s * x[k] + 1.0
    return np.sum(s ** 2)


def an_array_of_two_dimensions(x):
    s = 1.0
    for v in x:
        t = s * v
        s = s + np.outer(x, x) if v > 0 else t
    return np.sum(s)


def another_name_changed(x):
    s = 0.0
    for k in range(4):
        y = s
        s = s + x[:2] * k
        y += 1.0
    return np.sum(s * y)


def of_one_entry(x):
    s = 0.0
    for k in range(3):
        s = s + x[k:k + 1]
    return np.sum(s * x)


def left_by_a_break(x):
    s = 0.0
    for _ in range(5):
        s = s + x
        if s.sum() > 2:
            break
    return np.sum(s ** 2)


def a_number_again(x):
    s = 0.0
    for k in range(2):
        for j in range(2):
            s = s + x * (k + j) + np.mean(s)
        s = np.mean(s)
    return s * x[0] + np.sum(s)


def rows_of_a_matrix(x):
    s = 0.0
    for row in np.outer(x, x):
        s = s + row
    a, b, c, d, e = s
    return a * b + c * d + e


def none_at_first(x):
    held = None
    total = 0.0
    for v in x:
        if held is not None:
            total += held.sum() * v
        held = x * v
    return total + held.mean()


def rows_and_slices_with_a_name(x):
    row = np.r_[x[0], x[1:3], 2.0]
    s = 0.0
    for _ in range(2):
        s = s - row
    some = slice(1, 3)
    return (s[some] * row[some]).sum() + np.r_[1.0, x].prod() + s[some.start]


PROGRAMS = [
    summed, perhaps_never, by_a_test, an_array_of_two_dimensions, another_name_changed, of_one_entry, left_by_a_break, a_number_again,
    rows_of_a_matrix, none_at_first, rows_and_slices_with_a_name,
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_it_is_right(program):
    assert_compiled(program)


def test_after_the_loop_it_is_an_array():
    gradient = sourcediff.grad(summed, mode="compiled")
    gradient(np.array([0.7, -1.3, 0.95, 0.2, -0.4]))
    assert gradient.source.count("sum_to(") == 1  # where it may still be a number
