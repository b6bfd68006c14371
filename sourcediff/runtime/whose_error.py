"""Whose an exception is that ends a run of ours: the library's, or of someone outside, to whom it goes unchanged and at once."""

from __future__ import annotations

from collections.abc import Iterator
from types import FrameType, TracebackType

FAULTS = (ArithmeticError, LookupError, TypeError, ValueError, AttributeError, NameError)
"""What wrong code raises. A NameError is an AttributeError of the program's, where an attribute became a name of generated code."""

RUNNING = ("sourcediff", "numpy", "scipy")
"""The packages of which a frame is the library's: itself, its generated files (``sourcediff.generated``), and what they call."""


def frames_of(error: BaseException) -> Iterator[FrameType]:
    """The frames that an exception has come through, outer ones first."""
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        yield trace.tb_frame
        trace = trace.tb_next


def from_outside(error: BaseException) -> bool:
    """Whether an exception has nothing to do with what ran: a signal handler or a debugger raised it, or it asks the program to end.

    Both are handed the frame that they interrupt, and hold it while they raise.

    >>> import sys
    >>> def handler(signum, frame):
    ...     raise TimeoutError
    >>> def slow(interrupt):
    ...     interrupt(14, sys._getframe())
    >>> try:
    ...     slow(handler)
    ... except TimeoutError as error:
    ...     from_outside(error), from_outside(ValueError())
    (True, False)
    """
    if not isinstance(error, Exception):
        return True
    interrupted: FrameType | None = None
    for frame in frames_of(error):
        if interrupted is not None and any(_is_or_holds(value, interrupted) for value in list(frame.f_locals.values())):
            return True
        interrupted = frame
    return False


def _is_or_holds(value: object, frame: FrameType) -> bool:
    return value is frame or type(value) is tuple and len(value) < 10 and any(part is frame for part in value)  # *args of a handler


def may_be_ours(error: BaseException) -> bool:
    """Whether an exception that ends generated code may be a fault of that code: of what it is, and of where it was raised.

    A special method of the user's (``__getitem__``) is asked by generated code, too, where the program does not.
    """
    if not isinstance(error, FAULTS) or from_outside(error):
        return False
    last = [*frames_of(error)][-1:]
    return all(str(frame.f_globals.get("__name__", "")).split(".")[0] in RUNNING or frame.f_code.co_name[:2] == "__" for frame in last)


def pass_on(error: BaseException) -> None:
    """Raise an exception again that is from outside, as it is."""
    if from_outside(error):
        raise error
