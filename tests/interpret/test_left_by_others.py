"""What programs that others wrote were refused for, or got wrong: one function for each cause."""

import contextlib
import functools
import itertools
import operator
import time
from collections import Counter, deque
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, root

import sourcediff
from sourcediff.errors import SourcediffError

from ..differences import by_differences

X = np.array([0.7, 1.3, 0.4, 0.9, 1.7])
PLACES = np.array([0, 2, 1, 2, -1])


def a_key_that_an_argument_is(x, number):
    table = {0: (0, 1), number: (1,)}
    return sum(x[key + part] ** 2 for key, parts in table.items() for part in parts)


def values_under_keys_of_the_run(x, number):
    table = {0: x[0], number: x[1] ** 2}
    return table[number] * 2 + table[0] ** 3


def several_calls_as_one_statement(x, number):
    rows, values = [], []

    def put(row, value):
        rows.append(row), values.append(value)

    for k in range(4):
        put(k % number, x[k] ** 2)
    return sum((row + 1) * value for row, value in zip(rows, values))


def a_try_that_asks_a_cache(x, number):
    powers, total = {}, 0.0
    for k in PLACES:
        try:
            power = powers[k % number]
        except KeyError:
            power = powers[k % number] = x ** (1.5 + k % number)
        total = total + power[k]
    return total


def a_deque_as_long_as_an_argument(x, number):
    def outputs(delay):
        buffer = deque([np.zeros(2) for _ in range(delay)], maxlen=delay)
        for value in x:
            out = np.tanh(value + 0.5 * buffer[0])
            buffer.append(out)
            yield out

    return np.sum(np.array(list(outputs(number))) ** 2)


class Matrix:
    def __init__(self, m):
        self.m = m

    def __matmul__(self, other):
        return Matrix(self.m @ other.m)


def objects_that_are_reduced(x, number):
    layers = (Matrix(np.array([[np.cos(a), number * k], [x[k], 1.0]])) for k, a in zip((0, 1, 2), x[1:]))
    return np.sum(functools.reduce(operator.matmul, layers).m ** 2)


def entries_that_are_exchanged(x, number):
    state = {"q": x[0], "v": x[1]}
    state["q"] += number * state["v"]
    state.update(q=state["v"] * x[2], v=state["q"])
    return state["q"] * 2 + state["v"] ** 2


def real_entries_among_complex_ones(x, number):
    index = {"air": x[0] + 1.0, "glass": x[1] + 1j * x[2]}
    return sum(abs(np.sqrt(index[name] ** 2 - 0.1j * index["air"])) ** 2 for name in ("air", "glass"))


class Decay:
    def __init__(self, rate):
        self.rate = rate

    def __call__(self, t, y):
        return -self.rate * y


def a_solver_of_an_object(x, number):
    return solve_ivp(Decay(x[0]), (0.0, 1.0), x[1:3], rtol=1e-9, atol=1e-9).y[0, -1] * number


def stacked_as_rows_and_columns(x, number):
    nodes = np.vstack([np.column_stack([np.arange(3.0), np.zeros(3)]), np.column_stack([x[1:3], x[2:4]])])
    values = []
    for i in range(4):
        d = nodes[i + 1] - nodes[i]
        kept = np.outer(d, d) / np.sqrt(d @ d + number)
        for a in range(2):
            values.append(kept[a, 1 - a])
            values.append(kept[a, a])
    return np.sum(np.array(values) ** 2)


def moment(ply):
    return ply[0] * (ply[2] ** 2 - ply[1] ** 2)


def laid_out(x, number):
    z = list(itertools.accumulate(x, operator.add, initial=-np.sum(x) / number))
    plies = list(zip(map(functools.partial(operator.mul, x[0]), x), z[:-1], z[1:]))
    moments = functools.reduce(operator.add, map(moment, plies))
    return moments + functools.reduce(operator.add, (q * t for q, b, t in zip(x, z, z[1:])))


def steps_between_items(x, number):
    noted = [0.0]

    def step(total, item):
        noted[0] += item
        return total * item + noted[0]

    def item(value):
        noted[0] = noted[0] + number
        return value * noted[0]

    whole = functools.reduce(step, (x[k] * (1 + noted[0]) for k in range(3)))
    return whole + functools.reduce(step, map(item, x)) * noted[0] + functools.reduce(step, (v * w for v, w in zip(x, x[2:])))


def several_keys(x, number):
    first, second = operator.itemgetter("a", "b")({"a": x[0], "b": x[1] ** number})
    return first * second


def keys_in_order(x, number):
    rates = {2.0: x[0], 0.5: x[1], 1.0 * number + 1: x[2]}
    return sum(rate**2 * sum(times(0.0, term, 2)) for term, rate in sorted({2.0: x[0], 0.5: x[1]}.items())) + rates[0.5]


@functools.cache
def times(start, end, often):
    return tuple(start + (k + 1) / often for k in range(round((end - start) * often)))


def divided(x, number):
    return sum(x[k] ** 2 * x[rest] for k, rest in (divmod(n, number) for n in range(8)))


TIMINGS: dict[str, float] = {}


@contextlib.contextmanager
def timed(name):
    begin = time.perf_counter()
    try:
        yield
    finally:
        TIMINGS[name] = TIMINGS.get(name, 0.0) + time.perf_counter() - begin


def passed_over(x, number):
    def parts(v):
        return np.sum(v), v**2, v[0] * number

    with timed("parts"):
        _, square, _ = parts(x)
    _, _, last = parts(square)
    return last * np.sum(square)


def grow(spec):
    name, length, others = spec
    return Segment(name, length, [grow(other) for other in others])


class Segment:
    def __init__(self, name, length, children):
        self.name, self.length, self.children, self.parent, self.value = name, length, list(children), None, None
        for child in self.children:
            child.parent = self

    def __iter__(self):
        yield self
        for child in self.children:
            yield from child


TREE = ("trunk", 1.5, (("b1", 0.7, (("t1", 0.2, ()), ("t2", 0.3, ()))), ("t3", 0.4, ())))


def a_tree(x, number, spec=TREE):
    tree = grow(spec)
    for k, segment in enumerate(tree):
        segment.value = x[k] * segment.length + (0.0 if segment.parent is None else segment.parent.value**number)
    return sum(segment.value**2 for segment in tree)


@pytest.mark.parametrize("function", [
    laid_out, steps_between_items, several_keys, keys_in_order, divided, passed_over, a_tree,
    a_key_that_an_argument_is, values_under_keys_of_the_run, several_calls_as_one_statement, a_try_that_asks_a_cache,
    a_deque_as_long_as_an_argument, objects_that_are_reduced, entries_that_are_exchanged, real_entries_among_complex_ones,
    a_solver_of_an_object, stacked_as_rows_and_columns,
], ids=lambda function: function.__name__)
def test_it_is_compiled_and_right(function):
    found = sourcediff.grad(function, mode="compiled")(X, 2)
    np.testing.assert_allclose(found, by_differences(lambda x: function(x, 2), X), rtol=2e-5, atol=1e-7)


def table():
    return pd.DataFrame({"who": ["a", "b", "a", "c", "b"], "load": [1.0, 2.0, 4.0, 3.0, 0.5], "seen": [1, 0, 1, 1, 0]})


def prepared(df):
    df = df.copy()
    df["log"] = np.log(df["load"])
    whole = pd.concat([df[["log"]], pd.get_dummies(df["who"], dtype=float)], axis=1)
    whole["twice"] = 2 * whole["log"]
    return whole


def rows_of(df):
    rows = []
    for row in df.itertuples():
        rows.append((row.Index, row.load * 2))
    return pd.DataFrame(rows, columns=["number", "load"])


def of_a_table(x, df):
    design, counts = prepared(df).to_numpy(), Counter(df["who"])
    shares = np.array([counts[name] / len(df) for name in "abc"])
    return np.sum((design @ x) ** 2) + shares @ x[:3] + np.sum(rows_of(df)["load"].to_numpy() * x)


def test_tables_are_prepared_as_they_are():
    df = table()
    found = sourcediff.grad(of_a_table, mode="compiled")(X, df)
    np.testing.assert_allclose(found, by_differences(lambda x: of_a_table(x, df), X), rtol=2e-5, atol=1e-7)
    pd.testing.assert_frame_equal(df, table())


@dataclass
class Lens:
    radius: np.ndarray
    index: float
    kind: str = "a"

    @property
    def size(self):
        return len(self.radius)

    def power(self, x):
        return self.index ** 2 * np.sum(self.radius) * x


def lenses():
    return [Lens(np.array([1.0, 2.0]), 0.5), Lens(np.array([0.3, 0.7]), 1.5, "b"), Lens(np.array([0.9, -0.2]), 2.5)]


def by_places_of_the_run(given, x):
    total = 0.0
    for place in PLACES:
        total = total + given[place].power(x[0]) + (1.0 if given[place].kind == "a" else 2.0) * given[place].index
    return total


def two_of_them(given, x):
    total = 0.0
    for i, j in itertools.pairwise(PLACES):
        one, other = given[i], given[j]
        total = total + np.sum((one.radius - other.radius) ** 2) * one.index + x[1] * other.index
    return total


def a_root_of_one(given, x):
    lens = given[1]
    found = root(lambda s: s ** 3 + lens.index * s - lens.radius * x[0], np.ones(lens.size), tol=1e-13)
    return np.sum(found.x) + brentq(lambda s: s ** 3 + lens.index * s - x[1], 0.0, 5.0, xtol=1e-13)


@pytest.mark.parametrize("function", [by_places_of_the_run, two_of_them, a_root_of_one], ids=lambda function: function.__name__)
def test_given_objects_have_gradients(function):
    found, of_x = sourcediff.grad(function, wrt=(0, 1), mode="compiled")(lenses(), X)

    def at(v):
        given = lenses()
        for k, lens in enumerate(given):
            lens.radius, lens.index = v[3 * k:3 * k + 2], float(v[3 * k + 2])
        return function(given, v[9:])

    point = np.concatenate([*(np.append(lens.radius, lens.index) for lens in lenses()), X])
    got = np.concatenate([*(np.append(lens.radius, lens.index) for lens in found), of_x])
    np.testing.assert_allclose(got, by_differences(at, point), rtol=2e-5, atol=1e-6)


def stored_to(given, x):
    for place in PLACES:
        given[place].index = 2 * given[place].index
    return given[0].index * x[0]


def compared(given, x):
    return sum((x[0] if given[place] is given[2] else x[1]) for place in PLACES)


@pytest.mark.parametrize("function", [stored_to, compared], ids=lambda function: function.__name__)
def test_what_would_change_a_given_object_or_ask_which_it_is_is_refused(function):
    with pytest.raises(SourcediffError):
        sourcediff.grad(function, wrt=(0, 1), mode="compiled")(lenses(), X)
