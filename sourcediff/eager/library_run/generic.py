"""Functions of ``functools.singledispatch`` in a library run: the implementation is chosen by what a Variable stands for."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

from .run import Run
from .type_proxies import Replacement, standing_for


def is_generic(function: FunctionType) -> bool:
    """Whether ``functools.singledispatch`` has made a function."""
    return function.__globals__ is vars(functools) and hasattr(function, "registry") and hasattr(function, "dispatch")


def implementation(generic: Any, value: Any, rebinder: Run) -> Any:
    """The implementation for the class of a value: not of its stand-in, which nobody has registered."""
    kind = type(standing_for(value))
    return generic.dispatch(rebinder.originals.get(id(kind), kind))


class Generic(Replacement):
    """A function with an implementation for each class of its first argument."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not args:
            return self.original(**kwargs)  # raises
        return self.rebinder.rebound(implementation(self.original, args[0], self.rebinder))(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return self.rebinder.rebound(getattr(self.original, name))


class GenericMethod:
    """The same as an attribute of a class, a ``functools.singledispatchmethod``."""

    def __init__(self, rebinder: Run, part: Callable[[Any], Any], original: functools.singledispatchmethod[Any]):
        self.rebinder = rebinder
        self.part = part
        self.original = original

    def __get__(self, owner: Any, kind: type | None = None) -> Callable[..., Any]:
        def called(*args: Any, **kwargs: Any) -> Any:
            chosen = implementation(self.original.dispatcher, args[0], self.rebinder)
            return self.part(chosen).__get__(owner, kind)(*args, **kwargs)

        return called
