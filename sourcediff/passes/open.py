"""Open the blocks that only say how others are run: what stands in a ``with`` or a ``try`` comes to stand in its place.

>>> import numpy as np, sourcediff
>>> from sourcediff.explaining import text_after
>>> def scaled(x):
...     with sourcediff.no_grad():
...         scale = np.max(x)
...     try:
...         y = np.log(x)
...     except FloatingPointError:
...         y = np.zeros_like(x)
...     return np.sum(y) / scale
>>> print(text_after("normalise", scaled))
scale = sourcediff.stop_gradient(np.max(x))
y = np.log(x)
t = np.sum(y)
value = t / scale

The gradient is that of a run in which nothing is raised. Where something is that a handler would have caught, the call is refused
(``dispatch.py``): what the statements of the block may raise is noted in ``scope.tried``.
"""

from __future__ import annotations

from typing import Any

from ..analysis.fresh import ALLOCATING, is_fresh
from ..analysis.scope import Scope
from ..syntax import nodes as n
from ..syntax.quote import clone, place

Block = list[n.stmt]

NEW = ALLOCATING | set("max min mean prod std var median norm abs float int len argmax argmin".split())
"""Functions whose result shares memory with nothing."""


def opened(body: Block) -> Block:
    """The statements of a body, with those of its ``with`` and ``try`` in their places."""
    done: Block = []
    for node in body:
        if isinstance(node, n.With):
            inner = opened(node.body)
            done += [stopped(part, recording) for part in inner] if (recording := recording_of(node)) is not None else inner
        elif isinstance(node, n.Try):
            done += opened([*node.body, *node.orelse, *node.finalbody])
        elif isinstance(node, (n.If, n.For, n.While)) and any(isinstance(part, (n.With, n.Try)) for part in n.walk(node)):
            node = clone(node)
            node.body, node.orelse = opened(node.body), opened(node.orelse)
            done.append(node)
        else:
            done.append(node)
    return done


def recording_of(node: Any) -> n.expr | None:
    """``sourcediff`` of ``with sourcediff.no_grad():``."""
    call = node.items[0].context_expr
    return call.func.value if isinstance(call.func, n.Attribute) and call.func.attr == "no_grad" else None


def stopped(node: Any, module: n.expr) -> n.stmt:
    """A statement of a ``no_grad`` block: what it binds counts as a constant."""
    if isinstance(node, n.If):
        body, orelse = ([stopped(part, module) for part in block] for block in (node.body, node.orelse))
        return place(n.If(test=node.test, body=body, orelse=orelse), node)
    if isinstance(node, n.Assign):
        function = place(n.Attribute(value=clone(module), attr="stop_gradient", ctx=n.Load()), node)
        value = place(n.Call(func=function, args=[node.value], keywords=[]), node)
        return place(n.Assign(targets=node.targets, value=value, type_comment=None), node)
    return node  # type: ignore[no-any-return]


def not_stopped(body: Block) -> n.AST | None:
    """The first statement of a ``no_grad`` block that is more than an assignment of something new to names."""
    for node in body:
        if isinstance(node, n.If):
            found = not_stopped([*node.body, *node.orelse])
        elif isinstance(node, n.Assign):
            names = all(isinstance(part, n.Name) for target in node.targets for part in getattr(target, "elts", [target]))
            found = None if names and is_new(node.value) else node
        else:
            found = None if isinstance(node, (n.Assert, n.Raise, n.Pass)) else node
        if found is not None:
            return found
    return None


def is_new(node: n.expr) -> bool:
    """Whether the value of an expression shares memory with nothing else."""
    if isinstance(node, (n.Tuple, n.List)):
        return all(map(is_new, node.elts))
    called = node.func if isinstance(node, n.Call) else None
    return isinstance(node, n.Constant) or is_fresh(node) or getattr(called, "attr", getattr(called, "id", "")) in NEW


def note_tried(tree: n.AST, scope: Scope, renamed: dict[str, str]) -> None:
    """Note for each line of a ``try`` in a function what its handlers catch."""
    for node in n.walk(tree):
        if isinstance(node, n.Try) and node.handlers:
            caught = [kind for handler in node.handlers for kind in caught_by(handler, scope, renamed)]
            for part in node.body:
                note_lines(part, tuple(caught), scope)


def note_lines(node: n.AST, caught: tuple[type, ...], scope: Scope) -> None:
    """Note for the lines of a tree what would be caught if it were raised there."""
    for part in n.walk(node):
        if (at := where(part)) is not None:
            scope.tried[at] = tuple(dict.fromkeys((*scope.tried.get(at, ()), *caught)))


def where(node: n.AST) -> tuple[str, int] | None:
    """The file and line of a node, None for one that was made."""
    line = getattr(node, "lineno", None)
    return None if line is None or not hasattr(node, "file") else (node.file, line)


def caught_by(handler: Any, scope: Scope, renamed: dict[str, str]) -> list[type]:
    """The classes that a handler catches."""
    if handler.type is None:
        return [BaseException]
    given = handler.type.elts if isinstance(handler.type, n.Tuple) else [handler.type]
    kinds = [scope.resolve(clone(part, {old: n.Name(id=new, ctx=n.Load()) for old, new in renamed.items()})) for part in given]
    return [kind if isinstance(kind, type) else BaseException for kind in kinds]
