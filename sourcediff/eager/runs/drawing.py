"""Random draws from, or in the order of, values that are being differentiated: by their positions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import MissingRuleError
from ..apply import plain, variables_in
from ..watch import refused
from .live import stacked

GENERATORS = (np.random.Generator, np.random.RandomState)


def drawn(method: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``rng.shuffle(x)``, ``rng.permutation(x)`` or ``rng.choice(x, …)``; raises MissingRuleError for other draws.

    The generator draws as in a plain call, since how it does depends on lengths alone.
    """
    first, *rest = args or (None,)
    name = method.__name__
    if name in ("shuffle", "permutation", "choice") and variables_in([first]) and not variables_in([*rest, *kwargs.values()]):
        axis = kwargs.get("axis", 0)
        positions = np.arange(np.shape(plain(first))[axis])
        along = {key: value for key, value in kwargs.items() if key != "axis"}
        if name == "shuffle" and isinstance(first, list):
            items = list(first)
            order = list(positions)
            method(order)
            first[:] = [items[position] for position in order]
            return None
        if name == "shuffle" and (np.ndim(plain(first)) == 1 or not rest and "axis" not in kwargs):
            method(positions)
            first[...] = first[positions]
            return None
        if name == "permutation" and np.ndim(plain(first)) == 1 or name == "choice":
            array = stacked(first)
            chosen = method(positions, *rest, **along)
            return np.take(array, chosen, axis=axis) if np.ndim(chosen) or array.ndim > 1 else array[chosen]
    raise refused(MissingRuleError(
        f"the random draw .{name}() has no derivative rule for its parameters",
        why="a value that is being differentiated is one of them, and what is drawn would silently lose its gradient",
        remedy="draw from the standard distribution and transform: mean + deviation * rng.standard_normal(n), low + width * rng.random(n)",
    ))
