"""Outline statements that the compiler does not take: each becomes a call of a function of its own, run by the eager engine.

>>> import contextlib
>>> from sourcediff.syntax.source import read
>>> from sourcediff.syntax.text import to_source
>>> def scaled(x):
...     y = x * 2
...     for k in range(3):
...         with contextlib.nullcontext():
...             names = "ab"
...         y = y * len(names)
...     return y
>>> print("\\n".join(map(to_source, outlined(read(scaled)).tree.body)))
y = x * 2
for k in range(3):
    names = island()
    y = y * len(names)
return y

What goes in are the names that the statement reads, what comes out those that it binds and that are read elsewhere. It is the smallest
statement with what is refused in it that can be lifted so: nothing leaves it but at its end, and it changes nothing that came in.
"""

from __future__ import annotations

import types
from collections.abc import Sequence
from itertools import chain, count
from typing import Any

from ...analysis.scope import bound_names
from ...analysis.source.lasting_effects import leaves_state
from ...analysis.source.mutated_names import touched
from ...analysis.statements import binds
from ...errors import Place
from ...syntax import nodes as n
from ...syntax.making import made
from ...syntax.quote import altered, as_target, expression, names, place
from ...syntax.source import Source, read
from ..function_trees import headed
from .lambda_lifting import lifted
from .solver_calls import solver_calls
from .unsupported import is_marked

Block = list[n.stmt]

WAYS_OUT = ("Return", "Global", "Nonlocal", "Yield", "YieldFrom", "Await", "Delete", "AsyncFor", "AsyncWith", "ClassDef")
"""What cannot be in a function of its own, and mean the same."""


def outlined(source: Source) -> Source:
    """A function with its refused statements outlined, as far as they can be."""
    refused = is_marked(source)
    if not refused:
        return source
    outliner = Outliner(source, dict(refused))
    parameters = {part.id for part in n.walk(source.tree.args) if isinstance(part, n.Name)}
    tree = altered(source.tree, body=outliner.block(source.tree.body, parameters))
    islands = outliner.islands
    holder = types.FunctionType((lambda: None).__code__, dict(islands))
    holder.__dict__["__holds__"] = source.function
    return source._replace(tree=tree, given={**source.given, **{name: (made_, holder, name) for name, made_ in islands.items()}})


def islands_of(function: types.FunctionType) -> types.FunctionType:
    """A function among whose globals the islands of another one are, and the functions lifted out of it, by their names."""
    given = outlined(solver_calls(lifted(read(function)))).given
    return types.FunctionType((lambda: None).__code__, {name: made_ for made_, _, name in given.values()})


class Outliner:
    """Walks a function's blocks; ``islands`` are the functions that it has made, by name."""

    def __init__(self, source: Source, refused: dict[n.AST, Place]):
        self.source = source
        self.refused = refused
        self.local = bound_names(source.tree)
        self.names = names(source.tree)
        self.islands: dict[str, types.FunctionType] = {}

    def block(self, body: Sequence[n.stmt], bound: set[str]) -> Block:
        """A block, where ``bound`` are the names that are certainly bound before it."""
        done: Block = []
        bound = set(bound)
        for node in body:
            done.append(self.statement(node, bound))
            bound |= bound_for_certain(node)
        return done

    def statement(self, node: Any, bound: set[str]) -> n.stmt:
        places = [self.refused[part] for part in n.walk(node) if part in self.refused]
        if not places:
            return node  # type: ignore[no-any-return]
        if isinstance(node, (n.If, n.For, n.While)):
            head = node.iter if isinstance(node, n.For) else node.test
            if not any(part in self.refused for part in n.walk(head)):
                inner = bound | (binds(altered(node, body=[], orelse=[])) if isinstance(node, n.For) else set())
                tried = altered(node, body=self.block(node.body, inner), orelse=self.block(node.orelse, bound))
                if not any(part in self.refused for part in n.walk(tried)):
                    return tried
        return self.lifted(node, bound, places) or node

    def lifted(self, node: n.stmt, bound: set[str], places: list[Place]) -> n.stmt | None:
        """The call of an island in place of a statement; None where it cannot be lifted."""
        parts = n.walk(node)
        if any(type(part).__name__ in WAYS_OUT for part in parts) or leaves_block(node):
            return None
        inside = certainly_bound_in(node)
        taken = sorted(name for name in loads_in(parts) & self.local if name in bound or not self.only_in(name, node))
        elsewhere = self.read_outside(node)
        given = sorted(name for name in inside if name in elsewhere)
        taken = sorted({*taken, *(name for name in given if name in bound)})  # as it was, where a context manager ends the block early
        if not set(taken) <= bound or not set(given) <= bound_for_certain(node) | set(taken) or touched(self.source, parts) & set(taken):
            return None
        possible = chain(["island"], (f"island{k}" for k in count(1)))
        name = next(name for name in possible if name not in self.names and name not in self.islands)
        result = [expression(part) for part in given]
        value = n.Tuple(elts=result, ctx=n.Load()) if len(result) != 1 else result[0]
        tree = place(headed(name, taken), node)
        tree.body = [node, place(n.Return(value=value), node)]
        if leaves_state(self.source._replace(tree=tree)):
            return None
        island = made(tree, self.source.function)
        island.__dict__["__island__"] = self.source.function, tuple(places)
        self.islands[name] = island
        call = place(n.Call(func=expression(name), args=[expression(part) for part in taken], keywords=[]), node)
        if not given:
            return place(n.Expr(value=call), node)
        targets = [as_target(expression(part)) for part in given]
        target = n.Tuple(elts=targets, ctx=n.Store()) if len(targets) != 1 else targets[0]
        return place(n.Assign(targets=[target], value=call, type_comment=None), node)

    def read_outside(self, node: n.stmt) -> set[str]:
        """The names that are read anywhere but in a statement."""
        within = set(n.walk(node))
        return loads_in([part for part in n.walk(self.source.tree) if part not in within])

    def only_in(self, name: str, node: n.stmt) -> bool:
        """Whether a name is bound nowhere but in a statement."""
        within = set(n.walk(node))
        return not any(isinstance(part, n.Name) and part.id == name and not isinstance(part.ctx, n.Load) and part not in within
                       for part in n.walk(self.source.tree))


def loads_in(parts: Sequence[n.AST]) -> set[str]:
    """The names that nodes read."""
    updated = {part.target.id for part in parts if isinstance(part, n.AugAssign) and isinstance(part.target, n.Name)}
    return updated | {part.id for part in parts if isinstance(part, n.Name) and isinstance(part.ctx, n.Load)}


def certainly_bound_in(node: n.AST) -> set[str]:
    """The names that a statement binds, in whatever way."""
    named = {part.name for part in n.walk(node) if isinstance(getattr(part, "name", None), str)}
    return named | {part.id for part in n.walk(node) if isinstance(part, n.Name) and isinstance(part.ctx, n.Store)}


def bound_for_certain(node: Any) -> set[str]:
    """The names that are certainly bound behind a statement."""
    if isinstance(node, (n.Assign, n.FunctionDef)):
        return certainly_bound_in(node)
    if isinstance(node, n.With):
        return set().union(*map(bound_for_certain, node.body), *(certainly_bound_in(item) for item in node.items))
    if isinstance(node, n.If):
        return set().union(*map(bound_for_certain, node.body)) & set().union(*map(bound_for_certain, node.orelse))
    if isinstance(node, n.Try):
        ways = [[*node.body, *node.orelse], *(handler.body for handler in node.handlers)]
        behind = [set().union(*map(bound_for_certain, way)) for way in ways if not way or type(way[-1]).__name__ not in ("Raise", "Return")]
        return set.intersection(*behind) | set().union(*map(bound_for_certain, node.finalbody)) if behind else set()
    return set()


def leaves_block(node: n.AST, loop: bool = False) -> bool:
    """Whether a statement may leave a loop that it is in."""
    if isinstance(node, (n.Break, n.Continue)):
        return not loop
    return any(leaves_block(part, loop or isinstance(node, (n.For, n.While))) for part in n.iter_child_nodes(node))
