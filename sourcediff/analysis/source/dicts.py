"""Names that stand for dicts, whatever the order of statements."""

from __future__ import annotations

import builtins
import collections
import copy
from typing import Any

from ...runtime import structures
from ...syntax import nodes as n
from ..bindings import bindings, is_method
from ..scope import Scope

MAKING: tuple[Any, ...] = (builtins.dict, dict.fromkeys, collections.defaultdict, collections.OrderedDict, collections.Counter)
"""What makes dicts."""

COPYING = (structures.copied, copy.copy, copy.deepcopy)

GOING_OVER = (builtins.list, builtins.tuple, builtins.sorted, builtins.reversed, builtins.set, builtins.frozenset, builtins.enumerate,
              builtins.iter, builtins.zip, builtins.max, builtins.min, builtins.sum, builtins.map, builtins.filter)
"""Functions that ask their arguments for items."""


def mappings(body: list[n.stmt], given: set[str], scope: Scope) -> set[str]:
    """The names that are bound to dicts, and to nothing else; not those that are ``given``.

    >>> from sourcediff.syntax.quote import statements
    >>> sorted(mappings(statements("d = {0: x}; e = d.copy(); y = x; y = d; z = e[0]"), set(), Scope()))
    ['d', 'e']
    """
    bound: dict[str, list[n.expr | None]] = {}
    for node in (part for statement in body for part in n.walk(statement)):
        assigned = isinstance(node, (n.Assign, n.NamedExpr))
        for target, value in bindings(node, scope):
            if isinstance(target, n.Name):
                bound.setdefault(target.id, []).append(value if assigned else None)
    found = {name for name in bound if name not in given}
    while gone := {name for name in found if not all(value is not None and gives(value, found, scope) for value in bound[name])}:
        found -= gone
    return found


def gives(node: n.expr, names: set[str], scope: Scope) -> bool:
    """Whether an expression gives a dict."""
    if isinstance(node, n.Name):
        return node.id in names
    if isinstance(node, n.Call):
        function = scope.resolve(node.func)
        if is_method(node, "copy"):
            return gives(node.func.value, names, scope)
        if any(function is other for other in COPYING):
            return len(node.args) == 1 and gives(node.args[0], names, scope)
        return any(function == made for made in MAKING)
    if isinstance(node, n.IfExp):
        return gives(node.body, names, scope) and gives(node.orelse, names, scope)
    return isinstance(node, (n.Dict, n.DictComp))


def gives_keys(node: n.expr, scope: Scope) -> bool:
    """Whether the items of an expression are the keys of a dict."""
    return is_method(node, "keys") or gives(node, scope.mappings, scope)
