"""Functions that take any arguments: wrappers that hand on what they are given, and ``*xs`` and ``**options`` of one's own."""

from __future__ import annotations

import functools
import time

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import UnknownParameterError

from .corpus.asserts import assert_right

X = np.array([0.7, 1.3, 0.4])


def timed(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        start = time.perf_counter()
        result = function(*args, **kwargs)
        wrapper.seconds = 0.0 if time.perf_counter() < start else 1.0
        return result

    return wrapper


def announced(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        print(f"{function.__name__} of {len(args)} and {sorted(kwargs)}")
        return function(*args, **kwargs)

    return wrapper


def checked(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        for part in args:
            if not np.all(np.isfinite(part)):
                raise ValueError("not finite")
        return function(*args, **kwargs)

    return wrapper


def scaled(by):
    def decorator(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return by * function(*args, **kwargs)

        return wrapper

    return decorator


def first_as_array(function):
    @functools.wraps(function)
    def wrapper(x, *args, **kwargs):
        return function(np.asarray(x, dtype=float), *args, **kwargs)

    return wrapper


def unnamed(function):
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs) * 2

    return wrapper


class Weighted:
    def __init__(self, function):
        functools.update_wrapper(self, function)
        self.function = function
        self.weight = 2.0

    def __call__(self, *args, **kwargs):
        return self.weight * self.function(*args, **kwargs)


def power_sum(x, k=2, *, s=1.0):
    return s * np.sum(x ** k) + np.sum(np.sin(x))


STACKED = scaled(1.5)(announced(checked(scaled(2.0)(power_sum))))
WRAPPERS = [announced(power_sum), checked(power_sum), scaled(3.0)(power_sum), first_as_array(power_sum), Weighted(power_sum), STACKED]


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("wrapped", WRAPPERS)
def test_a_wrapper_shows_the_parameters_of_what_it_wraps(wrapped, mode):
    for args, kwargs in [((X,), {}), ((X, 3), {}), ((X,), {"k": 3}), ((X,), {"s": 0.5, "k": 3})]:
        given = {"k": 2, "s": 1.0, **kwargs} | ({"k": args[1]} if len(args) > 1 else {})
        factor = wrapped(X) / power_sum(X)
        expected = factor * (given["s"] * given["k"] * X ** (given["k"] - 1) + np.cos(X))
        np.testing.assert_allclose(sourcediff.grad(wrapped, mode=mode)(*args, **kwargs), expected, rtol=1e-13)
    value, (x_bar, s_bar) = sourcediff.value_and_grad(wrapped, wrt=(0, "s"), mode=mode)(X, s=0.5)
    assert value == wrapped(X, s=0.5)
    np.testing.assert_allclose(s_bar, factor * np.sum(X ** 2), rtol=1e-13)
    np.testing.assert_allclose(x_bar, factor * (X + np.cos(X)), rtol=1e-13)


@pytest.mark.parametrize("wrapped", WRAPPERS)
def test_every_transform_takes_wrappers(wrapped):
    factor = wrapped(X) / power_sum(X)
    slope, curvature = factor * (3 * X ** 2 + np.cos(X)), factor * np.diag(6 * X - np.sin(X))
    assert sourcediff.jvp(wrapped, (X,), (X,), mode="compiled", k=3)[1] == pytest.approx(slope @ X)
    assert sourcediff.jvp(wrapped, (X, 3), (X, None), mode="compiled")[1] == pytest.approx(slope @ X)
    np.testing.assert_allclose(sourcediff.vjp(wrapped, X, mode="compiled", k=3)[1](1.0)[0], slope, rtol=1e-13)
    np.testing.assert_allclose(sourcediff.vjp(wrapped, X, wrt="x", mode="compiled", k=3)[1](1.0), slope, rtol=1e-13)
    np.testing.assert_allclose(sourcediff.hessian(wrapped, mode="compiled")(X, k=3), curvature, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(sourcediff.hvp(wrapped, mode="compiled")(X, 3, X), curvature @ X, rtol=1e-12)
    again = sourcediff.jacobian(sourcediff.grad(wrapped, mode="compiled"), mode="compiled")
    np.testing.assert_allclose(again(X, k=3), curvature, rtol=1e-12, atol=1e-13)
    assert sourcediff.cross_check(wrapped, X, k=3)
    assert sourcediff.check_grads(wrapped, X, 3)
    assert "def power_sum_grad(x" in sourcediff.gradient_source(wrapped, args=(X,))
    assert "def power_sum_grad(x, k, s" in sourcediff.gradient_source(wrapped)


def slope_of_a_wrapper(x):
    return np.sum(sourcediff.grad(STACKED)(x, k=3) ** 2) + np.sum(sourcediff.grad(STACKED)(x))


def test_the_gradient_of_a_wrapper_within_a_function():
    assert_right(slope_of_a_wrapper, X)


def test_what_a_wrapper_says_is_said_once(capsys):
    sourcediff.value_and_grad(announced(power_sum), mode="compiled")(X, s=2.0)
    assert capsys.readouterr().out == "power_sum of 1 and ['s']\n"


def test_what_a_wrapper_raises_comes_through():
    with pytest.raises(ValueError, match="not finite"):
        sourcediff.grad(checked(power_sum), mode="compiled")(X * np.inf)
    with pytest.raises(TypeError, match="unexpected keyword"):
        sourcediff.grad(announced(power_sum), mode="eager")(X, other=1)
    with pytest.raises(TypeError, match="multiple values"):
        sourcediff.grad(announced(power_sum))(X, x=1)


def with_another_default(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        kwargs.setdefault("k", 3)
        return function(*args, **kwargs)

    return wrapper


def with_an_option_of_its_own(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        weight = kwargs.pop("weight", 2.0)
        args = [np.asarray(part) for part in args]
        if "k" in kwargs and kwargs["k"] > 2:
            weight = weight * kwargs.get("s", 3.0)
        for key, value in kwargs.items():
            print(key, value)
        return weight * function(*args, **kwargs)

    return wrapper


def only_what_is_given(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs) * (len(args) + len(kwargs))

    return wrapper


def test_a_wrapper_gets_no_argument_that_the_call_does_not_give():
    wrapped = with_another_default(power_sum)
    for mode in ("eager", "compiled"):
        np.testing.assert_allclose(
            sourcediff.grad(wrapped, mode=mode)(X), 3 * X ** 2 + np.cos(X), rtol=1e-13)
        np.testing.assert_allclose(sourcediff.grad(wrapped, mode=mode)(X, k=1), 1 + np.cos(X), rtol=1e-13)
    wrapped = with_an_option_of_its_own(power_sum)
    for mode in ("eager", "compiled"):
        found = sourcediff.grad(wrapped, wrt=(0, "weight"), mode=mode)(X, weight=1.5, k=3)
        np.testing.assert_allclose(found[0], 4.5 * (3 * X ** 2 + np.cos(X)), rtol=1e-13)
        assert found[1] == pytest.approx(3 * power_sum(X, 3))
        np.testing.assert_allclose(sourcediff.grad(wrapped, mode=mode)(X), 2 * (2 * X + np.cos(X)), rtol=1e-13)
        found = sourcediff.grad(only_what_is_given(power_sum), mode=mode)
        np.testing.assert_allclose(found(X), 2 * X + np.cos(X), rtol=1e-13)
        np.testing.assert_allclose(found(X, s=1.0), 2 * (2 * X + np.cos(X)), rtol=1e-13)
    with pytest.raises(UnknownParameterError, match="is not given 's' in this call"):
        sourcediff.grad(announced(power_sum), wrt="s")(X)
    with pytest.raises(UnknownParameterError, match="is not given 1 in this call"):
        sourcediff.grad(unnamed(power_sum), wrt=1)(X)


class Model:
    def __init__(self, k):
        self.k = k

    @scaled(2.0)
    def loss(self, x, p=2):
        return self.k * np.sum(x ** p)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_decorated_methods_partials_and_wrappers_without_a_name(mode):
    np.testing.assert_allclose(sourcediff.grad(Model(3.0).loss, mode=mode)(X), 12 * X, rtol=1e-13)
    np.testing.assert_allclose(sourcediff.grad(Model(3.0).loss, mode=mode)(X, p=3), 18 * X ** 2, rtol=1e-13)
    np.testing.assert_allclose(sourcediff.grad(Model.loss, mode=mode)(Model(3.0), X), 12 * X, rtol=1e-13)
    part = functools.partial(scaled(2.0)(power_sum), k=3)
    np.testing.assert_allclose(sourcediff.grad(part, mode=mode)(X), 2 * (3 * X ** 2 + np.cos(X)), rtol=1e-13)
    np.testing.assert_allclose(sourcediff.vjp(part, X, mode=mode)[1](1.0)[0], 2 * (3 * X ** 2 + np.cos(X)), rtol=1e-13)
    bare = unnamed(power_sum)
    np.testing.assert_allclose(sourcediff.grad(bare, mode=mode)(X, k=3), 2 * (3 * X ** 2 + np.cos(X)), rtol=1e-13)
    assert sourcediff.grad(bare, wrt="s", mode=mode)(X, s=2.0) == pytest.approx(2 * np.sum(X ** 2))


def product_of(*xs, scale=1.0):
    total = scale
    for x in xs:
        total = total * np.sum(x)
    return total


def with_the_rest(x, *rest, **options):
    return np.sum(x ** 2) * rest[0] * options.get("k", 2.0) + options["c"]


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_stars_of_one_s_own(mode):
    first, second = sourcediff.grad(product_of, wrt=(0, 1), mode=mode)(X, 2.0, 3.0)
    np.testing.assert_allclose(first, np.full(3, 6.0))
    assert second == pytest.approx(3 * np.sum(X))
    assert sourcediff.grad(product_of, wrt=-1, mode=mode)(X, 2.0) == pytest.approx(2 * np.sum(X))
    assert sourcediff.grad(product_of, wrt="scale", mode=mode)(X, 2.0) == pytest.approx(2 * np.sum(X))
    whole = sourcediff.grad(product_of, wrt="xs", mode=mode)(X, 2.0)
    np.testing.assert_allclose(whole[0], np.full(3, 2.0))
    np.testing.assert_allclose(sourcediff.grad(with_the_rest, mode=mode)(X, 2.0, c=1.0), 8 * X)
    rest, k, c = sourcediff.grad(with_the_rest, wrt=(1, "k", "c"), mode=mode)(X, 2.0, k=3.0, c=1.0)
    assert (rest, k, c) == pytest.approx((3 * np.sum(X ** 2), 2 * np.sum(X ** 2), 1.0))


def test_a_wrapper_that_keeps_something_is_refused_or_runs_eagerly():
    wrapped = timed(power_sum)
    with pytest.warns(sourcediff.errors.FallbackWarning):
        np.testing.assert_allclose(sourcediff.grad(wrapped)(X), 2 * X + np.cos(X), rtol=1e-13)
    assert wrapped.seconds == 1.0


def test_a_partial_fills_stars_and_they_go_on():
    def product(*xs, w=1.0):
        return np.sum(xs[0]) * xs[1] * w

    def weighted(*xs, **options):
        return np.sum(xs[0]) * options["w"] + xs[1]

    for mode in ("compiled", "eager"):
        assert sourcediff.grad(functools.partial(product, X), wrt=0, mode=mode)(3.0) == pytest.approx(np.sum(X))
        assert sourcediff.grad(functools.partial(weighted, X), mode=mode)(3.0, w=5.0) == pytest.approx(1.0)
