"""Methods that give the values in another dtype or another memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.frames import rule_for
from ...runtime import arrays
from ..engine.apply import apply
from ..engine.devices import cpu, cuda
from ..engine.variable import Variable
from .spelling import Method


def astype(x: Variable, dtype: Any, *, copy: bool = True) -> Any:
    """The values in another dtype: a Variable of floats, but of integers or bools (piecewise constant) an array.

    Raises NonDifferentiableError for a dtype that holds no numbers, if x requires grad.
    """
    dtype = np.dtype(dtype)
    if not copy and dtype == x.dtype:
        return x
    if dtype.kind not in "iubfc":
        x._refuse(f"a conversion to {dtype}")
    if dtype.kind not in "fc":
        return _cast(x._value, dtype)
    return apply(rule_for(arrays.astype), (x, dtype), {}, compute=_cast)


def _cast(data: Any, dtype: Any) -> Any:
    return data.astype(dtype) if hasattr(data, "astype") else dtype.type(data)


def type_(x: Variable, dtype: Any = None) -> Any:
    """The values in another dtype, as ``astype``; without one, the name of the dtype that they have."""
    if isinstance(dtype, str) and dtype.startswith("torch."):
        raise TypeError(f"type takes one of NumPy's dtypes, as np.float32, np.float64 or np.int64, and not {dtype!r}")
    return str(x.dtype) if dtype is None else astype(x, dtype)


def type_as(x: Variable, other: Any) -> Any:
    """The values in the dtype of ``other``."""
    return astype(x, other.dtype)


def to(dtype: Any) -> Method:
    """The method that converts to one dtype."""

    def method(self: Variable) -> Any:
        return astype(self, dtype)

    method.__doc__ = f"``x.astype(np.{np.dtype(dtype).name})``."
    return method


CONVERSIONS: dict[str, Method] = {
    "astype": astype, "type": type_, "type_as": type_as, "cpu": cpu, "cuda": cuda,
    "half": to(np.float16), "float": to(np.float32), "double": to(np.float64),
    "byte": to(np.uint8), "char": to(np.int8), "short": to(np.int16), "int": to(np.int32), "long": to(np.int64),
}
