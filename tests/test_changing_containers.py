"""Containers, views in lists and iterators of which the compiler does not keep track: refused with a remedy, right on the eager engine."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np
import pytest

from sourcediff import grad
from sourcediff.errors import FallbackWarning, SourcediffError


def groups(x):
    groups = {}
    for i in range(4):
        groups.setdefault(i % 2, []).append(x[i])
    return groups[0][-1] * sum(groups[1])


def groups_under_known_keys(x):
    groups = {"even": [], "odd": []}
    for i in range(4):
        groups["odd" if i % 2 else "even"].append(x[i])
    return sum(groups["odd"]) * groups["even"][0]


def groups_of_a_default_dict(x):
    groups = defaultdict(list)
    for i in range(4):
        groups[i % 2].append(x[i])
    return sum(groups[0]) * groups[1][0]


def sums_by_key(x):
    sums = defaultdict(float)
    for i in range(4):
        sums[i % 2] += x[i]
    return sums[0] * sums[1]


def sums_of_a_counter(x):
    sums = Counter()
    for i in range(4):
        sums[i % 2] += x[i]
    return sums[0] * sums[1]


def counted(x):
    count = Counter()
    for i in range(4):
        count[i % 2] += 1
    return count[0] * x[0] + x[count[1]] ** 2


class Sums:
    def __init__(self):
        self.sums = defaultdict(float)

    def add(self, k, v):
        self.sums[k] += v


def sums_of_an_object(x):
    made = Sums()
    for i in range(4):
        made.add(i % 2, x[i])
    return made.sums[0] * made.sums[1]


def either_dict(x):
    d = defaultdict(float) if x[0] > 0 else {}
    d[0] += x[1]
    return d[0] * x[0]


def under_two_names(x):
    q = deque([x[0], x[1]])
    r = q
    r.append(x[2])
    q.popleft()
    return r[0] * q[1]


def filled_by_a_function(x):
    def put(v):
        q.append(v)

    q = deque(maxlen=3)
    for i in range(4):
        put(x[i] ** 2)
    return sum(q) * q[0]


def put_before(x):
    q = deque()
    q.extendleft([x[0], x[1], x[2]])
    return q[0] * q[1] ** 2


def lists_in_a_list(x):
    rows = [[] for _ in range(2)]
    for i in range(4):
        rows[i % 2].append(x[i])
    return sum(rows[0]) * rows[1][1]


def entry_of_a_list_gone(x):
    rows = [[x[0]], [x[1]]]
    rows[0].append(x[2])
    del rows[0]
    return rows[0][0] * 2


def groups_of_positions(x):
    groups = {}
    for i in range(4):
        groups.setdefault(i % 2, []).append(i)
    return sum(x[i] for i in groups[0]) * x[groups[1][0]]


def neighbours(x):
    beside = [[] for _ in range(4)]
    for i, j in [(0, 1), (1, 2), (3, 0)]:
        beside[i].append(j)
        beside[j].append(i)
    total = 0.0
    for i in range(4):
        for j in beside[i]:
            total = total + x[i] * x[j] ** 2
    return total


def sets_in_a_dict(x):
    seen = {"odd": set()}
    for i in range(4):
        seen["odd"].add(i % 2)
    return sum(x[i] for i in seen["odd"])


def dict_in_a_dict(x):
    d = {"a": {"b": x[0]}}
    d["a"].update(b=x[1], c=x[2])
    return d["a"]["b"] * d["a"]["c"]


def deleted(x):
    d = {"a": x[0], "b": x[1]}
    del d["a"]
    return sum(d.values()) * x[2]


def deleted_positions(x):
    d = {0: 1, 2: 3}
    del d[0]
    total = 0.0
    for k in d:
        total = total + x[k] * x[d[k]]
    return total


def taken_by_key(x):
    d = {k: x[k] for k in range(4)}
    y = d.pop(2)
    return y * sum(d.values())


def last_item(x):
    d = {k: x[k] for k in range(4)}
    k, v = d.popitem()
    return v * k + sum(d.values()) ** 2


def slice_stored(x):
    parts = [x[0], x[1], x[2]]
    parts[1:2] = [x[3], x[0] * 2]
    return parts[0] * parts[1] * parts[2] + parts[3]


def repeated_in_place(x):
    parts = [x[0], x[1]]
    parts *= 2
    return parts[0] * parts[3]


def moved_to_the_end(x):
    d = OrderedDict()
    for i in range(4):
        d[i] = x[i]
    d.move_to_end(0)
    return sum(v * (k + 1) for k, v in enumerate(d.values()))


def grown_under_its_loop(x):
    d = {"a": [x[0], x[1]]}
    for v in d["a"]:
        if len(d["a"]) < 5:
            d["a"].append(v * x[2])
    return sum(d["a"])


def grown_in_a_function(x):
    def add(k, v):
        groups[k].append(v)

    groups = defaultdict(list)
    add(0, x[0])
    add(0, x[1] * x[0])
    return groups[0][0] * groups[0][1]


def in_an_order_of_its_own(x):
    d = {0: x[0], 1: x[1], 2: x[2]}
    total = 0.0
    for _, v in sorted(d.items(), key=lambda kv: d[kv[0]]):
        total = total * 0.5 + v
    del d[0]
    return total + sum(d.values())


def repeated_deque(x):
    q = deque([x[0], x[1]])
    q.rotate(2)
    q *= 2
    return q[0] * q[3]


def taken_one_by_one(x):
    items = iter([x[0], x[1], x[2]])
    y = next(items)
    for v in items:
        y = y * v
    return y


def taken_or_not(x):
    items = iter([x[0]])
    return next(items) * next(items, x[1])


def pairs_by_name(x):
    pairs = zip(x, x[::-1])
    total = 0.0
    for a, b in pairs:
        total = total + a * b ** 2
    for a, b in pairs:
        total = total + a
    return total


def broken_off(x):
    items = iter([x[0] * x[1], x[1], x[2], x[3]])
    total = 0.0
    for v in items:
        if v > 0.5:
            break
        total = total + v * v
    for v in items:
        total = total + v ** 3
    return total


def itself_beside_itself(x):
    items = iter(x)
    total = 0.0
    for a, b in zip(items, items):
        total = total + a * b ** 2
    return total


def numbered_by_name(x):
    numbered = enumerate(x)
    next(numbered)
    return sum(k * v ** 2 for k, v in numbered)


def backwards(x):
    items = reversed([x[0], x[1] ** 2, x[2]])
    first = next(items)
    return first * next(items) ** 2


def changed_before_it_is_taken(x):
    parts = [x[0], x[1]]
    items = iter(parts)
    parts[0] = x[2] * x[3]
    return next(items) * next(items)


def summed_twice(x):
    items = iter(x * 2)
    total = sum(items)
    return total ** 2 + sum(items)


def generator_by_name(x):
    squares = (v ** 2 for v in x)
    return next(squares) * sum(squares)


def views_by_name(x):
    u = np.copy(x)
    halves = [u[:2], u[2:]]
    for v in halves:
        v *= 3.0
    return np.sum(u ** 2) * halves[0][1]


def stored_into_views(x):
    u = np.zeros(4)
    parts = [u[0:2], u[2:4]]
    parts[0][:] = x[:2] ** 2
    parts[1][:] = x[2:] * x[0]
    return np.sum(u * np.arange(4.0))


def list_and_then_an_entry_or_an_array(x):
    total = 0.0
    for k in range(3):
        parts = []
        for i in range(k + 1):
            parts.append(x[i] * x[k])
        parts = parts[0] if k == 0 else np.array(parts)
        total = total + np.sum(parts ** 2)
    return total


REFUSED = [
    either_dict,
    last_item, slice_stored, repeated_in_place, moved_to_the_end, in_an_order_of_its_own, repeated_deque,
    pairs_by_name, broken_off, numbered_by_name, backwards, generator_by_name,
]

INTERPRETED = [
    groups, groups_under_known_keys, lists_in_a_list, groups_of_positions, neighbours, sets_in_a_dict, dict_in_a_dict,
    taken_by_key, grown_under_its_loop, filled_by_a_function, list_and_then_an_entry_or_an_array, taken_one_by_one,
    taken_or_not, views_by_name, stored_into_views, itself_beside_itself, changed_before_it_is_taken, entry_of_a_list_gone,
    deleted, deleted_positions, summed_twice, grown_in_a_function, sums_by_key, sums_of_a_counter, counted, sums_of_an_object,
    under_two_names, put_before,
]


def by_differences(program, x):
    return [(program(x + d) - program(x - d)) / 2e-6 for d in 1e-6 * np.eye(len(x))]


@pytest.mark.parametrize("program", INTERPRETED)
def test_it_is_compiled_as_the_interpreter_writes_it(program):
    for x in (np.array([0.3, -0.5, 0.7, 1.2]), np.array([-0.2, 0.9, 1.1, -0.6])):
        found = grad(program, mode="compiled")(x)
        np.testing.assert_allclose(found, by_differences(program, x), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("program", REFUSED)
def test_it_is_refused_and_the_eager_engine_answers(program):
    x = np.array([0.3, -0.5, 0.7, 1.2])
    with pytest.raises(SourcediffError) as refusal:
        grad(program, mode="compiled")(x)
    assert refusal.value.places and all(place.line and (place.remedy or refusal.value.remedy) for place in refusal.value.places)
    with pytest.warns(FallbackWarning):
        found = grad(program)(x)
    np.testing.assert_allclose(found, by_differences(program, x), rtol=1e-6, atol=1e-8)


def history(x):
    kept = {"u": [], "t": []}
    for i in range(4):
        kept["t"].append(x[i])
        kept["u"].append(x[i] ** 2)
    return {key: np.array(values) for key, values in kept.items()}


def arrays_of_a_history(x):
    kept = history(x)
    return np.sum(kept["t"] * kept["u"][::-1]) * kept["t"][1]


def lists_of_a_history(x):
    def run():
        kept = {"u": [], "t": []}
        for i in range(4):
            kept["t"].insert(0, x[i])
            kept["u"].append(x[i] * kept["t"][0])
        kept["u"].extend([kept["t"].pop() * x[1], x[2]])
        return kept

    kept = run()
    return sum(v * (k + 2) for k, v in enumerate(kept["u"])) * kept["t"][0]


def one_list_under_two_keys(x):
    shared = []
    kept = {"u": shared, "t": shared}
    for i in range(4):
        kept["t"].append(x[i])
        kept["u"].append(x[i] ** 2)
    return np.sum(np.array(kept["t"]) * np.arange(8.0))


def made_in_each_trip(x):
    total = 0.0
    for j in range(3):
        kept = {"t": [x[j]], "u": []}
        kept["u"].append(kept["t"][0] * x[j + 1])
        kept["t"].append(kept["u"][0])
        total = total + sum([sum(v) * v[0] for v in kept.values()])
    return total


@pytest.mark.parametrize("program", [arrays_of_a_history, lists_of_a_history, one_list_under_two_keys, made_in_each_trip])
def test_lists_under_literal_keys_that_grow_are_compiled(program):
    x = np.array([0.3, -0.5, 0.7, 1.2])
    np.testing.assert_allclose(grad(program, mode="compiled")(x), by_differences(program, x), rtol=1e-6, atol=1e-8)
