"""Gradients with respect to containers of objects: a list of layers gives a list of layers that hold their gradients."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import sourcediff

R = np.random.default_rng(0)


class Dense:
    def __init__(self, weights, bias):
        self.weights, self.bias = weights, bias
        self.cache: dict[str, Any] = {}

    def forward(self, x):
        return x @ self.weights + self.bias


class Tanh:
    def forward(self, x):
        return np.tanh(x)


class Scale:
    def __init__(self, gain):
        self.gain = gain
        self.name = "scale"

    def forward(self, x):
        return x * self.gain


@dataclass
class Joint:
    a: float
    d: float
    offset: float = 0.0

    def move(self, q):
        return self.a * np.cos(q + self.offset) + self.d


class Slide(Joint):
    def move(self, q):
        return self.a * q + self.d


class Net:
    def __init__(self, layers):
        self.layers, self.scale = layers, 1.5

    def __call__(self, x):
        for layer in self.layers:
            x = layer.forward(x)
        return x * self.scale


def through_all(layers, x):
    for layer in layers:
        x = layer.forward(x)
    return np.sum(x**2)


def chosen_by_class(layers, x):
    for layer in reversed(layers[1:]):
        if isinstance(layer, Scale):
            x = layer.forward(x)
    return np.sum(layers[0].forward(x) ** 2)


def by_place(layers, x):
    return sum(np.sum(part.weights**2) for part in layers if isinstance(part, Dense)) + layers[-1].weights[0, 0] ** 2 * np.sum(x)


def side_by_side(joints, q):
    return sum(joint.move(each) ** 2 for joint, each in zip(joints, q))


def by_key(joints, q):
    return sum(joint.move(q[0]) for joint in joints.values()) * joints["b"].a


def in_an_object(net, x):
    return np.sum(net(x) ** 2)


def in_a_loop(layers, x):
    out = []
    for _ in range(3):
        for layer in layers:
            x = np.tanh(layer.forward(x)) @ layer.weights.T
        out.append(np.sum(x))
    return np.sum(np.array(out) ** 2)


def unpacked(layers, x):
    first, second, third = layers
    return np.sum(third.forward(second.forward(first.forward(x))))


def trained(layers, x):
    fast = copy.deepcopy(layers)
    for layer in fast:
        layer.weights = layer.weights - 0.1 * layer.weights**2
        layer.bias -= 0.5 * layer.bias
    return through_all(fast, x) + np.sum(layers[0].weights) + np.sum(layers[0].bias ** 2)


def with_numbers(parts, x):
    return np.sum(parts["layer"].forward(x)) * parts["scale"] + 10.0 ** parts["shift"] + parts["joints"][0].a


def numbers_by_key(parts, x):
    total = 0.0
    for key in ("scale", "shift"):
        total = total + parts[key] ** 2
    return total * parts["joints"][0].a


def numbers_of_a_copy(parts, x):
    others = dict(parts)
    return others["scale"] * others["joints"][0].a


def numbers_or_others(parts, x):
    return parts.get("scale", 2.0) * parts["joints"][0].a + parts.get("none", 1.0)


def numbers_in_a_function(parts, x):
    def inner(held):
        return held["scale"] ** 2 * held["joints"][1].a

    return inner(parts) + sum(value for key, value in parts.items() if key == "shift")


def numbers_in_a_list(parts, x):
    total = 0.0
    for number in parts[1:]:
        total = total + number**2
    return total * parts[0].a


def in_groups(groups, q):
    return sum(joint.move(q[0]) * (k + 1) for k, group in enumerate(groups) for joint in group)


def by_counter(layers, x):
    total = 0.0
    for k in range(len(layers)):
        total = total + np.sum(layers[k].forward(x)) * k
    return total


def one_after_the_other(layers, x):
    return np.sum(one_after_the_other_of(layers, x) ** 2)


def one_after_the_other_of(layers, x):
    return one_after_the_other_of(layers[1:], layers[0].forward(x)) if layers else x


def under_names(layers, x):
    named = {layer.name: layer for layer in layers if isinstance(layer, Scale)}
    return np.sum(named["scale"].forward(x))


def from_an_iterator(layers, x):
    rest = iter(layers)
    x = next(rest).forward(x)
    for layer in rest:
        x = layer.forward(x)
    return np.sum(x)


def until_it_is_small(layers, x):
    for _ in range(3):
        for layer in layers:
            x = layer.forward(x)
        if np.max(np.abs(x)) < 0.1:
            break
    return np.sum(x)


def with_another(layers, x):
    layers = list(layers)
    layers.append(Scale(x[0, 0]))
    layers.pop(1)
    return through_all(layers, x)


LAYERS = [Dense(R.normal(size=(2, 3)), R.normal(size=3)), Tanh(), Dense(R.normal(size=(3, 2)), np.zeros(2))]
SCALED = [Dense(R.normal(size=(2, 2)), R.normal(size=2)), Scale(2.0), Scale(np.array([1.0, 3.0]))]
SQUARE = [Dense(R.normal(size=(2, 2)), R.normal(size=2)), Dense(R.normal(size=(2, 2)), R.normal(size=2))]
JOINTS = [Joint(1.0, 0.5), Slide(0.3, 0.2, 0.1), Joint(0.7, -0.2, 0.4)]
PARTS = {"layer": SQUARE[0], "scale": 1.5, "shift": 0.2, "joints": JOINTS[:2]}
X, Q = R.normal(size=(4, 2)), np.array([0.3, 0.8, 0.1])

CASES = [
    (through_all, LAYERS, X), (through_all, tuple(LAYERS), X), (chosen_by_class, SCALED, X), (by_place, LAYERS, X),
    (side_by_side, JOINTS, Q), (by_key, {"a": JOINTS[0], "b": JOINTS[1]}, Q), (in_an_object, Net(LAYERS), X), (in_a_loop, SQUARE, X),
    (unpacked, LAYERS, X), (trained, SQUARE, X), (in_groups, [JOINTS[:2], (JOINTS[2],)], Q), (with_numbers, PARTS, X),
    (numbers_by_key, PARTS, X), (numbers_of_a_copy, PARTS, X), (numbers_or_others, PARTS, X), (numbers_in_a_function, PARTS, X),
    (by_counter, SCALED, X), (one_after_the_other, LAYERS, X), (under_names, SCALED, X), (from_an_iterator, LAYERS, X),
    (until_it_is_small, SCALED, X), (with_another, SCALED, X), (numbers_in_a_list, [JOINTS[0], 2.0, 3.0], X),
]


def entries(value, path=""):
    """The numbers and arrays in a gradient by their ways, and the classes of what holds them."""
    if isinstance(value, (list, tuple, dict)):
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        return {path: type(value)} | {key: part for name, held in parts for key, part in entries(held, f"{path}[{name!r}]").items()}
    if hasattr(value, "__dict__") and not isinstance(value, np.ndarray):
        parts = vars(value).items()
        return {path: type(value)} | {key: part for name, held in parts for key, part in entries(held, f"{path}.{name}").items()}
    return {path: value}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_the_gradient_is_such_a_container(case):
    function, *args = case
    found, expected = (entries(sourcediff.grad(function, mode=mode)(*copy.deepcopy(args))) for mode in ("compiled", "eager"))
    assert found.keys() == expected.keys()
    for path, part in expected.items():
        if isinstance(part, (float, np.ndarray)):
            np.testing.assert_allclose(found[path], part, rtol=1e-9, atol=1e-12)
        else:
            assert found[path] is part


def test_value_and_gradient_of_layers():
    value, gradient = sourcediff.value_and_grad(through_all, mode="compiled")(LAYERS, X)
    assert value == pytest.approx(through_all(LAYERS, X))
    assert isinstance(gradient[0], Dense) and gradient[1] is None and gradient[2].weights.shape == (3, 2)


class Tied:
    def __init__(self, one, other):
        self.one, self.other = one, other


def scaled_copy(net, x):
    fast = copy.deepcopy(net)
    fast.one *= 2.0
    return np.sum(x @ fast.other)


def scaled_copy_of_a_dict(held, x):
    fast = copy.deepcopy(held)
    fast["one"] *= 2.0
    return np.sum(x @ fast["other"])


def test_a_copy_of_what_holds_an_array_twice_is_refused():
    """In the copy it is one array as well, so that a change of it is seen in both places."""
    w = SQUARE[0].weights
    for function, make in ((scaled_copy, Tied), (scaled_copy_of_a_dict, lambda one, other: {"one": one, "other": other})):
        gradient = sourcediff.grad(function, mode="compiled")
        found = entries(gradient(make(w, w + 1), X))
        expected = next(part for path, part in found.items() if "other" in path)
        np.testing.assert_allclose(expected, np.sum(X, axis=0)[:, None] * np.ones(2))
        with pytest.raises(sourcediff.errors.HandledError, match="held in two places"):
            gradient(make(w, w), X)
        with pytest.raises(sourcediff.AliasingError, match="held in two places"):
            sourcediff.grad(function, mode="eager")(make(w, w), X)


def copied_in_a_list(x):
    y = x * 2
    held = [y for _ in range(3)]
    found = copy.deepcopy(held)
    found[0] *= 2.0
    return np.sum(found[1] ** 2)


def copied_in_an_object(x):
    y = x * 2
    found = copy.deepcopy(Tied(y, y))
    found.one *= 2.0
    return np.sum(found.other**2)


def copied_with_a_part(x):
    y = x * 2
    found = copy.deepcopy(Tied(y, y[:1]))
    found.one *= 2.0
    return np.sum(found.other**2)


@pytest.mark.parametrize("program", [copied_in_a_list, copied_in_an_object, copied_with_a_part])
def test_what_is_made_here_and_held_twice_is_copied_rightly_or_not_at_all(program):
    x = np.array([1.0, 2.0])
    expected = [(program(x + d) - program(x - d)) / 2e-6 for d in 1e-6 * np.eye(2)]
    np.testing.assert_allclose(sourcediff.grad(program, mode="eager")(x), expected, rtol=1e-6)
    try:
        found = sourcediff.grad(program, mode="compiled")(x)
    except sourcediff.SourcediffError:
        return
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def scale_stored(parts, x):
    parts["scale"] = parts["scale"] * 2
    return parts["scale"] * parts["joints"][0].a


def scale_taken_out(parts, x):
    return parts.pop("scale") * parts["joints"][0].a


@pytest.mark.parametrize("program", [scale_stored, scale_taken_out])
def test_numbers_beside_objects_that_change_are_right_or_refused(program):
    expected = entries(sourcediff.grad(program, mode="eager")(copy.deepcopy(PARTS), X))
    try:
        found = entries(sourcediff.grad(program, mode="compiled")(copy.deepcopy(PARTS), X))
    except sourcediff.SourcediffError:
        return
    assert found["['scale']"] == pytest.approx(expected["['scale']"])


def test_stores_into_objects_that_are_given_are_left_to_the_eager_engine():
    def stored(layers, x):
        layers[0].weights = layers[0].weights * 2
        return through_all(layers, x)

    with pytest.raises(sourcediff.SourcediffError):
        sourcediff.grad(stored, mode="compiled")(copy.deepcopy(SQUARE), X)
