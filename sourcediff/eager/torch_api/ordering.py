"""Methods that order entries or take them by number: ``sort``, ``argsort``, ``topk``, ``gather`` and their like."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.apply import raw
from ..engine.nodes import VOLATILE
from ..engine.variable import Variable, on_graph
from .shaping import index_at
from .spelling import Method, spelled


def along(x: Variable, index: Any, axis: int) -> Any:
    """The entries that ``np.take_along_axis`` takes, by plain indexing."""
    index = raw(index)
    index = index if hasattr(index, "dtype") else np.asarray(index)
    places = list(np.ogrid[tuple(slice(length) for length in index.shape)])
    places[axis] = index
    return x[tuple(places)]


@spelled
def argsort(x: Variable, axis: int | None = -1, kind: Any = "stable", *, descending: bool = False) -> Any:
    """The order of the entries along ``axis`` (or ``dim``), an array of integers; ``descending`` from the largest on."""
    order = np.argsort(x._value, axis=axis, kind=kind)
    return np.flip(order, -1 if axis is None else axis) if descending else order


def sort(x: Variable, *args: Any, **kwargs: Any) -> Any:
    """``x.sort(axis=-1)`` sorts in place, as the method of an array; with ``dim`` it leaves x and gives the (values, indices).

    The gradient follows the permutation that was applied. Raises InPlaceError where x may not be changed in place.
    """
    if kwargs.get("dim") is not None:
        order = argsort(x, *args, **kwargs)
        return along(x, order, kwargs["dim"]), numbers(x, order)
    if len(args) > 1 and isinstance(args[1], bool) or "descending" in kwargs:
        raise TypeError("sort in descending order takes its axis as dim=: values, indices = x.sort(dim=1, descending=True)")
    _sort_in_place(x, *args, **kwargs)
    return None


def _sort_in_place(x: Variable, axis: int = -1, kind: Any = "stable") -> None:
    axis = range(x.ndim)[axis] if -x.ndim <= axis < x.ndim else _out_of_bounds(axis, x.ndim)
    x._overwrite(along(x, np.argsort(x._value, axis=axis, kind=kind), axis), ".sort")


def _out_of_bounds(axis: int, ndim: int) -> int:
    raise np.exceptions.AxisError(axis, ndim)


@spelled
def topk(x: Variable, k: int, axis: int = -1, largest: bool = True, sorted: bool = True) -> tuple[Any, Any]:
    """The ``k`` largest (or smallest) entries along ``axis`` (or ``dim``) and their indices, in order (also where that is not asked)."""
    if not 0 <= k <= x.shape[axis]:
        raise ValueError(f"topk: {k} entries were asked for, of {x.shape[axis]} along axis {axis}")
    order = np.take(argsort(x, axis, descending=largest), np.arange(k), axis=axis)
    return along(x, order, axis), numbers(x, order)


def numbers(x: Variable, order: Any) -> Variable:
    """The indices that go with values of x, as PyTorch gives them: a Variable too, with its methods and its ``data``."""
    return on_graph(order, VOLATILE if x.volatile else None)


def gather(x: Variable, dim: int, index: Any) -> Any:
    """Of each line along ``dim`` the entries that ``index``, an array of as many dimensions, numbers."""
    if np.ndim(raw(index)) != x.ndim:
        raise ValueError(f"gather: an index of shape {np.shape(raw(index))} for an array of shape {x.shape}, which has another number of "
                         "axes: index.reshape(-1, 1) is one entry of each row")
    return along(x, index, dim)


def index_select(x: Variable, dim: int, index: Any) -> Any:
    """The parts along ``dim`` that ``index``, a sequence of integers, numbers: ``np.take(x, index, axis=dim)``, by plain indexing."""
    return x[index_at(dim, x.ndim, index)]


def masked_select(x: Variable, mask: Any) -> Any:
    """The entries where ``mask`` (of bools, or of zeros and ones) is true, in one dimension: ``x[mask]``, the mask broadcast."""
    return x[np.broadcast_to(raw(mask), x.shape) != 0]


def masked_fill(x: Variable, mask: Any, value: Any) -> Any:
    """``value`` where ``mask`` is true, elsewhere x: ``np.where(mask, value, x)``."""
    return np.where(raw(mask), value, x)


def where(x: Variable, condition: Any, y: Any) -> Any:
    """x where ``condition`` is true, elsewhere ``y``: ``np.where(condition, x, y)``."""
    return np.where(raw(condition), x, y)


ORDERINGS: dict[str, Method] = {
    "sort": sort, "argsort": argsort, "topk": topk, "gather": gather, "index_select": index_select, "masked_select": masked_select,
    "masked_fill": masked_fill, "where": where,
}
