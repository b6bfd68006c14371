"""Lift recursive inner functions to functions of their own, which are given what they capture.

>>> from sourcediff.syntax.source import read
>>> from sourcediff.syntax.text import to_source
>>> def series(x, n):
...     def term(k):
...         return 1.0 if k == 0 else x / k * term(k - 1)
...     return sum(term(k) for k in range(n))
>>> source = lifted(read(series))
>>> print("\\n".join(map(to_source, source.tree.body)))
return sum(term(x, k) for k in range(n))
>>> print(to_source(read(source.given["term"][0]).tree))
def term(x, k):
    return 1.0 if k == 0 else x / k * term(x, k - 1)

Then it is a function like any other that calls itself (``linked_calls.py``). What it reads from around it it sees as it is when it is
called from there, as it must, since it may not change any of that.
"""

from __future__ import annotations

import dis
import types
from collections import Counter
from collections.abc import Iterator
from typing import Any

from ...analysis.literals import constant
from ...analysis.scope import MISSING, bound_names, loaded_names
from ...syntax import nodes as n
from ...syntax.making import made
from ...syntax.quote import altered, clone, expression, place, remade
from ...syntax.source import Source

Functions = dict[str, Any]


def lifted(source: Source) -> Source:
    """A function without the inner functions that call themselves, as far as they can be lifted."""
    inner = dict(inner_definitions(source.tree.body))
    if not inner or source.own is not None:
        return source
    reached = reachable_functions({name: loaded_names(own_body(node)) & inner.keys() for name, node in inner.items()})
    again = {name: inner[name] for name in inner if name in reached[name]}
    if not again:
        return source
    moved = {name: inner[name] for name in inner if name not in again and any(name in reached[other] for other in again)}
    outer = sorted({name for node in (*again.values(), *moved.values()) for name in free(node)} & bound_names(source.tree) - inner.keys())
    if not liftable(source.tree, again, moved, outer):
        return source

    def with_outer(node: Any) -> Any:
        node = remade(node, with_outer)
        if isinstance(node, n.Call) and isinstance(node.func, n.Name) and node.func.id in again:
            return altered(node, args=[*(place(expression(name), node) for name in outer), *node.args])
        return node

    cells = {name: types.CellType() for name in again}
    for name, node in again.items():
        args = altered(node.args, args=[*map(as_parameter, outer), *node.args.args], defaults=[])
        body = [*map(clone, moved.values()), *map(with_outer, node.body)]
        tree = altered(node, args=args, body=body)
        function = made(tree, source.function, cells)
        function.__defaults__ = tuple(map(constant, node.args.defaults))
        function.__qualname__ = f"{source.function.__qualname__}.<locals>.{name}"
        function.__dict__["__tree__"] = source._replace(tree=tree)
        cells[name].cell_contents = function
        if bound_names(source.tree) & globals_of(function.__code__):
            return source  # a name means different things in it
    functions = {name: cell.cell_contents for name, cell in cells.items()}
    holder = types.FunctionType((lambda: None).__code__, functions)
    holder.__dict__["__holds__"] = source.function
    tree = altered(source.tree, body=[with_outer(node) for node in source.tree.body if getattr(node, "name", "") not in again])
    return source._replace(tree=tree, given={**source.given, **{name: (function, holder, name) for name, function in functions.items()}})


def inner_definitions(body: list[n.stmt]) -> Iterator[tuple[str, Any]]:
    """The functions that the statements of a body define, lambdas with a name too."""
    for node in body:
        if isinstance(node, n.FunctionDef):
            yield node.name, node
        elif isinstance(node, n.Assign) and isinstance(node.value, n.Lambda) and len(node.targets) == 1:
            if isinstance(node.targets[0], n.Name):
                yield node.targets[0].id, node


def own_body(node: Any) -> n.AST:
    """What a function computes: of ``f = lambda …`` the lambda."""
    return node.value if isinstance(node, n.Assign) else node


def free(node: Any) -> set[str]:
    """The names that a function reads and does not bind."""
    return loaded_names(own_body(node)) - bound_names(own_body(node))


def reachable_functions(calls: dict[str, set[str]]) -> dict[str, set[str]]:
    """For each function those that it may come to call."""
    found = {name: set(called) for name, called in calls.items()}
    grown = True
    while grown:
        grown = False
        for called in found.values():
            more = set().union(*(found[name] for name in called)) - called
            called |= more
            grown = grown or bool(more)
    return found


def liftable(tree: n.FunctionDef, again: Functions, moved: Functions, outer: list[str]) -> bool:
    """Whether functions mean the same outside: they are only called, and what they read from around them is there at each call."""
    counts = Counter(part.id for part in n.walk(tree) if isinstance(part, n.Name) and isinstance(part.ctx, n.Store))
    counts.update(part.name for part in n.walk(tree) if isinstance(part, n.FunctionDef))
    inside = [*again.values(), *moved.values()]
    if any(counts[name] != 1 for name in (*again, *moved)) or not all(map(plainly_defined, inside)):
        return False
    if any(type(part).__name__ in ("Nonlocal", "Global", "Yield", "YieldFrom") for node in inside for part in n.walk(node)):
        return False
    calls = [part for part in n.walk(tree) if isinstance(part, n.Call) and isinstance(part.func, n.Name) and part.func.id in again]
    called = {part.func for part in calls}
    if any(isinstance(part, n.Name) and part.id in again and part not in called for part in n.walk(tree)):
        return False
    given = [part for call in calls for part in (*call.args, *call.keywords)]
    if any(isinstance(part, n.Starred) or isinstance(part, n.keyword) and part.arg is None for part in given):
        return False
    bound = {part.id for part in n.walk(tree.args) if isinstance(part, n.Name)}
    for node in tree.body:
        if node not in inside and loaded_names(node) & again.keys():
            break
        bound |= bound_names(node) if isinstance(node, n.Assign) else set()
    around = [part for part in n.walk(tree) if isinstance(part, n.SCOPES) and part is not tree and names_called(part) & again.keys()]
    return set(outer) <= bound and not any(bound_names(part) & set(outer) for part in around)


def names_called(node: n.AST) -> set[str]:
    return {part.func.id for part in n.walk(node) if isinstance(part, n.Call) and isinstance(part.func, n.Name)}


def plainly_defined(node: Any) -> bool:
    """Whether a function is given its arguments by position or name, with defaults that are literals."""
    args = own_body(node).args  # type: ignore[attr-defined]
    defaults = [*args.defaults, *(part for part in args.kw_defaults if part is not None)]
    literal = all(constant(part) is not MISSING for part in defaults)
    return not (getattr(node, "decorator_list", []) or args.vararg or args.kwarg or args.posonlyargs or args.kwonlyargs) and literal


def globals_of(code: types.CodeType) -> set[str]:
    """The names that a code, and those within, read as globals."""
    inner = [part for part in code.co_consts if isinstance(part, types.CodeType)]
    own = {step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"}
    return own.union(*map(globals_of, inner))


def as_parameter(name: str) -> n.expr:
    """A name as a parameter."""
    node = expression(name)
    node.ctx = n.Param()
    return node
