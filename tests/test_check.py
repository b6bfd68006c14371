"""The numeric oracles: right where they judge, and silent where they cannot."""

from __future__ import annotations

import numpy as np
import pytest

from sourcediff.checks.numeric import (
    check_gradient,
    check_jvp,
    compare,
    in_structure_of,
    numeric_gradient,
    numeric_jvp,
    taylor_slope,
    vector,
)
from sourcediff.errors import CrossCheckError, NonDifferentiableError
from sourcediff.runtime.trees import leaves


@pytest.mark.parametrize("f, x, expected", [
    (np.sin, 0.7, np.cos(0.7)),
    (lambda x: x**3, 100.0, 3e4),
    (lambda x: np.abs(x) * x, 2.0, 4.0),  # a complex step would say 2: the differences overrule it
    (lambda x: abs(complex(x)), -3.0, -1.0),
    (lambda x: np.float64(x) ** 2, 3.0, 6.0),  # refuses complex numbers
    (np.log, 1e-6, 1e6),  # close to the edge of the domain
    (lambda x: np.exp(30 * x), 0.0, 30.0),
    (np.abs, 1e-3, 1.0),  # a kink, but some way off
    (lambda x: 2.0, 1.0, 0.0),
])
def test_derivatives_of_numbers(f, x, expected):
    value, error = numeric_jvp(f, [x], [1.0])
    assert value == pytest.approx(expected, rel=1e-7, abs=1e-12)
    assert error <= 1e-6 * (1 + abs(expected))


def test_complex_step_is_exact():
    value, _ = numeric_jvp(np.sin, [0.7], [1.0])
    assert value == np.cos(0.7)


@pytest.mark.parametrize("f, x", [
    (np.abs, 0.0), (np.floor, 1.0), (np.sqrt, 0.0), (np.log, 0.0), (lambda x: np.maximum(x, 0), 1e-9),
    (lambda x: x * np.nan, 1.0), (np.cbrt, 0.0),
])
def test_refuses_to_judge(f, x):
    """At a kink, a jump or an infinite slope, and so close to one that differences cannot tell."""
    with pytest.raises(NonDifferentiableError):
        numeric_jvp(f, [x], [1.0])


def test_a_kink_is_named_by_its_entry():
    with pytest.raises(NonDifferentiableError, match="-1 to the left and 1 to the right, at entry 2 of the output"):
        numeric_jvp(np.abs, [np.array([1.0, 2.0, 0.0])], [np.ones(3)])


def test_structures():
    def f(parameters, x):
        return {"a": parameters["w"] * x, "b": (parameters["rest"][0] ** 2,)}

    args = [{"w": np.array([1.0, 2.0]), "rest": [3.0]}, 2.0]
    value, _ = numeric_jvp(f, args, [{"w": np.array([1.0, 0.0]), "rest": [1.0]}, None])
    np.testing.assert_allclose(value["a"], [2.0, 0.0])
    np.testing.assert_allclose(value["b"][0], 6.0)
    gradient, _ = numeric_gradient(f, args, seed={"a": np.ones(2), "b": (1.0,)})
    np.testing.assert_allclose(gradient["w"], [2.0, 2.0])
    np.testing.assert_allclose(gradient["rest"][0], 6.0)


def test_vectors_and_back():
    tree = {"a": np.arange(4.0).reshape(2, 2), "b": [1.5, (np.zeros((0, 2)), None)]}
    again = in_structure_of(tree, vector(tree))
    assert [path for path, _ in leaves(tree)] == ["['a']", "['b'][0]", "['b'][1][0]"]
    compare(again, tree, rtol=0, atol=1e-300)


def test_the_arguments_stay_as_they_are():
    def f(x):
        x *= 2
        return np.sum(x**2)

    x = np.array([1.0, 2.0])
    np.testing.assert_allclose(numeric_gradient(f, [x]).value, [8.0, 16.0])
    np.testing.assert_array_equal(x, [1.0, 2.0])


def test_gradients_are_judged():
    def f(x):
        return np.sum(x**3)

    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    check_gradient(f, 3 * x**2, [x])
    wrong = 3 * x**2
    wrong[1, 0] += 1e-3
    with pytest.raises(CrossCheckError, match=r"the most at \[1, 0\]: 27.001, but should be 27"):
        check_gradient(f, wrong, [x])
    with pytest.raises(CrossCheckError, match=r"has the shape \(4,\), but should have \(2, 2\)"):
        check_gradient(f, 3 * np.ravel(x) ** 2, [x])
    with pytest.raises(CrossCheckError, match="entries"):
        check_gradient(f, [3 * x**2], [x])
    with pytest.raises(CrossCheckError, match="nan, but should be 3"):
        check_gradient(f, np.where(x == 1, np.nan, 3 * x**2), [x])


def test_outputs_without_seed_are_refused():
    with pytest.raises(NonDifferentiableError, match="no scalar"):
        numeric_gradient(np.sin, [np.ones(2)])
    check_gradient(np.sin, np.array([2.0, 0.0]) * np.cos(1.0), [np.ones(2)], seed=np.array([2.0, 0.0]))


def test_tangents_are_judged():
    check_jvp(np.multiply, 11.0, [3.0, 4.0], [2.0, 1.0])
    check_jvp(np.multiply, 8.0, [3.0, 4.0], [2.0, None])
    with pytest.raises(CrossCheckError, match=r"the tangent is wrong, 8\.001"):
        check_jvp(np.multiply, 8.001, [3.0, 4.0], [2.0, None])


@pytest.mark.parametrize("derivative, slope", [(np.cos(0.5), 2.0), (0.99 * np.cos(0.5), 1.0), (0.0, 1.0)])
def test_taylor(derivative, slope):
    assert taylor_slope(np.sin, [0.5], [1.0], derivative) == pytest.approx(slope, abs=0.1)


def test_taylor_of_a_linear_function():
    assert taylor_slope(lambda x: 3 * x, [0.5], [1.0], 3.0) == np.inf
