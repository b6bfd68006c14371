"""What a function may change of what it is given: through lists and dicts that hold it, but not where those alone change."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff.analysis.source.mutated_names import Asked
from sourcediff.syntax.source import read


def in_a_list(rows, v):
    held = [rows]
    held[0].append(v)


def by_setdefault(rows, v):
    held = {"k": rows}
    held.setdefault("k", []).append(v)


def by_get(rows, v):
    held = {"k": rows}
    held.get("k").append(v)


def by_pop(rows, v):
    held = {"k": rows}
    held.pop("k")[0] = v


def one_by_one(rows, v):
    held = [rows]
    for part in held:
        part[0] = v


def under_another_name(rows, v):
    held = [rows]
    same = held
    same[0][0] = v


def updated(rows, v):
    held = [rows]
    part = held[0]
    part += [v]


def put_in_later(rows, v):
    held = []
    held.append(rows)
    held[0][0] = v


def put_under_a_key(rows, v):
    held = {}
    held["k"] = rows
    held["k"][0] = v


def by_an_iterator(rows, v):
    held = [rows]
    next(iter(held)).append(v)


@pytest.mark.parametrize("function", [
    in_a_list, by_setdefault, by_get, by_pop, one_by_one, under_another_name, updated, put_in_later, put_under_a_key, by_an_iterator,
])
def test_what_is_held_changes(function: Callable[..., Any]) -> None:
    assert "rows" in Asked().of(function, read(function), ())


def grows(rows, v):
    held = [rows]
    held.append(v)
    held += [v]
    return held


def gets_entries(rows, v):
    held = {"k": rows}
    held.update(z=v)
    held["q"] = v
    return held


@pytest.mark.parametrize("function", [grows, gets_entries])
def test_a_container_changes_without_what_it_holds(function: Callable[..., Any]) -> None:
    assert Asked().of(function, read(function), ()).isdisjoint({"rows", "v"})


@lru_cache
def grid(first, n):
    points = [first]
    while len(points) < n:
        points.append(points[-1] + first)
    return (0.0, *points)


def over_a_grid(x, first, n):
    total = 0.0
    for low, high in zip(grid(first, n), grid(first, n)[1:]):
        total += (high - low) * x**2 * low
    return total


def test_a_function_that_is_remembered_is_looked_into() -> None:
    gradient = sourcediff.grad(over_a_grid, mode="compiled")
    assert gradient(1.3, 0.5, 4) == pytest.approx((over_a_grid(1.3 + 1e-6, 0.5, 4) - over_a_grid(1.3 - 1e-6, 0.5, 4)) / 2e-6, rel=1e-6)


def product_of_several(x):
    d = np.outer(x, x)
    r = np.einsum("ij,ij->i", d, d)
    r[0] = x[1]
    return np.sum(r * d[:, 0])


def test_einsum_of_several_arrays_is_new() -> None:
    x = np.array([0.5, 1.5])
    found = sourcediff.grad(product_of_several, mode="compiled")(x)
    assert found == pytest.approx([(product_of_several(x + e) - product_of_several(x - e)) / 2e-6 for e in 1e-6 * np.eye(2)], rel=1e-6)
