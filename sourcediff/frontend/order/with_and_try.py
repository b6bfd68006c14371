"""Remove ``with`` and ``try``: of what they guard, the path without exceptions is compiled.

>>> import numpy as np, sourcediff
>>> from sourcediff.api.explain import text_after
>>> def scaled(x):
...     with sourcediff.no_grad():
...         scale = np.max(x)
...     try:
...         y = np.log(x)
...     except FloatingPointError:
...         y = np.zeros_like(x)
...     return np.sum(y) / scale
>>> print(text_after("unbound_names", scaled))
scale = sourcediff.stop_gradient(np.max(x))
y = np.log(x)
t = np.sum(y)
value = t / scale

The gradient is that of a run in which nothing is raised. Where something is that a handler would have caught, the call is refused
(``dispatcher.py``): what the statements of the block may raise is noted in ``scope.tried``.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any

from ...analysis.fresh import ALLOCATING, is_fresh
from ...analysis.scope import Scope
from ...core.single_exit import falls
from ...runtime.user_objects import is_users, member
from ...syntax import nodes as n
from ...syntax.quote import altered, clone, expression, place, position_of, statement
from ...syntax.source import read

Block = list[n.stmt]

REDUCING = frozenset("max min mean prod std var median norm argmax argmin".split())
"""NumPy's functions and methods whose result shares memory with nothing, unless they are given ``out=``."""


def opened(body: Block, scope: Scope) -> Block:
    """The statements of a body, with those of its ``with`` and ``try`` in their places.

    What stands in a ``finally`` comes to stand behind its block, and before each way out of it:

    >>> from sourcediff.syntax.quote import statements
    >>> from sourcediff.syntax.text import to_source
    >>> print("\\n".join(map(to_source, opened(statements('''
    ... for x in xs:
    ...     try:
    ...         if x < 0:
    ...             break
    ...         total += x
    ...     finally:
    ...         total *= 2
    ... '''), Scope()))))
    for x in xs:
        if x < 0:
            total *= 2
            break
        total += x
        total *= 2
    """
    done: Block = []
    for node in body:
        if isinstance(node, n.With):
            if any(manager_of(item, scope.resolve) for item in node.items):
                done += managed(node, scope)
                continue
            inner = opened(node.body, scope)
            done += [stopped(part, recording) for part in inner] if (recording := recording_of(node, scope)) is not None else inner
        elif isinstance(node, n.Try):
            done += finally_before_exits(opened([*node.body, *node.orelse], scope), opened(node.finalbody, scope), scope)
        elif isinstance(node, (n.If, n.For, n.While)) and any(isinstance(part, (n.With, n.Try)) for part in n.walk(node)):
            node = clone(node)
            node.body, node.orelse = opened(node.body, scope), opened(node.orelse, scope)
            done.append(node)
        else:
            done.append(node)
    return done


def finally_before_exits(body: Block, final: Block, scope: Scope) -> Block:
    """A block that is finished by ``final``, however it is left. What it returns is computed before."""

    def block(body: Block, loop: bool) -> Block:
        return [part for node in body for part in ending(node, loop)]

    def ending(node: Any, loop: bool) -> Block:
        if isinstance(node, n.Return):
            if node.value is None or isinstance(node.value, n.Constant):
                return [*map(clone, final), node]
            name = scope.fresh("returned")
            kept = place(statement("$r = $v", r=name, v=node.value), node)
            return [kept, *map(clone, final), place(n.Return(value=expression(name)), node)]
        if isinstance(node, (n.Break, n.Continue)):
            return [node] if loop else [*map(clone, final), node]
        if isinstance(node, (n.If, n.For, n.While)):
            inner = loop or not isinstance(node, n.If)
            return [altered(node, body=block(node.body, inner), orelse=block(node.orelse, loop))]
        return [node]

    if not final:
        return body
    done = block(body, False)
    return [*done, *final] if falls(body) else done


def manager_of(item: Any, resolve: Callable[[Any], Any]) -> type | None:
    """The class of the user's whose object manages a ``with``, if it is made there and its methods are written in Python."""
    call = item.context_expr
    kind = resolve(call.func) if isinstance(call, n.Call) else None
    if not isinstance(kind, type) or not is_users(kind):
        return None
    return kind if all(isinstance(member(kind, name), types.FunctionType) for name in ("__enter__", "__exit__")) else None


def managed(node: Any, scope: Scope) -> Block:
    """``with Manager(...) as value:`` as the calls of what the manager does before and after."""
    first, *rest = node.items
    inner = [altered(node, items=rest)] if rest else node.body
    if (kind := manager_of(first, scope.resolve)) is None:
        return opened([altered(node, items=[first], body=inner)], scope)
    target = first.optional_vars
    itself = isinstance(target, n.Name) and gives_itself(kind) and target.id not in bound_in(node.body)
    name = target.id if itself else scope.fresh("manager")
    made = statement("$m = $e", m=name, e=first.context_expr)
    entered = statement("$m.__enter__()", m=name)
    if target is not None and not itself:
        entered = n.Assign(targets=[target], value=entered.value, type_comment=None)  # type: ignore[attr-defined]
    left = statement("$m.__exit__(None, None, None)", m=name)
    made, entered, left = (place(part, node) for part in (made, entered, left))
    return [made, entered, *finally_before_exits(opened(inner, scope), [left], scope)]


def bound_in(body: list[n.stmt]) -> set[str]:
    """The names that statements bind, as targets of ``with`` too."""
    parts = [part for node in body for part in n.walk(node)]
    return {part.id for part in parts if isinstance(part, n.Name) and not isinstance(part.ctx, n.Load)}


def gives_itself(kind: type) -> bool:
    """Whether a manager is what its ``__enter__`` returns."""
    tree = read(member(kind, "__enter__")).tree
    own = next((part.id for part in (*tree.args.posonlyargs, *tree.args.args)), None)
    returned = [part.value for part in n.walk(tree) if isinstance(part, n.Return)]
    return bool(returned) and all(isinstance(value, n.Name) and value.id == own for value in returned)


def swallows(kind: type) -> bool:
    """Whether a manager may keep to itself what is raised in its block: whether its ``__exit__`` returns something."""
    tree = read(member(kind, "__exit__")).tree
    returned = [part.value for part in n.walk(tree) if isinstance(part, n.Return)]
    return not all(value is None or isinstance(value, n.Constant) and not value.value for value in returned)


def recording_of(node: Any, scope: Scope) -> n.expr | None:
    """What is to be called ``stop_gradient`` in ``with sourcediff.no_grad():``, or after ``from sourcediff import no_grad``."""
    called = node.items[0].context_expr.func
    if isinstance(called, n.Attribute) and called.attr == "no_grad":
        return n.Attribute(value=called.value, attr="stop_gradient", ctx=n.Load())
    if isinstance(called, n.Name) and is_no_grad(scope.resolve(called)):
        return expression(scope.imported("stop_gradient", sys.modules["sourcediff"].stop_gradient))
    return None


def is_no_grad(value: Any) -> bool:
    """Whether a value is the library's own ``no_grad``."""
    return value is getattr(sys.modules.get("sourcediff"), "no_grad", None)


def stopped(node: Any, called: n.expr) -> n.stmt:
    """A statement of a ``no_grad`` block: what it binds counts as a constant."""
    if isinstance(node, n.If):
        body, orelse = ([stopped(part, called) for part in block] for block in (node.body, node.orelse))
        return place(n.If(test=node.test, body=body, orelse=orelse), node)
    if isinstance(node, n.Assign):
        function = place(clone(called), node)
        value = place(n.Call(func=function, args=[node.value], keywords=[]), node)
        return place(n.Assign(targets=node.targets, value=value, type_comment=None), node)
    return node  # type: ignore[no-any-return]


def not_stopped(body: Block) -> n.AST | None:
    """The first statement of a ``no_grad`` block that is more than an assignment of something new to names."""
    new: set[str] = set()  # names of what is computed in the block
    for node in body:
        if isinstance(node, n.If):
            found = not_stopped([*node.body, *node.orelse])
        elif isinstance(node, n.Assign):
            names = all(isinstance(part, n.Name) for target in node.targets for part in getattr(target, "elts", [target]))
            known = isinstance(node.value, n.Name) and node.value.id in new
            found = None if names and (known or is_new(node.value)) else node
            new |= {target.id for target in node.targets if isinstance(target, n.Name)}
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
    if getattr(called, "attr", "") in REDUCING:
        return all(keyword.arg not in (None, "out") for keyword in node.keywords)  # type: ignore[attr-defined]  # it is a call
    return isinstance(node, n.Constant) or is_fresh(node) or getattr(called, "id", "") in {"abs", "float", "int", "len", *ALLOCATING}


def note_tried(tree: n.AST, scope: Scope, renamed: dict[str, str]) -> None:
    """Note for each line of a ``try`` in a function what its handlers catch."""
    for node in n.walk(tree):
        if isinstance(node, n.Try) and node.handlers:
            caught = [kind for handler in node.handlers for kind in caught_by(handler, scope, renamed)]
            for part in node.body:
                note_lines(part, tuple(caught), scope)
        elif isinstance(node, n.With):
            kinds = [manager_of(item, lambda part: scope.resolve(as_renamed(part, renamed))) for item in node.items]
            if any(kind is not None and swallows(kind) for kind in kinds):
                for part in node.body:
                    note_lines(part, (BaseException,), scope)


def as_renamed(node: n.expr, renamed: dict[str, str]) -> n.expr:
    """An expression under the names that its function has been given."""
    return clone(node, {old: expression(new) for old, new in renamed.items()})


def note_lines(node: n.AST, caught: tuple[type, ...], scope: Scope) -> None:
    """Note for the lines of a tree what would be caught if it were raised there."""
    for part in n.walk(node):
        if (at := position_of(part)) is not None:
            scope.tried[at] = tuple(dict.fromkeys((*scope.tried.get(at, ()), *caught)))


def caught_by(handler: Any, scope: Scope, renamed: dict[str, str]) -> list[type]:
    """The classes that a handler catches."""
    if handler.type is None:
        return [BaseException]
    given = handler.type.elts if isinstance(handler.type, n.Tuple) else [handler.type]
    kinds = [scope.resolve(as_renamed(part, renamed)) for part in given]
    return [kind if isinstance(kind, type) else BaseException for kind in kinds]
