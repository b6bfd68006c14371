"""Iterators over lists of numbers, given or made by the function, that are asked here and there; generators that return from a loop."""

import numpy as np
import pytest

import sourcediff

from ..differences import assert_compiled, assert_refused


def doubled(x):
    found = []
    for v in x:
        found.append(v * 2)
    return found


def turning_points(series):
    items = iter(series)
    last, now = next(items), next(items)
    yield last
    slope = now - last
    for later in items:
        if later == now:
            continue
        if slope * (later - now) < 0:
            yield now
        last, now, slope = now, later, later - now
    yield now


def turning_points_of_a_response(x):
    return sum(point ** 2 * (k + 1) for k, point in enumerate(turning_points(doubled(x))))


def a_list_that_changes_between(x):
    values = doubled(x)
    items = iter(values)
    first = next(items)
    values[1] = x[0] ** 2
    return next(items) * first + next(items)


def a_name_that_gets_another_list(x):
    values = doubled(x)
    items = iter(values)
    first = next(items)
    values = [x[4], x[3], x[2]]
    return next(items) * first + values[0]


def asked_on_some_trips(x):
    items = iter(doubled(x))
    total = 0.0
    for k in range(3):
        if x[k] > 0:
            total += next(items) * (k + 1)
    for v in items:
        total += 100 * v
    return total


def asked_in_each_of_two_loops(x):
    values = doubled(x)
    for _ in range(2):
        items = iter(values)
        first = next(items)
        values = [first + v for v in items]
    return sum(v * (i + 1) for i, v in enumerate(values))


def a_list_that_grows_meanwhile(x):
    values = doubled(x)
    items = iter(values)
    total = next(items)
    for v in items:
        if len(values) < 7:
            values.append(v * 0.5)
        total = total * 0.9 + v
    return total


def as_many_as(x, n):
    for k in range(len(x)):
        if k >= n:
            return
        yield x[k] * k
        if x[k] > 1.0:
            return
        yield x[k]


def a_generator_that_returns(x):
    return sum(v * (i + 1) for i, v in enumerate(as_many_as(x, 4)))


def either_way(x):
    if x[0] > 0:
        for v in x:
            if v < -1:
                return
            yield v
    else:
        for v in x:
            yield -v
            if v > 0.5:
                return


def one_that_returns_from_either_loop(x):
    return sum(v * (i + 1) for i, v in enumerate(either_way(x)))


def halves(x):
    while True:
        x = x * 0.5
        if x.sum() < 0.3:
            return
        yield x


def one_that_returns_from_a_while(x):
    return sum((v ** 2).sum() * (i + 1) for i, v in enumerate(halves(np.exp(x))))


def before_the_end(x):
    for v in x:
        if v < -0.5:
            return
        yield v
    yield x[0] * 10


def one_that_has_more_to_do(x):
    return sum(v * (i + 1) for i, v in enumerate(before_the_end(x)))


@pytest.mark.parametrize("program", [
    turning_points_of_a_response, a_list_that_changes_between, a_name_that_gets_another_list, asked_on_some_trips,
    asked_in_each_of_two_loops, a_generator_that_returns, one_that_returns_from_either_loop, one_that_returns_from_a_while,
])
def test_the_items_come_in_turn(program):
    assert_compiled(program)


def test_a_list_that_a_loop_over_its_iterator_changes_is_left_to_the_eager_engine():
    assert_refused(a_list_that_grows_meanwhile, "an iterator over a list that a loop changes")


def test_a_generator_that_returns_before_its_end_is_left_to_the_eager_engine():
    assert_refused(one_that_has_more_to_do, "a block that ends in several ways")


def season(doses, water, schedule, days):
    store, total = 1.0, 0.0
    dose, rain = iter(doses), iter(water)
    for day in range(days):
        actions = schedule.get(day, ())
        n = next(dose) if "feed" in actions else 0.0
        w = next(rain) if "water" in actions else 0.0
        store = store * 0.9 + w * np.tanh(n + day * 0.1)
        total += store ** 2 + n * 0.1
    return total


def test_lists_that_are_given_are_asked_when_a_table_says_so():
    args = np.array([0.5, 0.7, 0.2]), [1.5, 2.5], {1: ("feed",), 3: ("feed", "water"), 4: ("water",), 6: ("feed",)}, 8
    doses, water = sourcediff.grad(season, wrt=(0, 1), mode="compiled")(*args)
    eager = sourcediff.grad(season, wrt=(0, 1), mode="eager")(*args)
    np.testing.assert_allclose(doses, eager[0], rtol=1e-12)
    np.testing.assert_allclose(water, eager[1], rtol=1e-12)
