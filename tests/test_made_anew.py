"""A derivative that is made anew at each call, as everybody writes it in a loop, finds what was made of the function before."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import sourcediff
from sourcediff import FallbackWarning
from sourcediff.compiler import pipeline as compiler
from sourcediff.dispatch.dispatcher import Dispatcher
from sourcediff.eager.library_run import recording

X = np.array([0.5, 1.25, 2.0])


@pytest.fixture
def looked(monkeypatch):
    """How often something has been made of a function, and how often the compiler has been at work."""
    counts = {"made": 0, "compiled": 0}
    first, step = Dispatcher.__init__, compiler.compile_gradient

    def made(self, *args, **kwargs):
        counts["made"] += 1
        first(self, *args, **kwargs)

    def compiled(*args):
        counts["compiled"] += 1
        return step(*args)

    monkeypatch.setattr(Dispatcher, "__init__", made)
    monkeypatch.setattr(compiler, "compile_gradient", compiled)
    monkeypatch.setenv("SOURCEDIFF_CACHE_SIZE", "0")
    return counts


def test_a_gradient_made_anew(looked):
    def f(x, k):
        return np.sum(k * x * x)

    for k in (1.0, 2.0, 3.0):
        np.testing.assert_allclose(sourcediff.grad(f)(X, k), 2 * k * X)
        value, slopes = sourcediff.value_and_grad(f, (0, 1))(X, k)
        np.testing.assert_allclose([value, *slopes[0], slopes[1]], [k * X @ X, *2 * k * X, X @ X])
    assert looked["made"] == 2


def test_a_lambda_made_anew(looked):
    for power in (2, 3, 4):
        derivative = sourcediff.grad(lambda x, p: np.sum(x**p))
        np.testing.assert_allclose(derivative(X, power), power * X ** (power - 1))
    assert looked["made"] == 1


def test_lambdas_over_other_values_are_other_functions():
    def closing_over(k):
        return lambda x: np.sum(k * x)

    found = [sourcediff.grad(lambda x, k=k: np.sum(k * x))(X)[0] for k in (1.0, 2.0)]
    found += [sourcediff.grad(f)(X)[0] for f in map(closing_over, (3.0, 4.0))]
    assert found == [1.0, 2.0, 3.0, 4.0]


def test_a_lambda_that_is_changed_is_read_again():
    one, other = (lambda: lambda x: np.sum(x * x))(), lambda x: np.sum(x * x * x)
    derivative = sourcediff.grad(one)
    np.testing.assert_allclose(derivative(X), 2 * X)
    one.__code__ = other.__code__
    np.testing.assert_allclose(derivative(X), 3 * X**2)
    np.testing.assert_allclose(sourcediff.grad(lambda x: np.sum(x * x))(X), 2 * X)


def test_second_derivatives_made_anew(looked):
    for _ in range(3):
        np.testing.assert_allclose(sourcediff.hessian(cubes)(X), np.diag(6 * X))
    assert looked["made"] <= 4


def cubes(x):
    return np.sum(x**3)


def test_a_refusal_is_found_again(looked, monkeypatch):
    runs, run = [], recording.run_gradient
    monkeypatch.setattr(recording, "run_gradient", lambda *args: runs.append(1) or run(*args))

    def refused(x):
        class Inner: ...

        return np.sum(x * x)

    with pytest.warns(FallbackWarning):
        np.testing.assert_allclose(sourcediff.grad(refused)(X), 2 * X)
    first = looked["compiled"]
    for _ in range(3):
        np.testing.assert_allclose(sourcediff.grad(refused)(X), 2 * X)
    assert looked["compiled"] == first and len(runs) == 4
    refused.__code__ = cubes.__code__
    np.testing.assert_allclose(sourcediff.grad(refused)(X), 3 * X**2)
    assert looked["compiled"] > first and len(runs) == 4


def test_what_is_kept_keeps_nothing_alive():
    def closing_over(data):
        return lambda x: np.sum(data * x)

    class Data(np.ndarray):
        pass

    data = np.ones(3).view(Data)
    gone = weakref.ref(data)
    f = closing_over(data)
    sourcediff.grad(f, mode="eager")(X)
    sourcediff.hessian(closing_over(np.ones(3)))(X)
    del f, data
    gc.collect()
    assert gone() is None
