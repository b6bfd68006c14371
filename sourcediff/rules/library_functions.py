"""Composites: functions and classes of a library's that are said by others with rules, in plain NumPy Python."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from ..errors import MissingRuleError
from .frames import RULES, Function, meet_scipy

COMPOSITES: dict[Any, Any] = {}
"""Function or class → the function or class in plain NumPy Python that says it by others with rules."""

FUNCTIONALS: set[Any] = set()
"""Those of them that are given functions."""

DISTRIBUTIONS: list[Any] = []
"""SciPy's distributions that have methods among them, which take lists of numbers for arrays."""


def composite_for(function: Any) -> Any:
    """What says a function, or a class, by others that have rules, in plain NumPy Python; None if there is nothing of the kind."""
    try:
        found = COMPOSITES.get(function)
    except TypeError:
        return None
    return COMPOSITES.get(function) if found is None and meet_scipy(function) else found


def is_distribution(value: Any) -> bool:
    """Whether a value is a distribution, of which the methods take lists of numbers for arrays."""
    return any(value is each for each in DISTRIBUTIONS)


NAMED = ("Name", "Attribute", "Subscript")
"""The nodes of arguments that only the run tells."""


def composite_of_call(function: Any, args: Collection[Any], kwargs: Mapping[str, Any]) -> Any:
    """What says a call by others, None if nothing does. Of a function with a rule it says the calls that the rule does not take."""
    plain = composite_for(function)
    if plain is None:
        return None
    rule = RULES.get(function)
    given = [] if rule is None else [*rule.positional[:len(args)], *kwargs]
    if rule is not None and any(part.default is part.empty and name not in given for name, part in rule.parameters.items()):
        return plain  # which takes fewer
    if rule is not None and len(args) <= len(rule.positional) and kwargs.keys() <= rule.parameters.keys():
        if not rule.only or rule.only.keys().isdisjoint(given):
            return None
    try:
        if _signature(plain).bind(*args, **kwargs).arguments.get("out") is not None:
            return None
        bound = rule.bind(tuple(args), dict(kwargs)) if rule is not None else {}
        if rule is not None and any(
            known == (None,) and bound[name] is not None or type(bound[name]).__name__ in NAMED and not {None, 2}.isdisjoint(known)
            for name, known in rule.only.items()
        ):
            return plain  # an argument that is not known yet, where the rule wants none, or an order, of which it knows some
    except MissingRuleError:
        return plain
    except TypeError:  # it is no call that either of them knows
        return None
    return plain if rule is None else None


@lru_cache(1024)
def _signature(plain: Any) -> inspect.Signature:
    return inspect.signature(plain)


def composite(*functions: Any) -> Callable[[Any], Any]:
    """Register a function in plain NumPy Python as what says others: the compiler inlines its text, the eager engine runs it.

    A class stands for a class of a library's, with the methods that have a derivative.
    """
    def register(plain: Any) -> Any:
        COMPOSITES.update(dict.fromkeys(functions, plain))
        return plain

    return register


def functional(*functions: Any) -> Callable[[Any], Any]:
    """Register what says functions that are given functions, solvers and integrators: the eager engine runs it, the compiler leaves the
    call a call."""
    FUNCTIONALS.update(functions)
    return composite(*functions)


class Repeated(NamedTuple):
    """How generated code derives a solver's answer: ``settle`` calls the solver, and gives its answer and what it has settled on, None
    where the eager engine is to derive it; ``again`` computes the ``parts`` of the answer from that, given the arguments of the call. Where
    it is an ``equation``, what is settled is the answer, and ``again`` is what vanishes there."""

    settle: Callable[..., tuple[Any, Any]]
    again: Any
    parts: tuple[str, ...]
    equation: bool
    ranks: Any


REPEATED: dict[Any, Repeated] = {}
"""Solver → how generated code derives its answer."""


def repeated(
    solver: Any, settle: Any, again: Any, parts: tuple[str, ...] = (), equation: bool = False, ranks: int | tuple[int, ...] | None = None,
) -> None:
    """Register how generated code derives a solver's answer."""
    REPEATED[solver] = Repeated(settle, composite(again)(again), parts, equation, ranks)


def noinline(rank: Callable[..., int]) -> Callable[[Function], Function]:
    """Leave the calls of a function calls, of which the generated text takes the value and the pullback: what stands in its place would
    hide the rest. It gives arrays of a ``rank``, which follows from those of its arguments."""
    def register(function: Function) -> Function:
        function.__noinline__ = rank  # type: ignore[attr-defined]
        return function

    return register
