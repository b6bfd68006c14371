"""NumPy's own protocols: ``np.f(variable)`` is recorded, or refused by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import MissingRuleError
from .apply import call, leader, variables_in

REDUCTIONS = {np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min}


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
    raise MissingRuleError(
        f"np.{ufunc.__name__}.{method} has no derivative rule",
        remedy=f"call np.{ufunc.__name__} itself, or the reduction that it stands for (np.sum for np.add.reduce)",
    )


def apply_function(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function of NumPy's with a Variable among its arguments."""
    if kwargs.get("out") is not None:
        raise MissingRuleError(
            f"np.{function.__name__} with the keyword out= is not recorded", remedy="assign the result: out[...] = f(x)",
        )
    return call(function, args, kwargs)
