"""Generated gradients against those that an expert writes by hand, where NumPy's call overhead matters."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import sourcediff
from tests.golden.experts import EXPERTS

from .measure import Row, medians, same

BAR = 1.3


def net(n: int, inputs: int, hidden: int, outputs: int) -> tuple[Any, ...]:
    normal = np.random.default_rng(0).standard_normal
    return normal((inputs, hidden)), normal((hidden, outputs)), normal((n, inputs)), normal((n, outputs))


def rod(points: int, steps: int = 50) -> tuple[Any, ...]:
    return np.random.default_rng(0).standard_normal(points), 0.2, steps


def regression(n: int, features: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(0)
    return rng.standard_normal(features), 0.3, rng.standard_normal((n, features)), rng.integers(0, 2, n).astype(float)


CASES = [
    # program, its sizes in words, arguments
    ("loss", "net 8×16×16×4", net(8, 16, 16, 4)),
    ("loss", "net 32×64×32×10", net(32, 64, 32, 10)),
    ("loss", "net 64×100×100×10", net(64, 100, 100, 10)),
    ("heat", "heat, 100 points × 50 steps", rod(100)),
    ("heat", "heat, 1000 points × 50 steps", rod(1000)),
    ("heat", "heat, 10,000 points × 50 steps", rod(10_000)),
    ("logistic", "logistic 25×4", regression(25, 4)),
    ("logistic", "logistic 125×8", regression(125, 8)),
    ("logistic", "logistic 1250×8", regression(1250, 8)),
]


def rows() -> list[Row]:
    """Programs 1, 3 and 6 of the golden tests at about 100, 1000 and 10,000 elements."""
    found = []
    for name, case, args in CASES:
        program, by_hand, wrt, with_value = EXPERTS[name]
        transform = sourcediff.value_and_grad if with_value else sourcediff.grad
        gradient = transform(program, wrt, mode="compiled")
        same(gradient(*args), by_hand(*args))
        ours, theirs = medians(partial(gradient, *args), partial(by_hand, *args))
        found.append(Row("generated gradient", case, ours, "by hand", theirs, BAR))
    return found
