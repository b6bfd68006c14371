"""What histograms, sets and reductions by parts count: where entries stand, which is constant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def counted(points: Any, bins: Any, range: Any = None) -> Any:
    """How many of some points, the rows of an array, lie in each cell of ``np.histogramdd``.

    >>> counted(np.array([[0.5], [1.5], [1.7]]), [[0., 1., 2.]])
    array([1., 2.])
    """
    return np.histogramdd(points, bins, range)[0]


def binned(weights: Any, points: Any, bins: Any, range: Any = None) -> Any:
    """The sum of the weights of the points that lie in each cell of ``np.histogramdd``.

    >>> binned(np.array([1., 2., 4.]), np.array([[0.5], [1.5], [1.7]]), [[0., 1., 2.]])
    array([1., 6.])
    """
    return np.histogramdd(points, bins, range, weights=weights)[0]


def cell_numbers(points: Any, bins: Any, range: Any = None) -> Any:
    """The number of the cell in which each point lies, counted row by row; -1 for a point that lies in none.

    >>> cell_numbers(np.array([[0.5], [1.5], [2.7]]), [[0., 1., 2.]])
    array([ 0,  1, -1])
    """
    numbers, outside = np.zeros(len(points), int), np.zeros(len(points), bool)
    for column, ends in zip(np.transpose(points), np.histogramdd(points, bins, range)[1]):
        place = np.searchsorted(ends, column, "right") - 1 - (column == ends[-1])
        outside |= (place < 0) | (place >= len(ends) - 1)
        numbers = numbers * (len(ends) - 1) + place
    return np.where(outside, -1, numbers)


def of_axis(given: Any, axis: int) -> Any:
    """What is given for each axis, or for all of them: of this one.

    >>> of_axis([4, 5], 1), of_axis(10, 1), of_axis(None, 1)
    (5, 10, None)
    """
    return given[axis] if hasattr(given, "__len__") else given


def on_both_axes(bins: Any) -> Any:
    """The bins of ``np.histogram2d`` as those of ``np.histogramdd``: the same edges on both axes where only one array of them is given.

    >>> on_both_axes([0., 1., 2.]), on_both_axes([4, 5]), on_both_axes(10)
    ([[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]], [4, 5], 10)
    """
    return [bins, bins] if hasattr(bins, "__len__") and len(bins) not in (1, 2) else bins


def found_at(function: Any, *arrays: Any) -> Any:
    """Where each value that a function chooses from the entries of some arrays stands first among these, one array after the other.

    >>> found_at(np.union1d, np.array([5., 1., 5.]), [2.])
    array([1, 3, 0])
    """
    entries = np.concatenate([np.ravel(array) for array in arrays])
    order = np.argsort(entries, kind="stable")
    return order[np.searchsorted(entries[order], function(*arrays))]


def latest_at(z: Any, array: Any, axis: int) -> Any:
    """Where each running extreme ``z`` of an array along an axis was last reached.

    >>> latest_at(np.array([2., 2., 3.]), np.array([2., 1., 3.]), 0)
    array([0, 0, 2])
    """
    places = np.moveaxis(np.broadcast_to(np.arange(np.shape(z)[axis]), np.shape(np.moveaxis(z, axis, -1))), -1, axis)
    return np.maximum.accumulate(np.where(array == z, places, 0), axis)


def spans(indices: Sequence[int], length: int) -> list[tuple[int, int]]:
    """What ``ufunc.reduceat`` reduces, each from a start to a stop.

    >>> spans([0, 2, 1], 4)
    [(0, 2), (2, 3), (1, 4)]
    """
    starts = [int(index) for index in indices]
    return [(start, max(stop, start + 1)) for start, stop in zip(starts, [*starts[1:], length])]


def zeros_at(a: Any, trim: str = "fb") -> tuple[int, int]:
    """How many zeros an array begins with, and how many it ends with, where ``trim`` names the front and the back.

    >>> zeros_at(np.array([0., 0., 3., 0.])), zeros_at(np.zeros(2), "f")
    ((2, 1), (2, 0))
    """
    places = np.flatnonzero(a)
    front = (places[0] if len(places) else np.size(a)) if "f" in trim.lower() else 0
    back = (np.size(a) - 1 - places[-1] if len(places) else np.size(a) - front) if "b" in trim.lower() else 0
    return int(front), int(back)


def exponent(x: Any) -> Any:
    """The exponents of numbers, as ``np.frexp`` gives them.

    >>> exponent(np.array([1., 6.]))
    array([1, 3], dtype=int32)
    """
    return np.frexp(x)[1]
