"""What the first call of a gradient costs beside the call itself: nothing cached, cached on disk, and a fresh interpreter."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import sourcediff
from tests.golden.experts import EXPERTS, arguments

from .fresh import run
from .measure import Row

COLD, FROM_DISK = 60e-3, 5e-3

FIRST_CALL = """
import time, sourcediff
from tests.golden.experts import EXPERTS, arguments
program, _, wrt, value = EXPERTS[{name!r}]
args = arguments({name!r})
start = time.perf_counter()
gradient = (sourcediff.value_and_grad if value else sourcediff.grad)(program, wrt, mode="compiled")
gradient(*args)
first = time.perf_counter()
gradient(*args)
print(first - start - (time.perf_counter() - first))
"""


@contextmanager
def scratch() -> Iterator[str]:
    """An empty cache of our own."""
    with tempfile.TemporaryDirectory() as folder:
        where = os.path.join(folder, "cache")
        with mock.patch.dict(os.environ, SOURCEDIFF_CACHE_DIR=where):
            sourcediff.cache.forget()
            yield where
            sourcediff.cache.forget()


def first_call(name: str, forget: Callable[[], None], rounds: int) -> float:
    """The median time of a first call less that of the second, after ``forget``."""
    program, _, wrt, with_value = EXPERTS[name]
    transform: Any = sourcediff.value_and_grad if with_value else sourcediff.grad
    times = []
    for _ in range(rounds):
        args = arguments(name)
        forget()
        start = time.perf_counter()
        gradient = transform(program, wrt, mode="compiled")
        gradient(*args)
        first = time.perf_counter()
        gradient(*args)
        times.append(2 * first - start - time.perf_counter())
    return statistics.median(times)


def rows(rounds: int = 7) -> list[Row]:
    """Each of the seven programs of the golden tests; the bars are times, so a ratio is the part of the bar that is used."""
    found: dict[str, list[Row]] = {"cold": [], "disk": [], "fresh": [], "fresh disk": []}
    for name in EXPERTS:
        with scratch() as folder:
            first_call(name, sourcediff.cache.clear, 1)
            cold = first_call(name, sourcediff.cache.clear, rounds)
            disk = first_call(name, sourcediff.cache.forget, rounds)
            program = FIRST_CALL.format(name=name)
            fresh, fresh_disk = [], []
            for _ in range(3):
                sourcediff.cache.clear()
                fresh.append(run(program, SOURCEDIFF_CACHE_DIR=folder))
                fresh_disk.append(run(program, SOURCEDIFF_CACHE_DIR=folder))
        found["cold"].append(Row("cold compile", name, cold, "60 ms", COLD, 1.0))
        found["disk"].append(Row("from the disk cache", name, disk, "5 ms", FROM_DISK, 1.0))
        first = "the first compile of a process imports gast and astor"
        found["fresh"].append(Row("cold compile, fresh process", name, statistics.median(fresh), "60 ms", COLD, None, first))
        found["fresh disk"].append(Row("from the disk cache, fresh process", name, statistics.median(fresh_disk), "5 ms", FROM_DISK))
    return [row for section in found.values() for row in section]
