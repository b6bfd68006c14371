"""Where a NumPy call is told to write its result: ``out=``, by keyword or by position."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Collection
from typing import Any

import numpy as np

from ...syntax import nodes as n
from ...syntax.function import MISSING


def goes_out(call: n.Call, function: Any) -> bool:
    """Whether a call of a function of NumPy's, or of a method (MISSING), gives one for the result by its position: ``np.add(x, y, x)``."""
    if isinstance(function, np.ufunc):
        return len(call.args) > function.nin
    if isinstance(getattr(function, "__self__", None), np.ufunc):
        return len(call.args) > 3 and not _is_none(call.args[3])  # reduce, accumulate: a, axis, dtype, out
    if function is np.nan_to_num:
        return len(call.args) > 1 or any(keyword.arg == "copy" for keyword in call.keywords)
    method = function is MISSING and isinstance(call.func, n.Attribute)
    name = call.func.attr if method else getattr(function, "__name__", "")
    if not method and vars(np).get(name) is not function or len(call.args) < 2:
        return False
    place = place_of_out(name) - method
    return 0 < place < len(call.args) and not _is_none(call.args[place])


def _is_none(node: n.expr) -> bool:
    return isinstance(node, n.Constant) and node.value is None


@functools.cache
def place_of_out(name: str) -> int:
    """At which position a function of NumPy's takes ``out``, 0 if at none.

    >>> place_of_out("cumsum"), place_of_out("dot"), place_of_out("sort"), place_of_out("einsum")
    (3, 2, 0, 0)
    """
    try:
        parameters = inspect.signature(vars(np)[name]).parameters
    except (KeyError, TypeError, ValueError):  # there is none, or it is written in C
        return 2 if name == "dot" else 0
    positional = "out" in parameters and parameters["out"].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    return list(parameters).index("out") if positional else 0


def among(found: Any, known: Collection[Any]) -> bool:
    """Whether an object is one of those known: also of one that cannot be hashed."""
    try:
        return found in known
    except (TypeError, ValueError):  # it cannot be hashed; it is an array
        return False
