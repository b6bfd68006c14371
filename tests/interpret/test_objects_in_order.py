"""Objects in the order that their class gives them, and variables that stand for one object after the other."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError

X = np.array([0.7, -1.3, 0.95, 0.2, -0.4])


class Machine:
    def __init__(self, speed):
        self.speed, self.load, self.jobs = speed, 0.1 * speed, 0

    def __lt__(self, other):
        return self.load < other.load

    def add(self, job):
        self.load += job / self.speed
        self.jobs += 1

    def grow(self):
        self.load = self.load * 2 + 0.3
        return self.load


class BySpeed(Machine):
    @property
    def key(self):
        return self.speed > 1.2, -self.load

    def __lt__(self, other):
        """The fast ones last."""
        return self.key < other.key


class Unlike(Machine):
    def __lt__(self, other):
        return self.load < other.speed


class Downwards(Machine):
    def __lt__(self, other):
        return self.load > other.load


@dataclass(order=True)
class Job:
    due: float
    length: float = field(compare=False)
    done: float = field(default=0.0, compare=False)


class Late(Job):
    pass


def machines(x, kind=Machine):
    return [kind(1.0 + v ** 2) for v in x]


def total(found):
    return sum(machine.load ** 2 * (k + 1) + 0.1 * machine.jobs * machine.speed for k, machine in enumerate(found))


def least_loaded(x):
    found = machines(x[:3])
    for v in x:
        min(found).add(np.exp(v))
    return total(found)


def least_loaded_by_key(x):
    found = [Machine(1.0 + x[0] ** 2), Machine(1.1 + x[1] ** 2)]
    for v in x:
        best = max(found, key=lambda machine: machine.speed / machine.load)
        best.load *= 1.0 + 0.2 * v
    return total(found)


def known_by_another_list(x):
    found = machines(x[:3])
    turned, first = found[::-1], found[0]
    for v in x:
        min(turned).add(np.exp(v))
    return total(found) + first.load * turned[0].load


def sorted_again_and_again(x):
    found = machines(x)
    for _ in range(3):
        found = sorted(found)
        for machine in found[:2]:
            machine.add(0.3 * machine.speed ** 2)
    return total(found)


def sorted_in_place(x):
    found = machines(x)
    found.sort(key=lambda machine: machine.speed, reverse=True)
    for k, machine in enumerate(found[1:4]):
        machine.add(0.3 * machine.speed ** (k + 1))
    found.sort()
    return total(found)


def ends_swapped(x):
    found = machines(x)
    low, high = min(found), max(found)
    low.load, high.load = high.load, low.load
    return total(found)


def by_a_property(x):
    found = sorted(machines(x, BySpeed), reverse=True)
    return sum((k + 1) * machine.load for k, machine in enumerate(found)) + min(found).speed


def upstream(x):
    found = sorted(machines(x, BySpeed))
    for i, machine in enumerate(found):
        machine.load = machine.speed * (1.0 + 0.1 * sum(other.load for other in found[:i] if other.speed < 1.5))
    return total(found)


def dataclasses_in_order(x):
    jobs = [Job(np.cos(3 * v), v ** 2) for v in x]
    now = 0.0
    for job in sorted(jobs):
        now = now + job.length
        job.done = now
    return sum(max(job.done - job.due, 0.0) ** 2 for job in jobs) + max(jobs).length


def late_ones_in_order(x):
    jobs = [Late(np.cos(3 * v), v ** 2) for v in x]
    return sum((k + 1) * job.length for k, job in enumerate(sorted(jobs)))


def tuple_of_unlike_order(x):
    jobs = tuple(Job(np.cos(3 * v), v ** 2) for v in x)
    return sum((k + 2) * job.length * job.due for k, job in enumerate(sorted(jobs)[1:3]))


def best_of_all(x):
    found, best = machines(x), None
    for machine in found:
        if best is None or machine < best:
            best = machine
    best.add(2.0 * best.speed)
    return total(found)


def one_before_the_best(x):
    found = machines(x)
    best = before = found[0]
    for machine in found:
        if machine.speed < best.speed:
            before, best = best, machine
    before.add(3.0)
    best.add(1.0)
    return total(found)


def best_in_a_pair(x):
    found = machines(x)
    best = found[0]
    pair = best, 1.0
    for machine in found:
        if machine.speed > best.speed:
            pair = best, machine.speed
            best = machine
    pair[0].add(pair[1])
    best.add(0.3)
    return total(found)


def method_of_the_former(x):
    found = machines(x)
    best = found[0]
    add = best.add
    for machine in found:
        if machine.speed > best.speed:
            add = best.add
            best = machine
    add(0.7)
    best.add(0.1)
    return total(found)


def none_or_one(x):
    found, gained = machines(x), 0.0
    for limit in (1.05, 1.2, 5.0):
        best = None
        for machine in found:
            if machine.speed > limit and (not best or machine < best):
                best = machine
        if best is None:
            continue
        best.add(0.5)
        gained += best.load
    return total(found) + gained


def first_and_second(x):
    first = second = None
    found = machines(x)
    for machine in found:
        if first is None or machine.speed > first.speed:
            first, second = machine, first
        elif second is None or machine.speed > second.speed:
            second = machine
    first.add(1.0)
    second.add(2.0)
    return total(found)


def nearest_neighbours(x):
    found, way = machines(x), 0.0
    here = found[0]
    here.jobs = 1
    for _ in range(len(found) - 1):
        nearest, least = None, np.inf
        for machine in found:
            distance = abs(machine.speed - here.speed)
            if machine.jobs == 0 and distance < least:
                nearest, least = machine, distance
        way += least
        nearest.jobs = 1
        here = nearest
    return way + total(found)


def generator_of_the_former(x):
    found = machines(x)
    best = found[0]

    def loads(machine):
        for k in range(3):
            yield machine.load * (k + 1)

    former = loads(best)
    for machine in found:
        if machine.speed > best.speed:
            best = machine
    return total(found) + sum(former) * best.speed


def rebound_by_its_update(x):
    found = machines(x)
    best = found[0]
    for machine in found:
        if machine.speed > best.speed:
            best = machine
    best.load += (best := found[3]).speed
    return total(found) + best.load


def in_turn(x):
    found = machines(x)
    here, k = found[0], 0
    while k < 4:
        here.add(0.3)
        here = found[(k * 2 + 1) % len(found)]
        k += 1
    return total(found) + here.load


def by_differences(program):
    return [(program(X + step) - program(X - step)) / 2e-6 for step in 1e-6 * np.eye(len(X))]


@pytest.mark.parametrize("program", [
    least_loaded, least_loaded_by_key, known_by_another_list, sorted_again_and_again, sorted_in_place, ends_swapped,
    by_a_property, upstream, dataclasses_in_order, late_ones_in_order, tuple_of_unlike_order, best_of_all, one_before_the_best,
    best_in_a_pair, method_of_the_former, none_or_one, first_and_second, nearest_neighbours, generator_of_the_former,
    rebound_by_its_update, in_turn,
])
def test_it_is_compiled(program):
    value, slopes = sourcediff.value_and_grad(program, mode="compiled")(X)
    assert value == pytest.approx(program(X), rel=1e-12)
    np.testing.assert_allclose(slopes, by_differences(program), rtol=1e-6, atol=1e-6)


def unlike_sides(x):
    return sum((k + 1) * machine.load for k, machine in enumerate(sorted(machines(x, Unlike))))


def other_way_round(x):
    found = tuple(Downwards(v) for v in x)
    return sum((k + 2) * machine.load * machine.speed for k, machine in enumerate(sorted(found)[1:3]))


def update_that_its_value_changes(x):
    """A program of which the gradient was wrong: what is updated was read after the call that changes it."""
    found = machines(x)
    for k in range(5):
        machine = found[(k * 3) % 5]
        machine.load += machine.grow()
    return total(found)


@pytest.mark.parametrize("program", [unlike_sides, other_way_round, update_that_its_value_changes])
def test_it_is_left_to_the_eager_engine(program):
    """The objects of the first two were put in order as the tuples that the text holds, whatever their class says."""
    with pytest.raises(SourcediffError):
        sourcediff.grad(program, mode="compiled")(X)
    np.testing.assert_allclose(sourcediff.grad(program, mode="eager")(X), by_differences(program), rtol=1e-6, atol=1e-6)
