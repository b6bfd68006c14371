"""Kinds of state: how each begins, how it changes, and what is read of it.

The statements may use an array ``x`` and its item ``e`` of number ``i``, a number ``t``, and a sum ``s``.
"""

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    """How a state begins, how it changes, and an expression of it; each a text of statements with ``;`` or new lines between them."""

    begin: str
    change: str
    read: str


PREAMBLE = '''
from collections import Counter, defaultdict, deque, namedtuple
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

Pair = namedtuple("Pair", "a b")
TABLE = {"a": np.sin, "b": np.tanh}
DATA = [(0, 0.53), (1, 1.21), (2, 0.74)]


@dataclass
class Point:
    a: float
    b: float

    def area(self):
        return self.a * self.b


class Ranked(Point):
    def __lt__(self, other):
        return self.a * self.b < other.a * other.b


@dataclass
class Knot:
    a: float
    to: object


class Log:
    def __init__(self, a):
        self.a, self.all = a, [a]

    def up(self, z):
        self.a = self.a * 0.5 + z
        self.all.append(z)


class Cell:
    def __init__(self, w):
        self.w, self.calls = w, 0

    def __call__(self, z):
        self.calls += 1
        self.w = self.w * 0.9 + z
        return self.w.sum()

    def __add__(self, other):
        return Cell(self.w + other)

    @property
    def total(self):
        return self.w.sum()


class Net:
    def __init__(self, a):
        self.cells, self.log = {"u": Cell(np.array([a, 1.0])), "v": Cell(np.array([2.0, a]))}, []

    def step(self, z):
        for name, cell in self.cells.items():
            cell.w[0] += z if name == "u" else z * 2
        self.log.append(self.cells["u"].w.sum())


def area(a, b):
    return a * b


def scaled(d, z):
    d["a"] = d["a"] * z
    return d


def store(a, z):
    a[0] = a[1] * z


def exchange(a, b, z):
    a[0], b[1] = b[1] * z, a[0]
    return a


def walk(a, z):
    for k in range(len(a)):
        a[k] *= z
        yield a[k]
'''

NUMBERS = {
    "a number": Kind("p = 1.0", "p = p * 0.5 + t * e", "p"),
    "two numbers": Kind("p, q = t, 2.0", "p, q = q * e, p", "p - q * q"),
    "a word": Kind("p = 'a'", "p = 'b'", "TABLE[p](t)"),
    "a flag": Kind("p = False", "p = True", "(t if p else t ** 2)"),
    "a count": Kind("p = 0", "p += 1", "x[p % 3] * t"),
    "None": Kind("p = None", "p = e * t if p is None else p + e", "(t if p is None else p * t)"),
    "a function": Kind("p = np.sin", "p = np.tanh", "p(t)"),
    "a lambda": Kind("p = lambda z: z * t", "p = lambda z, w=e * t: z * w", "p(2.0)"),
    "a lambda's variable": Kind("p = lambda z: z * s", "s = s + e * t * 0.1", "p(2.0)"),
    "a generator": Kind("p = (z * t for z in x)", "s = s + 0.1", "sum(p)"),
    "a nonlocal": Kind("p = 1.0\ndef up(z):\n    nonlocal p\n    p = p * z + t\n    return p", "s = s + 0.1 * up(e)", "p * t"),
    "a walrus": Kind("p = t", "s = s + (p := p * e) * p", "p * t"),
    "a conditional pair": Kind("p = t; q = 1.0", "p, q = (q * e, p) if p > q else (p, q + e)", "p - q * q"),
}

TUPLES = {
    "a pair of literals": Kind("p = (1.0, 2.0)", "p = (t * e, p[0] * t)", "p[0] * p[1]"),
    "a pair": Kind("p = (1.0, t)", "p = (p[1] * e, t + e)", "p[0] * p[1]"),
    "a pair in a pair": Kind("p = (1.0, (t, 2.0))", "p = (p[1][0] * e, (t + e, p[0]))", "p[0] * p[1][0] * p[1][1]"),
    "a pair around a pair": Kind("p = (1.0, (t, 2.0))", "p = (p[0] * e, p[1])", "p[0] * p[1][0] * p[1][1]"),
    "a pair or None": Kind("p = None", "p = (e * t, t) if p is None else (p[1] + e, t)", "(t if p is None else p[0] * t)"),
    "the best pair": Kind("p = (10.0, None)", "if e < p[0]: p = (e, t)", "p[0] * (t if p[1] is None else p[1])"),
    "a named pair": Kind("p = Pair(1.0, t)", "p = Pair(p.b * e, t + e)", "p.a * p.b"),
    "a named pair replaced": Kind("p = Pair(1.0, t)", "p = p._replace(a=p.b * e)", "p.a * p.b"),
    "a pair with an array": Kind("p = (np.array([1.0, t]), t)", "p = (p[0] * e, p[1] + e)", "p[0].sum() * p[1]"),
    "a pair with an object": Kind("p = (Point(1.0, t), t)", "p = (Point(p[1], e), p[0].a)", "p[0].area() * p[1]"),
    "objects in a pair": Kind("p = (Point(1.0, t), Log(t))", "p[0].a += e; p[1].up(e * p[0].a)", "p[0].area() * p[1].a"),
    "a list in a pair": Kind("p = ([1.0, t], t)", "p[0][0] += e * t; p[0].append(e)", "sum(p[0]) * p[1]"),
    "a dict in a named pair": Kind("p = Pair({'a': t, 'b': 1.0}, t)", "scaled(p.a, e); p.a['b'] += p.a['a']", "p.a['a'] * p.a['b'] * p.b"),
    "an array in a pair": Kind("p = (np.array([1.0, t]), t)", "p[0][0] += e * t; p[0][1] *= e", "p[0].sum() * p[1]"),
    "objects in a pair in a pair": Kind("p = (t, (Log(t), Point(t, 1.0)))", "for q in p[1]: q.a = q.a * e + t", "p[1][0].a * p[1][1].a"),
    "a nonlocal in a pair": Kind(
        "q = t\ndef up(z):\n    nonlocal q\n    q = q * z + t\n    return q\np = (up, lambda z: q * z)", "s = s + 0.1 * p[0](e)",
        "p[1](t)"),
    "a pair that an object holds": Kind("p = Knot(t, (Log(t), Point(t, 1.0)))", "p.to[0].up(e); p.to[1].b += p.to[0].a", "p.to[1].area()"),
    "pairs zipped": Kind("p = [t, 1.0]; q = [2.0, t]", "p, q = zip(*[(a * e, b) for a, b in zip(p, q)])", "p[0] * q[1]"),
}

DICTS = {
    "a dict made anew": Kind("p = {'a': 1.0, 'b': t}", "p = {'a': p['b'] * e, 'b': t + e}", "p['a'] * p['b']"),
    "an entry": Kind("p = {'a': 1.0, 'b': t}", "p['a'] = p['b'] * e", "p['a'] * p['b']"),
    "an entry of two names": Kind("p = {'a': 1.0, 'b': t}; q = p", "q['a'] = p['b'] * e", "p['a'] * p['b']"),
    "a dict and its copy": Kind("p = {'a': 1.0, 'b': t}; q = p", "p = {**p, 'b': t * e}", "p['b'] - q['b'] * p['a']"),
    "a dict merged": Kind("p = {'a': t}", "p = p | {'a': p['a'] * e}", "p['a'] * t"),
    "a late entry": Kind("p = {'a': 1.0}", "p['b'] = p['a'] * e * t", "p.get('b', t)"),
    "an entry taken out": Kind(
        "p = {'a': t, 'b': 1.0}", "z = p.pop('a') * e; p['a'] = z", "sum(v * (k + 1) for k, v in enumerate(p.values()))"),
    "an entry in a function": Kind("p = {'a': t, 'b': 1.0}", "q = scaled(p, e)", "p['a'] * t"),
    "an entry of a copy": Kind("p = {'a': t, 'b': 1.0}; q = p", "q = scaled(dict(p), e)", "p['a'] * q['a']"),
    "a memo": Kind("p = {}", "if i not in p: p[i] = e * t", "sum(p.values())"),
    "a memo with a default": Kind("p = {}", "p[i] = p.get(i, t) * e", "sum(p.values()) * t"),
    "a memo of pairs": Kind("p = {}", "p[i, int(e * 2)] = e * t", "sum(v * (k[0] + 1) for k, v in p.items())"),
    "lists in a dict": Kind(
        "p = {'a': [t, 1.0], 'b': [2.0, t]}", "p['a'][0], p['b'][1] = p['b'][1] * e, p['a'][0]", "p['a'][0] * p['b'][1]"),
    "lists in a dict in turn": Kind(
        "p = {'a': [t, 1.0], 'b': [2.0, t]}", "for k, v in p.items(): v[0] = v[1] * e", "p['a'][0] * p['b'][0]"),
    "a list under two keys": Kind("l = [t, 1.0]; p = {'a': l, 'b': l}", "p['a'][0] = p['b'][1] * e + p['b'][0]", "p['b'][0] * l[0]"),
    "a list that grows in a dict": Kind("p = {'a': [t], 'b': 1.0}", "p['a'].append(e * t); p['b'] = p['b'] * e", "sum(p['a']) * p['b']"),
    "a list by setdefault": Kind("p = {}", "p.setdefault('k', []).append(e * t)", "sum(p.get('k', [t]))"),
    "an array in a dict": Kind("p = {'w': np.array([1.0, t, 2.0]), 'b': t}", "p['w'][1] += e * p['b']", "p['w'].prod()"),
    "an array made anew in a dict": Kind("p = {'w': np.array([1.0, t]), 'b': t}", "p['w'] = p['w'] * e; p['w'][0] = t", "p['w'].prod()"),
    "an array in a dict and outside": Kind(
        "w = np.array([1.0, t, 2.0]); p = {'w': w, 'b': t}", "p['w'][1] += e * p['b']", "w.prod() + p['w'].sum()"),
    "an array that leaves a dict": Kind(
        "w = np.array([1.0, t, 2.0]); p = {'w': w}", "p['w'] = p['w'] * e; w[0] = t * 0.5", "w.prod() + p['w'].sum()"),
    "views in a dict": Kind(
        "p = np.outer([1.0, t], [t, 2.0, 1.0]); q = {'a': p[0], 'b': p[:, 1]}", "q['a'][:] = q['b'][0] * e + p[1]", "p.prod()"),
}

LISTS = {
    "a list made anew": Kind("p = [1.0, t]", "p = [p[1] * e, t + e]", "p[0] * p[1]"),
    "an item": Kind("p = [1.0, t]", "p[1] = p[0] * e + t", "p[0] * p[1]"),
    "an item of two names": Kind("p = [1.0, t]; q = p", "q[1] = p[0] * e + t", "p[0] * p[1]"),
    "a list that grows": Kind("p = [t]", "p.append(p[-1] * e)", "sum(p) * p[-1]"),
    "a list of pairs": Kind("p = []", "p.append((e, t))", "sum(a * b for a, b in p)"),
    "a list with a star": Kind("p = [1.0, t]", "p = [*p, e]", "p[-1] * len(p) * p[1]"),
    "a queue": Kind("p = [t, 1.0, 2.0]", "p.append(p.pop(0) * e)", "p[0] * p[1]"),
    "a slice": Kind("p = [t, 1.0, 2.0]", "p[1:] = [p[0] * e, p[1]]", "p[0] * p[1] * p[2]"),
    "an insertion": Kind("p = [t, 1.0, 2.0]", "p.insert(0, p[-1] * e)", "p[0] * p[1] * p[2]"),
    "a reversal": Kind("p = [t, 1.0, 2.0]", "p.reverse(); p[0] = p[0] * e", "p[0] * p[1] + p[2]"),
    "items in turn": Kind("p = [t, 1.0, 2.0]", "for k, v in enumerate(p): p[k] = v * e + p[k - 1]", "p[0] * p[1] + p[2]"),
    "a list sorted": Kind("p = [(1.0, t), (t, 2.0)]", "p = sorted([*p, (e, t * e)])[:2]", "p[0][1] * p[1][0]"),
    "one row twice": Kind("p = [[t] * 2] * 2", "p[0][1] = p[1][0] * e", "p[1][1] * p[0][0]"),
    "a chain of targets": Kind("p = np.array([1.0, t, 2.0]); q = [t, 1.0]", "p[0] = q[1] = q[0] * e", "p.prod() * q[1]"),
    "a nonlocal list": Kind(
        "p = [t]\ndef up(z):\n    p[0] = p[0] * z + t\n    p.append(z)\n    return p[-1]", "s = s + 0.1 * up(e)", "p[0] * sum(p)"),
    "arrays in a list": Kind("p = [np.array([1.0, t]), np.array([t, 3.0])]", "for w in p: w *= e", "p[0].sum() * p[1].prod()"),
    "one array of a list": Kind(
        "p = [np.array([1.0, t]), np.array([t, 3.0])]", "p[1][0] = p[0][1] * e; p[0] = p[0] * t", "p[0].sum() * p[1].prod()"),
    "an array of a list and a name": Kind("p = [np.array([t, 3.0])]; q = p[0]", "q[0] = p[0][1] * e + t", "q.sum() * p[0].prod()"),
}

OBJECTS = {
    "an object made anew": Kind("p = Point(1.0, t)", "p = Point(p.b * e, t + e)", "p.area()"),
    "an attribute": Kind("p = Point(1.0, t)", "p.a = p.b * e", "p.area()"),
    "an attribute of two names": Kind("p = Point(1.0, t); q = p", "q.a = p.b * e", "p.area()"),
    "an object replaced": Kind("p = Point(1.0, t); q = p", "p = replace(p, a=p.b * e)", "p.area() + q.a"),
    "a method": Kind("p = Log(t)", "p.up(e)", "p.a * sum(p.all)"),
    "two objects in turn": Kind("p = Point(1.0, t); q = Point(t, 2.0)", "p, q = q, p; p.a = q.b * e", "p.area() + q.a"),
    "one object of two": Kind("p = Point(1.0, t); q = Point(t, 2.0)", "r = p if e > 1.0 else q; r.a *= t", "p.area() * q.area()"),
    "objects in a list": Kind("p = [Point(1.0, t), Point(t, 2.0)]", "for o in p: o.a = o.b * e", "p[0].area() * p[1].a"),
    "one object of a list": Kind("p = [Point(1.0, t), Point(t, 2.0)]", "p[0] = Point(e, t)", "p[0].area() * p[1].a"),
    "an array of an object": Kind("p = Cell(np.array([1.0, t]))", "p.w[1] += e * p.w[0]", "p.total * p.w[1]"),
    "an array of an object and a name": Kind("w = np.array([1.0, t]); p = Cell(w)", "p.w[1] += e * p.w[0]", "p.total * w[1]"),
    "an array that leaves an object": Kind("w = np.array([1.0, t]); p = Cell(w)", "p.w = p.w * e; w[1] = t * e", "p.total * w[1]"),
    "an object called": Kind("p = Cell(np.array([1.0, t]))", "s = s + p(e)", "p.total * p.calls"),
    "an object added to": Kind("p = Cell(np.array([1.0, t])); q = p", "p = p + e", "p.total * q.total"),
    "an object added to in place": Kind("p = Cell(np.array([1.0, t])); q = p", "p += e", "p.total * q.total"),
    "objects in an object": Kind("p = Net(t)", "p.step(e)", "p.cells['u'].total * p.cells['v'].w[0] + sum(p.log)"),
    "an object of an object": Kind("p = Net(t); q = p.cells['u']", "p.step(e); q.w[1] *= e", "p.cells['u'].total * q.w[1]"),
    "a new object of an object": Kind("p = Net(t)", "p.cells['u'] = Cell(p.cells['v'].w * e)", "p.cells['u'].total * p.cells['v'].total"),
    "objects of an object in turn": Kind(
        "p = Net(t)", "p.cells['u'], p.cells['v'] = p.cells['v'], p.cells['u']; p.cells['u'].w[0] *= e",
        "p.cells['u'].total - p.cells['v'].total"),
}

ARRAYS = {
    "an array made anew": Kind("p = np.array([1.0, t])", "p = p * e + t", "p.sum()"),
    "an element": Kind("p = np.array([1.0, t])", "p[1] = p[0] * e + t", "p.prod()"),
    "an array of two names": Kind("p = np.array([1.0, t]); q = p", "q *= e", "p.prod()"),
    "a view": Kind("p = np.array([1.0, t, 2.0]); q = p[1:]", "q[0] = e * t", "p.prod()"),
    "a view with steps": Kind("p = np.array([1.0, t, 2.0]); q = p[::2]", "q += e; p[0] *= t", "p.prod() * q.sum()"),
    "a view bound anew": Kind("p = np.array([1.0, t, 2.0]); q = p[1:]", "q = q * e", "p.prod() * q.sum()"),
    "the array of a view bound anew": Kind("p = np.array([1.0, t]); q = p[1:]", "p = p * e; q[0] = t * e", "p.prod() * q.sum()"),
    "a transposed array": Kind("p = np.outer([1.0, t], [t, 2.0]); q = p.T", "q[0] = p[1] * e", "p.prod() + q[0, 1]"),
    "a reshaped array": Kind("p = np.outer([1.0, t], [t, 2.0]); q = p.reshape(-1)", "q[2] = p[0, 1] * e", "p.prod() + q[0]"),
    "two arrays in turn": Kind("p = np.array([1.0, t]); q = np.zeros(2)", "q[:] = p * e; p, q = q, p", "(p - q * q).sum()"),
    "rows": Kind("p = np.outer([1.0, t], [t, 2.0])", "for row in p: row[1] = row[0] * e", "p.sum() * p[0, 1]"),
    "rows in a list": Kind("p = np.outer([1.0, t], [t, 2.0]); q = list(p)", "q[1] *= e", "p.prod()"),
    "one array twice": Kind("p = q = np.array([1.0, t])", "p[0], q[1] = q[1] * e, p[0]", "p.prod()"),
    "one array of two": Kind("p = np.array([1.0, t]); q = np.array([t, 3.0])", "r = p if e > 1.0 else q; r[0] *= t", "p.sum() * q.sum()"),
    "one view of two": Kind("p = np.array([1.0, t])", "r = p[1:] if e > 1.0 else p; r[0] *= t", "p.prod()"),
    "an array in a function": Kind("p = np.array([1.0, t])", "store(p, e)", "p.prod()"),
    "a view in a function": Kind("p = np.array([1.0, t, 2.0])", "store(p[1:], e)", "p.prod()"),
    "a copy in a function": Kind("p = np.array([1.0, t, 2.0])", "store(p.copy(), e); store(p[[1, 2]], e)", "p.prod()"),
    "two arrays in a function": Kind("p = np.array([1.0, t]); q = np.array([t, 2.0])", "q = exchange(p, q, e)", "p.prod() * q.sum()"),
    "one array twice in a function": Kind("p = np.array([1.0, t])", "exchange(p, p, e)", "p.prod()"),
    "two views in a function": Kind("p = np.array([1.0, t, 2.0])", "exchange(p[1:], p[:2], e)", "p.prod()"),
    "an array in a generator": Kind("p = np.array([1.0, t])", "for z in walk(p, e): s = s + z * 0.1", "p.prod()"),
    "an array in a generator that is left": Kind(
        "p = np.array([1.0, t])", "for z in walk(p, e):\n    s = s + z * 0.1\n    if z > 1.03: break", "p.prod()"),
    "elements by an array": Kind("p = np.array([1.0, t])", "p[np.array([0, 0, 1])] += e", "p.prod()"),
    "elements by a mask": Kind("p = np.array([1.0, t])", "p[p > 1.11] *= e", "p.prod()"),
    "a copy by a mask": Kind("p = np.array([1.0, t]); q = p[p > 1.11]", "q *= e", "p.prod() * q.sum()"),
    "the least element": Kind("p = x * t", "k = int(np.argmin(p)); p[k] = p[k] + e * t", "p.prod()"),
    "an out array": Kind("p = np.array([1.0, t])", "np.multiply(p, e, out=p)", "p.prod()"),
}

BY_KEYS = {
    "a sum by default": Kind("p = defaultdict(float)", "p[i % 2] += e * t", "sum(v * (k + 1) for k, v in p.items())"),
    "a sum of pairs by default": Kind(
        "p = defaultdict(float)", "p[i, int(e * 2)] += e * t", "sum(v * (k[0] + k[1]) for k, v in p.items())"),
    "a count of pairs": Kind("p = Counter()", "p[i % 2, 1] += e", "sum(v * (k[0] + 1) for k, v in p.items()) * t"),
    "a list by default": Kind("p = defaultdict(list)", "p[i % 2].append(e * t)", "sum(sum(v) * (k + 1) for k, v in p.items())"),
    "a list of pairs by default": Kind(
        "p = defaultdict(list)", "p[i, 1].append((e, t))", "sum(a * b * k[0] for k, v in p.items() for a, b in v)"),
    "a dict by default": Kind("p = defaultdict(dict)", "p[i % 2]['a'] = e * t", "sum(v['a'] * (k + 1) for k, v in p.items())"),
    "an entry that is scaled": Kind("p = {0: t, 1: 2.0}", "p[i % 2] *= e", "p[0] * p[1]"),
    "an entry in an entry": Kind("p = {'a': {'b': t, 'c': 1.0}}", "p['a']['b'] += e * p['a']['c']", "p['a']['b'] * t"),
    "an entry of a word": Kind("p = {'a': t, 'b': 1.0}", "k = 'a' if e > 1.0 else 'b'; p[k] += e", "p['a'] * p['b']"),
    "an item that is scaled": Kind("p = [t, 2.0, 1.0]", "p[i % 3] *= e", "p[0] * p[1] - p[2]"),
    "items exchanged": Kind("p = [t, 2.0, 1.0]", "k = i % 3; p[0], p[k] = p[k] * e, p[0]", "p[0] * p[1] - p[2]"),
    "an item of a row": Kind("p = [[t, 1.0], [2.0, t]]", "p[i % 2][1] += e", "p[0][1] * p[1][1]"),
    "a row of rows": Kind("p = [[t, 1.0], [2.0, t]]", "p[i % 2] = [e, p[1][0]]", "p[0][1] * p[1][0] + p[0][0]"),
    "an item taken out": Kind("p = [t, 2.0, 1.0, t]", "q = p.pop(i % 2); p.append(q * e)", "sum(p) * p[0]"),
    "a tail": Kind("p = [t, 2.0, 1.0]", "p = p[i % 2:] + [e]", "sum(p) * p[0]"),
    "a window": Kind("p = deque([t, 1.0], maxlen=2)", "p.append(e * p[0])", "p[0] * p[1]"),
    "a set": Kind("p = set()", "p.add(i % 2)", "len(p) * t"),
    "an element by an index": Kind("p = np.array([1.0, t, 2.0])", "p[i % 3] = p[0] * e + t", "p.prod()"),
    "an element of a matrix": Kind("p = np.outer([1.0, t], [t, 2.0])", "p[i % 2, 1] += p[1, i % 2] * e", "p.prod()"),
    "a row of a matrix": Kind("p = np.outer([1.0, t], [t, 2.0])", "p[i % 2] = p[:, 1] * e", "p.sum() * p[0, 0]"),
    "a row of a matrix and a name": Kind("p = np.outer([1.0, t], [t, 2.0])", "q = p[i % 2]; q *= e", "p.sum() * p[0, 0]"),
    "an array by a key": Kind("p = {0: np.array([1.0, t]), 1: np.array([t, 2.0])}", "p[i % 2][0] += e", "p[0].sum() * p[1].prod()"),
    "an array made anew by a key": Kind(
        "p = {0: np.array([1.0, t]), 1: np.array([t, 2.0])}; q = p[0]", "p[i % 2] = p[i % 2] * e", "p[0].sum() * p[1].prod() + q.sum()"),
    "an object by a key": Kind("p = {0: Point(1.0, t), 1: Point(t, 2.0)}", "p[i % 2].a *= e", "p[0].area() * p[1].a"),
    "an object by a key and a name": Kind(
        "p = {0: Point(1.0, t), 1: Point(t, 2.0)}", "q = p[i % 2]; q.b = q.a + e", "p[0].area() * p[1].b"),
    "an object by an index": Kind("p = [Point(1.0, t), Point(t, 2.0)]", "p[i % 2].a += p[1 - i % 2].b * e", "p[0].area() * p[1].a"),
    "objects in order": Kind("p = [Point(1.1, t), Point(t, 2.0)]", "p.sort(key=lambda o: o.a); p[0].a += e * 0.37", "p[0].area() * p[1].a"),
    "the object of the largest": Kind(
        "p = [Point(1.1, t), Point(t, 2.0)]", "q = max(p, key=lambda o: o.a * o.b); q.a *= 0.3 + e", "p[0].area() * p[1].a"),
    "objects in the order of their class": Kind(
        "p = [Ranked(1.1, t), Ranked(t, 2.0), Ranked(0.9, t)]", "q = sorted(p); q[1].a = q[0].b * e + 0.1",
        "p[0].area() * p[1].a + min(p).b"),
    "the best object so far": Kind(
        "p = [Point(1.1, t), Point(t, 2.0)]; q = p[0]", "for o in p:\n    if o.a * o.b > q.a * q.b: q = o\nq.a = q.a * e + 0.3",
        "p[0].area() * p[1].a + q.b"),
    "an object or none": Kind(
        "p = [Point(1.1, t), Point(t, 2.0), Point(0.7, 1.0)]; q = None",
        "for o in p:\n    if o.a > e and (q is None or o.a < q.a): q = o\nif q is not None: q.b += e * t",
        "p[0].area() * p[1].b + (t if q is None else q.area())"),
    "an object and the one before": Kind(
        "p = [Point(1.1, t), Point(t, 2.0), Point(0.7, 1.0)]; q = r = p[0]",
        "for o in p:\n    if o.a > q.a * e: q, r = o, q\nr.b *= e; q.a += 0.1", "p[0].area() * p[1].b + r.b * q.a"),
    "objects in a chain": Kind(
        "p = [Knot(1.0, None), Knot(t, None), Knot(0.5, None)]; p[0].to = p[2]; p[2].to = p[1]; q = p[0]",
        "q.a = q.a * e + 0.1\nif q.to is not None: q = q.to", "sum(o.a * (k + 1) for k, o in enumerate(p)) + q.a"),
    "a queue of objects": Kind(
        "p = [Point(1.1, t), Point(t, 2.0), Point(0.7, 1.0)]", "o = p.pop(0); o.b += e * t; p.append(o)", "p[0].area() * p[1].b + p[2].a"),
    "objects that change lists": Kind(
        "p = [Point(1.0, t), Point(t, 2.0), Point(0.5, t)]; q = []", "if p: o = p.pop(); o.a = o.a * e + 0.1; q.append(o)",
        "sum(o.area() for o in p) + sum(o.a * (k + 1) for k, o in enumerate(q))"),
    "objects that come and go": Kind(
        "p = []", "p = [o for o in p if o.a > 0.6]; p.append(Point(e, t)); p[0].b *= 0.9",
        "sum(o.area() * (k + 1) for k, o in enumerate(p))"),
    "an object in two lists": Kind(
        "o = Point(1.0, t); p, q = [o], []", "q.append(o); o.a = o.a * e; o = Point(e, o.a); p.append(o)",
        "sum(o.area() for o in p) + sum(o.a for o in q)"),
    "objects that refer to others": Kind(
        "p = [Knot(1.0, None)]", "p.append(Knot(e, p[-1])); p[-1].to.a *= t", "sum(o.a * (1.0 if o.to is None else o.to.a) for o in p)"),
    "objects that are made by others": Kind(
        "p = [Point(1.0, t)]", "p += [Point(o.b, o.a * e) for o in p[:2]]", "sum(o.area() * (k + 1) for k, o in enumerate(p))"),
    "places of objects": Kind(
        "p = [None] * 3", "o = p[i % 3]; p[i % 3] = Point(e, t if o is None else o.a)", "sum(o.area() for o in p if o is not None)"),
    "an object that is made by a key": Kind(
        "p = {}", "p.setdefault(i % 2, Point(t, 1.0)).a += e", "sum(o.area() * (k + 1) for k, o in p.items())"),
    "a list of an object by a key": Kind("p = {0: Log(t), 1: Log(1.0)}", "p[i % 2].up(e * t)", "sum(p[0].all) * p[1].a + len(p[1].all)"),
    "a function by a key": Kind("p = {0: np.sin, 1: np.tanh}", "s = s + p[i % 2](e * t)", "p[1](t)"),
}

KEPT = {
    "lambdas in a list": Kind("p = []", "p.append(lambda z, w=e: z * w)", "sum(f(t) * (k + 1) for k, f in enumerate(p))"),
    "lambdas and numbers": Kind("p = []", "p.append((e, i, lambda z: z * t))", "sum(f(v) * (k + 1) for v, k, f in p)"),
    "lambdas in a dict": Kind("p = {}", "p[i] = lambda z, w=e, k=i: z * w + k", "sum(f(t) * (k + 1) for k, f in p.items())"),
    "partials in a list": Kind("p = []", "p.append(partial(area, e))", "sum(f(t) * (k + 1) for k, f in enumerate(p))"),
    "methods in a list": Kind("p = []", "p.append(Point(e, t).area)", "sum(f() * (k + 1) for k, f in enumerate(p))"),
    "an inner function": Kind("p = None", "def p(z, w=e): return z * w + i", "(t if p is None else p(t))"),
    "objects in a list that grows": Kind("p = []", "p.append(Point(e, t * i))", "sum(o.area() * (k + 1) for k, o in enumerate(p))"),
    "objects that refer to the last one": Kind(
        "p = Point(1.0, None)", "p = Point(e * t, p)", "p.a * (t if p.b is None else p.b.a)"),
    "rows of numbers": Kind("p = []", "p.append([i, e]); p[0][1] = p[-1][1] * t", "sum(k * v + v for k, v in p)"),
    "the last two": Kind("p = q = t", "p, q = e, p", "p * q + q"),
    "an item kept": Kind("p = None", "p = e", "(t if p is None else p * t)"),
    "an index kept": Kind("p = -1", "p = i", "x[p] * t"),
}

KINDS = NUMBERS | TUPLES | DICTS | LISTS | OBJECTS | ARRAYS | BY_KEYS | KEPT
