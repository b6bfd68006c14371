"""``np.r_`` and ``np.c_``."""

import numpy as np

from .case import array, case, positive


def mirrored(h):
    e = np.r_[h[0], h, h[-1]]
    return np.sum((e[2:] - 2 * e[1:-1] + e[:-2]) ** 2)


case(mirrored, array("n"), float32=True, units=True)


def columns(x, y):
    return np.sum(np.c_[x, y] ** 2 * np.arange(2 * len(x)).reshape(len(x), 2))


case(columns, array("n"), array("n"))


def design(x):
    y = x * 2
    a = np.c_[np.ones(len(y)), y, y**2]
    return np.sum(a.T @ a) + np.sum(np.r_[0, y, 0.0, -1] * np.arange(len(y) + 3))


case(design, array("n"), float32=True)


def ranges(x):
    return np.sum(np.r_[0:3, x, 0:1:5j, 1:9:2, 3.0, x[1:3], [0.5, 0.25]] ** 3)


case(ranges, array("n"))


def of_matrices(m):
    joined = np.sum(np.r_[m, m[:1] * 2] ** 2) + np.sum(np.c_[m, m[:, 0]] ** 3)
    return joined + np.sum(np.c_[m[0], m[1]] @ np.ones(2))


case(of_matrices, array("m n"))


def of_other_ranks(x):
    z = x[:4].reshape(1, 2, 2)
    return np.sum(np.c_[z, z * 2][..., 1:] ** 2 * x[1]) + np.sum(np.c_[x[0], x[1]] * np.array([[1.0, 3.0]]))


case(of_other_ranks, array("n"))


def round_and_round(x):
    n = len(x)
    e = np.r_[-x[0], x[:n - 1], np.zeros(2), x[::-1], x.sum()]
    for _ in range(3):
        e = np.r_[e[-1], e[:-1]]
        e[1] = e[0] * e[2]
    return np.sum(e**2)


case(round_and_round, positive("n"))
