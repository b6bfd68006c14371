"""NumPy functions in JAX, and JAX's in NumPy."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import sourcediff

jax = pytest.importorskip("jax", reason="JAX is not installed: pip install 'sourcediff[jax]'")

import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

from sourcediff.errors import ComplexError  # noqa: E402
from sourcediff.interop.jax import function, rule  # noqa: E402

from .programs import X, Y, in_place, number, of_mixed, product, returned, reversed_, several, structured, waves  # noqa: E402


@pytest.fixture(autouse=True)
def double():
    with jax.enable_x64(True):
        yield


@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit], ids=["plain", "jit"])
@pytest.mark.parametrize("f", [product, number, several, returned])
def test_first_and_second_derivatives(f, wrap):
    g = wrap(function(f))
    args = (X,) if f is returned else (X, Y)
    check_grads(g, args, 2, modes=["rev"])
    check_grads(lambda x: g(x, *args[1:]), (X,), 2, modes=["rev"])


def test_third_derivatives():
    g = function(lambda x: np.sum(x**4))
    third = jax.jacrev(jax.jacrev(jax.grad(g)))(X)
    np.testing.assert_allclose(np.einsum("iii->i", third), 24 * X)


def test_structures():
    g = function(structured)
    assert g({"w": X}, Y)["count"] == 3
    check_grads(lambda w, y: (g({"w": w}, y)["number"], g({"w": w}, y)["rest"][0]), (X, Y), 2, modes=["rev"])
    np.testing.assert_allclose(jax.grad(lambda p: g(p, Y)["number"])({"w": X})["w"], 2 * X * Y)


def test_one_callback_for_a_value_and_its_gradient():
    text = str(jax.make_jaxpr(jax.value_and_grad(function(number)))(X, Y))
    assert text.count("pure_callback[") == 1


def test_under_the_transformations():
    g = function(number)
    both = np.stack([X, X + 1])
    expected = np.stack([sourcediff.grad(number)(x, Y) for x in both])
    for run in jax.vmap(jax.grad(g), (0, None)), jax.jit(jax.vmap(jax.grad(g), (0, None))):
        np.testing.assert_allclose(run(both, Y), expected)
    np.testing.assert_allclose(jax.grad(lambda b: jnp.sum(jax.vmap(g, (0, None))(b, Y)))(both), expected)
    np.testing.assert_allclose(jax.jacrev(jax.grad(g))(X, Y), sourcediff.hessian(number)(X, Y))

    def last(x, g, steps=3):
        return jnp.sum(jax.lax.scan(lambda x, _: (g(x, Y), None), x, length=steps)[0])

    plain = last(X, lambda x, y: jnp.sin(x) * y), jax.grad(last)(X, lambda x, y: jnp.sin(x) * y)
    np.testing.assert_allclose(last(X, function(product)), plain[0])
    np.testing.assert_allclose(jax.jit(jax.grad(functools.partial(last, g=function(product))))(X), plain[1])


def test_integers_keywords_and_numbers():
    u = np.linspace(0, 1, 5)
    value, (u_bar, rate_bar) = jax.value_and_grad(function(waves), (0, 1))(u, 0.3, steps=4)
    plain = sourcediff.value_and_grad(waves, (0, 1))(u, 0.3, 4)
    np.testing.assert_allclose(value, plain[0])
    np.testing.assert_allclose(u_bar, plain[1][0])
    np.testing.assert_allclose(rate_bar, plain[1][1])


@pytest.mark.parametrize("wide", [False, True])
def test_dtypes_are_those_of_jax(wide):
    with jax.enable_x64(wide):
        value, gradient = jax.value_and_grad(function(number))(jnp.array(X), Y)
        assert value.dtype == gradient.dtype == (np.float64 if wide else np.float32)
    np.testing.assert_allclose(gradient, 3 * X**2 * Y, rtol=1e-6)


def test_the_shape_can_be_given():
    runs = []

    def f(x):
        runs.append(len(x))
        return x[1:] ** 2

    g = function(f, out=jax.ShapeDtypeStruct((2,), np.float64))
    jax.make_jaxpr(g)(X)
    assert not runs
    check_grads(function(lambda x: x[1:] ** 2, out=jax.ShapeDtypeStruct((2,), np.float64)), (X,), 2, modes=["rev"])


def test_a_zero_cotangent_stays_zero_where_the_derivative_is_infinite():
    g = function(lambda x: np.sum(np.sqrt(x)))
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(jax.grad(lambda x: 0 * g(x))(np.array([0.0, 1.0])), [0.0, 0.0])


def test_arrays_that_are_handed_back():
    np.testing.assert_array_equal(function(reversed_)(X), X[::-1])
    np.testing.assert_array_equal(jax.jit(function(returned))(X), X)


@pytest.mark.filterwarnings("ignore")
def test_what_is_refused():
    with pytest.raises(ComplexError):
        function(returned)(X * 1j)
    with pytest.raises(ComplexError):
        function(lambda x: x * 1j)(X)
    for f in (lambda x: np.emath.sqrt(x - 1)), (lambda x: x[x > 0.5]):
        with pytest.raises(Exception, match="which was said to be of float64"):
            function(f)(X)
    with pytest.raises(ValueError, match="read-only"):  # on ones, before any callback
        jax.grad(function(in_place))(X)
    with pytest.raises(Exception, match=r"no derivative rule for np\.spacing"):
        jax.grad(function(lambda x: np.sum(np.spacing(x))))(X)
    with pytest.raises(TypeError, match="custom_vjp"):
        jax.jvp(function(number), (X, Y), (X, Y))


# The other way round


def mixed(x, y):
    return jnp.sin(x) * y + y**3


def polar(z, g):
    return jnp.hypot(z, g), jnp.arctan2(g, z)


def test_a_function_of_jax_in_numpy_functions():
    of_numpy, to_polar = rule(mixed), rule(polar, outputs=2)

    def f(x, y):
        r, angle = to_polar(x, y)
        return np.sum(of_numpy(r, angle) * of_numpy(x, y))

    for mode in "compiled", "eager":
        np.testing.assert_allclose(sourcediff.grad(f, (0, 1), mode=mode)(X, Y), sourcediff.grad(of_mixed, (0, 1))(X, Y))
        np.testing.assert_allclose(sourcediff.jvp(f, (X, Y), (Y, X), mode=mode), sourcediff.jvp(of_mixed, (X, Y), (Y, X)))
        np.testing.assert_allclose(sourcediff.hessian(f, mode=mode)(X, Y), sourcediff.hessian(of_mixed)(X, Y))
        np.testing.assert_allclose(sourcediff.hvp(f, mode=mode)(X, Y, Y), sourcediff.hvp(of_mixed)(X, Y, Y))


def test_such_a_rule_is_right_in_the_precision_of_its_arguments():
    with jax.enable_x64(False):
        for of_numpy in rule(mixed), rule(polar, outputs=2):
            assert "second order" in str(sourcediff.check_rule(of_numpy, X, Y))
        assert rule(mixed)(X.astype(np.float32), Y.astype(np.float32)).dtype == np.float32
        only = rule(lambda x, n: jnp.cumsum(x, 0) ** n, wrt=["x"])
        assert "both modes" in str(sourcediff.check_rule(only, X, 2))
        same = rule(returned)
        assert same(X).flags.writeable and not np.shares_memory(same(X), X)
