"""The gradient of a list, tuple or dict of objects, and of an object that holds one, is a container of objects of the same classes."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff import FallbackWarning, NonDifferentiableError, grad, value_and_grad

X = np.array([[0.5, -1.0], [2.0, 0.3], [1.0, 1.0]])


class Dense:
    def __init__(self, weight: Any, bias: Any):
        self.weight, self.bias = weight, bias

    def __call__(self, x: Any) -> Any:
        return np.tanh(x @ self.weight + self.bias)


@dataclass
class Scale:
    gain: float
    name: str = "scale"

    def __call__(self, x: Any) -> Any:
        return x * self.gain


class Net:
    def __init__(self, layers: Any, decay: float):
        self.layers, self.decay = layers, decay

    def __call__(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return x


def relu(x: Any) -> Any:
    return np.maximum(x, 0.1)


def layers() -> list[Any]:
    return [Dense(np.array([[0.4, -0.2], [0.3, 0.8]]), np.array([0.1, 0.2])), relu, Scale(1.5), Dense(np.eye(2), np.zeros(2))]


def loss(layers: Any, x: Any) -> Any:
    for layer in layers:
        x = layer(x)
    return np.sum(x**2)


def of_a_net(net: Any, x: Any) -> Any:
    return np.sum(net(x) ** 2) * net.decay


def of_a_dict(parts: Any, x: Any) -> Any:
    return of_a_net(parts["net"], x) + parts["shift"] ** 2


def slopes(holder: Any, name: str, value: Any) -> Any:
    """Central differences of ``value()`` by an attribute of an object."""
    start = getattr(holder, name)
    found = np.zeros(np.shape(start))
    for index in np.ndindex(np.shape(start)):
        ends = []
        for step in (1e-6, -1e-6):
            moved = np.array(start, float)
            moved[index] += step
            setattr(holder, name, moved if np.ndim(start) else float(moved))
            ends.append(value())
        found[index] = (ends[0] - ends[1]) / 2e-6
    setattr(holder, name, start)
    return found


def check(objects: Any, gradient: Any, value: Any) -> None:
    for each, found in zip(objects, gradient, strict=True):
        if each is relu:
            assert found is None
            continue
        assert type(found) is type(each) and vars(found).keys() == vars(each).keys()
        for name, part in vars(each).items():
            if isinstance(part, str):
                assert getattr(found, name) is None
            else:
                np.testing.assert_allclose(getattr(found, name), slopes(each, name, value), rtol=1e-6, atol=1e-8)


@pytest.fixture(autouse=True)
def quiet() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        yield


@pytest.mark.parametrize("mode", ["auto", "eager", "compiled"])
@pytest.mark.parametrize("kind", [list, tuple])
def test_a_list_of_objects(mode: str, kind: Any) -> None:
    given = kind(layers())
    found = grad(loss, mode=mode)(given, X)
    assert type(found) is kind
    check(given, found, lambda: loss(given, X))
    value, found = value_and_grad(loss, mode=mode)(given, X)
    assert value == pytest.approx(loss(given, X), rel=1e-12)
    check(given, found, lambda: loss(given, X))


@pytest.mark.parametrize("mode", ["auto", "eager", "compiled"])
def test_an_object_that_holds_a_list_of_objects(mode: str) -> None:
    net = Net(layers(), 0.5)
    found = grad(of_a_net, mode=mode)(net, X)
    assert type(found) is Net and found.decay == pytest.approx(np.sum(net(X) ** 2), rel=1e-12)
    check(net.layers, found.layers, lambda: of_a_net(net, X))
    check(net.layers, grad(of_a_net, wrt="net.layers", mode=mode)(net, X), lambda: of_a_net(net, X))


@pytest.mark.parametrize("mode", ["auto", "eager"])
def test_a_dict_that_holds_an_object_and_a_number(mode: str) -> None:
    net = Net(layers(), 0.5)
    inside = grad(of_a_dict, mode=mode)({"net": net, "shift": 3.0}, X)
    assert inside["shift"] == 6.0
    check(net.layers, inside["net"].layers, lambda: of_a_net(net, X))


def test_what_else_the_object_holds_is_compiled_as_before() -> None:
    net = Net(layers(), 0.5)
    assert grad(of_a_net, wrt="net.decay", mode="compiled")(net, X) == pytest.approx(np.sum(net(X) ** 2), rel=1e-12)
    np.testing.assert_allclose(grad(of_a_net, wrt=1, mode="compiled")(net, X), grad(of_a_net, wrt=1, mode="eager")(net, X), rtol=1e-12)


def test_the_objects_are_afterwards_what_they_were() -> None:
    given = layers()
    before = [dict(vars(each)) if each is not relu else {} for each in given]
    grad(loss)(given, X)
    assert all(vars(each)[name] is part for each, held in zip(given, before) for name, part in held.items())


def total(tree: Any) -> Any:
    return tree["value"].gain ** 2 + sum(total(each) for each in tree["below"])


def test_containers_within_containers() -> None:
    tree = {"value": Scale(1.0), "below": [{"value": Scale(2.0), "below": []}, {"value": Scale(3.0), "below": []}]}
    found = grad(total)(tree)
    assert found["value"].gain == 2.0 and [each["value"].gain for each in found["below"]] == [4.0, 6.0]


def test_other_doors_refuse_it() -> None:
    with pytest.raises(NonDifferentiableError, match="grad, value_and_grad, vjp and jvp alone"):
        sourcediff.jacobian(loss)(layers(), X)


def test_one_object_in_two_places_is_refused() -> None:
    layer = Scale(2.0)
    for mode in ("eager", "compiled"):
        gradient = grad(lambda layers: layers[0].gain * layers[1].gain ** 2, mode=mode)
        for _ in range(2):
            first, second = gradient([layer, Scale(2.0)])
            assert (first.gain, second.gain) == (4.0, 8.0)
            with pytest.raises(NonDifferentiableError, match=r"layers\[0\] and layers\[1\] of .* are one object(.|\n)*copy"):
                gradient([layer, layer])
