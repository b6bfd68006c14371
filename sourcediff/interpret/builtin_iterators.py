"""Interpret calls that make iterators, and those that ask one for an item."""

from __future__ import annotations

from typing import Any

from ..rules.composites.iterators import groups
from ..runtime.user_objects import is_users
from ..syntax import nodes as n
from ..syntax.quote import altered, clone, expression, place, statement
from .copies import Copies
from .trees import is_left_alone, is_read_once
from .values import Closure, Items, Known, NotInterpreted, Run, Structure, Value

FURTHEST = 10**6
"""How far something is counted at most."""


class Cursor:
    """The kind of a structure that is an iterator over another one: ``of`` it, and the ``position`` of its next item; the ``whole`` as the
    text has it, the ``text`` of one without an end.
    """


class BuiltinIterators(Copies):
    """The values of calls of ``iter``, ``next`` and their like."""

    def in_row(self, value: Value, node: n.expr) -> Value:
        """An argument of a call of the text (``calls.py``)."""
        raise NotImplementedError

    def _iter(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        value = args[0]
        if isinstance(value, Structure) and is_users(value.kind) and not issubclass(value.kind, tuple):
            return self.called(self.attribute(value, "__iter__", node), [], {}, node)
        if isinstance(value, Structure) and value.kind is not dict:
            return value if value.kind is Cursor else Structure(self.state.new({"of": value, "position": Known(0)}), Cursor)
        if isinstance(value, Items) and value.kind == "range":
            return Structure(self.state.new({"of": value, "position": Known(0)}), Cursor)
        items = None if isinstance(value, Items) and value.kind in ("generator", "generator expression") else self.items_of(value)
        held: dict[str, Value] = {} if items is None else {"of": self.structure(tuple, items)}
        if isinstance(value, Run) and (
                self.outside.is_array(value.node) or self.state.is_list(value.node) or self.outside.holds_numbers(value.node)):
            held["whole"] = self.state.pinned(value)
        if not held and isinstance(value, Run):
            return None
        if not held:
            raise NotInterpreted("iter(…)")
        return Structure(self.state.new({"of": held.get("whole", Known(None)), **held, "position": Known(0)}), Cursor)

    def _count(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        given = [*args, *named.values()]
        if len(given) > 1 or not all(isinstance(value, Known) and type(value.object) is int for value in given):
            return None
        first = given[0].object if given else 0
        trips = Items("range", [Known(first), Known(first + FURTHEST)])
        said = n.Call(func=clone(node.func), args=[n.Constant(value=first, kind=None)], keywords=[])
        return Structure(self.state.new({"of": trips, "position": Known(0), "text": Run(said)}), Cursor)

    def _groupby(self, args: list[Value], named: dict[str, Value], node: n.expr) -> Value | None:
        """``itertools.groupby`` as a list of keys and groups, where the loop over it reads a group once, as the iterator could be read."""
        values = {"key": Known(None), **dict(zip(("iterable", "key"), args)), **named}
        items, by = self.in_row(values["iterable"], node), values["key"]
        if not is_read_once(self.state.frames[-1].tree, node):
            raise NotInterpreted("a group that is read again")
        if not is_left_alone(self.state.frames[-1].tree, node):
            raise NotInterpreted("groups of what may change meanwhile")
        of = self.text(items)
        if self.state.carries(of) and not (isinstance(by, Known) and by.object is None):
            return self.function(self.outside.function(groups), [Run(of), by], {}, node)
        key = clone(by.node) if isinstance(by, Run) else self.text(by) if isinstance(by, Known) else self.as_lambda(by, False, node).node
        if self.state.carries(of) or self.state.carries(key):
            raise NotInterpreted("groups of what is differentiated")
        names = {"k": self.state.fresh("key"), "g": self.state.fresh("group")}
        pairs = expression("[($k, list($g)) for $k, $g in $f($x, key=$y)]", f=clone(node.func), x=of, y=key, **names)
        found = self.state.temporary(pairs, "groups")
        self.state.lists.add(found.node.id)
        return found

    def next_of(self, value: Structure) -> Value | None:
        """The next item of an iterator, None where it has none (``loops.py``)."""
        raise NotImplementedError

    def has_rest(self, value: Structure) -> bool:
        """Whether only the run tells which items an iterator has not given yet (``iterators.py``)."""
        raise NotImplementedError

    def _next(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        if isinstance(args[0], Run):
            return None
        if isinstance(args[0], Items) and isinstance(node.args[0], n.GeneratorExp) and (items := self.wanted_items(args[0])) is not None:
            if not items and len(args) < 2:
                raise NotInterpreted("an iterator without a next item")
            return items[0] if items else args[1]
        if isinstance(args[0], Items) and isinstance(node.args[0], n.GeneratorExp):
            return self.first_of(node.args[0], args[1:], node)
        if not isinstance(args[0], Structure) or args[0].kind is not Cursor:
            raise NotInterpreted("next(…)")
        if len(args) > 1 and self.has_rest(args[0]):
            raise NotInterpreted("whether an iterator has a next item")
        found = self.next_of(args[0])
        if found is None and len(args) < 2:
            raise NotInterpreted("an iterator without a next item")
        return args[1] if found is None else found

    def first_of(self, node: n.GeneratorExp, default: list[Value], at: n.expr) -> Value:
        """The first item of a generator expression, which the run finds; or a default."""
        calls = [part for part in n.walk(node.generators[0].iter) if isinstance(part, n.Call)]  # which is asked for what it gives once more
        views = [call for call in calls if isinstance(call.func, n.Attribute) and call.func.attr in ("items", "keys", "values")]
        if any(getattr(self.outside.meant(call.func), "__module__", "") != "builtins" and call not in views for call in calls):
            raise NotInterpreted("next(…)")
        made: Any = statement(f"def first(default): {'return default' if default else 'raise StopIteration'}")
        body: list[n.stmt] = [n.Return(value=clone(node.elt))]
        for loop in reversed(node.generators):
            for test in reversed(loop.ifs):
                body = [n.If(test=clone(test), body=body, orelse=[])]
            body = [n.For(target=clone(loop.target), iter=clone(loop.iter), body=body, orelse=[], type_comment=None)]
        around = self.state.frames[-1]
        tree = altered(made, body=[*body, *made.body])
        for part in n.walk(tree):
            if getattr(part, "lineno", None) is None:
                place(part, at)
        return self.function(Closure(tree, around, around.function, {}, around.owner), default or [Known(None)], {}, at)
