"""Programs that were once silently wrong. Each must be right, or refused: which of the two may change, silence may not."""

from __future__ import annotations

import collections
import dataclasses
import functools
import itertools
import operator
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError
from tests.corpus.judge import reference

X = np.array([1.1, 0.7, 1.9])
HERE = sys.modules[__name__]
ARRAY = np.array([1.0, 2.0, 3.0])
VIEW = ARRAY[1:]
PROGRAMS: list[Callable[..., Any]] = []


def program(function: Callable[..., Any]) -> Callable[..., Any]:
    """Put a function into the list."""
    PROGRAMS.append(function)
    return function


# What a loop goes over changes while it does


@program
def generator_that_reads_what_the_loop_binds(x):
    s = 1.0
    for v in (s * v for v in x):
        s = s * v
    return s


@program
def generator_of_a_list_that_grows(x):
    parts = [x[0]]
    for v in (parts[-1] * w for w in x):
        parts.append(v)
    return parts[-1]


@program
def numbered_generator_that_reads_what_the_loop_binds(x):
    s = 1.0
    for i, v in enumerate(s * v for v in x):
        s = s * v + i
    return s


@program
def running_sums_of_a_list_that_grows(x):
    parts = [x[0], x[1]]
    y = 1.0
    for v in itertools.accumulate(parts):
        y = y + v
        if len(parts) < 5:
            parts.append(x[2])
    return y


# Iterators with names


def taken_and_changed(a, b):
    items = iter(a)
    first = next(items)
    b[1] = 9.0
    return first * next(items)


@program
def iterator_over_one_of_two_names(x):
    y = x * 1.0
    return taken_and_changed(y, y)


@program
def iterator_over_what_a_list_holds_too(x):
    a = x * 1.0
    rows = []
    rows.append(a)
    items = iter(a)
    first = next(items)
    rows[0][1] = x[0] * 3
    return first * next(items)


@program
def iterator_over_what_an_inner_function_returns(x):
    y = x * 1.0

    def get():
        return y

    items = iter(y)
    first = next(items)
    w = get()
    w[1] = 9.0
    return first * next(items)


@program
def iterator_asked_in_the_next_trip(x):
    a, y = x * 1.0, x[0]
    for k in range(3):
        if k > 0:
            y = y * next(items)  # noqa: F821
        items = iter(a)  # noqa: F841
        a[0] = a[0] * 2
    return y


@program
def items_computed_when_they_are_asked(x):
    k = x[0]
    items = iter(k * v for v in x)
    k = x[1]
    return next(items) * next(items)


@program
def iterator_of_an_iterator(x):
    places = iter([0, 1, 2])
    numbered = enumerate(places)
    i, j = next(numbered)
    return x[next(places)] ** 2 * x[i + j]


@program
def iterators_in_a_dict(x):
    turns = {"a": iter([1.0, 2.0, 3.0])}
    for _ in turns["a"]:
        break
    return next(turns["a"]) * x[0]


# Arrays that somebody else knows


class Kept:
    arr = ARRAY
    own = np.array([1.0, 2.0, 3.0])

    def __init__(self, v):
        self.v = v


BOX = Kept(1.0)
BOX.u = np.array([1.0, 2.0, 3.0])


@program
def array_of_a_module_that_a_class_knows(x):
    ARRAY[0] = 7.0
    y = np.sum(Kept.arr * x)
    ARRAY[0] = 1.0
    return y


@program
def view_of_an_array_of_a_module(x):
    VIEW[0] = 7.0
    y = np.sum(ARRAY * x)
    VIEW[0] = 2.0
    return y


@program
def array_of_a_class_by_an_object(x):
    s, r = Kept(x[0]), Kept(x[1])
    s.own[0] = x[0]
    y = np.sum(s.own * r.own)
    s.own[0] = 1.0
    return y


@program
def array_of_an_object_in_a_module(x):
    HERE.BOX.u[0] = 7.0
    y = np.sum(HERE.BOX.u * x)
    HERE.BOX.u[0] = 1.0
    return y


@functools.lru_cache
def table():
    return np.array([1.0, 2.0, 3.0])


# Calls for what they change


def put(v):
    return np.put_along_axis(v, np.array([0]), 2.0, 0)


def summed_up(v):
    return np.cumsum(v, 0, None, v)


def multiplied(v):
    return operator.imul(v, 2.0)


@program
def helpers_that_return_what_they_change(x):
    y, z, w = x * 1.0, x * 1.0, np.ones(3)
    put(y)
    multiplied(z)
    summed_up(w)
    return np.sum(y * z * w * x)


@program
def lambda_with_a_list_of_its_own(x):
    y = x[0]
    for n in map(lambda v, seen=[0.0]: seen.append(v) or len(seen), [1.0, 2.0, 3.0]):
        y = y * n
    return y


@program
def text_before_a_call_that_changes_the_list(x):
    parts = [1.0]

    def grow():
        parts.append(2.0)
        return 1

    return len(f"{parts}{grow()}") * x[1]


# Indices


@program
def places_under_a_name(x):
    m = np.outer(x, x)
    at, rows = (0, 1), [0, 1]
    return np.sum(m[at] * x) + np.sum(m[rows] * x)


# Dicts and what finds entries in them


@program
def keys_with_a_derivative(x):
    weights = {x[0]: x[1]}
    total = 0.0
    for key, weight in weights.items():
        total = total + key * weight**2
    return total


@program
def places_by_value(x):
    return sum(key * i for key, i in {v: i for i, v in enumerate(x)}.items())


@program
def keys_taken_apart(x):
    a, b, c = {0: x[0], 1: x[1], 2: x[2]}
    return a * x[0] + b * x[1] + c * x[2]


@dataclasses.dataclass
class Scale:
    k: float

    def __call__(self, v):
        return v * self.k


@program
def object_that_cannot_be_hashed(x):
    scale = Scale(2.0)
    items = iter(x)
    return scale(next(items)) * SCALE(next(items)) + sum(v for v in x if SCALE(v) > 0)


SCALE = Scale(3.0)


class Scaled:
    factor = 3.0

    def __init__(self, x):
        self.x = x

    def norm(self):
        try:
            return self._norm
        except AttributeError:
            self._norm = np.sum(self.x**2)
            return self._norm


class Rescaled(Scaled):
    factor = 4.0

    def scaled(self):
        return super().factor * np.sum(self.x**2)


@program
def attribute_that_is_stored_when_it_is_asked_for(x):
    scaled = Scaled(x)
    return scaled.norm() * scaled.norm()


@program
def parameter_with_the_name_of_a_builtin(x, len=2.0):
    total = 0.0
    parts = []
    for v in x:
        parts.append(v * len)
    for v, w in zip(parts, x):
        total += v * w
    return total


@program
def entry_taken_of_a_dict(x):
    c = dict(a=1, b=1)
    y = x[0]
    for _ in range(2):
        y = np.sin(y) * x[sum(c.values())]
        c.pop("b", 0)
    return y * y


@program
def pair_taken_of_a_dict(x):
    d = dict(a=1, b=2)
    y = np.sin(x[len(d)])
    k, t = d.popitem()
    return y * y * t * len(k)


@program
def item_taken_of_a_set(x):
    free = {1, 2}
    y = x[0]
    while free:
        k = free.pop()
        y = np.sin(y) * x[k] + x[len(free)]
    return y


@program
def item_taken_of_a_queue_by_another_name(x):
    q = collections.deque([1, 2, 0])
    y = np.sin(x[q[0]])
    r = q
    k = q.popleft()
    return y * y * k * len(r)


def of_a_dict_outside(cfg):
    def grown(x):
        y = np.sin(x[len(cfg) % 3])
        cfg["new"] = 5
        return y * y

    return grown


def test_a_dict_outside_that_grows() -> None:
    slope = np.array([0.0, 2 * np.sin(X[1]) * np.cos(X[1]), 0.0])
    try:
        np.testing.assert_allclose(sourcediff.grad(of_a_dict_outside({"a": 1}), mode="compiled")(X), slope)
    except SourcediffError as refusal:
        assert refusal.places


@program
def data_of_the_parent(x):
    return Rescaled(x).scaled()


# Asking a default dict for an entry makes one, if it is asked


@program
def default_dict_asked_behind_and(x):
    d = collections.defaultdict(float)
    if x[0] > 5 and d[1] == 0:
        return x[0]
    return x[0] * len(d) + x[0] ** 2


@program
def default_dict_asked_in_a_chain(x):
    d = collections.defaultdict(float)
    if 5 < x[0] < d["z"] + 9:
        return x[0]
    return len(d) * x[0] ** 2


@program
def default_dict_counted_before_it_is_asked(x):
    d = collections.defaultdict(float)
    d[0] = x[0]
    return len(d) * x[1] + d[1] + len(d) * x[2] ** 2


@program
def default_dict_searched_before_it_is_asked(x):
    d = collections.defaultdict(float)
    d[0] = x[0]
    return d.get(2, x[1]) * x[0] + d[2] + d.get(2, x[1])


# Functions that change what they are given, by way of something that they make


class Doubled:
    def __init__(self, v):
        self.v = v
        self.v *= 2


def second_of_doubled(v):
    return Doubled(v).v[1]


def second_of_raised(v):
    held = [v]
    held[0] += 1.0
    return held[0][1]


def raised(v):
    return second_of_raised(v)


def second_by_key(v):
    held = {"k": v}
    held["k"] *= 1.5
    return held["k"][1]


@program
def while_an_object_changes_what_it_holds(x):
    a, total = np.array([1.5, 2.5]), 0.0
    while second_of_doubled(a) < 100:
        total += x[0] * a[0]
    return total


@program
def while_a_list_changes_what_it_holds(x):
    a, total = np.array([1.5, 2.5]), 0.0
    while raised(a) < 9:
        total += x[0] * a[0]
    return total


@program
def while_a_dict_changes_what_it_holds(x):
    a, total = np.array([1.5, 2.5]), 0.0
    while second_by_key(a) < 20:
        total += x[0] * a[0]
    return total


def seven_stored(a):
    [0 for a[0] in (7.0,)]


@program
def comprehension_that_stores(x):
    a, total = np.array([1.5, 2.5]), 0.0
    for i in range(3):
        total += x[i] * a[0] + x[i] ** 2 * a[1]
        seven_stored(a)
    return total


@program
def numbered_calls_until_the_last(x):
    s, t = [1.0, 2.0, 0.0, 3.0, 4.0], x[0]
    for i, v in enumerate(iter(s.pop, 0.0)):
        t = t * x[1] + v * len(s) + i
    return t


class Either:
    def __init__(self):
        self.q = []

    def push(self, v):
        self.q.append(v)

    def reset(self):
        self.q = collections.deque(maxlen=2)


@program
def list_that_becomes_a_deque(x):
    either, s = Either(), 0.0
    for k in range(3):
        for v in x:
            either.push(v ** 2)
        s += sum(either.q)
        either.reset()
    return s


@program
def deque_of_an_object_by_another_name(x):
    either = Either()
    either.reset()
    q = either.q
    for v in x:
        q.append(v ** 2)
    return sum(either.q)


@program
def array_times_list(x):
    w = np.ones(3) * 2
    return np.sum(np.sin(w * [v * v for v in x]))


@program
def number_in_an_array_times_list(x):
    k = np.asarray(len(x))
    parts = []
    for i in range(3):
        parts.append(x[i] * x[i])
    return np.sum(np.sin(k * parts))


@program
def outer_array_times_tuple(x):
    return np.sum(ARRAY * (x[0], x[1] ** 2, x[2])) + np.sum(np.sin([x[0], x[2], 2.0] * ARRAY))


@program
def either_array_or_int_times_list(x):
    k = np.array(2) if x[0] > 0 else 2
    return np.sum(np.sin(k * [v * v for v in x]))


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_right_or_refused(function: Callable[..., Any], mode: str) -> None:
    expected = reference(function, (X.copy(),), {}, (0,))
    (slope,) = expected.slopes.values()
    for transform in (sourcediff.value_and_grad, lambda f, mode: lambda x: (f(x), sourcediff.vjp(f, x, mode=mode)[1](1.0)[0])):
        try:
            value, gradient = transform(function, mode=mode)(X.copy())
        except SourcediffError as refusal:
            assert refusal.remedy or refusal.places
            continue
        assert value == pytest.approx(expected.value, rel=1e-12)
        np.testing.assert_allclose(gradient, slope, rtol=1e-5, atol=1e-7)


def test_most_are_right() -> None:
    right = 0
    for function in PROGRAMS:
        try:
            sourcediff.grad(function, mode="compiled")(X.copy())
            right += 1
        except SourcediffError:
            pass
    assert right >= 5


def test_what_a_cached_function_returns_is_not_changed() -> None:
    def changed(x):
        w = table()
        w[0] = 5.0
        return np.sum(table() * x)

    with pytest.raises(SourcediffError, match="cached function"):
        sourcediff.grad(changed, mode="compiled")(X)


@pytest.mark.parametrize("coefficients", [[2j, 1.0], (1.0, 2j), [np.float64(1.5), 2j], [0.5] * 9 + [2j]], ids=str)
def test_real_and_complex_numbers_in_one_list(coefficients: Any) -> None:
    def total(x, p):
        value = 0.0
        for c in p:
            value = value + np.abs(c * x + x**2) ** 3
        return value

    def of_lists(x, p):
        return np.abs(p[0][0] * x + p[-1][0] * x**2) ** 3

    for function, given in ((total, coefficients), (of_lists, [[c] for c in coefficients])):
        slope = (function(1.3 + 1e-6, given) - function(1.3 - 1e-6, given)) / 2e-6
        assert sourcediff.grad(function, mode="compiled")(1.3, given) == pytest.approx(slope, rel=1e-6)


class Held:
    """What a module holds: an array that is reached in more than one way."""

    weights = np.array([1.0, 2.0, 3.0])


HELD = Held()
HELD.array = np.array([1.0, 2.0, 3.0])
TUPLE = (np.array([1.0, 2.0, 3.0]), 0)
WEIGHED = functools.partial(lambda weights, x: np.sum(weights * x), ARRAY)


def restore() -> None:
    """Put what the functions below change back as it was."""
    for array in (ARRAY, HELD.array, TUPLE[0]):
        array[:] = [1.0, 2.0, 3.0]


def changed_beside_a_partial(x):
    y = WEIGHED(x)
    ARRAY[0] = x[1]
    return y * WEIGHED(x)


def changed_beside_another_name_of_its_object(x):
    y = np.sum(HERE.HELD.array * x)
    HELD.array[0] = x[1] * 2
    return y * np.sum(HERE.HELD.array * x)


def changed_in_a_tuple(x):
    y = np.sum(HERE.TUPLE[0] * x)
    HERE.TUPLE[0][0] = 7.0
    return y * np.sum(HERE.TUPLE[0] * x)


def changed_by_a_method_of_an_array(x):
    total = HELD.array.dot(x)
    HELD.array[1] = 4.0
    return total * HELD.array.dot(x)


@pytest.mark.parametrize("function", [
    changed_beside_a_partial, changed_beside_another_name_of_its_object, changed_in_a_tuple, changed_by_a_method_of_an_array,
], ids=lambda function: function.__name__)
@pytest.mark.parametrize("transform", ["grad", "vjp", "jvp"])
def test_arrays_that_are_reached_in_two_ways(function: Callable[..., Any], transform: str) -> None:
    def again(x):
        restore()
        return function(x)

    step = 1e-6
    expected = np.array([(again(X + e) - again(X - e)) / (2 * step) for e in step * np.eye(3)])
    restore()
    try:
        if transform == "grad":
            found = sourcediff.grad(function, mode="compiled")(X.copy())
        elif transform == "vjp":
            found = sourcediff.vjp(function, X.copy(), mode="compiled")[1](1.0)[0]
        else:
            found = sourcediff.jvp(function, (X.copy(),), (np.array([1.0, 0.0, 0.0]),), mode="compiled")[1]
    except SourcediffError as refusal:
        assert refusal.remedy or refusal.places
        return
    finally:
        restore()
    np.testing.assert_allclose(found, expected[0] if transform == "jvp" else expected, rtol=1e-5, atol=1e-7)


MATRIX = np.array([[0.3, 0.62], [0.47, 0.8]])


def list_joined_and_taken_as_an_array(x):
    parts = [x * 0.5, x * 2]
    mean = np.mean(np.stack(parts), axis=0)
    return np.sum(sum(parts) * mean)


def list_taken_as_an_array_and_joined(x):
    parts = [x * 0.5, x * 2]
    return np.sum(np.array(parts) ** 3) + np.std(parts) * np.sum(np.dot(parts, x @ x)) + np.sum(np.concatenate(parts) ** 2)


def rows_of_a_difference_joined(x):
    return np.sum(np.concatenate(-2 * (x - 0.3)) ** 2)


def rows_of_a_negative_joined(x):
    y = -x
    return np.sum(np.concatenate(y) ** 2) + np.sum(y ** 3)


def rows_of_a_buffer_joined(x):
    y = x + 0
    y[0] = 3.0
    return np.sum(np.hstack(y) ** 2)


def entries_joined(x):
    y = x[0] * 2
    return np.sum(np.vstack(y) ** 2) + np.sum(np.hstack(y * -2.5) ** 3)


def rows_joined_in_every_way(x):
    return np.sum(np.dstack(x * 2)[0, 1] * np.stack(x, axis=1)[0]) * np.sum(np.column_stack(x) ** 2)


def rows_joined_in_a_loop(x):
    for _ in range(2):
        x = np.stack(x * 1.5, axis=1) * np.sum(np.concatenate(x, axis=None)) + x
    return np.sum(x ** 2)


@pytest.mark.parametrize("function", [
    list_joined_and_taken_as_an_array, list_taken_as_an_array_and_joined, rows_of_a_difference_joined, rows_of_a_negative_joined,
    rows_of_a_buffer_joined, entries_joined, rows_joined_in_every_way, rows_joined_in_a_loop,
], ids=lambda function: function.__name__)
def test_joining_lists_and_arrays(function: Callable[..., Any]) -> None:
    step = 1e-6
    places = step * np.eye(4).reshape(4, 2, 2)
    expected = np.reshape([(function(MATRIX + e) - function(MATRIX - e)) / (2 * step) for e in places], (2, 2))
    np.testing.assert_allclose(sourcediff.grad(function, mode="compiled")(MATRIX), expected, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(sourcediff.vjp(function, MATRIX, mode="compiled")[1](1.0)[0], expected, rtol=1e-6, atol=1e-8)
    slope = sourcediff.grad(function, mode="eager")
    across = (slope(MATRIX + step) - slope(MATRIX - step)) / (2 * step)
    np.testing.assert_allclose(sourcediff.hvp(function)(MATRIX, np.ones((2, 2))), across, rtol=1e-5, atol=1e-6)


def rows_of_something_joined(rows):
    return np.sum(np.concatenate(rows) ** 2) + np.mean(np.stack(rows) ** 3)


@pytest.mark.parametrize("rows", [MATRIX, list(MATRIX)], ids=["array", "list"])
def test_the_general_gradient_of_what_may_be_a_list_or_an_array(rows: Any) -> None:
    namespace: dict[str, Any] = {}
    exec(sourcediff.gradient_source(rows_of_something_joined), namespace)
    found = namespace["rows_of_something_joined_grad"](rows)
    assert type(found) is type(rows)
    np.testing.assert_allclose(found, 2 * MATRIX + 3 * MATRIX ** 2 / 4)
    np.testing.assert_allclose(sourcediff.grad(rows_of_something_joined, mode="compiled")(rows), found)


SHARED = np.array([0.3, 0.5, 0.7])


class Weighing:
    weights = SHARED
    rows = (SHARED[::-1],)

    def __init__(self) -> None:
        self.own = np.ones(3)

    def weigh(self, x):
        return np.sum(np.sin(x) * self.weights)


class Heir(Weighing):
    pass


SCALES = Heir()


def changed_beside_an_array_of_a_class(x, scales):
    y = np.sum(np.sin(x) * Heir.weights)
    x *= 2.0
    return y + np.sum(x ** 2)


def changed_beside_a_tuple_of_a_class(x, scales):
    y = np.sum(np.sin(x) * Weighing.rows[0])
    x[0] *= 2.0
    return y + np.sum(x ** 2)


def changed_beside_an_object_of_a_module(x, scales):
    y = SCALES.weigh(x)
    x *= 2.0
    return y + np.sum(x ** 2)


def changed_beside_an_object_that_is_given(x, scales):
    y = np.sum(np.sin(x) * scales.weights)
    x *= 2.0
    return y + np.sum(x ** 2)


@pytest.mark.parametrize("function", [
    changed_beside_an_array_of_a_class, changed_beside_a_tuple_of_a_class, changed_beside_an_object_of_a_module,
    changed_beside_an_object_that_is_given,
], ids=lambda function: function.__name__)
def test_an_argument_that_shares_memory_with_what_a_class_holds(function: Callable[..., Any]) -> None:
    with pytest.raises(SourcediffError, match="shares its memory"):
        sourcediff.grad(function, mode="compiled")(SHARED, Weighing())
    with pytest.raises(SourcediffError, match="shares its memory"):
        sourcediff.jvp(function, (SHARED, Weighing()), (np.ones(3), None), mode="compiled")
    np.testing.assert_array_equal(SHARED, [0.3, 0.5, 0.7])
    assert np.all(sourcediff.grad(function, mode="compiled")(SHARED.copy(), Weighing()) > 0)


def two_objects_of_a_class_that_change(x, one, other):
    one.own[0] = x[1]
    other.own *= 2.0
    return np.sum(one.own * other.own * one.weights * other.weights * x)


def test_objects_share_what_their_class_holds() -> None:
    given = Weighing(), Weighing()
    np.testing.assert_allclose(
        sourcediff.grad(two_objects_of_a_class_that_change, mode="compiled")(SHARED.copy(), *given), [0.09, 0.554, 0.98]
    )


def test_a_list_is_repeated_by_ints_and_multiplied_by_arrays():
    def repeated(x, n, sizes):
        m = len(x) // 2 + 1
        parts = [x[0] * x[1]] * n + m * [x[2]] + [x[1]] * sizes["n"]
        return sum(p * p * (i + 1) for i, p in enumerate(parts))

    weights = np.array(3)
    expected = sourcediff.grad(repeated, mode="eager")(X, 2, {"n": 3})
    assert np.allclose(sourcediff.grad(repeated, mode="compiled")(X, 2, {"n": 3}), expected)
    assert np.allclose(sourcediff.grad(lambda x: np.sum(weights * [v * v for v in x]), mode="compiled")(X), 6 * X)
    assert np.allclose(sourcediff.grad(array_times_list, mode="compiled")(X), 4 * X * np.cos(2 * X**2))
