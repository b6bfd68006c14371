"""Dicts that a function makes and asks by words: a history kept in a ``defaultdict``, reports that are sorted by what they hold."""

from __future__ import annotations

import itertools
from collections import defaultdict

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError

TIMES = np.array([0.5, 1.5, 7.0])


def history(k, times):
    out = defaultdict(list)
    for t in times:
        out["all"].append(k * t)
        if t > 1:
            out["late"].append(k * k * t)
    return np.sum(np.array(out["all"]) ** 2) + np.sum(np.array(out["late"]) ** 2) + len(out["none"])


def simulated(k, times):
    out, level = defaultdict(list), k
    for t in times:
        level = level + k * t
        out["level"].append(level)
        out["time"].append(t)
    return level, out


def history_of_a_helper(k, times):
    level, out = simulated(k, times)
    return level * sum(out["level"]) + sum(out["time"])


def asked_before_it_grows(k, times):
    out, total = defaultdict(list), k
    for t in times:
        total = total * (1 + sum(out["before"]))
        out["before"].append(k * t)
    return total


def loop_over_the_keys(k, times):
    out = defaultdict(list)
    for t in times:
        out["all"].append(k * t)
    return sum(sum(values) for values in out.values())


def asked_whether_it_is_there(k, times):
    out = defaultdict(list)
    for t in times:
        out["all"].append(k * t)
    return k if "all" in out else k * k


def taken_out_again(k, times):
    out = defaultdict(list)
    for t in times:
        out["all"].append(k * t)
        if t > 2:
            out.pop("all")
    return sum(out["all"]) + k


def report(k):
    return [{"load": k * i * (3 - i), "wait": k + i, "name": f"s{i}"} for i in range(4)]


def busiest(k, times):
    most = sorted(report(k), key=lambda each: each["load"], reverse=True)[:2]
    return most[0]["wait"] * k + most[1]["load"]


def busiest_of_a_dict(k, times):
    by_name = {each["name"]: each for each in report(k)}
    return max(by_name.values(), key=lambda each: each["load"])["wait"] * k


def changed_after_it_was_sorted(k, times):
    stations = report(k)
    most = sorted(stations, key=lambda each: each["load"])
    for each in stations:
        each["wait"] += 3 * k
    return most[-1]["wait"] * k


def changed_through_the_sorted_one(k, times):
    stations = report(k)
    sorted(stations, key=lambda each: each["load"])[0]["wait"] = k * k
    return sum(each["wait"] ** 2 for each in stations)


def before_a_time(k, times):
    return sum(np.exp(-k * t) for t in itertools.takewhile(lambda t: t < 2, times)) + sum(
        itertools.starmap(lambda a, b: k * a * b, [(1, 2), (3, 4)]))


def other_names_on_other_ways(k, times):
    def scale(t):
        return t * k

    total = 0.0
    for scaled in map(scale, times):
        if scaled > 1:
            first = scaled * 2
            second = first * k
            total += first * second
        else:
            second = scaled
            total += second
    return total


def by_differences(program, times):
    return (program(0.3 + 1e-6, times) - program(0.3 - 1e-6, times)) / 2e-6


COMPILED = [
    history, history_of_a_helper, asked_before_it_grows, busiest, busiest_of_a_dict, before_a_time, other_names_on_other_ways,
    loop_over_the_keys, asked_whether_it_is_there,
]


@pytest.mark.parametrize("program", COMPILED)
@pytest.mark.parametrize("times", [TIMES, TIMES[:0]], ids=["times", "none"])
def test_it_is_compiled(program, times):
    value, slope = sourcediff.value_and_grad(program, mode="compiled")(0.3, times)
    assert value == pytest.approx(program(0.3, times), rel=1e-12)
    assert slope == pytest.approx(by_differences(program, times), rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("program", [
    taken_out_again, changed_after_it_was_sorted, changed_through_the_sorted_one,
])
def test_it_is_left_to_the_eager_engine(program):
    with pytest.raises(SourcediffError):
        sourcediff.grad(program, mode="compiled")(0.3, TIMES)
    assert sourcediff.grad(program, mode="eager")(0.3, TIMES) == pytest.approx(by_differences(program, TIMES), rel=1e-5)
