"""Interpret what puts objects in order: by a key, or by what their class says with ``__lt__``."""

from __future__ import annotations

import dataclasses
import types
from typing import Any

from ..analysis.environment.captured import is_user_function
from ..runtime.user_objects import is_users
from ..syntax import nodes as n
from ..syntax.quote import clone, expression, statement
from .columns import ObjectColumns
from .trees import order_key
from .values import Closure, Columns, Items, Known, NotInterpreted, Row, Run, Selected, Structure, Value


class ObjectOrder(ObjectColumns):
    """What is first, last, or sorted of objects."""

    def sorted_keys(self, value: Value, function: n.expr, backwards: Known) -> Value | None:
        """The keys of a dict of which the text holds one for each attribute, in order, or the items by these; None of anything else."""
        view = value.kind if isinstance(value, Items) and value.kind in ("items", "keys") else "keys"
        whole: Any = value.parts[0] if isinstance(value, Items) and value.kind == view else value
        if not isinstance(whole, Structure) or whole.kind is not Columns or self.state.rows[whole.identity].container is not dict:
            return None
        options = ", reverse=True" if backwards.object else ""
        keys = self.state.temporary(expression(f"$f($x{options})", f=clone(function), x=self.column(whole)), "order")
        selected = Selected(whole, keys.node, self.state.rows[whole.identity].replaced)
        return keys if view == "keys" else Items("items", [selected], self.state.new({}))

    def are_rows(self, value: Value) -> bool:
        """Whether a value is a list of objects of which the text holds one for each attribute, some of these, or the values of a dict."""
        whole = value.parts[0] if isinstance(value, Items) and value.kind == "values" else value
        return isinstance(whole, Selected) or isinstance(whole, Structure) and whole.kind is Columns and (
            whole is not value or self.state.rows[whole.identity].container is list)

    def order_of(self, value: Value) -> Closure | None:
        """What the order of objects, all of one class that says which of two is less, goes by; None of anything else."""
        if self.are_rows(value):
            whole: Any = value.parts[0] if isinstance(value, Items) else value
            kinds: set[Any] = {self.state.rows[(whole.of if isinstance(whole, Selected) else whole).identity].kind}
        else:
            whole = value.parts[0] if isinstance(value, Items) and value.kind == "values" else value
            if not isinstance(whole, Structure) or whole.kind not in ((dict,) if whole is not value else (list, tuple)):
                return None
            kinds = {getattr(part, "kind", None) for part in self.state.held[whole.identity].values()}
        return self.order_of_class(kinds.pop()) if len(kinds) == 1 else None

    def order_of_class(self, kind: Any) -> Closure | None:
        """What the order of the objects of a class goes by, None if that is not known."""
        if not isinstance(kind, type) or not is_users(kind) or issubclass(kind, tuple):
            return None
        less, bases = self.member(kind, "__lt__"), kind.__mro__
        if not isinstance(less, types.FunctionType):
            return None
        if dataclasses.is_dataclass(kind) and less.__code__.co_filename == "<string>":  # by ``order=True``
            owner: Any = next(base for base in bases if "__lt__" in vars(base))
            compared = "".join(f"item.{field.name}, " for field in dataclasses.fields(owner) if field.compare)
            return Closure(expression(f"lambda item: ({compared})"), None, less, {}, kind)
        closure = self.outside.function(less) if is_user_function(less) else None
        key = None if closure is None else order_key(closure.tree)
        return None if closure is None or key is None else Closure(key, None, less, {}, closure.owner)

    def with_keys(self, value: Value, key: Value, node: n.expr) -> tuple[Selected, n.expr]:
        """The objects that an iterable gives, and a list of what a function says of each."""
        said, found = [self.state.temporary(n.List(elts=[], ctx=n.Load()), base).node for base in ("keys", "found")]
        self.state.lists |= {said.id, found.id}
        rows: list[Row] = []

        def append(item: Value) -> None:
            if not isinstance(item, Row):
                raise NotInterpreted("the order of objects and of other values")
            rows.append(item)
            text = self.text(self.called(key, [item], {}, node))
            self.state.active |= {said.id} if self.state.carries(text) else set()
            self.state.emit(statement("$x.append($y)", x=clone(said), y=text))
            self.state.emit(statement("$x.append($y)", x=clone(found), y=self.key_of(item)))

        self.drive(value, append, node)
        return self.selected(rows, found), said

    def in_order(self, value: Value, key: Value, function: n.expr, options: str, node: n.expr) -> Value:
        """The first or last of objects by a key, or all of them in order, as a function of Python tells from the numbers."""
        rows, said = self.with_keys(value, key, node)
        order = self.state.temporary(expression(f"$f(range(len($k)), key=$k.__getitem__{options})", f=clone(function), k=said), "order")
        if self.outside.meant(function) is not sorted:
            return self.selected_at(rows, order)
        keys = self.state.temporary(expression("[$x[number] for number in $o]", x=clone(rows.keys), o=order.node), "keys")
        return Selected(rows.of, keys.node, rows.replaced)

    def sort_rows(self, of: Structure, named: dict[str, Value], node: n.expr) -> Known:
        """Put the objects of a list in order: each of the lists of their attributes."""
        rows, backwards = self.state.rows[of.identity], named.get("reverse", Known(False))
        key = named.get("key", self.order_of(of))
        if key is None or not isinstance(backwards, Known) or rows.series or of.identity in self.walked:
            raise NotInterpreted(".sort() of a list of objects")
        order = self.in_order(of, key, expression("sorted"), ", reverse=True" if backwards.object else "", node)
        assert isinstance(order, Selected)
        for name in [*self.state.held[of.identity]]:
            ordered = expression("[$x[number] for number in $o]", x=self.column(of, name), o=clone(order.keys))
            self.state.store((of.identity, name), Run(ordered), name)
            self.state.lists.add(self.column(of, name).id)
        self.replace_rows(of, rows, True)
        return Known(None)
