"""Interpret lists that objects in a container of the text have as attributes (``columns.py``): the text has their items by key and
position, and by key how many there are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..syntax import nodes as n
from ..syntax.quote import clone, expression, place, statement
from .state import Rows
from .text_containers import direct
from .text_functions import TextFunctions
from .values import Known, NotInterpreted, Row, Run, Series, Structure, Value

ITEMS = "items"
"""The attribute of what stands in a dict of lists."""

NUMBER = " number"
"""How the keys of columns end that say how long lists are: no attribute is called so."""

REPLACED = "an object that another one may have replaced"


class ObjectSeries(TextFunctions):
    """What is done with lists of the objects."""

    walked_series: list[tuple[int, str]]
    """The lists of objects over which loops at hand go."""

    def looped(self, body: Callable[[], Any], header: Callable[[list[n.stmt]], n.stmt]) -> Any:
        """A loop of the text (``loops.py``)."""
        raise NotImplementedError

    def column(self, of: Structure, name: str | None = None) -> n.Name:
        """The list or dict of the text for an attribute, or for the first one."""
        held: Any = self.state.held[of.identity]
        node: n.Name = clone((held[name] if name is not None else next(iter(held.values()))).node)
        return node

    def series_in(self, value: Structure) -> frozenset[str]:
        """The attributes of an object that are lists."""
        held = self.state.held[value.identity].items()
        return frozenset(name for name, part in held if isinstance(part, Structure) and part.kind is list)

    def store_item(self, column: n.Name, key: n.expr, position: n.expr, text: n.expr) -> None:
        """Store an item of a list that an object has."""
        if self.state.carries(text):
            self.state.active.add(column.id)
        store = statement("$x[$k, $n] = $v", x=column, k=clone(key), n=clone(position), v=text)
        self.state.emit(place(store, self.state.at) if self.state.at is not None else store)

    def is_held_elsewhere(self, part: Structure, owner: Structure) -> bool:
        """Whether anything but its owner holds a list."""
        owners = self.state.reached() | {identity for identity, _ in self.state.roots() if identity > 0}
        held = [value for identity in owners - {owner.identity} for value in self.state.held[identity].values()]
        return any(part.identity in direct(value) for value in (*held, *(value for waiting in self.state.waiting for value in waiting)))

    def number(self, series: Series) -> n.expr:
        """How many items such a list has."""
        shown = self.number_slot(series)
        if series.there is None:
            return shown
        return n.IfExp(test=clone(series.there), body=shown, orelse=n.Constant(value=0, kind=None))

    def number_slot(self, series: Series) -> n.Subscript:
        """Where the text keeps how many items such a list has."""
        if self.state.rows[series.row.of.identity].replaced != series.row.replaced:
            raise NotInterpreted(REPLACED)
        shown: Any = expression("$c[$k]", c=self.column(series.row.of, number_of(series.name)), k=clone(series.row.key))
        return shown

    def set_number(self, series: Series, number: n.expr) -> None:
        """Store how many items such a list has."""
        if (series.row.of.identity, series.name) in self.walked_series:
            raise NotInterpreted("a list that changes while a loop goes over it")
        if series.there is not None:
            raise NotInterpreted("a list that changes, or another one")
        shown = self.number_slot(series)
        store = statement("$c[$k] = $n", c=shown.value, k=shown.slice, n=number)
        self.state.emit(place(store, self.state.at) if self.state.at is not None else store)

    references: dict[tuple[type, str], type]

    def item(self, series: Series, position: n.expr) -> Run | Row:
        """An item of such a list."""
        of = series.row.of
        read = Run(expression("$x[$k, $n]", x=self.column(of, series.name), k=clone(series.row.key), n=position))
        kind = self.references.get((self.state.rows[of.identity].kind, series.name)) if self.pooling else None
        return read if kind is None else self.object_under(self.state.temporary(read.node, "key").node, kind)

    def item_text(self, rows: Rows, name: str, value: Value) -> n.expr:
        """What the text keeps of an item of such a list (``columns.py``)."""
        raise NotImplementedError

    def series_or_empty(self, of: Structure, args: list[Value]) -> Series | None:
        """``groups.get(key, ())``: the list that stands in a dict of lists, or an empty one; None of anything else."""
        other = args[1] if len(args) == 2 else None
        empty = isinstance(other, Known) and other.object == () or isinstance(other, Structure) and other.kind in (list, tuple) and (
            not self.state.held[other.identity])
        if not empty or ITEMS not in self.state.rows[of.identity].series:
            return None
        key = self.text(self.state.pinned(args[0], "key"))
        there = self.state.temporary(expression("$k in $x", k=key, x=self.column(of)), "there")
        return Series(Row(of, key, self.state.rows[of.identity].replaced), ITEMS, there=there.node)

    def item_at(self, series: Series, at: Value) -> Run | Row:
        """An item of such a list, by an index that is known."""
        if not isinstance(at, Known) or type(at.object) is not int:
            raise NotInterpreted("an index that is not known")
        number = self.number(series)
        back = n.Constant(value=-at.object, kind=None)
        return self.item(series, self.text(at) if at.object >= 0 else expression("$n - $k", n=number, k=back))

    def listed_series(self, series: Series) -> n.expr:
        """Such a list as one that is made anew."""
        name = self.state.fresh("item")
        item = self.item(series, expression(name))
        if isinstance(item, Row):
            raise NotInterpreted("a list of objects that refers to one in a container of the text")
        return expression(f"[$x for {name} in range($n)]", x=item.node, n=self.number(series))

    def over_series(self, series: Series, consume: Callable[[Value], Any], at: n.AST) -> Any:
        """A loop of the text over such a list."""
        name, number = self.state.fresh("item"), self.number(series)
        self.state.final.add(name)
        target, over = n.Name(id=name, ctx=n.Store()), expression("range($n)", n=number)

        def header(block: list[n.stmt]) -> n.stmt:
            return place(n.For(target=target, iter=over, body=block or [n.Pass()], orelse=[], type_comment=None), at)

        self.walked_series.append((series.row.of.identity, series.name))
        try:
            return self.looped(lambda: consume(self.item(series, expression(name))), header)
        finally:
            self.walked_series.pop()

    def method_of_series(self, series: Series, args: list[Value], node: n.expr) -> Value:
        """What a method of such a list gives."""
        number = self.number(series)
        if series.method == "append" and len(args) == 1:
            text = self.item_text(self.state.rows[series.row.of.identity], series.name, self.state.pinned(args[0]))
            self.store_item(self.column(series.row.of, series.name), series.row.key, number, text)
            self.set_number(series, expression("$n + 1", n=number))
            return Known(None)
        if series.method == "extend" and len(args) == 1:
            self.drive(args[0], lambda item: self.method_of_series(replace(series, method="append"), [item], node) and None, node)
            return Known(None)
        if series.method == "clear" and not args:
            self.set_number(series, n.Constant(value=0, kind=None))
            return Known(None)
        raise NotInterpreted(f".{series.method}() of a list of an object in a container of the text")


def number_of(name: str) -> str:
    """The key under which it stands how many items the lists of a name have."""
    return f"{name}{NUMBER}"
