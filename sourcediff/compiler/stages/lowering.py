"""The passes up to the core form: the source, and its lowering."""

from __future__ import annotations

from functools import partial
from typing import Any

from ...analysis.abstract import NEVER, Abstract
from ...analysis.scope import Scope
from ...core.facts.values import Values
from ...errors import (
    UnknownParameterError,
)
from ...frontend.function_trees import parameters_of
from ...frontend.inline.gradients import Deriving, InnerDerivative, known_arguments
from ...frontend.inline.linked_calls import Linking
from ...frontend.lowering import lowered
from ...syntax.quote import names
from ..nested import returned, returned_by_call, source_of, written_derivative
from ..unit import Unit
from ..watching import refuse_unwatched
from .prepare import environment


def source(unit: Unit) -> None:
    """Find the function's source and parse it; refuse what the compiler does not take, in it and in all it calls."""
    if unit.source is None:
        unit.source = source_of(unit.function, unit.request.arguments, unit.run, unit.request.islands)
    unit.user_names = frozenset(names(unit.source.tree)) if unit.source.own is None else unit.source.own
    unit.parameters = parameters_of(unit.source.tree)
    unknown = [wanted for wanted in unit.request.wrt if wanted.split(".")[0] not in unit.parameters]
    if unknown:
        raise UnknownParameterError(
            f"{unit.function.__qualname__} has no parameter {unknown[0]!r}", why=f"it has {', '.join(unit.parameters)}",
            remedy="give wrt a position or one of these names",
        )


def lowering(unit: Unit) -> None:
    """Lower what may carry a derivative to the core form, calls of user functions inlined."""
    assert unit.source is not None
    given = dict(unit.request.arguments)
    start = unit.start or unit.request.wrt
    linking = Linking(unit.request.forward, unit.request.islands, unit.request.mode == "reverse")
    unit.equal = set(unit.source.equal)

    def write(of: Any, taken: InnerDerivative | None, arguments: tuple[tuple[str, Abstract], ...]) -> Any:
        made = written_derivative(of, taken, arguments, unit.run)
        for inner in made if type(made) is tuple else (made,):
            unit.equal.update(inner.equal)
            unit.scope.followed += inner.followed
            unit.inner.append(inner)
        return made

    def value_of(of: Any, taken: InnerDerivative, arguments: tuple[tuple[str, Abstract], ...]) -> Abstract:
        return returned(of, taken, arguments, unit.run)

    named = lowered(unit.source, start, unit.scope, given, Deriving(write, value_of), linking)
    if named.pending:  # with what is known of the arguments of the derivatives inside
        facts = Values(unit.scope)
        facts.block(list(named), environment(unit, named.opened))
        known = known_arguments(named, named.pending, facts)
        unit.scope = Scope()
        named = lowered(unit.source, start, unit.scope, given, Deriving(write, value_of, known), linking)
    unit.scope.followed += unit.interpreted
    refuse_unwatched(unit)
    unit.scope.watched = lambda: [*unit.callers, *unit.watched]
    unit.scope.returned, unit.scope.unsettled = partial(returned_by_call, unit), NEVER in unit.linked.values()
    unit.body, unit.result, unit.opened, unit.asked = list(named), named.result, dict(named.opened), list(named.asked)
