"""Methods in two spellings: NumPy's ``axis`` and ``keepdims``, PyTorch's ``dim`` and ``keepdim``; shapes as one tuple or as several."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ...runtime.arrays.library import is_array
from ..engine.nodes import VOLATILE
from ..engine.scopes import OFF, is_grad_enabled
from ..engine.unary_fast_path import short
from ..engine.variable import Variable, new
from ..engine.views import DETACHED

Method = Callable[..., Any]


def numpy_spelling(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Keywords in NumPy's spelling.

    >>> numpy_spelling({"dim": 0, "keepdim": True})
    {'axis': 0, 'keepdims': True}
    """
    for theirs, ours in (("dim", "axis"), ("keepdim", "keepdims")):
        if theirs in kwargs:
            if ours in kwargs:
                raise TypeError(f"{theirs}= and {ours}= are two spellings of one argument: give one of them")
            kwargs[ours] = kwargs.pop(theirs)
    return kwargs


def spelled(function: Method) -> Method:
    """Decorator: a method that is written with NumPy's keywords takes PyTorch's too."""

    @functools.wraps(function)
    def method(self: Variable, *args: Any, **kwargs: Any) -> Any:
        return function(self, *args, **numpy_spelling(kwargs)) if kwargs else function(self, *args)

    return method


def numpy_method(function: Any) -> Method:
    """The method that is a NumPy function of the array."""

    def method(self: Variable, *args: Any, **kwargs: Any) -> Any:
        if kwargs:
            kwargs = numpy_spelling(kwargs)
        result = short(function, (self, *args), kwargs)
        return function(self, *args, **kwargs) if result is NotImplemented else result

    method.__doc__ = f"``np.{function.__name__}(x, …)``; ``dim`` and ``keepdim`` are accepted for ``axis`` and ``keepdims``."
    return method


def variadic(function: Any) -> Method:
    """A method that takes its shape or axes as one tuple or as several arguments, as the array's own does."""
    compute = getattr(np.ndarray, function.__name__)

    def method(self: Variable, *args: Any, **kwargs: Any) -> Any:
        if OFF and not kwargs and type(self) is Variable and type(self._value) is np.ndarray and not is_grad_enabled():  # under no_grad
            variable = new(Variable)
            variable._value = compute(self._value, *args)
            variable._node = VOLATILE if self._node is VOLATILE else None
            variable._base = DETACHED
            return variable
        given = (self, args[0] if len(args) == 1 else args) if args else (self,)
        result = short(function, given, kwargs)
        return function(*given, **kwargs) if result is NotImplemented else result

    method.__doc__ = f"``np.{function.__name__}(x, …)``, the last argument as a tuple or as several."
    return method


def as_tuple(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Sizes that were given as one tuple, list or array, or as several arguments.

    >>> as_tuple((2, 3)), as_tuple(([2, 3],))
    ((2, 3), (2, 3))
    """
    return tuple(values[0]) if len(values) == 1 and (isinstance(values[0], (tuple, list)) or is_array(values[0])) else values
