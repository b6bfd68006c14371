"""Attributes that a loop or a branch stores first: they are read in it after that, and after it as the last trip left them."""

from __future__ import annotations

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError

W = np.array([1.1, 0.5, 0.7, 1.3])
N = 4


class Layer:
    def __init__(self, w):
        self.w = w

    def __rshift__(self, other):
        return Chain([self, other])

    def forward(self, x):
        self.x = x
        return np.tanh(self.w * x)

    def backward(self, g):
        self.slope = g * (1 - np.tanh(self.w * self.x) ** 2) * self.x
        return g * (1 - np.tanh(self.w * self.x) ** 2) * self.w


class Scale(Layer):
    def forward(self, x):
        return x * self.w

    def backward(self, g):
        return g * self.w


class Chain:
    def __init__(self, layers):
        self.layers = list(layers)

    def __rshift__(self, other):
        return Chain([*self.layers, other])

    def forward(self, x):
        for layer in self.layers:
            x = layer.forward(x)
        return x

    def backward(self, g):
        for layer in reversed(self.layers):
            g = layer.backward(g)


def trained_by_hand(w):
    net = Layer(w[0]) >> Scale(w[1]) >> Layer(w[2])
    for k in range(N):
        net.backward(2 * (net.forward(w[3] + k) - 0.5))
        for layer in net.layers:
            if isinstance(layer, Scale):
                continue
            layer.w = layer.w - 0.1 * layer.slope
    return net.forward(w[3]) ** 2


def read_after_the_loop(w):
    layer, t = Layer(w[0]), 0.0
    for k in range(N):
        t += layer.forward(w[k])
    return t * layer.x


def stored_in_both_branches(w):
    o, t = Layer(w[0]), 0.0
    for k in range(N):
        if w[k] > 0.6:
            o.a = w[k]
        else:
            o.a = w[k] * 2
        t += o.a ** 2
    return t + o.a


def stored_in_an_inner_loop(w):
    o, t = Layer(w[0]), 0.0
    for k in range(N):
        for j in range(N):
            o.acc = w[j] * w[k]
            t += o.acc ** 2
        t += o.acc
    return t


def stored_in_a_while_loop(w):
    o, t, k = Layer(w[0]), 0.0, 0
    while t < 2:
        o.z = w[k % 4]
        t += o.z
        k += 1
    return t + o.z


def stored_before_a_break(w):
    o, t = Layer(w[0]), 0.0
    for k in range(N):
        o.z = w[k]
        if w[k] > 1.2:
            break
        t += o.z
    return t * o.z


def asked_whether_it_is_there(w):
    o, t = Layer(w[0]), 0.0
    for k in range(N):
        if not hasattr(o, "prev"):
            o.prev = w[1]
        t += o.prev * w[k]
        o.prev = o.prev * w[2]
    return t


def read_before_it_is_stored(w):
    o, t = Layer(w[0]), 0.0
    for k in range(N):
        if k > 0:
            t += o.prev * w[k]
        o.prev = w[k] ** 2
    return t


def asked_for_with_a_default(w):
    o, t = Layer(w[0]), 0.0
    for k in range(N):
        t += getattr(o, "prev", w[3]) * w[k]
        o.prev = w[k]
    return t


def stored_in_one_branch(w):
    o, t = Layer(w[0]), 0.0
    for k in range(N):
        if w[k] > 0.6:
            o.a = w[k]
        if k > 1:
            t += o.a ** 2
    return t


def by_differences(program, x):
    return [(program(x + d) - program(x - d)) / 2e-6 for d in 1e-6 * np.eye(len(x))]


@pytest.mark.parametrize("program", [
    trained_by_hand, read_after_the_loop, stored_in_both_branches, stored_in_an_inner_loop, stored_in_a_while_loop, stored_before_a_break,
])
def test_it_is_compiled(program):
    value, slopes = sourcediff.value_and_grad(program, mode="compiled")(W)
    assert value == pytest.approx(program(W), rel=1e-12)
    np.testing.assert_allclose(slopes, by_differences(program, W), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("program", [asked_whether_it_is_there, read_before_it_is_stored, asked_for_with_a_default, stored_in_one_branch])
def test_it_is_left_to_the_eager_engine(program):
    with pytest.raises(SourcediffError):
        sourcediff.grad(program, mode="compiled")(W)
    np.testing.assert_allclose(sourcediff.grad(program, mode="eager")(W), by_differences(program, W), rtol=1e-6, atol=1e-7)


def test_what_no_trip_stores_is_not_there(monkeypatch):
    monkeypatch.setitem(globals(), "N", 0)
    with pytest.raises(AttributeError, match="no attribute 'x'"):
        sourcediff.grad(read_after_the_loop, mode="compiled")(W)
