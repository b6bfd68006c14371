"""NumPy functions in PyTensor, and in a model of PyMC's."""

from __future__ import annotations

import numpy as np
import pytest

import sourcediff

pytensor = pytest.importorskip("pytensor", reason="PyTensor is not installed: pip install 'sourcediff[pytensor]'")

import pytensor.tensor as pt  # noqa: E402
from pytensor.gradient import hessian, verify_grad  # noqa: E402

from sourcediff.errors import ComplexError, NonDifferentiableError  # noqa: E402
from sourcediff.interop.pytensor import op  # noqa: E402

from .programs import X, Y, in_place, number, product, returned, several, waves  # noqa: E402


def vectors(size=3):
    return pt.vector("x", dtype="float64", shape=(size,)), pt.vector("y", dtype="float64", shape=(size,))


@pytest.mark.parametrize("f", [product, number])
def test_gradients(f):
    verify_grad(op(f), [X, Y], rng=np.random.default_rng(0))
    out = pt.dscalar if f is number else pt.TensorType("float64", shape=(None,))
    verify_grad(op(f, out=out), [X, Y], rng=np.random.default_rng(0))


def test_several_results():
    def both(x, y):
        first, second = op(several)(x, y)
        return first * pt.sum(second**2)

    verify_grad(both, [X, Y], rng=np.random.default_rng(0))
    verify_grad(lambda x, y: op(several)(x, y)[1], [X, Y], rng=np.random.default_rng(0))


@pytest.mark.parametrize("f", [number, lambda x, y: np.exp(np.sum(product(x, y)))])
def test_second_and_third_derivatives(f):
    x, y = vectors()
    value = op(f)(x, y)
    np.testing.assert_allclose(pytensor.function([x, y], hessian(value, x))(X, Y), sourcediff.hessian(f)(X, Y))
    mixed = pytensor.grad(pt.sum(pytensor.grad(value, x) * pt.as_tensor(Y)), y)
    np.testing.assert_allclose(pytensor.function([x, y], mixed)(X, Y), Y @ sourcediff.jacobian(sourcediff.grad(f), 1)(X, Y))
    third = pytensor.grad(pt.sum(pytensor.grad(pt.sum(pytensor.grad(value, x)), x)), x)
    plain = sourcediff.grad(lambda x: np.sum(sourcediff.grad(lambda x: np.sum(sourcediff.grad(f)(x, Y)))(x)))(X)
    np.testing.assert_allclose(pytensor.function([x, y], third)(X, Y), plain)


def test_second_derivatives_of_a_vector():
    x, y = vectors()
    value = pt.sum(op(product)(x, y) ** 2)
    plain = sourcediff.hessian(lambda x: np.sum(product(x, Y) ** 2))(X)
    np.testing.assert_allclose(pytensor.function([x, y], hessian(value, x))(X, Y), plain)


def test_one_node_for_a_value_and_its_gradient():
    x, y = vectors()
    value = op(number)(x, y)
    compiled = pytensor.function([x, y], [value, *pytensor.grad(value, [x, y])])
    assert len(compiled.maker.fgraph.apply_nodes) == 1
    for found, expected in zip(compiled(X, Y), (number(X, Y), *sourcediff.grad(number, (0, 1))(X, Y))):
        np.testing.assert_allclose(found, expected)


def test_numbers_integers_and_constants():
    u, rate, steps = pt.vector("u", dtype="float32", shape=(5,)), pt.scalar("rate", dtype="float64"), pt.lscalar("steps")
    value = op(waves)(u, rate, steps)
    start = np.linspace(0, 1, 5, dtype=np.float32)
    found = pytensor.function([u, rate, steps], pytensor.grad(value, [u, rate]))(start, 0.3, 4)
    assert [part.dtype for part in found] == ["float32", "float64"]
    np.testing.assert_allclose(found[1], sourcediff.grad(waves, 1)(start, 0.3, 4), rtol=1e-6)
    constant = op(number)(u, np.ones(5, np.float32))
    assert len(constant.owner.outputs) == 2  # the value, and the gradient by u alone


def test_arrays_that_are_handed_back():
    x, _ = vectors()
    found = pytensor.function([x], op(returned)(x))(X)
    assert not np.shares_memory(found, X)


def test_what_is_refused():
    x, _ = vectors()
    with pytest.raises(ValueError, match="read-only"):
        op(in_place)(x)
    for f in (lambda x: np.emath.sqrt(x - 1)), (lambda x: x[x > 0.5]):
        with pytest.raises(NonDifferentiableError, match="which was said to be of float64"):
            pytensor.function([x], op(f)(x))(X)
    with pytest.raises(NonDifferentiableError, match=r"the shape of w is not known\n  instead: give the type"):
        op(number)(pt.dvector("w"), x)
    with pytest.raises(ComplexError):
        op(returned)(pt.zvector("z", shape=(3,)))
    with pytest.raises(ComplexError):
        op(lambda x: x * 1j)(x)


def test_nuts_samples_a_numpy_model():
    pymc = pytest.importorskip("pymc", reason="PyMC is not installed")
    rng = np.random.default_rng(0)
    x = np.linspace(0, 1, 50)
    y = 1 + 2 * x + 0.3 * rng.standard_normal(50)

    def log_likelihood(a, b, log_sigma):
        residual = (y - a - b * x) / np.exp(log_sigma)
        return -0.5 * np.sum(residual**2) - len(x) * log_sigma

    def line(a, b):
        return a + b * x

    def sampled(likelihood):
        with pymc.Model():
            a, b, log_sigma = pymc.Normal("a", 0, 10), pymc.Normal("b", 0, 10), pymc.Normal("log_sigma")
            likelihood(a, b, log_sigma)
            trace = pymc.sample(
                500, tune=300, chains=1, cores=1, progressbar=False, random_seed=1, compute_convergence_checks=False)
        draws = [trace.posterior[name].values.ravel() for name in ("a", "b", "log_sigma")]
        return np.mean(draws, axis=1), np.std(draws, axis=1)

    mean, deviation = sampled(lambda a, b, log_sigma: pymc.Normal("y", a + b * x, pymc.math.exp(log_sigma), observed=y))
    for likelihood in (
        lambda a, b, log_sigma: pymc.Potential("likelihood", op(log_likelihood)(a, b, log_sigma)),
        lambda a, b, log_sigma: pymc.Normal("y", op(line)(a, b), pymc.math.exp(log_sigma), observed=y),
    ):
        found, _ = sampled(likelihood)
        np.testing.assert_array_less(np.abs(found - mean), 0.25 * deviation)
