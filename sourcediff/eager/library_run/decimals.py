"""Contexts of ``decimal`` in a library run: they read numbers from text, as ``float`` and ``Decimal`` do, and are found in many ways."""

from __future__ import annotations

import contextlib
import decimal
from collections.abc import Callable, Iterator
from typing import Any

from .type_proxies import OTHERS, TypeProxy
from .watch import refuse_shown


class Reading(decimal.Context):
    """What stands in for a context: all that is done to it is done to the context, but it reads no text of an active value.

    Where a method of a number takes a context, it takes this one, which has the same settings.
    """

    def __init__(self, context: decimal.Context):
        for name in SETTINGS:
            super().__setattr__(name, getattr(context, name))
        super().__setattr__("context", context)

    def __getattribute__(self, name: str) -> Any:
        context = super().__getattribute__("context")
        if name == "context":
            return context
        if name == "__class__":
            return decimal.Context
        return super().__getattribute__(name) if name in vars(Reading) else getattr(context, name)

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        setattr(self.context, name, value)

    def __repr__(self) -> str:
        return repr(self.context)

    def __reduce__(self) -> Any:
        return self.context.__reduce__()

    def create_decimal(self, num: Any = "0", /) -> decimal.Decimal:
        refuse_shown([num])
        return self.context.create_decimal(num)  # type: ignore[no-any-return]

    def copy(self) -> Reading:
        return Reading(self.context.copy())

    __copy__ = copy


SETTINGS = ("prec", "rounding", "Emin", "Emax", "capitals", "clamp", "traps")


class OfContexts(TypeProxy):
    """The class of what stands in for the class of contexts."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return Reading(decimal.Context(*args, **kwargs))


CONTEXT = OfContexts("Context", (), {"original": decimal.Context})
OTHERS[Reading] = OTHERS[decimal.Context] = CONTEXT


def getcontext() -> Reading:
    return Reading(decimal.getcontext())


def setcontext(context: Any) -> None:
    decimal.setcontext(own_context(context))


@contextlib.contextmanager
def localcontext(ctx: Any = None, **settings: Any) -> Iterator[Reading]:
    with decimal.localcontext(own_context(ctx), **settings) as inner:
        yield Reading(inner)


def own_context(context: Any) -> Any:
    """The context that a stand-in stands for."""
    return context.context if type(context) is Reading else context


STANDING: dict[Any, Callable[..., Any]] = {
    decimal.getcontext: getcontext, decimal.setcontext: setcontext, decimal.localcontext: localcontext,
}


def in_decimals(value: Any) -> Any:
    """What stands in for a context, or for a function that gives one or reads by one; None for anything else."""
    if type(value) is decimal.Context:
        return Reading(value)
    owner = getattr(value, "__self__", None)
    if type(owner) is decimal.Context and value.__name__ == "create_decimal":
        return Reading(owner).create_decimal
    return STANDING.get(value)
