"""What is grouped and gathered: rows that become columns, groups by key, dicts that make their entries."""

from collections import defaultdict

import numpy as np

from .case import array, case

NAMES = ["a", "b", "a", "c"]
NUMBERS = {"a": 0, "b": 1}
KEYS = [0, 1, 0]


def columns_of_rows(x):
    rows = []
    for i in range(3):
        rows.append((i, x * i))
    times, states = zip(*rows)
    return np.sum(np.vstack(states) ** 2) * times[-1]


case(columns_of_rows, array("n"))


def columns_of_steps(x):
    history, t = [], 0.0
    while t < 1.0:
        x = x + 0.1 * np.sin(x)
        t += 0.3
        history.append((t, x))
    times, states = map(np.array, zip(*history))
    return np.sum(states ** 2) * times[-1] + len(history)


case(columns_of_steps, array("n"))


def rows_before_they_grow(x):
    rows = [(0.0, x)]
    for i in range(len(x)):
        rows.append((rows[-1][0] + 1.0, rows[-1][1] * x[i]))
    times, states = zip(*rows)
    rows.append((9.0, x))
    return np.sum(np.array(states)) + max(times) + len(rows)


case(rows_before_they_grow, array("3"))


def groups(keys):
    found = {}
    for i, key in enumerate(keys):
        found.setdefault(key, []).append(i)
    return found


def groups_made_first(keys):
    found = {}
    for i, key in enumerate(keys):
        if key not in found:
            found[key] = []
        found[key].append(i)
    return found


def groups_by_default(keys):
    found = defaultdict(list)
    for i, key in enumerate(keys):
        found[key].append(i)
    return found


def grouped_by_a_helper(x):
    total = 0.0
    for grouping in (groups, groups_made_first, groups_by_default):
        for key, rows in grouping(KEYS).items():
            total += np.sum(x[rows]) ** 2 * (key + 1)
    return total


case(grouped_by_a_helper, array("3"))


def entries_by_default(x):
    totals = defaultdict(float)
    for i, key in enumerate(np.array([0, 1, 0, 2])):
        totals[key] += x[i % 3] ** 2
    known = defaultdict(float)
    for name, i in [("a", 0), ("b", 1), ("a", 2)]:
        known[name] += x[i]
    return sum(value ** 2 for value in totals.values()) + known["a"] * known["missing"] + len(known)


case(entries_by_default, array("3"))


def counted_by_default(x):
    errors = defaultdict(int)
    for i, name in enumerate(NAMES):
        if x[i % 3] > 0:
            errors[name] += 1
    return x[0] * sum(errors.values())


case(counted_by_default, array("3"))


def asked_with_another_answer(x):
    total = 0.0
    for name in "a b z".split():
        total += x[NUMBERS.get(name, 2)] ** 2
    return total


case(asked_with_another_answer, array("3"))


def last_of_the_rows(x):
    history = [(1, x[0], x[1])]
    for i in range(2):
        history.append((i, x[i] * 2, x[i + 1]))
    *_, (n, a, b) = history
    return n * a * b


case(last_of_the_rows, array("3"))


def path(n):
    found = 0.0
    for k in range(n):
        found += 0.1 * k
        yield found


def generator_beside_data(x, data):
    total, last = 0.0, 0.0
    for strain, measured in zip(path(len(data)), data):
        total = total + measured * np.sin(strain * x[0])
        if strain > 1:
            total = total * x[1]
        last = total * x[2]
    for measured, strain in zip(data, path(60)):
        total = total + measured * np.cos(strain * x[0])
    return total + last


case(generator_beside_data, array("3"), array("n"))
