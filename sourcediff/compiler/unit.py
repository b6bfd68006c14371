"""What is asked for, and one function on its way to it."""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from ..analysis.abstract import Abstract, known_callables
from ..analysis.abstraction import abstract
from ..analysis.environment.captured import Surroundings
from ..analysis.lengths import Dim
from ..analysis.scope import Scope
from ..analysis.source.effects import Effective
from ..analysis.source.repeatable import is_repeated, lasts
from ..backends.python import entry_name
from ..core.derive.gradient import Derived, Program
from ..core.facts.aliases import Aliases
from ..core.facts.values import Values
from ..frontend.inline.attributes import Entries, Words, leaves_of
from ..runtime.arrays import keep_zeros
from ..runtime.user_objects import object_alike
from ..syntax import nodes as n
from ..syntax.function import name_of
from ..syntax.quote import expression, names, statement
from ..syntax.source import Source, located_in

Block = list[n.stmt]


TITLES = {
    "forward": "Value and tangent", "batched": "Value and several tangents", "pullback": "Value and pullback", "vectorised": "Many calls",
}


class Request(NamedTuple):
    """What is asked for. ``arguments`` are the abstract values of the parameters, empty for the general version.

    ``mode`` is ``"reverse"`` (a gradient), ``"pullback"`` (value and tape, and what takes the tape and a cotangent) or ``"forward"`` (value
    and tangent), ``"batched"`` (value and several tangents), ``"vectorised"`` (the values of many calls that differ in ``wrt``);
    ``strong``: the tangents that are given may hold zeros; ``guarded``: zeros that meet an infinite factor are kept (else the gradient
    that is written may be one to look at, and says so); ``islands``: calls of what the compiler does not take stay calls, which the
    eager engine answers; ``has_aux``: the function returns its value and something more, which is handed on; ``library`` is that of the
    arrays (``runtime/arrays/library.py``). ``assuming``: lengths that are equal unless one of them is 1 are taken for
    equal, and whoever runs the text asks whether they are; of example arguments their sizes, so that they are. ``settled``: lengths of
    arguments by their symbols, and parameters that are strings or tests, as the calls have them for which the text is.
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
    library: str = "numpy"
    guarded: bool = True
    assuming: bool | tuple[tuple[str, int], ...] = False
    settled: tuple[tuple[str, Any], ...] = ()

    @property
    def assumes(self) -> bool:
        """Whether lengths of arguments may be taken for equal."""
        return bool(self.assuming) and self.mode in ("reverse", "forward", "pullback")

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


def unstarted(unit: Unit, last: str) -> Unit:
    """No pipeline has been given."""
    raise NotImplementedError


def unknown_length(name: str) -> int | None:
    """Nothing is known yet."""
    return None


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
    same: dict[str, Dim] = field(default_factory=dict)  # by symbols of lengths of arguments the lengths that they are taken for
    environment: dict[str, Abstract] = field(default_factory=dict)
    derived: Derived | None = None
    captured: list[str] = field(default_factory=list)
    user_names: frozenset[str] = frozenset()
    count: str = ""
    mutated: tuple[str, ...] = ()
    resized: tuple[str, ...] = ()
    text: str = ""
    inside: bool = False  # it becomes a part of another program, which knows what is around it
    at_home: set[str] = field(default_factory=set)  # the names of functions that compute in the computer's memory what is sent
    importing: bool = False  # the user's functions are imported, not passed in: for a module that stands alone
    run: Callable[[Unit, str], Unit] = unstarted  # the pipeline up to a pass, for derivatives inside
    inner: list[Source] = field(default_factory=list)  # what was written for the derivatives inside
    result: n.expr | None = None  # what the function returns, as it is lowered
    found: Values | None = None  # the abstract values, before views are rewritten
    entries: Callable[[str], int | None] = unknown_length  # how many entries the array has that a name stands for
    linked: dict[Any, Abstract] = field(default_factory=dict)  # what calls give that are not written out, as far as it is known
    interpreted: tuple[Any, ...] = ()  # the functions that the interpreter has looked into
    settled: tuple[tuple[str, Any], ...] = ()  # what it has taken for settled of the arguments
    depth: int = 0  # how many functions call this one of which that is being found out
    callers: tuple[types.FunctionType, ...] = ()  # those, and all that they may call

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
        return self.found if self.aliases is None else self.aliases.values

    def arranged(self, gradients: list[n.expr]) -> n.expr:
        """What is returned for the gradients of the active names: each alone, or as an object."""
        given = dict(zip(self.active, gradients))
        parts = [self.gradient_of(asked, given) for asked in self.asked]
        return parts[0] if self.request.single and not self.request.pullback else n.Tuple(elts=parts, ctx=n.Load())

    def gradient_of(self, asked: Any, given: dict[str, n.expr]) -> n.expr:
        """The gradient of a name, or an object of gradients."""
        if asked is None or isinstance(asked, str):
            return n.Constant(value=None, kind=None) if asked is None else given[asked]
        owner, attributes = asked
        path = self.opened[owner][0] if owner in self.opened else owner
        if isinstance(attributes, Entries):
            parts = [self.gradient_of(part, given) for part in attributes.values()]
            whole = n.List(elts=parts, ctx=n.Load())
            if any(not isinstance(key, int) for key in attributes):
                whole = n.Dict(keys=[n.Constant(value=key, kind=None) for key in attributes], values=parts)
            return whole if isinstance(attributes, Words) else expression(f"type({path})($parts)", parts=whole)
        keywords = [n.keyword(arg=name, value=self.gradient_of(part, given)) for name, part in attributes.items()]
        made = self.scope.imported("alike", object_alike)
        return n.Call(func=expression(made), args=[expression(path)], keywords=keywords)

    def opening(self, body: Block) -> Block:
        """The statements that give local names to what a body reads of objects from outside."""
        read = names(body) if self.opened else set()
        return [statement(f"$x = {path}", x=local) for local, (path, _) in self.opened.items() if local in read]

    @property
    def program(self) -> Program:
        """What is derived, with what is known of it."""
        assert self.aliases is not None
        return Program(
            self.body, [*self.parameters, *self.opened], self.output, self.aliases, self.environment, self.pointer, self.aux,
            lambda: not self.request.guarded and self.runs_again, bool(self.request.assuming))

    @cached_property
    def runs_again(self) -> bool:
        """Whether it can be run once more on the same arguments, as they were, and does the same."""
        assert self.aliases is not None and self.source is not None
        known = Effective(self.function, self.source.tree)
        outside = [abstract(free.value, name) for name, free in self.scope.free.items() if not isinstance(free.value, types.ModuleType)]
        given = {name for name, value in self.environment.items() if value.kind in ("array", "sequence", "mapping")}
        return (
            self.aliases.changed_outside(growth=True) <= given - self.opened.keys()
            and all(map(lasts, (*self.environment.values(), *outside)))
            and all(is_repeated(part, known, self.scope) for node in self.body for part in n.walk(node) if isinstance(part, n.Call))
        )

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
        return located_in(node, getattr(node, "file", self.source.file), problem, why, remedy)
