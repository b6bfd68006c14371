"""What is found by calling functions on samples: lengths that follow, lengths that must be equal, and what is not to be known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp

import sourcediff
from sourcediff.analysis.abstract import NOT_ONE, Abstract
from sourcediff.analysis.abstraction import abstract
from sourcediff.analysis.scope import Scope
from sourcediff.core.facts.values import Values
from sourcediff.syntax.quote import expression

ROW, TABLE, INTS = np.ones(7), np.ones((7, 5)), np.zeros(4, int)


def known(text: str, **given: Any) -> tuple[Abstract, Values]:
    """What is known of an expression over some values, and what has been noted on the way."""
    scope = Scope()
    scope.functions |= {"logsumexp": logsumexp, "np": np}
    values = Values(scope)
    return values.of(expression(text), {name: abstract(value, name) for name, value in given.items()}), values


@pytest.mark.parametrize(("text", "kind", "dims"), [
    ("np.diff(x)", "array", ("x.0 - 1",)),
    ("np.diff(a, axis=0)", "array", ("a.0 - 1", "a.1")),
    ("np.pad(x, 2)", "array", ("x.0 + 4",)),
    ("np.outer(x, x)", "array", ("x.0", "x.0")),
    ("np.einsum('ij,kj->ik', a, a)", "array", ("a.0", "a.0")),
    ("np.roll(a, 1, 0)", "array", ("a.0", "a.1")),
    ("np.trace(a @ a.T)", "numpy", ()),
    ("np.argsort(x)", "array", ("x.0",)),
    ("logsumexp(a, axis=1, keepdims=True)", "array", ("a.0", "1")),
    ("np.tile(x, (3, 1))", "array", ("3", "x.0")),
    ("np.moveaxis(a, 0, 1)", "array", ("a.1", "a.0")),
    ("np.eye(3, dtype=complex)", "array", ("3", "3")),
    ("np.linalg.slogdet(a.T @ a)", "sequence", ()),
    ("np.quantile(a, 0.5, axis=0)", "array", ("a.1",)),
    ("np.kron(x, x)", "array", ("None",)),
    ("np.unique(x)", "array", ("None",)),
    ("np.delete(x, k)", "array", ("None",)),
    ("np.repeat(x, k)", "array", ("None",)),
    ("np.fft.rfft(x)", "array", ("None",)),
])
def test_results(text: str, kind: str, dims: tuple[str, ...]) -> None:
    found, _ = known(text, x=ROW, a=TABLE, k=INTS)
    said = tuple(str(dim).replace("-", " - ").replace("  ", " ") for dim in found.dims)
    assert (found.kind, said) == (kind, dims)


def test_lengths_that_must_be_equal_are_noted() -> None:
    _, values = known("np.linalg.solve(a, x)", a=np.ones((6, 8)), x=ROW)
    assert set().union(*values.equal) == {"a.0", "a.1", "x.0"}


def test_modes_that_need_one_array_to_be_larger_are_no_equality() -> None:
    found, values = known("np.convolve(x, k, 'valid')", x=ROW, k=np.ones(3))
    assert found.rank == 1 and not values.equal


def test_the_larger_of_two_lengths_is_neither() -> None:
    assert known("np.convolve(x, k, 'same')", x=ROW, k=np.ones(3))[0].dims == (NOT_ONE,)


def test_dtypes_that_depend_on_the_numbers_are_not_known() -> None:
    assert known("np.linalg.eigvals(a)", a=np.ones((6, 6)))[0].dtype is None
    assert known("np.sum(a, axis=1)", a=np.ones((6, 5), np.float32))[0].dtype == np.float32


def total_of_entries_under_computed_keys(x):
    table = {(0, 0): 0.0}
    for i in range(len(x)):
        for j in range(2):
            table[i, j] = x[i] * (j + 1) + table.get((i - 1, j), 0.5)
    return table[len(x) - 1, 1] + table[0, 0]


def change_since_the_last_step(x):
    last, total = None, 0.0
    for v in x:
        if last is not None:
            total += (v - last) ** 2
        last = v
    return total


def chosen_by_the_number_of_dimensions(x):
    y = x if np.ndim(x) == 1 else np.sum(x, axis=0)
    if np.ndim(y) > 1 or y.ndim == 2:
        y = y[0]
    return np.sum(y ** 2)


@pytest.mark.parametrize("f", [total_of_entries_under_computed_keys, change_since_the_last_step, chosen_by_the_number_of_dimensions])
def test_programs(f) -> None:
    x = np.random.default_rng(0).uniform(0.5, 2.0, 4)
    gradient = sourcediff.grad(f, mode="compiled")
    expected = [(f(x + h) - f(x - h)) / 2e-6 for h in 1e-6 * np.eye(4)]
    np.testing.assert_allclose(gradient(x), expected, rtol=1e-6)
    assert "sum_to" not in gradient.source
