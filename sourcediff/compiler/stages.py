"""The passes over a whole program: each changes the unit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

import numpy as np

from ..analysis.abstract import NEVER, UNKNOWN, Abstract, abstract, joined_all, symbols_told, with_equal
from ..analysis.assumed_lengths import may_be_taken, prolonged, solved
from ..analysis.lengths import symbols_of
from ..analysis.literals import folded_text
from ..analysis.scope import Scope
from ..analysis.source.may_be_active import carrying
from ..analysis.source.sharing import connected, grouped, iterators
from ..analysis.source.unknown_values import come_of, without_rule
from ..analysis.statements import checked, loads, mutates, shrunk, simple, target_names
from ..analysis.states import everything
from ..core.derive.gradient import Derived, gradient_program
from ..core.derive.pullback import pullback, split_sweeps
from ..core.derive.tangent import tangent
from ..core.derive.vectorise import Batcher, effectless, uncopied
from ..core.derive.vectorise_calls import Vectoriser, differing, shapes_of_one
from ..core.facts.idle_shifts import idle_shifts
from ..core.facts.values import Values
from ..core.prepare.decided_branches import decided_branches
from ..core.prepare.lists_to_arrays import gathered
from ..core.prepare.record_control_flow import Moving, hold
from ..core.prepare.rewrite_views import respell
from ..core.prepare.stable_positions import steadied
from ..core.prepare.unbound_names import ensured
from ..core.tidy import device_arguments as arguments
from ..core.tidy import device_numbers as numbers
from ..core.tidy import device_waits as waits
from ..core.tidy.adjoint_views import adjoint_views
from ..core.tidy.dead_code import DeadCode, keeps
from ..core.tidy.inline_temporaries import Inline
from ..core.tidy.joined_statements import entries_joined
from ..core.tidy.outer_sums import outer_sums
from ..core.tidy.spellings import Spellings
from ..errors import (
    NO_SCALAR,
    OF_SEVERAL,
    AliasingError,
    ComplexError,
    NonDifferentiableError,
    UnknownParameterError,
    UnsupportedSyntaxError,
)
from ..frontend.function_trees import parameters_of
from ..frontend.inline.gradients import Deriving, InnerDerivative, known_arguments
from ..frontend.inline.linked_calls import Linking
from ..frontend.lowering import lowered
from ..frontend.read.unsupported import refusal
from ..rules.suggestions import missing_rule
from ..runtime.arrays import scatter
from ..runtime.arrays.library import library_of
from ..runtime.structures import copied
from ..syntax import nodes as n
from ..syntax.quote import clone, expression, names, place, statement
from ..syntax.source import read
from .device_library import arrays_of_function, refuse_stores
from .nested import number_variables, returned, returned_by_call, source_of, written_derivative
from .unit import Unit
from .watching import refuse_unwatched
from .write import assumed_equal, functions_of


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


def device_numbers(unit: Unit) -> None:
    """Give a program on arrays of a device NumPy's numbers."""
    assert unit.derived is not None
    if unit.request.library == "numpy":
        return
    refuse_stores(unit)
    given = [*unit.parameters, *unit.opened, *unit.scope.free]
    body, back = numbers.device_numbers(unit.derived.body, list(unit.derived.back), unit.scope, known_of(unit), given)
    unit.derived = unit.derived._replace(body=body, back=back)


def known_of(unit: Unit) -> Callable[[str], Abstract | None]:
    """What is known of a name wherever it is bound; of an adjoint or a tangent what is known of its variable."""
    variables = {made: name for names_ in (unit.scope.bars, unit.scope.dots) for name, made in names_.items()}
    anywhere = values_anywhere(unit)

    @cache
    def known(name: str) -> Abstract | None:
        return anywhere(variables.get(name, name))

    return known


def device_arguments(unit: Unit) -> None:
    """Give the functions of a device's library arrays where NumPy's take numbers and lists."""
    assert unit.derived is not None
    if unit.request.library != "numpy":
        body, back = unit.derived.body, list(unit.derived.back)
        numpy = unit.scope.imported("np", np)
        write = arguments.DeviceArguments([*body, *back], unit.scope, numpy, values_anywhere(unit), arrays_of_function)
        unit.derived = unit.derived._replace(body=write.block(body), back=write.block(back))


def device_waits(unit: Unit) -> None:
    """Mark where a program on arrays of a device waits for them."""
    assert unit.derived is not None
    if unit.request.library != "numpy":
        write = waits.DeviceWaits(unit.scope, [*unit.derived.body, *unit.derived.back], unit.environment)
        unit.derived = unit.derived._replace(body=write.block(unit.derived.body), back=write.block(list(unit.derived.back)))


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
