"""What ``import sourcediff`` costs, in fresh interpreters taken in turn."""

from __future__ import annotations

import statistics

from .fresh import run
from .measure import Row

BAR = 1.5


def seconds(module: str) -> float:
    return run(f"import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)")


def rows(rounds: int = 15) -> list[Row]:
    """Against ``import numpy``, which it contains."""
    times: dict[str, list[float]] = {"sourcediff": [], "numpy": []}
    for module in times:
        seconds(module)  # byte code is written, files are in memory
    for _ in range(rounds):
        for module, own in times.items():
            own.append(seconds(module))
    ours, theirs = (statistics.median(own) for own in times.values())
    return [Row("import", "import sourcediff", ours, "import numpy", theirs, BAR)]
