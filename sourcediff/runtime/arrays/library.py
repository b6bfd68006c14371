"""The one place that knows array libraries: NumPy, whose arrays lie in the computer's own memory, and CuPy, whose arrays lie on a device.

In CuPy a number is an array without dimensions. Here it is a number, as NumPy's are: what asks whether a value is an array asks
:func:`is_array`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

Shape = tuple[int, ...]

HOST = np
"""The library of what is counted and not differentiated: NumPy, wherever the arrays lie."""

DEVICE = "cupy"
"""The library of arrays on a device."""


def device_class() -> Any:
    """The class of arrays on a device, None as long as their library is not imported."""
    return getattr(sys.modules.get(DEVICE), "ndarray", None)


def to_device(value: Any) -> Any:
    """An array of NumPy's, on the device."""
    return sys.modules[DEVICE].asarray(value)


def on_host(value: Any) -> Any:
    """A value as it is in the computer's own memory."""
    return value.get() if on_device(value) else value


def at(name: str) -> Any:
    """The library of this name: NumPy, or that of arrays on a device.

    >>> at("numpy") is np
    True
    """
    return np if name == "numpy" else sys.modules[name]


def device_version() -> str:
    """The version of the library of arrays on a device."""
    return str(getattr(sys.modules.get(DEVICE), "__version__", ""))


def library_of(value: Any) -> str:
    """The name of the library that an array is of, ``""`` for what is no array of NumPy's or CuPy's.

    >>> library_of(np.ones(2)), library_of(1.0)
    ('numpy', '')
    """
    if isinstance(value, np.ndarray):
        return "numpy"
    return DEVICE if on_device(value) else ""


def on_device(value: Any) -> bool:
    """Whether a value is an array on a device, or a number there."""
    library = sys.modules.get(DEVICE)
    return library is not None and isinstance(value, getattr(library, "ndarray", ()))


def is_foreign(value: Any) -> bool:
    """Whether a value is an array of another library than NumPy, by its following NumPy's protocols.

    >>> is_foreign(np.ones(2)), is_foreign(np.float64(1.0)), is_foreign(1.0)
    (False, False, False)
    """
    return not isinstance(value, np.ndarray) and hasattr(type(value), "__array_function__")


def is_array(value: Any) -> bool:
    """Whether a value is an array, of NumPy or of another library; a number on a device is none.

    >>> is_array(np.ones(2)), is_array(np.float64(1.0)), is_array([1.0])
    (True, False, False)
    """
    return isinstance(value, np.ndarray) or hasattr(type(value), "__array_function__") and not is_number(value)


def is_host_array(value: Any) -> bool:
    """Whether a value is an array of NumPy's, of a subclass too.

    >>> is_host_array(np.ones(2)), is_host_array(np.float64(1.0))
    (True, False)
    """
    return isinstance(value, np.ndarray)


def is_plain_array(value: Any) -> bool:
    """Whether a value is an array on which operators mean what they mean on NumPy's: of a device, or NumPy's and of no subclass.

    >>> is_plain_array(np.ones(2)), is_plain_array(np.ma.ones(2))
    (True, False)
    """
    return type(value) is np.ndarray or on_device(value)


def is_array_class(kind: type) -> bool:
    """Whether a class is one of arrays: NumPy's, one derived from it, or that of a device's.

    >>> is_array_class(np.memmap), is_array_class(np.float64)
    (True, False)
    """
    return issubclass(kind, np.ndarray) or kind is device_class()


def is_plain_class(kind: type) -> bool:
    """Whether a class is the one of arrays itself, NumPy's or that of a device's.

    >>> is_plain_class(np.ndarray), is_plain_class(np.memmap)
    (True, False)
    """
    return kind is np.ndarray or kind is device_class() is not None


def is_number(value: Any) -> bool:
    """Whether a value is a number of NumPy's, or one on a device.

    >>> is_number(np.float64(1.0)), is_number(np.array(1.0)), is_number(1.0)
    (True, False, False)
    """
    return isinstance(value, np.generic) or on_device(value) and value.ndim == 0


def like_numpys(value: Any) -> Any:
    """For an array or a number on a device one of NumPy's, of which the class is asked; anything else as it is.

    >>> like_numpys(1.0)
    1.0
    """
    if not on_device(value):
        return value
    return np.empty(0, value.dtype) if value.ndim else value.dtype.type(0)


def as_array(value: Any, like: Any, dtype: Any = None) -> Any:
    """A value as an array of its own in the library of ``like``; on a device a number is one without dimensions.

    >>> as_array([1, 2], 0.5, float)
    array([1., 2.])
    """
    return np.array(value, dtype, like=like) if is_foreign(like) else np.array(value, dtype)


def stacked(values: Sequence[Any], axis: int = 0, like: Any = None) -> Any:
    """Arrays and numbers along a new axis, on a device if one of them lies there, or ``like``.

    >>> stacked([1.0, 2.0])
    array([1., 2.])
    """
    like = next(filter(on_device, values), like)
    return np.stack(values if like is None else [as_array(value, like) for value in values], axis)


def as_number(value: Any) -> Any:
    """A number on a device by itself, no view of the array that it is an entry of; anything else as it is.

    >>> as_number(2.0)
    2.0
    """
    return value.copy() if on_device(value) and value.ndim == 0 else value


def as_numbers(values: Iterable[Any]) -> Any:
    """The items of a loop, each as :func:`as_number` gives it.

    >>> list(as_numbers([1.0, 2.0]))
    [1.0, 2.0]
    """
    return map(as_number, values)


def blank(shape: Shape, like: Any, dtype: Any = None) -> Any:
    """Zeros of ``shape`` in the library, and unless ``dtype`` is given in the dtype, of ``like``.

    >>> blank((2,), np.float32(3.0))
    array([0., 0.], dtype=float32)
    """
    if dtype is None:
        dtype = getattr(like, "dtype", complex if isinstance(like, complex) else float)
    return np.zeros(shape, dtype) if type(like) is np.ndarray or not is_foreign(like) else np.zeros(shape, dtype, like=like)


def may_hold_zeros(value: Any) -> bool:
    """Whether an entry of an array, or a number, may be zero: on a device nobody looks.

    >>> may_hold_zeros(np.ones(2)), may_hold_zeros(0.0)
    (False, True)
    """
    return on_device(value) or not np.all(value)


def has_complex(value: Any) -> bool:
    """Whether a value is complex, or a sequence that holds a complex one.

    >>> has_complex(np.ones(2)), has_complex([1.0, np.ones(2) * 1j])
    (False, True)
    """
    dtype = getattr(value, "dtype", None)
    if dtype is not None:
        return getattr(dtype, "kind", "") == "c"  # np.float64 itself has no kind
    return any(map(has_complex, value)) if isinstance(value, (list, tuple)) else isinstance(value, complex)
