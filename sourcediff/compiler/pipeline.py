"""The pipeline: a user's function in, the text of its gradient out."""

from __future__ import annotations

import builtins
import gc
import re
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from .. import runtime
from ..analysis.abstract import FLOAT, UNKNOWN, Abstract, abstract, joined_all, known_callables
from ..analysis.environment.captured import Surroundings, is_user_function
from ..analysis.environment.patched import is_exchanged
from ..analysis.scope import CALLED, MISSING, Free, Scope
from ..analysis.source.may_be_active import carrying
from ..analysis.source.sharing import connected, iterators
from ..analysis.statements import checked, loads, mutates, simple, target_names
from ..analysis.states import everything
from ..backends.python import entry_name, source_head
from ..core.derive.functional_updates import lists_of_copies, renewed
from ..core.derive.gradient import Derived, Program, gradient
from ..core.derive.pullback import pullback, split, takes
from ..core.derive.tangent import tangent
from ..core.derive.vectorise import Batcher, effectless, uncopied
from ..core.derive.zero_length_marks import any_length, bent, straight
from ..core.facts.aliases import Aliases
from ..core.facts.distinct_entries import containers
from ..core.facts.values import Values
from ..core.prepare.lists_to_arrays import gathered
from ..core.prepare.record_control_flow import Moving, hold
from ..core.prepare.rewrite_views import respell
from ..core.prepare.stable_positions import steadied
from ..core.prepare.unbound_names import ensured, unneeded
from ..core.tidy.dead_code import DeadCode, keeps
from ..core.tidy.inline_temporaries import Inline
from ..errors import NonDifferentiableError, Place, UnknownParameterError
from ..frontend.function_names import parameters_of
from ..frontend.inline.attributes import leaves_of
from ..frontend.inline.gradients import Derivative, Deriving, headed, known_arguments
from ..frontend.inline.linked_calls import Linking
from ..frontend.lowering import lowered
from ..frontend.read.islands import outlined
from ..frontend.read.lambda_lifting import lifted
from ..frontend.read.unsupported import refusal, refuse
from ..frontend.source_passes import reworded
from ..naming import is_name, is_path_of_names, label
from ..rules.frames import rule_for, spelling
from ..runtime.arrays import keep_zeros
from ..runtime.derivative import form
from ..runtime.structures import added_at, copied, with_added
from ..runtime.user_objects import alike
from ..syntax import nodes as n
from ..syntax.function import TRANSFORMS, definition, name_of
from ..syntax.quote import clone, expression, following, names, place, statement
from ..syntax.source import Source, located, read
from ..syntax.text import block_lines
from ..version import __version__

Block = list[n.stmt]
ISLAND = -1
"""Stands for the function that reads an island."""

TITLES = {"forward": "Value and tangent", "batched": "Value and several tangents", "pullback": "Value and pullback"}


class Request(NamedTuple):
    """What is asked for. ``arguments`` are the abstract values of the parameters, empty for the general version.

    ``mode`` is ``"reverse"`` (a gradient), ``"pullback"`` (value and tape, and what takes the tape and a cotangent) or ``"forward"`` (value
    and tangent), ``"batched"`` (value and several tangents); ``strong``: the tangents that are given may hold zeros; ``islands``: calls of
    what the compiler does not take stay calls, which the eager engine answers; ``has_aux``: the function returns its value and something
    more, which is handed on.
    """

    wrt: tuple[str, ...]
    single: bool
    value: bool
    arguments: tuple[tuple[str, Abstract], ...] = ()
    tidy: bool = True
    mode: str = "reverse"
    strong: bool = False
    islands: bool = False
    has_aux: bool = False

    @property
    def forward(self) -> bool:
        """Whether a tangent is asked for."""
        return self.mode == "forward"

    @property
    def pullback(self) -> bool:
        """Whether the two sweeps are asked for, each as a function."""
        return self.mode == "pullback"

    def entry(self, function: types.FunctionType) -> str:
        """The name of the generated function."""
        return entry_name(function, self.mode, self.value)

    def title(self, function: types.FunctionType) -> str:
        """What the generated function is, in words."""
        what = TITLES[self.mode] if self.mode in TITLES else "Value and gradient" if self.value else "Gradient"
        return f"{what} of {name_of(function)} with respect to {', '.join(self.wrt)}."


@dataclass
class Unit:
    """One function on its way through the pipeline."""

    function: types.FunctionType
    request: Request
    scope: Scope = field(default_factory=Scope)
    source: Source | None = None
    start: tuple[str, ...] = ()
    parameters: list[str] = field(default_factory=list)
    opened: dict[str, tuple[str, Abstract]] = field(default_factory=dict)
    asked: list[Any] = field(default_factory=list)
    body: Block = field(default_factory=list)
    output: str = ""
    aux: str = ""
    aliases: Aliases | None = None
    equal: set[frozenset[Any]] = field(default_factory=set)  # pairs of lengths that what is differentiated here again takes to be equal
    environment: dict[str, Abstract] = field(default_factory=dict)
    derived: Derived | None = None
    captured: list[str] = field(default_factory=list)
    user_names: frozenset[str] = frozenset()
    count: str = ""
    mutated: tuple[str, ...] = ()
    resized: tuple[str, ...] = ()
    text: str = ""
    inside: bool = False  # it becomes a part of another program, which knows what is around it
    importing: bool = False  # the user's functions are imported, not passed in: for a module that stands alone

    @cached_property
    def watched(self) -> list[types.FunctionType]:
        """The functions of which a later change is seen, in the order in which generated code counts them."""
        return Surroundings(self.function, known_callables(self.request.arguments)).functions

    @property
    def active(self) -> tuple[str, ...]:
        """The names to differentiate by: parameters, and attributes of those that are objects."""
        return tuple(leaves_of(self.asked))

    @property
    def values(self) -> Values | None:
        """The abstract values at each statement, once they are known."""
        return None if self.aliases is None else self.aliases.values

    def arranged(self, gradients: list[n.expr]) -> n.expr:
        """What is returned for the gradients of the active names: each alone, or as an object."""
        given = dict(zip(self.active, gradients))
        parts = [self.gradient_of(asked, given) for asked in self.asked]
        return parts[0] if self.request.single and not self.request.pullback else n.Tuple(elts=parts, ctx=n.Load())

    def gradient_of(self, asked: Any, given: dict[str, n.expr]) -> n.expr:
        """The gradient of a name, or an object of gradients."""
        if isinstance(asked, str):
            return given[asked]
        owner, attributes = asked
        keywords = [n.keyword(arg=name, value=self.gradient_of(part, given)) for name, part in attributes.items()]
        path = self.opened[owner][0] if owner in self.opened else owner
        made = self.scope.imported("alike", alike)
        return n.Call(func=expression(made), args=[expression(path)], keywords=keywords)

    def opening(self, body: Block) -> Block:
        """The statements that give local names to what a body reads of objects from outside."""
        read = names(body) if self.opened else set()
        return [statement(f"$x = {path}", x=local) for local, (path, _) in self.opened.items() if local in read]

    @property
    def program(self) -> Program:
        """What is derived, with what is known of it."""
        assert self.aliases is not None
        return Program(self.body, [*self.parameters, *self.opened], self.output, self.aliases, self.environment, self.pointer, self.aux)

    @property
    def tangents(self) -> list[str]:
        """The parameters for tangents, in forward mode."""
        return [self.scope.dot(name) for name in self.active] if self.request.forward else []

    @property
    def quiet(self) -> list[str]:
        """The floating-point errors that the generated function silences: where the derivative is infinite, zeros are kept."""
        assert self.derived is not None
        guards = {name for name, helper in self.scope.helpers.items() if helper is keep_zeros}
        guarded = guards and not guards.isdisjoint(names([*self.derived.body, *self.derived.back]))
        return sorted(self.scope.quiet | ({"divide", "invalid"} if guarded else set()))

    def pointer(self, node: n.AST | None, problem: str, why: str = "", remedy: str = "") -> Any:
        """The place of a statement in the user's source, for an error."""
        assert self.source is not None
        node = node if node is not None else self.source.tree
        return located(node, getattr(node, "file", self.source.file), problem, why, remedy)


class Pass(NamedTuple):
    """A stage, to be called with a unit.

    ``name``: what it is called.
    ``run``: what it does to the unit.
    ``show``: the statements to show after it.
    ``core``: whether the unit's body is in the core form then (:mod:`sourcediff.core.form`).
    """

    name: str
    run: Callable[[Unit], None]
    show: Callable[[Unit], Block]
    core: bool = False

    def __call__(self, unit: Unit) -> None:
        """Run the stage; what it leaves has a place in the source everywhere."""
        self.run(unit)
        if self.core and unit.source is not None:
            following(unit.body, unit.source.tree)
        for look in AFTER:
            look(self, unit)

    def __repr__(self) -> str:
        return f"<{self.name}: {(self.run.__doc__ or '').strip().splitlines()[0]}>"


def _read(unit: Unit) -> None:
    """Find the function's source and parse it; refuse what the compiler does not take, in it and in all it calls."""
    if unit.source is None:
        unit.source = source_of(unit.function, unit.request.arguments, unit.request.islands)
    unit.user_names = frozenset(names(unit.source.tree)) if unit.source.own is None else unit.source.own
    unit.parameters = parameters_of(unit.source.tree)
    unknown = [wanted for wanted in unit.request.wrt if wanted.split(".")[0] not in unit.parameters]
    if unknown:
        raise UnknownParameterError(
            f"{unit.function.__qualname__} has no parameter {unknown[0]!r}", why=f"it has {', '.join(unit.parameters)}",
            remedy="give wrt a position or one of these names",
        )


def _normalise(unit: Unit) -> None:
    """Bring what may carry a derivative into normal form, calls of user functions inlined."""
    assert unit.source is not None
    given = dict(unit.request.arguments)
    start = unit.start or unit.request.wrt
    linking = Linking(unit.request.forward, unit.request.islands)
    unit.equal = set(unit.source.equal)
    inner: list[Source] = []  # the derivatives inside

    def write(of: Any, taken: Derivative | None, arguments: tuple[tuple[str, Abstract], ...]) -> Any:
        made = written(of, taken, arguments)
        for source in made if type(made) is tuple else (made,):
            unit.equal.update(source.equal)
            unit.scope.followed += source.followed
            inner.append(source)
        return made

    named = lowered(unit.source, start, unit.scope, given, Deriving(write, returned), linking)
    if named.pending:  # with what is known of the arguments of the derivatives inside
        values = Values(unit.scope)
        values.block(list(named), environment(unit, named.opened))
        known = known_arguments(named, named.pending, values)
        unit.scope = Scope()
        named = lowered(unit.source, start, unit.scope, given, Deriving(write, returned, known), linking)
    refuse_unwatched(unit)
    result = named.result
    unit.body = steadied(list(named), unit.scope, (name for name, known in given.items() if known.kind == "mapping"))
    if unit.request.has_aux:
        result = parted(unit, result)
    if result is None:
        result = n.Constant(value=None, kind=None)
    structure = isinstance(result, (n.Tuple, n.List)) or isinstance(result, n.Constant) and result.value is None
    if structure and unit.request.mode == "reverse":
        raise NonDifferentiableError(
            f"{unit.function.__qualname__} does not return a scalar", places=[unit.pointer(None, "defined here")],
            why="it returns nothing" if isinstance(result, n.Constant) else "a gradient is of one number",
            remedy="return a scalar",
        )
    unit.opened, unit.asked = dict(named.opened) | changed_outside(unit), list(named.asked)
    renamed = {path: expression(local) for local, (path, _) in unit.opened.items() if path in unit.scope.free}
    unit.body, result = [clone(node, renamed) for node in unit.body] if renamed else unit.body, clone(result, renamed)
    unit.scope.iterators = iterators(unit.body, unit.scope)
    if isinstance(result, n.Name) and result.id not in unit.scope.free:
        unit.output = result.id
    else:
        unit.output = unit.scope.fresh("value")
        unit.body.append(place(statement("$v = $r", v=unit.output, r=result), result))
    if not unit.source.followed:  # what is generated binds what it reads
        others = [] if inner else [names(read(of).tree) for of in unit.scope.followed if not hasattr(of, "__island__")]
        own = unit.user_names.union(*others)
        unit.body = ensured(unit.body, unit.output, own, {*unit.parameters, *unit.opened}, unit.scope)
    unit.scope.checked = {asked for node in simple(unit.body) if (asked := checked(node)) is not None}


def refuse_unwatched(unit: Unit) -> None:
    """Refuse functions that are reached in a way which is not watched: what they read could not be handed on, a change not be seen."""
    followed = [] if unit.inside else unit.scope.followed
    if unwatched := [found for found in followed if number_of(found, unit) is None and not is_made_of_another(found)]:
        raise refusal(unit.function, [unseen(found) for found in unwatched])


def unseen(function: types.FunctionType) -> Place:
    """The place of a function that is not watched, for an error."""
    return definition(
        function, f"{function.__qualname__}, as it is reached here, is not taken by the compiler",
        "what it reads, and whether it changes, cannot be looked at before each call", "call it by its name, or as module.name",
    )


def number_of(function: Any, unit: Unit) -> int | None:
    """The number of a function among those that are watched; None if it is not one of them."""
    return next((number for number, known in enumerate(unit.watched) if known is function), None)


def is_made_of_another(function: Any) -> bool:
    """Whether a function is one that the library has made, of another one."""
    return any(hasattr(function, mark) for mark in ("__island__", "__tree__", "__forwards__"))


def reading(free: Free, unit: Unit) -> int:
    """The number of the function that reads what a free name stands for at each call, ISLAND for islands and what is lifted out.

    Raises UnsupportedSyntaxError where there is none.
    """
    function, of = free.function, getattr(free.function, "__tree__", None)
    if hasattr(function, "__holds__") or of is not None and hasattr(free.value, "__tree__") and number_of(function, unit) is None:
        if getattr(function, "__holds__", of and of.function) is behind(unit.function):
            return ISLAND
        raise refusal(unit.function, [unit.pointer(
            None, "the derivative of a function with inner functions that call themselves is not taken by the compiler",
            "they are known to that function alone", "define them at module level",
        )])
    for known in (function, of and of.function):  # what is lifted out reads what the function around it can
        if (number := number_of(known, unit)) is not None:
            return number
    raise refusal(unit.function, [unseen(function)])


def changed_outside(unit: Unit) -> dict[str, tuple[str, Abstract]]:
    """The arrays among the free names of a program that it changes in place, by new names, and what is known of them."""
    arrays = {name: free.value for name, free in unit.scope.free.items() if isinstance(free.value, np.ndarray)}
    changed = connected(unit.body, mutates(unit.body), unit.scope) if arrays else set()
    return {unit.scope.fresh(name): (name, abstract(value, name)) for name, value in arrays.items() if name in changed}


def parted(unit: Unit, result: n.expr | None) -> n.expr:
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


def _hold(unit: Unit) -> None:
    """Name the conditions and loop ranges that the reverse sweep could not ask again, count the trips of while loops."""
    if unit.request.mode in ("forward", "batched"):
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


def _analyse(unit: Unit) -> None:
    """Find the abstract value of every name at every statement."""
    unit.environment = environment(unit, unit.opened)
    values = Values(unit.scope)
    values.block(unit.body, unit.environment)
    if (body := gathered(unit.body, values, unit.scope)) is not unit.body:
        unit.body = body
        values = Values(unit.scope)
        values.block(unit.body, unit.environment)
    unit.body, unit.aliases = respell(unit.body, list(unit.environment), values, unit.output)


def _derive(unit: Unit) -> None:
    """Write the forward and the reverse sweep."""
    if unit.request.forward:
        unit.derived = tangent(unit.program, unit.active, unit.request.strong)
    elif unit.request.mode == "batched":
        unit.derived = batched(unit)
    elif unit.request.pullback:
        unit.derived = pullback(unit.program, unit.active, unit.arranged)
    else:
        unit.derived = gradient(unit.program, unit.active, unit.request.value, unit.arranged)


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


def _tidy(unit: Unit) -> None:
    """Drop what is not needed, nest what is used once."""
    assert unit.derived is not None
    directories = frozenset(unit.scope.directories)  # each may hold any other
    sharing = {**unit.derived.sharing, **{name: directories | unit.derived.sharing.get(name, frozenset()) for name in directories}}
    dead = DeadCode(keeps(unit.scope, unit.derived.local), sharing)
    body = dead.drop(unit.derived.body, frozenset())
    if unit.request.tidy:
        made = {made for made in names(body) if is_made(made, unit)}
        bars = {*unit.scope.bars.values(), *unit.scope.dots.values()}
        body = Inline(made, bars, unit.scope.directories, floating(unit), unit.scope.tried).block(body)
        if unit.request.mode == "batched":
            body = [uncopied(node) for node in body]
    unit.derived = unit.derived._replace(body=body)
    if unit.request.pullback:
        modules = {name for name, free in unit.scope.free.items() if imported(name, free.value) is not None}
        unit.derived = split(unit.derived, unit.program, modules | set(unit.scope.helpers))


TEMPORARIES = ("t", "link", "taken", "base", "parts", "columns", "n", "value", "adjoint")


def floating(unit: Unit) -> Callable[[n.expr], bool]:
    """Whether an expression over the user's names is of floats wherever it stands."""
    values = unit.values
    assert values is not None
    known: dict[str, dict[int, Abstract]] = {}
    for variable, value in everything([unit.environment, *values.after.values()]):
        known.setdefault(variable, {})[id(value)] = value

    @cache
    def anywhere(name: str) -> Abstract:
        return joined_all(tuple(known[name].values()))

    def certainly(node: n.expr) -> bool:
        everywhere = {name: anywhere(name) for name in loads(node) if name in known}
        return values.of(node, everywhere).floating

    return certainly


def is_made(name: str, unit: Unit) -> bool:
    """Whether a name is the compiler's own temporary (or the adjoint or the tangent of one)."""
    stem = re.sub(r"((_bar|_dot)\d*)+$", "", name)
    return not unit.user_names & {name, stem} and stem.rstrip("0123456789") in TEMPORARIES


def _write(unit: Unit) -> None:
    """Print it, with what it imports and where each line comes from."""
    assert unit.derived is not None and unit.source is not None
    with_builtins(unit)
    refuse_exchanged(unit)
    back = unit.derived.back
    body = [*unit.opening(unit.derived.body), *(unneeded(unit.derived.body) if unit.scope.checked else unit.derived.body)]
    body, back = straight(body, unit.scope), straight(back, unit.scope)
    used = set().union(*map(names, [*body, *back]))
    quiet = unit.quiet
    numpy = unit.scope.imported("np", np) if quiet else ""
    used |= {numpy} if quiet else set()
    imports: list[str] = []
    helpers: dict[str, list[str]] = {}
    unit.captured = []
    for free in sorted(used & set(unit.scope.free)):
        value = unit.scope.free[free].value
        text = imported(free, value, unit.importing)
        if text is None:
            unit.captured.append(free)
        elif text:
            imports.append(text)
    for helper in sorted(used & set(unit.scope.helpers)):
        value = unit.scope.helpers[helper]
        if isinstance(value, types.ModuleType):
            if helper not in unit.scope.free:
                imports.append(f"import {value.__name__} as {helper}")
        else:
            own = value.__name__
            module = runtime.__name__ if getattr(runtime, own, None) is value else value.__module__
            helpers.setdefault(module, []).append(helper if helper == own else f"{own} as {helper}")
    at = f"{label(unit.source.file)}:{unit.source.tree.lineno}"
    lines = [f'"""{unit.request.title(unit.function)} Written by sourcediff {__version__}."""', ""]
    files = dict.fromkeys([unit.source.file, *files_of([*body, *back])])
    lines += source_head({label(file): file for file in files}).rstrip("\n").split("\n")
    for group in (imports, [f"from {module} import {', '.join(members)}" for module, members in helpers.items()]):
        lines += ["", *sorted(set(group))] if group else []
    parameters = ", ".join([*unit.parameters, *unit.tangents, *([unit.count] if unit.count else []), *unit.captured])
    # where the derivative is infinite, the zero of what was not selected is kept without a warning
    silent = [f"@{numpy}.errstate({', '.join(f'{kind}={chr(39)}ignore{chr(39)}' for kind in quiet)})"] if quiet else []
    lines += ["", "", *silent, f"def {unit.request.entry(unit.function)}({parameters}):  # {at}"]
    lines += block_lines(body, 1, [""])
    if back:
        pullback_name = entry_name(unit.function, "back")
        lines += ["", "", *silent, f"def {pullback_name}(tape, {unit.scope.bar(unit.output)}):  # {at}"]
        lines += block_lines(list(back), 1, [""])
    if unit.captured and not unit.inside:
        where = {free: (reading(unit.scope.free[free], unit), unit.scope.free[free].name) for free in unit.captured}
        lines += ["", "", f"CAPTURED = {where!r}  # by the number of the function that reads it, and the name there"]
    for title, changed in (("MUTATED", unit.derived.mutated), ("RESIZED", unit.derived.resized)):
        if changed:
            roots = [unit.opened[name][0].replace("[", ".").split(".")[0] if name in unit.opened else name for name in changed]
            named = tuple(unit.scope.free[root].name if root in unit.scope.free else root for root in dict.fromkeys(roots))
            lines += ["" if lines[-1].startswith(("CAPTURED", "MUTATED")) else "\n", f"{title} = {named!r}"]
    assert unit.values is not None
    if pairs := assumed_equal(unit):
        lines += ["" if unit.captured or lines[-1].startswith(("MUTATED", "RESIZED")) else "\n", f"EQUAL = {pairs!r}"]
    if unit.scope.tried:
        lines += ["" if lines[-1].startswith(("CAPTURED", "MUTATED", "RESIZED", "EQUAL")) else "\n", f"TRIED = {tried(unit.scope)!r}"]
    unit.text = "\n".join(lines) + "\n"


def refuse_exchanged(unit: Unit) -> None:
    """Refuse to write a formula with a function of NumPy's that the program has exchanged for another one.

    What the program calls itself by such a name, and nothing is derived of, means the other one.
    """
    assert unit.derived is not None
    for node in [*unit.derived.body, *unit.derived.back]:
        for part in n.walk(node):
            module = unit.scope.resolve(part.value) if isinstance(part, n.Attribute) else None
            if isinstance(module, types.ModuleType) and is_exchanged(module, part.attr):
                value = getattr(module, part.attr, None)
                if rule_for(value) is not None or is_user_function(value):
                    error = refusal(unit.function, [unit.pointer(
                        node, f"{module.__name__}.{part.attr} is not what it was, and the derivative is written with it",
                        "it was exchanged for another function", "put the other one under a name of its own",
                    )])
                    error.at_run_time = True  # the eager engine knows no better
                    raise error


def with_builtins(unit: Unit) -> None:
    """Call the builtins that parameters of the user's hide by names of their own."""
    assert unit.derived is not None
    hidden = {name for name in CALLED.intersection(unit.parameters) if not known_callables(unit.environment.get(name, UNKNOWN))}
    for node in [*unit.derived.body, *unit.derived.back] if hidden else ():
        for part in n.walk(node):
            if isinstance(part, n.Call) and isinstance(part.func, n.Name) and part.func.id in hidden:
                part.func = expression(unit.scope.imported(part.func.id, getattr(builtins, part.func.id)))


def assumed_equal(unit: Unit) -> tuple[tuple[str, ...], ...]:
    """The pairs of lengths that Python, taking values apart, and NumPy, were no forward sweep left out, would insist on being equal."""
    assert unit.values is not None
    whole = unit.request.value or unit.request.mode != "reverse"
    return tuple(sorted(tuple(sorted(pair)) for pair in unit.equal.union(unit.scope.equal, () if whole else unit.values.equal)))


def tried(scope: Scope) -> dict[str, tuple[str, ...]]:
    """The lines that a ``try`` guards, and by their names the exceptions that it would catch there."""
    return {f"{label(file)}:{line}": tuple(f"{kind.__module__}:{kind.__qualname__}" for kind in kinds)
            for (file, line), kinds in sorted(scope.tried.items())}


def files_of(body: Block) -> list[str]:
    """The files that the statements come from, in order."""
    return [found for node in body for part in n.walk(node) if (found := part.__dict__.get("file"))]


def imported(name: str, value: Any, importing: bool = False) -> str | None:
    """The import statement for a free name; "" for a builtin, None for what has to be passed in.

    ``importing``: a function of the user's is imported too, if it is to be found in its module.
    """
    if getattr(builtins, name, MISSING) is value:
        return ""
    owner, own = str(getattr(value, "__module__", None) or "__main__"), str(getattr(value, "__name__", ""))
    if is_name(own) and getattr(builtins, own, MISSING) is value:
        return f"from builtins import {own} as {name}"
    if isinstance(value, types.ModuleType):
        module = value.__name__
        if not is_path_of_names(module) or sys.modules.get(module) is not value:  # importing that would give another one, or none
            return None
        return f"import {module}" if module == name else f"import {module} as {name}"
    spelled = spelling(value) if hasattr(value, "__name__") else ""
    if spelled.startswith(("np.", "math.", "scipy.")) and "." in spelled:
        package, _, attribute = spelled.rpartition(".")
        modules = {"np": "numpy"}.get(package, package.replace("np.", "numpy.")), "numpy.random"
        for module in modules:
            if getattr(sys.modules.get(module), attribute, None) is value:
                return f"from {module} import {attribute}" + ("" if attribute == name else f" as {name}")
    found = form(getattr(sys.modules.get(owner), own, None)) is value and is_path_of_names(owner) and is_name(own)
    if importing and callable(value) and found and owner != "__main__":
        return f"from {owner} import {own}" + ("" if own == name else f" as {name}")
    return None


AFTER: list[Callable[[Pass, Unit], None]] = []
"""What looks at a unit after each stage: the tests verify its form."""

PIPELINE: tuple[Pass, ...] = (
    Pass("read", _read, lambda unit: unit.source.tree.body if unit.source else []),
    Pass("normalise", _normalise, lambda unit: unit.body, core=True),
    Pass("hold", _hold, lambda unit: unit.body, core=True),
    Pass("analyse", _analyse, lambda unit: unit.body, core=True),
    Pass("derive", _derive, lambda unit: unit.derived.body if unit.derived else []),
    Pass("tidy", _tidy, lambda unit: unit.derived.body if unit.derived else []),
    Pass("write", _write, lambda unit: []),
)
"""The stages, in order. Each is a function of the unit; ``explain`` shows what each leaves."""


def source_of(function: types.FunctionType, arguments: tuple[tuple[str, Abstract], ...], islands: bool = False) -> Source:
    """The source of a function: the user's, or, of a derivative, what the compiler has written for these arguments."""
    if not hasattr(function, "sourcediff"):
        source = lifted(read(function))
        return reworded(refuse(outlined(source), alone=True) if islands else refuse(source))
    runner = function.sourcediff
    if hasattr(runner, "door"):
        return called_source(runner)
    return derived_source(compile_gradient(runner.function, runner.request(arguments)))


def behind(function: Any) -> Any:
    """The function of which another one is the derivative, of whatever order."""
    while hasattr(function, "sourcediff"):
        function = function.sourcediff.function
    return function


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


def written(of: Any, taken: Derivative | None, arguments: tuple[tuple[str, Abstract], ...]) -> Any:
    """The source of a derivative that is taken inside: of a derivative's function, or of a source that is given; both of a pullback."""
    if taken is None:
        return source_of(of, arguments)
    unit = run(asked_for(of, taken, arguments))
    return (derived_source(unit), back_source(unit)) if taken.mode == "pullback" else derived_source(unit)


def asked_for(of: Any, taken: Derivative, arguments: tuple[tuple[str, Abstract], ...]) -> Unit:
    """A derivative that is taken inside, at the beginning of the pipeline."""
    function, source = (of.function, of) if isinstance(of, Source) else (of, None)
    forward = taken.mode == "forward"
    request = Request(taken.wrt, taken.single and not forward, taken.value, arguments, mode=taken.mode, strong=forward)
    return begun(function, request, source)


def returned(of: Any, taken: Derivative, arguments: tuple[tuple[str, Abstract], ...]) -> Abstract:
    """What is known of the value of the function that a derivative is of."""
    unit = asked_for(of, taken._replace(mode="forward"), arguments)
    for stage in PIPELINE[:4]:
        stage(unit)
    assert unit.values is not None
    after = unit.values.after[unit.body[-1]] if unit.body else unit.environment
    return after.get(unit.output, UNKNOWN)


def derived_source(unit: Unit) -> Source:
    """What has been written for a function, as the source of another one."""
    assert unit.source is not None and unit.derived is not None
    tree = clone(unit.source.tree)
    tree.body = again([*unit.opening(unit.derived.body), *unit.derived.body], unit)
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
    known = numbers(unit)
    bars = frozenset(bar for name, bar in (*unit.scope.bars.items(), *unit.scope.dots.items()) if name in known)
    return unit.source._replace(tree=tree, given=given, own=unit.user_names, tapes=tapes, copies=copies, numbers=bars,
                                directories=frozenset(unit.scope.directories), quiet=frozenset(unit.quiet),
                                tried=dict(unit.scope.tried), followed=tuple(unit.scope.followed),
                                equal=frozenset(map(frozenset, assumed_equal(unit))))


def numbers(unit: Unit) -> set[str]:
    """The variables that are numbers wherever they are known."""
    assert unit.values is not None
    found: dict[str, bool] = {}
    for variable, value in everything((unit.environment, *unit.values.after.values())):
        found[variable] = value.scalar and found.get(variable, True)
    return {variable for variable, always in found.items() if always}


def back_source(unit: Unit) -> Source:
    """The reverse sweep that has been written for a pullback, as the source of a function of what is on the tape, and a cotangent."""
    assert unit.derived is not None
    body = again(unit.derived.back, unit)
    source = derived_source(unit)
    tape = [part.id for part in body.pop(0).targets[0].elts] if takes(body[0]) else []
    tree = clone(source.tree)
    tree.name, tree.body = entry_name(unit.function, "back"), body
    tree.args = headed("", [*tape, unit.scope.bar(unit.output)]).args
    following(body, tree, within=True)
    return source._replace(tree=tree)


def again(body: Sequence[n.stmt], unit: Unit) -> Block:
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


def compile_gradient(function: types.FunctionType, request: Request) -> Unit:
    """Run the whole pipeline."""
    with uncollected():
        return run(begun(function, request))


@contextmanager
def uncollected() -> Iterator[None]:
    """A pause of the cyclic garbage collector: trees are many small objects, and none of them is garbage before the end."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def begun(function: types.FunctionType, request: Request, source: Source | None = None) -> Unit:
    """A function at the beginning of the pipeline. What carries several tangents begins as what carries one."""
    if request.mode != "batched":
        return Unit(function, request, source=source, inside=source is not None)
    one = run(Unit(function, request._replace(mode="forward", strong=True), source=source, inside=source is not None))
    assert one.derived is not None
    known = {name: FLOAT if value.kind == "python" else value for name, value in one.environment.items()}
    dots = {dot: known[name] for name, dot in zip(one.active, one.tangents)}
    request = request._replace(arguments=(*request.arguments, *dots.items()))
    return Unit(function, request, source=derived_source(one), start=tuple(dots), mutated=one.derived.mutated,
                resized=one.derived.resized, inside=one.inside)


def run(unit: Unit) -> Unit:
    """Run the stages on a unit."""
    for stage in PIPELINE:
        stage(unit)
    return unit
