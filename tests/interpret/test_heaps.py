"""Heaps of entries that carry a derivative: queues of events, shortest paths, fronts that march."""

from __future__ import annotations

import heapq
import itertools
from heapq import heappop, heappush

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError

X = np.array([0.7, -1.3, 0.95, 0.2, -0.4])
OTHERS = np.array([-0.31, 1.27, 0.53, -0.84, 0.66]), np.array([1.9, 0.45, -0.77, -0.12, 0.58])
ROADS = {"a": [("b", 0), ("c", 1)], "b": [("c", 2), ("d", 3)], "c": [("d", 4)], "d": []}


def events_by_word(x):
    queue = [(x[0], 0, "arrival"), (x[0] + x[1] ** 2, 1, "departure")]
    heapq.heapify(queue)
    number, total = 2, 0.0
    while queue:
        time, _, what = heapq.heappop(queue)
        total += time * x[2] if what == "arrival" else time ** 2 * x[3]
        if number < 8:
            later = (time + x[1] ** 2 * 0.7, number, "departure") if what == "arrival" else (time + x[2] ** 2, number, "arrival")
            heapq.heappush(queue, later)
            number += 1
    return total


def shortest_path(x):
    distance, seen, queue = {"a": 0.0}, set(), [(0.0, "a")]
    while queue:
        so_far, at = heappop(queue)
        if at in seen:
            continue
        seen.add(at)
        for there, road in ROADS[at]:
            way = so_far + x[road] ** 2
            if there not in distance or way < distance[there]:
                distance[there] = way
                heappush(queue, (way, there))
    return distance["d"] + distance["c"] * x[0]


def a_front_on_a_grid(x):
    times, done = np.full((3, 3), np.inf), np.zeros((3, 3), bool)
    times[0, 0] = 0.0
    front = []
    heappush(front, (0.0, 0, 0))
    while front:
        time, i, j = heappop(front)
        if done[i, j]:
            continue
        done[i, j] = True
        for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            a, b = i + di, j + dj
            if 0 <= a < 3 and 0 <= b < 3 and not done[a, b]:
                new = time + x[a] ** 2 + 0.1 * x[b + 2] ** 2
                if new < times[a, b]:
                    times[a, b] = new
                    heappush(front, (new, a, b))
    return np.sum(times)


def the_two_least_joined(x):
    queue = [x[0], x[1], x[2]]
    heapq.heapify(queue)
    heappush(queue, x[3])
    total = 0.0
    while len(queue) > 1:
        least, next_ = heappop(queue), heappop(queue)
        heappush(queue, least * 0.5 + next_)
        total += least * next_
    return total + queue[0]


def as_long_as_the_first_is_small(x):
    queue = []
    for i in range(5):
        heappush(queue, (x[i] ** 2, i))
    total = 0.0
    while queue and queue[0][0] < 1.0:
        value, i = heappop(queue)
        total += value * (i + 1)
    return total + len(queue) * x[0]


def put_and_taken_at_once(x):
    queue = []
    for i in range(3):
        heappush(queue, x[i])
    return heapq.heappushpop(queue, x[3]) * heapq.heapreplace(queue, x[4]) + heappop(queue) ** 2


def beside_a_heap_of_numbers(x):
    numbers, order, queue = [3, 1, 2], [], []
    heapq.heapify(numbers)
    while numbers:
        order.append(heappop(numbers))
    for i in order:
        heappush(queue, (x[i], i))
    return sum(heappop(queue)[0] * (k + 1) for k in range(3))


class Simulation:
    def __init__(self, x):
        self.x, self.queue, self.number, self.now, self.total = x, [], itertools.count(), 0.0, 0.0

    def schedule(self, time, what):
        heappush(self.queue, (time, next(self.number), what))

    def run(self):
        while self.queue:
            time, _, what = heappop(self.queue)
            if time > 4.0:
                break
            self.total += (time - self.now) * self.x[1]
            self.now = time
            if what == "arrival":
                self.schedule(time + self.x[0] ** 2 + 0.3, "arrival")
                self.schedule(time + self.x[2] ** 2, "departure")
            else:
                self.total += time * self.x[3]
        return self.total


def a_simulation(x):
    simulation = Simulation(x)
    simulation.schedule(0.1, "arrival")
    return simulation.run()


def the_second_item(x):
    queue = [(x[0], 0)]
    heappush(queue, (x[1], 1))
    return queue[1][0] * x[2] + heappop(queue)[0]


def all_that_is_left(x):
    queue = []
    for i in range(5):
        heappush(queue, (x[i] ** 2, i))
    return heappop(queue)[0] + sum(value * (k + 1) for k, (value, _) in enumerate(queue))


def by_differences(program, x):
    return np.array([(program(x + 1e-6 * e) - program(x - 1e-6 * e)) / 2e-6 for e in np.eye(len(x))])


TAKEN = [
    events_by_word, shortest_path, a_front_on_a_grid, the_two_least_joined, as_long_as_the_first_is_small, put_and_taken_at_once,
    beside_a_heap_of_numbers, a_simulation,
]


@pytest.mark.parametrize("program", TAKEN)
def test_the_least_entry_comes_out(program):
    slope = sourcediff.value_and_grad(program, mode="compiled")
    for x in (X, *OTHERS):
        value, slopes = slope(x)
        assert value == pytest.approx(program(x), rel=1e-12)
        np.testing.assert_allclose(slopes, by_differences(program, x), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("program", [the_second_item, all_that_is_left])
def test_the_order_of_the_others_is_left_to_the_eager_engine(program):
    with pytest.raises(SourcediffError, match="the order of the items in a heap"):
        sourcediff.grad(program, mode="compiled")(X)
    found = sourcediff.grad(program, mode="eager")(X)
    np.testing.assert_allclose(found, by_differences(program, X), rtol=1e-6, atol=1e-8)
