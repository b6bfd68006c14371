"""Which names' contents a function may change in place. What is not known to only read counts as changing."""

from __future__ import annotations

import inspect
import random
import types
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import _lru_cache_wrapper, lru_cache, partial
from typing import Any

import numpy as np

from ...errors import SourceUnavailableError
from ...rules import rule_for
from ...rules.facts import having
from ...runtime.user_objects import is_named
from ...syntax import nodes as n
from ...syntax.container_methods import mutating
from ...syntax.source import Source, read
from ..applications import METADATA, METHODS
from ..environment.captured import current, is_user_function
from ..fresh import may_not_copy
from ..scope import MISSING, bound_names
from ..statements import base, mutates, target_names
from .out_arguments import among
from .sharing import VIEWS

SHUFFLING = frozenset({"shuffle", "readinto"})
"""Methods that change what they are given."""

GENERATORS = (np.random.RandomState, np.random.Generator, random.Random)
"""Classes of generators of random numbers."""

COPYING = (len, range, int, float, abs, bool, str, isinstance, type, repr, id, print, round, any, all)
"""Builtins whose result shares no memory with their arguments."""

ENTERED = ("numpy", "scipy", "pandas", "math", "cmath", "builtins", "collections", "contextlib", "functools", "itertools", "copy",
           "statistics", "json", "re", "time", "io", "bisect", "datetime", "calendar", "string", "zlib", "fractions", "enum")
"""Packages whose functions only read their arguments, where they are not told to write, and not given functions."""


DISPLAYS = (n.List, n.Tuple, n.Dict, n.Set)
"""What makes a container, which changes without what it holds."""

FIXED = (types.ModuleType, type, int, float, complex, str, bytes, type(None), np.ufunc, np.generic, np.dtype)
"""What cannot be changed in place."""


def reached(node: n.AST, source: Source) -> Any:
    """What ``module.part.name`` stands for in a function, or MISSING: for local names, and what objects and arrays hold."""
    if isinstance(node, n.Attribute):
        owner = reached(node.value, source)
        known = isinstance(owner, (types.ModuleType, type, np.ufunc))
        return getattr(owner, node.attr, MISSING) if known else MISSING
    return current(source.function, node.id) if isinstance(node, n.Name) and node.id not in bound_names(source.tree) else MISSING


class Asked:
    """What one question has found of functions that are called: each is looked at once, however many calls lead to it.

    ``changed``: the parameters that a function may change. ``cut``: the callers at which a recursion was not followed, of what is being
    looked at; what was found then holds for these callers alone.
    """

    def __init__(self) -> None:
        self.changed: dict[Any, set[str]] = {}
        self.cut: set[Any] = set()

    def of(self, function: Any, source: Source, callers: tuple[Any, ...]) -> set[str]:
        """The names in a function of which it may change what they stand for."""
        if function not in self.changed:
            outer, self.cut = self.cut, set()
            changed = touched(source, n.walk(source.tree), callers, self) - copied_first(source)
            cut, self.cut = self.cut - {function}, outer | self.cut - {function}
            if cut:
                return changed
            self.changed[function] = changed
        return self.changed[function]


def touched(source: Source, parts: Sequence[n.AST], callers: tuple[Any, ...] = (), asked: Asked | None = None) -> set[str]:
    """The names of which some nodes of a function may change what they stand for, in place; ``callers`` are known to change no more."""
    asked = asked or Asked()
    found = mutates([part for part in parts if isinstance(part, n.stmt)])
    within: set[str] = set()  # of which what they hold may change, too
    for part in parts:
        stored = isinstance(part, (n.Attribute, n.Subscript)) and not isinstance(part.ctx, n.Load)
        if stored or isinstance(part, n.Attribute) and part.attr in mutating():
            found |= {base(part) or ""} if isinstance(part, n.Attribute) else set()
            within |= set() if isinstance(part.value, n.Name) else shared(part.value, source)  # type: ignore[attr-defined]
        if isinstance(part, n.keyword) and part.arg == "out":
            within |= shared(part.value, source)
        if isinstance(part, n.Call):
            within |= set().union(*(shared(given, source) for given in _mutated_by(part, source, callers, asked)))
    found |= within
    while True:
        bindings = [(target_names(target), value) for part in parts for target, value in _bindings(part)]
        behind = {name for targets, value in bindings if targets & (within if isinstance(value, DISPLAYS) else found)
                  for name in shared(value, source)}
        if behind <= within:
            return found
        found |= behind
        within |= behind


def copied_first(source: Source) -> set[str]:
    """The parameters that a function copies before it does anything else: what it changes then are its own copies."""
    copied: set[str] = set()
    for statement in source.tree.body:
        match statement:
            case n.Expr(value=n.Constant()):  # its docstring
                continue
            case n.Assign(targets=[n.Name(id=name)], value=n.Call() as value) if not shared(value, source):
                if touched(source, n.walk(statement)):
                    break
                copied.add(name)
            case _:
                break
    return copied


def shared(node: n.AST, source: Source) -> set[str]:
    """The names with which the value of an expression may share memory."""
    if isinstance(node, (n.Name, n.Attribute)) and isinstance(reached(node, source), FIXED):
        return set()
    if isinstance(node, n.Name):
        return {node.id}
    if isinstance(node, (n.BinOp, n.UnaryOp, n.Compare, n.JoinedStr)) or isinstance(node, n.Attribute) and node.attr in METADATA:
        return set()
    if isinstance(node, n.Subscript):
        return shared(node.value, source)
    parts: list[n.AST] = list(n.iter_child_nodes(node))
    if isinstance(node, n.Call):
        function = reached(node.func, source)
        if function is MISSING and isinstance(node.func, n.Attribute):
            function = METHODS.get(node.func.attr, MISSING)
        known = function is not MISSING and (rule_for(function) is not None or any(function is one for one in COPYING))
        if known and not any(function is view for view in VIEWS) and not may_not_copy(node):
            return set()
        parts = [part for part in parts if part is not node.func or function is MISSING]
        if isinstance(node.func, n.Attribute):
            parts.append(node.func.value)
    return set().union(*(shared(part, source) for part in parts)) if parts else set()


def _bindings(node: n.AST) -> Iterator[tuple[n.AST, n.AST]]:
    """What a node binds, or puts something into, and to (a part of) what."""
    if isinstance(node, n.Assign):
        yield from ((target, node.value) for target in node.targets)
        holders = [target.value for target in node.targets if isinstance(target, n.Subscript) and isinstance(target.value, n.Name)]
        yield from ((holder, n.List(elts=[node.value], ctx=n.Load())) for holder in holders if not isinstance(node.value, DISPLAYS))
    elif isinstance(node, n.Call) and isinstance(node.func, n.Attribute) and node.func.attr in mutating():
        if isinstance(node.func.value, n.Name):
            given = [part for part in node.args if not isinstance(part, DISPLAYS)]
            yield node.func.value, n.List(elts=given, ctx=n.Load())
    elif isinstance(node, n.NamedExpr):
        yield node.target, node.value
    elif isinstance(node, (n.For, n.comprehension)):
        yield node.target, node.iter
    elif getattr(node, "optional_vars", None) is not None:
        yield node.optional_vars, node.context_expr  # type: ignore[attr-defined]


def _mutated_by(call: n.Call, source: Source, callers: tuple[Any, ...], asked: Asked) -> list[n.AST]:
    """The arguments of a call that it may change."""
    function = reached(call.func, source)
    if isinstance(function, _lru_cache_wrapper):
        function = function.__wrapped__
    if function is not MISSING and (function is source.function or function in callers):
        asked.cut.add(function)
        return []
    return written_into(call, partial(reached, source=source), (*callers, source.function), asked)


def written_into(call: n.Call, resolve: Callable[[n.AST], Any], callers: tuple[Any, ...] = (), asked: Asked | None = None) -> list[n.AST]:
    """The arguments of a call that it may change; ``resolve`` gives what an expression stands for, or MISSING."""
    given: list[n.AST] = [*call.args, *(keyword.value for keyword in call.keywords)]
    function = resolve(call.func)
    if isinstance(function, _lru_cache_wrapper):
        function = function.__wrapped__
    if isinstance(call.func, n.Attribute) and function is MISSING:
        special = call.func.attr.startswith("__")
        return [call.func.value, *given] if special else given if call.func.attr in SHUFFLING else []
    if is_user_function(function):
        return _written_by_own(call, function, callers, given, asked or Asked())
    if isinstance(function, np.ufunc):
        return list(call.args[function.nin:])
    if isinstance(function, type) and is_named(function):
        return []
    if among(function, having("writes", "exchanges")) or isinstance(function, types.MethodDescriptorType):
        return list(call.args[:1]) or given
    if isinstance(getattr(function, "__self__", None), np.ufunc):
        return given if function.__name__ == "at" else []
    if any(_may_write(part, resolve, callers, asked or Asked()) for part in given):
        return given
    if isinstance(getattr(function, "__self__", None), GENERATORS):
        return given if function.__name__ in SHUFFLING else []
    module = (getattr(function, "__module__", None) or "").split(".")[0].lstrip("_")  # io.StringIO is of _io
    if module not in ENTERED and (function is MISSING or rule_for(function) is None):
        return given
    place = (_place_of_out if isinstance(function, Hashable) else _place_of_out.__wrapped__)(function)
    return [] if place is None else list(call.args[place:])


def _may_write(part: n.AST, resolve: Callable[[n.AST], Any], callers: tuple[Any, ...], asked: Asked) -> bool:
    """Whether an argument is a function, which the call may run, that may change what it is given."""
    if isinstance(part, n.Lambda):
        calls = [inner for inner in n.walk(part.body) if isinstance(inner, n.Call)]
        return any(getattr(call.func, "attr", "") in mutating() or written_into(call, resolve, callers, asked) for call in calls)
    function = resolve(part)
    if not is_user_function(function):
        return False
    try:
        source = read(function)
    except SourceUnavailableError:
        return True
    return function in callers or bool(asked.of(function, source, callers) & set(inspect.signature(function).parameters))


@lru_cache(1024)
def _place_of_out(function: Any) -> int | None:
    """Where among its arguments a function takes an array to write into; None if it takes none."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return 2 if function is np.dot or function is np.concatenate else None
    positional = "out" in parameters and parameters["out"].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    return list(parameters).index("out") if positional else None


def _written_by_own(call: n.Call, function: Any, callers: tuple[Any, ...], given: list[n.AST], asked: Asked) -> list[n.AST]:
    """The same of the user's own function, by its source."""
    try:
        source = read(function)
    except SourceUnavailableError:
        return given
    if any(isinstance(part, n.Starred) for part in call.args) or any(keyword.arg is None for keyword in call.keywords):
        return given
    changed = asked.of(function, source, callers)
    positions = list(inspect.signature(function).parameters)
    named = [*zip(positions, call.args), *((keyword.arg, keyword.value) for keyword in call.keywords)]
    more = list(call.args[len(positions):])
    return [value for name, value in named if name in changed] + more


