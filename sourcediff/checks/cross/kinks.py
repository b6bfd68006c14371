"""The kink that lies on a way: a function is run at three points, and the first operation that changes its side is named.

The normal form is run, each call of a function with a kink and each comparison wrapped in one that notes on which side it is. Between two
points on different sides lies the kink.
"""

from __future__ import annotations

import ast
import builtins
import math
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...backends.python import origin
from ...compiler.pipeline import with_unit
from ...compiler.unit import Request
from ...errors import Place, SourcediffError, line_at
from ...runtime.whose_error import pass_on
from ...syntax.unwarned import unwarned
from .copying import Bench
from .listing import Listing
from .reference import normal_form

STEP = 0.02
"""How far to both sides is looked: as far as the differences reach."""


def difference(x: Any, y: Any = 0.0) -> Any:
    return np.subtract(x, y)


def between(x: Any, low: Any = None, high: Any = None) -> Any:
    """Below the interval, in it, above it."""
    return np.stack([np.subtract(x, bound) for bound in (low, high) if bound is not None])


def piece(x: Any, *_: Any) -> Any:
    return np.floor(np.asarray(x) * 2)


def order_of_sides(x: Any, *_: Any, axis: Any = None, **__: Any) -> Any:
    return np.argsort(np.ravel(x) if axis is None else x, axis=-1 if axis is None else axis)


SIDES: dict[Any, Callable[..., Any]] = {
    **dict.fromkeys((np.absolute, np.fabs, builtins.abs, math.fabs, np.sign, np.sqrt, np.cbrt, np.log, math.sqrt, math.log), difference),
    **dict.fromkeys((np.maximum, np.minimum, np.fmax, np.fmin, builtins.max, builtins.min, np.heaviside, np.copysign), difference),
    **dict.fromkeys((np.floor, np.ceil, np.round, np.rint, np.trunc, builtins.round, math.floor, math.ceil), piece),
    **dict.fromkeys((np.max, np.min, np.sort, np.median, np.argmax, np.argmin), order_of_sides),
    np.clip: between,
}
"""A function with kinks → on which side of them its operands are: what changes its sign, or itself, at one."""

CONDITION = "a condition"

COMPARED = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge}


class Noted(NamedTuple):
    """One execution of an operation with a kink: the line of the normal form, what it is called, and on which side it was."""

    line: int
    what: str
    operand: str
    side: Any


class Kink(NamedTuple):
    """A kink, in words, and the user's line."""

    words: str
    place: Place


class Wrapped(ast.NodeTransformer):
    """Puts notes around what has a kink: ``np.abs(x)`` becomes ``_noted(line, 'np.abs', 'x', np.abs, x)``."""

    def __init__(self, namespace: dict[str, Any]):
        self.namespace = namespace

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = ast.unparse(node.func)
        try:
            function = eval(name, self.namespace)
            known = function in SIDES
        except Exception:  # a local name, or something that cannot be looked up
            return node
        if not known or not node.args:
            return node
        labels = [node.lineno, name, ast.unparse(node.args[0])]
        call = ast.Call(ast.Name("_noted", ast.Load()), [*constants(labels), node.func, *node.args], node.keywords)
        return ast.copy_location(call, node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) != 1 or type(node.ops[0]) not in COMPARED:
            return node
        labels = [node.lineno, CONDITION, ast.unparse(node)]
        compare = ast.Constant(type(node.ops[0]).__name__)
        call = ast.Call(ast.Name("_compared", ast.Load()), [*constants(labels), compare, node.left, *node.comparators], [])
        return ast.copy_location(call, node)


def constants(values: list[Any]) -> list[ast.expr]:
    return [ast.Constant(value) for value in values]


def nearest_kink(function: Any, wrt: tuple[str, ...], arguments: Callable[[float], dict[str, Any]]) -> Kink | None:
    """The first kink between the points ``arguments(-h)`` and ``arguments(h)``; None if none is found, or the source cannot be read."""
    try:
        made, listing = with_unit(function, Request(wrt, False, True, mode="forward"), normal_form)
    except SourcediffError:
        return None
    left, middle, right = (sides(made, listing, arguments(step)) for step in (-STEP, 0.0, STEP))
    for before, at, after in zip(left, middle, right):
        if not before[:3] == at[:3] == after[:3]:
            return None  # the runs have parted, and not by what was noted
        where = crossed(before.side, after.side)
        if where is not None:
            return kink(at, where, listing)
    return None


def sides(function: Any, listing: Listing, arguments: dict[str, Any]) -> list[Noted]:
    """What was noted in one run of the normal form."""
    notes: list[Noted] = []

    def noted(line: int, what: str, operand: str, function: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            notes.append(Noted(line, what, operand, SIDES[function](*args, **kwargs)))
        except (TypeError, ValueError):
            pass
        return function(*args, **kwargs)

    def compared(line: int, what: str, operand: str, compare: str, one: Any, other: Any) -> Any:
        notes.append(Noted(line, what, operand, np.subtract(one, other, dtype=float)))
        return next(function for kind, function in COMPARED.items() if kind.__name__ == compare)(one, other)

    tree = ast.fix_missing_locations(Wrapped(function.__globals__).visit(ast.parse(listing.text)))
    namespace = {**function.__globals__, "_noted": noted, "_compared": compared}
    with unwarned():
        code = compile(tree, "<normal form>", "exec")
    exec(code, namespace)
    try:
        with Bench([]).run():
            namespace[function.__name__](*arguments.values())
    except Exception as error:  # outside of its domain: what was noted until then counts
        pass_on(error)
    return notes


def crossed(before: Any, after: Any) -> tuple[int, ...] | None:
    """The place at which a side changes, None if there is none."""
    if np.shape(before) != np.shape(after):
        return None
    changed = np.asarray(np.sign(before) != np.sign(after)) if np.asarray(before).dtype.kind == "f" else np.asarray(before != after)
    return tuple(map(int, np.argwhere(changed)[0])) if changed.any() else None


def kink(noted: Noted, where: tuple[int, ...], listing: Listing) -> Kink:
    """The kink in words, with the user's line."""
    row = listing.text.splitlines()[noted.line - 1]
    user = origin(listing.text, noted.line)
    index = f"[{', '.join(map(str, where))}]" if where and noted.what != "np.clip" else ""
    side = np.asarray(noted.side)[where]
    near = f"within {abs(side):.2g} of" if np.asarray(side).dtype.kind == "f" and side else "at"
    words = f"{noted.operand}{index} lies {near} a kink of {noted.what}"
    if noted.what == CONDITION:
        words = f"it lies {near} the edge of {noted.operand}"
    if user is None:
        return Kink(words, Place(listing.text, noted.line, None, row.strip(), "here"))
    return Kink(words, Place(user.path, user.line, None, line_at(user.path, user.line), "here"))
