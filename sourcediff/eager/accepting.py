"""What can be a Variable, and what can require grad."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import NonDifferentiableError
from .graph import Recorded
from .watch import refused


def accepted(data: Any) -> Any:
    """What a Variable can stand for: an ndarray, a NumPy scalar or a Python number."""
    if isinstance(data, Recorded):
        data = data._value
    if isinstance(data, (list, tuple)):
        data = np.array(data)
    if isinstance(data, np.ndarray) and type(data) is not np.ndarray:
        plainly(data)
    if isinstance(data, (np.ndarray, np.generic)) and data.dtype.kind in "OUSVmM":
        raise NonDifferentiableError(
            f"an array of dtype {data.dtype} cannot be a Variable", why="it holds no numbers", remedy="use an array of floats",
        )
    if isinstance(data, (int, float, complex, np.generic, np.ndarray)) or hasattr(data, "__array_function__"):
        return data
    raise NonDifferentiableError(
        f"a {type(data).__name__} cannot be a Variable", why="only arrays and numbers can",
        remedy="use an array, a nested list or a number",
    )


def differentiable(data: Any) -> None:
    """Raise NonDifferentiableError unless gradients can belong to ``data``: real floats."""
    kind = data.dtype.kind if hasattr(data, "dtype") else np.asarray(data).dtype.kind
    if kind == "c":
        raise refused(NonDifferentiableError(
            "complex numbers cannot be differentiated yet", why="the rules are those of real numbers",
            remedy="compute with real and imaginary parts",
        ))
    if kind != "f":
        what = f"an array of {data.dtype}" if hasattr(data, "dtype") else f"the {type(data).__name__} {data}"
        raise NonDifferentiableError(
            f"only floats can require grad, and this is {what}",
            why="a derivative with respect to integers does not exist",
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
