"""The functional door to the eager engine: ``autograd.grad`` and ``autograd.backward``."""

from __future__ import annotations

from .eager import Function, Variable, backward, grad

__all__ = ["Function", "Variable", "backward", "grad"]
