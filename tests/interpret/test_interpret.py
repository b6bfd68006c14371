"""What the interpreter makes of a function, what it takes for settled of a call, and the eager engine beside its text."""

from __future__ import annotations

import numpy as np
import pytest

import sourcediff
from sourcediff import UnsupportedSyntaxError, grad
from sourcediff.interpret.interpret import interpreted
from sourcediff.syntax.source import read
from sourcediff.syntax.text import to_source

X = np.array([0.3, -0.5, 0.7])


def text(function, **settled):
    """The body of what the interpreter writes, and what it has taken for settled."""
    source, used = interpreted(read(function), ("x",), (), settled)
    return "\n".join(map(to_source, source.tree.body)), used


class Scale:
    def __init__(self, by):
        self.by = by
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return x * self.by


class Shift(Scale):
    def forward(self, x):
        return super().forward(x) + self.by


def chained(x):
    for layer in [Scale(2.0), Shift(3.0)]:
        x = layer.forward(x)
    return np.sum(x)


def test_objects_are_known_now():
    assert text(chained)[0] == "x = x * 2.0\nx = x * 3.0 + 3.0\nreturn np.sum(x)"


class Cell:
    def __init__(self, start):
        self.state = start

    def step(self, x):
        self.state = np.tanh(self.state + x)
        return self.state


def carried(x, n):
    cell = Cell(0.0)
    for _ in range(n):
        cell.step(x[0])
    return cell.state


def test_a_loop_carries_the_parts_of_an_object():
    written, _ = text(carried)
    assert written.startswith("state = 0.0\nfor _ in range(n):\n") and written.endswith("return state")
    assert "state = np.tanh(state + " in written


RULES = {"sine": np.sin, "square": lambda v: v**2}


def by_name(x, rule="sine", doubled=False):
    return np.sum(RULES[rule](x)) * (2.0 if doubled else 1.0)


def summed_twice(layers, x):
    nets = [Scale(w) for w in layers]
    for net in nets:
        x = net.forward(x)
    return np.sum(x)


def test_each_string_has_a_text_of_its_own():
    slope = grad(chosen_by_name, mode="compiled")
    for _ in range(2):
        for rule, expected in (("sine", np.cos(X)), ("square", 2 * X)):
            np.testing.assert_allclose(slope(X, rule), expected)
            np.testing.assert_allclose(slope(X, rule, doubled=True), 2 * expected)
    with pytest.raises((KeyError, UnsupportedSyntaxError)):
        slope(X, "cosine")


def chosen_by_name(x, rule="sine", doubled=False):
    layers = [Scale(1.0)]
    return by_name(layers[0].forward(x), rule, doubled)


def test_each_length_has_a_text_of_its_own():
    slope = grad(summed_twice, wrt=(0, 1), mode="compiled")
    for weights in ([2.0, 3.0], [2.0, 3.0, 0.5], [4.0], [2.0, 3.0]):
        of_weights, of_x = slope(weights, X)
        product = np.prod(weights)
        np.testing.assert_allclose(of_x, np.full(3, product))
        np.testing.assert_allclose(of_weights, [np.sum(X) * product / w for w in weights])


def test_a_length_that_decides_nothing_is_left_open():
    def along(x):
        cell = Cell(0.0)
        for k in range(len(x)):
            cell.step(x[k])
        return cell.state

    assert text(along, **{"x.0": 3})[1] == ()


def test_a_method_that_is_exchanged_is_seen(monkeypatch):
    def through(x):
        return np.sum([Scale(2.0)][0].forward(x))

    slope = grad(through, mode="compiled")
    np.testing.assert_allclose(slope(X), [2.0] * 3)
    monkeypatch.setattr(Scale, "forward", lambda self, x: x * self.by ** 2)
    np.testing.assert_allclose(slope(X), [4.0] * 3)


def test_other_doors_open_too():
    v = np.cos(X)
    value, tangent = sourcediff.jvp(chained, (X,), (v,), mode="compiled")
    assert value == pytest.approx(chained(X)) and tangent == pytest.approx(6 * np.sum(v))
    value, pull = sourcediff.vjp(chained, X, mode="compiled")
    np.testing.assert_allclose(pull(2.0), [np.full(3, 12.0)])
    hessian = sourcediff.hessian(lambda x: chained(x) ** 2, mode="compiled")(X)
    np.testing.assert_allclose(hessian, np.full((3, 3), 72.0))
