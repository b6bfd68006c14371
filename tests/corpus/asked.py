"""Positions, lengths and keys that are asked of a container which changes: the reverse sweep asks them again."""

from collections import OrderedDict

import numpy as np

from .case import array, case, positive


def largest_entry_replaced(x):
    v = np.sin(x)
    v[np.argmax(v)] = 0.5 * x[0]
    v[v.argmin()] *= x[1]
    w = v
    v[np.argsort(w)[1]] += x[2] * x[1]
    v[v.tolist().index(max(v))] *= 0.5
    return np.sum(v * v)


case(largest_entry_replaced, positive("4"))


def sorted_into_its_own_order(x):
    v = np.sin(x)
    v[np.argsort(v)] = v * x[0]
    return np.sum(v * v * np.arange(4.0))


case(sorted_into_its_own_order, array("4"))


def work_for_the_least_loaded(x):
    load = np.zeros(2)
    for k in range(4):
        load[np.argmin(load)] += x[k] ** 2
    return load[0] ** 2 * load[1]


case(work_for_the_least_loaded, positive("4"))


def list_of_the_least_loaded(x):
    load = [0.0, 0.0]
    for k in range(4):
        load[load.index(min(load))] += x[k] ** 2
    return load[0] ** 2 * load[1]


case(list_of_the_least_loaded, positive("4"), may_refuse=True)


def counters_at_their_own_places(x):
    a, p, y = np.array([3, 1, 2, 0]), [0, 1, 2, 3], x[0]
    e = p
    for k in range(3):
        y = np.sin(y) * x[a[0]] * x[p[0]]
        a[np.argmax(a)] -= 2
        e[p[0]] = k + 1
    return y


case(counters_at_their_own_places, array("4"))


def largest_first(x):
    p, y = [0, 1, 2, 3], x[0]
    for k in range(3):
        y = np.sin(y) * x[p[-1]]
        p[p.index(max(p))] = k
    return y


case(largest_first, array("4"))


def taken_from_the_middle(x):
    order, left, y = [1, 3, 0, 2], [0, 1, 2], x[0]
    while len(order) > 1:
        y = np.sin(y) * x[order[0]] * x[left[0]]
        order.pop(len(order) // 2)
        left.insert(len(left) // 2, len(order))
    left.remove(1)
    del left[len(left) // 2 - 1]
    return y * x[1] * x[left[0]]


case(taken_from_the_middle, array("4"))


def largest_removed(x):
    order, y = [1, 3, 2], x[0]
    while len(order) > 1:
        y = np.sin(y) * x[order[1]]
        order.remove(max(order))
    return y


case(largest_removed, array("4"))


def as_many_as_there_are(x):
    parts = {}
    for k in range(3):
        parts[k] = np.sin(x[k]) * x[len(parts)]
    return sum(parts.values())


case(as_many_as_there_are, array("4"))


def numbered_by_their_number(x):
    parts, named = {}, {}
    for k in range(3):
        parts[len(parts)] = np.sin(x[k])
        named[f"p{len(named)}"] = np.cos(x[k])
    return sum(parts.values()) * parts[1] * named["p0"] * named["p2"]


case(numbered_by_their_number, array("4"))


def entries_that_come_later(x):
    d = {"a": 1}
    y = np.sin(x[len(d)])
    d["c"] = 2
    for i in range(2):
        y = np.sin(y) * x[len(d) - 2] * x[d.get("b", 3)] + x[sum(d.values()) % 4]
        d["b"] = i
    seen = {}
    for w in "aab":
        y = np.sin(y) * x[seen.get(w, 0)]
        seen[w] = seen.get(w, 0) + 1
    return y * y


case(entries_that_come_later, array("4"))


def visited_keys(x):
    visited, y = {}, x[0]
    for k in range(3):
        visited[k] = True
        y = np.sin(y) * x[max(visited)]
    return y


case(visited_keys, array("4"))


BASE = {"a": 1}


def dicts_made_in_other_ways(x):
    d, e, f, g = dict(zip("ab", [1, 2])), dict.fromkeys("ab", 1), BASE.copy(), OrderedDict()
    h = BASE | {"b": 2}
    y = np.sin(x[d["a"]] * x[e["a"]] * x[f["a"]] * x[h["a"]] + x[len(g)])
    d["c"], e["c"], f["c"], g["c"], h["c"] = 3, 2, 1, 0, 3
    return y * y * x[d["c"]] * x[e["c"]] * x[f["c"]] * x[g["c"]] * x[h["c"]]


case(dicts_made_in_other_ways, array("4"))


def slice_that_becomes_longer(x, a):
    xs = [3, 1]
    y = np.sin(x[xs[0]] * x[len(xs)])
    xs[:1] = [1, 2]
    return y * y * x[xs[0]] * x[a]


case(slice_that_becomes_longer, array("4"), 1)
