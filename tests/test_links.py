"""Calls that are not written out: of functions that call themselves, and, in mode ``"auto"``, of what the compiler does not take."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

import numpy as np
import pytest

import sourcediff
from sourcediff import grad, gradient_source
from sourcediff.errors import AliasingError, FallbackWarning, SourcediffError, UnsupportedSyntaxError
from tests.corpus.asserts import assert_as_eager

X = np.array([0.4, -1.2, 0.7])


def terms(x: np.ndarray) -> Iterator[np.ndarray]:
    for k in range(3):
        _ = yield x * k


def series(x, exponent=2):
    total = 0.0
    for term in terms(x):
        total = total + np.sum(term ** exponent)
    return total


def of_a_generator(x):
    y = np.zeros(3)
    for i in range(3):
        y[i] = series(x * (i + 1.0)) + x[i]
    return np.sum(np.sin(y))


def doubled_unseen(y):
    names = {"a", "b"}
    getattr(np, "multi" + "ply")(y, len(names), out=y)
    return np.sum(y ** 2)


def of_a_hidden_change(x):
    y = x * 1.0
    return doubled_unseen(y) + np.sum(x)


def of_a_change_that_shows(x):
    y = x * 1.0
    return changed(y) * np.sum(y)


def changed(y):
    names = {"a"}
    y *= 2.0
    return np.sum(y) * len(names)


def numbers(x, drawn):
    drawn.append(len({1, 2}))
    return np.sum(x ** 2) * len(drawn)


def of_something_that_counts(x, drawn):
    return numbers(x, drawn) * 3.0


def collected(x, found):
    names = {"a"}
    found.extend([x, x * len(names)])
    return np.sum(x)


def of_a_list_that_grows(x):
    found = [x]
    total = collected(x * 2.0, found)
    return total + np.sum(found[-1] ** 2)


def squared_again(z, times):
    return z if times == 0 else squared_again(0.5 * z * z + 1j, times - 1)


def of_complex_numbers(x):
    return np.sum(np.abs(squared_again(x + 2j * x, 3)) ** 2) + np.sum(np.abs(squared_again(x, 2)))


def power(x, k):
    return x if k == 1 else x * power(x, k - 1)


def damped(y, times):
    """It changes a copy of its own."""
    y = np.array(y, copy=True)
    y[0] *= 0.5
    return y if times == 0 else y * np.sum(damped(y, times - 1))


def of_copies(x):
    y = x * 1.0
    return np.sum(damped(y, 3)) * np.sum(y)


class Seen(NamedTuple):
    time: float
    value: float


def decay(y, times, seen):
    return y * seen[0].value if times == 0 else 0.5 * y + decay(y, times - 1, seen)


DATA = [Seen(1.0, 0.3), Seen(2.0, 0.4)]


def of_what_is_read_elsewhere(x, seen=DATA):
    y = decay(x, 3, seen)
    return sum((each.value - y[0] * each.time) ** 2 for each in seen) + seen[0].time * y[1]


def warned(*called) -> list[str]:
    """The first lines of the warnings of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for call in called:
            call()
    assert all(found.filename == __file__ for found in caught if found.category is FallbackWarning), "they point at the user's line"
    return [str(found.message).split(":")[0] for found in caught if found.category is FallbackWarning]


def test_the_smallest_function_that_must_runs_on_the_eager_engine():
    expected = grad(of_a_generator, mode="eager")(X)
    gradient = grad(of_a_generator)
    said = warned(lambda: np.testing.assert_allclose(gradient(X), expected, rtol=1e-12))
    assert said == ["the derivative of series runs on the eager engine"]
    assert warned(lambda: gradient(X)) == [], "it is said once"


def test_in_forward_mode_and_as_a_pullback_too():
    expected = grad(of_a_generator, mode="eager")(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        value, slope = sourcediff.jvp(of_a_generator, (X,), (np.cos(X),))
        again, pullback = sourcediff.vjp(of_a_generator, X, wrt=0)
        hessian = sourcediff.hessian(of_a_generator)(X)
    assert value == again == pytest.approx(of_a_generator(X), rel=1e-14)
    assert slope == pytest.approx(expected @ np.cos(X), rel=1e-12)
    np.testing.assert_allclose(pullback(2.0), 2 * expected, rtol=1e-12)
    np.testing.assert_allclose(hessian, sourcediff.hessian(of_a_generator, mode="eager")(X), rtol=1e-12)


@pytest.mark.parametrize("f", [of_copies, of_what_is_read_elsewhere])
def test_what_a_call_leaves_as_it_is(f):
    for x in (X, X[::-1] + 1):
        np.testing.assert_allclose(grad(f, mode="compiled")(x), grad(f, mode="eager")(x), rtol=1e-12)


def test_compiled_is_all_or_nothing():
    with pytest.raises(UnsupportedSyntaxError, match="what is sent to a generator"):
        grad(of_a_generator, mode="compiled")(X)


def test_a_checked_call_compares_the_eager_parts_too():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        np.testing.assert_allclose(grad(of_a_generator, check=True)(X), grad(of_a_generator, mode="eager")(X), rtol=1e-12)


@pytest.mark.parametrize("f", [of_a_hidden_change, of_a_change_that_shows, of_a_list_that_grows, of_complex_numbers])
def test_what_cannot_stay_a_call_takes_the_function_along(f):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        expected = assert_as_eager(f, X)
        np.testing.assert_allclose(sourcediff.vjp(f, X, wrt=0)[1](1.0), expected, rtol=1e-12)


def test_a_hidden_change_is_noticed_and_undone():
    from sourcediff.dispatch.call_derivatives import pull
    from sourcediff.runtime.linked_calls import with_pullback

    assert pull is not None
    y = X.copy()
    with pytest.raises(AliasingError, match="doubled_unseen changes an argument in place"), warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        with_pullback((y,), doubled_unseen, (0,))
    np.testing.assert_array_equal(y, X)


@pytest.mark.parametrize("run", [
    lambda drawn: grad(of_something_that_counts)(X, drawn),
    lambda drawn: sourcediff.jvp(of_something_that_counts, (X, drawn), (X, None)),
    lambda drawn: sourcediff.vjp(of_something_that_counts, X, drawn, wrt=0)[1](1.0),
])
def test_what_the_function_does_besides_is_done_once(run):
    drawn: list[int] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        run(drawn)
    assert drawn == [2]


def test_recursion_is_compiled_in_both_modes():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert grad(power, mode="compiled")(2.0, 5) == 80.0
        assert sourcediff.jvp(power, (2.0, 5), (1.0, None), mode="compiled") == (32.0, 80.0)
        assert sourcediff.vjp(power, 2.0, 5, wrt=0, mode="compiled")[1](3.0) == 240.0
    text = gradient_source(power, args=(2.0, 5))
    assert text.count("with_pullback((x, k - 1), power, (0,))") == text.count("pulled(link") == 1


def test_higher_derivatives_of_recursion_are_right():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        assert grad(grad(power))(2.0, 5) == pytest.approx(5 * 4 * 8)
        assert sourcediff.hessian(power)(2.0, 5) == pytest.approx(5 * 4 * 8)
        assert grad(grad(grad(power)))(2.0, 5) == pytest.approx(5 * 4 * 3 * 4)


def test_a_gradient_with_calls_is_not_saved_as_if_it_stood_alone(tmp_path):
    with pytest.raises(SourcediffError, match="calls a function that is not written into it"):
        sourcediff.save_gradient(power, tmp_path / "saved.py")
    assert not list(tmp_path.iterdir())


def test_on_variables_a_gradient_with_calls_is_one_node():
    x = sourcediff.Variable(2.0, requires_grad=True)
    slope = grad(power)(x, 5)
    slope.backward()
    assert slope.data == 80.0
    assert x.grad.data == 5 * 4 * 8


def test_recursion_deeper_than_the_compiler_looks():
    assert grad(power, mode="compiled")(1.01, 60) == pytest.approx(60 * 1.01 ** 59)


def test_generated_code_is_found_again_without_asking_anew():
    from sourcediff.dispatch import call_derivatives as linking

    gradient = grad(power, mode="compiled")
    gradient(2.0, 3)
    asked = []
    original = linking.pull
    linking.ENGINE["pull"] = lambda *given: asked.append(given) or original(*given)
    try:
        assert gradient(3.0, 6) == 6 * 3.0 ** 5
    finally:
        linking.ENGINE["pull"] = original
    assert asked == []


def scaled_by(y, factor, k):
    if k == 0:
        return np.sum(y)
    np.multiply(y, factor, y)
    return scaled_by(y, factor, k - 1)


def by_one(factor):
    y = np.array([0.8, 2.4])
    s = scaled_by(y, factor, 2)
    return np.sum(y ** 2) + s


def noisy(x, k, numbers):
    return x if k == 0 else noisy(x * x * numbers.randn() + x, k - 1, numbers)


def with_noise(x):
    numbers = np.random.RandomState(3)
    return np.sum(noisy(x, 2, numbers) * numbers.randn(3))


def transformed(x):
    n = len(x)
    if n == 1:
        return x
    even, odd = transformed(x[::2]), transformed(x[1::2])
    turned = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
    return np.concatenate([even + turned, even - turned])


def power_of_the_spectrum(x):
    return np.sum(np.abs(transformed(np.concatenate([x, x[:1]]))) ** 4)


def powers_and_sum(x, k):
    if k == 0:
        return x, np.sum(x), k
    a, b, n = powers_and_sum(x * x, k - 1)
    return a + x, b * 2, n + 1


def one_of_several(x):
    _, b, _ = powers_and_sum(x, 3)
    return b


@pytest.mark.parametrize("f, x", [(by_one, 1.0), (with_noise, X), (power_of_the_spectrum, X), (one_of_several, X)])
def test_derivatives_of_both_orders_agree_with_the_eager_engine(f, x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        expected = grad(f, mode="eager")(x)
        np.testing.assert_allclose(grad(f)(x), expected, rtol=1e-12)
        np.testing.assert_allclose(sourcediff.jvp(f, (x,), (x * 2,))[1], np.sum(expected * x * 2), rtol=1e-12)
        second = sourcediff.hessian(f, mode="eager")(x)
        np.testing.assert_allclose(sourcediff.hessian(f)(x), second, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(sourcediff.hvp(f)(x, x * 2), np.dot(second, x * 2), rtol=1e-10, atol=1e-12)


def shrunk(x, k):
    return x if k == 0 else shrunk(x * 0.99, k - 1)


def often(x):
    return np.sum(shrunk(x, 300))


def test_what_calls_itself_often_has_room_on_the_stack():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        np.testing.assert_allclose(grad(often)(X), np.full(3, 0.99 ** 300), rtol=1e-12)
        np.testing.assert_allclose(sourcediff.jvp(often, (X,), (X,))[1], often(X), rtol=1e-12)


def with_inner_recursion(x):
    def power(n):
        return 1.0 if n == 0 else x * power(n - 1)

    return power(3)


def slope_of_inner_recursion(x):
    return np.sum(sourcediff.grad(with_inner_recursion)(x[0]) * x)


def what_is_around_is_changed(x):
    total = 0.0

    def walk(i):
        nonlocal total
        if i < len(x):
            total = total + x[i] ** 2
            walk(i + 1)

    walk(0)
    return total


def what_is_around_is_another_thing(x):
    scale = 2.0

    def power(n):
        return 1.0 if n == 0 else scale * x[n] * power(n - 1)

    return sum(power(scale) for scale in range(3)) * scale


def test_inner_functions_that_call_themselves_and_cannot_be_lifted_run_eagerly() -> None:
    for function in (slope_of_inner_recursion, what_is_around_is_changed, what_is_around_is_another_thing):
        with pytest.raises(SourcediffError):
            sourcediff.grad(function, mode="compiled")(X)
        with pytest.warns(FallbackWarning):
            found = sourcediff.grad(function)(X)
        np.testing.assert_allclose(found, sourcediff.grad(function, mode="eager")(X), rtol=1e-13)


def test_second_derivatives_of_inner_recursion() -> None:
    assert sourcediff.grad(sourcediff.grad(with_inner_recursion, mode="compiled"), mode="compiled")(0.7) == pytest.approx(6 * 0.7)
    assert sourcediff.hessian(with_inner_recursion)(0.7) == pytest.approx(6 * 0.7)


def power_with_hints(p: float, n: Literal[0, 1, 2, 3]) -> float | Literal[1]:
    k: Final = n
    return p if k == 0 else p * power_with_hints(p, k - 1)


def test_annotations_are_not_read_when_the_function_runs():
    assert grad(power_with_hints, mode="compiled")(2.0, 3) == 32.0


def determinant(A):
    if len(A) == 1:
        return A[0, 0]
    return sum((-1) ** j * A[0, j] * determinant(np.delete(A[1:], j, 1)) for j in range(len(A)))


def array_or_number(x, k):
    return x if k == 0 else np.sum(array_or_number(x * 2.0, k - 1)) * x


def grown_by_an_axis(x, k):
    return x if k == 0 else grown_by_an_axis(x, k - 1)[None] * 2.0


def int_or_float(x, k):
    return 1 if k == 0 else x * int_or_float(x, k - 1)


def pair(x, k):
    return (x, 1.0) if k == 0 else (pair(x, k - 1)[0] * 2.0, pair(x, k - 1)[1] * x[0])


def single_or_half(x):
    return single_or_half(x / 2.0).astype(np.float64) * x[0] if x[0] > 0.3 else np.sum(x.astype(np.float32))


def even(x, k):
    return np.sum(x) if k == 0 else np.sin(odd(x, k - 1)) * x[0]


def odd(x, k):
    return x[1] if k == 0 else even(x * 1.1, k - 1) ** 2


@pytest.mark.parametrize("function", [
    lambda x: determinant(np.outer(x, x) + np.diag(x)), lambda x: np.sum(array_or_number(x, 2)),
    lambda x: np.sum(grown_by_an_axis(x, 2) ** 2), lambda x: int_or_float(x[0], 3) + x[1],
    lambda x: np.sum(pair(x, 2)[0]) * pair(x, 2)[1], single_or_half, lambda x: even(x, 5) + odd(x, 4),
], ids=["determinant", "array_or_number", "grown", "int_or_float", "pair", "single_or_half", "even_and_odd"])
def test_what_a_function_gives_that_calls_itself(function) -> None:
    derived = sourcediff.value_and_grad(function, mode="compiled")
    for x in (X, X[::-1] + 0.1, X):
        expected = sourcediff.value_and_grad(function, mode="eager")(x)
        for one, other in zip(derived(x), expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)


def test_numbers_that_come_from_recursion_are_known() -> None:
    text = gradient_source(lambda x: determinant(x), args=(np.eye(3),))
    assert "with_pullback" in text and "sum_to" not in text
