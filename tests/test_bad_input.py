"""Bad input: wrong arguments, outputs, ``wrt``, missing rules and sources. Each has the right answer or a clear error."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import (
    FallbackWarning,
    MissingRuleError,
    NonDifferentiableError,
    SourcediffError,
    SourceUnavailableError,
    UnknownParameterError,
)
from tests.corpus.asserts import MODES, assert_clear, assert_right, every_mode, line_of


def sum_of_squares(x):
    return np.sum(x ** 2)


def product(x, y, scale=1.0):
    return np.sum(x * y) * scale


# Integers and objects as differentiated arguments.


@every_mode
@pytest.mark.parametrize("dtype", [np.int64, np.uint8, bool, object])
def test_an_array_of_no_floats_is_refused_by_name(mode: str, dtype: Any) -> None:
    with pytest.raises(NonDifferentiableError) as caught:
        sourcediff.grad(sum_of_squares, mode=mode)(np.array([1, 0, 1], dtype=dtype))
    assert_clear(caught.value, "x", "sum_of_squares", np.dtype(dtype).name)


@every_mode
@pytest.mark.parametrize(
    "thing", ["text", None, object(), {1, 2}, math, b"raw", np.datetime64("2020-01-01"), print], ids=lambda thing: type(thing).__name__,
)
def test_an_object_is_refused_by_name(mode: str, thing: Any) -> None:
    with pytest.raises(NonDifferentiableError) as caught:
        sourcediff.grad(sum_of_squares, mode=mode)(thing)
    assert_clear(caught.value, "x", type(thing).__name__)


@every_mode
def test_integers_deep_in_a_container_are_refused_by_their_path(mode: str) -> None:
    def f(p):
        return np.sum(p["layers"][1] ** 2)

    with pytest.raises(NonDifferentiableError) as caught:
        sourcediff.grad(f, mode=mode)({"layers": [np.ones(2), np.arange(3)]})
    assert_clear(caught.value, "p", "layers", "int")


@every_mode
def test_integers_that_are_not_differentiated_are_welcome(mode: str) -> None:
    assert_right(product, np.array([1.5, 2.5]), np.array([3, 4]), mode=mode)
    assert_right(product, np.array([3, 4]), np.array([1.5, 2.5]), wrt=1, mode=mode)
    assert_right(product, np.array([1.5, 2.5]), np.array([True, False]), mode=mode)


@every_mode
def test_a_python_int_counts_as_a_float(mode: str) -> None:
    def cube(x):
        return x ** 3 / 2

    gradient = sourcediff.grad(cube, mode=mode)(2)
    assert isinstance(gradient, float) and gradient == 6.0


# Outputs that are no scalar.


def vector_output(x):
    return x * 2


def no_output(x):
    x * 2


def none_output(x):
    return None


def tuple_output(x):
    return np.sum(x), np.sum(x ** 2)


def string_output(x):
    return "sum"


def dict_output(x):
    return {"loss": np.sum(x)}


@every_mode
@pytest.mark.parametrize("f", [vector_output, no_output, none_output, tuple_output, string_output, dict_output], ids=lambda f: f.__name__)
def test_an_output_without_a_seed_is_refused(mode: str, f: Callable[..., Any]) -> None:
    with pytest.raises(NonDifferentiableError) as caught:
        sourcediff.grad(f, mode=mode)(np.array([1.0, 2.0]))
    assert_clear(caught.value, f.__name__)
    if f is vector_output:
        assert "(2,)" in str(caught.value)


@every_mode
def test_an_array_of_one_element_is_differentiated_or_refused(mode: str) -> None:
    try:
        gradient = sourcediff.grad(vector_output, mode=mode)(np.array([1.5]))
    except NonDifferentiableError as error:
        assert_clear(error, "(1,)")
    else:
        np.testing.assert_array_equal(gradient, [2.0])


@every_mode
def test_an_integer_output_of_floats_has_a_zero_gradient_or_is_refused(mode: str) -> None:
    def counting(x):
        return np.sum(x > 0)

    try:
        gradient = sourcediff.grad(counting, mode=mode)(np.array([1.5, -1.0]))
    except NonDifferentiableError as error:
        assert_clear(error, "int")
    else:  # a step function: zero is its derivative
        np.testing.assert_array_equal(gradient, np.zeros(2))


# An unknown wrt, wrong calls, wrong options.


@every_mode
@pytest.mark.parametrize("wrt", ["z", 3, -4, ("x", "z"), (0, 7)], ids=repr)
def test_an_unknown_wrt_names_the_parameters_there_are(mode: str, wrt: Any) -> None:
    with pytest.raises(UnknownParameterError) as caught:
        sourcediff.grad(product, wrt=wrt, mode=mode)(np.ones(2), np.ones(2))
    assert_clear(caught.value, "product", "x", "y", "scale")
    assert any(str(part) in str(caught.value) for part in (wrt if isinstance(wrt, tuple) else (wrt,)))


@every_mode
@pytest.mark.parametrize("wrt", [1.5, None, [0.5], ()], ids=repr)
def test_a_wrt_that_is_no_name_or_position_is_refused(mode: str, wrt: Any) -> None:
    with pytest.raises((UnknownParameterError, TypeError)) as caught:
        sourcediff.grad(product, wrt=wrt, mode=mode)(np.ones(2), np.ones(2))
    assert "wrt" in str(caught.value)


@every_mode
def test_a_parameter_left_to_its_default_can_be_differentiated(mode: str) -> None:
    gradient = sourcediff.grad(product, wrt="scale", mode=mode)(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    assert gradient == 11.0


@every_mode
def test_a_wrong_call_fails_as_pythons_own(mode: str) -> None:
    f = sourcediff.grad(product, mode=mode)
    for args, kwargs in (((np.ones(2),), {}), ((1.0, 2.0, 3.0, 4.0), {}), ((1.0, 2.0), {"nonsense": 1.0}), ((1.0, 2.0), {"x": 1.0})):
        with pytest.raises(TypeError) as theirs:
            product(*args, **kwargs)
        with pytest.raises(TypeError) as ours:
            f(*args, **kwargs)
        # inspect.Signature and the call itself word it a little differently; the parameter is named by both
        assert set(re.findall(r"'(\w+)'", str(theirs.value))) <= set(re.findall(r"'(\w+)'", str(ours.value)))


def two_numbers(x):
    a, b = x
    return a * b


def rows_of_two(x):
    total = 0.0
    for a, b in x:
        total += a * b
    return total


def two_in_a_branch(x):
    if len(x) == 2:
        a, b = x
        return a * b
    return x[0] * x[-1]


def two_of_three(x):
    y = [x[0], x[1], x[2]]
    a, b = y
    return a * b


@every_mode
@pytest.mark.parametrize("f, x", [
    (two_numbers, np.ones(3)), (two_numbers, np.ones(1)), (two_numbers, [1.0, 2.0, 3.0]), (two_numbers, (1.0,)), (two_of_three, np.ones(3)),
    (rows_of_two, np.ones((4, 3))), (rows_of_two, [(1.0, 2.0, 3.0)]),
], ids=lambda part: getattr(part, "__name__", str(part)))
def test_more_or_fewer_values_than_names_are_pythons_own_error(f: Callable[..., Any], x: Any, mode: str) -> None:
    with pytest.raises(ValueError, match="values to unpack"):
        sourcediff.grad(f, mode=mode)(x)
    with pytest.raises(ValueError, match="values to unpack"):
        sourcediff.value_and_grad(f, mode=mode)(x)


@every_mode
@pytest.mark.parametrize("f, x", [(two_numbers, np.array([2.0, 3.0])), (rows_of_two, np.arange(6.0).reshape(3, 2))])
def test_as_many_values_as_names_are_right(f: Callable[..., Any], x: Any, mode: str) -> None:
    assert_right(f, x, mode=mode)


@every_mode
def test_names_for_values_in_a_branch_not_taken_ask_for_nothing(mode: str) -> None:
    assert sourcediff.grad(two_in_a_branch, mode=mode)(np.array([2.0, 1.0, 3.0])).tolist() == [3.0, 0.0, 2.0]
    assert sourcediff.grad(two_in_a_branch, mode=mode)(np.array([2.0, 3.0])).tolist() == [3.0, 2.0]


def test_what_is_no_function_is_refused_at_once() -> None:
    for thing in (3, "x ** 2", None, np.ones(3)):
        with pytest.raises((TypeError, SourcediffError)) as caught:
            sourcediff.grad(thing)(1.0)
        assert type(thing).__name__ in str(caught.value)


def test_an_unknown_mode_names_the_modes_there_are() -> None:
    with pytest.raises(ValueError) as caught:
        sourcediff.grad(sum_of_squares, mode="fast")(np.ones(2))
    assert all(mode in str(caught.value) for mode in MODES)


# A missing rule.


def steps_of_the_input(x):
    y = x * 2
    z = np.nextafter(y, 3.0)
    return np.sum(z)


def spacing_of_another(x, angles):
    z = np.spacing(angles)
    return np.sum(x * z)


def quantile_from_below(x):
    y = x * 3
    return np.quantile(y, 0.3, method="lower")


@every_mode
def test_a_missing_rule_on_an_active_path_names_the_function_and_the_line(mode: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        with pytest.raises(MissingRuleError) as caught:
            sourcediff.grad(steps_of_the_input, mode=mode)(np.array([1.0, 2.0]))
    assert_clear(caught.value, "nextafter", at=line_of(steps_of_the_input, "np.nextafter"))


@every_mode
def test_a_missing_rule_on_an_inactive_path_does_no_harm(mode: str) -> None:
    assert_right(spacing_of_another, np.array([1.0, 2.0, -0.5]), np.array([0.0, 4.0, 9.0]), mode=mode)


@every_mode
def test_a_keyword_that_the_rule_does_not_know_is_refused_never_ignored(mode: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        with pytest.raises(MissingRuleError) as caught:
            sourcediff.grad(quantile_from_below, mode=mode)(np.array([1.0, 2.0]))
    assert_clear(caught.value, "quantile", "method")


@every_mode
def test_a_function_of_c_without_a_rule_is_named(mode: str) -> None:
    def f(x):
        return math.gamma(x) * x

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        try:
            assert_right(f, 1.7, mode=mode)
        except SourcediffError as error:
            assert_clear(error, "gamma")


# No source.


def without_source() -> Callable[..., Any]:
    space: dict[str, Any] = {"np": np}
    exec("def hidden(x):\n    return np.sum(x ** 3)\n", space)
    return space["hidden"]


def test_a_function_without_source_cannot_be_compiled() -> None:
    with pytest.raises(SourceUnavailableError) as caught:
        sourcediff.grad(without_source(), mode="compiled")(np.array([1.0, 2.0]))
    assert_clear(caught.value, "hidden")


def test_a_function_without_source_runs_on_the_eager_engine() -> None:
    with pytest.warns(FallbackWarning, match="hidden"):
        gradient = sourcediff.grad(without_source(), mode="auto")(np.array([1.0, 2.0]))
    np.testing.assert_allclose(gradient, [3.0, 12.0])
    np.testing.assert_allclose(sourcediff.grad(without_source(), mode="eager")(np.array([1.0, 2.0])), [3.0, 12.0])


def test_a_helper_without_source_is_named_or_differentiated() -> None:
    hidden = without_source()

    def f(x):
        return hidden(x * 2) + 1

    with pytest.raises((SourceUnavailableError, MissingRuleError)) as caught:
        sourcediff.grad(f, mode="compiled")(np.array([1.0, 2.0]))
    assert_clear(caught.value, "hidden")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        np.testing.assert_allclose(sourcediff.grad(f, mode="auto")(np.array([1.0, 2.0])), [24.0, 96.0])


def test_source_that_is_no_longer_the_functions_own_is_not_believed(tmp_path: Any) -> None:
    """A function whose code differs from what its file says now must not be differentiated from the file."""
    from importlib.util import module_from_spec, spec_from_file_location

    path = tmp_path / "changing.py"
    path.write_text("import numpy as np\n\n\ndef f(x):\n    return np.sum(x ** 2)\n")
    spec = spec_from_file_location("changing", path)
    assert spec and spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    path.write_text("import numpy as np\n\n\ndef f(x):\n    return np.sum(x ** 3)\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        try:
            gradient = sourcediff.grad(module.f)(np.array([3.0]))
        except SourceUnavailableError:
            return
    np.testing.assert_allclose(gradient, [6.0])


def rounded_by_a_store(x):
    n = np.zeros(3, dtype=int)
    n[:] = x * 3
    return np.sum(n * x)


def rounded_by_a_store_into_a_list_of_ints(x):
    n = np.array([1, 2, 3])
    n[0] = x[1]
    return np.sum(n * x)


def rounded_by_a_store_into_what_is_given(x, n):
    n = np.sort(n)
    n[0] = x[1]
    return np.sum(n * x)


def rounded_by_an_update(x):
    n = np.array([1, 2, 3])
    n[0] += x[1]
    return np.sum(n * x)


def rounded_by_its_dtype(x):
    n = np.array([x[0], x[1], x[2]], dtype=int)
    return np.sum(n * x)


@pytest.mark.parametrize("mode", ["compiled", "eager", "auto"])
@pytest.mark.parametrize("function", [
    rounded_by_a_store, rounded_by_a_store_into_a_list_of_ints, rounded_by_a_store_into_what_is_given, rounded_by_an_update,
])
def test_a_differentiated_value_stored_among_integers_is_refused(function, mode):
    args = (np.array([1.3, 2.2, 3.1]), np.array([3, 1, 2]))
    with pytest.raises((sourcediff.NonDifferentiableError, sourcediff.UnsupportedSyntaxError)) as refusal, warnings.catch_warnings():
        warnings.simplefilter("ignore", sourcediff.FallbackWarning)
        sourcediff.grad(function, mode=mode)(*args[: function.__code__.co_argcount])
    assert any(word in str(refusal.value) for word in ("derivative", "gradient", "dtype"))


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_an_array_made_of_differentiated_values_as_integers_is_refused_or_constant(mode):
    x = np.array([1.3, 2.2, 3.1])
    try:
        gradient = sourcediff.grad(rounded_by_its_dtype, mode=mode)(x)
    except sourcediff.UnsupportedSyntaxError as refusal:
        assert mode == "compiled" and "dtype" in str(refusal)
    else:
        assert np.array_equal(gradient, [1.0, 2.0, 3.0])


# What vjp, jvp, jacobian, hessian, hvp and elementwise_grad are given.


def of_two(p, y):
    return {"w": p["w"] * y, "s": np.sum(p["w"])}


PAIR = ({"w": np.array([1.0, 2.0])}, 3.0)
WRONG_TANGENTS = {
    "shape": ({"w": np.ones(3)}, "(3,)", "(2,)"), "integers": ({"w": np.ones(2, int)}, "int64"),
    "booleans": ({"w": np.ones(2, bool)}, "bool"),
    "complex": ({"w": np.ones(2) * 1j}, "complex128"), "text": ({"w": "ones"}, "str"), "a list": ({"w": [1.0, 1.0]}, "list"),
    "an object": ({"w": np.array([None, None])}, "object"), "a number": ({"w": 1.0}, "()"), "keys": ({"v": np.ones(2)}, "'v'", "'w'"),
    "no dict": (np.ones(2), "ndarray", "dict"), "more keys": ({"w": np.ones(2), "v": 1.0}, "'v'"),
}


@pytest.mark.parametrize("wrong", WRONG_TANGENTS)
def test_a_wrong_tangent_names_the_parameter_and_the_function(wrong: str) -> None:
    tangent, *said = WRONG_TANGENTS[wrong]
    with pytest.raises(NonDifferentiableError) as caught:
        sourcediff.jvp(of_two, PAIR, (tangent, None))
    assert_clear(caught.value, "tangent", "argument p", "of_two", *said)


@pytest.mark.parametrize("wrong", WRONG_TANGENTS)
def test_a_wrong_cotangent_names_the_part_of_the_result_and_the_function(wrong: str) -> None:
    cotangent, *said = WRONG_TANGENTS[wrong]
    if isinstance(cotangent, dict):
        cotangent = {**cotangent, "s": None}
    _, pullback = sourcediff.vjp(of_two, *PAIR)
    with pytest.raises(NonDifferentiableError) as caught:
        pullback(cotangent)
    assert_clear(caught.value, "cotangent", "the result", "of_two", *said)
    assert pullback({"w": np.ones(2), "s": 1.0})[1] == 3.0  # it can still be used


@pytest.mark.parametrize("v", [np.ones(3), (np.ones(2),), 1.0, np.ones(2, int), {"x": np.ones(2)}], ids=str)
def test_a_wrong_vector_of_a_hessian_product_is_refused(v: Any) -> None:
    with pytest.raises(NonDifferentiableError) as caught:
        sourcediff.hvp(sum_of_squares)(np.ones(2), v)
    assert_clear(caught.value, "vector", "argument x", "sum_of_squares")


def test_wrong_numbers_of_primals_and_tangents() -> None:
    for args, said in (((PAIR, (None,)), "2 primals and 1 tangents"), ((PAIR, np.ones(2)), "ndarray"), ((1.0, (1.0,)), "float")):
        with pytest.raises(NonDifferentiableError, match=said):
            sourcediff.jvp(of_two, *args)
    for call in (lambda: sourcediff.jvp(of_two, (1.0,), (1.0,)), lambda: sourcediff.vjp(of_two, 1.0), lambda: sourcediff.hvp(of_two)(),
                 lambda: sourcediff.jacobian(of_two)(*PAIR, 4.0), lambda: sourcediff.vjp(of_two, *PAIR, nonsense=1)):
        with pytest.raises(TypeError):
            call()


TRANSFORMED: dict[str, Callable[..., Any]] = {
    "vjp": lambda f, x, **options: sourcediff.vjp(f, x, **options), "jvp": lambda f, x, **options: sourcediff.jvp(f, (x,), (x,), **options),
    "jacobian": lambda f, x, **options: sourcediff.jacobian(f, **options)(x),
    "hessian": lambda f, x, **options: sourcediff.hessian(f, **options)(x),
    "hvp": lambda f, x, **options: sourcediff.hvp(f, **options)(x, x),
    "elementwise_grad": lambda f, x, **options: sourcediff.elementwise_grad(f, **options)(x),
}
every_transform = pytest.mark.parametrize("door", TRANSFORMED)


@every_transform
def test_no_transform_takes_integers_or_objects(door: str) -> None:
    for thing in (np.arange(3), np.ones(2, bool), "text", np.array([1, "a"], dtype=object), {1, 2}, np.ma.ones(2)):
        with pytest.raises(NonDifferentiableError) as caught:
            TRANSFORMED[door](sum_of_squares, thing)
        assert_clear(caught.value, "sum_of_squares")


@every_transform
def test_transforms_refuse_an_unknown_mode(door: str) -> None:
    with pytest.raises(ValueError, match="auto, compiled, eager"):
        TRANSFORMED[door](sum_of_squares, np.ones(2), mode="fast")


@every_transform
def test_transforms_refuse_unknown_parameters_and_what_is_no_function(door: str) -> None:
    if door != "jvp":
        with pytest.raises(UnknownParameterError) as caught:
            TRANSFORMED[door](sum_of_squares, np.ones(2), wrt="z")
        assert_clear(caught.value, "sum_of_squares", "z", "x")
    with pytest.raises(NonDifferentiableError, match="float"):
        TRANSFORMED[door](3.0, np.ones(2))


@pytest.mark.filterwarnings("ignore:.* of steps_of_the_input runs on the eager engine:sourcediff.FallbackWarning")
@every_transform
def test_transforms_name_the_line_of_a_missing_rule(door: str) -> None:
    with pytest.raises(MissingRuleError) as caught:
        TRANSFORMED[door](steps_of_the_input, np.array([1.0, 2.0]))
    assert_clear(caught.value, "nextafter", at=line_of(steps_of_the_input, "np.nextafter"))


@pytest.mark.parametrize("f", [none_output, string_output, lambda x: np.argmax(x), lambda x: (x, 3)], ids=["none", "text", "int", "pair"])
def test_results_without_a_jacobian_are_refused_by_name(f: Callable[..., Any]) -> None:
    for door in (sourcediff.jacobian, sourcediff.hessian, sourcediff.elementwise_grad):
        with pytest.raises(NonDifferentiableError) as caught:
            door(f)(np.ones(2))
        assert_clear(caught.value, f.__name__)


@pytest.mark.parametrize("f", [vector_output, dict_output, tuple_output], ids=lambda f: f.__name__)
def test_only_scalars_have_hessians(f: Callable[..., Any]) -> None:
    for call in (lambda: sourcediff.hessian(f)(np.ones(2)), lambda: sourcediff.hvp(f)(np.ones(2), np.ones(2))):
        with pytest.raises(NonDifferentiableError) as caught:
            call()
        assert_clear(caught.value, f.__name__, "scalar")


@pytest.mark.parametrize("f", [
    sum_of_squares, lambda x: x[::-1] * 1.0, lambda x: x - np.mean(x), lambda x: np.cumsum(x), lambda x: np.sort(x),
    lambda x: np.outer(x, x), lambda x: x * np.sum(x), lambda x: (x, x),
], ids=["sum", "reversed", "centred", "cumsum", "sort", "outer", "scaled", "pair"])
def test_what_is_not_elementwise_has_no_elementwise_gradient(f: Callable[..., Any]) -> None:
    with pytest.raises(NonDifferentiableError) as caught:
        sourcediff.elementwise_grad(f)(np.array([3.0, 1.0, 2.0]))
    assert_clear(caught.value, "not elementwise", f.__name__, "jacobian")


def test_an_unknown_direction_names_those_there_are() -> None:
    with pytest.raises(ValueError, match="auto, reverse, forward"):
        sourcediff.jacobian(sum_of_squares, direction="backward")


def test_has_aux_needs_a_pair() -> None:
    for call in (lambda: sourcediff.grad(sum_of_squares, mode="eager", has_aux=True)(np.ones(2)),
                 lambda: sourcediff.jacobian(sum_of_squares, has_aux=True)(np.ones(2)),
                 lambda: sourcediff.vjp(sum_of_squares, np.ones(2), has_aux=True)):
        with pytest.raises(NonDifferentiableError) as caught:
            call()
        assert_clear(caught.value, "sum_of_squares", "has_aux", "pair")
    with pytest.raises(sourcediff.UnsupportedSyntaxError, match="has_aux=True is compiled of functions that return a pair"):
        sourcediff.grad(sum_of_squares, mode="compiled", has_aux=True)(np.ones(2))
    for mode in ("compiled", "auto"):
        assert sourcediff.grad(tuple_output, mode=mode, has_aux=True)(np.ones(2))[1] == 2.0


def test_complex_numbers_are_refused_where_derivatives_are_matrices_of_reals() -> None:
    def modulus(z):
        return np.abs(z)

    for door in ("jacobian", "hessian", "hvp", "jvp", "elementwise_grad"):
        with pytest.raises(NonDifferentiableError) as caught:
            TRANSFORMED[door](modulus, 1.0 + 2.0j)
        assert_clear(caught.value, "modulus", "complex")
