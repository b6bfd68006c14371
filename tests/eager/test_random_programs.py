"""Random in-place programs over views: a library run is right, a run on the user's own Variables is right or refused."""

import random

import numpy as np
import pytest

from sourcediff.eager import Variable
from sourcediff.eager.library_run.recording import run_gradient
from sourcediff.errors import InPlaceError

from .numbers import differences

A, B = np.array([0.3, -0.5, 0.8]), np.array([1.1, 0.4, -0.7])
KINDS = "add mul sub sin exp tanh sum max clone row view iadd imul set slice update".split()


def steps_of(seed):
    """A program: for each step what it does, its two operands, a position and a factor."""
    rng = random.Random(seed)
    return [
        (rng.choice(KINDS), rng.randrange(50), rng.randrange(50), rng.randrange(3), rng.uniform(0.3, 1.3))
        for _ in range(rng.randint(3, 12))
    ]


def run(steps, a, b):
    values = [a * 1.0, b * 1.0]
    for kind, first, second, i, c in steps:
        x, y = values[first % len(values)], values[second % len(values)]
        z = x
        if kind == "add":
            z = x + y * c
        elif kind == "mul":
            z = x * y
        elif kind == "sub":
            z = c - x
        elif kind == "sin":
            z = np.sin(x)
        elif kind == "exp":
            z = np.exp(x * 0.3)
        elif kind == "tanh":
            z = np.tanh(x + y)
        elif kind == "sum":
            z = x * np.sum(y)
        elif kind == "max":
            z = np.maximum(x, y * c)
        elif kind == "clone":
            z = x.copy()
        elif kind == "row":
            z = x * y[i]
        elif kind == "view":
            z = x[::-1]
        elif kind == "iadd":
            x += y
        elif kind == "imul":
            x *= c
        elif kind == "set":
            x[i] = y[(i + 1) % 3]
        elif kind == "slice":
            x[0:2] = y[1:3] * c
        elif kind == "update":
            x[1:3] *= y[0:2]
        if z is not x:
            values.append(z)
    total = values[-1]
    for value in values:
        total = total + value * 0.37
    return np.sum(total * total)


@pytest.mark.parametrize("seed", range(60))
def test_a_random_program(seed):
    steps = steps_of(seed)

    def program(a, b):
        return run(steps, a, b)

    expected = differences(lambda a, b: float(program(a, b)), A, B)
    value, gradients = run_gradient(program, {"a": A, "b": B}, ("a", "b"))
    assert value == program(A, B)
    for got, slope in zip(gradients, expected):
        np.testing.assert_allclose(got, slope, rtol=1e-5, atol=1e-6)

    a, b = Variable(A, requires_grad=True), Variable(B, requires_grad=True)
    try:
        program(a, b).backward()
    except InPlaceError:
        return
    for variable, gradient in zip((a, b), gradients):
        np.testing.assert_allclose(0.0 if variable.grad is None else variable.grad.data, gradient, rtol=1e-9, atol=1e-12)


def test_few_of_them_are_refused():
    refused = 0
    for seed in range(200):
        try:
            run(steps_of(seed), Variable(A, requires_grad=True), Variable(B, requires_grad=True)).backward()
        except InPlaceError:
            refused += 1
    assert 20 < refused < 150  # both ways of the test above are walked
