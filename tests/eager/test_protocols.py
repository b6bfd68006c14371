"""NumPy's own protocols: recorded, or refused by name."""

import numpy as np
import pytest

from sourcediff.eager import Variable
from sourcediff.errors import MissingRuleError, NonDifferentiableError

from .numbers import agree

X = np.array([[1.5, -2.0, 0.5], [0.25, 3.0, -1.0]])

CALLS = {
    "keywords": lambda x: np.sum(np.sum(x, axis=0, keepdims=True) * np.mean(a=x, axis=1, keepdims=True)),
    "several": lambda x: np.sum(np.where(x > 0, np.clip(x, -1, 1), np.minimum(x, 2.0))),
    "array first": lambda x: np.sum(np.float64(2.0) * X * x + np.arange(3) - x),
    "number first": lambda x: np.sum(2 - x) + np.sum(np.add(1, x)),
    "reduce": lambda x: np.sum(np.add.reduce(x) ** 2) + np.maximum.reduce(x, axis=None) + np.sum(np.add.accumulate(x, axis=1) ** 2),
    "outer": lambda x: np.sum(np.multiply.outer(x, x[0]) ** 2) + np.sum(np.outer(x, x) * 0.5),
    "join": lambda x: np.sum(np.concatenate([x, X, np.sin(x)], axis=1) ** 2) + np.sum(np.vstack([x[0], x]) ** 3),
    "stack of numbers": lambda x: np.sum(np.stack([x[0, 0], 2.0 * x[1, 2]]) ** 2),
    "einsum": lambda x: np.einsum("ij,ij->", x, x) + np.sum(np.tensordot(x, X.T, 1)),
    "in out": lambda x: np.sum(x @ X.T) + np.sum(X.T @ x),
    "shape": lambda x: np.sum(x) * np.shape(x)[0] * np.ndim(x) + np.size(x),
    "norm": lambda x: np.linalg.norm(x) + np.sum(np.linalg.norm(x, axis=1)),
    "arange and linspace": lambda x: np.sum(np.linspace(x[0, 0], x[1, 1], 5) ** 2),
    "selection": lambda x: np.max(x) * np.min(x) + np.sum(np.max(x, axis=1)) + np.sum(x[np.argmax(x, axis=0), [0, 1, 2]]),
}


@pytest.mark.parametrize("name", CALLS)
def test_numpy_calls_are_recorded(name):
    agree(CALLS[name], X)


def test_nothing_without_a_rule_is_swallowed():
    x = Variable(X, requires_grad=True)
    calls = [lambda: np.unwrap(x), lambda: np.add.at(x, 0, 1.0), lambda: np.add.reduceat(x, [0, 1]), lambda: np.histogram(x, weights=x)]
    for call in calls:
        with pytest.raises(MissingRuleError, match="has no derivative rule"):
            call()
    with pytest.raises(MissingRuleError, match=r"np.unwrap"):
        np.unwrap(x)


@pytest.mark.parametrize("keywords", [{"where": X > 0}, {"out": np.zeros(3)}, {"initial": 1.0}, {"dtype": "whatever"}], ids=str)
def test_keywords_that_the_rule_does_not_know_are_refused_by_name(keywords):
    (name,) = keywords
    if name == "dtype":
        with pytest.raises(TypeError):
            np.sum(Variable(X, requires_grad=True), **keywords)
        return
    with pytest.raises(MissingRuleError, match=f"{name}="):
        np.sum(Variable(X, requires_grad=True), **keywords)


def test_functions_without_a_rule_work_where_nothing_requires_grad():
    x = Variable(X)
    np.testing.assert_array_equal(np.unwrap(x).data, np.unwrap(X))


def test_an_active_argument_without_a_derivative_is_refused():
    x = Variable(X, requires_grad=True)
    with pytest.raises((MissingRuleError, NonDifferentiableError, TypeError)):
        np.sum(X, axis=x)
    with pytest.raises((MissingRuleError, NonDifferentiableError, IndexError)):
        x[Variable([1.0], requires_grad=True)]


def test_variables_in_lists_within_a_sequence_are_not_lost():
    x = Variable(X, requires_grad=True)
    with pytest.raises((MissingRuleError, NonDifferentiableError, ValueError)):
        np.concatenate([[x[0, 0]], x[0]])
    with pytest.raises((MissingRuleError, NonDifferentiableError, ValueError)):
        np.sum([x[0, 0], x[0, 1]])


def test_constant_functions_give_constants():
    x = Variable(X, requires_grad=True)
    assert not np.sign(x).requires_grad and not np.zeros_like(x).requires_grad
    assert type(np.argmax(x, axis=0)) is np.ndarray and np.shape(x) == (2, 3)
    assert np.allclose(x, X) is True
