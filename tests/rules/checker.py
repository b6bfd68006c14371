"""One rule of the table on one sample, by the checks that everybody's rules are put to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from sourcediff.checks import rule as rulecheck
from sourcediff.checks.rule import CHECKS, Untried
from sourcediff.checks.rule import is_differentiated as is_active
from sourcediff.rules import Rule

from .samples import Sample

__all__ = ["Trial", "check_rule", "is_active", "on_each"]

FOR_OWN = ("purity", "Taylor slope", "broadcasting")
"""Of NumPy's functions one knows that: views are views, samples are of all shapes, and differences have judged."""


class Trial(rulecheck.Trial):
    """A rule tried on a sample."""

    def __init__(self, rule: Rule, sample: Sample, dtype: Any = np.float64):
        super().__init__(rule, sample.args, sample.kwargs, symmetric=sample.symmetric, weak=sample.weak, dtype=dtype)


def check_rule(rule: Rule, sample: Sample) -> None:
    """Raise CrossCheckError unless the rule is right on this call, in both modes and twice."""
    trial = Trial(rule, sample)
    assert trial.wanted, "the sample has nothing to differentiate"
    for what, check in CHECKS.items():
        if what not in FOR_OWN:
            try:
                check(trial)
            except Untried as untried:
                raise AssertionError(str(untried)) from None


def on_each(check: Callable[[Any], None], calls: Iterable[Any]) -> None:
    """Put each of several calls to a check; AssertionError that tells of all those that do not stand it."""
    failed: dict[str, Exception] = {}
    for number, each in enumerate(calls):
        try:
            check(each)
        except Exception as error:
            failed[f"call {number}, {each}"] = error
    if failed:
        said = "\n\n".join(f"{each}\n{type(error).__name__}: {error}" for each, error in failed.items())
        raise AssertionError(f"{len(failed)} of {number + 1}:\n{said}") from next(iter(failed.values()))
