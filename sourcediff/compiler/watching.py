"""Functions of which a later change has to be seen, and by which of them generated code reads what is outside."""

from __future__ import annotations

import types
from typing import Any

from ..analysis.scope import Free
from ..errors import Place
from ..frontend.read.unsupported import refusal
from ..runtime.user_objects import is_composite
from ..syntax.function import definition
from .unit import Unit

ISLAND = -1
"""Stands for the function that reads an island; numbers below for what is outlined of the interpreted function, by the attempt."""


def refuse_unwatched(unit: Unit) -> None:
    """Refuse functions that are reached in a way which is not watched: what they read could not be handed on, a change not be seen."""
    followed = [] if unit.inside else unit.scope.followed
    unwatched = [found for found in followed if watched_number(found, unit) is None and not is_made_of_another(found)]
    if unwatched := [found for found in unwatched if not is_composite(found)]:  # which nobody changes
        raise refusal(unit.function, [unseen(found) for found in unwatched])


def unseen(function: types.FunctionType) -> Place:
    """The place of a function that is not watched, for an error."""
    return definition(
        function, f"{function.__qualname__}, as it is reached here, is not taken by the compiler",
        "what it reads, and whether it changes, cannot be looked at before each call", "call it by its name, or as module.name",
    )


def watched_number(function: Any, unit: Unit) -> int | None:
    """The number of a function among those that are watched; None if it is not one of them."""
    return next((number for number, known in enumerate(unit.watched) if known is function), None)


def is_made_of_another(function: Any) -> bool:
    """Whether a function is one that the library has made, of another one."""
    return any(hasattr(function, mark) for mark in ("__island__", "__tree__", "__forwards__"))


def number_of_reader(free: Free, unit: Unit) -> int:
    """The number of the function that reads what a free name stands for at each call, ISLAND for islands and what is lifted out.

    Raises UnsupportedSyntaxError where there is none.
    """
    function, of = free.function, getattr(free.function, "__tree__", None)
    if hasattr(function, "__holds__") or of is not None and hasattr(free.value, "__tree__") and watched_number(function, unit) is None:
        if getattr(function, "__holds__", of and of.function) is behind(unit.function):
            return ISLAND - 1 - getattr(function, "__attempt__", -1)
        raise refusal(unit.function, [unit.pointer(
            None, "the derivative of a function with inner functions that call themselves is not taken by the compiler",
            "they are known to that function alone", "define them at module level",
        )])
    for known in (function, of and of.function):  # what is lifted out reads what the function around it can
        if (number := watched_number(known, unit)) is not None:
            return number
    raise refusal(unit.function, [unseen(function)])


def behind(function: Any) -> Any:
    """The function of which another one is the derivative, of whatever order."""
    while hasattr(function, "sourcediff"):
        function = function.sourcediff.function
    return function
