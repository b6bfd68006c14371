"""Where a program waits for a device: a branch, a loop or a ``float()`` asks for a value that is computed there."""

from __future__ import annotations

import sys
import threading
from typing import Any

from .arrays.library import on_device


class Waits(threading.local):
    """The waits of the call that a thread is in: their number, and the file and the line of the last."""

    def __init__(self) -> None:
        self.count = 0
        self.place = ("", 0)


WAITS = Waits()


def fetched(value: Any) -> Any:
    """A number, copied from the device where it lies there: the program waits until it is computed. Anything else as it is.

    >>> fetched(2.0)
    2.0
    """
    if not on_device(value) or value.ndim:
        return value
    frame = sys._getframe(1)
    return waited(value, (frame.f_code.co_filename, frame.f_lineno))


def waited(value: Any, place: tuple[str, int] = ("", 0)) -> Any:
    """An array or a number, copied from the device where it lies there. Anything else as it is.

    >>> waited(2.0)
    2.0
    """
    if not on_device(value):
        return value
    WAITS.count += 1
    WAITS.place = place
    return value.get()[()]
