"""Operands that a later one changes: a container that gets its name meanwhile (``Expressions.several``), what a star takes apart, and the
entry that an update reads before its value."""

from __future__ import annotations

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError

X = np.array([0.7, -1.3, 0.95, 0.2, -0.4])
OTHERS = np.array([-0.31, 1.27, 0.53, -0.84, 0.66]), np.array([1.9, 0.45, -0.77, -0.12, 0.58])


def told(x):
    """An index that the run tells."""
    return int(x * 0)


def with_appended(items, value):
    items.append(value)
    return items[told(value)]


def weighted(*values):
    return sum(value * (i + 1) for i, value in enumerate(values))


def by_words(**values):
    return sum(value * len(word) for word, value in values.items())


def the_list_that_is_asked(x):
    a = [x[0], x[1], x[2]]
    return a[a.index(x[1])] * 2 + a[1 + told(x[3])]


def a_list_and_what_a_helper_appends(x):
    a = [x[0], x[1], x[2]]
    return (a, with_appended(a, x[3]))[0][3] * x[4] + a[-1]


def a_name_bound_again(x):
    a = [x[0], x[1], x[2]]
    b = [a, with_appended(a, x[3]), (a := [x[4], x[1]]), a[told(x[0])]]
    return b[0][3] * b[1] + b[2][0] * b[3] + len(b[0])


def bound_again_by_an_index(x):
    a = [x[0], x[1], x[2]]

    def taken(i):
        nonlocal a
        found = a[i]
        a = [found * 2, x[4], found]
        return told(x[3])

    return a[taken(told(x[2]))] * a[told(x[2])]


def a_star_before_a_pop(x):
    a = [x[0], x[1], x[2]]
    return weighted(*[*a, a.pop(0), *a])


def a_star_before_a_pop_by_an_index(x):
    a = [x[0], x[1], x[2]]
    t = (*a, a.pop(told(x[3])), *a)
    return sum(t) * x[4] + sum(value * (i + 1) for i, value in enumerate(t))


def a_star_of_a_list_that_grew(x):
    a = []
    for value in x[:3 + told(x[0])]:
        a.append(value * 2)
    return sum(value * (i + 1) for i, value in enumerate([*a, a.pop(0), *a]))


def two_stars_before_a_pop(x):
    d = {"p": x[0], "q": x[1]}
    b = {**d, "r": d.pop("p"), **d}
    return b["p"] * 2 + b["q"] * 3 + b["r"] * x[2]


def arguments_before_a_pop(x):
    d, a = {"p": x[0], "qq": x[1]}, [x[2], x[3]]
    return by_words(**d, rrr=d.pop("p")) + weighted(*a, a.pop(), *a) + len(d) * x[4]


def an_entry_and_what_its_value_appends(x):
    log, total = [], np.zeros(2)

    def noted(value):
        log.append(value)
        return value ** 2

    for i in range(4):
        total[i % 2] += noted(x[i]) / (1 + len(log))
    return total[0] * total[1] + sum(log)


def an_entry_that_its_value_changes(x):
    entries = np.ones(3)

    def changed(k):
        entries[k] *= x[k]
        return entries[k] + x[0]

    for k in range(3):
        entries[k] += changed(k)
    return entries @ entries


def a_row_that_its_value_changes(x):
    rows = np.ones((3, 2))

    def changed(k):
        rows[k] = rows[k] * x[k]
        return rows[k] + x[0]

    for k in range(3):
        rows[k] += changed(k)
    return np.sum(rows ** 2)


def by_differences(program, x):
    return np.array([(program(x + 1e-6 * e) - program(x - 1e-6 * e)) / 2e-6 for e in np.eye(len(x))])


@pytest.mark.parametrize(
    "program",
    [
        the_list_that_is_asked, a_list_and_what_a_helper_appends, a_name_bound_again, bound_again_by_an_index, a_star_before_a_pop,
        a_star_before_a_pop_by_an_index, a_star_of_a_list_that_grew, two_stars_before_a_pop, arguments_before_a_pop,
        an_entry_and_what_its_value_appends, an_entry_that_its_value_changes, a_row_that_its_value_changes,
    ],
)
def test_each_is_as_it_was(program):
    slope = sourcediff.value_and_grad(program, mode="compiled")
    for x in (X, *OTHERS):
        value, slopes = slope(x)
        assert value == pytest.approx(program(x), rel=1e-12)
        np.testing.assert_allclose(slopes, by_differences(program, x), rtol=1e-6, atol=1e-7)


def a_key_that_the_run_tells(x):
    d = {"p": x[0], "q": x[1]}
    b = {**d, "r": d.pop("pq"[told(x[3])]), **d}
    return b["p"] * b["q"] * b["r"]


def test_the_rest_is_left_to_the_eager_engine():
    with pytest.raises(SourcediffError):
        sourcediff.grad(a_key_that_the_run_tells, mode="compiled")(X)
    found = sourcediff.grad(a_key_that_the_run_tells, mode="eager")(X)
    np.testing.assert_allclose(found, by_differences(a_key_that_the_run_tells, X), rtol=1e-6)
