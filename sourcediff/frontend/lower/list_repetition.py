"""Whether ``times * xs`` repeats a list or multiplies its entries."""

from __future__ import annotations

import builtins
import graphlib
from collections import Counter
from collections.abc import Mapping

import numpy as np

from ...analysis.abstract import UNKNOWN, Abstract
from ...analysis.scope import Scope
from ...analysis.source.out_arguments import among
from ...core.facts.values import Values
from ...rules.facts import having
from ...syntax import nodes as n
from ...syntax.quote import expression, names

COUNTING = (builtins.len, builtins.int)
WHOLE = (n.Add, n.Sub, n.Mult, n.FloorDiv, n.Mod)
"""Operators that give an int of ints."""


def once_bound(body: list[n.stmt], scope: Scope) -> dict[str, n.expr | None]:
    """What each name that a body binds stands for, None where that is not one expression. A counter of a loop is some length."""
    found: dict[str, n.expr | None] = {}
    parts = [part for node in body for part in n.walk(node)]
    counts = Counter(part.id for part in parts if isinstance(part, n.Name) and not isinstance(part.ctx, n.Load))
    for part in parts:
        if isinstance(part, n.Assign) and len(part.targets) == 1 and isinstance(part.targets[0], n.Name):
            target, value = part.targets[0], part.value
        elif isinstance(part, (n.For, n.comprehension)) and isinstance(part.target, n.Name) and isinstance(part.iter, n.Call):
            target, value = part.target, expression("len(())") if scope.resolve(part.iter.func) is builtins.range else None
        else:
            continue
        found[target.id] = value
    return {name: found.get(name) if count == 1 else None for name, count in counts.items()}


def multiplies(times: n.expr, scope: Scope, kinds: Mapping[str, Abstract] | None = None) -> bool | None:
    """Whether a list times this multiplies the entries, since it is an array; False: it is an int; None: it may be either.

    ``kinds`` is what is known of parameters.
    """
    followed: set[str] = set()
    while isinstance(times, n.Name) and times.id not in followed and (value := scope.once.get(times.id)) is not None:
        followed.add(times.id)
        times = value
    if isinstance(times, n.UnaryOp) and isinstance(times.op, (n.USub, n.UAdd)):
        return multiplies(times.operand, scope, kinds)
    if isinstance(times, n.Call):
        function = scope.resolve(times.func)
        if among(function, having("creates", "converts", "joins")) or isinstance(function, np.ufunc) and gives_floats(function):
            return True
    if isinstance(times, n.Call) and scope.resolve(times.func) in COUNTING:
        return False
    if isinstance(times, n.BinOp) and not isinstance(times.op, n.MatMult):
        sides = multiplies(times.left, scope, kinds), multiplies(times.right, scope, kinds)
        if True in sides or sides == (False, False) and isinstance(times.op, WHOLE):
            return True in sides
    known = value_of(times, scope, kinds or {}, {})
    if known.kind == "array":
        return True
    return False if known.scalar and known.dtype is not None and known.dtype.kind in "iu" else None


def gives_floats(function: np.ufunc) -> bool:
    """Whether what a function gives is never an integer, with which ``*`` would repeat a list."""
    return all(kinds.rpartition(">")[2][:1] in "efdgFDGO" for kinds in function.types)


def value_of(node: n.expr, scope: Scope, kinds: Mapping[str, Abstract], found: dict[str, Abstract]) -> Abstract:
    """The abstract value of an expression of names that are bound once, parameters, and what is from outside; ``found`` are those of names
    that have been found on the way.
    """
    own = names(node) & scope.once.keys()
    for name in own - found.keys():
        found[name] = UNKNOWN  # within itself
        value = scope.once[name]
        found[name] = UNKNOWN if value is None else value_of(value, scope, kinds, found)
    return Values(scope).of(node, {**kinds, **{name: found[name] for name in own}})


def grounded(once: dict[str, n.expr | None]) -> dict[str, n.expr | None]:
    """What names stand for; None of those that stand for themselves by way of others (``p = p * p`` where nobody goes)."""
    found = dict(once)
    read = {name: names(value) & once.keys() for name, value in once.items() if isinstance(value, (n.Name, n.BinOp, n.UnaryOp))}
    while True:
        try:
            graphlib.TopologicalSorter(read).prepare()
        except graphlib.CycleError as error:
            for name in error.args[1]:
                found[name] = None
                read.pop(name, None)
        else:
            return found
