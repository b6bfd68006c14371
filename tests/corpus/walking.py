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
