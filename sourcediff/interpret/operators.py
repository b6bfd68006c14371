"""Interpret operators, tests and comparisons: what is known is decided, else both ways are interpreted."""

from __future__ import annotations

import operator
import types
from collections import Counter
from typing import Any

from ..analysis.environment.captured import is_user_function
from ..analysis.scope import MISSING
from ..runtime.user_objects import is_users
from ..syntax import nodes as n
from ..syntax.quote import altered, clone, expression, names, place
from .counters import Counters
from .expressions import NUMBERS
from .join import joined
from .state import LITERALS, as_node
from .trees import is_shape
from .values import (
    PERHAPS,
    Bound,
    Choice,
    Closure,
    Columns,
    Items,
    Known,
    Method,
    NotInterpreted,
    OneOf,
    Row,
    Run,
    Series,
    Structure,
    Value,
)

OPERATIONS: dict[type, Any] = {
    n.Add: operator.add, n.Sub: operator.sub, n.Mult: operator.mul, n.Div: operator.truediv, n.FloorDiv: operator.floordiv,
    n.Mod: operator.mod, n.Pow: operator.pow, n.USub: operator.neg, n.UAdd: operator.pos, n.Not: operator.not_, n.Eq: operator.eq,
    n.NotEq: operator.ne, n.Lt: operator.lt, n.LtE: operator.le, n.Gt: operator.gt, n.GtE: operator.ge, n.Is: operator.is_,
    n.IsNot: operator.is_not, n.In: lambda a, b: a in b, n.NotIn: lambda a, b: a not in b, n.MatMult: operator.matmul,
}


SPECIAL = {
    n.Add: "add", n.Sub: "sub", n.Mult: "mul", n.Div: "truediv", n.FloorDiv: "floordiv", n.Mod: "mod", n.Pow: "pow", n.MatMult: "matmul",
    n.BitOr: "or", n.BitAnd: "and", n.BitXor: "xor", n.LShift: "lshift", n.RShift: "rshift",
}


ORDERS = {n.Lt: ("__lt__", "__gt__"), n.Gt: ("__gt__", "__lt__"), n.LtE: ("__le__", "__ge__"), n.GtE: ("__ge__", "__le__")}
"""The methods of comparisons: of the left side, and of the right one where that has none."""

SIGNS = {n.USub: "__neg__", n.UAdd: "__pos__", n.Invert: "__invert__"}


class Operators(Counters):
    """The values of operators."""

    def _IfExp(self, node: Any) -> Value:
        test = self.condition(node.test)
        if (known := self.truth(test)) is not None:
            return self.value(node.body if known else node.orelse)
        return self.either(self.text(test), lambda: self.value(node.body), lambda: self.value(node.orelse), node)

    def either(self, test: n.expr, first: Any, second: Any, at: n.expr) -> Value:
        """One of two values, by a test that runs."""
        found: Value = self.rerun(lambda: self.one_of(test, first, second, at))
        return found

    def one_of(self, test: n.expr, first: Any, second: Any, at: n.expr) -> Value:
        """The same, if the containers that are known may be known in both."""
        state = self.state
        place_ = (state.new({}), "t")
        before = state.saved()
        state.waiting.append([Run(test)])
        found: list[Any] = []
        for each in (first, second):
            state.restore(before)
            with state.block() as block:
                value = each()
                if isinstance(value, Items) and (shown := self.text_of(value)) is not None:
                    value = Run(shown)
                if not block and (node := as_node(value)) is not None and not state.changed(before):
                    found.append((block, node, value, state.held, state.roots()))
                else:
                    state.held[place_[0]]["t"] = value
                    found.append((block, None, value, state.held, state.roots() | {place_: value}))
        state.waiting.pop()
        (one, first_node, value, held, roots), (two, second_node, other, held2, roots2) = found
        if first_node is not None and second_node is not None:
            state.restore(before)
            if self.is_callable(value) and self.is_callable(other):
                numbers = [n.Constant(value=k, kind=None) for k in range(2)]
                number = state.temporary(place(n.IfExp(test=test, body=numbers[0], orelse=numbers[1]), at), "number")
                return Choice(number.node, [value, other])
            return self.run(n.IfExp(test=test, body=first_node, orelse=second_node), at)
        roots[place_] = held[place_[0]]["t"] = value
        roots2[place_] = held2[place_[0]]["t"] = other
        state.held = joined(state, [(one, held, roots), (two, held2, roots2)])
        self.write_if(test, one, two, at)
        return state.held[place_[0]]["t"]

    def is_callable(self, value: Value) -> bool:
        """Whether a value is certainly a function, or a class."""
        return isinstance(value, Known) and callable(value.object)

    def write_if(self, test: n.expr, one: list[n.stmt], two: list[n.stmt], at: n.AST) -> None:
        """Write a branch, of the blocks that hold something, or of none where its test may find a name unbound."""
        if one or two or not self.state.doubtful.isdisjoint(names(test)):
            self.state.emit(place(n.If(test=test, body=one or [n.Pass()], orelse=two), at))

    def truth(self, value: Value) -> bool | None:
        """Whether a value is true, if that is known."""
        if isinstance(value, Known):
            if isinstance(value.object, LITERALS) or callable(value.object):
                return bool(value.object)
            return None
        if isinstance(value, Structure):
            if value.kind in (tuple, list, dict):
                return None if PERHAPS in self.state.held[value.identity] else bool(self.state.held[value.identity])
            return None if hasattr(value.kind, "__bool__") or hasattr(value.kind, "__len__") else True
        if isinstance(value, Run) and self.outside.is_given(value.node):
            return self.outside.holds_any(value.node)
        return True if isinstance(value, (Closure, Bound, Method)) else None

    def condition(self, node: n.expr) -> Value:
        """The value of a test, of which it is only asked whether it is true."""
        return self._BoolOp(node, True) if isinstance(node, n.BoolOp) else self.asked(self.in_list(self.value(node)))

    def asked(self, value: Value) -> Value:
        """What tells whether a value is true: of a list of an object in a container of the text how long it is; of such an object whether
        it is one.
        """
        if isinstance(value, Row):
            kind = self.state.rows[value.of.identity].kind
            there = Run(expression("$k is not None", k=clone(value.key))) if self.may_be_none(value) else Known(True)
            return value if hasattr(kind, "__bool__") or hasattr(kind, "__len__") else there
        return Run(self.number(value)) if isinstance(value, Series) else value

    def may_be_none(self, row: Row) -> bool:
        """Whether a variable of an object in a container of the text is perhaps None, or unbound."""
        return row.perhaps or isinstance(row.key, n.Name) and row.key.id in self.state.doubtful

    def number(self, series: Series) -> n.Subscript:
        """How many items such a list has (``columns.py``)."""
        raise NotImplementedError

    def _BoolOp(self, node: Any, asked: bool = False) -> Value:
        of = self.condition if asked else self.value
        first, *rest = node.values
        value = of(first)
        for number, each in enumerate(rest):
            known = self.truth(value)
            if known is not None:
                if known is isinstance(node.op, n.Or):
                    return value
                value = of(each)
                continue
            others = rest[number:]
            remaining = others[0] if len(others) == 1 else altered(node, values=others)
            return self.one_or_further(node, value, remaining, asked)
        return value

    def one_or_further(self, node: Any, value: Value, remaining: n.expr, asked: bool) -> Value:
        """A value, or that of what remains of ``and`` and ``or``, by a test of it that runs; ``asked``: whether that is true."""
        found: Value = self.rerun(lambda: self.further(node, value, remaining, asked))
        return found

    def further(self, node: Any, value: Value, remaining: n.expr, asked: bool) -> Value:
        """The same, if the containers that are known may be known in both."""
        of = self.condition if asked else self.value
        saved = self.state.saved()
        with self.state.block() as block:
            other = of(remaining)
            looks = not block and not self.state.changed(saved)
            if looks and as_node(other) is not None and as_node(value) is not None:
                rest: Any = self.text(other)
                rests = rest.values if isinstance(rest, n.BoolOp) and type(rest.op) is type(node.op) else [rest]
                return self.run(n.BoolOp(op=node.op, values=[self.text(value), *rests]), node)
        self.state.abandon(saved)
        kept = self.text(value) if asked else self.state.temporary(self.text(value)).node

        def plain() -> Value:
            return Known(isinstance(node.op, n.Or)) if asked else Run(clone(kept))

        def others() -> Value:
            return of(remaining)

        blocks = (others, plain) if isinstance(node.op, n.And) else (plain, others)
        return self.either(clone(kept), *blocks, node)

    def _UnaryOp(self, node: Any) -> Value:
        value = self.several([node.operand])[0]
        value = self.asked(self.in_list(value)) if isinstance(node.op, n.Not) else value
        if isinstance(node.op, n.Not) and (known := self.truth(value)) is not None:
            return Known(not known)
        if self.factory_of(value) is Counter and not isinstance(node.op, n.Not):
            raise NotInterpreted("arithmetic with a Counter")
        if isinstance(value, Known) and isinstance(value.object, (int, float)):
            return Known(OPERATIONS[type(node.op)](value.object)) if type(node.op) in OPERATIONS else self.run(
                altered(node, operand=self.text(value)), node)
        if isinstance(value, (Structure, OneOf)) and not isinstance(node.op, n.Not):
            return self.called(self.attribute(value, SIGNS[type(node.op)], node), [], {}, node)
        return self.run(altered(node, operand=self.text(value)), node)

    def _BinOp(self, node: Any) -> Value:
        left, right = self.several([node.left, node.right])
        return self.operation(node.op, left, right, node)

    def operation(self, op: Any, left: Value, right: Value, node: n.expr) -> Value:
        """The value of an operator."""
        kind: Any = type(op)
        if Counter in (self.factory_of(left), self.factory_of(right)):
            raise NotInterpreted("arithmetic with a Counter")
        if isinstance(left, Known) and isinstance(right, Known) and isinstance(left.object, NUMBERS) and isinstance(right.object, NUMBERS):
            if kind in OPERATIONS and (isinstance(left.object, (int, str)) and isinstance(right.object, (int, str))):
                try:
                    return Known(OPERATIONS[kind](left.object, right.object))
                except Exception:  # it is raised when the text runs
                    pass
        if isinstance(left, Structure) or isinstance(right, Structure):
            if kind is n.Add and (joined_ := self.joined_shape(left, right, node)) is not None:
                return joined_
            if kind is n.Add and isinstance(left, Structure) and isinstance(right, Structure) and left.kind is right.kind in (list, tuple):
                return self.structure(left.kind, [*self.parts(left), *self.parts(right)])
            if kind is n.Mult and isinstance(left, Structure) and left.kind in (list, tuple) and isinstance(right, Known) and type(
                    right.object) is int:
                return self.structure(left.kind, self.parts(left) * right.object)
            if kind is n.BitOr and (self._is_dict(left) and self._is_dict(right)):
                return self.structure(dict, self.entries(left) | self.entries(right))
        of_objects = [self.kind_of(left), self.kind_of(right)]
        if any(each is not None and is_users(each) for each in of_objects):
            return self.operator_of_object(kind, left, right, of_objects, node)
        if kind is n.BitOr and self._is_dict(left) and self._is_dict(right):
            return self.structure(dict, self.entries(left) | self.entries(right))
        return self.run(n.BinOp(left=self.text(left), op=op, right=self.text(right)), node)

    def operator_of_object(self, kind: Any, left: Value, right: Value, kinds: list[type | None], node: n.expr) -> Value:
        """The value of an operator of which an operand is an object of the user's."""
        if kinds[0] is not None and kinds[1] is not None and kinds[0] is not kinds[1] and issubclass(kinds[1], kinds[0]):
            own, derived = (self.member(of, f"__r{SPECIAL.get(kind)}__") for of in kinds if of is not None)
            if derived is not own:  # it is asked first
                raise NotInterpreted("an operator that a class overrides")
        sides = ((left, right, kinds[0], f"__{SPECIAL.get(kind)}__"), (right, left, kinds[1], f"__r{SPECIAL.get(kind)}__"))
        for one, other, of, name in sides:
            if of is not None and is_users(of) and isinstance(getattr(of, name, None), types.FunctionType):
                if one is right and not self.asks_right(left, of):
                    raise NotInterpreted("an operator between an array and an object")
                return self.called(self.attribute(one, name, node), [other], {}, node)
        raise NotInterpreted("an operator of an object")

    def asks_right(self, left: Value, kind: type) -> bool:
        """Whether a left operand leaves an operator to an object of a class: an array computes with the object entry by entry, and a number
        of NumPy's with what is like an array.
        """
        if getattr(kind, "__array_ufunc__", kind) is None or not isinstance(left, Run):
            return True
        like_array = any(hasattr(kind, name) for name in ("__len__", "__getitem__", "__array__", "__array_interface__"))
        return not like_array and self.outside.is_number(left.node)

    def joined_shape(self, left: Value, right: Value, node: n.expr) -> Value | None:
        """A tuple and a part of a shape as one tuple of the text, None of anything else."""
        elements: list[n.expr] = []
        for value in (left, right):
            if isinstance(value, Structure) and value.kind is tuple:
                elements += [self.text(part) for part in self.parts(value)]
            elif isinstance(value, Run) and is_shape(value.node):
                elements.append(n.Starred(value=self.text(value), ctx=n.Load()))
            else:
                return None
        alike = isinstance(left, Structure) and isinstance(right, Structure)
        return None if alike else self.run(n.Tuple(elts=elements, ctx=n.Load()), node)

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

    def _is_dict(self, value: Value) -> bool:
        return isinstance(value, Structure) and value.kind is dict or self.outside.entries(value) is not None

    def _Compare(self, node: Any) -> Value:
        before, saved = len(self.state.out), self.state.saved()
        values = self.several([node.left, *node.comparators])
        if len(values) > 2 and (len(self.state.out) > before or self.state.changed(saved)):
            raise NotInterpreted("a comparison that may end before it does what it does")
        if len(values) == 2:
            left, right = values
            kind = type(node.ops[0])
            if Counter in (self.factory_of(left), self.factory_of(right)) and kind not in (n.In, n.NotIn, n.Is, n.IsNot):
                raise NotInterpreted("a comparison of a Counter")
            if kind in ORDERS and (found := self.order_of_two(kind, left, right, node)) is not None:
                return found
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
            if kind in (n.In, n.NotIn) and isinstance(left, Known) and isinstance(right, Structure) and right.kind in (list, tuple):
                parts = self.parts(right)
                if all(isinstance(part, Known) and isinstance(part.object, NUMBERS) for part in parts):
                    return Known((left.object in [part.object for part in parts]) is (kind is n.In))  # type: ignore[attr-defined]
        numbers = [each.object for each in values if isinstance(each, Known) and isinstance(each.object, NUMBERS)]
        if len(numbers) == len(values):
            return Known(all(OPERATIONS[type(op)](one, other) for op, one, other in zip(node.ops, numbers, numbers[1:])))
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
