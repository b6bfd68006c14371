"""Lists and dicts of objects that change, of which only the run tells which one is meant: the text holds one for each attribute."""

from __future__ import annotations

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError

X = np.array([0.7, 0.4, 0.3, 0.2])
N = 70


class Player:
    def __init__(self, rating, deviation):
        self.rating, self.deviation, self.last = rating, deviation, None

    def age(self, now, c):
        if self.last is not None:
            self.deviation = np.sqrt(self.deviation ** 2 + c ** 2 * (now - self.last))
        self.last = now

    def beats(self, other, k):
        expected = 1 / (1 + np.exp(other.rating - self.rating))
        self.rating += k * (1 - expected) * self.deviation
        other.rating -= k * (1 - expected) * other.deviation
        return expected


class Agent:
    def __init__(self, x, w):
        self.x, self.w = x, w

    @property
    def energy(self):
        return self.w * self.x ** 2

    def step(self, mean, dt):
        self.x = self.x + dt * (mean - self.x) * self.w

    def meet(self, other):
        self.x, other.x = self.x * 0.9 + other.x * 0.1, other.x * 0.9 + self.x * 0.1


class Body:
    def __init__(self, p, v):
        self.p, self.v = p.copy(), v.copy()


GAMES = [(k, "abcdefgh"[(3 * k) % 8], "abcdefgh"[(5 * k + 1) % 8]) for k in range(N)]
GAMES = [game for game in GAMES if game[1] != game[2]]


def agents(x):
    return [Agent(x[0] * (k + 1) / N, x[1]) for k in range(N)]


def ratings(x):
    players, loss = {}, 0.0
    for now, home, away in GAMES:
        for name in (home, away):
            if name not in players:
                players[name] = Player(x[0], x[1])
            players[name].age(now, x[2])
        h, a = players[home], players[away]
        loss -= np.log(h.beats(a, x[3]))
    for player in players.values():
        loss += player.rating ** 2 * 0.1
    return loss + len(players) * x[0]


def consensus(x):
    found = [Agent(v, x[1] * (k + 1) / N) for k, v in enumerate(np.linspace(0.1, 1, N) * x[0])]
    for _ in range(5):
        mean = sum(agent.x for agent in found) / len(found)
        for agent in found:
            agent.step(mean, x[2])
    return sum(agent.energy for agent in found)


def appended(x):
    found, total = [], 0.0
    for k in range(N):
        found.append(Agent(x[k % 4] * (k + 1), x[1]))
    for i in range(len(found)):
        for j in range(i):
            total += found[i].x * found[j].x * 1e-3
    for i, agent in enumerate(found):
        agent.x = agent.x * (1 + i * x[3] * 0.01)
    return total + sum([agent.x ** 2 for agent in found]) * 1e-3


def two_names(x):
    players = {}
    for k in range(N):
        name = "abc"[k % 3]
        if name not in players:
            players[name] = Player(x[0], x[1])
        other = "abc"[k % 2]
        p, q = players[name], players[other if other in players else name]
        p.rating = p.rating * (1 + 0.01 * x[2])
        q.rating = q.rating + p.rating * 0.01
    return players["a"].rating * players["b"].rating + players["c"].rating


def changed_by_its_first_name(x):
    players = {}
    for k in range(N):
        p = Player(x[0] * k, x[1])
        p.rating = p.rating + 1
        players["abc"[k % 3]] = p
        p.rating = p.rating * x[2]
    return sum(p.rating for p in players.values())


def arrays_in_place(x):
    bodies = []
    for k in range(N):
        bodies.append(Body(x[:2] * (k + 1), x[2:]))
    for _ in range(3):
        for body in bodies:
            body.p += 0.1 * body.v
            body.v *= 0.9
        for body in bodies:
            body.p[0] = body.p[0] * x[0]
    return sum(np.sum(body.p * body.v) for body in bodies) * 1e-3


def replaced_one_by_one(x):
    found = [Agent(x[0] * k, x[1]) for k in range(N)]
    for k in range(N - 1):
        agent = found[k]
        found[k] = Agent(agent.x + found[k + 1].x * x[2], x[3])
    return sum(agent.energy for agent in found) * 1e-3


def attribute_that_comes_late(x):
    found = agents(x)
    for agent in found:
        agent.y = agent.x ** 2
    return sum(agent.y for agent in found) * x[3]


def entry_that_comes_late(x):
    players = {}
    for k in range(N):
        name = "abc"[k % 3]
        if name not in players:
            players[name] = Player(x[0], x[1])
        players[name].bonus = x[2] * k
    return sum(p.bonus * p.rating for p in players.values())


def asked_for_with_a_new_one(x):
    players = {}
    for k in range(N):
        players.setdefault("abcdefgh"[k % 8], Player(x[0] + k, x[1])).rating *= 1.01
    return sum(p.rating * len(name) * x[2] for name, p in players.items())


def meetings(x):
    found = agents(x)
    for i in range(N):
        found[i].meet(found[(i * 7) % N])
    for i in range(3):
        found[i % 2].meet(found[i % 3])
    return sum(agent.x * k for k, agent in enumerate(found))


def index_that_moves_on(x):
    found, i, total = agents(x), 0, 0.0
    while i < N - 1:
        a = found[i]
        i += 1
        b = found[i]
        b.x = b.x + a.x * x[2]
        total += a.x * b.w
    return total


def made_in_each_trip(x):
    total = 0.0
    for r in range(5):
        found = [Agent(x[0] * k * (r + 1), x[1]) for k in range(N)]
        for agent in found:
            agent.x = agent.x * x[2]
        total += sum(agent.x * agent.w for agent in found)
    return total


def made_of_the_last_ones(x):
    found = agents(x)
    for _ in range(5):
        found = [Agent(agent.x * x[2], agent.w + x[3]) for agent in found]
    return sum(agent.x * agent.w for agent in found)


def side_by_side(x):
    one, other = agents(x), agents(x[::-1])
    for a, b in zip(one, other):
        a.x = a.x + b.x * x[3]
    for a, v in zip(one, np.linspace(0, 1, N) * x[2]):
        a.w = a.w + v
    return sum(agent.energy for agent in one)


def left_by_a_break(x):
    found, total = agents(x), 0.0
    for agent in found:
        if agent.x > 0.353:
            break
        agent.x = agent.x * x[2]
        total += agent.x
    return total + sum(agent.x for agent in found)


# what only the eager engine follows


def replaced_under_a_name(x):
    players, total = {}, 0.0
    for k in range(N):
        name = "abc"[k % 3]
        if name not in players:
            players[name] = Player(x[0], x[1])
        p = players[name]
        players[name] = Player(x[2], x[3])
        total += p.rating + players[name].rating
        p.rating = 7 * x[0]
    return total


def under_two_keys(x):
    players = {}
    for k in range(N):
        p = Player(x[0] * k, x[1])
        players["abc"[k % 3]] = players["def"[k % 3]] = p
        p.rating = p.rating * x[2]
    return sum(p.rating for p in players.values())


def best_so_far(x):
    players, best = {}, None
    for k in range(N):
        name = "abc"[k % 3]
        if name not in players:
            players[name] = Player(x[0] * (k + 1), x[1])
        players[name].rating = players[name].rating * x[2]
        if best is None or players[name].rating > best.rating:
            best = players[name]
    return best.rating


def growing_while_it_is_gone_over(x):
    found = agents(x)
    for agent in found:
        if len(found) < N + 5:
            found.append(Agent(agent.x * x[2], x[3]))
    return sum(agent.x for agent in found)


def last_one_and_then_another(x):
    found = []
    for k in range(N):
        found.append(Agent(x[0] * k, x[1]))
        agent = found[-1]
        found.append(Agent(x[2], x[3]))
        agent.x = agent.x * 2
    return sum(agent.energy for agent in found)


def in_two_lists(x):
    found, fast = [], []
    for k in range(N):
        agent = Agent(x[0] * k, x[1])
        found.append(agent)
        if k % 2:
            fast.append(agent)
    for agent in fast:
        agent.x = agent.x * x[2]
    return sum(agent.x for agent in found)


def swapped_by_names(x):
    found = agents(x)
    p, q = found[0], found[1]
    for _ in range(N):
        p.x = p.x + q.x * x[2]
        p, q = q, p
    return found[0].x + found[1].x


class Switch:
    on, weight, calls = True, 2.0, 0

    def __init__(self, x):
        self.x = x

    def value(self):
        self.calls += 1
        return self.x * self.weight * self.calls if self.on else self.x


def what_the_class_has(x):
    """A program of which the gradient was wrong: what none of the objects had yet was nothing, and not what their class has."""
    switches = [Switch(x[i % 4]) for i in range(N)]
    for i, switch in enumerate(switches):
        if i % 2:
            switch.on = False
        if i % 3:
            switch.weight = x[0]
    return sum(switch.value() * (k + 1) for k, switch in enumerate(switches)) * 0.01


def what_the_class_of_pooled_ones_has(x):
    switches, waiting = [], []
    for v in x:
        switches.append(Switch(v))
    for switch in switches:
        if switch.x > 0.35:
            switch.on = False
            waiting.append(switch)
    while waiting:
        waiting.pop().x *= 0.5
    return sum(switch.value() for switch in switches)


def by_differences(program, x):
    return [(program(x + d) - program(x - d)) / 2e-6 for d in 1e-6 * np.eye(len(x))]


@pytest.mark.parametrize("program", [
    ratings, consensus, appended, two_names, changed_by_its_first_name, arrays_in_place, replaced_one_by_one, attribute_that_comes_late,
    entry_that_comes_late, asked_for_with_a_new_one, meetings, index_that_moves_on, made_in_each_trip, made_of_the_last_ones, side_by_side,
    left_by_a_break, swapped_by_names, replaced_under_a_name, under_two_keys, best_so_far, in_two_lists,
    what_the_class_has, what_the_class_of_pooled_ones_has,
])
def test_it_is_compiled(program):
    value, slopes = sourcediff.value_and_grad(program, mode="compiled")(X)
    assert value == pytest.approx(program(X), rel=1e-12)
    np.testing.assert_allclose(slopes, by_differences(program, X), rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("program", [growing_while_it_is_gone_over])
def test_it_is_left_to_the_eager_engine(program):
    with pytest.raises(SourcediffError):
        sourcediff.grad(program, mode="compiled")(X)
    np.testing.assert_allclose(sourcediff.grad(program, mode="eager")(X), by_differences(program, X), rtol=1e-5, atol=1e-6)


def test_the_last_one_of_a_list_is_another_one_later():
    """Against the eager engine: the values are too large for differences."""
    value, slopes = sourcediff.value_and_grad(last_one_and_then_another, mode="compiled")(X)
    assert value == pytest.approx(last_one_and_then_another(X), rel=1e-12)
    np.testing.assert_allclose(slopes, sourcediff.grad(last_one_and_then_another, mode="eager")(X), rtol=1e-12)


def test_the_text_reads_as_columns():
    slope = sourcediff.grad(ratings, mode="compiled")
    slope(X)
    text = slope.source
    assert "rating = {}" in text
    assert "deviation = {}" in text


class Cloud:
    def __init__(self, x, n):
        self.bodies = [Agent(x[0] * i, 1 + 0.1 * i * x[2]) for i in range(n)]
        for body in self.bodies:
            body.v = x[1] * np.sin(body.x)

    def step(self, dt):
        for a in self.bodies:
            a.f = 0.0
            for b in self.bodies:
                if b is not a:
                    d = b.x - a.x
                    a.f = a.f + a.w * b.w * d / (0.1 + d * d) ** 1.5
        for a in self.bodies:
            a.v = a.v + dt * a.f / a.w
        for a in self.bodies:
            a.x = a.x + dt * a.v


def cloud_of_few(x):
    cloud = Cloud(x, 30)
    for _ in range(4):
        cloud.step(0.05 * x[3])
    return sum(0.5 * body.w * body.v ** 2 for body in cloud.bodies)


def test_what_would_be_too_long_object_by_object_is_a_loop():
    slope = sourcediff.grad(cloud_of_few, mode="compiled")
    np.testing.assert_allclose(slope(X), by_differences(cloud_of_few, X), rtol=1e-6, atol=1e-6)
    assert len(slope.source.splitlines()) < 200


# lists that the objects have


class Walker:
    def __init__(self, p, w):
        self.p, self.w, self.track = np.array(p), w, [np.array(p)]

    def go(self, v):
        self.p += v
        self.track.append(self.p.copy())


class Saver:
    def __init__(self, x, w):
        self.x, self.w, self.history = x, w, []

    def step(self, mean, dt):
        self.x = self.x + dt * (mean - self.x) * self.w
        self.history.append(self.x)


Y = np.array([0.71, 0.4, 0.3, 0.2034])


def savers(x):
    return [Saver(x[0] * (k + 1) / N, x[1]) for k in range(N)]


def histories(x):
    found = savers(x)
    for _ in range(5):
        mean = sum(a.x for a in found) / N
        for a in found:
            a.step(mean, x[2])
    ends = sum(a.history[-1] * a.history[0] + len(a.history) * x[3] for a in found)
    return ends + sum(np.sum(np.diff(a.history) ** 2) + max(a.history) + np.mean(a.history[1:]) for a in found)


def tracks_of_arrays(x):
    found = [Walker(x[:2] * k, x[2]) for k in range(N)]
    for r in range(3):
        for walker in found:
            walker.go(x[2:] * r)
    total = 0.0
    for walker in found:
        track = np.array(walker.track)
        total += np.sqrt((np.diff(track, axis=0) ** 2).sum(axis=1) + 1e-3).sum()
    return total * 1e-2


def lists_that_are_made_anew(x):
    found = savers(x)
    for r in range(4):
        for a in found:
            if r == 2:
                a.history = [x[2]]
            a.step(x[3], 0.1)
    return sum(sum(v ** 2 for v in a.history) for a in found) * 1e-2


def another_name_of_a_list(x):
    found, total = savers(x), 0.0
    for a in found:
        same = a.history
        a.history.append(a.x)
        total += len(same) * a.x * x[2]
        same.append(x[3])
        total += a.history[-1]
    return total + sum(len(a.history) for a in found) * x[0]


def whether_a_list_is_empty(x):
    found, total = savers(x), 0.0
    for r in range(3):
        for k, a in enumerate(found):
            if a.history and a.history[-1] > 0.3003:
                total += a.history[-1] * x[2]
            if (k + r) % 3:
                a.history.append(a.x * (r + 1))
            if not a.history:
                total += x[1]
    return total + sum([a.history[-1] if a.history else 0.0 for a in found])


def lists_in_a_list(x):
    found = savers(x)
    for a in found:
        a.step(x[2], 0.1)
    rows = [a.history for a in found]
    found[0].history.append(5 * x[3])
    return sum(len(row) * row[0] for row in rows)


def growing_list(x):
    found = savers(x)
    for a in found:
        a.history.append(a.x)
        for v in a.history:
            if len(a.history) < 4:
                a.history.append(v * x[2])
    return sum(sum(a.history) for a in found)


class Logger:
    def __init__(self, x, log):
        self.x, self.log = x, log


def one_list_of_all(x):
    log = []
    found = [Logger(x[0] * k, log) for k in range(N)]
    for a in found:
        a.log.append(a.x)
    return sum(log) + len(found[3].log) * x[1]


# some of the objects


def slices(x):
    found = agents(x)
    for a, b in zip(found[:-1], found[1:]):  # noqa: RUF007
        b.x = b.x + a.x * x[2]
    for a, b in zip(found[-2::-1], found[:0:-1]):
        a.x = a.x + b.x * x[3] * 1e-3
    return sum(a.energy for a in found[::2])


def those_that_are_large(x):
    found = agents(x)
    large = [a for a in found if a.x > 0.3003]
    small = [a for a in found if not a.x > 0.3003]
    for a in large:
        a.x = a.x * x[2]
    return sum(a.x for a in large) * len(small) + sum(a.x ** 2 for a in found) + large[3].x * small[-1].x


def pairs(x):
    found, total = agents(x), 0.0
    for i, a in enumerate(found):
        for b in found[i + 1:]:
            a.x, b.x = a.x + (b.x - a.x) * x[2] * 1e-2, b.x - (b.x - a.x) * x[2] * 1e-2
            total += (a.x - b.x) ** 2
    return total


def some_of_two_lists(x):
    one, other = agents(x), agents(x[::-1])
    both = [a for group in (one, other) for a in group if a.x > 0.1003]
    for a in both:
        a.x = a.x * 2
    return sum(a.x for a in one) * x[1] + sum(b.x for b in other)


def objects_or_none(x):
    mixed = [a if k % 2 else None for k, a in enumerate(agents(x))]
    for a in mixed:
        if a is not None:
            a.x = a.x * x[2]
    return sum(a.x for a in mixed if a is not None)


@pytest.mark.parametrize("program", [
    histories, tracks_of_arrays, lists_that_are_made_anew, another_name_of_a_list, whether_a_list_is_empty, slices, those_that_are_large,
    pairs, some_of_two_lists, objects_or_none,
])
def test_lists_of_the_objects_and_some_of_them_are_compiled(program):
    value, slopes = sourcediff.value_and_grad(program, mode="compiled")(Y)
    assert value == pytest.approx(program(Y), rel=1e-12)
    np.testing.assert_allclose(slopes, by_differences(program, Y), rtol=5e-6, atol=1e-6)


@pytest.mark.parametrize("program", [lists_in_a_list, growing_list, one_list_of_all])
def test_lists_that_others_hold_are_left_to_the_eager_engine(program):
    with pytest.raises(SourcediffError):
        sourcediff.grad(program, mode="compiled")(Y)
    np.testing.assert_allclose(sourcediff.grad(program, mode="eager")(Y), by_differences(program, Y), rtol=1e-5, atol=1e-6)


# objects that refer to one another


class Car:
    length = 0.05

    def __init__(self, x, v, driver):
        self.x, self.v, self.driver, self.leader, self.a = x, v, driver, None, 0.0

    def gap(self):
        d = self.leader.x - self.x
        if d <= 0:
            d = d + 7.0
        return d - self.leader.length

    def accelerate(self):
        p = self.driver
        self.a = p["a"] * (1 - self.v) - p["b"] * (self.v - self.leader.v) / self.gap()


def cars_on_a_ring(x):
    cars = []
    for i in range(N):
        cars.append(Car(i * 7 / N, x[0] + 0.1 * np.sin(i), {"a": x[1], "b": x[2] * 0.01}))
    for i, car in enumerate(cars):
        car.leader = cars[(i + 1) % len(cars)]
    for _ in range(4):
        for car in cars:
            car.accelerate()
        for car in cars:
            car.v = car.v + x[3] * 0.1 * car.a
            car.x = car.x + x[3] * 0.1 * car.v
    return sum(car.v ** 2 * car.gap() for car in cars)


class Node:
    def __init__(self, v):
        self.v, self.next = v, None


def nodes(x):
    return [Node(x[0] * k) for k in range(N)]


def chains(x):
    found = nodes(x)
    for i, node in enumerate(found):
        node.next = found[(i * 5 + 1) % N]
    return sum(node.next.next.next.v * node.next.v for node in found) * x[1]


def linked_anew(x):
    found = nodes(x)
    for i, node in enumerate(found):
        node.next = found[(i * 5 + 1) % N]
    first = found[3].next
    first.v = x[1]
    found[3].next = found[0]
    return first.v + found[16].v + found[3].next.v + sum(node.v for node in found)


def last_of_a_list_that_grows(x):
    found = nodes(x)
    for node in found:
        node.next = found[-1]
    found.append(Node(x[1] * 100))
    return sum(found[i].next.v for i in range(N))


def end_of_a_chain(x):
    found, total = nodes(x), 0.0
    for a, b in zip(found[:-1], found[1:]):  # noqa: RUF007
        a.next = b
    for node in found:
        if node.next is not None:
            total += node.next.v * node.v * x[1]
    return total


def links_to_what_was_replaced(x):
    found = nodes(x)
    for i, node in enumerate(found):
        node.next = found[(i + 1) % N]
    for i in range(N):
        found[i] = Node(x[1] * i)
    return sum(node.v for node in found)


def links_to_others(x):
    found, others = nodes(x), [Node(x[1] * k) for k in range(N)]
    for a, b in zip(found, others):
        a.next = b
    return sum(node.next.v * node.v for node in found)


@pytest.mark.parametrize("program", [
    cars_on_a_ring, chains, linked_anew, last_of_a_list_that_grows, end_of_a_chain,
    links_to_what_was_replaced, links_to_others,
])
def test_objects_that_refer_to_one_another_are_compiled(program):
    value, slopes = sourcediff.value_and_grad(program, mode="compiled")(Y)
    assert value == pytest.approx(program(Y), rel=1e-12)
    np.testing.assert_allclose(slopes, by_differences(program, Y), rtol=5e-6, atol=1e-5)
