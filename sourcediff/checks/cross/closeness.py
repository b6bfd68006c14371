"""When two numbers of two engines count as the same: up to rounding, and NaN where NaN is."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...errors import article
from ...runtime.arrays.library import is_array, on_host
from ...runtime.trees import leaves

RELATIVE = {8: 1e-9, 4: 1e-4, 2: 1e-2}
"""Relative differences that are allowed, by the number of bytes of the narrowest float in play."""


class Tolerance(NamedTuple):
    """``relative`` to the largest entry, and ``absolute``, for what is left where large numbers cancel."""

    relative: float
    absolute: float


class Wanted(NamedTuple):
    """A number or array as it should be, and the size of what it was summed from."""

    value: Any
    scale: float = 0.0


class Off(NamedTuple):
    """How far a value is from what it should be: relative to the largest entry, and the worst place in words."""

    relative: float
    within: bool
    words: str = ""


def tolerance(values: Any, largest: float) -> Tolerance:
    """What to allow for a function of these arguments, whose adjoints grow up to ``largest``."""
    sizes = [np.dtype(value.dtype).itemsize for _, value in leaves(values) if hasattr(value, "dtype") and value.dtype.kind == "f"]
    size = min([8, *sizes])
    epsilon = {8: 2.0**-52, 4: 2.0**-23, 2: 2.0**-10}[size]
    return Tolerance(RELATIVE[size], 64 * epsilon * largest)


def off(found: Any, wanted: dict[str, Wanted], allowed: Tolerance) -> Off:
    """How far a structure of numbers is from the wanted ones; a scalar may stand for an array of equal entries, an array for a list.

    >>> off(2.0, {"": Wanted(np.array([2.0, 2.0]))}, Tolerance(1e-9, 0.0)).within
    True
    """
    have = dict(leaves(list(found) if is_array(found) and found.ndim and "" not in wanted else found))
    worst = Off(0.0, True)
    for path, want in wanted.items():
        if path not in have:
            return Off(np.inf, False, f"{path} is missing")
        one = off_one(have[path], want, path, allowed)
        if (not one.within, one.relative) > (not worst.within, worst.relative):
            worst = one
    return worst


def numbers_of(value: Any) -> Any:
    """An array of floats, or of complex numbers. Raises TypeError or ValueError for what holds no numbers."""
    value = on_host(value)
    return np.asarray(value, dtype=complex if np.iscomplexobj(value) else float)


def off_one(found: Any, wanted: Wanted, path: str, allowed: Tolerance) -> Off:
    try:
        mine, theirs = numbers_of(found), numbers_of(wanted.value)
    except (TypeError, ValueError):
        return Off(np.inf, False, f"{path} is {article(type(found).__name__)}".strip())
    try:
        fits = np.broadcast_shapes(mine.shape, theirs.shape) == theirs.shape
    except ValueError:
        fits = False
    if not fits:
        return Off(np.inf, False, f"{path} has the shape {mine.shape}, but should have {theirs.shape}".strip())
    if not theirs.size:
        return Off(0.0, True)
    mine = np.broadcast_to(mine, theirs.shape)
    with np.errstate(all="ignore"):
        same = (mine == theirs) | np.isnan(mine) & np.isnan(theirs)
        difference = np.where(same, 0.0, np.abs(mine - theirs))
        difference = np.where(np.isnan(difference), np.inf, difference)
    finite = np.abs(theirs[np.isfinite(theirs)])
    scale = max(wanted.scale if np.isfinite(wanted.scale) else 0.0, float(np.max(finite, initial=0.0)))
    scale += allowed.absolute / allowed.relative
    worst = np.unravel_index(int(np.argmax(difference)), theirs.shape)
    most = float(difference[worst])
    relative = most / scale if scale else (np.inf if most else 0.0)
    index = f"[{', '.join(map(str, worst))}]" if worst else ""
    return Off(relative, relative <= allowed.relative, f"{path}{index} is {mine[worst]:.6g}, but should be {theirs[worst]:.6g}".strip())
