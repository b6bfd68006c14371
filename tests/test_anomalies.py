"""``detect_anomaly`` in compiled code: the line, the variable, the loops, and nothing said where all is well."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

from sourcediff import detect_anomaly, grad, hessian, jvp, value_and_grad, vjp
from sourcediff.errors import AliasingError, AnomalyError


def travel(x, steps):
    time = 0.0
    for i in range(steps):
        for j in range(2):
            y = np.sqrt(x - i)
            time = time + np.sum(y) * j
    return time


def adjoint(f, *args):
    return grad(f, mode="compiled")(*args)


def tangent(f, x, *args):
    return jvp(f, (x, *args), (np.ones_like(x), *(None for _ in args)), mode="compiled")


@pytest.mark.parametrize("run, word, where", [(adjoint, "adjoint of x", "i = 2, j = 1"), (tangent, "tangent of y", "i = 2, j = 0")])
def test_a_derivative_is_named(run, word, where):
    with np.errstate(all="ignore"), detect_anomaly(), pytest.raises(AnomalyError) as caught:
        run(travel, np.array([3.0, 2.0]), 3)
    assert caught.value.problem == f"the {word} became inf at [1], at {where}"
    user, generated = caught.value.places
    assert user.text.strip() == "y = np.sqrt(x - i)" and user.file.endswith("test_anomalies.py")
    assert generated.file.endswith(".py") and "y" in generated.text


@pytest.mark.parametrize("run", [adjoint, tangent])
def test_a_value_that_was_nan_before_is_named_first(run):
    with np.errstate(all="ignore"), detect_anomaly(), pytest.raises(AnomalyError, match=r"the value of y became nan at \[1\], at i = 2"):
        run(travel, np.array([3.0, 1.5]), 3)


def test_a_value_alone():
    def f(x):
        y = np.log(x)
        z = y - y
        return np.sum(z * 0.0)

    with np.errstate(all="ignore"), detect_anomaly(), pytest.raises(AnomalyError, match=r"became nan at \[1\]|is not finite"):
        value_and_grad(f, mode="compiled")(np.array([1.0, 0.0]))


@pytest.mark.parametrize("run", [adjoint, tangent])
def test_nothing_is_said_where_all_is_well(run):
    def f(x):
        buffer = np.full(2, np.nan)
        best = np.inf
        buffer[:] = x
        for i in range(2):
            best = min(best, buffer[i])
        return np.sum(np.where(x > 0, np.log(x), 0.0)) + best

    with np.errstate(all="ignore"):
        expected = run(f, np.array([1.0, 0.0]))
        with detect_anomaly():
            found = run(f, np.array([1.0, 0.0]))
    np.testing.assert_array_equal(found, expected)


def test_outside_of_the_scope_nothing_is_watched():
    with np.errstate(all="ignore"):
        gradient = grad(travel, mode="compiled")
        assert not np.isfinite(gradient(np.array([3.0, 2.0]), 3)).all()
        with detect_anomaly(), pytest.raises(AnomalyError):
            gradient(np.array([3.0, 2.0]), 3)
        assert not np.isfinite(gradient(np.array([3.0, 2.0]), 3)).all()


def test_what_is_refused_in_a_call_is_refused_as_ever():
    def f(x, y):
        x[:2] = 2.0 * y
        return np.sum(x * x)

    x = np.arange(4.0)
    with detect_anomaly(), pytest.raises(AliasingError):
        grad(f, mode="compiled")(x, x[1:3])
    np.testing.assert_array_equal(x, np.arange(4.0))


def test_the_eager_engine_is_watched_too():
    with np.errstate(all="ignore"), detect_anomaly(), pytest.raises(AnomalyError, match=r"np\.sqrt"):
        grad(travel, mode="eager")(np.array([3.0, 2.0]), 3)


def power(x, k):
    if k == 0:
        return np.sqrt(x - 1.0), 1
    y, n = power(x * 1.0, k - 1)
    return y, n + 1


def recursive(x):
    y, n = power(x, 2)
    return np.sum(y) * n


def with_islands(x):
    t = 2.0 * x
    for _ in range(2):
        with contextlib.ExitStack():
            t = t * np.sqrt(x - 1.0)
    return np.sum(t)


DERIVATIVES = pytest.mark.parametrize("derivative", [
    lambda f, x: grad(f)(x), lambda f, x: vjp(f, x)[1](1.0), lambda f, x: jvp(f, (x,), (np.ones(3),)), lambda f, x: hessian(f)(x),
])


@pytest.mark.filterwarnings("ignore::sourcediff.errors.FallbackWarning")
@DERIVATIVES
@pytest.mark.parametrize("f", [recursive, with_islands])
def test_calls_that_stay_calls(f, derivative):
    x = np.array([1.5, 2.0, 3.0])
    expected = derivative(f, x)
    with detect_anomaly():
        found = derivative(f, x)
    for one, other in zip(expected, found):
        np.testing.assert_array_equal(one, other)


@pytest.mark.filterwarnings("ignore::sourcediff.errors.FallbackWarning")
@DERIVATIVES
@pytest.mark.parametrize("f", [recursive, with_islands])
def test_a_nan_in_calls_that_stay_calls(f, derivative):
    with np.errstate(all="ignore"), detect_anomaly(), pytest.raises(AnomalyError, match=r"(t1?|y|link) became nan|gave nan"):
        derivative(f, np.array([1.5, 0.5, 3.0]))
