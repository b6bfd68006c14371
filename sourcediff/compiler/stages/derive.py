"""The passes that write a derivative: the sweeps, one tangent or many, one call or many."""

from __future__ import annotations

import numpy as np

from ...analysis.source.may_be_active import carrying
from ...analysis.source.sharing import connected
from ...analysis.source.unknown_values import come_of, without_rule
from ...analysis.statements import mutates
from ...core.derive.gradient import Derived, gradient_program
from ...core.derive.pullback import pullback
from ...core.derive.tangent import tangent
from ...core.derive.vectorise import Batcher, effectless
from ...core.derive.vectorise_calls import Vectoriser, differing, shapes_of_one
from ...core.facts.idle_shifts import idle_shifts
from ...errors import (
    AliasingError,
    ComplexError,
    UnsupportedSyntaxError,
)
from ...rules.suggestions import missing_rule
from ...syntax.quote import expression, place, statement
from ..nested import number_variables
from ..unit import Unit


def derive(unit: Unit) -> None:
    """Write the forward and the reverse sweep."""
    assert unit.aliases is not None
    unit.scope.idle = idle_shifts(unit.body, unit.aliases, {unit.output, unit.aux})
    try:
        _derive(unit)
    except (AliasingError, ComplexError, UnsupportedSyntaxError) as error:  # of values of a call without a rule? then that is said
        carried = carrying(unit.body, unit.active, unit.scope)
        if (found := come_of(unit.body, lambda node: without_rule(node, carried, unit.scope)).get(unit.output)) is None:
            raise
        call, function = found
        raise missing_rule(function, unit.pointer(call, "")) from error


def _derive(unit: Unit) -> None:
    if unit.request.forward:
        unit.derived = tangent(unit.program, unit.active, unit.request.strong)
    elif unit.request.mode == "batched":
        unit.derived = batched(unit)
    elif unit.request.mode == "vectorised":
        unit.derived = vectorised(unit)
    elif unit.request.pullback:
        unit.derived = pullback(unit.program, unit.active, unit.arranged)
    else:
        unit.derived = gradient_program(unit.program, unit.active, unit.request.value, unit.arranged)


def batched(unit: Unit) -> Derived:
    """The sweep with many tangents at once. Raises UnsupportedSyntaxError where the rules do not allow it."""
    assert unit.values is not None
    *body, last = unit.body
    numpy = unit.scope.imported("np", np)
    unit.count = unit.scope.fresh("count")
    batcher = Batcher(carrying(unit.body, unit.start, unit.scope), unit.count, unit.values, numpy)
    outside = {*unit.scope.free, *(unit.opened if unit.opened else ())}
    if not effectless(unit.body, unit.scope) or connected(unit.body, mutates(unit.body), unit.scope) & outside:
        raise batcher.unbatched()
    made = batcher.block(body)
    value, tangent_ = last.value.elts
    batcher.at = unit.values.before[last]
    returned = place(statement("return $v, $t", v=value, t=batcher.lifted(tangent_)), last)
    return Derived([*made, returned], set(unit.scope.tapes), unit.mutated, resized=unit.resized)


def vectorised(unit: Unit) -> Derived:
    """The function of many arguments at once. Raises UnsupportedSyntaxError where the rules do not allow it, and of what it changes."""
    assert unit.values is not None and unit.source is not None
    differing_names = differing(unit.body, unit.active, unit.scope)
    unit.count = unit.scope.fresh("count")
    made = Vectoriser(differing_names, unit.count, unit.values, unit.scope.imported("np", np))
    given = {*unit.scope.free, *unit.opened, *unit.parameters}
    alike = (given - set(unit.active)) & differing_names
    holding = any(known.kind not in ("python", "numpy", "array") for known in unit.environment.values())
    altered = mutates(unit.body, growth=holding) - number_variables(unit)  # a list of arrays that grows changes none of them
    changed = connected(unit.body, altered, unit.scope)
    if alike or changed & given or not effectless(unit.body, unit.scope):
        raise UnsupportedSyntaxError(
            f"{unit.function.__qualname__} does more than compute a value", why="it changes what it is given, draws or prints",
            remedy="call it in a loop",
        )
    try:
        body = made.block(unit.body)
        made.at = unit.values.after[unit.body[-1]] if unit.body else unit.environment
        body.append(place(statement("return $v", v=made.lifted(expression(unit.output))), unit.body[-1] if unit.body else unit.source.tree))
    except UnsupportedSyntaxError as error:
        raise error.said(error.problem, [unit.pointer(made.node, error.problem)]) from None
    return Derived(shapes_of_one(body, differing_names, unit.scope), set(), ())
