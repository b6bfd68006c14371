"""What the tree of a function says of its names: parameters, what is bound, how often, and by whom."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from ..analysis.source.effects import Effective
from ..syntax import nodes as n
from ..syntax.quote import expression, names
from .room import Block


def resolving(function: Any, tree: n.FunctionDef) -> Callable[[n.expr], Any]:
    """What tells what an expression in a function stands for outside of it."""
    known = functools.cache(lambda: Effective(function, tree))
    return lambda node: known().resolve(node)


def parameters_of(tree: n.FunctionDef) -> list[str]:
    """The names of a function's parameters, in the order of its signature."""
    args = tree.args
    stars = [[] if parameter is None else [parameter] for parameter in (args.vararg, args.kwarg)]
    return [parameter.id for parameter in (*args.posonlyargs, *args.args, *stars[0], *args.kwonlyargs, *stars[1])]


def around_of(tree: n.FunctionDef) -> set[str]:
    """The variables around a function that it binds anew, or one within it does."""
    own, inner = _own_parts(tree)
    around = {name for part in own if isinstance(part, n.Nonlocal) for name in part.names}
    local = {part.id for part in own if isinstance(part, n.Name) and not isinstance(part.ctx, n.Load)} - around
    return around | set().union(*map(around_of, inner)) - local


def captured(tree: n.FunctionDef) -> set[str]:
    """The names that functions within a function read: one that is returned reads what they stood for then."""
    inner = [part for part in n.walk(tree) if isinstance(part, (n.FunctionDef, n.Lambda)) and part is not tree]
    return names(inner)


def binding_counts(body: Block) -> Counter[str]:
    """How often each name is bound in a body, the functions in it included."""
    parts = [part for node in body for part in n.walk(node)]
    stored = [part.id for part in parts if isinstance(part, n.Name) and isinstance(part.ctx, n.Store)]
    return Counter([*stored, *(part.name for part in parts if isinstance(part, n.FunctionDef))])


def names_outside(body: Block) -> frozenset[str]:
    """The names that occur outside of comprehensions and inner functions."""
    found: set[str] = set()
    pending: list[n.AST] = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, n.Name):
            found.add(node.id)
        if isinstance(node, n.COMPREHENSIONS):
            pending.append(node.generators[0].iter)
        elif not isinstance(node, (n.FunctionDef, n.Lambda)):
            pending.extend(n.below(node))
    return frozenset(found)


def _own_parts(tree: n.FunctionDef) -> tuple[list[n.AST], list[n.FunctionDef]]:
    """The nodes of a function, but for those of the functions that are defined in it; and these."""
    own: list[n.AST] = n.below(tree)
    inner: list[n.FunctionDef] = []
    for part in own:
        if isinstance(part, n.FunctionDef):
            inner.append(part)
        else:
            own += n.below(part)
    return own, inner


def headed(name: str, parameters: Sequence[str]) -> n.FunctionDef:
    """The head of a function with these parameters, all of them by position or by name."""
    args = n.arguments(
        args=[*map(parameter_named, parameters)], posonlyargs=[], vararg=None, kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=[],
    )
    return n.FunctionDef(name=name, args=args, body=[], decorator_list=[], returns=None, type_comment=None, type_params=[])


def parameter_named(name: str) -> n.expr:
    """A name as a parameter."""
    node = expression(name)
    node.ctx = n.Param()
    return node
