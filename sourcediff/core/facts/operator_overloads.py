"""Where objects come from that operators mean something else on: masked arrays, sparse matrices, objects of classes with ``__mul__``.

They are read of a module, an object or a container, made by a call, or computed from one another.
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...analysis.abstract import (
    COLUMN,
    FOREIGN,
    MATRIX,
    SPARSE,
    SPARSE_MATRIX,
    TABLE,
    UNKNOWN,
    Abstract,
    is_overloaded,
    is_sparse,
    item_of,
    joined_all,
)
from ...analysis.abstraction import abstract
from ...analysis.bindings import is_method
from ...analysis.environment.captured import current, defaults_of, is_user_function
from ...analysis.environment.reads import names_of
from ...analysis.literals import constant
from ...analysis.scope import MISSING, Scope
from ...analysis.source.out_arguments import among
from ...rules import rule_for
from ...runtime.arrays.library import is_array_class, is_plain_class
from ...runtime.user_objects import computes
from ...syntax import nodes as n
from ...syntax.source import read
from .evaluator import Evaluator

MATRICES = (np.asmatrix, np.bmat)
"""Functions of NumPy's that give a matrix, for which ``*`` is the matrix product."""

OPERATORS = ("aslinearoperator", "expm", "inv", "matrix_power")
"""Functions of ``scipy.sparse.linalg`` that give no plain array."""

PLAIN = "compressed count filled find getdata getmask getmaskarray is_masked isMaskedArray issparse isspmatrix".split()
"""Functions of ``numpy.ma`` and ``scipy.sparse`` that give plain arrays, or numbers."""

NUMBERS = "average max mean median min prod ptp std sum var".split()
"""Those that give a number, if they are given nothing but an array."""

ALIKE = (
    "asfptype astype conj conjugate copy cumsum cumprod flatten getcol getrow multiply power ravel reshape round squeeze swapaxes T H mT "
    "todense tobsr tocoo tocsc tocsr todia todok tolil transpose view"
).split()
"""Attributes and methods that give another object of this kind."""

HANDING = (builtins.max, builtins.min, builtins.next, builtins.iter, builtins.sum)
"""Functions that give what they are given, or what is in that."""


def foreign(node: n.expr, values: Evaluator, environment: Mapping[str, Abstract]) -> Abstract:
    """What is known of an expression that may give such an object, or a container or an object that holds one; UNKNOWN of all else."""
    if (found := _data_of_table(node, values, environment)) is not None:
        return found
    if isinstance(node, n.BoolOp):
        return FOREIGN if any(is_overloaded(values.of(part, environment)) for part in node.values) else UNKNOWN
    if isinstance(node, n.Attribute):
        return _attribute(node, values, environment)
    if isinstance(node, n.Subscript):
        owner = values.of(node.value, environment)
        if owner == COLUMN:  # an entry by its label, or a part of it
            return owner
        return UNKNOWN if isinstance(constant(node.slice), str) else item_of(owner) if owner.kind == "foreign" else UNKNOWN
    if isinstance(node, n.BinOp):
        sides = [values.of(side, environment) for side in (node.left, node.right)]
        product = isinstance(node.op, n.MatMult) and any(map(is_sparse, sides)) or isinstance(node.op, n.Mult) and any(
            side.items == SPARSE_MATRIX.items for side in sides)
        if product and not all(map(is_overloaded, sides)):
            return UNKNOWN  # a plain array
        return _like_object(sides)
    if isinstance(node, n.UnaryOp) and not isinstance(node.op, n.Not):
        return _like_object([values.of(node.operand, environment)])
    return _of_call(node, values, environment) if isinstance(node, n.Call) else UNKNOWN


def _data_of_table(node: n.expr, values: Evaluator, environment: Mapping[str, Abstract]) -> Abstract | None:
    """What is known of ``t["x"].to_numpy()``, ``t.values``, ``np.asarray(t["x"])``: arrays of a table's numbers; None of all else."""
    function = values.scope.resolve(node.func) if isinstance(node, n.Call) else MISSING
    if isinstance(node, n.Call) and len(node.args) == 1 and not node.keywords and among(function, (np.asarray, np.array)):
        of = node.args[0]
    elif is_method(node, "to_numpy", 0):
        of = node.func.value  # type: ignore[attr-defined]
    elif isinstance(node, n.Attribute) and node.attr == "values":
        of = node.value
    else:
        return None
    index: n.expr = of
    while isinstance(index, n.Attribute) and index.attr != "index":
        index = index.value
    if isinstance(index, n.Attribute) and values.of(index.value, environment).items in (TABLE.items, COLUMN.items):
        return Abstract("array", None, (None,))  # t.index.year.to_numpy()
    column = isinstance(of, n.Subscript) and isinstance(constant(of.slice), str)
    table = values.of(of.value if column else of, environment)  # type: ignore[attr-defined]
    return Abstract("array", table.dtype, (None,) * (1 if column else 2)) if table.items == TABLE.items else None


def _like_object(values: list[Abstract]) -> Abstract:
    """What an operator gives."""
    otherwise = FOREIGN if any(map(is_overloaded, values)) else UNKNOWN
    values = [MATRIX if value.items == TABLE.items else value for value in values]
    return next((kind for kind in (SPARSE, SPARSE_MATRIX, MATRIX, COLUMN) if kind in values), otherwise)


def _attribute(node: n.Attribute, values: Evaluator, environment: Mapping[str, Abstract]) -> Abstract:
    found = values.scope.resolve(node)
    if found is not MISSING:
        return _kept(abstract(found, ""))
    owner = values.of(node.value, environment)
    if owner.kind == "object":
        return _kept(dict(owner.items[1]).get(node.attr, UNKNOWN))
    return owner if owner.kind == "foreign" and node.attr in ALIKE else UNKNOWN


def _kept(value: Abstract) -> Abstract:
    """What is known of a value, if it holds such an object; UNKNOWN of all else."""
    return value if holds(value) else UNKNOWN


def holds(value: Any) -> bool:
    """Whether a value is such an object, or a container or an object that holds one."""
    if isinstance(value, Abstract):
        return is_overloaded(value) or value.kind != "function" and holds(value.items)
    return isinstance(value, tuple) and any(map(holds, value))


def _of_call(node: n.Call, values: Evaluator, environment: Mapping[str, Abstract]) -> Abstract:
    function = values.scope.resolve(node.func)
    if function is MISSING:
        return _of_method(node, values, environment) if isinstance(node.func, n.Attribute) else UNKNOWN
    if isinstance(function, type) and function is not np.memmap and (computes(function) or is_array_class(function)):
        return UNKNOWN if is_plain_class(function) else _kind_of_overload(function, MATRIX if is_array_class(function) else FOREIGN)
    if among(function, MATRICES) or _makes(function, node):
        return _kind_of_overload(function, MATRIX)
    if is_user_function(function):
        return _returned(function, node, values, environment)
    if function is builtins.getattr and len(node.args) > 1 and isinstance(name := constant(node.args[1]), str):
        return values.of(n.Attribute(value=node.args[0], attr=name, ctx=n.Load()), environment)
    rule = rule_for(function)
    entrywise = isinstance(function, np.ufunc) or rule is not None and rule.kind == "elementwise" and function is not np.where
    if among(function, HANDING) or entrywise:
        given = [values.of(part, environment) for part in (*node.args, *(keyword.value for keyword in node.keywords))]
        return _like_object([*given, *map(item_of, given)])
    return UNKNOWN


def _kind_of_overload(function: Any, otherwise: Abstract) -> Abstract:
    """What a function or a class gives that makes such objects."""
    return SPARSE if str(getattr(function, "__module__", "")).startswith("scipy.sparse") else otherwise


def _makes(function: Any, node: n.Call) -> bool:
    """Whether a function of NumPy's or SciPy's gives a masked array, or a sparse matrix."""
    name = getattr(function, "__name__", "")
    modules = [str(module) for module in (getattr(function, "__module__", ""), type(function).__module__)]
    if any(module.startswith("numpy.ma.") for module in modules):
        return name not in PLAIN and not (name in NUMBERS and len(node.args) == 1 and not node.keywords)
    if modules[0].startswith("scipy.sparse.linalg"):
        return name in OPERATORS
    return modules[0].startswith("scipy.sparse") and not modules[0].startswith("scipy.sparse.csgraph") and name not in PLAIN


def _of_method(node: Any, values: Evaluator, environment: Mapping[str, Abstract]) -> Abstract:
    """What a method gives: of a container what is in it, of such an object another one."""
    name, owner = node.func.attr, values.of(node.func.value, environment)
    if name == "view" and any(isinstance(kind := values.scope.resolve(part), type) and computes(kind) for part in node.args):
        return MATRIX
    if owner.kind == "foreign":
        return owner if name in ALIKE else UNKNOWN
    if owner.kind not in ("mapping", "sequence") or not holds(owner):
        return UNKNOWN
    items = item_of(owner)
    if name in ("values", "copy"):
        return Abstract("sequence", items=items) if name == "values" else owner
    if name == "items":
        return Abstract("sequence", items=Abstract("sequence", items=(UNKNOWN, items)))
    if name in ("get", "pop", "setdefault") and node.args:
        key = constant(node.args[0])
        given = [values.of(part, environment) for part in node.args[1:]] if name != "pop" or owner.kind == "mapping" else []
        return joined_all((items if key is MISSING else item_of(owner, key), *given))
    return UNKNOWN


def _returned(function: Any, node: n.Call, values: Evaluator, environment: Mapping[str, Abstract]) -> Abstract:
    """What a function of the user's gives, if it reads such an object or is given one."""
    given = [_kept(values.of(part, environment)) for part in node.args]
    named = {keyword.arg: _kept(values.of(keyword.value, environment)) for keyword in node.keywords if keyword.arg}
    outside = {name: current(function, name) for name in names_of(function.__code__)}
    outside |= {f"{owner}.{name}": getattr(module, name, None) for owner, module in list(outside.items())
                if type(module) is type(np) and not str(module.__name__).startswith(("numpy", "scipy")) for name in outside}
    read_here = [*outside.values(), *defaults_of(function).values()]
    if function in values.within or not any(map(holds, (*given, *named.values()))) and not any(holds(abstract(v, "")) for v in read_here):
        return UNKNOWN
    tree, scope = read(function).tree, Scope()
    scope.adopt(tree, function, keep=True)
    inner = type(values)(scope, (*values.within, function))
    parameters = [part.id for part in (*tree.args.posonlyargs, *tree.args.args)]
    known = {name: abstract(value, name) for name, value in defaults_of(function).items()}
    inner.block(tree.body, known | dict(zip(parameters, given)) | named)
    returns = [part for part in inner.before if isinstance(part, n.Return) and part.value is not None]
    return _kept(joined_all(tuple(inner.of(part.value, inner.before[part]) for part in returns)))
