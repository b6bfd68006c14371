"""The pipeline: a user's function in, the text of its gradient out. One row for each pass, in the order in which they run."""

from __future__ import annotations

import gc
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from ..frontend.body_passes import BODY
from ..frontend.inline.options import decided
from ..frontend.passes import Pass
from ..frontend.read.islands import outlined
from ..frontend.read.lambda_lifting import lifted
from ..frontend.read.solver_calls import solver_calls
from ..frontend.read.unsupported import refuse
from ..syntax.quote import following
from .device_library import write_missing
from .nested import LAST, begin
from .stages import derive, device, lowering, prepare, tidy
from .unit import Request, Unit
from .write import write

PIPELINE: tuple[Pass, ...] = (
    Pass("read", "source", lowering.source),
    Pass("read", "lambda_lifting", lifted, "source"),
    Pass("read", "solver_calls", solver_calls, "source"),
    Pass("read", "islands", outlined, "source"),
    Pass("read", "unsupported", refuse, "source"),
    Pass("inline", "options", decided, "source"),
    *BODY,
    Pass("lower", "lowering", lowering.lowering, core=True),
    Pass("prepare", "stable_positions", prepare.stable_positions, core=True),
    Pass("prepare", "output", prepare.output, core=True),
    Pass("prepare", "unbound_names", prepare.unbound_names, core=True),
    Pass("prepare", "record_control_flow", prepare.record_control_flow, core=True),
    Pass("prepare", "values", prepare.values, core=True),
    Pass("prepare", "lists_to_arrays", prepare.lists_to_arrays, core=True),
    Pass("prepare", "rewrite_views", prepare.rewrite_views, core=True),
    Pass("derive", "derive", derive.derive),
    Pass("tidy", "dead_code", tidy.dead_code),
    Pass("tidy", "inline_temporaries", tidy.inline_temporaries),
    Pass("tidy", "two_functions", tidy.two_functions),
    Pass("write", "write", write),
)
"""The passes. Those over the source and the body of a function run for the outermost one and for every callee, when it is met: for the
outermost one as they stand here, for a callee within ``lowering``."""

ON_DEVICE: tuple[Pass, ...] = (
    Pass("tidy", "device_numbers", device.device_numbers),
    Pass("tidy", "write_missing", write_missing),
    Pass("tidy", "device_arguments", device.device_arguments),
    Pass("tidy", "device_waits", device.device_waits),
)
"""The passes over programs on arrays of a device, before they are written."""

Result = TypeVar("Result")

AFTER: list[Callable[[Pass, Unit], None]] = []
"""What looks at a unit after each pass over the whole program: the tests verify its form."""


def compile_gradient(function: types.FunctionType, request: Request) -> Unit:
    """Run the whole pipeline on a function."""
    return with_unit(function, request, run)


def with_unit(function: types.FunctionType, request: Request, use: Callable[[Unit], Result]) -> Result:
    """What is made of a function at the beginning of the pipeline."""
    with uncollected():
        return begin(function, request, run, use)


@contextmanager
def uncollected() -> Iterator[None]:
    """A pause of the cyclic garbage collector: trees are many small objects, and none of them is garbage before the end."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def run(unit: Unit, last: str = LAST, but: frozenset[str] = frozenset()) -> Unit:
    """Run the passes over a whole program up to the ``last`` one, ``but`` for some."""
    for each in program_passes(unit.request.library):
        if each.name not in but:
            step(each, unit)
        if each.name == last:
            break
    return unit


def program_passes(library: str = "numpy") -> tuple[Pass, ...]:
    """The passes that are run on whole programs on the arrays of a library."""
    *found, last = (each for each in PIPELINE if each.of == "program")
    return (*found, *(ON_DEVICE if library != "numpy" else ()), last)


def step(each: Pass, unit: Unit) -> None:
    """Run one pass; what it leaves has a place in the source everywhere."""
    each.run(unit)
    if each.core and unit.source is not None:
        following(unit.body, unit.source.tree)
    for look in AFTER:
        look(each, unit)
