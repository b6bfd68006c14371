"""``sigmoid``, ``softmax`` and ``log_softmax``, the methods that make probabilities of scores: each is one node, with a rule of its own.

The rules are not in the table: that has NumPy's and SciPy's functions, and SciPy's of these names would need it to be installed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.frames import Rule
from ...runtime.arrays import has_complex
from ..engine.apply import apply
from ..engine.operators import unary
from ..engine.variable import Variable
from .spelling import Method, spelled


def sigmoid(x: Any) -> Any:
    """1 / (1 + exp(−x)), without overflow, and exact to the last digits also where it is tiny: its logarithm may be taken."""
    if has_complex(x):
        return 0.5 * (np.tanh(0.5 * x) + 1)
    return np.exp(np.minimum(x, 0)) / (1 + np.exp(-np.abs(x)))


def sigmoid_rule(g: Any, z: Any, x: Any) -> Any:
    return g * z * (1 - z)


def softmax(x: Any, axis: Any = -1) -> Any:
    """exp(x) over its sum along ``axis`` (or ``dim``), the largest entry taken out first."""
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def softmax_rule(g: Any, z: Any, x: Any, axis: Any = -1) -> Any:
    return z * (g - np.sum(g * z, axis=axis, keepdims=True))


def log_softmax(x: Any, axis: Any = -1) -> Any:
    """The logarithm of softmax along ``axis`` (or ``dim``), which may be far below that of the smallest number."""
    below = x - np.max(x, axis=axis, keepdims=True)
    return below - np.log(np.sum(np.exp(below), axis=axis, keepdims=True))


def log_softmax_rule(g: Any, z: Any, x: Any, axis: Any = -1) -> Any:
    return g - np.exp(z) * np.sum(g, axis=axis, keepdims=True)


def of_lines(function: Any, formula: Any) -> Method:
    """The method of a function of an array and an axis."""
    rule = Rule("general", function, formula, holomorphic=True)

    def method(self: Variable, axis: Any = -1) -> Any:
        return apply(rule, (self, axis), {})

    method.__doc__ = function.__doc__
    return spelled(method)


PROBABILITIES: dict[str, Method] = {
    "sigmoid": unary(sigmoid, sigmoid, Rule("elementwise", sigmoid, sigmoid_rule, holomorphic=True)),
    "softmax": of_lines(softmax, softmax_rule), "log_softmax": of_lines(log_softmax, log_softmax_rule),
}
PROBABILITIES["sigmoid"].__doc__ = sigmoid.__doc__
