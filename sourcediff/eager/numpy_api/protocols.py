"""NumPy's own protocols: ``np.f(variable)`` is recorded, or refused by name."""

from __future__ import annotations

from typing import Any

from ..engine.operators import PAIRS, UFUNCS
from ..engine.unary_fast_path import short
from ..engine.variable import Variable
from .functions import apply_function
from .ufuncs import apply_ufunc

MISSING = object()


def on_ufunc(self: Variable, ufunc: Any, method: str, x: Any, y: Any = MISSING, /, *more: Any, **kwargs: Any) -> Any:
    """``Variable.__array_ufunc__``: ``np.sin(x)``, ``np.maximum(x, y)`` and their like the short way."""
    if not kwargs and method == "__call__" and not more:
        if y is MISSING:
            direct = UFUNCS.get(ufunc)
            if direct is not None:
                return direct(x)
        elif ufunc in PAIRS:
            result = PAIRS[ufunc][0](x, y) if isinstance(x, Variable) else PAIRS[ufunc][1](y, x)
            if result is not NotImplemented:
                return result
    return apply_ufunc(ufunc, method, (x, *more) if y is MISSING else (x, y, *more), kwargs)


def on_function(self: Variable, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """``Variable.__array_function__``."""
    result = short(function, args, kwargs)
    return apply_function(function, args, kwargs) if result is NotImplemented else result


PROTOCOLS = {"__array_ufunc__": on_ufunc, "__array_function__": on_function, "__array_priority__": 1000}
"""What NumPy asks for (of the priority CuPy, whose arrays then leave ``array op variable`` to us)."""
