"""Loops over generators of the function's own that are left early, by a break or a return, and generators beside what is shorter."""

import itertools

import numpy as np
import pytest

from ..differences import assert_compiled, assert_refused

RAMPS = [(1.0, 3.0, 2), (0.5, 1.0, 3)]


def setpoints(program, step):
    now = 1.0
    for rate, target, hold in program:
        change = rate * step
        while abs(target - now) > abs(change):
            now += change if target > now else -change
            yield now
        now = target
        for _ in range(hold):
            yield now


def left_by_a_break(x):
    total, state = 0.0, x[0]
    for point in setpoints(RAMPS, 0.3):
        state = state * x[1] + np.sin(point * x[2])
        total += state * state
        if total > 12 * abs(x[3]):
            break
    return total + state


def left_by_a_return(x):
    total, state = 0.0, x[0]
    for point in setpoints(RAMPS, 0.3):
        state = state * x[1] + np.sin(point * x[2])
        total += state * state
        if total > 5 * abs(x[3]):
            return total * x[4] + point
    return total + state


def products(x):
    for k in range(4):
        yield x[0] * k
        for j in range(3):
            yield x[1] * j + k
    x = x * 2
    yield x[2]


def continued_and_left(x):
    total = 1.0
    for value in products(x):
        if value < 0.2:
            continue
        total = total * 1.1 + value * value
        if total > 9:
            break
    return total * x[3]


def one_generator_after_the_other(x):
    yield from products(x)
    yield x[4]
    yield from products(x * 2)


def counted_and_left(x):
    total, count = 1.0, 0
    for k, value in enumerate(one_generator_after_the_other(x)):
        total = total * 1.1 + value * value * k
        count += 1
        if total > 300:
            break
    return total * x[3] + count * x[0]


def left_with_an_else(x):
    for value in products(x):
        if value > 1.1:
            found = value * x[2]
            break
    else:
        found = x[1]
    return found * found


def loops_within_one_another(x):
    best = 0.0
    for i in range(3):
        for value in products(x * (i + 1)):
            for j in range(4):
                if j * value > 2.5:
                    break
                best += value * j * x[4]
            if value > 1.1 * (i + 1):
                best += value * x[2]
                break
    return best * best


def without_end(x):
    state = x[0]
    while True:
        for _ in range(2):
            state = state * 0.95 + 0.1 * x[1]
        yield state


def an_endless_one(x):
    total = 0.0
    for value in without_end(abs(x)):
        total += value
        if total > 4:
            break
    return total * total


def an_endless_one_beside_an_array(x):
    total = 0.0
    for weight, value in zip(x, without_end(x)):
        total += value * weight
    return total * total


def beside_numbers(x):
    total = 0.0
    for weight, value in zip([1.0, 2.0, 3.0, 4.0, 5.0], products(x)):
        total += weight * value * value
    return total


class Machine:
    def __init__(self, x):
        self.x, self.runs, self.log = x, 0.0, []

    def run(self):
        while self.runs < 6:
            self.runs += 1
            for k in range(3):
                self.log.append(self.x[k] * self.runs)
                yield self.log[-1]


def asked_after_an_array(x):
    machine, total = Machine(x), 0.0
    for weight, value in zip(x, machine.run()):
        total = total * 0.9 + value * weight
    return total * x[4] + machine.runs * x[0] + len(machine.log) * x[1] + sum(machine.log)


def asked_before_an_array(x):
    machine, total = Machine(x), 0.0
    for value, weight in zip(machine.run(), x):
        total = total * 0.9 + value * weight
    return total * x[4] + machine.runs * x[0] + len(machine.log) * x[1] + sum(machine.log)


def beside_nothing(x):
    log, total = [0.0], 0.0

    def noted():
        log[0] += x[0]
        for i in range(3):
            for _ in range(2):
                yield x[i]

    for weight, value in zip([], noted()):
        total += weight * value
    for value, weight in zip(noted(), []):
        total += weight * value
    return log[0] * x[1] + total


def noted_rows(row, state):
    for i in range(4):
        for j in range(2):
            yield row[i] * state[0] + j
        state[0] = state[0] * 1.1
    state[1] += 100.0


def what_the_generator_reads_changes(x):
    state, total = np.array([x[0], 0.0]), 0.0
    for value in noted_rows(x, state):
        total += value * value
        state[0] = state[0] + 0.1 * x[2]
        if total > 4:
            state[1] = total * x[1]
            break
        if value < 0.5:
            state[1] += value
            continue
        total += 0.1
    return total * x[3] + state[0] * 3 + state[1]


def pairs_left_in_turn(x):
    for value in noted_rows(x, [x[1], 0.0]):
        for other in noted_rows(x, [1.0, 0.0]):
            if other > 1.2:
                break
            yield value * other


def generators_of_generators(x):
    total = 0.0
    for value in pairs_left_in_turn(x):
        total += value * value
        if total > 7:
            break
    return total * x[0]


def beside_a_slice(x):
    machine, total = Machine(x), 0.0
    for value, weight in zip(machine.run(), x[1:4]):
        total = total * 0.9 + value * weight
    return total * x[4] + machine.runs * x[0] + sum(machine.log)


def as_an_array(x):
    log = [0.0]

    def grown():
        for k in range(9):
            log[0] += x[0]
            yield x[k % 5] * k

    curve = np.fromiter(grown(), float, count=len(x) - 2)
    return curve @ curve + log[0] * x[1]


def beside_a_range(x):
    total = 0.0
    for k, value in zip(range(len(x) - 2), products(x)):
        total += value * k
    return total * total


@pytest.mark.parametrize("program", [
    beside_a_slice, as_an_array, beside_a_range,
    left_by_a_break, left_by_a_return, continued_and_left, counted_and_left, left_with_an_else, loops_within_one_another, an_endless_one,
    an_endless_one_beside_an_array, beside_numbers, asked_after_an_array, asked_before_an_array, beside_nothing,
    what_the_generator_reads_changes, generators_of_generators,
])
def test_it_is_stopped_where_python_stops_it(program):
    assert_compiled(program)


def gone_on_with(x):
    values, total = noted_rows(x, [1.0, 0.0]), 0.0
    for value in values:
        total += value
        if total > 1.5:
            break
    for value in values:
        total += value * value
    return total


def listed_beside_an_array(x):
    log = []

    def noted():
        for k in range(7):
            log.append(x[k % 5])
            yield x[k % 5] * k

    row = [weight * value for value, weight in zip(noted(), x)]
    return sum(row) + sum(log) * x[0]


def test_a_generator_that_does_something_else_is_not_asked_for_more():
    assert_refused(listed_beside_an_array, "a generator is resumed from outside")


def test_what_is_left_of_a_generator_is_not_known():
    assert_refused(gone_on_with, "an iterator that has given its items")


def going_on(x):
    value = x[0]
    while True:
        yield value
        value = value * x[1] + x[2]


def sliced(x, number=3):
    total = 0.0
    for k in range(3):
        for value in itertools.islice(going_on(x), k + number):
            total = total + value * x[k]
    log = []

    def noted():
        for value in x:
            log.append(value)
            yield value**2

    return total + sum(itertools.islice(noted(), number)) * sum(log) + sum(itertools.islice(map(np.sin, x), number))


def test_a_slice_of_an_endless_generator_is_as_long_as_an_argument_says():
    assert_compiled(sliced)


def sliced_twice(x, number=2):
    values = going_on(x)
    return sum(itertools.islice(values, number)) * 2 + sum(itertools.islice(values, number + 1)) ** 2


def beside_numbers_twice(x):
    values, total = going_on(x), 0.0
    for _, value in zip([0, 1], values):
        total += value
    for _, value in zip([0, 1], values):
        total += value**2
    return total


@pytest.mark.parametrize("program", [sliced_twice, beside_numbers_twice])
def test_a_generator_that_was_stopped_begins_no_second_time(program):
    assert_refused(program, "an iterator that has given its items")
