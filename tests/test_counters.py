"""Axes, lengths and powers by the counter of a loop, and names that are bound in a helper and around it: none stands for one number."""

from __future__ import annotations

import numpy as np
import pytest

import sourcediff

X = np.random.default_rng(0).normal(size=(2, 3))


def powers(x):
    t = 0.0
    for i in range(4):
        t = t + np.sum(x**i) + np.sum(2.0**i * x) + (-2.0) ** i * x[0, 0]
    return t


def sums(x):
    t = 0.0
    for i in range(2):
        t = t + np.sum(x * x.sum(axis=i, keepdims=True)) + np.sum(np.cumsum(x, axis=i) ** 2) + np.sum(np.max(x, i))
    return t


def lengths(x):
    t = 0.0
    for i in range(3):
        y = np.repeat(x[0], i + 1)
        t = t + np.sum(y * np.arange(float(len(y)))) + np.sum(np.sin(np.tile(x[0], i + 1)) * np.ones(3 * (i + 1)))
    return t + np.sum(np.eye(3, 3, i) @ x.T) + np.sum(np.zeros(i + 1) + x[0, 0])


def moved(x):
    t = 0.0
    for i in range(2):
        t = t + np.sum(np.moveaxis(x, i, 0)[0] ** 2) + np.sum(np.expand_dims(x, i) * x)
    return t


def helper(x):
    k = 1
    return np.sum(np.sin(x.sum(axis=k)))


def helper0(x):
    k = 0
    return np.sum(x * x.sum(axis=k, keepdims=True))


def named_alike(x):
    t = helper(x)
    for k in range(2):
        t = t + helper0(x) + np.sum(x * x.sum(axis=k, keepdims=True))
    while k < 2:
        t = t + np.sum(x * x.mean(axis=k, keepdims=True))
        k += 1
    return t + sum(np.sum(x * x.max(axis=k, keepdims=True)) for k in reversed(range(2)))


def chosen(x):
    if x[0, 0] > 0:
        k = 1
    else:
        k = 0
    return np.sum(x * x.sum(axis=k, keepdims=True)) + helper(x)


@pytest.mark.parametrize("function", [powers, sums, lengths, moved, named_alike, chosen])
def test_counters_stand_for_no_one_number(function):
    for x in (X, -X):
        gradient = sourcediff.grad(function, mode="compiled")(x)
        np.testing.assert_allclose(gradient, sourcediff.grad(function, mode="eager")(x), rtol=1e-12)
        h = 1e-6
        along = (function(x + h * X.T.reshape(2, 3)) - function(x - h * X.T.reshape(2, 3))) / (2 * h)
        np.testing.assert_allclose(np.sum(gradient * X.T.reshape(2, 3)), along, rtol=1e-6)


def test_keys_that_are_put_together_are_known():
    """So the kinds of the entries are, too."""

    def dense(p, name, x):
        return x @ p[name + "_w"] + p[f"{name}_b"]

    def net(p, x):
        return np.sum(dense(p, "out", np.tanh(dense(p, "in", x))) ** 2)

    p = {"in_w": X.T, "in_b": X[:, 0], "out_w": X, "out_b": X[0]}
    text = sourcediff.gradient_source(net, args=(p, X))
    assert "sum_to" not in text and "p['out_w']" in text
    for name, part in sourcediff.grad(net, mode="eager")(p, X).items():
        np.testing.assert_allclose(sourcediff.grad(net, mode="compiled")(p, X)[name], part, rtol=1e-12)


def test_keys_by_the_counter_of_a_loop_are_not_one_key():
    def net(p, x):
        for i in range(2):
            x = np.tanh(x @ p[f"W{i}"] + p["b" + str(i)])
        return np.sum(x)

    p = {"W0": X.T, "W1": X, "b0": X[:, 1], "b1": X[1]}
    assert "matmul_adjoint" not in sourcediff.gradient_source(net, args=(p, X))  # all that begins with W has two dimensions
    for name, part in sourcediff.grad(net, mode="eager")(p, X).items():
        np.testing.assert_allclose(sourcediff.grad(net, mode="compiled")(p, X)[name], part, rtol=1e-12)
