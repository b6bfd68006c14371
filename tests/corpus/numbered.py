"""Entries by their numbers and by their indices: ``a.flat``, ``np.ndindex`` and ``np.ndenumerate``."""

import numpy as np

from .case import array, case


def stored_by_numbers(x):
    a = np.zeros((2, 2))
    a.flat[:] = x
    a.flat[1] *= 3
    a.T.flat[1] += x[0] ** 2
    return np.sum(a * a) * a[1, 0]


case(stored_by_numbers, array("4"))


def flat_assigned(x):
    a = np.zeros((2, 3))
    a.flat = x
    a.flat[[1, 3, 1]] = x[:3]
    a.flat[[0, 2]] *= x[3]
    b = np.zeros((2, 2), order="F")
    b.flat = [x[0], x[1]]
    b.flat[2:] = [x[2], x[3] * 2]
    return np.sum(a ** 3) + np.sum(b * b) * b[0, 1]


case(flat_assigned, array("4"))


def flat_in_loops(x):
    a = np.ones((2, 3))
    for i in range(6):
        a.flat[i] = x[i % 4] ** 2 + (a.flat[i - 1] if i else 0.0)
    total = 0.0
    for i in range(3):
        b = np.zeros(3)
        b.flat[i] = x[i]
        b.flat[:2] += x[i] ** 2
        total = total * 0.5 + np.sum(b * b)
    return np.sum(a ** 2) + total


case(flat_in_loops, array("4"))


def flat_of_a_transpose(x):
    a = (x * 2).T
    total = 1.0
    for i, v in enumerate(a.flat):
        if i < 3:
            a[(i + 1) // a.shape[1], (i + 1) % a.shape[1]] += v
        total = total * v + v
    return np.sum(a * a) + total + a.flat[2]


case(flat_of_a_transpose, array("2 3"))


def part_of_flat_is_a_copy(x):
    a = x * 1.0
    part = a.flat[1:3]
    a[0, 1] = 5.0
    return np.sum(part * part) * a.flat[1] * a.flat[-1]


case(part_of_flat_is_a_copy, array("2 3"))


def flat_read_as_a_whole(x):
    total = sum(v * v for v in x.T.flat) + sum(x.flat) + max(x.flat) + len(x.flat)
    return total + np.dot(x.flat.copy(), x.flat[np.ravel(x) > 0.2].sum() * np.ravel(x))


case(flat_read_as_a_whole, array("2 3"))


def first_by_number(b):
    b.flat[0] = b.flat[1] ** 2
    return b.flat[2]


def flat_under_other_names(x):
    a = x * 1.0
    e = a
    e.flat[1] = x[0] * x[2]
    v = a[1:]
    v.flat[0] *= 2
    d = {"k": x * 1.0}
    d["k"].flat[1] += x[0]
    y = first_by_number(a)
    return np.sum(a ** 2) * y + np.sum(d["k"] ** 2)


case(flat_under_other_names, array("4"))


def flat_under_branches(x):
    a = np.zeros((2, 2))
    if x[0] > 0:
        a.flat[3] = x[0] * x[1]
    else:
        a.flat[0] = 1.0
    k = 2
    a.flat[k] = x[2]
    k -= 1
    a.flat[k] = x[2] ** 2
    b = x * 1.0
    b.flat[x > 0] = x[x > 0] ** 2
    c = np.arange(4.0).reshape(2, 2)
    for v in c.flat:
        a.flat[3] = a.flat[3] * v + x[1]
    return np.sum(a ** 2) + np.sum(b ** 3)


case(flat_under_branches, array("4"))


def every_index(x):
    y = x * 0.5
    total = 0.0
    for index in np.ndindex(2, 3):
        total += x[index] ** 2 * sum(index)
    for i, j in np.ndindex(*x.shape):
        y[i, j] = x[i, j] * total + y[i - 1, j]
    for index, v in np.ndenumerate(x):
        y[index] *= v + index[0]
    for (i, j), v in np.ndenumerate(y.T):
        total = total * 0.5 + i * v - j * v ** 2
    return total + sum(v * index[1] for index, v in np.ndenumerate(y))


case(every_index, array("2 3"))


def entries_while_they_change(x):
    a = x * 1.0
    for index, v in np.ndenumerate(a):
        a[index[0], 0] = v * v + a[0, 0]
    return np.sum(a ** 2) * a[0, 1]


case(entries_while_they_change, array("2 3"))
