"""Interpret the methods of dicts that the text makes which ask for an entry and store or delete it."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from ..syntax import nodes as n
from ..syntax.quote import clone, expression, place, placed, statement
from .heaps import Heaps
from .trees import makes_empty
from .values import Known, NotInterpreted, Run, Structure, Value


class TextDicts(Heaps):
    """Dicts of the text."""

    def method_of_dict(self, function: Any, args: list[Value], node: n.expr) -> Value | None:
        """What a method of a dict that the text makes gives; None of any other method."""
        table = function.value if isinstance(function, n.Attribute) else None
        if not self.is_own_dict(table):
            return None
        if function.attr == "setdefault" and (makes_empty(node) or not any(map(self.can_change, args[1:]))):
            return self.entry_or(table, args, node)
        if function.attr == "pop" and len(args) in (1, 2) and self.state.carries(table):
            return self.entry_taken(table, args, node)
        if function.attr == "clear" and not args:
            self.emptied(table, node)
            return Known(None)
        return None

    def with_factory(self, value: Value) -> Value:
        """A value that is given to a function: of a dict that makes entries itself, one of its class."""
        factory = self.factory_of(value) if isinstance(value, Structure) else None
        if factory is None:
            return value
        if not isinstance(factory, type):
            raise NotInterpreted("a defaultdict is given to a function")
        held = self.text(value)
        given = [held] if isinstance(held, n.Dict) and held.keys else []
        if factory is Counter:
            return Run(n.Call(func=self.outside.helper(Counter), args=given, keywords=[]))
        return Run(n.Call(func=self.outside.helper(defaultdict), args=[expression(factory.__name__), *given], keywords=[]))

    def can_change(self, value: Value) -> bool:
        """Whether a value is a container that may change, or holds one."""
        return isinstance(value, Structure) and (value.kind is not tuple or any(isinstance(part, Structure) for part in self.parts(value)))

    def emptied(self, table: n.Name, node: n.expr) -> None:
        """Take one entry after the other out of a dict."""
        key = self.state.fresh("key")
        text = f"for {key} in list($d):\n    del $d[{key}]"
        self.state.emit(placed(statement(text, d=table), node))

    def is_own_dict(self, node: n.expr | None) -> bool:
        """Whether an expression is the name of a dict that the text makes."""
        return isinstance(node, n.Name) and node.id in self.state.dicts

    def entry_or(self, table: Any, args: list[Value], node: n.expr) -> Value:
        """An entry of a dict of the text, which is stored first if there is none."""
        key, value = (self.state.pinned(each) for each in (*args, Known(None))[:2])
        at, stored = self.text(key), self.text(value)
        if self.state.carries(stored):
            self.state.active.add(table.id)
        made = place(statement("$d[$k] = $v", d=clone(table), k=clone(at), v=stored), node)
        self.state.emit(place(n.If(test=expression("$k not in $d", k=clone(at), d=clone(table)), body=[made], orelse=[]), node))
        return self.run(n.Subscript(value=clone(table), slice=at, ctx=n.Load()), node)

    def entry_taken(self, table: Any, args: list[Value], node: n.expr) -> Value:
        """An entry of a dict of the text that holds what carries a derivative; the dict has it no more."""
        if self.state.records.entry(table) is not None:
            raise NotInterpreted(".pop() of a dict of objects")
        at = self.text(self.state.pinned(args[0]))

        def taken() -> Value:
            slot = n.Subscript(value=clone(table), slice=clone(at), ctx=n.Load())
            found = self.state.temporary(place(slot, node))
            self.state.emit(place(n.Delete(targets=[n.Subscript(value=clone(table), slice=clone(at), ctx=n.Del())]), node))
            return found

        if len(args) == 1:
            return taken()
        return self.either(expression("$k in $d", k=clone(at), d=clone(table)), taken, lambda: args[1], node)
