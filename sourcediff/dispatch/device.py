"""Calls of generated code on a device: what they wait for is counted, and said where it is much."""

from __future__ import annotations

import functools
import types
import warnings
from collections.abc import Callable
from typing import Any

from ..backends.python import blamed, loop_around, outside_of_library
from ..errors import DeviceWarning, Place
from ..runtime.function_cache import kept
from ..runtime.placement import is_refused, not_taken
from ..runtime.waits import WAITS

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
