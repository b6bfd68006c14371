"""The core form, the small language between the front end and what is derived, as data; and :func:`verify`, which says what breaks it.

A program is a block. What carries a derivative is in A-normal form: each operation on it stands alone, and its operands are names. What
carries none is as its author wrote it, as far as expressions go; of statements there are those below alone. Python's other forms (function
definitions, lambdas but for a ``key=``, ``:=``, ``with``, ``try``, ``match``, ``continue``, several targets) are gone.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Mapping, Set
from typing import NamedTuple

from ..analysis.statements import binds, entry_put_in, grown, target_names
from ..syntax import nodes as n

Kinds = frozenset[type]
Grammar = Mapping[type, Mapping[str, Kinds]]

PLACE: Kinds = frozenset({n.Name, n.Subscript})
"""What is changed in place."""

EXPRESSION: Kinds = frozenset({
    n.Attribute, n.BinOp, n.BoolOp, n.Call, n.Compare, n.Constant, n.Dict, n.DictComp, n.FormattedValue, n.GeneratorExp, n.IfExp,
    n.JoinedStr, n.List, n.ListComp, n.Name, n.Set, n.SetComp, n.Slice, n.Starred, n.Subscript, n.Tuple, n.UnaryOp,
})
"""What an expression is, and what it may hold. A comprehension, a choice, a star is left only where nothing in it carries a derivative."""

TARGET: Kinds = frozenset({n.Name, n.Subscript, n.Tuple})
"""What is assigned to. Several names at once are left only where nothing carries a derivative."""

BLOCK: Kinds = frozenset({n.Assert, n.Assign, n.AugAssign, n.Break, n.Delete, n.Expr, n.For, n.If, n.Pass, n.Raise, n.While})

CORE: Grammar = {
    n.Assert: {"test": EXPRESSION, "msg": EXPRESSION},
    n.Assign: {"targets": TARGET, "value": EXPRESSION},
    n.AugAssign: {"target": PLACE, "value": EXPRESSION},
    n.Break: {},
    n.Delete: {"targets": frozenset({n.Subscript})},
    n.Expr: {"value": frozenset({n.Call})},
    n.For: {"target": frozenset({n.Name, n.Tuple}), "iter": EXPRESSION, "body": BLOCK},
    n.If: {"test": EXPRESSION, "body": BLOCK, "orelse": BLOCK},
    n.Pass: {},
    n.Raise: {"exc": EXPRESSION, "cause": EXPRESSION},
    n.While: {"test": EXPRESSION, "body": BLOCK},
}
"""The statements, and what each of their parts may be. A part that is not named is not there; of several targets there is one."""

OPERATIONS: Mapping[type, tuple[str, ...]] = {
    n.Attribute: ("value",), n.BinOp: ("left", "right"), n.Call: ("args", "keywords"), n.Subscript: ("value",), n.UnaryOp: ("operand",),
}
"""The operations that may carry a derivative, and which of their parts are operands. (The function of a call is none, its owner is.)"""

DISPLAYS: Mapping[type, tuple[str, ...]] = {n.Dict: ("values",), n.List: ("elts",), n.Tuple: ("elts",)}
"""What holds operands together."""


class Fault(NamedTuple):
    """What breaks the form: the node, the statement that it is in, and what is wrong."""

    node: n.AST
    statement: n.AST
    problem: str


class BoundNames(NamedTuple):
    """The names that a program may read without binding them."""

    parameters: Set[str]
    outside: Set[str]


def verify(
    body: list[n.stmt], names: BoundNames, gone: Set[type] = frozenset(), active: Callable[[n.expr], bool] | None = None,
) -> list[Fault]:
    """What breaks the core form in a program, in order; an empty list where nothing does.

    ``gone`` are classes of nodes that must not occur, beside those that the grammar does not have; ``active`` says whether an expression
    carries a derivative: then operations on such have to stand alone. Without it that is not asked.

    >>> from sourcediff.syntax.quote import statement
    >>> x = n.Name("x", n.Load(), None, None)
    >>> body = [statement("y = f(lambda v: w)"), n.Expr(n.Call(x, [x], []))]
    >>> for fault in verify(body, BoundNames({"x"}, {"f"})):
    ...     print(fault.problem)
    it has no position
    Lambda is no expression of the core form
    nothing binds w
    it has no position
    Name is a part of the tree twice
    """
    bound = names.parameters | names.outside | binds(body) | vars(builtins).keys()
    found: list[Fault] = []
    seen: set[int] = set()
    for statement in every(body):
        found += [Fault(statement, statement, problem) for problem in misshapen(statement)]
        keys = {id(node.value) for node, _ in parts_of(statement) if isinstance(node, n.keyword) and node.arg == "key"}  # what comes first
        for node, local in parts_of(statement):
            kind = type(node)
            if id(node) in seen:
                found.append(Fault(node, statement, f"{kind.__name__} is a part of the tree twice"))
            seen.add(id(node))
            if kind in gone or isinstance(node, n.expr) and kind not in EXPRESSION and id(node) not in keys:
                found.append(Fault(node, statement, f"{kind.__name__} is no expression of the core form"))
            elif kind is n.Name and type(node.ctx) is n.Load and node.id not in bound and node.id not in local:
                found.append(Fault(node, statement, f"nothing binds {node.id}"))
        if active is not None:
            found += [Fault(part, statement, "an operation on what carries a derivative has no name")
                      for part in values_of(statement) if not is_simple(part, active)]
            found += [Fault(target, statement, "what carries a derivative is taken apart")
                      for target, value in unpacked(statement) if active(value)]
    return found


def every(body: list[n.stmt]) -> Iterator[n.stmt]:
    """The statements of a block and of the blocks within, in order."""
    for statement in body:
        yield statement
        for name in n.BLOCKS:
            yield from every(getattr(statement, name, None) or [])


def misshapen(statement: n.stmt) -> Iterator[str]:
    """What is wrong with a statement, but for what is within its parts."""
    if not hasattr(statement, "lineno"):
        yield "it has no position"
    allowed = CORE.get(type(statement))
    if allowed is None:
        yield f"{type(statement).__name__} is no statement of the core form"
        return
    for name in n.children[type(statement)]:
        held = getattr(statement, name, None)
        given = held if isinstance(held, list) else [] if held is None else [held]
        for part in given:
            if type(part) not in allowed.get(name, ()):
                yield f"{type(part).__name__} is no {name.removesuffix('s')} of {type(statement).__name__}"
            elif name in ("target", "targets") and type(part.ctx) is n.Load:
                yield "its target is read, not bound"
        if name == "targets" and len(given) != 1:
            yield "it has several targets"


def parts_of(statement: n.stmt, local: frozenset[str] = frozenset()) -> Iterator[tuple[n.AST, frozenset[str]]]:
    """The nodes of a statement but for those of the blocks within, each with the names that comprehensions and lambdas around it bind."""
    blocks = {id(inner) for name in n.BLOCKS for inner in getattr(statement, name, None) or []}
    todo: list[tuple[n.AST, frozenset[str]]] = [(node, local) for node in n.below(statement) if id(node) not in blocks]
    while todo:
        node, around = todo.pop(0)
        yield node, around
        bound = [loop.target for loop in getattr(node, "generators", ())] + (node.args.args if isinstance(node, n.Lambda) else [])
        inside = around.union(*map(target_names, bound)) if bound else around
        todo += [(part, inside) for part in n.below(node)]


def values_of(statement: n.stmt) -> list[n.expr]:
    """The expressions of a statement that are computed and kept: what is assigned, added, or put into a list."""
    if isinstance(statement, (n.Assign, n.AugAssign)):
        return [statement.value]
    return [] if grown(statement) is None else [entry_put_in(statement)]


def unpacked(statement: n.stmt) -> list[tuple[n.expr, n.expr]]:
    """The targets of a statement that bind several names at once, each with what it takes apart."""
    given = [(statement.target, statement.iter)] if isinstance(statement, n.For) else []
    given += [(target, statement.value) for target in statement.targets] if isinstance(statement, n.Assign) else []
    return [(target, value) for target, value in given if isinstance(target, n.Tuple)]


def operands(node: n.expr) -> list[n.expr]:
    """What an operation, or a display, is applied to."""
    held = [getattr(node, name) for name in {**OPERATIONS, **DISPLAYS}.get(type(node), ())]
    found = [part for given in held for part in (given if isinstance(given, list) else [given])]
    if isinstance(node, n.Call) and isinstance(node.func, n.Attribute):
        found.append(node.func.value)
    return [part.value if isinstance(part, n.keyword) else part for part in found]


def is_simple(node: n.expr, active: Callable[[n.expr], bool]) -> bool:
    """Whether an expression carries nothing, is a place, or one operation on places; a display of such is no operation, nor is a text."""
    if is_place(node, active) or isinstance(node, n.JoinedStr):
        return True
    if type(node) in DISPLAYS:
        return all(is_simple(part, active) for part in operands(node))
    return type(node) in OPERATIONS and all(is_operand(part, active) for part in operands(node))


def is_operand(node: n.expr, active: Callable[[n.expr], bool]) -> bool:
    """Whether an expression carries nothing, is a place, or a display of places."""
    return is_place(node, active) or type(node) in DISPLAYS and all(is_operand(part, active) for part in operands(node))


def is_place(node: n.expr, active: Callable[[n.expr], bool]) -> bool:
    """Whether an expression carries nothing, is a name, or a view of what a name stands for: ``a[1:].T[0]``."""
    while isinstance(node, (n.Subscript, n.Attribute)) and active(node):
        node = node.value
    return isinstance(node, n.Name) or not active(node)
