"""Parameters that are None or a function, or one function or another: asked for, compared, called, bound anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sourcediff


def relu(x):
    return np.maximum(x, 0)


def doubled(x):
    return 2 * np.tanh(x)


def with_standard(x, act=None):
    if act is None:
        act = np.tanh
    return act(x)


def with_either(x, act=None):
    act = act or np.tanh
    return act(x)


def with_choice(x, act=None):
    act = np.tanh if act is None else act
    return act(x)


def with_lambda(x, act=None):
    if act is None:
        act = lambda v: v * v  # noqa: E731
    return act(x)


def by_default(x, act=relu):
    if act is None:
        return x
    return act(x * 2)


def compared(x, act=relu, other=doubled):
    if act is other:
        return x**2
    if act == relu or act is np.sin:
        return x**3
    return act(x) if act is not relu else x


def truthful(x, act=np.tanh):
    return act(x) if act else x


def callable_or_not(x, act=np.tanh):
    return act(x) if callable(act) else x


def twice(f=relu, *, x, g=None):
    h = f(x)
    if g is None:
        g = f
    return g(h)


class Layer:
    def __init__(self, act=None):
        if act is None:
            act = np.tanh
        self.act = act

    def __call__(self, x):
        return self.act(x)


def bound_in_a_loop(x, act=np.sin):
    for _ in range(2):
        if act is None:
            act = np.cos
        x = act(x)
    return x


def asked_in_an_inner_function(x, act=None):
    def inner(v):
        return v if act is None else act(v)

    return inner(x) * 2


CALLS: dict[str, Any] = {
    "standard": lambda x: with_standard(x),
    "standard, another": lambda x: with_standard(x, np.sin),
    "standard, of the user's": lambda x: with_standard(x, relu),
    "either": lambda x: with_either(x),
    "either, another": lambda x: with_either(x, np.sin),
    "choice": lambda x: with_choice(x),
    "choice, of the user's": lambda x: with_choice(x, relu),
    "lambda, another": lambda x: with_lambda(x, np.sin),
    "default": lambda x: by_default(x),
    "default, None": lambda x: by_default(x, None),
    "default, another": lambda x: by_default(x, np.tanh),
    "compared": lambda x: compared(x),
    "compared, the same": lambda x: compared(x, doubled),
    "compared, the second": lambda x: compared(x, np.sin),
    "compared, none of them": lambda x: compared(x, np.tanh),
    "truthful": lambda x: truthful(x),
    "truthful, None": lambda x: truthful(x, None),
    "callable": lambda x: callable_or_not(x),
    "callable, None": lambda x: callable_or_not(x, None),
    "twice": lambda x: twice(x=x),
    "twice, the first": lambda x: twice(np.tanh, x=x),
    "twice, the second": lambda x: twice(x=x, g=np.sin),
    "twice, both": lambda x: twice(np.cos, x=x, g=relu),
    "layer": lambda x: Layer()(x),
    "layer, another": lambda x: Layer(np.sin)(x),
    "loop": lambda x: bound_in_a_loop(x),
    "inner": lambda x: asked_in_an_inner_function(x),
    "inner, another": lambda x: asked_in_an_inner_function(x, np.sin),
}

X = np.array([0.5, -1.2, 2.0])


def slopes(function: Any, x: Any, *others: Any) -> Any:
    return np.array([(function(x + e, *others) - function(x - e, *others)) / 2e-6 for e in np.eye(3) * 1e-6])


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("name", CALLS)
def test_calls(name: str, mode: str) -> None:
    called = CALLS[name]

    def loss(x):
        return np.sum(called(x) * x)

    expected = slopes(loss, X)
    assert sourcediff.grad(loss, mode=mode)(X) == pytest.approx(expected, rel=1e-7, abs=1e-7)
    if mode == "compiled":
        _, tangent = sourcediff.jvp(loss, (X,), (np.ones(3),), mode=mode)
        assert tangent == pytest.approx(np.sum(expected), rel=1e-7)


def outermost(x, act=None):
    if act is None:
        act = np.tanh
    return np.sum(act(x) * x)


@pytest.mark.parametrize("given", [(), (None,), (np.sin,), (relu,), (doubled,)])
def test_of_the_function_that_is_differentiated(given: tuple[Any, ...]) -> None:
    """A gradient is made for the function that is handed over, whatever the one before was."""
    gradient = sourcediff.grad(outermost, mode="compiled")
    assert gradient(X, np.cos) == pytest.approx(slopes(outermost, X, np.cos), rel=1e-7)
    assert gradient(X, *given) == pytest.approx(slopes(outermost, X, *given), rel=1e-7)


@pytest.mark.parametrize("mode", ["auto", "eager"])
def test_whether_what_is_captured_can_be_called(mode: str) -> None:
    def made(k):
        def f(x):
            w = k(x) if callable(k) else k
            return np.sum(w * x)

        def set_k(value):
            nonlocal k
            k = value

        return f, set_k

    f, set_k = made(np.array([1.0, 2.0, 3.0]))
    gradient = sourcediff.grad(f, mode=mode)
    for k in (np.array([1.0, 2.0, 3.0]), np.tanh, 2.0, relu, np.array([4.0, 5.0, 6.0])):
        set_k(k)
        assert gradient(X) == pytest.approx(slopes(f, X), rel=1e-7)


def test_an_array_that_might_have_been_a_function_is_compiled() -> None:
    k = np.array([1.0, 2.0, 3.0])

    def f(x):
        return np.sum((k(x) if callable(k) else k) * x**2)

    assert sourcediff.grad(f, mode="compiled")(X) == pytest.approx(2 * k * X)
