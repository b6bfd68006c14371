"""Iterators that a ``zip`` has asked ahead of its loop, and variables that are unbound on the way: refused where they are asked again."""

import itertools

import pytest

from ..differences import assert_compiled, assert_refused


def pairs_of_one_iterator(x):
    items, total = iter([x[0], x[1], x[2], x[3]]), 0.0
    for one, other in zip(items, items):
        total += one * other
    return total + next(items, x[4])


def the_rest_of_an_islice(x):
    items, total = iter(list(x)), 0.0
    for item in itertools.islice(items, 2):
        total += item * item
    return total * next(items) + sum(items)


def unbound_and_bound_again(x):
    part = x[0] * 2
    total = part * part
    del part
    part = x[1]
    return total + part


@pytest.mark.parametrize("program", [pairs_of_one_iterator, the_rest_of_an_islice, unbound_and_bound_again])
def test_programs(program):
    assert_compiled(program)


def asked_within_the_loop(x):
    items = iter([x[0], x[1], x[2], x[3], x[4], x[0] * x[4], x[1] ** 2])
    total = next(items)
    for one, other in zip(items, items):
        total += one * other
        total *= next(items, 2.0)
    return total


def asked_after_a_break(x):
    items, total = iter([x[0], x[1], x[2], x[3], x[4]]), 0.0
    for weight, item in zip([1.0, 2.0, 3.0], items):
        total += weight * item
        if total > 0.5:
            break
    return total * next(items)


def bound_on_some_trips(x):
    total = 0.0
    for value in x:
        if value > 0.6:
            extra = value * total + 1.0
            total += value
        try:
            total = total + 0.3 * extra
        except UnboundLocalError:
            total = total - value * value
        else:
            if value < 0.96:
                del extra
    return total * total + x[0]


@pytest.mark.parametrize("program, why", [
    (asked_within_the_loop, "how far an iterator has come"), (asked_after_a_break, "how far an iterator has come"),
    (bound_on_some_trips, "extra may be unbound"),
])
def test_refusals(program, why):
    assert_refused(program, why)
