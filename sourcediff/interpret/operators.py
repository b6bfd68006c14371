"""Interpret operators, tests and comparisons: what is known is decided, else both ways are interpreted."""

from __future__ import annotations

import operator
import types
from collections import Counter
from typing import Any

from ..runtime.user_objects import is_users
from ..syntax import nodes as n
from ..syntax.quote import altered, clone, expression, names, place
from .comparisons import COMPARED, Comparisons
from .expressions import NUMBERS
from .join import joined
from .nodes_of_values import LITERALS, as_node
from .state import OF_TEXTS
from .trees import is_shape
from .values import (
    PERHAPS,
    Bound,
    Choice,
    Closure,
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
    n.Mod: operator.mod, n.Pow: operator.pow, n.USub: operator.neg, n.UAdd: operator.pos, n.Not: operator.not_,
    n.MatMult: operator.matmul, n.BitOr: operator.or_, n.BitAnd: operator.and_, n.BitXor: operator.xor, n.LShift: operator.lshift,
    n.RShift: operator.rshift, **COMPARED,
}


SPECIAL = {
    n.Add: "add", n.Sub: "sub", n.Mult: "mul", n.Div: "truediv", n.FloorDiv: "floordiv", n.Mod: "mod", n.Pow: "pow", n.MatMult: "matmul",
    n.BitOr: "or", n.BitAnd: "and", n.BitXor: "xor", n.LShift: "lshift", n.RShift: "rshift",
}


SIGNS = {n.USub: "__neg__", n.UAdd: "__pos__", n.Invert: "__invert__"}


class Operators(Comparisons):
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
            if isinstance(value.object, (*LITERALS, *OF_TEXTS)) or callable(value.object):
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

    def number(self, series: Series) -> n.expr:
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
        """Whether a left operand leaves an operator to an object of a class, as numbers of Python's do: an array computes with the object
        entry by entry, and a number of NumPy's with what is like an array.
        """
        if getattr(kind, "__array_ufunc__", kind) is None or not isinstance(left, Run):
            return True
        like_array = any(hasattr(kind, name) for name in ("__len__", "__getitem__", "__array__", "__array_interface__"))
        return self.outside.is_number_of_python(left.node) or not like_array and self.outside.is_number(left.node)

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
