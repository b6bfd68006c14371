"""Where the compiler refuses: which calls of a transform the eager engine answers, and what is said about it."""

from __future__ import annotations

import sys
import types
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from .api import FALLS_BACK
from .arrays import has_complex
from .backends.python import annotate
from .check import leaves
from .dispatch import Dispatcher, Entry
from .errors import AliasingError, FallbackWarning, NonDifferentiableError


class Compiling(Protocol):
    """What calls generated code: the function, the parameters to differentiate, and whether the compiler has refused it before."""

    function: types.FunctionType
    wrt: tuple[str, ...]
    refused: bool


def compiled_or_none(caller: Compiling, dispatcher: Dispatcher, values: Sequence[Any], mode: str, door: str) -> Entry | None:
    """The generated code for these arguments (all of the function's, in order); None where the eager engine is to answer.

    Raises what the compiler refuses in mode ``"compiled"``; in ``"auto"`` it is a FallbackWarning, once.
    """
    if mode == "eager" or not caller.wrt or caller.refused and mode == "auto" or dispatcher.holds_variables(list(values)):
        return None
    if any(has_complex(leaf) for name, value in zip(dispatcher.parameters, values) if name in caller.wrt for _, leaf in leaves(value)):
        return None  # it refuses them by name
    try:
        return dispatcher.entry(list(values))
    except FALLS_BACK as error:
        if mode == "compiled":
            raise
        fall_back(caller, error, door)
    except NonDifferentiableError:
        if mode == "compiled":
            raise  # else the eager engine says why, or knows better
    return None


def run_or_none(caller: Compiling, dispatcher: Dispatcher, entry: Entry, values: Sequence[Any], mode: str, door: str) -> Any:
    """What the generated code gives; None where it has found that the eager engine is to answer."""
    try:
        return annotated(dispatcher.called, entry, values)
    except AliasingError as error:
        if mode == "compiled" or error.at_run_time:
            raise
        fall_back(caller, error, door)
        return None


def fall_back(caller: Compiling, error: Exception, door: str) -> None:
    """Warn once, and let the eager engine answer from now on."""
    caller.refused = True
    warnings.warn(f"{door} of {caller.function.__qualname__} runs on the eager engine\n{error}", FallbackWarning, stacklevel=outside())


def outside() -> int:
    """How far up the stack the first line is that is neither the library's nor generated: there a warning points."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in ("sourcediff", "numpy"):
        level, frame = level + 1, frame.f_back
    return level


def annotated(function: Callable[..., Any], *args: Any) -> Any:
    """Call generated code; an error in it gets a note with the user's line."""
    try:
        return function(*args)
    except Exception as error:
        annotate(error)
        raise
