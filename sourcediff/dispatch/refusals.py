"""Refusals of the compiler as modules of the cache: another process need not compile in vain.

A file says in comments what the error says, and has what that is made of.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import errors
from ..errors import Place, SourcediffError
from .made import LASTING

PARTS = {"problem", "at_run_time", "why", "remedy", "places"}


def is_lasting(error: SourcediffError) -> bool:
    """Whether a refusal depends on the program and on the rules alone, as a key of the cache does."""
    return isinstance(error, LASTING) and not error.at_run_time and vars(error).keys() == PARTS


def refusal_text(error: SourcediffError) -> str:
    """A module that stands for a refusal.

    >>> error = errors.AliasingError("a and b share memory", remedy="copy a")
    >>> print(refusal_text(error))
    # a and b share memory
    #   instead: copy a
    <BLANKLINE>
    REFUSAL = ('AliasingError', 'a and b share memory', '', 'copy a', [])
    """
    parts = type(error).__name__, error.problem, error.why, error.remedy, [tuple(place) for place in error.places]
    said = "".join(f"# {line}\n" for line in str(error).splitlines())
    return f"{said}\nREFUSAL = {parts!r}"


def refusal_of(namespace: Mapping[str, Any]) -> SourcediffError | None:
    """The refusal that a module stands for; None of generated code."""
    if "REFUSAL" not in namespace:
        return None
    name, problem, why, remedy, places = namespace["REFUSAL"]
    error: SourcediffError = getattr(errors, name)(problem, why=why, remedy=remedy, places=[Place(*parts) for parts in places])
    return error
