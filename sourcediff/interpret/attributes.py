"""Interpret attributes: of structures, of objects from outside, of modules and classes; one object out of several."""

from __future__ import annotations

import builtins
import dataclasses
import functools
import types
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from ..analysis.abstract import is_constant
from ..analysis.environment.captured import is_user_function
from ..analysis.environment.words import DICTS
from ..analysis.scope import MISSING, current
from ..analysis.source.effects import CHANGING, Effective
from ..analysis.source.out_arguments import among, goes_out
from ..rules.frames import rule_for
from ..runtime.user_objects import is_users
from ..syntax import nodes as n
from ..syntax.quote import clone
from .expressions import Expressions
from .nodes_of_values import as_node, within
from .state import OF_TEXTS
from .values import (
    Bound,
    Choice,
    Closure,
    Columns,
    Frame,
    Grown,
    Known,
    Method,
    NotInterpreted,
    OneOf,
    Row,
    Run,
    Series,
    Structure,
    Super,
    Value,
)

ASKED_OF_COUNTER = ("items", "keys", "values", "get", "clear")
"""The methods of a Counter, or of a defaultdict of the text, that are those of a dict."""


class Attributes(Expressions):
    """The values of attributes."""

    def _Attribute(self, node: Any) -> Value:
        return self.attribute(self.value(node.value), node.attr, node)

    def attribute_of_row(self, row: Row, name: str, node: n.expr) -> Value:
        """An attribute of an object in a container of the text (``columns.py``)."""
        raise NotImplementedError

    def attribute(self, value: Value, name: str, node: n.expr) -> Value:
        """An attribute of a value."""
        if isinstance(value, Closure) and name == "__name__" and isinstance(value.tree, n.FunctionDef):
            return Known(value.tree.name)
        value = holding(value)
        if isinstance(value, Row):
            return self.attribute_of_row(value, name, node)
        if isinstance(value, Series) and not value.method:
            return Series(value.row, value.name, name, value.there)
        if isinstance(value, Structure):
            held = self.state.held[value.identity]
            if self.factory_of(value) is Counter and name not in ASKED_OF_COUNTER:
                raise NotInterpreted(f".{name} of a Counter")
            if value.kind in (list, dict, tuple, Columns):
                return Method(value, name)
            if name == "__dict__":
                return self.viewed(value)
            if name == "__class__":
                return self.class_of(value.kind)
            member = self.member(value.kind, name)
            if isinstance(member, property):
                assert member.fget is not None
                return self.called(self.bound(member.fget, value), [], {}, node)
            if issubclass(value.kind, tuple):
                fields = value.kind._fields  # type: ignore[attr-defined]
                if name in fields:
                    return self.loaded(held[fields.index(name)])
                if name in ("_replace", "_asdict"):
                    return Method(value, name)
            if name in held:
                return self.loaded(held[name])
            if isinstance(member, functools.cached_property):
                if self.is_first_in_a_loop(value):
                    raise Grown(value.identity, value.kind, name)
                self.state.store((value.identity, name), self.called(self.bound(member.func, value), [], {}, node), name)
                return self.loaded(self.state.held[value.identity][name])
            return self.of_class(member, name, value, value.kind)
        if isinstance(value, OneOf):
            return self.attribute_of_one(value, name, node)
        if isinstance(value, Super):
            own: Any = self.kind_of(value.of)
            within_class = own is None
            own = value.of.object if within_class else own  # type: ignore[attr-defined]
            for kind in own.__mro__[own.__mro__.index(value.after) + 1:]:
                if name in vars(kind):
                    member = vars(kind)[name]
                    if isinstance(member, classmethod):
                        first = value.of if within_class else self.class_of(own, value.of)
                        return Bound(self.outside.function(member.__func__), [first], {})
                    if within_class:
                        break
                    if name == "__init__" and kind is object and isinstance(value.of, Structure):
                        return Method(value.of, "__init__ of object")
                    if isinstance(member, property):
                        return self.called(self.bound(member.fget, value.of), [], {}, node)
                    return self.of_class(member, name, value.of, kind)
            raise NotInterpreted(f"super().{name}")
        if isinstance(value, Known) and type(value.object) is str and hasattr(str, name):
            shown = as_node(value)
            assert shown is not None
            return Known(getattr(value.object, name), n.Attribute(value=shown, attr=name, ctx=n.Load()))
        if isinstance(value, Known) and isinstance(value.object, OF_TEXTS) and callable(method := getattr(value.object, name, None)):
            return Known(method, None if value.node is None else n.Attribute(value=clone(value.node), attr=name, ctx=n.Load()))
        if isinstance(value, Known) and type(value.object) in DICTS and name in ("items", "keys", "values", "get", "copy"):
            entries = self.outside.entries(value)
            if entries is not None:
                shown = Structure(self.state.new(dict(entries)), dict)  # as they are when they are read
                self.state.frozen.add(shown.identity)
                if value.node is not None and not any(map(callable, value.object.values())):
                    self.state.shown[shown.identity] = value.node
                return Method(shown, name)
        if isinstance(value, Run) and self.factory_of(value) is not None and name not in (*ASKED_OF_COUNTER, "pop"):
            raise NotInterpreted(f".{name} of a defaultdict")
        if isinstance(value, Run) and name in ("items", "keys", "values", "get", "copy"):
            entries = self.outside.entries(value)
            if entries is not None:
                shown = Structure(self.state.new(dict(entries)), dict)  # as they are when they are read
                self.state.shown[shown.identity] = value.node
                return Method(shown, name)
        if isinstance(value, Known):
            return self.outside.attribute(value, name, node)
        if isinstance(value, Run):
            of = self.outside.kind_of(value)
            if of is not None and name == "__class__":
                return self.class_of(of, value)
            member = MISSING if of is None else self.member(of, name)
            if isinstance(member, types.FunctionType) and is_user_function(member):
                return self.bound(member, value)
            if isinstance(member, property) and isinstance(member.fget, types.FunctionType):
                return self.called(self.bound(member.fget, value), [], {}, node)
            if of is not None and issubclass(of, tuple) and name in ("_replace", "_asdict"):
                fields = [n.Attribute(value=clone(value.node), attr=field, ctx=n.Load()) for field in of._fields]  # type: ignore[attr-defined]
                return Method(self.structure(of, [Run(field) for field in fields]), name)
            if of is not None and isinstance(member, (staticmethod, classmethod)) and is_user_function(member.__func__):
                return Bound(self.outside.function(member.__func__), [self.class_of(of, value)] * isinstance(member, classmethod), {})
            if (word := self.outside.word_of(value.node, name) or self.outside.word_held(value.node, name)) is not None:
                return self.structure(tuple, list(map(Known, word.object))) if type(word.object) is tuple else word
            read = n.Attribute(value=self.text(value), attr=name, ctx=n.Load())
            if isinstance(value.node, n.Name) and value.node.id in self.state.kinds and self.outside.is_record(read):
                return self.state.temporary(read, name)
            return self.outside.held_function(read) or self.run(read, node)
        if isinstance(value, Choice):
            kinds = [self.kind_of(each) for each in value.functions]
            if any(kind is None or isinstance(self.member(kind, name), property) for kind in kinds):
                raise NotInterpreted("an attribute of a choice")
            values = [self.attribute(each, name, node) for each in value.functions]
            read = [each.node for each in values if isinstance(each, Run) and isinstance(each.node, n.Attribute) and each.node.attr == name]
            return values[0] if len(read) == len(values) else self.by_number(value.number, values, node)
        raise NotInterpreted(f"an attribute of a {type(value).__name__.lower()}")

    loops: list[Any]
    begun: list[int]
    effective: Effective

    def is_first_in_a_loop(self, of: Structure) -> bool:
        """Whether what an object computes once is asked for first within loops of the text that change no object: it is computed before."""
        around = [begun for begun in self.begun if begun >= of.identity]
        loops = [loop for loop in self.loops if loop is not None and loop.begun >= of.identity]
        return bool(loops) and len(loops) == len(around) and all(
            changes_no_object(loop.node, loop.frame.function, self.effective.reads) for loop in loops)

    def attribute_of_one(self, value: OneOf, name: str, node: n.expr) -> Value:
        """An attribute of one object out of several: of each of them, and by number."""
        kind = self.kind_of(value)
        member = MISSING if kind is None else self.member(kind, name)
        if isinstance(member, property) and is_user_function(member.fget):
            return self.called(self.bound(member.fget, value), [], {}, node)
        if is_user_function(member) and not any(name in self.state.held[each.identity] for each in value.objects):
            return self.bound(member, value)
        if any(isinstance(self.member(each.kind, name), property) for each in value.objects):
            raise NotInterpreted("a property of one of several objects")
        values = [self.attribute(each, name, node) for each in value.objects]
        if any(isinstance(each, Structure) and each.kind in (list, dict) for each in values):
            self.separate_container(value.objects)
        return self.by_number(value.number, values, node)

    def separate_container(self, objects: Sequence[Structure]) -> None:
        """Go back to the container of some objects, if it may be one of the text (``columns.py``)."""
        raise NotImplementedError

    def by_number(self, number: n.expr, values: list[Value], node: n.expr) -> Value:
        """One of several values, by a number that the run tells."""
        if all(isinstance(value, Known) and value.object is values[0].object for value in values):  # type: ignore[attr-defined]
            return values[0]
        if all(isinstance(value, Structure) and is_users(value.kind) for value in values):
            return OneOf(number, values)  # type: ignore[arg-type]
        if all(isinstance(value, (Closure, Bound)) or isinstance(value, Known) and callable(value.object) for value in values):
            return Choice(number, values)
        if all(isinstance(value, Structure) and value.kind is dict for value in values):
            return self.dict_by_number(number, values, node)  # type: ignore[arg-type]
        shown = n.List(elts=[self.text(value) for value in values], ctx=n.Load())
        found = self.run(n.Subscript(value=shown, slice=clone(number), ctx=n.Load()), node)
        tuples = {value.identity for value in values if isinstance(value, Structure) and issubclass(value.kind, tuple)}
        if lists := within(self.state.held, values) - tuples:  # the text has copies of them, which nobody may change
            self.state.frozen |= lists
            name = self.state.temporary(found.node).node
            self.state.shared.add(name.id)
            return Run(name)
        return found

    def dict_by_number(self, number: n.expr, dicts: list[Structure], node: n.expr) -> Structure:
        """One of several dicts with the same keys, by a number that the run tells; nobody may change any of these then."""
        held = [self.all_parts(each) for each in dicts]
        if any(list(each) != list(held[0]) for each in held) or any(map(self.factory_of, dicts)):
            raise NotInterpreted("dicts of several forms, of which only the run tells which one is meant")
        made = self.structure(dict, {key: self.by_number(number, [self.loaded(each[key]) for each in held], node) for key in held[0]})
        self.state.frozen |= {made.identity, *(each.identity for each in dicts)}
        return made

    def factory_of(self, owner: Value) -> Any:
        """What makes the entries of a dict that are asked for first, None of any other container."""
        if isinstance(owner, Structure):
            return self.state.factories.get(owner.identity)
        return self.state.factories.get(owner.node.id) if isinstance(owner, Run) and isinstance(owner.node, n.Name) else None

    def attributes_of(self, value: Value) -> tuple[type, dict[Any, Value]] | None:
        """The class of an object from outside that does not change, and its attributes; None of anything else."""
        kind = self.outside.kind_of(value) if isinstance(value, Run) else None
        if kind is None or issubclass(kind, tuple) or not is_constant(kind):
            return None
        return kind, {field.name: self.attribute(value, field.name, value.node) for field in dataclasses.fields(kind)}  # type: ignore

    def viewed(self, value: Structure) -> Structure:
        """An object as the dict of its attributes: what is stored to one is stored to the other."""
        if issubclass(value.kind, tuple):
            raise NotInterpreted("the attributes of a tuple")
        self.state.viewed.add(value.identity)
        return Structure(value.identity, dict)

    def class_of(self, kind: type, of: Value | None = None) -> Known:
        """A class as a value: that of an object, if it has no name here."""
        node = self.outside.node_of(kind)
        if node is None and isinstance(of, Run):
            node = n.Attribute(value=clone(of.node), attr="__class__", ctx=n.Load())
            self.outside.note_class(kind, node)
        return Known(kind, node)

    def member(self, kind: type, name: str) -> Any:
        """What a class holds under a name, MISSING if nothing."""
        return next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), MISSING)

    def bound(self, function: Any, of: Value) -> Bound:
        """A method of an object."""
        if hasattr(function, "__wrapped__"):  # by contextlib.contextmanager, or another decorator
            return Bound(Known(function), [self.state.pinned(of)], {})
        return Bound(self.outside.function(function), [self.state.pinned(of)], {})

    def of_class(self, member: Any, name: str, value: Value, kind: type) -> Value:
        """What an object has from its class."""
        if isinstance(member, types.FunctionType):
            return self.bound(member, value)
        if isinstance(member, staticmethod):
            function = member.__func__
            return self.outside.function(function) if is_user_function(function) else Known(function, self.outside.node_of(function))
        if isinstance(member, classmethod):
            return Bound(self.outside.function(member.__func__), [self.class_of(kind)], {})
        if member is MISSING:
            raise NotInterpreted(f"there is no attribute {name}")
        if hasattr(type(member), "__get__") and not callable(member):
            raise NotInterpreted(f"how {name} is found")
        owner = next(base for base in kind.__mro__ if name in vars(base))
        node = self.outside.node_of(owner) or self.outside.node_of(kind)
        if node is None or not is_users(owner):
            raise NotInterpreted(f"what {name} of a class is")
        self.outside.note(member)
        return self.outside.wrapped(member, n.Attribute(value=node, attr=name, ctx=n.Load()))

    def _super(self) -> Value:
        frame: Frame | None = self.state.frames[-1]
        while frame is not None and frame.owner is None:
            frame = frame.around
        if frame is None or not frame.tree.args.args:
            raise NotInterpreted("super()")
        of = self.state.held[frame.identity][frame.tree.args.args[0].id]
        if self.kind_of(of) is None and not (isinstance(of, Known) and isinstance(of.object, type) and frame.owner in of.object.__mro__):
            raise NotInterpreted("super()")
        return Super(of, frame.owner)

    def kind_of(self, value: Value) -> type | None:
        """The class of a structure, or of an object among the arguments, None of anything else."""
        if isinstance(value, OneOf):
            kinds = {each.kind for each in value.objects}
            return kinds.pop() if len(kinds) == 1 else None
        if isinstance(value, Row):
            return self.state.rows[value.of.identity].kind
        return value.kind if isinstance(value, Structure) else self.outside.kind_of(value) if isinstance(value, Run) else None


def changes_no_object(node: Any, function: Any, reads: Callable[[str], bool]) -> bool:
    """Whether a loop stores to names alone, and calls functions of modules and builtins, and methods that change nothing, as ``reads``
    says of their names.
    """
    if not isinstance(node, n.For):
        return False
    for part in (part for each in (node.target, *node.body) for part in n.walk(each)):
        if isinstance(part, (n.Attribute, n.Subscript)) and not isinstance(part.ctx, n.Load):
            return False
        if isinstance(part, (n.AugAssign, n.FunctionDef, n.Lambda)):
            return False
        if isinstance(part, n.Call) and not only_gives(part, found_in(part.func, function), reads):
            return False
    return True


def found_in(node: Any, function: Any) -> Any:
    """What a name, or a member of a module, stands for outside of a function."""
    if isinstance(node, n.Attribute):
        owner = found_in(node.value, function)
        return getattr(owner, node.attr, MISSING) if isinstance(owner, types.ModuleType) else MISSING
    found = current(function, node.id) if isinstance(node, n.Name) else MISSING
    return getattr(builtins, node.id, MISSING) if found is MISSING and isinstance(node, n.Name) else found


def only_gives(call: n.Call, found: Any, reads: Callable[[str], bool]) -> bool:
    """Whether a call is of a function of a library's, or of a method, that changes nothing."""
    if found is MISSING:
        return isinstance(call.func, n.Attribute) and reads(call.func.attr) and not call.keywords
    changes = goes_out(call, found) or among(found, CHANGING) or any(keyword.arg in ("out", None) for keyword in call.keywords)
    return not changes and not is_user_function(found) and rule_for(found) is not None


def holding(value: Value) -> Value:
    """What holds the attributes of a value: of a function that is defined here a structure of its own."""
    return value.attributes if isinstance(value, Closure) and value.attributes is not None else value
