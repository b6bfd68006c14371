"""Methods that look at the same entries in another shape, take parts of them, or copy them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Any

import numpy as np

from ...errors import MissingRuleError
from ...rules.frames import rule_for
from ...runtime.arrays import is_array
from ...runtime.checks import check_overlap
from ..engine.apply import apply, raw
from ..engine.variable import Variable
from ..library_run.watch import refused
from ..numpy_api.indexing import index_of
from .spelling import Method, as_tuple, numpy_method, spelled, variadic


def view(x: Variable, *shape: Any) -> Any:
    """The same entries in another shape, −1 for one length; without one, as NumPy's ``view()``, a view of the same memory.

    Raises MissingRuleError for a view as another dtype of what requires grad.
    """
    if not shape:
        return x[...]
    if isinstance(shape[0], (type, np.dtype, str)):
        return view_as_dtype(x, shape[0])
    return np.reshape(x, as_tuple(shape))


def view_as_dtype(x: Variable, dtype: Any) -> Any:
    """The same memory read as another dtype, which only the dtype it has anyway leaves differentiable."""
    if np.dtype(dtype) == x.dtype:
        return x[...]
    if x.requires_grad:
        raise refused(MissingRuleError(
            f"the method .view as {np.dtype(dtype)} of a Variable that requires grad is not recorded",
            why="the bytes of a number, read as another kind of number, have no derivative",
            remedy="use x.astype(dtype) for the values, or x.view(shape) for another shape",
        ))
    return x._ruleless(np.ndarray.view, (x, dtype), {}, x._node)


_repeat = numpy_method(np.repeat)


def transpose(x: Variable, *axes: Any) -> Any:
    """``np.transpose(x, axes)``: a permutation of all axes (or none: reversed); to swap two of more, ``x.swapaxes(i, j)``."""
    axes = as_tuple(axes)
    if len(axes) == 2 and x.ndim != 2:
        raise ValueError(f"transpose permutes all {x.ndim} axes, as in NumPy: to swap two of them, write x.swapaxes{axes}")
    return np.transpose(x, axes) if axes and axes != (None,) else np.transpose(x)


def expand(x: Variable, *sizes: Any) -> Any:
    """The array repeated along axes of length 1; −1 keeps a length."""
    shape = as_tuple(sizes)
    have = (1,) * (len(shape) - x.ndim) + x.shape
    return np.broadcast_to(x, tuple(h if s == -1 else s for s, h in zip(shape, have)) if len(have) == len(shape) else shape)


def repeat(x: Variable, *args: Any, **kwargs: Any) -> Any:
    """``np.repeat(x, repeats, axis)``: each entry several times. (PyTorch's repeats the whole, and takes a number for each axis.)"""
    if len(args) > 2:
        raise TypeError(f"repeat takes the repeats and an axis, as in NumPy: to tile the whole, write np.tile(x, {args})")
    return _repeat(x, *args, **kwargs)


def squeeze(x: Variable, axis: Any = None, dim: Any = None) -> Any:
    """Without the axes of length 1; with PyTorch's ``dim``, an axis of another length stays."""
    if axis is not None and dim is not None:
        raise TypeError("dim= and axis= are two spellings of one argument: give one of them")
    if dim is not None:
        return np.squeeze(x, dim) if x.shape[dim] == 1 else x
    return np.squeeze(x) if axis is None else np.squeeze(x, axis)


def unsqueeze(x: Variable, dim: int) -> Any:
    """With an axis of length 1 at ``dim``: ``np.expand_dims(x, dim)``."""
    return np.expand_dims(x, dim)


@spelled
def narrow(x: Variable, axis: int, start: int, length: int) -> Any:
    """The ``length`` entries along ``axis`` (or ``dim``) from ``start`` on."""
    if not 0 <= start <= start + length <= x.shape[axis]:
        raise IndexError(f"narrow: {length} entries from {start} on were asked for, of {x.shape[axis]} along axis {axis}")
    return x[index_at(axis, x.ndim, slice(start, start + length))]


@spelled
def select(x: Variable, axis: int, index: int) -> Any:
    """The part at ``index`` along ``axis`` (or ``dim``), without that axis."""
    return x[index_at(axis, x.ndim, index)]


@spelled
def unbind(x: Variable, axis: int = 0) -> tuple[Any, ...]:
    """The parts along ``axis`` (or ``dim``), without that axis."""
    return tuple(select(x, axis, index) for index in range(x.shape[axis]))


@spelled
def split(x: Variable, size: int | list[int], axis: int = 0) -> tuple[Any, ...]:
    """Consecutive parts along ``axis`` (or ``dim``): of ``size`` entries each (the last may be shorter), or of the listed sizes."""
    length = x.shape[axis]
    if not isinstance(size, (list, tuple)):
        if size <= 0:
            raise ValueError(f"split: parts of {size} entries were asked for")
        size = [min(size, length - start) for start in range(0, length, size)] or [0]
    if sum(size) != length or min(size) < 0:
        raise ValueError(f"split: parts of {size} entries were asked for, of {length} along axis {axis}")
    return tuple(x[index_at(axis, x.ndim, slice(end - part, end))] for part, end in zip(size, accumulate(size)))


@spelled
def chunk(x: Variable, chunks: int, axis: int = 0) -> tuple[Any, ...]:
    """At most ``chunks`` parts of equal size along ``axis`` (or ``dim``; the last may be shorter)."""
    if chunks <= 0:
        raise ValueError(f"chunk: {chunks} parts were asked for")
    return split(x, max(1, -(-x.shape[axis] // chunks)), axis)  # type: ignore[no-any-return]


def index_at(axis: int, ndim: int, part: Any) -> tuple[Any, ...]:
    """The index of a part along an axis."""
    if not -ndim <= axis < ndim:
        raise np.exceptions.AxisError(axis, ndim)
    return (*(slice(None),) * (axis % ndim), part)


def copied(x: Variable) -> Any:
    """``x.copy()``: in C order, as the method of an array (``np.copy`` keeps the order)."""
    return apply(rule_for(np.copy), (x,), {}, compute=_own_copy)


def contiguous(x: Variable) -> Any:
    """Itself, if its entries lie in C order; else a copy in which they do."""
    return x if is_contiguous(x) else copied(x)


def is_contiguous(x: Variable) -> bool:
    """Whether the entries lie in C order, without gaps."""
    return not is_array(x._value) or bool(x._value.flags.c_contiguous)


def flatten(x: Variable) -> Any:
    """``x.flatten()``: always a copy, where ``x.ravel()`` is a view if it can be one."""
    return apply(rule_for(np.ravel), (x,), {}, compute=_own_flat)


def _own_copy(data: Any) -> Any:
    return data.copy() if is_array(data) else np.copy(data)


def _own_flat(data: Any) -> Any:
    return np.ravel(data).copy()


class Flat:
    """The entries in C order, as ``array.flat``: to read, to write (``x.flat[3] = y``) and to go through."""

    __slots__ = ("_variable",)

    def __init__(self, variable: Variable):
        self._variable = variable

    def __getitem__(self, key: Any) -> Any:
        part = np.ravel(self._variable)[key]  # type: ignore[call-overload]
        return np.copy(part) if isinstance(key, slice) or key is Ellipsis else part

    def __setitem__(self, key: Any, value: Any) -> None:
        from ..numpy_api.writing import store_flat

        x = self._variable
        places = np.arange(x.numel())[index_of(key)]
        if np.ndim(places):
            check_overlap(x._value, raw(value), True)
            store_flat(x, np.ravel(places), value)
        else:
            x[np.unravel_index(places, x.shape)] = value

    def __len__(self) -> int:
        return self._variable.numel()

    def __iter__(self) -> Iterator[Any]:
        x = self._variable
        return (x[np.unravel_index(place, x.shape)] for place in range(x.numel()))

    def copy(self) -> Any:
        """The entries as an array."""
        return np.copy(np.ravel(self._variable))  # type: ignore[call-overload]


SHAPINGS: dict[str, Method] = {
    "view": view, "view_as": lambda x, other: np.reshape(x, np.shape(raw(other))), "reshape": variadic(np.reshape),
    "transpose": transpose, "permute": variadic(np.transpose), "t": numpy_method(np.transpose), "swapaxes": numpy_method(np.swapaxes),
    "expand": expand, "expand_as": lambda x, other: np.broadcast_to(x, np.shape(raw(other))), "squeeze": squeeze, "unsqueeze": unsqueeze,
    "repeat": repeat, "narrow": narrow, "select": select, "unbind": unbind, "split": split, "chunk": chunk,
    "ravel": numpy_method(np.ravel), "flatten": flatten, "copy": copied, "clone": numpy_method(np.copy), "contiguous": contiguous,
    "is_contiguous": is_contiguous,
    **{name: numpy_method(getattr(np, name)) for name in "take diagonal diag trace tril triu nonzero".split()},
}
