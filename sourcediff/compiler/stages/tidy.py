"""The passes that make a derivative short: what is not needed is dropped, what is used once is nested."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial

import numpy as np

from ...analysis.abstract import Abstract
from ...analysis.source.sharing import grouped
from ...analysis.statements import shrunk, simple
from ...core.derive.pullback import split_sweeps
from ...core.derive.vectorise import uncopied
from ...core.tidy.adjoint_views import adjoint_views
from ...core.tidy.dead_code import DeadCode, keeps
from ...core.tidy.inline_temporaries import Inline
from ...core.tidy.joined_statements import entries_joined
from ...core.tidy.outer_sums import outer_sums
from ...core.tidy.spellings import Spellings
from ...runtime.arrays import scatter
from ...syntax import nodes as n
from ...syntax.quote import names
from ..unit import Unit
from ..write import assumed_equal, functions_of
from .known import doubles_of, is_made, is_real, known_anywhere, known_of, known_over, length_of


def dead_code(unit: Unit) -> None:
    """Drop what is not needed."""
    assert unit.derived is not None
    if is_last(unit):
        body, views = adjoint_views(unit.derived.body, set(unit.scope.bars.values()), is_basic(unit))
        seen = unit.derived.sharing
        shared = {name: frozenset(group).union(*(seen.get(one, ()) for one in group)) for name, group in grouped(views).items()}
        unit.derived = unit.derived._replace(body=body, sharing={**seen, **shared})
    before, local = unit.derived.body, unit.derived.local | unit.scope.tapes
    while True:
        body = DeadCode(keeps(unit.scope, local), unit.derived.sharing).drop(before, frozenset())
        if not (partly := popped_less(before, body) & local):
            break
        local = local - partly  # they are to be empty in the end
    unit.derived = unit.derived._replace(body=body)


def is_last(unit: Unit) -> bool:
    """Whether a text is a reverse sweep in NumPy that is not derived again."""
    return unit.request.library == "numpy" and bool(unit.request.assuming) and unit.request.tidy and not unit.request.forward


def is_basic(unit: Unit) -> Callable[[n.expr], bool]:
    """Whether an index takes a view of an array, or an entry of a list or dict, wherever it stands."""
    known = known_anywhere(unit)

    def basic(index: n.expr) -> bool:
        parts = index.elts if isinstance(index, n.Tuple) else [index]
        entry = isinstance(index, n.Constant) and type(index.value) in (int, str)
        return entry or all(isinstance(part, n.Slice) or is_int(known(part)) for part in parts)

    return basic


def is_int(known: Abstract) -> bool:
    """Whether a value is a number that counts."""
    return bool(known.scalar and known.dtype is not None and known.dtype.kind in "iu")


def popped_less(before: list[n.stmt], after: list[n.stmt]) -> set[str]:
    """The lists that lose some of the statements that pop them, and keep others."""
    then, now = (Counter(name for node in simple(body) if (name := shrunk(node)) is not None) for body in (before, after))
    return {name for name in now if now[name] < then[name]}


def inline_temporaries(unit: Unit) -> None:
    """Nest what is used once where it is used."""
    assert unit.derived is not None and unit.values is not None
    if not unit.request.tidy:
        return
    body = unit.derived.body
    made = {made for made in names(body) if is_made(made, unit)}
    bars = {*unit.scope.bars.values(), *unit.scope.dots.values()}
    known, named = known_anywhere(unit), known_of(unit)
    adjoints = set(unit.scope.bars.values())

    def alike(name: str) -> bool:
        found = named(name)
        return found is not None and (found.scalar or found.kind == "array" and found.dtype == np.float64 and bool(found.dims))

    def inlined(body: list[n.stmt]) -> list[n.stmt]:
        tried, last = unit.scope.tried, bool(unit.request.assuming)
        return Inline(made, bars, lambda node: known(node).floating, tried, adjoints, alike, functions_of(unit), last).block(body)

    equal = {pair[1]: int(pair[0]) for pair in assumed_equal(unit) if len(pair) > 1 and pair[0].isdecimal()}
    if unit.request.library == "numpy" and unit.request.mode in ("reverse", "pullback"):
        unit.entries = partial(length_of, named, equal)
        body = entries_joined(body, unit.scope.imported("np", np), partial(doubles_of, named, equal), partial(is_real, unit.values, named))
    if is_last(unit):
        body = outer_sums(body, adjoints, unit.scope.fresh, unit.scope.imported("np", np))
    body = inlined(body)
    if unit.request.library == "numpy" and unit.request.mode not in ("batched", "vectorised"):
        scatters = {name for name, helper in unit.scope.helpers.items() if helper is scatter}
        limited = all(unit.scope.lookup(function.__name__) is function for function in (min, max))

        def over_made(node: n.expr) -> Abstract:
            assert unit.values is not None
            return known_over(unit.values, lambda name: named(name) or spelled.made.get(name), node)

        spelled = Spellings(known, unit.scope.imported("np", np), bars, over_made, scatters, limited)
        body = spelled.visited(body)
        if spelled.shapeless:
            unit.derived = unit.derived._replace(body=body)
            dead_code(unit)
            body = inlined(unit.derived.body)
    if unit.request.mode in ("batched", "vectorised"):
        body = [uncopied(node) for node in body]
    unit.derived = unit.derived._replace(body=body)


def two_functions(unit: Unit) -> None:
    """Part the two sweeps of a pullback, with a tape between them."""
    assert unit.derived is not None
    if unit.request.pullback:
        unit.derived = split_sweeps(unit.derived, unit.program, functions_of(unit))
