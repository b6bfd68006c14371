"""Containers of objects from outside that are given to functions of which nothing is differentiated, and which change nothing."""

from __future__ import annotations

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError

X = np.array([0.5, 1.2, 0.7])


class Link:
    def __init__(self, w, k):
        self.w, self.k, self.near = w, k, [1.0]

    def close(self):
        self.k = 0


LINKS: dict[str, Link] = {}
ROWS: list[Link] = []


@pytest.fixture(autouse=True)
def links():
    begin()


def begin():
    LINKS.clear()
    LINKS.update(a=Link(1.0, 1), b=Link(2.0, 2))
    ROWS[:] = [Link(1.0, 1), Link(2.0, 2)]


def first(links):
    return min(links.values(), key=lambda link: link.w)


def total(links):
    return sum(link.w for link in links.values())


def same(links):
    return links


def of_rows(rows, factor):
    return sum(row.w for row in rows) * factor


def sum_of_all(x):
    return x[LINKS["a"].k] * total(LINKS)


def sum_of_rows(x):
    return x[ROWS[0].k] * of_rows(ROWS, factor=2) * len(ROWS)


def stored_to(x):
    link = first(LINKS)
    link.k = 0
    return x[LINKS["a"].k] * total(LINKS)


def changed_by_a_method(x):
    link = first(LINKS)
    link.close()
    return x[LINKS["a"].k] * total(LINKS)


def exchanged_under_another_name(x):
    before = x[LINKS["a"].k]
    links = same(LINKS)
    links["a"] = LINKS["b"]
    return before + x[LINKS["a"].k] * total(LINKS)


def each_stored_to(x):
    before = LINKS["a"].w * x[0]
    for link in same(LINKS).values():
        link.w = 5.0
    return before + LINKS["a"].w * x[1]


def a_list_of_one_grows(x):
    first(LINKS).near.append(3.0)
    return x[0] * len(LINKS["a"].near) * total(LINKS)


def by_differences(program):
    found = []
    for step in 1e-6 * np.eye(len(X)):
        values = []
        for x in (X + step, X - step):
            begin()
            values.append(program(x))
        found.append((values[0] - values[1]) / 2e-6)
    begin()
    return np.array(found)


@pytest.mark.parametrize("program", [sum_of_all, sum_of_rows])
def test_it_is_compiled(program):
    slopes = by_differences(program)
    gradient = sourcediff.grad(program, mode="compiled")
    np.testing.assert_allclose(gradient(X), slopes, rtol=1e-6)
    for link in (LINKS["a"], ROWS[0]):
        link.w, link.k = 7.0, 2
    assert gradient(X)[2] == pytest.approx((program(X + [0, 0, 1.0]) - program(X - [0, 0, 1.0])) / 2) and gradient(X)[1] == 0


@pytest.mark.parametrize("program", [
    stored_to, changed_by_a_method, exchanged_under_another_name, each_stored_to, a_list_of_one_grows,
])
def test_what_changes_it_is_refused(program):
    with pytest.raises(SourcediffError):
        sourcediff.grad(program, mode="compiled")(X)
