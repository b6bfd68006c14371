"""Loops over what other libraries return, over iterators and generators: gone over once, back in the order that they came in."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from scipy.spatial import cKDTree

import sourcediff

Program = tuple[Callable[..., Any], Callable[[], Any]]

PLAIN: dict[str, Program] = {}
TABLES: dict[str, Program] = {}


def program(given: Callable[[], Any], group: dict[str, Program] = PLAIN) -> Callable[[Any], Any]:
    """Enter a function of a vector and one thing more, which is made anew for each call."""
    def entered(function: Any) -> Any:
        group[function.__name__] = function, given
        return function
    return entered


def column() -> Any:
    return pytest.importorskip("pandas", reason="columns are pandas'").Series([1.0, 2.0, 3.0, 0.5], index=[3, 2, 1, 0])


def table() -> Any:
    pandas = pytest.importorskip("pandas", reason="tables are pandas'")
    return pandas.DataFrame({"t": [0.0, 1.0, 2.0, 3.0], "y": [1.0, 0.5, 0.3, 0.2], "g": ["a", "b", "a", "b"]}, index=[5, 4, 3, 2])


def grid() -> Any:
    xarray = pytest.importorskip("xarray", reason="these arrays have names")
    return xarray.Dataset({"u": ("t", [1.0, 2.0, 3.0]), "w": ("t", [2.0, 2.0, 1.0])}, coords={"t": [3, 1, 2]})


def numbers() -> Iterator[float]:
    return iter([1.0, 0.5, 2.0, 0.25])


# -- tables ---------------------------------------------------------------------------------------------------------------


@program(column, TABLES)
def column_by_its_labels(x, s):
    y = 1.0
    for v in s:
        y = np.sin(y * x[0]) + v * x[1]
    for i, v in enumerate(s):
        y = np.sin(y * x[0]) + v * i
    for a, b in zip(s, s.values):
        y = np.sin(y * x[0]) + a * b
    for k, v in s.items():
        y = np.sin(y * x[0]) + k * v
    return y


@program(table, TABLES)
def columns_of_a_table(x, df):
    y = 1.0
    for t in df["t"]:
        y = np.sin(y * x[0]) + t
    for t, v in zip(df["t"], df.y):
        y = np.sin(y * x[1]) + t * v
    for name in df:
        y = np.sin(y * x[1]) + len(name)
    for v in df.index:
        y = np.sin(y * x[0]) + v
    return y


@program(table, TABLES)
def rows_of_a_table(x, df):
    y = 1.0
    for row in df.itertuples():
        y = np.sin(y * x[0]) + row.t * row.y
    for t, v, _ in df.itertuples(index=False):
        y = np.sin(y * x[1]) + t * v
    for k, row in df.iterrows():
        y = np.sin(y * x[0]) + row["t"] * k
    for i, (_, row) in enumerate(df.iterrows()):
        if i == 1:
            continue
        y = np.sin(y * x[1]) + row["y"]
    return y


@program(table, TABLES)
def groups_of_a_table(x, df):
    y = 1.0
    for _, group in df.groupby("g"):
        for row in group.itertuples():
            if row.t > 2.5:
                break
            y = np.sin(y * x[0]) + row.y * x[1]
    return y


@program(table, TABLES)
def differentiated_beside_rows(x, df):
    y = 1.0
    for v, row in zip(x, df.itertuples()):
        y = np.sin(y * v) + row.y
    for (k, row), v in zip(df.iterrows(), x):
        y = np.sin(y * v) + row["y"] * k
    for i, (v, t) in enumerate(zip(x, df["t"])):
        y = np.sin(y * v) + t * i
    return y + sum(a * b for a, b in zip(x, df.t))


@program(table, TABLES)
def left_within_a_loop(x, df):
    y = 1.0
    for row in df.itertuples():
        y = np.sin(y * x[0]) + row.y
        if row.t > 1.5:
            return y * x[1]
    return y


@program(table, TABLES)
def residuals_of_rows(x, df):
    residuals = [row.y - x[0] * np.exp(-x[1] * row.t) for row in df.itertuples()]
    return np.sum(np.array(residuals) ** 2) + sum((v - x[0]) ** 2 for v in df["y"])


@program(grid, TABLES)
def variables_of_a_dataset(x, data):
    y = 1.0
    for name in data.data_vars:
        y = np.sin(y * x[0]) + float(data[name].sum())
    for _, part in data.groupby("t"):
        y = np.sin(y * x[1]) + float(part.u.sum())
    return y


# -- what Python and SciPy give -------------------------------------------------------------------------------------------


@program(lambda: np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
def pairs_of_a_tree(x, places):
    energy = 0.0
    for i, j in cKDTree(places).query_pairs(1.2):
        energy = np.sin(energy) + x[i % 2] * x[j % 2] * (i + 2 * j)
    return energy


@program(lambda: "1,2\n3,4\n5,6\n")
def lines_of_a_file(x, text):
    y = 1.0
    for first, second in csv.reader(io.StringIO(text)):
        y = np.sin(y * x[0]) + float(first) * float(second)
    for line in io.StringIO(text):
        y = np.sin(y * x[1]) + len(line)
    return y


@program(numbers)
def an_iterator(x, given):
    y = 1.0
    for v in given:
        y = np.sin(y * x[0]) + v * x[1]
    return y


@program(numbers)
def an_iterator_that_is_left(x, given):
    y = 1.0
    for v in given:
        y = np.sin(y * x[0]) + v * x[1]
        if v == 0.5:
            break
    return y


@program(numbers)
def one_iterator_in_two_loops(x, given):
    y = next(given) * x[0]
    for v in given:
        y = np.sin(y * x[0]) + v * x[1]
        if v == 0.5:
            break
    for v in given:
        y = np.sin(y * x[1]) + v
    return y


@program(numbers)
def one_iterator_in_every_trip(x, given):
    y = 1.0
    for _ in range(3):
        for v in given:
            y = np.sin(y * x[0]) + v * x[1]
            if v == 0.5:
                break
    return y


@program(numbers)
def taken_from_in_its_loop(x, given):
    y = 1.0
    for v in given:
        y = np.sin(y * x[0]) + v * x[1] * next(given, 1.0)
    return y


@program(numbers)
def whole_in_another_call(x, given):
    y = 1.0
    for i, v in enumerate(sorted(given)):
        y = np.sin(y * x[0]) + v * x[1] * i
    return y


@program(lambda: (pair for pair in ([1.0, 2.0], [3.0, 4.0])))
def a_generator_that_is_numbered(x, given):
    y = 1.0
    for i, (v, w) in enumerate(given):
        y = np.sin(y * x[0]) + v * w * x[1] * i
    return y


@program(lambda: [iter([1.0, 2.0]), iter([3.0])])
def a_list_of_iterators(x, given):
    y = 1.0
    for part in given:
        for v in part:
            y = np.sin(y * x[0]) + v * x[1]
    return y


@program(lambda: iter([2, 0, 1]))
def differentiated_beside_an_iterator(x, given):
    y = 1.0
    for v, i in zip(x, given):
        y = np.sin(y * v) + x[i % 2] * i
    return y


@program(lambda: {3: 1.0, 1: 2.0})
def differentiated_beside_a_dict(x, given):
    y = 1.0
    for key, v in zip(given, x):
        y = np.sin(y * v) + given[key] * key
    for (key, w), v in zip(given.items(), x):
        y = np.sin(y * v) + w * key
    return y


@program(lambda: [[1.0, 2.0], [3.0]])
def from_itertools(x, given):
    y = 1.0
    for v in itertools.chain.from_iterable(given):
        y = np.sin(y * x[0]) + v * x[1]
    for key, group in itertools.groupby([1, 1, 2]):
        y = np.sin(y * x[0]) + key * len(list(group))
    return y


X = np.array([0.7, 0.4])


def slopes(function: Any, given: Callable[[], Any]) -> Any:
    """The gradient by central differences of fourth order, with what is given made anew for each call."""
    found, step = np.zeros(2), 2e-4
    for i, e in enumerate(np.eye(2) * step):
        near, far = (function(X + k * e, given()) - function(X - k * e, given()) for k in (1, 2))
        found[i] = (8 * near - far) / (12 * step)
    return found


def left_of(given: Any) -> Any:
    """What an iterator has left."""
    return list(given) if hasattr(given, "__next__") else None


@pytest.mark.parametrize("mode", ["compiled", "auto"])
@pytest.mark.parametrize("name", [*PLAIN, *TABLES])
def test_gradients(name: str, mode: str) -> None:
    function, given = (PLAIN | TABLES)[name]
    plain, taken = given(), given()
    expected = function(X, plain)
    value, gradient = sourcediff.value_and_grad(function, mode=mode)(X, taken)
    assert value == pytest.approx(expected, rel=1e-12)
    assert gradient == pytest.approx(slopes(function, given), rel=1e-7, abs=1e-8)
    assert left_of(taken) == left_of(plain)


@pytest.mark.parametrize("name", [*PLAIN])
def test_gradients_of_eager_runs(name: str) -> None:
    function, given = PLAIN[name]
    gradient = sourcediff.grad(function, mode="eager")(X, given())
    assert gradient == pytest.approx(slopes(function, given), rel=1e-7, abs=1e-8)


@pytest.mark.parametrize("name", [*PLAIN, *TABLES])
def test_tangents(name: str) -> None:
    function, given = (PLAIN | TABLES)[name]
    expected = slopes(function, given)
    for v in np.eye(2):
        taken = given()
        _, tangent = sourcediff.jvp(lambda x, taken=taken: function(x, taken), (X,), (v,), mode="compiled")
        assert tangent == pytest.approx(v @ expected, rel=1e-7, abs=1e-8)


@pytest.mark.parametrize("name", ["rows_of_a_table", "groups_of_a_table", "differentiated_beside_rows", "an_iterator_that_is_left"])
def test_second_derivatives(name: str) -> None:
    function, given = (PLAIN | TABLES)[name]
    gradient = sourcediff.grad(function, mode="compiled")
    expected = np.array([(gradient(X + e, given()) - gradient(X - e, given())) / 2e-5 for e in np.eye(2) * 1e-5])
    assert sourcediff.hessian(function)(X, given()) == pytest.approx(expected, rel=1e-6, abs=1e-6)
    found = sourcediff.jacobian(gradient, direction="reverse")(X, given())
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_a_pullback_is_called_twice() -> None:
    function, given = TABLES["rows_of_a_table"]
    frame = given()
    _, pullback = sourcediff.vjp(lambda x: function(x, frame), X, mode="compiled")
    expected = slopes(function, given)
    assert pullback(1.0)[0] == pytest.approx(expected, rel=1e-7)
    assert pullback(2.0)[0] == pytest.approx(2 * expected, rel=1e-7)


def test_lists_and_ranges_are_gone_over_as_they_stand() -> None:
    def f(x, items, n):
        y = 1.0
        for v in items:
            y = np.sin(y * x) + v
        for k in range(n):
            y = np.sin(y * x) + k
        return y

    text = sourcediff.gradient_source(f, args=(0.5, [1.0, 2.0], 3))
    assert "reversed(items)" in text and "reversed(range(n))" in text and "recorded" not in text
