"""What a row of the table is, and how two things are timed against one another.

Machines differ and are shared, so absolute times mean little: what is compared runs in one process, in turn (ours, theirs,
ours, theirs …), warmed up, after equal results have been seen. What matters in a row is the ratio.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Thunk = Callable[[], Any]


class Row(NamedTuple):
    """One comparison. ``ours`` and ``theirs`` are seconds, NaN where nothing could be measured (``note`` says why).

    ``peer`` names what ``theirs`` is, ``bar`` is the ratio that is to be kept, None where there is none.
    """

    section: str
    case: str
    ours: float
    peer: str
    theirs: float
    bar: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs

    @property
    def kept(self) -> bool | None:
        """Whether the bar is kept; None where there is no bar or no measurement."""
        return None if self.bar is None or self.ratio != self.ratio else self.ratio <= self.bar


def medians(*thunks: Thunk, rounds: int = 101, sample: float = 2e-3, clock: Callable[[], float] = time.perf_counter) -> list[float]:
    """The time of one call of each thunk, in seconds, the thunks taken in turn; ``time.process_time`` is that of the processor.

    Of the first it is the median, of the others that times the median ratio of the two in a round: a machine that changes its
    speed between two rounds does not change the ratio. A sample repeats a short thunk until it lasts about ``sample`` seconds;
    the garbage collector rests meanwhile.
    """
    repeats = []
    for thunk in thunks:
        thunk()  # warm up: compile, fill caches
        start = clock()
        thunk()
        repeats.append(max(1, int(sample / (clock() - start + 1e-9))))
    times: list[list[float]] = [[] for _ in thunks]
    resting = gc.isenabled()
    gc.disable()
    try:
        for _ in range(rounds):
            for thunk, repeat, own in zip(thunks, repeats, times):
                turns = range(repeat)
                start = clock()
                for _ in turns:
                    thunk()
                own.append((clock() - start) / repeat)
    finally:
        if resting:
            gc.enable()
    first = statistics.median(times[0])
    return [first * statistics.median(b / a for a, b in zip(times[0], own)) for own in times]


def same(found: Any, expected: Any, *, tolerance: float = 1e-9) -> None:
    """Raise AssertionError unless two structures of arrays hold the same numbers: only equal results are compared in time.

    ``tolerance`` is relative to the largest number of an array.

    >>> same((1.0, {"w": np.ones(2)}), (1.0, {"w": np.ones(2)}))
    >>> same([1.0], [2.0])
    Traceback (most recent call last):
    ...
    AssertionError: 1.0 and 2.0 are compared, but differ
    """
    if isinstance(expected, dict):
        assert found.keys() == expected.keys(), f"{list(found)} and {list(expected)} are compared"
        for name in expected:
            same(found[name], expected[name], tolerance=tolerance)
    elif isinstance(expected, (tuple, list)):
        assert len(found) == len(expected), f"{len(found)} and {len(expected)} results are compared"
        for pair in zip(found, expected):
            same(*pair, tolerance=tolerance)
    else:
        found, expected = np.asarray(found), np.asarray(expected)
        near = tolerance * np.max(np.abs(expected), initial=0.0)
        if found.shape != expected.shape or not np.all(np.abs(found - expected) <= near):
            raise AssertionError(f"{found} and {expected} are compared, but differ")
