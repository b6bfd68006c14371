"""What stands in for NumPy's functions, its generators and its index tricks in a library run."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import cached_property
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from ...errors import MissingRuleError, SourcediffError
from ...rules.facts import FACTS
from ...rules.frames import rule_for, spelling
from ...rules.library_functions import FUNCTIONALS, composite_for, composite_of_call
from ...rules.library_objects import record_for
from ...rules.suggestions import instead_of, way_out
from ...runtime.arrays import is_array, library_of, like_numpys, on_device
from ...runtime.device_lists import gathered
from ...runtime.user_objects import CLOSED
from ...runtime.whose_error import pass_on
from ..engine.apply import ATOMS, apply, call, missing, raw, records, stacked, variables_in
from ..engine.devices import CREATING, on_device_instead
from ..engine.nodes import Recorded
from ..engine.scopes import is_grad_enabled
from ..engine.unary_fast_path import short
from ..numpy_api.functions import SPELLINGS
from ..numpy_api.writing import INSTEAD, at, masked
from .drawing import GENERATORS, drawn
from .live import Live
from .live_joins import JOINING, live_joined, live_row, live_where
from .live_steps import CONSTANTS
from .namespaces import Namespace
from .operators import LIVE_PAIRS, LIVES, SHORT, live_product
from .records import holds_objects
from .run import Run
from .solving import settled
from .type_proxies import Replacement, original_of
from .watch import WATCH, refuse_shown, refused

POLYNOMIALS = (np.poly1d, *(kind for kind in vars(np.polynomial).values() if isinstance(kind, type)))
"""Functions that make arrays: in a run over arrays on a device they make them there."""

SIMPLE = ATOMS.union(LIVES)
"""The types of arguments in which no Variable is hidden."""

AT_LEAST = (np.atleast_1d, np.atleast_2d, np.atleast_3d)


DIRECT: set[Any] = set()
"""The functions that were found to be so, by :attr:`ReplacedCallee.direct`."""

NO_WAYS: dict[int, Any] = {}
JOINED = {function: live_joined(function) for function in JOINING}
ASKED = (live_where, live_row, *JOINED.values())
"""Those that look themselves whether they can go."""

WAYS: dict[Any, dict[int, Any]] = {
    np.where: {3: live_where}, np.array: {1: live_row}, np.asarray: {1: live_row},
    **{function: {1: way} for function, way in JOINED.items()},
    **{function: {2: live_product(function, lambda x, y: NotImplemented)} for function in (np.dot, np.matmul)},
}
"""The short ways of a function, by the number of its arguments."""
for function, way in SHORT.items():
    WAYS.setdefault(function, {})[1] = way
for function, ways in LIVE_PAIRS.items():
    WAYS.setdefault(function, {})[2] = ways


class ReplacedCallee(Replacement):
    """A function of NumPy's (or another that makes arrays): Variables in lists become arrays, float arrays it makes are Live."""

    def __init__(self, rebinder: Run, original: Any):
        self.rebinder = rebinder
        self.original = original
        self.short = WAYS.get(original, NO_WAYS) if type(original).__hash__ is not None else NO_WAYS

    @cached_property
    def instead(self) -> Any:
        """What is called in its place, if it writes into its arguments or applies a function."""
        plainly = type(self.original) is np.ufunc or type(self.original).__hash__ is None  # an object like np.poly1d
        return None if plainly else INSTEAD.get(self.original)

    @cached_property
    def direct(self) -> bool:
        """Whether a call with a rule needs no further reading."""
        if type(self.original).__hash__ is None:
            return False
        if self.original not in DIRECT and self._is_direct():
            DIRECT.add(self.original)
        return self.original in DIRECT

    def _is_direct(self) -> bool:
        function = self.original
        rule = None if self.calls_back or isinstance(function, POLYNOMIALS) else rule_for(function)
        if rule is None or rule.only or self.instead is not None or isinstance(getattr(function, "__self__", None), GENERATORS):
            return False
        return function not in FACTS["converts"] and function not in AT_LEAST and function not in SPELLINGS

    @cached_property
    def calls_back(self) -> bool:
        """Whether it is one of SciPy's, which may call a function of the user's that it is given."""
        return str(getattr(self.original, "__module__", "")).startswith("scipy.")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not kwargs and (ways := self.short.get(len(args))) is not None:
            first, last = type(args[0]), type(args[-1])
            if len(args) != 2:
                if (first in LIVES or ways in ASKED) and (found := ways(*args)) is not NotImplemented:
                    return found
            elif type(ways) is not dict:
                if (found := ways(*args)) is not NotImplemented:
                    return found
            elif first in LIVES:
                if last in LIVES or last in CONSTANTS:
                    return ways[first][0](*args)
            elif first in CONSTANTS and last in LIVES:
                return ways[last][1](args[1], args[0])
        function = self.original
        if args and type(args[0]) is Live and self.direct:
            if (found := short(function, args, kwargs)) is not NotImplemented:
                return found
            rule: Any = rule_for(function)
            if not kwargs and not rule.sequence and len(args) <= len(rule.positional) and SIMPLE.issuperset(map(type, args)):
                return apply(rule, args, kwargs)
        args = tuple(map(_given, args))
        kwargs = {name: _given(value) for name, value in kwargs.items()} if kwargs else kwargs
        instead = self.instead
        if self.calls_back and (plain := composite_for(function)) is not None and function in FUNCTIONALS:
            if not is_grad_enabled():  # a solver asks for values of a function that calls another one
                return settled(function, args, kwargs)
            return self.rebinder.rebound(plain)(*args, **kwargs)
        variables = variables_in([*args, *kwargs.values()]) if kwargs else variables_in(args)
        if self.calls_back and holds_objects([*args, *kwargs.values()]):
            if (plain := composite_for(function)) is None:
                raise refused(missing(function))
            return self.rebinder.rebound(plain)(*args, **kwargs)
        if variables or instead is not None and instead.always:
            if instead is not None:
                return instead.function(*args, **kwargs)
            kwargs = {name: value for name, value in kwargs.items() if value is not np._NoValue and (name != "out" or value is not None)}
            followed = records(variables) or self.rebinder.on_device  # a function without a rule may write to what was sent there
            if followed and (plain := composite_of_call(function, args, kwargs)) is not None:
                as_given = getattr(plain, "__annotations__", None)  # it takes lists and tuples
                return self.rebinder.rebound(plain)(*(args if as_given else map(_array_of_numbers, args)), **kwargs)
            return self._recorded(function, args, kwargs, variables)
        if self.calls_back and any(map(_is_copy, [*args, *kwargs.values()])):
            return self._by_source(function, args, kwargs)
        refuse_shown(args)
        if self.rebinder.on_device and function in CREATING:
            function, args = on_device_instead(function), tuple(map(gathered, map(raw, args)))
            kwargs = {name: value for name, value in kwargs.items() if name not in ("subok", "like")}
        result = function(*args, **kwargs)
        return self.rebinder.wrapped(result, foreign=_shares_memory(result, [*args, *kwargs.values()]))

    def _recorded(self, function: Any, args: Any, kwargs: Any, variables: list[Any]) -> Any:
        if isinstance(function, POLYNOMIALS):
            return self._by_source(type(function).__call__, (function, *args), kwargs)
        if isinstance(getattr(function, "__self__", None), GENERATORS):
            return drawn(function, args, kwargs)
        if function is np.isscalar:
            return np.isscalar(like_numpys(raw(args[0])))
        if function in AT_LEAST and len(args) > 1:
            return tuple(self(arg) for arg in args)
        if function in FACTS["converts"]:
            return _array_of_variables(function, *args, **kwargs)
        if isinstance(function, np.ufunc):
            if kwargs.get("where", True) is not True:
                return masked(function, args, **kwargs)
            args = tuple(stacked(arg) if isinstance(arg, (list, tuple)) else arg for arg in args)
            return function(*args, **kwargs)  # by protocol, which knows out=
        if "out" in kwargs:
            return self._into(args, kwargs)
        if function in SPELLINGS:
            function, args, kwargs = SPELLINGS[function](args, kwargs)
        rule = rule_for(function)
        if rule is None:  # what is constant reaches it as it is, lists and tuples too
            if records(variables):
                return self._by_source(function, args, kwargs)
            made = call(function, args, kwargs)
            return made if record_for(type(made)) is None else self.rebinder.wrapped(made, foreign=False)
        if rule.sequence:
            return call(function, (*map(_of_arrays, args[:1]), *map(_as_array, args[1:])), kwargs)
        return call(function, tuple(map(_as_array, args)), {name: _as_array(value) for name, value in kwargs.items()})

    def _into(self, args: Any, kwargs: Any) -> Any:
        """With ``out=``: the result is stored there."""
        out = kwargs.pop("out")
        (out,) = out if isinstance(out, tuple) else (out,)
        result = self(*args, **kwargs)
        if np.shape(raw(result)) != np.shape(raw(out)):
            raise ValueError(f"output parameter of {spelling(self.original)} has the wrong shape {np.shape(raw(out))}")
        if not isinstance(out, Live) and variables_in([result]) and records([result]):
            raise refused(MissingRuleError(
                f"{spelling(self.original)} would write a value that is being differentiated into an array of {out.dtype}",
                why="its gradient would silently be lost", remedy="make that array of floats",
            ))
        out[...] = result
        return out

    def _by_source(self, function: Any, args: Any, kwargs: Any) -> Any:
        """A function of NumPy's without a rule, but with a source in Python: that is run as the user's own are."""
        source = function if isinstance(function, FunctionType) else getattr(function, "__wrapped__", None)
        if not isinstance(source, FunctionType):
            return call(function, args, kwargs)
        before = WATCH.refusal
        try:
            return self.rebinder.function(source)(*args, **kwargs)
        except Exception as error:
            pass_on(error)
            if not isinstance(error, SourcediffError):
                function(*map(raw, args), **{name: raw(value) for name, value in kwargs.items()})  # raises as a plain call does
            WATCH.refusal = before
            raise refused(MissingRuleError(
                f"{spelling(function)} has no derivative rule",
                why=f"an argument requires grad, and {THROUGH}{_innermost(error)}",
                remedy=f"{instead_of(function) or way_out(function)}, "
                       "or keep the value that is being differentiated out of it",
            )) from None

    def __getattr__(self, name: str) -> Any:
        if isinstance(self.original, np.ufunc) and name in ("at", "reduce", "accumulate", "outer", "reduceat"):
            return self._method(name)
        return getattr(self.original, name)

    def _method(self, name: str) -> Callable[..., Any]:
        method = getattr(self.original, name)

        def called(*args: Any, **kwargs: Any) -> Any:
            args = tuple(map(_given, args))
            if not variables_in([*args, *kwargs.values()]):
                return self.rebinder.wrapped(method(*args, **kwargs), foreign=False)
            args = tuple(map(_as_array, args))
            return at(self.original, *args) if name == "at" else method(*args, **kwargs)

        return called


class Singleton(Replacement):
    """An object of SciPy's for a function of a family (``stats.norm``): its methods, and what it makes when it is called."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        plain = composite_for(self.original)
        return (ReplacedCallee(self.rebinder, self.original) if plain is None else self.rebinder.rebound(plain))(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.original, name)
        return ReplacedCallee(self.rebinder, found) if callable(found) else found


class Jitted(Replacement):
    """A function that Numba compiles: of values that are being differentiated its Python runs, of constants the machine code."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        variables = variables_in([*args, *kwargs.values()])
        if variables and records(variables):
            return self.py_func(*args, **kwargs)
        return self.rebinder.wrapped(call(self.original, args, kwargs), foreign=False)

    @property
    def py_func(self) -> Any:
        """The function that is compiled."""
        return self.rebinder.function(self.original.py_func)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.original, name)


class Drawing(Replacement):
    """A generator of random numbers: the float arrays that it draws are Live."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.original, name)
        return ReplacedCallee(self.rebinder, value) if callable(value) else value


class Joined(Replacement):
    """``np.r_``, ``np.c_``, ``np.mgrid`` or ``np.ogrid``."""

    def __getitem__(self, parts: Any) -> Any:
        if not variables_in([parts]):
            return self.rebinder.wrapped(self.original[parts], foreign=False)
        return self.rebinder.function(type(self.original).__getitem__)(self.original, parts)


def _innermost(error: Exception) -> str:
    """What went wrong in the source of a function, be it one that this one called."""
    _, found, reason = getattr(error, "why", "").partition(THROUGH)
    return reason if found else str(getattr(error, "problem", error))


THROUGH = "on the way through its source: "


def _is_copy(value: Any) -> bool:
    """Whether a value is a function that the run has copied or made."""
    function = value.__func__ if isinstance(value, MethodType) else value
    return isinstance(function, FunctionType) and isinstance(function.__globals__, Namespace)


def _given(value: Any) -> Any:
    """An argument for NumPy: the function or class that a replacement stands for; a list, an array for what is like one."""
    if type(value) in ATOMS or isinstance(value, Recorded):
        return value
    if isinstance(value, (list, deque)):
        return list(value) if type(value) is not list else value
    kind = type(value)
    gives = isinstance(getattr(kind, "__array__", None), FunctionType) and not on_device(value)
    if gives and kind.__module__.split(".")[0] not in CLOSED:  # it gives a Variable
        return value.__array__()
    return original_of(value)


def _as_array(value: Any) -> Any:
    """An argument of a function: an array for a list of Variables."""
    return stacked(value) if isinstance(value, (list, tuple)) and variables_in(value) else value


def _array_of_numbers(value: Any) -> Any:
    """An argument of a function: an array for a list of numbers."""
    if not isinstance(value, list):
        return value
    numbers = bool(value) and all(isinstance(part, (int, float)) for part in value)
    return np.array(value) if numbers else _as_array(value)


def _of_arrays(values: Any) -> Any:
    """A sequence of arrays, each of which may be a list of Variables."""
    return [stacked(part) for part in values] if isinstance(values, (list, tuple)) and variables_in(values) else values


def _array_of_variables(function: Any, object: Any, dtype: Any = None, **kwargs: Any) -> Any:
    """``np.array`` and its like, of a Variable or of lists with Variables in them."""
    unknown = set(kwargs) - {"copy", "ndmin", "order", "subok"}
    order = (kwargs.get("order") or "K").upper()
    if unknown or order not in ("K", "C", "A"):
        raise refused(MissingRuleError(
            f"np.{function.__name__} of values that are being differentiated is not recorded with {', '.join(kwargs)}=",
            why="the rule knows dtype, copy, ndmin and order K or C",
            remedy="leave the keyword out, and np.reshape or np.transpose the result",
        ))
    made = stacked(object)
    fresh = made is not object
    if dtype is not None and np.dtype(dtype) != made.dtype:
        made, fresh = made.astype(dtype), True
    data = raw(made)
    if not is_array(data):
        made, fresh = np.copy(made), True  # an array without dimensions, which can be changed in place
    elif (order == "C" or function is np.ascontiguousarray) and not data.flags.c_contiguous:
        made, fresh = made.copy(), True
    copy = kwargs.get("copy", True)
    if function is np.array and getattr(copy, "value", copy) is True and not fresh:
        made = np.copy(made)
    missing = max(kwargs.get("ndmin", 0), function is np.ascontiguousarray) - np.ndim(raw(made))
    return np.reshape(made, (1,) * missing + np.shape(made)) if missing > 0 else made


def _shares_memory(result: Any, arguments: list[Any]) -> bool:
    """Whether a result may be (a view of) one of the arrays that a function was given."""
    results = [part for part in (result if isinstance(result, (tuple, list)) else [result]) if library_of(part)]
    return any(library_of(array) == library_of(part) and np.may_share_memory(array, part) for array in arguments for part in results)
