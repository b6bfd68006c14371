"""How a Variable is printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .variable import Variable


def shown(variable: Variable) -> str:
    """The values, then one line with what they are.

    >>> from sourcediff.eager.variable import Variable
    >>> print(Variable(np.ones((2, 2))))
    Variable containing:
    [[1. 1.]
     [1. 1.]]
    [float64 array of size 2x2]
    """
    lines = ["Variable containing:", str(variable.data), f"[{kind(variable)}]"]
    if variable.grad_fn is not None:
        lines[-1] += f" made by {variable.grad_fn.name}"
    return "\n".join(lines)


def kind(variable: Variable) -> str:
    """``float64 array of size 2x2``, or ``float64 number`` for a scalar."""
    if isinstance(variable.data, np.ndarray) and variable.ndim:
        return f"{variable.dtype} array of size {'x'.join(map(str, variable.shape))}"
    return f"{variable.dtype} number"
