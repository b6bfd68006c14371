"""The passes between the core form and its derivative."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from ...analysis.abstract import UNKNOWN, Abstract
from ...analysis.abstraction import abstract
from ...analysis.assumed_lengths import may_be_taken, prolonged, solved
from ...analysis.lengths import symbols_of
from ...analysis.lengths_within import symbols_told, with_equal
from ...analysis.literals import folded_text
from ...analysis.source.may_be_active import carrying
from ...analysis.source.sharing import connected, iterators
from ...analysis.statements import checked, mutates, simple, target_names
from ...core.facts.values import Values
from ...core.prepare.decided_branches import decided_branches
from ...core.prepare.lists_to_arrays import gathered
from ...core.prepare.record_control_flow import Moving, hold
from ...core.prepare.rewrite_views import respell
from ...core.prepare.stable_positions import steadied
from ...core.prepare.unbound_names import ensured
from ...errors import (
    NO_SCALAR,
    OF_SEVERAL,
    NonDifferentiableError,
)
from ...frontend.read.unsupported import refusal
from ...runtime.arrays.library import library_of
from ...runtime.structures import copied
from ...syntax import nodes as n
from ...syntax.quote import clone, expression, names, place, statement
from ...syntax.source import read
from ..unit import Unit


def stable_positions(unit: Unit) -> None:
    """Name the positions that are found in what their own statement changes; of keys that are put together the text is known."""
    for subscript in [part for node in unit.body for part in n.walk(node) if isinstance(part, n.Subscript)]:
        word = None if isinstance(subscript.slice, (n.Constant, n.Name)) else folded_text(subscript.slice, unit.scope.once)
        if word is not None:
            subscript.slice = place(n.Constant(value=word, kind=None), subscript.slice)
    mappings = (name for name, known in unit.request.arguments if known.kind == "mapping")
    unit.body = steadied(unit.body, unit.scope, mappings)


def output(unit: Unit) -> None:
    """Name the value that is returned, and what is changed outside."""
    result = value_and_aux(unit, unit.result) if unit.request.has_aux else unit.result
    if result is None:
        result = n.Constant(value=None, kind=None)
    structure = isinstance(result, (n.Tuple, n.List)) or isinstance(result, n.Constant) and result.value is None
    if structure and unit.request.mode == "reverse":
        raise NonDifferentiableError(
            NO_SCALAR, places=[unit.pointer(None, "defined here")],
            why="it returns nothing" if isinstance(result, n.Constant) else "it returns a tuple or list",
            remedy="return a scalar" if isinstance(result, n.Constant) else OF_SEVERAL,
        )
    unit.opened |= changed_outside(unit)
    renamed = {path: expression(local) for local, (path, _) in unit.opened.items() if path in unit.scope.free}
    unit.body, result = [clone(node, renamed) for node in unit.body] if renamed else unit.body, clone(result, renamed)
    unit.scope.iterators = iterators(unit.body, unit.scope)
    if isinstance(result, n.Name) and result.id not in unit.scope.free:
        unit.output = result.id
    else:
        unit.output = unit.scope.fresh("value")
        unit.body.append(place(statement("$v = $r", v=unit.output, r=result), result))


def unbound_names(unit: Unit) -> None:
    """Check that names are bound where a path may leave them unbound."""
    assert unit.source is not None
    if unit.interpreted or not unit.source.followed:  # what is generated binds what it reads
        others = [] if unit.inner else [names(read(of).tree) for of in unit.scope.followed if not hasattr(of, "__island__")]
        own = unit.user_names.union(*others)
        unit.body = ensured(unit.body, unit.output, own, {*unit.parameters, *unit.opened}, unit.scope)
    unit.scope.checked = {asked for node in simple(unit.body) if (asked := checked(node)) is not None}


def changed_outside(unit: Unit) -> dict[str, tuple[str, Abstract]]:
    """The arrays among the free names of a program that it changes in place, by new names, and what is known of them."""
    arrays = {name: free.value for name, free in unit.scope.free.items() if library_of(free.value)}
    changed = connected(unit.body, mutates(unit.body), unit.scope) if arrays else set()
    return {unit.scope.fresh(name): (name, abstract(value, name)) for name, value in arrays.items() if name in changed}


def value_and_aux(unit: Unit, result: n.expr | None) -> n.expr:
    """The value of a function that returns ``(value, aux)``. The aux is named, and copied: the reverse sweep may change arrays back."""
    made = [node.value for node in simple(unit.body) if isinstance(node, n.Assign) and isinstance(result, n.Name)
            and result.id in target_names(node.targets[0])]
    pairs = made or [result]
    if not all(isinstance(pair, n.Tuple) and len(pair.elts) == 2 for pair in pairs):
        raise refusal(unit.function, [unit.pointer(
            None, "has_aux=True is compiled of functions that return a pair written as such",
            "what is the value, and what the aux, is not known", "write return value, aux",
        )])
    parts = [expression(f"{result.id}[{k}]") for k in range(2)] if isinstance(result, n.Name) else pairs[0].elts
    unit.aux = unit.scope.fresh("aux")
    copy = unit.scope.imported("copied", copied)
    unit.body.append(statement("$a = $c($e)", a=unit.aux, c=copy, e=parts[1]))
    value: n.expr = parts[0]
    return value


def environment(unit: Unit, opened: Mapping[str, tuple[str, Abstract]]) -> dict[str, Abstract]:
    """What is known at the beginning: of the parameters, and of what is reached from outside by other names."""
    given = dict(unit.request.arguments)
    known = {parameter: given.get(parameter, UNKNOWN) for parameter in unit.parameters}
    return known | {local: value for local, (_, value) in opened.items()}


def record_control_flow(unit: Unit) -> None:
    """Name the conditions and loop ranges that the reverse sweep could not ask again, count the trips of while loops."""
    if unit.request.mode in ("forward", "batched", "vectorised"):
        return  # it asks nothing again
    carried = carrying(unit.body, unit.active, unit.scope)
    given = dict(unit.request.arguments)
    dicts = {name for name, known in given.items() if known.kind == "mapping"}
    sets = {name for name, known in given.items() if known.kind == "unknown"}
    undescribed = {name for name in unit.parameters if name not in given}

    @cache
    def values() -> Values:
        found = Values(unit.scope)
        found.block(unit.body, environment(unit, unit.opened))
        return found

    def kinds(node: n.expr, at: n.stmt) -> Abstract:
        return values().of(node, values().before[at])

    try:
        unit.body = hold(unit.body, carried, [*unit.parameters, *unit.opened], unit.scope, kinds, dicts, sets, undescribed)
    except Moving as moving:
        raise refusal(unit.function, [unit.pointer(
            node, "a loop over what changes in it is not taken by the compiler", "the reverse sweep goes over it once more",
            "loop over a copy, or over range(len(...))",
        ) for node in moving.loops]) from None


ROUNDS = 8
"""How often lengths are taken for equal, and what follows from that is found."""


def values(unit: Unit) -> None:
    """Find the abstract value of every name at every statement, lengths of arguments being equal that are so unless one is 1."""
    unit.same, unit.scope.ordered = {}, frozenset()
    told = symbols_told(tuple(value for _, value in unit.request.arguments)) if unit.request.assumes else frozenset()
    for left in reversed(range(ROUNDS)):
        unit.environment = {name: with_equal(known, unit.same) for name, known in environment(unit, unit.opened).items()}
        unit.found = Values(unit.scope)
        unit.found.block(unit.body, unit.environment)
        known = unit.same | prolonged(unit.found.equal.least, unit.same, told, unit.request.assuming)
        named = told.union(*map(symbols_of, known.values()))
        same = solved(unit.found.equal.likely, known, named, unit.request.assuming)
        ordered = {pair for pair in unit.found.equal.ordered if may_be_taken(pair, named, unit.request.assuming)}
        if same == unit.same and ordered <= unit.scope.ordered or not left:
            break
        unit.same, unit.scope.ordered = same, unit.scope.ordered | ordered
    assert unit.found is not None
    unit.body = decided_branches(unit.body, unit.found)


def lists_to_arrays(unit: Unit) -> None:
    """Make arrays of lists and tuples where NumPy takes an array."""
    assert unit.found is not None
    body = gathered(unit.body, unit.found, unit.scope)
    if body is not unit.body:
        unit.body = body
        values(unit)


def rewrite_views(unit: Unit) -> None:
    """Write the uses of views of arrays that change as uses of the arrays; mirror what may be a view or a copy."""
    assert unit.found is not None
    unit.body, unit.aliases = respell(unit.body, list(unit.environment), unit.found, unit.output)
