"""Values that get into an array or a list by another name, a helper or a star, and indices that move on: a tester's findings."""

import numpy as np

from .case import array, case


def set_to(buffer, v):
    buffer[:] = v


def put(items, v):
    items.extend([v, 2 * v])


def packed_parameters(x):
    q = x.copy()
    o = 0
    a = q[o:o + 1]
    o += 1
    b = q[o:o + 1]
    o += 1
    a *= 2.0
    b *= 3.0
    return np.sum(q ** 2)


case(packed_parameters, array("n"))


def view_of_a_place_that_moves_on(x):
    u = x.copy()
    i = 0
    r = u[i:i + 2]
    i += 1
    u *= 2.0
    return r[0] * r[1] + u[i]


case(view_of_a_place_that_moves_on, array("n"))


def offset_around_a_helper(x):
    u = x.copy()
    k = 0

    def following(count):
        nonlocal k
        part = u[k:k + count]
        k += count
        return part

    a = following(1)
    b = following(2)
    a *= 2.0
    b += a
    return np.sum(u ** 2)


case(offset_around_a_helper, array("n"))


def tail_by_a_star(x):
    head, *tail = x
    return head + sum(t * t for t in tail)


case(tail_by_a_star, array("n"))


def pairs_by_a_star(x):
    (w, b), *rest = [(x[0], x[1]), (x[2], x[0])]
    return w * b + sum(v ** 2 * u for v, u in rest)


case(pairs_by_a_star, array("n"))


def view_given_to_a_helper(x):
    b = np.zeros(3)
    c = b[1:]
    set_to(c, x[0])
    total = 0.0
    for v in b:
        total = total + v * v
    return total


case(view_given_to_a_helper, array("n"))


def view_without_a_name(x):
    b = np.zeros(4)
    b.reshape(2, 2)[1] = x[0]
    return sum(v * v for v in b)


case(view_without_a_name, array("n"))


def parts_in_a_loop(x):
    b = np.zeros(4)
    left, right = b[:2], b[2:]
    for part in (left, right):
        part[0] = x[1]
    return sum(v * v for v in b)


case(parts_in_a_loop, array("n"))


def list_given_to_a_helper(x):
    items = []
    put(items, x[0])
    return sum(v * v for v in items)


case(list_given_to_a_helper, array("n"))


def list_given_to_an_inner_function(x):
    items = [0.0]

    def store(held, v):
        held[0] = v

    store(items, x[0])
    return sum(v * v for v in items)


case(list_given_to_an_inner_function, array("n"))


def rows_given_to_a_helper(x):
    rows = [np.zeros(2) for _ in range(3)]
    for row, v in zip(rows, x):
        set_to(row, v)
    total = 0.0
    for row in rows:
        total += np.sum(row) ** 2
    return total


case(rows_given_to_a_helper, array("n"))


def rows_of_a_matrix_given_to_an_inner_function(x):
    b = np.zeros((3, 2))

    def store(row, v):
        row[:] = v

    for i in range(3):
        store(b[i], x[i])
    return max(np.sum(row) for row in b)


case(rows_of_a_matrix_given_to_an_inner_function, array("n"))


def rows_by_name_given_to_a_helper(x):
    u = np.zeros((2, 3))
    for i in range(2):
        row = u[i]
        set_to(row, x[:3] * i)
    return np.sum(u[1] ** 2)


case(rows_by_name_given_to_a_helper, array("n"))


def narrow_beside_what_changes(x):
    one, other = np.arctan(x[2]), -0.2
    one, other = other, 0.5 * one
    s, t = one, other
    t += one * other
    x = 0.5 * x[::-1] * s
    return np.sum(x)


case(narrow_beside_what_changes, array("n"))
