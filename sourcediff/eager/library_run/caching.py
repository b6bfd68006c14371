"""Functions that keep their results (``functools.lru_cache``, ``functools.cache``) in a library run.

A cache takes two equal values for one, but their derivatives are their own. So results of values that are being differentiated
are kept for the run alone, by the place of these in the graph.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable
from typing import Any

from ..engine.apply import variables_in
from ..engine.nodes import Recorded
from .run import Run

CACHING = (functools.lru_cache, functools.cache)


def cached(rebinder: Run, function: Any) -> Callable[..., Any]:
    """What stands in for a function that has a cache."""
    inner = rebinder.rebound(function.__wrapped__)
    results: dict[Any, Any] = {}

    def called(*args: Any, **kwargs: Any) -> Any:
        if not variables_in([*args, *kwargs.values()]):
            return rebinder.wrapped(_unchanged_result(rebinder, function, args, kwargs), foreign=True)
        key = tuple(map(_placed, args)), tuple((name, _placed(value)) for name, value in kwargs.items())
        try:
            known = results.get(key)
        except TypeError:  # what has no hash value cannot be kept
            return inner(*args, **kwargs)
        if known is None:
            results[key] = known = inner(*args, **kwargs), args, kwargs  # the nodes too, so that their ids stay theirs
        return known[0]

    def clear() -> None:
        results.clear()
        function.cache_clear()

    functools.update_wrapper(called, inner, updated=())
    vars(called).update(cache_clear=clear, cache_info=function.cache_info, cache_parameters=function.cache_parameters)
    rebinder.known[id(called)] = called, called
    rebinder.caches.append(results.clear)
    return called


def caching(rebinder: Run, decorator: Any) -> Callable[..., Any]:
    """What stands in for one of these decorators: functions of the run get their caches by it."""

    def made(function: Any) -> Any:
        rebinder.caches.append(function.cache_clear)
        return cached(rebinder, function)

    def decorate(*args: Any, **kwargs: Any) -> Any:
        found = decorator(*args, **kwargs)
        return made(found) if isinstance(found, functools._lru_cache_wrapper) else lambda function: made(found(function))

    return decorate


def _unchanged_result(rebinder: Run, function: Any, args: Any, kwargs: Any) -> Any:
    """What a function itself gives, with the members of enumerations and the exceptions that the run knows."""
    members = rebinder.originals
    args = [members.get(id(arg), arg) if isinstance(arg, enum.Enum) else arg for arg in args]
    kwargs = {name: members.get(id(arg), arg) if isinstance(arg, enum.Enum) else arg for name, arg in kwargs.items()}
    try:
        result = function(*args, **kwargs)
    except Exception as error:
        kind = rebinder.rebound(type(error))
        if kind is type(error):
            raise
        error.__class__ = kind
        raise error  # by its new class
    return rebinder.rebound(result) if isinstance(result, enum.Enum) else result


def _placed(value: Any) -> Any:
    """An argument as a part of a key: of a value that is being differentiated its place in the graph too."""
    if isinstance(value, Recorded):
        return Recorded, id(value._node), value._value
    return tuple(map(_placed, value)) if isinstance(value, tuple) else value
