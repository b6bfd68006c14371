"""Formulas that are written once for a family of functions, which they call ``itself``."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any


def itself(*args: Any, **kwargs: Any) -> Any:
    """In a formula of a family: the function at hand."""
    raise NotImplementedError


def written_for(function: Callable[..., Any], formula: Any) -> Any:
    """A formula in which ``itself`` is the function."""
    if itself.__name__ not in formula.__code__.co_names:
        return formula
    scope = {**formula.__globals__, itself.__name__: function}
    made = types.FunctionType(formula.__code__, scope, formula.__name__, formula.__defaults__)
    made.__kwdefaults__ = formula.__kwdefaults__
    return made
