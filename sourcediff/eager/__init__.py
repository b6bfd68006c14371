"""Layer 3: the define-by-run engine. Variables record Function nodes as the program runs; backward walks them.

``library_run/`` (what the library makes of a user's function) and most of ``view/`` (graphs to look at) are imported when they are needed.
"""

from __future__ import annotations

from .engine.anomaly import detect_anomaly
from .engine.backward import backward, grad
from .engine.function import Function
from .engine.scopes import enable_grad, is_grad_enabled, no_grad
from .engine.variable import Variable
from .install import install
from .torch_api.joining import cat, stack
from .view import graph

install()

__all__ = [
    "Function", "Variable", "backward", "cat", "detect_anomaly", "enable_grad", "grad", "graph", "is_grad_enabled", "no_grad", "stack",
]
