"""Parts of arrays that are changed in loops over them, and through lists of them."""

import numpy as np

from .case import array, case, integers


def loop_over_a_split(x):
    u = x * 1.0
    for part in np.split(u, 2):
        part *= part[0]
    w = np.ones(4)
    for p, q in zip(np.split(u, 2), np.split(w, 2)):
        p *= q
        q += p
    return np.sum(u) * np.sum(w ** 2)


case(loop_over_a_split, array("4"), may_refuse=True)


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


def parts_of_rows(a, b):
    total = 0.0
    for i in range(len(a)):
        row = a[i]
        left, right = row[:2], row[2:]
        total += row[0] * row[1] + np.sum(left * b[:2]) + a[0, 1] * np.sum(right ** 2)
        if i % 2:
            total += np.sum(left ** 3) * row[-1]
    return total


case(parts_of_rows, array("m n"), array("n"))


def parts_that_depend_on_others(a, order):
    h = a[0]
    for i in range(len(a)):
        k = order[i % len(order)]
        row = a[k]
        h = np.sin(row[0] * h + row[1]) + a[k - 1]
        k = (k + 1) % len(a)
        h = h * a[k, 0]
        row = a[k]
        h[0] = h[1] * row[1]
    return np.sum(h)


case(parts_that_depend_on_others, array("3 n"), integers("n", 3))


def entries_in_parts(table, x):
    for k in range(2):
        w = table["w"]
        row = w[k]
        x = np.cos(0.3 * (w @ x)) + row[0] * row[1:3].sum() + w[k, k]
    return np.sum(x) + np.sum(table["w"][0] * table["b"][k])


case(entries_in_parts, {"w": array("3 3"), "b": array("3 3")}, array("3"))


def rows_that_change(a, x):
    a = a.copy()
    total = 0.0
    for i in range(2):
        row = a[i]
        total += row[0] * np.sum(row[1:])
        a[i] = x * row[1]
        row[0] = total
        total += a[i, 0] * a[i + 1, 1] * row[2]
    return total + np.sum(a ** 2)


case(rows_that_change, array("3 3"), array("3"))
