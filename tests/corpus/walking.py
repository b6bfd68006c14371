"""Loops over what itertools makes of sequences."""

import itertools

import numpy as np

from .case import array, case


def copy_iterated(x):
    parts = [v ** 2 for v in x]
    t = 1.0
    for v in list(parts):
        t = t * v + parts.pop()
    return t


case(copy_iterated, array("n"))


def zip_strict(x):
    t = 0.0
    for a, b in zip(x, x[::-1], strict=True):
        t += a * b ** 2
    return t


case(zip_strict, array("n"))


def pairs(x):
    t = 0.0
    for a, b in itertools.pairwise(x):
        t += (a - b) ** 2
    return t


case(pairs, array("n"))


def pairs_sum(x):
    return sum((a - b) ** 2 * a for a, b in itertools.pairwise([v ** 2 for v in x]))


case(pairs_sum, array("n"))


def combos(x):
    t = 0.0
    for a, b in itertools.combinations(x, 2):
        t += a * b ** 2
    return t


case(combos, array("n"))


def combos_enum(x):
    ps = [x[:2], x[1:3], x[2:4]]
    return sum(np.sum(p * q ** 2) for p, q in itertools.combinations(ps, 2))


case(combos_enum, array("n"))


def longest(x):
    t = 0.0
    for a, b in itertools.zip_longest(x, x[:2], fillvalue=1.0):
        t += a * b
    return t


case(longest, array("n"))


def sliced(x):
    t = 0.0
    for a in itertools.islice(x, 1, 3):
        t += a ** 2
    for a in itertools.islice(x, 2):
        t += a ** 3
    return t


case(sliced, array("n"))


def repeated(x):
    t = 0.0
    for a in itertools.repeat(x[0], 3):
        t = t * 0.3 + a ** 2
    for a, b in zip(x, itertools.repeat(x[1])):
        t += a * b
    return t


case(repeated, array("n"))


def counted(x):
    t = 0.0
    for i, a in zip(itertools.count(1), x):
        t += a ** i
    return t


case(counted, array("n"))


def cycled(x):
    t = 0.0
    for a, b in zip(x, itertools.cycle(x[:2])):
        t += a * b ** 2
    return t


case(cycled, array("n"))


def putmask(x):
    y = x * 2
    np.putmask(y, y < 0, 0.0)
    return np.sum(y ** 2)


case(putmask, array("n"))


def putmask2(x):
    y = x * 2
    np.putmask(y, y < 0, x ** 2)
    return np.sum(y ** 2)


case(putmask2, array("n"))


def graph_by_its_edges(x):
    edges = [(0, 1, x[0]), (1, 2, x[1]), (0, 2, x[2] * 5)]
    distance = [0.0, 9.0, 9.0]
    before = [None] * 3
    for _ in range(len(edges) - 1):
        for u, v, length in edges:
            if distance[u] + length**2 < distance[v]:
                distance[v] = distance[u] + length**2
                before[v] = u
    matrix = np.zeros((3, 3))
    for i, (u, v, length) in enumerate([(0, 1, x[0]), (1, 2, x[1])]):
        matrix[u, v] = length * i
        matrix[v, u] = length**2
    waves = [("sin", x[0]), ("cos", x[1])]
    return distance[2] + np.sum(matrix**3) + sum(np.sin(phase) if kind == "sin" else np.cos(phase) for kind, phase in waves)


case(graph_by_its_edges, array("3"))


def table_that_grows(x):
    rows = [(0, x[0]), (1, x[1])]
    rows.append((2, x[2]))
    return sum(v * k for k, v in rows)


case(table_that_grows, array("3"))


def keys_that_are_tuples(x):
    rules = {(0, 1): x[0], (1, 2): x[1]}
    total = 0.0
    for (i, j), weight in rules.items():
        total = total + weight * i + j * x[j]
    return total + sum(weight * i for (i, j), weight in rules.items())


case(keys_that_are_tuples, array("3"))


def running_sums_of_anything(x):
    total = sum(itertools.accumulate(v * 2 for v in x)) + sum(itertools.accumulate(x * 3, np.maximum))
    for k, v in enumerate(itertools.accumulate(reversed(x))):
        total = total * v + k
    for row in itertools.accumulate([x, x * 2, x**2]):
        total = total + np.sum(row**2)
    return total + sum(itertools.accumulate(x[:0]))


case(running_sums_of_anything, array("n"))
