"""What to write for well-known functions that have no rule."""

from typing import Any

import numpy as np

from ..errors import OF_A_DRAW, MissingRuleError, Place
from ..runtime.copies import GENERATORS
from .frames import rule_for, spelling

NEAREST = {
    "np.apply_along_axis": "a loop over the rows and np.stack",
    "np.apply_over_axes": "the function itself with a tuple of axes",
    "np.block": "np.concatenate of the rows, each an np.concatenate of its blocks",
    "np.bincount": "np.add.at(v, x, weights) on a Variable v of zeros",
    "np.divmod": "np.floor_divide and np.remainder",
    "np.frexp": "np.log2 and a power of two",
    "np.histogram": "np.add.at on a Variable of zeros, for the weights",
    "np.histogram2d": "np.add.at on a Variable of zeros, for the weights",
    "np.ldexp": "x * 2.0 ** n",
    "np.linalg.matrix_power": "a loop of matrix products",
    "np.linalg.multi_dot": "the products themselves: a @ b @ c",
    "np.modf": "np.trunc(x) and x - np.trunc(x)",
    "np.piecewise": "np.where",
    "scipy.integrate.odeint": "steps of a fixed size, written as a loop: they are what is differentiated",
    "scipy.integrate.quad": "a rule with fixed nodes: np.sum(weights * f(nodes))",
    "scipy.integrate.solve_ivp": "steps of a fixed size, written as a loop (Runge-Kutta): they are what is differentiated",
    "np.put_along_axis": "an assignment by index: x[rows, columns] = y",
}
"""Spelling of a function → the nearest way that is recorded. One that has got a rule since is simply never looked up."""

TWINS = {"scipy.linalg": np.linalg, "scipy.fft": np.fft, "scipy.fftpack": np.fft}
"""Modules of SciPy's whose functions NumPy has too, by the same names."""


def instead_of(function: Any) -> str:
    """What to use in place of a function without a rule; empty where nothing is near.

    >>> import scipy.linalg
    >>> instead_of(np.bincount), instead_of(scipy.linalg.eigvalsh), instead_of(scipy.linalg.expm)
    ('use np.add.at(v, x, weights) on a Variable v of zeros', 'use np.linalg.eigvalsh, which has a rule', '')
    """
    name, module = getattr(function, "__name__", ""), getattr(function, "__module__", None) or ""
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
    module = getattr(function, "__module__", None) or ""
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
