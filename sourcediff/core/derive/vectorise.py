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

import operator
from typing import Any

import numpy as np

from ...analysis.abstract import UNKNOWN, Abstract
from ...analysis.applications import Application, application
from ...analysis.environment.asked_of_classes import is_helper
from ...analysis.scope import Scope
from ...analysis.source.may_be_active import carries
from ...analysis.statements import base, entry_put_in, grown, popped, position, simple
from ...errors import UnsupportedSyntaxError
from ...runtime import structures
from ...runtime.counters import ONCE
from ...syntax import nodes as n
from ...syntax.quote import as_read, clone, expression, place, put_in, remade, statement
from ..facts.distinct_entries import CONTAINERS
from ..facts.values import Values
from ..tidy.dead_code import pure
from .vectorise_rules import MOVED

Block = list[n.stmt]


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
            return [place(n.Expr(value=put_in(name, position(node), self.lifted(entry_put_in(node)))), node)]
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
        if isinstance(node, n.Expr) and grown(node) is None:
            function = scope.resolve(getattr(node.value, "func", node.value))
            if not is_helper(function) or function in ONCE:
                return False
        parts = [node.test] if isinstance(node, (n.If, n.While)) else [node.iter] if isinstance(node, n.For) else [
            node.value] if isinstance(node, (n.Assign, n.AugAssign)) else []
        if not all(popped(part) is not None or pure(part, scope) for part in parts):
            return False
    return True
