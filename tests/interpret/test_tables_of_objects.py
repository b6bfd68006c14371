"""Tables of objects in modules, chosen among by names and by members of enumerations: their words are watched, and known."""

from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import pytest
from scipy import integrate, optimize

import sourcediff

X = np.array([1.2, 0.7, 1.9, 0.4])


class Kind(Enum):
    A = "a"
    B = "b"


class Phase(Enum):
    ON = 1
    OFF = 2


@dataclass
class Part:
    name: str
    mass: float
    kind: Kind = Kind.A
    on: bool = True
    sub: Any = None

    def weigh(self, x):
        return self.mass * x


class Shape:
    n_nodes = 2

    def area(self, x):
        return x[:self.n_nodes].sum()


class Triangle(Shape):
    n_nodes = 3

    def area(self, x):
        return x[:3].prod()


PARTS = [Part("a", 1.0), Part("b", 2.0, Kind.B), Part("c", 3.0)]


def chosen_in_a_loop(x):
    heavy = []
    for p in PARTS:
        if p.kind is Kind.B:
            heavy.append(p)
    return sum(np.sum(p.weigh(x) ** 2) for p in heavy)


def chosen_in_a_comprehension(x):
    heavy = [p for p in PARTS if p.name != 'b']
    return sum(np.sum(p.weigh(x) ** 2) for p in heavy)


def next_of_a_name(x):
    p = next(p for p in PARTS if p.name == 'b')
    return np.sum(p.weigh(x) ** 2)


def find(name):
    for p in PARTS:
        if p.name == name:
            return p
    raise KeyError(name)


def found_by_a_helper(x):
    return np.sum(find('c').weigh(x) ** 2)


def a_dict_by_names(x):
    by = {p.name: p for p in PARTS}
    return sum(np.sum(by[k].weigh(x) ** 2) for k in ('a', 'c'))


def groups_by_members(x):
    groups = defaultdict(list)
    for p in PARTS:
        groups[p.kind].append(p)
    return sum((np.sum(p.weigh(x)) ** 2 * (1 if k is Kind.A else 3) for k, ps in groups.items() for p in ps))


def numbers_of_classes(x):
    total = 0.0
    for s in (Shape(), Triangle()):
        total += s.area(x) * (2.0 if s.n_nodes == 3 else 1.0)
    return total


def members_as_keys(x):
    rates = {Kind.A: x[0], Kind.B: x[1]}
    return sum(rates[p.kind] * p.mass for p in PARTS)


def states_of_a_machine(x):
    state = Phase.ON
    out = 0.0
    for k in range(4):
        if state is Phase.ON:
            out = out + x[k] ** 2
            state = Phase.OFF
        else:
            out = out * x[k]
            state = Phase.ON
    return out


def none_and_a_number(x):
    best = None
    for p in PARTS:
        v = np.sum(p.weigh(x))
        if best is None or v > best:
            best = v
    return best ** 2


def matched_members(x):
    match PARTS[1].kind:
        case Kind.A:
            return np.sum(x)
        case Kind.B:
            return np.sum(x ** 2)


def functions_by_members(x):
    fs = {Kind.A: np.sin, Kind.B: np.cos}
    return sum(np.sum(fs[p.kind](x * p.mass)) for p in PARTS)


def pairs_of_objects(x):
    pairs = [(a, b) for i, a in enumerate(PARTS) for b in PARTS[i + 1:]]
    return sum((a.mass * b.mass * np.sum(x) ** 2 for a, b in pairs))


def combinations_of_objects(x):
    return sum((a.mass * b.mass * np.sum(x) ** 2 for a, b in itertools.combinations(PARTS, 2)))


def a_tree_on_a_stack(x):
    stack = [(0, 1.0)]
    total = 0.0
    children = {0: [1, 2], 1: [3], 2: [], 3: []}
    while stack:
        node, w = stack.pop()
        total = total + w * x[node] ** 2
        for c in children[node]:
            stack.append((c, w * 0.5))
    return total


def lists_by_remainders(x):
    hist = {}
    for k in range(4):
        hist.setdefault(k % 2, []).append(x[k] ** 2)
    return sum(np.prod(v) for v in hist.values())


def a_dict_of_zipped_names(x):
    names = [p.name for p in PARTS]
    vals = dict(zip(names, x))
    return vals['a'] * vals['c'] + vals.get('z', 1.0)


TABLES = [
    chosen_in_a_loop, chosen_in_a_comprehension, next_of_a_name, found_by_a_helper, a_dict_by_names, groups_by_members,
    numbers_of_classes, members_as_keys, states_of_a_machine, none_and_a_number, matched_members, functions_by_members,
    pairs_of_objects, combinations_of_objects, a_tree_on_a_stack, lists_by_remainders, a_dict_of_zipped_names,
]


def slopes(f, x=X, step=1e-6):
    return [(f(x + h) - f(x - h)) / (2 * step) for h in step * np.eye(len(x))]


def is_right(gradient, f, x=X, step=1e-6, rtol=1e-5):
    value, found = gradient(x.copy())
    np.testing.assert_allclose(value, f(x.copy()), rtol=1e-9)
    np.testing.assert_allclose(found, slopes(f, x, step), rtol=rtol, atol=1e-6)


@pytest.mark.parametrize("f", TABLES)
def test_it_is_compiled_and_right(f):
    is_right(sourcediff.value_and_grad(f, mode="compiled"), f)


def by_name(x):
    return np.sum(next(p for p in PARTS if p.name == "b").mass * x)


def by_kind(x):
    rates = {Kind.A: x[0] ** 2, Kind.B: x[1]}
    return sum(rates[p.kind] * p.mass for p in PARTS if p.on)


def by_what_is_within(x):
    return sum(x[i] * p.sub.mass if p.sub is not None and p.sub.name == "z" else x[i] ** 2 for i, p in enumerate(PARTS))


def test_changed_words_are_seen():
    before = PARTS[:]
    gradients = {f: sourcediff.value_and_grad(f, mode="compiled") for f in (by_name, by_kind, by_what_is_within)}

    def all_are_right():
        for f, gradient in gradients.items():
            is_right(gradient, f)

    try:
        PARTS[:] = [Part("a", 1.0), Part("b", 2.0, Kind.B), Part("c", 3.0)]
        all_are_right()
        PARTS[0].name, PARTS[1].name = "b", "x"
        all_are_right()
        PARTS[2].kind, PARTS[1].on = Kind.B, False
        all_are_right()
        PARTS.append(Part("q", 7.0))
        all_are_right()
        PARTS[0], PARTS[3] = Part("zz", 1.0), Part("b", 11.0)
        all_are_right()
        PARTS.pop(0)
        PARTS[1].sub = Part("z", 5.0)
        all_are_right()
        PARTS[1].sub.name = "y"
        all_are_right()
    finally:
        PARTS[:] = before


CURRENT = PARTS[0]


def by_another_name(x):
    p = CURRENT
    return sum(q.mass for q in PARTS if q.name == "a") * (x[0] if p.name == "a" else x[1]) + (x[2] if CURRENT.kind is Kind.A else x[3])


def test_an_object_by_another_name_is_no_entry_of_a_table(monkeypatch):
    gradient = sourcediff.value_and_grad(by_another_name, mode="compiled")
    for part in PARTS:
        monkeypatch.setitem(globals(), "CURRENT", part)
        is_right(gradient, by_another_name)


@dataclass
class Gas:
    a: float
    b: object

    def p(self, v, T):
        return T / (v - self.b[0]) - self.a / v ** 2

    def root(self, T, P):
        return optimize.newton(lambda v: self.p(v, T) - P, 3.0, tol=1e-12)


class Model:

    def __init__(self, k):
        self.k = k
        self.log = []

    def rhs(self, t, y):
        return -self.k * y

    def run(self, y0, t1):
        sol = integrate.solve_ivp(self.rhs, (0.0, t1), y0, rtol=1e-09, atol=1e-11)
        return sol.y[:, -1]

    def runs(self, y0):
        for t1 in (0.5, 1.0):
            y0 = self.run(y0, t1)
        return y0


def root_in_a_method(x):
    g = Gas(x[0], x[1:])
    return g.root(2.0, 0.4) ** 2


def roots_in_a_loop(x):
    g = Gas(x[0], x[1:])
    total = 0.0
    for T in (2.0, 2.1, 2.3):
        total = total + g.root(T, 0.3 + 0.1 * T) * T
    return total


def flow_in_a_method(x):
    return np.sum(Model(x[:2]).run(x[1:3], 1.0) ** 2)


def flows_after_another(x):
    return np.sum(Model(x[:2]).runs(x[1:3]) ** 2)


def flows_of_a_changed_object(x):
    m = Model(x[0])
    v = m.run(x[1:3], 0.7)
    m.k = m.k * 2 + x[1]
    w = m.run(v, 0.7)
    return np.sum(w ** 2)


def areas_by_a_helper(x):

    def area(c):
        return integrate.quad(lambda t: np.exp(-c * t * x[1]), 0.0, 1.0)[0]
    return sum(area(c) * c for c in x)


def roots_by_a_helper_of_a_helper(x):
    g = Gas(x[0], x[1:])

    def at(T):
        P = 0.1 * T + x[2] * 0.1
        return g.root(T, P)
    vals = [at(T) for T in np.array([2.0, 2.5])]
    if vals[0] > vals[1]:
        return vals[0] * x[0]
    return vals[1] * x[1]


SOLVED = [
    root_in_a_method, roots_in_a_loop, flow_in_a_method, flows_after_another, flows_of_a_changed_object, areas_by_a_helper,
    roots_by_a_helper_of_a_helper,
]


@pytest.mark.parametrize("f", SOLVED)
def test_solvers_in_methods_and_helpers(f):
    is_right(sourcediff.value_and_grad(f, mode="compiled"), f, np.array([0.9, 0.3, 0.4]), 1e-5, 2e-4)


def test_solvers_in_methods_are_found_again(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCEDIFF_CACHE_DIR", str(tmp_path))
    at = np.array([0.9, 0.3, 0.4])
    sourcediff.cache.forget()
    first = sourcediff.grad(root_in_a_method, mode="compiled")(at)
    before = sourcediff.cache.info()
    sourcediff.cache.forget()
    again = sourcediff.grad(root_in_a_method, mode="compiled")(at)
    after = sourcediff.cache.info()
    np.testing.assert_array_equal(first, again)
    assert after.misses == before.misses and after.disk_hits > before.disk_hits
