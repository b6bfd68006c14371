"""Functions that others say, of Variables outside of a library run: their text runs as it is, and its helpers are recorded."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, partial
from types import FunctionType
from typing import Any

from ...rules.frames import rule_for
from ...rules.library_functions import composite_of_call
from ...runtime.user_objects import is_composite
from ..engine.apply import call, records, variables_in


def said_by_others(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a call that others say, NotImplemented for any other call and where nothing is recorded."""
    plain = composite_of_call(function, args, kwargs)
    if plain is None or not records(variables_in([*args, *kwargs.values()])):
        return NotImplemented
    return (recording(plain.__module__)[plain.__name__] if isinstance(plain, FunctionType) else plain)(*args, **kwargs)


@cache
def recording(module: str) -> dict[str, Any]:
    """What the names in a module of composites stand for, where its functions call helpers that record what they do."""
    names = dict(vars(sys.modules[module]))
    for name, value in vars(sys.modules[module]).items():
        if isinstance(value, FunctionType) and rule_for(value) is not None:
            names[name] = partial(recorded, value)
        elif isinstance(value, FunctionType) and is_composite(value):
            names[name] = FunctionType(value.__code__, names, name, value.__defaults__, value.__closure__)
            names[name].__kwdefaults__ = value.__kwdefaults__
    return names


def recorded(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """A call of a helper, recorded."""
    return call(function, args, kwargs)
