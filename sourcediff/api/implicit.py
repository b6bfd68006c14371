"""The derivative of what a solver finds, by the equation that it solves."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from ..runtime.solving import solution

F = TypeVar("F", bound=Callable[..., Any])


def implicit(residual: Callable[..., Any]) -> Callable[[F], F]:
    """Decorator of a solver: its result x, a number or an array of floats, is where ``residual(x, *arguments)`` vanishes.

    ``residual`` takes the result and then the solver's own arguments, and gives an array of the shape of x. The solver runs with plain
    numbers, however it likes; the derivative is that of the implicit function theorem, ∂x/∂a = −(∂r/∂x)⁻¹ ∂r/∂a, one linear solve with
    the Jacobian of the residual, to third order. A plain call of the solver is a plain call. Both engines take it; compiled code leaves
    the call a call. Raises MissingRuleError where the residual has no derivative, LinAlgError where its Jacobian is singular.

    S. G. Krantz, H. R. Parks, "The Implicit Function Theorem", 2002.

    >>> import numpy as np, sourcediff
    >>> def kepler(E, M, e):
    ...     return E - e * np.sin(E) - M
    >>> @sourcediff.implicit(kepler)
    ... def anomaly(M, e):
    ...     E = M
    ...     while abs(kepler(E, M, e)) > 1e-14:
    ...         E = M + e * np.sin(E)
    ...     return E
    >>> bool(abs(sourcediff.grad(anomaly)(1.0, 0.3) * (1 - 0.3 * np.cos(anomaly(1.0, 0.3))) - 1) < 1e-12)
    True
    """

    def decorator(solver: F) -> F:
        @functools.wraps(solver)
        def solved(*args: Any, **kwargs: Any) -> Any:
            return solution(solver, residual, args, kwargs)

        vars(solved).update(__island__=None, __signature__=inspect.signature(solver))
        return solved  # type: ignore[return-value]

    return decorator
