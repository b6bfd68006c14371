"""One specialisation of a function's derivative, ready to be called."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any, NamedTuple

from ..analysis.environment.captured import Surroundings
from . import cache
from .hooks import CHECKS


class Entry(NamedTuple):
    """One specialisation, ready to be called: the generated function, the file it is in, and what to read and pass at each call.

    ``direct``: it takes the arguments as they are, nothing has to be looked at before. ``refusing``: it may refuse a call half-way, and
    what it has changed by then is to be brought back. ``random``: its text speaks of random numbers. ``back``: of a pair of sweeps the
    reverse one. ``deciding``: it may find that the eager engine is to answer, of equal eigenvalues for example.
    ``library``: that of its arrays. ``settled``: what it takes for settled of the arguments (lengths, strings), which they are to have.
    """

    call: Callable[..., Any]
    loaded: cache.Loaded
    captured: tuple[tuple[types.FunctionType | None, str], ...]  # None: the function itself
    surroundings: Surroundings
    mutated: bool
    direct: bool
    refusing: bool
    random: bool
    back: Callable[..., Any] | None
    deciding: bool
    library: str = "numpy"
    settled: tuple[tuple[str, Any], ...] = ()


def watched(entry: Entry) -> Entry:
    """An entry whose generated function is called statement by statement, for a scope of ``detect_anomaly``."""
    return entry._replace(call=functools.partial(CHECKS["run_watched"], entry.call, entry.loaded))
