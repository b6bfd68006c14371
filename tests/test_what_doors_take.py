"""What the doors are given besides functions and their arguments: positions, examples, Variables, and names for their own helpers."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import sourcediff
from sourcediff import Variable, autograd, elementwise_grad, grad, gradient_source, hessian, jacobian, no_grad, value_and_grad
from sourcediff import no_grad as unrecorded
from sourcediff.errors import NonDifferentiableError, UnknownParameterError

X = np.array([0.5, -2.0])


def f(x, y=2.0):
    return np.sum(x**2) * y


def vector(x):
    return x**2


def several(*xs):
    return np.sum(xs[0] * xs[1])


class Position:
    def __index__(self):
        return 1


@pytest.mark.parametrize("args", [5, X, "ab", {"x": X}, None.__class__, np.float64(2.0)], ids=lambda args: type(args).__name__)
def test_examples_are_a_tuple(args, tmp_path):
    for call in (lambda: gradient_source(f, args=args), lambda: sourcediff.explain(f, args=args),
                 lambda: sourcediff.save_gradient(f, tmp_path / "saved.py", args=args)):
        with pytest.raises(NonDifferentiableError, match=r"args is of type (.|\n)*give a tuple"):
            call()
    assert not list(tmp_path.iterdir())
    assert gradient_source(f, args=[X]) == gradient_source(f, args=(X,))


@pytest.mark.parametrize("position", [np.int64(1), np.int8(1), np.uint16(1), np.intp(-1), Position()], ids=lambda part: type(part).__name__)
def test_a_position_is_anything_that_counts_as_an_int(position):
    assert grad(f, position)(X, 2.0) == jacobian(f, position)(X, 2.0) == pytest.approx(np.sum(X**2))
    assert value_and_grad(f, wrt=position)(X, 2.0)[1] == pytest.approx(np.sum(X**2))
    assert hessian(f, position)(X, 2.0) == 0.0 and elementwise_grad(lambda a, b: a * b, position)(3.0, 2.0) == 3.0
    np.testing.assert_allclose(grad(f, (np.int32(0), position))(X, 2.0)[0], 4 * X)
    if operator.index(position) > 0:  # *xs itself
        np.testing.assert_allclose(grad(several, wrt=position)(X, 3 * X), X)
    assert gradient_source(f, wrt=position, args=(X, 2.0)) == gradient_source(f, wrt=1, args=(X, 2.0))


@pytest.mark.parametrize("part", [True, np.bool_(True), 0.0, np.float64(0.0), np.array(0), np.int64(2), None], ids=repr)
def test_other_positions_are_refused(part):
    with pytest.raises(UnknownParameterError, match="has no parameter"):
        grad(f, part)


@pytest.mark.parametrize("mode", ["auto", "compiled", "eager"])
def test_a_derivative_that_is_no_scalar_is_placed_where_the_function_is(mode):
    for of in (vector, f):
        with pytest.raises(NonDifferentiableError, match="scalar") as caught:
            grad(grad(of), mode=mode)(X)
        assert __file__ in str(caught.value) and "derivatives.py" not in str(caught.value) and "api.py" not in str(caught.value)


def test_only_variables_have_a_graph():
    leaf = Variable(X, requires_grad=True)
    for call in (lambda: autograd.grad(X, X), lambda: autograd.grad((leaf * leaf).sum(), X), lambda: autograd.grad(2.0, leaf),
                 lambda: autograd.grad([X], [leaf]), lambda: autograd.backward(X), lambda: autograd.backward([2.0])):
        with pytest.raises(NonDifferentiableError, match=r"was given among the (in|out)puts"):
            call()
    (gradient,) = autograd.grad((leaf * leaf).sum(), (part for part in [leaf]))
    np.testing.assert_allclose(gradient.data, 2 * X)


def by_name(x):
    with no_grad():
        scale = np.sum(x**2)
    return np.sum(x**3) / scale


def by_another_name(x):
    with unrecorded():
        scale = np.sum(x**2)
        if scale > 1.0:
            scale = np.sqrt(scale) ** 2
    return np.sum(x**3) / scale


def in_its_module(x):
    with sourcediff.no_grad():
        scale = np.sum(x**2)
    return np.sum(x**3) / scale


@pytest.mark.parametrize("function", [by_name, by_another_name, in_its_module])
@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_no_grad_by_any_name(function, mode):
    s = np.sum(X**2)
    np.testing.assert_allclose(grad(function, mode=mode)(X), 3 * X**2 / s)
    np.testing.assert_allclose(sourcediff.hvp(function, mode=mode)(X, np.ones(2)), 6 * X / s - 3 * X**2 / s**2 * 0)
    np.testing.assert_allclose(sourcediff.jvp(function, (X,), (np.ones(2),), mode=mode)[1], np.sum(3 * X**2 / s))


def test_the_general_text_says_that_it_is():
    def squares(x):
        return np.sum(x**2)

    derivative, x = sourcediff.grad(squares), np.array([1.0, 2.0])
    for text in (sourcediff.gradient_source(squares), derivative.source):
        assert "# The general text" in text
        compile(text, "general", "exec")
    derivative(x)
    assert derivative.source == sourcediff.gradient_source(squares, args=(x,)) and "general" not in derivative.source


@pytest.mark.parametrize("make", [
    lambda: grad(product, argnums=1), lambda: value_and_grad(argnums=1)(lambda x, y: x * y), lambda: jacobian(product, argnums=1),
    lambda: elementwise_grad(product, argnums="y"), lambda: grad(lambda x, y: grad(product, argnums=1)(x, y) * y, argnums=1),
])
def test_argnums_is_another_name_of_wrt(make):
    assert np.ravel(make()(2.0, 3.0))[-1] == 2.0


def product(x, y):
    return x * y


def test_two_names_of_wrt_at_once():
    for given in (((), {"wrt": 0, "argnums": 0}), ((0,), {"argnums": 0})):
        with pytest.raises(TypeError):
            grad(product, *given[0], **given[1])


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("function", [vector, lambda x: x * 2, lambda x: np.stack([x, x])])
def test_what_is_no_scalar_has_other_doors(function, mode):
    with pytest.raises(NonDifferentiableError, match=r"sourcediff\.jacobian(.|\n)*sourcediff\.elementwise_grad"):
        grad(function, mode=mode)(X)


def test_text_is_left_out_of_what_is_differentiated():
    with pytest.raises(NonDifferentiableError, match=r"array of text(.|\n)*leave it out of wrt"):
        grad(vector)(np.array(["a", "b"]))


def test_the_names_that_are_shown_are_the_public_ones():
    assert sorted(dir(sourcediff)) == sorted(sourcediff.__all__)
