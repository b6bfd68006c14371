"""Bindings: what each name of a statement's target stands for, part by part: ``i`` of ``for x, i in zip(xs, places)`` is a place."""

from __future__ import annotations

import builtins
from collections.abc import Iterator

import numpy as np

from ..syntax import nodes as n
from .scope import MISSING, Scope

Binding = tuple[n.expr, n.expr]
"""A target that is no tuple, and what it is bound to, or to an item of which."""

SAME_ITEMS = (builtins.list, builtins.tuple, builtins.reversed, builtins.sorted)
"""Functions that give the items of their argument."""

COUNTING_OFF = (builtins.enumerate, np.ndenumerate)


def is_method(node: n.AST, name: str, count: int = 0) -> bool:
    """Whether a node is a call like ``d.items()``, with so many arguments."""
    if not isinstance(node, n.Call) or len(node.args) != count or node.keywords:
        return False
    return isinstance(node.func, n.Attribute) and node.func.attr == name


def bindings(node: n.AST, scope: Scope) -> Iterator[Binding]:
    """What an assignment, an update, a walrus or the head of a loop binds.

    >>> from sourcediff.syntax.quote import statements
    >>> from sourcediff.syntax.text import to_source
    >>> def shown(text):
    ...     return [" = ".join(map(to_source, pair)) for pair in bindings(statements(text)[0], Scope())]
    >>> shown("a, (b, c) = x, f(y)")
    ['a = x', 'b = f(y)[0]', 'c = f(y)[1]']
    >>> shown("for k, (image, label) in enumerate(zip(images, labels)): pass")
    ['image = images', 'label = labels']
    """
    if isinstance(node, n.Assign):
        for target in node.targets:
            yield from matched_parts(target, node.value)
    elif isinstance(node, (n.AugAssign, n.NamedExpr)):
        yield node.target, node.value
    elif isinstance(node, (n.For, n.comprehension)):
        yield from of_items(node.target, node.iter, scope)


def matched_parts(target: n.expr, value: n.expr) -> Iterator[Binding]:
    """What a target, or each name in it, is bound to."""
    if not isinstance(target, (n.Tuple, n.List)):
        yield target, value
        return
    shown = isinstance(value, (n.Tuple, n.List)) and not any(isinstance(part, n.Starred) for part in value.elts)
    starred = False
    for position, part in enumerate(target.elts):
        starred = starred or isinstance(part, n.Starred)
        if starred or isinstance(value, (n.Tuple, n.List)) and not shown:
            yield from whole_target(part, value)
        elif shown and position < len(value.elts):
            yield from matched_parts(part, value.elts[position])
        else:
            yield from matched_parts(part, n.Subscript(value=value, slice=n.Constant(value=position, kind=None), ctx=n.Load()))


def whole_target(target: n.expr, value: n.expr) -> Iterator[Binding]:
    """Each name in a target with all of a value, of which it is some part."""
    for part in target.elts if isinstance(target, (n.Tuple, n.List)) else ():
        yield from whole_target(part, value)
    if not isinstance(target, (n.Tuple, n.List)):
        yield target, value


def of_items(target: n.expr, iterated: n.expr, scope: Scope) -> Iterator[Binding]:
    """What the target of a loop is bound to, item by item."""
    parts = target.elts if isinstance(target, (n.Tuple, n.List)) and not any(isinstance(p, n.Starred) for p in target.elts) else None
    given = iterated.args if isinstance(iterated, n.Call) and not any(isinstance(a, n.Starred) for a in iterated.args) else []
    function = scope.resolve(iterated.func) if given else MISSING
    if any(function is same for same in SAME_ITEMS):
        yield from of_items(target, given[0], scope)
    elif parts and function is builtins.zip and len(parts) == len(given):
        for part, source in zip(parts, given):
            yield from of_items(part, source, scope)
    elif parts and len(parts) == 2 and any(function is counting for counting in COUNTING_OFF):
        yield from of_items(parts[1], given[0], scope)
    elif parts and len(parts) == 2 and is_method(iterated, "items"):
        yield from whole_target(parts[1], iterated)
    elif isinstance(iterated, (n.Tuple, n.List)):
        for item in iterated.elts:
            yield from whole_target(target, item.value) if isinstance(item, n.Starred) else matched_parts(target, item)
    else:
        yield from whole_target(target, iterated)
