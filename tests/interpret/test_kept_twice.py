"""Lists and dicts that a function makes and keeps in two places, of which one is a container of which only the run knows the entries."""

from __future__ import annotations

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError

X = np.array([0.5, 1.2, 0.7])
KEYS = [0, 2, 1]


def a_dict_in_a_dict(x, keys):
    out, n = {}, x[0]
    for k in keys:
        catch = {"a": n * x[1], "b": n}
        out[k] = dict(n=n, catch=catch)
        n = n * x[2]
    return sum(out[k]["catch"]["a"] * out[k]["n"] for k in keys)


def a_list_that_changes(x, keys):
    row = [x[0], x[1]]
    out = [[row, k] for k in keys]
    row[0] = row[0] * x[2]
    return sum(each[0][0] * each[1] for each in out)


def a_list_that_changes_in_the_loop(x, keys):
    out, row = [], [x[0], x[1]]
    for k in keys:
        out.append([row, k])
        row[0] = row[0] * x[2]
    return sum(each[0][0] for each in out)


def changed_after_it_is_kept(x, keys):
    out, n = {}, x[0]
    for k in keys:
        catch = {"a": n * x[1], "b": n}
        out[k] = dict(n=n, catch=catch)
        catch["a"] = catch["a"] * 2
        n = n * x[2]
    return sum(out[k]["catch"]["a"] * out[k]["n"] for k in keys)


def changed_where_it_is_kept(x, keys):
    row, out = [x[0], x[1]], {}
    for k in keys:
        out[k] = {"r": row, "k": k}
    out[0]["r"][0] = x[2] ** 2
    return row[0] * out[1]["r"][1] + out[2]["r"][0]


def kept_twice_in_one(x, keys):
    out = {}
    for k in keys:
        catch = {"a": x[k]}
        out[k] = [catch, catch]
    out[0][0]["a"] = x[2] * 3
    return sum(each[1]["a"] for each in out.values())


def by_differences(program):
    return np.array([(program(X + d, KEYS) - program(X - d, KEYS)) / 2e-6 for d in 1e-6 * np.eye(len(X))])


@pytest.mark.parametrize("program", [a_dict_in_a_dict, a_list_that_changes, a_list_that_changes_in_the_loop])
def test_it_is_compiled(program):
    value, slopes = sourcediff.value_and_grad(program, mode="compiled")(X, KEYS)
    assert value == pytest.approx(program(X, KEYS), rel=1e-12)
    np.testing.assert_allclose(slopes, by_differences(program), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("program", [changed_after_it_is_kept, changed_where_it_is_kept, kept_twice_in_one])
def test_it_is_left_to_the_eager_engine(program):
    with pytest.raises(SourcediffError):
        sourcediff.grad(program, mode="compiled")(X, KEYS)
    np.testing.assert_allclose(sourcediff.grad(program, mode="eager")(X, KEYS), by_differences(program), rtol=1e-5, atol=1e-7)
