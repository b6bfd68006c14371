"""Code of Python's library, and of packages that are called as they are, is not read: it is called, and its version says what it is."""

from __future__ import annotations

import csv
import datetime
import io
import json
import pathlib
import re
import time
import types

import numpy as np
import pytest

import sourcediff
from sourcediff.analysis.environment.captured import Surroundings
from sourcediff.syntax import source

X = np.array([0.5, 1.25, 2.0])
TEXT = "some words and 12 numbers"


def of_words(x):
    return len(re.findall("[a-z]+", TEXT)) * np.sum(x * x)


def of_a_file(x):
    rows = list(csv.reader(io.StringIO("1,2\n3,4")))
    return float(rows[1][0]) * np.sum(x * x)


def of_settings(x):
    return float(json.loads('{"k": 5.0}')["k"]) * np.sum(x * x) + len(pathlib.PurePosixPath("/a/b.txt").parts) * np.sum(x)


def of_days(x):
    begun = datetime.datetime.strptime("2020-01-01", "%Y-%m-%d")
    return (datetime.datetime(2020, 1, 3) - begun).days * np.sum(x * x)


@pytest.mark.parametrize(("f", "due"), [(of_words, 8 * X), (of_a_file, 6 * X), (of_settings, 10 * X + 3), (of_days, 4 * X)])
@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_it_is_called_as_it_is(f, due, mode, monkeypatch):
    read, first = [], source.read
    monkeypatch.setattr(source, "read", lambda function: read.append(function) or first(function))
    np.testing.assert_allclose(sourcediff.grad(f, mode=mode)(X), due)
    moved = sourcediff.jvp(f, (X,), (X,), mode=mode)[1]
    assert moved == pytest.approx(due @ X)
    assert {function.__module__ for function in read} <= {__name__}


@pytest.mark.filterwarnings("ignore")
def test_nothing_of_it_is_looked_at_when_a_function_is_called():
    pandas = pytest.importorskip("pandas")

    def of_a_table(x):
        table = pandas.DataFrame({"a": [1.0, 2.0, 3.0]})
        return np.sum(table["a"].to_numpy() * x * x)

    surroundings = Surroundings(of_a_table)
    assert surroundings.functions == [of_a_table] and len(surroundings.watched) < 100
    derivative = sourcediff.grad(of_a_table, mode="compiled")
    np.testing.assert_allclose(derivative(X), 2 * np.array([1.0, 2.0, 3.0]) * X)
    begun = time.perf_counter()
    derivative(X)
    assert time.perf_counter() - begun < 0.1


def test_a_module_of_the_users_may_have_a_name_of_pythons_library(tmp_path):
    path = tmp_path / "statistics.py"
    path.write_text("import numpy as np\n\ndef mean_square(x):\n    return np.sum(x * x) / 3\n")
    module = types.ModuleType("statistics")
    module.__file__ = str(path)
    exec(compile(path.read_text(), str(path), "exec"), vars(module))
    square = module.mean_square

    def f(x):
        return 2.0 * square(x)

    np.testing.assert_allclose(sourcediff.grad(f, mode="compiled")(X), 4 * X / 3)
