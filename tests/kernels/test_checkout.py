"""The readers of checkouts, on a made-up one; and the originals, where a checkout is given by an environment variable."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kernels.checkout import READERS, SMALL, npbench, tangent
from tests.kernels.judge import judged, standings
from tests.standing import RIGHT

DESCRIPTION = {
    "benchmark": {
        "relative_path": "dense/scaled", "module_name": "scaled", "func_name": "kernel",
        "parameters": {"S": {"N": 4000, "steps": 2}},
        "init": {"func_name": "initialize", "input_args": ["N"], "output_args": ["alpha", "A"]},
        "input_args": ["steps", "alpha", "A"],
    }
}
INITIALISATION = """import numpy as np


def initialize(N):
    return 0.5, np.fromfunction(lambda i, j: (i - 2.0 * j) / N, (N, N))
"""
KERNEL = """import numpy as np


def kernel(steps, alpha, A):
    for _ in range(steps):
        A[1:] += alpha * A[:-1] ** 2
"""
FUNCTIONS = """import numpy as np
import tangent
import tensorflow as tf


def power(a, n):
  for i in range(n):
    a = a * a
  return a


def _hidden(a):
  return a


def traced(a):
  return tangent.trace(a)


def graph(t):
  return tf.exp(t)


def of_unknown_arguments(q):
  return q
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "npbench" / "benchmarks" / "dense" / "scaled"
    folder.mkdir(parents=True)
    (folder / "scaled.py").write_text(INITIALISATION)
    (folder / "scaled_numpy.py").write_text(KERNEL)
    (tmp_path / "bench_info").mkdir()
    (tmp_path / "bench_info" / "scaled.json").write_text(json.dumps(DESCRIPTION))
    (tmp_path / "bench_info" / "elsewhere.json").write_text(json.dumps(
        {"benchmark": {**DESCRIPTION["benchmark"], "module_name": "not_in_numpy"}},
    ))
    before = set(sys.modules)
    yield tmp_path
    sys.path.remove(str(tmp_path))
    for name in set(sys.modules) - before:
        if name.split(".")[0] == "npbench":
            del sys.modules[name]


def test_a_benchmark_is_made_small_and_judged(checkout: Path) -> None:
    ((name, kernel, make),) = npbench(checkout)
    arguments = make()
    assert name == "scaled" and list(arguments) == ["steps", "alpha", "A"]
    assert arguments["A"].shape == (SMALL, SMALL) and arguments["alpha"] == 0.5
    found = judged(kernel, arguments)
    assert found.case.wrt == (1, 2) and set(standings(found).values()) == {RIGHT}


def test_functions_are_taken_word_for_word(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "functions.py").write_text(FUNCTIONS)
    ((name, power, make),) = tangent(tmp_path)
    assert name == "power" and make() == {"a": 1.3, "n": 3}
    assert set(standings(judged(power, make())).values()) == {RIGHT}


@pytest.mark.parametrize("kind", READERS)
def test_the_originals(kind: str) -> None:
    """Every function is right in every mode, or refused: none is wrong, and with the eager engine to fall back on few are refused."""
    variable = f"{kind.upper()}_CHECKOUT"
    if variable not in os.environ:
        pytest.skip(f"{variable} names no checkout")
    found: dict[str, dict[str, str]] = {}
    faults: list[str] = []
    for name, function, make in READERS[kind](os.environ[variable]):
        try:
            loss = judged(function, make())
        except Exception:  # it has no derivative, or does not run itself: with this NumPy, with so small arguments
            continue
        try:
            found[name] = standings(loss)
        except Exception as fault:
            faults.append(f"{name}: {type(fault).__name__}: {fault}")
    assert not faults, "\n\n".join(faults)
    refused = {name: standings["auto"] for name, standings in found.items() if standings["auto"]}
    assert len(found) >= 40 and len(refused) <= 0.05 * len(found), refused
