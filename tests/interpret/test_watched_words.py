"""Words, keys and lengths that decide how a text is written: where they change, outside or among the arguments, so does the gradient."""

from __future__ import annotations

import copy
from typing import ClassVar

import numpy as np
import pytest

import sourcediff

NAMES = ["a", "b"]
TABLE = {"rows": [{"kind": "sin", "numbers": {"a": 1}}, {"kind": "cos", "numbers": {"b": 2}}]}
FUNCTIONS = {"sin": np.sin, "cos": np.cos}


class Layer:
    options: ClassVar = {"kind": "sin"}

    def __init__(self, x):
        self.x = x

    def forward(self):
        return FUNCTIONS[self.options["kind"]](self.x)


def reading(x):
    named = {key: x[k] for k, key in enumerate(NAMES)}
    total = sum(named[key] ** 2 for key in NAMES if key != "z") * len(NAMES)
    for row in TABLE["rows"]:
        for number in row["numbers"].values():
            total = total + FUNCTIONS[row["kind"]](x[0]) * number
    return total + Layer(x[1]).forward()


def given(x, spec, steps=2):
    layer, found = Layer(x[0]), {}
    for k in range(steps):
        found[k] = FUNCTIONS[spec[0][0]](x[0]) * layer.forward()
    return sum(found.values()) + FUNCTIONS[spec[1][0]](x[1])


CHANGES = {
    "an order": NAMES.reverse,
    "a word in a list": lambda: NAMES.__setitem__(1, "z"),
    "a word in a table": lambda: TABLE["rows"][0].__setitem__("kind", "cos"),
    "a key": lambda: TABLE["rows"][1]["numbers"].__setitem__("c", 5),
    "a length": lambda: TABLE["rows"].append({"kind": "sin", "numbers": {"q": 1}}),
    "a number": lambda: TABLE["rows"][0]["numbers"].__setitem__("a", 7),
    "an entry of a class": lambda: Layer.options.__setitem__("kind", "cos"),
    "an attribute of a class": lambda: setattr(Layer, "options", {"kind": "cos"}),
}


@pytest.fixture(autouse=True)
def as_they_were():
    """What the programs read is as it was."""
    kept = copy.deepcopy((NAMES, TABLE, Layer.options))
    yield
    NAMES[:], Layer.options = kept[0], kept[2]
    TABLE.update(kept[1])


def right(gradient, f, *args):
    x = np.array([0.3, 0.7])
    expected = [(f(x + e, *args) - f(x - e, *args)) / 2e-6 for e in 1e-6 * np.eye(2)]
    np.testing.assert_allclose(gradient(x, *args), expected, rtol=1e-6)


@pytest.mark.parametrize("change", CHANGES)
def test_outside(change: str) -> None:
    gradient = sourcediff.grad(reading, mode="compiled")
    right(gradient, reading)
    CHANGES[change]()
    right(gradient, reading)


def test_among_the_arguments() -> None:
    gradient = sourcediff.grad(given, mode="compiled")
    for first, second, steps in (("sin", "cos", 2), ("cos", "cos", 2), ("cos", "sin", 4), ("cos", "sin", 3), ("sin", "cos", 2)):
        right(gradient, given, [(first, 1.0), (second, 2.0)], steps)
