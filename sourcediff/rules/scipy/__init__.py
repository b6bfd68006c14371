"""The rules of SciPy's functions, a file for each of its packages, imported when a function of that package is met, not before."""

from __future__ import annotations

import importlib
import importlib.util
from functools import cache

FILES = {"signal": "filters"}
"""Package of SciPy's → the file of its rules, where that has another name."""


@cache
def loaded(package: str) -> bool:
    """Whether there are rules for a package of SciPy's (``special``), which are then in the table."""
    name = f"{__name__}.{FILES.get(package, package)}"
    if importlib.util.find_spec(name) is None or importlib.util.find_spec("scipy") is None:
        return False
    importlib.import_module(name)
    return True
