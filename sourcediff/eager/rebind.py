"""Rebinding: a copy of a user's function that sees eager-aware NumPy, builtins and helpers in place of its own.

The copy runs over a live view of the function's globals. Nothing of the user's is changed: modules, globals and cells stay as they
are, the views are looked through at every read. What NumPy's protocols cannot intercept (``np.zeros(n)`` that is then filled
with active values, ``np.array([u, v])``, ``float(x)``) is what the replacements are for.
"""

from __future__ import annotations

import builtins
import dis
import functools
import inspect
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import UnsupportedSyntaxError
from .apply import variables_in
from .before import Before
from .graph import Recorded
from .live import Live, external
from .mutation import overlap
from .namespaces import ASSIGNS_REMEDY, ASSIGNS_WHY, ModuleView, Namespace, codes, globals_seen, running
from .replacements import Callee, Conversion, Iterating, Joined, has_attribute, is_instance, recorded
from .watch import refused


class Rebinder:
    """One library run: the replacements that were made for it, each once."""

    def __init__(self, before: Before) -> None:
        self.before = before
        self.known: dict[int, tuple[Any, Any]] = {}  # id → (the original, kept alive; its replacement)
        self.reached: dict[int, Any] = {}  # containers and objects of the user's that the function may leave Variables in
        self.arguments: list[Live] = []  # the arrays that the run was given
        self.cells: list[types.CellType] = []  # variables of an outer function that it may assign
        self.builtins = dict(vars(builtins))
        self.builtins.update({kind.__name__: Conversion(self, kind) for kind in (float, int, type)})
        self.builtins.update(isinstance=is_instance, hasattr=has_attribute)
        self.builtins.update(__import__=self._import, globals=globals_seen, eval=running(eval), exec=running(exec))

    def rebound(self, value: Any) -> Any:
        """What the function sees instead of a value of its globals, cells, or modules; the value itself where that will do."""
        known = self.known.get(id(value))
        if known is not None:
            return known[1]
        made = self._made(value)
        if made is not value:
            self.known[id(value)] = value, made
        return made

    def _made(self, value: Any) -> Any:
        if type(value) in (list, dict) or hasattr(value, "__dict__") and not callable(value) and not isinstance(value, types.ModuleType):
            self._reach(value)
        if isinstance(value, np.ndarray):
            return self.wrapped(value, foreign=True)
        if isinstance(value, types.ModuleType):
            return ModuleView(self, value) if _is_open(value.__name__) else value
        if value is np.r_:
            return Joined(self)
        if isinstance(value, types.FunctionType):
            if (value.__module__ or "").split(".")[0] == "numpy":
                return Callee(self, value)
            return self.function(value) if _is_open(value.__module__) else value
        if isinstance(value, types.MethodType) and isinstance(value.__func__, types.FunctionType):
            self._reach(value.__self__)
            inner = self.rebound(value.__func__)
            return value if inner is value.__func__ else types.MethodType(inner, value.__self__)
        if isinstance(value, functools._lru_cache_wrapper):
            return self._uncached(value)
        if isinstance(value, functools.partial):
            return functools.partial(self.rebound(value.func), *value.args, **value.keywords)
        if isinstance(value, type):
            if value in (float, int, type):
                return self.builtins[value.__name__]
            if value is np.nditer:
                return Iterating(self, value)
            return Conversion(self, value) if issubclass(value, (np.floating, np.integer)) else value
        if isinstance(value, np.ufunc) or _is_numpy_callable(value):
            return Callee(self, value)
        if isinstance(value, types.BuiltinFunctionType) and value.__module__ == "math":
            return recorded(value)
        if value is isinstance:
            return is_instance
        return value

    def _reach(self, value: Any) -> None:
        if id(value) not in self.reached:
            self.reached[id(value)] = value
            self.before.container(value)

    def wrapped(self, value: Any, foreign: bool) -> Any:
        """Float arrays that a plain call made (or, if ``foreign``, that existed before) as Live Variables; also in tuples and lists."""
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            live = external(value, self.before, foreign) if foreign else Live(value)
            for argument in self.arguments if foreign else ():
                if overlap(value, argument._value):
                    live._buffer.frozen = argument._buffer.frozen = "and the function reaches its memory in two ways"
                    if argument._buffer.version:
                        argument._protect()  # it was changed already: raises
            return live
        if type(value) in (tuple, list) and any(isinstance(part, np.ndarray) for part in value):
            return type(value)(self.wrapped(part, foreign) for part in value)
        return value

    def entry(self, function: Any) -> Any:
        """The copy of the function that is to be run: of any callable whose Python can be reached, wherever it was defined."""
        if isinstance(function, types.FunctionType):
            return self.function(function)
        call = inspect.getattr_static(type(function), "__call__", None)
        if isinstance(call, types.FunctionType):
            self._reach(function)
            return types.MethodType(self.function(call), function)
        return self.rebound(function)

    def function(self, function: types.FunctionType) -> types.FunctionType:
        """The copy of a function over views of its globals and with rebound functions in its cells."""
        known = self.known.get(id(function))
        if known is not None:
            return known[1]  # type: ignore[no-any-return]
        if isinstance(function.__globals__, Namespace):
            return function  # a run within a run: it is a copy already
        assigned = _assigned_cells(function)
        cells = []
        later = []
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            content = None if _is_empty(cell) else cell.cell_contents
            if name not in assigned and isinstance(content, (types.FunctionType, types.MethodType)):
                later.append((types.CellType(), content))  # filled when the copy exists: it may hold the function itself
                cells.append(later[-1][0])
            else:
                if name in assigned:
                    self.cells.append(cell)
                    if not _is_empty(cell):
                        self.before.cell(cell, content)
                rebound = content if name in assigned else self.rebound(content)
                cells.append(cell if rebound is content else types.CellType(rebound))
        copied = types.FunctionType(
            function.__code__, Namespace(self, function.__globals__), function.__name__, function.__defaults__, tuple(cells),
        )
        copied.__kwdefaults__ = function.__kwdefaults__
        copied.__qualname__ = function.__qualname__
        copied.__module__ = function.__module__
        copied.__dict__.update(function.__dict__)
        self.known[id(function)] = function, copied
        for new, content in later:
            new.cell_contents = self.rebound(content)
        return copied

    def _uncached(self, cached: Any) -> Callable[..., Any]:
        """A cached function that keeps no Variables: for the cache two of them are one if their values are equal."""
        inner = self.rebound(cached.__wrapped__)

        def called(*args: Any, **kwargs: Any) -> Any:
            if variables_in([*args, *kwargs.values()]):
                return inner(*args, **kwargs)
            return self.wrapped(cached(*args, **kwargs), foreign=True)

        return called

    def finish(self) -> None:
        """What the function left in the user's containers, objects and outer variables becomes arrays and numbers again."""
        for value in self.reached.values():
            parts = value if isinstance(value, (list, dict)) else getattr(value, "__dict__", {})
            for key, item in list(parts.items() if isinstance(parts, dict) else enumerate(parts)):
                left = unwrapped(item)
                if left is not item:
                    parts[key] = left
        for cell in self.cells:
            if not _is_empty(cell):
                cell.cell_contents = unwrapped(cell.cell_contents)
        for kept in (self.known, self.reached, self.cells):  # so that the graph dies by reference counting alone
            kept.clear()

    def _import(self, name: str, *args: Any, **kwargs: Any) -> Any:
        return self.rebound(__import__(name, *args, **kwargs))


def unwrapped(value: Any) -> Any:
    """A value with arrays instead of the Variables in it; itself, where there are none. Lists and dicts are changed in place."""
    if isinstance(value, Recorded):
        return value._value
    if not variables_in([value]):
        return value
    if isinstance(value, tuple):
        parts = map(unwrapped, value)
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    for key, item in list(value.items() if isinstance(value, dict) else enumerate(value)):
        value[key] = unwrapped(item)
    return value


def _is_open(module: str | None) -> bool:
    """Whether what a module holds is rebound: all but Python's own library (``math`` excepted) and this package."""
    top = (module or "").split(".")[0]
    return module == "math" or top not in sys.stdlib_module_names and top != "sourcediff"


def _is_numpy_callable(value: Any) -> bool:
    if not callable(value) or isinstance(value, type):
        return False
    module = getattr(value, "__module__", None) or ""
    owner = type(getattr(value, "__self__", None)).__module__ or ""
    return module.split(".")[0] == "numpy" or owner.startswith("numpy.random")


def _is_empty(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return True
    return False


def _assigned_cells(function: types.FunctionType) -> set[str]:
    """The names of cells that the function (or one defined in it) assigns; raises where it assigns globals."""
    assigned = set()
    for code in codes(function.__code__):
        for instruction in dis.get_instructions(code):
            if instruction.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
                raise refused(UnsupportedSyntaxError(
                    f"{function.__qualname__} assigns to the global {instruction.argval}", why=ASSIGNS_WHY, remedy=ASSIGNS_REMEDY,
                ))
            if instruction.opname in ("STORE_DEREF", "DELETE_DEREF"):
                assigned.add(instruction.argval)
    return assigned
