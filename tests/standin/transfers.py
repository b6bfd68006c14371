"""Copies between host and device, counted with the line that asked for them."""

from __future__ import annotations

import contextlib
import pathlib
import sys
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

HERE = str(pathlib.Path(__file__).parent)
NUMPY = str(pathlib.Path(np.__file__).parent)


class Transfer(NamedTuple):
    kind: str
    """``wait`` (a value of the device is asked for) or ``send`` (an array of the host is copied to it)."""
    name: str
    place: str
    """``file:line`` of the first frame outside the stand-in and NumPy."""


seen: list[Transfer] = []


def note(kind: str, name: str) -> None:
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith((HERE, NUMPY)):
        frame = frame.f_back
    seen.append(Transfer(kind, name, f"{frame.f_code.co_filename}:{frame.f_lineno}"))


@contextlib.contextmanager
def transfers(kind: str | None = None) -> Iterator[list[Transfer]]:
    """``with transfers("wait") as found:`` lists in ``found``, after the block, what the block copied."""
    start, found = len(seen), list[Transfer]()
    try:
        yield found
    finally:
        found += [transfer for transfer in seen[start:] if kind in (None, transfer.kind)]
