"""What a statement of the normal form reads, binds and changes in place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..syntax import nodes as n
from ..syntax.container_methods import GROWING, MUTATING, RESULT_MATTERS


def loads(node: n.AST | list[n.stmt] | None) -> set[str]:
    """The names that a tree reads. A store ``a[i] = v`` and an update ``a += v`` read ``a``."""
    if node is None:
        return set()
    if type(node) is list:
        return set().union(*map(loads, node)) if node else set()
    found = {name.id for name in n.names_in(node) if type(name.ctx) is n.Load}
    kind = type(node)
    if kind is n.AugAssign or kind in BLOCKS:
        found.update(update.target.id for update in within(node) if type(update) is n.AugAssign and type(update.target) is n.Name)
    return found


def target_names(target: n.AST) -> set[str]:
    """The names that an assignment target or a loop target binds (a subscript binds none)."""
    kind = type(target)
    if kind is n.Name:
        return {target.id}
    if kind is n.Tuple or kind is n.List:
        return set().union(*map(target_names, target.elts))
    return target_names(target.value) if kind is n.Starred else set()


def targets(node: Any) -> list[n.expr]:
    """What a statement assigns to, an update and a loop included."""
    kind = type(node)
    if kind is n.Assign:
        return list(node.targets)
    return [node.target] if kind is n.AugAssign or kind is n.For else []


def base(node: n.AST) -> str | None:
    """``a`` for ``a[i]``, ``a[i][j]`` and ``a`` itself."""
    while isinstance(node, (n.Subscript, n.Attribute)):
        node = node.value
    return node.id if isinstance(node, n.Name) else None


BLOCKS = frozenset({n.If, n.For, n.While, n.With, n.Try, n.FunctionDef})


def simple(body: list[n.stmt]) -> list[n.stmt]:
    """Every statement of a block and of the blocks within, compound ones included, in order."""
    found: list[n.stmt] = []
    for statement in body:
        found.append(statement)
        if type(statement) in BLOCKS:
            found += simple(statement.body)
            if getattr(statement, "orelse", None):
                found += simple(statement.orelse)
    return found


def within(node: n.stmt | list[n.stmt]) -> list[n.stmt]:
    """What :func:`simple` gives of a block, or of one statement."""
    if isinstance(node, list):
        return simple(node)
    return simple([node]) if type(node) in BLOCKS else [node]


def binds(node: n.stmt | list[n.stmt]) -> set[str]:
    """The names that a statement (or a block), with all within, binds; an update of a name counts."""
    found: set[str] = set()
    for statement in within(node):
        for target in targets(statement):
            found |= target_names(target)
    return found


def mutates(node: n.stmt | list[n.stmt], growth: bool = True) -> set[str]:
    """The names whose contents a statement (or a block), with all within, may change in place; ``growth``: lists by append and pop too."""
    found: set[str | None] = set()
    for statement in within(node):
        kind = type(statement)
        if kind is n.Assign:
            found.update(base(target) for target in statement.targets if type(target) is n.Subscript)
            if growth and type(statement.value) is n.Call:
                found.add(popped(statement.value))
        elif kind is n.AugAssign:
            found.add(base(statement.target))
        elif kind is n.Expr or kind is n.Delete:
            found.add(altered_container(statement))
            if growth:
                found.add(grown(statement))
    found.discard(None)
    return found  # type: ignore[return-value]


ALTERING = MUTATING["set"] - RESULT_MATTERS
"""Methods that change a set."""

OTHERS = MUTATING["deque"] - MUTATING["set"] - RESULT_MATTERS - GROWING
"""Methods that change a container, and that the normal form has no other use for."""

INSIDE = ALTERING | OTHERS | GROWING
"""Methods that change what is an entry of a container."""


def altered_container(node: n.AST) -> str | None:
    """``seen`` for the statement ``seen.add(x)``, and for calls of a set's other methods that change it; ``d`` for ``d[k].append(x)``
    and ``del d[k]``; else None."""
    if isinstance(node, n.Delete):
        return base(node.targets[0]) if isinstance(node.targets[0], n.Subscript) else None
    function = node.value.func if isinstance(node, n.Expr) and isinstance(node.value, n.Call) else None
    if not isinstance(function, n.Attribute):
        return None
    if isinstance(function.value, n.Subscript):
        return base(function.value) if function.attr in INSIDE else None
    return function.value.id if function.attr in ALTERING | OTHERS and isinstance(function.value, n.Name) else None


def grown(node: n.AST) -> str | None:
    """``parts`` for the statements ``parts.append(x)`` and ``parts.insert(i, x)``, else None."""
    call = node.value if isinstance(node, n.Expr) else None
    if isinstance(call, n.Call) and isinstance(call.func, n.Attribute) and call.func.attr in GROWING:
        return call.func.value.id if isinstance(call.func.value, n.Name) else None
    return None


def shrunk(node: n.AST) -> str | None:
    """``parts`` for the statements ``x = parts.pop()`` and ``x = parts.pop(i)``, else None."""
    return popped(node.value) if isinstance(node, n.Assign) else None


def popped(node: n.AST) -> str | None:
    """``parts`` for the expressions ``parts.pop()`` and ``parts.pop(i)``, else None."""
    if not isinstance(node, n.Call) or len(node.args) > 1 or node.keywords or not isinstance(node.func, n.Attribute):
        return None
    return node.func.value.id if node.func.attr == "pop" and isinstance(node.func.value, n.Name) else None


def entry_put_in(node: n.Expr) -> n.expr:
    """``x`` of the statements ``parts.append(x)`` and ``parts.insert(i, x)``."""
    return node.value.args[-1]  # type: ignore[no-any-return]


def position(node: n.stmt) -> list[n.expr]:
    """``[i]`` of the statements ``parts.insert(i, x)`` and ``x = parts.pop(i)``, ``[]`` of those that work at the end of a list."""
    call = node.value
    return list(call.args[:-1] if isinstance(node, n.Expr) else call.args)


def checked(node: n.stmt) -> str | None:
    """``y`` for the statement ``check_bound(y, 'y')``, else None."""
    call = node.value if isinstance(node, n.Expr) else None
    if not isinstance(call, n.Call) or not isinstance(call.func, n.Name) or not call.func.id.startswith("check_bound"):
        return None
    return call.args[0].id if isinstance(call.args[0], n.Name) else None


def is_unset(node: n.stmt) -> bool:
    """Whether a statement is ``y = ...``: ``y`` is not bound yet, as the user's program goes."""
    return isinstance(node, n.Assign) and isinstance(node.value, n.Constant) and node.value.value is ...


def is_add_at(call: n.Call) -> bool:
    """Whether a call is ``np.add.at(a, i, v)``, which changes ``a`` in place."""
    return isinstance(call.func, n.Attribute) and call.func.attr == "at"


def breaks(body: list[n.stmt]) -> bool:
    """Whether the block of a loop holds a ``break`` of that loop."""
    return any(isinstance(part, n.Break) for part in nested(body, loops=False))


def nested(body: list[n.stmt], loops: bool = True) -> Iterator[n.stmt]:
    """The statements of a block and of the blocks in it, but not of functions defined there; ``loops`` False: nor of loops."""
    for node in body:
        yield node
        if isinstance(node, (n.For, n.While)) and not loops:
            yield from nested(node.orelse, loops)
        elif not isinstance(node, n.FunctionDef):
            yield from nested([*getattr(node, "body", []), *getattr(node, "orelse", [])], loops)
