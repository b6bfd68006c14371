"""Entries of containers that grow under keys which only the run knows, where nothing in them is differentiated; defaultdicts, counters."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError

W = np.arange(1.0, 6.0) / 2
PAIRS = [(0, 1), (1, 2), (0, 3), (2, 4), (1, 0)]


def groups_by_setdefault(w, pairs):
    groups = {}
    for u, i in pairs:
        groups.setdefault(u, []).append(i)
    total = 0.0
    for u in groups:
        total += np.sum(w[groups[u]]) ** 2
    for _, members in groups.items():
        total += np.sum(w[members]) ** 3
    for _, members in sorted(groups.items()):
        total *= np.sum(w[members])
    return total


def groups_by_test(w, pairs):
    groups = {}
    for u, i in pairs:
        if u not in groups:
            groups[u] = []
        groups[u].append(i)
    return sum(np.prod(w[members]) for members in groups.values())


def rows_of_a_list(w, pairs):
    near = [[] for _ in range(5)]
    for u, i in pairs:
        near[u].append(i)
        near[i].append(u)
    h = w.copy()
    for _ in range(2):
        new = np.zeros(5)
        for k in range(5):
            new[k] = np.tanh(h[k]) + 0.1 * sum(h[j] for j in near[k])
        h = new
    return np.sum(h ** 2)


def sets_by_default(w, pairs):
    seen = defaultdict(set)
    for u, i in pairs:
        seen[u].add(i)
    total = 1.0
    for u, _ in pairs:
        items = sorted(seen[u])
        total = total * np.sum(w[items]) / np.sqrt(len(items))
    return total * (len(seen[7]) + len(seen)) * w[0]


def asked_while_it_grows(w, pairs):
    groups = defaultdict(list)
    total = 1.0
    for u, i in pairs:
        total = total * (1 + np.sum(w[groups[u]])) * (1 + len(groups) * w[0])
        groups[u].append(i)
    return total


def one_list_in_two_places(w, pairs):
    base = [1]
    groups = {0: base, 1: base}
    total = 1.0
    for u, i in pairs[:3]:
        total = total * np.sum(w[groups[u]])
        groups[u].append(i)
    return total


def changed_through_another_name(w, pairs):
    groups = {}
    same = groups
    total = 1.0
    for u, i in pairs:
        if u not in groups:
            groups[u] = []
        same[u].append(i)
        total = total * np.sum(w[groups[u]])
    return total


def changed_between_uses(w, pairs):
    held = {0: [0, 1]}
    total = np.sum(w[held[0]])
    held[0].reverse()
    total = total * (w[held[0]] @ np.array([1.0, 2.0]))
    held[0].pop()
    total = total * np.sum(w[held[0]]) ** 2
    held[0].clear()
    return total * np.sum(w[held[0] + [2]])


def added_in_a_helper(groups, u, i):
    groups[u].append(i)
    return len(groups[u])


def changed_by_a_helper(w, pairs):
    groups = {0: [], 1: [], 2: []}
    total = 1.0
    for u, i in pairs:
        total = total * w[added_in_a_helper(groups, u, i)] * np.sum(w[groups[u]])
    return total


class Graph:
    def __init__(self, pairs):
        self.near = defaultdict(list)
        for u, i in pairs:
            self.near[u].append(i)
            self.near[i].append(u)

    def neighbours(self, k):
        return self.near[k]


def neighbours_of_an_object(w, pairs):
    graph = Graph(pairs)
    total = 0.0
    for k in range(5):
        for j in graph.neighbours(k):
            total += w[k] * w[j] ** 2
    return total


def last_by_default(w, pairs):
    last = defaultdict(lambda: None)
    total = 0.0
    for u, i in pairs:
        if last[u] is not None:
            total += w[last[u]] * w[i]
        last[u] = i
    return total


def arrays_by_default(w, pairs):
    sums = defaultdict(lambda: np.zeros(2))
    for u, i in pairs:
        sums[u] += w[i] * np.array([1.0, 2.0])
    return sum(np.prod(v) for v in sums.values())


def products_by_default(w, pairs):
    products = defaultdict(lambda: w[0])
    for u, i in pairs:
        products[u] = products[u] * w[i]
    return sum(products.values())


def moved_towards(w, pairs):
    level = defaultdict(lambda: w[0])
    for u, i in pairs:
        level[u] += 0.5 * (w[i] - level[u])
    return sum(v**2 for v in level.values())


def updated_by_another_entry(w, pairs):
    level, total = defaultdict(lambda: 2.0), 0.0
    for u, i in pairs:
        level[u] -= w[i] * level[i]
        total += sum(level.values())
    return total


def counted(w, pairs):
    count = Counter()
    for u, _ in pairs:
        count[u] += 1
    if 9 in count or count[9]:
        return w[0]
    return sum(w[u] ** 2 / n for u, n in count.items()) * len(count)


def in_order_of_a_search(w, pairs):
    seen, order, stack = set(), [], [0]
    near = {u: [i for v, i in pairs if v == u] for u, _ in pairs}
    while stack:
        k = stack.pop()
        if k in seen:
            continue
        seen.add(k)
        order.append(k)
        stack.extend(near.get(k, []))
    return sum(w[k] ** 2 * (j + 1) for j, k in enumerate(order))


def most_common(w, pairs):
    count = Counter()
    for u, _ in pairs:
        count[u] += 1
    return w[count.most_common(1)[0][0]]


def sum_of_counters(w, pairs):
    one, other = Counter(), Counter()
    one[1] += 1
    other[1] += len(pairs)
    return w[1] ** (one + other)[1]


def kind_of_a_counter(w, pairs):
    count = Counter()
    count[0] += 1
    return w[0] if isinstance(count, Counter) else w[1]


def what_is_differentiated_grows(w, pairs):
    groups = defaultdict(list)
    for u, i in pairs:
        groups[u].append(w[i])
    return sum(np.prod(np.array(v)) for v in groups.values())


COMPILED = [
    groups_by_setdefault, groups_by_test, rows_of_a_list, sets_by_default, asked_while_it_grows, one_list_in_two_places,
    changed_through_another_name, changed_between_uses, changed_by_a_helper, neighbours_of_an_object, last_by_default, arrays_by_default,
    products_by_default, moved_towards, updated_by_another_entry, counted, in_order_of_a_search, what_is_differentiated_grows,
]


def by_differences(program):
    return np.array([(program(W + d, PAIRS) - program(W - d, PAIRS)) / 2e-6 for d in 1e-6 * np.eye(len(W))])


@pytest.mark.parametrize("program", COMPILED)
def test_it_is_compiled(program):
    value, slopes = sourcediff.value_and_grad(program, mode="compiled")(W, PAIRS)
    assert value == pytest.approx(program(W, PAIRS), rel=1e-12)
    np.testing.assert_allclose(slopes, by_differences(program), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("program", [most_common, sum_of_counters, kind_of_a_counter])
def test_it_is_left_to_the_eager_engine(program):
    with pytest.raises(SourcediffError):
        sourcediff.grad(program, mode="compiled")(W, PAIRS)
    np.testing.assert_allclose(sourcediff.grad(program, mode="eager")(W, PAIRS), by_differences(program), rtol=1e-5, atol=1e-7)


def counts_of_pairs(w, pairs):
    total = defaultdict(float)
    for u, i in pairs:
        for j in range(2):
            total[u, j] += w[i] * (j + 1)
            total[(u, j)] *= 1.1
    return sum(v ** 2 for v in total.values())


def lists_of_pairs(w, pairs):
    groups = defaultdict(list)
    for u, i in pairs:
        for j in range(2):
            groups[u, j] += [w[i] * (j + 1)]
    return sum(sum(v) ** 2 for v in groups.values())


def data_by_default(w, pairs):
    counts = number_of_each(pairs)
    return sum(n * w[0] for n in counts.values()) + w[1] * len(counts)


def number_of_each(pairs):
    counts = defaultdict(float)
    for u, i in pairs:
        counts[u, i % 2] += 1.0
    return counts


@pytest.mark.parametrize("program", [counts_of_pairs, lists_of_pairs, data_by_default])
def test_keys_that_are_pairs(program):
    value, slopes = sourcediff.value_and_grad(program, mode="compiled")(W, PAIRS)
    assert value == pytest.approx(program(W, PAIRS), rel=1e-12)
    np.testing.assert_allclose(slopes, by_differences(program), rtol=1e-5, atol=1e-7)
