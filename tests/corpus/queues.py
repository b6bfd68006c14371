"""Deques, which are written as lists, and lists that lose their first items."""

from collections import deque

import numpy as np

from .case import array, case


def first_in_first_out(x):
    waiting = deque()
    for i in range(4):
        waiting.append(x[i] ** 2)
    total = 0.0
    while waiting:
        total = total * 0.5 + waiting.popleft()
    return total


case(first_in_first_out, array("n"))


def moving_sums(x):
    last = deque(maxlen=2)
    total = 0.0
    for v in x:
        last.append(v ** 2)
        total = total + sum(last) * last[-1]
    return total


case(moving_sums, array("n"))


def history_of_arrays(x):
    history = deque([x * 1.0], maxlen=3)
    for _ in range(5):
        history.append(0.5 * history[-1] + 0.1 * history[0] ** 2)
    return np.sum(history[-1] * history[0])


case(history_of_arrays, array("n"))


def list_of_the_last(x):
    history = [x * 1.0]
    for _ in range(4):
        history.append(0.5 * history[-1] + 0.1 * history[0] ** 2)
        if len(history) > 3:
            history.pop(0)
    return np.sum(history[-1])


case(list_of_the_last, array("n"))


def first_items_of_other_shapes(x):
    history = [x[0], x * 1.0]
    history.append(np.sum(history[-1] ** 2) + history[0])
    del history[0]
    history.append(history[0] * history[-1])
    del history[0]
    return np.sum(history[-1]) * history[0]


case(first_items_of_other_shapes, array("n"))


def both_ends(x):
    ends = deque([x[0]], 3)
    ends.appendleft(x[1] * x[2])
    ends.append(x[3])
    ends.appendleft(x[4] ** 2)
    ends.rotate()
    ends[1] = ends[1] * x[0]
    ends.rotate(-1)
    last = ends.pop()
    return ends[0] * ends[1] + last * max(ends)


case(both_ends, array("n"))


def in_a_ring(x):
    ring = deque(v * 2 for v in x[:3])
    total = 0.0
    while len(ring) > 1 and ring[0] < 100:
        first = ring.popleft()
        total += first * ring[0]
        if total < 1.0:
            ring.append(first * 0.1 + 1.0)
            ring.pop()
    return total + ring[0]


case(in_a_ring, array("n"))


def in_order_of_breadth(x):
    neighbours = {0: [1, 2], 1: [3], 2: [3, 4], 3: [], 4: []}
    waiting = deque([0])
    seen = {0}
    total = 0.0
    while waiting:
        i = waiting.popleft()
        total += x[i] ** 2 * (1 + len(waiting))
        for j in neighbours[i]:
            if j not in seen:
                seen.add(j)
                waiting.append(j)
    return total


case(in_order_of_breadth, array("n"))


def moving_average(x, n=3):
    window = deque(maxlen=n)
    averages = []
    for value in x:
        window.append(value)
        averages.append(sum(window) / len(window))
    return np.sum(np.array(averages) ** 2)


case(moving_average, array("n"))


def windows_of_several_lengths(x):
    total = 0.0
    for longest in (1, 3, None, 0):
        window = deque(maxlen=longest)
        for value in x:
            window.appendleft(value * len(window))
        total += sum(v * len(window) for v in window)
    return total


case(windows_of_several_lengths, array("n"))


def arrays_that_move_up(x):
    y = x * 3
    history = [y, x * 2]
    history.pop(0)
    history[0][0] = x[1]
    return np.sum(history[0] * x) + np.sum(y)


case(arrays_that_move_up, array("n"), may_refuse=True)


def last_before_another(x):
    history = [x * 2]
    last = history[-1]
    history.append(x * 4)
    last[0] = x[1] ** 2
    return np.sum(history[1] * x) + np.sum(last * x) + history[0][0]


case(last_before_another, array("n"), may_refuse=True)


def first_of_what_is_left(x):
    history = [x * 2, x ** 2, x ** 3]
    first = history[0]
    same = history
    same.pop(0)
    first[1:] *= x[0]
    return np.sum(history[0] * x) + np.sum(first * x)


case(first_of_what_is_left, array("n"), may_refuse=True)


def put_in_front(x):
    parts = [x * 2]
    kept = parts[0]
    parts.insert(0, x ** 2)
    kept[0] *= x[1]
    return np.sum(parts[0] * x) + np.sum(parts[1] * kept)


case(put_in_front, array("n"), may_refuse=True)


# Deques and default dicts that several functions use


class Window:
    """The last values, of which there are never more than ``length``."""

    def __init__(self, length):
        self.values = deque([0.0] * length, maxlen=length)

    def push(self, value):
        first = self.values[0]
        self.values.append(value)
        return value + 0.5 * first

    @property
    def mean(self):
        return sum(self.values) / len(self.values)


class Recent:
    def __init__(self):
        self.reset()

    def reset(self):
        self.values: deque[float] = deque(maxlen=2)

    def push(self, value):
        self.values.append(value)


class Lazy:
    def __init__(self):
        self.values = None

    def push(self, value):
        if self.values is None:
            self.values = deque(maxlen=2)
        self.values.appendleft(value)
        return self.values[0] - 2 * self.values[-1]


def delayed(x):
    line, total = Window(2), 0.0
    for v in x:
        total += line.push(v) ** 2 * line.mean
    return total


def recent_values_of_two_objects(x):
    one, other = Recent(), Recent()
    for v in x:
        one.push(v)
        other.push(v ** 2 + one.values[0])
    total = sum(one.values) * sum(other.values)
    one.reset()
    one.push(x[0])
    return total + sum(one.values)


def pushed_by_the_caller(x):
    recent = Recent()
    recent.values.append(x[0])
    recent.values.appendleft(x[1] ** 2)
    recent.push(x[2])
    return 3 * recent.values[0] + recent.values[1] * recent.values.popleft() * len(recent.values)


def made_at_the_first_push(x):
    lazy, total = Lazy(), 0.0
    for k, v in enumerate(x):
        total += lazy.push(v ** 2) * k
    return total


def bound_by_an_inner_function(x):
    values = None

    def begin():
        nonlocal values
        values = deque(maxlen=2)

    begin()
    for k in range(len(x)):
        values.append(x[k] * k)
    return sum(values)


for function in (delayed, recent_values_of_two_objects, pushed_by_the_caller, bound_by_an_inner_function):
    case(function, array("n"))
case(made_at_the_first_push, array("n"))


# What asking a default dict for an entry does


# iter with a function


def called_until_the_last(x):
    numbers, total = [1.0, 2.0, 0.0, 3.0, 4.0], x[0]
    for v in iter(numbers.pop, 0.0):
        total = total * x[1] + v * len(numbers)
    return total


def taken_until_the_last(x):
    numbers, total = [x[0] * 2, x[1] * 2, 0.0, x[2] * 3, 4.0], 1.0
    for v in iter(numbers.pop, 0.0):
        total = total * v + len(numbers)
    return total


case(called_until_the_last, array("n"), left=True)
case(taken_until_the_last, array("n"), left=True)
