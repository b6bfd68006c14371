"""Containers in which words, tests, counts and None stand beside floats: the floats have a gradient, the rest has None in it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff.checks.numeric import compare
from sourcediff.errors import FallbackWarning, NonDifferentiableError

Record = dict[str, Any]


def record() -> Record:
    return {
        "rate": 1.7, "name": "decay", "steps": 4, "on": True, "limit": None, "w": np.array([0.3, 1.2, -0.7]), "function": "tanh",
        "within": {"rate": 2.0, "steps": 3},
    }


def flags_and_counts(p: Record) -> Any:
    return p["rate"] ** p["steps"] if p["on"] else p["w"][0]


def all_items(p: Record) -> Any:
    total = 0.0
    for key in p:
        if key == "rate":
            total += p[key] * p["steps"]
        elif isinstance(p[key], np.ndarray):
            total += (p[key] ** 2).sum()
    return total


def a_name_decides(p: Record) -> Any:
    return getattr(np, p["function"])(p["rate"]) * {"decay": p["w"][1], "growth": 1.0}[p["name"]]


def a_copy(p: Record) -> Any:
    q = {**p, "rate": p["w"][0] * 2, "name": "growth"}
    q["steps"] += 1
    return q["rate"] * p["rate"] * q["steps"]


def none_given(p: Record) -> Any:
    return (p.get("limit") or p["rate"]) ** 2 * p["w"].sum()


def a_count_becomes_a_float(p: Record) -> Any:
    p["steps"] = p["rate"] * 2
    return p["steps"] * p["rate"] + p["w"][1]


def a_record_within(p: Record) -> Any:
    inner = p["within"]
    inner["steps"] += 1
    inner["rate"] = inner["rate"] * inner["steps"]
    return inner["rate"] * p["rate"]


def a_word_becomes_a_float(p: Record) -> Any:
    p["name"] = p["rate"] ** 2
    return p["name"] * p["rate"]


def none_becomes_a_float(p: Record) -> Any:
    if p["limit"] is None:
        p["limit"] = p["rate"] * 2
    return p["limit"] ** 2


def a_word_is_taken_out(p: Record) -> Any:
    del p["name"]
    return p["rate"] * len(p)


COMPILED = [flags_and_counts, all_items, a_name_decides, a_copy, none_given, a_count_becomes_a_float, a_record_within]
EAGER = [a_word_becomes_a_float, none_becomes_a_float, a_word_is_taken_out]


def moved(by: np.ndarray) -> Record:
    found = record()
    found["rate"] += by[0]
    found["w"] += by[1:4]
    found["within"]["rate"] += by[4]
    return found


def differences(f: Callable[[Record], Any]) -> list[float]:
    return [(f(moved(step)) - f(moved(-step))) / 2e-6 for step in 1e-6 * np.eye(5)]


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("f", COMPILED + EAGER, ids=lambda f: f.__name__)
def test_floats_have_a_gradient_and_the_rest_has_none(f: Any, mode: str) -> None:
    given, plain = record(), record()
    if f in EAGER and mode == "compiled":
        with pytest.raises(sourcediff.SourcediffError, match="cannot be compiled"):
            sourcediff.grad(f, mode=mode)(given)
        return
    f(plain)
    found = sourcediff.grad(f, mode=mode)(given)
    assert repr(given) == repr(plain)
    numbers = [found["rate"], *found["w"], found["within"]["rate"]]
    compare(numbers, differences(f), rtol=1e-6, atol=1e-8)
    assert found.keys() == record().keys() and found["within"]["steps"] is None
    assert [found[key] for key in ("name", "steps", "on", "limit", "function")] == [None] * 5


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_of_each_door(mode: str) -> None:
    def f(rows: Any) -> Any:
        return sum(a * n if word == "used" else a for a, n, word in rows)

    rows = [(1.0, 2, "used"), (3.0, 4, "left")]
    tangent = [(1.0, None, None), (0.5, None, None)]
    expected = [(2.0, None, None), (1.0, None, None)]
    assert sourcediff.vjp(f, rows, mode=mode)[1](1.0) == (expected,)
    assert sourcediff.jvp(f, (rows,), (tangent,), mode=mode) == (5.0, 2.5)
    assert sourcediff.value_and_grad(f, mode=mode)(rows) == (5.0, expected)
    with pytest.raises(NonDifferentiableError, match="no derivative"):
        sourcediff.jvp(f, (rows,), ([(1.0, None, "x"), (0.5, None, None)],), mode=mode)
    for door in (sourcediff.hessian, sourcediff.jacobian):
        with pytest.raises(NonDifferentiableError, match="words among floats, are taken by grad"):
            door(f, mode=mode)(rows)


def test_another_word_is_another_case() -> None:
    gradient = sourcediff.grad(a_name_decides, mode="compiled")
    first, second = record(), record() | {"name": "growth"}
    for given in (first, second, copy.deepcopy(first)):
        expected = sourcediff.grad(a_name_decides, mode="eager")(copy.deepcopy(given))
        compare(gradient(given)["w"], expected["w"], rtol=1e-13)


def test_a_fall_to_the_eager_engine_keeps_the_words() -> None:
    with pytest.warns(FallbackWarning):
        found = sourcediff.grad(a_word_becomes_a_float)(record())
    assert found["name"] is None and abs(found["rate"] - 3 * 1.7 ** 2) < 1e-12


class Site:
    """An object that holds records, pairs of a count and a float, and a dict of options."""

    def __init__(self, x: np.ndarray):
        self.name = "main"
        self.atoms = [("A", float(x[0]), 2), ("O", float(x[1]), 1)]
        self.pair = (3, float(x[2]))
        self.options = {"A": float(x[3]), "kind": "sum", "n": 2}

    def weight(self, species: str) -> Any:
        return self.options.get(species, 1.0)


def rows_of_an_object(s: Site) -> Any:
    return sum(s.weight(species) * np.sin(x) * count for species, x, count in s.atoms)


def largest_row(s: Site) -> Any:
    return max(s.atoms, key=lambda row: row[1])[1] ** 3


def rows_by_word(s: Site) -> Any:
    groups: dict[str, list[Any]] = {}
    for species, x, count in s.atoms:
        groups.setdefault(species, []).append(x * count)
    return sum(sum(group) ** 2 for group in groups.values())


def options_of_an_object(s: Site) -> Any:
    count, rate = s.pair
    return count * rate ** s.options["n"] * (s.options["A"] if s.options["kind"] == "sum" else 1.0)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("f", [rows_of_an_object, largest_row, rows_by_word, options_of_an_object], ids=lambda f: f.__name__)
def test_attributes_with_words_in_them(f: Any, mode: str) -> None:
    at = np.array([0.3, 0.7, 1.1, 1.5])
    found = sourcediff.grad(f, mode=mode)(Site(at))
    numbers = [found.atoms[0][1], found.atoms[1][1], found.pair[1], found.options["A"]]
    compare(numbers, [(f(Site(at + step)) - f(Site(at - step))) / 2e-6 for step in 1e-6 * np.eye(4)], rtol=1e-6, atol=1e-8)
    assert [found.name, found.pair[0], found.options["kind"], found.options["n"]] == [None] * 4
    assert [(row[0], row[2]) for row in found.atoms] == [(None, None)] * 2
    _, along = sourcediff.jvp(f, (Site(at),), (found,), mode=mode)
    compare(along, np.square(np.array(numbers, float)).sum(), rtol=1e-12)
