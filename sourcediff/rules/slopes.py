"""Derivatives by one argument, a line for each function."""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Mapping
from typing import Any

from .frames import elementwise


def slopes(table: Mapping[Any, Any], **how: Any) -> None:
    """Register elementwise functions (or tuples of them, a family) by a ``lambda`` each, on a line of its own: the derivative by ``x``.

    It may read the result, ``z``, which comes first. By the parameters before ``x`` the function has no derivative here.

    >>> import numpy as np
    >>> from sourcediff.rules import RULES
    >>> def softplus(x):
    ...     return np.log1p(np.exp(x))
    >>> slopes({
    ...     softplus: lambda z, x: 1 - np.exp(-z),
    ... })
    >>> print(inspect.getsource(RULES.pop(softplus).formula))
    def softplus(g, z, x):
        return g * (1 - np.exp(-z))
    <BLANKLINE>
    """
    for key, slope in table.items():
        functions = key if isinstance(key, tuple) else (key,)
        code, names = slope.__code__, [name for name in inspect.signature(slope).parameters if name != "z"]
        line = linecache.getline(code.co_filename, code.co_firstlineno).partition("lambda ")[2].strip().removesuffix(",")
        parameters, _, derivative = line.removeprefix("z, ").partition(": ")
        before, name = names[:names.index("x")], functions[0].__name__
        text = f"def {name}(g, z, {parameters}):\n    return {'None, ' * len(before)}g * ({derivative})\n"
        place, scope = f"<slope of {name}>", {}  # type: tuple[str, dict[str, Any]]
        linecache.cache[place] = len(text), None, text.splitlines(True), place
        exec(compile(text, place, "exec"), slope.__globals__, scope)
        elementwise(*functions, refuses=tuple(before), **how)(scope[name])
