"""Generated gradients against those that an expert writes by hand, where NumPy's call overhead matters."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import sourcediff
from tests.golden.experts import EXPERTS, arguments
from tests.golden.natural import NATURAL
from tests.golden.natural import arguments as natural_arguments

from .measure import Row, medians, same

BAR = 1.3


def net(n: int, inputs: int, hidden: int, outputs: int) -> tuple[Any, ...]:
    normal = np.random.default_rng(0).standard_normal
    return normal((inputs, hidden)), normal((hidden, outputs)), normal((n, inputs)), normal((n, outputs))


def rod(points: int) -> tuple[Any, ...]:
    return np.random.default_rng(0).standard_normal(points), 0.2, 50


SIZES = {
    # program: what is small and what is medium in it
    "loss": (16, 250), "pendulum": (20, 500), "heat": (30, 2000), "newton_sqrt": (1, 1), "huber": (50, 5000), "logistic": (25, 1250),
    "rnn": (8, 64), "kalman": (10, 200), "lotka": (10, 200), "classify": (20, 500), "reaction": (12, 60), "attention": (8, 64),
}
SMALL, MEDIUM = 1.15, 1.05
"""The bars of the geometric means."""


def rows() -> list[Row]:
    """The golden programs and the natural ones, each small and at medium size, and the geometric means."""
    found = []
    for position, (size, mean) in enumerate((("small", SMALL), ("medium", MEDIUM))):
        logs = []
        for name, sizes in SIZES.items():
            program, by_hand, wrt, with_value = {**EXPERTS, **NATURAL}[name]
            args = (arguments if name in EXPERTS else natural_arguments)(name, sizes[position])
            transform = sourcediff.value_and_grad if with_value else sourcediff.grad
            gradient = transform(program, wrt, mode="compiled")
            same(sourcediff.ravel(gradient(*args))[0], sourcediff.ravel(by_hand(*args))[0])
            ours, theirs = medians(partial(gradient, *args), partial(by_hand, *args))
            logs.append(np.log(ours / theirs))
            found.append(Row("generated gradient", f"{name}, {size}", ours, "by hand", theirs, BAR))
        found.append(Row("generated gradient", f"geometric mean, {size}", float(np.exp(np.mean(logs))), "by hand", 1.0, mean))
    return found
