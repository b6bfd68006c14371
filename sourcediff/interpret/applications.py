"""Interpret the parts of a call: the function, its arguments, what stars in it stand for."""

from __future__ import annotations

import dataclasses
import types
from typing import Any

import numpy as np

from ..analysis.environment.captured import is_user_function
from ..rules.frames import rule_for
from ..runtime.user_objects import is_users
from ..syntax import nodes as n
from ..syntax.quote import altered
from .messages import Messages
from .trees import targets_of
from .values import Bound, Closure, Frame, Items, Known, NotInterpreted, Run, Value

NO_DEFAULT = dataclasses.MISSING


TAKING = frozenset({sum, min, max, list, tuple, sorted, dict, set, any, all})
"""The builtins that ask for all items of a generator."""


class Applications(Messages):
    """The values of what is applied to something."""

    taken: n.expr | None = None  # a generator expression of which all items are asked for at once

    def _Call(self, node: Any) -> Value:
        if isinstance(node.func, n.IfExp):
            one, other = (altered(node, func=part) for part in (node.func.body, node.func.orelse))
            return self._IfExp(altered(node.func, body=one, orelse=other))
        if isinstance(node.func, n.Name) and node.func.id == "super" and not node.args:
            return self._super()
        if len(node.args) == 1 and isinstance(node.args[0], n.GeneratorExp) and isinstance(node.func, n.Name):
            known = self.value(node.func)
            self.taken = node.args[0] if isinstance(known, Known) and any(known.object is each for each in TAKING) else None
        stars = [arg.value if isinstance(arg, n.Starred) else arg for arg in node.args]
        given = [*node.args, *node.keywords]
        apart = [number for number, arg in enumerate(given, 1) if isinstance(arg, n.Starred) or getattr(arg, "arg", "") is None]
        function, *values = self.several([node.func, *stars, *(keyword.value for keyword in node.keywords)], True, apart)
        args: list[Value] = []
        for arg, value in zip(node.args, values):
            if isinstance(arg, n.Starred):
                items = self.wanted_items(value)
                if items is None and isinstance(value, Known) and type(value.object) in (tuple, list) and value.node is not None:
                    value = Run(value.node)
                if items is None and isinstance(value, Run) and (count := self.awaited(function, len(node.args) - 1, node)) is not None:
                    items = self.unpacked(value, count)
                method = isinstance(function, Run) and self.outside.kind_of(function) is None
                if items is None and isinstance(value, Run) and (
                        method or isinstance(function, Known) and rule_for(function.object) is not None):
                    items = [self.run(n.Starred(value=self.text(value), ctx=n.Load()), arg)]
                if items is None and isinstance(function, Known) and function.object is zip and len(node.args) == 1:
                    rows = self.state.pinned(self.listed(value, arg) if isinstance(value, Items) else value)
                    return Items("columns", [rows, Known(self.state.written)], self.state.new({}))
                if items is None:
                    raise NotInterpreted("how many values a star stands for is not known")
                args += items
            else:
                args.append(value)
        named: dict[str, Value] = {}
        for keyword, value in zip(node.keywords, values[len(node.args):]):
            named |= self.entries(value) if keyword.arg is None else {keyword.arg: value}
        return self.called(function, args, named, node)

    def awaited(self, function: Value, others: int, node: Any) -> int | None:
        """How many values a star in a call stands for, besides ``others``, as the function says that is called; None if it does not."""
        if sum(isinstance(arg, n.Starred) for arg in node.args) != 1 or node.keywords:
            return None
        if isinstance(function, Known) and isinstance(function.object, np.ufunc):
            return function.object.nin - others
        kind = self.kind_of(function)
        if kind is not None and is_user_function(self.member(kind, "__call__")):
            return self.awaited(self.attribute(function, "__call__", node), others, node)
        if isinstance(function, Bound):
            count = self.awaited(function.function, others, node)
            return None if count is None else count - len(function.given)
        if isinstance(function, Known) and isinstance(function.object, type) and is_users(function.object):
            return self.fields_awaited(function.object, others, node)
        if isinstance(function, Known) and isinstance(function.object, types.FunctionType) and is_user_function(function.object):
            function = self.outside.function(function.object)
        if not isinstance(function, Closure) or function.defaults or function.tree.args.vararg is not None:
            return None
        return len(function.tree.args.posonlyargs) + len(function.tree.args.args) - others

    def fields_awaited(self, kind: type, others: int, node: Any) -> int | None:
        """How many values make an object of a class, besides ``others``, if none of them may be left out."""
        if issubclass(kind, tuple) and hasattr(kind, "_fields"):
            return None if kind._field_defaults else len(kind._fields) - others  # type: ignore[attr-defined]
        init = self.member(kind, "__init__")
        if dataclasses.is_dataclass(kind) and isinstance(init, types.FunctionType) and init.__code__.co_filename.startswith("<"):
            fields = [field for field in dataclasses.fields(kind) if field.init]
            least = any(field.default is not NO_DEFAULT or field.default_factory is not NO_DEFAULT for field in fields)
            return None if least else len(fields) - others
        count = self.awaited(Known(init), others, node) if is_user_function(init) else None
        return None if count is None else count - 1

    def _GeneratorExp(self, node: Any) -> Value:
        names_ = targets_of(node)
        around = self.state.frames[-1]
        first = self.value(node.generators[0].iter)
        if node is self.taken and isinstance(first, Run):
            first = self.state.as_whole(first)
        else:
            first = self.pinned_iterable(first)
        frame = Frame(self.state.new({}), names_, around.function, around, node, around.owner)
        return Items("generator expression", [first, frame, node], self.state.new({}))
