"""Files that are edited while the tests run."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

_seconds = itertools.count(10**9 + 10, 10)


def edit(path: Path, text: str) -> None:
    """Write a file as one does who comes back to it seconds later.

    Python takes the bytecode that it wrote for that of the text where the second and the size are the same.
    """
    path.write_text(text)
    second = next(_seconds)
    os.utime(path, (second, second))
