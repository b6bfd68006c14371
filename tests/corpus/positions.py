"""Positions that are found in what they are positions of, and names bound to a part of what they stood for."""

import numpy as np

from .case import array, case, integers, positive


def peak(x):
    return x[int(np.argmax(x))] ** 2


case(peak, array("n"), units=True)


def from_peak(x):
    return np.sum(x[np.argmax(x):] ** 2)


case(from_peak, array("n"), units=True)


def first_positive(x):
    y = x * 2.0
    return y[y > np.min(y)][0] ** 2


case(first_positive, array("n"))


def columns_from_peak(m):
    return np.sum(m[:, int(np.argmax(m[0])):] ** 2)


case(columns_from_peak, array("m n"), units=True)


def around_peak(x):
    spectrum = np.concatenate((x[:1], x * x, x[:1])) ** 2
    k = int(np.argmax(spectrum))
    return np.sum(spectrum[max(int(np.argmax(spectrum)) - 1, 0):k + 1] ** 2) + spectrum[int(np.argmin(spectrum))]


case(around_peak, array("n"))


def quantile(x, q):
    share = np.cumsum(x) / np.sum(x)
    return share[np.searchsorted(share, 0.6)] - q * share[np.searchsorted(share, q) - 1]


case(quantile, positive("n"), 0.5, wrt=0)


def added_to_the_least(x):
    load = np.zeros(3)
    for v in x:
        load[np.argmin(load)] += v
    return np.sum(load ** 2)


case(added_to_the_least, positive("n"))


def changed_at_peak(x):
    y = np.sin(x)
    x = x * 1.0
    x[np.argmax(x)] += y[0]
    x[np.argmin(x)] *= y[1] * x[np.argmax(x)]
    x[int(np.argmax(x))] = x[int(np.argmin(x))] * y[2]
    return np.sum(x ** 2)


case(changed_at_peak, array("n"))


def halved_at_peak(x):
    y, total = x * 1.0, 0.0
    for _ in range(4):
        y[np.argmax(y)] *= 0.5
        total += y[np.argmax(y)] ** 2 * x[int(np.argmin(y))]
    return total


case(halved_at_peak, positive("n"))


def suppressed(x):
    y, total = x * 1.0, 0.0
    while y[np.argmax(y)] > 0.6:
        k = np.argmax(y)
        total += y[np.argmax(y)] ** 2
        y[max(k - 1, 0):k + 2] *= 0.1
    return total + np.sum(y ** 2)


case(suppressed, positive("n"))


def in_a_branch(x):
    y = x * 1.0
    if y[np.argmax(y)] > 0.1:
        y[np.argmax(y)] = y[np.argmin(y)] * y[np.argmax(y) - 1]
    return np.sum(y ** 2)


case(in_a_branch, array("n"))


def part_of_itself(x):
    y = x * 2
    y = y[len(y) - 4:len(y) - 1]
    return np.sum(y ** 2)


case(part_of_itself, array("n"))


def row_of_itself(m):
    m = m * 1.0
    m = m[m.shape[0] // 2]
    return np.sum(m ** 2)


case(row_of_itself, array("m n"), units=True)


def sum_of_itself(m):
    m = m * m
    m = np.sum(m, axis=m.ndim - 1)
    m = np.take(m, m.shape[0] - 1, axis=m.ndim - 1)
    return m * m


case(sum_of_itself, array("m n"), units=True)


def shortened_again(x):
    y = x[x > np.median(x)]
    y = y[y.argmax():]
    y = y[: len(y)]
    y = np.sort(y)[::-1]
    y = np.roll(y, -int(np.argmax(y)))
    return (y * np.arange(1, len(y) + 1)).sum()


case(shortened_again, array("n"))


def in_order(x):
    y = x * 1.0
    y = y[np.argsort(y)]
    return np.sum(y[:3] ** 2 * np.arange(1, 4)) + np.sum(np.take(x, np.argsort(x)[:3]) ** 3)


case(in_order, array("n"))


def largest_of_rows(m):
    return np.sum(m[np.arange(m.shape[0]), np.argmax(m, axis=1)] ** 2) + m[np.unravel_index(np.argmax(m), m.shape)] ** 3


case(largest_of_rows, array("m n"))


def added_by_position(x):
    y = x * x
    np.add.at(y, [np.argmax(y), np.argmin(y)], y[:2])
    return np.sum(y ** 2)


case(added_by_position, array("n"))


def largest_of_list(x):
    parts = []
    for k in range(4):
        parts.append(x[k] ** 2)
    best = parts[int(np.argmax(parts))]
    parts[int(np.argmin(parts))] = best * x[0]
    return best * best + sum(parts)


case(largest_of_list, array("n"))


def taken_from_list(x):
    parts = [x[0], x[1] ** 2, x[2]]
    best = parts.pop(int(np.argmax(parts)))
    return best ** 2 + sum(parts)


case(taken_from_list, array("n"))


def of_a_list_that_grows(x):
    past, v = [], x[0]
    for k in range(4):
        v = np.sin(v) + x[k]
        past.append(v)
        if past[int(np.argmin(past))] < 0.7:
            v = v + past[int(np.argmin(past))] ** 2
    return past[int(np.argmax(past))] * v


case(of_a_list_that_grows, positive("n"))


def entry_by_entry(x):
    d = {0: x[1] * 2, 1: x[0] ** 2, 2: x[3]}
    return d[int(d[2] > d[0])] ** 2


case(entry_by_entry, array("n"))


def row_by_list(m):
    rows = [m[0], m[1] * 2, m[2]]
    r = rows[int(np.argmax([rows[0][0], rows[1][0], rows[2][0]]))]
    best = int(np.argmin([row[1] for row in rows]))
    rows[best] = rows[best] * r
    return sum(np.sum(q ** 2) for q in rows)


case(row_by_list, array("3 n"))


def pivoted(m):
    a = m.copy()
    det = 1.0
    for k in range(3):
        p = k + np.argmax(np.abs(a[k:, k]))
        a[[k, p]] = a[[p, k]]
        det = det * a[k, k]
        a[k + 1:] -= np.outer(a[k + 1:, k] / a[k, k], a[k])
    return det


case(pivoted, array("3 3"))


def at(v):
    return v[np.argmax(v)]


def by_helper(x):
    return at(x) * at(x * x) * at(np.sin(3 * x))


case(by_helper, array("n"))


# Lists and arrays of indices that change after they were read.


def stored_index(x, idx):
    y = x[idx] ** 2
    idx[0] = 4
    idx[1:] = [0, 0]
    return np.sum(y) + np.sum(x[idx] ** 3)


case(stored_index, array("n"), [1, 2, 3])


def counted_index(x, idx):
    y = x * 1.0
    for k in range(3):
        y[idx] *= x[k]
        idx[0] = idx[0] + 1
        idx[1] += 1
    return np.sum(y ** 2)


case(counted_index, array("n"), [0, 1])


def index_in_place(x, idx):
    y = x[idx] ** 2
    idx += 1
    idx[0] = 0
    return np.sum(y) + np.sum(x[idx] ** 3)


case(index_in_place, array("n"), integers("3", 4))


def index_shortened(x, idx):
    s = 0.0
    while len(idx) > 1:
        k = idx.pop(0)
        s = s * x[k] + x[idx[0]] ** 2
        s = s + np.sum(x[idx]) ** 2
    return s


case(index_shortened, array("n"), [3, 1, 2])


def index_gone_over(x, idx):
    s = 1.0
    for k in idx:
        s = s * x[k]
    k = idx.pop()
    return s * x[k]


case(index_gone_over, array("n"), [3, 1, 2])


# Views by a position that is another one later.


def row_that_leads(m):
    m = m * 1.0
    r = m[int(np.argmax(m[:, 0]))]
    r *= 2 * r
    r2 = m[np.argmax(m[:, 1])]
    r2[1:] *= r[0]
    m[np.argmax(m[:, 0])][np.argmax(m[0])] *= 3.0
    return np.sum(m**2)


case(row_that_leads, array("m n"))


def row_by_length(m):
    m = m * 1.0
    seen = []
    r = m[len(seen)]
    seen.append(1)
    r *= 3.0 * r
    seen.append(2)
    r[len(seen)] *= 2
    return np.sum(m**2)


case(row_by_length, array("m n"))


def row_by_entry(m):
    m = m * 1.0
    order, d = [2, 0, 1], {}
    r = m[order[0]]
    order[0] = 1
    r *= 3.0 * r
    s = m[len(d)]
    d["a"] = 1
    s *= 2.0 * r
    return np.sum(m**2) * d["a"]


case(row_by_entry, array("m n"))


def rows_in_turn(m):
    m = m * 1.0
    total, seen = 0.0, []
    for k in range(3):
        r = m[len(seen)]
        seen.append(k)
        r *= m[len(seen) - 1, 0]
        total += np.sum(r)
    return total + np.sum(m**2)


case(rows_in_turn, array("m n"))
