"""Loops that are left within one another, results that a function remembers, exceptions by the way taken: right or refused."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest

import sourcediff

X = np.array([0.3, 0.7, 0.2])


def left_between_parts(x):
    total = 0.0
    for v in itertools.chain((1, 2), (3, 4), (5,)):
        if v == 2:
            break
        total = total + v * x[0] ** 2
    return total


def left_by_a_number(x):
    total = 0.0
    for v in itertools.chain(x, x * 2):
        if v > 0.5:
            break
        total = total + v * x[0]
    return total


def left_between_loops(x):
    total = 0.0
    for v in (10 * i + j for i in (1, 2) for j in (1, 2)):
        if v == 12:
            break
        total = total + v * x[0] ** 2
    return total


def left_between_pairs(x):
    total = 0.0
    for i, j in itertools.product(range(len(x)), range(len(x))):
        if x[i] * x[j] > 0.2:
            break
        total = total + x[i] * (j + 1)
    return total


def left_between_lists(x):
    total = 0.0
    for v in itertools.chain.from_iterable([x, 2 * x]):
        if v > 0.5:
            break
        total = total + v**2
    return total


def left_while_it_grows(x):
    total, parts = 0.0, [x[0], x[1]]
    for v in itertools.accumulate(parts):
        total = total + v**2
        if len(parts) < 5:
            parts.append(x[2])
    return total


def a_while_within_running_sums(x):
    total, parts = 0.0, [x[0]]
    parts.extend(x)
    for v in itertools.accumulate(parts):
        k = 0
        while k * v < 2:
            k += 1
            total = total + v**2
    return total


def a_remembered_array_that_changes(x):
    @functools.cache
    def scaled(k):
        return x * k

    total = 0.0
    for k in (1, 1, 2):
        row = scaled(k)
        row += 1
        total = total + np.sum(row**2)
    return total


def one_that_changes_in_the_next_trip(x):
    @functools.cache
    def scaled(k):
        return x * k

    total, row = 0.0, x * 1
    for k in range(4):
        row[0] += 1
        row = scaled(k // 2)
        total = total + np.sum(row**2)
    return total


def rows_of_one(x):
    @functools.cache
    def scaled(k):
        return np.outer(x, x) * k

    total = 0.0
    for k in (1, 1):
        for row in scaled(k):
            row += 1
            total = total + np.sum(row**2)
    return total


def one_that_counts(x):
    calls = []

    @functools.cache
    def scaled(k):
        calls.append(k)
        return x[k] ** 2

    return scaled(0) + scaled(0) + scaled(1) * len(calls)


def a_missing_key_by_the_way_taken(x):
    given, total = {"a": x[0]}, 0.0
    for k in range(3):
        try:
            if x[0] > 0.1 * k:
                total += given["b"]
            total += x[1]
        except KeyError:
            total += x[2] ** 2
    return total


def a_missing_key_in_an_else(x):
    given, total = {"a": x[0]}, x[1] ** 2
    try:
        total += given["a"]
    except KeyError:
        total += 10.0
    else:
        total += given["b"]
    return total


class Holder:
    def __init__(self, row):
        self.row = row


def an_attribute_stored_again(x):
    holder, total = Holder(x), 0.0
    for _ in range(3):
        first, *others = [v * 2 for v in holder.row]
        total = total + first * len(others) * x[0]
        holder.row = x[:2]
    return total


def no_number_any_more(x):
    scale, total = 2.0, 0.0
    for _ in range(3):
        total = total + np.sum(x * (scale if isinstance(scale, (float, np.ndarray)) else 100.0))
        scale = x * total
    return total


def a_fresh_entry_of_a_state(x):
    state, total = {}, 0.0
    for k in range(3):
        last = state.setdefault("w", np.zeros_like(x))
        state["w"] = last = 0.5 * last + x * k
        total = total + np.sum(last**2)
    return total


PROGRAMS = [value for name, value in list(globals().items()) if callable(value) and getattr(value, "__module__", "") == __name__
            and not isinstance(value, type)]
RAISES = {a_missing_key_in_an_else}


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_it_is_right_or_refused(f):
    try:
        found = sourcediff.grad(f, mode="compiled")(X.copy())
    except sourcediff.SourcediffError:
        return
    assert f not in RAISES
    expected = [(f(X + step) - f(X - step)) / 2e-6 for step in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("f", [left_between_pairs, a_remembered_array_that_changes],
                         ids=lambda f: f.__name__)
def test_what_is_refused_says_why(f):
    with pytest.raises(sourcediff.SourcediffError, match=r"within one another|what a function remembers|decorator"):
        sourcediff.grad(f, mode="compiled")(X.copy())


def test_a_word_that_changes_is_taken_apart_again(monkeypatch):
    gradient = sourcediff.grad(taken_apart, mode="compiled")
    assert gradient(0.5) == pytest.approx(1.0)
    monkeypatch.setitem(globals(), "WORDS", "3 2")
    assert gradient(0.5) == pytest.approx(6.0)


WORDS = "1"


def taken_apart(x):
    total = 1.0
    for word in WORDS.split():
        total *= int(word) * x
    return total


def test_a_file_may_have_the_name_of_a_module_of_pythons(tmp_path, monkeypatch):
    (tmp_path / "pipes.py").write_text(
        "class Pipe:\n    def __init__(self, d):\n        self.d = d\n\n    def area(self):\n        return self.d ** 2\n\n\n"
        "def f(x):\n    return sum(pipe.area() for pipe in [Pipe(x), Pipe(2 * x)])\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(__import__("sys").modules, "pipes", raising=False)
    import pipes

    assert sourcediff.grad(pipes.f, mode="compiled")(0.5) == pytest.approx(5.0)
    monkeypatch.delitem(__import__("sys").modules, "pipes")
