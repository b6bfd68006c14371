"""What a function reads from outside: closure cells, globals and builtins, and the user's functions among them.

Looked at before every call of generated code, so it imports no parser.
"""

from __future__ import annotations

import builtins
import functools
import os
import sys
import types
import warnings
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from ...rules.frames import OWN, Rule, is_singleton, rule_for
from ...rules.library_functions import composite_for
from ...rules.library_objects import FROZEN, record_for, record_of_object
from ...runtime.arrays.library import is_plain_array
from ...runtime.derivative import form
from ...runtime.user_objects import CLOSED, DATA, OPERATORS, is_own, is_users, methods_of
from ...syntax.function import MISSING, current, defaults_of, now, place_of_definition, standing, unjitted
from ..abstract import Abstract, known_callables
from ..abstraction import abstract
from ..class_data import is_row
from .asked_of_classes import ASKED, CALLED_BY_SYNTAX, GIVEN_SOME, MAKING, is_derivative
from .callables import Same
from .fingerprint import Description
from .reads import Read, _foreign, _package, is_of_scipy, read_by
from .tables import called_by_table, tables_of
from .unchanged import ITSELF, Absent, Bases, Body, ClosureCell, Condition, Item, Kind, Member, Word, unchanged
from .words import WORDS, worded, wording

__all__ = ["MISSING", "Surroundings", "current", "defaults_of", "is_user_function"]


def is_user_function(function: Any) -> bool:
    """Whether a function is a plain Python function of the user's, to be read and inlined.

    It is none of NumPy's or of its like, of Python's library, or of a package that is called as it is, and no gradient.
    """
    if not isinstance(function, types.FunctionType) or rule_for(function) is not None:
        return False
    if hasattr(function, "sourcediff") or hasattr(function, "__recorded__"):
        return False
    package = (function.__module__ or "").split(".")[0]
    if package in sys.stdlib_module_names and function.__code__.co_filename.startswith(LIBRARY):  # others may have its names
        return False
    return package not in CALLED and not is_own(function)


CALLED = CLOSED | {"numpy", "scipy", "math", "builtins"}
"""The packages of which functions are called as they are."""

LIBRARY = (os.path.dirname(os.__file__) + os.sep, "<frozen")
"""How the files of Python's library begin."""


class Surroundings:
    """What a function and all that may be inlined into it read from outside; ``given`` are functions and classes among its arguments.

    It is asked at each call (:meth:`unchanged`), and does not keep the function alive: what is made of a function goes with it.
    """

    def __init__(self, function: types.FunctionType, given: Sequence[Any] = ()):
        self.first: Callable[[], Any] = weakref.ref(function)
        self.classes: list[type] = []
        self.watched: list[Condition] = []
        self.read: list[tuple[types.FunctionType | None, str]] = []
        self.held: list[Any] = []  # the functions and classes in the data
        self.rules: list[Rule] = []
        self.methods: set[tuple[type, str]] = set()  # those that have been looked at
        self.tables: dict[tuple[type, str], tuple[Same, ...]] = {}  # the functions and classes in what classes hold
        self.names = {*MAKING, *OPERATORS, *CALLED_BY_SYNTAX}  # what may be a method that is called
        self.by_name = False  # whether a function asks for an attribute by a word: then by any name that a class has
        self.owners: dict[int, type] = {}  # the classes, by what they hold
        self.followed: list[types.FunctionType] = []
        pending: list[Any] = list(given)
        self._follow(function, pending)
        while pending:
            self._meet(pending.pop(0), pending)
            if not pending:
                self.names |= {name for base in self.bases for name in vars(base) if not name.startswith("__")} if self.by_name else set()
                pending += [inner for kind in self.classes for inner in self._methods(kind)]
                pending += [each.value for each in tables_of(self.bases, self.names, self.tables)]
        self.others = self.followed[1:]
        del self.followed
        for inner in self.functions:
            self._watch_function(inner)
        self.watched += [Bases(kind, kind.__mro__) for kind in self.classes]
        for base in self.bases:
            self._watch_class(base)
        self.unchanged = unchanged(self.watched, function)
        """Whether every watched name still stands for the same object, and every function is still what it was."""

    @property
    def functions(self) -> list[types.FunctionType]:
        """The function, and those of the user's that may be inlined into it."""
        function = self.first()
        assert function is not None
        return [function, *self.others]

    @property
    def data(self) -> list[tuple[types.FunctionType, str]]:
        """The data that are read from outside: by which function, and under which name."""
        first = self.functions[0]
        return [(first if function is None else function, name) for function, name in self.read]

    @property
    def bases(self) -> list[type]:
        """The user's classes that methods and attributes are looked up in."""
        return list(dict.fromkeys(base for kind in self.classes for base in kind.__mro__ if is_users(base)))

    def _meet(self, found: Any, pending: list[Any]) -> None:
        """Look at a function or a class that something reads."""
        found = form(unjitted(found))
        rule = rule_for(found)
        if rule is not None and rule.own:
            for formula in self._formulas(rule):
                self._follow(formula, pending)
        elif isinstance(found, type) and is_users(found):
            if found not in self.classes:
                self.classes.append(found)
        elif is_derivative(found):
            self._follow(found, pending)
        elif is_user_function(found):
            self.watched.append(Item(OWN, self._itself(found), MISSING))
            self._follow(found, pending)
        elif rule is None:
            pending += [] if (plain := composite_for(found)) is None else [plain]
            record = record_for(found) if isinstance(found, type) else record_of_object(found)
            if is_singleton(found):
                pending += filter(callable, (getattr(found, name, None) for name in sorted(self.names)))
                record = FROZEN.get(found)
            if record is not None:
                pending += filter(callable, map(record.method, sorted(self.names)))

    def _follow(self, function: types.FunctionType, pending: list[Any]) -> None:
        """Look at what a function reads, once; of a derivative, at what it is the derivative of."""
        if any(function is seen for seen in self.followed):
            return
        self.followed.append(function)
        if is_derivative(function):
            pending.append(function.sourcediff.function)  # type: ignore[attr-defined]
        else:
            read = read_by(function.__code__)
            self.names.update(read.outer, read.attributes)
            self.by_name = self.by_name or "getattr" in read.outer
            pending += [*self._look(function, read), *filter(callable, defaults_of(function).values())]

    def _methods(self, kind: type) -> list[Any]:
        """The functions of a class of which the names have been read, and that have not been looked at."""
        found = [item for item in methods_of(kind, self.names) if item[:2] not in self.methods]
        self.methods.update((base, name) for base, name, _ in found)
        return [inner for _, _, inner in found]

    def _watch_function(self, function: types.FunctionType) -> None:
        """Watch what a function is, and its defaults by name, which may be changed in place."""
        code, named = function.__code__, function.__kwdefaults__
        self.watched.append(Body(self._itself(function), code, function.__defaults__, named))
        if named is not None:
            only = code.co_varnames[code.co_argcount:code.co_argcount + code.co_kwonlyargcount]
            self.watched += [Item(named, name, self._itself(named.get(name, MISSING))) for name in only]

    def _watch_class(self, base: type) -> None:
        """Watch what a class holds under the names that are read, and that it holds nothing under the others; of data the type alone."""
        members = vars(base)
        self.owners[id(members)] = base
        asked = self.names | ASKED
        for name in sorted(asked & members.keys()):
            part = members[name]
            data = (isinstance(part, DATA) or is_users(type(part))) and not isinstance(part, WORDS) and not is_row(part)
            form = (part.dtype, part.ndim) if is_plain_array(part) else ()
            self.watched.append(Kind(members, name, type(part), *form) if data else Item(members, name, self._itself(part)))
            if (words := wording(part)) is not None:
                self.watched.append(Word(worded(functools.partial(members.__getitem__, name)), name, words))
            if held := self.tables.get((base, name)):
                self.watched.append(Word(called_by_table(functools.partial(members.__getitem__, name)), name, held))
        self.watched.append(Absent(members, frozenset(asked - members.keys())))

    def _look(self, function: types.FunctionType, read: Read) -> list[Any]:
        """Watch what a function reads by name; what is to be looked at of it."""
        found: list[Any] = []
        free = function.__code__.co_freevars if function.__closure__ else ()
        for name in read.imports:
            module = sys.modules.get(name, MISSING)
            self.watched.append(Item(sys.modules, name, module))
            found += self._members(function, name, module, read.attributes, data=False) if module is not MISSING else []
        for name in read.outer:
            value = standing(function, name)
            if name in free:
                condition: Condition = ClosureCell(self._itself(function), free.index(name), self._itself(value))
            elif name in function.__globals__:
                condition = Item(function.__globals__, name, self._itself(value))
            else:  # of Python itself, which a global of that name would hide; or missing
                self.watched.append(Item(function.__globals__, name, MISSING))
                self.watched.append(Item(vars(builtins), name, value))
                continue
            if value is not MISSING and is_data(value):
                found += self._data(function, name, value)
                continue
            self.watched.append(condition)
            if value is not MISSING:
                found.append(value)
            if isinstance(value, (types.ModuleType, type)):
                found += self._members(function, name, value, read.attributes)
        return found

    def _data(self, function: types.FunctionType, name: str, value: Any) -> list[Any]:
        """Note data that a function reads; the functions and classes in them."""
        self.read.append((None if function is self.first() else function, name))
        read = reader(weakref.ref(function), name)
        if isinstance(value, WORDS):
            self.watched.append(Word(read, name, value))
        elif (words := wording(value)) is not None:
            self.watched.append(Word(worded(read), name, words))
        held = known_callables(abstract(value, name))
        self.held += held
        return held

    def _formulas(self, rule: Rule) -> list[types.FunctionType]:
        """The formulas of a rule of one's own: they are a part of what is generated."""
        self.rules.append(rule)
        self.watched.append(Item(OWN, rule.function, rule))
        self.watched += [Item(vars(rule), name, getattr(rule, name)) for name in ("tangent", "for_complex")]
        return [formula for formula in rule.formulas if isinstance(formula, types.FunctionType)]

    def _members(self, function: types.FunctionType, name: str, owner: Any, attributes: Sequence[str], data: bool = True) -> list[Any]:
        """The callables that a function may read of a module or class, and of those in it, at any depth; what else it may read is ``data``.

        Python's own library is looked at no deeper than its modules. Of NumPy and its like only what there is is watched.
        """
        found: list[Any] = []
        owners = [(name, owner)]
        for path, owner in owners:
            foreign = _foreign(owner)
            for attribute in attributes if foreign or isinstance(owner, types.ModuleType) else ():
                if (member := _member(owner, attribute)) is WARNED:
                    continue
                if isinstance(owner, type):
                    self._watch_member(owner, attribute, member)
                    member = member.__func__ if isinstance(member, types.MethodType) and isinstance(member.__self__, type) else member
                elif (foreign and member is MISSING or member is not MISSING and not (foreign and is_data(member))) and (
                        getattr(owner, attribute, MISSING) is member):  # of some modules members are made anew each time
                    self.watched.append(_of_module(owner, attribute, self._itself(member)))
                if member is MISSING or not (foreign and data) and is_data(member):
                    continue
                if is_data(member):
                    found += self._data(function, f"{path}.{attribute}", member)
                    continue
                found.append(member)
                inner = isinstance(member, (types.ModuleType, type)) and not _of_python(member)
                if inner and not any(member is other for _, other in owners):
                    owners.append((f"{path}.{attribute}", member))
        return found

    def _watch_member(self, kind: type, name: str, member: Any) -> None:
        """Watch what a class and its bases hold under a name, if it is none of the classes that are watched anyway."""
        for base in kind.__mro__[:-1] if not is_users(kind) else ():
            part = vars(base).get(name, MISSING)
            data = part is not MISSING and isinstance(part, DATA)
            self.watched.append(Kind(vars(base), name, type(part)) if data else Item(vars(base), name, self._itself(part)))

    def _itself(self, value: Any) -> Any:
        """A value as it stands in a condition, which does not keep the function alive."""
        return ITSELF if value is self.first() else value

    def holds(self, data: tuple[Abstract, ...]) -> bool:
        """Whether these abstract values of the data have the functions and classes in them that were looked at."""
        found = known_callables(data)
        return len(found) == len(self.held) and all(one is other for one, other in zip(found, self.held))

    def description(self, known: Any, placed: bool = True) -> list[str]:
        """All of it that a generated text depends on, and the abstract values ``known`` of the arguments and the data, as text.

        ``placed``: with the files that functions stand in, which a text names.
        """
        text = Description(self.functions[0], self.owners, placed)
        for counted in (*self.functions, *self.bases):
            text.number(counted)
        parts = [*map(text.function, self.functions), *map(text.kind, self.bases), *map(text.rule, self.rules)]
        parts += filter(None, map(text.condition, self.watched))
        parts += [f"{text.of(function)} {name}" for function, name in self.data]
        parts.append(text.known(known))
        if any(map(is_of_scipy, self.values)):
            parts.append(sys.modules["scipy"].__version__)
        return parts

    @property
    def values(self) -> list[Any]:
        """What the names stand for that are watched, other than those of Python itself."""
        return [condition.value for condition in self.watched
                if isinstance(condition, (Item, Member, ClosureCell, Word)) and getattr(condition, "namespace", None) is not vars(builtins)]

    def data_now(self) -> list[Any]:
        """The data read from outside, as they are at this moment."""
        first = self.first()
        return [now(first if function is None else function, name) for function, name in self.read]

    def data_values(self, data: Sequence[Any]) -> tuple[Abstract, ...]:
        """The abstract values of the data read from outside (the values themselves are read at each call)."""
        return tuple(abstract(value, name) for value, (_, name) in zip(data, self.read))

    def as_it_was(self, known: tuple[Abstract, ...]) -> bool:
        """Whether nothing has changed, and the data still have these abstract values."""
        return self.unchanged() and self.data_values(self.data_now()) == known

    def watches(self, data: Sequence[Any]) -> bool:
        """Whether the words among the data are watched: what was none when it was looked at is not."""
        watched = sum(isinstance(condition, Word) and isinstance(condition.value, WORDS) for condition in self.watched)
        return sum(isinstance(value, WORDS) for value in data) == watched

    def standing(self, data: Sequence[Any]) -> dict[Any, Any]:
        """What names stand for in all of this, by their namespaces, for :func:`~sourcediff.syntax.function.frozen`."""
        function = self.functions[0]
        found: dict[Any, Any] = {}
        for condition in self.watched:
            if isinstance(condition, ClosureCell):
                owner = function if condition.function is ITSELF else condition.function
                found[id((owner.__closure__ or ())[condition.position])] = condition.value
            elif isinstance(condition, Item):
                found[id(condition.namespace), condition.name] = condition.value
        for (owner, name), value in zip(self.data, data):
            found[place_of_definition(owner, name)] = value
        return {place: function if value is ITSELF else value for place, value in found.items()}


def reader(function: Callable[[], Any], name: str) -> Callable[[], Any]:
    """What reads a name of a function that is given by a weak reference."""
    return lambda: now(function(), name)


def is_data(value: Any) -> bool:
    """Whether a value is read at each call, and what is known of it asked anew; it may hold functions."""
    given_some = isinstance(form(value), GIVEN_SOME) and not is_singleton(getattr(value, "__self__", None))
    if given_some or is_users(type(value)):
        return True
    return not callable(value) and not isinstance(value, types.ModuleType)


def _of_python(owner: Any) -> bool:
    """Whether a module or a class is of Python's own library."""
    return _package(owner) in sys.stdlib_module_names


def _member(owner: Any, name: str) -> Any:
    """What a module or class holds under a name, or MISSING; WARNED where it says that the name is about to go: it is not asked again."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        try:
            return getattr(owner, name, MISSING)
        except DeprecationWarning:
            return WARNED


WARNED: Any = object()


def _of_module(module: types.ModuleType, name: str, value: Any) -> Condition:
    """The condition that a module still has this member."""
    computed = name not in vars(module) if value is not MISSING else "__getattr__" in vars(module) or type(module) is not types.ModuleType
    return Member(module, name, value) if computed else Item(vars(module), name, value)
