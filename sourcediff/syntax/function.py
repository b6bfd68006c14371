"""The Python function behind a callable. Needs no parser, so that asking for a gradient costs no import of one."""

from __future__ import annotations

import builtins
import linecache
import types
from typing import Any

from ..errors import NonDifferentiableError, Place, SourceUnavailableError


def plain(function: Any) -> types.FunctionType:
    """The Python function behind a callable: a method's function, or the function itself. A wrapper made by a decorator is a
    function of its own: what it wraps is not what it computes.

    Raises NonDifferentiableError for what cannot be called, SourceUnavailableError for a callable that is no Python function.
    """
    inner = getattr(function, "__func__", function)
    if isinstance(inner, types.FunctionType):
        return inner
    kind = type(function).__name__
    if not callable(function):
        raise NonDifferentiableError(
            f"{function!r} is a {kind}, and only a function has a gradient", why="it cannot be called",
            remedy="give a function written in Python",
        )
    name = getattr(function, "__qualname__", None) or repr(function)
    raise SourceUnavailableError(
        f"{name} has no Python source to differentiate", why=f"it is a {kind}, not a function written in Python",
        remedy="wrap its call in a function: def f(x): return …(x)",
    )


def definition(function: types.FunctionType, problem: str, why: str = "", remedy: str = "") -> Place:
    """The line on which a function begins, for an error about the whole of it."""
    code = function.__code__
    return Place(code.co_filename, code.co_firstlineno, None, linecache.getline(code.co_filename, code.co_firstlineno).rstrip("\n"),
                 problem, why, remedy)


MISSING: Any = type("Missing", (), {"__repr__": lambda self: "MISSING"})()


def current(function: types.FunctionType, name: str) -> Any:
    """What a free name of a function, or an attribute of one (``config.rate``), stands for at this moment, or MISSING."""
    code = function.__code__
    if name in code.co_freevars and function.__closure__:
        try:
            return function.__closure__[code.co_freevars.index(name)].cell_contents
        except ValueError:
            return MISSING
    if name in function.__globals__:
        return function.__globals__[name]
    owner, dot, attribute = name.partition(".")
    if dot:
        return getattr(current(function, owner), attribute, MISSING)
    return getattr(builtins, name, MISSING)
