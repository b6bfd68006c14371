"""NumPy's own protocols: recorded, or refused by name."""

import builtins
import functools
import operator
import re

import numpy as np
import pytest

from sourcediff.eager import Variable, grad
from sourcediff.errors import MissingRuleError, NonDifferentiableError, SourcediffError
from sourcediff.rules.suggestions import NEAREST

from .numbers import agree, differences

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
    calls = [lambda: np.hypot.accumulate(x), lambda: np.hypot.reduceat(x, [0, 1]), lambda: np.subtract.reduce(x)]
    for call in calls:
        with pytest.raises(MissingRuleError, match="has no derivative rule"):
            call()
    with pytest.raises(MissingRuleError, match=r"np.hypot.accumulate"):
        np.hypot.accumulate(x)


@pytest.mark.parametrize("call", [
    lambda x: np.reshape(x, (3, 2), order="A"),
    lambda x: np.linalg.pinv(x, rcond=1e-9), lambda x: np.median(x, overwrite_input=True),
])
def test_keywords_that_the_rule_does_not_know_are_refused_by_name(call):
    with pytest.raises(MissingRuleError, match=r"has a derivative rule, but not with (the keyword )?(order|rcond|overwrite_input)="):
        call(Variable(X, requires_grad=True))
    with pytest.raises(TypeError):
        np.sum(Variable(X, requires_grad=True), dtype="whatever")


def test_functions_without_a_rule_work_where_nothing_requires_grad():
    x = Variable(X)
    np.testing.assert_array_equal(np.nancumprod(x).data, np.nancumprod(X))


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


@pytest.mark.parametrize("name", NEAREST)
def test_what_is_named_as_the_nearest_way_exists(name):
    """The names in the remedies are NumPy's."""
    for found in re.findall(r"np\.([a-z0-9_.]*[a-z0-9_])", NEAREST[name]):
        functools.reduce(getattr, found.split("."), np)  # raises AttributeError where there is none
    assert name.startswith(("np.", "scipy.")) or name in vars(builtins)


def test_a_function_without_a_rule_names_the_nearest_way():
    x = Variable(X, requires_grad=True)
    said = r"np.apply_over_axes has no derivative rule(.|\n)*use the function itself with a tuple of axes(.|\n)*detach\(\)"
    with pytest.raises(MissingRuleError, match=said):
        np.apply_over_axes(np.sum, x, [0])


SCALARS = [
    True, 2, 2.5, np.bool_(True), np.int8(2), np.uint8(2), np.int16(2), np.int32(2), np.int64(2), np.uint64(2), np.float16(2.5),
    np.float32(2.5), np.float64(2.5), np.longdouble(2.5), np.array(2), np.array(2.5), np.array(2.5, np.float32),
]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("scalar", SCALARS, ids=lambda scalar: f"{type(scalar).__name__} {getattr(scalar, 'dtype', '')}")
def test_scalars_both_ways_round_give_numpys_dtypes(scalar, dtype):
    if isinstance(scalar, np.ndarray) and scalar.dtype != dtype and np.lib.NumpyVersion(np.__version__) < "2.3.0":
        pytest.skip("NumPy before 2.3 gives some powers of a scalar and an array without dimensions the dtype of the array")
    array = np.abs(X).astype(dtype)
    for data in (array, array[0, 0], array[0, :1].reshape(())):
        for name in ("add", "sub", "mul", "truediv", "pow", "mod", "floordiv"):
            for op in (lambda a, b, name=name: getattr(operator, name)(a, b), lambda a, b, name=name: getattr(operator, name)(b, a)):
                x = Variable(data, requires_grad=True)
                got, expected = op(x, scalar), op(data, scalar)
                value = got.data if isinstance(got, Variable) else got
                assert np.asarray(value).dtype == np.asarray(expected).dtype and np.array_equal(value, expected)
                if isinstance(got, Variable) and got.requires_grad:
                    (g,) = grad(got.sum(), x)
                    assert g.dtype == dtype and g.shape == x.shape and np.isfinite(g.data).all()
    for compare in (operator.lt, operator.ge, operator.eq, operator.ne):
        np.testing.assert_array_equal(compare(Variable(array, requires_grad=True), scalar), compare(array, scalar))
        np.testing.assert_array_equal(compare(scalar, Variable(array, requires_grad=True)), compare(scalar, array))


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "pow", "mod"])
@pytest.mark.parametrize("pair", [
    (2.3, X), (X, 1.3), (np.float64(2.3), X), (1.3, 2.5), (np.float32(1.3), X.astype(np.float32)), (np.array(1.3), X),
], ids=str)
def test_variables_of_numbers_and_of_arrays(name, pair):
    a, b = (np.abs(part) for part in pair)
    weights = np.cos(np.arange(6.0)).reshape(2, 3)

    def f(x, y):
        return np.sum(getattr(operator, name)(x, y) * weights)

    xs = [Variable(part, requires_grad=True) for part in (a, b)]
    found = grad(f(*xs), xs)
    for x, g, expected in zip(xs, found, differences(f, np.float64(a), np.float64(b))):
        assert g.shape == x.shape and g.dtype == x.dtype
        np.testing.assert_allclose(g.data, expected, rtol=1e-5 if x.dtype == np.float64 else 1e-3, atol=1e-5)


class Duck:
    """Takes no part in ufuncs, and computes by itself."""

    __array_ufunc__ = None

    def __radd__(self, other):
        return "duck"

    def __add__(self, other):
        return "duck"


class Framed:
    """Takes part in ufuncs in a way of its own, with a higher priority, as a data frame."""

    __array_priority__ = 1e6

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return NotImplemented if any(isinstance(part, Variable) for part in inputs) else "frame"


class Units(np.ndarray):
    """A subclass that computes in a way of its own."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return "units"


def test_operands_with_a_will_of_their_own():
    x = Variable(X, requires_grad=True)
    assert x + Duck() == Duck() + x == "duck"
    for call in (lambda: np.add(x, Duck()), lambda: np.add(x, Framed()), lambda: x + Framed(), lambda: Framed() + x):
        with pytest.raises(TypeError):
            call()
    units = X.view(Units)
    for call in (lambda: Variable(units), lambda: x * units, lambda: np.add(x, units)):
        with pytest.raises(NonDifferentiableError, match=r"Units cannot be a Variable(.|\n)*view\(np.ndarray\)"):
            call()


@pytest.mark.parametrize("other", [
    np.ma.array(X, mask=X > 0), np.ma.array(X), X.view(np.matrix), np.array([[None] * 3] * 2), X.astype(object), np.array(["a", "b", "c"]),
    np.zeros(3, dtype=[("a", float)]), np.array(["2020-01-01"], "M8[D]"), np.array([b"a"]), "text", None, {}, object(),
], ids=lambda other: f"{type(other).__name__} {getattr(other, 'dtype', '')}")
def test_what_holds_no_numbers_is_refused(other):
    x = Variable(X, requires_grad=True)
    calls = [lambda: np.multiply(x, other), lambda: np.multiply(other, x), lambda: np.where(X > 0, x, other)]
    if not isinstance(other, str):
        calls += [lambda: x * other, lambda: other * x, lambda: x @ other, lambda: other - x, lambda: np.concatenate([x, other])]
    for call in calls:
        with pytest.raises((SourcediffError, TypeError, ValueError)):
            call()


@pytest.mark.parametrize("convert", [
    np.asarray, np.array, np.asanyarray, np.ascontiguousarray, np.asfortranarray, float, int, complex, np.float64, np.float32, np.int64,
    np.bool_, lambda x: np.array([x, x]), lambda x: np.fromiter([x], float), lambda x: np.vectorize(np.sin)(x), lambda x: range(x),
    lambda x: np.frompyfunc(abs, 1, 1)(x), lambda x: np.array([1.0, 2.0])[x], lambda x: np.random.default_rng(0).normal(x),
    lambda x: np.r_[x, x], lambda x: np.c_[x, x], lambda x: np.mgrid[0:x], lambda x: np.ma.array(x), lambda x: np.nditer(x),
    lambda x: np.poly1d([x]), lambda x: np.zeros(3).fill(x), lambda x: np.zeros(3).put([0], x), lambda x: np.zeros(3).__setitem__(0, x),
    lambda x: np.linalg.multi_dot([x, x, x]), lambda x: np.apply_along_axis(np.sin, 0, x), lambda x: np.array2string(x),
    lambda x: np.broadcast(x, x), lambda x: np.savetxt("nowhere", x), lambda x: np.save("nowhere", x),
])
def test_nothing_leaves_unseen(convert):
    x = Variable(np.array(1.5), requires_grad=True)
    with pytest.raises((SourcediffError, TypeError, ValueError, IndexError)) as raised:
        convert(x)
    error = raised.value
    assert isinstance(error, SourcediffError) or isinstance(error.__cause__, SourcediffError) or isinstance(error, (TypeError, IndexError))


def test_constant_functions_give_constants():
    x = Variable(X, requires_grad=True)
    assert not np.sign(x).requires_grad and not np.zeros_like(x).requires_grad
    assert type(np.argmax(x, axis=0)) is np.ndarray and np.shape(x) == (2, 3)
    assert np.allclose(x, X) is True
