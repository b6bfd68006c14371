"""Calls that change an array in place: np.copyto, fill, sort, put, place, fill_diagonal, np.add.at, out=."""

import numpy as np

from .case import array, case, integers, number


def copied_over(x, y):
    a = x * 2
    np.copyto(a, y)
    np.copyto(a[1:], x[:-1])
    return np.sum(a ** 2)


case(copied_over, array("n"), array("n"), float32=True)


def copied_where(x, y):
    np.copyto(x, y, where=y > 0.1)
    return np.sum(x ** 3)


case(copied_where, array("n"), array("n"))


def filled_in_a_loop(x, w):
    buffer = np.empty(3)
    total = 0.0
    for k in range(len(x)):
        buffer.fill(x[k])
        buffer[1:].fill(x[k] ** 2)
        np.multiply(buffer, w, out=buffer)
        total += np.sum(buffer ** 2)
    return total


case(filled_in_a_loop, array("n"), array("3"))


def filled_in_no_trip(x):
    a = x * 2
    for _ in range(0):
        a.fill(1.0)
    return np.sum(a * x)


case(filled_in_no_trip, array("n"))


def filled_on_one_branch(x, s):
    a = x * x
    if s > 0:
        a.fill(s)
    else:
        np.copyto(a, x)
    return np.sum(a * x)


case(filled_on_one_branch, array("n"), number(0.4))


def sorted_in_place(x):
    a = x * 2
    a.sort()
    return np.sum(a * np.arange(len(a)))


case(sorted_in_place, array("n"))


def rows_sorted_in_a_loop(a, w):
    total = 0.0
    for row in a:
        row.sort()
        total += np.sum(row * w)
    a.sort(axis=0)
    return total + np.sum(a[0])


case(rows_sorted_in_a_loop, array("m n"), array("n"))


def put_with_repeats(x, v):
    np.put(x, [1, 2, 1], v)
    x.put(0, v[0] * 2)
    return np.sum(x ** 2)


case(put_with_repeats, array("n"), array("3"))


def put_into_a_matrix(a, v):
    b = a * 2
    np.put(b, [0, 4], v)
    return np.sum(b * a)


case(put_into_a_matrix, array("m n"), array("2"))


def placed_under_a_mask(x, v):
    a = x * 1.0
    np.place(a, a > 0.0, v)
    return np.sum(np.sin(a))


case(placed_under_a_mask, array("n"), number(0.3))


def diagonal_filled(a, s):
    b = a @ a.T
    np.fill_diagonal(b, s)
    np.fill_diagonal(a, b[0, 1])
    return np.sum(b ** 2) + np.sum(a ** 3)


case(diagonal_filled, array("m n"), number(0.7))


def scattered_sum(x, i):
    total = np.zeros(4)
    np.add.at(total, i, x)
    return np.sum(total ** 2)


case(scattered_sum, array("n"), integers("n", 4))


def scattered_difference(x, i, v):
    np.subtract.at(x, i, v[0])
    np.add.at(x, [0, 0], v[:2])
    return np.sum(x ** 2)


case(scattered_difference, array("n"), integers("k", 3), array("n"))


def histogram_in_a_loop(a, i):
    bins = np.zeros((3, 3))
    count = np.zeros(3, dtype=int)
    for row in a:
        np.add.at(bins, (i, 1), row)
        np.add.at(count, i, 1)
    return np.sum(bins ** 2 / (1 + count))


case(histogram_in_a_loop, array("m n"), integers("n", 3))


def product_into_a_workspace(a, x):
    work = np.zeros(len(a))
    np.dot(a, x, out=work)
    np.add(work, 1.0, work)
    np.cumsum(work, out=work)
    return np.sum(work ** 2)


case(product_into_a_workspace, array("m n"), array("n"))


def result_of_out(x, y):
    a = np.zeros_like(x)
    b = np.multiply(x, y, out=a)
    b[0] = y[0]
    return np.sum(a * b)


case(result_of_out, array("n"), array("n"))


def overlapping_out(x):
    np.add(x[1:], x[:-1], out=x[1:])
    np.multiply(x, x[::-1], out=x)
    return np.sum(x ** 2)


case(overlapping_out, array("n"))


def divided_where_it_can_be(x, y):
    q = np.zeros_like(x)
    np.divide(x, y, out=q, where=y > 0.2)
    return np.sum(q ** 2)


case(divided_where_it_can_be, array("n"), array("n"))


def temporaries_of_a_stencil(u, steps):
    d = np.empty_like(u)
    t = np.empty(len(u) - 2)
    for _ in range(steps):
        np.subtract(u[2:], u[:-2], out=t)
        np.multiply(t, 0.1, out=t)
        d.fill(0.0)
        d[1:-1] = t
        u += d
    return np.sum(u ** 2)


case(temporaries_of_a_stencil, array("n"), 3)


def twice_negated(x):
    y = -(-x)
    np.put(y, [-1, 0], x[:2])
    z = 0.5 * (2 * x)
    np.put(z, [2], 5.0)
    z = np.negative(-(z * y))
    z[1] = 0.0
    return np.sum(y * z) + np.sum(x)


case(twice_negated, array("4"))


def cancelled_factors_in_views(x):
    a = np.reshape(0.5 * (2 * x), (-1, 1))
    a[0, 0] = 5.0 * x[1]
    b = (0.5 * (2 * x)).T
    b[1] *= x[0]
    c = np.asarray(2 * (0.5 * x))[::2]
    c[0] = x[1]
    d = [4 * (0.25 * x)]
    d[0][1] = 3.0 * x[0]
    e = np.atleast_1d(0.5 * (2 * x))
    e += x
    return np.sum(a ** 2) + np.sum(b * x) + np.sum(c) * np.sum(d[0] * x) + np.sum(e * x ** 2)


case(cancelled_factors_in_views, array("n"))
