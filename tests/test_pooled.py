"""Containers that change in any way: what is still refused, since what it means would be another thing."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from sourcediff import grad
from sourcediff.errors import SourcediffError


def grown_under_its_loop(x):
    d = {"a": [x[0], x[1]]}
    for v in d["a"]:
        if len(d["a"]) < 5:
            d["a"].append(v * x[2])
    return sum(d["a"])


def stored_under_its_loop(x):
    d = {1: x[0], 2: x[1]}
    total = 0.0
    for k, v in d.items():
        d[2] = x[3] * x[0]
        total += v * k
        d.pop(9, None)
    return total


def taken_if(x):
    d = {"a": x[0], "b": x[1]}
    total = len(d) * (d.pop("a") if x[2] > 0 else d["b"])
    return total * len(d)


def read_in_a_function(x):
    d = {"a": x[0], "b": x[1]}
    of = lambda k: d[k]  # noqa: E731
    y = of("a")
    del d["a"]
    return y * len(d)


def grown_in_a_function(x):
    def add(k, v):
        groups[k].append(v)

    groups = defaultdict(list)
    add(0, x[0])
    add(0, x[1] * x[0])
    return groups[0][0] * groups[0][1]


@pytest.mark.parametrize("program", [grown_under_its_loop, stored_under_its_loop, taken_if, read_in_a_function, grown_in_a_function])
def test_what_is_not_followed_is_refused(program):
    x = np.array([0.3, -0.5, 0.7, 1.2])
    with pytest.raises(SourcediffError) as refusal:
        grad(program, mode="compiled")(x)
    assert refusal.value.places
    step = [(program(x + d) - program(x - d)) / 2e-6 for d in 1e-6 * np.eye(4)]
    np.testing.assert_allclose(grad(program, mode="eager")(x), step, rtol=1e-6, atol=1e-8)
