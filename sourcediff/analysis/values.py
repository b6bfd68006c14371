"""Abstract interpretation: the abstract value of every name before every statement, and of every expression there."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .. import arrays
from ..rules import rule_for
from ..syntax import nodes as n
from .abstract import (
    BOOL,
    FLOAT,
    INT,
    STATIC,
    UNKNOWN,
    Abstract,
    Dim,
    Length,
    abstract,
    broadcast,
    item_of,
    joined,
    joined_environments,
    sampled,
)
from .applications import Application, application
from .scope import MISSING, Scope

Environment = dict[str, Abstract]


class Values:
    """The facts: ``before[statement]`` is the environment that a statement starts in."""

    def __init__(self, scope: Scope):
        self.scope = scope
        self.before: dict[n.stmt, Environment] = {}
        self.after: dict[n.stmt, Environment] = {}

    def block(self, body: list[n.stmt], environment: Environment) -> Environment:
        """Interpret a block; the environment after it."""
        for statement in body:
            self.before[statement] = environment
            environment = self._statement(statement, dict(environment))
            self.after[statement] = environment
        return environment

    def _statement(self, node: n.stmt, environment: Environment) -> Environment:
        if isinstance(node, n.Assign):
            self._bind(node.targets[0], self.of(node.value, environment), environment)
        elif isinstance(node, n.AugAssign) and isinstance(node.target, n.Name):
            old = environment.get(node.target.id, UNKNOWN)
            new = self.of(n.BinOp(left=n.Name(id=node.target.id, ctx=n.Load(), annotation=None, type_comment=None), op=node.op, right=node.value), environment)
            environment[node.target.id] = old if old.kind == "array" else new if old.scalar else joined(old, new)
        elif isinstance(node, n.If):
            then, other = self.block(node.body, dict(environment)), self.block(node.orelse, dict(environment))
            environment = joined_environments(then, other)
        elif isinstance(node, (n.For, n.While)):
            environment = self._loop(node, environment)
        return environment

    def _loop(self, node: n.For | n.While, environment: Environment) -> Environment:
        while True:  # to a fixpoint: joining only ever forgets, so it ends
            start = dict(environment)
            if isinstance(node, n.For):
                self._bind(node.target, iterated(self.of(node.iter, start), node.iter, self, start), start)
            end = self.block(node.body, start)
            new = joined_environments(environment, {**environment, **{name: end[name] for name in end}})
            if new == environment:
                return environment
            environment = new

    def _bind(self, target: n.expr, value: Abstract, environment: Environment) -> None:
        if isinstance(target, n.Name):
            environment[target.id] = value
        elif isinstance(target, (n.Tuple, n.List)):
            for position, part in enumerate(target.elts):
                self._bind(part, item_of(value, position), environment)

    # -- expressions ----------------------------------------------------------------------------------------------------

    def of(self, node: n.expr, environment: Mapping[str, Abstract]) -> Abstract:
        """The abstract value of an expression in an environment."""
        if isinstance(node, n.Name):
            if node.id in environment:
                return environment[node.id]
            found = self.scope.lookup(node.id)
            return UNKNOWN if found is MISSING else abstract(found, node.id)
        if isinstance(node, n.Constant):
            return abstract(node.value, "") if not isinstance(node.value, int) or isinstance(node.value, bool) else INT._replace(length=node.value)
        if isinstance(node, n.Compare) and len(node.ops) == 1 and not isinstance(node.ops[0], (n.In, n.NotIn, n.Is, n.IsNot)):
            return self._elementwise(np.less, [node.left, node.comparators[0]], environment, BOOL)
        if isinstance(node, (n.Compare, n.BoolOp)):
            return BOOL if isinstance(node, n.Compare) else UNKNOWN
        if isinstance(node, n.IfExp):
            return joined(self.of(node.body, environment), self.of(node.orelse, environment))
        if isinstance(node, (n.Tuple, n.List)):
            return Abstract("sequence", items=tuple(self.of(part, environment) for part in node.elts))
        if isinstance(node, n.Dict):
            keys = [key.value if isinstance(key, n.Constant) else None for key in node.keys]
            return Abstract("mapping", items=tuple((key, self.of(value, environment)) for key, value in zip(keys, node.values)))
        if isinstance(node, n.Attribute) and node.attr in ("shape", "ndim", "size"):
            return self._metadata(node.attr, self.of(node.value, environment))
        applied = application(node, self.scope)
        return UNKNOWN if applied is None else self._applied(node, applied, environment)

    def _metadata(self, attribute: str, value: Abstract) -> Abstract:
        if attribute == "shape" and value.rank is not None:
            return Abstract("sequence", items=tuple(INT._replace(length=dim) for dim in value.dims))
        return INT if attribute != "shape" else UNKNOWN

    def _applied(self, node: n.expr, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
        function = applied.function
        if function is operator.getitem:
            return indexed(self.of(applied.args[0], environment), applied.args[1], self, environment)
        shape = SHAPES.get(function) if applied.args else None
        if shape is not None:
            return shape(self, applied, environment)
        if function in (np.add, np.subtract) and isinstance(node, n.BinOp):
            left, right = self.of(node.left, environment), self.of(node.right, environment)
            if left.kind == right.kind == "python" and isinstance(left.length, Length) and isinstance(right.length, int):
                minus = left.length.minus + (right.length if function is np.subtract else -right.length)
                return INT._replace(length=Length(left.length.symbol, minus) if minus >= 0 and right.length >= 0 else None)
        rule = applied.rule
        if (rule is not None and rule.kind == "elementwise" or isinstance(function, np.ufunc) and function.signature is None) and not applied.kwargs:
            return self._elementwise(function, list(applied.args), environment, None, node)
        if rule is not None and rule.kind == "reduction":
            return self._reduced(applied, environment)
        return UNKNOWN

    def _elementwise(self, function: Any, operands: list[n.expr], environment: Mapping[str, Abstract], scalar: Abstract | None, node: Any = None) -> Abstract:
        values = [self.of(operand, environment) for operand in operands]
        if any(value.rank is None or value.dtype is None for value in values):
            if any(value.kind not in ("array", "python", "numpy") for value in values):
                return UNKNOWN
            if not all(value.scalar for value in values):
                return Abstract("array", None, broadcast(*(value.dims for value in values)))
            return Abstract("numpy")
        called = PYTHON.get(type(node.op), function) if isinstance(node, (n.BinOp, n.UnaryOp)) else function
        result = sampled(called, tuple((value.kind, value.dtype, len(value.dims)) for value in values))
        if scalar is not None and all(value.kind == "python" for value in values):
            return scalar
        return result._replace(dims=broadcast(*(value.dims for value in values))) if result.kind == "array" else result

    def _reduced(self, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
        assert applied.rule is not None
        if not applied.args:
            return UNKNOWN
        value = self.of(applied.args[0], environment)
        if value.kind != "array" or value.dtype is None:
            return Abstract("numpy", value.dtype) if value.scalar else UNKNOWN
        dtype = value.dtype if value.floating else None
        given = dict(zip(list(applied.rule.parameters), applied.args)) | applied.kwargs
        axis, keepdims = (constant(given.get(name), default) for name, default in (("axis", None), ("keepdims", False)))
        if axis is MISSING or keepdims is MISSING:
            return UNKNOWN
        axes = tuple(range(len(value.dims))) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        if not all(-len(value.dims) <= a < len(value.dims) for a in axes):
            return UNKNOWN
        axes = tuple(a % len(value.dims) for a in axes)
        if keepdims:
            return Abstract("array", dtype, tuple(1 if a in axes else dim for a, dim in enumerate(value.dims)))
        dims = tuple(dim for a, dim in enumerate(value.dims) if a not in axes)
        return Abstract("array", dtype, dims) if dims else Abstract("numpy", dtype)


PYTHON: dict[type, Any] = {
    n.Add: operator.add, n.Sub: operator.sub, n.Mult: operator.mul, n.Div: operator.truediv, n.FloorDiv: operator.floordiv,
    n.Mod: operator.mod, n.Pow: operator.pow, n.USub: operator.neg, n.UAdd: operator.pos,
}


def constant(node: n.expr | None, default: Any = MISSING) -> Any:
    """The value of a literal (numbers, None, tuples of these), MISSING if it is none."""
    if node is None:
        return default
    if isinstance(node, n.Constant):
        return node.value
    if isinstance(node, n.UnaryOp) and isinstance(node.op, n.USub) and isinstance(node.operand, n.Constant):
        return -node.operand.value
    if isinstance(node, (n.Tuple, n.List)):
        parts = tuple(constant(part) for part in node.elts)
        return MISSING if MISSING in parts else parts
    return MISSING


def iterated(value: Abstract, node: n.expr, values: Values, environment: Mapping[str, Abstract]) -> Abstract:
    """The abstract value of what a loop over an expression binds its target to."""
    if isinstance(node, n.Call):
        function = values.scope.resolve(node.func)
        if function is builtins.range:
            return INT
        if function is builtins.enumerate and node.args:
            inner = iterated(values.of(node.args[0], environment), node.args[0], values, environment)
            return Abstract("sequence", items=(INT, inner))
        if function is builtins.zip:
            return Abstract("sequence", items=tuple(iterated(values.of(part, environment), part, values, environment) for part in node.args))
        if function in (builtins.reversed, builtins.list) and node.args:
            return iterated(values.of(node.args[0], environment), node.args[0], values, environment)
    if value.kind == "array" and value.dims:
        return Abstract("array", value.dtype, value.dims[1:]) if len(value.dims) > 1 else Abstract("numpy", value.dtype)
    return item_of(value) if value.kind == "sequence" else STATIC if value.kind == "mapping" else UNKNOWN


def indexed(value: Abstract, index: n.expr, values: Values, environment: Mapping[str, Abstract]) -> Abstract:
    """The abstract value of ``value[index]``."""
    if value.kind in ("sequence", "mapping"):
        key = constant(index)
        if isinstance(index, n.Slice):
            return Abstract("sequence", items=item_of(value))
        return item_of(value, None if key is MISSING else key)
    if value.kind != "array":
        return UNKNOWN
    parts = list(index.elts) if isinstance(index, n.Tuple) else [index]
    consumed = [part for part in parts if not (isinstance(part, n.Constant) and part.value in (None, Ellipsis)) and not _newaxis(part, values)]
    dims: list[Dim] = []
    source = list(value.dims)
    if len(consumed) > len(source):
        return UNKNOWN
    for part in parts:
        if isinstance(part, n.Constant) and part.value is Ellipsis:
            rest = len(consumed) - sum(1 for p in parts[: parts.index(part)] if p in consumed)
            keep = len(source) - rest
            dims += source[:keep]
            source = source[keep:]
        elif _newaxis(part, values):
            dims.append(1)
        elif isinstance(part, n.Slice):
            dims.append(sliced(source.pop(0), part))
        else:
            kind = values.of(part, environment)
            if not (kind.scalar and kind.dtype is not None and kind.dtype.kind in "iu"):
                return UNKNOWN if kind.kind != "array" or len(parts) > 1 else _gathered(value, kind)
            source.pop(0)
    dims += source
    if dims or any(isinstance(part, n.Constant) and part.value is Ellipsis for part in parts):
        return Abstract("array", value.dtype, tuple(dims))
    return Abstract("numpy", value.dtype)


def _gathered(value: Abstract, index: Abstract) -> Abstract:
    if index.dtype is not None and index.dtype.kind in "iu":
        return Abstract("array", value.dtype, index.dims + value.dims[1:])
    if index.dtype is not None and index.dtype.kind == "b":
        return Abstract("array", value.dtype, (None, *value.dims[len(index.dims):]))
    return UNKNOWN


def _newaxis(part: n.expr, values: Values) -> bool:
    if isinstance(part, n.Constant):
        return part.value is None
    return isinstance(part, n.Attribute) and part.attr == "newaxis"


def sliced(dim: Dim, part: n.Slice) -> Dim:
    """The length of a slice with literal bounds and step 1; None where it is not known."""
    lower, upper, step = constant(part.lower, None), constant(part.upper, None), constant(part.step, None)
    if step == -1 and lower is None and upper is None:
        return dim
    if step not in (None, 1) or not isinstance(dim, (Length, int)) or MISSING in (lower, upper):
        return None
    if lower is None and upper is None:
        return dim
    if isinstance(dim, int):
        return len(range(dim)[slice(lower, upper)])
    start = 0 if lower is None else lower
    stop = 0 if upper is None else upper
    if not isinstance(start, int) or not isinstance(stop, int) or start < 0 or stop > 0 or (upper is not None and upper >= 0):
        return None
    return Length(dim.symbol, dim.minus + start - stop)


# -- shapes of the functions that are neither elementwise nor reductions: function → abstract value of the call -------------

Shape = Callable[[Values, Application, Mapping[str, Abstract]], Abstract]


def _same(values: Values, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """The shape and dtype of the first argument."""
    value = values.of(applied.args[0], environment)
    if applied.kwargs or len(applied.args) > 1:
        return Abstract("array", None, value.dims) if value.kind == "array" else UNKNOWN
    return value if value.kind == "array" else UNKNOWN


def _created(values: Values, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.zeros(shape)`` and its like."""
    dtype = applied.kwargs.get("dtype", applied.args[1] if len(applied.args) > 1 else None)
    found = np.dtype(float) if dtype is None else _dtype(values.scope.resolve(dtype))
    shape = values.of(applied.args[0], environment) if applied.args else UNKNOWN
    if shape.kind == "python":
        return Abstract("array", found, (shape.length if shape.length != 1 else 1,))
    if shape.kind == "sequence" and isinstance(shape.items, tuple):
        return Abstract("array", found, tuple(item.length for item in shape.items))
    return UNKNOWN


def _dtype(found: Any) -> Any:
    try:
        return None if found is MISSING else np.dtype(found)
    except TypeError:
        return None


def _transposed(values: Values, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    value = values.of(applied.args[0], environment)
    if value.kind != "array":
        return UNKNOWN
    given = list(applied.args[1:]) + list(applied.kwargs.values())
    axes = constant(given[0], None) if given else None
    if axes is MISSING or axes is not None and len(axes) != len(value.dims):
        return Abstract("array", value.dtype, (None,) * len(value.dims))
    order = range(len(value.dims))[::-1] if axes is None else axes
    return Abstract("array", value.dtype, tuple(value.dims[axis] for axis in order))


def _product(values: Values, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``@`` and ``np.dot`` up to two dimensions."""
    if len(applied.args) != 2 or applied.kwargs:
        return UNKNOWN
    x, y = (values.of(argument, environment) for argument in applied.args)
    if x.kind != "array" or y.kind != "array" or not 1 <= len(x.dims) <= 2 or not 1 <= len(y.dims) <= 2:
        return UNKNOWN
    dtype = np.result_type(x.dtype, y.dtype) if x.dtype is not None and y.dtype is not None else None
    dims = x.dims[:-1] + (y.dims[1:] if len(y.dims) == 2 else ())
    return Abstract("array", dtype, dims) if dims else Abstract("numpy", dtype)


def _outer(values: Values, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    x, y = (values.of(argument, environment) for argument in applied.args[:2])
    if x.kind != "array" or y.kind != "array" or len(x.dims) != 1 or len(y.dims) != 1 or x.dtype is None or y.dtype is None:
        return UNKNOWN
    return Abstract("array", np.result_type(x.dtype, y.dtype), x.dims + y.dims)


def _where(values: Values, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    parts = [values.of(argument, environment) for argument in applied.args]
    if len(parts) != 3 or any(part.rank is None or part.dtype is None for part in parts):
        return UNKNOWN
    kinds = tuple((part.kind, part.dtype, len(part.dims)) for part in parts)
    return sampled(np.where, kinds)._replace(dims=broadcast(*(part.dims for part in parts)))


def _inverse(values: Values, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    value = values.of(applied.args[-1], environment)
    return value if value.kind == "array" and value.floating else UNKNOWN


def _square(values: Values, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.eye(n)``."""
    size = values.of(applied.args[0], environment)
    if len(applied.args) > 1 or applied.kwargs:
        return Abstract("array", None, (None, None))
    return Abstract("array", np.dtype(float), (size.length, size.length))


def _diagonal(values: Values, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.diag``: a matrix of a vector, the diagonal of a matrix."""
    value = values.of(applied.args[0], environment)
    if value.rank == 1 and len(applied.args) == 1 and not applied.kwargs:
        return Abstract("array", value.dtype, (value.dims[0], value.dims[0]))
    return Abstract("array", value.dtype, (None,) * (3 - value.rank)) if value.rank in (1, 2) else UNKNOWN


def _filled(values: Values, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.full(shape, value)``."""
    shape = values.of(applied.args[0], environment)
    dtype = values.of(applied.args[1], environment).dtype if len(applied.args) == 2 and not applied.kwargs else None
    if shape.kind == "python":
        return Abstract("array", dtype, (shape.length,))
    return Abstract("array", dtype, tuple(item.length for item in shape.items)) if isinstance(shape.items, tuple) else UNKNOWN


def _reshaped(values: Values, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.reshape(a, shape)``: the lengths that the shape says, where it does not say -1."""
    value = values.of(applied.args[0], environment)
    shape = values.of(applied.args[1], environment) if len(applied.args) == 2 else UNKNOWN
    if shape.kind == "python":
        return Abstract("array", value.dtype, (None,))
    if not isinstance(shape.items, tuple):
        return UNKNOWN
    return Abstract("array", value.dtype, tuple(None if isinstance(item.length, int) and item.length < 0 else item.length for item in shape.items))


def _joined_arrays(values: Values, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.concatenate``: the rank and dtype of its parts, lengths unknown."""
    items = values.of(applied.args[0], environment).items
    if not isinstance(items, tuple) or not items or any(item.kind != "array" or len(item.dims) != len(items[0].dims) for item in items):
        return UNKNOWN
    dtypes = {item.dtype for item in items}
    return Abstract("array", dtypes.pop() if len(dtypes) == 1 else None, (None,) * len(items[0].dims))


def _flat(values: Values, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """A vector of the first argument's dtype."""
    value = values.of(applied.args[0], environment)
    return Abstract("array", value.dtype, value.dims if value.rank == 1 else (None,)) if value.kind == "array" else UNKNOWN


def _accumulated(values: Values, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.cumsum``: flat without an axis."""
    value = values.of(applied.args[0], environment)
    if value.kind != "array" or not value.floating:
        return UNKNOWN
    return value if len(value.dims) == 1 or len(applied.args) > 1 or applied.kwargs else Abstract("array", value.dtype, (None,))


def _counted(values: Values, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.arange``, ``np.linspace``: a vector."""
    floating = applied.function is np.linspace or all(values.of(part, environment).floating for part in applied.args)
    return Abstract("array", np.dtype(float) if floating and not applied.kwargs else None, (None,))


def _solved(values: Values, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``np.linalg.solve(a, b)`` of one matrix: shaped like ``b``."""
    parts = [values.of(part, environment) for part in applied.args]
    if len(parts) != 2 or any(part.kind != "array" or not part.floating for part in parts) or len(parts[0].dims) != 2 or len(parts[1].dims) > 2:
        return UNKNOWN
    return parts[1]._replace(dtype=np.result_type(parts[0].dtype, parts[1].dtype))


def _length(values: Values, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    value = values.of(applied.args[0], environment)
    return INT._replace(length=value.dims[0]) if value.kind == "array" and value.dims else INT


def _shape(values: Values, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    return values._metadata("shape", values.of(applied.args[0], environment))


def _stacked(values: Values, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    whole = values.of(applied.args[0], environment)
    items = whole.items if isinstance(whole.items, tuple) else ()
    if len(applied.args) > 1 or applied.kwargs or not items or any(item.rank != items[0].rank or item.rank is None for item in items):
        return UNKNOWN
    dtypes = {item.dtype for item in items}
    dims = broadcast(*(item.dims for item in items)) if items[0].dims else ()
    return Abstract("array", dtypes.pop() if len(dtypes) == 1 else None, (len(items), *dims))


def _cast(values: Values, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    value = values.of(applied.args[0], environment)
    dtype = _dtype(values.scope.resolve(applied.args[1])) if len(applied.args) > 1 else None
    return Abstract("array", dtype, value.dims) if value.kind == "array" else UNKNOWN


def _listed(values: Values, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """``list(...)``, ``range(...)``, ``zip(...)``: what a loop over it would give."""
    call = n.Call(func=n.Name(id=applied.function.__name__, ctx=n.Load(), annotation=None, type_comment=None), args=list(applied.args), keywords=[])
    return Abstract("sequence", items=iterated(UNKNOWN, call, values, environment))


def _always(result: Abstract) -> Shape:
    return lambda values, applied, environment: result


SHAPES: dict[Any, Shape] = {
    np.copy: _same, np.zeros_like: _same, np.ones_like: _same, np.empty_like: _same, np.asarray: _same, np.array: _same,
    np.zeros: _created, np.ones: _created, np.empty: _created, np.transpose: _transposed, np.matmul: _product, np.dot: _product,
    np.outer: _outer, np.where: _where, np.eye: _square, np.identity: _square, np.diag: _diagonal,
    np.full: _filled, np.reshape: _reshaped, np.concatenate: _joined_arrays, np.ravel: _flat, np.cumsum: _accumulated,
    np.arange: _counted, np.linspace: _counted, np.linalg.solve: _solved, np.tril: _same, np.triu: _same,
    np.linalg.inv: _inverse, np.linalg.cholesky: _inverse, np.stack: _stacked, np.shape: _shape,
    builtins.len: _length, builtins.float: _always(FLOAT), builtins.int: _always(INT), builtins.bool: _always(BOOL),
    np.flip: _same, builtins.range: _listed, builtins.list: _listed, builtins.zip: _listed, builtins.enumerate: _listed, builtins.reversed: _listed,
}
for _function in (arrays.astype, getattr(np, "astype", arrays.astype)):
    SHAPES[_function] = _cast


def is_known(function: Any) -> bool:
    """Whether calling the function cannot change anything (so a call may be skipped or repeated)."""
    return rule_for(function) is not None or isinstance(function, np.ufunc) or function in SHAPES
