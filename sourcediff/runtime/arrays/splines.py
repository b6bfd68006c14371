"""Interpolation by splines on a grid: where it looks, and with which weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .library import Shape


def bsplines(u: Any, order: int, derivative: int = 0) -> Any:
    """The B-splines of an order that are not zero at a place ``u`` between two knots, from 0 to 1, or a derivative of them.

    C. de Boor, "A Practical Guide to Splines", chapter X, for knots at the integers.

    >>> bsplines(np.array([0.25]), 1), bsplines(np.array([0.25]), 2, 1)
    (array([[0.75, 0.25]]), array([[-0.75,  0.5 ,  0.25]]))
    """
    u = np.asarray(u)
    parts = [np.ones_like(u) if derivative <= order else np.zeros_like(u)]
    none = np.zeros_like(u)
    for d in range(1, order + 1):
        before, here = [none, *parts], [*parts, none]
        if d > order - derivative:
            parts = [a - b for a, b in zip(before, here)]
        else:
            parts = [((u + (d - j)) * a + ((1 + j) - u) * b) / d for j, (a, b) in enumerate(zip(before, here))]
    return np.stack(parts, -1)


def extents(shape: Shape, ndim: int) -> Any:
    """The last place along each axis of ``shape``, for an array of coordinates of ``ndim`` dimensions."""
    return np.reshape(np.asarray(shape) - 1, (-1,) + (1,) * (ndim - 1))


def turns(places: Any, shape: Shape, mode: str) -> Any:
    """What is to be added to coordinates that go around an image in ``mode="wrap"``, in which first and last entries are the same."""
    last = extents(shape, np.ndim(places))
    size = np.maximum(last, 1)
    around = np.where(places < 0, np.floor(-places / size) + 1, np.where(places > last, -np.floor(places / size), 0))
    return around * last if mode == "wrap" else np.zeros_like(around)


def support(corner: Any, shape: Shape, order: int, mode: str) -> tuple[Any, ...]:
    """The index of all entries of which splines of an order at places are made; ``corner`` is the place's own entry, or the one below.

    Each axis of the image has an axis of its own behind those of the places.
    """
    cells = []
    for axis, length in enumerate(shape):
        ahead = np.reshape(np.arange(order + 1) - order // 2, (-1,) + (1,) * (len(shape) - 1 - axis))
        cell = np.reshape(corner[axis], np.shape(corner[axis]) + (1,) * len(shape)).astype(np.intp) + ahead
        if mode in ("nearest", "grid-constant"):
            cell = np.clip(cell, 0, length - 1)
        elif mode == "grid-wrap":
            cell %= length
        else:
            twice = 1 if mode in ("reflect", "grid-mirror") else 0  # whether the last entry is repeated
            period = max(2 * length - 2 + 2 * twice, 1)
            cell = np.minimum(cell % period, period - twice - cell % period) if length > 1 else cell * 0
        cells.append(cell)
    return tuple(cells)


def is_outside(places: Any, shape: Shape, mode: str) -> Any:
    """Which places are outside of an image of ``shape`` that is constant there.

    >>> is_outside(np.array([[-0.5, 1.0, 2.0]]), (3,), "constant")
    array([ True, False, False])
    """
    last = extents(shape, np.ndim(places))
    return np.any((places < 0) | (places > last), 0) & (mode == "constant")


def lattice(shape: Sequence[int]) -> Any:
    """The coordinates of the entries of an image of ``shape``, axis by axis."""
    return np.indices(tuple(shape), float)


def zoomed(shape: Shape, zoom: Any, grid_mode: bool) -> Any:
    """The coordinates in an image of ``shape`` of the entries of the zoomed one."""
    new = tuple(round(length * by) for length, by in zip(shape, np.broadcast_to(zoom, len(shape)).tolist()))
    off = 0 if grid_mode else 1
    ratio = [(old - off) / (length - off) if length != off else 1.0 for old, length in zip(shape, new)]
    half = 0.5 if grid_mode else 0.0
    return (lattice(new) + half) * np.reshape(ratio, (-1,) + (1,) * len(shape)) - half


def rotated(shape: Any, turn: Any) -> Any:
    """The shape of an image that shows all of one of ``shape`` turned by a matrix.

    >>> rotated(np.array([2, 3]), np.array([[0.0, 1.0], [-1.0, 0.0]]))
    array([3, 2])
    """
    y, x = shape
    return (np.ptp(turn @ np.array([[0, 0, y, y], [0, x, 0, x]]), axis=1) + 0.5).astype(int)
