"""Many calls as one: what depends on the arguments that differ from call to call gets a leading axis.

As for many tangents (``vectorise``), but of the program itself: nothing in it is known to be linear, and what depends on an argument
without carrying a derivative (a comparison, an integer) has the axis too. A condition, a range or an index that differs is refused.

>>> import numpy as np
>>> from sourcediff.api.explain import text_after
>>> def loss(x, y):
...     r = np.where(x > 0, x, 0.1 * x) - y
...     return np.sum(r ** 2)
>>> print(text_after("inline_temporaries", loss, (0, 1), args=(np.ones(3), 0.5), mode="vectorised"))
r = np.where(x > 0, x, 0.1 * x) - y[:, None]
return np.sum(r ** 2, axis=1)
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...analysis.applications import METADATA, Application, application
from ...analysis.fresh import always_copies
from ...analysis.scope import Scope
from ...analysis.source.may_be_active import carrying
from ...analysis.statements import popped, simple, target_names
from ...errors import UnsupportedSyntaxError
from ...runtime import structures
from ...runtime.arrays import keep_zeros
from ...syntax import nodes as n
from ...syntax.quote import expression, place, remade
from .vectorise import Batcher, Block
from .vectorise_rules import MOVED, argument_given, axis_moved, only

SHAPES = (np.shape, np.ndim, builtins.len)


def differing(body: Block, start: Iterable[str], scope: Scope) -> set[str]:
    """The names of what may differ from call to call, if those of ``start`` do, to a fixpoint over all statements."""
    names = carrying(body, start, scope)
    while True:
        found = set(names)
        for node in simple(body):
            if isinstance(node, n.Assign) and differs(node.value, names, scope):
                found |= target_names(node.targets[0])
        if found == names:
            return names
        names = carrying(body, found, scope)


def differs(node: n.AST, names: set[str], scope: Scope) -> bool:
    """Whether the value of an expression may differ from call to call; shapes do not."""
    if is_shape(node, scope):
        return False
    if isinstance(node, n.Name):
        return node.id in names
    return any(differs(child, names, scope) for child in n.below(node))


def is_shape(node: n.AST, scope: Scope) -> bool:
    """Whether an expression is ``x.shape``, ``len(x)`` or the like, of a variable or an entry of a dict."""
    if isinstance(node, n.Attribute):
        return node.attr in METADATA and is_variable(node.value)
    return isinstance(node, n.Call) and len(node.args) == 1 and not node.keywords and is_variable(node.args[0]) and any(
        scope.resolve(node.func) is function for function in SHAPES)


def is_variable(node: n.AST) -> bool:
    """Whether an expression is a name, or an entry of a dict by a text."""
    while isinstance(node, n.Subscript) and isinstance(node.slice, n.Constant) and isinstance(node.slice.value, str):
        node = node.value
    return isinstance(node, n.Name)


class Vectoriser(Batcher):
    """Rewrites the statements of a program; ``names`` are those of what differs from call to call, of which there are ``count``.

    ``node`` is the statement that it has come to.
    """

    node: n.stmt | None = None

    def unbatched(self) -> UnsupportedSyntaxError:
        return UnsupportedSyntaxError(
            "an operation has no form with a leading axis", why="no rule moves its axes, they are not known, or it decides what is done",
            remedy="call the function in a loop",
        )

    def statement(self, node: n.stmt) -> Block:
        self.at = self.values.before[node]
        self.node = node
        if isinstance(node, (n.If, n.While)):
            self.apart(node.test)
        elif isinstance(node, n.For):
            self.apart(node.iter)
        return super().statement(node)

    def carries(self, node: n.AST) -> bool:
        return (popped(node) or "") in self.names or differs(node, self.names, self.scope)

    def apart(self, node: n.AST) -> None:
        if differs(node, self.names, self.scope):
            raise self.unbatched()

    def lifted(self, node: n.expr) -> n.expr:
        if self.carries(node):
            return self.of(node)
        if isinstance(node, (n.List, n.Tuple, n.Dict)):
            return self.display(node)
        self.rank(node)
        return self.np(f"np.repeat(np.asarray($e)[None], {self.count}, axis=0)", e=node)

    def of(self, node: n.expr) -> n.expr:
        if isinstance(node, n.Compare):
            operands = [node.left, *node.comparators]
            if len(operands) > 2 or isinstance(node.ops[0], (n.In, n.NotIn, n.Is, n.IsNot)):
                raise self.unbatched()
            left, right = self.broadcast(operands)
            return n.Compare(left=left, ops=node.ops, comparators=[right])
        applied = None if isinstance(node, n.Name) or popped(node) is not None else application(node, self.scope)
        made = None if applied is None else self.applied(node, applied)
        return super().of(node) if made is None else made

    def applied(self, node: n.expr, applied: Application) -> n.expr | None:
        """An application that is not linear, or that a tangent never is; None of those of tangents."""
        function = applied.function
        if function in CALLS:
            return CALLS[function](self, applied)
        if always_copies(node):
            return expression("$a.copy()", a=super().of(node))
        if function in MOVED or isinstance(node, n.Subscript):
            return None
        if getattr(function, "__module__", "") == "math":
            function = getattr(np, function.__name__, None)
            if not isinstance(function, np.ufunc):
                raise self.unbatched()
            return self.np(f"np.{function.__name__}($a)", a=self.broadcast(applied.args)[0]) if len(applied.args) == 1 else self.fail()
        if isinstance(function, np.ufunc) and len(applied.args) == function.nin or function in (np.where, np.clip, keep_zeros):
            return self.elementwise(node, applied)
        raise self.unbatched()

    def fail(self) -> n.expr:
        """Refuse an application."""
        raise self.unbatched()

    def broadcast(self, operands: Iterable[n.expr]) -> list[n.expr]:
        """Operands that broadcast against each other."""
        given = list(operands)
        rank = max(map(self.rank, given))
        return [self.aligned(part, rank) for part in given]


def shapes_of_one(body: Block, names: set[str], scope: Scope) -> Block:
    """The statements with ``x.shape`` of what has the leading axis as that of one call: ``x.shape[1:]``."""

    def replaced(node: Any) -> Any:
        made = remade(node, replaced)
        if not is_shape(node, scope) or not differs(node.value if isinstance(node, n.Attribute) else node.args[0], names, scope):
            return made
        what = node.attr if isinstance(node, n.Attribute) else scope.resolve(node.func).__name__
        x = node.value if isinstance(node, n.Attribute) else node.args[0]
        text = {"shape": "$x.shape[1:]", "ndim": "$x.ndim - 1", "len": "$x.shape[1]", "size": "$x[0].size", "dtype": "$x.dtype"}.get(what)
        if text is None:
            raise UnsupportedSyntaxError(f"{what} has no form with a leading axis", why="it is not known", remedy="call it in a loop")
        return expression(text, x=x)

    return [place(replaced(node), node) for node in body]


# -- functions that are not linear in what differs ------------------------------------------------------------------------


def _reduced(batcher: Any, applied: Application) -> n.expr:
    """``np.sum``, ``np.max`` and their like: over all axes but the leading one."""
    only(batcher, applied, 2, "axis", "keepdims", "dtype")
    axis, keepdims, array = argument_given(applied, 1, "axis"), argument_given(applied, 9, "keepdims", False), applied.args[0]
    dtype = applied.kwargs.get("dtype")
    rank = batcher.rank(array)
    if not rank or keepdims not in (True, False):
        raise batcher.unbatched()
    batcher.apart(dtype or n.Constant(value=None, kind=None))
    axes = tuple(range(1, rank + 1)) if axis is None else axis_moved(batcher, axis)
    axes = axes[0] if isinstance(axes, tuple) and len(axes) == 1 else axes
    keep = ", keepdims=True" if keepdims else ""
    kind = ", dtype=$d" if dtype is not None else ""
    holes = {"a": batcher.of(array)} | ({} if dtype is None else {"d": dtype})
    return batcher.np(f"np.{applied.function.__name__}($a, axis={axes!r}{kind}{keep})", **holes)


def _product(batcher: Any, applied: Application) -> n.expr:
    """``a @ b`` of vectors and matrices."""
    only(batcher, applied, 2)
    a, b = applied.args
    ranks = batcher.rank(a), batcher.rank(b)
    if not set(ranks) <= {1, 2}:
        raise batcher.unbatched()
    if not (batcher.carries(a) and batcher.carries(b)):
        return MOVED[np.matmul](batcher, applied)
    texts = {
        (2, 2): "$a @ $b", (2, 1): "($a @ $b[:, :, None])[:, :, 0]", (1, 2): "($a[:, None] @ $b)[:, 0]", (1, 1): "np.sum($a * $b, axis=1)",
    }
    return batcher.np(texts[ranks], a=batcher.of(a), b=batcher.of(b))


def _outer(batcher: Any, applied: Application) -> n.expr:
    """``np.outer`` of vectors."""
    only(batcher, applied, 2)
    a, b = applied.args
    if (batcher.rank(a), batcher.rank(b)) != (1, 1):
        raise batcher.unbatched()
    left = expression("$a[:, :, None]" if batcher.carries(a) else "$a[:, None]", a=batcher.of(a) if batcher.carries(a) else a)
    return expression("$a * $b[:, None, :]" if batcher.carries(b) else "$a * $b", a=left, b=batcher.of(b) if batcher.carries(b) else b)


def _solve(batcher: Any, applied: Application) -> n.expr:
    """``np.linalg.solve``."""
    only(batcher, applied, 2)
    a, b = applied.args
    if batcher.rank(a) != 2 or batcher.rank(b) not in (1, 2):
        raise batcher.unbatched()
    text = "np.linalg.solve($a, $b[:, :, None])[:, :, 0]" if batcher.rank(b) == 1 else "np.linalg.solve($a, $b)"
    return batcher.np(text, a=batcher.lifted(a), b=batcher.lifted(b))


def _of_matrices(batcher: Any, applied: Application) -> n.expr:
    """A function of a matrix that NumPy takes of a stack of them."""
    only(batcher, applied, 1)
    if batcher.rank(applied.args[0]) != 2:
        raise batcher.unbatched()
    return batcher.np(f"np.linalg.{applied.function.__name__}($a)", a=batcher.of(applied.args[0]))


def _expanded(batcher: Any, applied: Application) -> n.expr:
    """``np.expand_dims`` and ``np.squeeze`` at a literal axis."""
    only(batcher, applied, 2, "axis")
    axis = argument_given(applied, 1, "axis")
    batcher.rank(applied.args[0])
    return batcher.np(f"np.{applied.function.__name__}($a, {axis_moved(batcher, axis)!r})", a=batcher.of(applied.args[0]))


def _broadcast(batcher: Any, applied: Application) -> n.expr:
    """``np.broadcast_to`` a shape that is the same in all calls."""
    only(batcher, applied, 2)
    array, shape = applied.args
    batcher.apart(shape)
    if not isinstance(shape, n.Tuple) or any(isinstance(part, n.Starred) for part in shape.elts):
        raise batcher.unbatched()
    return batcher.np(f"np.broadcast_to($a, ({batcher.count}, *$s))", a=batcher.aligned(array, len(shape.elts)), s=shape)


def _like(batcher: Any, applied: Application) -> n.expr:
    """``np.zeros_like(x)`` and its like: of what has the axis it has it too."""
    only(batcher, applied, 1)
    name = applied.function.__name__
    made = batcher.of(applied.args[0])
    if applied.function in (np.zeros_like, np.ones_like, np.empty_like):
        return batcher.np(f"np.{name}($a)", a=made)
    return expression(f"{batcher.scope.imported(name, applied.function)}($a)", a=made)


def _filled(batcher: Any, applied: Application) -> n.expr:
    """``np.full_like(x, v)`` with a number that is the same in all calls."""
    only(batcher, applied, 2)
    array, value = applied.args
    batcher.apart(value)
    return batcher.np("np.full_like($a, $v)", a=batcher.of(array), v=value)


def _added(batcher: Any, applied: Application) -> n.expr:
    """``with_added(d, "key", v)`` of a dict."""
    only(batcher, applied, 3)
    table, key, value = applied.args
    if not isinstance(key, n.Constant) or not isinstance(key.value, str) or not batcher.carries(table):
        raise batcher.unbatched()
    rank = batcher.rank(n.Subscript(value=table, slice=key, ctx=n.Load()))
    name = batcher.scope.imported(applied.function.__name__, applied.function)
    return expression(f"{name}($d, $k, $v)", d=batcher.of(table), k=key, v=batcher.aligned(value, rank))


CALLS: dict[Any, Callable[[Any, Application], n.expr]] = {
    **dict.fromkeys((np.sum, np.mean, np.max, np.min, np.amax, np.amin, np.prod, np.any, np.all), _reduced),
    np.matmul: _product, np.dot: _product,
    np.outer: _outer, np.linalg.solve: _solve, **dict.fromkeys((np.linalg.inv, np.linalg.det, np.linalg.cholesky), _of_matrices),
    structures.with_added: _added, np.full_like: _filled, np.expand_dims: _expanded, np.squeeze: _expanded, np.broadcast_to: _broadcast,
    **dict.fromkeys((np.zeros_like, np.ones_like, np.empty_like, structures.zeros_like), _like),
}
"""What becomes of a function that is not linear in what differs, or that tangents never meet."""
