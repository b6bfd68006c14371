"""What is called may itself be made of a differentiated value: then the derivative goes through it, or the call is refused."""

import functools

import numpy as np
import pytest

import sourcediff
from sourcediff.checks.numeric import check_gradient


def made_by_partial(x):
    return np.sum(functools.partial(np.multiply, x)(2.0))


def found_by_name(x):
    return getattr(x, "sum")() * x[1]  # noqa: B009


def taken_from_a_list(x):
    return [x.sum][0]() * x[0]


def chosen(x):
    return (x.sum if x[0] > 0 else x.mean)() * x[0]


@pytest.mark.parametrize("function", [made_by_partial, chosen, found_by_name], ids=lambda function: function.__name__)
def test_the_derivative_goes_through_what_is_called(function):
    x = np.array([1.3, 2.2, 0.8])
    check_gradient(function, sourcediff.grad(function, mode="compiled")(x), (x,))


@pytest.mark.parametrize("function", [taken_from_a_list], ids=lambda function: function.__name__)
def test_a_call_of_what_is_made_of_a_differentiated_value(function):
    x = np.array([1.3, 2.2, 0.8])
    with pytest.raises(sourcediff.UnsupportedSyntaxError, match="cannot tell what function"):
        sourcediff.grad(function, mode="compiled")(x)
    with pytest.warns(sourcediff.FallbackWarning):
        gradient = sourcediff.grad(function)(x)
    check_gradient(function, gradient, (x,))


def list_on_one_path(x, k):
    if k > 0:
        y = [x[0], x[1]]
    else:
        y = x
    y = y * 2
    return np.sum(np.array(y) ** 2) if k < 0 else y[2] * y[3]


def test_a_list_on_one_path_and_an_array_on_another_is_never_silently_wrong():
    for k in (1.0, -1.0):
        with pytest.raises((sourcediff.UnsupportedSyntaxError, sourcediff.MissingRuleError, sourcediff.AliasingError)):
            sourcediff.grad(list_on_one_path, mode="compiled")(np.array([1.3, 2.2]), k)
        gradient = sourcediff.grad(list_on_one_path, mode="eager")(np.array([1.3, 2.2]), k)
        check_gradient(lambda x, k=k: list_on_one_path(x, k), gradient, (np.array([1.3, 2.2]),))
