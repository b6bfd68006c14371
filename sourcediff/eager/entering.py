"""The way of arguments into a library run and back: arrays become Live over their own memory, containers containers of these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import NonDifferentiableError
from .accepting import differentiable
from .apply import variables_in
from .graph import SAME, VOLATILE, Leaf, Recorded, record
from .live import Live, external
from .mutation import overlap
from .rebind import Rebinder
from .variable import on_graph
from .watch import definition, refused


class Entering:
    """Carries arguments into a run and back: arrays become Live over their own memory, containers become containers of these."""

    def __init__(self, rebinder: Rebinder, function: Any) -> None:
        self.rebinder = rebinder
        self.function = function
        self.arrays: list[tuple[str, Live]] = []  # with the way to each from the arguments
        self.passive_arrays: dict[int, Live] = {}
        self.containers: list[tuple[Any, Any, Any]] = []  # the caller's, the run's, what was in the run's at first
        self.inside: dict[int, Any] = {}

    def arguments(self, arguments: dict[str, Any], wrt: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any]]:
        """What the function gets for each argument, and the Variables to differentiate by for each of those in ``wrt``."""
        wrapped: dict[str, Any] = {}
        inputs: dict[str, Any] = {}
        for name, value in arguments.items():
            if name in wrt:
                wrapped[name], inputs[name] = self.active(value, name)
            else:
                wrapped[name] = self.passive(value, name)
        self.freeze_shared()
        self.rebinder.arguments = [live for _, live in self.arrays]
        return wrapped, inputs

    def active(self, value: Any, path: str) -> tuple[Any, Any]:
        """A differentiated argument: what the function gets, and the same structure of Variables to differentiate by."""
        if isinstance(value, Recorded):
            node = record(SAME, (value._node,), ()) if value._node not in (None, VOLATILE) else None
            return self._leaf(value._value, node, path)
        if isinstance(value, (dict, list, tuple)):
            items = value.items() if isinstance(value, dict) else enumerate(value)
            both = {key: self.active(item, f"{path}[{key!r}]") for key, item in items}
            given = self._container(value, {key: pair[0] for key, pair in both.items()})
            return given, rebuilt(value, {key: pair[1] for key, pair in both.items()})
        if isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        place = definition(self.function)
        where = f"the argument {path} of {getattr(self.function, '__qualname__', repr(self.function))}"
        if not isinstance(value, (float, np.ndarray, np.generic)):
            raise refused(NonDifferentiableError(
                f"{where} is a {type(value).__name__}, which has no derivative", why="only floating-point numbers have a gradient here",
                remedy="leave it out of wrt, or give a float, an array of floats, or a dict, list or tuple of these",
                places=[place] if place else [],
            ))
        try:
            differentiable(value)
        except NonDifferentiableError as error:
            raise refused(NonDifferentiableError(
                f"{where} cannot be differentiated: {error.problem}", why=error.why, remedy=error.remedy, places=[place] if place else [],
            )) from None
        return self._leaf(value, None, path)

    def _leaf(self, data: Any, node: Any, path: str) -> tuple[Any, Any]:
        live = external(data, self.rebinder.before)
        leaf = on_graph(data, node)
        if node is None:
            leaf._node = Leaf(leaf)
        live._place = leaf._node
        if isinstance(data, np.ndarray):
            self.arrays.append((path, live))
        return live, leaf

    def passive(self, value: Any, path: str) -> Any:
        """Any other argument."""
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            if id(value) not in self.passive_arrays:  # one array given twice is one array
                self.passive_arrays[id(value)] = external(value, self.rebinder.before)
                self.arrays.append((path, self.passive_arrays[id(value)]))
            return self.passive_arrays[id(value)]
        if isinstance(value, np.ndarray) and value.flags.writeable:
            self.rebinder.before.array(value)  # now, since changes of arrays without a derivative are not watched
        if type(value) in (dict, list, tuple):
            if id(value) in self.inside:
                return self.inside[id(value)]
            items = value.items() if isinstance(value, dict) else enumerate(value)
            given = self._container(value, {key: self.passive(item, f"{path}[{key!r}]") for key, item in items})
            self.inside[id(value)] = given
            return given
        return self.rebinder.rebound(value)

    def _container(self, value: Any, parts: dict[Any, Any]) -> Any:
        given = rebuilt(value, parts)
        self.containers.append((value, given, dict(given) if isinstance(given, dict) else list(given)))
        return given

    def freeze_shared(self) -> None:
        """Arguments that overlap in memory may be read, but a change of one would change the other unseen."""
        for i, (second, one) in enumerate(self.arrays):
            for first, other in self.arrays[:i]:
                if overlap(one._value, other._value):
                    for live in (one, other):
                        live._buffer.frozen = f"and the arguments {first} and {second} share its memory"

    def give_back(self) -> None:
        """What the function did to its dicts and lists is done to the caller's."""
        for mine, theirs, before in self.containers:
            if isinstance(theirs, dict):
                if len(theirs) != len(before) or any(key not in before or theirs[key] is not before[key] for key in theirs):
                    kept = {key: mine[key] if key in before and theirs[key] is before[key] else self.left(theirs[key]) for key in theirs}
                    mine.clear()
                    mine.update(kept)
            elif isinstance(theirs, list):
                if len(theirs) != len(before) or any(a is not b for a, b in zip(theirs, before)):
                    place = {id(a): b for a, b in zip(before, mine)}
                    mine[:] = [place[id(item)] if id(item) in place else self.left(item) for item in theirs]

    def left(self, value: Any) -> Any:
        """A result in plain terms: arrays, numbers, and the caller's own containers where those are returned."""
        for mine, theirs, _ in self.containers:
            if value is theirs:
                return mine
        if isinstance(value, Recorded):
            return value._value
        if isinstance(value, (dict, list, tuple)):
            return mapped(value, lambda variable: variable._value) if variables_in([value]) else value
        return value


def rebuilt(value: Any, parts: dict[Any, Any]) -> Any:
    """A container of the same kind with other parts."""
    if isinstance(value, dict):
        copied = value.copy()  # a defaultdict keeps its factory
        copied.update(parts)
        return copied
    return type(value)(*parts.values()) if hasattr(value, "_fields") else type(value)(parts.values())


def mapped(value: Any, function: Callable[[Any], Any]) -> Any:
    """A structure with a function applied to each Variable in it."""
    if isinstance(value, Recorded):
        return function(value)
    if isinstance(value, dict):
        return rebuilt(value, {key: mapped(item, function) for key, item in value.items()})
    if isinstance(value, (list, tuple)):
        return rebuilt(value, dict(enumerate(mapped(item, function) for item in value)))
    return value
