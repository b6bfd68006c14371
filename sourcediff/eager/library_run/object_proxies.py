"""Shadows: what a library run sees instead of the user's lists, dicts, objects and outer variables.

A shadow is of the same kind, with what it holds rebound. The run reads and changes the shadows alone, so that nobody else ever
sees a Variable, another thread least of all. When the run ends, what has changed in a shadow is done to its original; a run that
is refused leaves the originals as they are.
"""

from __future__ import annotations

import threading
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from typing import Any

from ...errors import AliasingError
from .run import Run

BUILT_IN = (OrderedDict, defaultdict, dict, list, deque, set)
"""The kinds of mutable containers, special ones first."""

HEAP = 1 << 9
"""The flag of a class that was made while the program runs, by ``class`` or ``type``."""

MISSING = object()

PLAIN = frozenset((float, int, str, bool, type(None), complex, bytes))
"""The types of values that hold nothing."""


class Shadow:
    """An original, its stand-in, and what the original held when the stand-in was made: attributes and items, or None."""

    __slots__ = ("attributes", "items", "original", "stand")

    def __init__(self, original: Any, stand: Any, attributes: dict[str, Any] | None = None, items: list[Any] | None = None):
        self.original = original
        self.stand = stand
        self.attributes = attributes
        self.items = items

    def give_back(self, released: Callable[[Any], Any]) -> None:
        """Do to the original what was done to its stand-in; ``released`` makes a value of the run one of the user's."""
        if self.attributes is not None:
            now = attributes_of(self.stand)
            for name in [*self.attributes.keys() - now.keys()]:
                unset(self.original, name)
            for name, value in now.items():
                before = self.attributes.get(name, MISSING)
                left = before if value is before else released(value)  # never asked for, it may be of the run around this one
                if left is not before:
                    set_attribute(self.original, name, left)
        if (left_items := self.changed(released)) is not None:
            refill(self.original, left_items)

    def changed(self, released: Callable[[Any], Any]) -> list[Any] | None:
        """The items of a container that holds others than before."""
        if self.items is None:
            return None
        own = set(map(id, self.items))
        left = [item if type(item) in PLAIN or id(item) in own else released(item) for item in items_of(self.stand)]
        return left if len(left) != len(self.items) or any(a is not b for a, b in zip(left, self.items)) else None


class Shadows:
    """The shadows of one run."""

    def __init__(self, rebinder: Run) -> None:
        self.rebinder = rebinder
        self.made: list[Shadow] = []
        self.waiting: dict[int, dict[str, Any]] = {}  # of shadows of objects, the attributes that were not read yet
        self.cells: dict[int, tuple[types.CellType, types.CellType, Any]] = {}  # the user's, the run's, what was in the user's

    def container(self, value: Any) -> Any:
        """The shadow of a list, dict, set or deque, of a class that may be the user's own."""
        kind = type(value)
        base = next(base for base in BUILT_IN if isinstance(value, base))
        copied = self.rebinder.rebound(kind)
        try:
            stand: Any = base.__new__(copied)
        except TypeError:  # what it is made of is not Python's
            return value
        if base is deque:
            deque.__init__(stand, (), value.maxlen)
        elif base is defaultdict:
            defaultdict.__init__(stand, self.rebinder.rebound(value.default_factory))
        self.rebinder.knows(value, stand)  # before its items: it may contain itself
        items = items_of(value)
        self.made.append(Shadow(value, stand, attributes_of(value), items))
        refill(stand, [item if type(item) in PLAIN else self.rebinder.rebound(item) for item in items])
        self._attributes(value, stand)
        return stand

    def instance(self, value: Any, copied: type) -> Any:
        """The shadow of an object of a user's class: an object of the class's copy."""
        try:
            stand: Any = BaseException.__new__(copied, *value.args) if isinstance(value, BaseException) else object.__new__(copied)
        except TypeError:  # what it is made of is not Python's
            return value
        self.rebinder.knows(value, stand)
        self.made.append(Shadow(value, stand, attributes_of(value)))
        self._attributes(value, stand)
        return stand

    def member(self, value: Any, copied: type, inner: type) -> None:
        """The shadow of a member of an enumeration, with a number or text ``inner`` inside, or ``object``."""
        stand: Any = object.__new__(copied) if inner is object else inner.__new__(copied, inner.__str__(value) if inner is str else value)
        self.rebinder.knows(value, stand)
        held = attributes_of(value)
        self.made.append(Shadow(value, stand, held))
        for name, part in held.items():
            set_attribute(stand, name, self.rebinder.rebound(part))

    def note(self, value: Any, stand: Any) -> None:
        """Note a stand-in of a list, dict or tuple that was made elsewhere, with parts of its own."""
        self.rebinder.knows(value, stand)
        if isinstance(value, BUILT_IN):
            self.made.append(Shadow(value, stand, None, items_of(value)))

    def _attributes(self, value: Any, stand: Any) -> None:
        """Give a shadow its attributes, each of which is rebound when it is first read."""
        held = attributes_of(value)
        for name, part in held.items():
            set_attribute(stand, name, part)
        if held:
            self.waiting[id(stand)] = held

    def holding(self, value: Any) -> Any:
        """The shadow of a ``types.SimpleNamespace``, or of another object of Python's library that holds others in its attributes."""
        kind: Any = type(value)
        stand = kind.__new__(kind)
        self.rebinder.knows(value, stand)
        self.made.append(Shadow(value, stand, dict(vars(value))))
        for name, part in vars(value).items():
            setattr(stand, name, self.rebinder.rebound(part))
        return stand

    def read(self, stand: Any, name: str) -> None:
        """Rebind an attribute of a shadow that is about to be read for the first time; all of them for ``__dict__``."""
        waiting = self.waiting[id(stand)]
        for each in list(waiting) if name == "__dict__" else [name]:
            part = waiting.pop(each, MISSING)
            if part is not MISSING and attributes_of(stand, (each,)).get(each, MISSING) is part:
                made = self.rebinder.rebound(part)
                if made is not part:
                    set_attribute(stand, each, made)

    def attributes_of_function(self, function: types.FunctionType, copied: types.FunctionType) -> None:
        """The attributes of a function, for its copy."""
        if vars(function):
            self.made.append(Shadow(function, copied, dict(vars(function))))
            vars(copied).update({name: self.rebinder.rebound(part) for name, part in vars(function).items()})

    def cell(self, cell: types.CellType) -> types.CellType:
        """The run's own of a variable of an outer function; empty until it is filled."""
        known = self.rebinder.known.get(id(cell))
        if known is None:
            self.rebinder.knows(cell, types.CellType())
            known = self.rebinder.known[id(cell)]
        return known[1]  # type: ignore[no-any-return]

    def fill(self, cell: types.CellType) -> None:
        """Give the run's own of a variable what is in the user's, rebound."""
        if id(cell) not in self.cells:
            content = content_of(cell)
            own = self.cell(cell)
            self.cells[id(cell)] = cell, own, content
            if content is not MISSING:
                own.cell_contents = self.rebinder.rebound(content)

    def give_back(self, released: Callable[[Any], Any]) -> None:
        """Do to the originals what was done to their shadows. Raises AliasingError where one with several shadows was changed."""
        several = Counter(id(shadow.original) for shadow in self.made)
        if any(several[id(shadow.original)] > 1 and shadow.changed(released) is not None for shadow in self.made):
            raise AliasingError(
                "a list or dict that was given twice is changed in place", why="the change would be seen through both",
                remedy="pass a copy of one of them",
            )
        for shadow in self.made:
            shadow.give_back(released)
        for cell, own, before in self.cells.values():
            content = content_of(own)
            left = content if content is MISSING else released(content)
            if left is not before:
                if left is MISSING:
                    del cell.cell_contents
                else:
                    cell.cell_contents = left


def dict_of(value: Any) -> dict[str, Any]:
    """The ``__dict__`` of an object, past its class's methods."""
    return vars(value) if type(value) is threading.local else object.__getattribute__(value, "__dict__")  # type: ignore[no-any-return]


def content_of(cell: types.CellType) -> Any:
    """What is in a cell; MISSING if nothing is."""
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def slots_of(kind: type) -> list[str]:
    """The names of the slots of a class's instances; not of what is made of C."""
    bases = [base for base in kind.__mro__ if "__slots__" in vars(base)]
    return [name for base in bases for name, part in vars(base).items() if isinstance(part, types.MemberDescriptorType)]


def attributes_of(value: Any, names: Iterable[str] | None = None) -> dict[str, Any]:
    """An object's own attributes (those of ``names``), in its ``__dict__`` and in its slots."""
    try:
        found = dict(dict_of(value))
    except AttributeError:
        found = {}
    for name in slots_of(type(value)):
        try:
            found[name] = object.__getattribute__(value, name)
        except AttributeError:
            continue  # an empty slot
    return found if names is None else {name: found[name] for name in names if name in found}


def set_attribute(value: Any, name: str, part: Any) -> None:
    """Set an object's own attribute, past its properties and also if it is frozen."""
    if name in slots_of(type(value)):
        object.__setattr__(value, name, part)
    else:
        dict_of(value)[name] = part


def unset(value: Any, name: str) -> None:
    """Delete an object's own attribute, past its properties and also if it is frozen."""
    if name in slots_of(type(value)):
        object.__delattr__(value, name)
    else:
        del dict_of(value)[name]


def items_of(value: Any) -> list[Any]:
    """The items of a container in order; of a dict, keys and values by turns."""
    base: Any = next(base for base in BUILT_IN if isinstance(value, base))
    if issubclass(base, dict):
        return [part for key in base.__iter__(value) for part in (key, base.__getitem__(value, key))]
    return list(base.__iter__(value))


def refill(value: Any, items: list[Any]) -> None:
    """Give a container these items instead of its own."""
    base: Any = next(base for base in BUILT_IN if isinstance(value, base))
    base.clear(value)
    if issubclass(base, dict):
        for key, item in zip(items[::2], items[1::2]):
            base.__setitem__(value, key, item)
    elif base is set:
        set.update(value, items)
    else:
        base.extend(value, items)
