"""The abstract value of an object: what is known of it by its type, its dtypes and its shapes."""

from __future__ import annotations

import functools
import sys
import types
import warnings
from functools import cache
from typing import Any

import numpy as np

from ..rules.frames import is_singleton
from ..rules.library_objects import frozen_from, record_for
from ..runtime.arrays.library import is_host_array, is_number, is_plain_array, library_of
from ..runtime.derivative import form
from ..runtime.user_objects import DEEPEST, active, computes, held_by, is_open, is_users
from .abstract import (
    BOOL,
    COLUMN,
    COMPLEX,
    FLOAT,
    FOREIGN,
    INT,
    MATRIX,
    OTHER,
    SPARSE,
    SPARSE_MATRIX,
    STATIC,
    TABLE,
    UNKNOWN,
    Abstract,
    holds_complex,
    is_mixed,
    joined_all,
    known_callables,
    of_entries,
)
from .complex_data import is_complex_data
from .environment.callables import Same
from .environment.words import DICTS, MANY
from .lengths import of_symbol

UNLIKE = 32
"""The length up to which the items of a list are known one by one that have nothing in common."""


def abstract(value: Any, name: str) -> Abstract:
    """The abstract value of an argument; ``name`` makes the symbols of its lengths."""
    if library_of(value):
        dims = tuple(length if length < 2 else of_symbol(f"{name}.{axis}") for axis, length in enumerate(value.shape))
        if is_number(value):
            return Abstract("numpy", value.dtype)
        if not is_plain_array(value):
            return of_data(UNKNOWN if isinstance(value, np.memmap) or value.dtype.names else MATRIX, value)  # records have no operators
        return Abstract("array", value.dtype, dims)
    if isinstance(value, (np.generic, int, float, complex)) and type(value) is not float and computes(type(value)):
        return FOREIGN
    if isinstance(value, np.generic):
        return Abstract("numpy", value.dtype)
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        return INT._replace(length=of_symbol(name))
    if isinstance(value, (float, complex)):
        return FLOAT if isinstance(value, float) else COMPLEX
    if type(value) in (list, tuple):
        items = tuple(abstract(item, f"{name}[{position}]") for position, item in enumerate(value))
        if (isinstance(value, list) or len(items) > 8) and not known_callables(items):
            whole = Abstract("sequence", items=joined_all(items))
            unlike = len(items) <= UNLIKE and whole.items == UNKNOWN and UNKNOWN not in items
            if unlike or len(items) <= MANY and is_mixed(whole) and not any(map(is_mixed, items)):
                return Abstract("sequence", items=items)
            return whole._replace(dtype=COMPLEX.dtype) if any(map(holds_complex, items)) and not holds_complex(whole) else whole
        return Abstract("sequence", items=items)
    if type(value) in DICTS:
        found = of_entries({key: abstract(item, f"{name}[{key!r}]") for key, item in value.items()})
        return found if type(value) is dict else found._replace(dtype=OTHER)
    if value is None or value is ... or isinstance(value, (str, bytes)):
        return STATIC
    if str(type(value).__module__).startswith(("scipy.", "numpy")):
        known = UNKNOWN
        if str(type(value).__module__).startswith("scipy.sparse") and computes(type(value)):
            known = SPARSE_MATRIX if isinstance(value, sys.modules["scipy.sparse"].spmatrix) else SPARSE
        elif (distribution := frozen_from(value)) is not None:
            known = Abstract("foreign", items=f"scipy.stats:{distribution.name}")
        elif record_for(type(value)) is not None:
            known = Abstract("foreign", items=f"{type(value).__module__}:{type(value).__qualname__}")
        if known.kind == "foreign":
            return known._replace(dtype=COMPLEX.dtype) if is_complex_record(value) else known
    if hasattr(type(value), "__array_priority__"):
        return COLUMN if is_column(value) else of_table(value) if is_table(value) else of_data(MATRIX, value)
    return of_callable(value, name) if callable(value) and not is_users(type(value)) else of_object(value, name)


def is_complex_record(value: Any) -> bool:
    """Whether an object of a library's holds complex numbers."""
    held = [value, *getattr(value, "__dict__", {}).values()]
    return any(getattr(getattr(part, "dtype", None), "kind", "") == "c" for part in held)


def is_column(value: Any) -> bool:
    """Whether a value is a column of numbers of a table of pandas."""
    known = isinstance(getattr(value, "dtype", None), np.dtype) and str(type(value).__module__).split(".")[0] == "pandas"
    return known and value.ndim == 1 and value.dtype.kind in "fiub"


def is_table(value: Any) -> bool:
    """Whether a value is a table of pandas of which each column is of numbers, and has a name of its own."""
    if str(type(value).__module__).split(".")[0] != "pandas" or value.ndim != 2:
        return False
    kinds = [getattr(dtype, "kind", "") if isinstance(dtype, np.dtype) else "" for dtype in value.dtypes]
    return bool(value.columns.is_unique) and set(kinds) <= {*"fiub"}


def of_table(value: Any) -> Abstract:
    """The abstract value of such a table, with the dtype of its columns if they have all the same one."""
    dtypes = set(value.dtypes)
    return TABLE._replace(dtype=dtypes.pop()) if len(dtypes) == 1 else TABLE


def of_callable(value: Any, name: str) -> Abstract:
    """The abstract value of a function, a class, a method, or a function that was partly given its arguments."""
    value = form(value)
    if isinstance(value, types.MethodType) and isinstance(value.__func__, (types.FunctionType, functools.partial)):
        if is_singleton(value.__self__):  # a function of a distribution's
            return Abstract("function", items=Same(value))
        owner = abstract(value.__self__, f"{name}:__self__")
        return Abstract("bound", items=(of_callable(value.__func__, name), (("__self__", owner),), ()))
    if isinstance(value, functools.partial):
        first = tuple((f"args[{k}]", abstract(part, f"{name}:args[{k}]")) for k, part in enumerate(value.args))
        named = tuple((key, abstract(part, f"{name}:{key}")) for key, part in value.keywords.items())
        return Abstract("bound", items=(of_callable(value.func, name), first, named))
    return Abstract("function", items=Same(value))


def of_data(known: Abstract, value: Any) -> Abstract:
    """What is known of data that are not looked into, but for complex numbers in them."""
    return known._replace(dtype=COMPLEX.dtype) if is_complex_data(value) else known


def of_object(value: Any, name: str) -> Abstract:
    """The abstract value of an object of a user's class: what is known of its attributes."""
    depth = name.count(":")
    if not is_users(type(value)) or depth > DEEPEST or depth == 0 and not is_open(value):
        return of_data(FOREIGN if computes(type(value)) else UNKNOWN, value)
    held = tuple((key, abstract(part, f"{name}:{key}")) for key, part in sorted(held_by(value).items()))
    return Abstract("object", items=(Same(type(value)), held, active(value, depth)))


def _one(kind: str, dtype: Any, rank: int) -> Any:
    if kind == "array":
        return np.ones((1,) * rank, dtype)
    one = np.ones((), dtype)[()]  # with the unit of a time
    return one if kind == "numpy" else one.item()


@cache
def sampled(function: Any, operands: tuple[tuple[str, Any, int], ...]) -> Abstract:
    """Kind and dtype of an elementwise function's result, found by calling it on ones of the operands' kinds and dtypes."""
    values = [_one(*operand) for operand in operands]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = function(*values)
        except (TypeError, ValueError, ArithmeticError):
            return UNKNOWN
    if is_host_array(result):
        return Abstract("array", result.dtype, (None,) * result.ndim)
    if isinstance(result, np.generic):
        return Abstract("numpy", result.dtype)
    return {bool: BOOL, int: INT, float: FLOAT, complex: COMPLEX}.get(type(result), UNKNOWN)
