"""How a NumPy function takes a leading axis of tangents: for each, the call that does so."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from ...analysis.applications import Application
from ...analysis.literals import constant
from ...runtime import structures
from ...syntax import nodes as n
from ...syntax.quote import expression


def argument_given(applied: Application, position: int, name: str, default: Any = None) -> Any:
    """The literal value of an argument."""
    node = applied.args[position] if len(applied.args) > position else applied.kwargs.get(name)
    return default if node is None else constant(node)


def only(batcher: Any, applied: Application, positions: int, *names: str) -> None:
    """Refuse an application with other arguments than these."""
    if len(applied.args) > positions or set(applied.kwargs) - set(names):
        raise batcher.unbatched()


def axis_moved(batcher: Any, axis: Any) -> Any:
    """An axis, or axes, beside the leading one: counted from the front one more, from the end as they are."""
    if isinstance(axis, tuple):
        return tuple(axis_moved(batcher, part) for part in axis)
    if not isinstance(axis, int):
        raise batcher.unbatched()
    return axis + 1 if axis >= 0 else axis


def _summed(batcher: Any, applied: Application) -> n.expr:
    """``np.sum`` and ``np.mean``: over all axes but the leading one."""
    only(batcher, applied, 2, "axis", "keepdims")
    axis, keepdims, array = argument_given(applied, 1, "axis"), argument_given(applied, 9, "keepdims", False), applied.args[0]
    rank = batcher.rank(array)
    if not rank:
        return batcher.of(array)
    axes = tuple(range(1, rank + 1)) if axis is None else axis_moved(batcher, axis)
    axes = axes[0] if isinstance(axes, tuple) and len(axes) == 1 else axes
    keep = ", keepdims=True" if keepdims else ""
    if keepdims not in (True, False):
        raise batcher.unbatched()
    return batcher.np(f"np.{applied.function.__name__}($a, axis={axes!r}{keep})", a=batcher.of(array))


def _batched_as_is(batcher: Any, applied: Application) -> n.expr:
    """A function of one array that treats the leading axis as any other. Of a list it would come second."""
    only(batcher, applied, 1)
    batcher.rank(applied.args[0])
    made = batcher.of(applied.args[0])
    if applied.function in (np.copy, structures.copied):
        return expression("$a.copy()", a=made)
    return batcher.np(f"np.{applied.function.__name__}($a)", a=made)


def _number(batcher: Any, applied: Application) -> n.expr:
    """``float(x)``: the leading axis alone is left."""
    made = batcher.of(applied.args[0])
    return made if not batcher.rank(applied.args[0]) else batcher.np("np.reshape($a, -1)", a=made)


def _like_primal(batcher: Any, applied: Application) -> n.expr:
    """``like(x_dot, x)``: whoever asked for the tangents gives them their shape and dtype."""
    known = batcher.values.of(applied.args[1], batcher.at)
    if known.rank is None or known.rank != batcher.rank(applied.args[0]):
        raise batcher.unbatched()
    return batcher.of(applied.args[0])


def _batched_product(batcher: Any, applied: Application) -> n.expr:
    """``a @ b`` of vectors and matrices, one of which has the leading axis."""
    only(batcher, applied, 2)
    a, b = applied.args
    ranks = batcher.rank(a), batcher.rank(b)
    if not set(ranks) <= {1, 2} or batcher.carries(a) and batcher.carries(b):
        raise batcher.unbatched()
    if batcher.carries(b) and ranks[1] == 1:
        return expression("$b @ $a.T" if ranks[0] == 2 else "$b @ $a", a=a, b=batcher.of(b))
    return expression("$a @ $b", a=batcher.aligned(a, ranks[0]), b=batcher.aligned(b, ranks[1]))


def _batched_outer(batcher: Any, applied: Application) -> n.expr:
    """``np.outer`` of vectors."""
    only(batcher, applied, 2)
    a, b = applied.args
    if (batcher.rank(a), batcher.rank(b)) != (1, 1) or batcher.carries(a) and batcher.carries(b):
        raise batcher.unbatched()
    if batcher.carries(a):
        return expression("$a[:, :, None] * $b", a=batcher.of(a), b=b)
    return expression("$a[:, None] * $b[:, None, :]", a=a, b=batcher.of(b))


def _batched_transpose(batcher: Any, applied: Application) -> n.expr:
    """``x.T`` and ``np.transpose``."""
    only(batcher, applied, 2, "axes")
    rank, made = batcher.rank(applied.args[0]), batcher.of(applied.args[0])
    axes = argument_given(applied, 1, "axes")
    order = tuple(range(rank))[::-1] if axes is None else axes
    if not isinstance(order, tuple):
        raise batcher.unbatched()
    return made if rank < 2 else batcher.np(f"np.transpose($a, {(0, *(axis % rank + 1 for axis in order))})", a=made)


def _batched_reshape(batcher: Any, applied: Application) -> n.expr:
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


def _along(batcher: Any, applied: Application) -> n.expr:
    """``np.cumsum``, ``np.flip``: along one axis."""
    only(batcher, applied, 2, "axis")
    axis = argument_given(applied, 1, "axis")
    if axis is None and batcher.rank(applied.args[0]) != 1:
        raise batcher.unbatched()
    made = batcher.of(applied.args[0])
    return batcher.np(f"np.{applied.function.__name__}($a, axis={axis_moved(batcher, 0 if axis is None else axis)!r})", a=made)


def _joined(batcher: Any, applied: Application) -> n.expr:
    """``np.stack`` and ``np.concatenate``."""
    only(batcher, applied, 2, "axis")
    axis = argument_given(applied, 1, "axis", 0)
    if not isinstance(applied.args[0], (n.Tuple, n.List)):
        raise batcher.unbatched()
    parts = batcher.of(applied.args[0])
    return batcher.np(f"np.{applied.function.__name__}($p, axis={axis_moved(batcher, axis)!r})", p=parts)


def _filled(batcher: Any, applied: Application) -> n.expr:
    """``np.full_like(x, t)`` with a tangent that is a number."""
    only(batcher, applied, 2)
    rank = batcher.rank(applied.args[0])
    if batcher.rank(applied.args[1]) or batcher.carries(applied.args[0]):
        raise batcher.unbatched()
    shape = batcher.np(f"({batcher.count}, *np.shape($x))", x=applied.args[0])
    zeros = batcher.zeros(shape, applied.args[0])
    return expression("$z + $t", z=zeros, t=batcher.aligned(applied.args[1], rank))


def _batched_solve(batcher: Any, applied: Application) -> n.expr:
    """``np.linalg.solve(a, b)`` with right-hand sides that are tangents."""
    only(batcher, applied, 2)
    a, b = applied.args
    if batcher.carries(a) or batcher.rank(a) != 2 or batcher.rank(b) not in (1, 2):
        raise batcher.unbatched()
    one = "np.linalg.solve($a, $b.T).T" if batcher.rank(b) == 1 else "np.linalg.solve($a, $b)"
    return batcher.np(one, a=a, b=batcher.of(b))


SAME = (np.copy, np.negative, np.positive, np.asarray, np.array, np.ascontiguousarray, structures.copied)
"""Functions of one array that treat a leading axis as any other."""

MOVED: dict[Any, Callable[[Any, Application], n.expr]] = {
    np.sum: _summed, np.mean: _summed, **dict.fromkeys(SAME, _batched_as_is), builtins.float: _number,
    np.matmul: _batched_product, np.dot: _batched_product,
    np.outer: _batched_outer, np.transpose: _batched_transpose, np.reshape: _batched_reshape, np.ravel: _batched_reshape,
    np.cumsum: _along, np.flip: _along,
    np.stack: _joined, np.concatenate: _joined, np.full_like: _filled, np.linalg.solve: _batched_solve,
    structures.like: _like_primal, structures.tangent_like: _like_primal,
}
"""What becomes of a function that is not elementwise."""
