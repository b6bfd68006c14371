"""The methods of classes that are called without being named in a program, and what is no function of the user's."""

from __future__ import annotations

import functools
import sys
import types
from typing import Any

from ... import runtime
from ...runtime.user_objects import ARRAYS, OPERATORS, is_own


def is_helper(value: Any) -> bool:
    """Whether an object is one of the helpers that generated code calls."""
    if value is getattr(sys.modules.get("sourcediff"), "stop_gradient", None):
        return True
    return isinstance(value, types.FunctionType) and is_own(value) and getattr(runtime, value.__name__, None) is value


GIVEN_SOME = (types.MethodType, functools.partial)
"""What calls a function with something that it holds."""

MAKING = ("__new__", "__init__", "__post_init__")
"""The methods that say how an object is made."""


def is_derivative(function: Any) -> bool:
    """Whether a function is what a transform has made of another one."""
    return isinstance(function, types.FunctionType) and hasattr(function, "sourcediff")


UPDATING = tuple(f"__i{name}__" for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "or", "and"))
"""The methods of updates."""

ASKED = frozenset((
    *MAKING, *OPERATORS, *UPDATING, "__call__", "__enter__", "__exit__", "__getattr__", "__getattribute__", "__setattr__", "__delattr__",
    "__bool__", "__len__", "__iter__", "__getitem__", "__setitem__", "__contains__", "__eq__", "__lt__", "__gt__", "__le__", "__ge__",
    "__float__", *ARRAYS,
))
"""The names of a class that say what is done with its objects without being written in a program."""

CALLED_BY_SYNTAX = (
    "__call__", "__getitem__", "__setitem__", "__enter__", "__exit__", "__len__", "__iter__", "__abs__", "__str__", "__repr__", "__lt__",
    *UPDATING,
)
"""The methods that are called by what is no name; ``__lt__`` by ``sorted``."""
