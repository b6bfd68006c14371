"""Lengths of what helpers return that stay calls: they follow from those of the arguments, also where one is 1."""

import numpy as np
import pytest

from .differences import assert_compiled

C = np.array([0.5, 1.0, 1.5, 2.0, 2.5])
ONE = np.array([2.0])


def unit(v):
    return v / np.sqrt(np.dot(v, v))


def plus(a, b):
    return a + b


def rest(a):
    return a[1:]


def beside(a, b):
    return np.concatenate([a, b])


def every_second_of_two(a):
    return np.concatenate([a, a])[::2]


def first(a, n):
    return a[:n]


def at_most_two(a):
    return a if len(a) > 2 else a[:1]


def turned(a):
    return a if len(a) < 2 else np.concatenate([turned(a[1:]), a[:1]])


def pairs(a):
    for k in range(len(a) - 1):
        yield a[k:k + 2]


def halves(a):
    return a[:-1], np.append(a, 1.0)


def three(a):
    return np.array([a.sum(), 1.0, 2.0])


def appended(a, n):
    for k in range(n):
        a = np.append(a, k * 1.0)
    return a


def directions(x):
    up = np.cross(unit(C[:3]), unit(C[1:4]))
    return (up * x[:3]).sum()


def broadcast_or_not(x):
    return (plus(C, ONE) * x).sum() + (plus(ONE, ONE) * x).sum() + (rest(C) * x[1:]).sum() + (rest(ONE).sum() + 1) * x[0]


def joined(x):
    return (beside(C[:2], C[:3]) * x).sum() + (beside(ONE, C[:4]) * x).sum() + (beside(ONE[1:], ONE) * x).sum()


def taken(x):
    some = (every_second_of_two(C) * x).sum() + (every_second_of_two(ONE) * x).sum()
    return some + (first(C, 1) * x).sum() + (first(C, 5) * x).sum() + (at_most_two(C) * x).sum() + (at_most_two(C[:2]) * x).sum()


def called_by_itself(x):
    return (turned(C) * x).sum() + (turned(ONE) * x).sum()


def generated(x):
    return sum((pair * x[:2]).sum() for pair in pairs(C)) + sum((pair * x).sum() for pair in pairs(ONE)) + x[0]


def in_parts(x):
    (a, b), (c, d) = halves(C), halves(ONE)
    return (a * x[1:]).sum() + (b[1:] * x).sum() + (d * x[:2]).sum() + c.sum() * x[0]


def of_numbers_alone(x):
    return (three(C) * x[:3]).sum() + (three(ONE) * x[2:]).sum()


def grown(x):
    return (appended(C[:3], 2) * x).sum() + (appended(ONE, 0) * x).sum() + (appended(ONE, 4) * x).sum()


def in_a_loop(x):
    total = 0.0
    for k in range(1, 5):
        total += (rest(C[:k]).sum() + 1) * x[k] + (plus(C[:k], ONE) * x[:k]).sum() + (first(C, k) * x[:k]).sum()
    return total


@pytest.mark.parametrize("program", [
    directions, broadcast_or_not, joined, taken, called_by_itself, generated, in_parts, of_numbers_alone, grown, in_a_loop,
])
def test_it_is_right(program):
    assert_compiled(program)
