"""Interpret the making of objects: of the user's classes, of dataclasses, of named tuples."""

from __future__ import annotations

import abc
import dataclasses
import enum
import types
from collections.abc import Sequence
from typing import Any

from ..analysis.environment.captured import is_user_function
from ..runtime.user_objects import is_users
from ..syntax import nodes as n
from .pools import Pools
from .values import Closure, Known, NotInterpreted, Structure, Value

MAKING = frozenset({"__new__", "__getattr__", "__getattribute__", "__del__"})


STORING = frozenset({"__setattr__", "__delattr__"})
"""The methods by which a class decides itself how its objects are made, read, stored to."""


class Construction(Pools):
    """The objects that calls of classes make."""

    def function(self, closure: Closure, args: Sequence[Value], named: dict[str, Value], node: n.expr) -> Value:
        """The body of a function in place of its call (``statements.py``)."""
        raise NotImplementedError

    def construct(self, function: Known, kind: type, args: list[Value], named: dict[str, Value], node: n.expr) -> Value:
        """A new object of a class of the user's."""
        if issubclass(kind, tuple) and hasattr(kind, "_fields"):
            if "__new__" in vars(kind) and not hasattr(kind, "_field_defaults"):
                raise NotInterpreted("__new__")
            return self.named_tuple(kind, args, named)
        bases = [vars(base) for base in kind.__mro__ if base not in (object, abc.ABC)]
        stores = any(own.keys() & STORING for own in bases if not getattr(own.get("__dataclass_params__"), "frozen", False))
        if any(own.keys() & MAKING for own in bases) or stores:
            raise NotInterpreted("a class that makes its objects in its own way")
        if type(kind) not in (type, abc.ABCMeta) or any(not is_users(base) and base not in (object, abc.ABC) for base in kind.__mro__):
            raise NotInterpreted("a class that is made in its own way")
        made = Structure(self.state.new({}), kind)
        init = self.member(kind, "__init__")
        if dataclasses.is_dataclass(kind) and getattr(init, "__module__", None) == kind.__module__ and not self.written(init):
            self.fields(made, kind, args, named, node)
        elif isinstance(init, types.FunctionType):
            own = self.new_in_pool(kind)
            self.state.waiting.append([own or made])
            self.function(self.outside.function(init), [own or made, *args], named, node)
            self.state.waiting.pop()
            if own is not None:
                return own
        elif args or named:
            raise NotInterpreted("how an object is made")
        return self.into_pool(made)

    def written(self, init: Any) -> bool:
        """Whether an ``__init__`` was written by the user, not by dataclasses."""
        return isinstance(init, types.FunctionType) and not init.__code__.co_filename.startswith("<")

    def fields(self, made: Structure, kind: type, args: list[Value], named: dict[str, Value], node: n.expr) -> None:
        """Fill the fields of a dataclass."""
        taken = {field.name: field.kw_only for field in dataclasses.fields(kind) if field.init}
        fields = [name for name, kw_only in taken.items() if not kw_only]
        pending = dict(zip(fields, args)) | named
        if len(args) > len(fields) or not set(named) <= taken.keys() - fields[:len(args)]:
            raise NotInterpreted("which fields an object has")
        for field in dataclasses.fields(kind):
            if field.name in pending:
                value = pending[field.name]
            elif field.default is not dataclasses.MISSING:
                plain = isinstance(field.default, (int, float, str, type(None))) and not isinstance(field.default, enum.Enum)
                value = Known(field.default) if plain else self.outside.attribute(self.class_of(kind), field.name, node)
            elif field.default_factory in (list, dict):
                value = self.structure(field.default_factory, [] if field.default_factory is list else {})
            elif is_user_function(field.default_factory):
                value = self.called(self.outside.function(field.default_factory), [], {}, node)
            else:
                raise NotInterpreted("the default of a field")
            self.state.store((made.identity, field.name), value, field.name)
        decorated: Any = next(base for base in kind.__mro__ if "__init__" in vars(base))
        if hasattr(decorated, "__post_init__") and isinstance(after := self.member(kind, "__post_init__"), types.FunctionType):
            self.function(self.outside.function(after), [made], {}, node)

    def named_tuple(self, kind: Any, args: list[Value], named: dict[str, Value]) -> Value:
        """A new named tuple."""
        held = dict(zip(kind._fields, args)) | named
        defaults = kind.__new__.__defaults__ or ()
        for name, value in zip(kind._fields[len(kind._fields) - len(defaults):], defaults):
            if name not in held:
                if not isinstance(value, (int, float, str, type(None))):
                    raise NotInterpreted("the default of a field")
                held[name] = Known(value)
        if len(held) != len(kind._fields) or len(args) > len(kind._fields):
            raise NotInterpreted("which fields a named tuple has")
        return self.structure(kind, [held[name] for name in kind._fields])
