"""Objects in lists and dicts of which only the run tells how many there are: tuples of the text, as long as nobody changes one."""

from __future__ import annotations

import dataclasses
from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError

Pair = namedtuple("Pair", "a b")
X = 1.3
DATA = (np.array([1.0, 2.0, -1.0, 3.0, 4.0]), np.array([1.0, 2.0, 2.0, 3.0, -5.0]))


@dataclass
class Part:
    x: float
    y: Any
    tag: str = "t"

    def norm(self):
        return self.x * self.x + np.sum(self.y)


@dataclass(frozen=True)
class Fixed:
    x: float
    y: float


class Vector:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def scale(self, k):
        self.x = self.x * k
        return self


def named_tuples(x, data):
    pairs = [Pair(x * y, x + y) for y in data[data > 0]]
    return sum(p.a * p.b for p in pairs)


def appended_with_a_method(x, data):
    parts = []
    for y in data[data > 0]:
        parts.append(Part(x * y, np.array([x, y * x])))
    total = 0.0
    for p in parts:
        total += p.norm()
    return total + parts[-1].x * parts[0].y[1]


def added_up(x, data):
    vectors = [Vector(x * y, x * x) for y in data[data > 0]]
    total = Vector(0.0, 0.0)
    for v in vectors:
        total = total + v
    return total.x * total.y


def the_best(x, data):
    found = [Fixed(x * y, (y - 2.2) ** 2 * x) for y in data[data > 0]]
    return min(found, key=lambda p: p.y).x * max(found, key=attrgetter("x")).y


def in_order(x, data):
    found = sorted([Fixed(x * y, (y - 2.2) ** 2 * x) for y in data[data > 0]], key=lambda p: p.y)
    return found[0].x * found[1].y + found[-1].x


def in_a_dict(x, data):
    run = {}
    for y in data[data > 0]:
        run[int(y)] = Pair(x * y, x)
    run[2] = Pair(x**3, x)
    total = 0.0
    for k in run:
        total += run[k].a * k
    for _, (a, b) in run.items():
        total += a * b
    return total + (run[3].b if 3 in run else 0.0) + len(run)


def the_best_of_a_dict(x, data):
    run = {int(y): Pair(x * y, x + y) for y in data[data > 0]}
    return max(run.values(), key=attrgetter("a")).b * x + sum(p.a for y, p in run.items() if y > 1)


def copies_of_a_buffer(x, data):
    buffer = np.zeros(2)
    parts = []
    for y in data[data > 0]:
        buffer[0] = x * y
        parts.append(Part(x, buffer.copy()))
    return sum(p.y[0] for p in parts)


def arrays_that_change(x, data):
    parts = [Part(x, np.ones(2) * x * y) for y in data[data > 0]]
    for p in parts:
        p.y[0] = x * x
    return sum(p.y.sum() for p in parts)


def one_in_another(x, data):
    parts = [Part(x * y, Fixed(x, y * x)) for y in data[data > 0]]
    return sum(p.y.x * p.y.y * p.x for p in parts)


def in_pairs(x, data):
    pairs = [(y, Fixed(x, y * x)) for y in data[data > 0]]
    return sum(k * f.y for k, f in pairs)


def chosen(x, data):
    parts = [Fixed(x * y, y) for y in data[data > 0]]
    large = [p for p in parts if p.y > 1.5]
    return sum(p.x for p in large) * len(large)


def side_by_side(x, data):
    parts = [Fixed(x * y, y * x * x) for y in data[data > 0]]
    return sum((b.x - a.x) * (a.y + b.y) for a, b in zip(parts[:-1], parts[1:]))  # noqa: RUF007


def with_the_one_before(x, data):
    parts = [Fixed(x * y, y * x * x) for y in data[data > 0]]
    before = parts[0]
    total = 0.0
    for p in parts[1:]:
        total += p.x * before.y
        before = p
    return total + before.x


def replaced(x, data):
    parts = [Fixed(x * y, y) for y in data[data > 0]]
    parts = [dataclasses.replace(p, y=p.x * p.y) for p in parts]
    return sum(p.y for p in parts)


def read_and_overwritten(x, data):
    parts = [Fixed(x * y, x) for y in data[data > 0]]
    first = parts[0]
    parts[0] = Fixed(x**3, x)
    return first.x * parts[0].x


def under_two_names(x, data):
    parts = []
    same = parts
    for y in data[data > 0]:
        parts.append(Fixed(x * y, x))
    return sum(p.x for p in same)


def given_to_a_helper(x, data):
    def whole(parts):
        return sum(p.x * p.y for p in parts)

    parts = [Fixed(x * y, x) for y in data[data > 0]]
    return whole(parts) + whole(parts[::-1]) + whole(reversed(parts))


def changed_before_it_is_kept(x, data):
    def made(y):
        vector = Vector(x * y, 1.0)
        vector.scale(x)
        return vector

    vectors = [made(y) for y in data[data > 0]]
    return sum(v.x for v in vectors)


def with_words(x, data):
    parts = [Part(x * y, x, "a" if y < 2.5 else "b") for y in data[data > 0]]
    return sum(p.x * i if p.tag == "a" else p.x * p.y for i, p in enumerate(parts))


TAKEN = [
    named_tuples, appended_with_a_method, added_up, the_best, in_order, in_a_dict, the_best_of_a_dict, copies_of_a_buffer,
    arrays_that_change, one_in_another, in_pairs, chosen, side_by_side, with_the_one_before, replaced, read_and_overwritten,
    under_two_names, given_to_a_helper, changed_before_it_is_kept, with_words,
]


@pytest.mark.parametrize("program", TAKEN)
@pytest.mark.parametrize("data", DATA, ids=["four", "twice the same"])
def test_objects_in_containers(program: Callable[..., float], data: Any) -> None:
    value, gradient = sourcediff.value_and_grad(program, mode="compiled")(X, data)
    assert value == pytest.approx(program(X, data), rel=1e-12)
    assert gradient == pytest.approx((program(X + 1e-6, data) - program(X - 1e-6, data)) / 2e-6, rel=1e-6)


def one_object_many_times(x, data):
    part = Part(x, np.array([x]))
    parts = []
    for y in data[data > 0]:
        part.x = part.x * y
        parts.append(part)
    return sum(p.x for p in parts)


def changed_after_it_is_kept(x, data):
    parts = []
    for y in data[data > 0]:
        part = Part(x * y, np.array([x]))
        parts.append(part)
        part.x = part.x * x
    return sum(p.x for p in parts)


def changed_through_the_list(x, data):
    vectors = [Vector(x * y, y) for y in data[data > 0]]
    for v in vectors:
        v.scale(x)
    return sum(v.x for v in vectors)


def changed_in_the_dict(x, data):
    run = {int(y): Vector(x * y, 1.0) for y in data[data > 0]}
    run[2].x = x**2
    return sum(v.x for v in run.values())


def compared(x, data):
    parts = [Part(x * y, 1.0) for y in data[data > 0]]
    return sum(p.x for p in parts if p is parts[0])


def one_from_before(x, data):
    first = Vector(x, 0.0)
    vectors = [first]
    for y in data[data > 0]:
        vectors.append(Vector(x * y, y))
    first.x = x * 7
    return sum(v.x for v in vectors)


def as_an_array(x, data):
    pairs = [Pair(x * y, x) for y in data[data > 0]]
    return np.array(pairs).sum()


@pytest.mark.parametrize("program", [
    one_object_many_times, changed_after_it_is_kept, changed_through_the_list, changed_in_the_dict, compared, one_from_before, as_an_array,
])
def test_objects_that_change_are_right_or_refused(program: Callable[..., float]) -> None:
    data = DATA[0]
    try:
        value, gradient = sourcediff.value_and_grad(program, mode="compiled")(X, data)
    except SourcediffError:
        return
    assert value == pytest.approx(program(X, data), rel=1e-12)
    assert gradient == pytest.approx((program(X + 1e-6, data) - program(X - 1e-6, data)) / 2e-6, rel=1e-6)
