"""The Python function behind a callable. Needs no parser, so that asking for a gradient costs no import of one."""

from __future__ import annotations

import builtins
import functools
import inspect
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, TypeVar

from ..errors import NonDifferentiableError, Place, SourceUnavailableError, line_at
from ..naming import is_name
from ..runtime.derivative import DerivativeFunction, form

TRANSFORMS: set[Any] = set()
"""The functions that make a gradient of a function: calls of what they make are looked into."""

F = TypeVar("F", bound=Callable[..., Any])


def as_transform(transform: F) -> F:
    """A function that makes a gradient of a function: one of ``TRANSFORMS``, which takes ``argnums=`` for ``wrt=`` too."""

    @functools.wraps(transform)
    def opened(*args: Any, **options: Any) -> Any:
        return transform(*args, **as_wrt(options))

    TRANSFORMS.add(opened)
    return opened  # type: ignore[return-value]


def as_wrt(options: dict[str, Any]) -> dict[str, Any]:
    """The options of a transform with ``argnums``, as HIPS autograd and JAX call it, under its name here."""
    if "argnums" not in options:
        return options
    if "wrt" in options:
        raise TypeError("argnums= is another name of wrt=: give one of them")
    return {"wrt" if name == "argnums" else name: value for name, value in options.items()}


class Forwards(NamedTuple):
    """The text of a function that only calls another one; ``behind`` is the function whose place it takes."""

    text: str
    behind: types.FunctionType


def plain(function: Any) -> types.FunctionType:
    """The Python function behind a callable: a method's, that of a ``functools.partial`` or of a function that Numba compiles, the
    ``__call__`` of an object, or the function itself. A wrapper made by a decorator is a function of its own: what it wraps is not
    what it computes.

    Raises NonDifferentiableError for what cannot be called, SourceUnavailableError for a callable that is no Python function.
    """
    inner = form(function)
    while not isinstance(inner, types.FunctionType):
        if (behind := _behind(inner)) is None:
            break
        inner = behind
    if isinstance(inner, types.FunctionType):
        return inner
    kind = type(inner).__name__
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


def _behind(function: Any) -> Any:
    """What a callable calls, one step on; None if that is not known."""
    if (known := form(function)) is not function:
        return known
    if isinstance(function, functools.partial):
        return function.func
    compiled = getattr(function, "py_func", None)
    if isinstance(compiled, types.FunctionType):
        return compiled
    return inspect.getattr_static(type(function), "__call__") if is_called(function) else getattr(function, "__func__", None)


def unjitted(value: Any) -> Any:
    """The Python function that Numba has compiled, for what it has made of it; any other value itself."""
    if not str(type(value).__module__).startswith("numba."):  # of a class with slots it may be no text
        return value
    source = getattr(value, "py_func", None)
    return source if isinstance(source, types.FunctionType) else value


def is_called(value: Any) -> bool:
    """Whether a value is an object whose class says in Python what calling it does."""
    if isinstance(value, (types.FunctionType, type, DerivativeFunction)):
        return False
    return isinstance(inspect.getattr_static(type(value), "__call__", None), types.FunctionType)


def held(function: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments that a callable passes before those of a call, and by name: a method its object, a partial what it was given.

    >>> held(functools.partial(pow, 2.0, mod=None))
    ((2.0,), {'mod': None})
    """
    function = form(function)
    if isinstance(function, functools.partial):
        first, named = held(function.func)
        return (*first, *function.args), {**named, **function.keywords}
    if isinstance(function, types.MethodType):
        first, named = held(function.__func__)
        return (*first, function.__self__), named
    return ((function,), {}) if is_called(function) else ((), {})


def name_of(function: types.FunctionType) -> str:
    """The name of a function, if it can stand in a program; a lambda has none, and it can be given any text for one."""
    return function.__name__ if is_name(function.__name__) else "function"


def definition(function: types.FunctionType, problem: str, why: str = "", remedy: str = "") -> Place:
    """The line on which a function begins, for an error about the whole of it."""
    while (runner := getattr(function, "sourcediff", None)) is not None:  # of what it is the derivative
        function = runner.function
    code = function.__code__
    return Place(code.co_filename, code.co_firstlineno, None, line_at(code.co_filename, code.co_firstlineno),
                 problem, why, remedy)


MISSING: Any = type("Missing", (), {"__repr__": lambda self: "MISSING"})()


def defaults_of(function: Any) -> dict[str, Any]:
    """The default of each parameter of a function that has one."""
    code, defaults = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[:code.co_argcount]
    return dict(zip(names[len(names) - len(defaults):], defaults)) | (function.__kwdefaults__ or {})


_frozen: ContextVar[Mapping[Any, Any] | None] = ContextVar("sourcediff_frozen", default=None)
"""What names stand for while a function is compiled, by :func:`place_of_definition`."""


@contextmanager
def frozen(names: Mapping[Any, Any]) -> Iterator[None]:
    """A time in which :func:`current` gives what these names stood for at its beginning, whatever other threads do meanwhile."""
    before = _frozen.set(names)
    try:
        yield
    finally:
        _frozen.reset(before)


def place_of_definition(function: types.FunctionType, name: str) -> Any:
    """Where a function looks a name up: in a cell, or in its globals."""
    free = function.__code__.co_freevars
    if name in free and function.__closure__:
        return id(function.__closure__[free.index(name)])
    return id(function.__globals__), name


def current(function: types.FunctionType, name: str) -> Any:
    """What a free name of a function, or an attribute of one (``package.config.rate``), stands for, or MISSING: as of the beginning of the
    compilation, for the compiler, and a derivative as the compiler knows it.

    ``mode=`` is the default of the parameter ``mode``.
    """
    return form(standing(function, name))


def standing(function: types.FunctionType, name: str) -> Any:
    """The same, and a derivative as it is."""
    names = _frozen.get()
    if names is not None and not name.endswith("="):
        value = names.get(place_of_definition(function, name), names)
        if value is MISSING:
            value = names.get((id(vars(builtins)), name), names) if isinstance(place_of_definition(function, name), tuple) else MISSING
        if value is not names:
            return value
        owner, dot, attribute = name.rpartition(".")
        if dot and name not in function.__globals__:
            return getattr(standing(function, owner), attribute, MISSING)
    return now(function, name)


def now(function: types.FunctionType, name: str) -> Any:
    """The same, as it is at this moment."""
    if name.endswith("="):
        return defaults_of(function).get(name[:-1], MISSING)
    code = function.__code__
    if name in code.co_freevars and function.__closure__:
        try:
            return function.__closure__[code.co_freevars.index(name)].cell_contents
        except ValueError:
            return MISSING
    if name in function.__globals__:
        return function.__globals__[name]
    owner, dot, attribute = name.rpartition(".")
    if dot:
        return getattr(now(function, owner), attribute, MISSING)
    return getattr(builtins, name, MISSING)


def needed(function: types.FunctionType, name: str) -> Any:
    """The same, for a call of generated code. Raises NameError where Python would."""
    value = now(function, name)
    if value is MISSING:
        raise NameError(f"name {name!r} is not defined", name=name)
    return value


def codes(code: types.CodeType) -> list[types.CodeType]:
    """A code object and those in it."""
    return [code, *(inner for constant in code.co_consts if isinstance(constant, types.CodeType) for inner in codes(constant))]
