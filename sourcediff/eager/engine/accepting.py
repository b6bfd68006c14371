"""What can be a Variable, and what can require grad."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import NonDifferentiableError, article
from ...runtime.arrays import is_foreign, is_host_array, is_number, is_plain_array
from ..library_run.watch import refused
from .nodes import Recorded


def accepted(data: Any) -> Any:
    """What a Variable can stand for: an ndarray (or another library's that follows NumPy's protocols), a NumPy scalar, a Python number."""
    if isinstance(data, Recorded):
        data = data._value
    if isinstance(data, (list, tuple)):
        data = np.array(data)
    if is_host_array(data) and not is_plain_array(data):
        plainly(data)
    if (is_host_array(data) or is_number(data)) and data.dtype.kind in "OUSVmM":
        raise NonDifferentiableError(
            f"an array of dtype {data.dtype} cannot be a Variable", why="it holds no numbers", remedy="use an array of floats",
        )
    if isinstance(data, (int, float, complex)) or is_host_array(data) or is_number(data) or is_foreign(data) and hasattr(data, "dtype"):
        return data
    raise NonDifferentiableError(
        f"{article(type(data).__name__)} cannot be a Variable", why="only arrays and numbers can",
        remedy="use an array, a nested list or a number",
    )


def differentiable(data: Any) -> None:
    """Raise NonDifferentiableError unless gradients can belong to ``data``: floats, real or complex."""
    kind = data.dtype.kind if hasattr(data, "dtype") else np.asarray(data).dtype.kind
    if kind not in "fc":
        what = f"an array of {data.dtype}" if hasattr(data, "dtype") else f"the {type(data).__name__} {data}"
        raise NonDifferentiableError(
            f"only floats can require grad, and this is {what}",
            why="a derivative with respect to integers does not exist" if kind in "biu" else "what it holds are no floating-point numbers",
            remedy="give floats: 2.0 instead of 2, or array.astype(float)",
        )


def plainly(array: Any) -> None:
    """Raise NonDifferentiableError for the subclasses of ndarray that compute in a way of their own."""
    if isinstance(array, np.ma.MaskedArray):
        raise refused(NonDifferentiableError(
            "a masked array cannot be a Variable", why="it computes in a way of its own",
            remedy="use a plain array, and np.where for the mask",
        ))
    if isinstance(array, np.matrix):
        raise refused(NonDifferentiableError(
            "a np.matrix cannot be a Variable", why="its * is the matrix product",
            remedy="use a plain array: np.asarray(matrix), and @ for *",
        ))
    own = type(array).__name__
    if not isinstance(array, np.memmap) and any(getattr(type(array), name) is not getattr(np.ndarray, name) for name in COMPUTING):
        raise refused(NonDifferentiableError(
            f"a {type(array).__module__}.{own} cannot be a Variable", why="this subclass of ndarray computes in a way of its own",
            remedy="use a plain array: array.view(np.ndarray)",
        ))


COMPUTING = [f"__{name}__" for name in (
    "array_ufunc array_function array_wrap getitem setitem add radd sub rsub mul rmul truediv rtruediv pow rpow matmul rmatmul neg abs"
).split()]
"""The methods by which a subclass of ndarray can compute in a way of its own."""
