"""Interpret calls: of functions that are known, of methods of structures, of classes, of builtins; other calls stay calls."""

from __future__ import annotations

import abc
import collections
import contextlib
import copy
import dataclasses
import enum
import functools
import itertools
import logging
import types
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..analysis.environment.captured import is_user_function
from ..analysis.scope import MISSING
from ..analysis.source.effects import Effective
from ..rules.facts import FACTS
from ..rules.frames import rule_for
from ..runtime.structures import copied
from ..runtime.user_objects import is_users
from ..syntax import nodes as n
from ..syntax.container_methods import MUTATING
from ..syntax.quote import clone, expression
from .state import as_node
from .text_functions import TextFunctions
from .values import Bound, Choice, Closure, Items, Known, Method, NotInterpreted, OneOf, Recursing, Run, Structure, TooLong, Value

LAZY = {range: "range", zip: "zip", enumerate: "enumerate", map: "map", filter: "filter", reversed: "reversed",
        itertools.chain: "chain", itertools.product: "product", itertools.pairwise: "pairwise", itertools.islice: "islice",
        itertools.repeat: "repeat", itertools.combinations: "combinations"}
"""What gives items one after the other."""

KEEPING = MUTATING["list"] | MUTATING["dict"] | MUTATING["set"] | MUTATING["deque"]
"""The methods by which a container keeps what it is given."""

MANAGED = contextlib.contextmanager(lambda: iter(())).__code__
"""The code of what ``contextlib.contextmanager`` makes."""


def managed_by(function: Any) -> Any:
    """The generator that a manager is made of, None of any other function."""
    return function.__wrapped__ if getattr(function, "__code__", None) is MANAGED else None


def is_of_numpy(function: Any) -> bool:
    """Whether a function is one of NumPy's that changes none of its arguments."""
    module = str(getattr(function, "__module__", None) or "")
    return module.split(".")[0] == "numpy" and not any(function is other for other in (*FACTS["writes"], *FACTS["exchanges"]))


MAKING = frozenset({"__new__", "__getattr__", "__getattribute__", "__del__"})
COPYING = ("__copy__", "__deepcopy__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__")
"""The methods by which a class decides itself how its objects are copied."""

STORING = frozenset({"__setattr__", "__delattr__"})
"""The methods by which a class decides itself how its objects are made, read, stored to."""

FORWARDS = Known(False)

DEEPEST = 24
"""How many calls may be interpreted within one another."""


class Iterator:
    """The kind of a structure that is an iterator over another one: ``of`` it, and the ``position`` of its next item."""


class Calls(TextFunctions):
    """The values of calls."""

    effective: Effective
    brief: bool
    """Whether calls of functions stay calls, if they can."""
    islands: bool
    """Whether calls of functions that are refused stay calls."""

    loops: list[Any]  # those around (``loops.py``)
    base = 0
    """How many loops were around when the function at hand was called."""

    def function(self, closure: Closure, args: Sequence[Value], named: dict[str, Value], node: n.expr) -> Value:
        """The body of a function in place of its call (``statements.py``)."""
        raise NotImplementedError

    def called(self, function: Value, args: list[Value], named: dict[str, Value], node: n.expr) -> Value:
        """The value of a call."""
        if isinstance(function, Bound):
            return self.called(function.function, [*function.given, *args], {**function.named, **named}, node)
        if isinstance(function, Choice):
            return self.one_called(function, 0, [self.state.pinned(arg) for arg in args], named, node)
        if isinstance(function, Closure):
            return self.function(function, args, named, node)
        if isinstance(function, Method):
            return self.method(function, args, named, node)
        if isinstance(function, (Structure, OneOf)):
            return self.called(self.attribute(function, "__call__", node), args, named, node)
        if isinstance(function, Known):
            return self.known_call(function, args, named, node)
        if isinstance(function, Run):
            kind = self.outside.kind_of(function)
            if kind is not None and is_user_function(call := self.member(kind, "__call__")):
                return self.called(self.bound(call, function), args, named, node)
            keeps = isinstance(function.node, n.Attribute) and function.node.attr in KEEPING
            if keeps:
                self.grows(function.node, [*args, *named.values()])
            return self.stays(function, args, named, node, keeps)
        raise NotInterpreted("a call of what is no function")

    def one_called(self, choice: Choice, place_: int, args: list[Value], named: dict[str, Value], node: n.expr) -> Value:
        """The value of a call of one function out of several, from one of them on: a branch for each but the last."""
        if place_ == len(choice.functions) - 1:
            return self.called(choice.functions[place_], args, named, node)
        test = expression("$n == $k", n=clone(choice.number), k=place_)
        return self.either(
            test, lambda: self.called(choice.functions[place_], args, named, node),
            lambda: self.one_called(choice, place_ + 1, args, named, node), node)

    def grows(self, node: Any, values: list[Value]) -> None:
        """Note that a list holds what carries a derivative, if it is given something that does."""
        if isinstance(node.value, n.Name):
            if any(self.state.carries(self.text(value)) for value in values):
                self.state.active.add(node.value.id)

    def stays(self, function: Value, args: list[Value], named: dict[str, Value], node: n.expr, keeps: bool = False) -> Value:
        """A call of the text, which may keep what it is given; it is made now, if it may do something, or gives something else later."""
        asks = isinstance(function, Known) and function.object in (len, sum, min, max, sorted, list, dict, tuple, set, any, all)
        if not asks and any(isinstance(value, Run) and self.factory_of(value) is not None for value in args):
            raise NotInterpreted("a defaultdict is given to a function")
        if self.says(function):
            args = [self.shown(value) for value in args]
        texts = [self.text(value, keeps) for value in args]
        keywords = [n.keyword(arg=name, value=self.text(value)) for name, value in named.items()]
        call = self.run(n.Call(func=self.text(function), args=texts, keywords=keywords), node)
        return self.state.call(call.node) if self.effective.counts(call.node) else call

    def says(self, function: Value) -> bool:
        """Whether a function writes a message of what it is given."""
        if isinstance(function, Known):
            return any(function.object is each for each in (print, warnings.warn, str))
        owner = function.node.value if isinstance(function, Run) and isinstance(function.node, n.Attribute) else None
        return owner is not None and isinstance(self.outside.meant(owner), logging.Logger)

    def known_call(self, function: Known, args: list[Value], named: dict[str, Value], node: n.expr) -> Value:
        """A call of a function or a class that is known."""
        of = function.object
        if (method := next((method for known, method in BUILTINS.items() if known is of), None)) is not None:
            found = method(self, args, named, node)
            if found is not None:
                return found  # type: ignore[no-any-return]
        if any(of is each for each in (sorted, min, max)) and isinstance(named.get("key"), Closure):
            shown = [self.text_of(arg) for arg in args]
            args = [self.in_row(arg, node) if text is None else Run(text) for arg, text in zip(args, shown)]
            named = {**named, "key": self.as_lambda(named["key"], any(self.state.carries(self.text(arg)) for arg in args), node)}
        if isinstance(of, type) and of is types.SimpleNamespace:
            return self.structure(of, dict(named))
        if isinstance(of, type) and is_users(of) and not issubclass(of, BaseException):
            return self.construct(function, of, args, named, node)
        if (managed := managed_by(of)) is not None:
            found = self.function(self.outside.function(managed), args, named, node)
            if not isinstance(found, Items):
                raise NotInterpreted("a manager that is no generator")
            return Items("manager", found.parts, found.born)
        if isinstance(of, types.FunctionType) and is_user_function(of) and self.opens(of, args, named):
            return self.opened(function, args, named, node)
        if isinstance(of, types.MethodType) and isinstance(of.__func__, types.FunctionType) and is_user_function(of.__func__):
            if isinstance(of.__self__, type):
                owner = function.node.value if isinstance(function.node, n.Attribute) else None
                return self.called(self.outside.function(of.__func__), [Known(of.__self__, owner), *args], named, node)
            if function.node is None:
                return self.stays(function, args, named, node)
            owner = n.Attribute(value=clone(function.node), attr="__self__", ctx=n.Load())
            return self.called(self.outside.function(of.__func__), [Run(owner), *args], named, node)
        if isinstance(of, functools.partial) and function.node is not None:
            before = [self.of_partial(part, expression(f"$p.args[{number}]", p=function.node)) for number, part in enumerate(of.args)]
            preset = {name: self.of_partial(part, expression("$p.keywords[$k]", p=function.node, k=n.Constant(value=name, kind=None)))
                      for name, part in of.keywords.items()}
            whole = self.of_partial(of.func, expression("$p.func", p=function.node))
            return self.called(whole, [*before, *args], preset | named, node)
        if not isinstance(of, (types.FunctionType, types.BuiltinFunctionType, types.MethodType, type, np.ufunc)) and is_users(type(of)):
            as_object = function.node is not None and self.outside.kind_of(Run(function.node)) is not None
            return self.called(Run(function.node), args, named, node) if as_object else self.stays(function, args, named, node)
        keeps = rule_for(of) is None and not is_of_numpy(of) and not self.says(function)
        if keeps and not (self.effective.object_is_pure(of) and getattr(of, "__module__", None) == "builtins"):
            reached = self.state.reached()
            args, named = [self.given_away(value, reached) for value in args], {
                name: self.given_away(value, reached) for name, value in named.items()}
        return self.stays(function, [self.in_row(value, node) for value in args], {
            name: self.in_row(value, node) for name, value in named.items()}, node)

    def opened(self, function: Known, args: list[Value], named: dict[str, Value], node: n.expr) -> Value:
        """The body of a function from outside in place of its call, which stays one if the function calls itself without a known end, and
        where islands are asked for, if it is refused.
        """
        closure = self.outside.function(function.object)
        outermost = all(frame.function is not function.object for frame in self.state.frames[1:])
        saved, depth, around = self.state.saved(), len(self.state.waiting), (self.loops, self.base)
        try:
            return self.function(closure, args, named, node)
        except NotInterpreted as problem:
            texts = all(as_node(value) is not None for value in (*args, *named.values()))
            recursing = isinstance(problem, Recursing) and problem.function is function.object and outermost
            if not recursing and not (self.islands and texts and not isinstance(problem, (Recursing, TooLong))):
                raise
            del self.state.waiting[depth:]
            self.state.abandon(saved)
            self.loops, self.base = around
            return self.stays(function, args, named, node)

    def in_row(self, value: Value, node: n.expr) -> Value:
        """An argument of a call of the text: of an iterator the list of its items."""
        return self.listed(value, node) if isinstance(value, Items) else value

    def text_of(self, value: Value) -> n.expr | None:
        """An iterator as an expression of the text, if it is one (``loops.py``)."""
        raise NotImplementedError

    def of_partial(self, part: Any, node: n.expr) -> Value:
        """What a partial from outside holds."""
        if is_user_function(part):
            return self.outside.function(part)
        return self.outside.wrapped(part, (self.outside.node_of(part) if callable(part) else None) or node)

    def given_away(self, value: Value, reached: set[int]) -> Value:
        """An argument of a function that may change it or keep it: a container that is known elsewhere is one of the text."""
        if not self.holds_changing(value):
            return value
        if isinstance(value, Structure) and value.kind in (list, dict):
            return self.become_text(value) if value.identity in reached else value
        raise NotInterpreted("an object is given to a function that is not known")

    def holds_changing(self, value: Value) -> bool:
        """Whether a value is a structure that a function could change."""
        return isinstance(value, Structure) and (value.kind is not tuple or any(map(self.holds_changing, self.parts(value))))

    def opens(self, function: Any, args: list[Value], named: dict[str, Value]) -> bool:
        """Whether the body of a function is looked into: something that carries a derivative, or that is no expression, is given to it."""
        values = [*args, *named.values()]
        if any(frame.function is function and frame.around is None for frame in self.state.frames):
            return any(as_node(value) is None for value in values)
        texts = all(as_node(value) is not None for value in values)
        if texts and self.brief and self.outside.may_stay(function):
            return False
        if hasattr(function, "__island__") or texts and self.outside.stays(function):
            return False
        tree = self.outside.function(function).tree
        if makes_function(tree) or any(isinstance(part, (n.Yield, n.YieldFrom)) for part in n.walk(tree)):
            return True
        if any((node := as_node(value)) is None or self.state.carries(node) for value in values) or not values:
            return True
        return not self.effective.object_is_pure(function)

    def construct(self, function: Known, kind: type, args: list[Value], named: dict[str, Value], node: n.expr) -> Value:
        """A new object of a class of the user's."""
        if issubclass(kind, tuple) and hasattr(kind, "_fields"):
            if "__new__" in vars(kind) and not hasattr(kind, "_field_defaults"):
                raise NotInterpreted("__new__")
            return self.named_tuple(kind, args, named)
        frozen = dataclasses.is_dataclass(kind) and vars(kind)["__dataclass_params__"].frozen
        own = {name for base in kind.__mro__ if base not in (object, abc.ABC) for name in vars(base)}
        if own & MAKING or not frozen and own & STORING:
            raise NotInterpreted("a class that makes its objects in its own way")
        if type(kind) not in (type, abc.ABCMeta) or any(not is_users(base) and base not in (object, abc.ABC) for base in kind.__mro__):
            raise NotInterpreted("a class that is made in its own way")
        made = Structure(self.state.new({}), kind)
        init = self.member(kind, "__init__")
        if dataclasses.is_dataclass(kind) and getattr(init, "__module__", None) == kind.__module__ and not self.written(init):
            self.fields(made, kind, args, named, node)
        elif isinstance(init, types.FunctionType):
            self.state.waiting.append([made])
            self.function(self.outside.function(init), [made, *args], named, node)
            self.state.waiting.pop()
        elif args or named:
            raise NotInterpreted("how an object is made")
        return made

    def written(self, init: Any) -> bool:
        """Whether an ``__init__`` was written by the user, not by dataclasses."""
        return isinstance(init, types.FunctionType) and not init.__code__.co_filename.startswith("<")

    def fields(self, made: Structure, kind: type, args: list[Value], named: dict[str, Value], node: n.expr) -> None:
        """Fill the fields of a dataclass."""
        fields = [field for field in dataclasses.fields(kind) if field.init]
        pending = {field.name: value for field, value in zip(fields, args)} | named
        if len(args) > len(fields) or not set(named) <= {field.name for field in fields[len(args):]}:
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
        if isinstance(after := self.member(kind, "__post_init__"), types.FunctionType):
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

    def method(self, function: Method, args: list[Value], named: dict[str, Value], node: n.expr) -> Value:
        """A call of a method of a tuple, a list, a dict."""
        of, name = function.of, function.name
        held = self.state.held[of.identity]
        if of.identity in self.state.frozen and name in MUTATING["dict"]:
            raise NotInterpreted("a store to what only shows what something else holds")
        if name == "__init__ of object":
            return Known(None)
        if name == "_replace" and not args:
            fields: tuple[str, ...] = of.kind._fields  # type: ignore[attr-defined]
            return self.structure(of.kind, [named.get(field, part) for field, part in zip(fields, self.parts(of))])
        if name == "_asdict":
            return self.structure(dict, dict(zip(of.kind._fields, self.parts(of))))  # type: ignore[attr-defined]
        if of.kind is list and name == "sort":
            found = self._sorted([of], named, node)
            if not isinstance(found, Structure):
                return self.called(self.method_of(of, name), args, named, node)
            self.replace(of, dict(enumerate(self.parts(found))))
            return Known(None)
        if named and name not in ("update",):
            raise NotInterpreted(f".{name}(…)")
        if of.kind is list:
            if name == "append":
                self.state.store((of.identity, len(held)), args[0], "part")
                return Known(None)
            if name == "extend" and (items := self.items_of(args[0])) is not None:
                for item in items:
                    self.state.store((of.identity, len(held)), item, "part")
                return Known(None)
            if name == "insert" and isinstance(args[0], Known) and type(args[0].object) is int:
                parts = [self.state.pinned(part) for part in self.parts(of)]
                parts.insert(args[0].object, self.state.pinned(args[1]))
                self.replace(of, dict(enumerate(parts)))
                return Known(None)
            if name == "pop" and all(isinstance(arg, Known) for arg in args):
                at = args[0].object if args else -1  # type: ignore[attr-defined]
                parts = [self.state.pinned(part) for part in self.parts(of)]
                if -len(parts) <= at < len(parts):
                    found = parts.pop(at)
                    self.replace(of, dict(enumerate(parts)))
                    return found
            if name == "copy":
                return self.structure(list, self.parts(of))
            if name == "reverse":
                self.replace(of, dict(enumerate([self.state.pinned(part) for part in self.parts(of)][::-1])))
                return Known(None)
        if of.kind is dict:
            if name in ("items", "keys", "values"):
                return Items(name, [of])
            if name == "get" and of.identity in self.state.shown and isinstance(args[0], Run):
                getter = n.Attribute(value=clone(self.state.shown[of.identity]), attr=name, ctx=n.Load())
                return self.run(n.Call(func=getter, args=[self.text(arg) for arg in args], keywords=[]), node)
            if name in ("get", "setdefault", "pop") and args and not self.is_known_part(of, args[0]):
                return self.called(self.method_of(of, name), args, named, node)
            if name in ("get", "setdefault", "pop") and args:
                key = self.key(args[0])
                if key in held:
                    found = self.loaded(held[key])
                    if name == "pop":
                        found = self.state.pinned(found)
                        del held[key]
                    return found
                other = args[1] if len(args) > 1 else Known(None)
                if name == "setdefault":
                    self.state.store((of.identity, key), other, str(key))
                    return self.loaded(held[key])
                if name == "get" or len(args) > 1:
                    return other
            if name == "update" and len(args) < 2:
                for key, value in {**(self.entries(args[0]) if args else {}), **named}.items():
                    self.state.store((of.identity, key), value, str(key))
                return Known(None)
            if name == "copy" and of.identity not in self.state.factories:
                return self.structure(dict, self.entries(of))
        if of.kind in (list, dict):
            return self.called(self.method_of(of, name), args, named, node)
        raise NotInterpreted(f".{name}() of a {of.kind.__name__}")

    def method_of(self, of: Structure, name: str) -> Run:
        """A method of a container, which is one of the text from here on."""
        return Run(n.Attribute(value=self.become_text(of).node, attr=name, ctx=n.Load()))

    def replace(self, of: Structure, parts: dict[Any, Value]) -> None:
        """Give a list other parts, which are pinned."""
        self.state.held[of.identity] = {}
        for key, part in parts.items():
            self.state.store((of.identity, key), part, "part")

    # builtins; None: the call stays one

    def _len(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        value = args[0]
        if isinstance(value, Structure) and (value.kind in (list, dict) or issubclass(value.kind, tuple)):
            return Known(len(self.state.held[value.identity]))
        if isinstance(value, Structure):
            return self.called(self.attribute(value, "__len__", node), [], {}, node)
        return None

    def _lazy(self, of: Any) -> Any:
        def made(self: Any, args: list[Value], named: Any, node: n.expr) -> Value | None:
            kind = LAZY[of]
            if kind == "range":
                if not all(isinstance(arg, Known) for arg in args):
                    return None
                return None if len(range(*(arg.object for arg in args))) > 10**6 else Items("range", args)  # type: ignore[attr-defined]
            start = named.pop("start", args[1] if len(args) > 1 else Known(0)) if kind == "enumerate" else None
            named.pop("strict", None)
            plain = all(isinstance(arg, Run) or isinstance(arg, Known) and isinstance(arg.object, (int, type(None))) for arg in args)
            if kind in ("repeat", "pairwise", "combinations", "islice") and plain or kind == "product" and named:
                return None
            if named:
                raise NotInterpreted(f"options of {kind}")
            parts = [self.pinned_iterable(arg) for arg in ([args[0], start] if kind == "enumerate" else args)]
            return Items(kind, parts, self.state.new({}))
        return made

    def _list(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        return self.structure(list, []) if not args else self.listed(args[0], node)

    def _tuple(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        return self.structure(tuple, []) if not args else self.listed(args[0], node, tuple)

    def _dict(self, args: list[Value], named: dict[str, Value], node: n.expr) -> Value | None:
        held: dict[Any, Value] = {}
        if args and (isinstance(args[0], Items) or isinstance(args[0], Structure) and args[0].kind in (list, tuple)):
            items = self.items_of(args[0])
            if items is None:
                raise NotInterpreted("which entries a dict has is not known")
            for item in items:
                pair = self.items_of(item)
                if pair is None or len(pair) != 2:
                    raise NotInterpreted("which entries a dict has is not known")
                held[self.key(pair[0])] = pair[1]
        elif args and isinstance(args[0], Run) and not named and self.outside.entries(args[0]) is None:
            return None
        elif args:
            held |= self.entries(args[0])
        return self.structure(dict, held | named)

    def _sum(self, args: list[Value], named: dict[str, Value], node: n.expr) -> Value | None:
        if isinstance(args[0], Run) or isinstance(args[0], Known):
            return None
        start = named.get("start", args[1] if len(args) > 1 else Known(0))
        return self.reduced(args[0], start, lambda total, item: self.operation(n.Add(), total, item, node), node)

    def reduced(self, items: Value, start: Value | None, step: Any, node: n.expr) -> Value:
        """An accumulation over items (``loops.py``)."""
        raise NotImplementedError

    def _reduce(self, args: list[Value], named: dict[str, Value], node: n.expr) -> Value | None:
        start = args[2] if len(args) > 2 else None
        return self.reduced(args[1], start, lambda total, item: self.called(args[0], [total, item], {}, node), node)

    def _partial(self, args: list[Value], named: dict[str, Value], node: n.expr) -> Value | None:
        return Bound(args[0], [self.state.pinned(arg) for arg in args[1:]], {name: self.state.pinned(arg) for name, arg in named.items()})

    def _isinstance(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        value, kinds = args
        if isinstance(value, Structure) and isinstance(kinds, Known) and isinstance(kinds.object, type):
            return Known(issubclass(value.kind, kinds.object))
        if isinstance(value, Structure) and isinstance(kinds, Structure):
            found = self.parts(kinds)
            if all(isinstance(kind, Known) for kind in found):
                return Known(issubclass(value.kind, tuple(kind.object for kind in found)))  # type: ignore[attr-defined]
        if isinstance(value, Known) and isinstance(kinds, Known):
            return Known(isinstance(value.object, kinds.object))
        if not isinstance(value, Run):
            raise NotInterpreted("isinstance(…)")
        asked = [kinds] if isinstance(kinds, Known) else self.parts(kinds) if isinstance(kinds, Structure) else []
        of_users = [isinstance(kind, Known) and isinstance(kind.object, type) and is_plain_class(kind.object) for kind in asked]
        if of_users and all(of_users) and (kind := self.outside.kind_of(value)) is not None:
            return Known(any(issubclass(kind, each.object) for each in asked))  # type: ignore[attr-defined]
        return Known(False) if of_users and all(of_users) and self.outside.is_numeric(value.node) else None

    def _type(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        kind = self.kind_of(args[0]) if len(args) == 1 else None
        return None if kind is None or not is_users(kind) else self.class_of(kind, args[0])

    def _abs(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        return self.called(self.attribute(args[0], "__abs__", node), [], {}, node) if isinstance(args[0], Structure) else None

    def _callable(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        if isinstance(args[0], (Closure, Bound, Method)):
            return Known(True)
        return Known(callable(args[0].object)) if isinstance(args[0], Known) else None

    def _getattr(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        name = self.key(args[1])
        if len(args) == 3:
            if self._has(args[0], name) is False:
                return args[2]
            if self._has(args[0], name) is None:
                raise NotInterpreted("getattr(…)")
        return self.attribute(args[0], name, node)

    def _has(self, value: Value, name: str) -> bool | None:
        if isinstance(value, Structure) and is_users(value.kind):
            return name in self.state.held[value.identity] or self.member(value.kind, name) is not MISSING
        if isinstance(value, Known) and isinstance(value.object, (types.ModuleType, type)):
            return hasattr(value.object, name)
        return None

    def _hasattr(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        found = self._has(args[0], self.key(args[1]))
        if found is None:
            raise NotInterpreted("hasattr(…)")
        return Known(found)

    def _setattr(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        self.assign_attribute(args[0], self.key(args[1]), args[2], node)
        return Known(None)

    def _vars(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        value = args[0]
        if isinstance(value, Structure) and is_users(value.kind):
            return self.viewed(value)
        if isinstance(value, Run) and (found := self.outside.attributes(value)) is not None:
            shown = self.structure(dict, found)
            self.state.frozen.add(shown.identity)
            return shown
        raise NotInterpreted("vars(…)")

    def _replace(self, args: list[Value], named: dict[str, Value], node: n.expr) -> Value | None:
        value = args[0]
        if not isinstance(value, Structure) or not dataclasses.is_dataclass(value.kind):
            return None
        held = self.state.held[value.identity]
        given = {field.name: self.loaded(held[field.name]) for field in dataclasses.fields(value.kind) if field.init}
        return self.construct(Known(value.kind), value.kind, [], given | named, node)

    def _defaultdict(self, args: list[Value], named: dict[str, Value], node: n.expr) -> Value | None:
        factory = args[0].object if len(args) == 1 and not named and isinstance(args[0], Known) else None
        if factory not in (int, float, list, dict):
            return None
        made = self.structure(dict, {})
        self.state.factories[made.identity] = factory
        return made

    def _asdict(self, args: list[Value], named: dict[str, Value], node: n.expr) -> Value | None:
        if named or not isinstance(args[0], Structure) or not dataclasses.is_dataclass(args[0].kind):
            return None
        return self.fields_of(args[0], node)

    def fields_of(self, value: Value, node: n.expr) -> Value:
        """What ``dataclasses.asdict`` makes of a value."""
        if not isinstance(value, Structure):
            return self.copied(value, {}, node)
        held = {key: self.fields_of(self.loaded(part), node) for key, part in self.state.held[value.identity].items()}
        if dataclasses.is_dataclass(value.kind):
            return self.structure(dict, {field.name: held[field.name] for field in dataclasses.fields(value.kind)})
        return self.structure(value.kind, held)

    def _copy(self, args: list[Value], named: dict[str, Value], node: n.expr) -> Value | None:
        value = args[0]
        if not isinstance(value, Structure) or not self.is_copied_plainly(value.kind):
            return None
        return self.structure(value.kind, {key: self.loaded(part) for key, part in self.state.held[value.identity].items()})

    def _deepcopy(self, args: list[Value], named: dict[str, Value], node: n.expr) -> Value | None:
        return None if named or len(args) > 1 else self.copied(args[0], {}, node)

    def is_copied_plainly(self, kind: type) -> bool:
        """Whether a copy of an object has the attributes that the object has."""
        return not any(is_user_function(self.member(kind, name)) for name in COPYING)

    def copied(self, value: Value, known: dict[int, Value], node: n.expr) -> Value:
        """A copy of a value and of all that it holds; ``known`` are those that there are, by what they are of."""
        if isinstance(value, Structure):
            if not self.is_copied_plainly(value.kind):
                raise NotInterpreted("an object that is copied in its own way")
            if value.identity not in known:
                held = self.state.held[value.identity]
                known[value.identity] = made = self.structure(value.kind, {})
                parts = {key: self.copied(self.loaded(part), known, node) for key, part in held.items()}
                self.state.held[made.identity].update({key: self.state.pinned(part) for key, part in parts.items()})
            return known[value.identity]
        if isinstance(value, Run):
            if self.outside.kind_of(value) is not None:
                raise NotInterpreted("a copy of an object that is not made here")
            return self.run(n.Call(func=self.outside.helper(copied), args=[self.text(value)], keywords=[]), node)
        if isinstance(value, Known) and type(value.object) in (list, dict):
            return self.run(n.Call(func=self.outside.helper(copied), args=[self.text(value)], keywords=[]), node)
        if isinstance(value, Known):
            return value
        raise NotInterpreted("a copy of a function")

    def _all_any(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        if isinstance(args[0], (Run, Known)):
            return None
        saved = self.state.saved()
        items = self.items_of(args[0])
        whole = isinstance(args[0], Items) and args[0].kind == "generator expression" and not binds_more(args[0].parts[2])
        if items is None and not whole:
            raise NotInterpreted("what is asked of some items alone")
        for item in items or ():
            if self.truth(item) is None:
                raise NotInterpreted("all(…)")
        found = self.stays(Known(None, node.func), [self.in_row(args[0], node)], {}, node)
        if whole:
            asked: Any = args[0]
            self.state.held[asked.parts[1].identity].clear()
            self.state.used_up.discard(asked.born)
        if self.state.changed(saved):
            raise NotInterpreted("what is asked of some items alone")
        return found

    def _extremum(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        if len(args) == 1 and isinstance(args[0], (Items, Structure)) and not named:
            items = self.items_of(args[0])
            if items is not None and len(items) == 1:
                return items[0]
            if items is not None:
                return self.run(n.Call(func=clone(node.func), args=[self.text(item) for item in items], keywords=[]), node)
            return self.run(n.Call(func=clone(node.func), args=[self.text(self.listed(args[0], node))], keywords=[]), node)
        items = self.items_of(args[0]) if len(args) == 1 and set(named) == {"key"} and isinstance(args[0], (Items, Structure)) else None
        if not items or not any(map(self.holds_object, items)):
            return None
        keys = [self.called(named["key"], [item], {}, node) for item in items]
        if all(map(self.is_told, keys)):
            return (min if self.outside.meant(node.func) is min else max)(zip(map(self.key, keys), items), key=lambda pair: pair[0])[1]
        return self.by_number(self.ordered(node.func, keys).node, items, node)

    def ordered(self, function: n.expr, keys: list[Value], backwards: Known = FORWARDS) -> Run:
        """The number of the first or last of some keys, or all numbers in order."""
        held = self.state.temporary(n.List(elts=[self.text(key) for key in keys], ctx=n.Load()), "keys")
        options = ", reverse=True" if backwards.object else ""
        text = expression(f"$f(range({len(keys)}), key=$k.__getitem__{options})", f=clone(function), k=held.node)
        return self.state.temporary(text, "number")

    def _sorted(self, args: list[Value], named: dict[str, Value], node: n.expr) -> Value | None:
        """A list in the order of keys that are known."""
        key, backwards = named.get("key"), named.get("reverse", Known(False))
        if isinstance(args[0], (Run, Known)) or not isinstance(backwards, Known) or not set(named) <= {"key", "reverse"}:
            return None
        items = self.items_of(args[0])
        if items is None:
            return None
        keys = [item if key is None else self.called(key, [item], {}, node) for item in items]
        if not all(map(self.is_told, keys)) and any(map(self.holds_object, items)):
            self.state.waiting.append(items)
            in_order = self.ordered(node.func, keys, backwards)
            items = self.state.waiting.pop()
            numbers = [expression(f"$o[{place}]", o=clone(in_order.node)) for place in range(len(items))]
            return self.structure(list, [self.by_number(number, items, node) for number in numbers])
        if not all(map(self.is_told, keys)):
            return None if key is not None else self.stays(Known(sorted, node.func), [self.structure(list, items)], named, node)
        order = sorted(range(len(items)), key=lambda place: self.key(keys[place]), reverse=bool(backwards.object))
        return self.structure(list, [items[place] for place in order])

    def is_told(self, value: Value) -> bool:
        """Whether a value is a number or a word that is known, or a tuple of such."""
        if isinstance(value, Structure):
            return value.kind is tuple and all(map(self.is_told, self.parts(value)))
        return isinstance(value, Known) and isinstance(value.object, (int, float, str))

    def _iter(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        value = args[0]
        if isinstance(value, Structure) and is_users(value.kind) and not issubclass(value.kind, tuple):
            return self.called(self.attribute(value, "__iter__", node), [], {}, node)
        if isinstance(value, Structure) and value.kind is not dict:
            return value if value.kind is Iterator else Structure(self.state.new({"of": value, "position": Known(0)}), Iterator)
        items = None if isinstance(value, Items) and value.kind in ("generator", "generator expression") else self.items_of(value)
        if items is None and isinstance(value, Run):
            return None
        if items is None:
            raise NotInterpreted("iter(…)")
        return Structure(self.state.new({"of": self.structure(tuple, items), "position": Known(0)}), Iterator)

    def next_of(self, value: Structure) -> Value | None:
        """The next item of an iterator, None where it has none (``loops.py``)."""
        raise NotImplementedError

    def _next(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        if isinstance(args[0], Run):
            return None
        if not isinstance(args[0], Structure) or args[0].kind is not Iterator:
            raise NotInterpreted("next(…)")
        found = self.next_of(args[0])
        if found is None and len(args) < 2:
            raise NotInterpreted("an iterator without a next item")
        return args[1] if found is None else found


def is_plain_class(kind: type) -> bool:
    """Whether a class is one of the user's, and derived from nothing else."""
    return type(kind) in (type, abc.ABCMeta) and all(is_users(base) or base in (object, abc.ABC) for base in kind.__mro__)


def makes_function(tree: Any) -> bool:
    """Whether a function returns a function that is defined in it."""
    inner = {part.name for part in tree.body if isinstance(part, n.FunctionDef)}
    returned = [part.value for part in n.walk(tree) if isinstance(part, n.Return)]
    return any(isinstance(value, n.Lambda) or isinstance(value, n.Name) and value.id in inner for value in returned)


def binds_more(node: Any) -> bool:
    """Whether a comprehension binds names that are not its own."""
    return any(isinstance(part, n.NamedExpr) for part in n.walk(node))


def lazy(of: Any) -> Any:
    """What makes an iterator of a call."""
    return Calls._lazy(None, of)  # type: ignore[arg-type]


BUILTINS: dict[Any, Any] = {
    len: Calls._len, list: Calls._list, tuple: Calls._tuple, dict: Calls._dict, sum: Calls._sum, functools.reduce: Calls._reduce,
    functools.partial: Calls._partial, isinstance: Calls._isinstance, abs: Calls._abs, type: Calls._type, callable: Calls._callable,
    getattr: Calls._getattr, hasattr: Calls._hasattr, setattr: Calls._setattr, vars: Calls._vars, all: Calls._all_any, any: Calls._all_any,
    sorted: Calls._sorted, min: Calls._extremum, max: Calls._extremum, iter: Calls._iter, next: Calls._next,
    dataclasses.replace: Calls._replace, dataclasses.asdict: Calls._asdict, copy.copy: Calls._copy, copy.deepcopy: Calls._deepcopy,
    collections.defaultdict: Calls._defaultdict,
    **{kind: lazy(kind) for kind in LAZY},
}
"""What is done for the calls of builtins."""
