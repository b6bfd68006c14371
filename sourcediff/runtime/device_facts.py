"""What the library of a device has of NumPy: names, keywords, and which parameters take its own arrays alone. It is read from itself."""

from __future__ import annotations

import functools
import importlib
import inspect
from typing import Any

from .arrays.library import DEVICE
from .device_functions import WRITTEN

MISSING: Any = object()

OF_UFUNCS = frozenset(("out", "dtype", "casting"))
"""The keywords that CuPy's elementwise functions take."""

ARRAYS = frozenset("a b x y z m v p A val arr ary array x1 x2 ar1 ar2 arr1 arr2 a1 a2 ar prototype condition filt element".split())
"""The names of parameters for which CuPy's functions take its own arrays alone."""

NUMBERS_TOO = frozenset(
    "where isscalar shape ndim size array asarray full full_like zeros_like ones_like append iscomplexobj isrealobj result_type".split())
"""Functions that take numbers by these names, or answer of anything."""


SCIPY = "cupyx.scipy"
"""Where CuPy keeps what it has of SciPy."""


def in_library(path: str) -> Any:
    """What the device's library has under a name such as ``linalg.norm`` or ``scipy.special.erf``, or stands for it, or MISSING."""
    if path in WRITTEN:
        return WRITTEN[path]
    package, _, rest = path.partition(".")
    words = rest.split(".") if package == "scipy" else path.split(".")
    try:
        found: Any = importlib.import_module(f"{SCIPY}.{words.pop(0)}" if package == "scipy" else DEVICE)
    except ImportError:
        return MISSING
    for name in words:
        found = getattr(found, name, MISSING)
    return found


@functools.cache
def parameters_of(function: Any) -> tuple[str, ...] | None:
    """The parameters of a function of the device's library by position, None where nobody says."""
    if type(function).__name__ == "ufunc":
        return None
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    return None if any(each.kind is each.VAR_KEYWORD for each in found) else tuple(each.name for each in found)


FAULTY = {"polyfit": "w"}
"""Functions of CuPy 14 that change their arguments, by the parameter that makes them do so."""


def lacks(path: str, keywords: list[str]) -> str:
    """What the device's library lacks of a call: a name or a keyword, in words; "" for nothing."""
    found = in_library(path)
    if found is MISSING:
        return spelled(path)
    known = OF_UFUNCS if type(found).__name__ == "ufunc" else parameters_of(found) if keywords and callable(found) else None
    missing = [] if known is None else [word for word in keywords if word not in known and word != "like"]  # asked of others alone
    if FAULTY.get(path) in keywords:
        return f"{FAULTY[path]}= of {spelled(path)} (CuPy changes the other arguments)"
    return f"{missing[0]}= of {spelled(path)}" if missing else ""


def arguments_named(path: str, count: int) -> list[str]:
    """The parameters that so many arguments by position are given to, of a function that is faulty with some."""
    return list(parameters_of(in_library(path)) or ())[:count] if path in FAULTY else []


def spelled(path: str) -> str:
    """A name as users write it: ``np.linalg.norm``, ``scipy.special.erf``."""
    return path if path.startswith("scipy.") else f"np.{path}"


def arrays_of(path: str) -> tuple[bool, ...]:
    """For each parameter of a function of the device's library whether it takes arrays alone: no numbers, no lists."""
    there = in_library(path)
    if there is MISSING or isinstance(there, type) or path in NUMBERS_TOO:
        return ()
    return tuple(name in ARRAYS for name in parameters_of(there) or ())
