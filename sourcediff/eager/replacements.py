"""What stands in for NumPy's functions, classes and builtins in a library run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import MissingRuleError
from ..rules.frames import rule_for
from .apply import apply, call, plain, variables_in
from .graph import Recorded
from .live import Live, stacked
from .watch import refuse_shown, refused

if TYPE_CHECKING:
    from .rebind import Rebinder

CREATING = (np.array, np.asarray, np.asanyarray, np.ascontiguousarray)


class Callee:
    """A function of NumPy's (or another that makes arrays): Variables in lists become arrays, float arrays it makes are Live."""

    def __init__(self, rebinder: Rebinder, original: Any):
        self.rebinder = rebinder
        self.original = original

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        function = self.original
        args = tuple(map(original_of, args))
        kwargs = {name: original_of(value) for name, value in kwargs.items()}
        if variables_in([*args, *kwargs.values()]):
            if function in CREATING:
                return _array(function, *args, **kwargs)
            rule = rule_for(function)
            if args and isinstance(args[0], (list, tuple)) and variables_in(args[0]):
                joins = rule is not None and rule.sequence
                args = ([stacked(part) for part in args[0]] if joins else stacked(args[0]), *args[1:])
            if isinstance(function, np.ufunc):
                return function(*args, **kwargs)  # by protocol, which knows out=
            return call(function, args, kwargs)
        refuse_shown(args)
        result = function(*args, **kwargs)
        return self.rebinder.wrapped(result, foreign=_shares_memory(result, [*args, *kwargs.values()]))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.original, name)

    def __repr__(self) -> str:
        return repr(self.original)


class Conversion(Callee):
    """A class that is called as a conversion: ``float(x)``, ``np.float64(x)``, ``type(x)``. As a dtype it is the class itself."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.original is type:
            if len(args) == 1:
                return self.rebinder.rebound(type(plain(args[0])))  # which may be compared with the name float, rebound too
            return type(*args, **kwargs)
        if not variables_in(args):
            if issubclass(self.original, (float, np.floating)):
                refuse_shown(args)
            return self.original(*args, **kwargs)
        (variable,) = args
        if issubclass(self.original, (int, np.integer, np.bool_)):
            return self.original(variable._value)  # piecewise constant
        if self.original is not float and isinstance(variable._value, np.ndarray):
            return variable.astype(self.original)
        return apply(rule_for(float), (variable,), {}, self.original)

    @property
    def dtype(self) -> Any:
        return np.dtype(self.original)

    def __eq__(self, other: object) -> bool:
        return self.original is original_of(other)

    def __hash__(self) -> int:
        return hash(self.original)

    def __or__(self, other: Any) -> Any:
        return self.original | original_of(other)


class Joined:
    """``np.r_`` of arrays and numbers."""

    def __init__(self, rebinder: Rebinder):
        self.rebinder = rebinder

    def __getitem__(self, parts: Any) -> Any:
        if not variables_in([parts]):
            return self.rebinder.wrapped(np.r_[parts], foreign=False)
        parts = parts if isinstance(parts, tuple) else (parts,)
        if any(isinstance(part, (str, slice)) for part in parts):
            raise refused(MissingRuleError(
                "np.r_ with slices or strings is not recorded", why="the result would silently lose its gradient",
                remedy="use np.concatenate",
            ))
        return np.concatenate([np.atleast_1d(part) for part in parts])


class Iterating(Callee):
    """A class of iterators that hands out parts of arrays: of active ones it is refused."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if variables_in([*args, *kwargs.values()]):
            raise refused(MissingRuleError(
                f"np.{self.original.__name__} of a value that is being differentiated is not recorded",
                why="the entries that it hands out would silently lose their gradient",
                remedy="loop over np.ndindex(x.shape) and index, or over np.ravel(x)",
            ))
        return self.original(*args, **kwargs)


def recorded(function: Any) -> Callable[..., Any]:
    """A function of ``math`` that also takes Variables."""

    def called(*args: Any) -> Any:
        return call(function, args, {}) if variables_in(args) else function(*args)

    called.__name__ = function.__name__
    return called


def _array(function: Any, object: Any, dtype: Any = None, **kwargs: Any) -> Any:
    """``np.array`` and its like, of a Variable or of lists with Variables in them."""
    unknown = set(kwargs) - {"copy", "ndmin", "order"}
    if unknown or kwargs.get("ndmin", 0) or kwargs.get("order") not in (None, "K", "C"):
        raise refused(MissingRuleError(
            f"np.{function.__name__} of values that are being differentiated is not recorded with {', '.join(kwargs)}=",
            why="the rule knows dtype, copy and order K or C", remedy="leave the keyword out, and np.reshape or np.transpose the result",
        ))
    made = stacked(object)
    fresh = made is not object
    if dtype is not None and np.dtype(dtype) != made.dtype:
        return made.astype(dtype)
    copies = function is np.array and kwargs.get("copy", True)
    return np.copy(made) if copies and not fresh else made if isinstance(made._value, np.ndarray) else np.reshape(made, ())


def _shares_memory(result: Any, arguments: list[Any]) -> bool:
    """Whether a result may be (a view of) one of the arrays that a function was given."""
    results = [part for part in (result if isinstance(result, (tuple, list)) else [result]) if isinstance(part, np.ndarray)]
    return any(isinstance(array, np.ndarray) and np.may_share_memory(array, part) for array in arguments for part in results)


def original_of(value: Any) -> Any:
    """The function or class that a replacement stands for; any other value itself."""
    return value.original if isinstance(value, Callee) else value


def is_instance(value: Any, classes: Any) -> bool:
    """``isinstance`` that takes a Variable of the run for the array or number that it stands for."""
    classes = tuple(map(original_of, classes)) if isinstance(classes, tuple) else original_of(classes)
    return isinstance(standing_for(value), classes) or isinstance(value, Recorded) and isinstance(plain(value), classes)


def has_attribute(value: Any, name: str) -> bool:
    """``hasattr`` that takes a Variable of the run for the array or number that it stands for."""
    return hasattr(standing_for(value), name)


def standing_for(value: Any) -> Any:
    """The array or number that a Live Variable stands for; any other value itself."""
    return value._value if isinstance(value, Live) else value
