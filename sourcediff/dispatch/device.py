"""Calls of generated code on a device: what is read from outside is sent there; waits are counted, and said where there are many."""

from __future__ import annotations

import functools
import types
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from ..backends.python import blamed, loop_around, outside_of_library
from ..errors import DeviceWarning, NonDifferentiableError, Place, UnsupportedSyntaxError
from ..runtime.arrays.library import DEVICE, is_host_array, library_of, to_device
from ..runtime.function_cache import kept
from ..runtime.placement import is_refused, library_of_call, not_taken
from ..runtime.user_objects import changeable_in
from ..runtime.waits import WAITS
from ..syntax.function import definition
from .arguments import located
from .made import Made

MANY = 10
"""Waits in one call that nobody need be told of."""


def on_device(generated: Callable[..., Any], function: types.FunctionType) -> Callable[..., Any]:
    """Generated code that says where it waits more than ten times in a call, once for each function.

    What CuPy does not take of what NumPy takes raises UnsupportedSyntaxError there.
    """

    @functools.wraps(generated)
    def called(*args: Any) -> Any:
        before = WAITS.count
        try:
            return generated(*args)
        except Exception as error:
            if not is_refused(error) or (line := blamed(error)) is None:
                raise
            refusal = not_taken(function.__qualname__, error)
            raise refusal.said(refusal.problem, [Place(line.path, line.line, None, line.text, "met here")]) from error
        finally:
            if (waits := WAITS.count - before) > MANY:
                warn(function, waits)

    return called


def warn(function: types.FunctionType, waits: int) -> None:
    """Say how often a call has waited for the device, and in which loop."""
    told: set[bool] = kept(function, "waits", set)
    if told:
        return
    told.add(True)
    loop = loop_around(*WAITS.place)
    warnings.warn(
        f"{function.__qualname__} waited {waits} times for the device in one call: a branch, an index or a float() of a value that is "
        f"computed there copies it\n  {loop or 'in a loop'}\n  instead: write the branch as np.where, or compute the condition on the "
        "computer (sourcediff.explain marks every wait)", DeviceWarning, stacklevel=outside_of_library(),
    )


def sent(function: types.FunctionType, made: Made, place: Any, value: Any, changed: bool) -> Any:
    """An array from outside as one on the device: it is sent once, and once more where it has changed.

    Raises UnsupportedSyntaxError for one that the function changes, or that is held by something else.
    """
    if library_of(value) == DEVICE:
        return value
    if not is_host_array(value):
        scipy = str(type(value).__module__).startswith("scipy.") and not callable(value)
        if changed or scipy or "numpy" in map(library_of, changeable_in(value)):
            raise not_sent(function, place[1], "it is held by something that is not sent")
        return value
    if changed:
        raise not_sent(function, place[1], "the function changes it")
    kept, there = made.sent.get(place, (None, None))
    if kept is None or kept.shape != value.shape or kept.dtype != value.dtype or kept.tobytes() != value.tobytes():
        kept, there = made.sent[place] = value.copy(), to_device(value)
    return there


def not_sent(function: types.FunctionType, name: str, why: str) -> UnsupportedSyntaxError:
    """The error of an array from outside that cannot be a constant on the device."""
    return UnsupportedSyntaxError(
        f"{function.__qualname__} reads an array of the computer's memory from outside, {name}, for arrays on a device", why=why,
        remedy=f"pass it as an argument, on the device: cupy.asarray({name})", at_run_time=True,
        places=[definition(function, "called here with arrays on a device")],
    )


def library_asked(function: types.FunctionType, given: Iterable[tuple[str, Any]], data: Iterable[tuple[str, Any]]) -> str:
    """The library of the arrays of a call, and of the ``data`` that are read from outside."""
    try:
        return library_of_call(function, given, data)
    except NonDifferentiableError as error:
        raise located(error, function) from None
