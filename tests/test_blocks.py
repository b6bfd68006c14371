"""``try``, ``with`` and ``del``: what is raised, what is silenced, what is a constant, and what is not there any more."""

from __future__ import annotations

import contextlib
import warnings

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import FallbackWarning, UnsupportedSyntaxError

X = np.array([1.5, 0.5, 2.0, 3.0])


def folded(x):
    x[0] *= 2
    try:
        y = checked(x).reshape(2, 2)
        z = y[0] * y[1]
    except (ValueError, ArithmeticError):
        z = x
    return np.sum(z)


def checked(x):
    if x[1] < 0:
        raise FloatingPointError("negative")
    return x


@pytest.mark.parametrize("x, kind, line", [
    (X[:3], "ValueError", "y = checked(x).reshape(2, 2)"),
    (-X, "FloatingPointError", 'raise FloatingPointError("negative")'),
])
def test_a_call_in_which_a_handler_would_have_caught_something_is_refused_by_the_compiler(x, kind, line):
    given = x.copy()
    second = sourcediff.hessian(folded, mode="compiled"), lambda x: sourcediff.hvp(folded, mode="compiled")(x, x)
    for transform in (sourcediff.grad(folded, mode="compiled"), sourcediff.value_and_grad(folded, mode="compiled"), *second):
        with pytest.raises(UnsupportedSyntaxError, match=kind) as caught:
            transform(given)
        assert caught.value.at_run_time and caught.value.places[0].text == line
        np.testing.assert_array_equal(given, x)
    with pytest.raises(UnsupportedSyntaxError, match=kind):
        sourcediff.jvp(folded, (given,), (np.ones_like(x),), mode="compiled")
    np.testing.assert_array_equal(given, x)


@pytest.mark.parametrize("x", [X[:3], -X])
def test_a_call_in_which_a_handler_would_have_caught_something_is_answered_by_the_eager_engine(x):
    """The argument is left as one plain call leaves it, other calls are answered by generated code, and the warning is said once."""
    slopes, left, flat = np.array([2.0, *[1.0] * (x.size - 1)]), np.array([2 * x[0], *x[1:]]), np.zeros((x.size, x.size))
    differentiated = sourcediff.grad(folded)
    with pytest.warns(FallbackWarning, match="folded runs on the eager engine for this call and for others like it"):
        sourcediff.grad(folded)(x.copy())
    for transform, wanted in [
        (differentiated, slopes),
        (lambda x: sourcediff.value_and_grad(folded)(x)[1], slopes),
        (lambda x: sourcediff.vjp(folded, x, wrt=0)[1](1.0), slopes),
        (sourcediff.jacobian(folded), slopes),
        (lambda x: sourcediff.jvp(folded, (x,), (np.ones_like(x),))[1], np.sum(slopes)),
        (sourcediff.hessian(folded), flat),
        (lambda x: sourcediff.hvp(folded)(x, x.copy()), flat[0]),
        (sourcediff.jacobian(sourcediff.grad(folded)), flat),
    ]:
        given = x.copy()
        with warnings.catch_warnings():  # of other refusals, those of second derivatives
            warnings.simplefilter("ignore", FallbackWarning)
            found = transform(given)
        np.testing.assert_array_equal(found, wanted)
        np.testing.assert_array_equal(given, left)
    np.testing.assert_array_equal(differentiated(x.copy()), slopes)
    np.testing.assert_array_equal(differentiated(X.copy()), [2 * X[2], X[3], 2 * X[0], X[1]])


def drawing(x, rng):
    z = rng.standard_normal()
    try:
        return z * x[7]
    except IndexError:
        return z * np.sum(x)


def test_the_call_that_the_eager_engine_answers_draws_once():
    rng, plain = np.random.default_rng(3), np.random.default_rng(3)
    with pytest.warns(FallbackWarning):
        value, gradient = sourcediff.value_and_grad(drawing)(X, rng)
    assert value == drawing(X, plain) and rng.random() == plain.random()
    np.testing.assert_array_equal(gradient, np.full(4, value / np.sum(X)))


def test_what_no_handler_catches_comes_through():
    def raising(x):
        try:
            if x[0] > 1:
                raise KeyError("mine")
            y = x * 2
        except ValueError:
            y = x
        return np.sum(y)

    with pytest.raises(KeyError, match="mine"):
        sourcediff.grad(raising, mode="compiled")(X.copy())
    np.testing.assert_array_equal(sourcediff.grad(raising, mode="compiled")(X - 1), np.full(4, 2.0))


def test_what_is_raised_outside_of_the_try_comes_through():
    def raising(x):
        if x[0] > 1:
            raise ValueError("not caught")
        try:
            y = x * 2
        except ValueError:
            y = x
        return np.sum(y)

    with pytest.raises(ValueError, match="not caught"):
        sourcediff.grad(raising, mode="compiled")(X.copy())


def test_what_a_try_may_raise_is_not_left_out():
    """The gradient of a sum does not need the array; the function needs it to have another shape."""

    def summed(x):
        try:
            y = x.reshape(2, 2)
        except ValueError:
            y = x[:1]
        return np.sum(y)

    np.testing.assert_array_equal(sourcediff.grad(summed, mode="compiled")(X), np.ones(4))
    with pytest.raises(UnsupportedSyntaxError):
        sourcediff.grad(summed, mode="compiled")(X[:3])


def test_what_a_finally_changes_is_changed_after_the_result_is_known():
    def left(x):
        try:
            return np.sum(x ** 2)
        finally:
            x[0] = 0.0

    x = X.copy()
    value, gradient = sourcediff.value_and_grad(left, mode="compiled")(x)
    assert value == np.sum(X ** 2) and x[0] == 0.0
    np.testing.assert_array_equal(gradient, 2 * X)


def test_leaving_a_finally_is_refused():
    def left(x):
        try:
            x = x * 2
        finally:
            return np.sum(x)  # noqa: B012

    with pytest.raises(UnsupportedSyntaxError, match="leaving a finally"):
        sourcediff.grad(left, mode="compiled")(X.copy())


def softened(x, s):
    with sourcediff.no_grad():
        scale = np.max(np.abs(x)) + 1.0
        if s > 0:
            scale = 2 * scale
    y = x / scale
    with sourcediff.no_grad():
        first, second = np.sum(y), y[1] * 2.0
    return np.sum(np.exp(y)) * first * s + second


def stopped(x, s):
    scale = sourcediff.stop_gradient(2 * (np.max(np.abs(x)) + 1.0))
    y = x / scale
    return np.sum(np.exp(y)) * sourcediff.stop_gradient(np.sum(y)) * s + sourcediff.stop_gradient(y[1] * 2.0)


def test_no_grad_makes_constants():
    expected = sourcediff.grad(stopped, wrt=(0, 1), mode="eager")(X, 0.6)
    for mode in ("compiled", "eager"):
        for got, wanted in zip(sourcediff.grad(softened, wrt=(0, 1), mode=mode)(X, 0.6), expected):
            np.testing.assert_allclose(got, wanted, rtol=1e-14)


def test_no_grad_around_more_than_assignments_is_refused():
    def changed(x):
        with sourcediff.no_grad():
            x *= 2
        return np.sum(x)

    def another_name(x):
        with sourcediff.no_grad():
            y = x
        y += 1
        return np.sum(x * y)

    for function in (changed, another_name):
        with pytest.raises(UnsupportedSyntaxError, match="no_grad"):
            sourcediff.grad(function, mode="compiled")(X.copy())


def test_other_contexts_are_refused():
    def stacked(x):
        with contextlib.ExitStack():
            x = x * 2
        return np.sum(x)

    with pytest.raises(UnsupportedSyntaxError, match="with is not taken"):
        sourcediff.grad(stacked, mode="compiled")(X)


def test_a_name_that_was_deleted_is_not_read():
    def gone(x):
        y = x * 2
        del y
        return np.sum(y)  # noqa: F821

    def gone_the_second_time(x):
        y = x * 2
        total = 0.0
        for k in range(2):
            total += np.sum(y) * k
            del y
        return total

    for function in (gone, gone_the_second_time):
        with pytest.raises(UnsupportedSyntaxError, match="y may be unbound"):
            sourcediff.grad(function, mode="compiled")(X)


def test_a_list_to_which_an_array_is_added_is_no_longer_a_list():
    def added(x):
        parts = [x[0], x[1]]
        parts += x[:2]
        return np.sum(parts)

    with pytest.raises(UnsupportedSyntaxError, match="a list to which an array may be added"):
        sourcediff.grad(added, mode="compiled")(X)


def test_captures_that_a_guard_refused_are_not_read_later():
    def captured(x, k):
        factor = 2
        match k:
            case factor if factor > 5:
                return np.sum(x)
            case _:
                return np.sum(x) * factor

    with pytest.raises(UnsupportedSyntaxError, match="this match"):
        sourcediff.grad(captured, mode="compiled")(X, 3)
    np.testing.assert_array_equal(sourcediff.grad(captured, mode="eager")(X, 3), np.full(4, 3.0))


def test_an_argument_of_stars_is_differentiated_as_a_tuple():
    def weighted(x, *rest, **named):
        return np.sum(x) * sum(rest) * named["s"]

    gradient = sourcediff.grad(weighted, wrt=("rest", "x"), mode="compiled")(X, 2.0, 3.0, s=0.5)
    assert gradient[0] == (3.5, 3.5) and np.array_equal(gradient[1], np.full(4, 2.5))
    (named,) = sourcediff.grad(weighted, wrt=("named",), mode="compiled")(X, 2.0, s=0.5)
    assert named == {"s": 14.0}
