"""Flow-insensitive sharing: which names' memory the value of an expression may share."""

from __future__ import annotations

import builtins
from collections.abc import Container, Iterable
from typing import Any

from ...rules.facts import FACTS, having
from ...runtime import arrays, structures
from ...runtime import linked_calls as calls
from ...syntax import nodes as n
from ..applications import METADATA, METHODS
from ..fresh import is_product, may_not_copy
from ..scope import MISSING, Scope
from ..statements import base, entry_put_in, grown, simple, target_names
from .callees import callee, entry_of_call
from .out_arguments import among

VIEWS: frozenset[Any] = having("view", "may share") | {
    *calls.RUNNING, calls.result,
    arrays.as_seed, arrays.axis_last, arrays.cast, arrays.expanded, arrays.fitted, arrays.inexact, arrays.split_like,
    arrays.square, arrays.stored, arrays.sum_to, structures.matched, structures.real_part, structures.spread,
}
"""Functions whose result may share memory with their argument."""

REDUCTIONS = frozenset("sum prod mean std var max min ptp cumsum cumprod argmax argmin argsort dot".split())
"""Methods, of arrays and of tables alike, of which the result is new."""


def connected(
    body: list[n.stmt], names: set[str], scope: Scope, held: Iterable[set[str]] = (), apart: Container[n.stmt] = (),
) -> set[str]:
    """The names, and all that may share memory with one of them, whatever the order; ``held``: more names that may share memory; ``apart``:
    statements that make none share any."""
    found = set(names)
    links = [*held, *linked(body, scope, apart)]
    while True:
        before = len(found)
        for link in links:
            if link & found:
                found |= link
        if len(found) == before:
            return found


def linked(body: list[n.stmt], scope: Scope, apart: Container[n.stmt] = ()) -> list[set[str]]:
    """Names that may share memory by one statement, for each that makes some do so, but for those that are ``apart``."""
    links: list[set[str]] = []
    for node in simple(body):
        if node in apart:
            continue
        if isinstance(node, n.Assign):
            links.append({name for target in node.targets for name in target_names(target)} | holders(node.value, scope))
        elif isinstance(node, n.For):
            links.append(target_names(node.target) | holders(node.iter, scope))
    return links


def groups(body: list[n.stmt], scope: Scope) -> dict[str, set[str]]:
    """For each name all that may share memory with it, whatever the order of statements."""
    return grouped(linked(body, scope))


def grouped(links: Iterable[set[str]]) -> dict[str, set[str]]:
    """For each name all that it is linked to, directly or through others: one set for all of a group.

    >>> {name: sorted(group) for name, group in grouped([{"a", "b"}, {"c"}, {"b", "d"}]).items() if name in "ac"}
    {'a': ['a', 'b', 'd'], 'c': ['c']}
    """
    found: dict[str, set[str]] = {}
    for link in links:
        known = {id(group): group for name in link if (group := found.get(name)) is not None}
        group = max(known.values(), key=len, default=set())  # the others become part of it
        new = link.union(*(other for other in known.values() if other is not group)) - group
        group |= new
        for name in new:
            found[name] = group
    return found


def iterators(body: list[n.stmt], scope: Scope) -> set[str]:
    """The names that may stand for what can be gone over once: whoever takes from it changes it."""
    found: set[str] = set()
    bound: list[tuple[n.expr, set[str]]] = []
    for node in simple(body):
        if isinstance(node, n.Assign):
            bound.append((node.value, {name for target in node.targets for name in (target_names(target) or {base(target) or ""})}))
        elif (name := grown(node)) is not None:
            bound.append((entry_put_in(node), {name}))
        elif isinstance(node, n.For) and isinstance(node.iter, (n.Name, n.Subscript, n.List, n.Tuple)):
            bound.append((node.iter, target_names(node.target)))

    def gives(node: n.AST) -> bool:
        if isinstance(node, (n.Tuple, n.List, n.Dict, n.IfExp)):
            return any(map(gives, n.below(node)))
        if isinstance(node, (n.Subscript, n.Attribute, n.Starred)):
            return gives(node.value)
        if isinstance(node, (n.ListComp, n.DictComp)):
            return gives(node.elt if isinstance(node, n.ListComp) else node.value)
        function = scope.resolve(node.func) if isinstance(node, n.Call) else None
        made = among(function, FACTS["lazy"]) or getattr(function, "__module__", "") == "itertools"
        return made or isinstance(node, n.GeneratorExp) or isinstance(node, n.Name) and node.id in found

    while more := [names for value, names in bound if not names <= found and gives(value)]:
        found.update(*more)
    return found


def holders(node: n.expr, scope: Scope) -> set[str]:
    """The names that the value of an expression may be a part of."""
    if isinstance(node, n.Name):
        return {node.id}
    if isinstance(node, n.Attribute) and (node.attr in METADATA or isinstance(scope.resolve(node), (int, float, complex))):
        return set()  # a number, as np.pi, has no memory to share
    if (entry := entry_of_call(node)) is not None and (shared := holders_of_call(*entry, scope)) is not None:
        return shared
    if isinstance(node, (n.Subscript, n.Attribute)):
        return holders(node.value, scope)
    if isinstance(node, (n.Tuple, n.List)):
        return set().union(*(holders(part, scope) for part in node.elts)) if node.elts else set()
    if isinstance(node, n.Dict):
        return set().union(*(holders(part, scope) for part in node.values)) if node.values else set()
    if isinstance(node, n.IfExp):
        return holders(node.body, scope) | holders(node.orelse, scope)
    if isinstance(node, n.Call):
        function = scope.resolve(node.func)
        if function in (builtins.len, builtins.range, builtins.int, builtins.float, builtins.abs, calls.pulled):  # gradients are new
            return set()
        if isinstance(node.func, n.Attribute) and isinstance(node.func.value, n.Constant):  # of a string, as "".join(…)
            return set()
        if isinstance(node.func, n.Attribute) and node.func.attr == "fromkeys":  # keys have no memory to share
            return set().union(*(holders(part, scope) for part in node.args[1:]))
        if function is not MISSING and scope.rule(node.func) is not None and function not in VIEWS and not may_not_copy(node):
            return set()
        if (shared := holders_of_call(node, None, scope)) is not None:
            return shared
        if is_product(node) or isinstance(node.func, n.Attribute) and node.func.attr in REDUCTIONS and not may_not_copy(node):
            return set()
        parts = [*node.args, *(keyword.value for keyword in node.keywords)]
        if isinstance(node.func, n.Attribute):
            parts.append(node.func.value)
        if function is MISSING and isinstance(node.func, n.Attribute) and METHODS.get(node.func.attr) in FACTS["of one array"]:
            parts = [node.func.value]
        elif among(function, FACTS["of one array"]) and node.args:
            parts = node.args[:1]
        return {name for part in parts for name in holders(part, scope) if not scope.is_fixed(name)}
    return set()


def holders_of_call(call: n.Call, position: int | None, scope: Scope) -> set[str] | None:
    """The names that the result of a user's function, or what is at a position of it, may be a part of; None where that is not known."""
    known = callee(call, scope, holders)
    shared = known.shared(call, position) if known is not None else None
    return None if shared is None else {name for part in shared for name in holders(part, scope) if not scope.is_fixed(name)}
