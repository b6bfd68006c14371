"""Many calls as one: the same as a loop, whether there is a form with a leading axis or not."""

from __future__ import annotations

import functools
import pickle
from collections import namedtuple

import numpy as np
import pytest

import sourcediff
from sourcediff import batched, explain, grad, hessian, jacobian, value_and_grad
from sourcediff.errors import FALLS_BACK

RANDOM = np.random.default_rng(0)
Line = namedtuple("Line", "slope offset")
TOGETHER = "# All calls are one call of generated code."


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def decay(p, t, y):
    return np.sum((p[0] * np.exp(-p[1] * t) + p[2] - y) ** 2)


def ridge(w, x, y):
    r = np.tanh(x @ w) - y
    return np.sum(r ** 2) + 0.1 * np.sum(w * w)


def layer(p, x):
    h = np.tanh(p["w"] @ x + p["b"])
    return np.sum(h ** 2)


def kinks(x):
    return np.sum(np.where(x > 0, x ** 2, -x)) + np.max(x) * np.min(x)


def newton(x):
    for _ in range(3):
        x = x - (x ** 3 - 2) / (3 * x ** 2)
    return x


def solved(a, b):
    m = a @ a.T + np.eye(3)
    return np.linalg.solve(m, b) + np.linalg.inv(m) @ b


def shapes(x):
    out = np.zeros(x.shape)
    for k in range(len(x)):
        out[k] = x[k] * (k + 1) / x.shape[0] + x.ndim
    return out


def recurrence(x):
    y = np.zeros(4)
    y[0] = x[0]
    for k in range(1, 4):
        y[k] = y[k - 1] * x[k] + np.sin(x[k - 1])
    return y


def several(x):
    return {"twice": 2 * x, "parts": (x[0], 1.5, np.outer(x, x))}


def flattened(x):
    a = x * 1.5
    d = a.flatten()
    d *= x[1, 1]
    return np.sum(a ** 2) + np.sum(d)


def normal(*shape):
    return RANDOM.normal(size=shape)


EXAMPLES = {
    "rosenbrock": (rosenbrock, (normal(7, 4),), 0), "decay": (decay, (normal(7, 3), np.linspace(0, 1, 9), normal(7, 9)), (0, None, 0)),
    "ridge": (ridge, (normal(3, 7), normal(7, 5, 3), normal(5)), (1, 0, None)),
    "layer": (layer, ({"w": normal(7, 2, 3), "b": normal(7, 2)}, normal(3)), (0, None)), "kinks": (kinks, (normal(7, 4),), 0),
    "newton": (newton, (RANDOM.uniform(1, 2, 7),), 0), "solved": (solved, (normal(7, 3, 3), normal(7, 3)), 0),
    "shapes": (shapes, (normal(7, 3),), 0), "recurrence": (recurrence, (normal(4, 7),), -1), "several": (several, (normal(7, 3),), 0),
    "flattened": (flattened, (normal(7, 2, 3),), 0),
}
SCALAR = ("rosenbrock", "decay", "ridge", "layer", "kinks", "newton", "flattened")


def compared(f, args, axes):
    """What ``batched`` gives is what a loop gives; whether its calls are one."""
    many = batched(f, axes)
    found = many(*args)
    axes = many.axes(args)
    moved = [arg if axis is None else {k: np.moveaxis(v, axis, 0) for k, v in arg.items()} if isinstance(arg, dict)
             else np.moveaxis(arg, axis, 0) for arg, axis in zip(args, axes)]
    expected = many.one_by_one(moved, axes, {}, range(7))
    assert sourcediff.api.batched.alike(found, expected)
    return explain(many, args=args).startswith(TOGETHER)


@pytest.mark.parametrize("name", EXAMPLES)
def test_functions(name):
    assert compared(*EXAMPLES[name])


@pytest.mark.parametrize("name", SCALAR)
def test_derivatives(name):
    f, args, axes = EXAMPLES[name]
    assert compared(grad(f), args, axes)
    assert compared(value_and_grad(f), args, axes)
    compared(hessian(f), args, axes)


def test_jacobians():
    f, args, axes = EXAMPLES["recurrence"]
    compared(jacobian(f), args, axes)


# Loops


def decides(x):
    return x[0] if x[0] > 0 else x[1]


def repeats(x):
    while x < 10.0:
        x = 2 * x + 1
    return x


def changes(x, total):
    total[0] += np.sum(x)
    return total[0]


def indexes(x, k):
    return x[k] * 2


def draws(x, generator):
    return x * generator.normal()


def star(*xs):
    return xs[0] * xs[1]


@pytest.mark.parametrize(("f", "args", "axes", "why"), [
    (decides, (normal(7, 2),), 0, "decides what is done"), (repeats, (RANDOM.uniform(1, 2, 7),), 0, "decides what is done"),
    (changes, (normal(7, 2), np.zeros(2)), (0, None), "changes what it is given"),
    (indexes, (normal(7, 3), np.arange(7) % 3), (0, 0), "no rule moves its axes"),
    (draws, (normal(7), np.random.default_rng(3)), (0, None), "draws"), (star, (normal(7), normal(7)), 0, "positional"),
], ids=lambda part: getattr(part, "__name__", ""))
def test_what_has_no_such_form_is_a_loop(f, args, axes, why):
    again = pickle.loads(pickle.dumps(args))
    axis = axes if isinstance(axes, tuple) else (axes,) * len(args)
    expected = [f(*(arg if at is None else arg[k] for arg, at in zip(again, axis))) for k in range(7)]
    np.testing.assert_array_equal(batched(f, axes)(*pickle.loads(pickle.dumps(args))), expected)
    said = explain(batched(f, axes), args=pickle.loads(pickle.dumps(args)))
    assert "is called in a loop" in said and why in said


def test_a_result_that_is_another_one_is_not_taken(monkeypatch):
    monkeypatch.setattr("sourcediff.api.batched.alike", lambda one, other: False)

    def cubes(x):
        return np.sum(x ** 3)

    np.testing.assert_allclose(batched(cubes)(np.eye(3)), 1.0)
    assert "another result" in explain(batched(cubes), args=(np.eye(3),))


# What it is


class Model:
    def __init__(self, k):
        self.k = k

    def energy(self, x):
        return self.k * np.sum(x ** 2)


def test_methods_partials_and_keywords():
    x = normal(7, 3)
    for f in (Model(3.0).energy, functools.partial(lambda k, x: k * np.sum(x ** 2), 3.0)):
        np.testing.assert_allclose(batched(f)(x), 3 * np.sum(x ** 2, axis=1))
        np.testing.assert_allclose(batched(grad(f))(x), 6 * x)
    np.testing.assert_allclose(batched(lambda x, k=1.0: k * np.sum(x))(x, k=2.0), 2 * np.sum(x, axis=1))
    np.testing.assert_allclose(batched(Model(2.0).energy)(x), 2 * np.sum(x ** 2, axis=1))


def test_it_is_a_decorator_and_handed_about():
    @batched(in_axes=(0, None))
    def scaled(x, k):
        """Scale."""
        return k * x

    assert scaled.__name__ == "scaled" and scaled.__doc__ == "Scale." and "over (0, None)" in repr(scaled)
    np.testing.assert_array_equal(scaled(np.arange(3.0), 2.0), [0.0, 2.0, 4.0])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(batched(kinks)))(np.eye(2)), batched(kinks)(np.eye(2)))


def test_named_tuples_come_back():
    found = batched(lambda x: Line(x[0], x[1:]))(normal(7, 3))
    assert type(found) is Line and found.offset.shape == (7, 2)


def test_gradients_through_it():
    x = normal(5, 3)
    found = grad(lambda x: np.sum(batched(rosenbrock)(x) ** 2), mode="eager")(x)
    np.testing.assert_allclose(found, 2 * batched(rosenbrock)(x)[:, None] * batched(grad(rosenbrock))(x))
    with pytest.raises(FALLS_BACK):
        grad(lambda x: np.sum(batched(rosenbrock)(x) ** 2), mode="compiled")(x)


def test_results_share_no_memory_with_arguments():
    x = normal(7, 3)
    found = batched(lambda x: x)(x)
    found[:] = 0
    assert np.all(x != 0)


@pytest.mark.parametrize(("axes", "args", "said"), [
    (0, (np.ones(3), np.ones(4)), "lengths"), ((0,), (np.ones(3), np.ones(3)), "2 arguments"), (0, (2.0, np.ones(2)), "names axis 0"),
    (None, (np.ones(2), np.ones(2)), "names no axis"), (0, (np.ones(0), np.ones(0)), "lengths"), (2, (np.eye(2), np.eye(2)), "axis 2"),
])
def test_axes_that_do_not_fit_are_refused(axes, args, said):
    with pytest.raises(ValueError, match=said):
        batched(lambda x, y: x + y, axes)(*args)


def test_errors_are_the_functions():
    def checked(x):
        if x.shape[0] != 3:
            raise KeyError("three of them")
        return x

    with pytest.raises(KeyError, match="three of them"):
        batched(checked)(np.ones((2, 4)))
    with pytest.raises(TypeError, match="takes a function"):
        batched(3)
