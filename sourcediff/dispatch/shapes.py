"""What tells one kind of call from another at once: types, dtypes and shapes of what is given, in a form that can be compared."""

from __future__ import annotations

import enum
import logging
import types
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..analysis.abstraction import is_complex_record
from ..analysis.complex_data import is_complex_data
from ..analysis.environment.callables import Same
from ..rules.library_objects import record_for
from ..runtime.arrays.library import DEVICE, at, on_device
from ..runtime.user_objects import (
    HEAP,
    holds_own_alone,
    members_of,
    own,
)

SIMPLE: dict[type, Any] = {
    kind: kind for kind in (float, complex, int, bool, str, type(None), np.float64, np.float32, np.complex128, np.int64, np.bool_)
}
"""The types of arguments of which nothing but the type matters."""

QUICK = {kind: found for kind, found in SIMPLE.items() if kind is not str and kind is not bool}
"""The same, but for words and tests: what they are may decide."""

ITSELF = frozenset((
    types.FunctionType, types.BuiltinFunctionType, type, np.ufunc, types.MemberDescriptorType, types.GetSetDescriptorType, property))
"""The types of what is told apart from all else."""


def shape(value: Any) -> Any:
    """Types, dtypes and shapes of a value, in a form that can be compared; None for a value that is none of the common ones."""
    kind = type(value)
    if kind is np.ndarray:
        return value.dtype, value.shape
    if kind is dict:
        parts = tuple(map(shape, value.values()))
        return None if None in parts else (dict, tuple(value), parts)
    if kind is list or kind is tuple:
        parts = tuple(map(shape, value))
        return None if None in parts else (kind, parts)
    return SIMPLE.get(kind) or ((value.dtype, value.shape, DEVICE) if on_device(value) else None)


NEAR = 8
"""Objects within objects of which the shape is looked at: of deeper ones, and of those that lead back to themselves, each call is looked at
in full."""


MOST = 1000
"""How many objects within objects are looked at, in all."""


def shape_of_argument(value: Any, around: tuple[int, ...] = (), met: list[int] | None = None) -> Any:
    """The same, of sparse matrices, and of objects of the user's classes: the class and what is the object's own. What the class holds is
    watched. Words and tests stand for themselves. ``met``: the objects that were looked at so far."""
    kind: Any = type(value)
    if kind is np.ndarray:
        return value.dtype, value.shape
    if kind in QUICK:
        return QUICK[kind]
    if kind is str or kind is bool:
        return value
    if kind in ITSELF:
        return Same(value)
    if kind is dict or kind is list or kind is tuple:
        entries = value.values() if kind is dict else value
        parts = shapes_of_parts(entries, around, met)
        if parts is None or (twice := object_in_two_places(entries)) is not None and own(twice):
            return None
        return (dict, tuple(value), parts) if kind is dict else (kind, parts)
    module = str(kind.__module__)  # that of a function which Cython has made is no text
    if module.startswith("scipy.sparse.") and hasattr(value, "dtype"):
        return kind, value.dtype, value.shape
    if kind is slice or module == "datetime":
        return kind
    if kind is set or kind is frozenset:
        return kind, is_complex_data(value)
    if module.startswith(("scipy.", "numpy")) and record_for(kind) is not None:
        return kind, is_complex_record(value)
    if module.startswith("pandas") and kind.__name__ == "DataFrame":
        dtypes = tuple(value.dtypes)
        return None if any(dtype.kind in "cO" for dtype in dtypes) else (kind, tuple(value.columns), dtypes)
    met = [] if met is None else met
    if len(around) > NEAR or len(met) > MOST or id(value) in around or not holds_own_alone(kind, members_of(kind)):
        return shape(value)
    met.append(id(value))
    held = own(value)
    parts = shapes_of_parts(held.values(), (*around, id(value)), met)
    return None if parts is None else (kind, tuple(held), parts)


def shapes_of_parts(parts: Iterable[Any], around: tuple[int, ...], met: list[int] | None) -> tuple[Any, ...] | None:
    """The same of each of what a value holds, None if one of them is not told at once."""
    found = []
    for part in parts:
        shown = (part.dtype, part.shape) if type(part) is np.ndarray else shape_of_argument(part, around, met)
        if shown is None:
            return None
        found.append(shown)
    return tuple(found)


def shape_of_data(value: Any) -> Any:
    """The same of data that are read from outside, and of what stands among these without being data: loggers, members of enumerations."""
    kind = type(value)
    if kind is dict or kind is list or kind is tuple:
        parts = tuple(map(shape_of_data, value.values() if kind is dict else value))
        return None if None in parts else (dict, tuple(value), parts) if kind is dict else (kind, parts)
    if (found := shape_of_argument(value)) is not None:
        return found
    if isinstance(value, enum.Enum):
        return Same(value)
    return kind if kind is logging.Logger or kind.__module__ == "dataclasses" else None


def object_in_two_places(entries: Iterable[Any]) -> Any:
    """The first object of a user's class that stands in two places, None if there is none."""
    objects = [part for part in entries if type(part).__flags__ & HEAP]
    if len(set(map(id, objects))) == len(objects):
        return None
    return next(part for place, part in enumerate(objects) if any(part is other for other in objects[:place]))


def blank(kind: Any) -> Any:
    """A value of what :func:`shape` says, of zeros.

    >>> blank(shape({"w": np.ones(2), "n": [1, 2.5]}))
    {'w': array([0., 0.]), 'n': [0, 0.0]}
    """
    if isinstance(kind, type):
        return kind()
    if kind[0] is dict:
        return dict(zip(kind[1], map(blank, kind[2])))
    if isinstance(kind[0], type):
        return kind[0](map(blank, kind[1]))
    dtype, shape, *library = kind
    found = at(*library or ("numpy",))
    return found.broadcast_to(found.zeros((), dtype), shape)
