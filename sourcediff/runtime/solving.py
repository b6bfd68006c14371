"""What the functions call that say a solver by its equation (``rules/scipy/optimize.py``, ``integrate.py``): the engine fills it in.

A solver looks for its answer with numbers (:func:`settled`); then the answer is refined by a step of Newton's method on the equation
that it solves (:func:`refined`), which changes its digits no further and has the derivative that the implicit function theorem gives.
One recorded step has the first derivative, two have the first three.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

SOLVING: dict[str, Callable[..., Any]] = {}
"""``settled``, ``linearised``, ``withheld`` and ``records`` of ``eager/library_run/solving.py``."""


def settled(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """``function(*args, **kwargs)`` with the values of what is differentiated; functions among the arguments give values too."""
    return SOLVING["settled"](function, args, kwargs)


def linearised(function: Callable[[Any], Any], x: Any) -> tuple[Any, Any]:
    """The value of a function at x, a number or a vector, and its Jacobian there, both differentiable."""
    found: tuple[Any, Any] = SOLVING["linearised"](function, x)
    return found


def withheld(name: str) -> Any:
    """What stands for a part of a solver's answer that has no derivative: whoever uses it is told so."""
    return SOLVING["withheld"](name)


def root_at(residual: Callable[[Any], Any], x: Any) -> Any:
    """Where a residual vanishes, found near ``x``, whose digits it keeps."""
    refined = newton_step(residual, newton_step(residual, x))
    return refined + (x - settled(lambda: refined))


def newton_step(residual: Callable[[Any], Any], x: Any) -> Any:
    """``x`` less the Jacobian's solution of the residual there."""
    value, slope = linearised(residual, x)
    if np.ndim(x) == 0:
        return x - value / slope
    shape, size = np.shape(x), np.size(x)
    return x - np.reshape(np.linalg.solve(np.reshape(slope, (size, size)), np.ravel(value)), shape)


def solution(solver: Callable[..., Any], residual: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a solver finds; where it is differentiated, by the equation that it solves, ``residual(x, *args, **kwargs) = 0``."""
    if not SOLVING or not SOLVING["records"](args, kwargs):
        return solver(*args, **kwargs)
    return root_at(lambda x: residual(x, *args, **kwargs), settled(solver, *args, **kwargs))
