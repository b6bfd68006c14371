"""Checks that generated code makes: of lengths, powers, overlaps, and of what it returns."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..errors import OF_SEVERAL, AliasingError, NonDifferentiableError


def scalar_output(value: Any) -> None:
    """Raise NonDifferentiableError if a function's output is not a scalar, so that its gradient would need a seed, or an index."""
    if isinstance(value, (np.integer, np.bool_)):
        raise NonDifferentiableError(
            f"the function returns a number of {value.dtype}, which has no derivative",
            why="an integer or a truth value does not change a little", remedy="return a float",
        )
    if np.ndim(value) if not isinstance(value, (dict, list, tuple, str, type(None))) else True:
        raise NonDifferentiableError(
            "the gradient was asked for of a function that does not return a scalar", remedy=OF_SEVERAL,  # pasted: no name for the text
            why=f"it returned {'an array of shape ' + str(np.shape(value)) if isinstance(value, np.ndarray) else type(value).__name__}",
        )
    if np.iscomplexobj(value):
        raise NonDifferentiableError(
            "the function returned a complex number, and its gradient was asked for", why="it has no gradient: it does not grow or fall",
            remedy="return np.real(...), np.imag(...) or np.abs(...) of it", at_run_time=True,
        )


def check_overlap(slot: Any, value: Any, flat: bool = False) -> None:
    """Raise AliasingError where what ``slot[...] = value`` does depends on the order in which NumPy copies.

    NumPy copies a vector onto an overlapping one of another stride in the same direction entry by entry, and later entries read
    earlier stores (``a[1, 1:] = a[:, 3]``); everything else that overlaps (``a[:] = a[::-1]``) it copies as if it did not
    (PyArray_AssignArray in numpy/_core/src/multiarray/array_assign_array.c). ``flat``: it stores into ``slot.flat``, always entry by entry.

    >>> a = np.arange(9.0).reshape(3, 3)
    >>> check_overlap(a[1, :2], a[1, 1:])
    >>> check_overlap(a[1], a[1, ::-1])
    """
    if not isinstance(slot, np.ndarray) or not isinstance(value, np.ndarray) or not flat and (slot.ndim != 1 or not value.ndim):
        return
    there, here = (0, 0) if flat else (slot.strides[0], value.strides[-1])
    if (flat or there * here > 0 and there != here) and np.shares_memory(slot, value):
        raise AliasingError(
            "an array is stored entry by entry into its own memory" if flat else
            "a vector is stored into memory that overlaps it in another stride",
            why="NumPy's own result depends on the order in which it copies the entries", remedy="store a copy, value.copy()",
            at_run_time=True,
        )


def check_numbers(values: Any) -> None:
    """Raise NonDifferentiableError for lists, tuples or arrays that are about to be compared as if they were numbers.

    >>> check_numbers([1.0, 2.0])
    """
    if any(isinstance(value, (list, tuple)) or np.ndim(value) for value in values):
        raise NonDifferentiableError(
            "max or min of lists, tuples or arrays", why="Python compares them entry by entry", remedy="give key=, or compare numbers",
            at_run_time=True,
        )


def check_bound(value: Any, name: str) -> None:
    """Raise what Python raises for a name that the path taken has left unbound: then it stands for ``...``.

    >>> check_bound(None, "y")
    """
    if value is ...:
        old = f"local variable {name!r} referenced before assignment"
        new = f"cannot access local variable {name!r} where it is not associated with a value"
        raise UnboundLocalError(old if sys.version_info < (3, 11) else new)


def check_length(values: Any, number: int, more: bool = False) -> None:
    """Raise what Python raises where so many names take apart what has not as many entries; ``more``: a star takes what is left.

    >>> check_length([1.0, 2.0], 1, True)
    """
    if len(values) < number:
        at_least = "at least " if more else ""
        raise ValueError(f"not enough values to unpack (expected {at_least}{number}, got {len(values)})")
    if len(values) > number and not more:
        raise ValueError(f"too many values to unpack (expected {number})")


def check_arguments(values: Any, number: int, name: str) -> None:
    """Raise TypeError, as Python does, where a call ``f(*values)`` has room for another number of arguments.

    >>> check_arguments([1.0, 2.0], 2, "f")
    """
    if len(values) != number:
        raise TypeError(f"{name}() takes {number} arguments by its star, and {len(values)} were given")


def check_power(base: Any, exponent: Any) -> None:
    """Raise NonDifferentiableError for a power of Python numbers that is complex, since its base is negative.

    >>> check_power(2.0, 0.5)
    """
    if base < 0 and isinstance(base ** exponent, complex):
        raise NonDifferentiableError(
            f"the power {base} ** {exponent} is complex", why="its base is a negative Python number, and compiled code takes it for real",
            remedy="use np.sqrt or np.power, which give nan there, abs of the base, or mode='eager'", at_run_time=True,
        )


def check_floating(buffer: Any) -> None:
    """Raise NonDifferentiableError for a differentiated value that is about to be stored among integers, which would cut it off,
    or among objects."""
    if isinstance(buffer, np.ndarray) and buffer.dtype.kind == "O":
        raise NonDifferentiableError(
            "a differentiated value is stored into an array of objects", why="what NumPy does with its entries is said by their classes",
            remedy="use a list, or an array of floats", at_run_time=True,
        )
    if isinstance(buffer, np.ndarray) and buffer.dtype.kind in "iub":
        raise NonDifferentiableError(
            f"a differentiated value is stored into an array of {buffer.dtype}", why="the store rounds it, so its derivative would be lost",
            remedy="make the array of floats, for example np.zeros(n)", at_run_time=True,
        )
