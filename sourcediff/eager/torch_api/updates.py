"""Methods that end in an underscore: the same operation, its result written into the Variable's own memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...runtime.arrays import is_array
from ..engine.variable import Variable
from .spelling import Method


def in_place(name: str, operation: Callable[..., Any]) -> Method:
    """The method that writes the operation's result into the Variable itself."""

    def method(self: Variable, *args: Any, **kwargs: Any) -> Variable:
        return self._overwrite(operation(self, *args, **kwargs), f".{name}")

    method.__doc__ = f"As ``{name[:-1]}``, in place. Raises InPlaceError on a leaf that requires grad."
    return method


def zero_(self: Variable) -> Variable:
    """Set every entry to zero; a gradient's way to start anew. Raises InPlaceError on a leaf that requires grad."""
    if is_array(self._value) or self.requires_grad:
        return self._overwrite(0, ".zero_")
    self._value = type(self._value)(0)
    return self


def fill(self: Variable, value: Any) -> None:
    """``array.fill(value)``: every entry set to one value, in place."""
    self[...] = value


def given(x: Variable, value: Any) -> Any:
    """What ``fill_`` and ``copy_`` write: what they are given, whatever was there; of a Variable a new one, with a node of its own."""
    if isinstance(value, Variable):
        return np.broadcast_to(value, x.shape)
    return np.asarray(value) if isinstance(value, (list, tuple)) else value


UPDATED = (
    "add sub mul div pow neg abs exp log log1p sqrt rsqrt reciprocal sin cos tanh sigmoid relu clamp floor ceil round trunc remainder fmod "
    "addmm addcmul addcdiv lerp masked_fill"
).split()


def updates(methods: Mapping[str, Method]) -> dict[str, Method]:
    """The methods in place, of those that give a new Variable."""
    made = {f"{name}_": in_place(f"{name}_", methods[name]) for name in UPDATED}
    return {**made, "zero_": zero_, "fill_": in_place("fill_", given), "copy_": in_place("copy_", given), "fill": fill}
