"""Eigenvalues and singular values that are equal, or so nearly that a difference of them says nothing: found, and refused by name.

Between vectors that belong to different values the derivative has the quotient m[i, j] / (w[j] - w[i]) (Giles, 2008; Townsend, 2016), which
is 0 / 0 where two values are equal and the function is smooth. What that quotient is there is no matter of the numbers at hand: the
eager engine takes the limit (:mod:`sourcediff.eager.engine.equal_value_limits`).
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..errors import DegenerateError, Place

DECIDING = frozenset({"alike", "nonzero", "quotient", "rates", "uncrossed", "unmoved"})
"""The helpers by which generated code finds that the eager engine is to answer a call."""

CLOSE = 0.5
"""Values closer than eps ** CLOSE, of the largest, have a quotient of differences that is not to be relied on."""


def gaps(w: Any) -> Any:
    """The differences w[j] - w[i], along the last axis.

    >>> gaps(np.array([1.0, 4.0]))
    array([[ 0.,  3.],
           [-3.,  0.]])
    """
    return w[..., None, :] - w[..., :, None]


def close(w: Any, tolerance: float | None = None) -> Any:
    """Which pairs of values (no value with itself) differ by less than ``tolerance`` times the largest one.

    >>> close(np.array([1.0, 1.0, 2.0])).astype(int)
    array([[0, 1, 0],
           [1, 0, 0],
           [0, 0, 0]])
    """
    n = np.shape(w)[-1]
    within = unit(w.dtype) ** CLOSE if tolerance is None else tolerance
    largest = np.max(np.abs(w), axis=-1, initial=0.0)[..., None, None]
    return (np.abs(gaps(w)) <= within * largest) & ~np.eye(n, dtype=bool)


def rounding(w: Any) -> float:
    """The part of the largest value by which equal ones may differ, as they are computed."""
    return 8.0 * float(max(np.shape(w)[-1], 2)) * unit(w.dtype)


def quotient(m: Any, w: Any) -> Any:
    """``m[i, j] / (w[j] - w[i])``, and 0 on the diagonal.

    >>> quotient(np.array([[0.0, 6.0], [-6.0, 0.0]]), np.array([1.0, 4.0]))
    array([[0., 2.],
           [2., 0.]])

    Raises DegenerateError where two values are equal.
    """
    if any_close(w):
        raise degenerate()
    n = w.shape[-1]
    differences = gaps(w)
    differences.reshape(*w.shape[:-1], n * n)[..., ::n + 1] = np.inf
    return m / differences


def any_close(w: Any, tolerance: float | None = None) -> bool:
    """Whether some of the values, which are in order, are equal or nearly so: :func:`close`, the quick way."""
    if not w.size:
        return False
    steps = np.abs(w[..., 1:] - w[..., :-1])
    largest = np.abs(w).max() if w.ndim == 1 else np.max(np.abs(w), axis=-1, keepdims=True)
    within = unit(w.dtype) ** CLOSE if tolerance is None else tolerance
    return bool((steps <= within * largest).any())


@functools.cache
def unit(dtype: Any) -> float:
    """The rounding unit."""
    return float(np.finfo(dtype).eps)


def alike(g: Any, w: Any, sized: bool = False) -> Any:
    """The adjoint of values alone, as it is; ``sized``: of singular values, of which one that is 0 is at a kink, as ``abs(0)`` is.

    >>> alike(np.array([2.0, 2.0, 1.0]), np.array([3.0, 3.0, 0.0]), True)
    array([2., 2., 0.])

    Raises DegenerateError where it tells two values apart that are equal.
    """
    if any_close(w, rounding(w)):
        equal = close(w, rounding(w))
        largest = np.max(np.abs(g), axis=-1, initial=0.0)[..., None, None]
        if np.any(equal & (np.abs(gaps(g)) > unit(w.dtype) ** 0.5 * largest)):
            raise unsmooth("it tells values apart that are equal")
    return np.where(vanishing(w), 0, g) if sized else g


def vanishing(s: Any) -> Any:
    """Which singular values are 0, to rounding.

    >>> vanishing(np.array([2.0, 1e-17]))
    array([False,  True])
    """
    return s <= rounding(s) * np.max(s, axis=-1, keepdims=True, initial=0.0)


def nonzero(s: Any) -> Any:
    """Singular values, as they are. Raises DegenerateError where one is 0.

    >>> nonzero(np.array([2.0, 1.0]))
    array([2., 1.])
    """
    if np.any(vanishing(s)):
        raise degenerate("a singular value that is 0")
    return s


def parted(w: Any) -> Any:
    """Eigenvalues in any order, complex ones too, as they are. Raises DegenerateError where two are equal.

    >>> parted(np.array([3.0, 1.0]))
    array([3., 1.])
    """
    if np.any(close(w)):
        raise unsmooth("eigenvalues of a matrix that is not symmetric have no derivative where they meet")
    return w


def simple(g: Any, w: Any) -> Any:
    """The adjoint of eigenvalues in any order, as it is. Raises DegenerateError where one that has an adjoint is equal to another.

    >>> simple(np.array([1.0, 0.0, 0.0]), np.array([2.0, 0.0, 0.0]))
    array([1., 0., 0.])
    """
    if np.any(close(w) & (g != 0)[..., None]):
        raise unsmooth("eigenvalues of a matrix that is not symmetric have no derivative where they meet")
    return g


def turning(m: Any, w: Any) -> Any:
    """:func:`quotient` of eigenvalues in any order; where nothing is asked, of equal ones too."""
    return quotient(m, parted(w)) if np.any(m) else np.zeros(np.shape(m), np.result_type(m, w))


def nearest(w: Any, found: Any) -> Any:
    """Which of the eigenvalues that are found again each one is.

    >>> nearest(np.array([3.0, 1.0]), np.array([1.0, 3.0]))
    array([1, 0])
    """
    return np.argmin(np.abs(w[..., :, None] - found[..., None, :]), axis=-1)


def pivots(v: Any) -> Any:
    """Which entry of each eigenvector LAPACK makes real: the greatest of those without imaginary part.

    >>> pivots(np.array([[1j], [2.0]]))
    array([[False],
           [ True]])
    """
    sizes = np.where(np.imag(v) == 0, np.abs(v), -1)
    return sizes == np.max(sizes, axis=-2, keepdims=True)


@functools.cache
def has_known_phases() -> bool:
    """Whether the LAPACK at hand makes that entry of each eigenvector of a Hermitian matrix real by which the rules go."""
    a = np.array([[2.0, 1.0 - 2.0j, 0.5j], [1.0 + 2.0j, 3.0, 1.0], [-0.5j, 1.0, 1.0]])
    ends = np.linalg.eigh(a)[1][0], np.linalg.eigh(a, "U")[1][-1]
    return bool(np.all(np.abs(np.imag(ends)) < 1e-14))


def pinned(real: Any, phase: Any) -> Any:
    """The entries of vectors that LAPACK makes real, by which the phases of these are known; infinite where one is 0, and says nothing.

    >>> pinned(np.array([0.0, 0.5]), np.array([1.0, 2.0 + 3.0j]))
    array([inf, 0.5])

    Raises DegenerateError where one is 0 and the phase matters: where ``phase``, how an adjoint goes with a turn, is not real.
    """
    lost = np.abs(real) <= rounding(real)
    matters = np.abs(np.imag(phase)) > unit(real.dtype) ** 0.5 * np.max(np.abs(phase), initial=0.0)
    if np.any(matters) and not has_known_phases():
        raise unsmooth("the phases of complex vectors, on which it depends, are others than the rule knows in this build of LAPACK")
    if np.any(lost & matters):
        raise unsmooth("the phase of a complex vector, on which it depends, jumps where the entry that is real by convention is 0")
    return np.where(lost, np.inf, real)


def rates(w: Any, left: Any, change: Any, right: Any) -> Any:
    """How fast the values ``w`` move with a matrix: the diagonal of ``left.T @ change @ right``.

    >>> rates(np.array([1.0, 2.0]), np.eye(2), np.array([[3.0, 5.0], [5.0, 4.0]]), np.eye(2))
    array([3., 4.])

    Raises DegenerateError where equal values part.
    """
    moved = change @ right
    found = np.real(np.sum(left * moved, axis=-2))
    if any_close(w, rounding(w)):
        equal = close(w, rounding(w))
        product = np.matrix_transpose(left) @ moved
        parted = np.maximum(np.abs(product + np.conjugate(np.matrix_transpose(product))), np.abs(gaps(found)))
        if np.any(equal & (parted > 1e3 * rounding(w) * np.max(np.abs(product), axis=(-2, -1), keepdims=True, initial=0.0))):
            raise degenerate("equal eigenvalues or singular values that part")
    return found


def degenerate(what: str = "equal eigenvalues or singular values") -> DegenerateError:
    """The error of what the numbers at hand do not determine, which the eager engine may know."""
    error = DegenerateError(
        f"the derivative of vectors that belong to {what} was asked for", why="the quotient of differences that it has in it is 0 / 0",
        remedy="leave mode out: the eager engine takes the limit, where the function is smooth and the matrix real", at_run_time=True,
    )
    error.undecided = True
    return error


def unsmooth(why: str, *places: Place) -> DegenerateError:
    """The error of a function that has no derivative where values are equal."""
    return DegenerateError(
        "a function of eigenvalues or singular values of which some are equal is not differentiable there", why=why, places=places,
        remedy="treat equal ones alike, as np.sum(h(w)), np.max(w) and (v * h(w)) @ v.T do, or part them: a + np.diag(c * np.arange(n)) "
        "with a small c", at_run_time=True,
    )
