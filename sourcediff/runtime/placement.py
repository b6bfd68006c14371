"""Where the arrays of a call lie: in the computer's own memory, or on a device."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..errors import NonDifferentiableError, SourcediffError, UnsupportedSyntaxError
from .arrays.library import DEVICE, device_class, library_of
from .user_objects import changeable_in


def is_refused(error: Exception) -> bool:
    """Whether an error says that CuPy does not take what it was given; a ValueError or RuntimeError where it is CuPy's own."""
    if isinstance(error, SourcediffError):
        return False
    if isinstance(error, ValueError) or type(error) is RuntimeError:  # a library of its own that is not installed
        return is_of_library(error)
    return isinstance(error, (TypeError, AttributeError, NotImplementedError))


def is_of_library(error: Exception) -> bool:
    """Whether an error was raised within CuPy."""
    trace = error.__traceback__
    while trace is not None:
        if str(trace.tb_frame.f_globals.get("__name__", "")).split(".")[0] in ("cupy", "cupyx"):
            return True
        trace = trace.tb_next
    return False


def not_taken(name: str, error: Exception) -> UnsupportedSyntaxError:
    """The refusal of what CuPy does not take of what NumPy takes, with what it said."""
    return UnsupportedSyntaxError(
        f"{name} met what CuPy does not take: {error}", why="NumPy's functions take more than CuPy's do", at_run_time=True,
        remedy="write it with what CuPy has, or compute on the computer's own arrays: x.get()",
    )


def library_of_call(function: Any, given: Iterable[tuple[str, Any]], data: Iterable[tuple[str, Any]]) -> str:
    """The library of the arrays that a function is given, and of what it reads from outside where it is given none.

    Raises NonDifferentiableError for arguments of both libraries. What is read from outside is sent to the device.
    """
    if device_class() is None:
        return "numpy"
    found: dict[str, str] = {}
    for name, value in given:
        for part in changeable_in(value) or (value,):
            if library := "numpy" if str(type(part).__module__).startswith("scipy.") else library_of(part):
                found.setdefault(library, name)
    outside = {library_of(part): name for name, value in data for part in changeable_in(value)}
    if DEVICE not in (found or outside):
        if DEVICE in outside:
            found[DEVICE] = outside[DEVICE]
        else:
            return "numpy"
    if "numpy" in found:
        raise NonDifferentiableError(
            f"{getattr(function, '__qualname__', function)} was called with an array in the computer's memory ({found['numpy']}) "
            f"and one on a device ({found[DEVICE]})", why="CuPy does not compute with both",
            remedy=f"pass cupy.asarray({found['numpy']}), or {found[DEVICE]}.get()",
        )
    return DEVICE
