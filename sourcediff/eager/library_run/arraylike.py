"""Variables that look like the array or the number that they stand for."""

from __future__ import annotations

import operator
import sys
from types import FrameType
from typing import Any

import numpy as np

from ...errors import AliasingError, MissingRuleError, NonDifferentiableError
from ...rules.frames import rule_for
from ...runtime.arrays import entry_at, has_complex, is_array, on_device
from ..engine.apply import apply
from ..engine.variable import Variable
from ..torch_api.names import set_imag, set_real
from .dict_keys import note_hashed
from .namespaces import Namespace
from .watch import formatting, number_shown, refused, shown


class ArrayLike(Variable):
    """A Variable with what a program may ask of an array or of a number. What would lose its gradient is refused."""

    __slots__ = ()
    _kind: Any  # what stands in for a class, given by ``type_proxies.py``

    @property  # type: ignore[misc]
    def data(self) -> Any:  # type: ignore[override]
        """To this package the array, as of every Variable; to a program what its arrays have by that name, memory without a derivative."""
        if sys._getframe(1).f_globals.get("__name__", "").startswith("sourcediff."):
            return self._value
        if not hasattr(self._value, "data"):
            raise AttributeError("data")
        self._refuse(".data")
        return self._value.data

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """To the program the class of what this stands for; to this package and to Python's library its own.

        On a device always its own: CuPy's compiled code has no frame, asks for it where the program computes, and would take an array's.
        """
        if not isinstance(sys._getframe(1).f_globals, Namespace) or on_device(self._value):
            return type(self)
        return self._kind(type(self._value))

    @property
    def shape(self) -> tuple[int, ...]:
        return np.shape(self._value)

    @shape.setter
    def shape(self, shape: Any) -> None:
        raise refused(NonDifferentiableError(
            "the shape of an array that is being differentiated is assigned",
            why="what is recorded of it stands for its entries as they lie", remedy="make a view: y = np.reshape(y, shape)",
        ))

    @property
    def real(self) -> Any:
        return np.real(self) if has_complex(self._value) else self  # type: ignore[call-overload]

    @real.setter
    def real(self, value: Any) -> None:
        set_real(self, value)

    @property
    def imag(self) -> Any:
        return np.imag(self)  # type: ignore[call-overload]

    @imag.setter
    def imag(self, value: Any) -> None:
        set_imag(self, value)

    def item(self, *index: Any) -> Any:
        entry = self[entry_at(index, self.shape)] if index else self.reshape(()) if self.ndim else self
        return apply(rule_for(complex if has_complex(entry._value) else float), (entry,), {})

    def tolist(self) -> Any:
        return [row.tolist() if isinstance(row, ArrayLike) else row for row in self] if self.ndim else self.item()

    def view(self, dtype: Any = None, type: Any = None) -> Any:
        dtype = getattr(dtype, "original", dtype)
        if type is None and (dtype is None or np.dtype(dtype) == self.dtype):
            return self[...]
        raise refused(MissingRuleError(
            "the method .view as another dtype or class is not recorded", why="the result would silently lose its gradient",
            remedy="use x.astype(dtype) for its values, or np.reshape for another shape",
        ))

    def astype(self, dtype: Any, order: str = "K", casting: Any = "unsafe", subok: bool = True, copy: bool = True) -> Any:
        dtype = getattr(dtype, "original", dtype)
        if not np.can_cast(self.dtype, dtype, casting):
            raise TypeError(f"Cannot cast array data from {self.dtype!r} to {np.dtype(dtype)!r} according to the rule {casting!r}")
        if not copy and order == "K" and np.dtype(dtype) == self.dtype:
            return self
        made = Variable.astype(self, dtype)  # type: ignore[attr-defined]
        return made if order == "K" else made.copy(order)

    def __hash__(self) -> int:
        note_hashed()
        return hash(self._value)  # a number can be a key, an array cannot

    def __deepcopy__(self, memo: Any) -> Any:
        if not is_array(self._value):
            return self
        if id(self._value) in memo.setdefault(ArrayLike, {}):
            raise refused(AliasingError(
                "an array that is held in two places is copied", remedy="give one of the two a copy",
                why="the copy holds one array, too, and of the arguments each place has a gradient of its own",
            ))
        memo[ArrayLike][id(self._value)] = self
        return np.copy(self)

    def __reduce__(self) -> Any:
        raise refused(NonDifferentiableError(
            "a value that is being differentiated cannot be pickled", why="the copy would silently lose its gradient",
            remedy="save it after the gradient was computed",
        ))

    def __float__(self) -> float:
        number = self._as_text(sys._getframe(1))
        return super().__float__() if number is None else number

    def __int__(self) -> int:
        number = self._as_text(sys._getframe(1))
        return super().__int__() if number is None else int(number)

    def _as_text(self, frame: FrameType) -> float | None:
        """The number, where it is asked for by ``"%.3f" % x``: text is free, only numbers must not be read from it again."""
        if not self.requires_grad or not formatting(frame):
            return None
        number_shown(float(self._value))
        return float(self._value)

    def __index__(self) -> int:
        return operator.index(self._value)  # of a float: the TypeError that it is in a plain call

    def __repr__(self) -> str:
        return self._shown(repr(self._value))

    def __str__(self) -> str:
        return self._shown(str(self._value))

    def __format__(self, spec: str) -> str:
        return self._shown(format(self._value, spec))

    def _shown(self, text: str) -> str:
        return shown(text) if self.requires_grad else text

    def _refuse(self, what: str) -> None:
        if self.requires_grad:
            raise refused(NonDifferentiableError(
                f"{what} was applied to a value that is being differentiated",
                why="the result would be a plain number or array and silently lose its gradient",
                remedy="use NumPy's functions on it (np.stack for a list of numbers)"
                       + (", and f-strings to print it" if what.endswith("()") else ""),
            ))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(self._value, name):
            raise AttributeError(f"'{type(self._value).__name__}' object has no attribute '{name}'")
        if name in ("nbytes", "itemsize", "strides", "flags", "is_integer"):
            return getattr(self._value, name)
        raise refused(MissingRuleError(
            f"the attribute or method .{name} is not recorded", why="its result would silently lose its gradient",
            remedy="use the NumPy function that it is, if that has a rule, or indexing",
        ))
