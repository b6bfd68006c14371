"""Names for iterators: items that are taken one by one, and the rest of them later."""

import itertools

import numpy as np

from .case import array, case


def taken_one_by_one(x):
    items = iter(x)
    return next(items) * next(items) - next(items) * next(items, 0.5)


case(taken_one_by_one, array("3"))


def pairs_by_name(x):
    pairs = zip(x, x[1:])  # noqa: RUF007
    total = sum(a * b for a, b in pairs)
    numbered = enumerate(x)
    for i, v in numbered:
        total = total * 0.5 + v * i
    backwards = reversed([x, x**2, np.sin(x)])
    for row in backwards:
        total = total * 0.3 + np.sum(row)
    return total


case(pairs_by_name, array("n"))


def the_rest_after_the_first(x):
    items = iter(x)
    best = next(items)
    for v in items:
        best = best * 0.5 + np.tanh(v) * best
    total = 0.0
    for _ in range(2):
        again = iter([v * 0.9 for v in x])
        total += next(again)
        for v in again:
            if v > 1.2:
                break
            total = total * v
        else:
            total = total + 1.0
        total += next(again, 0.5)
    return best + total


case(the_rest_after_the_first, array("3"))


def parameters_handed_out(x):
    weights = iter([np.outer(x, x), x * 2.0, np.sum(x)])
    y = np.tanh(next(weights) @ x + next(weights))
    return np.sum(y) * next(weights)


case(parameters_handed_out, array("3"))


def until_nothing_is_left(x):
    items = iter(x)
    total = 1.0
    while True:
        v = next(items, None)
        if v is None:
            break
        total = total * v + 1.0
        total = total + next(items, 0.1) * v
    return total


case(until_nothing_is_left, array("n"))


def numbers_used_up(x):
    places = iter([1, 0, 2, 1])
    if any(place > 0 for place in places):
        total = x[next(places)] ** 2
    else:
        total = x[0]
    turns = itertools.count(1)
    found = 2.0 in turns
    return total * x[next(turns) - 3] * found + x[next(places)]


case(numbers_used_up, array("3"))
