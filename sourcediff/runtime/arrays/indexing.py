"""The adjoints of indexing and of stores."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .broadcasting import sum_to
from .library import Shape, blank, is_foreign


def _repeats_entries(index: Any) -> bool:
    """Whether an index may name an entry twice: only integer arrays can."""
    for part in index if isinstance(index, tuple) else (index,):
        if isinstance(part, (list, tuple)):
            part = np.asarray(part)
        if getattr(part, "ndim", 0) and part.dtype != bool:
            return True
    return False


def add_at(full: Any, index: Any, g: Any) -> None:
    """Add ``g`` to an array in place at ``index``, as often as it is named.

    >>> full = np.ones(3)
    >>> add_at(full, [0, 0], np.array([1.0, 2.0]))
    >>> full
    array([4., 1., 1.])
    """
    if type(index) is int or type(index) is slice or not _repeats_entries(index):
        full[index] += g
    else:
        np.add.at(full, index, g)


def scatter(g: Any, shape: Shape, index: Any) -> Any:
    """The adjoint of ``array[index]`` for an array of ``shape``: zeros with ``g`` added at ``index``, as often as it is named.

    >>> scatter(np.array([1., 2., 3.]), (4,), [0, 0, 2])
    array([3., 0., 3., 0.])
    """
    full = blank(shape, g)
    if type(index) is int or type(index) is slice or not _repeats_entries(index):
        full[index] = g
    elif is_foreign(g):  # ufuncs of other libraries have at(), but not by NumPy's protocol
        numbers = np.reshape(np.arange(math.prod(shape), like=g), shape)[index]
        weights = np.broadcast_to(g, numbers.shape)
        full = np.reshape(np.bincount(np.ravel(numbers), np.ravel(weights), math.prod(shape)), shape).astype(g.dtype)
    else:
        np.add.at(full, index, g)
    return full


def store(a: Any, index: Any, value: Any) -> Any:
    """A copy of ``a`` with ``value`` at ``index``: the assignment ``a[index] = value`` as a function.

    >>> store(np.zeros(3), slice(1, None), 5.)
    array([0., 5., 5.])
    """
    changed = np.copy(a)
    changed[index] = value
    return changed


def incremented(a: Any, index: Any, value: Any) -> Any:
    """A copy of ``a`` with ``value`` added at ``index``, as often as it is named: ``np.add.at(a, index, value)`` as a function.

    >>> incremented(np.zeros(3), [0, 0, 2], 5.)
    array([10.,  0.,  5.])
    """
    changed = np.copy(a)
    np.add.at(changed, index, value)
    return changed


def maximum_at(a: Any, index: Any, value: Any) -> Any:
    """A copy of ``a`` raised to ``value`` at ``index``: ``np.maximum.at(a, index, value)`` as a function.

    >>> maximum_at(np.zeros(3), [0, 0, 2], [1., 5., -1.])
    array([5., 0., 0.])
    """
    changed = np.copy(a)
    np.maximum.at(changed, index, value)
    return changed


def minimum_at(a: Any, index: Any, value: Any) -> Any:
    """A copy of ``a`` lowered to ``value`` at ``index``: ``np.minimum.at(a, index, value)`` as a function.

    >>> minimum_at(np.zeros(3), [0, 0, 2], [1., -5., -1.])
    array([-5.,  0., -1.])
    """
    changed = np.copy(a)
    np.minimum.at(changed, index, value)
    return changed


def reaches(a: Any, z: Any, index: Any, value: Any) -> Any:
    """Where the extrema ``z = maximum_at(a, index, value)`` come from entries of ``value``: of equal ones the first, none where ``a`` is.

    >>> reaches(np.zeros(2), np.array([5.0, 0.0]), [0, 0, 1], np.array([5.0, 5.0, -1.0]))
    array([ True, False, False])
    """
    equal = (value == z[index]) & (a != z)[index]
    order = np.arange(np.size(equal)).reshape(np.shape(equal))
    first = np.full(np.shape(a), np.size(equal))
    np.minimum.at(first, index, np.where(equal, order, np.size(equal)))
    return equal & (first[index] == order)


def last_stored(a: Any, index: Any) -> Any:
    """The adjoint of ``v`` in ``a[index] = v``, given that of ``a``: where the index names an entry twice, only the last store counts.

    >>> last_stored(np.array([1.0, 2.0]), [0, 0])
    array([0., 1.])
    """
    read = a[index]
    order = np.arange(np.size(read)).reshape(np.shape(read))
    last = np.empty(a.shape, dtype=order.dtype)
    last[index] = order
    return np.where(last[index] == order, read, 0)


def stored(g: Any, index: Any, shape: Shape) -> Any:
    """The adjoint of the value in ``a[index] = value``; of values stored at one place, the last alone counts.

    >>> stored(np.array([1., 2., 3.]), [0, 0, 2], (3,))
    array([0., 1., 3.])
    """
    g = np.asarray(g) if isinstance(g, float) else g  # of a buffer without dimensions that float() was asked of
    # where there is no order of stores, naming an entry twice is refused
    taken = last_stored(g, index) if _repeats_entries(index) and not is_foreign(g) else g[index]
    extra = len(shape) - np.ndim(taken)  # a[0] = [[1.0]] is allowed: leading axes of length 1
    return np.reshape(sum_to(taken, shape[max(extra, 0):]), shape)[()]


def entry_at(index: tuple[Any, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    """The indices of the entry that ``array.item(*index)`` gives.

    >>> entry_at((-1,), (2, 3)), entry_at((0, 1), (2, 3)), entry_at(((0, 1),), (2, 3))
    ((1, 2), (0, 1), (0, 1))
    """
    if len(index) == 1 and isinstance(index[0], tuple):
        (index,) = index
    if len(index) == 1 and len(shape) != 1:
        return tuple(map(int, np.unravel_index(range(math.prod(shape))[index[0]], shape)))
    if len(index) != len(shape):
        raise ValueError("incorrect number of indices for array")
    return index
