"""Named tuples in what is differentiated, and under other names: judged by numbers."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import sourcediff
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
    (layer_by_layer, lambda: (pairs(), x())), (layer_by_layer, lambda: (tuple(pairs()), x())), (called_layer_by_layer, lambda: (layers(), x())),
    (by_position, lambda: (pairs(),)), (summed_by_a_helper, lambda: (pairs(),)), (unpacked_and_read, lambda: (pairs(),)),
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
