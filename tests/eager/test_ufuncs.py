"""Every way to call a ufunc, and a function with ``out=``: right, or refused by name with what to write instead."""

import warnings

import numpy as np
import pytest

from sourcediff.eager import Variable, grad, no_grad
from sourcediff.errors import InPlaceError, MissingRuleError, NonDifferentiableError, SourcediffError
from sourcediff.rules import RULES

from .numbers import agree, second_order_agrees

X = np.array([[1.5, 2.13, 0.5], [0.25, 2.9, 1.25]])
W = np.array([[0.3, -1.2, 0.8], [1.1, -0.4, 0.9]])
MASK = np.array([[True, False, True], [False, True, True]])


def fresh(x):
    return x * 1.0


def leaf(array=X):
    return Variable(np.array(array), requires_grad=True)


# The methods

REDUCTIONS = [np.add, np.multiply, np.maximum, np.minimum]


@pytest.mark.parametrize("ufunc", REDUCTIONS, ids=lambda ufunc: ufunc.__name__)
@pytest.mark.parametrize("keywords", [
    {}, {"axis": 1}, {"axis": -1, "keepdims": True}, {"axis": None}, {"axis": (0, 1)}, {"axis": (0, 1), "keepdims": True},
], ids=str)
def test_reduce(ufunc, keywords):
    agree(lambda x: np.sum(np.sin(ufunc.reduce(x, **keywords))), X)
    x = leaf()
    np.testing.assert_array_equal(ufunc.reduce(x, **keywords).data, ufunc.reduce(X, **keywords))


def test_reduce_by_position_and_in_another_dtype():
    agree(lambda x: np.sum(np.add.reduce(x, 1) ** 2), X)
    y = np.add.reduce(leaf(), dtype=np.float32)
    assert y.dtype == np.float32
    assert np.add.reduce(leaf(X[0])).shape == ()


@pytest.mark.parametrize("keywords", [{"initial": 2.0}, {"where": MASK}, {"where": MASK, "initial": 2.0}], ids=str)
@pytest.mark.parametrize("ufunc", REDUCTIONS, ids=lambda ufunc: ufunc.__name__)
def test_reduce_with_initial_and_where_is_right_or_refused_by_name(ufunc, keywords):
    if ufunc in (np.maximum, np.minimum) and set(keywords) == {"where"}:
        return  # NumPy itself wants an initial value
    try:
        agree(lambda x: np.sum(ufunc.reduce(x, axis=1, **keywords) ** 2), X)
    except MissingRuleError as error:
        assert any(f"{name}=" in error.problem for name in keywords) and error.remedy


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_accumulate(axis):
    agree(lambda x: np.sum(np.add.accumulate(x, axis=axis) ** 2 * W), X)
    try:
        agree(lambda x: np.sum(np.multiply.accumulate(x, axis=axis) * W), X)
    except MissingRuleError as error:
        assert error.problem.startswith("np.multiply.accumulate") and "np.cumsum" in error.remedy


BINARY = [
    ufunc for ufunc, rule in RULES.items()
    if isinstance(ufunc, np.ufunc) and ufunc.nin == 2 and rule.kind == "elementwise" and len(rule.differentiable) == 2
    and getattr(np, ufunc.__name__, None) is ufunc
]


@pytest.mark.parametrize("ufunc", BINARY, ids=lambda ufunc: ufunc.__name__)
def test_outer(ufunc):
    other = np.array([0.7, 2.6])
    agree(lambda x: np.sum(ufunc.outer(x, other) * 1.5), X)
    agree(lambda x: np.sum(ufunc.outer(other, x) * 1.5), X)
    agree(lambda x, y: np.sum(ufunc.outer(x, y[0]) * 1.5), X, X[::-1] + 0.07)
    np.testing.assert_array_equal(ufunc.outer(leaf(), other).data, ufunc.outer(X, other))


@pytest.mark.parametrize("call, name, remedy", [
    (lambda x: np.subtract.reduce(x), "np.subtract.reduce", "np.sum"), (lambda x: np.hypot.reduce(x), "np.hypot.reduce", "a loop"),
    (lambda x: np.hypot.accumulate(x), "np.hypot.accumulate", "a loop"),
    (lambda x: np.hypot.reduceat(x, [0, 1]), "np.hypot.reduceat", r"np\.stack"),
    (lambda x: np.multiply.at(fresh(x), [0], 2.0), "np.multiply.at", r"v\[i\] = np.multiply"),
    (lambda x: np.maximum.at(fresh(x), [0], 2.0), "np.maximum.at", "name each entry once"),
    (lambda x: np.negative.at(fresh(x), [0]), "np.negative.at", "name each entry once"),
], ids=lambda value: value if isinstance(value, str) else "")
def test_what_has_no_rule_is_refused_by_name(call, name, remedy):
    with pytest.raises(MissingRuleError, match=rf"^{name} has no derivative rule(.|\n)*instead: .*{remedy}"):
        call(leaf())


def test_methods_without_a_rule_work_where_nothing_requires_grad():
    x = Variable(X.copy())
    np.testing.assert_array_equal(np.add.reduceat(x, [0, 1], axis=1).data, np.add.reduceat(X, [0, 1], axis=1))
    np.testing.assert_array_equal(np.subtract.reduce(x).data, np.subtract.reduce(X))
    np.multiply.at(x, ([0, 0], [1, 1]), 2.0)
    assert x.data[0, 1] == 4 * X[0, 1]
    with no_grad():
        assert np.hypot.reduce(leaf(), axis=1).shape == (2,)


def test_a_constant_that_was_saved_is_not_changed_unseen():
    c, x = Variable(X.copy()), leaf()
    z = (c * x).sum()
    np.multiply.at(c, [0], 2.0)
    with pytest.raises(InPlaceError, match=r"np.multiply.at"):
        z.backward()


# at: a change in place


@pytest.mark.parametrize("ufunc", [np.add, np.subtract])
@pytest.mark.parametrize("index", [0, [0, 0], ([0, 1, 0], [2, 2, 2]), (slice(None), [1, 1]), MASK, (..., -1), slice(0, 1)], ids=str)
def test_at(ufunc, index):
    weights = W[index]

    def changed(x, w):
        y = x * 1.0
        ufunc.at(y, index, w)
        return np.sum(y * y * x)

    agree(lambda x: changed(x, weights), X)
    agree(lambda x, w: changed(x, w), X, np.array(weights))
    second_order_agrees(lambda x, w: changed(x, w), X, np.array(weights))


def test_at_broadcasts_and_rounds_as_numpy_does():
    small, index = np.array([1e-17, 1.0, -1.0, 0.1]), [0, 0, 0, 0]
    y = fresh(leaf([1.0, 2.0]))
    np.add.at(y, index, small)
    expected = np.array([1.0, 2.0])
    np.add.at(expected, index, small)
    np.testing.assert_array_equal(y.data, expected)
    agree(lambda x: np.sum(_at(x, [0, 1, 1], 2.5) ** 2), X)
    agree(lambda x: np.sum(_at(x, [0, 1, 1], x[0, 0]) ** 2), X)


def _at(x, index, value):
    y = x * 1.0
    np.add.at(y, index, value)
    return y


def test_at_is_a_change_in_place():
    x = leaf()
    with pytest.raises(InPlaceError, match=r"np.add.at would change a leaf"):
        np.add.at(x, [0], 1.0)
    array = X.copy()
    with pytest.raises(InPlaceError, match=r"np.add.at would write (.|\n)*plain array"):
        np.add.at(array, [0], x[0])
    np.testing.assert_array_equal(array, X)
    np.add.at(array, [0], x.detach()[0])
    assert array[0, 0] == 2 * X[0, 0]
    y = fresh(x)
    z = (y * y).sum()
    np.add.at(y, [0], 1.0)
    with pytest.raises(InPlaceError, match=r"np.multiply needs was changed by the in-place operation np.add.at"):
        z.backward()


# out=

OUT = {
    "ufunc": lambda x, y: np.add(x, 1, out=y), "by position": lambda x, y: np.add(x, x, y), "tuple": lambda x, y: np.exp(x, out=(y,)),
    "itself": lambda x, y: np.multiply(y, y, out=y), "reversed itself": lambda x, y: np.multiply(y[:, ::-1], y, out=y),
    "broadcast": lambda x, y: np.add(x[0], 1, out=y), "view": lambda x, y: np.sin(x[0], out=y[1]),
    "reduce": lambda x, y: np.add.reduce(x, axis=0, out=y[0]), "accumulate": lambda x, y: np.add.accumulate(x, axis=1, out=y),
    "outer": lambda x, y: np.multiply.outer(x[:, 0], x[0], out=y), "sum": lambda x, y: np.sum(x, axis=0, out=y[1]),
    "sum by position": lambda x, y: np.sum(x, 0, None, y[1]), "mean by position": lambda x, y: np.mean(x, 0, None, y[1]),
    "max by position": lambda x, y: np.max(x, 0, y[1]), "clip": lambda x, y: np.clip(x, 0.4, 2.5, out=y),
    "clip by position": lambda x, y: np.clip(x, 0.4, 2.5, y), "cumsum": lambda x, y: np.cumsum(x, axis=0, out=y),
    "matmul": lambda x, y: np.matmul(x, x.T @ x, out=y), "dot": lambda x, y: np.dot(x, x.T @ x, y),
    "concatenate": lambda x, y: np.concatenate([x[:1], 2 * x[:1]], out=y),
    "concatenate by position": lambda x, y: np.concatenate([x[1:], x[:1]], 0, y),
    "stack": lambda x, y: np.stack([x[0], x[0] * x[1]], out=y), "einsum": lambda x, y: np.einsum("ij,j->ij", x, x[0], out=y),
    "where": lambda x, y: np.log(x, out=y, where=MASK), "where by position": lambda x, y: np.multiply(x, x, y, where=MASK),
    "constant": lambda x, y: np.floor(x[0], out=y[0]), "round by position": lambda x, y: np.round(x[0], 1, y[0]),
}


@pytest.mark.parametrize("name", OUT)
def test_out_of_a_variable(name):
    def f(x):
        y = x * 2.0
        z = OUT[name](x, y)
        return np.sum(y * x * W) + np.sum(z * z)

    agree(f, X)


def test_out_is_returned():
    y = fresh(leaf())
    assert np.add(y, 1, out=y) is y and np.sum(leaf(), axis=0, out=(row := y[0])) is row


@pytest.mark.parametrize("call", [
    lambda x, a: np.add(x, 1.0, out=a), lambda x, a: np.add(a, x, a), lambda x, a: a.__iadd__(x), lambda x, a: np.sum(x, axis=0, out=a[0]),
    lambda x, a: np.clip(x, 0, 1, a), lambda x, a: np.matmul(x, x.T @ x, out=a), lambda x, a: np.add.reduce(x, out=a[0]),
    lambda x, a: np.concatenate([x[:1], x[1:]], out=a), lambda x, a: np.copyto(a, x), lambda x, a: np.put(a, [0], x[0, :1]),
    lambda x, a: np.place(a, MASK, x[0]), lambda x, a: np.putmask(a, MASK, x),
    lambda x, a: np.log(x, out=a, where=MASK),
])
def test_a_plain_array_takes_no_active_value(call):
    array = X.copy()
    with pytest.raises(InPlaceError, match=r"plain array(.|\n)*instead: write a = a \+ v"):
        call(leaf(), array)
    np.testing.assert_array_equal(array, X)
    with pytest.raises(NonDifferentiableError):  # which NumPy does not ask the value about
        np.fill_diagonal(array, leaf()[0, 0])


def test_a_plain_array_takes_what_has_no_gradient():
    array = np.zeros((2, 3))
    assert np.add(Variable(X), 1.0, out=array) is array
    np.testing.assert_array_equal(array, X + 1)
    flags = np.zeros((2, 3), bool)
    np.greater(leaf(), 1.0, out=flags)
    np.testing.assert_array_equal(flags, X > 1)
    np.floor(leaf(), out=array)
    np.testing.assert_array_equal(array, np.floor(X))
    np.copyto(array, Variable(X))
    np.testing.assert_array_equal(array, X)
    with no_grad():
        np.sum(leaf(), axis=0, out=array[0])
    np.testing.assert_array_equal(array[0], X.sum(0))


def test_out_that_does_not_fit_raises_what_numpy_raises():
    x, y = leaf(), fresh(leaf())
    for call in (
        lambda a, out: np.sum(a, axis=1, out=out[0]), lambda a, out: np.cumsum(a, out=out), lambda a, out: np.add(a, 1, out=out[0]),
    ):
        with pytest.raises(ValueError) as expected:
            call(X, X.copy())
        with pytest.raises(type(expected.value)):
            call(x, y)
    np.testing.assert_array_equal(y.data, X)
    with pytest.raises(InPlaceError, match="leaf that requires grad"):
        np.add(x, 1, out=x)


# Keywords


def test_where_without_out_is_refused_since_it_leaves_memory_uninitialised():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for call in (lambda x: np.log(x, where=MASK), lambda x: np.isnan(x, where=MASK), lambda x: np.add(x, 1, where=MASK, out=None)):
            with pytest.raises(MissingRuleError, match=r"where=, but without out=(.|\n)*np\.where\(mask"):
                call(leaf())
    assert np.sin(leaf(), where=True).requires_grad


def test_where_computes_nothing_where_the_mask_is_false():
    x = leaf([4.0, -1.0, 0.0, 9.0])
    y = x * 2.0
    with np.errstate(all="raise"):
        z = np.sqrt(x, out=y, where=x > 0)
        np.testing.assert_array_equal(z.data, [2.0, -2.0, 0.0, 3.0])
        (g,) = grad(z.sum(), x)
    np.testing.assert_allclose(g.data, [0.25, 2.0, 2.0, 1 / 6])


@pytest.mark.parametrize("keywords", [
    {"dtype": np.float32}, {"dtype": "f4", "casting": "same_kind"}, {"order": "F"}, {"subok": False}, {"signature": "f->f"},
    {"dtype": np.longdouble}, {"out": None}, {"casting": "unsafe"},
], ids=str)
def test_how_it_is_computed(keywords):
    x = leaf()
    y, expected = np.sin(x, **keywords), np.sin(X, **keywords)
    assert y.dtype == expected.dtype and y.data.flags.f_contiguous == expected.flags.f_contiguous
    np.testing.assert_array_equal(y.data, expected)
    (g,) = grad(y.sum(), x)
    assert g.dtype == np.float64
    np.testing.assert_allclose(g.data, np.cos(X), rtol=1e-6)


def test_numpy_judges_the_casting():
    with pytest.raises(TypeError, match="Cannot cast"):
        np.add(leaf(), 1, dtype=int)
    assert np.add(leaf(), 1, dtype=int, casting="unsafe").dtype == int  # a constant, as x.astype(int) is


def test_keywords_with_their_own_defaults_are_no_keywords():
    agree(lambda x: np.sum(np.sum(x, 0, None) ** 2) + np.sum(np.mean(x, 0, None) ** 2), X)
    agree(lambda x: np.sum(np.sum(x, initial=np._NoValue, where=np._NoValue) ** 2) + np.sum(np.concatenate([x, x], dtype=None) ** 2), X)
    agree(lambda x: np.sum(np.std(a=x, axis=1, dtype=None, out=None) ** 2) + np.max(x, None, None), X)


def test_two_spellings_of_one_function():
    agree(lambda x: np.sum(np.einsum(x, [0, 1], x, [2, 1], [2, 0]) * W[:, :2]) + np.einsum(x, [0, 1], x, [0, 1]), X)
    agree(lambda x: np.sum(np.einsum(x, [Ellipsis, 0], [0, Ellipsis]) * W.T), X)
    agree(lambda x: np.sum(np.clip(x, min=0.4) + np.clip(x, max=2.1) * np.clip(x, min=0.3, max=2.5)), X)
    agree(lambda x: np.sum(np.stack(x) ** 2) + np.sum(np.concatenate(x) ** 3) + np.sum(np.vstack(x)), X)
    for got, expected in zip(np.where(leaf() > 1), np.where(X > 1)):
        np.testing.assert_array_equal(got, expected)
    for got, expected in zip(np.where(leaf()), np.where(X)):
        np.testing.assert_array_equal(got, expected)
    agree(lambda x: np.sum(np.einsum("ij,kj,kl,il->j", x, x, x, W) ** 2) + np.einsum("ij,ij,ij", np.full(W.shape, 200, np.uint8), x, W), X)
    with pytest.raises(SourcediffError):
        np.einsum("ij,jk,k...", leaf(), leaf().T, leaf())


# Functions that write into their first argument

WRITES = {
    "copyto": lambda y, x: np.copyto(y, x * x), "copyto where": lambda y, x: np.copyto(y, x[0], where=MASK),
    "put": lambda y, x: np.put(y, [0, -1, 2], x[0, :2]), "put in turn": lambda y, x: np.put(y, [7, 8], x[0, 0], mode="wrap"),
    "put by bools": lambda y, x: np.put(y, [True, False], x[0, :2]), "place": lambda y, x: np.place(y, MASK, x[0, :2]),
    "putmask": lambda y, x: np.putmask(y, MASK, x * x), "putmask in turn": lambda y, x: np.putmask(y, MASK, x[0]),
    "fill_diagonal": lambda y, x: np.fill_diagonal(y, x[0, 0]), "fill_diagonal in turn": lambda y, x: np.fill_diagonal(y, x[1, :2]),
}


@pytest.mark.parametrize("name", WRITES)
def test_functions_that_write(name):
    def f(x):
        y = x * 2.0
        assert WRITES[name](y, x) is None
        return np.sum(y * y * W)

    agree(f, X)


def test_functions_that_write_raise_what_numpy_raises():
    y, x = fresh(leaf()), leaf()
    with pytest.raises(TypeError, match="Cannot cast"):
        np.copyto(Variable(np.zeros(2, int)), x[0, :2])
    with pytest.raises(ValueError):
        np.place(y, [True], x[0])
    with pytest.raises(IndexError):
        np.put(y, [6], 1.0)
    with pytest.raises(InPlaceError, match="leaf that requires grad"):
        np.fill_diagonal(x, 0.0)
    np.testing.assert_array_equal(y.data, X)


def test_a_list_of_variables_names_np_stack():
    x = leaf()
    for call in (lambda: np.maximum(x, [x[0, 0], x[0, 1], 1.0]), lambda: np.sum([x[0], x[1]]), lambda: np.dot([x[0, 0], x[0, 1]], x)):
        with pytest.raises((MissingRuleError, NonDifferentiableError), match=r"np\.stack"):
            call()


def test_constant_lists_are_arrays():
    agree(lambda x: np.sum(np.maximum(x, [0.0, 1.0, 2.0]) * [1.0, 2.0, 3.0] + [1.0, 2.0, 3.0] * x - [1, 2, 3] / x), X)
    agree(lambda x: np.sum(np.power(x, [1.0, 2.0, 3.0]) + np.power([1.0, 2.0, 3.0], x) + x ** [2, 3, 1]), X)
    agree(lambda x: np.sum(np.dot([1.0, 2.0], x) ** 2) + np.sum(np.matmul([[1.0, 2.0]], x) ** 2) + np.sum(([1.0, 2.0] @ x) ** 2), X)
    agree(lambda x: np.sum(np.where([True, False, True], x, [1.0, 2.0, 3.0]) ** 2) + np.sum(np.concatenate([x, [[1.0, 2.0, 3.0]]]) ** 2), X)
    np.testing.assert_array_equal(leaf() > [1.0, 1.0, 1.0], X > 1)
