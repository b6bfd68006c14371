"""Lists and arrays that a call of a library changes between two uses, its result assigned: followed, or refused and run as it is."""

import bisect
import heapq
import random

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import UnsupportedSyntaxError

X = np.array([0.3, 1.2, -0.7, 2.0])
COEFFICIENTS = np.array([1.0, -2.0, 0.5, 3.0])


def shuffles(x):
    random.seed(1)
    order = [0, 1, 2, 3]
    y = x[order]
    _ = random.shuffle(order)
    return np.sum(y * x[order] ** 2 * COEFFICIENTS)


def shuffles_a_view(x):
    rng = np.random.default_rng(7)
    order = np.arange(4)
    tail = order[1:]
    y = x[order]
    _ = rng.shuffle(tail)
    return np.sum(y * x[order] ** 2 * COEFFICIENTS)


def shuffles_weights(x):
    np.random.seed(1)  # noqa: NPY002
    w = np.arange(4.0)
    y = np.sum(x * w)
    _ = np.random.shuffle(w)  # noqa: NPY002
    return y * np.sum(x ** 2 * w)


def multiplies(x):
    a = np.reshape(x, (2, 2))
    return np.sum(np.einsum("ij,jk->ik", a, a) ** 2) + np.einsum("ij,ij->", a, a)


def draws_into(x):
    rng = np.random.default_rng(7)
    w = np.ones(4)
    y = np.sum(x * w)
    _ = rng.random(out=w)
    return y * np.sum(x ** 2 * w)


def heapifies(x):
    order = [3, 1, 0, 2]
    y = x[order]
    _ = heapq.heapify(order)
    return np.sum(y * x[order] ** 2)


def takes_from_a_heap(x):
    order = [0, 1, 2, 3]
    alias = order
    y = x[order]
    v = 2.0 * heapq.heappop(alias) + 1.0
    return np.sum(y) * np.sum(x[order] ** 2) * v


def empties_a_heap(x):
    order = [3, 1, 0, 2]
    s = 0.0
    while order:
        s = s * x[0] + x[heapq.heappop(order)] ** 2 * np.sum(x[order])
    return s


def sorts(x):
    order = [3, 1, 0, 2]
    y = x[order]
    _ = order.sort()
    return np.sum(y * x[order] ** 2)


def sorts_by_the_class(x):
    order = [3, 1, 0, 2]
    y = x[order]
    _ = list.sort(order)
    return np.sum(y * x[order] ** 2)


def inserts(x):
    order = [0, 1, 3]
    y = np.sum(x[order])
    _ = bisect.insort(order, 2)
    return y * np.sum(x[order] ** 2)


def scrambled(order):
    return heapq.heappop(order)


def takes_in_a_helper(x):
    order = [0, 1, 2, 3]
    y = x[order]
    v = scrambled(order)
    return np.sum(y) * np.sum(x[order] ** 2) * (v + 1)


def shuffles_what_was_kept(x):
    np.random.seed(1)  # noqa: NPY002
    w = np.arange(4.0)
    held = w
    y = np.sum(x * w)
    w = np.ones(4)
    _ = np.random.shuffle(held)  # noqa: NPY002
    return y * np.sum(x ** 2 * w * held)


def reads_before_it_takes(x):
    s = 0.0
    for j in range(2):
        order = [0, 1, 2, 3]
        i = order[j]
        _ = heapq.heappop(order)
        s = s + x[i] ** 2 * x[order[j]]
    return s


def shuffles_first(x):
    random.seed(1)
    order = [0, 1, 2, 3]
    _ = random.shuffle(order)
    return np.sum(x[order] ** 2 * COEFFICIENTS)


def schedules(x):
    heap = [(2, 1), (1, 0), (3, 2)]
    _ = heapq.heapify(heap)
    s = 0.0
    while heap:
        cost, i = heapq.heappop(heap)
        s = s * x[3] + cost * x[i] ** 2
        if cost < 3:
            _ = heapq.heappush(heap, (cost + 3, i))
    return s


LOST = [shuffles_a_view, shuffles_weights, draws_into, empties_a_heap]
FOLLOWED = [multiplies, shuffles_what_was_kept, reads_before_it_takes, shuffles_first, schedules, shuffles, heapifies, takes_from_a_heap,
            sorts, sorts_by_the_class, inserts, takes_in_a_helper]


def by_differences(function):
    return np.array([(function(X + h) - function(X - h)) / 2e-6 for h in 1e-6 * np.eye(4)])


@pytest.mark.filterwarnings("ignore::sourcediff.FallbackWarning")
@pytest.mark.parametrize("function", LOST + FOLLOWED, ids=lambda function: function.__name__)
def test_the_derivative_is_right(function):
    expected = by_differences(function)
    for mode in ("auto", "eager"):
        np.testing.assert_allclose(sourcediff.grad(function, mode=mode)(X), expected, rtol=1e-6, atol=1e-7)
    tangent = sourcediff.jvp(function, (X,), (COEFFICIENTS,), mode="compiled")[1]
    np.testing.assert_allclose(tangent, expected @ COEFFICIENTS, rtol=1e-6)


@pytest.mark.parametrize("function", LOST, ids=lambda function: function.__name__)
def test_what_the_reverse_sweep_would_ask_again_is_refused(function):
    with pytest.raises(UnsupportedSyntaxError, match="needed again as it was before"):
        sourcediff.grad(function, mode="compiled")(X)


@pytest.mark.parametrize("function", FOLLOWED, ids=lambda function: function.__name__)
def test_what_it_does_not_ask_is_compiled(function):
    np.testing.assert_allclose(sourcediff.grad(function, mode="compiled")(X), by_differences(function), rtol=1e-6, atol=1e-7)


def sorts_by_a_key(x):
    d = {1: 2.0, 3: 1.0, 0: 5.0}
    s = 0.0
    for k, v in sorted(d.items(), key=lambda item: -item[1]):
        s = s * x[2] + v * x[k] ** 2
    for k in sorted(d, key=lambda k: d[k])[:2]:
        s = s * x[k]
    return s


def test_a_key_that_only_reads_changes_nothing():
    np.testing.assert_allclose(sourcediff.grad(sorts_by_a_key, mode="compiled")(X), by_differences(sorts_by_a_key), rtol=1e-6, atol=1e-7)
