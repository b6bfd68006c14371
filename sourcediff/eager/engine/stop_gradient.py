"""``stop_gradient``: a value from here on counts as a constant, in both engines."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.frames import constant, rule_for
from ...runtime.arrays import is_array
from .apply import apply
from .nodes import Recorded


def stop_gradient(x: Any) -> Any:
    """``x`` as a constant: the same value, of which every derivative is zero. An array is copied, a structure copied entry by entry.

    >>> import sourcediff
    >>> def f(x):
    ...     return x * sourcediff.stop_gradient(x)
    >>> sourcediff.grad(f)(3.0)
    3.0
    """
    if isinstance(x, Recorded):
        return apply(rule_for(stop_gradient), (x,), {}, _constant_copy)
    if isinstance(x, dict):
        return {key: stop_gradient(value) for key, value in x.items()}
    if isinstance(x, (list, tuple)):
        parts = map(stop_gradient, x)
        return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)
    return _constant_copy(x)


def _constant_copy(x: Any) -> Any:
    return np.copy(x) if is_array(x) else x


constant(stop_gradient)
