"""Complex numbers in data of any kind: arguments, and what a function reads from outside."""

from __future__ import annotations

import collections
import enum
import types
from collections.abc import Iterable, ValuesView
from typing import Any

import numpy as np

from ..runtime.arrays.library import is_array
from ..runtime.user_objects import is_users

CONTAINERS = (list, tuple, set, frozenset, ValuesView, collections.deque, collections.UserList)
MAPPINGS = (dict, types.MappingProxyType, collections.ChainMap, collections.UserDict)
"""What holds its items, or entries, and is looked into."""

MANY = 100_000
"""The number of parts from which on data are taken for complex without a look at the rest."""


def is_complex_data(value: Any) -> bool:
    """Whether data are, or hold, complex numbers or the type of such: arrays, records, containers, objects of the user's.

    >>> is_complex_data(collections.deque([1.0, {"z": 2j}])), is_complex_data(np.zeros(3, [("a", float)]))
    (True, False)
    """
    pending: list[Any] = [value]
    seen = set()
    for part in pending:
        if isinstance(part, (complex, np.complexfloating)) or part is complex:
            return True
        if type(part) in (int, float, str, bool) or id(part) in seen:
            continue
        if hasattr(type(part), "dtype") and not is_users(type(part)) and is_of_complex(part.dtype):
            return True
        seen.add(id(part))
        pending += parts_of_data(part)
        if len(pending) > MANY:
            return True
    return False


def is_of_complex(dtype: Any) -> bool:
    """Whether a dtype is complex, or that of records with complex fields."""
    if not isinstance(dtype, np.dtype):
        return False
    return dtype.kind == "c" or any(is_of_complex(dtype[name]) for name in dtype.names or ()) or (
        dtype.subdtype is not None and is_of_complex(dtype.subdtype[0]))


def parts_of_data(value: Any) -> Iterable[Any]:
    """What data hold: items, entries, attributes, the columns of a table."""
    if isinstance(value, enum.Enum):
        return (value.value,)
    if is_array(value):
        return value.ravel().tolist() if value.dtype.kind == "O" else ()
    if isinstance(value, MAPPINGS):
        return list(value.values())
    if isinstance(value, CONTAINERS):
        return list(value)
    if isinstance(value, np.dtype):
        return (1j,) if is_of_complex(value) else ()
    if is_users(type(value)):
        slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
        return [*getattr(value, "__dict__", {}).values(), *(getattr(value, name, None) for name in slots)]
    if not hasattr(type(value), "__array__"):
        return ()
    return tuple(getattr(value, "dtypes", () if hasattr(value, "dtype") else (1j,)))  # an array that tells of no dtype may be of any
