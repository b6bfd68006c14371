"""Programs that library runs once got wrong, crashed on or could not do. Each is the smallest one that showed it."""

import functools
import operator
from collections import namedtuple
from typing import ClassVar

import numpy as np
import pytest
from scipy import stats

import sourcediff
from sourcediff.errors import NonDifferentiableError, UnsupportedSyntaxError

from .numbers import differences

pytestmark = pytest.mark.filterwarnings("ignore:(jvp|jacobian|vjp) of:sourcediff.FallbackWarning")
Pair = namedtuple("Pair", "a b")
X = np.array([0.3, 0.6, -0.5])


def gradient(f, x=X):
    return sourcediff.grad(f, mode="eager")(np.copy(x) if isinstance(x, np.ndarray) else x)


# A derivative within a run, of an array that the run changes afterwards


def of_gradient(x):
    w = x.copy()
    found = sourcediff.grad(lambda u: np.sum(u**4), mode="eager")(w)
    w[...] = 5.0
    return np.sum(found)


def of_gradient_in_loop(x):
    w = x.copy()
    for _ in range(3):
        w[...] = w - 0.1 * sourcediff.grad(lambda u: np.sum(u**4 * x), mode="eager")(w)
    return np.sum(w**2)


def of_value_and_gradient(x):
    w = x * 1.0
    value, found = sourcediff.value_and_grad(lambda u: np.sum(u**4 * x), mode="eager")(w)
    w *= 3
    return value * np.sum(found**2)


def of_tangent(x):
    w, t = x * 1.0, x * 2.0
    value, found = sourcediff.jvp(lambda u: u**4 * w, (w,), (t,))
    w *= 3
    t[:] = 7.0
    return np.sum(found * value)


def of_jacobian(x):
    w = x * 1.0
    found = sourcediff.jacobian(lambda u: u**4 * w)(w)
    w *= 3
    return np.sum(found**2)


def of_hessian(x):
    w = x * 1.0
    found = sourcediff.hessian(lambda u: np.sum(u**4 * w))(w)
    w *= 3
    return np.sum(found**2)


def of_product(x):
    w, v = x * 1.0, x * 2.0
    found = sourcediff.hvp(lambda u: np.sum(u**4 * w))(w, v)
    w *= 3
    v *= 5
    return np.sum(found**2)


def of_closure(x):
    found = sourcediff.jacobian(lambda u: np.outer(u**2, x), direction="forward")(x)
    x *= 3
    return np.sum(found**2)


@pytest.mark.parametrize(
    "f", [of_gradient, of_gradient_in_loop, of_value_and_gradient, of_tangent, of_jacobian, of_hessian, of_product, of_closure],
    ids=lambda f: f.__name__,
)
def test_inner_derivative_survives_change_of_its_arrays(f):
    np.testing.assert_allclose(gradient(f), differences(f, X)[0], rtol=1e-6, atol=1e-7)


# Lists, named tuples and objects where arrays are meant


class Vector:
    def __init__(self, *parts):
        self.parts = parts

    def __array__(self, dtype=None, copy=None):
        return np.array(self.parts, dtype)


@pytest.mark.parametrize("f", [
    lambda x: np.sum(np.stack(Pair(x, x[::-1])) ** 2),
    lambda x: np.sum(np.concatenate(Pair(x, x[:1])) ** 3),
    lambda x: np.sum(np.array([Pair(x[0], x[1]), Pair(x[2], 1.0)]) ** 2),
    lambda x: np.sum(x[:2] * Pair(x[1], x[2])),
    lambda x: np.dot(x[:2], [x[1], x[2]]),
    lambda x: np.interp(1.5, [1.0, 2.0], [x[0], x[1] ** 2]),
    lambda x: np.average(x, weights=[1.0, x[1], 2.0]),
    lambda x: np.sum(np.asarray(Vector(*x)) ** 2),
])
def test_sequences_and_objects(f):
    np.testing.assert_allclose(gradient(f), differences(f, X)[0], rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("join", [np.stack, np.concatenate, np.vstack])
def test_named_tuple_of_variables(join):
    x = sourcediff.Variable(X, requires_grad=True)
    np.sum(join(Pair(x, x * 2)) ** 2).backward()
    np.testing.assert_allclose(x.grad.data, 10 * X)


# Other spellings


@pytest.mark.parametrize("f", [
    lambda x: np.sum(np.quantile(x * x, [0.2, 0.5]) ** 2),
    lambda x: np.sum(np.percentile(x * x, (20, 50)) ** 2),
    lambda x: np.einsum(x, [0], x, [0]),
    lambda x: np.sum(np.clip(x, min=0.1) ** 2),
    lambda x: np.sum(x.clip(-0.4, 0.4, out=np.zeros(3)) ** 2),
    lambda x: np.sum(np.outer(x, x[:2]).flatten("F") * np.arange(6.0)),
    lambda x: np.sum(x.astype(float, order="F", casting="safe") ** 2),
    lambda x: stats.norm.cdf(x[0]) * x[1],  # np.place into an array without axes
])
def test_spellings(f):
    np.testing.assert_allclose(gradient(f), differences(f, X)[0], rtol=1e-6, atol=1e-7)


def test_cast_that_casting_forbids_raises_as_in_numpy():
    with pytest.raises(TypeError, match="Cannot cast array data"):
        gradient(lambda x: np.sum(x.astype(np.float32, casting="safe")))


# Classes


@functools.singledispatch
def size(value):
    return 100.0 * value


@size.register(np.ndarray)
def _(value):
    out = np.zeros(3)
    out[:] = value
    return np.sum(out**2)


@size.register(float)
@size.register(np.floating)
def _(value):
    return value**3


@size.register
def _(value: Vector):
    return np.sum(np.array(value.parts) ** 4)


class Measure:
    def __init__(self, scale):
        self.scale = scale

    @functools.singledispatchmethod
    def of(self, value):
        return 100.0 * value

    @of.register
    def _(self, value: np.ndarray):
        return self.scale * np.sum(value**2)

    @of.register
    @staticmethod
    def _(value: Vector):
        return np.sum(np.array(value.parts) ** 4)


def test_generic_functions_choose_by_what_a_variable_stands_for():
    def f(x):
        return size(x) + size(x[0]) + size(Vector(x[1])) + Measure(x[2]).of(x) + Measure(2.0).of(Vector(x[1]))

    np.testing.assert_allclose(gradient(f), differences(f, X)[0], rtol=1e-6)


def test_class_of_a_value_is_that_of_what_it_stands_for():
    def f(x):
        return x[0] ** 2 if x.__class__ is np.ndarray and x[0].__class__ is np.float64 and x.__class__ is type(x) else 100.0 * x[0]

    np.testing.assert_allclose(gradient(f), [0.6, 0, 0])


class Base:
    kinds: ClassVar[dict] = {}

    def __init_subclass__(cls):
        Base.kinds[cls.__name__] = cls


class Square(Base):
    def of(self, x):
        return np.sum(x**2)


class Quartic(Square):
    def of(self, x):
        return super().of(x) ** 2


def test_registry_of_subclasses_in_their_base():
    def f(x):
        return Base.kinds["Quartic"]().of(x) + Quartic().of(x)

    np.testing.assert_allclose(gradient(f), differences(f, X)[0], rtol=1e-6)


def identity_of_class(x):
    return np.sum(x) if x.dtype.type is np.float64 else np.sum(x**3)


def identity_by_variable(x):
    kind = x.dtype.type
    return np.sum(x) if np.float64 is not kind else np.sum(x**3)


@pytest.mark.parametrize("f", [identity_of_class, identity_by_variable])
def test_identity_of_the_type_of_a_dtype_is_refused(f):
    with pytest.raises(UnsupportedSyntaxError, match="compare by =="):
        gradient(f)


def test_equality_of_the_type_of_a_dtype():
    np.testing.assert_allclose(gradient(lambda x: np.sum(x) if x.dtype.type == np.float64 and x is not None else np.sum(x**3)), np.ones(3))


def pair(x):
    return {"all": [Pair(x * 2, x[0])]}


@pytest.mark.parametrize("direction", ["forward", "reverse"])
def test_results_are_of_the_users_classes(direction):
    assert type(sourcediff.jacobian(pair, direction=direction)(X)["all"][0]) is Pair
    assert type(sourcediff.jvp(pair, (X,), (X,))[1]["all"][0]) is Pair
    assert type(sourcediff.vjp(pair, sourcediff.Variable(X, requires_grad=True))[0]["all"][0]) is Pair


# Results that were cached under numbers


def memoised(f):
    cache = {}

    def called(*args):
        if args not in cache:
            cache[args] = f(*args)
        return cache[args]

    return called


def test_cache_of_results_for_equal_numbers_is_refused():
    product = memoised(lambda a, b: a * b)

    def f(x):
        return product(x[0], x[1]) + product(x[0], x[1]) ** 2

    np.testing.assert_allclose(gradient(f), [(1 + 2 * X[0] * X[1]) * X[1], (1 + 2 * X[0] * X[1]) * X[0], 0])  # which fills the cache
    with pytest.raises(NonDifferentiableError, match="looked up in a dict"):
        gradient(f)


def test_cache_asked_by_get_is_refused():
    cache = {0.3: 1.0}

    def f(x):
        found = cache.get(x[0])
        return x[0] ** 2 if found is None else found * x[1]

    with pytest.raises(NonDifferentiableError, match="looked up in a dict"):
        gradient(f)


def test_sets_and_own_keys():
    def f(x):
        weights = {x[0]: 2.0, x[1]: 3.0}
        return len(set(x)) * x[0] + weights[x[0]] * x[1] + (x[1] in weights) * x[2]

    np.testing.assert_allclose(gradient(f), [3.0, 2.0, 1.0])


def several_percentiles(x):
    return np.sum(np.percentile(x, [20, 50]) ** 2)


def test_several_percentiles_in_compiled_code():
    expected = [(several_percentiles(X + step) - several_percentiles(X - step)) / 2e-6 for step in 1e-6 * np.eye(len(X))]
    np.testing.assert_allclose(sourcediff.grad(several_percentiles, mode="compiled")(X), expected, rtol=1e-6, atol=1e-9)


def test_an_array_without_dimensions_has_two_names():
    def f(x):
        a = np.array(x[0])
        b = a
        b += x[1]
        return a * b

    np.testing.assert_allclose(gradient(f), [1.8, 1.8, 0.0])


def test_flat_is_an_iterator():
    def f(x):
        entries = x.flat
        first = next(entries)
        rest = 0.0
        for v in entries:
            rest = rest * first + v
        return rest + entries[1] * next(entries)

    np.testing.assert_allclose(gradient(f), [1.2, 0.6, 1.0])


# What a value has by name is what the number or array has that it stands for


def tried(x):
    try:
        return x.sum()
    except AttributeError:
        return x * x


def tried_entry(x):
    try:
        return x.shape[0] * x[0]
    except AttributeError:
        return x * x


@pytest.mark.parametrize("name", ["shape", "ndim", "size", "dtype", "T", "copy", "tolist", "sum", "data", "requires_grad", "relu"])
def test_a_number_has_the_attributes_of_a_number(name):
    assert gradient(lambda x: x * x if getattr(x, name, None) is None else 5 * x, 1.37) == 2.74


@pytest.mark.parametrize("f", [tried, tried_entry])
def test_a_missing_attribute_of_a_number_can_be_caught(f):
    assert gradient(f, 1.37) == 2.74


def test_arrays_and_entries_have_what_numpys_have():
    def f(x):
        for part in (x, x[0]):
            assert part.shape == np.shape(part) and part.ndim == np.ndim(part) and part.sum() == np.sum(part)
            assert not getattr(part, "requires_grad", False) and getattr(part, "grad", 0) == 0 and not hasattr(part, "relu")
        return (x * x).sum()

    np.testing.assert_allclose(gradient(f), 2 * X)


def test_a_program_of_variables_has_the_methods_of_variables():
    w = sourcediff.Variable(X, requires_grad=True)
    f = sourcediff.grad(lambda x: (x * x).relu().sum() if x.requires_grad else 0 * x.sum(), mode="eager")
    np.testing.assert_allclose(f(w).data, 2 * X)
    scale = sourcediff.Variable(2.0)
    np.testing.assert_allclose(gradient(lambda x: (x * scale).square().sum()), 8 * X)


def test_a_number_is_not_updated_under_its_other_names():
    def f(x):
        k = x
        k //= 1
        with sourcediff.no_grad():
            j = x
            j *= 7
        return x * x * (k + 1)

    assert gradient(f, 1.37) == 5.48


# Forward mode by a number that becomes an array without dimensions


def added_to_itself(x):
    y = np.array(x)
    y[()] += x
    return y * x / 2


@pytest.mark.parametrize("f", [
    lambda x: np.asarray(x)[None][0] * x, lambda x: np.array(x)[()] * x, lambda x: np.asarray(x)[...] * x, added_to_itself,
])
def test_a_number_that_becomes_an_array_pushes_its_tangent_forward(f):
    value, tangent = sourcediff.jvp(f, (1.5,), (2.0,), mode="eager")
    assert (value, tangent) == (2.25, 6.0)


def test_axes_may_stand_in_an_array():
    x = np.arange(6.0).reshape(1, 2, 3)
    expected = np.zeros((1, 2, 3))
    expected[..., 0] = 2
    np.testing.assert_array_equal(gradient(lambda x: (x.transpose(np.array([2, 0, 1]))[0] * 2).sum(), x), expected)


# Caches: two equal values have derivatives of their own

TIE = np.array([1.5, 1.5, 0.5])


def cached_within(x):
    @functools.lru_cache(maxsize=64)
    def g(v):
        return v * v

    return g(x[0]) + 3 * g(x[1]) * x[2]


def cached_lambda(x):
    g = functools.cache(lambda v: v * v)
    return g(x[0]) + 3 * g(x[1]) * x[2]


def cached_recursion(x):
    @functools.lru_cache
    def power(n, v):
        return v if n == 1 else power(n // 2, v) * power(n - n // 2, v)

    found = power(2, x[0]) + 3 * power(2, x[1]) * x[2] + 0 * power(300, x[2])
    power.cache_clear()
    return found


def cached_methods(x):
    class Squares:
        @functools.lru_cache
        def square(self, v):
            return v * v

        @staticmethod
        @functools.cache
        def tripled(v, *, factor=3):
            return factor * v * v

    return Squares().square(x[0]) + Squares.tripled(x[1], factor=3) * x[2]


@pytest.mark.parametrize("f", [cached_within, cached_lambda, cached_recursion, cached_methods])
def test_a_cache_within_the_function_keeps_values_apart_that_are_equal(f):
    np.testing.assert_allclose(gradient(f, TIE), [3, 4.5, 6.75])


class Squares(dict):
    def __missing__(self, key):
        self[key] = key * key
        return self[key]


def with_default(function):
    known = {}

    def called(v, get=known.get):
        found = get(v)
        if found is None:
            found = known[v] = function(v)
        return found

    return called


def by_memo(x):
    square = with_default(lambda v: v * v)
    return square(x[0]) + 3 * square(x[1]) * x[2]


def by_itemgetter(x):
    first, second = operator.itemgetter(x[0], x[1])(Squares())
    return first + 3 * second * x[2]


def by_map(x):
    first, second, _ = map(Squares().__getitem__, x)
    return first + 3 * second * x[2]


@pytest.mark.parametrize("f", [by_memo, by_itemgetter, by_map])
def test_what_a_dict_holds_under_an_equal_value_is_refused_however_it_is_asked_for(f):
    with pytest.raises(NonDifferentiableError, match="looked up in a dict"):
        gradient(f, TIE)
    gradient(f, X)


def test_a_list_may_compare_equal_values():
    def f(x):
        values = [x[0], x[1], x[0] * x[1]]
        weight = values.count(x[0]) + values.index(x[0] * x[0])
        values.pop()
        return values[0] * weight + values[1]

    np.testing.assert_allclose(gradient(f, TIE), [4, 1, 0])


def test_a_set_may_compare_equal_values():
    def f(x):
        seen = set()
        for v in x:
            seen.add(v)
        return x[0] * len(seen) + x[1] * len(set(x)) + x[2] * (x[1] in {x[0]})

    np.testing.assert_allclose(gradient(f, TIE), [2, 2, 1])
