"""Objects, functions and tables of them that are given or read from outside: what the interpreter takes is right, whoever changes what."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff import SourcediffError

X = np.array([0.3, 0.2, 0.1])


class Row:
    def __init__(self, k: float):
        self.k, self.weights, self.buffer = k, np.array([1.0, 2.0, 3.0]) * k, np.zeros(3)

    def of(self, x: Any) -> Any:
        return self.weights * x

    def filled(self, x: Any) -> Any:
        self.buffer[:] = x
        return np.sum(self.buffer ** 2)

    def changed(self, x: Any) -> Any:
        self.weights[0] = 2.0
        return np.sum(self.weights * x)

    def next(self) -> Any:
        return Squared(self.k * 2)

    def __mul__(self, other: Any) -> Any:
        return self.k * other

    def __rmul__(self, other: Any) -> Any:
        return self.k * other * 3

    def __getitem__(self, index: Any) -> Any:
        return self.weights[index]

    def __len__(self) -> int:
        return 3

    def __bool__(self) -> bool:
        return self.k > 1.2


class Squared(Row):
    def of(self, x: Any) -> Any:
        return self.k * x ** 2


@dataclass
class Particle:
    q: Any
    v: Any
    passed: list[Any] = field(default_factory=list)


def first_exchanged(given: Any, x: Any) -> Any:
    given[0] = Row(5.0)
    return np.sum(given[0].of(x))


def exchanged_by_another_name(given: Any, x: Any) -> Any:
    others = given
    others[0] = Row(5.0)
    return np.sum(given[0].of(x))


def turned(given: Any, x: Any) -> Any:
    given.reverse()
    return np.sum(given[0].of(x))


def bound_to_its_reverse(given: Any, x: Any) -> Any:
    given = given[::-1]
    return np.sum(given[0].of(x))


def grown(given: Any, x: Any) -> Any:
    given += [Row(3.0)]
    return np.sum(given[-1].of(x))


def shortened(given: Any, x: Any) -> Any:
    del given[0]
    return np.sum(given[0].of(x))


def one_after_the_other(given: Any, x: Any) -> Any:
    row = given[0]
    total = np.sum(row.of(x))
    row = given[1]
    return total + np.sum(row.of(x))


def exchanged_in_a_loop(given: Any, x: Any) -> Any:
    total, row = 0.0, given[0]
    for _ in range(3):
        total = total + np.sum(row.of(x))
        row = given[1]
    return total


def bound_in_its_loop(given: Any, x: Any) -> Any:
    total = 0.0
    for row in given:
        total = total + np.sum(row.of(x))
        row = Squared(3.0)
        total = total + np.sum(row.of(x))
    return total + np.sum(row.of(x))


def swapped(given: Any, x: Any) -> Any:
    one, other = given
    one, other = other, one
    return np.sum(one.of(x)) + 2 * np.sum(other.of(x))


def replaced_by_what_it_makes(given: Any, x: Any) -> Any:
    row = given[0]
    total = 0.0
    for _ in range(2):
        total = total + np.sum(row.of(x))
        row = row.next()
    return total


def buffer_filled(given: Any, x: Any) -> Any:
    return given[0].filled(x)


def weights_changed(given: Any, x: Any) -> Any:
    return given[0].changed(x) + np.sum(given[0].weights * x)


def array_beside_an_object(given: Any, x: Any) -> Any:
    return np.sum(given[0] * x) + np.sum(x * given[0])


def number_beside_an_object(given: Any, x: Any) -> Any:
    return np.sum(2.0 * given[0]) * x[0] + np.sum(given[1] * x[1])


def entries_and_truth(given: Any, x: Any) -> Any:
    return given[0][1] * x[0] + len(given[1]) * x[1] + (x[2] if given[0] else 2 * x[2])


def methods_in_a_list(given: Any, x: Any) -> Any:
    functions = [row.of for row in given]
    return sum(np.sum(function(x)) for function in functions)


def pairs(given: Any, x: Any) -> Any:
    total = 0.0
    for i, one in enumerate(given):
        for j, other in enumerate(given):
            if one is not other:
                total = total + one.k * other.k * x[i] * x[j]
    return total


def history_of_what_changes(given: Any, x: Any) -> Any:
    particle = Particle(x * 1.0, x * 2.0)
    for _ in range(3):
        particle.passed.append(particle.q.copy())
        particle.q += 0.1 * particle.v
        particle = replace(particle, v=particle.v * 0.9)
    return np.sum(particle.passed[0]) + np.sum(particle.q * particle.v) + len(particle.passed)


def copied_and_changed(given: Any, x: Any) -> Any:
    particle = Particle(x * 1.0, x * 2.0)
    other = copy.copy(particle)
    other.q[0] = 7.0
    other.v = x
    return np.sum(particle.q * x) + np.sum(particle.v)


def chosen_and_changed(given: Any, x: Any) -> Any:
    particles = [Particle(x * 1.0, x * 2.0), Particle(x * 3.0, x)]
    largest = max(particles, key=lambda each: np.sum(each.q))
    before = largest.q
    particles[1].q = x * 9.0
    return np.sum(before * x) + np.sum(largest.q)


PROGRAMS = [
    first_exchanged, exchanged_by_another_name, turned, bound_to_its_reverse, grown, shortened, one_after_the_other, exchanged_in_a_loop,
    bound_in_its_loop, swapped, replaced_by_what_it_makes, buffer_filled, weights_changed, array_beside_an_object, number_beside_an_object,
    entries_and_truth, methods_in_a_list, pairs, history_of_what_changes, copied_and_changed, chosen_and_changed,
]

REFUSED = [
    first_exchanged, exchanged_by_another_name, turned, bound_to_its_reverse, grown, shortened, exchanged_in_a_loop, array_beside_an_object,
    bound_in_its_loop,
]


def rows(alike: bool) -> list[Any]:
    return [Row(1.5), Row(0.7)] if alike else [Row(1.5), Squared(0.7)]


@pytest.mark.parametrize("alike", [True, False])
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_with_objects_is_right_or_refused(program: Callable[..., Any], alike: bool) -> None:
    for x in (X, -X):
        try:
            value, gradient = sourcediff.value_and_grad(program, 1, mode="compiled")(rows(alike), x.copy())
        except SourcediffError:
            assert program in REFUSED
            continue
        np.testing.assert_allclose(value, program(rows(alike), x.copy()), rtol=1e-12)
        slopes = [(program(rows(alike), x + step) - program(rows(alike), x - step)) / 2e-6 for step in 1e-6 * np.eye(3)]
        np.testing.assert_allclose(gradient, slopes, rtol=1e-6, atol=1e-8)
