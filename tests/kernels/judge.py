"""Judging a kernel: a loss around it, the slopes of the loss by differences, and how it stands in each mode."""

from __future__ import annotations

import atexit
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple

import numpy as np

from tests.corpus.case import Case
from tests.corpus.judge import Reference, reference
from tests.standing import MODES, standing

from .kernel import Kernel
from .loss import loss_around


class Judged(NamedTuple):
    """A loss, and what a plain call of it does."""

    case: Case
    truth: Reference


@cache
def folder() -> Path:
    """Where the losses are written, as long as this process lives."""
    path = mkdtemp(prefix="sourcediff-kernels-")
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return Path(path)


def judged(function: Callable[..., Any], arguments: dict[str, Any]) -> Judged:
    """The loss around a function, and its slopes. Raises NoDerivative where there are none."""
    case = loss_around(function, arguments, folder())
    args, kwargs = case.make()
    with np.errstate(all="ignore"):
        return Judged(case, reference(case.function, args, kwargs, case.wrt))


@cache
def of_kernel(kernel: Kernel) -> Judged:
    """The same of one of ours, once."""
    return judged(kernel.function, kernel.make())


def standings(found: Judged) -> dict[str, str]:
    """How a loss stands, by mode."""
    return {mode: standing(found.case, mode, found.truth) for mode in MODES}
