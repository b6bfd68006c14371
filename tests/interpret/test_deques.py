"""Deques: histories, windows and queues are lists of the text, or known item by item."""

from __future__ import annotations

import copy
from collections import deque

import numpy as np
import pytest

import sourcediff

X = np.array([0.7, 1.3, 0.4, 0.9, 0.2])
CHILDREN = {0: [1, 2], 1: [3], 2: [], 3: []}


def full_windows(x):
    recent, total = deque(maxlen=3), 0.0
    for k in range(len(x)):
        recent.append(x[k] ** 2)
        if len(recent) == recent.maxlen:
            total = total + sum(recent) / 3 * k
    return total


def means(x):
    recent, total = deque(maxlen=3), 0.0
    for v in x:
        recent.append(v)
        total = total + np.mean(recent) ** 2 + recent[-1] * recent[0]
    return total


def filtered(x):
    line, total = deque([0.0] * 3, maxlen=3), 0.0
    for v in x:
        line.appendleft(v)
        total = total + np.dot(np.array([1.0, 2.0, 3.0]), np.array(line)) ** 2
    return total


def delayed(x, n=4):
    line, out = deque([x[0]] * n, maxlen=n), []
    for v in x:
        out.append(line[0] * v)
        line.append(v + 0.5 * line[-1])
    return np.sum(np.array(out))


def breadth_first(x):
    waiting, total = deque(), 0.0
    waiting.append((0, 1.0))
    while waiting:
        node, weight = waiting.popleft()
        total = total + weight * x[node] ** 2
        for child in CHILDREN[node]:
            waiting.append((child, weight * 0.5))
    return total


def accelerated(x):
    values, errors = deque(maxlen=2), deque(maxlen=2)
    y = x.copy()
    for _ in range(5):
        f = np.cos(y)
        values.append(f)
        errors.append(f - y)
        if len(values) > 1:
            change = errors[1] - errors[0]
            y = values[1] - np.sum(errors[1] * change) / np.sum(change * change) * (values[1] - values[0])
        else:
            y = f
    return np.sum(y * x)


def turned(x):
    ring = deque(x[:3])
    ring.rotate(1)
    ring.rotate(-2)
    return ring[0] + ring[1] * 2 + ring[2] * 3


def extended(x):
    ends = deque([1.0, 2.0, 3.0, 4.0], maxlen=2)
    ends.extend([x[0], x[1] ** 2])
    return sum(a * b for a, b in zip(ends, [3.0, 4.0])) + len(ends)


def sometimes(x):
    kept, total = deque(maxlen=2), 0.0
    for v in x:
        if v > 0.5:
            kept.append(v)
        total = total + (sum(kept) if kept else 0.0) * v
    return total


def as_a_whole(x):
    kept = deque(maxlen=4)
    for v in x:
        kept.append(v)
    return np.sum(np.array(list(kept)) ** 2) + np.prod(np.asarray(kept)) + max(kept)


def by_two_names(x):
    kept = deque(x, maxlen=3)
    other = kept
    other.append(x[0] ** 3)
    return sum(kept) * kept[2]


def until_small(x):
    last = deque([x[0], x[0]], maxlen=2)
    for _ in range(20):
        new = 0.5 * last[0] + 0.3 * last[1] + 0.1 * x[1]
        last.append(new)
        if abs(new - last[0]) < 1e-3:
            break
    return new + last[0] * 2


def emptied(x):
    stack, total = deque(), 0.0
    for v in x:
        stack.appendleft(v)
    while stack:
        total = total * 0.5 + stack.pop()
    return total**2


def taken_apart(x):
    last = deque(maxlen=2)
    for v in x:
        last.append(v * v)
    a, b = last
    return a * b


def copied(x):
    one = deque(x, maxlen=3)
    others = one.copy(), copy.copy(one), copy.deepcopy(one)
    for number, other in enumerate(others):
        other.append(x[number])
    return one[0] + others[0][0] * 2 + others[1][1] * 3 + others[2][2] * 5


def of_one_another(x):
    one = deque(x, maxlen=3)
    other = deque(one, maxlen=2)
    other.append(x[0] ** 2)
    return sum(a * b for a, b in zip(one, other)) + one[0] + sum(a * k for k, a in enumerate(reversed(one)))


def handed_to_a_helper(x):
    kept, count = deque(maxlen=2), 0
    for v in x:
        count += pushed(kept, v)
    return count * kept[0] * kept[1]


def pushed(kept, v):
    kept.append(v * 2)
    return len(kept)


class History:
    def __init__(self):
        self.states = deque(maxlen=2)

    def add(self, state):
        self.states.append(state)
        return np.stack(self.states).sum(axis=0) if len(self.states) == 2 else state


def in_an_object(x):
    history, total = History(), 0.0
    for k in range(4):
        total = total + np.sum(history.add(x * k) ** 2)
    return total


@pytest.mark.parametrize("program", [
    full_windows, means, filtered, delayed, breadth_first, accelerated, turned, extended, sometimes, as_a_whole, by_two_names, until_small,
    emptied, taken_apart, in_an_object, copied, of_one_another, handed_to_a_helper])
def test_deques_are_compiled(program):
    found = sourcediff.grad(program, mode="compiled")(X)
    expected = [(program(X + d) - program(X - d)) / 2e-6 for d in 1e-6 * np.eye(len(X))]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


def test_a_deque_is_no_list():
    def asked(x):
        kept = deque([x[0]])
        return kept[0] * (2.0 if isinstance(kept, deque) else 1.0)

    with pytest.raises(sourcediff.UnsupportedSyntaxError, match="what kind of a container"):
        sourcediff.grad(asked, mode="compiled")(X)
    assert sourcediff.grad(asked, mode="eager")(X)[0] == 2.0
