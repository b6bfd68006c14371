"""Programs in which functions, dicts and lists are handed on as a whole: each is compiled, and right by differences."""

import functools
import warnings
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.optimize import brentq

import sourcediff
from sourcediff.errors import SourcediffError

RNG = np.random.default_rng(11)
X = RNG.uniform(0.3, 1.2, 4)


def differences(program, x):
    return [(program(x + step) - program(x - step)) / 2e-6 for step in 1e-6 * np.eye(len(x))]


def volume(pressure, heat, a, b):
    return brentq(lambda v: heat / (v - b) - a / v ** 2 - pressure, 3 * b + 1, 50.0, xtol=1e-14, rtol=1e-14)


def roots_of_a_helper(x):
    total = 0.0
    for heat in (4.0, 5.0):
        total += np.log(volume(0.5, heat, x[0], 0.1 * x[1]))
    return total + x[2] * x[3]


def shares_by_sector(x):
    sectors = ["tech", "bank", "tech", "oil"]
    exposure = {s: sum(x[i] for i, t in enumerate(sectors) if t == s) for s in sorted(set(sectors))}
    return sum(v ** 2 for v in exposure.values())


def named_with_a_star(x):
    held = dict(zip({"a": 1, "b": 2, "c": 3}, [*10.0 ** x[:2], x[3]]))
    return sum(held[name] * weight ** 2 for name, weight in {"a": 1, "b": 2, "c": 3}.items()) + x[2]


def smooth_distance(x):
    table = {(-1, -1): 0.0}
    for i, u in enumerate(x):
        for j, v in enumerate(x[:3] * 2):
            before = [table[k] for k in ((i - 1, j), (i, j - 1), (i - 1, j - 1)) if k in table]
            table[i, j] = (u - v) ** 2 - np.log(sum(np.exp(-each) for each in before))
    return table[3, 2]


def neighbours(tokens, width=1):
    for i, token in enumerate(tokens):
        for j in range(max(0, i - width), min(len(tokens), i + width + 1)):
            if i != j:
                yield token, tokens[j]


def pairs_side_by_side(x):
    places = {"to": 0, "be": 1, "or": 2, "not": 3}
    one, other = map(np.array, zip(*neighbours([places[word] for word in "to be or not to be".split()])))
    return np.sum(x[one] * np.sin(x[other]))


def counted(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return 2 * function(*args, **kwargs)
    return wrapper


@counted
def cubes(x, power=3):
    return np.sum(x ** power)


def decorated_and_handed_on(x):
    @counted
    def sines(v):
        return np.sum(np.sin(v))
    return cubes(x) * sines(x)


def layers(transmitted, reflected):
    def add(i):
        if i == len(transmitted) - 1:
            return reflected[i]
        return reflected[i] + transmitted[i] ** 2 * add(i + 1) / (1 - reflected[i] * add(i + 1))
    return add(0)


def recursion_in_a_helper(x):
    return layers(x, 0.1 * x) + x[0]


def doses_in_order(x):
    times = [(2, 1), (1, 2), (1, 1), (3, 0)]
    events = sorted([(t, k) for t, k in times], key=lambda event: (event[0], event[1]))
    return sum(x[k] * np.exp(-0.3 * t * x[k]) for t, k in events)


def nuclear_norm(x):
    return np.linalg.norm(np.outer(x, x) + np.diag([1.0, 2.0, 3.0, 4.0]), "nuc") + np.linalg.norm(x.reshape(2, 2), ord="nuc", axis=(0, 1))


def silenced(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        w = 1.0 / (1.0 + x ** 2)
    return np.sum(w * np.log(w))


PROGRAMS = [
    roots_of_a_helper, shares_by_sector, named_with_a_star, smooth_distance, pairs_side_by_side, decorated_and_handed_on,
    recursion_in_a_helper, doses_in_order, nuclear_norm, silenced,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_it_is_compiled_and_right(program):
    value, gradient = sourcediff.value_and_grad(program, mode="compiled")(X)
    assert value == pytest.approx(program(X))
    np.testing.assert_allclose(gradient, differences(program, X), rtol=1e-6, atol=1e-7)
    _, tangent = sourcediff.jvp(program, (X,), (np.cos(X),), mode="compiled")
    assert tangent == pytest.approx(gradient @ np.cos(X))


def test_what_a_function_of_the_text_changes_around_it_is_refused():
    def history(x):
        seen = []

        def equation(v):
            seen.append(v)
            return v ** 3 - x[0]
        return brentq(equation, 0, 4) + len(seen) * x[1]

    with pytest.raises(sourcediff.errors.SourcediffError):
        sourcediff.grad(history, mode="compiled")(X)


def test_functions_of_a_list_that_a_loop_fills_are_called_late():
    def late(x):
        functions = []
        for i in range(3):
            functions.append(lambda v: v * (i + 1))  # noqa: B023
        return sum(np.sum(f(x)) for f in functions)

    np.testing.assert_allclose(sourcediff.grad(late)(X), np.full(4, 9.0))


def test_a_warning_that_becomes_an_error_is_not_left_out():
    def strict(x):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return np.sum(np.log(x))

    with pytest.raises(sourcediff.errors.UnsupportedSyntaxError, match="warning"):
        sourcediff.grad(strict, mode="compiled")(X)


class State(NamedTuple):
    position: Any
    speed: Any

    def __add__(self, other):
        return State(self.position + other.position, self.speed + other.speed)

    def __mul__(self, h):
        return State(h * self.position, h * self.speed)

    __rmul__ = __mul__


def by_a_number_of_python(x):
    state, h = State(x[0], x[1]), 0.1
    for _ in range(3):
        state = state + h / 2 * state + (-1 * state) * x[2]
    return state.position * state.speed


def by_a_number_of_numpy(x):
    """An array: ``np.float64`` computes with a tuple as with an array."""
    return np.sum(x[2] * State(x[0], x[1]))


def test_a_number_times_a_tuple_of_the_users():
    x = np.array([0.7, -1.3, 0.95])
    slope = sourcediff.grad(by_a_number_of_python, mode="compiled")
    expected = [(by_a_number_of_python(x + e) - by_a_number_of_python(x - e)) / 2e-6 for e in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(slope(x), expected, rtol=1e-6)
    with pytest.raises(SourcediffError, match="an operator between an array and an object"):
        sourcediff.grad(by_a_number_of_numpy, mode="compiled")(x)
