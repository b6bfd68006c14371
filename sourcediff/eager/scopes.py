"""Where operations are recorded: ``no_grad`` and ``enable_grad``, per thread, as scopes and as decorators."""

from __future__ import annotations

import functools
from collections.abc import Callable
from threading import get_ident
from types import TracebackType
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

OFF: set[int] = set()
"""The threads (by identity) in which nothing is recorded. Empty nearly always, so that the hot path asks one truth value."""


def is_grad_enabled() -> bool:
    """Whether operations are recorded in this thread."""
    return get_ident() not in OFF


class _Scope:
    """A scope of recording or of not recording, which is also a decorator; it restores what it found."""

    records: bool

    def __init__(self) -> None:
        self._found: list[bool] = []

    def __enter__(self) -> None:
        self._found.append(is_grad_enabled())
        _record(self.records)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        _record(self._found.pop())

    def __call__(self, function: F) -> F:
        @functools.wraps(function)
        def scoped(*args: Any, **kwargs: Any) -> Any:
            with type(self)():
                return function(*args, **kwargs)

        return scoped  # type: ignore[return-value]


def _record(on: bool) -> None:
    if on:
        OFF.discard(get_ident())
    else:
        OFF.add(get_ident())


class no_grad(_Scope):
    """Nothing in this scope (of this thread) is recorded; results require no gradient.

    >>> from sourcediff.eager import Variable
    >>> x = Variable([1.0, 2.0], requires_grad=True)
    >>> with no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    records = False


class enable_grad(_Scope):
    """Operations in this scope are recorded, also inside a ``no_grad`` one."""

    records = True
