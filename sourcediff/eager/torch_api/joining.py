"""``cat`` and ``stack``: the two functions of PyTorch that are no methods, on Variables and on arrays alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..engine.apply import raw


def cat(variables: Sequence[Any], dim: int | None = None, *, axis: int | None = None) -> Any:
    """Variables or arrays joined along an axis that they have, ``dim`` or ``axis`` (0): ``np.concatenate``.

    Numbers count as arrays of one entry, as which PyTorch 0.3 had them: a list of losses can be joined.
    Raises TypeError if both are given, ValueError where shapes do not match.

    >>> cat([np.ones((1, 2)), np.zeros((1, 2))], dim=1)
    array([[1., 1., 0., 0.]])
    """
    joined = [part if np.ndim(raw(part)) else np.reshape(part, 1) for part in variables]
    return np.concatenate(joined, one_of(dim, axis))


def stack(variables: Sequence[Any], dim: int | None = None, *, axis: int | None = None) -> Any:
    """Variables or arrays of one shape joined along a new axis, ``dim`` or ``axis`` (0): ``np.stack``.

    Raises TypeError if both are given, ValueError where shapes differ.

    >>> stack([np.ones(2), np.zeros(2)], dim=1)
    array([[1., 0.],
           [1., 0.]])
    """
    return np.stack(variables, one_of(dim, axis))


def one_of(dim: int | None, axis: int | None) -> int:
    """The axis that was given in one of the two spellings, 0 if in none."""
    if dim is not None and axis is not None:
        raise TypeError("dim= and axis= are two spellings of one argument: give one of them")
    return axis if axis is not None else dim or 0
