"""Objects of libraries as constants (:class:`~sourcediff.rules.library_objects.Record`): what stands for them where methods
are given Variables."""

from __future__ import annotations

import copy
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import MissingRuleError
from ...rules.frames import rule_for
from ...rules.library_functions import composite_for
from ...rules.library_objects import record_for
from ...runtime.arrays.library import is_array, is_plain_array, library_of
from ...runtime.user_objects import is_composite
from ..engine.apply import apply, missing, raw, records, variables_in
from ..engine.double_backward import OBJECTS
from .live import Live
from .type_proxies import InC, Replacement, original_of
from .watch import refused


class RecordStandIn(Replacement):
    """A spline, a sparse matrix, a factorisation: a method with a rule is recorded, any other one refused for what is differentiated.

    ``rebinder`` is None outside of a run, in formulas that are differentiated again.
    """

    __array_ufunc__ = None  # so that x @ A asks A

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.original, name)
        method = callable(found) and not isinstance(found, type) and record_for(type(found)) is None
        if method:
            return self._method(name)
        held = standing(found, self.rebinder)
        if isinstance(held, Live) and is_array(held._value):
            held._buffer.foreign = True  # the object reads it, too
        return held

    def __setattr__(self, name: str, value: Any) -> None:
        if name in OWN:
            object.__setattr__(self, name, value)
        else:
            setattr(self.original, name, self._constant(value, f"the attribute {name}"))

    def __setitem__(self, index: Any, value: Any) -> None:
        self.original[raw(index)] = self._constant(value, "an entry")

    def _constant(self, value: Any, place: str) -> Any:
        """What is stored in the object. Raises MissingRuleError for what is differentiated."""
        if records(variables_in([value])):
            raise refused(MissingRuleError(
                f"a value that is being differentiated is stored as {place} of a {type(self.original).__name__}",
                why="the object is followed as a constant", remedy="make the object of such values",
            ))
        return raw(value)

    def _method(self, name: str) -> Callable[..., Any]:
        def called(*args: Any, **kwargs: Any) -> Any:
            args, kwargs = tuple(map(given, args)), {key: given(value) for key, value in kwargs.items()}
            variables = variables_in([*args, *kwargs.values()])
            if holds_objects(args):  # which say themselves what operators mean
                if name.startswith("__"):
                    return NotImplemented
                raise refused(missing(record_for(type(self.original)).method(name)))  # type: ignore[union-attr]
            if variables and records(variables):
                return self._recorded(name, args, kwargs)
            args, kwargs = tuple(map(raw, args)), {key: raw(value) for key, value in kwargs.items()}
            return standing(getattr(self.original, name)(*args, **kwargs), self.rebinder)

        return called

    def _recorded(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        known = record_for(type(self.original))
        number = len(args) == 1 and not isinstance(args[0], (list, tuple)) and np.ndim(raw(args[0])) == 0
        scaled = getattr(known.kind, name, None) if known is not None and number else None
        function = scaled if composite_for(scaled) is not None else None if known is None else known.method(name)
        if (plain := composite_for(function)) is not None and self.rebinder is not None:
            return self.rebinder.rebound(plain)(self, *args, **kwargs)
        if (rule := rule_for(function)) is None:
            raise refused(missing(function))
        return apply(rule, (self._now(), *args), kwargs)

    def _now(self) -> Any:
        """The object as it is now: the program may change it before its derivative is asked for."""
        if not hasattr(self.original, "__dict__"):  # made in C, and never changed
            return self.original
        kept = vars(self).get("kept")
        if kept is None or not same_parts(vars(kept), vars(self.original)):
            self.kept = kept = copy.deepcopy(self.original)
        return kept

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._method("__call__")(*args, **kwargs)

    def __iter__(self) -> Any:
        return (standing(part, self.rebinder) for part in self.original)

    def __len__(self) -> int:
        return len(self.original)


OWN = frozenset({"rebinder", "original", "kept"})
"""What a stand-in itself has."""


def _operator(name: str) -> Any:
    return lambda self, *operands: self._method(name)(*operands)


for _name in "add sub mul truediv pow matmul".split():
    for _side in ("", "r"):
        setattr(RecordStandIn, f"__{_side}{_name}__", _operator(f"__{_side}{_name}__"))
for _name in "neg abs getitem eq ne lt gt le ge".split():
    setattr(RecordStandIn, f"__{_name}__", _operator(f"__{_name}__"))
OBJECTS["stand-in"] = RecordStandIn
RecordStandIn.__hash__ = object.__hash__  # type: ignore[method-assign]


def same_parts(kept: Any, now: Any) -> bool:
    """Whether what an object holds is what it was."""
    if library_of(now) and library_of(now) == library_of(kept) and now.dtype != object:
        return now.shape == kept.shape and now.dtype == kept.dtype and now.tobytes() == kept.tobytes()
    if isinstance(now, dict) and isinstance(kept, dict):
        return now.keys() == kept.keys() and all(same_parts(kept[key], part) for key, part in now.items())
    if (isinstance(now, (list, tuple)) or is_array(now)) and type(now) is type(kept):
        return len(now) == len(kept) and all(map(same_parts, kept, now))
    return now is kept or isinstance(now, (int, float, str, bool, complex, np.generic, type(None))) and bool(now == kept)


def holds_objects(values: Any) -> bool:
    """Whether there are objects among values, or in lists of them, that stand in for those of a library's that are differentiated."""
    return any(is_composite(type(value)) or type(value) in (list, tuple) and holds_objects(value) for value in values)


def given(value: Any) -> Any:
    """An argument for a method: the object that a stand-in stands for."""
    return original_of(value) if isinstance(value, Replacement) else value


def standing(value: Any, rebinder: Any) -> Any:
    """A result of such a method: what stands for another such object, a Live Variable for an array of floats."""
    if is_array(value):
        return Live(value) if rebinder is not None and value.dtype.kind in "fc" and is_plain_array(value) else value
    if type(value) in (tuple, list):
        return type(value)(standing(part, rebinder) for part in value)
    if isinstance(value, types.BuiltinFunctionType) and record_for(type(value.__self__)) is not None:
        return RecordStandIn(rebinder, value.__self__)._method(value.__name__)  # of a factorisation
    return RecordStandIn(rebinder, value) if record_for(type(value)) is not None else value


class RecordClass(InC):
    """The class of classes that stand in for one of which the objects are records: made of constants it makes one, else a composite."""

    rebinder: Any

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        args, kwargs = tuple(map(given, args)), {name: given(value) for name, value in kwargs.items()}
        variables = variables_in([*args, *kwargs.values()])
        asked = holds_objects(args) or variables and records(variables)
        if asked and (plain := composite_for(cls.original)) is not None:
            return cls.rebinder.rebound(plain)(*args, **kwargs)
        return standing(super().__call__(*args, **kwargs), cls.rebinder)

    def __getattr__(cls, name: str) -> Any:
        found = super().__getattr__(name)
        makes = composite_for(found) is not None or record_for(found) is not None
        return cls.rebinder.rebound(found) if makes and callable(found) else found


def record_class(kind: type, rebinder: Any) -> Any:
    """What a run sees instead of a class of a library's whose objects are records."""
    return RecordClass(kind.__name__, (), {"original": kind, "rebinder": rebinder, "__module__": kind.__module__})
