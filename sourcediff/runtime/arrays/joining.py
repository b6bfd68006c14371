"""The adjoints of joining, splitting, tiling and differences: what takes entries from place to place."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import MissingRuleError
from .indexing import scatter
from .library import Shape, blank, is_foreign
from .static import numbers


def split_like(g: Any, shapes: Sequence[Shape], axis: int | None) -> list[Any]:
    """The adjoint of joining arrays of these ``shapes`` along ``axis`` (for ``stack`` and its like: a slot of length 1 each).

    >>> split_like(np.arange(5.), [(2,), (3,)], 0)
    [array([0., 1.]), array([2., 3., 4.])]
    """
    if type(g) is np.ndarray and g.ndim == 1 and not any(shapes):
        return list(g)
    if axis is None:
        g, axis = np.ravel(g), 0
        lengths = [math.prod(shape) for shape in shapes]
    else:
        lengths = [shape[axis] if len(shape) == np.ndim(g) else 1 for shape in shapes]
    ends = list(itertools.accumulate(lengths))[:-1]
    return [np.reshape(part, shape)[()] for part, shape in zip(np.split(g, ends, axis), shapes)]


def listed(x: Any) -> Any:
    """``x.tolist()`` of a vector.

    >>> listed(np.array([1., 2.]))
    [1.0, 2.0]

    Raises MissingRuleError for an array of more dimensions, which gives lists of lists.
    """
    if np.ndim(x) != 1:
        raise MissingRuleError(
            f"x.tolist() of an array of {np.ndim(x)} dimensions has no derivative rule", why="it gives lists of lists",
            remedy="write [row.tolist() for row in x], or use the array itself", at_run_time=True,
        )
    return x.tolist()


def join_like(parts: Sequence[Any], shape: Shape, axis: int | None) -> Any:
    """Arrays joined along ``axis`` to one of ``shape``: what :func:`split_like` took apart."""
    if axis is None:
        return np.reshape(np.concatenate([np.ravel(part) for part in parts]), shape)
    axis %= len(shape)
    slot = shape[:axis] + (1,) + shape[axis + 1:]
    return np.concatenate([part if np.ndim(part) == len(shape) else np.reshape(part, slot) for part in parts], axis)


def untile(g: Any, shape: Shape, reps: Any) -> Any:
    """The adjoint of ``np.tile(array, reps)`` for an array of ``shape``: the sum over the copies.

    >>> untile(np.arange(6.), (2,), 3)
    array([6., 9.])
    """
    times = tuple(reps) if np.ndim(reps) else (int(reps),)
    rank = max(len(times), len(shape))
    times = (1,) * (rank - len(times)) + times
    lengths = (1,) * (rank - len(shape)) + tuple(shape)
    copies = np.reshape(g, [part for pair in zip(times, lengths) for part in pair])
    return np.reshape(np.sum(copies, axis=tuple(range(0, 2 * rank, 2))), shape)


def undiagonal(g: Any, shape: Shape, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The adjoint of ``np.diagonal``: zeros of ``shape`` with ``g`` (broadcast) on that diagonal.

    >>> undiagonal(np.array([1., 2.]), (2, 3), 1)
    array([[0., 1., 0.],
           [0., 0., 2.]])
    """
    full = blank(shape, g)
    offset = int(offset)  # an unsigned one would have no negative
    rows = np.arange(np.diagonal(full, offset, axis1, axis2).shape[-1])
    np.moveaxis(full, (axis1, axis2), (-2, -1))[..., rows + max(-offset, 0), rows + max(offset, 0)] = g
    return full


def undiff(g: Any, n: int = 1, axis: int = -1, shape: Shape | None = None) -> Any:
    """The adjoint of ``np.diff(array, n, axis)``. The ``shape`` of the array tells how long it is where no differences are left.

    >>> undiff(np.array([1., 5.]))
    array([-1., -4.,  5.])
    >>> undiff(np.array([]), 3, -1, (2,))
    array([0., 0.])
    """
    if n and shape is not None and not np.shape(g)[axis]:  # of no differences NumPy does not look at the axis
        return blank(shape, g)
    for _ in range(n):
        ends = list(np.shape(g))
        ends[axis] = 1
        edge = blank(tuple(ends), g)
        g = np.diff(np.concatenate([edge, np.negative(g), edge], axis), axis=axis)
    return g


def edge(value: Any, shape: Shape, axis: int) -> Any:
    """What ``np.diff`` puts before or behind an array of ``shape``: a number stands for a slice of them.

    >>> edge(2.0, (3, 2), 0)
    array([[2., 2.]])
    """
    value = value if is_foreign(value) else np.asarray(value)
    ends = tuple(1 if i == axis % len(shape) else length for i, length in enumerate(shape))
    return np.copy(value if value.ndim else np.broadcast_to(value, ends))


def i0_slope(x: Any, order: int) -> Any:
    """The derivative of that order of ``np.i0``, the mean of cosh(x cos t) over a circle (https://dlmf.nist.gov/10.32.E1).

    >>> float(i0_slope(np.float64(1.0), 1)), float(i0_slope(np.float64(0.0), 2))
    (0.5651591039924851, 0.5)
    """
    c = np.cos((np.arange(64) + 0.5) * (np.pi / 128))  # a mean of a smooth periodic function by points: right to the last digits
    x = x if is_foreign(x) else np.asarray(x, float if np.result_type(x).kind != "f" else None)
    curve = np.sinh if order % 2 else np.cosh
    return np.mean(c**order * curve(np.expand_dims(x, -1) * c), -1).astype(x.dtype)[()]


def unsplit(parts: Sequence[Any], shape: Shape, places: Any, axis: int = 0) -> Any:
    """The adjoint of ``np.array_split(array, places, axis)`` for an array of ``shape``; parts may overlap, where places descend.

    >>> unsplit([np.array([1., 2.]), np.array([]), np.array([5., 6.])], (3,), [2, 1])
    array([1., 7., 6.])
    """
    joined = np.concatenate(parts, axis)
    if np.shape(joined) == shape:
        return joined
    return put_back(joined, shape, np.concatenate(np.array_split(numbers(shape), places, axis), axis))


def put_back(g: Any, shape: Shape, places: Any) -> Any:
    """The adjoint of taking the entries with the numbers ``places`` out of an array of ``shape``; -1 is the number of none.

    >>> put_back(np.array([1., 2., 3., 4.]), (2, 2), np.array([3, 3, -1, 0]))
    array([[4., 0.],
           [0., 3.]])
    """
    size = math.prod(shape)
    return np.reshape(scatter(g, (size + 1,), places)[:size], shape)  # what is of none goes to an entry more, the last one


def fitted(a: Any, shape: Shape) -> Any:
    """The array cut off at the ends of its axes, or filled up with zeros, to ``shape``: what a Fourier transform does first.

    >>> fitted(np.array([1., 2., 3.]), (2,)), fitted(np.array([1., 2., 3.]), (4,))
    (array([1., 2.]), array([1., 2., 3., 0.]))
    """
    if np.shape(a) == tuple(shape):
        return a
    common = tuple(slice(min(lengths)) for lengths in zip(np.shape(a), shape))
    full = blank(tuple(shape), a)
    full[common] = a[common]
    return full


def lengths(shape: Shape, axes: Sequence[int], s: Sequence[int] | None) -> Shape:
    """The lengths ``s`` along ``axes``; where they are not given, or are -1, those of ``shape``.

    >>> lengths((2, 3, 4), (0, 2), (5, -1))
    (5, 4)
    """
    return tuple(shape[axis] if s is None or s[i] == -1 else s[i] for i, axis in enumerate(axes))


def halves(shape: Shape, axis: int) -> Any:
    """How often each entry of half a spectrum stands in the whole one, along ``axis`` of ``shape``; 0 where the half has no entry.

    >>> halves((6,), 0), halves((5,), 0)
    (array([1, 2, 2, 1, 0, 0], dtype=int8), array([1, 2, 2, 0, 0], dtype=int8))
    """
    length = shape[axis]
    often = np.zeros(length, np.int8)
    often[:length // 2 + 1] = 1
    often[1:(length + 1) // 2] = 2
    return np.reshape(often, [length if i == axis % len(shape) else 1 for i in range(len(shape))])
