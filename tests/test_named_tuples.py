"""Named tuples in what is differentiated, and under other names: judged by numbers."""

from __future__ import annotations

import types
from collections import namedtuple
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import sourcediff
from sourcediff.checks.numeric import vector
from sourcediff.errors import SourcediffError

Pair = namedtuple("Pair", "a b")
MODES = ("compiled", "eager")


class Layer(NamedTuple):
    w: np.ndarray
    b: float
    scale = 2.0

    def __call__(self, h):
        return np.tanh(h * self.w + self.b)

    @property
    def size(self):
        return self.scale * np.sum(self.w ** 2)


def x() -> np.ndarray:
    return np.array([1.1, 2.0, 0.7])


def pairs() -> list[Any]:
    return [Pair(x(), 0.2), Pair(x() + 1, 0.3)]


def layers() -> list[Any]:
    return [Layer(x(), 0.2), Layer(x() + 1, 0.3)]


# Within lists, tuples and dicts that are differentiated


def layer_by_layer(ls, h):
    for q in ls:
        h = np.tanh(h * q.a + q.b)
    return np.sum(h)


def called_layer_by_layer(ls, h):
    for q in ls:
        h = q(h)
    return np.sum(h) + ls[0].size


def by_position(ls):
    s = 0.0
    for q in ls:
        s += np.sum(q[0] * q[1])
    return s


def energy(q):
    return np.sum(q.a ** 2) * q.b


def summed_by_a_helper(ls):
    return sum(energy(q) for q in ls)


def unpacked_and_read(ls):
    s = 0.0
    for w, b in ls:
        s += np.sum(w) * b
    return s + ls[0].b ** 2


def of_an_entry(d):
    return np.sum(d["q"].a) * d["l"]


def of_a_branch(d):
    return np.sum(d["q"].a) if d["q"].b > 1 else d["q"].b


def under_keys_that_look_alike(d):
    return d[1].b * np.sum(d["1"].a)


def in_a_list_in_another(n):
    return np.sum(n.a[0].a) * n.b


def in_another_in_a_dict(d):
    return np.sum(d["q"].a.a) * d["q"].b * d["q"].a.b


def replaced_and_read(d):
    q = d["q"]._replace(b=3.0)
    return np.sum(q.a) * q.b + d["q"].b


def changed_in_place(d):
    d["q"].a[0] = d["q"].b
    return np.sum(d["q"].a ** 2)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("function", "args"), [
    (layer_by_layer, lambda: (pairs(), x())), (layer_by_layer, lambda: (tuple(pairs()), x())),
    (called_layer_by_layer, lambda: (layers(), x())), (by_position, lambda: (pairs(),)), (summed_by_a_helper, lambda: (pairs(),)),
    (unpacked_and_read, lambda: (pairs(),)),
    (of_an_entry, lambda: ({"q": Pair(x(), 2.0), "l": 3.0},)), (of_a_branch, lambda: ({"q": Pair(x(), 2.0)},)),
    (under_keys_that_look_alike, lambda: ({1: Pair(x(), 2.0), "1": Pair(x() + 1, 3.0)},)),
    (in_a_list_in_another, lambda: (Pair([Pair(x(), 1.0)], 2.0),)), (in_another_in_a_dict, lambda: ({"q": Pair(Pair(x(), 1.0), 2.0)},)),
    (replaced_and_read, lambda: ({"q": Pair(x(), 2.0)},)), (changed_in_place, lambda: ({"q": Pair(x(), 2.0)},)),
], ids=lambda part: part.__name__)
def test_named_tuples_in_what_is_differentiated(function: Callable[..., Any], args: Callable[[], Any], mode: str) -> None:
    sourcediff.check_grads(function, *args(), mode=mode)
    (given, *_), (found, *_) = args(), sourcediff.vjp(function, *args(), mode=mode)[1](1.0)
    assert_alike(found, given)
    assert_alike(sourcediff.grad(function, mode=mode)(*args()), given)


def assert_alike(found: Any, given: Any) -> None:
    """That a gradient has the structure of an argument."""
    assert type(found) is type(given)
    if isinstance(given, (dict, list, tuple)):
        assert len(found) == len(given)
        for one, other in zip(*((part.values() if isinstance(part, dict) else part) for part in (found, given))):
            assert_alike(one, other)


def exchanged(ls):
    s = ls[0].b
    ls[0] = Pair(ls[1].a, s)
    return np.sum(ls[0].a) * s


def turned_round(ls):
    ls.reverse()
    return np.sum(ls[0].a)


@pytest.mark.parametrize("function", [exchanged, turned_round], ids=lambda function: function.__name__)
def test_named_tuples_that_are_exchanged_are_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(SourcediffError):
        sourcediff.grad(function, mode="compiled")(pairs())


# Under other names


def pair() -> Any:
    return Pair(x(), 2.0)


TABLE = {"q": pair()}


def by_a_second_name(k, n):
    q = n
    return np.sum(q.a * q[1]) * k


def one_in_another(k, n):
    m = n.b
    return np.sum(m.a) * m.b * k + m[1] * k


def from_a_dict(k, d):
    q = d["q"]
    return np.sum(q.a * k) + q.b


def from_a_dict_unpacked_too(k, d):
    q = d["q"]
    a, b = q
    return np.sum(a) * k * b * q.b


def from_a_dict_outside(k, n):
    q = TABLE["q"]
    return np.sum(q.a) * k * n.b


def one_or_none(k, n):
    q = n if k > 0 else None
    return np.sum(q.a * q[1]) * k


def one_or_another(k, ns):
    best = ns[0]
    for q in ns:
        if q.b > best.b:
            best = q
    return np.sum(best.a) * k


def put_into_a_list(k, n):
    parts = [n, k]
    return np.sum(parts[0].a) * parts[1]


def put_into_a_list_alone(k, n):
    parts = []
    parts.append(n)
    return np.sum(parts[0].a) * k


def put_into_a_dict(k, n):
    d = dict(u=n)
    return np.sum(d["u"].a) * d["u"].b * k


def two_of_them_in_a_list(k, n):
    parts = [n.b, n.a]
    return np.sum(parts[0].a) * parts[1] * k


def given_to_an_inner_function(k, n):
    def inner(q, s):
        return np.sum(q.a) * s

    return inner(n, k) + inner(s=k, q=n)


def named_again_in_a_helper(k, n):
    def helper(q):
        r = q
        return r

    again = helper(n)
    return np.sum(again.a) * k * helper(n).b


def made_here(k, n):
    s = Pair(n.a, 2.0)
    q = s
    return np.sum(q.a) * q[1] * k


def made_here_of_what_varies(k, n):
    s = Pair(n.a * k, k)
    q = s
    return np.sum(q.a) * q[1] * q.b


def given_as_a_default(k, n):
    def inner(q=n):
        return q[1] * k

    return inner() + inner(n)


def named_again_in_a_loop(k, ns):
    for q in ns:
        r = q
        k = k * r[1]
    return k


def read_after_a_loop(k, ns):
    q = ns[0]
    for q in ns:
        k = k * q[1]
    return k * q[1]


def read_after_a_loop_alone(k, ns):
    for q in ns:
        k = k * q[1]
    return k + q.b


def taken_as_an_array(k, n):
    return np.stack(n).sum() * np.concatenate(n).sum() * np.dot(*n) * k


def unpacked_in_a_loop(k, n):
    q = n
    for _ in range(3):
        a, b = q
        q = (a * k, b)
    return np.sum(q[0]) * q[1]


@pytest.mark.parametrize(("function", "given"), [
    (by_a_second_name, pair), (one_in_another, lambda: Pair(0.5, pair())), (from_a_dict, lambda: {"q": pair()}),
    (from_a_dict_unpacked_too, lambda: {"q": pair()}), (from_a_dict_outside, pair), (one_or_none, pair), (one_or_another, pairs),
    (put_into_a_list, pair), (put_into_a_list_alone, pair), (put_into_a_dict, pair), (two_of_them_in_a_list, lambda: Pair(0.5, pair())),
    (given_to_an_inner_function, pair), (named_again_in_a_helper, pair), (made_here, pair), (made_here_of_what_varies, pair),
    (unpacked_in_a_loop, pair), (given_as_a_default, pair), (named_again_in_a_loop, pairs), (read_after_a_loop, pairs),
    (read_after_a_loop_alone, pairs), (taken_as_an_array, lambda: Pair(x(), x() + 1)),
], ids=lambda part: part.__name__)
def test_named_tuples_under_other_names(function: Callable[..., Any], given: Callable[[], Any]) -> None:
    assert_right_or_refused(function, (1.5, given()), 0)
    assert_right_or_refused(function, (1.5, given()), 1)


RIGHT = {by_a_second_name, one_in_another, from_a_dict, from_a_dict_unpacked_too, given_to_an_inner_function, made_here, unpacked_in_a_loop,
         given_as_a_default, named_again_in_a_loop, read_after_a_loop, taken_as_an_array}
"""Functions of which the gradient by a named tuple is compiled; that by a number is compiled of nearly all."""


def assert_right_or_refused(function: Callable[..., Any], args: tuple[Any, ...], wrt: int) -> None:
    try:
        sourcediff.check_grads(function, *args, wrt=wrt, mode="compiled")
    except SourcediffError as refusal:
        assert refusal.places
        assert function not in RIGHT
        assert wrt or function in (put_into_a_list, put_into_a_dict)
    sourcediff.check_grads(function, *args, wrt=wrt, mode="eager")


# Their attributes alone


def product(n):
    return np.sum(n.a) * n.b


def product_of_the_inner(n):
    return np.sum(n.a.a) * n.b * n.a.b


def unpacked(n):
    a, b = n
    return np.sum(a) * b + n[1]


def product_of_two(n, m):
    return np.sum(n.a) * m.b


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("function", "wrt", "args", "expected"), [
    (product, "n.a", (pair(),), [2.0, 2.0, 2.0]), (unpacked, "n.b", (pair(),), 4.8),
    (product, ("n.a", "n.b"), (pair(),), ([2.0, 2.0, 2.0], 3.8)),
    (product_of_the_inner, "n.a.a", (Pair(pair(), 3.0),), [6.0, 6.0, 6.0]),
    (product_of_the_inner, "n.a", (Pair(pair(), 3.0),), Pair([6.0, 6.0, 6.0], 11.4)),
    (product_of_the_inner, ("n.a", "n.a.b"), (Pair(pair(), 3.0),), (Pair([6.0, 6.0, 6.0], 11.4), 11.4)),
    (product_of_the_inner, "n.a.b", (types.SimpleNamespace(a=pair(), b=3.0),), 11.4),
    (product_of_two, "n.a", (pair(), pair()), [2.0, 2.0, 2.0]),
], ids=lambda part: getattr(part, "__name__", None))
def test_attributes_of_named_tuples(function: Callable[..., Any], wrt: Any, args: Any, expected: Any, mode: str) -> None:
    found = sourcediff.grad(function, wrt, mode=mode)(*args)
    np.testing.assert_allclose(vector(found), vector(expected))


@pytest.mark.parametrize("mode", MODES)
def test_a_named_tuple_that_is_given_twice(mode: str) -> None:
    def both(ls, n):
        return np.sum(ls[0].a) * n.b + ls[0].b * n.a[0]

    n = pair()
    (first, second), whole = sourcediff.grad(both, (0, 1), mode=mode)([n, n], n)
    np.testing.assert_allclose(vector([first, second, whole]), [2.0, 2.0, 2.0, 1.1, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 3.8])
    np.testing.assert_allclose(vector(sourcediff.grad(both, mode=mode)([n, n], n)), [2.0, 2.0, 2.0, 1.1, 0.0, 0.0, 0.0, 0.0])


def itself(n):
    return n


def itself_read_of_a_list(ls):
    q = ls[0]
    return q


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("function", "given"), [(itself, pair()), (itself_read_of_a_list, [pair()])], ids=["tuple", "list"])
def test_a_named_tuple_that_is_returned_is_one(function: Callable[..., Any], given: Any, mode: str) -> None:
    try:
        value, tangent = sourcediff.jvp(function, (given,), (given,), mode=mode)
    except SourcediffError as refusal:
        assert mode == "compiled" and refusal.places
        return
    assert type(value) is type(tangent) is Pair
    assert type(sourcediff.vjp(function, given, mode=mode)[0]) is Pair


def attribute_of_a_list(rows):
    return np.sum(rows[0].a)


def test_an_attribute_that_a_list_has_not() -> None:
    with pytest.raises(SourcediffError, match="the attribute a"):
        sourcediff.grad(attribute_of_a_list, mode="compiled")([[x()], [x()]])
