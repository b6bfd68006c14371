"""Objects of which a branch makes one, or takes one that is there: one object like the one that is meant; objects as keys."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError

POINTS = (np.array([0.5, 1.2, -0.7]), np.array([-0.5, 1.2, -0.7]), np.array([5.5, 1.2, 0.7]))


class Q:
    def __init__(self, w, v):
        self.w = w
        self.v = v

    def neg(self):
        return Q(-self.w, -self.v)

    def grow(self, k):
        self.w = self.w * k

    def push(self, k):
        self.v[0] = self.v[0] * k


@dataclass
class S:
    q: Q
    z: float


class B:
    def __init__(self, a):
        self.items = [a]
        self.a = a


def as_it_is_or_turned(x):
    q = Q(x[0], x[1:] * 2)
    e = q if q.w >= 0 else q.neg()
    return e.w * np.sum(e.v) ** 2 + q.w


def array_of_one_changes(x):
    q = Q(x[0], x[1:] * 2)
    e = q if q.w >= 0 else q.neg()
    e.v[0] = 7 * x[1]
    return e.w * np.sum(e.v) ** 2 + np.sum(q.v) ** 3


def array_changes_in_a_method(x):
    q = Q(x[0], x[1:] * 2)
    if x[0] > 0:
        e = q
    else:
        e = Q(x[1], x[1:] ** 2)
    e.push(3)
    return e.w * np.sum(e.v) ** 2 + np.sum(q.v) ** 3 * q.w


def objects_in_objects(x):
    s = S(Q(x[0], x[1:] * 2), x[2])
    t = s if x[0] >= 0 else S(s.q.neg(), x[1])
    return t.q.w * np.sum(t.q.v) ** 2 * t.z + s.q.w


def best_of_candidates(x):
    best = Q(x[0], x[1:] * 1.0)
    for k in range(4):
        cand = Q(x[1] * k, x[1:] * k)
        best = cand if cand.w > best.w else best
    return best.w * np.sum(best.v)


def first_changes_and_best(x):
    best = Q(x[0], x[1:] * 1.0)
    first = best
    for k in range(4):
        cand = Q(x[1] * k, x[1:] * k)
        if cand.w > best.w:
            best = cand
    first.w = first.w * 2
    return best.w * np.sum(best.v) * first.w


def array_of_the_other_changes(x):
    q = Q(x[0], x[1:] * 2)
    e = q if q.w >= 0 else q.neg()
    q.v *= 3
    return e.w * np.sum(e.v) ** 2 + np.sum(q.v)


def chosen_twice(x):
    q = Q(x[0], x[1:] * 2)
    e = q if q.w >= 0 else q.neg()
    e = e if e.w > 0.3 else e.neg()
    f = q if e.w > 0.2 else e
    return e.w * np.sum(f.v) ** 2 + np.sum(q.v)


def made_anew_in_a_loop(x):
    s = S(Q(x[0], x[1:] * 2), x[2])
    for k in range(3):
        e = s.q if s.q.w >= 0 else s.q.neg()
        s = S(Q(s.q.w - 0.7 * e.w * x[1], e.v * x[2]), s.z * e.w)
    return s.z + np.sum(s.q.v)


def stored_anew_in_a_loop(x):
    s = S(Q(x[0], x[1:] * 2), x[2])
    for k in range(3):
        e = s.q if s.q.w >= 0 else s.q.neg()
        s.q = Q(s.q.w - 0.7 * e.w * x[1], e.v * x[2])
        s.z = s.z * e.w
    return s.z + np.sum(s.q.v)


def halved_in_a_while_loop(x):
    q = Q(x[0], x[1:] * 2)
    k = 0
    while k < 3:
        if q.w > 1:
            q = Q(q.w / 2, q.v * x[2])
        k += 1
    return q.w * np.sum(q.v)


def stored_to_afterwards(x):
    q = Q(x[0], x[1:] * 2)
    e = q if q.w >= 0 else q.neg()
    q.w = x[1] * 5
    return e.w * np.sum(e.v) ** 2 + np.sum(q.v) ** 3


def updated_afterwards(x):
    q = Q(x[0], x[1:] * 2)
    e = q if q.w >= 0 else q.neg()
    e.w += x[1]
    return e.w * q.w


def the_first_is_updated_afterwards(x):
    q = Q(x[0], x[1:] * 2)
    e = q if q.w >= 0 else q.neg()
    q.w *= 2 * x[1]
    return e.w * np.sum(e.v)


def stored_to_in_a_method(x):
    q = Q(x[0], x[1:] * 2)
    e = q if q.w >= 0 else q.neg()
    e.grow(3)
    return e.w * np.sum(e.v) ** 2 + np.sum(q.v) ** 3 * q.w


def asked_whether_it_is_the_one(x):
    q = Q(x[0], x[1:] * 2)
    e = q if q.w >= 0 else q.neg()
    return e.w * 2 if e is q else e.w * 3


def stored_to_under_another_name(x):
    s = S(Q(x[0], x[1:] * 2), x[2])
    t = s
    u = s if x[0] >= 0 else S(s.q, x[1])
    s.z = x[1] * 4
    return u.z * t.z


def given_another_part(x):
    s = S(Q(x[0], x[1:] * 2), x[2])
    u = s if x[0] >= 0 else S(s.q, x[1])
    s.q = Q(x[1] ** 3, x[1:])
    return u.q.w * s.z


def list_of_one_grows(x):
    b = B(x[0])
    c = b if x[0] > 0 else B(x[1])
    c.items.append(x[2])
    return sum(b.items) * b.items[-1]


class Node:
    __slots__ = ("children", "index", "name")

    def __init__(self, name=None, children=(), index=None):
        self.name = name
        self.children = list(children)
        self.index = index

    @property
    def is_leaf(self):
        return not self.children

    def postorder(self):
        for c in self.children:
            yield from c.postorder()
        yield self


class P:
    def __init__(self, v):
        self.v = v


def tree():
    a, b = (Node("a", index=0), Node("b", index=1))
    return Node(children=[a, b], index=2)


def products_by_node(x):
    p = {}
    t = tree()
    for n in t.postorder():
        if n.is_leaf:
            p[n] = x[n.index]
            continue
        L = 1.0
        for c in n.children:
            L = L * p[c]
        p[n] = L
    return p[t]


def values_by_object(x):
    a, b = (P(x[0]), P(x[1]))
    d = {a: 1.0, b: x[2]}
    if b in d:
        d[b] = d[b] * 2
    return sum((k.v * v for k, v in d.items()))


def sums_by_object(x):
    a, b = (P(x[0]), P(x[1]))
    d = {}
    for o in (a, b, a):
        d[o] = d.get(o, 0.0) + o.v ** 2
    return d[a] * d[b] * len(d)


def objects_that_change(x):
    a, b = (P(x[0]), P(x[1]))
    d = {a: x[1], b: x[2]}
    for k in range(3):
        d[a] = d[a] * x[0]
        a.v = a.v * 2
    return d[a] + a.v


def key_that_is_one_of_two(x):
    a, b = (P(x[0]), P(x[1]))
    c = a if x[0] > 0 else b
    d = {a: x[1], b: x[2]}
    return d[c]


def key_of_one_way(x):
    a = P(x[0])
    d = {a: x[1]}
    if x[0] > 0:
        a = P(x[2])
        d[a] = x[2] ** 2
    return sum((k.v * v for k, v in d.items()))


def by_differences(program, x):
    return [(program(x + d) - program(x - d)) / 2e-6 for d in 1e-6 * np.eye(len(x))]


@pytest.mark.parametrize("program", [
    as_it_is_or_turned, array_of_one_changes, array_changes_in_a_method, objects_in_objects, best_of_candidates, first_changes_and_best,
    array_of_the_other_changes, chosen_twice, made_anew_in_a_loop, stored_anew_in_a_loop, halved_in_a_while_loop, products_by_node,
    values_by_object, sums_by_object, objects_that_change,
])
def test_it_is_compiled(program):
    for x in POINTS:
        value, slopes = sourcediff.value_and_grad(program, mode="compiled")(x)
        assert value == pytest.approx(program(x), rel=1e-12)
        np.testing.assert_allclose(slopes, by_differences(program, x), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("program", [
    stored_to_afterwards, updated_afterwards, the_first_is_updated_afterwards, stored_to_in_a_method, asked_whether_it_is_the_one,
    stored_to_under_another_name, given_another_part,
    list_of_one_grows, key_that_is_one_of_two, key_of_one_way,
])
def test_it_is_left_to_the_eager_engine(program):
    with pytest.raises(SourcediffError):
        sourcediff.grad(program, mode="compiled")(POINTS[0])
    np.testing.assert_allclose(sourcediff.grad(program, mode="eager")(POINTS[0]), by_differences(program, POINTS[0]), rtol=1e-5, atol=1e-7)
