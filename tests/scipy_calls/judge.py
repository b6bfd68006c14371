"""Where a call stands in a mode: the gradient against central differences that estimate their own error."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr
from functools import cache
from io import StringIO
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

import sourcediff
from sourcediff.errors import SourcediffError
from tests.corpus.case import Case
from tests.corpus.judge import differing_bits

VERDICTS = ("right", "WRONG", "refused", "CRASHED")
STEPS = (3e-2, 6e-3, 1.2e-3, 2.4e-4)
"""Steps of the differences, relative to the number: for rough functions (solvers, up to their tolerance) the widest is the best."""


class Truth(NamedTuple):
    """A plain call's value; its slope in every number that is differentiated, by argument, and the slope's uncertainty."""

    value: float
    slopes: list[np.ndarray]
    unsure: list[np.ndarray]

    @property
    def scale(self) -> float:
        """The largest slope."""
        return float(max(np.max(np.abs(slopes)) for slopes in self.slopes))

    @property
    def trusted(self) -> bool:
        """Whether there is a slope, and the differences know each to five digits of the largest."""
        return 1e-9 < self.scale < np.inf and all(np.all(unsure <= 1e-5 * self.scale) for unsure in self.unsure)


class Verdict(NamedTuple):
    """One of ``VERDICTS``, and why."""

    word: str
    reason: str = ""


def slope(f: Callable[[float], float], at: float) -> tuple[float, float]:
    """f'(at) and how unsure it is: differences of fourth order at several steps, of which the two that agree best."""
    def difference(h: float) -> float:
        return (8 * (f(at + h) - f(at - h)) - (f(at + 2 * h) - f(at - 2 * h))) / (12 * h)

    unsure, best = np.inf, np.nan
    for wide, narrow in pairwise(difference(step * max(abs(at), 0.1)) for step in STEPS):
        unsure, best = min((unsure, best), (abs(wide - narrow), narrow))
        if unsure <= 1e-7 * abs(best):
            break
    return best, unsure


@cache
def truth(case: Case) -> Truth:
    """The truth about a call, once."""
    def along(argument: int, index: Any) -> Callable[[float], float]:
        def f(number: float) -> float:
            args = list(case.make()[0])
            if index == ():
                args[argument] = number
            else:
                args[argument][index] = number
            return float(case.function(*args))

        return f

    slopes, unsure = [], []
    with quiet():
        args, _ = case.make()
        for argument in case.wrt:
            here = np.asarray(args[argument])
            pairs = np.array([slope(along(argument, index), float(here[index])) for index in np.ndindex(here.shape)])
            slopes.append(pairs[:, 0].reshape(here.shape))
            unsure.append(pairs[:, 1].reshape(here.shape))
        return Truth(float(case.function(*args)), slopes, unsure)


def judged(case: Case, mode: str) -> Verdict:
    """Where a call stands in a mode."""
    args, _ = case.make()
    try:
        with quiet():
            value, gradients = sourcediff.value_and_grad(case.function, case.wrt, mode=mode)(*args)
    except SourcediffError as refusal:
        return Verdict("refused", f"{type(refusal).__name__}: {refusal}")
    except Exception as fault:
        return Verdict("CRASHED", f"{type(fault).__name__}: {fault}")
    wrong = [*differences(case, value, gradients), *changed(args, case.make()[0])]
    return Verdict("WRONG", "; ".join(wrong)) if wrong else Verdict("right")


def differences(case: Case, value: Any, gradients: Any) -> Iterator[str]:
    """What is wrong with a value and its gradients."""
    known = truth(case)
    if not abs(value - known.value) <= 1e-9 * max(1.0, abs(known.value)):
        yield f"value {value!r}, plain {known.value!r}"
    for argument, gradient, slopes, unsure in zip(case.wrt, gradients, known.slopes, known.unsure):
        if np.shape(gradient) != slopes.shape or np.asarray(gradient).dtype != np.float64:
            yield f"argument {argument}: shape {slopes.shape} of floats expected, got {gradient!r}"
        elif not np.all(np.abs(gradient - slopes) <= 1e-5 * np.abs(slopes) + 1e-8 * known.scale + 10 * unsure):
            yield f"argument {argument}: {gradient!r}, differences say {slopes!r}"


def changed(args: Any, before: Any) -> Iterator[str]:
    """Which of the arguments are not what they were."""
    for number, (now, then) in enumerate(zip(args, before)):
        if isinstance(then, (float, np.ndarray)) and differing_bits(now, then):
            yield f"argument {number} was changed"


@contextmanager
def quiet() -> Iterator[None]:
    """No warnings, no complaints about infinities, and nothing of what SciPy's Fortran says about a callback that raised."""
    with np.errstate(all="ignore"), warnings.catch_warnings(), redirect_stderr(StringIO()):
        warnings.simplefilter("ignore")
        yield
