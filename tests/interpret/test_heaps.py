"""Heaps of data, and objects that are put in order, or of which the first or last is taken."""

from __future__ import annotations

import heapq

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError

EVENTS = [(3.0, 0, 1, 0.5), (1.0, 1, 2, 0.7), (2.0, 2, 0, 0.3), (6.0, 1, 0, 0.2), (2.5, 1, 0, 0.2)]
X = np.array([1.1, 0.7, 1.4])


class Player:
    def __init__(self, a):
        self.a, self.all = a, []


def in_time(x, events):
    queue = [(t, i, j, d) for t, i, j, d in events]
    heapq.heapify(queue)
    total = 0.0
    while queue:
        t, i, j, d = heapq.heappop(queue)
        total = total + x[i] * x[j] * d * np.exp(-t)
        if t < 5:
            heapq.heappush(queue, (t + 5, i, j, d))
    return total


def objects_in_time(x, events):
    players = {i: Player(v) for i, v in enumerate(x)}
    queue = list(events)
    heapq.heapify(queue)
    total = 0.0
    while queue:
        t, i, j, d = heapq.heappop(queue)
        total = total + players[i].a * players[j].a * d
        players[i].a = players[i].a * 0.9
        players[i].all.append((t, players[i].a))
    return total


def replaced(x, events):
    queue = list(events)
    heapq.heapify(queue)
    total = 0.0
    for _ in range(3):
        t, i, j, d = queue[0]
        total = total + x[i] * x[j] * d
        heapq.heapreplace(queue, (t + 4, j, i, d * 2))
    for _, i, j, _ in queue:
        total = total * x[i] + x[j]
    return total


def of_two_names(x, events):
    queue = list(events)
    other = queue
    heapq.heapify(other)
    total = 0.0
    for k, (_, i, j, d) in enumerate(queue):
        total = total * x[i] * 0.5 + x[j] * d * (k + 1)
    return total


def of_differentiated(x, events):
    queue = []
    for i, v in enumerate(x):
        heapq.heappush(queue, (v * 2, i))
    total = 0.0
    while queue:
        v, i = heapq.heappop(queue)
        total = total * 0.5 + v * x[i]
    return total


def with_differentiated(x, events):
    queue = [(t, x[i] * x[j]) for t, i, j, _ in events]
    heapq.heapify(queue)
    total = 0.0
    while queue:
        _, v = heapq.heappop(queue)
        total = total * 0.5 + v
    return total


def most_played(x, events):
    players = {i: Player(v) for i, v in enumerate(x)}
    total = 0.0
    for t, i, j, d in events:
        total = total + players[i].a * players[j].a * d
        players[i].a = players[i].a * 0.9
        players[i].all.append((t, players[i].a))
    most = max(players.values(), key=lambda player: len(player.all))
    return total + sum(a for _, a in most.all)


def ranked(x, events):
    players = [Player(v) for v in x]
    for _, i, j, d in events:
        players[i].a = players[i].a * players[j].a * (0.9 + d)
        players[i].all.append(players[i].a)
    total = 0.0
    for k, player in enumerate(sorted(players, key=lambda player: player.a, reverse=True)):
        total += player.a * (k + 1)
    least = min(players, key=lambda player: player.a * player.a)
    least.a = least.a + total
    return total + sum(player.a ** 2 for player in players) + least.a


@pytest.mark.parametrize("function", [
    in_time, objects_in_time, replaced, of_two_names, of_differentiated, with_differentiated, most_played, ranked,
], ids=lambda function: function.__name__)
def test_the_gradient(function):
    moved = [(function(X + step, list(EVENTS)) - function(X - step, list(EVENTS))) / 2e-6 for step in 1e-6 * np.eye(3)]
    try:
        value, along = sourcediff.value_and_grad(function, mode="compiled")(X, list(EVENTS))
    except SourcediffError:
        assert function in (of_differentiated, with_differentiated)
        return
    np.testing.assert_allclose(value, function(X, list(EVENTS)))
    np.testing.assert_allclose(along, moved, rtol=1e-5)


def test_what_a_heap_gives_is_known():
    gradient = sourcediff.grad(in_time, mode="compiled")
    gradient(X, list(EVENTS))
    assert "np.shape(" not in gradient.source and "sum_to(" not in gradient.source
