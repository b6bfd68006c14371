"""Judging second derivatives of a program: compiled, by the eager engine walked twice, and by differences of gradients."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import sourcediff
from sourcediff.errors import AliasingError, MissingRuleError, UnsupportedSyntaxError
from tests.corpus.judge import copied

from .judge import Verdict, arguments, load, truth
from .program import Program

STEPS = 1e-4, 5e-5
REFUSALS = (AliasingError, MissingRuleError, UnsupportedSyntaxError)


def judge_twice(program: Program, folder: Path) -> Verdict | None:
    """The product of the Hessian and a vector by both engines, against differences of gradients; None if it cannot be judged."""
    try:
        function = load(program, folder)
    except SyntaxError:
        return None
    if truth(program, function) is None:
        return None
    args = arguments(program)
    rng = np.random.default_rng(program.seed)
    v = tuple(rng.uniform(-1, 1, np.shape(arg)) if np.ndim(arg) else float(rng.uniform(-1, 1)) for arg in args)
    wrong: list[str] = []
    refused: list[str] = []
    reasons: list[str] = []
    answers: dict[str, Any] = {}
    for mode in ("compiled", "eager"):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                answers[mode] = flat(sourcediff.hvp(function, tuple(range(len(args))), mode=mode)(*copied(args), v))
        except REFUSALS as refusal:
            refused.append(mode)
            why = next((place.why for place in refusal.places if place.why), refusal.why)
            reasons.append(f"{mode}: {type(refusal).__name__}: {why}")
        except Exception as error:  # whatever it is, it is a finding
            wrong.append(f"{mode}: {type(error).__name__}: {error}")
    expected = None if wrong else differences(function, args, v)
    if not wrong and expected is None:
        return None
    for mode, found in answers.items() if expected is not None else ():
        if not np.allclose(found, expected, rtol=1e-4, atol=1e-4 * (1 + float(np.max(np.abs(expected), initial=0.0)))):
            wrong.append(f"{mode}: the Hessian times {v} is\n  {found}\n  expected {expected}")
    if not wrong and len(answers) == 2:
        one, other = answers.values()
        if not np.allclose(one, other, rtol=1e-9, atol=1e-9 * (1 + float(np.max(np.abs(other), initial=0.0)))):
            wrong.append(f"compiled and eager disagree:\n  {one}\n  {other}")
    return Verdict(tuple(wrong), tuple(refused), tuple(reasons))


def flat(parts: Any) -> Any:
    """All numbers of the parts, in one vector."""
    return np.concatenate([np.ravel(part) for part in parts])


def differences(function: Callable[..., Any], args: tuple[Any, ...], v: tuple[Any, ...]) -> Any:
    """Differences of the compiled gradient (the eager one, where that is refused) along v; None where they do not settle."""
    wrt = tuple(range(len(args)))

    def gradient(step: float) -> Any:
        moved = tuple(arg + step * part for arg, part in zip(args, v))
        try:
            return flat(sourcediff.grad(function, wrt, mode="compiled")(*copied(moved)))
        except REFUSALS:
            return flat(sourcediff.grad(function, wrt, mode="eager")(*copied(moved)))

    try:
        with np.errstate(all="ignore"):
            far, near = ((gradient(step) - gradient(-step)) / (2 * step) for step in STEPS)
    except REFUSALS:
        return None
    scale = 1 + float(np.max(np.abs(near), initial=0.0))
    settled = np.all(np.isfinite(near)) and scale < 1e5 and np.allclose(far, near, rtol=1e-5, atol=1e-5 * scale)
    return (4 * near - far) / 3 if settled else None
