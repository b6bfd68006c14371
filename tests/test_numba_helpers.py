"""Functions that Numba compiles, called by plain code: of values that are differentiated the Python behind them is."""

from __future__ import annotations

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError

numba = pytest.importorskip("numba", reason="functions that Numba compiles are the subject")

X = np.array([0.75, 1.625, -0.5])


@numba.njit
def scaled(a, factor=2.0):
    return a * factor


@numba.njit
def squares(x):
    total = 0.0
    for i in numba.prange(len(x)):
        total += x[i] ** 2
    return scaled(total, 3.0)


@numba.njit
def filled(x):
    out = np.zeros_like(x)
    for i in range(x.size):
        out[i] = x[i] ** 3
    return out


@numba.njit
def positive(x):
    if x[0] < 0:
        raise ValueError("negative")
    return x[0]


@numba.vectorize
def product(a, b):
    return a * b + a


@numba.guvectorize(["(float64[:], float64[:])"], "(n)->()")
def total(a, result):
    result[0] = a.sum()


class Model:
    square = staticmethod(squares)

    def __init__(self):
        self.scale = scaled

    def loss(self, x):
        return self.scale(x[0]) + self.square(x)


TABLE = {"squares": squares}
MODEL = Model()
CASES = {
    "a loop": (lambda x: squares(x), 6 * X),
    "keywords": (lambda x: scaled(x[0], factor=x[1]), [X[1], X[0], 0.0]),
    "a buffer": (lambda x: np.sum(filled(x)), 3 * X**2),
    "of constants": (lambda x: squares(np.arange(3.0)) * np.sum(x), np.full(3, 15.0)),
    "in a table": (lambda x: TABLE["squares"](x), 6 * X),
}
EAGER = {
    "an attribute": (lambda x: MODEL.loss(x), 6 * X + [2.0, 0.0, 0.0]),
    "a ufunc": (lambda x: np.sum(product(x, x) * 2.0), 4 * X + 2),
    "a ufunc of numbers": (lambda x: product(x[0], x[1]), [X[1] + 1, X[0], 0.0]),
    "its Python function": (lambda x: squares.py_func(x), 6 * X),
}


@pytest.mark.parametrize("mode", ["compiled", "eager", "auto"])
@pytest.mark.parametrize("name", CASES)
def test_a_function_that_numba_compiles_is_differentiated_by_its_python(name, mode):
    function, wanted = CASES[name]
    np.testing.assert_allclose(sourcediff.grad(function, mode=mode)(X), wanted)
    np.testing.assert_allclose(sourcediff.jvp(function, (X,), (np.ones(3),), mode=mode)[1], np.sum(wanted))


@pytest.mark.filterwarnings("ignore::sourcediff.FallbackWarning")
@pytest.mark.parametrize("mode", ["eager", "auto"])
@pytest.mark.parametrize("name", EAGER)
def test_the_same_by_way_of_objects_and_of_ufuncs(name, mode):
    function, wanted = EAGER[name]
    np.testing.assert_allclose(sourcediff.grad(function, mode=mode)(X), wanted)


@pytest.mark.parametrize("mode", ["compiled", "eager", "auto"])
def test_as_an_argument(mode):
    np.testing.assert_allclose(sourcediff.grad(lambda x, f: f(x), mode=mode)(X, squares), 6 * X)


@pytest.mark.filterwarnings("ignore::sourcediff.FallbackWarning")
@pytest.mark.parametrize("mode", ["compiled", "eager", "auto"])
def test_a_generalised_ufunc_is_refused_by_name(mode):
    with pytest.raises(SourcediffError, match="total"):
        sourcediff.grad(lambda x: total(x) * 1.0, mode=mode)(X)


@pytest.mark.parametrize("mode", ["compiled", "eager", "auto"])
def test_what_it_raises_comes_through(mode):
    with pytest.raises(ValueError, match="negative"):
        sourcediff.grad(lambda x: positive(x), mode=mode)(-X)


def test_one_that_is_defined_anew_is_looked_at_again():
    namespace = {"numba": numba, "np": np}
    exec("@numba.njit\ndef inner(x):\n    return 2.0 * x\n", namespace)
    function = eval("lambda x: np.sum(inner(x))", namespace)
    gradient = sourcediff.grad(function)
    with pytest.warns(sourcediff.FallbackWarning):  # without source
        np.testing.assert_allclose(gradient(X), np.full(3, 2.0))
    exec("@numba.njit\ndef inner(x):\n    return 5.0 * x\n", namespace)
    np.testing.assert_allclose(gradient(X), np.full(3, 5.0))
