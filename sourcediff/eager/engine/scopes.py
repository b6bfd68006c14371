"""Where operations are recorded: ``no_grad`` and ``enable_grad``, per thread and per task, as scopes and as decorators."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from contextvars import ContextVar
from types import TracebackType
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

OFF: set[int] = set()
"""The scopes (by identity) in which nothing is recorded. Empty nearly always, so that the hot path asks one truth value."""


class RecordingState:
    """Whether operations are recorded in a scope, and the state ``around`` it. It lives as long as some context has it."""

    __slots__ = ("around", "on")

    def __init__(self, on: bool, around: RecordingState | None):
        self.on = on
        self.around = around
        if not on:
            OFF.add(id(self))

    def __del__(self, leave: Callable[[int], None] = OFF.discard) -> None:
        leave(id(self))


CURRENT: ContextVar[RecordingState | None] = ContextVar("recording", default=None)
"""The state in this thread, or in this task of asyncio's: what one task has entered, others that run meanwhile have not."""


def is_grad_enabled() -> bool:
    """Whether operations are recorded in this thread or task."""
    state = CURRENT.get()
    return state is None or state.on


class RecordingScope:
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
def stepped(scope: type[RecordingScope], steps: Any) -> Any:
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


class _Recording(RecordingScope):
    """Recording on or off in this thread or task; restores what it found, where it was entered."""

    records: bool

    def __init__(self) -> None:
        self._entered: list[RecordingState] = []

    def __enter__(self) -> None:
        state = RecordingState(self.records, CURRENT.get())
        self._entered.append(state)
        CURRENT.set(state)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        here = CURRENT.get()
        state = self._entered.pop(max((i for i, state in enumerate(self._entered) if state is here), default=-1))
        if state is here:
            CURRENT.set(state.around)
        else:  # a suspended generator is closed by another thread or task than the one that ran it: there it counts for nothing any more
            state.on = state.around is None or state.around.on


class no_grad(_Recording):
    """Nothing in this scope (of this thread, of this task) is recorded; results require no gradient.

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
    """Operations in this scope are recorded, also inside a ``no_grad`` one.

    >>> from sourcediff import Variable, no_grad
    >>> x = Variable(2.0, requires_grad=True)
    >>> with no_grad(), enable_grad():
    ...     (x * x).requires_grad
    True
    """

    records = True
