"""Second derivatives where a length (a norm, a standard deviation, ``abs`` of a complex number) is zero.

The derivative of a length has the quotient ``x / z`` in it, which is taken to be 0 where ``z`` is. The derivative of that is not known
from the numbers at hand: of ``np.exp(-np.linalg.norm(x) ** 2)`` at 0 it is -2, and all adjoints are zero. So what has been written for
a first derivative is marked where it is differentiated again, and asks whether it is at such a point and leaves it. The eager engine
takes the limit (:mod:`sourcediff.eager.engine.zero_length_limits`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import DegenerateError

WHY = "the slope of the length at 0 is taken to be 0, and says nothing of how the function bends there"
REMEDY = "write the square of a norm as np.sum(x ** 2), of a standard deviation as np.var(x)"


def of_length(c: Any, length: Any, x: Any) -> Any:
    """What was computed by a quotient ``x / length``, an array of its own: only its derivative is another one, see :func:`unmoved`.

    >>> of_length(0.5, 2.0, 1.0)
    0.5
    """
    return +c


def unmoved(d: Any, length: Any) -> Any:
    """Zeros: what a tangent, or an adjoint, of ``x / length`` adds.

    >>> unmoved(np.array([0.0, 1.0]), np.array([0.0, 2.0]))
    array([0., 0.])

    Raises DegenerateError where the length is 0 and the tangent is not.
    """
    zero = length == 0
    number = not isinstance(zero, np.ndarray)
    if (zero if number else zero.any()) and np.any(zero & (d != 0)):
        error = DegenerateError(
            "a second derivative was asked for where a norm, a standard deviation or an absolute value is 0", why=WHY,
            remedy=f"leave mode out: the eager engine takes the limit, where the function is smooth; or {REMEDY}", at_run_time=True,
        )
        error.undecided = True
        raise error
    shape = np.shape(d) if number or np.shape(d) == length.shape else np.broadcast_shapes(np.shape(d), length.shape)
    return np.zeros(shape, getattr(d, "dtype", float)) if shape else 0.0


def of_tangent(c: Any, length: Any, x: Any, d: Any) -> Any:
    """The same in a tangent, which is ``d * x / length``: its derivative is :func:`uncrossed`."""
    return +c


def uncrossed(g: Any, length: Any, d: Any) -> Any:
    """Zeros: what a second tangent, or an adjoint, adds to ``d * x / length``.

    >>> uncrossed(np.array([1.0, 1.0]), np.array([0.0, 2.0]), np.array([0.0, 1.0]))
    array([0., 0.])

    Raises DegenerateError where the length is 0 and ``d`` is not: what it is multiplied by is 0 there, and may have a derivative.
    """
    zero = length == 0
    if np.any(zero) and np.any(zero & (d != 0)):
        raise DegenerateError(
            "the derivative of a tangent was asked for where a norm, a standard deviation or an absolute value is 0", why=WHY,
            remedy=f"differentiate a gradient (hvp, hessian), of which the limit is taken; or {REMEDY}", at_run_time=True,
        )
    return np.zeros(np.broadcast_shapes(*map(np.shape, (g, length, d))), getattr(g, "dtype", float))[()]


def pointed() -> DegenerateError:
    """The error of a function that has no second derivative where a length is zero."""
    return DegenerateError(
        "a second derivative was asked for where a norm, a standard deviation or an absolute value is 0, and the function has none there",
        why="it has a point there, as np.linalg.norm(x) at 0 has", remedy=REMEDY, at_run_time=True,
    )
