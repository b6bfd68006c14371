"""Which arguments a call of a user's function may change, directly, through another name, or by what it calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import SourceUnavailableError
from ...syntax import nodes as n
from ...syntax.source import Source, read
from ..applications import is_user_function
from ..bindings import bindings
from ..environment.captured import current
from ..scope import MISSING, Scope
from ..statements import base, mutates, target_names
from .sharing import holders

Inner = Mapping[str, tuple[n.FunctionDef, set[str]]]
"""Functions that are defined inside, by name, each with the names whose contents it may change."""


def changed_in(trees: Mapping[str, n.FunctionDef], scope: Scope) -> Inner:
    """What inner functions may change, by themselves and by calling one another, to a fixpoint."""
    calls = {name: [part for statement in tree.body for part in n.walk(statement) if isinstance(part, n.Call)]
             for name, tree in trees.items()}
    found: Inner = {name: (tree, mutates(tree.body)) for name, tree in trees.items()}
    while True:
        new = {name: (tree, names_behind(tree.body, changed.union(*(stored_into(call, scope, found) for call in calls[name])), scope))
               for name, (tree, changed) in found.items()}
        if new == found:
            return found
        found = new


def stored_into(call: n.Call, scope: Scope, inner: Inner) -> set[str]:
    """The arguments of a call of a user's function, or of an ``inner`` one, that it may write into."""
    if isinstance(call.func, n.Name) and call.func.id in inner:
        return _given_for(call, *inner[call.func.id], scope)
    function = scope.resolve(call.func)
    return Asked().written_by(call, function, (), scope) if is_user_function(function) else set()


def _given_for(call: n.Call, tree: n.FunctionDef, changed: set[str], scope: Scope | None = None) -> set[str]:
    """The names of the arguments of a call that stand for parameters which are changed; with a ``scope`` those within a view, too."""
    positions = [parameter.id for parameter in (*tree.args.posonlyargs, *tree.args.args)]
    given = [*zip(positions, call.args), *((keyword.arg, keyword.value) for keyword in call.keywords)]
    found: set[str] = set()
    for argument in (argument for parameter, argument in given if parameter in changed):
        name = base(argument)
        found |= {name} if name is not None else holders(argument, scope) if scope is not None else set()
    return found


class Asked:
    """What one question has found of functions that are called: each is looked at once, however many calls lead to it.

    ``changed``: the names of a function whose contents may be changed in it: by itself, through another name, or by what it calls.
    ``cut``: the callers at which a recursion was not followed, of what is being looked at; what was found then holds for these alone.
    """

    def __init__(self) -> None:
        self.changed: dict[Any, set[str]] = {}
        self.cut: set[Any] = set()

    def written_by(self, call: Any, function: Any, callers: tuple[Any, ...], scope: Scope | None = None) -> set[str]:
        """The names among the arguments of a call whose contents the function may change."""
        try:
            source = read(function)
        except SourceUnavailableError:  # such a call is refused, or linked, and watched
            return set()
        if function not in self.changed:
            outer, self.cut = self.cut, set()
            changed = self.mutated_by_call(source, callers)
            cut, self.cut = self.cut - {function}, outer | self.cut - {function}
            if cut:
                return _given_for(call, source.tree, changed, scope)
            self.changed[function] = changed
        return _given_for(call, source.tree, self.changed[function], scope)

    def mutated_by_call(self, source: Source, callers: tuple[Any, ...]) -> set[str]:
        """The names of a function whose contents may be changed in it. What one of ``callers`` changes when it is called again, it changes
        itself.
        """
        body = source.tree.body
        found = mutates(body)
        for node in (part for statement in body for part in n.walk(statement)):
            function = current(source.function, node.func.id) if isinstance(node, n.Call) and isinstance(node.func, n.Name) else MISSING
            if is_user_function(function) and (function is source.function or function in callers):
                self.cut.add(function)
            elif is_user_function(function):
                found |= self.written_by(node, function, (*callers, source.function))
        return names_behind(body, found, Scope())


def names_behind(body: list[n.stmt], changed: set[str], scope: Scope) -> set[str]:
    """Some names, and those that share their memory."""
    parts = [part for statement in body for part in n.walk(statement) if isinstance(part, (n.Assign, n.For))]
    while True:
        found = {name for part in parts for target, value in bindings(part, scope) if target_names(target) & changed
                 for name in holders(value, scope)}
        if found <= changed:
            return changed
        changed = changed | found
