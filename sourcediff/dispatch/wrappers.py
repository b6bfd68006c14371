"""Functions that take ``*args`` or ``**kwargs``: what they are given is known at each call, and so are the names to differentiate by.

A wrapper that hands on all that it is given shows the parameters of the function that it wraps. Each way of calling it (so many
arguments by position, these by keyword) is differentiated as a function of its own, which calls the wrapper in just this way:

>>> import functools
>>> def doubled(function):
...     @functools.wraps(function)
...     def wrapper(*args, **kwargs):
...         return 2 * function(*args, **kwargs)
...     return wrapper
>>> @doubled
... def power(x, k=2):
...     return x ** k
>>> called = as_called(power, 1, ("k",))
>>> called.__forwards__.text
'def power(x, *, k): return wrapped(x, k=k)'
>>> called(3.0, k=3)
54.0
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Sequence
from typing import Any

from ..errors import UnknownParameterError, UnsupportedSyntaxError
from ..naming import is_name
from ..runtime.function_cache import keeping_alive, kept
from ..syntax.function import Forwards, definition, held, is_called, name_of, plain
from .arguments import plain_position

BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
STARS = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
ANYTHING = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


def forwards(function: Any, wrt: Any = ()) -> bool:
    """Whether a callable is to be differentiated call by call: a wrapper that takes anything and shows what it wraps, or a function
    of which something is asked for (``wrt``) that ``*args`` or ``**kwargs`` take.
    """
    inner = plain(function)
    if not inner.__code__.co_flags & ANYTHING:
        return False
    parameters = list(inspect.signature(inner, follow_wrapped=False).parameters.values())
    if (runner := getattr(inner, "sourcediff", None)) is not None:
        return hasattr(runner, "at")
    if hasattr(inner, "__wrapped__") or is_called(function) and hasattr(function, "__wrapped__"):
        return not any(isinstance(part, str) and part.startswith("self.") for part in several(wrt))
    filled = max(len(held(function)[0]), [part.name for part in parameters[:1]] == ["self"])
    own = parameters[min(filled, sum(parameter.kind in BY_POSITION for parameter in parameters)):]  # *args is never full
    stars = next((k for k, parameter in enumerate(own) if parameter.kind is STARS[0]), len(own))
    named = {parameter.name for parameter in parameters}
    return any(
        part >= stars if isinstance(part, int) else part.split(".")[0] not in named and own[-1].kind is STARS[1] for part in several(wrt))


def several(wrt: Any) -> Sequence[Any]:
    """``wrt`` as a sequence."""
    return tuple(map(plain_position, wrt if isinstance(wrt, (tuple, list)) else (wrt,)))


def as_called(function: Any, count: int, keywords: tuple[str, ...]) -> Any:
    """The function of what a callable is given in one way of calling it: ``count`` arguments by position, and these by keyword."""
    if (runner := getattr(function, "sourcediff", None)) is not None:
        return runner.at(count, keywords)
    made = kept(function, ("called", count, keywords), lambda: _as_called(function, count, keywords))
    keeping_alive(function)  # which it calls
    return made


def _as_called(function: Any, count: int, keywords: tuple[str, ...]) -> types.FunctionType:
    shown = inspect.signature(function)
    given: list[str] = []
    for parameter in shown.parameters.values():
        if parameter.kind in BY_POSITION and len(given) < count:
            given.append(parameter.name)
    star = next((parameter.name for parameter in shown.parameters.values() if parameter.kind is STARS[0]), "args")
    given += [f"{star}_{k}" for k in range(count - len(given))]
    if set(given) & set(keywords) or not all(map(is_name, keywords)):
        shown.bind(*given, **dict.fromkeys(keywords))  # raises as the call would
    if unnamed := [word for word in keywords if not is_name(word)]:
        raise UnsupportedSyntaxError(
            f"{function.__qualname__} is given an argument called {unnamed[0]!r}", why="that is no name, or a keyword of Python's",
            remedy="give it by another name", places=[definition(plain(function), "asked of this function")],
        )
    inner = plain(function)
    behind = inspect.unwrap(function)
    behind = inner if not isinstance(behind, types.FunctionType) else behind
    callee = "wrapped"
    while callee in (*given, *keywords):
        callee += "_"
    parameters = ", ".join([*given, *(["*"] if keywords else []), *keywords])
    passed = ", ".join([*given, *(f"{name}={name}" for name in keywords)])
    text = f"def {name_of(behind)}({parameters}): return {callee}({passed})"
    namespace: dict[str, Any] = {"__name__": behind.__module__, callee: vars(function).get("__library__", function)}
    code = next(part for part in compile(text, behind.__code__.co_filename, "exec").co_consts if isinstance(part, types.CodeType))
    code = code.replace(co_firstlineno=behind.__code__.co_firstlineno)
    made = types.FunctionType(code, namespace, behind.__name__)
    made.__qualname__, made.__doc__ = behind.__qualname__, behind.__doc__
    made.__dict__["__forwards__"] = Forwards(text, behind)
    return made


def asked_of_call(function: Any, wrt: Any, made: Any, count: int) -> Any:
    """The names that ``wrt`` means in one way of calling a function. Raises UnknownParameterError for what is not given there."""
    first, named = ((), {}) if is_called(function) else held(function)
    given = list(inspect.signature(made).parameters)
    count += len(first)
    shown = [parameter.name for parameter in inspect.signature(as_it_is(function)).parameters.values() if parameter.kind not in STARS]
    order = given[:count] + [name for name in shown if name not in given[:count]]
    order = [name for name in order[max(len(first), order[:1] == ["self"]):] if name not in named]

    def name(part: Any) -> str:
        position = isinstance(part, int) and not isinstance(part, bool) and -len(order) <= part < len(order)
        found = order[part] if position else part
        if isinstance(found, str) and found.split(".")[0] in given:
            return found
        known = ", ".join(given) or "nothing"
        raise UnknownParameterError(
            f"{made.__qualname__} is not given {found!r} in this call", why=f"it takes any arguments, and this call gives {known}",
            remedy="give it in the call, or leave it out of wrt",
        )

    return tuple(map(name, several(wrt))) if isinstance(wrt, (tuple, list)) else name(plain_position(wrt))


def as_it_is(function: Any) -> Any:
    """What is called in the end: an object that can be called itself, the function of a method or of a partial."""
    return function if is_called(function) else plain(function)


def forwarding_of_call(function: Any, count: int, keywords: tuple[str, ...], wrt: Any = None) -> tuple[Any, Any]:
    """A callable for one way of calling it, and the names that ``wrt`` means there."""
    first, named = ((), {}) if is_called(function) else held(function)
    made = as_called(as_it_is(function), len(first) + count, (*named, *(name for name in keywords if name not in named)))
    asked = None if wrt is None else asked_of_call(function, wrt, made, count)
    if isinstance(function, types.MethodType):
        return types.MethodType(made, function.__self__), asked
    return (functools.partial(made, *first, **named) if first or named else made), asked


def of_example(function: Any, wrt: Any, args: Sequence[Any] | None) -> tuple[Any, Any]:
    """The same for example arguments; without any, for all the parameters that a function shows."""
    if args is not None:
        return forwarding_of_call(function, len(args), (), wrt)
    shown = list(inspect.signature(function).parameters.values())
    names = tuple(parameter.name for parameter in shown if parameter.kind is parameter.KEYWORD_ONLY)
    return forwarding_of_call(function, sum(parameter.kind in BY_POSITION for parameter in shown), names, wrt)
