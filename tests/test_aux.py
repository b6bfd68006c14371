"""``has_aux``: what a function returns beside its value is handed on, by compiled code too."""

import copy

import numpy as np
import pytest

import sourcediff
from sourcediff import grad, value_and_grad

X = np.linspace(0.1, 0.9, 4)


def changed_arrays(x, y):
    h = np.tanh(x * y)
    x[0] = 3.0
    h *= 2
    return np.sum(h ** 2), {"h": h, "n": len(x), "x": x}


def by_branch(x):
    if x[0] > 0:
        return np.sum(x ** 2), "positive"
    return np.sum(x ** 3), "negative"


def total_and_terms(x):
    terms = x * 2
    return np.sum(terms ** 2), terms


def of_a_helper(x):
    return total_and_terms(x)


def regression(p, x):
    out = x @ p["w"] + p["b"]
    return np.mean(out ** 2), (out, [p["w"].shape, 3])


def history(x):
    found = []
    total = 0.0
    for _ in range(3):
        x = x * 1.5
        total = total + np.sum(x ** 2)
        found.append(total)
    return total, found


CASES = [
    (changed_arrays, (X, X + 1), (0, 1)), (by_branch, (X,), 0), (of_a_helper, (X,), 0),
    (regression, ({"w": np.ones((4, 2)), "b": np.zeros(2)}, np.ones((3, 4))), 0), (history, (X,), 0),
]


@pytest.mark.parametrize(("f", "args", "wrt"), CASES)
@pytest.mark.parametrize("transform", [grad, value_and_grad])
def test_compiled_and_eager_give_the_same(f, args, wrt, transform):
    expected = transform(f, wrt, has_aux=True, mode="eager")(*copy.deepcopy(args))
    given = copy.deepcopy(args)
    found = transform(f, wrt, has_aux=True, mode="compiled", check=True)(*given)
    assert repr(found) == repr(expected)
    plain = copy.deepcopy(args)
    f(*plain)
    assert repr(given) == repr(plain)


def test_the_aux_is_as_the_function_left_it_and_its_own():
    x, y = X.copy(), X + 1
    gradient, aux = grad(changed_arrays, has_aux=True, mode="compiled")(x, y)
    assert aux["x"][0] == 3.0
    assert aux["n"] == 4
    np.testing.assert_allclose(aux["h"], 2 * np.tanh(X * (X + 1)))
    assert not np.shares_memory(aux["x"], gradient)


def test_on_variables_it_is_the_eager_engine_that_answers():
    x = sourcediff.Variable(X, requires_grad=True)
    slope, aux = grad(total_and_terms, has_aux=True)(x)
    np.sum(slope * slope).backward()
    np.testing.assert_allclose(x.grad.data, 2 * 64 * X)
    np.testing.assert_allclose(np.asarray(getattr(aux, "data", aux)), 2 * X)
