"""Rebinding: a copy of a user's function that sees eager-aware NumPy, builtins and helpers in place of its own.

The copy runs over a live view of the function's globals. Nothing of the user's is changed: modules, globals and cells stay as they
are, the views are looked through at every read. What NumPy's protocols cannot intercept (``np.zeros(n)`` that is then filled
with active values, ``np.array([u, v])``, ``float(x)``) is what the replacements are for; functions in containers, methods and
what objects hold are found by way of shadows and of copies of classes.
"""

from __future__ import annotations

import ast
import builtins
import decimal
import fractions
import functools
import inspect
import json
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ...rules.frames import OWN, is_singleton, rule_for
from ...rules.library_functions import composite_for
from ...rules.library_objects import record_for
from ...runtime.arrays import is_array, is_host_array, on_device, to_device
from ...runtime.user_objects import CLOSED, COMPOSITES
from ..engine.mutation import overlap, owner_of
from ..engine.nodes import Recorded
from . import attributes, methods, operators, solving  # noqa: F401  (Live gets its methods and operators, solvers get their engine)
from .before import Before
from .caching import CACHING, cached, caching
from .classes import Classes
from .decimals import in_decimals
from .drawing import GENERATORS
from .generic import Generic, is_generic
from .live import Live, LiveNumber, external
from .looping import Vectorized
from .namespaces import ModuleView, Namespace, globals_seen, running
from .object_proxies import BUILT_IN, PLAIN, Shadows
from .reading import refuse_by_code
from .recorded_math import recorded
from .records import RecordStandIn, record_class, standing
from .releasing import Releasing
from .replacements import Drawing, Jitted, Joined, ReplacedCallee, Singleton
from .stdlib_containers import HOLDING, REFERRING, referring
from .type_proxies import COMPILED, EXACT, READING, in_c, reading, stand_in, stand_in_c, standing_in
from .watch import WATCH

TRICKS = (np.r_, np.c_, np.mgrid, np.ogrid)
VIEWED = (functools, json, ast, decimal, fractions)
"""The modules of Python's library of which some functions are replaced."""

REPLACED: dict[int, Any] = {}
"""The functions of NumPy's that were met, by identity."""

UNTOUCHED = PLAIN | {Live, LiveNumber, np.float64}
"""The types of values that are never rebound."""


class Rebinder:
    """One library run: the replacements that were made for it, each once."""

    def __init__(self, before: Before) -> None:
        self.before = before
        self.on_device = False  # whether it is over arrays on a device
        self.known: dict[int, tuple[Any, Any]] = {}  # id → (the original or a replacement, kept alive; the replacement)
        self.originals: dict[int, Any] = {}  # id of a replacement → the original
        self.copies: dict[int, types.FunctionType] = {}  # id of a function → its copy
        self.arguments: list[Live] = []  # the arrays that the run was given
        self.outside: list[Live] = []  # those that it has found elsewhere
        self.caches: list[Callable[[], None]] = []  # what makes the caches of functions forget the run's values
        self.shadows = Shadows(self)
        self.classes = Classes(self)
        self.builtins = {**vars(builtins), **standing_in}
        self.builtins.update(__import__=self._import, globals=globals_seen, eval=running(eval), exec=running(exec))

    def knows(self, value: Any, made: Any) -> None:
        """Note that ``made`` stands in for ``value``."""
        self.known[id(value)] = value, made
        self.known[id(made)] = made, made
        self.originals[id(made)] = value

    def rebound(self, value: Any) -> Any:
        """What the function sees instead of a value of its globals, cells, or modules; the value itself where that will do."""
        if type(value) in UNTOUCHED:
            return value
        known = self.known.get(id(value))
        if known is not None:
            return known[1]
        made = self._made(value)
        if made is not value and id(value) not in self.known and not isinstance(value, types.MethodType):
            self.knows(value, made)
        return made

    def _made(self, value: Any) -> Any:
        if type(value) in REFERRING:
            return referring(value, self.rebound)
        if OWN and callable(value) and getattr(rule_for(value), "own", False):
            return ReplacedCallee(self, value)
        if type(value) is np.ufunc or REPLACED.get(id(value)) is value:
            return ReplacedCallee(self, value)
        if isinstance(value, types.ModuleType):
            return ModuleView(self, value) if _is_open(value.__name__) or value in VIEWED else value
        if isinstance(value, types.FunctionType):
            if _is_numpys(value.__module__) or _is_scipys(value.__module__) or rule_for(value) is not None:
                if _is_numpys(value.__module__):
                    REPLACED[id(value)] = value
                return ReplacedCallee(self, value)
            if value in CACHING:
                return caching(self, value)
            if value in READING:
                return reading(value)
            if is_generic(value):
                return Generic(self, value)
            return self.function(value) if _is_open(value.__module__) else value
        if isinstance(value, Recorded):  # from outside: it belongs to the user, or to the run around this one
            WATCH.outside = WATCH.outside or not value._leads  # type: ignore[attr-defined]
            WATCH.variables = WATCH.variables or WATCH.outside
            self.originals[id(value)] = value
            return value
        if is_array(value) or isinstance(value, GENERATORS):
            return self.wrapped(value, foreign=True)
        if isinstance(value, types.MethodType):
            special = isinstance(value.__self__, GENERATORS) or is_singleton(value.__self__)  # np.random.normal, stats.norm.pdf
            if special or composite_for(value) is not None:  # Rotation.from_rotvec
                return ReplacedCallee(self, value)
            inner, owner = self.rebound(value.__func__), self.rebound(value.__self__)
            return value if inner is value.__func__ and owner is value.__self__ else types.MethodType(inner, owner)
        if isinstance(value, functools._lru_cache_wrapper):
            return cached(self, value)
        if isinstance(value, functools.partial):
            keywords = {name: self.rebound(part) for name, part in value.keywords.items()}
            return functools.partial(self.rebound(value.func), *map(self.rebound, value.args), **keywords)
        if isinstance(value, type):
            return self._class(value)
        if isinstance(value, tuple):
            return self._tuple(value)
        if isinstance(value, BUILT_IN):
            return self.shadows.container(value)
        if type(value) in HOLDING:
            return self.shadows.holding(value)
        if any(value is trick for trick in TRICKS):
            return Joined(self, value)
        if isinstance(value, np.vectorize):
            return Vectorized(self.rebound(value.pyfunc), value.otypes, None, value.excluded, value.cache, value.signature)
        if _is_compiled(value) or isinstance(value, types.BuiltinFunctionType) and value.__module__ == "cmath":
            return ReplacedCallee(self, value)
        if isinstance(value, types.BuiltinFunctionType):
            return recorded(value) if value.__module__ == "math" else in_decimals(value) or _builtin(value)
        kind = type(value)
        if is_singleton(value):
            return Singleton(self, value)
        if record_for(kind) is not None:
            return RecordStandIn(self, value)
        if kind is decimal.Context:
            return in_decimals(value)
        if kind.__module__.split(".")[0] == "numba":
            return self._of_numba(value)
        if hasattr(kind, "toarray") and kind.__module__.startswith("scipy.sparse"):  # it computes in C
            return value
        if _is_open(kind.__module__) and not _is_numpys(kind.__module__):
            copied = self.rebound(kind)
            if id(value) in self.known:  # the member of an enumeration
                return self.known[id(value)][1]
            return value if copied is kind else self.shadows.instance(value, copied)
        return value

    def _of_numba(self, value: Any) -> Any:
        """A function that Numba compiles, ``@njit`` or ``@vectorize``: the Python that it is compiled from; any other object itself."""
        if isinstance(source := getattr(value, "py_func", None), types.FunctionType):
            return Jitted(self, value)
        if isinstance(source := getattr(getattr(value, "_dispatcher", None), "py_func", None), types.FunctionType):
            return ReplacedCallee(self, value) if hasattr(value, "signature") and value.signature else Vectorized(self.function(source))
        return value

    def _class(self, kind: type) -> Any:
        WATCH.variables = WATCH.variables or issubclass(kind, Recorded)
        if kind in (float, int, complex, type, decimal.Context, *EXACT) or _is_numpys(kind.__module__):
            return stand_in(kind)
        if record_for(kind) is not None or composite_for(kind) is not None:
            return record_class(kind, self)
        if _is_scipys(kind.__module__) and in_c(kind):
            return stand_in_c(kind)
        return self.classes.copied(kind) if _is_open(kind.__module__) else kind

    def _tuple(self, value: Any) -> Any:
        kind = self.rebound(type(value))
        parts = list(map(self.rebound, value))
        if kind is type(value) and all(a is b for a, b in zip(parts, value)):
            return value
        return tuple.__new__(kind, parts)

    def wrapped(self, value: Any, foreign: bool) -> Any:
        """Float arrays that a plain call made (or, if ``foreign``, that existed before) as Live Variables; also in tuples and lists."""
        if isinstance(value, Recorded):
            return value
        if is_array(value):
            if value.dtype.kind not in "fc":
                return value
            if self.on_device and is_host_array(value):
                if not foreign:
                    return Live(to_device(value))
                live = external(to_device(value), self.before, foreign)
                live._buffer.frozen = "and it is one that was sent to the device"
                return live
            live = external(value, self.before, foreign) if foreign else Live(value)
            shared = foreign or value.base is not None and not is_array(owner_of(value))  # the memory of a bytearray, say
            for other in (*self.arguments, *self.outside) if shared else ():
                if overlap(value, other._value):
                    live._buffer.frozen = other._buffer.frozen = "and the function reaches its memory in two ways"
                    if other._buffer.version:
                        other._protect()  # it was changed already: raises
            if shared:
                self.outside.append(live)
            return live
        if on_device(value) and value.dtype.kind in "fc":
            return LiveNumber(value)
        if isinstance(value, GENERATORS):
            return Drawing(self, value)
        if record_for(type(value)) is not None or isinstance(value, types.BuiltinFunctionType):
            return standing(value, self)
        if type(value) in (tuple, list) and any(is_array(part) and not isinstance(part, Recorded) for part in value):
            return type(value)(self.wrapped(part, foreign) for part in value)
        return value

    def entry(self, function: Any) -> Any:
        """The copy of the function that is to be run: of any callable whose Python can be reached, wherever it was defined."""
        if isinstance(function, types.FunctionType):
            return self.function(function)
        rebound = self.rebound(function)
        call = inspect.getattr_static(type(function), "__call__", None)
        if rebound is function and isinstance(call, types.FunctionType):
            return types.MethodType(self.function(call), function)
        return rebound

    def method(self, function: Any) -> Any:
        """The copy of a function that a class holds; of one of SciPy's too, which is not called as SciPy's functions are."""
        own = isinstance(function, types.FunctionType) and _is_open(function.__module__)
        return self.function(function) if own else self.rebound(function)

    def function(self, function: types.FunctionType) -> types.FunctionType:
        """The copy of a function over views of its globals and with rebound functions in its cells."""
        known = self.copies.get(id(function))
        if known is not None:
            return known
        if isinstance(function.__globals__, Namespace):
            return self._again(function)
        refuse_by_code(function)
        cells = function.__closure__ or ()
        copied = types.FunctionType(
            function.__code__, Namespace(self, function.__globals__), function.__name__, None, tuple(map(self.shadows.cell, cells)),
        )
        copied.__qualname__ = function.__qualname__
        copied.__module__ = function.__module__
        copied.__doc__ = function.__doc__
        self.copies[id(function)] = copied  # before what it holds, which may be the function itself
        if id(function) not in self.known:
            self.knows(function, copied)
        for cell in cells:
            self.shadows.fill(cell)
        copied.__defaults__ = self.rebound(function.__defaults__)
        copied.__kwdefaults__ = self.rebound(function.__kwdefaults__)
        self.shadows.attributes_of_function(function, copied)
        return copied

    def _again(self, function: types.FunctionType) -> types.FunctionType:
        """A function of a run around this one, which is a copy already; a method that speaks of its class does so of that class's copy."""
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
        if "__class__" not in cells or (kind := self.rebound(cells["__class__"].cell_contents)) is cells["__class__"].cell_contents:
            return function
        cells["__class__"] = types.CellType(kind)
        copied = types.FunctionType(
            function.__code__, function.__globals__, function.__name__, function.__defaults__, tuple(cells.values()),
        )
        copied.__kwdefaults__ = function.__kwdefaults__
        self.copies[id(function)] = copied
        return copied

    def finish(self) -> Releasing:
        """Do to the user's containers, objects and variables what the run has done to their shadows.

        Returns what makes the run's values the user's.
        """
        released = Releasing(self)
        self.shadows.give_back(released)
        self.classes.give_back(released)
        return released

    def clear(self) -> None:
        """Let go of everything, so that the graph dies by reference counting alone."""
        for forget in self.caches:
            forget()
        for kept in (self.known, self.originals, self.copies, self.arguments, self.outside, self.caches, self.shadows.made,
                     self.shadows.waiting, self.shadows.cells, self.classes.made, self.classes.known):
            kept.clear()

    def _import(self, name: str, globals: Any = None, *args: Any, **kwargs: Any) -> Any:
        around = globals.original if isinstance(globals, Namespace) else globals  # which knows what "from ." is relative to
        return self.rebound(__import__(name, around, *args, **kwargs))


def _builtin(function: Any) -> Any:
    """What stands in for a builtin function, however it was come by."""
    name: str = function.__name__
    return standing_in.get(name, function) if function is getattr(builtins, name, None) else function


def _is_open(module: Any) -> bool:
    """Whether what a module holds is rebound: all but Python's own library (``math`` excepted) and the closed packages."""
    top = module.split(".")[0] if isinstance(module, str) else ""
    if top == "sourcediff":
        return module.startswith(COMPOSITES)
    return module in ("math", "cmath") or top not in sys.stdlib_module_names and top not in CLOSED


def _is_numpys(module: Any) -> bool:
    return isinstance(module, str) and module.split(".")[0] == "numpy"


def _is_scipys(module: Any) -> bool:
    return isinstance(module, str) and module.split(".")[0] == "scipy"


def _is_compiled(value: Any) -> bool:
    """Whether a value is a function of NumPy's or SciPy's that is not written in Python, or a method of a random generator."""
    if not callable(value) or isinstance(value, type):
        return False
    module = getattr(value, "__module__", None)
    if _is_numpys(module) or str(type(getattr(value, "__self__", None)).__module__).startswith("numpy.random"):
        return True
    return _is_scipys(module) and (isinstance(value, types.BuiltinFunctionType) or type(value).__name__ in COMPILED)
