"""What function an expression applies: ``x @ w``, ``x.sum(0)``, ``x.T``, ``x[1:]`` and ``np.sin(x)`` are all applications."""

from __future__ import annotations

import builtins
import functools
import operator
import types
from typing import Any, NamedTuple

import numpy as np

from ..errors import SourcediffError
from ..rules import Rule, rule_for
from ..rules.calls import of_call
from ..rules.library_objects import RECORDS, Record, record_for, record_of_object
from ..rules.methods import ATTRIBUTES, METHODS, VARIADIC
from ..runtime import arrays
from ..syntax import nodes as n
from ..syntax.function import defaults_of
from ..syntax.quote import expression
from ..syntax.source import read
from .environment.captured import is_user_function
from .literals import constant
from .scope import MISSING, Scope

__all__ = ["METADATA", "METHODS", "OPERATORS", "VARIADIC", "Application", "application", "is_user_function"]

OPERATORS: dict[type, Any] = {
    n.Add: np.add, n.Sub: np.subtract, n.Mult: np.multiply, n.Div: np.true_divide, n.FloorDiv: np.floor_divide, n.Mod: np.remainder,
    n.Pow: np.power, n.MatMult: np.matmul, n.USub: np.negative, n.UAdd: np.positive, n.Invert: np.invert,
    n.BitAnd: np.bitwise_and, n.BitOr: np.bitwise_or, n.BitXor: np.bitwise_xor, n.LShift: np.left_shift, n.RShift: np.right_shift,
}
"""Operator node → the NumPy function that it is on arrays."""

DEEP = 3
"""How many functions are looked into, one within the other, for what they give."""

METADATA = frozenset("shape ndim size dtype nbytes itemsize strides flags".split())


class Application(NamedTuple):
    """A function applied to argument expressions. ``rule`` is None where the table has none."""

    function: Any
    rule: Rule | None
    args: tuple[n.expr, ...]
    kwargs: dict[str, n.expr]


SIGNS: dict[type, str] = {
    n.Add: "add", n.Sub: "sub", n.Mult: "mul", n.Div: "truediv", n.Pow: "pow", n.MatMult: "matmul", n.FloorDiv: "floordiv", n.Mod: "mod",
}
"""Operator node → what its methods are called by."""


def record_of(node: n.AST, scope: Scope) -> Record | None:
    """What is known of an expression as an object of a library's, a spline or a sparse matrix, that is constant; None of all else."""
    if isinstance(node, n.Name) and node.id in scope.records:
        return scope.records[node.id]
    if isinstance(node, n.Name) and node.id not in scope.free:
        return None
    found = scope.resolve(node.func if isinstance(node, n.Call) else node)
    if isinstance(node, n.Call) and isinstance(found, types.FunctionType) and record_for(found) is None:
        looked_into = len(scope.within) < DEEP and is_user_function(found) and found not in scope.within
        return returned_record(found, numbers_given(found, node, scope), (*scope.within, found)) if looked_into else None
    if found is not MISSING:
        return record_for(found) if isinstance(node, n.Call) else record_of_object(found)
    inner = node.func if isinstance(node, n.Call) else node
    if isinstance(inner, n.Attribute) and (owner := record_of(inner.value, scope)) is not None:
        return owner if inner.attr in owner.alike else None
    if isinstance(node, (n.BinOp, n.Subscript, n.UnaryOp)) and RECORDS:
        parts = [node.left, node.right] if isinstance(node, n.BinOp) else [node.value if isinstance(node, n.Subscript) else node.operand]
        if isinstance(node, n.BinOp) and isinstance(node.op, (n.Mult, n.Div)):  # by a number
            scaled = [part for k, part in enumerate(parts) if not is_number(part, scope) or isinstance(node.op, n.Div) and k == 0]
            parts = scaled or parts
        known = [record_of(part, scope) for part in parts]
        first = known[0]
        return first if first is not None and known[-1] is first and "operators" in first.alike else None
    return None


def numbers_given(function: types.FunctionType, call: n.Call, scope: Scope) -> frozenset[str]:
    """The parameters of a function that are given numbers in a call, or have a number as their default."""
    names = function.__code__.co_varnames[:function.__code__.co_argcount]
    given = dict(zip(names, call.args)) | {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None}
    numbers = {name for name, value in defaults_of(function).items() if name not in given and isinstance(value, (int, float))}
    return frozenset(numbers | {name for name, value in given.items() if is_number(value, scope)})


@functools.lru_cache(maxsize=256)
def returned_record(
    function: types.FunctionType, numbers: frozenset[str] = frozenset(), within: tuple[types.FunctionType, ...] = (),
) -> Record | None:
    """What is known of what a function of the user's gives, where each ``return`` gives a constant object of the same library's class;
    ``numbers``: its parameters that are given numbers; ``within``: the functions of whose results it is asked.
    """
    try:
        tree = read(function).tree
    except SourcediffError:
        return None
    scope = Scope()
    scope.within = within
    entries: dict[str, Record | None] = {}
    scope.adopt(tree, function, keep=True)
    scope.numeric |= numbers - {part.id for part in n.walk(tree) if isinstance(part, n.Name) and isinstance(part.ctx, n.Store)}
    found: list[Record | None] = []
    for node in n.walk(tree):
        if isinstance(node, n.Assign):
            known = record_of(node.value, scope)
            for target in node.targets:
                if isinstance(target, n.Name):
                    before = scope.records.get(target.id, known)
                    scope.records[target.id] = known if before is known else None
                elif isinstance(target, n.Subscript) and isinstance(target.value, n.Name):
                    entries[target.value.id] = known if entries.get(target.value.id, known) is known else None
    for node in n.walk(tree):
        if isinstance(node, n.Return):
            value = node.value
            cached = isinstance(value, n.Subscript) and isinstance(value.value, n.Name) and value.value.id in entries
            found.append(None if value is None else entries[value.value.id] if cached else record_of(value, scope))
    return found[0] if found and found[0] is not None and all(each is found[0] for each in found) else None


def is_number(node: n.AST, scope: Scope) -> bool:
    """Whether an expression is a number: a constant, the name of one from outside, a length, or what is computed of these."""
    if isinstance(node, n.BinOp):
        return is_number(node.left, scope) and is_number(node.right, scope)
    if isinstance(node, n.Name) and node.id in scope.numeric:
        return True
    if isinstance(node, n.Subscript) and isinstance(node.value, n.Attribute) and node.value.attr == "shape":
        return isinstance(node.slice, n.Constant)
    value = scope.free[node.id].value if isinstance(node, n.Name) and node.id in scope.free else constant(node)
    return isinstance(value, (int, float))


def method_application(node: n.AST, scope: Scope) -> Application | None:
    """The application of a method that an expression is, of an object of a library's: ``spline(t)``, ``A @ x``, ``lu.solve(b)``."""
    if isinstance(node, n.BinOp) and type(node.op) in SIGNS:
        for side, first, second in (("", node.left, node.right), ("r", node.right, node.left)):
            if (known := record_of(first, scope)) is not None:
                return _made(known.method(f"__{side}{SIGNS[type(node.op)]}__"), (first, second), {})
    if isinstance(node, n.Call) and not any(keyword.arg is None for keyword in node.keywords):
        owner = node.func.value if isinstance(node.func, n.Attribute) else node.func
        if (known := record_of(owner, scope)) is not None:
            function = known.method(node.func.attr if isinstance(node.func, n.Attribute) else "__call__")
            return _made(function, (owner, *node.args), {keyword.arg: keyword.value for keyword in node.keywords})
    return None


def application(node: n.AST, scope: Scope) -> Application | None:
    """The application that an expression is, or None (a name, a constant, a display, a call of something unknown)."""
    if (RECORDS or scope.records) and (found := method_application(node, scope)) is not None:
        return found
    if isinstance(node, n.BinOp):
        return _made(OPERATORS[type(node.op)], (node.left, node.right), {})
    if isinstance(node, n.UnaryOp):
        function = operator.not_ if isinstance(node.op, n.Not) else OPERATORS[type(node.op)]
        return _made(function, (node.operand,), {})
    if isinstance(node, n.Subscript):
        return _made(operator.getitem, (node.value, node.slice), {})
    if isinstance(node, n.Attribute):
        if scope.resolve(node) is not MISSING:
            return None
        function = ATTRIBUTES.get(node.attr)
        return None if function is None else _made(function, (node.value,), {})
    if isinstance(node, n.Call):
        return _called(node, scope)
    return None


def _called(node: n.Call, scope: Scope) -> Application | None:
    kwargs = {keyword.arg: keyword.value for keyword in node.keywords}
    if None in kwargs:
        return None
    if any(isinstance(argument, n.Starred) for argument in node.args):
        if isinstance(node.func, n.Attribute) and node.func.attr in VARIADIC and scope.resolve(node.func) is MISSING:
            return _made(METHODS[node.func.attr], (node.func.value, n.Tuple(elts=list(node.args), ctx=n.Load())), kwargs)
        return None
    function = scope.resolve(node.func)
    if getattr(type(function), "__hash__", None) is None:  # nothing is known of such objects
        return None
    if function is not MISSING:
        if function is builtins.sum and len(node.args) == 1 and not kwargs:
            return _made(np.sum, tuple(node.args), {"axis": expression("0")})
        if function in (builtins.max, builtins.min) and len(node.args) == 1 and not kwargs:
            return _made(arrays.largest if function is builtins.max else arrays.smallest, tuple(node.args), {})
        if function in (builtins.max, builtins.min) and len(node.args) == 2 and not kwargs:
            return _made(np.maximum if function is builtins.max else np.minimum, tuple(node.args), {})
        return _made(function, tuple(node.args), kwargs)
    if isinstance(node.func, n.Attribute) and METHODS.get(node.func.attr) is not None:
        args = tuple(node.args)
        if node.func.attr in VARIADIC and len(args) > 1:
            args = (n.Tuple(elts=list(args), ctx=n.Load()),)
        return _made(METHODS[node.func.attr], (node.func.value, *args), kwargs)
    return None


def _made(function: Any, args: tuple[n.expr, ...], kwargs: dict[str, n.expr]) -> Application:
    if function is np.clip:
        args, kwargs = _clipped(args, kwargs)
    return Application(function, rule_for(function) or of_call(function), args, kwargs)


def _clipped(args: tuple[n.expr, ...], kwargs: dict[str, n.expr]) -> tuple[tuple[n.expr, ...], dict[str, n.expr]]:
    """The arguments of ``np.clip`` under the names of the rule: ``min`` and ``max`` are others, and a bound may be left out."""
    given = {{"min": "a_min", "max": "a_max"}.get(name, name): value for name, value in kwargs.items()}
    missing = {"a_min", "a_max"}.difference(given, ("a", "a_min", "a_max")[:len(args)])
    return args, given | {name: n.Constant(value=None, kind=None) for name in sorted(missing)}
