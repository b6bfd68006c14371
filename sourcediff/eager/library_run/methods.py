"""Methods and attributes of arrays that a Live Variable has beyond those of Variable: ``flat``, ``base``, ``sort()``, ``put()`` …"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...errors import AliasingError
from ...rules.frames import rule_for
from ...runtime.arrays import is_array
from ...runtime.checks import check_overlap
from ..engine.apply import apply, raw, stacked
from ..engine.variable import Variable
from ..numpy_api.writing import put_entries, store_flat
from .live import Live
from .watch import refused


class FlatIterator:
    """``x.flat``: the entries in C order, by number, and once one after the other. As NumPy's, it begins anew where it is indexed."""

    def __init__(self, array: Live):
        self.array = array
        self.base = array
        self.index = 0

    def __len__(self) -> int:
        return int(self.array.size)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self.index >= len(self):
            raise StopIteration
        self.index += 1
        return self.array[np.unravel_index(self.index - 1, self.array.shape)]

    def __getitem__(self, key: Any) -> Any:
        self.index = 0
        numbers = np.arange(len(self))[raw(key)]
        return self.array[np.unravel_index(numbers, self.array.shape)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.index = 0
        try:
            check_overlap(self.array._value, raw(value), True)
        except AliasingError as error:
            raise refused(error) from None
        store_flat(self.array, np.ravel(np.arange(len(self))[raw(key)]), value)

    def copy(self) -> Any:
        """The entries as an array."""
        return np.copy(np.ravel(self.array))  # type: ignore[call-overload]


def base_of(self: Live) -> Any:
    """``x.base``: the array that a view is of, None of an array of its own."""
    root = self
    while root._parent is not None:
        root = root._parent
    return None if root is self and getattr(self._value, "base", None) is None else root


def sort_in_place(self: Live, axis: int = -1, kind: Any = None, order: None = None, *, stable: bool | None = None) -> None:
    """``x.sort()``, in place: the entries in the order of their values."""
    _reorder(self, np.argsort(self._value, axis=axis, kind="stable" if stable else kind), axis)


def partition(self: Live, kth: Any, axis: int = -1, kind: Any = "introselect", order: None = None) -> None:
    """``x.partition()``, in place: the entries in the order in which NumPy leaves them."""
    _reorder(self, np.argpartition(self._value, kth, axis, kind), axis)


def _reorder(x: Live, order: Any, axis: int) -> None:
    places = list(np.ogrid[tuple(slice(length) for length in x.shape)])
    places[axis] = order
    x[...] = x[tuple(places)]


def copy(self: Live, order: Any = "C") -> Any:
    """``x.copy()``: in C order unless ``order`` says otherwise, as the method of an array (``np.copy`` keeps the order)."""
    return apply(rule_for(np.copy), (self,), {}, compute=lambda data: data.copy(order) if is_array(data) else np.copy(data))


def flatten_to_copy(self: Live, order: Any = "C") -> Any:
    """``x.flatten()``: the entries, always a copy."""
    return np.copy(np.ravel(self.T)) if order == "F" else np.copy(np.ravel(self, order))  # type: ignore[call-overload]


def clip(self: Live, min: Any = None, max: Any = None, out: Any = None) -> Any:
    """``x.clip(low, high)``, also into an array ``out``."""
    result = Variable.clip(self, min, max)  # type: ignore[attr-defined]
    if out is None:
        return result
    out[...] = result
    return out


def compress(self: Live, condition: Any, axis: int | None = None) -> Any:
    """``x.compress(condition)``: the entries (or slices along ``axis``) for which it is true."""
    chosen = np.flatnonzero(raw(condition))
    return np.ravel(self)[chosen] if axis is None else np.take(self, chosen, axis=axis)


def array_wrap(self: Live, array: Any, *context: Any) -> Any:
    """What NumPy's own Python source calls to give a result the type of its argument."""
    return array


def search_sorted(self: Live, v: Any, side: Any = "left", sorter: Any = None) -> Any:
    """``x.searchsorted(v)``: positions, which have no derivative."""
    return np.searchsorted(self._value, raw(stacked(v)), side, sorter)


def install_methods() -> None:
    """Give Live these methods."""
    methods = {"sort": sort_in_place, "partition": partition, "put": put_entries, "copy": copy}
    methods |= {"compress": compress, "searchsorted": search_sorted, "flatten": flatten_to_copy, "clip": clip}
    methods["__array_wrap__"] = array_wrap
    for name, method in methods.items():
        setattr(Live, name, method)
    flat = property(FlatIterator, lambda self, value: FlatIterator(self).__setitem__(slice(None), value))
    setattr(Live, "flat", flat)  # noqa: B010
    setattr(Live, "base", property(base_of))  # noqa: B010


install_methods()
