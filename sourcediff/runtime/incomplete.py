"""Incomplete gamma and beta functions in their shapes.

The slope in a shape is the integral of the density times its score, which has one zero: below it where the argument is below it, above
it where it is not, so that nothing cancels. The trapezoidal rule is doubly exponential (H. Takahasi, M. Mori, Publ. RIMS 9, 1974).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import MissingRuleError


def unit_interval(step: float) -> tuple[Any, Any, Any]:
    """Places between 0 and 1, which crowd at both ends, their logarithms, and their weights for integrals of r f(r) by dr / r."""
    u = np.arange(-10, 3.7, step)
    log_r = -np.logaddexp(0, -np.pi * np.sinh(u))
    return np.exp(log_r), log_r, step * np.pi * np.cosh(u) * np.exp(-np.logaddexp(0, np.pi * np.sinh(u)))


_R, _LOG_R, _WEIGHTS = unit_interval(1 / 24)


def gamma_slope(a: Any, x: Any, order: int = 1) -> Any:
    """The derivative of ``gammainc(a, x)`` in ``a``, of an order up to 3.

    >>> from scipy import special
    >>> h = 1e-5
    >>> np.allclose(gamma_slope(2.5, 1.7), (special.gammainc(2.5 + h, 1.7) - special.gammainc(2.5 - h, 1.7)) / (2 * h))
    True
    """
    from scipy import special

    check_order(order, 3)
    dtype = floating(a, x)
    a, x = (np.asarray(part, float)[..., None] for part in np.broadcast_arrays(a, x))
    with np.errstate(all="ignore"):
        mean, log_x = special.psi(a), np.log(x)

        def weighed(log_t: Any) -> Any:
            s, spread = log_t - mean, special.polygamma(1, a)
            score = s if order == 1 else s**2 - spread if order == 2 else s**3 - 3 * s * spread - special.polygamma(2, a)
            return np.exp(a * log_t - np.exp(log_t) - special.gammaln(a)) * score

        below = np.sum(_WEIGHTS * weighed(log_x + _LOG_R), axis=-1, keepdims=True)
        middle = np.maximum(log_x, 0)
        far = np.exp(middle)
        width = np.maximum(1 / (np.maximum(far - a, 0) / far + 1 / np.sqrt(a + 1)), 1)  # over which the density falls there
        parts = ((log_x, middle - log_x), (middle, np.log1p(45 * width / far)))
        above = sum(length * np.sum(_WEIGHTS * _R * weighed(start + length * _R), axis=-1, keepdims=True) for start, length in parts)
        found = np.where(log_x <= mean, below, -above)
        found = np.where((x == 0) | np.isposinf(x), 0.0, np.where((a > 0) & (x > 0), found, np.nan))[..., 0]
    return found.astype(dtype)[()]


def beta_slope(a: Any, b: Any, x: Any, first: int = 1, second: int = 0) -> Any:
    """The derivative of ``betainc(a, b, x)``, ``first`` times in ``a`` and ``second`` times in ``b``, three times at most.

    >>> from scipy import special
    >>> h = 1e-5
    >>> np.allclose(beta_slope(2.5, 0.7, 0.4), (special.betainc(2.5 + h, 0.7, 0.4) - special.betainc(2.5 - h, 0.7, 0.4)) / (2 * h))
    True
    """
    from scipy import special

    check_order(first + second, 3)
    dtype = floating(a, b, x)
    a, b, x = (np.asarray(part, float)[..., None] for part in np.broadcast_arrays(a, b, x))
    with np.errstate(all="ignore"):
        low = np.log1p(-x) >= special.psi(b) - special.psi(a + b) if second else np.log(x) <= special.psi(a) - special.psi(a + b)
        lower = np.log(x) + _LOG_R, np.log1p(-x * _R)
        upper = np.log1p(-(1 - x) * _R), np.log1p(-x) + _LOG_R
        log_t, log_rest = (np.where(low, one, other) for one, other in zip(lower, upper))
        end = np.where(low, log_t, log_rest)  # whose weight the step has
        heights = np.exp((a - 1) * log_t + (b - 1) * log_rest + end - special.betaln(a, b))
        found = np.sum(_WEIGHTS * heights * beta_score(a, b, log_t, log_rest, first, second), axis=-1, keepdims=True)
        inside = np.where((a > 0) & (b > 0) & (x > 0) & (x < 1), np.where(low, found, -found), np.nan)
        found = np.where((x == 0) | (x == 1), 0.0, inside)[..., 0]
    return found.astype(dtype)[()]


def beta_score(a: Any, b: Any, log_t: Any, log_rest: Any, first: int, second: int) -> Any:
    """What the density of a beta distribution is multiplied by where it is differentiated in its shapes, three times at most."""
    from scipy import special

    check_order(first + second, 3)
    dtype = floating(a, b, log_t, log_rest)
    a, b, log_t, log_rest = np.broadcast_arrays(a, b, log_t, log_rest)
    u, v = log_t - special.psi(a) + special.psi(a + b), log_rest - special.psi(b) + special.psi(a + b)
    if second > first:
        a, b, u, v, first, second = b, a, v, u, second, first
    both = special.polygamma(1, a + b)
    spread = both - special.polygamma(1, a)
    if first + second < 3:
        score = u**2 + spread if first == 2 else u * v + both if second else u if first else np.ones_like(u)
        return score.astype(dtype)
    bend = special.polygamma(2, a + b)
    score = u**2 * v + 2 * u * both + v * spread + bend if second else u**3 + 3 * u * spread + bend - special.polygamma(2, a)
    return score.astype(dtype)


def student_slope(df: Any, t: Any) -> Any:
    """The derivative of ``stdtr(df, t)`` in ``df`` without what the density adds: of an incomplete beta function in its first shape."""
    return -0.25 * np.sign(t) * beta_slope(0.5 * np.asarray(df), 0.5, df / (df + np.square(t)))


def check_order(order: int, most: int) -> None:
    """Raise MissingRuleError for a derivative of a higher order."""
    if order > most:
        raise MissingRuleError(
            f"incomplete gamma and beta functions have derivatives in their shapes, but not {order} times",
            remedy="ask for fewer derivatives, or keep the shape constant", at_run_time=True,
        )


def floating(*values: Any) -> Any:
    """The dtype of a function of these values."""
    dtype = np.result_type(*values)
    return dtype if dtype.kind == "f" else np.dtype(float)
