"""Arrays of the kind at hand: NumPy's, or another library's that follows NumPy's protocols (CuPy's)."""

from __future__ import annotations

from typing import Any

import numpy as np

Shape = tuple[int, ...]


def is_foreign(value: Any) -> bool:
    """Whether a value is an array of another library than NumPy, by its following NumPy's protocols.

    >>> is_foreign(np.ones(2)), is_foreign(np.float64(1.0)), is_foreign(1.0)
    (False, False, False)
    """
    return not isinstance(value, np.ndarray) and hasattr(type(value), "__array_function__")


def is_array(value: Any) -> bool:
    """Whether a value is an array, of NumPy or of another library.

    >>> is_array(np.ones(2)), is_array(np.float64(1.0)), is_array([1.0])
    (True, False, False)
    """
    return isinstance(value, np.ndarray) or hasattr(type(value), "__array_function__")


def blank(shape: Shape, like: Any, dtype: Any = None) -> Any:
    """Zeros of ``shape`` in the library, and unless ``dtype`` is given in the dtype, of ``like``.

    >>> blank((2,), np.float32(3.0))
    array([0., 0.], dtype=float32)
    """
    if dtype is None:
        dtype = getattr(like, "dtype", complex if isinstance(like, complex) else float)
    return np.zeros(shape, dtype) if type(like) is np.ndarray or not is_foreign(like) else np.zeros(shape, dtype, like=like)


def has_complex(value: Any) -> bool:
    """Whether a value is complex, or a sequence that holds a complex one.

    >>> has_complex(np.ones(2)), has_complex([1.0, np.ones(2) * 1j])
    (False, True)
    """
    dtype = getattr(value, "dtype", None)
    if dtype is not None:
        return getattr(dtype, "kind", "") == "c"  # np.float64 itself has no kind
    return any(map(has_complex, value)) if isinstance(value, (list, tuple)) else isinstance(value, complex)
