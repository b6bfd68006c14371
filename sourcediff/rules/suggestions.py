"""What to write for well-known functions that have no rule."""

from typing import Any

import numpy as np

from ..errors import OF_A_DRAW, MissingRuleError, Place
from ..runtime.copies import GENERATORS
from .frames import rule_for, spelling

NEAREST = {
    "iter": "a list, and its entries",
    "next": "a list, and its entries",
    "np.apply_over_axes": "the function itself with a tuple of axes",
    "np.block": "np.concatenate of the rows, each an np.concatenate of its blocks",
    "np.linalg.matrix_power": "a loop of matrix products",
    "np.linalg.multi_dot": "the products themselves: a @ b @ c",
    "np.piecewise": "np.where",
    "scipy.fftpack.rfft": "np.fft.rfft, which gives complex numbers where this gives their parts in turn",
    "scipy.fftpack.irfft": "np.fft.irfft, which takes complex numbers where this takes their parts in turn",
    "np.put_along_axis": "an assignment by index: x[rows, columns] = y",
}
"""Spelling of a function → the nearest way that is recorded. One that has got a rule since is simply never looked up."""

TWINS = {"scipy.linalg": np.linalg, "scipy.fftpack": np.fft}
"""Modules of SciPy's whose functions NumPy has too, by the same names."""


def instead_of(function: Any) -> str:
    """What to use in place of a function without a rule; empty where nothing is near.

    >>> import scipy.linalg
    >>> instead_of(np.apply_over_axes), instead_of(scipy.linalg.eig), instead_of(scipy.linalg.expm)
    ('use the function itself with a tuple of axes', 'use np.linalg.eig, which has a rule', '')
    """
    name, module = getattr(function, "__name__", ""), str(getattr(function, "__module__", None) or "")
    owner = next((owner for owner in TWINS if module == owner or module.startswith(owner + ".")), None)
    for spelled in (spelling(function), ".".join([*module.split(".")[:2], name])):
        if spelled in NEAREST:
            return f"use {NEAREST[spelled]}"
    twin = getattr(TWINS[owner], name, None) if owner else None
    return f"use {spelling(twin)}, which has a rule" if twin is not None and rule_for(twin) is not None else ""


def way_out(function: Any) -> str:
    """The lines by which a function gets a derivative of one's own."""
    name = named(function)
    name = "f" if " " in name or "<" in name else name
    return (f"use a function that has a rule, or give it one: sourcediff.extend.external({name}, vjp=lambda g, z, x: [...]), "
            f"or, by differences, sourcediff.extend.numerical({name})")


def named(function: Any) -> str:
    """What an error calls a function."""
    module = str(getattr(function, "__module__", None) or "")
    if isinstance(function, np.ufunc) or module.startswith(("numpy", "scipy.")):
        return spelling(function)
    return getattr(function, "__qualname__", None) or getattr(function, "__name__", None) or "this expression"


def lacking(function: Any) -> tuple[str, str, str]:
    """What is said of a function without a rule: that it is applied to what is differentiated, why that is refused, what to write."""
    drawn = isinstance(getattr(function, "__self__", None), GENERATORS)
    return (
        f"{named(function)} is applied to a differentiated value",
        "its derivative is not in the table, and only the source of functions outside of NumPy and SciPy is read",
        OF_A_DRAW if drawn else
        f"{instead_of(function) or way_out(function)}, or keep it off the path from the inputs to the output",
    )


def missing_rule(function: Any, place: Place) -> MissingRuleError:
    """The refusal of a function without a rule, at a place."""
    what, why, remedy = lacking(function)
    return MissingRuleError(f"no derivative rule for {named(function)}", places=[place._replace(problem=what)], why=why, remedy=remedy)
