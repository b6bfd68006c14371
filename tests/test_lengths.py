"""Lengths that are easily mistaken: they change from trip to trip, differ on branches, are 1 or 0 when it runs."""

from __future__ import annotations

import contextlib
import inspect
import io
import warnings
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff.analysis.abstraction import abstract
from sourcediff.compiler.nested import begin
from sourcediff.compiler.pipeline import run
from sourcediff.compiler.unit import Request
from sourcediff.dispatch.request import sizes_of
from tests.corpus import CASES
from tests.corpus.judge import copied, reference, wrong_gradient
from tests.lengths import Watched
from tests.sampling import name_of, sampled


def vector(length: int) -> Any:
    return 0.3 + 0.7 * np.cos(1.0 + np.arange(float(length)))


def grows(x: Any) -> Any:
    s = 0.0
    for k in range(3):
        x = np.append(x, 2.0 * x[-1])
        s = s + np.sum(x * np.arange(x.shape[0]))
    return s + np.sum(x**2)


def shrinks(x: Any) -> Any:
    y = x
    s = 0.0
    for k in range(2):
        y = y[1:]
        s = s + np.sum(y**2) * np.sum(x)
    return s + np.sum(y)


def differences(x: Any, times: int) -> Any:
    y = x * x
    for k in range(times):
        y = np.diff(y)
    return np.sum(y**3) + np.sum(x)


def two_that_part(x: Any) -> Any:
    a = np.sin(x)
    b = np.cos(x)
    s = 0.0
    for k in range(2):
        s = s + np.sum(a) * np.sum(b)
        a = a[1:]
    return s + np.sum(a) + np.sum(b * np.max(b))


def one_that_waits(x: Any) -> Any:
    a = np.diff(x)
    b = a * 2.0
    s = 0.0
    for k in range(3):
        b = a * x[k]
        s = s + np.sum(b)
        a = np.append(a, b[0])
    return s + np.sum(a * np.sum(b))


def carried_from_before(x: Any) -> Any:
    last = np.zeros(1)
    s = 0.0
    for k in range(3):
        y = x[k:] * 2.0
        s = s + np.sum(last * y[0]) + np.sum(y)
        last = y**2
    return s + np.sum(last)


def on_branches(x: Any, flag: bool) -> Any:
    if flag:
        y = x[1:]
        z = np.sin(x[1:])
    else:
        y = np.append(x, 1.0)
        z = np.append(x, 2.0)
    w = y * z
    return np.sum(w * y) + np.sum(z)


def on_one_branch(x: Any, flag: bool) -> Any:
    y = x**2
    if flag:
        y = np.sum(y, keepdims=True)
    return np.sum(y * x) + np.sum(y)


def broadcasts_a_one(x: Any, y: Any) -> Any:
    short = x[1:] * 1.5
    other = y[1:] ** 2
    return np.sum(short * other) + np.sum(short + x)


def interiors(x: Any, y: Any) -> Any:
    a, b = x[1:-1], y[1:-1]
    return np.sum(a * b + np.sin(a) - b)


def stores(x: Any, y: Any) -> Any:
    out = np.zeros(y.shape[0])
    out[1:-1] = x[1:-1] * 2.0
    return np.sum(out * y)


def stored_one(x: Any) -> Any:
    out = np.ones(4)
    out[1:3] = x[2:] * 2.0
    return np.sum(out**2)


def stored_in_a_loop(x: Any, y: Any) -> Any:
    a, b = x.copy(), y.copy()
    for k in range(3):
        b[1:-1] = a[1:-1] + 0.3 * a[:-2]
        a[1:-1] = b[1:-1] * b[2:]
    return np.sum(a * a) + np.sum(b)


def ghosts(x: Any, n: int) -> Any:
    u = np.zeros(n + 2)
    u[1:-1] = x
    v = u[2:] - 2 * u[1:-1] + u[:-2]
    w = np.zeros(n)
    w[:] = v
    return np.sum(w * x)


def concatenated(h: Any) -> Any:
    e = np.concatenate((h[:1], h, h[-1:]))
    left, right = e[:-1], e[1:]
    flux = left * right + np.maximum(left, right)
    return np.sum((flux[1:] - flux[:-1]) * h)


def rolled(x: Any) -> Any:
    y = np.concatenate((x[1:], x[:1]))
    return np.sum(np.sin(y) * x)


def interiors_that_differ(a: Any, b: Any, c: Any) -> Any:
    b[1:-1] = a[2:-2] * a[1:-3]
    c = c + 0.0
    c[1:-1] = b[:-2] + b[2:] + c[1:-1] ** 2
    return np.sum(b * b) + np.sum(c) + np.sum(a[3:-1] * c[1:-1])


def within(x: Any, y: Any) -> Any:
    first, last, middle = x[:3], x[-3:], x[1:4]
    s = np.sum(first * last) + np.sum(np.sin(last) ** 2)
    z = np.zeros(x.shape[0])
    z[1:3] = y[1:3]
    k = y.shape[0]
    return s + np.sum(z * z) + np.sum(x[1:k] * y[1:]) + np.sum(middle * np.sum(middle))


def columns_within(a: Any) -> Any:
    x, y = a[:, 0:1], a[:, 2:3]
    d = x.T - x
    return np.sum(d * d) + np.sum(y * np.sin(y)) + np.sum(a[:2, 1:] * a[:2, 1:])


def threes(x: Any, box: Any) -> Any:
    middle = np.array([0.3, 0.2, 0.6])
    s = 0.0
    for i in range(x.shape[0]):
        s = s + np.sum((x[i, 1:] - middle[1:]) ** 2 / box[1:])
    return s


def counted(x: Any, n: int) -> Any:
    m = x.shape[0] - n
    y = x[:m]
    z = x[n:]
    return np.sum(y * z) + np.sum(x[n - 1:] * 2.0)


def windows(x: Any) -> Any:
    s = 0.0
    for i in range(x.shape[0] - 1):
        w = x[i:i + 3]
        s = s + np.sum(w * w) * w[0]
    return s


def ints_that_are_cut(x: Any) -> Any:
    n = x[3:].shape[0]
    y = np.ones(n + 2)
    z = np.ones(x.shape[0] - 1)
    return np.sum(y) * np.sum(z * x[0]) + np.sum(x)


def rows(a: Any) -> Any:
    s = 0.0
    for row in a:
        t = row[1:] * 2.0
        s = s + np.sum(t * t) + np.sum(row)
    return s


def rows_of_what_changes(a: Any) -> Any:
    s = 0.0
    for row in a:
        s = s + np.sum(np.sin(row) * a[0])
        a = a[:, :1] * 1.5
    return s


def rows_of_a_list(a: Any) -> Any:
    parts = [a[0], a[1]]
    s = 0.0
    for row in parts:
        s = s + np.sum(np.sin(row) * parts[0])
        parts = [row[:1] * 2.0, row[:1] * 3.0]
    return s


def lists(x: Any) -> Any:
    parts = []
    for k in range(3):
        parts.append(x[k:] * 2.0)
    s = 0.0
    for p in parts:
        q = p * p
        s = s + np.sum(q * p)
    return s + np.sum(parts[0]) * np.sum(parts[1])


def swaps(x: Any, y: Any) -> Any:
    a, b = np.diff(x), np.diff(y)
    for k in range(3):
        a, b = b * 2.0, a
    return np.sum(a**2) + np.sum(b) * np.sum(a)


def nested(x: Any) -> Any:
    s = 0.0
    y = x
    for i in range(2):
        z = y
        for j in range(2):
            z = np.append(z, z[0] * 2.0)
            s = s + np.sum(z * z)
        y = z[1:]
        s = s + np.sum(y)
    return s


def until(x: Any) -> Any:
    y = x * 1.0
    while y.shape[0] > 1:
        y = y[1:] * y[:-1] if y.shape[0] > 2 else y[1:] * 2.0
    return np.sum(y) + np.sum(x * y)


def last_of_a_loop(x: Any) -> Any:
    y = x
    for k in range(2):
        y = np.sin(y[1:])
        z = y * 2.0
    return np.sum(z * y) + np.sum(np.append(z, y[0]))


def matrices(a: Any, b: Any) -> Any:
    c = a @ b
    d = c[1:, :] * c[:-1, :]
    return np.sum(d @ b.T) + np.sum(c[:, :1] * c)


def columns(a: Any) -> Any:
    m = np.sum(a, axis=0, keepdims=True)
    t = a - m
    u = t[:, 1:] * t[:1, 1:]
    return np.sum(u * u) + np.sum(m)


def masked(x: Any) -> Any:
    y = x[x > 0.0]
    z = x[x > 0.5]
    return np.sum(y * np.sin(y)) + np.sum(z * 2.0) + np.sum(np.outer(y, z))


def every_second(x: Any) -> Any:
    a, b = x[::2] * 2.0, x[1::2]
    c = np.sin(x[::2])
    h = np.zeros(x.shape[0] // 2)
    h[:] = x[:x.shape[0] // 2]
    k = np.concatenate((a[::-2], b[1:]))
    return np.sum(a * c) + np.sum(b * h) + np.sum(k * k) + np.sum(x[1:-1:3] * x[1:-1:3]) + np.sum(h[:1] * h)


def reassigned(x: Any) -> Any:
    y = x[x > 0.0]
    a = y * 2.0
    y = x[x > 0.5]
    b = y * 3.0
    return np.sum(a) * np.sum(b) + np.sum(a[:1] * b)


def updates(x: Any) -> Any:
    y = np.diff(x) * 1.0
    y += x[1:]
    y *= np.sum(y)
    return np.sum(y * np.diff(x))


PROGRAMS = [
    (grows, [(vector(1),), (vector(2),), (vector(4),)]),
    (shrinks, [(vector(1),), (vector(2),), (vector(3),), (vector(5),), (vector(0),)]),
    (differences, [(vector(k), times) for k in (1, 2, 5) for times in (0, 1, 2)]),
    (two_that_part, [(vector(k),) for k in (2, 3, 5)]),
    (one_that_waits, [(vector(k),) for k in (3, 4, 6)]),
    (carried_from_before, [(vector(k),) for k in (3, 4, 6)]),
    (on_branches, [(vector(k), flag) for k in (1, 2, 3) for flag in (True, False)]),
    (on_one_branch, [(vector(k), flag) for k in (0, 1, 2, 3) for flag in (True, False)]),
    (broadcasts_a_one, [(vector(2), vector(2)), (vector(2), vector(4)), (vector(2), vector(5))]),
    (interiors, [(vector(3), vector(6)), (vector(6), vector(3)), (vector(5), vector(5)), (vector(2), vector(2)), (vector(2), vector(3)),
                 (vector(1), vector(1)), (vector(0), vector(1)), (vector(0), vector(0))]),
    (stores, [(vector(5), vector(5)), (vector(3), vector(6)), (vector(3), vector(3)), (vector(2), vector(2)), (vector(3), vector(2)),
              (vector(2), vector(0))]),
    (stored_one, [(vector(3),), (vector(4),)]),
    (stored_in_a_loop, [(vector(5), vector(5)), (vector(3), vector(3)), (vector(2), vector(2))]),
    (ghosts, [(vector(4), 4), (vector(1), 1), (vector(2), 2), (vector(1), 3), (vector(0), 0)]),
    (concatenated, [(vector(k),) for k in (1, 2, 3, 5)]),
    (rolled, [(vector(k),) for k in (0, 1, 2, 3)]),
    (interiors_that_differ, [(vector(7), vector(5), vector(5)), (vector(5), vector(6), vector(6)), (vector(5), vector(3), vector(3)),
                             (vector(8), vector(6), vector(6))]),
    (within, [(vector(6), vector(4)), (vector(4), vector(4)), (vector(3), vector(3)), (vector(4), vector(3))]),
    (columns_within, [(np.outer(vector(a), vector(b)) + 0.1,) for a, b in ((4, 3), (2, 5), (3, 2), (1, 3), (2, 2), (2, 1))]),
    (threes, [(np.outer(vector(4), vector(3)), vector(3)), (np.outer(vector(4), vector(2)), vector(3)),
              (np.outer(vector(4), vector(3)), vector(2)), (np.outer(vector(1), vector(3)), vector(3))]),
    (counted, [(vector(5), 1), (vector(5), 2), (vector(3), 2), (vector(2), 2), (vector(4), 4)]),
    (windows, [(vector(k),) for k in (1, 2, 3, 6)]),
    (ints_that_are_cut, [(vector(k),) for k in (1, 2, 3, 4, 6)]),
    (rows, [(np.outer(vector(a), vector(b)),) for a, b in ((3, 4), (1, 3), (3, 1), (0, 3), (2, 2), (3, 0))]),
    (rows_of_what_changes, [(np.outer(vector(a), vector(b)),) for a, b in ((3, 4), (2, 2), (4, 1))]),
    (rows_of_a_list, [(np.outer(vector(a), vector(b)),) for a, b in ((3, 4), (2, 2), (4, 1))]),
    (lists, [(vector(k),) for k in (3, 4, 6)]),
    (swaps, [(vector(3), vector(5)), (vector(2), vector(3)), (vector(3), vector(2))]),
    (nested, [(vector(k),) for k in (1, 2, 4)]),
    (until, [(vector(k),) for k in (1, 2, 3, 5)]),
    (last_of_a_loop, [(vector(k),) for k in (3, 4, 6)]),
    (matrices, [(np.outer(vector(a), vector(b)) + 0.1, np.outer(vector(b), vector(c)))
                for a, b, c in ((3, 4, 2), (2, 2, 2), (2, 1, 3), (4, 2, 1))]),
    (columns, [(np.outer(vector(a), vector(b)) + 0.1,) for a, b in ((3, 4), (1, 3), (3, 2), (2, 1), (2, 2))]),
    (masked, [(vector(k),) for k in (2, 5, 8)]),
    (every_second, [(vector(k),) for k in (0, 1, 2, 3, 4, 5, 7, 8)]),
    (reassigned, [(vector(k),) for k in (5, 8)]),
    (updates, [(vector(k),) for k in (2, 3, 5)]),
]
CALLS = [(function, args) for function, calls in PROGRAMS for args in calls]


def watched(function: Any, given: dict[str, Any], wrt: tuple[str, ...]) -> Watched:
    """A program, run while what is known of lengths is held against the arrays."""
    known = tuple((name, abstract(value, name)) for name, value in given.items())
    request = Request(wrt, False, True, known, assuming=tuple(sizes_of(given.items()).items()))
    unit = begin(function, request, run, lambda unit: run(unit, "rewrite_views"))
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return Watched(unit, copied(given))


@sampled(2, "function, args", CALLS, ids=lambda part: getattr(part, "__name__", ""), name=lambda call: f"{name_of(call[0])} {call[1]}")
def test_what_is_known_of_lengths_is_so_and_gradients_are_right(function, args):
    names = list(inspect.signature(function).parameters)
    wrt = tuple(k for k, value in enumerate(args) if isinstance(value, np.ndarray))
    assert watched(function, dict(zip(names, args)), tuple(names[k] for k in wrt)).held
    _, gradient = sourcediff.value_and_grad(function, wrt=wrt, mode="compiled")(*copied(args))
    assert not wrong_gradient(gradient, function, copied(args), {}, wrt, reference(function, copied(args), {}, wrt))
    tangents = [np.ones_like(value) if k in wrt else None for k, value in enumerate(args)]
    _, tangent = sourcediff.jvp(function, copied(args), tangents, mode="compiled")
    np.testing.assert_allclose(tangent, sum(map(np.sum, gradient)), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize(("function", "calls"), PROGRAMS, ids=lambda part: getattr(part, "__name__", ""))
def test_lengths_that_mostly_are_equal_need_not_be(function, calls):
    wrt = tuple(k for k, value in enumerate(calls[0]) if isinstance(value, np.ndarray))
    gradient = sourcediff.value_and_grad(function, wrt=wrt, mode="compiled")
    alone = sourcediff.grad(function, wrt=wrt, mode="compiled")
    for args in [*calls, *calls[::-1]]:
        truth = reference(function, copied(args), {}, wrt)
        assert not wrong_gradient(gradient(*copied(args))[1], function, copied(args), {}, wrt, truth)
        assert not wrong_gradient(alone(*copied(args)), function, copied(args), {}, wrt, truth)
        if len(wrt) == len(args):
            _, back = sourcediff.vjp(function, *copied(args))
            assert not wrong_gradient(back(1.0), function, copied(args), {}, wrt, truth)


KEPT_ELSEWHERE = {
    "objects.energy", "objects.stretched", "objects.__call__", "objects.objects_in_objects_from_outside", "handled.left_out_of_a_manager",
    "stars.star_of_an_array", "stars.as_many_as_there_are_parameters", "seen.stars_of_as_many_as_a_class_takes",
    "sequenced.counted_outside", "sequenced.called_for_what_they_change", "opaque.in_c_of_an_array_without_dimensions",
    "lists.extended_in_a_loop", "shaped.rebound_in_a_branch_not_taken", "asked.slice_that_becomes_longer",
}
"""What a call of its own settles (lengths, objects); a dict from outside that the program changes, SciPy's number of an array without
dimensions; lists under two names of which one is not read any more."""


@sampled(16, "case", [case for case in CASES if not case.may_refuse and case.name not in KEPT_ELSEWHERE])
def test_what_is_known_of_lengths_is_so_in_the_corpus(case):
    for size in case.sizes:
        args, kwargs = case.make(size, np.float64)
        bound = inspect.signature(case.function).bind(*args, **kwargs)
        bound.apply_defaults()
        names = list(bound.arguments)
        wrt = [names[k] if isinstance(k, int) else k for k in (case.wrt if isinstance(case.wrt, tuple) else (case.wrt,))]
        with contextlib.suppress(NameError):  # a path leaves a name unbound that is not asked for
            watched(case.function, dict(bound.arguments), tuple(wrt))
