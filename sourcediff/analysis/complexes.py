"""Complex numbers: which names of a program may hold them, as far as its text tells."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from ..syntax import nodes as n
from .applications import METADATA
from .effects import base, simple, target_names, targets
from .scope import MISSING, Scope
from .values import Values

REAL = frozenset({np.absolute, builtins.abs, np.real, np.imag, np.angle, np.fft.irfft, np.fft.irfftn, np.fft.irfft2, np.fft.hfft})
"""Functions whose results are real, whatever goes in."""

MOVING = frozenset({np.fft.fftshift, np.fft.ifftshift, np.fft.fftfreq, np.fft.rfftfreq})
"""Functions beside the Fourier transforms that are none."""


class Complexes:
    """``names``: those that may hold complex numbers. They come from complex constants, dtypes that say so, and Fourier transforms."""

    def __init__(self, body: list[n.stmt], values: Values):
        self.scope: Scope = values.scope
        self.names: set[str] = set()
        assigned = [node for node in simple(body) if isinstance(node, (n.Assign, n.AugAssign))]
        count = -1
        while count < len(self.names):
            count = len(self.names)
            for node in assigned:
                if self.may_be(node.value):
                    names = {name for target in targets(node) for name in target_names(target) or {base(target) or ""}}
                    self.names |= {name for name in names if not _is_real(values, node, name)}

    def may_be(self, node: n.AST) -> bool:
        """Whether the value of an expression may be complex."""
        if isinstance(node, n.Name):
            return node.id in self.names or _holds_complex(self.scope.lookup(node.id))
        if isinstance(node, n.Constant):
            return isinstance(node.value, complex) or isinstance(node.value, str) and node.value.startswith("complex")
        if isinstance(node, n.Attribute):
            found = self.scope.resolve(node)
            if found is not MISSING:
                return _holds_complex(found)
            return node.attr not in {"real", "imag", *METADATA} and self.may_be(node.value)
        if isinstance(node, n.Call):
            function = self.scope.resolve(node.func)
            if function is not MISSING and _transforms(function):
                return True
            if function is not MISSING and _is_hashable(function) and function in REAL:
                return False
        return not isinstance(node, n.Compare) and any(self.may_be(part) for part in n.below(node))


def _is_real(values: Values, node: n.stmt, name: str) -> bool:
    """Whether a name is certainly not complex after a statement."""
    known = values.after[node].get(name)
    return known is not None and known.dtype is not None and known.dtype.kind != "c"


def _transforms(function: Any) -> bool:
    return getattr(function, "__module__", "") == "numpy.fft" and function not in REAL | MOVING


def _is_hashable(value: Any) -> bool:
    return type(value).__hash__ is not None


def _holds_complex(value: Any) -> bool:
    """Whether something from outside the program is complex, holds complex numbers, or stands for their type."""
    if isinstance(value, (list, tuple)):
        return any(map(_holds_complex, value))
    if isinstance(value, dict):
        return any(map(_holds_complex, value.values()))
    if isinstance(value, type):
        return issubclass(value, (complex, np.complexfloating))
    if isinstance(value, np.dtype):
        return value.kind == "c"
    return isinstance(value, (complex, np.complexfloating)) or isinstance(value, np.ndarray) and value.dtype.kind == "c"
