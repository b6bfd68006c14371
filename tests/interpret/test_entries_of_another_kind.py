"""Entries of an argument that become something of another kind: what was known of them does not decide any more, or it is refused."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError


def kind(v, x):
    return 3 * x if isinstance(v, list) else x ** 2 if isinstance(v, dict) else x ** 3


def array_of_a_list(p, x):
    p["l"] = p["l"][0] * x
    return np.sum(kind(p["l"], x))


def dict_of_a_list(p, x):
    p["l"] = {"q": x}
    return kind(p["l"], x)


def dict_of_an_array(p, x):
    p["l"][0] = {"q": x}
    return kind(p["l"][0], x)


def by_another_name(p, x):
    q = p["l"]
    q[1] = [x]
    return sum(kind(v, x) for v in p["l"])


def in_a_helper(p, x):
    put(p, [[x], {"q": x}])
    return sum(kind(v, x) for v in p["l"])


def put(p, value):
    p["l"] = value


def none_of_a_number(p, x):
    p["w"] = None
    return x if p["w"] is None else x ** 2


def number_of_none(p, x):
    p["n"] = x
    return x if p["n"] is None else x ** 2


def none_of_an_array(p, x):
    p["l"][0] = None
    return x if p["l"][0] is None else x ** 2


def list_of_an_array(p, x):
    p["a"] = [x, x]
    return sum(p["a"] + [x]) * x


def in_the_next_trip(p, x):
    s = 0.0
    for _ in range(2):
        s += sum(kind(v, x) for v in p["l"])
        p["l"] = [[x], [x]]
    return s


def array_of_an_array(p, x):
    p["a"] = p["a"] * x
    p["l"][1] = p["l"][0] - p["a"]
    return np.sum(p["a"]) * np.sum(p["l"][1]) + kind(p["a"], x)


def another_word(p, x):
    p["word"] = "b"
    return x if p["word"] == "a" else x ** 2


GIVEN = {"l": [np.array([1.0, 2.0]), np.array([0.5, 0.3])], "w": 1.0, "n": None, "a": np.array([1.0, 2.0]), "word": "a"}
PROGRAMS = [value for value in list(globals().values()) if callable(value) and getattr(value, "__module__", "") == __name__
            and value not in (kind, put)]
TAKEN = {array_of_an_array}


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_right_or_refused(function):
    x = 0.8
    try:
        found = sourcediff.grad(function, wrt=1, mode="compiled")(copy.deepcopy(GIVEN), x)
    except SourcediffError:
        assert function not in TAKEN
        return
    expected = (function(copy.deepcopy(GIVEN), x + 1e-6) - function(copy.deepcopy(GIVEN), x - 1e-6)) / 2e-6
    np.testing.assert_allclose(found, expected, rtol=1e-6)
