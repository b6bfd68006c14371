"""Containers that are arguments: which entries they have, how long they are and what words are in them is known of each call."""

from __future__ import annotations

import copy
from collections import OrderedDict, namedtuple
from dataclasses import dataclass, replace
from operator import attrgetter, itemgetter
from typing import Any

import numpy as np
import pytest

import sourcediff

X = np.array([0.7, 1.3, 0.4])
DEFAULTS = {"a": 2.0, "b": 3.0, "kind": "linear"}
LEVELS = OrderedDict(low=(0.0, 0.5), high=(0.5, 2.0))
Match = namedtuple("Match", "day one other result")


def linear(x, a):
    return a * x


def square(x, a):
    return a * x**2


def weighed(x, a=1.0, b=2.0):
    return a * np.sum(x**2) + b


KINDS = {"linear": linear, "square": square}


def options_or_none(x, options=None):
    given = {**DEFAULTS, **(options or {})}
    return np.sum(KINDS[given["kind"]](x, given["a"])) * given["b"]


def types_taken_from_copies(x, specs):
    total = 0.0
    for spec in specs:
        spec = dict(spec)
        total = total + np.sum(KINDS[spec.pop("type")](x, **spec))
    return total


def schedule(x, plan, weeks):
    for week in range(weeks.shape[0]):
        for name, options in plan.get(week, ()):
            x = KINDS[name](x, **options)
        x = x * weeks[week]
    return np.sum(x)


def words_of_named_tuples(x, matches):
    rating = {}
    for match in matches:
        if match.one not in rating:
            rating[match.one] = x[0]
        rating[match.other] = rating.get(match.other, x[1]) * match.day + rating[match.one]
        match match.result:
            case "win":
                rating[match.one] = rating[match.one] * x[2]
            case "loss":
                rating[match.other] = rating[match.other] + x[2] ** 2
            case _:
                continue
    return sum(rating.values())


def pair(start, end):
    return [start, end]


def keys_that_are_tuples(x, demand):
    paths = {ends: pair(*ends) for ends in demand}
    total = 0.0
    for ends, flow in demand.items():
        for node in paths[ends]:
            total = total + flow * x[node] ** 2
    return total


def growing_lists_by_key(x):
    found = {name: [] for name in LEVELS}
    for v in x:
        for name, (low, high) in LEVELS.items():
            found[name].append(np.clip(v, low, high) ** 2)
    return sum(np.prod(np.asarray(values)) for values in found.values())


Config = namedtuple("Config", "layers window")


def growing_lists_in_a_list(x, config):
    kept = [[] for _ in range(config.layers)]
    total = 0.0
    for v in x:
        for n in range(config.layers):
            kept[n].append(v * (n + 1))
            if config.window is not None and len(kept[n]) > config.window:
                kept[n].pop(0)
            total = total + np.sum(np.stack(kept[n])) ** 2
    return total


def lists_held_by_one_name(x):
    states, y = {"before": [], "after": []}, x
    for k in (1.0, np.nan, 2.0):
        y = y * x
        states["before"].append(y)
        if not np.isnan(k):
            y = y + x**2
        states["after"].append(y)
    found = {key: np.array(held) for key, held in states.items()}
    after = found["after"].copy()
    for k in reversed(range(len(after) - 1)):
        after[k] += after[k + 1] * found["before"][k]
    return np.sum(found["before"] * after)


def getters(x):
    pairs = [(x[0], 1.0), (x[1], 2.0)]
    return sum(map(itemgetter(0), pairs)) ** 2 + sum(map(attrgetter("real"), [x[2], x[0]]))


COMPILED = [
    (options_or_none, {"kind": "square"}), (options_or_none, None), (options_or_none, {}),
    (types_taken_from_copies, [{"type": "linear", "a": 2.0}, {"type": "square", "a": 1.5}]),
    (schedule, {1: [("linear", {"a": 2.0})], 2: [("square", {"a": 0.5}), ("linear", {"a": 3.0})]}, np.array([1.0, 0.5, 2.0])),
    (words_of_named_tuples, [Match(1, "p", "q", "win"), Match(2, "q", "p", "loss"), Match(3, "r", "q", "void")]),
    (keys_that_are_tuples, {(0, 1): 2.0, (1, 2): 0.5}), (growing_lists_by_key,), (growing_lists_in_a_list, Config(2, 2)),
    (growing_lists_in_a_list, Config(3, None)), (getters,), (lists_held_by_one_name,),
]


def differences(function, args):
    steps = 1e-6 * np.eye(len(X))
    return [(function(X + step, *copy.deepcopy(args)) - function(X - step, *copy.deepcopy(args))) / 2e-6 for step in steps]


@pytest.mark.parametrize("case", COMPILED, ids=lambda case: case[0].__name__)
def test_what_is_given_is_known(case):
    function, *args = case
    found = sourcediff.grad(function, mode="compiled")(X, *copy.deepcopy(args))
    np.testing.assert_allclose(found, differences(function, args), rtol=1e-6, atol=1e-8)


def test_other_words_and_entries_have_other_texts():
    gradient = sourcediff.grad(types_taken_from_copies, mode="compiled")
    one, other = {"type": "linear", "a": 2.0}, {"type": "square", "a": 2.0}
    for specs in ([one], [other], [other, {**one, "a": 1.0}]):
        for _ in range(2):
            np.testing.assert_allclose(gradient(X, specs), differences(types_taken_from_copies, [specs]), rtol=1e-6)


def stored_by_key(x, given):
    given["b"] = x[0]
    return weighed(x, **given)


def stored_by_another_name(x, given):
    other = given or {"b": 3.0}
    other["b"] = x[0]
    return weighed(x, **given)


def updated(x, given):
    given.update(b=x[0])
    return weighed(x, **given)


def stored_by_a_function(x, given):
    def change(held):
        held["b"] = x[0]

    change(given)
    return weighed(x, **given)


def stored_at_times(x, given):
    if x[0] > 0:
        given["b"] = x[1]
    return weighed(x, **given)


def taken_out(x, given):
    given.pop("a")
    return weighed(x, **given)


def cleared(x, given):
    for _ in range(2):
        if given:
            x = x * 2.0
        given.clear()
    return np.sum(x**2)


@pytest.mark.parametrize(
    "function", [stored_by_key, stored_by_another_name, updated, stored_by_a_function, stored_at_times, taken_out, cleared])
def test_a_dict_that_gets_other_entries_is_left_to_the_eager_engine(function):
    with pytest.raises(sourcediff.SourcediffError):
        sourcediff.grad(function, mode="compiled")(X, {"a": 2.0})
    found = sourcediff.grad(function, mode="eager")(X, {"a": 2.0})
    np.testing.assert_allclose(found, differences(function, [{"a": 2.0}]), rtol=1e-6)


def stored_while_gone_over(x, given):
    total = 0.0
    for key, value in given.items():
        given["b"] = x[0]
        total = total + FACTORS[key] * value * x[1]
    return total


def stored_while_its_values_are_gone_over(x, given):
    total = 0.0
    for value in given.values():
        given["b"] = x[0]
        total = total + value * x[1]
    return total


def stored_after_a_copy(x, given):
    other = dict(given)
    given["a"] = x[0]
    return other["a"] * x[1] + given["a"] * x[2]


def stored_after_it_was_read(x, given):
    before = given.get("a", 1.0)
    given["a"] = x[0]
    return before * x[1] + given["a"] * x[2]


FACTORS = {"a": 2.0, "b": 0.5}


@pytest.mark.parametrize(
    "function", [stored_while_gone_over, stored_while_its_values_are_gone_over, stored_after_a_copy, stored_after_it_was_read])
def test_entries_are_read_when_they_are_asked_for(function):
    given = {"a": 2.0, "b": 3.0}
    found = sourcediff.grad(function, mode="compiled")(X, dict(given))
    np.testing.assert_allclose(found, differences(function, [given]), rtol=1e-6)


def entries_of_a_list_stored(x, rows):
    rows[0]["b"] = x[0]
    return weighed(x, **rows[0]) + weighed(x, **rows[1])


def rows_exchanged(x, rows):
    first = rows[0]
    rows[0] = rows[1]
    return weighed(x, **first) + 2 * weighed(x, **rows[0])


def a_row_appended(x, rows):
    rows.append({"a": x[1]})
    return sum(weighed(x, **row) for row in rows)


@pytest.mark.parametrize("function", [entries_of_a_list_stored, rows_exchanged, a_row_appended])
def test_rows_that_change_are_right_or_refused(function):
    rows = [{"a": 2.0}, {"b": 0.5, "a": 1.0}]
    try:
        found = sourcediff.grad(function, mode="compiled")(X, copy.deepcopy(rows))
    except sourcediff.SourcediffError:
        return
    np.testing.assert_allclose(found, differences(function, [rows]), rtol=1e-6)


@dataclass(frozen=True)
class Rates:
    beta: Any
    gamma: float


def lockdown(p, strength):
    return replace(p, beta=p.beta * (1 - strength))


def more_tests(p, speed=1.3):
    return replace(p, gamma=p.gamma * speed)


MEASURES = {"lockdown": lockdown, "testing": more_tests}


def replaced(p, plan):
    total = 0.0
    for week in range(3):
        for name, options in plan.get(week, ()):
            p = MEASURES[name](p, **options)
        total = total + np.sum(p.beta) * p.gamma
    return total


def test_an_object_that_is_given_is_replaced():
    plan = {1: [("lockdown", {"strength": 0.35})], 2: [("testing", {}), ("lockdown", {"strength": 0.1})]}
    found, expected = (sourcediff.grad(replaced, mode=mode)(Rates(X.copy(), 0.3), plan) for mode in ("compiled", "eager"))
    np.testing.assert_allclose(found.beta, expected.beta)
    assert found.gamma == pytest.approx(expected.gamma)
