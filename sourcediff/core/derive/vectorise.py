"""Batch forward mode: what depends on the tangents gets a leading axis, so that one sweep carries many of them.

>>> import numpy as np
>>> from sourcediff.api.explain import text_after
>>> def lengths(x):
...     return np.sqrt(np.sum(x ** 2, axis=1))
>>> print(text_after("inline_temporaries", lengths, args=(np.ones((3, 2)),), mode="forward"))
value = np.sqrt(np.sum(x ** 2, axis=1))
return value, 0.5 * np.sum(2 * x * x_dot, axis=1) / value
>>> print(text_after("inline_temporaries", lengths, args=(np.ones((3, 2)),), mode="batched"))
t1_dot = np.sum(2 * x * x_dot, axis=2)
value = np.sqrt(np.sum(x ** 2, axis=1))
return value, keep_zeros(0.5 * t1_dot / value, t1_dot)
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...analysis.abstract import UNKNOWN, Abstract
from ...analysis.applications import Application, application
from ...analysis.environment.captured import is_helper
from ...analysis.literals import constant
from ...analysis.scope import Scope
from ...analysis.source.may_be_active import carries
from ...analysis.statements import base, entered, grown, popped, position, simple
from ...errors import UnsupportedSyntaxError
from ...runtime import structures
from ...syntax import nodes as n
from ...syntax.quote import as_read, clone, expression, place, put_in, remade, statement
from ..facts.distinct_entries import CONTAINERS
from ..facts.values import Values
from ..tidy.dead_code import pure

Block = list[n.stmt]
SAME = (np.copy, np.negative, np.positive, np.asarray, np.array, np.ascontiguousarray, structures.copied)
"""Functions of one array that treat a leading axis as any other."""


class Batcher:
    """Rewrites the statements of a sweep with tangents; ``names`` are those that carry one. ``count`` is how many there are."""

    def __init__(self, names: set[str], count: str, values: Values, numpy: str):
        self.names = names
        self.count = count
        self.values = values
        self.scope = values.scope
        self.numpy = numpy
        self.at: dict[str, Abstract] = {}

    def block(self, body: Block) -> Block:
        """The statements with the leading axis."""
        return [made for node in body for made in self.statement(node)]

    def statement(self, node: n.stmt) -> Block:
        """One statement, in normal form."""
        self.at = self.values.before[node]
        if isinstance(node, n.If):
            return [place(n.If(test=node.test, body=self.block(node.body), orelse=self.block(node.orelse)), node)]
        if isinstance(node, n.For):
            body = self.block(node.body)
            return [place(n.For(target=node.target, iter=node.iter, body=body, orelse=[], type_comment=None), node)]
        if isinstance(node, n.While):
            return [place(n.While(test=node.test, body=self.block(node.body), orelse=[]), node)]
        if isinstance(node, n.Assign) and isinstance(node.targets[0], n.Name):
            if node.targets[0].id not in self.names:
                return [self.plain(node)]
            return [place(statement("$t = $v", t=node.targets[0].id, v=self.lifted(node.value)), node)]
        if isinstance(node, n.Assign) and isinstance(node.targets[0], n.Subscript) and base(node.targets[0]) in self.names:
            slot, rank = self.slot(node.targets[0])
            held = self.values.of(node.targets[0].value, self.at).kind in CONTAINERS
            return [place(statement("$s = $v", s=slot, v=self.lifted(node.value) if held else self.aligned(node.value, rank)), node)]
        if isinstance(node, n.AugAssign) and base(node.target) in self.names:
            return [self.update(node)]
        if (name := grown(node)) is not None and name in self.names:
            return [place(n.Expr(value=put_in(name, position(node), self.lifted(entered(node)))), node)]
        return [self.plain(node)]

    def plain(self, node: n.stmt) -> n.stmt:
        """A statement that no tangent takes part in. Refuses one that asks for a tangent's shape."""
        self.apart(node)
        return node

    def apart(self, node: n.AST) -> None:
        """Refuse what reads a tangent without depending on it: its shape is another one now."""
        if any(isinstance(part, n.Name) and part.id in self.names for part in n.walk(node)):
            raise self.unbatched()

    def unbatched(self) -> UnsupportedSyntaxError:
        """What says that there is no sweep with a leading axis."""
        return UnsupportedSyntaxError("an operation has no form with a leading axis", why="its axes are not known, or no rule moves them",
                                      remedy="use direction='reverse'")

    def update(self, node: n.AugAssign) -> n.stmt:
        """``x op= v``: of an array in place; a number's is an array now, that other names may hold, so it becomes a new one."""
        if isinstance(node.target, n.Subscript):
            slot, rank = self.slot(node.target)
            value = self.aligned(node.value, rank)
            if not rank and self.values.of(node.target.value, self.at).kind in CONTAINERS:
                total = n.BinOp(left=as_read(slot), op=node.op, right=value)
                return place(n.Assign(targets=[slot], value=total, type_comment=None), node)
            return place(n.AugAssign(target=slot, op=node.op, value=value), node)
        rank = self.rank(node.target.id)
        value = self.aligned(node.value, rank)
        if rank:
            return place(n.AugAssign(target=node.target, op=node.op, value=value), node)
        total = n.BinOp(left=expression(node.target.id), op=node.op, right=value)
        return place(statement("$t = $v", t=node.target.id, v=total), node)

    # -- expressions ----------------------------------------------------------------------------------------------------

    def rank(self, node: n.expr | str) -> int:
        """The number of dimensions of an operand without the leading axis. Refuses where it is not known."""
        known = self.at.get(node, UNKNOWN) if isinstance(node, str) else self.values.of(node, self.at)
        if known.rank is None:
            raise self.unbatched()
        return known.rank

    def carries(self, node: n.AST) -> bool:
        """Whether the value of an expression depends on the tangents."""
        return (popped(node) or "") in self.names or carries(node, self.names, self.scope)

    def np(self, text: str, **holes: Any) -> n.expr:
        """An expression that calls NumPy."""
        return clone(expression(text, **holes), {"np": expression(self.numpy)} if self.numpy != "np" else None)

    def lifted(self, node: n.expr) -> n.expr:
        """An expression with the leading axis, which it is given where it does not depend on the tangents."""
        if self.carries(node):
            return self.of(node)
        if isinstance(node, (n.List, n.Tuple, n.Dict)):
            return self.display(node)
        if isinstance(node, n.Constant) and node.value is None:
            return node
        made = application(node, self.scope)
        zero = made is not None and made.function in (np.zeros_like, structures.zeros_like)
        zeros = made.args[0] if zero and made is not None and len(made.args) == 1 else None
        if zeros is not None and base(zeros) in self.names:
            return node
        self.apart(node)
        rank = self.rank(node)
        if isinstance(node, n.Constant) and node.value == 0 or zeros is not None:
            shape = expression(f"({self.count}, *$x.shape)", x=zeros) if rank and zeros is not None else expression(self.count)
            return self.zeros(shape, zeros)
        return self.np(f"np.repeat(np.asarray($e)[None], {self.count}, axis=0)", e=node)

    def zeros(self, shape: n.expr, like: n.expr | None) -> n.expr:
        """Zeros that can hold complex numbers where an array ``like`` them can."""
        known = UNKNOWN if like is None else self.values.of(like, self.at)
        if known.kind != "array" or known.floating:
            return self.np("np.zeros($s)", s=shape)
        if known.dtype is None:
            return self.np("np.zeros($s, np.result_type($x, float))", s=shape, x=like)
        return self.np("np.zeros($s, $x.dtype)" if known.inexact else "np.zeros($s)", s=shape, x=like)

    def display(self, node: n.List | n.Tuple | n.Dict) -> n.expr:
        """A list, tuple or dict, each entry with the leading axis."""
        if isinstance(node, n.Dict):
            return n.Dict(keys=[clone(key) for key in node.keys], values=[self.lifted(value) for value in node.values])
        return type(node)(elts=[self.lifted(part) for part in node.elts], ctx=n.Load())

    def aligned(self, node: n.expr, rank: int) -> n.expr:
        """An operand so that it broadcasts against arrays of ``rank`` dimensions beside the leading axis."""
        if not self.carries(node):
            self.apart(node)
            return node
        own = self.rank(node)
        if own > rank:
            raise self.unbatched()
        made = self.of(node)
        return made if own == rank else expression(f"$x[{', '.join([':', *['None'] * (rank - own)])}]", x=made)

    def slot(self, node: n.Subscript) -> tuple[n.expr, int]:
        """The slot of an array with the leading axis, and its number of dimensions without it."""
        loaded = as_read(node)
        rank = self.rank(loaded)
        made = self.indexed(loaded)
        if base(made) is None:  # a call, into which nothing is stored
            raise self.unbatched()
        made.ctx = type(node.ctx)()
        return made, rank

    def indexed(self, node: n.Subscript) -> n.expr:
        """``a[i]`` of every tangent: ``a[:, i]``. Of a list, tuple or dict the entry."""
        whole = self.values.of(node.value, self.at)
        inner = self.viewed(node.value)
        if whole.kind in ("sequence", "mapping"):
            return n.Subscript(value=inner, slice=node.slice, ctx=n.Load())
        if whole.kind != "array":
            raise self.unbatched()
        parts = list(node.slice.elts) if isinstance(node.slice, n.Tuple) else [node.slice]
        several = [part for part in parts if not self.is_basic(part)]
        others = [part for part in parts if part not in several and not isinstance(part, n.Slice)]
        if len(several) > 1 or several and others:
            raise self.unbatched()  # their axes move
        if any(not isinstance(part, n.List) and self.values.of(part, self.at).kind != "array" for part in several):
            raise self.unbatched()  # it may be a tuple
        self.apart(node.slice)
        index = n.Tuple(elts=[n.Slice(lower=None, upper=None, step=None), *parts], ctx=n.Load())
        return n.Subscript(value=inner, slice=index, ctx=n.Load())

    def viewed(self, node: n.expr) -> n.expr:
        """What is indexed: a variable, an item of one, or a view of one that stays a view with the leading axis."""
        if isinstance(node, n.Subscript):
            return self.indexed(node)
        applied = application(node, self.scope)
        if isinstance(node, n.Name) or applied is not None and applied.function in (np.transpose, np.real, np.imag):
            return self.of(node)
        raise self.unbatched()

    def is_basic(self, part: n.expr) -> bool:
        """Whether a part of an index is a slice, a number, an ellipsis or a new axis."""
        if isinstance(part, (n.Slice, n.Constant)) or isinstance(part, n.Attribute) and part.attr == "newaxis":
            return True
        return self.values.of(part, self.at).scalar

    def of(self, node: n.expr) -> n.expr:
        """An expression that depends on the tangents, with the leading axis."""
        if isinstance(node, n.Name) or popped(node) is not None:
            return node
        if isinstance(node, (n.Tuple, n.List, n.Dict)):
            return self.display(node)
        applied = application(node, self.scope)
        if applied is None:
            raise self.unbatched()
        if applied.function is operator.getitem:
            assert isinstance(node, n.Subscript)
            made = self.indexed(node)
            number = self.values.of(node, self.at).scalar and self.values.of(node.value, self.at).kind == "array"
            return expression("$a.copy()", a=made) if number else made  # a number would not be a view
        if applied.function in MOVED:
            return MOVED[applied.function](self, applied)
        if applied.rule is not None and applied.rule.kind == "elementwise" or applied.function is np.where:
            return self.elementwise(node, applied)
        raise self.unbatched()

    def elementwise(self, node: n.expr, applied: Application) -> n.expr:
        """The same application on aligned operands."""
        if applied.kwargs or isinstance(node, n.Call) and isinstance(node.func, n.Attribute) and node.func.value in applied.args:
            raise self.unbatched()
        rank = max(map(self.rank, applied.args))
        parts = {part: self.aligned(part, rank) for part in applied.args}

        def replaced(part: Any) -> Any:
            return parts[part] if part in parts else remade(part, replaced)

        made: n.expr = replaced(node)
        return made


# -- functions that move axes -------------------------------------------------------------------------------------------


def given(applied: Application, position: int, name: str, default: Any = None) -> Any:
    """The literal value of an argument."""
    node = applied.args[position] if len(applied.args) > position else applied.kwargs.get(name)
    return default if node is None else constant(node)


def only(batcher: Batcher, applied: Application, positions: int, *names: str) -> None:
    """Refuse an application with other arguments than these."""
    if len(applied.args) > positions or set(applied.kwargs) - set(names):
        raise batcher.unbatched()


def moved(batcher: Batcher, axis: Any) -> Any:
    """An axis, or axes, beside the leading one: counted from the front one more, from the end as they are."""
    if isinstance(axis, tuple):
        return tuple(moved(batcher, part) for part in axis)
    if not isinstance(axis, int):
        raise batcher.unbatched()
    return axis + 1 if axis >= 0 else axis


def _summed(batcher: Batcher, applied: Application) -> n.expr:
    """``np.sum`` and ``np.mean``: over all axes but the leading one."""
    only(batcher, applied, 2, "axis", "keepdims")
    axis, keepdims, array = given(applied, 1, "axis"), given(applied, 9, "keepdims", False), applied.args[0]
    rank = batcher.rank(array)
    if not rank:
        return batcher.of(array)
    axes = tuple(range(1, rank + 1)) if axis is None else moved(batcher, axis)
    axes = axes[0] if isinstance(axes, tuple) and len(axes) == 1 else axes
    keep = ", keepdims=True" if keepdims else ""
    if keepdims not in (True, False):
        raise batcher.unbatched()
    return batcher.np(f"np.{applied.function.__name__}($a, axis={axes!r}{keep})", a=batcher.of(array))


def _same(batcher: Batcher, applied: Application) -> n.expr:
    """A function of one array that treats the leading axis as any other. Of a list it would come second."""
    only(batcher, applied, 1)
    batcher.rank(applied.args[0])
    made = batcher.of(applied.args[0])
    if applied.function in (np.copy, structures.copied):
        return expression("$a.copy()", a=made)
    return batcher.np(f"np.{applied.function.__name__}($a)", a=made)


def _number(batcher: Batcher, applied: Application) -> n.expr:
    """``float(x)``: the leading axis alone is left."""
    made = batcher.of(applied.args[0])
    return made if not batcher.rank(applied.args[0]) else batcher.np("np.reshape($a, -1)", a=made)


def _finished(batcher: Batcher, applied: Application) -> n.expr:
    """``like(x_dot, x)``: whoever asked for the tangents gives them their shape and dtype."""
    known = batcher.values.of(applied.args[1], batcher.at)
    if known.rank is None or known.rank != batcher.rank(applied.args[0]):
        raise batcher.unbatched()
    return batcher.of(applied.args[0])


def _product(batcher: Batcher, applied: Application) -> n.expr:
    """``a @ b`` of vectors and matrices, one of which has the leading axis."""
    only(batcher, applied, 2)
    a, b = applied.args
    ranks = batcher.rank(a), batcher.rank(b)
    if not set(ranks) <= {1, 2} or batcher.carries(a) and batcher.carries(b):
        raise batcher.unbatched()
    if batcher.carries(b) and ranks[1] == 1:
        return expression("$b @ $a.T" if ranks[0] == 2 else "$b @ $a", a=a, b=batcher.of(b))
    return expression("$a @ $b", a=batcher.aligned(a, ranks[0]), b=batcher.aligned(b, ranks[1]))


def _outer(batcher: Batcher, applied: Application) -> n.expr:
    """``np.outer`` of vectors."""
    only(batcher, applied, 2)
    a, b = applied.args
    if (batcher.rank(a), batcher.rank(b)) != (1, 1) or batcher.carries(a) and batcher.carries(b):
        raise batcher.unbatched()
    if batcher.carries(a):
        return expression("$a[:, :, None] * $b", a=batcher.of(a), b=b)
    return expression("$a[:, None] * $b[:, None, :]", a=a, b=batcher.of(b))


def _transposed(batcher: Batcher, applied: Application) -> n.expr:
    """``x.T`` and ``np.transpose``."""
    only(batcher, applied, 2, "axes")
    rank, made = batcher.rank(applied.args[0]), batcher.of(applied.args[0])
    axes = given(applied, 1, "axes")
    order = tuple(range(rank))[::-1] if axes is None else axes
    if not isinstance(order, tuple):
        raise batcher.unbatched()
    return made if rank < 2 else batcher.np(f"np.transpose($a, {(0, *(axis % rank + 1 for axis in order))})", a=made)


def _reshaped(batcher: Batcher, applied: Application) -> n.expr:
    """``np.reshape`` and ``np.ravel``."""
    only(batcher, applied, 2 if applied.function is np.reshape else 1)
    made = batcher.of(applied.args[0])
    if applied.function is np.ravel:
        return batcher.np(f"np.reshape($a, ({batcher.count}, -1))", a=made)
    shape = applied.args[1]
    batcher.apart(shape)
    several = isinstance(shape, n.Tuple) or batcher.values.of(shape, batcher.at).kind == "sequence"
    if not several and not batcher.values.of(shape, batcher.at).scalar:
        raise batcher.unbatched()
    return batcher.np(f"np.reshape($a, ({batcher.count}, {'*' if several else ''}$s))", a=made, s=shape)


def _along(batcher: Batcher, applied: Application) -> n.expr:
    """``np.cumsum``, ``np.flip``: along one axis."""
    only(batcher, applied, 2, "axis")
    axis = given(applied, 1, "axis")
    if axis is None and batcher.rank(applied.args[0]) != 1:
        raise batcher.unbatched()
    made = batcher.of(applied.args[0])
    return batcher.np(f"np.{applied.function.__name__}($a, axis={moved(batcher, 0 if axis is None else axis)!r})", a=made)


def _joined(batcher: Batcher, applied: Application) -> n.expr:
    """``np.stack`` and ``np.concatenate``."""
    only(batcher, applied, 2, "axis")
    axis = given(applied, 1, "axis", 0)
    if not isinstance(applied.args[0], (n.Tuple, n.List)):
        raise batcher.unbatched()
    parts = batcher.of(applied.args[0])
    return batcher.np(f"np.{applied.function.__name__}($p, axis={moved(batcher, axis)!r})", p=parts)


def _filled(batcher: Batcher, applied: Application) -> n.expr:
    """``np.full_like(x, t)`` with a tangent that is a number."""
    only(batcher, applied, 2)
    rank = batcher.rank(applied.args[0])
    if batcher.rank(applied.args[1]) or batcher.carries(applied.args[0]):
        raise batcher.unbatched()
    shape = batcher.np(f"({batcher.count}, *np.shape($x))", x=applied.args[0])
    zeros = batcher.zeros(shape, applied.args[0])
    return expression("$z + $t", z=zeros, t=batcher.aligned(applied.args[1], rank))


def _solved(batcher: Batcher, applied: Application) -> n.expr:
    """``np.linalg.solve(a, b)`` with right-hand sides that are tangents."""
    only(batcher, applied, 2)
    a, b = applied.args
    if batcher.carries(a) or batcher.rank(a) != 2 or batcher.rank(b) not in (1, 2):
        raise batcher.unbatched()
    one = "np.linalg.solve($a, $b.T).T" if batcher.rank(b) == 1 else "np.linalg.solve($a, $b)"
    return batcher.np(one, a=a, b=batcher.of(b))


MOVED: dict[Any, Callable[[Batcher, Application], n.expr]] = {
    np.sum: _summed, np.mean: _summed, **dict.fromkeys(SAME, _same), builtins.float: _number, np.matmul: _product, np.dot: _product,
    np.outer: _outer, np.transpose: _transposed, np.reshape: _reshaped, np.ravel: _reshaped, np.cumsum: _along, np.flip: _along,
    np.stack: _joined, np.concatenate: _joined, np.full_like: _filled, np.linalg.solve: _solved,
    structures.like: _finished, structures.tangent_like: _finished,
}
"""What becomes of a function that is not elementwise."""


def uncopied(node: Any) -> Any:
    """An expression whose operators take entries as they are: what they give is new anyway.

    >>> from sourcediff.syntax.text import to_source
    >>> to_source(uncopied(expression("2 * x[:, 0].copy()")))
    '2 * x[:, 0]'
    """
    if isinstance(node, (n.BinOp, n.UnaryOp)):
        return remade(node, lambda part: uncopied(part.func.value if is_copy(part) else part))
    return remade(node, uncopied)


def is_copy(node: n.AST) -> bool:
    """Whether an expression is ``a[i].copy()``."""
    method = node.func if isinstance(node, n.Call) and not node.args else None
    return isinstance(method, n.Attribute) and method.attr == "copy" and isinstance(method.value, n.Subscript)


def effectless(body: Block, scope: Scope) -> bool:
    """Whether a program only computes: no random numbers, nothing printed, nothing asked that may answer differently the next time."""
    for node in simple(body):
        if isinstance(node, n.Expr) and grown(node) is None and not is_helper(scope.resolve(getattr(node.value, "func", node.value))):
            return False
        parts = [node.test] if isinstance(node, (n.If, n.While)) else [node.iter] if isinstance(node, n.For) else [
            node.value] if isinstance(node, (n.Assign, n.AugAssign)) else []
        if not all(popped(part) is not None or pure(part, scope) for part in parts):
            return False
    return True
