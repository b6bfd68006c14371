"""``detect_anomaly``: a NaN or an infinity born in a backward pass, or an unseen write to saved memory, names the forward line."""

from __future__ import annotations

import os
import sys
import traceback
import weakref
from collections.abc import Iterator
from threading import get_ident
from types import TracebackType
from typing import Any

import numpy as np

from ...errors import AnomalyError, InPlaceError, Place
from ...rules import frames
from .nodes import Node
from .scopes import OFF, RecordingScope

ANOMALY: dict[int, int] = {}
"""How many of these scopes are open, by thread. Empty nearly always, so that the walk asks one truth value."""

GENERAL = -1
"""No thread's identity: in OFF, it sends the operators the general way, where nodes note the line they were made on."""

LIBRARIES = tuple(os.path.dirname(path) + os.sep for path in (os.path.dirname(os.path.abspath(__file__)), frames.__file__, np.__file__))
"""Where the lines are that a user did not write."""


SUMS: weakref.WeakKeyDictionary[Node, tuple[int, ...]] = weakref.WeakKeyDictionary()
"""The checksums of what nodes saved, of those that were made in such a scope."""


class detect_anomaly(RecordingScope):
    """In this scope, of this thread, a NaN or an infinity that is born in a backward pass raises AnomalyError with the forward line.

    What is recorded in the scope is also checked, when backward comes to it, for writes that the engine cannot see (``x.data[0] = 1``,
    or into a plain array that was an operand): if backward needs the old values, InPlaceError names the line. Also a decorator.

    >>> from sourcediff.eager import Variable
    >>> x = Variable([0.0], requires_grad=True)
    >>> with detect_anomaly(), np.errstate(divide="ignore"):
    ...     y = np.sqrt(x).sum()
    ...     try:
    ...         y.backward()
    ...     except AnomalyError as error:
    ...         print(error.problem)
    the backward pass of np.sqrt gave inf
    """

    def __init__(self) -> None:
        self._threads: list[int] = []

    def __enter__(self) -> None:
        thread = get_ident()
        self._threads.append(thread)
        ANOMALY[thread] = ANOMALY.get(thread, 0) + 1
        OFF.add(GENERAL)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        here = get_ident()
        thread = here if here in self._threads else self._threads[-1]
        self._threads.remove(thread)
        ANOMALY[thread] -= 1
        if not ANOMALY[thread]:
            del ANOMALY[thread]
        if not ANOMALY:
            OFF.discard(GENERAL)


def note_line(node: Node) -> None:
    """Note with a node where it was made, and what it saved, if this thread detects anomalies."""
    if get_ident() in ANOMALY:
        node.line = user_line()
        SUMS[node] = checksums(node)


def user_line() -> str:
    """The line of the user's code that is running: ``file:line: text``."""
    line = summary()
    return f"{line.filename}:{line.lineno}: {line.line}"


def user_place(problem: str) -> Place:
    """The same as a place of an error."""
    line = summary()
    return Place(line.filename, line.lineno or 0, None, line.line or "", problem)


def summary() -> traceback.FrameSummary:
    """The innermost line that is being run of those that a user wrote."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith((*LIBRARIES, "<backward of")):
        frame = frame.f_back
    (line,) = traceback.StackSummary.extract([(frame, frame.f_lineno)])
    return line


def check_node(node: Node, g: Any, contributions: Any) -> None:
    """Check, if this thread detects anomalies, what the backward pass of a node has read and what it gave.

    Raises InPlaceError if memory that the node saved has been written to unseen, AnomalyError if a contribution has a NaN or an
    infinity and the adjoint that it came from has none.
    """
    if get_ident() not in ANOMALY:
        return
    line = getattr(node, "line", "")
    why = f"the operation was recorded at {line}" if line else ""
    if node in SUMS and SUMS[node] != checksums(node):
        raise InPlaceError(
            f"memory that the backward pass of {node.name} needs was written to unseen, through .data or a plain array", why=why,
            remedy="make a new array (x.data = x.data + 1), write through the Variable (x[i] = y), or record a copy (x.clone())",
        )
    if _finite(g):
        for contribution in contributions:
            if not _finite(contribution):
                value = "nan" if any(np.any(np.isnan(array)) for array in _arrays(contribution)) else "inf"
                raise AnomalyError(
                    f"the backward pass of {node.name} gave {value}", why=why,
                    remedy="look at the values there: sqrt or a division at 0, log of 0 …",
                )


def _arrays(value: Any) -> Iterator[Any]:
    """The arrays and NumPy numbers in a value and in its parts."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from _arrays(part)
        return
    value = getattr(value, "_value", value)
    if hasattr(value, "dtype") and hasattr(value, "shape") or isinstance(value, (float, complex)):
        yield value


def checksums(node: Node) -> tuple[int, ...]:
    """A checksum of each array that a node has saved."""
    return tuple(hash(array.tobytes()) for array in _arrays(node.saved) if hasattr(array, "tobytes"))


def _finite(value: Any) -> bool:
    return all(bool(np.all(np.isfinite(array))) for array in _arrays(value))
