"""Calls with objects among the arguments, again and again: found by what the objects hold, asked anew where a class has changed."""

from __future__ import annotations

import math
import time
from typing import Any, NamedTuple

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import NonDifferentiableError


class Layer:
    gain = 1.0

    def __init__(self, w: Any, b: Any):
        self.w, self.b = w, b

    def __call__(self, x: Any) -> Any:
        return self.gain * (x @ self.w + self.b)


class Slotted:
    __slots__ = ("inner", "w")

    def __init__(self, w: Any, inner: Any):
        self.w, self.inner = w, inner


class Pair(NamedTuple):
    layer: Any
    scale: float


def loss(layer, x):
    return np.sum(layer(x) ** 2)


def of_slots(held, x):
    return np.sum((x @ held.w) ** 2) * np.sum(held.inner.b)


def of_pair(pair, x):
    return pair.scale * np.sum(pair.layer(x))


X = np.arange(6.0).reshape(2, 3)


def layer(dtype: Any = float) -> Layer:
    return Layer(np.ones((3, 2), dtype), np.full(2, 0.5, dtype))


def counted(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The calls that are looked at in full."""
    from sourcediff.dispatch.dispatcher import Dispatcher

    seen: list[Any] = []
    found = Dispatcher.found

    def noted(self: Any, values: Any, *more: Any, **named: Any) -> Any:
        seen.append(values)
        return found(self, values, *more, **named)

    monkeypatch.setattr(Dispatcher, "found", noted)
    return seen


@pytest.mark.parametrize("function, make", [
    (loss, layer), (of_slots, lambda: Slotted(np.ones((3, 2)), layer())), (of_pair, lambda: Pair(layer(), 2.0)),
])
def test_the_second_call_asks_for_shapes_alone(monkeypatch, function, make):
    gradient = sourcediff.grad(function, mode="compiled")
    first = sourcediff.ravel(gradient(make(), X))[0]
    seen = counted(monkeypatch)
    np.testing.assert_array_equal(sourcediff.ravel(gradient(make(), X))[0], first)
    assert seen == []


def test_what_has_changed_is_seen(monkeypatch):
    gradient = sourcediff.value_and_grad(loss, mode="compiled")
    one = layer()
    value, _ = gradient(one, X)
    gradient(one, X)
    monkeypatch.setattr(Layer, "gain", 2.0)
    assert gradient(one, X)[0] == 4 * value
    monkeypatch.setattr(Layer, "gain", np.array([1.0, 0.0]))  # the class holds an array now
    np.testing.assert_allclose(gradient(one, X)[0], value / 2)
    monkeypatch.setattr(Layer, "gain", np.array(3.0))
    np.testing.assert_allclose(gradient(one, X)[0], 9 * value)
    monkeypatch.setattr(Layer, "gain", 1.0)
    assert gradient(one, X)[0] == value
    monkeypatch.setattr(Layer, "__call__", lambda self, x: x @ self.w)  # another method
    np.testing.assert_allclose(gradient(one, X)[0], np.sum((X @ one.w) ** 2))
    one.w = one.w.astype(np.float32)
    assert gradient(one, X)[1].w.dtype == np.float32
    one.w = 2.0 * np.ones((3, 4))
    np.testing.assert_allclose(gradient(one, X)[0], np.sum((X @ one.w) ** 2))


def test_an_object_with_a_method_of_its_own_is_looked_at(monkeypatch):
    gradient = sourcediff.value_and_grad(lambda net, x: np.sum(net.act(x @ net.w)), mode="auto")
    net = layer()
    for act in (np.tanh, np.sin, np.exp):
        net.act = act
        np.testing.assert_allclose(gradient(net, X)[0], np.sum(act(X @ net.w)))


def test_a_nan_in_the_gradient_of_an_object_is_looked_at():
    def rooted(one, x):
        return np.sum(np.where(one.w > 2.0, np.sqrt(one.w - 1.0), 3.0 * one.w)) + np.sum(one.b * x)

    gradient = sourcediff.grad(rooted, mode="compiled")
    for _ in range(2):
        found = gradient(layer(), np.ones(2))
        np.testing.assert_array_equal(found.b, np.ones(2))
        np.testing.assert_array_equal(found.w, np.full((3, 2), 3.0))


def test_a_warm_call_with_an_object_costs_little():
    gradient, one = sourcediff.grad(loss, mode="compiled"), layer()
    with_arrays = sourcediff.grad(lambda w, b, x: np.sum((x @ w + b) ** 2), wrt=(0, 1), mode="compiled")

    calls = lambda: gradient(one, X), lambda: with_arrays(one.w, one.b, X)
    least = [math.inf, math.inf]
    for _ in range(100):  # in turn, so that a busy moment of the machine meets both
        for which, call in enumerate(calls):
            start = time.process_time()
            for _ in range(20):
                call()
            least[which] = min(least[which], time.process_time() - start)
    assert least[0] < 3 * least[1]


@pytest.mark.parametrize("mode", ["auto", "compiled", "eager"])
def test_an_object_that_holds_itself_has_no_gradient_but_what_it_holds_has(mode):
    def total(one, x):
        return np.sum(one.w * x) + np.sum(one.peers[0].b)

    one, other = layer(), layer()
    one.peers, other.peers = [other], [one]
    with pytest.raises(NonDifferentiableError, match=r"one holds itself, as one\.peers\[0\]\.peers\[0\]"):
        sourcediff.grad(total, mode=mode)(one, np.ones((3, 2)))
    if mode != "compiled":  # where an object in a container is refused
        np.testing.assert_array_equal(sourcediff.grad(total, wrt="one.w", mode=mode)(one, np.ones((3, 2))), np.ones((3, 2)))
