"""A file that has been edited since it was imported: what runs is differentiated, or it is refused; never what stands there now."""

from __future__ import annotations

import importlib.util
import os
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import FallbackWarning, SourceUnavailableError
from tests.edited import edit

BODIES = {
    "out of a loop": ("""
        def f(x):
            y = 0.0
            for i in range(3):
                y = y + x * x
                y = y * x
            return y
        """, """
        def f(x):
            y = 0.0
            for i in range(3):
                y = y + x * x
            y = y * x
            return y
        """),
    "into a branch": ("""
        def f(x):
            y = 0.0
            if x > 5:
                y = x
            y = y + x * x
            return y
        """, """
        def f(x):
            y = 0.0
            if x > 5:
                y = x
                y = y + x * x
            return y
        """),
    "an else": ("""
        def f(x):
            y = x
            if x > 1:
                if x > 2:
                    y = 2 * x
                else:
                    y = 3 * x
            return y
        """, """
        def f(x):
            y = x
            if x > 1:
                if x > 2:
                    y = 2 * x
            else:
                y = 3 * x
            return y
        """),
    "out of a loop, with an assert": ("""
        def f(x):
            assert x > 0
            y = 0.0
            for i in range(3):
                y = y + x * x
                y = y * x
            return y
        """, """
        def f(x):
            assert x > 0
            y = 0.0
            for i in range(3):
                y = y + x * x
            y = y * x
            return y
        """),
    "in another order, with an assert": ("""
        def f(x):
            assert x > 0
            y = x * x
            y = y * 2
            y = y + 3
            return y * x
        """, """
        def f(x):
            assert x > 0
            y = x * x
            y = y + 3
            y = y * 2
            return y * x
        """),
    "out of a try": ("""
        def f(x):
            try:
                y = x * x
                y = y * 2 / (x - 1)
            except ZeroDivisionError:
                return x
            return y
        """, """
        def f(x):
            try:
                y = x * x
            except ZeroDivisionError:
                return x
            y = y * 2 / (x - 1)
            return y
        """),
    "a line removed": ("def f(x):\n    y = x * x\n    y = y * 2\n    return y\n", "def f(x):\n    y = x * x\n    return y\n"),
    "a constant": ("def f(x):\n    return 2 * x * x\n", "def f(x):\n    return 3 * x * x\n"),
    "a function within": (
        "def f(x):\n    def g(y):\n        return y * 2\n    return g(x)\n",
        "def f(x):\n    def g(y):\n        return y * 3\n    return g(x)\n"),
    "another function there": (
        "def f(x):\n    return x * x\ndef g(x):\n    return x ** 3\n", "def g(x):\n    return x ** 3\ndef f(x):\n    return x * x\n"),
    "a line above": ("def f(x):\n    return x * x\n", "# new\ndef f(x):\n    return x * x\n"),
    "a lambda": ("f = lambda x: x * 2\n", "f = lambda x: x * 3\n"),
}


def imported(path: Path, text: str) -> Any:
    edit(path, text)
    return loaded(path)


def loaded(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.filterwarnings("ignore::sourcediff.errors.FallbackWarning")
@pytest.mark.parametrize("change", BODIES)
def test_what_runs_is_differentiated(change: str, tmp_path: Path) -> None:
    before, after = map(textwrap.dedent, BODIES[change])
    path = tmp_path / "edited.py"
    function = imported(path, before).f
    path.write_text(after)
    os.utime(path, (1e9, 1e9))
    slope = (function(1.7 + 1e-6) - function(1.7 - 1e-6)) / 2e-6
    assert sourcediff.grad(function)(1.7) == pytest.approx(slope, rel=1e-6)
    try:
        assert sourcediff.grad(function, mode="compiled")(1.7) == pytest.approx(slope, rel=1e-6)
    except SourceUnavailableError as error:
        assert "has changed since it was imported" in str(error) and "import it again" in str(error)
    function = imported(path, after).f
    slope = (function(1.7 + 1e-6) - function(1.7 - 1e-6)) / 2e-6
    assert sourcediff.grad(function, mode="compiled")(1.7) == pytest.approx(slope, rel=1e-6)


@pytest.mark.filterwarnings("ignore::sourcediff.errors.FallbackWarning")
def test_bytecode_that_python_takes_for_that_of_another_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text of the same size, written within the same second: Python runs the bytecode of the one before, and so do derivatives."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    tried = {}
    for number, (change, texts) in enumerate(BODIES.items()):
        before, after = map(textwrap.dedent, texts)
        if len(before) == len(after):
            path = tmp_path / f"edited_{number}.py"
            for text in (before, after):
                path.write_text(text)
                os.utime(path, (1e9, 1e9))
                function = loaded(path).f
            slope = (function(1.7 + 1e-6) - function(1.7 - 1e-6)) / 2e-6
            assert sourcediff.grad(function)(1.7) == pytest.approx(slope, rel=1e-6)
            with pytest.raises(SourceUnavailableError, match="has changed since it was imported"):
                sourcediff.grad(function, mode="compiled")(1.7)
            tried[change] = slope
    assert tried["a constant"] == pytest.approx(6.8) and len(tried) == 5


def with_asserts(x, deep=True):
    assert x.ndim == 1, f"{x.ndim} dimensions"

    def scaled(y):
        assert len(y) == 2
        return 3 * y

    if deep:
        assert all(part > 0 for part in x)
    for _ in range(2):
        assert np.all(x), (
            "a message over lines"
        )
        x = x * x
    return np.sum(scaled(x))


def test_asserts_that_the_test_runner_rewrites_are_no_edit() -> None:
    with np.errstate(all="raise"):
        try:
            found = sourcediff.grad(with_asserts, mode="compiled")(np.array([1.0, 2.0]))
        except SourceUnavailableError:
            raise
        except sourcediff.SourcediffError:
            with pytest.warns(FallbackWarning):
                found = sourcediff.grad(with_asserts)(np.array([1.0, 2.0]))
    np.testing.assert_allclose(found, [12.0, 96.0])
