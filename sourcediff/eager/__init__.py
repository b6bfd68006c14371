"""Layer 3: the define-by-run engine. Variables record Function nodes as the program runs; backward walks them.

``run.py`` and what it needs (the runs that the library makes of a user's function) are imported by those who call it.
"""

from __future__ import annotations

from . import indexing, inplace, methods, operators, protocols  # noqa: F401  (they give Variable its operators and methods)
from .anomaly import detect_anomaly
from .backward import backward, grad
from .function import Function
from .joining import cat, stack
from .scopes import enable_grad, is_grad_enabled, no_grad
from .survey import graph
from .variable import Variable

__all__ = [
    "Function", "Variable", "backward", "cat", "detect_anomaly", "enable_grad", "grad", "graph", "is_grad_enabled", "no_grad", "stack",
]
