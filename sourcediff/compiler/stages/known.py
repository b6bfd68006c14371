"""What is known of the names and expressions of a program, wherever they stand."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache

import numpy as np

from ...analysis.abstract import Abstract, joined_all
from ...analysis.statements import loads
from ...analysis.states import everything
from ...core.facts.values import Values
from ...syntax import nodes as n
from ..unit import Unit


def known_of(unit: Unit) -> Callable[[str], Abstract | None]:
    """What is known of a name wherever it is bound; of an adjoint or a tangent what is known of its variable."""
    variables = {made: name for names_ in (unit.scope.bars, unit.scope.dots) for name, made in names_.items()}
    anywhere = values_anywhere(unit)

    @cache
    def known(name: str) -> Abstract | None:
        return anywhere(variables.get(name, name))

    return known


TEMPORARIES = ("t", "link", "taken", "base", "parts", "columns", "n", "value", "adjoint", "items")


def values_anywhere(unit: Unit) -> Callable[[str], Abstract | None]:
    """What is known of a user's name wherever it is bound, None of a name that is not."""
    values = unit.values
    assert values is not None
    known: dict[str, dict[int, Abstract]] = {}
    for variable, value in everything([unit.environment, *values.after.values()]):
        known.setdefault(variable, {})[id(value)] = value

    @cache
    def anywhere(name: str) -> Abstract | None:
        return joined_all(tuple(known[name].values())) if name in known else None

    return anywhere


def length_of(known: Callable[[str], Abstract | None], equal: Mapping[str, int], name: str) -> int | None:
    """How many entries the array has that a name stands for, if that is known; lengths are ``equal`` to numbers as a call is asked."""
    found = known(name)
    if found is None or found.kind != "array" or not found.dims:
        return None
    length = equal.get(str(found.dims[0]), found.dims[0])
    return length if isinstance(length, int) else None


def doubles_of(known: Callable[[str], Abstract | None], equal: Mapping[str, int], name: str) -> int | None:
    """How many numbers an array of doubles has, if it is one."""
    found = known(name)
    return length_of(known, equal, name) if found is not None and found.rank == 1 and found.dtype == np.float64 else None


def known_over(values: Values, known: Callable[[str], Abstract | None], node: n.expr) -> Abstract:
    """What is known of an expression over names of variables and adjoints."""
    return values.of(node, {name: about for name in loads(node) if (about := known(name)) is not None})


def is_real(values: Values, known: Callable[[str], Abstract | None], node: n.expr) -> bool:
    """Whether an expression over names of variables and adjoints is a real number."""
    found = known_over(values, known, node)
    return found.scalar and found.dtype == np.float64


def known_anywhere(unit: Unit) -> Callable[[n.expr], Abstract]:
    """What is known of an expression over the user's names wherever it stands."""
    values, anywhere = unit.values, values_anywhere(unit)
    assert values is not None

    def known(node: n.expr) -> Abstract:
        return values.of(node, {name: found for name in loads(node) if (found := anywhere(name)) is not None})

    return known


def is_made(name: str, unit: Unit) -> bool:
    """Whether a name is the compiler's own temporary (or the adjoint or the tangent of one)."""
    stem = re.sub(r"((_bar|_dot)\d*)+$", "", name)
    return not unit.user_names & {name, stem} and stem.rstrip("0123456789") in TEMPORARIES
