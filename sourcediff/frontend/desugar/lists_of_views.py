"""Replace a list of slices of arrays by the slices, if it is only iterated or indexed."""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from ...analysis.literals import constant
from ...analysis.scope import Scope
from ...rules import rule_for
from ...syntax import nodes as n
from ...syntax.quote import clone, names, remade

Block = list[n.stmt]


def show(
    body: Block, scope: Scope, is_array: Callable[[n.expr], bool], wide: set[str], rebound: Callable[[Block], set[str]],
) -> Block:
    """The body with each such list in its places; ``is_array`` says so of a name that is not bound in it.

    ``wide`` are names that other bodies use too, ``rebound`` says which names a block binds anew by what it calls.

    >>> import numpy as np
    >>> from sourcediff.api.explain import text_after
    >>> def scaled(x, s):
    ...     u = np.copy(x)
    ...     halves = [u[:2], u[2:]]
    ...     for v in halves:
    ...         v *= s
    ...     return np.sum(u) * halves[0][1]
    >>> print(text_after("unbound_names", scaled))
    u = np.copy(x)
    v = u[:2]
    v *= s
    v = u[2:]
    v *= s
    t = np.sum(u)
    t1 = u[:2]
    t2 = t1[1]
    value = t * t2

    A view is the same whenever it is taken, as long as its array and its bounds have the same names.
    """
    stored = [part for node in body for part in n.walk(node) if isinstance(part, n.Name) and not isinstance(part.ctx, n.Load)]
    counts = Counter(part.id for part in stored)
    made: dict[str, n.expr] = {}  # what the names are bound to that are bound once, and not in a loop or a branch
    shown: dict[str, Any] = {}
    for node in body:
        if isinstance(node, n.Assign) and isinstance(node.targets[0], n.Name) and counts[node.targets[0].id] == 1:
            target = node.targets[0].id
            if isinstance(node.value, (n.List, n.Tuple)) and node.value.elts and all(
                isinstance(part, n.Subscript) and isinstance(part.value, n.Name) and sliced_list(part.slice)
                and all(counts[name] == 0 or name in made for name in names(part))
                and (certainly_array(made[part.value.id], scope) if part.value.id in made else is_array(part.value))
                for part in node.value.elts
            ):
                shown[target] = node.value
            made[target] = node.value
    shown = {name: value for name, value in shown.items() if name not in wide and only_asked(name, len(value.elts), body, scope)}
    anew = rebound(body) if shown else set()
    shown = {name: value for name, value in shown.items() if names(value).isdisjoint(anew)}
    if not shown:
        return body
    kept = [node for node in body if not (isinstance(node, n.Assign) and getattr(node.targets[0], "id", "") in shown)]

    def placed(node: Any) -> Any:
        if isinstance(node, n.Subscript) and isinstance(node.value, n.Name) and node.value.id in shown:
            return clone(shown[node.value.id].elts[constant(node.slice)])
        return clone(shown[node.id]) if isinstance(node, n.Name) and node.id in shown else remade(node, placed)

    return list(map(placed, kept))


def sliced_list(index: n.expr) -> bool:
    """Whether an index is of slices and numbers, with a slice among them, so that what it gives is a view."""
    parts = index.elts if isinstance(index, n.Tuple) else [index]
    plain = all(isinstance(part, (n.Slice, n.Constant)) for part in parts) and not any(isinstance(part, n.Call) for part in n.walk(index))
    return plain and any(isinstance(part, n.Slice) for part in parts)


def certainly_array(node: n.expr, scope: Scope) -> bool:
    """Whether the value of an expression is an array (or a number), and no list."""
    if isinstance(node, n.BinOp):
        sides = node.left, node.right
        return any(isinstance(side, n.Constant) and type(side.value) is float or certainly_array(side, scope) for side in sides)
    function = scope.resolve(node.func) if isinstance(node, n.Call) else None
    rule = rule_for(function) if function is not None else None
    listed = (np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit, np.shape, np.nonzero, np.meshgrid)
    return rule is not None and getattr(function, "__module__", "") == "numpy" and function not in listed


def only_asked(name: str, length: int, body: Block, scope: Scope) -> bool:
    """Whether a list is only gone through, or asked for its entries or its length."""
    asked = set()
    parts = [part for node in body for part in n.walk(node)]
    for part in parts:
        if isinstance(part, (n.For, n.comprehension)):
            asked.add(part.iter)
            function = scope.resolve(part.iter.func) if isinstance(part.iter, n.Call) else None
            asked |= set(part.iter.args) if function in (builtins.enumerate, builtins.zip) else set()
        elif isinstance(part, n.Call) and scope.resolve(part.func) is builtins.len:
            asked |= set(part.args)
        elif isinstance(part, n.Subscript) and isinstance(part.ctx, n.Load):
            position = constant(part.slice)
            if type(position) is int and -length <= position < length:
                asked.add(part.value)
    uses = [part for part in parts if isinstance(part, n.Name) and part.id == name and isinstance(part.ctx, n.Load)]
    return all(part in asked for part in uses)
