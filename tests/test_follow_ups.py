"""What is refused of a value that is unknown, since a call without a rule or a refused statement made it, is counted and not said."""

from __future__ import annotations

import copy
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import scipy.signal

import sourcediff
from sourcediff import FallbackWarning, MissingRuleError, UnsupportedSyntaxError, grad

X = np.array([0.5, 1.5, 0.7])


def before_a_real_function(x: Any) -> Any:
    y = scipy.signal.wiener(x)
    return np.sum(np.hypot(y, 0.1))


def before_an_attribute(x: Any) -> Any:
    y = scipy.signal.wiener(x)
    return np.sum(y.strange[0])


def within_a_change(x: Any) -> Any:
    y = scipy.signal.wiener(x)
    z = y[1:]
    z += 1.0
    return np.sum(y) + np.sum(z)


@pytest.mark.parametrize("f", [before_a_real_function, before_an_attribute, within_a_change])
def test_the_missing_rule_is_said_and_not_what_follows(f: Any) -> None:
    with pytest.raises(MissingRuleError) as caught:
        grad(f, mode="compiled")(X)
    assert "wiener" in caught.value.places[0].text and "wiener" in caught.value.places[0].problem
    assert len(caught.value.places) == 1


def test_a_real_refusal_of_complex_numbers_stays_one() -> None:
    with pytest.raises(sourcediff.ComplexError, match="hypot"):
        grad(lambda x: np.sum(np.hypot(np.real(x) * 1j, 1.0)), mode="compiled")(X)


@dataclass
class Cell:
    r: float
    c: float
    shift: float = 0.0

    def step(self, x: Any) -> Any:
        x = x * self.r + self.c
        return x / self.r - self.shift


def made_of_a_star(parts: Any, x: Any) -> Any:
    cell = Cell(*sorted(parts))
    return np.sum(cell.step(x))


def kept_in_a_list(k: Any, x: Any) -> Any:
    cells = []
    for r in x:
        cells.append([Cell(r, k)])
    cells.sort(key=lambda row: row[0].r)
    total = 0.0
    for row in cells:
        total = total + np.sum(row[0].step(x))
    return total


@pytest.mark.parametrize(("f", "args", "line"), [
    (made_of_a_star, (np.array([1.5, 2.0]), X), "cell = Cell(*sorted(parts))"),
    (kept_in_a_list, (1.5, 1.0 + np.arange(80.0)), "cells.sort("),
])
def test_what_follows_from_an_object_is_not_said(f: Any, args: Any, line: str) -> None:
    with pytest.raises(UnsupportedSyntaxError, match="because of one place") as caught:
        grad(f, mode="compiled")(*args)
    (place,) = caught.value.places
    assert place.text.strip().startswith(line)


def test_the_warning_is_three_lines() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        grad(kept_in_a_list)(1.5, 1.0 + np.arange(80.0))
    (said,) = [str(one.message) for one in caught if one.category is FallbackWarning]
    what, where, cost = said.splitlines()
    assert what.startswith("kept_in_a_list runs on the eager engine: this is not taken by the compiler: an object in a container")
    assert "sourcediff.explain" in what
    assert __file__ in where and "cells.sort(" in where
    assert cost.startswith("  cost: this call took")


CELL = Cell(2.0, 1.0)


@pytest.mark.parametrize(("copying", "why", "line"), [
    (copy.copy, "a store to an attribute", "cell.r = x[0]"), (copy.deepcopy, "a copy of an object", "cell = copying(CELL)"),
])
def test_what_follows_from_something_that_is_taken_is_said(copying: Any, why: str, line: str) -> None:
    def stored_to(x: Any) -> Any:
        cell = copying(CELL)
        cell.r = x[0]
        return np.sum(cell.r * x)

    with pytest.raises(UnsupportedSyntaxError, match=why) as caught:
        grad(stored_to, mode="compiled")(X)
    assert caught.value.places[0].text.strip() == line
    np.testing.assert_allclose(grad(stored_to, mode="eager")(X), X[0] * np.ones(3) + np.array([np.sum(X), 0, 0]))
