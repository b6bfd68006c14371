"""Containers that change in any way: what is still refused, since what it means would be another thing."""

from __future__ import annotations

from collections import defaultdict, deque

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


def bound_again_in_a_comprehension(x):
    d = {0: x[0], 1: x[1]}
    total = sum([sum(v * k for k in range(2)) for k, v in d.items()])
    del d[0]
    return total * d[1]


def bound_again_by_the_next_for(x):
    d = {"a": x[0], "b": x[1]}
    total = sum(v * x[0] for k, v in d.items() for k in ["b", "b"])
    del d["a"]
    return total * d["b"]


def key_bound_again_in_a_generator(x):
    groups = {0: {0: x[0], 1: x[1]}, 1: {0: x[2], 1: x[3]}}
    groups[0].pop(9, None)
    i = 0
    return sum((i := 1) * v for k, v in groups[i].items()) * groups[1][0]


def in_an_order_with_a_default(x):
    d = {0: x[0], 1: x[2], 2: x[3]}
    total = 0.0
    for _, v in sorted(d.items(), key=lambda kv, sign=-1: sign * kv[1]):
        total = total * 0.5 + v
    return total * d.pop(0)


def in_an_order_of_its_own(x):
    d = {0: x[0], 1: x[1], 2: x[2]}
    total = 0.0
    for _, v in sorted(d.items(), key=lambda kv: d[kv[0]]):
        total = total * 0.5 + v
    del d[0]
    return total + sum(d.values())


def repeated_deque(x):
    q = deque([x[0], x[1]])
    q.rotate(2)
    q *= 2
    return q[0] * q[3]


def default_in_a_comprehension(x):
    def after():
        nonlocal i
        i += 1
        return x[i]

    i, d = 0, {0: x[0], 1: x[1]}
    total = sum([d.get(k, after()) for k in (0, 5)])
    del d[0]
    return total * d[1]


REFUSED = [grown_under_its_loop, stored_under_its_loop, read_in_a_function, grown_in_a_function, bound_again_in_a_comprehension,
           bound_again_by_the_next_for, key_bound_again_in_a_generator, in_an_order_with_a_default, in_an_order_of_its_own,
           repeated_deque]


@pytest.mark.parametrize("program", REFUSED)
def test_what_is_not_followed_is_refused(program):
    x = np.array([0.3, -0.5, 0.7, 1.2])
    with pytest.raises(SourcediffError) as refusal:
        grad(program, mode="compiled")(x)
    assert refusal.value.places
    step = [(program(x + d) - program(x - d)) / 2e-6 for d in 1e-6 * np.eye(4)]
    np.testing.assert_allclose(grad(program, mode="eager")(x), step, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("program", [taken_if, default_in_a_comprehension])
def test_what_is_taken_in_the_middle_of_an_expression_is_followed(program):
    x = np.array([0.3, -0.5, 0.7, 1.2])
    step = [(program(x + d) - program(x - d)) / 2e-6 for d in 1e-6 * np.eye(4)]
    np.testing.assert_allclose(grad(program, mode="compiled")(x), step, rtol=1e-6, atol=1e-8)
