"""Interpret objects of which the text has keys, whatever container holds them: all objects of a class are in a pool, a list for each
attribute, from where they are made.

``lane.vehicles.remove(car)`` is ``vehicles.remove(key)``, and ``car.v`` is ``v[key]``. A class gets a pool if an object of it is given to
the text; then the function is interpreted again. None is taken out of a pool, and none replaced.
"""

from __future__ import annotations

from typing import Any

from ..rules.composites.lists import first_equal
from ..runtime.user_objects import is_users
from ..syntax import nodes as n
from ..syntax.quote import clone, expression, place, statement
from .columns import Separated
from .object_order import ObjectOrder
from .record_forms import Form, Listing, Reference
from .state import Rows
from .values import Closure, Known, NotInterpreted, Row, Run, Structure, Value

SELF = ""
"""Under which it is noted that an object gives itself away while it is made."""


class Pools(ObjectOrder):
    """What is done with objects in pools."""

    pools: dict[type, Structure]

    def make_pools(self) -> None:
        """Begin the pools, before anything else runs."""
        for kind in [*(self.separated or {})] if self.pooling else ():
            if isinstance(kind, type):
                self.pools[kind] = self.new_columns(kind, list)

    def reference_to(self, value: Value) -> tuple[Reference, n.expr] | None:
        """The form of an object that is in a pool, and its key; None of what is in none. Raises Separated for what has to be in one."""
        if isinstance(value, Row):
            return Reference(self.state.rows[value.of.identity].kind), clone(value.key)
        if not isinstance(value, Structure) or not is_users(value.kind) or issubclass(value.kind, tuple):
            return None
        self.separate_class(value)
        if value.kind in self.pools and (value.kind, SELF) not in self.references:  # its __init__ gives it away
            self.references[value.kind, SELF] = value.kind
            raise Separated(*self.known_of(value.kind))
        raise NotInterpreted("an object that is given away before it is made")

    def known_of(self, kind: Any) -> tuple[Any, type, tuple[str, ...], frozenset[str], frozenset[str]]:
        """What is known of the objects of a class so far."""
        assert self.separated is not None
        return (kind, *self.separated.get(kind, (kind, (), frozenset(), frozenset())))

    def separate_class(self, value: Structure) -> None:
        """Go back to the beginning, if the objects of a class are to be in a pool, or have other attributes than was known."""
        attributes: Any = [*self.state.held[value.identity]]
        site, kind, known, series, links = self.known_of(value.kind)
        if not set(attributes) <= set(known) and all(type(name) is str for name in attributes):
            raise Separated(site, kind, tuple(dict.fromkeys((*known, *attributes))), series | self.series_in(value), links)

    def new_in_pool(self, kind: type) -> Row | None:
        """An object that is in the pool of its class before it has attributes, if it gives itself away before it has them all."""
        if not self.pooling or (kind, SELF) not in self.references or kind not in self.pools:
            return None
        of = self.pools[kind]
        for name, text in self.class_defaults(of, [*self.state.held[of.identity]], True).items():
            self.state.emit(statement("$x.append($v)", x=self.column(of, name), v=text))
        return self.row_at(of, expression("len($x) - 1", x=self.first_appended(of)))

    def first_appended(self, of: Structure) -> n.Name:
        """The first column that is a list."""
        series = self.state.rows[of.identity].series
        return self.column(of, next(name for name in self.state.held[of.identity] if name not in series))

    def into_pool(self, value: Structure) -> Value:
        """A new object, which is in the pool of its class if there is one."""
        if not self.pooling or value.kind not in self.pools:
            return value
        self.separate_class(value)
        return self.row_of_new(self.pools[value.kind], None, value, False)

    def object_under(self, node: n.expr, kind: type) -> Row:
        """The object in a pool under a key, or None."""
        return Row(self.pools[kind], clone(node), self.state.rows[self.pools[kind].identity].replaced, True)

    def linked_text(self, rows: Rows, name: str, value: Value) -> n.expr:
        """What the text keeps of a value as an attribute of a pooled object, or as an item of one that is a list: of another object its
        key. Raises Separated where it was not known that the attribute refers to one.
        """
        kind = self.references.get((rows.kind, name))
        if isinstance(value, Row) or self.holds_objects(value):
            found = self.reference_to(value)
            if found is None or kind not in (None, found[0].kind):
                raise NotInterpreted("an attribute that refers to objects of several classes")
            if kind is None:
                self.references[rows.kind, name] = found[0].kind
                raise Separated(*self.known_of(rows.kind))
            return found[1]
        if kind is not None and not (isinstance(value, Known) and value.object is None):
            raise NotInterpreted("an attribute that refers to an object, or is something else")
        return self.text(value, True)

    def stays(self, function: Value, args: list[Value], named: dict[str, Value], node: n.expr, keeps: bool = False) -> Value:
        """A call of the text (``calls.py``)."""
        raise NotImplementedError

    def held_under(self, method: Run, args: list[Value], node: n.expr) -> Value | None:
        """What ``get`` of a dict of the text gives that holds keys, or lists of them; None of any other."""
        if not self.state.records.dicts:
            return None
        record = self.state.records.asked_by_get(n.Call(func=method.node, args=list(map(self.text, args)), keywords=[]))
        found: Any = None if record is None else self.state.pinned(self.stays(method, args, {}, node), "key")
        return None if record is None else self.shown_record(found.node, record)

    def method_of_objects(
        self, method: Any, record: Form, args: list[Value], named: dict[str, Value], node: n.expr, keeps: bool,
    ) -> Value:
        """What a method of a list of the text gives that holds objects: what it takes out is one."""
        name = method.node.attr
        if isinstance(record, Listing):
            return self.stays(method, args, named, node, True)
        if name in ("remove", "index") and self.has_own_equality(record) and len(args) == 1:
            owner = Run(method.node.value)
            number = self.called(self.outside.function(first_equal), [owner, *args], named, node)
            if name == "index":
                return number
            self.state.emit(place(statement("del $x[$k]", x=clone(owner.node), k=self.text(number)), node))
            return Known(None)
        if name == "sort" and "key" not in named and (key := self.order_of_class(record.kind)) is not None:
            named = {**named, "key": key}
        if name == "sort" and isinstance(named.get("key"), Closure):
            named = {**named, "key": self.as_lambda(named["key"], self.state.carries(method.node.value), node, record)}
        found = self.stays(method, args, named, node, keeps or isinstance(record, Reference))
        taken: Any = self.state.pinned(found, "key") if name in ("pop", "popleft") and isinstance(record, Reference) else None
        return found if taken is None else self.shown_record(taken.node, record)
