"""Where operations are recorded: ``no_grad`` and ``enable_grad``, per thread, as scopes and as decorators."""

from __future__ import annotations

import functools
import inspect
import threading
import types
import weakref
from collections.abc import Callable
from threading import get_ident
from types import TracebackType
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

OFF: set[int] = set()
"""The threads (by identity) in which nothing is recorded. Empty nearly always, so that the hot path asks one truth value."""


class _Life:
    """Lives as long as its thread; then the thread leaves OFF, since the next thread may be given the same identity."""

    def __init__(self) -> None:
        self.thread = get_ident()
        self._leave = OFF.discard

    def __del__(self) -> None:
        self._leave(self.thread)


class _Here(threading.local):
    def __init__(self) -> None:
        self.life = _Life()


HERE = _Here()


def is_grad_enabled() -> bool:
    """Whether operations are recorded in this thread."""
    return get_ident() not in OFF


class Scope:
    """A scope that is also a decorator, with or without a call: each run of the function is then in a scope of its own.

    Of a generator function or a coroutine function every step is in the scope, and what runs in between is not.
    """

    def __new__(cls, function: Any = None) -> Any:
        scope = super().__new__(cls)
        return scope if function is None else scope(function)

    def __enter__(self) -> None:
        raise NotImplementedError

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        raise NotImplementedError

    def __call__(self, function: F) -> F:
        scope = type(self)
        if isinstance(function, type):
            raise TypeError(f"{scope.__name__} cannot decorate the class {function.__name__}: decorate its methods")
        if inspect.isasyncgenfunction(function):
            raise TypeError(f"{scope.__name__} cannot decorate an asynchronous generator: write `with {scope.__name__}():` in it")
        if not callable(function):
            raise TypeError(f"{scope.__name__} cannot decorate a {type(function).__name__}: it takes functions")
        if inspect.isgeneratorfunction(function):

            def scoped(*args: Any, **kwargs: Any) -> Any:
                return (yield from stepped(scope, function(*args, **kwargs)))

        elif inspect.iscoroutinefunction(function):

            async def scoped(*args: Any, **kwargs: Any) -> Any:  # type: ignore[misc]
                return await stepped(scope, function(*args, **kwargs).__await__())

        else:

            def scoped(*args: Any, **kwargs: Any) -> Any:
                with scope():
                    return function(*args, **kwargs)

        return functools.wraps(function)(scoped)  # type: ignore[return-value]


@types.coroutine
def stepped(scope: type[Scope], steps: Any) -> Any:
    """Go through a generator (or what awaits a coroutine) with each of its steps in the scope, and the caller's turns outside."""
    step, value = steps.send, None
    try:
        while True:
            with scope():
                given = step(value)
            try:
                step, value = steps.send, (yield given)
            except GeneratorExit:
                with scope():
                    steps.close()
                raise
            except BaseException as error:
                step, value = steps.throw, error
    except StopIteration as finished:
        return finished.value


class _Recording(Scope):
    """Recording on or off in this thread; restores what it found, in the thread that it was entered in."""

    records: bool

    def __init__(self) -> None:
        self._found: list[tuple[weakref.ref[_Life], bool]] = []

    def __enter__(self) -> None:
        self._found.append((weakref.ref(HERE.life), is_grad_enabled()))
        _record(HERE.life, self.records)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        here = HERE.life  # a suspended generator may be closed by another thread than the one that ran it
        place = max((i for i, (life, _) in enumerate(self._found) if life() is here), default=-1)
        life, enabled = self._found.pop(place)
        _record(life(), enabled)


def _record(life: _Life | None, on: bool) -> None:
    if life is None:
        return  # the thread has ended
    if on:
        OFF.discard(life.thread)
    else:
        OFF.add(life.thread)


class no_grad(_Recording):
    """Nothing in this scope (of this thread) is recorded; results require no gradient.

    >>> from sourcediff.eager import Variable
    >>> x = Variable([1.0, 2.0], requires_grad=True)
    >>> with no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    >>> @no_grad()
    ... def evaluate(x):
    ...     return x * 2
    >>> evaluate(x).requires_grad
    False
    """

    records = False


class enable_grad(_Recording):
    """Operations in this scope are recorded, also inside a ``no_grad`` one."""

    records = True
