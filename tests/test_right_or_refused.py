"""Programs that were once silently wrong. Each must be right, or refused: which of the two may change, silence may not."""

from __future__ import annotations

import cmath
import collections
import dataclasses
import enum
import functools
import itertools
import operator
import sys
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

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


# What a loop over iter(function, last) leaves behind it; counters that are asked while they are counted up


@program
def after_the_last_call(x):
    left, total = [x[0], 2 * x[1], 1.0, 3 * x[2]], 0.0
    for v in iter(left.pop, 1.0):
        total += v * x[0]
    return total * v


@program
def no_call_but_the_last(x):
    left, v = [x[0], 1.0], x[0] ** 2
    for v in iter(left.pop, 1.0):
        pass
    return v * x[1]


@program
def pairs_until_the_last(x):
    left, total = [(x[0], 1.0), (x[1], 2.0), None, (x[2], 3.0)], 0.0
    for a, b in iter(left.pop, None):
        total += a ** 2 * b
    return total


@program
def running_moments(x):
    c = collections.Counter()
    for v in x:
        c["n"] += 1
        c["mean"] += (v - c["mean"]) / c["n"]
        c["square"] += v * v / len(c)
    return c["mean"] * c["square"]


@program
def counter_that_knows_what_is_new(x):
    c = collections.Counter()
    for k in "aba":
        c[k] += x[0] if k in c else x[1] * x[0]
    return c["a"] * c["b"]


# Wrong numbers of values, where the function catches the error


def squared_distance(v):
    try:
        a, b = v
    except ValueError:
        a, b, _ = v
        b = b * 2
    return a * a + b * b


def product_of_two(a, b):
    return a * b


@program
def of_two_or_three(x):
    return squared_distance(x)


@program
def list_of_three_for_two(x):
    try:
        a, b = [x[0], x[1], 3.0]
    except ValueError:
        return x[2] ** 2
    return a * b


@program
def three_arguments_for_two(x):
    try:
        return product_of_two(*x)
    except TypeError:
        return x[0] ** 2


@program
def array_of_three_for_two(x):
    try:
        a, b = np.array([x[0], x[1], x[2]])
    except ValueError:
        return x[2] ** 2
    return a * b


@program
def two_parts_in_a_try(x):
    try:
        a, b = np.split(x, [1])
    except ValueError:
        return x[0]
    return a[0] * b[1]


@program
def three_parts_for_two(x):
    try:
        a, b = np.split(x, 3)
    except ValueError:
        return x[0] ** 2
    return a[0] * b[0]


@program
def list_of_two_for_three(x):
    pair = [x[0], x[1]]
    try:
        a, b, c = pair
    except ValueError:
        a, b, c = x[0], x[0], x[0]
    return a * b * c


def squared_twice(x, log=None):
    if log is None:
        import math as log
    if log is not None:
        x = x * x
    return x * x


@program
def option_that_an_import_binds(x):
    return squared_twice(x[0])


# More of deques and default dicts


@program
def deque_of_a_star(x):
    h = [x[0], 2 * x[1], 3 * x[2]]
    q = collections.deque([0.0, *h], maxlen=2)
    return q[0] * q[1] + len(q) * x[0]


@program
def default_dict_in_a_message(x):
    d = collections.defaultdict(int)
    n = 0
    assert n == 0, d["never"]
    for k in "ab":
        d[k] += 1
    return x[0] ** len(d)


@program
def deque_asked_for_a_method(x):
    q = collections.deque([x[0]])
    return x[0] * x[0] if hasattr(q, "appendleft") else x[0]


@program
def key_bound_where_it_is_asked(x):
    d = collections.defaultdict(float)
    y = (k := int(x[0]) % 2) + d[k]
    d[k] += x[0] * x[0]
    return y * x[0] + d[k] + len(d)


class Weight(enum.IntEnum):
    HEAVY = 2


def repeated(v, n, weight=Weight.HEAVY):
    return v * weight if n == 0 else repeated(v * 1.2, n - 1) * v


@program
def recursion_with_a_number_of_its_own_kind(x):
    return repeated(x[0], 2)

# What several functions bind and change: attributes of objects, and variables of outer functions


class Emptied:
    def __init__(self, x):
        self.entries = {"a": x[0], "b": x[1] ** 2}
        self.entries.pop("a")

    def get(self, key):
        return self.entries[key]


@program
def attribute_of_which_an_entry_is_taken(x):
    return Emptied(x).get("b") * x[2]


class Grouped:
    def __init__(self, x):
        self.reset(x)

    def reset(self, x):
        self.groups = {}
        for i in range(3):
            self.groups.setdefault(i % 2, []).append(x[i])

    def product(self):
        return self.groups[0][1] * self.groups[1][0]


@program
def attribute_that_holds_groups(x):
    return Grouped(x).product()


class Nested:
    def __init__(self, x):
        self.rows = [[x[0]], [x[1], x[2]]]
        self.rows[0].append(x[1])
        self.cut = [x[0], x[1], x[2]]
        self.cut[0:1] = []
        self.filled = [x[0]] * 3
        self.filled[1:] = [x[1], x[2]]

    def product(self):
        return self.rows[0][1] * self.rows[1][1] * self.cut[0] * self.filled[2]


@program
def attributes_that_are_cut_and_nested(x):
    return Nested(x).product()


class Constants:
    def __init__(self):
        self.items = [1.0, 2.0, 3.0]
        del self.items[0:1]
        self.entries = {"a": 1.0, "b": 2.0}
        self.entries.pop("a")

    def append(self, v):
        self.items.append(v)

    def store(self, v):
        self.items[0] = v

    def extend(self, x):
        self.items.extend(x)

    def put(self, key, v):
        self.entries[key] = v

    def default(self, key, v):
        self.entries.setdefault(key, v)

    def update(self, key, v):
        self.entries.update({key: v})

    def add(self, v):
        self.entries["b"] += v

    def by_another_name(self, v):
        entries = self.entries
        entries["c"] = v


@program
def constants_to_which_something_is_appended(x):
    held = Constants()
    held.append(x[0])
    return held.items[0] * held.items[2]


@program
def constants_with_another_one_in_place(x):
    held = Constants()
    held.store(x[0])
    return held.items[0] * held.items[1]


@program
def constants_that_are_made_longer(x):
    held = Constants()
    held.extend(x)
    return held.items[3]


@program
def constants_with_another_entry(x):
    held = Constants()
    held.put("c", x[0])
    return held.entries["b"] * held.entries["c"]


@program
def constants_with_an_entry_by_default(x):
    held = Constants()
    held.default("c", x[0])
    return held.entries["c"]


@program
def constants_with_the_entries_of_another_one(x):
    held = Constants()
    held.update("c", x[0])
    return held.entries["c"]


@program
def constants_to_which_something_is_added(x):
    held = Constants()
    held.add(x[0])
    return held.entries["b"]


@program
def constants_by_another_name(x):
    held = Constants()
    held.by_another_name(x[0])
    return held.entries["c"]


class Measured:
    def __init__(self, x):
        self.items = []
        for v in x:
            self.items.append(self.last + v * v)
        self.items = np.array(self.items)

    @property
    def last(self):
        return self.items[-1] if len(self.items) else 0.0


@program
def list_that_is_read_while_it_grows_to_an_array(x):
    return sum(Measured(x).items) * x[0]


class Left:
    def __init__(self, x):
        self.items = []
        for v in x:
            self.items.append(v * v)
            if x[0] > 0 and len(self.items) > 1:
                return
        self.items = np.cumsum(self.items)


@program
def list_that_is_left_before_it_is_an_array(x):
    return sum(Left(x).items) * x[0]


class Classed:
    held: ClassVar[dict[str, float]] = {"a": 1.0, "b": 2.0}

    def __init__(self, x):
        self.held = {"a": x[0]}
        self.held["b"] = x[1] * x[2]


@program
def entries_beside_those_of_the_class(x):
    held = Classed(x)
    return held.held["a"] * held.held["b"]


class Active:
    def __init__(self):
        self.act = np.tanh
        self.power = _second

    def choose(self, s):
        self.act = np.sin if s > 0 else np.cos

    def decide(self, s):
        if s > 0:
            self.act = np.sin
        else:
            self.act = np.cos

    def turn(self):
        self.act = np.exp
        self.power = _third

    def swap(self):
        self.act, self.power = self.power, self.act

    def by_lambda(self):
        self.act = lambda v: v * v


def _second(x):
    return x ** 2


def _third(x):
    return x ** 3


@program
def function_that_is_chosen_in_a_method(x):
    active = Active()
    active.choose(x[0])
    return active.act(x[1]) * x[2]


@program
def function_that_is_decided_in_a_method(x):
    active = Active()
    active.decide(x[0])
    return active.act(x[1]) * x[2]


@program
def function_that_may_be_exchanged(x):
    active = Active()
    if x[0] < 0:
        active.turn()
    return active.act(x[1]) * x[2]


@program
def user_function_that_may_be_exchanged(x):
    active = Active()
    if x[0] < 0:
        active.turn()
    return active.power(x[1]) * x[2]


@program
def function_that_is_exchanged_in_a_loop(x):
    active = Active()
    y = 1.0
    for v in x:
        y = y * active.act(v) * active.power(v)
        active.turn()
    return y


@program
def function_that_is_exchanged_in_a_while_loop(x):
    active = Active()
    y, k = 1.0, 0
    while k < 3:
        y = y * active.act(x[k])
        k += 1
        if k == 2:
            active.turn()
    return y


@program
def functions_that_may_change_places(x):
    active = Active()
    if x[0] < 0:
        active.swap()
    return active.act(x[1]) * active.power(x[2])


@program
def function_that_may_be_a_lambda(x):
    active = Active()
    if x[0] < 0:
        active.by_lambda()
    return active.act(x[1]) * x[2]


@program
def partial_function_that_is_kept(x):
    active = Active()
    kept = functools.partial(active.act, x[0])
    active.turn()
    return kept() * active.act(x[1])


class Exchanged:
    def __init__(self, x):
        self.values = x * 1.0
        self.first = x[0]

    def to_list(self):
        self.values = [self.first, self.first * 2, self.first * 3]

    def to_array(self):
        self.values = np.array(self.values)

    def step(self):
        twice = self.values + self.values
        self.values = np.array(self.values) * 1.5
        return twice[0] * twice[1] * len(twice)


@program
def array_that_may_be_a_list(x):
    either = Exchanged(x)
    if x[0] < 0:
        either.to_list()
    twice = either.values * 2
    return twice[0] * twice[1] + np.sum(twice)


@program
def array_that_is_a_list_on_the_other_path(x):
    either = Exchanged(x)
    y = x[0]
    if x[0] < 0:
        either.to_list()
    else:
        twice = either.values * 2
        y = twice[0] * twice[1] + np.sum(twice)
    return y


@program
def list_that_a_loop_makes_an_array(x):
    either = Exchanged(x)
    either.to_list()
    y = 0.0
    for _ in range(2):
        twice = either.values + either.values
        y = y + twice[0] * twice[1] * len(twice)
        either.to_array()
    return y * x[2]


@program
def list_that_a_method_makes_an_array_in_a_loop(x):
    either = Exchanged(x)
    either.to_list()
    y, k = 0.0, 0
    while k < 2:
        y = y + either.step()
        k += 1
    return y * x[2]


@program
def array_that_became_a_list_and_perhaps_an_array(x):
    either = Exchanged(x)
    either.to_list()
    if x[0] < 0:
        either.to_array()
    if x[1] < 0:
        either.to_array()
    else:
        twice = either.values + either.values
        return twice[1] * len(twice)
    return x[0]


def _put(entries, key, v):
    entries[key] = v


@program
def entry_that_is_deleted_before_a_function_stores_one(x):
    entries = {"a": x[0], "b": x[1] ** 2}
    del entries["a"]
    _put(entries, "c", x[2])
    return entries["b"] * entries["c"]

# What one body concludes, and what the functions that it calls change


class Renewing:
    def __init__(self, x):
        self.k = x[0]
        self.parts = [x[0], x[1]]

    def up(self):
        self.k = self.k * 3

    def anew(self):
        self.parts = [self.k * 2, self.k * 3]

    @property
    def renewed(self):
        self.parts = [self.k * 2, self.k * 3]
        return 1.0


class Holding:
    def __init__(self, x, run=None):
        self.one = Renewing(x)
        self.run = run

    def go(self):
        self.one.anew()

    def ran(self, v):
        self.run()
        return v


def run_beside(run, v):
    run()
    return v * 2


def run_alone(run):
    return run()


class Descent:
    def __init__(self, p):
        self.p = p

    def step(self, g):
        self.p = self.p - 0.1 * g


def trained(step, p):
    for _ in range(2):
        step(2 * p)
    return p


@program
def method_called_back_beside_what_it_binds(x):
    one = Renewing(x)
    return run_beside(one.up, one.k) + one.k


@program
def partial_method_called_back_beside_what_it_binds(x):
    one = Renewing(x)
    return run_beside(functools.partial(one.up), one.k) + one.k


@program
def method_held_by_an_object_beside_what_it_binds(x):
    one = Renewing(x)
    return Holding(x, one.up).ran(one.k) + one.k


@program
def inner_function_beside_what_it_binds_of_its_argument(x):
    one = Renewing(x)

    def up(other, v):
        other.k = other.k * 3
        return v

    return up(one, one.k) + one.k


@program
def loop_over_what_a_method_called_back_binds(x):
    one = Renewing(x)
    t = 1.0
    for v in one.parts:
        t = t * v
        run_alone(one.anew)
    return t


@program
def loop_over_what_a_method_of_the_holder_binds(x):
    holding = Holding(x)
    t = 1.0
    for v in holding.one.parts:
        t = t * v
        run_alone(holding.go)
    return t


@program
def loop_over_what_a_property_binds(x):
    one = Renewing(x)
    t = 1.0
    for v in one.parts:
        t = t * v * one.renewed
    return t


@program
def parameter_that_the_step_given_beside_it_binds(x):
    descent = Descent(x * 1.0)
    return np.sum(trained(descent.step, descent.p) ** 3) + np.sum(descent.p)


@program
def loop_over_arrays_that_a_function_in_it_binds(x):
    p, q = x * 1.0, x * 2.0

    def renew():
        nonlocal q
        q = q + 1

    for u in (p, q):
        u *= 2
        renew()
    return p[0] * q[1]


def grow(parts, v):
    parts.append(v)


class Agenda:
    def __init__(self):
        self.due = [0]

    def visit(self, i):
        for j in (i + 1, i + 2):
            if j < 3 and j not in self.due:
                self.due.append(j)


class Growing:
    def __init__(self, x):
        self.parts = [x[0], x[1]]
        self.given = {"a": x[0]}

    @property
    def more(self):
        if len(self.parts) < 4:
            self.parts.append(self.parts[-1] * 2)
        return self.parts[0]

    def grow(self, v):
        self.parts.append(v)

    def give(self, v):
        self.given["b"] = v

    def give_another(self, v):
        self.given = {"b": v}


def weighed(*v):
    return sum(v) * len(v)


def scaled(a=1.0, b=2.0):
    return a * b


@program
def list_that_a_helper_makes_longer_in_a_loop_over_it(x):
    parts = [x[0], x[1]]
    t = 0.0
    for i, v in enumerate(parts):
        t = t + v * i
        if i < 3:
            grow(parts, v * v)
    return t


@program
def list_that_a_method_makes_longer_in_a_loop_over_it(x):
    agenda = Agenda()
    t = 1.0
    for i in agenda.due:
        agenda.visit(i)
        t = t * x[i]
    return t


@program
def list_that_a_property_makes_longer_in_a_loop_over_it(x):
    growing = Growing(x)
    t = 0.0
    for v in growing.parts:
        t = t + v * growing.more
    return t


@program
def list_that_an_inner_function_makes_shorter_in_a_loop_over_it(x):
    parts = [x[0], x[1], x[2]]
    t = 0.0

    def drop():
        parts.pop()

    for v in parts:
        t = t + v
        drop()
    return t


@program
def list_that_grows_by_another_name_in_a_loop_over_it(x):
    parts = [x[0], x[1]]
    others = parts
    t = 0.0
    for i, (v, w) in enumerate(zip(parts, [x[2], x[1], x[0]])):
        t = t + v * w * i
        others.append(v * v)
    return t


@program
def star_of_a_list_that_grows_after_it_in_a_loop(x):
    parts = [x[0], x[1]]
    t = 0.0
    for i in range(2):
        t = t + weighed(*parts)
        grow(parts, x[i])
    return t


@program
def star_of_an_attribute_that_grows_after_it_in_a_loop(x):
    growing = Growing(x)
    t = 0.0
    for i in range(2):
        t = t + sum([*growing.parts, x[2]]) * x[0]
        growing.grow(x[i])
    return t


@program
def star_of_a_dict_that_gets_an_entry_after_it_in_a_loop(x):
    growing = Growing(x)
    t = 0.0
    for _ in range(2):
        t = t + scaled(**growing.given) * x[0]
        growing.give(x[1])
    return t


@program
def star_of_a_dict_that_is_another_one_after_it_in_a_loop(x):
    growing = Growing(x)
    t = 0.0
    for _ in range(2):
        t = t + scaled(**growing.given) * x[0]
        growing.give_another(x[1])
    return t


@program
def star_of_a_dict_that_a_branch_may_have_exchanged(x):
    growing = Growing(x)
    if x[0] > 100.0:
        growing.give_another(x[1])
    return scaled(**growing.given)


class Doubling:
    def __init__(self, x):
        self.k = x[0]

    @property
    def doubled(self):
        self.k = self.k * 2
        return self.k


@program
def table_of_a_property_that_binds_what_stands_beside_it(x):
    one = Doubling(x)
    t = 0.0
    for i, u, w in [(0, one.doubled, one.k), (1, one.doubled, one.k)]:
        t = t + x[i] * u * w
    return t


@program
def property_that_binds_what_the_statement_reads(x):
    one = Doubling(x)
    y = [one.k, one.doubled, one.k, one.doubled]
    return y[0] * y[1] + y[2] * y[3] + one.k * one.doubled * one.k


@program
def generator_of_a_property_that_binds(x):
    one = Doubling(x)
    each = (v * one.doubled for v in x)
    k = one.k
    return sum(each) * k


def double(values):
    values *= 2


def doubled(values):
    return (v * 2 for v in values)


class Waiting:
    def __init__(self, x):
        self.k = x[0]
        self.parts = [x[0], x[1]]

    def up(self):
        self.k = self.k * 3

    def grow(self, v):
        self.parts.append(v)

    def doubled(self):
        return (v * 2 for v in self.parts)


@program
def generator_of_an_array_that_a_helper_changes(x):
    y = x * 1.0
    each = (v * 2 for v in y)
    double(y)
    return sum(each)


@program
def generator_of_an_array_of_which_a_view_changes(x):
    y = x * 1.0
    rest = y[1:]
    each = (v * 2 for v in y)
    double(rest)
    return sum(each)


@program
def generator_of_a_list_that_a_helper_makes_longer(x):
    parts = [x[0], x[1]]
    each = (v * 2 for v in parts)
    grow(parts, x[2])
    return sum(each)


@program
def generator_of_an_attribute_that_a_method_binds(x):
    waiting = Waiting(x)
    each = (v * waiting.k for v in x)
    waiting.up()
    return sum(each)


@program
def generator_that_a_method_returns_of_what_another_one_changes(x):
    waiting = Waiting(x)
    each = waiting.doubled()
    waiting.grow(x[2])
    return sum(each)


@program
def generator_that_a_function_returns_of_what_changes(x):
    y = x * 1.0
    each = doubled(y)
    double(y)
    return sum(each)


@program
def generator_that_is_given_to_what_changes_its_list(x):
    parts = [x[0], x[1]]

    def grown(each):
        parts.append(x[2])
        return sum(each)

    return grown(v * 2 for v in parts)

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


# None, or a number, before a list or a dict


@program
def best_so_far(x):
    best = None
    for v in x:
        if best is None or v > best[0]:
            best = (v, v * v)
    u = best
    return best[0] * u[1]


@program
def list_made_at_the_first_trip(x):
    l = None
    t = 0.0
    for i in range(2):
        if l is None:
            l = [x[0], x[1]]
        w = l
        t += w[0] * w[1]
    return t


@program
def pairs_made_of_pairs(x):
    lo = hi = None
    for v in x:
        lo = v if lo is None else lo * v
        hi = (lo, v) if hi is None else (hi[1], lo)
    a = hi
    return a[0] * hi[1]


@program
def number_before_a_list(x):
    l = 0.0
    for i in range(2):
        if i == 0:
            l = [x[0], x[1]]
        w = l
        r = w[0] * l[1]
    return r


class Lazily:

    def __init__(self, x):
        self.x = x
        self._l = None

    def lst(self):
        if self._l is None:
            self._l = [self.x[0], self.x[1]]
        return self._l


@program
def lazily_made_list(x):
    o = Lazily(x)
    return o.lst()[0] * o.lst()[1] * o.lst()[0]


@program
def lazily_made_list_in_a_loop(x):
    o = Lazily(x)
    t = 0.0
    for i in range(2):
        for w in o.lst():
            t += w * w
    return t


@program
def lazily_made_list_of_a_function(x):
    l = None

    def get():
        nonlocal l
        if l is None:
            l = [x[0], x[1]]
        return l
    return get()[0] * get()[1]


@program
def list_of_moments(x):
    s = None
    t = 0.0
    for v in x:
        s = [v, v * v] if s is None else [s[0] * v, s[1] + v]
        p, q = s
        t += p * q
    return t


@program
def list_bound_in_a_trip(x):
    t = 0.0
    for i in range(2):
        if i == 0:
            l = [x[0], x[1]]
        w = l
        t += w[0] * w[1]
    return t


@program
def dict_made_at_the_first_trip(x):
    st = None
    t = 0.0
    for v in x:
        if st is None:
            st = {'m': v, 'v': v * v}
        w = st
        t += w['m'] * st['v']
    return t


class Begun:

    def __init__(self):
        self.h = None

    def log(self, v):
        if self.h is None:
            self.h = [v]
        else:
            self.h += [v]


@program
def list_that_an_object_begins(x):
    o = Begun()
    for v in x:
        o.log(v * v)
    return sum(o.h) * o.h[-1]


@program
def repeated_list_after_none(x):
    v = None
    t = 0.0
    for i in range(4):
        if v is not None:
            w = v * 2
            t += w[0] * len(w) * w[-1]
        v = [x[0] * i, x[1]]
    return t


@program
def doubled_list_after_none(x):
    n = 3
    p = None
    while n:
        if p:
            q = p + p
            p = [q[0], q[-1]]
        else:
            p = [x[0], x[1]]
        n -= 1
    return p[0] * p[1] * x[2]


# np.where gives an array of numbers, too


@program
def maximum_into_a_list(x):
    p = x[0]
    t = 0.0
    for g in range(2):
        t = t + p
    p = p + t
    o = [np.maximum(p, 0.1)]
    return o[0]


@program
def maximum_into_a_list_in_a_loop(x):
    s = 0.0
    for i in range(3):
        p = np.tanh(x[i])
        t = 0.0
        for g in range(2):
            t = t + p
        q = [np.maximum(p + t, -9.0)]
        s += q[0]
    return s


@program
def maximum_of_sums(x):
    p = x[0]
    t = 0.0
    for g in range(2):
        t = t + p
    return np.maximum(p + t, 0.1)


@program
def max_of_sums(x):
    p = x[0]
    t = 0.0
    for g in range(2):
        t = t + p
    return max(p + t, 0.1)


@program
def maximum_into_an_array(x):
    p = x[0]
    t = 0.0
    y = np.zeros(2)
    for g in range(2):
        t = t + p
    y[0] = np.maximum(p + t, 0.1)
    return y[0] * 2


# Lists that are extended by what they hold


@program
def extended_by_its_last(x):
    v = [x[0]]
    v.extend([0.3, v[-1]])
    return sum(v)


@program
def added_to_by_its_length(x):
    v = [x[0], x[1]]
    v += [x[0], float(len(v)) * x[1]]
    return v[0] + v[2] * v[3]


@program
def extended_by_its_sum(x):
    v = [x[0], x[1]]
    v.extend((x[2], sum(v)))
    return v[0] + v[2] * v[3]


@program
def extended_by_another_name(x):
    v = [x[0], x[1]]
    w = v
    w.extend([x[2], v[-1]])
    return v[3] * v[0] + v[2] * 2.0


class Extended:

    def __init__(s, x):
        s.v = [x[0], x[1]]
        s.a = x[2]

    def go(s):
        s.v += [s.a, s.v[-1]]

    def go2(s):
        s.v.extend([0.3, s.v[-1]])


@program
def attribute_extended_by_its_last(x):
    s = Extended(x)
    s.go()
    s.go2()
    return sum(s.v) * s.v[-1]


@program
def deque_extended_by_its_last(x):
    q = collections.deque([x[0]])
    q.extend([x[2], q[-1]])
    return sum(q) * q[0]


@program
def arrays_extended_by_the_last(x):
    v = [x * 1.0]
    v.extend([x * 2, v[-1] * 3])
    return np.sum(v[2])


@program
def dict_updated_by_an_operator(x):
    d = {'a': x[0], 'b': x[1]}
    d |= {'a': x[2]}
    return d['a'] * d['b']


@program
def extended_by_calls(x):
    v = []
    v.extend([x[0], np.sin(x[1])])
    v += [x[2] * 2, x[1]]
    return v[0] * v[1] + v[2] * v[3]


@program
def slice_of_a_starred_list(x):
    v = [*x]
    v[:2] = [0.5 * x[2], x[1]]
    return v[0] + v[2]


# Attributes that are first stored after an object has got a second name, and that hide what its class holds


class PlainlyMade:

    def __init__(self, x):
        self.k = x[0]


@program
def attribute_stored_by_either_name(x):
    a = PlainlyMade(x)
    b = a
    a.z = x[0]
    b.z = x[1]
    return a.z * b.z


def marked(x):
    s = PlainlyMade(x)
    t = s
    t.q = x[0]
    s.q = s.q * 2
    return t


@program
def attribute_stored_by_either_name_in_a_helper(x):
    s = marked(x)
    return s.q * x[1]


class MarkingAnother:

    def __init__(self, m):
        self.m = m

    def mark(self, v):
        self.m.tag = v


@program
def attribute_stored_by_a_holder(x):
    s = PlainlyMade(x)
    n = MarkingAnother(s)
    n.mark(x[0])
    s.tag = x[1]
    return n.m.tag * x[2]


@program
def attribute_stored_by_two_holders(x):
    s = PlainlyMade(x)
    n = MarkingAnother(s)
    k = MarkingAnother(s)
    n.mark(x[0])
    k.mark(x[1] * x[2])
    return n.m.tag * k.m.tag


class HoldingAnother:

    def __init__(self, o):
        self.o = o

    def go(self, v):
        self.o.z = v


@program
def attribute_that_a_holder_begins(x):
    o = PlainlyMade(x)
    w = HoldingAnother(o)
    w.go(x[1])
    o.z = o.z * x[2]
    return o.z * o.k


def the_same(o):
    return o


@program
def attribute_stored_by_what_a_function_gives_back(x):
    a = PlainlyMade(x)
    b = the_same(a)
    b.z = x[1]
    a.z = a.z * x[2]
    return b.z * a.k


@program
def attributes_of_two_objects(x):
    a, b = (PlainlyMade(x), PlainlyMade(x * 2))
    a.z = x[0]
    b.z = x[1]
    return a.z * b.z * a.k * b.k


class HidingAtFirst:

    def __init__(self, custom):
        if custom:
            self.act = np.tanh

    def act(self, v):
        return v * v


@program
def attribute_that_may_hide_a_method(x):
    return HidingAtFirst(False).act(x[0]) * x[1]


class HiddenLater:

    def __init__(self, x):
        self.k = x[0]

    def act(self, v):
        return v * v * self.k


@program
def attribute_that_hides_a_method_later(x):
    o = HiddenLater(x)
    t = 0.0
    for i in range(3):
        t = t + o.act(x[i])
        o.act = np.cos
    return t


class HeldByTheClass:
    fn = np.sin


@program
def attribute_that_may_hide_a_function(x):
    o = HeldByTheClass()
    if x[0] < 0:
        o.fn = np.cos
    return o.fn(x[1])


class Exchanging:
    pass


@program
def functions_in_three_attributes_that_take_turns(x):
    o = Exchanging()
    o.a, o.b, o.c = np.sin, np.cos, np.tanh
    s = 0.0
    for i in range(4):
        s = s + np.sum(o.a(x) * (i + 1))
        t = o.a
        o.a = o.b
        o.b = o.c
        o.c = t
    return s


@program
def name_of_a_function_that_the_loop_exchanges(x):
    o = Exchanging()
    o.fn = np.sin
    s = 0.0
    for _ in range(3):
        f = o.fn
        s = s + np.sum(f(x))
        o.fn = np.cos
    return s


class OfItsClass:
    factor = 2.0


def tripled(o, x):
    o.factor = 3.0


def tripled_at_times(o, x):
    if x[1] > 5:
        o.factor = x[1] * 3.0


def applied(x, change):
    o = OfItsClass()
    s = 0.0
    for _ in range(3):
        s = s + np.sum(o.factor * x * x)
        change(o, x)
    return s


# Lists that are not seen to be lists where they are sorted


def three_of(x):
    return [x[1], x[0] * x[2], x[2] - 3]


@program
def list_of_another_function_sorted(x):
    parts = three_of(x)
    parts.sort()
    return parts[0] * 2 + parts[1] * parts[2]


@program
def lists_sorted_in_a_loop(x):
    for parts in [three_of(x), three_of(x * 2)]:
        parts.sort()
    return parts[0] * 2 + parts[1] * parts[2]


@program
def list_in_a_list_sorted(x):
    rows = [[x[0], x[1]], [x[2], x[0] * x[1]]]
    rows[0].sort()
    return rows[0][0] * 2 + rows[0][1] * rows[1][0]


# Complex numbers that come of real ones

TURNING = np.array([[0.0, 1.0], [-2.0, 0.0]])


@program
def stability_of_a_step(x):
    lam = np.linalg.eigvals(TURNING)
    z = x[0] * lam
    return np.sum(np.abs(1 + z + z**2 / 2))


@program
def eigenvectors_of_a_constant(x):
    lam, v = np.linalg.eig(TURNING)
    return (x[0] * lam[0] * np.conj(x[1] * lam[0] + x[2])).real + np.sum(np.abs(v @ x[:2]))


@program
def eigenvalues_and_a_real_path(x):
    return np.sum(np.abs(x[:2] * np.linalg.eigvals(TURNING))) + x[0] * x[1]


@program
def roots_of_constants(x):
    k = np.roots([1, 0, 1])
    m = np.polynomial.polynomial.polyroots([3, 0, 1])
    return np.abs(1 / (x[0] - k[0])) + np.abs(x[1] - np.poly1d([1, 0, 2]).r[0]) + np.abs(x[2] - m[1])


@program
def square_roots_of_negative_constants(x):
    return np.abs(x[0] - np.emath.sqrt(-2.0)) + abs(x[1] - cmath.sqrt(-2)) + abs((-1.0) ** 0.5 * x[2] + x[1])


@program
def root_of_unity(x):
    w = (-1) ** (2 / 3)
    return abs(x[0] + w * x[1] + w**2 * x[2])


def frequencies():
    return np.linalg.eigvals(TURNING)


@functools.lru_cache
def frequencies_once():
    return frequencies()


@program
def frequencies_that_helpers_give(x):
    return np.sum(np.abs(frequencies() * x[:2] + x[1])) * np.sum(np.abs(frequencies_once() * x[1:] + x[0]))


@program
def matrix_square_root(x):
    linalg = pytest.importorskip("scipy.linalg")
    return np.sum(np.abs(linalg.sqrtm(TURNING) @ x[:2]))


@program
def power_with_a_negative_exponent(x):
    k = 3
    y = np.full(3, 2**-k)
    y[0] = x[0]
    z = np.full(3, 2**-1)
    z[1] = x[1]
    return np.sum(y * z * x)


@program
def complex_dtypes_by_their_codes(x):
    z = np.zeros(3, dtype="c16")
    z[:] = x - 2
    return np.sum(np.abs(np.sqrt(z) + x)) + np.sum(np.abs(np.sqrt((x - 2).astype("D")) + 1))


QUEUE = collections.deque([1j, 2.0])
QUADRATIC = np.polynomial.Polynomial([2.0, 1.0, 3.0])
RECORD = np.array([(1j,)], dtype=[("z", complex)])


class Unit(enum.Enum):
    SIDE = 1j + 0.5


@program
def complex_numbers_from_outside(x):
    total = 0.0
    for w in (QUADRATIC.roots()[0], list(QUEUE)[0], RECORD["z"][0], Unit.SIDE.value, pow(-2.0, 0.5)):
        s = w * x[0] + x[1]
        total = total + np.abs(s) + np.abs(s * s) * x[2]
    return total


# Tests that are no truth value


class Body(NamedTuple):
    place: float
    speed: float = 1.0


@program
def named_tuple_as_a_test(x):
    body = Body(x[0])
    total = body.place**2 if body else x[1]
    while (x[1], body) and total < 5:
        total = total * 2
    return total


@dataclasses.dataclass
class Started:
    place: float
    scale: dataclasses.InitVar[float] = 2.0

    def __post_init__(self, scale):
        self.scaled = self.place * scale


@program
def dataclass_that_begins_with_a_value(x):
    return Started(x[0]).scaled * Started(x[1], x[2]).scaled


class Rated:
    def __init__(self, rate):
        self.rate = rate
        self.schedule = lambda t: self.rate

    def decay(self):
        self.schedule = lambda t: self.rate / (1 + t)


@program
def lambda_of_an_object_exchanged_in_a_loop(x):
    rated, p = Rated(x[0]), x[1]
    for t in range(4):
        p = p - rated.schedule(t) * p**2
        if t == 1:
            rated.decay()
    return p


@program
def lambda_of_an_object_exchanged_in_a_branch(x):
    o = Exchanging()
    o.f = lambda v: v * x[0]
    if x[1] < 0:
        pass
    else:
        o.f = lambda v: v * x[1]
    return o.f(x[2])


class OwnMethod:
    def __init__(self, k):
        self.k = k
        self.measure = self.scaled

    def scaled(self, v):
        return v * self.k


@program
def method_kept_as_an_attribute_of_its_own(x):
    return OwnMethod(x[0]).measure(x[1]) * OwnMethod(x[1]).scaled(x[2])


@program
def bound_after_it_is_listed_where_nobody_goes(x):
    if x[-2] > 5:
        for _ in range(2):
            rows[-1] = [x[1] * 2, late]  # noqa: F821
        late = rows[0][0]  # noqa: F821
        rows = [[late, x[1]]]  # noqa: F841
    return np.sum(np.arctan(x))


# The largest of pairs, which Python compares entry by entry


@program
def largest_pair_of_a_generator(x):
    v, i = max((v, i) for i, v in enumerate(x))
    return v * x[i - 1]


@program
def largest_of_listed_pairs(x):
    pairs = []
    for i in range(3):
        pairs.append((x[i], x[i - 1] ** 2))
    return np.sum(max(pairs)) * np.sum(min((x[0], 1.0), (x[1], x[2])))


@program
def smallest_of_lists(x):
    rows = [[x[0], x[1]], [x[1], x[2]]]
    total = sum(np.linalg.norm(rows[k]) for k in range(2))
    return total * np.sum(min(rows))


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


@pytest.mark.parametrize("change", [tripled, tripled_at_times], ids=lambda function: function.__name__)
def test_attributes_of_a_class_that_an_argument_stores_to(change: Callable[..., Any]) -> None:
    (slope,) = reference(applied, (X.copy(), change), {}, (0,)).slopes.values()
    for mode in ("compiled", "eager"):
        np.testing.assert_allclose(sourcediff.grad(applied, mode=mode)(X.copy(), change), slope, rtol=1e-5, atol=1e-7)


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


# An argument in a list that has another name, by which it changes


def doubled_by_another_name(x, y):
    held = [x, y]
    v = x
    v += v
    return x[1] + np.sum(y * 1.0) + 0.0 * held[0][0]


def named_twice_and_stored(x, y):
    held = [x, y]
    v = y
    y[0], y = (1.0, y)
    return 0.5 * v[2] + held[1][0] + x[0]


@pytest.mark.parametrize("function", [doubled_by_another_name, named_twice_and_stored], ids=lambda function: function.__name__)
def test_arguments_in_lists_that_change_by_another_name(function: Callable[..., Any]) -> None:
    expected = reference(function, (X.copy(), 2 * X), {}, (0,))
    (slope,) = expected.slopes.values()
    for mode in ("compiled", "eager"):
        try:
            np.testing.assert_allclose(sourcediff.grad(function, mode=mode)(X.copy(), 2 * X), slope, rtol=1e-5, atol=1e-7)
        except SourcediffError as refusal:
            assert refusal.places
