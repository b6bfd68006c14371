"""Functions of NumPy and ``math`` that a program has exchanged for others: formulas that are written with them mean the original ones."""

from __future__ import annotations

import math
import types

import numpy as np

from ...syntax.function import MISSING

ORIGINAL = {module.__name__: dict(vars(module)) for module in (np, np.linalg, np.fft, math)}
"""What the libraries held when this one was imported."""


def is_exchanged(module: types.ModuleType, name: str) -> bool:
    """Whether a library holds something else under a name than it did.

    >>> is_exchanged(np, "sin"), is_exchanged(np, "not_there")
    (False, False)
    """
    before = ORIGINAL.get(module.__name__, {}).get(name, MISSING)
    return before is not MISSING and vars(module).get(name, MISSING) is not before
