"""An array class as strict as CuPy's, without a GPU: whatever converts to NumPy on the way raises.

It follows NumPy's protocols and has an ndarray's methods, as ``cupy.ndarray`` does; it refuses ``__array__`` and to meet an ndarray;
what NumPy gives as a scalar it gives as an array without dimensions. ``float()`` and its like, which make a GPU wait, are counted.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

ABSENT = frozenset("matrix_transpose vecdot block unwrap apply_over_axes insert astype permute_dims cumulative_sum".split())
"""Functions that CuPy has not, or not in every version that is supported."""
PLAIN_RESULTS = (tuple, list, int, float, bool, str, np.dtype, type(None))


class Standin:
    """``Standin.of(array)`` holds a copy; ``get()`` gives one back."""

    __array_priority__ = 100
    waits = 0
    """How often a value was asked for (``float``, ``bool``, ``item``, ``get`` …)."""

    def __init__(self, held: Any, base: Standin | None = None):
        self._held = np.asarray(held)
        self.base = base

    @classmethod
    def of(cls, array: Any) -> Standin:
        return cls(np.array(array))

    # Protocols

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use .get().")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = (), **kwargs: Any) -> Any:
        if method != "__call__" or ufunc.signature is not None and ufunc is not np.matmul or len(out) > 1:
            return NotImplemented
        if any(hasattr(part, "__array_ufunc__") and not isinstance(part, (Standin, np.ndarray, np.generic)) for part in (*inputs, *out)):
            return NotImplemented
        if out:
            kwargs["out"] = out[0]
        return call(ufunc, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function.__name__ in ABSENT or not set(types) <= {Standin, np.ndarray}:
            return NotImplemented
        return call(function, args, kwargs)

    # Attributes

    shape = property(lambda self: self._held.shape)
    ndim = property(lambda self: self._held.ndim)
    size = property(lambda self: self._held.size)
    dtype = property(lambda self: self._held.dtype)
    nbytes = property(lambda self: self._held.nbytes)
    itemsize = property(lambda self: self._held.itemsize)
    strides = property(lambda self: self._held.strides)
    T = property(lambda self: wrapped(self._held.T, [self]))
    real = property(lambda self: self)

    @property
    def flags(self) -> Any:
        class Flags:
            c_contiguous = self._held.flags.c_contiguous
            f_contiguous = self._held.flags.f_contiguous
            owndata = self.base is None

        return Flags

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        facts = self._held.__array_interface__
        return {"shape": self.shape, "typestr": facts["typestr"], "data": facts["data"], "version": 3, "strides": facts["strides"]}

    # Values: a GPU's have to be waited for

    def get(self) -> Any:
        Standin.waits += 1
        return self._held.copy()

    def item(self, *index: Any) -> Any:
        Standin.waits += 1
        return self._held.item(*index)

    def tolist(self) -> Any:
        return self.get().tolist()

    def __float__(self) -> float:
        return float(self.get())

    def __int__(self) -> int:
        return int(self.get())

    def __index__(self) -> int:
        return operator.index(self.get())

    def __bool__(self) -> bool:
        return bool(self.get())

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Any:
        if not self.ndim:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return repr(self.get())

    __str__ = __repr__
    __hash__ = None  # type: ignore[assignment]

    def __format__(self, spec: str) -> str:
        return format(self.get(), spec)

    # Entries

    def __getitem__(self, key: Any) -> Any:
        return wrapped(self._held[unwrapped_index(key)], [self])

    def __setitem__(self, key: Any, value: Any) -> None:
        self._held[unwrapped_index(key)] = unwrapped(value)


def unwrapped(value: Any) -> Any:
    """What NumPy computes with; raises TypeError for an ndarray, as CuPy does."""
    if isinstance(value, Standin):
        return value._held
    if isinstance(value, np.ndarray):
        raise TypeError(f"Unsupported type {type(value)}")
    if type(value) in (list, tuple):
        return type(value)(map(unwrapped, value))
    if not isinstance(value, (int, float, complex, np.generic, str, slice, type, np.dtype, type(None), type(Ellipsis))):
        raise TypeError(f"Unsupported type {type(value)}")
    return value


def unwrapped_index(key: Any) -> Any:
    """An index: NumPy's arrays of integers and booleans are taken too, as CuPy does."""
    if type(key) is tuple:
        return tuple(map(unwrapped_index, key))
    return key if isinstance(key, np.ndarray) and key.dtype.kind in "iub" else unwrapped(key)


def unwrapped_array(value: Any) -> Any:
    """What is brought over: a NumPy array too."""
    return value if isinstance(value, np.ndarray) else unwrapped(value)


TAKING = {"take": unwrapped_index, "repeat": unwrapped_index, "asarray": unwrapped_array}
"""Functions that take NumPy's arrays for their indices, and the one that brings them over."""


def wrapped(value: Any, inputs: Any) -> Any:
    """A result: arrays and NumPy's scalars become stand-ins, views of the input that they share memory with."""
    if isinstance(value, Standin) or type(value) in PLAIN_RESULTS and type(value) not in (tuple, list):
        return value
    if isinstance(value, (tuple, list)):
        parts = [wrapped(part, inputs) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if isinstance(value, np.ndarray):
        for part in inputs:
            if isinstance(part, Standin) and np.may_share_memory(value, part._held):
                if value is part._held:
                    return part
                return Standin(value, part if part.base is None else part.base)
    return Standin(np.array(value))


def call(function: Any, args: Any, kwargs: Any) -> Any:
    """A function of NumPy's on stand-ins."""
    unwrap = TAKING.get(function.__name__, unwrapped)
    inputs = [part for arg in (*args, *kwargs.values()) for part in (arg if type(arg) in (list, tuple) else [arg])]
    z = function(*map(unwrap, args), **{name: unwrap(value) for name, value in kwargs.items()})
    if function.__name__ in ("shape", "ndim", "size", "result_type", "may_share_memory", "shares_memory", "broadcast_shapes"):
        return z
    return wrapped(z, inputs)


def method(name: str) -> Any:
    def called(self: Standin, *args: Any, **kwargs: Any) -> Any:
        z = getattr(self._held, name)(*map(unwrapped, args), **{key: unwrapped(value) for key, value in kwargs.items()})
        return wrapped(z, [self])

    return called


def binary(name: str) -> Any:
    def called(self: Standin, other: Any) -> Any:
        if getattr(other, "__array_priority__", 0) > self.__array_priority__:
            return NotImplemented
        return wrapped(getattr(operator, name)(self._held, unwrapped(other)), [])

    return called


def reflected(name: str) -> Any:
    def called(self: Standin, other: Any) -> Any:
        return wrapped(getattr(operator, name)(unwrapped(other), self._held), [])

    return called


def unary(name: str) -> Any:
    return lambda self: wrapped(getattr(operator, name)(self._held), [])


def updating(name: str) -> Any:
    def called(self: Standin, other: Any) -> Any:
        getattr(operator, f"i{name}")(self._held, unwrapped(other))
        return self

    return called


for _name in ("add", "sub", "mul", "truediv", "pow", "matmul", "mod", "floordiv"):
    setattr(Standin, f"__{_name}__", binary(_name))
    setattr(Standin, f"__r{_name}__", reflected(_name))
    setattr(Standin, f"__i{_name}__", updating(_name))
for _name in ("eq", "ne", "lt", "le", "gt", "ge", "and_", "or_", "xor"):
    setattr(Standin, f"__{_name.strip('_')}__", binary(_name))
for _name in ("and_", "or_", "xor"):
    setattr(Standin, f"__r{_name.strip('_')}__", reflected(_name))
for _name in ("neg", "pos", "abs", "invert"):
    setattr(Standin, f"__{_name}__", unary(_name))
for _name in (
    "all any argmax argmin argsort astype clip copy cumsum diagonal dot fill flatten max mean min nonzero prod ravel repeat reshape "
    "round squeeze std sum swapaxes take trace transpose var view"
).split():
    setattr(Standin, _name, method(_name))
