"""Interpret comparisons: of numbers and words that are known, of objects by what their class says, of two names by what they stand for."""

from __future__ import annotations

import dataclasses
import operator
import types
from collections import Counter
from typing import Any

from ..analysis.environment.captured import is_user_function
from ..analysis.scope import MISSING
from ..rules.composites.lists import has_equal
from ..runtime.user_objects import is_users
from ..syntax import nodes as n
from ..syntax.quote import clone, expression
from .counters import Counters
from .expressions import NUMBERS
from .record_forms import Reference
from .values import Closure, Columns, Known, NotInterpreted, Row, Run, Structure, Value

COMPARED: dict[type, Any] = {
    n.Eq: operator.eq, n.NotEq: operator.ne, n.Lt: operator.lt, n.LtE: operator.le, n.Gt: operator.gt, n.GtE: operator.ge,
    n.Is: operator.is_, n.IsNot: operator.is_not, n.In: lambda a, b: a in b, n.NotIn: lambda a, b: a not in b,
}

ORDERS = {n.Lt: ("__lt__", "__gt__"), n.Gt: ("__gt__", "__lt__"), n.LtE: ("__le__", "__ge__"), n.GtE: ("__ge__", "__le__")}
"""The methods of comparisons: of the left side, and of the right one where that has none."""


class Comparisons(Counters):
    """The values of comparisons."""

    def negated(self, flag: Value) -> Value:
        """The contrary of a test."""
        return Known(not flag.object) if isinstance(flag, Known) else Run(expression("not $f", f=self.text(flag)))

    def may_be_none(self, row: Row) -> bool:
        """Whether a variable of an object in a container of the text is perhaps None, or unbound."""
        return row.perhaps or isinstance(row.key, n.Name) and row.key.id in self.state.doubtful

    def order_of_two(self, kind: Any, left: Value, right: Value, node: n.expr) -> Value | None:
        """Whether one object is before another one of its class, as the class says; None of anything else."""
        of = self.kind_of(left)
        if of is None or not is_users(of) or of is not self.kind_of(right) or issubclass(of, tuple):
            return None
        for one, other, name in ((left, right, ORDERS[kind][0]), (right, left, ORDERS[kind][1])):
            if isinstance(member := self.member(of, name), types.FunctionType) and is_user_function(member):
                return self.called(self.attribute(one, name, node), [other], {}, node)
            if member is not MISSING and member is not getattr(object, name):
                return None
        return None

    def equality_of_two(self, kind: Any, left: Value, right: Value, node: n.expr) -> Value | None:
        """Whether two objects of one class are equal, or not, as the class says; None of anything else."""
        of, other = self.kind_of(left), self.kind_of(right)
        if of is None or not is_users(of) or of is not other or issubclass(of, tuple):
            return None
        equal, bases = self.member(of, "__eq__"), of.__mro__
        if equal is object.__eq__ or self.member(of, "__ne__") is not object.__ne__:
            return None
        if dataclasses.is_dataclass(of) and equal.__code__.co_filename == "<string>":
            owner: Any = next(base for base in bases if "__eq__" in vars(base))
            compared = [f"item.{field.name} == other.{field.name}" for field in dataclasses.fields(owner) if field.compare]
            alike = " and ".join(compared) or "True"
            if any(isinstance(each, Row) and self.may_be_none(each) for each in (left, right)):
                alike = f"other is None if item is None else other is not None and {alike}"
            found = self.called(Closure(expression(f"lambda item, other: {alike}"), None, equal, {}, of), [left, right], {}, node)
        elif is_user_function(equal):
            found = self.called(self.attribute(left, "__eq__", node), [right], {}, node)
        else:
            return None
        return found if kind is n.Eq else self.negated(found)

    def has_own_equality(self, form: Any) -> bool:
        """Whether the objects of a list have keys, and their class says in its own way which are equal."""
        equal: Any = form.kind.__eq__ if isinstance(form, Reference) else object.__eq__
        return equal is not object.__eq__

    def place_in(self, parts: list[Value], item: Value, node: n.expr) -> int | None:
        """The place of the first part that is an item, or equal to it, and -1 where there is none; None if the run tells."""
        for place, part in enumerate(parts):
            if isinstance(part, Known) and isinstance(item, Known):
                alike = isinstance(part.object, NUMBERS) and isinstance(item.object, NUMBERS)
                same: Any = part.object == item.object if alike else part.object is item.object or None
            elif (same := self.identical(part, item)) is False:
                equal = self.equality_of_two(n.Eq, part, item, node)
                of_objects = all(isinstance(each, Structure) and self.member(each.kind, "__eq__") is object.__eq__ for each in (part, item))
                same = equal.object if isinstance(equal, Known) else False if of_objects and equal is None else None
            if same is None:
                return None
            if same:
                return place
        return -1

    def _is_dict(self, value: Value) -> bool:
        return isinstance(value, Structure) and value.kind is dict or self.outside.entries(value) is not None

    def as_number(self, value: Value) -> Value:
        """The number that a value is which is already taken for settled; anything else as it is."""
        number = self.outside.number_taken(value.node) if isinstance(value, Run) else None
        return value if number is None else Known(number)

    def _Compare(self, node: Any) -> Value:
        before, saved = len(self.state.out), self.state.saved()
        values = self.several([node.left, *node.comparators])
        if len(values) > 2 and (len(self.state.out) > before or self.state.changed(saved)):
            raise NotInterpreted("a comparison that may end before it does what it does")
        if len(values) == 2:
            kind = type(node.ops[0])
            values = list(map(self.as_number, values)) if kind in (*ORDERS, n.Eq, n.NotEq) else values
            left, right = values
            if Counter in (self.factory_of(left), self.factory_of(right)) and kind not in (n.In, n.NotIn, n.Is, n.IsNot):
                raise NotInterpreted("a comparison of a Counter")
            if kind in ORDERS and (found := self.order_of_two(kind, left, right, node)) is not None:
                return found
            if kind in (n.Eq, n.NotEq) and (found := self.equality_of_two(kind, left, right, node)) is not None:
                return found
            if kind in (n.In, n.NotIn) and isinstance(right, Run) and self.has_own_equality(self.state.records.of_items(right.node)):
                found = self.called(self.outside.function(has_equal), [right, left], {}, node)
                return found if kind is n.In else self.negated(found)
            if kind in (n.Is, n.IsNot) and isinstance(left, Row) and isinstance(right, Row):
                return self.run(self.same_row(left, right, n.Eq() if kind is n.Is else n.NotEq()), node)
            rows = [value for value in values if isinstance(value, Row) and self.may_be_none(value)]
            if kind in (n.Is, n.IsNot) and len(rows) == 1 and any(isinstance(value, Known) and value.object is None for value in values):
                return self.run(n.Compare(left=clone(rows[0].key), ops=node.ops, comparators=[n.Constant(value=None, kind=None)]), node)
            if kind in (n.Is, n.IsNot) and (known := self.identical(left, right)) is not None:
                return Known(known is (kind is n.Is))
            if kind in (n.In, n.NotIn) and isinstance(right, Structure) and right.kind is dict:
                if not self.is_known_part(right, left):
                    whole = self.become_text(right)
                    return self.run(n.Compare(left=self.text(left), ops=node.ops, comparators=[whole.node]), node)
                return Known((self.key(left) in self.all_parts(right)) is (kind is n.In))
            if kind in (n.In, n.NotIn) and isinstance(right, Structure) and right.kind is Columns:
                return self.run(n.Compare(left=self.text(left), ops=node.ops, comparators=[self.first_column(right)]), node)
            word = left.object if isinstance(left, Known) else None
            if kind in (n.In, n.NotIn) and isinstance(word, str) and (entries := self.outside.entries(right)) is not None:
                return Known((word in entries) is (kind is n.In))
            if kind in (n.In, n.NotIn) and isinstance(right, Structure) and right.kind in (list, tuple):
                at = self.place_in(self.parts(right), left, node)
                if at is not None:
                    return Known((at >= 0) is (kind is n.In))
        numbers = [each.object for each in values if isinstance(each, Known) and isinstance(each.object, NUMBERS)]
        if len(numbers) == len(values):
            return Known(all(COMPARED[type(op)](one, other) for op, one, other in zip(node.ops, numbers, numbers[1:])))
        plain = len(values) == 2 and not isinstance(node.ops[0], (n.Is, n.IsNot))
        if any(isinstance(value, Structure) and not (plain and value.kind in (tuple, list)) for value in values):
            raise NotInterpreted("a comparison of objects")
        texts = [self.text(value) for value in values]
        return self.run(n.Compare(left=texts[0], ops=node.ops, comparators=texts[1:]), node)

    def same_row(self, one: Row, other: Row, op: Any) -> n.expr:
        """Whether two objects in a container of the text are one (``columns.py``)."""
        raise NotImplementedError

    def first_column(self, of: Structure) -> n.expr:
        """The dict of the text that has the keys of one of objects."""
        if self.state.rows[of.identity].container is not dict:
            raise NotInterpreted("whether a list holds an object")
        return clone(next(iter(self.state.held[of.identity].values())).node)  # type: ignore[attr-defined]

    def identical(self, left: Value, right: Value) -> bool | None:
        """Whether two values are one object, if that is known."""
        if isinstance(left, Known) and isinstance(right, Known):
            if left.object is None or right.object is None:
                return left.object is right.object
            return None if isinstance(left.object, NUMBERS) else left.object is right.object
        if any(isinstance(each, Row) and each.perhaps for each in (left, right)):
            raise NotInterpreted("whether another object is referred to")
        for one, other in ((left, right), (right, left)):
            if isinstance(one, Known) and one.object is None and not isinstance(other, Run):
                return False
            if isinstance(one, Known) and one.object is None and isinstance(other, Run) and self.outside.is_something(other):
                return False
        if isinstance(left, Structure) and isinstance(right, Structure):
            if is_users(left.kind) and not self.state.frozen.isdisjoint({left.identity, right.identity}):
                raise NotInterpreted("whether two objects are one")
            return left.identity == right.identity if left.kind is not tuple else None
        return None
