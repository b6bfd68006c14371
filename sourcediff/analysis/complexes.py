"""Complex numbers: which values of a program may be complex, as far as its text and its arguments tell."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..syntax import nodes as n
from .abstract import UNKNOWN, Abstract, holds_complex
from .applications import METADATA, application
from .effects import base, entered, grown, simple, target_names, targets
from .scope import MISSING, Scope
from .values import Values

REAL = frozenset({
    np.absolute, builtins.abs, np.real, np.imag, np.angle, np.var, np.std, np.linalg.norm, np.linalg.vector_norm, np.fft.irfft,
    np.fft.irfftn, np.fft.irfft2, np.fft.hfft, builtins.int, builtins.len,
})
"""Functions whose results are real, whatever goes in."""

MOVING = frozenset({np.fft.fftshift, np.fft.ifftshift, np.fft.fftfreq, np.fft.rfftfreq})
"""Functions beside the Fourier transforms that are none."""


class Complexes:
    """``names``: those that may hold complex numbers.

    They come from complex arguments and constants, from dtypes that say so, and from Fourier transforms. What is not among them is
    certainly real; what is among them may be real after all, where its dtype is not known.
    """

    def __init__(self, body: list[n.stmt], values: Values, arguments: Mapping[str, Abstract]):
        self.scope: Scope = values.scope
        self.names = {name for name, known in arguments.items() if holds_complex(known)}
        nodes = list(simple(body))
        count = -1
        while count < len(self.names):
            count = len(self.names)
            for node in nodes:
                self._spread(node, values)

    def _spread(self, node: n.stmt, values: Values) -> None:
        if isinstance(node, n.For):
            if self.may_be(node.iter):
                self.names |= target_names(node.target)
        elif isinstance(node, (n.Assign, n.AugAssign)):
            if self.may_be(node.value):
                names = {name for target in targets(node) for name in target_names(target) or {base(target) or ""}}
                self.names |= {name for name in names if not _is_real(values, node, name)}
        elif (parts := grown(node)) is not None and self.may_be(entered(node)):
            self.names.add(parts)

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
            return node.attr not in NEVER and self.may_be(node.value)
        if isinstance(node, n.Call):
            applied = application(node, self.scope)
            function = applied.function if applied is not None else None
            if _transforms(function):
                return True
            if applied is not None and applied.rule is not None and function in REAL:
                return False
        return not isinstance(node, n.Compare) and any(self.may_be(part) for part in n.below(node))


NEVER = {"real", "imag", *METADATA} - {"dtype"}
"""Attributes that are real whatever they are of. (A dtype makes what is made with it complex.)"""


def _is_real(values: Values, node: n.stmt, name: str) -> bool:
    """Whether a name is certainly not complex after a statement."""
    known = values.after[node].get(name, UNKNOWN)
    return known.dtype is not None and known.dtype.kind != "c"


def _transforms(function: Any) -> bool:
    return getattr(function, "__module__", "") == "numpy.fft" and function not in REAL | MOVING


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
