"""NumPy's own protocols: ``np.f(variable)`` is recorded, or refused by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import MissingRuleError
from .apply import call, leader, variables_in
from .operators import PAIRS, UFUNCS
from .variable import Variable
from .watch import refused

REDUCTIONS = {np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min}


def on_ufunc(self: Variable, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """``Variable.__array_ufunc__``: ``np.sin(x)`` and its like the short way."""
    if len(inputs) == 1 and not kwargs and method == "__call__":
        direct = UFUNCS.get(ufunc)
        if direct is not None:
            return direct(self)
    elif len(inputs) == 2 and not kwargs and method == "__call__" and ufunc in PAIRS:
        a, b = inputs
        result = PAIRS[ufunc][0](a, b) if isinstance(a, Variable) else PAIRS[ufunc][1](b, a)
        if result is not NotImplemented:
            return result
    return apply_ufunc(ufunc, method, inputs, kwargs)


def on_function(self: Variable, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """``Variable.__array_function__``."""
    return apply_function(function, args, kwargs)


def apply_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``ufunc(…)``, and of its methods those that another function is."""
    if kwargs.get("out") is not None:
        return leader(variables_in([*inputs, *kwargs["out"]]))._into(ufunc, method, inputs, kwargs)
    kwargs.pop("out", None)
    if method == "__call__":
        return call(ufunc, inputs, kwargs)
    if method == "reduce" and ufunc in REDUCTIONS:
        return call(REDUCTIONS[ufunc], inputs, {"axis": 0, **kwargs})
    if method == "accumulate" and ufunc is np.add:
        return call(np.cumsum, inputs, {"axis": 0, **kwargs})
    if method == "outer" and len(inputs) == 2:
        a, b = inputs
        return call(ufunc, (np.reshape(a, np.shape(a) + (1,) * np.ndim(b)), b), kwargs)
    raise refused(MissingRuleError(
        f"np.{ufunc.__name__}.{method} has no derivative rule", why="the result would silently lose its gradient",
        remedy=f"call np.{ufunc.__name__} itself, or the reduction that it stands for (np.sum for np.add.reduce)",
    ))


def apply_function(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function of NumPy's with a Variable among its arguments."""
    if kwargs.get("out") is not None:
        raise refused(MissingRuleError(
            f"np.{function.__name__} with the keyword out= is not recorded", why="the result would silently lose its gradient",
            remedy="assign the result: out[...] = f(x)",
        ))
    return call(function, args, kwargs)


Variable.__array_ufunc__ = on_ufunc  # type: ignore[method-assign]
Variable.__array_function__ = on_function  # type: ignore[method-assign]
