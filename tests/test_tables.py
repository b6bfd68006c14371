"""Tables of functions: lists, tuples and dicts of functions, lambdas and inner functions that are asked for them, and gone over."""

from __future__ import annotations

import functools
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import UnsupportedSyntaxError
from tests.corpus.judge import reference, wrong_gradient

X = np.array([0.7, -1.3, 2.1, 0.4])


def square(u: Any) -> Any:
    return u * u


def triple(u: Any) -> Any:
    return 3 * u


def scaled(u: Any, by: Any, k: Any = 1.0) -> Any:
    return u * by * k + u


def by_literal_keys(x: Any) -> Any:
    fs = {"a": lambda u: u * u, "b": np.sin}
    return np.sum(fs["a"](fs["b"](x)))


def by_a_flag(x: Any, kind: str = "c") -> Any:
    activations = {"relu": lambda z: np.maximum(z, 0), "tanh": np.tanh, "c": square}
    return np.sum(activations[kind](x)) if kind in activations else 0.0


def by_numbers(x: Any) -> Any:
    table = [square, triple]
    i = 1
    return table[i](x[0]) + table[int(x[0] > 0)](x[1]) + table[-1](x[2]) + len(table) * x[3]


def in_a_comprehension(x: Any) -> Any:
    table = (square, lambda u: np.exp(u))
    return sum(table[int(v > 0)](v) for v in x)


def in_a_lambda(x: Any) -> Any:
    table = (square, lambda u: np.exp(u))
    pick = lambda v: table[int(v > 0)](v)  # noqa: E731
    return pick(x[0]) + pick(x[1])


def one_after_the_other(x: Any) -> Any:
    for f in [lambda u: u * u, lambda u: np.sin(u)]:
        x = f(x)
    return np.sum(x)


def the_last_one(x: Any) -> Any:
    fs = [square, lambda u: u * x[1]]
    s = 0.0
    for f in fs:
        s += f(x[0])
    return s + fs[-1](x[2])


def until_one_is_large(x: Any) -> Any:  # which of them are called the run tells
    fs = [triple, square, np.exp, np.sin]
    s = x[0]
    for i, f in enumerate(fs):
        s = s + f(s) * i
        if s > 6:
            break
    else:
        s = 0.0
    return s


def side_by_side(x: Any) -> Any:
    fs = [square, triple, np.sin]
    return sum(f(v) for f, v in zip(fs, x)) + sum(f(v) for f, v in zip([triple, square], x[2:]))


def backwards(x: Any) -> Any:
    y = x[0]
    for f in reversed([triple, square]):
        y = f(y)
    return y


def items(x: Any) -> Any:
    terms = {"a": square, "bb": lambda u: u + x[1]}
    return sum(len(name) * f(x[2]) for name, f in terms.items()) + sum(f(x[0]) for f in terms.values()) + sum(
        terms[key](x[3]) for key in terms)


def layers(x: Any) -> Any:
    for f, w in [(square, 2.0), (np.sin, 3.0)]:
        x = w * f(x)
    return np.sum(x)


def cells_are_read_when_called(x: Any) -> Any:
    k = x[0]
    fs = [lambda u: u * k, lambda u, j=k: u + j * j]
    k = x[1]
    i = len(x) - 3
    return fs[0](x[2]) + fs[i](x[3]) * fs[1](x[0], 2.0)


def made_in_a_loop(x: Any) -> Any:
    s = 0.0
    for i in range(3):
        fs = [lambda u: u * i * x[3], np.sin]  # noqa: B023
        s += fs[i % 2](x[i]) + fs[0](x[1])
    return s


def asked_in_an_inner_function(x: Any) -> Any:
    def p(u: Any) -> Any:
        return u * x[1]

    def q(u: Any) -> Any:
        return p(u) + 1

    table = {0: p, 1: q}

    def chosen(i: int, z: Any) -> Any:
        return table[i](z)

    return chosen(0, x[0]) * chosen(1, x[2])


def kept_for_later(x: Any) -> Any:
    table = [square, triple]
    f = table[int(x[1] > 0)]
    return f(x[0]) + f(x[2])


def written_at_the_call(x: Any, kind: str = "b") -> Any:
    return {"a": square, "b": lambda u: u * x[1]}[kind](x[0]) + [square, triple][1](x[2]) + (square if x[0] > 0 else triple)(x[3])


def gone_over_in_an_inner_function(x: Any) -> Any:
    fs = [square, lambda u: u * x[0]]

    def total(z: Any) -> Any:
        return sum(f(z) for f in fs)

    return total(x[1]) * total(x[2])


def partial_at_the_call(x: Any) -> Any:
    return functools.partial(scaled, x[0])(x[1], k=x[2]) + partial(partial(scaled, x[3]), k=x[0])(x[1])


def partial_of_each(x: Any) -> Any:
    return sum(map(partial(scaled, x[0]), x)) + functools.reduce(partial(scaled, k=x[1]), x)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("function", [
    by_literal_keys, by_a_flag, by_numbers, in_a_comprehension, in_a_lambda, one_after_the_other, the_last_one,
    side_by_side, backwards, items, cells_are_read_when_called, made_in_a_loop,
    asked_in_an_inner_function, layers, kept_for_later, written_at_the_call, gone_over_in_an_inner_function, partial_at_the_call,
    partial_of_each,
])
def test_a_table_of_functions(function: Callable[..., Any], mode: str) -> None:
    value, gradient = sourcediff.value_and_grad(function, mode=mode)(X.copy())
    truth = reference(function, (X.copy(),), {}, 0)
    assert np.all(truth.smooth((0, 0))) and value == pytest.approx(truth.value, rel=1e-14)
    assert not wrong_gradient(gradient, function, (X,), {}, 0, truth)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("first", [0.3, 0.9, 1.4, 2.5])
def test_a_loop_over_functions_that_may_be_left(first: float, mode: str) -> None:
    x = np.array([first, *X[1:]])
    truth = reference(until_one_is_large, (x.copy(),), {}, 0)
    assert not wrong_gradient(sourcediff.grad(until_one_is_large, mode=mode)(x), until_one_is_large, (x,), {}, 0, truth)


def test_flags_choose() -> None:
    gradient = sourcediff.grad(by_a_flag, mode="compiled")
    np.testing.assert_allclose(gradient(X, "relu"), [1, 0, 1, 1])
    np.testing.assert_allclose(gradient(X, "tanh"), 1 - np.tanh(X) ** 2)
    np.testing.assert_allclose(gradient(X, "none"), np.zeros(4))


def test_what_is_in_no_table_is_no_key() -> None:
    def by_key(x: Any, kind: str) -> Any:
        return {"a": square, "b": triple}[kind](x)

    def by_index(x: Any, i: int) -> Any:
        table = [square, lambda u: u]
        return table[i](x)

    with pytest.raises(sourcediff.errors.UnsupportedSyntaxError):
        sourcediff.grad(by_key, mode="compiled")(1.0, "c")
    with pytest.raises(KeyError, match="c"), pytest.warns(sourcediff.errors.FallbackWarning):
        sourcediff.grad(by_key)(1.0, "c")
    with pytest.raises(IndexError):
        sourcediff.grad(by_index, mode="compiled")(1.0, 2)
    assert sourcediff.grad(by_index, mode="compiled")(3.0, -2) == 6.0


def grown(x: Any) -> Any:
    fs = [lambda u: u * u]
    fs.append(lambda u: u * 3)
    return fs[1](x[0])


def rebound(x: Any) -> Any:
    fs = [lambda u: u * u, triple]
    if x[0] > 0:
        fs = [triple, lambda u: u]
    return fs[0](x[0])


def handed_on(x: Any) -> Any:
    fs = [lambda u: u * u, lambda u: u]
    other = fs
    other[0] = lambda u: 5 * u
    return fs[0](x[0])


def exchanged(x: Any) -> Any:
    fs = {"a": lambda u: u * u, "b": lambda u: u}
    fs["a"], fs["b"] = fs["b"], fs["a"]
    return fs["a"](x[0])


def shadowed(x: Any) -> Any:
    table = [square, lambda u: u]
    hidden = lambda square, i: table[i](square)  # noqa: E731
    return hidden(x[0], 0) + hidden(x[1], 1)


def sliced(x: Any) -> Any:
    fs = [lambda u: u * u, triple, np.sin]
    return sum(f(x[0]) for f in fs[1:])


def pairs(x: Any) -> Any:
    fs = [lambda u: u * u, triple]
    return sum(pair[0](pair[1]) for pair in zip(fs, x))


def compared(x: Any, i: int = 1) -> Any:
    fs = [lambda u: u * u, triple]
    return x[0] if fs[i] is triple else x[1]


def applied(f: Callable[[Any], Any], u: Any) -> Any:
    return f(u) + u


def handed_to_another(x: Any, i: int = 1) -> Any:
    fs = [lambda u: u * u, triple]
    return applied(fs[i], x[0]) + applied(fs[0], x[1])


def named_like_a_parameter(x: Any, f: Callable[[Any], Any] = np.exp) -> Any:
    s = f(x[0])
    for i, f in enumerate([lambda u: u * u, triple]):
        s = s + f(x[1]) * i
    return s


def named_like_a_function(x: Any) -> Any:
    return sum(triple(x[0]) for triple in [lambda u: u * u, np.sin]) + square(x[1])


def named_like_a_function_elsewhere(x: Any) -> Any:
    fs = [square, lambda u: u]

    def total(z: Any) -> Any:
        return sum(triple(z) for triple in fs)

    return total(x[0]) + triple(x[1])


def backwards_by_key(x: Any) -> Any:
    fs = {"a": lambda u: u * u, "b": triple}
    s = x[0]
    for _, f in reversed(fs.items()):
        s = f(s)
    return s


def in_one_another(x: Any, i: int = 2) -> Any:
    fs = [square, triple, np.sin, np.cos, np.tanh, lambda u: u + 1]
    return fs[i](fs[i - 1](fs[i - 2](fs[i + 1](x[0]))))


def unbound_in_a_branch(x: Any) -> Any:
    if x[0] > 0:
        fs = [square, triple]
    return fs[1](x[0])


@pytest.mark.parametrize("function", [
    grown, rebound, handed_on, exchanged, shadowed, sliced, pairs, compared, handed_to_another, named_like_a_parameter,
    named_like_a_function, named_like_a_function_elsewhere, backwards_by_key, in_one_another, unbound_in_a_branch,
])
def test_a_table_that_is_more_is_refused_or_right(function: Callable[..., Any]) -> None:
    truth = reference(function, (X.copy(),), {}, 0)
    try:
        gradient = sourcediff.grad(function, mode="compiled")(X.copy())
    except UnsupportedSyntaxError as refusal:
        assert refusal.places
    else:
        assert not wrong_gradient(gradient, function, (X,), {}, 0, truth)
    assert not wrong_gradient(sourcediff.grad(function, mode="eager")(X.copy()), function, (X,), {}, 0, truth)
