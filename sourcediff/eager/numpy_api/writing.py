"""NumPy's functions that write into an array, as indexed stores that are recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...errors import MissingRuleError
from ...rules.frames import rule_for, spelling
from ...runtime.arrays import on_device, scatter
from ...runtime.device_facts import in_library
from ...runtime.waits import waited
from ..engine.apply import apply, in_library_run, raw, stacked
from ..library_run.looping import APPLYING, LOOPS
from ..library_run.watch import refused


def copy_to(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """``np.copyto``."""
    src = stacked(src)
    if not np.can_cast(getattr(src, "dtype", type(src)), dst.dtype, casting):  # type: ignore[arg-type]
        raise TypeError(f"Cannot cast array data from {getattr(src, 'dtype', type(src))} to {dst.dtype} according to the rule {casting!r}")
    mask = raw(where)
    dst[...] = src if mask is True else np.where(mask, src, dst)


def put_entries(a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    """``np.put``."""
    size = np.size(raw(a))
    ind = np.ravel(raw(ind)).astype(np.intp)  # True counts as 1 here, not as a mask
    if mode == "raise":
        numbers = np.arange(size)[ind]
    else:
        numbers = ind % size if mode == "wrap" else np.clip(ind, 0, size - 1)
    store_flat(a, numbers, v)


def put_mask(a: Any, mask: Any, values: Any) -> None:
    """``np.putmask``: each entry gets the value of its own number."""
    numbers = np.flatnonzero(raw(mask))
    values = np.ravel(stacked(values))
    store_flat(a, numbers, values[numbers % np.size(raw(values))])


def place_entries(arr: Any, mask: Any, vals: Any) -> None:
    """``np.place``: the chosen entries get the values in turn."""
    store_flat(arr, np.flatnonzero(raw(mask)), vals)


def store_flat(a: Any, numbers: Any, values: Any) -> None:
    """Store values, repeated as needed, into the entries of these numbers in C order."""
    values = np.ravel(stacked(values))
    if len(numbers):
        shape = np.shape(raw(a))
        values = values[np.arange(len(numbers)) % np.size(raw(values))]
        if shape:
            a[np.unravel_index(numbers, shape)] = values
        else:  # of one entry there is no index, the last value stays
            a[...] = values[-1]


def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    """``np.fill_diagonal``."""
    shape = np.shape(raw(a))
    if len(shape) < 2:
        raise ValueError("array must be at least 2-d")
    if len(shape) > 2 and len(set(shape)) > 1:
        raise ValueError("All dimensions of input must be of equal length")
    step = shape[1] + 1 if len(shape) == 2 else 1 + int(np.cumprod(shape[:-1]).sum())
    end = None if wrap or len(shape) > 2 else shape[1] * shape[1]
    store_flat(a, np.arange(np.size(raw(a)))[:end:step], val)


def put_along_axis(arr: Any, indices: Any, values: Any, axis: int | None = -1) -> None:
    """``np.put_along_axis``."""
    if axis is None:
        store_flat(arr, np.ravel(raw(indices)), values)
        return
    rank = np.ndim(raw(arr))
    places: list[Any] = [np.expand_dims(np.arange(length), [k for k in range(rank) if k != one])
                         for one, length in enumerate(np.shape(raw(arr)))]
    places[axis] = raw(indices)
    arr[tuple(places)] = values


def at(ufunc: Any, a: Any, indices: Any, *operand: Any) -> None:
    """``ufunc.at``: entries that are named several times are changed several times."""
    if not in_library_run(a):
        raise refused(MissingRuleError(
            f"{spelling(ufunc)}.at would write a value that is being differentiated into an array of {a.dtype}",
            why="its gradient would silently be lost", remedy="make that array of floats",
        ))
    indices = raw(indices)
    if ufunc in (np.add, np.subtract):
        (b,) = operand
        spread = np.broadcast_to(b, np.shape(raw(a)[indices]))
        changed = ufunc(a, apply(rule_for(scatter), (spread, a.shape, indices), {}))

        def write() -> None:
            if on_device(a._value):  # which adds alone
                in_library("add").at(a._value, indices, raw(b) if ufunc is np.add else np.negative(raw(b)))
            else:
                ufunc.at(a._value, indices, raw(b))

        a._write(changed._node, write)
        return
    places = tuple(map(waited, indices)) if isinstance(indices, tuple) else waited(indices)
    numbers = np.arange(a.size).reshape(a.shape)[places]
    values = [np.ravel(np.broadcast_to(b, numbers.shape)) for b in operand]
    for position, number in enumerate(np.ravel(numbers)):
        index = tuple(map(int, np.unravel_index(number, a.shape)))
        a[index] = ufunc(a[index], *(value[position] for value in values))


def masked(ufunc: Any, args: tuple[Any, ...], where: Any, out: Any = None, **kwargs: Any) -> Any:
    """``np.f(…, out=out, where=mask)``: what is not chosen stays as it is, and is not computed."""
    if isinstance(out, tuple):
        (out,) = out
    if out is None and len(args) > ufunc.nin:
        *rest, out = args
        args = tuple(rest)
    if not in_library_run(out):
        raise refused(MissingRuleError(
            f"{spelling(ufunc)} with the keyword where= is not recorded without an array of floats as out=",
            why="what is not chosen would be left undefined", remedy=f"np.where(mask, {spelling(ufunc)}(…), 0.0), or give out=np.zeros(…)",
        ))
    mask = raw(where)
    result = ufunc(*(np.where(mask, stacked(arg), 1) for arg in args), **kwargs)
    out[...] = np.where(mask, result, out)
    return out


class Instead(NamedTuple):
    """What is called instead of a function: ``always``, or where it is given a Variable."""

    function: Callable[..., Any]
    always: bool = False


INSTEAD: dict[Any, Instead] = {
    np.copyto: Instead(copy_to), np.put: Instead(put_entries), np.putmask: Instead(put_mask), np.place: Instead(place_entries),
    np.fill_diagonal: Instead(fill_diagonal), np.put_along_axis: Instead(put_along_axis),
    **{function: Instead(instead, True) for function, instead in LOOPS.items()},
    **{function: Instead(instead) for function, instead in APPLYING.items()},
}
