"""What has the derivative zero (positions, counts, signs, orders) carries nothing: it may be a key, and be given to helpers as it is."""

from collections import Counter, defaultdict
from itertools import groupby

import numpy as np
import pytest

from ..differences import assert_compiled


def looked_up(k, table):
    if k not in table:
        table[k] = k * 2.0
    return table[k]


def an_inner_function_at_a_place(x):
    def at(k):
        return x[k] * 2
    return at(int(abs(x[0]) * 2)) + at(int(np.argmax(x)))


def a_table_that_gets_a_value_later(x):
    table = {}
    k = int(np.argmin(x))
    before = looked_up(k, table)
    table[k] = x[k] * 3
    return looked_up(k, table) * before + looked_up(0, table)


class Weights:
    def __init__(self, w):
        self.w, self.k = w, 0

    def count(self, k):
        self.k += k
        return self.k

    def at(self, k):
        return self.w[k % 5] * self.k


def an_object_that_counts(x):
    weights = Weights(x * 2)
    i = int(np.argmax(x))
    weights.count(i)
    weights.count(2)
    return weights.at(i) + weights.at(weights.k)


def in_order(x):
    return np.argsort(x)


def an_order_that_changes(x):
    order = in_order(x)
    y = x[order]
    order[0] = order[1]
    return (y * np.arange(5)).sum() + x[order].sum() ** 2


def decoded(x):
    state = int(np.argmax(x))
    path = [state]
    for k in range(4):
        state = int(np.argmax(x * (k + 1) % 3.1))
        path.append(state)
    path.reverse()
    return path


def runs_of_a_decoded_path(x):
    total = 0.0
    path = decoded(x)
    for state, run in groupby(path):
        n = len(list(run))
        total += x[state] ** 2 * n
    return total


def neighbours_in_cells(x):
    cells = defaultdict(list)
    for i, v in enumerate(x):
        cells[int(np.floor(v))].append(i)
    total = 0.0
    for key, members in list(cells.items()):
        other = key + 1
        if other not in cells:
            continue
        for i in members:
            for j in cells[other]:
                total += (x[i] - x[j]) ** 2 * (1 + min(i, j))
    return total


def neighbours_in_cells_of_two_axes(x):
    cells = defaultdict(list)
    for i in range(4):
        cells[tuple(int(np.floor(v)) for v in x[i:i + 2])].append(i)
    total = 0.0
    for key, members in list(cells.items()):
        for step in ((0, 1), (1, 0), (1, 1), (1, -1)):
            other = (key[0] + step[0], key[1] + step[1])
            if other not in cells:
                continue
            for i in members:
                for j in cells[other]:
                    total += (x[i] - x[j + 1]) ** 2 * (1 + key[0])
    return total + len(cells) * x[0]


def counts_of_floors(x):
    found = Counter(int(np.floor(v)) for v in x)
    return sum(n * x[k] for k, n in sorted(found.items()) if 0 <= k < 5) + x.sum()


def floors_and_what_moves(x):
    f = np.floor(x * 2)
    f += x
    g = np.ceil(x)
    g[1] = x[1] ** 2
    return (f * g).sum()


def chosen(k, *values):
    return values[k]


def one_of_what_is_given(x):
    return chosen(int(np.argmax(x)) % 2, x[0] * 2, x[1] * x[2]) + chosen(1, int(x[0] * 9), 3) * x[0]


@pytest.mark.parametrize("program", [
    an_inner_function_at_a_place, a_table_that_gets_a_value_later, an_object_that_counts, an_order_that_changes, runs_of_a_decoded_path,
    neighbours_in_cells, neighbours_in_cells_of_two_axes, counts_of_floors, floors_and_what_moves, one_of_what_is_given,
])
def test_what_is_computed_of_places_is_right(program):
    assert_compiled(program)
