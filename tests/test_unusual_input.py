"""Unusual input: shapes, layouts, NaN, read-only and shared arrays, exceptions, and every way to lose a derivative."""

from __future__ import annotations

import collections
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import (
    AliasingError,
    FallbackWarning,
    NonDifferentiableError,
    SourcediffError,
    UnknownParameterError,
    UnsupportedSyntaxError,
)
from tests.corpus.asserts import assert_clear, assert_right, every_mode
from tests.corpus.judge import copied, reference, wrong_gradient
from tests.corpus.launderers import LAUNDERERS, by_int, by_round, by_single_precision


def sum_of_squares(x):
    return np.sum(x ** 2)


def product(x, y, scale=1.0):
    return np.sum(x * y) * scale


# Changed shapes, kinds, dtypes and memory layouts between calls.


def weighted(x, w):
    return np.sum(np.sin(x * w) * w)


@every_mode
def test_other_shapes_and_kinds_through_one_function(mode: str) -> None:
    rng = np.random.default_rng(1)
    f = sourcediff.grad(weighted, wrt=(0, 1), mode=mode)
    shapes: list[Any] = [((4,), (4,)), ((4,), (1,)), ((1,), (4,)), ((3, 4), (4,)), ((3, 4), (3, 1))]
    shapes += [((), (4,)), ((4,), ()), ((0,), (1,)), ((2, 3, 4), (3, 1))]
    for shape_x, shape_w in shapes + shapes[:2]:
        args = (rng.standard_normal(shape_x), rng.standard_normal(shape_w))
        args = tuple(np.asarray(a) for a in args)
        wrong = wrong_gradient(f(*args), weighted, args, {}, (0, 1), reference(weighted, args, {}, (0, 1)))
        assert not wrong, (shape_x, shape_w, *wrong)
    for args in ((0.5, rng.standard_normal(3)), (rng.standard_normal(3), 0.5), (np.float64(0.5), 2.0), (0.5, 2.0)):
        wrong = wrong_gradient(f(*args), weighted, args, {}, (0, 1), reference(weighted, args, {}, (0, 1)))
        assert not wrong, (args, *wrong)


@every_mode
def test_other_dtypes_through_one_function(mode: str) -> None:
    f = sourcediff.grad(weighted, wrt=(0, 1), mode=mode)
    x, w = np.array([0.3, -1.0, 2.0]), np.array([1.5, 0.2, -0.7])
    for first, second in ((np.float64, np.float32), (np.float32, np.float64), (np.float32, np.float32), (np.float64, np.float64)):
        args = (x.astype(first), w.astype(second))
        wrong = wrong_gradient(f(*args), weighted, args, {}, (0, 1), reference(weighted, args, {}, (0, 1)))
        assert not wrong, (first, second, *wrong)


def updates_a_product(x, s):
    y = x * s
    y += x
    y *= y
    return np.sum(y * x)


def updates_another_name(x, s):
    y = x
    y += s
    return np.sum(x * y)


@every_mode
@pytest.mark.parametrize("f", [updates_a_product, updates_another_name], ids=lambda f: f.__name__)
def test_an_update_rebinds_a_scalar_and_changes_an_array(mode: str, f: Callable[..., Any]) -> None:
    """One function, whose ``y += s`` means two things; ``y = x`` makes them differ in the result."""
    for x in (1.5, np.float64(1.5), np.array(1.5), np.array([1.5]), np.array([1.5, -0.5]), 1.5):
        try:
            assert_right(f, x, 0.7, wrt=(0, 1), mode=mode)
        except AliasingError as refusal:
            assert f is updates_another_name and isinstance(x, np.ndarray)
            assert_clear(refusal, "y")


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "Fortran": np.asfortranarray, "transposed": np.transpose, "strided": lambda a: a[::2, ::-1], "column": lambda a: a[:, 3],
    "column as a matrix": lambda a: a[:, 3:4], "no rows": lambda a: a[1:1], "repeated": lambda a: np.broadcast_to(a[0], (3, a.shape[1])),
}


@every_mode
@pytest.mark.parametrize("layout", LAYOUTS)
def test_memory_layouts(mode: str, layout: str) -> None:
    base = np.random.default_rng(2).standard_normal((6, 8))
    x, w = LAYOUTS[layout](base), LAYOUTS[layout](base + 1)
    assert_right(weighted, x, w, wrt=(0, 1), mode=mode, given=(x, w))


def stores_a_row(a, s):
    a[1] *= s
    a[:, 0] += a[:, 1]
    return np.sum(a ** 2)


@every_mode
@pytest.mark.parametrize("layout", ["Fortran", "transposed", "strided"])
def test_in_place_code_on_unusual_layouts(mode: str, layout: str) -> None:
    base = np.random.default_rng(3).standard_normal((6, 8))
    given = LAYOUTS[layout](base.copy())
    assert_right(stores_a_row, LAYOUTS[layout](base), 0.7, wrt=(0, 1), mode=mode, given=(given, 0.7))


# NaN and infinity pass through as in NumPy.


@every_mode
def test_nan_stays_where_it_is(mode: str) -> None:
    value, gradient = sourcediff.value_and_grad(sum_of_squares, mode=mode)(np.array([1.0, np.nan, -2.0, np.inf]))
    assert np.isnan(value)
    np.testing.assert_array_equal(gradient, [2.0, np.nan, -4.0, np.inf])


def first_positive(x):
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0:
            total += x[i] ** 2
    return total


@every_mode
def test_a_branch_that_nan_does_not_take_leaves_a_zero(mode: str) -> None:
    np.testing.assert_array_equal(sourcediff.grad(first_positive, mode=mode)(np.array([1.0, np.nan, -2.0, 3.0])), [2.0, 0.0, 0.0, 6.0])


def guarded(x):
    return np.sum(np.where(x > 0, np.sqrt(np.where(x > 0, x, 1.0)), 0.0))


def guarded_by_a_branch(x):
    total = 0.0
    for v in x:
        if v > 0:
            total += np.sqrt(v)
    return total


def guarded_plainly(x):
    return np.sum(np.where(x > 0, np.sqrt(x), 0.0))


def norm_from_the_second(x):
    y = np.sqrt(x)
    return y[1] * 2


@every_mode
@pytest.mark.parametrize("f", [guarded, guarded_by_a_branch, guarded_plainly, norm_from_the_second], ids=lambda f: f.__name__)
def test_what_was_not_selected_stays_zero(mode: str, f: Callable[..., Any]) -> None:
    gradient = sourcediff.grad(f, mode=mode)(np.array([0.0, 4.0]))
    np.testing.assert_array_equal(gradient, [0.0, 0.5 if f is norm_from_the_second else 0.25])


@every_mode
def test_dividing_by_zero_warns_and_goes_on_as_numpy_does(mode: str) -> None:
    def f(x):
        return np.sum(1 / x)

    with pytest.warns(RuntimeWarning, match="divide by zero"):
        gradient = sourcediff.grad(f, mode=mode)(np.array([0.0, 2.0]))
    np.testing.assert_array_equal(gradient, [-np.inf, -0.25])


# Read-only input; arguments that the function changes; exceptions.


def read_only(*numbers: float) -> np.ndarray:
    array = np.array(numbers)
    array.flags.writeable = False
    return array


@every_mode
def test_a_read_only_input_is_fine_where_nobody_writes(mode: str) -> None:
    x = read_only(1.0, 2.0)
    gradient = sourcediff.grad(sum_of_squares, mode=mode)(x)
    np.testing.assert_array_equal(gradient, [2.0, 4.0])
    gradient[0] = 7.0
    assert not x.flags.writeable and x.tolist() == [1.0, 2.0]


def doubles_the_first(x):
    x[0] *= 2
    return np.sum(x ** 2)


def doubles_and_returns_the_first(x):
    x[0] = x[0] * x[1]
    return x[0]


def mutated_and_returned(x):
    x *= 3.0
    return x


def mutated_and_returned_as_it_is(x):
    x += 1
    y = x
    return y


def returned_unchanged(x):
    return x


@every_mode
def test_a_read_only_input_that_is_written_fails_as_in_numpy(mode: str) -> None:
    x = read_only(1.0, 2.0)
    with pytest.raises(ValueError, match="read-only"):
        sourcediff.grad(doubles_the_first, mode=mode)(x)
    assert x.tolist() == [1.0, 2.0]


@every_mode
@pytest.mark.parametrize("f", [doubles_the_first, doubles_and_returns_the_first], ids=lambda f: f.__name__)
def test_a_mutated_parameter_ends_up_as_after_a_plain_call(mode: str, f: Callable[..., Any]) -> None:
    assert_right(f, np.array([1.5, -2.0, 0.5]), mode=mode)


@every_mode
@pytest.mark.parametrize("f", [mutated_and_returned, mutated_and_returned_as_it_is, returned_unchanged], ids=lambda f: f.__name__)
def test_a_parameter_both_mutated_and_returned(mode: str, f: Callable[..., Any]) -> None:
    """The value handed back is the one of the plain call, not rewound to before the change."""
    assert_right(f, np.array(1.5), mode=mode)
    x = np.array(1.5)
    value, gradient = sourcediff.value_and_grad(f, mode=mode)(x)
    assert value == f(np.array(1.5)) and x == f(np.array(1.5))
    assert not np.shares_memory(gradient, x) and not np.shares_memory(gradient, value)


@every_mode
def test_a_returned_array_that_was_mutated_is_refused_like_any_array(mode: str) -> None:
    x = np.array([1.0, 2.0])
    with pytest.raises(NonDifferentiableError):
        sourcediff.grad(mutated_and_returned, mode=mode)(x)
    assert x.tolist() in ([1.0, 2.0], [3.0, 6.0])  # as before, or as one plain call leaves it


@every_mode
def test_two_calls_on_one_mutated_array_go_on_from_where_it_is(mode: str) -> None:
    f = sourcediff.grad(doubles_the_first, mode=mode)
    x = np.array([1.0, 1.0])
    np.testing.assert_array_equal(f(x), [8.0, 2.0])
    np.testing.assert_array_equal(f(x), [16.0, 2.0])
    np.testing.assert_array_equal(x, [4.0, 1.0])


def adds_into_the_first(x, y):
    x += y
    x *= y
    return np.sum(x * y)


@every_mode
@pytest.mark.parametrize("how", ["the same array", "overlapping views", "distinct views of one array"])
def test_arguments_that_share_memory_are_right_or_refused(mode: str, how: str) -> None:
    base = np.array([0.5, -1.0, 2.0, 0.3, 1.2])
    first, second = {
        "the same array": lambda: (base, base),
        "overlapping views": lambda: (base[:-1], base[1:]),
        "distinct views of one array": lambda: (base[:2], base[2:4]),
    }[how]()
    if how == "distinct views of one array":
        assert_right(adds_into_the_first, first, second, wrt=(0, 1), mode=mode)
        return
    before = base.copy()
    plain = base.copy()
    adds_into_the_first(*((plain, plain) if how == "the same array" else (plain[:-1], plain[1:])))
    try:
        sourcediff.grad(adds_into_the_first, wrt=(0, 1), mode=mode)(first, second)
    except AliasingError as error:  # what d/dx and d/dy mean apart from each other is undefined here
        assert_clear(error, "x", "y")
        assert base.tolist() == before.tolist()
    else:
        assert base.tolist() == plain.tolist()


@every_mode
def test_one_array_given_twice_is_fine_where_nobody_writes(mode: str) -> None:
    x = np.array([1.0, 2.0])
    first, second = sourcediff.grad(product, wrt=(0, 1), mode=mode)(x, x)
    np.testing.assert_array_equal(first, x)
    np.testing.assert_array_equal(second, x)
    assert not np.shares_memory(first, second) and not np.shares_memory(first, x)


def stops_on_the_way(x):
    x[0] = 5.0
    assert x[1] > 0, "x[1] must be positive"
    return np.sum(x)


def wrong_shapes(x, w):
    return np.sum(x @ w)


@every_mode
def test_the_programs_own_exceptions_come_through_as_they_are(mode: str) -> None:
    x = np.array([1.0, -2.0])
    with pytest.raises(AssertionError, match=re.escape("x[1] must be positive")):
        sourcediff.grad(stops_on_the_way, mode=mode)(x)
    assert x.tolist() in ([1.0, -2.0], [5.0, -2.0])
    with pytest.raises(ValueError, match="matmul"):
        sourcediff.grad(wrong_shapes, mode=mode)(np.ones(2), np.ones(3))
    with pytest.raises(IndexError, match="out of bounds"):
        sourcediff.grad(doubles_and_returns_the_first, mode=mode)(np.ones(1))
    with pytest.raises(KeyError, match="absent"):
        sourcediff.grad(reads_an_absent_key, mode=mode)({"w": np.ones(2)})
    with pytest.raises(UnboundLocalError, match="never"):
        sourcediff.grad(reads_a_name_too_early, mode=mode)(np.ones(2))


def reads_an_absent_key(p):
    return np.sum(p["w"]) + p["absent"]


def reads_a_name_too_early(x):
    if np.sum(x) < 0:
        never = np.sum(x)
    return never * np.sum(x)


# Zeros that are right.


def ignores_the_first(x, y):
    return np.sum(y ** 2)


def steps_only(x):
    return np.sum(np.floor(x)) + np.sum(np.sign(x))


@every_mode
@pytest.mark.parametrize("f", [ignores_the_first, steps_only], ids=lambda f: f.__name__)
def test_a_true_zero_is_a_full_array_of_zeros(mode: str, f: Callable[..., Any]) -> None:
    x = np.array([[0.5, 1.5], [-0.5, 2.5]])
    gradient = sourcediff.grad(f, mode=mode)(*((x, x + 1) if f is ignores_the_first else (x,)))
    np.testing.assert_array_equal(gradient, np.zeros((2, 2)))
    assert gradient.flags.writeable and gradient.dtype == np.float64


# Ways in which a derivative gets lost. Each must be right or refused, on both engines: never zero, never wrong.

@every_mode
@pytest.mark.parametrize("f", LAUNDERERS, ids=lambda f: f.__name__)
def test_no_derivative_gets_lost_silently(mode: str, f: Callable[..., Any]) -> None:
    args = (np.array([0.75, 1.625]),)  # exact in float32
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        try:
            gradient = sourcediff.grad(f, mode=mode)(*copied(args))
        except Exception as error:
            refusal = error if isinstance(error, SourcediffError) else error.__cause__  # NumPy wraps what a conversion raises
            if not isinstance(refusal, SourcediffError):
                raise
            assert refusal.why or refusal.remedy or any(place.why for place in refusal.places), f"no reason in:\n{refusal}"
            return
    if f is by_single_precision:  # too coarse inside for differences
        np.testing.assert_allclose(gradient, 2 * args[0], rtol=1e-6)
        return
    wrong = wrong_gradient(gradient, f, args, {}, 0, reference(f, args, {}, 0))
    assert not wrong, f"silently wrong under {mode}:\n" + "\n".join(wrong)


def through_text(x):
    return float(f"{x[0]:.17g}") ** 2


def test_a_number_that_went_through_text_is_not_compiled_to_zero() -> None:
    """The eager engine has to let a value be printed, so it cannot see this; the compiler can."""
    try:
        assert_right(through_text, np.array([0.75, 1.625]))
    except SourcediffError as refusal:
        assert_clear(refusal)


def test_the_launderers_do_have_a_derivative() -> None:
    """Were one of them flat, zeros would pass above."""
    for f in LAUNDERERS:
        if f not in (by_single_precision, by_int, by_round):
            truth = reference(f, (np.array([0.75, 1.625]),), {}, 0)
            assert np.any(np.abs(truth.slopes[0, 0]) > 1e-3), f.__name__


def test_unsupported_syntax_is_a_syntax_error_of_the_family_only() -> None:
    """Bad input is never told as bad syntax."""
    assert not issubclass(NonDifferentiableError, UnsupportedSyntaxError)
    assert issubclass(NonDifferentiableError, TypeError) and issubclass(UnknownParameterError, ValueError)


class Settings(dict):
    def __init__(self, a, b):
        super().__init__(a=a, b=b)


def product_of_entries(p):
    return p["a"] * p["b"] ** 2


@pytest.mark.parametrize("given", [
    collections.Counter({"a": 0.4, "b": 0.3}), collections.defaultdict(float, a=0.4, b=0.3), collections.OrderedDict(a=0.4, b=0.3),
    Settings(0.4, 0.3),
], ids=lambda given: type(given).__name__)
def test_dicts_of_other_kinds(given):
    before, expected = dict(given), {"a": 0.09, "b": 0.24}
    kind = type(given)
    for mode in ("compiled", "eager"):
        found = sourcediff.grad(product_of_entries, mode=mode)(given)
        assert isinstance(found, dict if kind is Settings else kind) and found == pytest.approx(expected)
    assert sourcediff.vjp(product_of_entries, given)[1](1.0)[0] == pytest.approx(expected)
    assert sourcediff.jvp(product_of_entries, (given,), ({"a": 1.0, "b": 0.0},))[1] == pytest.approx(0.09)
    assert sourcediff.grad(product_of_entries, check=True)(given) == pytest.approx(expected)
    assert sourcediff.hvp(product_of_entries)(given, given) == pytest.approx({"a": 0.18, "b": 0.48})
    assert dict(given) == before


def buffer_without_dimensions(x):
    y = np.zeros(())
    y += x
    y[()] = y * y
    return float(y)


def scalar_indexed_as_an_array(x):
    y = x[()]
    x *= 2
    return y * x


def result_indexed_as_an_array(x):
    parts = [np.sum(x * 2), np.sin(x)]
    z = parts[0][()]
    return z[...] * parts[0] * parts[1][()]


@pytest.mark.parametrize("function, given, slope", [
    (buffer_without_dimensions, np.float64(0.7), 1.4), (scalar_indexed_as_an_array, np.float64(0.7), 2.8),
    (scalar_indexed_as_an_array, np.array(0.7), 2.8), (result_indexed_as_an_array, np.float64(0.7), 5.106709735608667),
    (result_indexed_as_an_array, np.array(0.7), 5.106709735608667),
], ids=lambda part: getattr(part, "__name__", None))
def test_indexing_what_has_no_dimensions(function, given, slope):
    for mode in ("compiled", "eager"):
        assert sourcediff.grad(function, mode=mode)(given.copy()) == pytest.approx(slope)
    assert sourcediff.vjp(function, given.copy(), mode="compiled")[1](1.0)[0] == pytest.approx(slope)
    assert sourcediff.jvp(function, (given.copy(),), (np.ones_like(given),), mode="compiled")[1] == pytest.approx(slope)
    if isinstance(given, np.ndarray):
        ahead, behind = (sourcediff.grad(function, mode="eager")(np.array(given + h)) for h in (1e-5, -1e-5))
        assert sourcediff.hessian(function)(given.copy()) == pytest.approx((ahead - behind) / 2e-5, rel=1e-5)


WEIGHTS = frozenset({2.0, 3.0})


def over_a_set(x, keys):
    total = x[0]
    for k in keys:
        total = total * x[1] + k * x[2] ** 2
    for k in WEIGHTS:
        total = total * k
    return total


def by_the_keys_of_a_set(x, keys):
    names = keys
    found = {k: x[0] * k for k in names}
    for k in names:
        found[k] = found[k] ** 2 * x[1]
    return x[2] + sum(found.values())


@pytest.mark.parametrize("keys", [{1.0, 2.5, 0.3}, frozenset({1.0, 2.5}), set()], ids=str)
@pytest.mark.parametrize("function", [over_a_set, by_the_keys_of_a_set])
def test_sets_are_gone_over_in_the_order_that_they_have(function, keys):
    x = np.array([0.7, -1.3, 2.1])
    truth = reference(function, (x, keys), {}, 0)
    for mode in ("compiled", "eager"):
        assert not wrong_gradient(sourcediff.grad(function, mode=mode)(x.copy(), keys), function, (x, keys), {}, 0, truth)
    if keys:
        second = [sourcediff.hessian(function, mode=mode)(x, keys) for mode in ("compiled", "eager")]
        np.testing.assert_allclose(*second, atol=1e-14)
