"""Defunctionalise: a name for one function out of several becomes a number, and a call of it a branch on that number.

>>> import numpy as np
>>> from sourcediff.api.explain import text_after
>>> def activated(x, smooth):
...     activation = np.tanh if smooth else np.abs
...     return np.sum(activation(x))
>>> print(text_after("unbound_names", activated))
activation = 0 if smooth else 1
if activation == 0:
    t = np.tanh(x)
else:
    t = np.abs(x)
value = np.sum(t)
"""

from __future__ import annotations

import inspect
import types
from typing import Any

import numpy as np

from ...analysis.scope import MISSING, Scope
from ...syntax import nodes as n
from ...syntax.quote import clone, expression, place, remade

Block = list[n.stmt]

MANY = 16
"""So many functions there may be of which one is called, it is not known which: each call is written so often."""


def choose_functions(body: Block, scope: Scope, parameters: set[str]) -> Block:
    """A function's body with numbers for the functions that a name stands for by turns; as it was where it is more than called."""
    bound: dict[str, list[n.expr]] = {}
    refused = set(parameters)
    called: list[n.AST] = []
    nodes = [part for statement in body for part in n.walk(statement)]
    for part in nodes:
        if isinstance(part, n.Assign) and len(part.targets) == 1 and isinstance(part.targets[0], n.Name):
            bound.setdefault(part.targets[0].id, []).append(part.value)
            called.append(part.targets[0])
        elif isinstance(part, n.Call):
            called.append(part.func)
    known = set(called)
    for part in nodes:
        if isinstance(part, n.Name) and part not in known:
            refused.add(part.id)
    chosen = {}
    for name, values in bound.items():
        functions = [leaf for value in values for leaf in _leaves(value)]
        if name not in refused and len(functions) > 1 and all(is_function(leaf, scope) for leaf in functions):
            chosen[name] = functions
    if not chosen:
        return body
    numbers = {leaf: number for functions in chosen.values() for number, leaf in enumerate(functions)}
    return [_rewritten(statement, chosen, numbers) for statement in body]


def _leaves(value: n.expr) -> list[n.expr]:
    return [*_leaves(value.body), *_leaves(value.orelse)] if isinstance(value, n.IfExp) else [value]


def is_function(node: n.expr, scope: Scope) -> bool:
    """Whether an expression is the name of a function from outside."""
    found = scope.resolve(node) if isinstance(node, (n.Name, n.Attribute)) else MISSING
    return isinstance(found, (types.FunctionType, types.BuiltinFunctionType, np.ufunc)) or inspect.isroutine(found)


def _rewritten(node: Any, chosen: dict[str, list[n.expr]], numbers: dict[n.expr, int]) -> Any:
    def again(part: Any) -> Any:
        return _rewritten(part, chosen, numbers)

    if isinstance(node, n.Assign) and isinstance(node.targets[0], n.Name) and node.targets[0].id in chosen:
        return place(n.Assign(targets=[clone(node.targets[0])], value=_numbered(node.value, numbers), type_comment=None), node)
    if isinstance(node, n.Call) and isinstance(node.func, n.Name) and node.func.id in chosen:
        functions = chosen[node.func.id]
        calls = [place(n.Call(func=clone(function), args=[again(part) for part in node.args],
                              keywords=[again(part) for part in node.keywords]), node) for function in functions]
        made: n.expr = calls[-1]
        for number, call in reversed(list(enumerate(calls[:-1]))):
            made = place(n.IfExp(test=expression(f"{node.func.id} == {number}"), body=call, orelse=made), node)
        return made
    return remade(node, again)


def _numbered(node: n.expr, numbers: dict[n.expr, int]) -> n.expr:
    if isinstance(node, n.IfExp):
        return place(n.IfExp(test=clone(node.test), body=_numbered(node.body, numbers), orelse=_numbered(node.orelse, numbers)), node)
    return place(n.Constant(value=numbers[node], kind=None), node)
