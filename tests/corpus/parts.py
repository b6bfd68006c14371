"""Parts of arrays that are changed in loops over them, and through lists of them."""

import numpy as np

from .case import array, case


def loop_over_a_split(x):
    u = x * 1.0
    for part in np.split(u, 2):
        part *= part[0]
    w = np.ones(4)
    for p, q in zip(np.split(u, 2), np.split(w, 2)):
        p *= q
        q += p
    return np.sum(u) * np.sum(w ** 2)


case(loop_over_a_split, array("4"))


def loops_over_splits_of_a_matrix(x):
    u = x * 1.0
    for row in np.split(u, 2):
        row[0, 1] = row[0, 0] ** 2
    for column in np.hsplit(u, 2):
        column *= x[1, 0]
    for column in np.array_split(u, 2, axis=1):
        column += u[0, 0]
    return np.sum(u ** 2)


case(loops_over_splits_of_a_matrix, array("2 2"))


def loop_over_slices(x):
    u = x * 1.0
    for v in (u[:2], u[1:]):
        v *= x[0] * v[0]
    for v in (u[:2], u[2:]):
        if v[0] > 0:
            continue
        v *= x[1]
    for i, v in enumerate([u[:3], u[2:]]):
        v[i] = x[i] ** 2 + v[0]
    return np.sum(u ** 2)


case(loop_over_slices, array("4"))


def scaled_in_place(v, s):
    v *= s
    return np.sum(v)


def slices_for_helpers(x):
    u = x * 1.0
    total = 0.0
    for v in [u[:2], u[2:]]:
        total += scaled_in_place(v, x[0])
    return np.sum(u ** 2) * total


case(slices_for_helpers, array("4"))
