"""Derivatives inside of programs, and derivatives of derivatives: what has been written becomes the source of another program."""

from __future__ import annotations

import dataclasses
import inspect
import types
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ..analysis.abstract import FLOAT, NEVER, STATIC, UNKNOWN, Abstract
from ..analysis.lengths_given import forms_alone, with_symbols
from ..analysis.lengths_within import forgotten
from ..analysis.source.effects import Effective
from ..analysis.source.made_here import made_here
from ..analysis.states import everything
from ..backends.python import entry_name
from ..core.derive.functional_updates import lists_of_copies, renewed
from ..core.derive.pullback import takes
from ..core.derive.zero_length_marks import any_length, bent
from ..core.facts.distinct_entries import containers
from ..errors import SourcediffError
from ..frontend.function_trees import headed, parameters_of
from ..frontend.inline.gradients import InnerDerivative
from ..frontend.inline.linked_calls import changes_state
from ..frontend.read.islands import outlined
from ..frontend.read.lambda_lifting import lifted
from ..frontend.read.solver_calls import solver_calls
from ..frontend.read.unsupported import refuse
from ..frontend.room import Block
from ..interpret.interpret import interpreted
from ..interpret.values import TooLong
from ..runtime.structures import added_at, with_added
from ..syntax import nodes as n
from ..syntax.function import TRANSFORMS, name_of
from ..syntax.quote import clone, expression, following, names, place, statement, unused
from ..syntax.source import Source, read
from .unit import Request, Unit
from .watching import behind
from .write import assumed_equal

Result = TypeVar("Result")

Run = Callable[[Unit, str], Unit]
"""The pipeline, up to a pass of this name."""

LAST = "write"

WAYS = ("whole", "brief", "long")
"""How the interpreter writes a function: what is too long as a whole is tried with calls that stay, and then as it is."""

KNOWING = (4, False), (1, False), (2, False), (2, True), (3, False), (5, False)

SHORTER = (3, False, "whole"), (4, False, "whole")
"""What is shorter than what would be too long."""

ATTEMPTS = ((0, False, "whole"), *SHORTER, (0, False, "brief"), (0, False, "long"),
            *((known, opening, way) for known, opening in KNOWING for way in WAYS))
"""Whether lists and dicts that hold others (1), or all (2), are known part by part, or those of the text may hold objects (3), which may
change (4), or are in a pool of their class (5), whether helpers are written out of which nothing carries a derivative, and the way: what
is tried until the rest of the pipeline takes it."""

FINDING = 4
"""How often it is tried what a call gives."""

DEEPEST = 3
"""How many functions are looked into at once, one called by another."""


def source_of(
    function: types.FunctionType, arguments: tuple[tuple[str, Abstract], ...], run: Run, islands: bool = False,
) -> Source:
    """The source of a function: the user's, or, of a derivative, what the compiler has written for these arguments."""
    if not hasattr(function, "sourcediff"):
        return as_read(function, islands)
    runner = function.sourcediff
    if hasattr(runner, "door"):
        return called_source(runner)
    return derived_source(begin(runner.function, runner.request(arguments), run, lambda unit: run(unit, LAST)))


def as_read(function: types.FunctionType, islands: bool) -> Source:
    """The source of a user's function; raises UnsupportedSyntaxError for all that is refused as it stands."""
    source = solver_calls(lifted(read(function)))
    return refuse(outlined(source), alone=True) if islands else refuse(source)


def begin(function: types.FunctionType, request: Request, run: Run, use: Callable[[Unit], Result], source: Source | None = None) -> Result:
    """What is made of a function at the beginning of the pipeline, as the interpreter writes it: with lists and dicts of the text, and,
    where that is refused, with those alone that are known part by part; of the function itself, where that is refused too. A ``source``
    that is given, and a derivative, stay as they are.
    """
    if source is not None or request.mode == "batched":
        return use(begun(function, request, run, source))
    if hasattr(function, "sourcediff"):
        unit = begun(function, request, run)
        unit.source = source_of(function, request.arguments, run, request.islands)
        return use(unit)
    problems: list[tuple[int, SourcediffError]] = []
    refused: set[tuple[int, bool]] = set()
    for number, (known, opening, way) in enumerate(ATTEMPTS):
        shorter = 0 < number <= len(SHORTER)
        if (known, opening) in refused or shorter and (0, False) in refused:
            continue
        try:
            return use(interpreted_unit(function, request, run, number))
        except TooLong:
            continue
        except SourcediffError as problem:
            problems.append((known, problem))
        if way == "whole":
            refused.add((known, opening))
    if all(problem.__cause__ is not None for _, problem in problems):  # the interpreter took none of it
        as_read(function, request.islands)
    raise refusal_of(problems)


def refusal_of(problems: Sequence[tuple[int, SourcediffError]]) -> SourcediffError:
    """The refusal that is said of those of all attempts: that of the first one, or, where that takes no objects, of the last."""
    short = [(known, problem) for known, problem in problems if not isinstance(problem.__cause__, TooLong)]
    (_, first), (known, last) = (short or problems)[0], (short or problems)[-1]
    of_objects = any(reason in str(first) for reason in ("is used as a whole", "an attribute of what is not made here"))
    return last if known == KNOWING[-1][0] and of_objects else first


def interpreted_unit(
    function: types.FunctionType, request: Request, run: Run, number: int,
) -> Unit:
    """A function as the interpreter writes it, at the beginning of the pipeline, in one of the :data:`ATTEMPTS`.

    Raises UnsupportedSyntaxError for what it does not take.
    """
    unit = begun(function, request, run)
    made, unit.settled = interpreted_source(function, request, number)
    unit.source = refuse(made, alone=request.islands)
    unit.interpreted = made.followed
    return unit


def interpreted_source(function: types.FunctionType, request: Request, number: int) -> tuple[Source, tuple[tuple[str, Any], ...]]:
    """What the interpreter writes of a function in one of the :data:`ATTEMPTS`, its solvers' calls outlined; what it takes for settled."""
    known, opening, way = ATTEMPTS[number]
    source = solver_calls(lifted(read(function)))
    source = outlined(source) if request.islands else source
    made, settled = interpreted(source, request.wrt, request.arguments, dict(request.settled), known, is_linked, request.islands,
                                may_stay, way, opening or request.library != "numpy")
    spoken = names(made.tree)
    made = made._replace(given={name: given for name, given in made.given.items() if name in spoken})  # but for what is outlined anew
    found = solver_calls(made)
    for name, (_, holder, _) in found.given.items():
        if name not in made.given:
            holder.__dict__["__attempt__"] = number
    return found, settled


def solvers_of(function: types.FunctionType, request: Request, number: int) -> types.FunctionType:
    """A function among whose globals those are, by their names, that were outlined of what the interpreter has written in an attempt."""
    found = interpreted_source(function, request, number)[0].given.values()
    return types.FunctionType((lambda: None).__code__, {name: made for made, holder, name in found if hasattr(holder, "__attempt__")})


def is_linked(source: Source) -> bool:
    """Whether a helper has a derivative of its own: it calls solvers, or has inner functions that call themselves."""
    return solver_calls(lifted(source)) is not source


def may_stay(function: types.FunctionType) -> bool:
    """Whether a call of a function can be linked, as far as its source tells."""
    return not changes_state(function)


def called_source(runner: Any) -> Source:
    """The source of what a transform has made of a function: one that calls it."""
    runner.request(())  # refuses what the compiler does not write
    base = behind(runner.function)
    source = read(base)
    names = parameters_of(source.tree)
    wrt = repr(runner.wrt[0] if runner.single else runner.wrt)
    tree = headed(f"{name_of(base)}_{runner.door}", names)
    tree.body = [statement(f"return transform(of, {wrt})({', '.join(names)})")]
    for part in n.walk(tree):
        place(part, source.tree)
    door = next(door for door in TRANSFORMS if door.__name__ == runner.door)
    given = {"transform": (door, base, "transform"), "of": (runner.function, base, "of")}
    return source._replace(tree=tree, given=given)


def written_derivative(of: Any, taken: InnerDerivative | None, arguments: tuple[tuple[str, Abstract], ...], run: Run) -> Any:
    """The source of a derivative that is taken inside: of a derivative's function, or of a source that is given; both of a pullback."""
    arguments = forgotten(arguments)
    if taken is None:
        return source_of(of, arguments, run)
    unit = asked_for(of, taken, arguments, run, LAST)
    return (derived_source(unit), back_source(unit)) if taken.mode == "pullback" else derived_source(unit)


def asked_for(of: Any, taken: InnerDerivative, arguments: tuple[tuple[str, Abstract], ...], run: Run, last: str) -> Unit:
    """A derivative that is taken inside, after the ``last`` pass that is asked for."""
    function, source = (of.function, of) if isinstance(of, Source) else (of, None)
    arguments = forgotten(arguments)
    forward = taken.mode == "forward"
    request = Request(taken.wrt, taken.single and not forward, taken.value, arguments, mode=taken.mode, strong=forward)
    return begin(function, request, run, lambda unit: run(unit, last), source)


def returned(of: Any, taken: InnerDerivative, arguments: tuple[tuple[str, Abstract], ...], run: Run) -> Abstract:
    """What is known of the value of the function that a derivative is of."""
    unit = asked_for(of, taken._replace(mode="forward"), arguments, run, "rewrite_views")
    assert unit.values is not None
    after = unit.values.after[unit.body[-1]] if unit.body else unit.environment
    found: Abstract = forgotten(after.get(unit.output, UNKNOWN))
    return found


def returned_by_call(unit: Unit, function: types.FunctionType, moving: tuple[int, ...], given: tuple[Abstract, ...]) -> Abstract:
    """What is known of what a call gives that is not written out, lengths by those of its arguments. Of a function that calls itself it is
    what follows from itself: first nothing is known of the calls within (:data:`NEVER`), then what has been found, until that stays.
    """
    if hasattr(function, "__island__"):
        return of_ranks(getattr(function, "__ranks__", None))
    if (rank := getattr(function, "__noinline__", None)) is not None:
        return of_rank(rank, given)
    key = function, moving, given
    if key in unit.linked:
        return unit.linked[key]
    parameters = [*inspect.signature(function).parameters]
    arguments = tuple((name, with_symbols(value, name)) for name, value in zip(parameters, given))
    request = Request(tuple(parameters[position] for position in moving), False, False, arguments, mode="forward")
    found = NEVER

    def within(inner: Unit) -> Unit:
        callers = (*unit.callers, *unit.watched)
        return unit.run(dataclasses.replace(inner, linked={**unit.linked}, depth=unit.depth + 1, callers=callers), "values")

    for _ in range(FINDING if unit.depth < DEEPEST else 0):
        unit.linked[key] = found
        try:
            source = None if moving else listed(read(function)) if inspect.isgeneratorfunction(function) else as_read(function, False)
            inner = begin(function, request, unit.run, within, source)
        except (SourcediffError, RecursionError):
            found = UNKNOWN
            break
        assert inner.found is not None
        after = inner.found.after[inner.body[-1]] if inner.body else inner.environment
        found = lengths_apart(after.get(inner.output, UNKNOWN), makes_anew(function))
        if found == unit.linked[key] or found == UNKNOWN:
            break
    else:
        found = UNKNOWN
    unit.linked[key] = UNKNOWN if found != unit.linked.get(key) or found in (NEVER, STATIC) else found
    return unit.linked[key]


def listed(source: Source) -> Source:
    """A generator as a function that returns a list of all that it gives."""
    kept = unused("items", names(source.tree))

    class Listed(n.NodeTransformer):  # type: ignore[misc]
        def visit_Expr(self, node: n.Expr) -> n.stmt:
            asked = node.value
            if not isinstance(asked, (n.Yield, n.YieldFrom)):
                return node
            method = "append" if isinstance(asked, n.Yield) else "extend"
            return place(statement(f"{kept}.{method}($v)", v=asked.value or n.Constant(value=None, kind=None)), node)

        def visit_Return(self, node: n.Return) -> n.stmt:
            return place(n.Return(value=expression(kept)), node)

        def visit_FunctionDef(self, node: n.FunctionDef) -> n.stmt:
            return node

    tree = clone(source.tree)
    begun, ended = (place(made, tree.body[0]) for made in (statement(f"{kept} = []"), n.Return(value=expression(kept))))
    tree.body = [begun, *(Listed().visit(node) for node in tree.body), ended]
    return refuse(source._replace(tree=tree))


def makes_anew(function: types.FunctionType) -> bool:
    """Whether a function returns nothing but what it has made: nobody else puts anything into it."""
    tree = read(function).tree
    made = made_here(tree, Effective(function, tree))
    returned = [part.value for part in n.walk(tree) if isinstance(part, n.Return)]
    parts = [part for value in returned for part in (value.elts if isinstance(value, n.Tuple) else [value])]
    return all(isinstance(part, (n.Dict, n.DictComp)) or isinstance(part, n.Name) and part.id in made for part in parts)


def lengths_apart(value: Abstract, anew: bool = False) -> Abstract:
    """What is known of a value but for lengths that do not follow from those given, of a list or a tuple item by item; of a dict entry by
    entry, if it is made ``anew``.

    >>> lengths_apart(Abstract("sequence", items=(FLOAT, Abstract("mapping")))).items == (FLOAT, UNKNOWN)
    True
    """
    if value.kind == "sequence" and type(value.items) is tuple:
        return Abstract("sequence", items=tuple(lengths_apart(part, anew) for part in value.items))
    if value.kind == "sequence" and isinstance(value.items, Abstract):
        inner = lengths_apart(value.items, anew)
        return UNKNOWN if inner == UNKNOWN else Abstract("sequence", items=inner)
    if value.kind == "mapping" and value.items and anew:
        return value._replace(items=tuple((key, lengths_apart(part, anew)) for key, part in value.items))
    return forms_alone(value) or UNKNOWN


def of_rank(rank: types.FunctionType, given: Sequence[Abstract]) -> Abstract:
    """What is known of the array that a function gives whose number of dimensions follows from those of its first arguments."""
    asked = given[:rank.__code__.co_argcount]
    if any(value.rank is None for value in asked):
        return UNKNOWN
    found = rank(*(value.rank for value in given))
    double = all(value.dtype is not None and value.dtype == FLOAT.dtype for value in asked)
    return Abstract("array", FLOAT.dtype if double else None, (None,) * max(0, found))


def of_ranks(ranks: Any) -> Abstract:
    """What is known of floats and arrays by their numbers of dimensions.

    >>> of_ranks((0, None)).items == (Abstract("numpy", FLOAT.dtype), UNKNOWN)
    True
    """
    if isinstance(ranks, tuple):
        return Abstract("sequence", items=tuple(map(of_ranks, ranks)))
    return UNKNOWN if ranks is None else Abstract("array", None, (None,) * ranks) if ranks else Abstract("numpy", FLOAT.dtype)


def derived_source(unit: Unit) -> Source:
    """What has been written for a function, as the source of another one."""
    assert unit.source is not None and unit.derived is not None
    tree = clone(unit.source.tree)
    tree.body = source_again([*unit.opening(unit.derived.body), *unit.derived.body], unit)
    given = {name: tuple(free) for name, free in unit.scope.free.items()}
    given |= {name: (value, None, name) for name, value in unit.scope.helpers.items()}
    if unit.request.pullback:  # the tape's values one by one
        last = tree.body[-1]
        last.value.elts[1:] = last.value.elts[1].elts
    count = [unit.count] if unit.count else []
    tree.name, tree.args = unit.request.entry(unit.function), headed("", [*unit.parameters, *unit.tangents, *count]).args
    following(tree.body, tree, within=True)
    tapes = frozenset() if unit.request.pullback else frozenset(unit.scope.tapes)  # what is handed on is not empty
    copies = lists_of_copies(unit.derived.body, unit.scope.tapes, unit.scope)
    known = number_variables(unit)
    bars = frozenset(bar for name, bar in (*unit.scope.bars.items(), *unit.scope.dots.items()) if name in known)
    return unit.source._replace(tree=tree, given=given, own=unit.user_names, tapes=tapes, copies=copies, numbers=bars,
                                quiet=frozenset(unit.quiet),
                                tried=dict(unit.scope.tried), followed=tuple(unit.scope.followed),
                                equal=frozenset(map(frozenset, assumed_equal(unit))))


def number_variables(unit: Unit) -> set[str]:
    """The variables that are numbers wherever they are known."""
    assert unit.values is not None
    found: dict[str, bool] = {}
    for variable, value in everything((unit.environment, *unit.values.after.values())):
        found[variable] = value.scalar and found.get(variable, True)
    return {variable for variable, always in found.items() if always}


def back_source(unit: Unit) -> Source:
    """The reverse sweep that has been written for a pullback, as the source of a function of what is on the tape, and a cotangent."""
    assert unit.derived is not None
    body = source_again(unit.derived.back, unit)
    source = derived_source(unit)
    tape = [part.id for part in body.pop(0).targets[0].elts] if takes(body[0]) else []
    tree = clone(source.tree)
    tree.name, tree.body = entry_name(unit.function, "back"), body
    tree.args = headed("", [*tape, unit.scope.bar(unit.output)]).args
    following(body, tree, within=True)
    return source._replace(tree=tree)


def source_again(body: Sequence[n.stmt], unit: Unit) -> Block:
    """A copy of what has been written, for another derivative of it: structures of adjoints are not changed, but get new entries."""
    assert unit.values is not None
    structures = containers(unit.values)
    bars = {bar for name, bar in unit.scope.bars.items() if name in structures}
    changing = next((name for name, value in unit.scope.helpers.items() if value is added_at), None)
    if changing is not None:
        functional = {changing: expression(unit.scope.imported(with_added.__name__, with_added))}
        body = [clone(node, functional) for node in body]
    if any_length(body):
        body = bent(body, unit.scope, unit.request.mode in ("forward", "batched"))
    return renewed(body, bars, unit.scope)


def begun(function: types.FunctionType, request: Request, run: Run, source: Source | None = None) -> Unit:
    """A function at the beginning of the pipeline. What carries several tangents begins as what carries one."""
    if request.mode != "batched":
        return Unit(function, request, source=source, inside=source is not None, run=run)
    forward = request._replace(mode="forward", strong=True, assuming=False)
    one = begin(function, forward, run, lambda unit: run(unit, LAST), source)
    assert one.derived is not None
    known = {name: FLOAT if value.kind == "python" else value for name, value in one.environment.items()}
    dots = {dot: known[name] for name, dot in zip(one.active, one.tangents)}
    request = request._replace(arguments=(*request.arguments, *dots.items()))
    return Unit(function, request, source=derived_source(one), start=tuple(dots), mutated=one.derived.mutated,
                resized=one.derived.resized, inside=one.inside, run=run)
