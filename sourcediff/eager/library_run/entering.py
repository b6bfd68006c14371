"""The way of arguments into a library run and back: arrays become Live over their own memory, containers containers of these."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ...errors import NonDifferentiableError, Place, article
from ...runtime.arrays import is_array, is_number, library_of
from ...runtime.user_objects import active, holds_floats, is_mixed, is_open, is_users, object_alike, own
from ..engine.accepting import differentiable
from ..engine.graph import SAME, record
from ..engine.mutation import REWRITTEN, overlap
from ..engine.nodes import VOLATILE, Leaf, Recorded
from ..engine.variable import on_graph
from ..engine.views import refresh
from .live import Buffer, Live, external
from .object_proxies import set_attribute
from .rebind import Rebinder
from .watch import definition_of_run, refused


class Entering:
    """Carries arguments into a run and back: arrays become Live over their own memory, containers become containers of these.

    ``as_given``: what has no derivative stays what it is, among what is differentiated too; else an int there counts as a float.
    """

    def __init__(self, rebinder: Rebinder, function: Any, as_given: bool = False) -> None:
        self.rebinder = rebinder
        self.function = function
        self.as_given = as_given
        self.arrays: list[tuple[str, Live]] = []  # with the way to each from the arguments
        self.passive_arrays: dict[int, Live] = {}
        self.places: dict[int, str] = {}  # of objects of which something is differentiated
        self.frozen: list[tuple[Buffer, str]] = []  # with what was said of each before

    def arguments(self, arguments: dict[str, Any], wrt: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any]]:
        """What the function gets for each argument, and the Variables to differentiate by for each of those in ``wrt``."""
        wrapped: dict[str, Any] = {}
        inputs: dict[str, Any] = {}
        for name, value in arguments.items():
            ways = [path.split(".")[1:] for path in wrt if path.split(".")[0] == name]
            if [] in ways:
                wrapped[name], inputs[name] = self.active(value, name)
            elif ways:
                wrapped[name], found = self.partly(value, ways, name)
                inputs |= found
            else:
                wrapped[name] = self.passive(value, name)
        self.freeze_shared()
        self.rebinder.arguments = [live for _, live in self.arrays]
        return wrapped, inputs

    def active(self, value: Any, path: str, mixed: bool = False) -> tuple[Any, Any]:
        """A differentiated argument: what the function gets, and the same structure of Variables to differentiate by.

        ``mixed``: it stands in a container of objects, or in a record.
        """
        if isinstance(value, Recorded):
            if REWRITTEN:
                refresh(value)  # type: ignore[arg-type]
            node = record(SAME, (value._node,), ()) if value._node not in (None, VOLATILE) else None
            given, leaf = self._leaf(value._value, node, path)
            return self._within(value, given), leaf
        if isinstance(value, (dict, list, tuple)):
            items = value.items() if isinstance(value, dict) else enumerate(value)
            mixed = mixed or not is_users(type(value)) and is_mixed(value)
            both = {key: self.active(item, there, mixed) if not mixed or holds_floats(item) else (self.passive(item, there), None)
                    for key, item, there in ((key, item, f"{path}[{key!r}]") for key, item in items)}
            given = self._container(value, {key: pair[0] for key, pair in both.items()})
            return given, rebuilt(value, {key: pair[1] for key, pair in both.items()})
        if is_open(value) and active(value):
            stand, found = self.partly(value, [[name] for name in active(value)], path, mixed=True)
            return stand, Structured(value, {name: found[f"{path}.{name}"] for name in active(value)})
        if self.as_given and not is_inexact(value):
            return self.passive(value, path), value
        if isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if not (isinstance(value, (float, complex)) or is_array(value) or is_number(value)):
            where, places = self._where(path)
            raise refused(NonDifferentiableError(
                f"{where} is {article(type(value).__name__)}, which has no derivative",
                why="only floating-point numbers have a gradient here",
                remedy="leave it out of wrt, or give a float, an array of floats, or a dict, list or tuple of these", places=places,
            ))
        try:
            differentiable(value)
        except NonDifferentiableError as error:
            where, places = self._where(path)
            raise refused(NonDifferentiableError(
                f"{where} cannot be differentiated: {error.problem}", why=error.why, remedy=error.remedy, places=places,
            )) from None
        return self._leaf(value, None, path)

    def _where(self, path: str) -> tuple[str, list[Place]]:
        """What an error calls an argument, and the place of the function's definition."""
        place = definition_of_run(self.function)
        return f"the argument {path} of {getattr(self.function, '__qualname__', repr(self.function))}", [place] if place else []

    def partly(self, value: Any, ways: Sequence[Sequence[str]], path: str, mixed: bool = False) -> tuple[Any, dict[str, Any]]:
        """An object of which some attributes are differentiated: what the function gets, and the Variables for each, by the way to it."""
        parts: dict[str, Any] = {}
        inputs: dict[str, Any] = {}
        for name in dict.fromkeys(way[0] for way in ways):
            part, there, further = own(value)[name], f"{path}.{name}", [way[1:] for way in ways if way[0] == name]
            if [] in further:
                parts[name], leaves = self.active(part, there, mixed)
                inputs |= {".".join((there, *way)): leaf_of(leaves, way) for way in further}
            else:
                parts[name], found = self.partly(part, further, there)
                inputs |= found
        if isinstance(value, tuple):
            others = {name: self.passive(part, f"{path}.{name}") for name, part in own(value).items() if name not in parts}
            return self._container(value, {name: {**others, **parts}[name] for name in own(value)}), inputs
        if (other := self.places.setdefault(id(value), path)) != path:
            place = definition_of_run(self.function)
            raise refused(NonDifferentiableError(
                f"{other} and {path} of {getattr(self.function, '__qualname__', repr(self.function))} are one object",
                why="its attributes are the same numbers there, of which each place would have a gradient of its own",
                remedy=f"let {path} be a copy (copy.deepcopy), or hold the object in one place", places=[place] if place else [],
            ))
        stand = self.rebinder.rebound(value)
        for name, given in parts.items():
            set_attribute(stand, name, given)
        return stand, inputs

    def _leaf(self, data: Any, node: Any, path: str) -> tuple[Any, Any]:
        live = external(data, self.rebinder.before)
        leaf = on_graph(data, node)
        if node is None:
            leaf._node = Leaf(leaf)
        live._place = leaf._node
        if is_array(data):
            self.arrays.append((path, live))
        return live, leaf

    def _within(self, value: Any, live: Live) -> Live:
        """What stands for a Variable from outside: what the function changes in place is changed there too, or it is refused."""
        if not is_array(value._value):
            return live
        if not isinstance(value, Live):
            if value.requires_grad:
                live._buffer.frozen = "and it is the memory of a Variable that requires grad"
        elif value._node is None:
            keep = live._buffer.keep

            def keep_both() -> None:
                value._protect()
                keep()  # type: ignore[misc]

            live._buffer.keep = keep_both
        else:  # a view of all of it
            live._buffer, live._parent, live._how = value._buffer, value, (operator.getitem, (value, Ellipsis), {})
            live._seen = live._buffer.version
        return live

    def passive(self, value: Any, path: str) -> Any:
        """Any other argument."""
        if isinstance(value, Recorded):
            return value
        if is_array(value) and value.dtype.kind in "fc":
            if id(value) not in self.passive_arrays:  # one array given twice is one array
                self.passive_arrays[id(value)] = external(value, self.rebinder.before)
                self.arrays.append((path, self.passive_arrays[id(value)]))
            return self.passive_arrays[id(value)]
        if library_of(value) and getattr(value.flags, "writeable", True):
            self.rebinder.before.array(value)  # now, since changes of arrays without a derivative are not watched
        if type(value) in (dict, list, tuple):
            if id(value) in self.rebinder.known:
                return self.rebinder.known[id(value)][1]
            items = value.items() if isinstance(value, dict) else enumerate(value)
            return self._container(value, {key: self.passive(item, f"{path}[{key!r}]") for key, item in items})
        return self.rebinder.rebound(value)

    def _container(self, value: Any, parts: dict[Any, Any]) -> Any:
        given = rebuilt(value, parts)
        if not isinstance(value, tuple):  # a tuple that is given twice is two values
            self.rebinder.shadows.note(value, given)
        return given

    def freeze_shared(self) -> None:
        """Arguments that overlap in memory may be read, but a change of one would change the other unseen."""
        for i, (second, one) in enumerate(self.arrays):
            for first, other in self.arrays[:i]:
                if overlap(one._value, other._value):
                    for live in (one, other):
                        self.frozen.append((live._buffer, live._buffer.frozen))
                        live._buffer.frozen = f"and the arguments {first} and {second} share its memory"

    def thaw(self) -> None:
        """Undo :meth:`freeze_shared`: a buffer may be that of a run around this one."""
        for buffer, frozen in reversed(self.frozen):
            buffer.frozen = frozen


class Structured(NamedTuple):
    """The Variables to differentiate by of an object: by attribute."""

    value: Any
    held: dict[str, Any]


def leaf_of(leaves: Any, way: Sequence[str]) -> Any:
    """The Variables to differentiate by of an attribute of an object of which all are differentiated."""
    for name in way:
        leaves = leaves.held[name] if isinstance(leaves, Structured) else own(leaves)[name]
    return leaves


def is_inexact(value: Any) -> bool:
    """Whether a value is a floating-point number, or an array of them."""
    return isinstance(value, (float, complex)) or getattr(getattr(value, "dtype", None), "kind", "") in ("f", "c")


def rebuilt(value: Any, parts: dict[Any, Any]) -> Any:
    """A container of the same kind with other parts."""
    if isinstance(value, dict):
        copied = value.copy()  # a defaultdict keeps its factory
        for key, part in parts.items():  # the update of a Counter adds
            copied[key] = part
        return copied
    return type(value)(*parts.values()) if hasattr(value, "_fields") else type(value)(parts.values())


def mapped_into_run(value: Any, function: Callable[[Any], Any]) -> Any:
    """A structure with a function applied to each Variable in it."""
    if isinstance(value, Recorded):
        return function(value)
    if isinstance(value, Structured):
        return object_alike(value.value, **{name: mapped_into_run(item, function) for name, item in value.held.items()})
    if isinstance(value, dict):
        return rebuilt(value, {key: mapped_into_run(item, function) for key, item in value.items()})
    if isinstance(value, (list, tuple)):
        return rebuilt(value, dict(enumerate(mapped_into_run(item, function) for item in value)))
    return value
