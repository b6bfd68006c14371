"""Gradients that are looked at once they are finished, in place of guards in their text.

A zero adjoint, of what was not selected, stays zero though the factor of a rule is infinite or NaN there: a guard (``keep_zeros``) sees
to that. Without it NaN stands in that place, and in all that is computed from it, up to the end: the reverse sweep is linear in the
adjoints. So where the gradient has no NaN, no guard would have changed it; else a text with guards is run.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import NonDifferentiableError
from ..runtime.arrays.library import is_host_array
from ..runtime.user_objects import is_still_users, own
from .cache import Loaded
from .restore import held_by_changed, mutated_parameters, restored

FAILING = (ValueError, RuntimeError, NonDifferentiableError)
"""What functions of matrices, SciPy's and the helpers, raise of NaN."""

NUMBERS = (float, complex, np.inexact)


def is_unguarded(loaded: Loaded) -> bool:
    """Whether guards have been left out of a text."""
    return "UNGUARDED" in loaded.namespace


def looked_at(
    generated: Callable[..., Any], loaded: Loaded, parameters: Sequence[str], gradient: Callable[[Any], Any], instead: Callable[..., Any],
) -> Callable[..., Any]:
    """A generated function without guards, as one that gives what the one with guards gives: where there is NaN in the ``gradient`` of
    what it returns, that is what is called ``instead``, with this function and its arguments."""
    changing = loaded.namespace if mutated_parameters(loaded.namespace) else None

    @functools.wraps(generated)
    @np.errstate(divide="ignore", invalid="ignore")
    def called(*given: Any) -> Any:
        before = held_by_changed(changing, parameters, given) if changing else ()
        try:
            found = generated(*given)
            if has_no_nan(gradient(found)):
                return found
        except FAILING:
            pass
        for part, held in before:
            restored(part, held)
        return instead(called, given)

    return called


@np.errstate(over="ignore")
def has_no_nan(found: Any) -> bool:
    """Whether there is no NaN in a gradient.

    >>> has_no_nan((1.0, {"w": np.zeros(2)})), has_no_nan([np.array([0.0, np.nan])])
    (True, False)
    """
    return without_nan(found)


def without_nan(found: Any) -> bool:
    """The same, of a part, where NumPy does not warn."""
    if is_host_array(found):  # the sum of the squares is NaN if an entry is, and is found the quickest
        found = found.dot(found) if found.ndim == 1 else np.vdot(found, found)
    elif isinstance(found, (tuple, list)):
        return all(map(without_nan, found))
    elif isinstance(found, dict):
        return all(map(without_nan, found.values()))
    elif not isinstance(found, NUMBERS):  # an object, in which None stands for what has no gradient
        return found is None or is_still_users(type(found)) and all(map(without_nan, own(found).values()))
    return bool(found == found)
