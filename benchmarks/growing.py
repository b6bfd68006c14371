"""How compile time grows with the length of a function: programs of 200 statements and more, each the first time that it is seen."""

from __future__ import annotations

import importlib.util
import itertools
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import sourcediff

from .compiling import scratch
from .measure import Row

BAR = 250e-3

LINES: dict[str, tuple[str, ...]] = {
    "expressions": ("a = a * y + np.sin(x)", "b = np.exp(a) - y", "a = a + b * {c}", "y = np.tanh(y + a)"),
    "stores": ("a[1:] += x[:-1] * y[1:]", "a[0] = a[1] * {c}", "a *= 0.5", "a[:] = np.sin(a)"),
    "loops": ("for i in range(3):", "    a[i] = a[i] * y[i] + np.sin(a[i + 1])", "    if a[i] > 0.5:", "        a[i] = a[i] * {c}"),
    "branches": ("if y[0] > {c}:", "    a = a * y", "else:", "    a = np.sin(a)"),
}
"""Four lines of each kind of program, which are repeated."""

_numbers = itertools.count(1)


def program(kind: str, length: int, folder: str) -> Any:
    """A function of so many statements that nobody has seen before."""
    body = "\n    ".join(LINES[kind][k % 4].format(c=f"0.{next(_numbers)}") for k in range(length))
    path = Path(folder) / f"program_{next(_numbers)}.py"
    path.write_text(f"import numpy as np\n\n\ndef f(x, y):\n    a = x.copy()\n    {body}\n    return np.sum(a)\n")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


def first_call(kind: str, length: int, folder: str, rounds: int) -> float:
    """The median time of the first call of a gradient."""
    times = []
    for _ in range(rounds):
        gradient = sourcediff.grad(program(kind, length, folder), mode="compiled")
        x, y = np.linspace(0.1, 0.9, 5), np.linspace(0.3, 0.8, 5)
        start = time.perf_counter()
        gradient(x, y)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def rows(rounds: int = 5) -> list[Row]:
    """200 statements against the bar, and four times as many against four times the time."""
    found, growth = [], []
    with scratch(), tempfile.TemporaryDirectory() as folder:
        for kind in LINES:
            short, long = first_call(kind, 200, folder, rounds), first_call(kind, 800, folder, 1)
            found.append(Row("cold compile, 200 statements", kind, short, "250 ms", BAR, 1.0))
            growth.append(Row("cold compile, per statement", kind, long / 800, "200 statements", short / 200, note=(
                "800 statements against 200: the ratio is 1 where compile time grows with the length alone"
            )))
    return [*found, *growth]
