"""``detect_anomaly``: a NaN or an infinity born in a backward pass raises, and names the forward line that made the node."""

from __future__ import annotations

import os
import sys
import traceback
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import AnomalyError
from .scopes import OFF

if TYPE_CHECKING:
    from .graph import Node

ANOMALY: list[detect_anomaly] = []
"""The scopes that are open, in any thread."""

GENERAL = -1
"""No thread's identity: in OFF, it sends the operators the general way, where nodes note the line they were made on."""

LIBRARIES = tuple(os.path.dirname(path) + os.sep for path in (os.path.dirname(os.path.abspath(__file__)), np.__file__))
"""Where the lines are that a user did not write."""


class detect_anomaly:
    """In this scope a NaN or an infinity that is born in a backward pass raises AnomalyError with the forward line.

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

    def __enter__(self) -> None:
        ANOMALY.append(self)
        OFF.add(GENERAL)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        ANOMALY.remove(self)
        if not ANOMALY:
            OFF.discard(GENERAL)


def user_line() -> str:
    """The line of the user's code that is running: ``file:line: text``."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith((*LIBRARIES, "<backward of")):
        frame = frame.f_back
    (line,) = traceback.StackSummary.extract([(frame, frame.f_lineno)])
    return f"{line.filename}:{line.lineno}: {line.line}"


def check_born(node: Node, g: Any, contributions: Any) -> None:
    """Raise AnomalyError if a contribution has a NaN or an infinity and the adjoint that it came from has none."""
    if not _finite(g):
        return
    for contribution in contributions:
        if not _finite(contribution):
            value = "nan" if _has_nan(contribution) else "inf"
            line = getattr(node, "line", "")
            raise AnomalyError(
                f"the backward pass of {node.name} gave {value}",
                why=f"the operation was recorded at {line}" if line else "",
                remedy="look at the values there: sqrt or a division at 0, log of 0 …",
            )


def _arrays(value: Any) -> list[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [array for part in value for array in _arrays(part)]
    value = getattr(value, "_value", value)
    return [] if value is None else [value]


def _finite(value: Any) -> bool:
    return all(bool(np.all(np.isfinite(array))) for array in _arrays(value))


def _has_nan(value: Any) -> bool:
    return any(bool(np.any(np.isnan(array))) for array in _arrays(value))
