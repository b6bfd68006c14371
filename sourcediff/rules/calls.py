"""The derivatives of calls that are not written out, for the compiler alone: the eager engine records what the function does.

What stands for a call has an adjoint (a tangent) for each of its arguments; its result, and what a pullback gives, contribute to them.
"""

import types
from typing import Any

from ..runtime.linked_calls import pulled, pulled_again, pulled_along, pushed, result, with_pullback, with_tangent
from .frames import Rule


def call_rule(g, z, args, function, moving):
    return g


def call_tangent(z, dargs, args, function, moving):
    return dargs


def result_rule(g, z, link):
    return pulled(link, g)


def result_tangent(z, dlink, link):
    return pushed(link, dlink)


def pulled_rule(g, z, link, adjoint):
    return pulled_again(link, adjoint, g), pushed(link, g)


def pulled_tangent(z, dlink, dadjoint, link, adjoint):
    return pulled_along(link, dlink, adjoint) + pulled(link, dadjoint)


CALLS: dict[Any, Rule] = {}
"""Function → rule, as the table's."""


def of_call(function: Any) -> Rule | None:
    """The rule of one of these, or None."""
    return CALLS.get(function) if isinstance(function, types.FunctionType) else None


for _function, _reverse, _forward in (
    (with_pullback, call_rule, call_tangent), (with_tangent, call_rule, call_tangent), (result, result_rule, result_tangent),
    (pulled, pulled_rule, pulled_tangent),
):
    CALLS[_function] = Rule("general", _function, _reverse, sequence=_reverse is call_rule)
    CALLS[_function].pushforward(_forward)
