"""Generators of which nothing is differentiated stay calls: each gives its items once, to whoever asks first."""

from __future__ import annotations

import numpy as np
import pytest

import sourcediff

X = np.array([0.5, 1.2, 0.7])
DATA = [0, 2, 1, 1]


def numbers(data):
    yield from data


def pairs(data):
    for i, k in enumerate(data):
        yield i % 3, k * 2.0


class Holder:
    def __init__(self, data):
        self.data, self.items = data, numbers(data)

    def following(self):
        return next(self.items)

    def each(self):
        yield from self.data


def left_and_taken_up(x, data):
    items, total = numbers(data), 0.0
    for k in items:
        total = total + x[k]
        break
    for k in items:
        total = total * x[k] + 1
    return total


def first_and_rest(x, data):
    items = numbers(data)
    return x[next(items)] + sum(x[k] ** 2 for k in items) + sum(x[k] for k in items)


def held_by_an_object(x, data):
    holder, total = Holder(data), 0.0
    for _ in range(3):
        total = total * x[1] + x[holder.following()]
    return total


def beside_itself(x, data):
    items, total = numbers(data), 0.0
    for a, b in zip(items, items):
        total = total + x[a] * x[b] ** 2
    return total


def under_two_names(x, data):
    items, total = numbers(data), 0.0
    same = items
    for k in items:
        total = total + x[k] * x[next(same)]
    return total


def begun_anew(x, data):
    total = 0.0
    for i in range(2):
        for k in numbers(data):
            total = total * 0.5 + x[k] * i
    return total


def first_then_a_list(x, data):
    items = pairs(data)
    first = next(items)
    rest = list(items)
    return x[first[0]] * sum(v * x[i] for i, v in rest) + len(list(items)) * x[0]


def data_that_grow(x, data):
    data = list(data)
    items, total = numbers(data), 0.0
    data.append(2)
    for k in items:
        total = total + x[k]
    return total


def asked_for_one(x, data):
    items = numbers(data)
    found = 2 in items
    return sum(x[k] for k in items) * (2.0 if found else 1.0)


def unpacked(x, data):
    a, b, *rest = numbers(data)
    items = numbers(data)
    *others, last = items
    return x[a] * x[b] + sum(x[k] ** 3 for k in rest) + x[last] * len(others) + sum(x[k] for k in items)


def beside_what_is_differentiated(x, data):
    total = 0.0
    for k, value in zip(numbers(data), x):
        total += k * value ** 2
    return total


def of_an_object_that_changes(x, data):
    holder, total = Holder(data), 0.0
    for k in holder.each():
        total = total + x[k]
    holder.data = [2, 2]
    for k in holder.each():
        total = total * x[k]
    return total


@pytest.mark.parametrize("program", [
    left_and_taken_up, first_and_rest, held_by_an_object, beside_itself, under_two_names, begun_anew, first_then_a_list, data_that_grow,
    asked_for_one, unpacked, beside_what_is_differentiated, of_an_object_that_changes,
])
@pytest.mark.parametrize("data", [DATA, tuple(DATA), np.array(DATA)], ids=["list", "tuple", "array"])
def test_it_is_compiled(program, data):
    value, slopes = sourcediff.value_and_grad(program, mode="compiled")(X, data)
    assert value == pytest.approx(program(X, data), rel=1e-12)
    expected = [(program(X + d, data) - program(X - d, data)) / 2e-6 for d in 1e-6 * np.eye(len(X))]
    np.testing.assert_allclose(slopes, expected, rtol=1e-5, atol=1e-7)
