"""Functions of ``functools.singledispatch`` in a library run: the implementation is chosen by what a Variable stands for."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any

from .type_proxies import Replacement, standing_for

if TYPE_CHECKING:
    from .classes import Classes
    from .rebind import Rebinder


def is_generic(function: FunctionType) -> bool:
    """Whether ``functools.singledispatch`` has made a function."""
    return function.__globals__ is vars(functools) and hasattr(function, "registry") and hasattr(function, "dispatch")


def implementation(generic: Any, value: Any, rebinder: Rebinder) -> Any:
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

    def __init__(self, classes: Classes, original: functools.singledispatchmethod[Any]):
        self.classes = classes
        self.original = original

    def __get__(self, owner: Any, kind: type | None = None) -> Callable[..., Any]:
        def called(*args: Any, **kwargs: Any) -> Any:
            chosen = implementation(self.original.dispatcher, args[0], self.classes.rebinder)
            return self.classes.part(chosen).__get__(owner, kind)(*args, **kwargs)

        return called
