"""Layer 3: the define-by-run engine. Variables record Function nodes as the program runs; backward walks them.

``runs/`` (what the library makes of a user's function) and most of ``view/`` (graphs to look at) are imported when they are needed.
"""

from __future__ import annotations

from . import indexing, inplace, methods, operators, protocols  # noqa: F401  (they give Variable its operators and methods)
from .anomaly import detect_anomaly
from .backward import backward, grad
from .function import Function
from .joining import cat, stack
from .scopes import enable_grad, is_grad_enabled, no_grad
from .variable import Variable
from .view import graph

__all__ = [
    "Function", "Variable", "backward", "cat", "detect_anomaly", "enable_grad", "grad", "graph", "is_grad_enabled", "no_grad", "stack",
]
