"""Lists and dicts of which the entries are replaced, by keys and places that are computed."""

import numpy as np

from .case import array, case


def store_literal(x):
    xs = [0.0, 0.0, 0.0, 0.0]
    for i in range(4):
        xs[i] = x[i] ** 2
    return xs[0] * xs[1] + xs[2] * xs[3] + xs[-1]


case(store_literal, array("n"))


def update_repeated(x):
    xs = [0.0] * 3
    for i in range(len(x)):
        xs[i % 3] += x[i] ** 2
    return xs[0] * xs[1] * xs[2]


case(update_repeated, array("n"))


def update_mul(x):
    xs = [1.0] * 3
    for i in range(len(x)):
        xs[i % 3] *= x[i] ** 2
    return xs[0] + xs[1] * xs[2]


case(update_mul, array("n"))


def store_comp(x):
    xs = [v * 2 for v in x]
    for i in range(1, len(xs)):
        xs[i] = xs[i - 1] * xs[i] + 0.1
    return xs[-1] + xs[0]


case(store_comp, array("n"))


def store_appended(x):
    xs = []
    for v in x:
        xs.append(np.sin(v))
    for i in range(len(xs) - 1):
        xs[i + 1] += xs[i] ** 2
    return xs[-1] * xs[0]


case(store_appended, array("n"))


def store_arrays(x):
    xs = [np.zeros(len(x))] * 3
    for i in range(3):
        xs[i] = x * (i + 1)
    return np.sum(xs[0] * xs[1]) + np.sum(xs[2] ** 2)


case(store_arrays, array("n"))


def store_none(x):
    xs = [None] * 3
    for i in range(3):
        xs[i] = x * (i + 1)
    return np.sum(xs[0] * xs[1]) + np.sum(xs[2] ** 2)


case(store_none, array("n"))


def store_arrays_update(x):
    xs = [np.zeros(len(x)) for _ in range(3)]
    for i in range(6):
        xs[i % 3] += x ** (i + 1)
    return np.sum(xs[0] * xs[1]) + np.sum(xs[2] ** 2)


case(store_arrays_update, array("n"))


def store_swap(x):
    xs = list(x)
    xs[0], xs[3] = xs[3], xs[0]
    i = 1
    xs[i], xs[i + 1] = xs[i + 1], xs[i]
    return xs[0] * 1.0 + xs[1] * xs[0] ** 2 + 3 * xs[2] - xs[3] ** 3


case(store_swap, array("n"))


def store_cond(x):
    xs = [0.0] * 4
    for i in range(4):
        if x[i] > 0:
            xs[i] = x[i] ** 2
        else:
            xs[i - 1] = x[i] ** 3
    return sum(xs) * xs[1]


case(store_cond, array("n"))


def store_nested_list(x):
    m = [[0.0] * 4 for _ in range(4)]
    for i in range(4):
        for j in range(4):
            m[i][j] = x[i] * x[j] + i
    t = 0.0
    for i in range(4):
        t += m[i][3 - i] ** 2
    return t


case(store_nested_list, array("n"))


def dp_table(x):
    m = [[0.0] * 5 for _ in range(5)]
    for i in range(1, 5):
        for j in range(1, 5):
            m[i][j] = np.logaddexp(m[i - 1][j], m[i][j - 1]) + x[i - 1] * x[j - 1]
    return m[4][4]


case(dp_table, array("n"))


def bubble(x):
    xs = list(x)
    n = len(xs)
    for i in range(n):
        for j in range(n - 1 - i):
            if xs[j] > xs[j + 1]:
                xs[j], xs[j + 1] = xs[j + 1], xs[j]
    t = 0.0
    for i in range(n):
        t += (i + 1) * xs[i] ** 2
    return t


case(bubble, array("n"))


def fft_list(x):
    a = [x[0], x[1], x[2], x[3]]
    h = 1
    while h < 4:
        for i in range(0, 4, 2 * h):
            for j in range(i, i + h):
                u = a[j]
                v = a[j + h]
                a[j] = u + v
                a[j + h] = u - v
        h *= 2
    return a[0] ** 2 + a[1] ** 3 + a[2] * a[3]


case(fft_list, array("n"))


def returned_list(x):
    xs = [0.0] * 4
    for i in range(4):
        xs[i] = x[i] * 2
    return np.sum(np.array(xs) ** 2)


case(returned_list, array("n"))


def cholesky_lists(x):
    n = 3
    a = [[2.0 + x[0] ** 2, x[1], x[2]], [x[1], 3.0, x[3]], [x[2], x[3], 4.0]]
    l = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            s = a[i][j]
            for k in range(j):
                s -= l[i][k] * l[j][k]
            if i == j:
                l[i][j] = np.sqrt(s)
            else:
                l[i][j] = s / l[j][j]
    return l[0][0] * l[1][1] * l[2][2] + l[2][0]


case(cholesky_lists, array("n"))


def list_of_params(x):
    vel = [np.zeros(len(x)), np.zeros(len(x))]
    params = [x * 1.0, x ** 2]
    for _ in range(3):
        for i in range(2):
            vel[i] = 0.9 * vel[i] - 0.1 * params[i] ** 2
            params[i] = params[i] + vel[i]
    return np.sum(params[0] * params[1])


case(list_of_params, array("n"))


def list_index_negative(x):
    xs = [0.0] * 4
    for i in range(4):
        xs[-1 - i] = x[i] ** (i + 1)
    return xs[-1] * xs[0] + xs[-2]


case(list_index_negative, array("n"))


def last_of_grown(x):
    items = []
    for v in x:
        if items:
            items.append(items[-1] * v)
        else:
            items.append(v ** 2)
    return items[-1]


case(last_of_grown, array("n"))


def neighbours_2lists(x):
    u = list(x)
    new = [0.0] * len(u)
    for _ in range(3):
        for i in range(len(u)):
            new[i] = u[i] + 0.1 * u[i - 1] ** 2
        u, new = new, u
    return sum(v ** 2 for v in u)


case(neighbours_2lists, array("n"))


def store_row_in(x):
    xs = [np.zeros(len(x)) for _ in range(3)]
    for i in range(3):
        for j in range(4):
            xs[i][j] = x[j] ** (i + 1)
    return np.sum(xs[0] * xs[1]) + np.sum(xs[2] ** 2)


case(store_row_in, array("n"))


def row_name(x):
    m = [[0.0] * 4 for _ in range(3)]
    for i in range(3):
        r = m[i]
        for j in range(4):
            r[j] = x[j] ** (i + 1)
    return m[0][0] * m[1][1] + m[2][2] * m[0][3]


case(row_name, array("n"))


def alias_of_list(x):
    xs = [0.0] * 4
    ys = xs
    for i in range(4):
        xs[i] = x[i] ** 2
    return ys[0] * ys[1] + xs[2]


case(alias_of_list, array("n"))


def old_entry(x):
    xs = [x * 1.0, x ** 2]
    v = xs[0]
    xs[0] = v * 2 + xs[1]
    return np.sum(v * xs[0] * xs[1])


case(old_entry, array("n"))


def two_entries(x):
    w = x * 2
    xs = [None, None]
    xs[0] = w
    xs[1] = w
    xs[0] += 1.0 * x
    return np.sum(xs[0] * xs[1])


case(two_entries, array("n"))


def two_entries_in_place(x):
    w = x * 2
    xs = [np.zeros(len(x)), np.zeros(len(x))]
    xs[0] = w
    xs[1] = w
    xs[0][1] = x[0] ** 2
    return np.sum(xs[0] * xs[1])


case(two_entries_in_place, array("n"))


def kept_alias(x):
    w = x * 2
    y = w
    xs = [None, None]
    xs[0] = w
    y[0] = 3 * x[1]
    return np.sum(xs[0] ** 2)


case(kept_alias, array("n"))


def appended_fresh(x):
    xs = []
    for i in range(3):
        w = x * (i + 1)
        xs.append(w)
    for i in range(3):
        xs[i] += x ** 2
        xs[i][1] = x[0] * 3
    return np.sum(xs[0] * xs[2] * xs[1])


case(appended_fresh, array("n"))


def entry_in_both(x):
    a = x * 2
    xs = [a, x ** 2]
    xs[0] += x
    xs[0][1] = 4.0
    return np.sum(a * xs[0]) + np.sum(xs[1])


case(entry_in_both, array("n"))


def array_into_rows(x):
    m = [[0.0] * 2 for _ in range(2)]
    m[0][1] = x * 2
    m[1][0] = x ** 2
    return np.sum(m[0][1] * m[1][0]) + m[0][0]


case(array_into_rows, array("n"))


def deep(x):
    m = [[[0.0] * 2 for _ in range(2)] for _ in range(2)]
    for i in range(2):
        for j in range(2):
            for k in range(2):
                m[i][j][k] = x[i] * x[j + 1] ** (k + 1)
    return m[0][0][1] * m[1][1][0] + m[0][1][1] * m[1][0][1]


case(deep, array("n"))


def row_swap(x):
    a = [[2.0 + x[0], x[1]], [x[2], x[3]]]
    a[0], a[1] = a[1], a[0]
    a[0][0] = a[0][0] * a[1][1]
    return a[0][0] * 2 + a[0][1] * a[1][0] + a[1][1]


case(row_swap, array("n"))


def row_swap_arrays(x):
    a = [x * 1.0, x ** 2, x ** 3]
    for k in range(2):
        a[k], a[k + 1] = a[k + 1], a[k]
        a[k] = a[k] / a[k][0]
    return np.sum(a[0] * a[1]) + np.sum(a[2])


case(row_swap_arrays, array("n"))


def gauss_lists(x):
    a = [[4.0, x[0], x[1]], [x[2], 5.0, x[3]], [x[0], x[1] * 2, 6.0]]
    b = [x[0], x[1], 1.0]
    n = 3
    for k in range(n):
        for i in range(k + 1, n):
            f = a[i][k] / a[k][k]
            for j in range(k, n):
                a[i][j] -= f * a[k][j]
            b[i] -= f * b[k]
    s = [0.0] * n
    for i in range(n - 1, -1, -1):
        t = b[i]
        for j in range(i + 1, n):
            t -= a[i][j] * s[j]
        s[i] = t / a[i][i]
    return s[0] + 2 * s[1] * s[2]


case(gauss_lists, array("n"))


def appended_mutated(x):
    xs = []
    s = 0.0
    for i in range(3):
        w = x * (i + 1)
        s = s + np.sum(w ** 3) * s + np.sum(w)
        xs.append(w)
    for i in range(3):
        xs[i] += x ** 2
        xs[i][1] = x[0] * 3
    return np.sum(xs[0] * xs[2] * xs[1]) * s


case(appended_mutated, array("n"))


def old_entry_array(x):
    xs = [x * 1.0, x ** 2, x ** 3]
    for k in range(2):
        v = xs[k]
        xs[k] = v * xs[k + 1]
        xs[k + 1] = v + xs[k + 1]
    return np.sum(xs[0] * xs[1] * xs[2])


case(old_entry_array, array("n"))


def row_lists(x):
    m = [[x[0], x[1]], [x[2], x[3]]]
    i = 0
    s = m[i][0] * m[i][1]
    m[i] = [s, x[0] ** 2]
    m[1] = [m[0][0] * 2, m[1][1]]
    return m[0][0] * m[1][0] + m[0][1] * m[1][1]


case(row_lists, array("n"))


def shapes_change(x):
    xs = [x[0], x[1]]
    for i in range(2):
        s = xs[i] * 2
        xs[i] = x * s
    return np.sum(xs[0] * xs[1])


case(shapes_change, array("n"))


def rows_in_two_lists(x):
    rows, others = [[x[0]], [x[1]]], [None, None]
    others[0] = rows[1]
    row = rows[1]
    row[0] = x[2] * 2
    return others[0][0] * x[3]


case(rows_in_two_lists, array("n"), may_refuse=True)


def rows_appended_elsewhere(x):
    rows, others = [[x[0]], [x[1]]], []
    others.append(rows[1])
    row = rows[1]
    row[0] = x[2] * 2
    return others[0][0] * x[3]


case(rows_appended_elsewhere, array("n"), may_refuse=True)


def rows_exchanged_in_a_loop(x):
    rows, others = [[x[0]], [x[1]]], [None, None]
    for i in range(2):
        others[i] = rows[i]
    for i in range(2):
        row = rows[i]
        row[0] = x[2] * 2
    return others[0][0] * x[3]


case(rows_exchanged_in_a_loop, array("n"), may_refuse=True)


def dicts_in_two_dicts(x, key="b"):
    inner = {"a": {"k": x[0]}, "b": {"k": x[1]}}
    outer = {"c": inner[key]}
    found = inner["b"]
    found["k"] = x[2] * 2
    return outer["c"]["k"] * x[3] + inner["a"]["k"]


case(dicts_in_two_dicts, array("n"), may_refuse=True)


def row_popped_and_changed(x):
    row = [x[0], x[1]]
    rows = [[x[2]]]
    rows.append(row)
    taken = rows.pop()
    taken[0] = x[3] * 2
    return row[0] * rows[0][0]


case(row_popped_and_changed, array("n"), may_refuse=True)


def slices_of_rows(x):
    rows = [[x[0]], [x[1]], [x[2]]]
    part = rows[1:]
    part[0][0] = x[3] ** 2
    part[1] = [x[0] * 5]
    return rows[1][0] * rows[2][0] + part[1][0]


case(slices_of_rows, array("n"), may_refuse=True)


def one_row_in_several(x):
    row, m = x * 2, []
    for _ in range(3):
        m.append([row])
    m[0][0][0] = x[1] * x[0]
    return m[1][0][0] * x[0]


case(one_row_in_several, array("n"), may_refuse=True)


def one_row_in_dicts_of_lists(x):
    row = x * 2
    m = [{"r": [row]} for _ in range(2)]
    m[0]["r"][0][0] = x[1] * x[0]
    return m[1]["r"][0][0] * x[0]


case(one_row_in_dicts_of_lists, array("n"), may_refuse=True)


def rows_of_their_own(x):
    m = [[[x * 2]] for _ in range(3)]
    m[0][0][0][0] = x[1] * x[0]
    return m[1][0][0][0] * x[0] + m[0][0][0][0]


case(rows_of_their_own, array("n"))


def constant_among_rows(x):
    m = [x * 2, x]
    m[0] = np.ones(len(x))
    a, b = m
    total = 0.0
    for v in m:
        total = total + np.sum(v + x[1])
    return np.sum(a * x[0]) + np.sum(a + x[1]) + b[0] + total + np.sum(np.concatenate(m))


case(constant_among_rows, array("n"))


def constant_rows_of_lists(x):
    m = [[x[0], x[2]], [x[1], x[0]]]
    m[1] = [1.5, 1.5]
    for k in range(2):
        m[k][0] += x[2] ** 2
    return m[0][1] + m[1][-1] * m[1][0]


case(constant_rows_of_lists, array("n"))


def rows_in_pairs(x):
    rows, others = [[x[0]], [x[1]]], [[x[2]], [x[3]]]
    pairs = list(zip(rows, others))
    pair = pairs[0]
    row, same = pair[0], rows[0]
    same[0] = x[3] * 2
    return row[0] * others[1][0]


case(rows_in_pairs, array("n"), may_refuse=True)


def rows_gone_through_in_pairs(x):
    rows, others = [[x[0]], [x[1]]], [[x[2]], [x[3]]]
    for row, other in zip(rows, others):
        row[0] = other[0] * x[1]
    for i, row in enumerate(rows):
        row[0] *= x[i]
    return rows[0][0] * rows[1][0]


case(rows_gone_through_in_pairs, array("n"))
