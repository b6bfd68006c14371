"""Interpret calls: of functions that are known, of methods of structures, of classes, of builtins; other calls stay calls."""

from __future__ import annotations

import contextlib
import functools
import logging
import types
import warnings
from typing import Any

import numpy as np

from ..analysis.environment.captured import is_user_function
from ..analysis.source.caches import has_cache
from ..analysis.source.effects import Effective
from ..rules.composites.iterators import IN_PYTHON
from ..rules.facts import FACTS
from ..rules.frames import rule_for
from ..rules.library_functions import FUNCTIONALS, is_distribution
from ..runtime.user_objects import is_users
from ..syntax import nodes as n
from ..syntax.container_methods import MUTATING
from ..syntax.quote import clone, expression, place, statement
from .builtin_calls import BUILTINS, LAZY
from .call_arguments import CallArguments
from .nodes_of_values import as_node, is_literal
from .operators import OPERATIONS, SPECIAL
from .trees import is_walk, makes_function, says_alone
from .values import (
    Bound,
    Cached,
    Choice,
    Closure,
    Items,
    Known,
    Method,
    NotInterpreted,
    OneOf,
    Recursing,
    Run,
    Series,
    Structure,
    TooLong,
    Value,
)

SEEING = ("numpy", "builtins", "math", "functools", "itertools")
"""Modules whose functions make no difference between a list and a deque, but for:"""

DIFFERING = (print, repr, str, type, isinstance, id, format, hasattr, getattr, dir, vars, hash, callable)

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


SPELLED = ("_all_any", "_sorted", "_extremum", "_count")
"""The methods of builtins that the text may call by their names."""

KINDS = (types.BuiltinFunctionType, types.FunctionType, type)
"""What may be a builtin, or its like."""

DEEPEST = 24
"""How many calls may be interpreted within one another."""


class Calls(CallArguments):
    """The values of calls."""

    effective: Effective
    brief: bool
    """Whether calls of functions stay calls, if they can."""
    islands: bool
    """Whether calls of functions that are refused stay calls."""
    first = True
    """Whether what is too long is tried in another way."""
    opening = False
    """Whether functions are looked into of which nothing carries a derivative."""

    def called(self, function: Value, args: list[Value], named: dict[str, Value], node: n.expr) -> Value:
        """The value of a call."""
        if isinstance(function, Bound):
            if (call := self.walk_of(function, args, named, node)) is not None:
                return call
            return self.called(function.function, [*function.given, *args], {**function.named, **named}, node)
        if isinstance(function, Cached):
            return self.remembered(function.function, args, named, node)
        if isinstance(function, Series) and function.method and not named:
            return self.method_of_series(function, args, node)
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
            if isinstance(function.node, n.Attribute) and function.node.attr == "get" and not named:
                found = self.outside.got(function.node.value, args)
                if found is not None:
                    return found
                if (held := self.held_under(function, args, node)) is not None:
                    return held
            if not named and (found := self.method_of_dict(function.node, args, node)) is not None:
                return found
            keeps = isinstance(function.node, n.Attribute) and function.node.attr in KEEPING
            if keeps and self.outside.is_table(function.node.value):
                raise NotInterpreted("a table that is not made here changes")
            if keeps and function.node.attr == "extend" and isinstance(args[0], (Items, Series)):
                return self.extended(function.node, args[0], node)
            if args and isinstance(function.node, n.Attribute) and function.node.attr in ("append", "setdefault"):
                self.separate(getattr(function.node.value, "id", None), args[-1])
            if keeps and any(map(self.holds_varying, args)):
                of = self.state.stands.get(getattr(function.node.value, "id", ""), function.node.value)
                self.separate_lists(getattr(of.value, "id", None) if isinstance(of, n.Subscript) else None)
            if keeps:
                self.grows(function.node, [*args, *named.values()])
            if isinstance(function.node, n.Attribute) and (record := self.state.records.of_items(function.node.value)) is not None:
                return self.method_of_objects(function, record, args, named, node, keeps)
            return self.stays(function, args, named, node, keeps)
        raise NotInterpreted("a call of what is no function")

    def walk_of(self, method: Bound, args: list[Value], named: dict[str, Value], node: n.expr) -> Run | None:
        """The call of a method of an object from outside that gives items of the object, and then those of others by the same method, as it
        stands; None of any other call.
        """
        closure = method.function
        if not isinstance(closure, Closure) or not isinstance(closure.tree, n.FunctionDef) or not is_walk(closure.tree):
            return None
        values = [*method.given, *args, *method.named.values(), *named.values()]
        nodes = [as_node(value) for value in values]
        if len(method.given) != 1 or method.named or any(each is None or self.state.carries(each) for each in nodes):
            return None
        owner = method.given[0]
        if not isinstance(owner, Run) or self.outside.kind_of(owner) is None or not self.effective.object_is_pure(closure.function):
            return None
        named_ = [n.keyword(arg=name, value=self.text(value)) for name, value in named.items()]
        function = n.Attribute(value=clone(owner.node), attr=closure.tree.name, ctx=n.Load())
        return self.run(n.Call(func=function, args=list(map(self.text, args)), keywords=named_), node)

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
            if any(self.state.carries(self.text(value, self.state.records.asked and self.holds_objects(value))) for value in values):
                self.state.active.add(node.value.id)

    def stays(self, function: Value, args: list[Value], named: dict[str, Value], node: n.expr, keeps: bool = False) -> Value:
        """A call of the text, which may keep what it is given; it is made now, if it may do something, or gives something else later."""
        asks = isinstance(function, Known) and function.object in (len, sum, min, max, sorted, list, dict, tuple, set, any, all)
        if not asks and any(isinstance(value, Run) and self.factory_of(value) is not None for value in args):
            raise NotInterpreted("a defaultdict is given to a function")
        args = args if asks or keeps else list(map(self.with_factory, args))
        if keeps and any(isinstance(value, Run) and self.outside.kind_of(value) is not None for value in args):
            raise NotInterpreted("an object in a list of the text")
        if self.says(function):
            args = [self.shown(value) for value in args]
        owner = function.node.value if isinstance(function, Run) and isinstance(function.node, n.Attribute) else None
        if owner is not None and is_distribution(self.outside.meant(owner)):
            args, named = list(map(self.as_array, args)), {name: self.as_array(value) for name, value in named.items()}
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
        if str(getattr(of, "__module__", None)).split(".")[0] in SEEING and not any(of is each for each in DIFFERING):
            args = list(map(self.in_list, args))
        elif any(of is each for each in DIFFERING) and any(self.in_list(arg) is not arg for arg in args):
            raise NotInterpreted("what kind of a container a deque is")
        found: Value | None = None
        if (kind := next((kind for known, kind in LAZY.items() if known is of), None)) is not None:
            found = self._lazy(kind, args, named)
        elif (method := BUILTINS.get(of) if isinstance(of, KINDS) else None) is not None:
            renamed = method in SPELLED and not (isinstance(node, n.Call) and self.outside.meant(node.func) is of)
            shown = place(n.Call(func=self.text(function), args=[], keywords=[]), node) if renamed else node
            found = getattr(self, method)(args, named, shown)
        if found is not None or (found := self.of_words(of, args, named)) is not None:
            return found
        if len(args) == 2 and (sign := next((kind for kind in SPECIAL if OPERATIONS.get(kind) is of), None)) is not None:
            return self.operation(sign(), args[0], args[1], node)
        if any(of is each for each in (sorted, min, max)):
            named = self.with_order(args, named)
        if any(of is each for each in (sorted, min, max)) and isinstance(named.get("key"), Closure):
            shown = [self.text_of(arg) for arg in args]
            args = [self.in_row(arg, node) if text is None else Run(text) for arg, text in zip(args, shown)]
            record = self.state.records.of_items(self.text(args[0])) if len(args) == 1 else None
            named = {**named, "key": self.as_lambda(named["key"], any(self.state.carries(self.text(arg)) for arg in args), node, record)}
            if record is not None and of is not sorted:
                return self.shown_record(self.state.pinned(self.stays(function, args, named, node)).node, record)  # type: ignore[attr-defined]
        if isinstance(of, type) and of is types.SimpleNamespace:
            return self.structure(of, dict(named))
        if isinstance(of, type) and is_users(of) and not issubclass(of, BaseException):
            return self.construct(function, of, args, named, node)
        if (in_python := next((stand_in for known, stand_in in IN_PYTHON.items() if known is of), None)) is not None:
            return self.function(self.outside.function(in_python), args, named, node)
        if (on_heap := self.on_heap(of, args, node)) is not None:
            return on_heap
        if (managed := managed_by(of)) is not None:
            found = self.function(self.outside.function(managed), args, named, node)
            if not isinstance(found, Items):
                raise NotInterpreted("a manager that is no generator")
            return Items("manager", found.parts, found.born)
        if isinstance(of, types.FunctionType) and is_user_function(of):
            if (found := self.known_now(of, args, named, node)) is not None:
                return found
            if self.opens(of, args, named):
                return self.opened(function, args, named, node)
        if isinstance(of, types.MethodType) and isinstance(of.__func__, types.FunctionType) and is_user_function(of.__func__):
            if isinstance(of.__self__, type):
                owner = function.node.value if isinstance(function.node, n.Attribute) else None
                return self.called(self.outside.function(of.__func__), [Known(of.__self__, owner), *args], named, node)
            if function.node is None:
                return self.stays(function, args, named, node)
            owner = n.Attribute(value=clone(function.node), attr="__self__", ctx=n.Load())
            return self.called(self.outside.function(of.__func__), [Run(owner), *args], named, node)
        if isinstance(of, functools.partial) and function.node is not None and not hasattr(of.func, "sourcediff"):
            before = [self.of_partial(part, expression(f"$p.args[{number}]", p=function.node)) for number, part in enumerate(of.args)]
            preset = {name: self.of_partial(part, expression("$p.keywords[$k]", p=function.node, k=n.Constant(value=name, kind=None)))
                      for name, part in of.keywords.items()}
            whole = self.of_partial(of.func, expression("$p.func", p=function.node))
            return self.called(whole, [*before, *args], preset | named, node)
        if not isinstance(of, (types.FunctionType, types.BuiltinFunctionType, types.MethodType, type, np.ufunc)) and is_users(type(of)):
            as_object = function.node is not None and self.outside.kind_of(Run(function.node)) is not None
            return self.called(Run(function.node), args, named, node) if as_object else self.stays(function, args, named, node)
        if isinstance(of, types.FunctionType) and "__tree__" in vars(of) and any(map(self.holds_changing, (*args, *named.values()))):
            return self.function(self.outside.function(of), args, named, node)  # what is outlined with an object is outlined once more
        if isinstance(of, types.FunctionType) and "__tree__" in vars(of) and any(map(self.is_given_object, args)):
            shown = [self.given_object([arg], arg, node) if self.is_given_object(arg) else arg for arg in args]
            return self.function(self.outside.function(of), shown, named, node)
        if any(of is each for each in FUNCTIONALS):
            args, named = self.with_given(of, [self.call_of_object(value, node) for value in args], named)
        keeps = rule_for(of) is None and not is_of_numpy(of) and not self.says(function)
        if keeps and not (self.effective.object_is_pure(of) and getattr(of, "__module__", None) == "builtins"):
            reached = self.state.reached()
            args, named = [self.given_away(value, reached) for value in args], {
                name: self.given_away(value, reached) for name, value in named.items()}
        return self.stays(function, [self.in_row(value, node) for value in args], {
            name: self.in_row(value, node) for name, value in named.items()}, node)

    def opened(self, function: Known, args: list[Value], named: dict[str, Value], node: n.expr) -> Value:
        """The body of a function from outside in place of its call, which stays one if the function calls itself without a known end, and
        if it is refused: of a pure one that is given nothing, and where islands are asked for.
        """
        closure = self.outside.function(function.object)
        outermost = all(frame.function is not function.object for frame in self.state.frames[1:])
        saved, depth, around = self.state.saved(), len(self.state.waiting), (self.loops, self.base)
        try:
            return self.function(closure, args, named, node)
        except NotInterpreted as problem:
            texts = all(as_node(value) is not None for value in (*args, *named.values()))
            recursing = isinstance(problem, Recursing) and problem.function is function.object and outermost
            alone = not args and not named and self.effective.object_is_pure(function.object)
            if not recursing and not alone and not (self.islands and texts and not isinstance(problem, (Recursing, TooLong))):
                raise
            del self.state.waiting[depth:]
            self.state.abandon(saved)
            self.loops, self.base = around
            return self.stays(function, args, named, node)

    def extended(self, method: Any, items: Items | Series, node: n.expr) -> Known:
        """A list of the text that is extended by what an iterator gives: item by item."""

        def append(item: Value) -> None:
            self.grows(method, [item])
            self.state.emit(place(statement("$x.append($y)", x=clone(method.value), y=self.text(item, True)), node))

        self.drive(items, append, node)
        return Known(None)

    def in_row(self, value: Value, node: n.expr) -> Value:
        """An argument of a call of the text: of an iterator the list of its items."""
        return self.listed(value, node) if isinstance(value, Items) else value

    def opens(self, function: Any, args: list[Value], named: dict[str, Value]) -> bool:
        """Whether the body of a function is looked into: something that carries a derivative, or that is no expression, is given to it."""
        values = [*args, *named.values()]
        caller = next((frame for frame in reversed(self.state.frames) if frame.function is function and frame.around is None), None)
        if caller is not None:
            parts = [self.outside.known(value.node) for value in values if isinstance(value, Run) and self.outside.is_part(value.node)]
            if any(part is not None and part.kind == "object" and part.items[1] is None for part in parts):
                raise NotInterpreted("a call of itself with each object of a loop")
            if self.holds_container(caller) and args and isinstance(args[0], Run) and self.outside.is_numeric(args[0].node):
                return True
            return bool(parts) or any(as_node(value) is None for value in values)
        texts = all(as_node(value) is not None for value in values)
        if texts and self.brief and self.outside.may_stay(function):
            return False
        if hasattr(function, "__island__") or texts and self.outside.stays(function) and self.outside.may_stay(function):
            return False
        tree = self.outside.function(function).tree
        if has_cache(tree) and not any(map(self.holds_varying, values)) and (
                all(as_node(value) is not None or is_literal(value) for value in values) or self.effective.object_is_pure(function)):
            return False
        if makes_function(tree):
            return True
        if any((node := as_node(value)) is None or self.state.carries(node) for value in values) or not values:
            return True
        return self.opening or says_alone(tree) or not self.effective.object_is_pure(function)

    def holds_container(self, frame: Any) -> bool:
        """Whether the first argument of a call is a list, a tuple or a dict."""
        first = next((part.id for part in (*frame.tree.args.posonlyargs, *frame.tree.args.args)), None)
        value = self.state.held[frame.identity].get(first)
        return isinstance(value, Structure) or isinstance(value, Run) and bool(self.outside.kinds_held(value.node))

    def holds_varying(self, value: Value) -> bool:
        """Whether a value is, or holds, what carries a derivative, or is neither a container nor an expression."""
        if isinstance(value, Structure) and value.kind in (tuple, list, dict):
            return any(map(self.holds_varying, self.parts(value)))
        node = as_node(value)
        return not is_literal(value) and (node is None or self.state.carries(node))
