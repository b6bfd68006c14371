"""Where an array lies in memory, and whether two of them share an entry."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...runtime.arrays import is_array, is_host_array, on_device


class Region(NamedTuple):
    """The bytes of an array: its first entry is at ``pointer``, all are from ``start`` to before ``stop``.

    ``shape`` is None where an array does not tell how it lies: such a region meets every other.
    """

    pointer: int
    start: int
    stop: int
    shape: tuple[int, ...] | None
    strides: tuple[int, ...]
    itemsize: int

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return {
            "data": (self.pointer, True), "shape": self.shape, "strides": self.strides, "typestr": f"|V{self.itemsize}", "version": 3,
        }


SOMEWHERE = Region(0, -1, 1 << 62, None, (), 1)


def region_of(array: Any) -> Region:
    """The region of an array; SOMEWHERE where that cannot be known.

    >>> x = np.zeros((4, 2))
    >>> column = region_of(x[::-1, 1])
    >>> column.stop - column.start, column.shape, column.strides
    (56, (4,), (-16,))
    """
    interface = getattr(array, "__array_interface__", None) or getattr(array, "__cuda_array_interface__", None)
    if interface is None:
        return SOMEWHERE
    pointer = start = interface["data"][0]
    shape, strides, itemsize = array.shape, array.strides, array.itemsize
    stop = start + (itemsize if array.size else 0)
    if array.size:
        for length, stride in zip(shape, strides):
            if stride < 0:
                start += (length - 1) * stride
            else:
                stop += (length - 1) * stride
    return Region(pointer, start, stop, shape, strides, itemsize)


def meet(one: Region, other: Region) -> bool:
    """Whether two regions have an entry in common; yes, where that is too hard to tell.

    >>> x = np.zeros((4, 4))
    >>> meet(region_of(x[:, 0]), region_of(x[:, 1])), meet(region_of(x[1]), region_of(x[:, 1]))
    (False, True)
    """
    if one.start >= other.stop or other.start >= one.stop:
        return False
    if one.shape is None or other.shape is None:
        return True
    step = math.gcd(*one.strides, *other.strides)  # all entries of one lie at the same distance from a multiple of it
    apart = (other.pointer - one.pointer) % step if step else 0
    if step and one.itemsize <= apart <= step - other.itemsize:
        return False
    try:
        return np.shares_memory(np.asarray(one), np.asarray(other), max_work=10_000)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


def covers(region: Region, owner: Any) -> bool:
    """Whether a region is all of its owner's memory.

    >>> x = np.zeros((2, 3))
    >>> covers(region_of(x.T), x), covers(region_of(x[:, ::2]), x)
    (True, False)
    """
    size = getattr(owner, "nbytes", None)
    return region.shape is not None and region.stop - region.start == math.prod(region.shape) * region.itemsize == size


def owner_of(array: Any) -> Any:
    """What owns the memory of ``array``: the array at the end of its bases, or what that has its memory from (a bytearray, a mmap)."""
    base, seen = getattr(array, "base", None), {id(array)}
    while base is not None and id(base) not in seen:  # a memoryview of Cython's and its array name each other
        array = base
        seen.add(id(array))
        base = getattr(array, "base", None)
        if base is None and isinstance(array, memoryview):
            base = array.obj
    return array


def same_memory(a: Any, b: Any) -> bool:
    """Whether two arrays are the same entries in the same order."""
    interface = "__cuda_array_interface__" if on_device(a) else "__array_interface__"
    return is_array(b) and hasattr(b, interface) and getattr(a, interface) == getattr(b, interface)


def overlap(a: Any, b: Any) -> bool:
    """Whether two arrays share an entry; yes, where that is too hard to tell.

    >>> x = np.zeros(4)
    >>> overlap(x[:2], x[1:]), overlap(x[::2], x[1::2])
    (True, False)
    """
    if is_host_array(a) and is_host_array(b) and not np.may_share_memory(a, b):
        return False
    return meet(region_of(a), region_of(b))


def entries_within(part: Any, whole: Any) -> tuple[Any, ...] | None:
    """The index of the entries of the view ``part`` in ``whole``, an array for each axis; None if they are not entries of it.

    >>> x = np.arange(6).reshape(2, 3)
    >>> entries_within(x.T[1:, 0], x)
    (array([0, 0]), array([1, 2]))
    """
    if part.dtype != whole.dtype or not part.size:
        return None
    if not whole.shape:
        return (None,) * part.ndim if part.size == 1 else None
    here, there = addresses(part), addresses(whole).ravel()
    order = np.argsort(there, kind="stable")
    found = np.minimum(np.searchsorted(there, here, sorter=order), there.size - 1)
    numbers = order[found]
    if not np.array_equal(there[numbers], here):
        return None
    return np.unravel_index(numbers, whole.shape)


def addresses(array: Any) -> Any:
    """The address of each entry."""
    region = region_of(array)
    found = np.array(region.pointer, np.int64)
    for length, stride in zip(array.shape, array.strides):
        found = np.add.outer(found, np.arange(length) * stride)
    return found
