"""How many operations on numbers a program performs: its text is run with a counter around every operator and call.

Counted is what gives a float or an array (or writes to one): ``x @ w``, ``np.sin(x)``, ``u.copy()``, ``u[1:-1] += t``; not
``k + 1`` on Python ints, not an index, not ``len(r)``. A helper of the library counts for what it calls in turn.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from sourcediff.runtime import arrays, structures


class Counter:
    """Counts results that are floats or arrays."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, result: Any) -> Any:
        parts = result if isinstance(result, (tuple, list)) else [result]
        self.count += any(isinstance(part, (float, np.generic, np.ndarray)) for part in parts)
        return result


class _Wrap(ast.NodeTransformer):
    """``a + b`` becomes ``_counted(a + b)``, and likewise calls; ``a += b`` is followed by ``_counted(a)``.

    Methods of lists (``saved.pop()``) hand out what is there already and are not counted; nor are functions that are
    counted inside.
    """

    def __init__(self, inside: set[str]):
        self.inside = inside

    def wrapped(self, node: ast.expr) -> ast.expr:
        self.generic_visit(node)
        return ast.Call(func=ast.Name(id="_counted", ctx=ast.Load()), args=[node], keywords=[])

    visit_BinOp = visit_Compare = wrapped

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        return node if isinstance(node.operand, ast.Constant) else self.wrapped(node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        called = node.func
        known = isinstance(called, ast.Name) and called.id in {*self.inside, "reversed", "range", "enumerate", "zip"}
        if known or isinstance(called, ast.Attribute) and called.attr in ("append", "pop"):
            self.generic_visit(node)
            return node
        return self.wrapped(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        node.value = self.visit(node.value)
        read = ast.parse(ast.unparse(node.target), mode="eval").body
        seen = ast.Expr(ast.Call(func=ast.Name(id="_counted", ctx=ast.Load()), args=[read], keywords=[]))
        return [node, seen]


def _executed(text: str, inside: set[str], counter: Counter, names: dict[str, Any]) -> dict[str, Any]:
    tree = ast.fix_missing_locations(_Wrap(inside).visit(ast.parse(text)))
    namespace = {**names, "_counted": counter}
    exec(compile(tree, "<counted>", "exec"), namespace)
    return namespace


def _helpers(counter: Counter) -> dict[str, Any]:
    """The functions that generated code may call, counted inside."""
    helpers: dict[str, Any] = {}
    for module in (arrays, structures):
        own = {name for name, value in vars(module).items() if inspect.isfunction(value)}
        text = inspect.getsource(module).replace("from __future__ import annotations", "")
        names = _executed(text, own, counter, {"__name__": module.__name__, "__package__": module.__package__})
        helpers |= {name: names[name] for name in own}
    return helpers


def count(text: str, name: str, args: tuple[Any, ...]) -> int:
    """The operations of one call of the function ``name`` that ``text`` defines.

    >>> count("def f(x, n):\\n    for k in range(n):\\n        x = x * 2.0\\n    return np.sum(x)", "f", (np.ones(3), 4))
    5
    """
    counter = Counter()
    helpers = _helpers(counter)
    called = {function.name for function in ast.walk(ast.parse(text)) if isinstance(function, ast.FunctionDef)}
    lines = [line for line in text.splitlines() if not line.startswith(("from sourcediff", "import sourcediff"))]
    namespace = _executed("\n".join(lines), called | set(helpers), counter, {"np": np, **helpers})
    counter.count = 0
    namespace[name](*args)
    return counter.count


def count_function(function: Callable[..., Any], args: tuple[Any, ...]) -> int:
    """The operations of one call of a function that was written by hand."""
    return count(inspect.getsource(function), function.__name__, args)
