"""Places in lists that hold nothing differentiated: where an entry is put back, or taken out again, the list is of another length."""

from __future__ import annotations

import bisect

import numpy as np
import pytest

import sourcediff

X = np.array([0.3, 0.7, 1.1])


def taken_from_the_end(x):
    times, logs, total = [1.0], [x[0]], 0.0
    for k in range(3):
        times.append(k + 2.0)
        logs.append(x[k] * 2)
        w = (0.5 - times[0]) / (times[1] - times[0])
        total = total + np.exp((1 - w) * logs[0] * 0.1) + logs[1] ** 2 * w
        times.pop(-1)
        logs.pop()
        if k == 1:
            times.append(7.0)
            logs.append(x[1])
    return total + np.exp(logs[-1]) * times[-1]


def deleted_at_the_end(x):
    times, logs, total = [1.0, 1.5], [x[0], x[1]], 0.0
    for k in range(3):
        times.append(k + 2.0)
        logs.append(x[k] * 2)
        total = total + np.sin(x[k] * times[1]) * times[2] + logs[2] ** 2
        del times[-1], logs[-1]
    return total


def from_both_ends(x):
    times, total = [1.0, 2.0, 3.0], 0.0
    for k in range(3):
        times.insert(-1, k + 0.5)
        total = total + np.sin(x[k] * times[0]) * times[2] + times[-2] * x[0]
        total = total + np.exp(x[k] * (times[1] + times[3] * 2) * 0.1)
        times.insert(100, k * 1.0)
        times.insert(k, 7.0)
        before_last = times.pop(-2)
        total = total + x[1] * before_last * times[k]
        total = total + np.cos(times.pop(k - 4) * x[2])
    return total


def of_differentiated_values(x):
    values, total = [x[0], x[1] * 2, x[2]], 0.0
    for k in range(2):
        values.insert(-1, values[0] * x[1])
        v = values.pop(-2) if k else values.pop(0)
        total = total + v * values[-1]
        values.insert(9, v * v)
        total = total + np.sin(values.pop(-len(values) + 1)) * v
    return total + np.sum(np.array(values) ** 2)


def in_order(x):
    times, total = [0.5, 2.5], 0.0
    for k in range(3):
        place = bisect.bisect(times, k + 0.1)
        times.insert(place, k + 0.1)
        total = total + np.sin(x[k] * (times[0] + 2 * times[1])) + times[place] * x[0] ** 2
        if k == 1:
            times.pop(place - 1)
    return total


def stack_of_stacks(x):
    """Compiling did not end: views of what is in the list got names of their own, again and again."""
    stack, total = [[1.0], [2.0, 3.0]], 0.0
    while stack:
        top = stack[-1]
        if not top:
            stack.pop(-1)
            continue
        v = top.pop(-1)
        total = total + np.sin(x[len(top)] * v) * len(stack)
    return total


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("f", [
    taken_from_the_end, deleted_at_the_end, from_both_ends, of_differentiated_values, in_order, stack_of_stacks], ids=lambda f: f.__name__)
def test_entries_go_back_where_they_were(f, mode):
    expected = [(f(X + d) - f(X - d)) / 2e-6 for d in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(sourcediff.grad(f, mode=mode)(X), expected, rtol=1e-6, atol=1e-7)
