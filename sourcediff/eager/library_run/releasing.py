"""The way of a run's values back to the user: arrays for Variables, originals for what stood in for them."""

from __future__ import annotations

import copy
import types
from typing import Any

from ..engine.nodes import Recorded
from .namespaces import Namespace
from .object_proxies import BUILT_IN, MISSING, PLAIN, attributes_of, content_of, items_of, refill, set_attribute
from .replacements import original_of
from .run import Run
from .stdlib_containers import HOLDING, REFERRING, referring


class Releasing:
    """Makes values of a run values of the user's. What holds nothing of the run stays the object that it is; the rest is copied."""

    def __init__(self, rebinder: Run) -> None:
        self.originals = rebinder.originals
        self.memo: dict[int, tuple[Any, Any]] = {}  # id → (the value, kept alive; what it is to the user)

    def __call__(self, value: Any) -> Any:
        if type(value) in PLAIN:
            return value
        if id(value) in self.originals:
            return self.originals[id(value)]
        if isinstance(value, Recorded):
            return value._value
        if id(value) not in self.memo:
            self.memo[id(value)] = value, value
            self.memo[id(value)] = value, self._made(value)
        return self.memo[id(value)][1]

    def _made(self, value: Any) -> Any:
        kind = type(value)
        if kind in REFERRING:
            return referring(value, self)
        if isinstance(value, tuple):
            parts = list(map(self, value))
            known = self.originals.get(id(kind), kind)
            if known is kind and all(a is b for a, b in zip(parts, value)):
                return value
            return tuple.__new__(known, parts)
        if isinstance(value, BUILT_IN):
            return self._container(value, self.originals.get(id(kind), kind))
        if isinstance(value, types.FunctionType):
            return self._function(value) if isinstance(value.__globals__, Namespace) else value
        if isinstance(value, types.MethodType):
            inner, owner = self(value.__func__), self(value.__self__)
            return value if inner is value.__func__ and owner is value.__self__ else types.MethodType(inner, owner)
        if isinstance(value, BaseException):
            release_error(value, self)
            return value
        if id(kind) in self.originals or kind in HOLDING:
            return self._object(value, self.originals.get(id(kind), kind))
        return original_of(value)

    def _container(self, value: Any, kind: Any) -> Any:
        items = items_of(value)
        base: Any = next(base for base in BUILT_IN if isinstance(value, base))
        left: Any = value
        if kind is not type(value) or self._holds(items):
            left = copy.copy(value) if kind is type(value) else base.__new__(kind)
            self.memo[id(value)] = value, left
            refill(left, list(map(self, items)))
            if kind is not type(value):
                self._attributes(value, left)
        return left

    def _holds(self, items: list[Any]) -> bool:
        """Whether one of the items is not the user's own."""
        return any(type(item) not in PLAIN and self(item) is not item for item in items)

    def _object(self, value: Any, kind: type) -> Any:
        left: Any = kind.__new__(kind) if kind in HOLDING else object.__new__(kind)  # type: ignore[call-overload]
        self.memo[id(value)] = value, left
        self._attributes(value, left)
        return left

    def _attributes(self, value: Any, left: Any) -> None:
        for name, part in attributes_of(value).items():
            set_attribute(left, name, self(part))

    def _function(self, function: types.FunctionType) -> types.FunctionType:
        """A function that the run has made, over the globals themselves."""
        cells = tuple(types.CellType() for _ in function.__closure__ or ())
        made = types.FunctionType(function.__code__, function.__globals__.original, function.__name__, None, cells)  # type: ignore[attr-defined]
        self.memo[id(function)] = function, made
        made.__defaults__, made.__kwdefaults__ = self(function.__defaults__), self(function.__kwdefaults__)
        made.__qualname__, made.__module__, made.__doc__ = function.__qualname__, function.__module__, function.__doc__
        for own, cell in zip(cells, function.__closure__ or ()):
            content = content_of(cell)
            if content is not MISSING:
                own.cell_contents = self(content)
        return made


class Reclassing(Releasing):
    """Makes the structure that a run returns one of the user's classes, with the Variables left in it."""

    def __init__(self, rebinder: Run) -> None:
        super().__init__(rebinder)
        self.originals = {key: value for key, value in rebinder.originals.items() if isinstance(value, type)}

    def __call__(self, value: Any) -> Any:
        return value if isinstance(value, Recorded) else super().__call__(value)


def release_error(error: BaseException, released: Releasing) -> None:
    """An exception of the program's own leaves the run as one of its class, without Variables in what it says."""
    kind = released.originals.get(id(type(error)))
    if kind is not None:
        error.__class__ = kind
    for other in (error.__cause__, error.__context__):
        if other is not None:
            released(other)
    error.args = released(error.args)
    for name, part in list(vars(error).items()):
        left = released(part)
        if left is not part:
            setattr(error, name, left)
