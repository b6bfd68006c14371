"""What generated code for arrays on a device calls: the helpers of :mod:`sourcediff.runtime`, from the same source, with CuPy for NumPy.

There ``np.ndarray`` are the arrays with dimensions, and ``np.generic`` the numbers: NumPy's, and CuPy's arrays without dimensions.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import sys
import types
from typing import Any

from .. import runtime
from ..runtime.arrays import library
from ..runtime.device_facts import MISSING, arrays_of, in_library
from ..runtime.device_functions import WRITTEN
from ..runtime.device_lists import sent

__path__ = [*runtime.__path__]  # the modules of the runtime are loaded once more, by names in this package

AGAIN = ("arrays", "checks", "equal_spectra", "structures", "zero_lengths")
"""The modules with helpers that compute with arrays; of the others there is one of each."""


class Kind(type):
    """A class of values that ``isinstance`` asks a function about."""

    def __instancecheck__(cls, value: Any) -> bool:
        return bool(cls.__dict__["holds"](value))


class Array(metaclass=Kind):
    """The arrays with dimensions."""

    holds = staticmethod(library.is_array)


class Number(metaclass=Kind):
    """The numbers, NumPy's and the device's."""

    holds = staticmethod(library.is_number)


class Namespace:
    """What ``np`` is for the helpers: the names of the device's library. AttributeError for one that it does not have."""

    ndarray = Array
    generic = Number

    def __getattr__(self, name: str) -> Any:
        found = getattr(sys.modules.get(library.DEVICE), name)
        if isinstance(found, types.FunctionType) and arrays_of(name):
            found = of_arrays(found, arrays_of(name))
            setattr(self, name, found)
        return completed(found, name)

    @staticmethod
    def errstate(**kinds: str) -> Any:
        """Nothing: a device does not warn."""
        return contextlib.nullcontext()


    @staticmethod
    def negative(x: Any, *args: Any, **kwargs: Any) -> Any:
        """The entries with the other sign, of a list too."""
        return sys.modules[library.DEVICE].negative(sent(x) if isinstance(x, (list, tuple)) else x, *args, **kwargs)

    @staticmethod
    def max(a: Any, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
        """The largest entries, at least ``initial``."""
        device = sys.modules[library.DEVICE]
        if initial is None or device.size(a):
            found = device.max(device.asarray(a), axis=axis, keepdims=keepdims)
            return found if initial is None else device.maximum(found, initial)
        shape = device.sum(device.asarray(a), axis=axis, keepdims=keepdims).shape
        return device.full(shape, initial)


class Completed:
    """A module or an elementwise function of the device's library, with what is written for it."""

    def __init__(self, found: Any, path: str):
        self.found = found
        self.path = path
        self.__name__ = getattr(found, "__name__", "")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.found(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return WRITTEN.get(f"{self.path}.{name}") or getattr(self.found, name)


def completed(found: Any, path: str) -> Any:
    """What the device's library has under a path, with what is written for it."""
    return Completed(found, path) if path in PARTLY else found


PARTLY = {path.rpartition(".")[0] for path in WRITTEN}
"""The modules and elementwise functions of which something is written."""

GIVEN = frozenset(name for name in vars(Namespace) if not name.startswith("__"))
"""The names that the helpers find otherwise than the library has them."""


def of_arrays(function: Any, wanted: tuple[bool, ...]) -> Any:
    """A function of the device's library that takes numbers and lists too where it wants arrays."""

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        given = [sent(part) if want and not library.on_device(part) else part for want, part in zip(wanted, args)]
        return function(*given, *args[len(given):], **kwargs)

    return called


def not_foreign(value: Any) -> bool:
    """False: here no array is of another library."""
    return False


NUMPY = Namespace()


def of_numbers(helper: Any) -> Any:
    """A helper whose results may be entries of what it is given: numbers by themselves."""

    @functools.wraps(helper)
    def called(*args: Any) -> Any:
        found = helper(*args)
        return [*map(library.as_number, found)] if type(found) is list else library.as_number(found)

    return called


def finishing(like: Any) -> Any:
    """The helper that finishes an adjoint: that of a number stays on the device."""

    @functools.wraps(like)
    def called(x_bar: Any, x: Any) -> Any:
        if library.on_device(x_bar) and not isinstance(x, (Array, dict, list, tuple)):
            return x_bar.astype(x.dtype) if hasattr(x, "dtype") else library.as_number(x_bar)
        return like(x_bar, x)

    return called


OTHERWISE = {"split_like": of_numbers, "stored": of_numbers, "like": finishing}
"""What is made here of some of the helpers."""


def load() -> None:
    """Load the modules, and bind what they read by other names here."""
    alike = {name: getattr(library, name) for name in ("library_of", "on_device", "is_array", "is_number", "as_number", "as_numbers")}
    for name in AGAIN:
        importlib.import_module(f"{__name__}.{name}")
    for name, module in list(sys.modules.items()):
        if name.startswith(f"{__name__}.") and module is not None:
            bound = {**alike, "np": NUMPY, "is_foreign": not_foreign}
            bound |= {key: change(vars(module)[key]) for key, change in OTHERWISE.items() if key in vars(module)}
            vars(module).update({key: value for key, value in bound.items() if key in vars(module)})


def spread_number(c: Any, shape: tuple[int, ...]) -> Any:
    """A gradient broadcast into an array of its own, on the device whatever it is itself."""
    if getattr(c, "shape", None) == shape and library.on_device(c):
        return c
    full = NUMPY.empty(shape, getattr(c, "dtype", float))
    full[...] = library.to_device(c)
    return full


def counterpart(value: Any) -> Any:
    """What stands for NumPy, a part of SciPy or a helper where arrays lie on a device; anything else as it is."""
    if isinstance(value, types.ModuleType):
        package, _, rest = value.__name__.partition(".")
        if value.__name__ == "numpy":
            return NUMPY
        found = in_library(value.__name__) if package == "scipy" and rest else MISSING
        return value if found is MISSING else completed(found, value.__name__)
    name = getattr(value, "__name__", "")
    if isinstance(value, types.FunctionType) and getattr(runtime, name, None) is value:
        return __getattr__(name)
    return value


def __getattr__(name: str) -> Any:
    """A helper by its name. Raises AttributeError."""
    for part in AGAIN:
        if name in vars(module := sys.modules[f"{__name__}.{part}"]):
            return vars(module)[name]
    return getattr(runtime, name)


load()
