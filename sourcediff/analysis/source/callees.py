"""Callees: what the source of a user's function says of its result: what is returned, part by part, and which arguments that may share
memory with."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from ...errors import SourceUnavailableError
from ...syntax import nodes as n
from ...syntax.source import Source, read
from ..bindings import bindings
from ..environment.captured import is_user_function
from ..literals import constant
from ..scope import MISSING, Scope, bound_names
from ..statements import base, loads

UNFOLLOWED = {"FunctionDef", "AsyncFunctionDef", "ClassDef", "Lambda", "Yield", "YieldFrom", "Await", "Global", "Nonlocal"}
"""What makes a function one of which nothing is said here."""

WHOLE = (n.BoolOp, n.NamedExpr, *n.COMPREHENSIONS)
"""Expressions of which any part may be in the value."""


Holders = Callable[[n.expr, Scope], set[str]]
"""The names whose memory the value of an expression may share (:func:`~sourcediff.analysis.source.sharing.holders`)."""


def callee(call: n.Call, scope: Scope, holders: Holders) -> Callee | None:
    """What is known of the function that is called; None of all but plain functions of the user's, and of those that call themselves."""
    function = scope.resolve(call.func)
    if not is_user_function(function):
        return None
    if function not in scope.callees:
        scope.callees[function] = None
        scope.callees[function] = followed(function, scope, holders)
    found: Callee | None = scope.callees[function]
    return found


def followed(function: Any, scope: Scope, holders: Holders) -> Callee | None:
    """What is known of a function, if its source can be read."""
    try:
        source = read(function)
        unfollowed = any(type(part).__name__ in UNFOLLOWED for node in source.tree.body for part in n.walk(node))
        return None if unfollowed else Callee(source, scope, holders)
    except (SourceUnavailableError, ImportError):
        return None


def entry_of_call(node: n.expr) -> tuple[n.Call, int] | None:
    """The call and the position in ``f(x)[0]``, of which the parts may be known; None for other expressions."""
    position = constant(node.slice) if isinstance(node, n.Subscript) and isinstance(node.value, n.Call) else None
    return (node.value, position) if type(position) is int else None  # type: ignore[attr-defined]


class Callee:
    """One function: its body, the names in it, and what it returns."""

    def __init__(self, source: Source, caller: Scope, holders: Holders):
        self.holders_of = holders
        self.body = source.tree.body
        self.scope = Scope()
        self.scope.callees = caller.callees
        self.scope.adopt(source.tree, source.function, keep=True, given=source.given)
        self.scope.taken |= bound_names(source.tree)
        given = source.tree.args
        self.parameters = [parameter.id for parameter in (*given.posonlyargs, *given.args)]
        self.named = {parameter.id for parameter in (*given.args, *given.kwonlyargs)}
        self.stars = given.vararg is not None or given.kwarg is not None
        self.returned = [part.value for node in self.body for part in n.walk(node) if isinstance(part, n.Return) and part.value is not None]
        self.found: dict[int | None, set[str] | None] = {}
        self.carrying: dict[frozenset[str], set[str]] = {}  # which names carry, for parameters that do

    def arguments(self, call: n.Call) -> dict[str, n.expr] | None:
        """What is given for each parameter; None where stars hide it."""
        if self.stars or any(isinstance(part, n.Starred) for part in call.args) or len(call.args) > len(self.parameters):
            return None
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        return {**dict(zip(self.parameters, call.args)), **given} if given.keys() <= self.named else None

    def parts(self, position: int | None) -> list[n.expr]:
        """What may be returned, or what of it may be at a position, if each return shows as many parts."""
        shown = [value.elts for value in self.returned if isinstance(value, (n.Tuple, n.List))]
        lengths = {len(parts) for parts in shown}
        starred = any(isinstance(part, n.Starred) for parts in shown for part in parts)
        if position is None or len(shown) < len(self.returned) or len(lengths) != 1 or starred or not position < min(lengths):
            return self.returned
        return [parts[position] for parts in shown]

    @cached_property
    def links(self) -> list[tuple[set[str], set[str]]]:
        """Names, and those that they may be, or come to hold, a part of."""
        found = []
        for part in (part for node in self.body for part in n.walk(node)):
            for target, value in bindings(part, self.scope):
                found.append((stored_names(target), self.holders(value)))
            if getattr(part, "optional_vars", None) is not None:  # of a with
                found.append((stored_names(part.optional_vars), loads(part.context_expr)))
            if isinstance(part, n.Call) and (self.scope.resolve(part.func) is MISSING or is_user_function(self.scope.resolve(part.func))):
                held = set().union(*(loads(inner) for inner in n.below(part)))
                found.append((held - self.scope.free.keys(), held))  # what a call changes may keep what it is given
        return found

    def holders(self, value: n.expr) -> set[str]:
        """The names that a value may be a part of."""
        return loads(value) if any(isinstance(part, WHOLE) for part in n.walk(value)) else self.holders_of(value, self.scope)

    def shared(self, call: n.Call, position: int | None) -> list[n.expr] | None:
        """The arguments of a call that its result, or the part at a position, may be a part of; None where that is not known."""
        given = self.arguments(call)
        if given is None or (found := self.sources(position)) is None:
            return None
        return [argument for parameter, argument in given.items() if parameter in found]

    def sources(self, position: int | None) -> set[str] | None:
        """The names that the result, or the part at a position, may be a part of; None while that is being found out."""
        if position not in self.found:
            self.found[position] = None
            found: set[str] = set().union(*map(self.holders, self.parts(position)))
            while more := {name for names, held in self.links if names & found for name in held} - found:
                found |= more
            self.found[position] = found
        return self.found[position]


def stored_names(target: n.expr) -> set[str]:
    """The names that a target binds, or into which it stores."""
    if isinstance(target, (n.Tuple, n.List)):
        return set().union(*map(stored_names, target.elts))
    inner = target.value if isinstance(target, n.Starred) else target
    return {base(inner) or ""}
