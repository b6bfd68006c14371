"""Interpret expressions, in Python's order: what an operand writes stands before what the next one reads."""

from __future__ import annotations

import dataclasses
import operator
import types
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..analysis.environment.captured import is_user_function
from ..analysis.scope import MISSING
from ..rules.frames import rule_for
from ..runtime.user_objects import is_users
from ..syntax import nodes as n
from ..syntax.quote import altered, clone, expression, names, place, remade, statement
from .join import joined
from .outside import Outside
from .state import LITERALS, State, as_node
from .values import LOST, Bound, Choice, Closure, Frame, Items, Known, Method, NotInterpreted, OneOf, Run, Structure, Super, Value

NUMBERS = (int, float, complex, bool, str)

OPERATIONS: dict[type, Any] = {
    n.Add: operator.add, n.Sub: operator.sub, n.Mult: operator.mul, n.Div: operator.truediv, n.FloorDiv: operator.floordiv,
    n.Mod: operator.mod, n.Pow: operator.pow, n.USub: operator.neg, n.UAdd: operator.pos, n.Not: operator.not_, n.Eq: operator.eq,
    n.NotEq: operator.ne, n.Lt: operator.lt, n.LtE: operator.le, n.Gt: operator.gt, n.GtE: operator.ge, n.Is: operator.is_,
    n.IsNot: operator.is_not, n.In: lambda a, b: a in b, n.NotIn: lambda a, b: a not in b, n.MatMult: operator.matmul,
}

SPECIAL = {
    n.Add: "add", n.Sub: "sub", n.Mult: "mul", n.Div: "truediv", n.FloorDiv: "floordiv", n.Mod: "mod", n.Pow: "pow", n.MatMult: "matmul",
    n.BitOr: "or", n.BitAnd: "and",
}


NO_DEFAULT = dataclasses.MISSING

SIGNS = {n.USub: "__neg__", n.UAdd: "__pos__", n.Invert: "__invert__"}

TAKING = frozenset({sum, min, max, list, tuple, sorted, dict, set, any, all})
"""The builtins that ask for all items of a generator."""


class Expressions:
    """The values of expressions."""

    state: State
    outside: Outside
    known_ones = False
    """Whether only containers of which all is known are taken."""

    taken: n.expr | None = None  # a generator expression of which all items are asked for at once

    def called(self, function: Value, args: list[Value], named: dict[str, Value], node: n.expr) -> Value:
        """The value of a call (``calls.py``)."""
        raise NotImplementedError

    def is_function(self, value: Value) -> bool:
        """Whether a value is a function of the user's (``text_functions.py``)."""
        raise NotImplementedError

    def as_function(self, value: Value, at: n.AST) -> n.expr:
        """A function as one of the text (``text_functions.py``)."""
        raise NotImplementedError

    def listed(self, value: Value, node: n.AST, kind: type = list) -> Value:
        """A list of the items of an iterable (``loops.py``)."""
        raise NotImplementedError

    def comprehended(self, node: Any) -> Value:
        """The value of a comprehension (``loops.py``)."""
        raise NotImplementedError

    def items_of(self, value: Value) -> list[Value] | None:
        """The items of what has a known number of them (``loops.py``)."""
        raise NotImplementedError

    def wanted_items(self, value: Value) -> list[Value] | None:
        """The same, where the lengths of arguments may be asked for (``loops.py``)."""
        raise NotImplementedError

    def value(self, node: n.expr) -> Value:
        """What an expression stands for; what has to run before is written."""
        method = getattr(self, f"_{type(node).__name__}", None)
        if method is None:
            return self._other(node)
        found: Value = method(node)
        return found

    def several(self, nodes: Sequence[n.expr], calling: bool = False) -> list[Value]:
        """The values of operands: those before one that writes something are as they were before that; ``calling``: the first one is a
        function, which stays a method.
        """
        found: list[Value] = []
        self.state.waiting.append(found)
        try:
            for node in nodes:
                block, before = self.state.out, len(self.state.out)
                value = self.value(node)
                assert self.state.out is block
                if any(not isinstance(written, n.FunctionDef) for written in block[before:]):
                    self._hold(found, before, calling)
                found.append(value)
        finally:
            self.state.waiting.pop()
        return found

    def held_for(self, values: list[Value], nodes: Sequence[n.expr]) -> tuple[list[Value], list[Value]]:
        """Values as they are before some operands are evaluated, and these."""
        before, held = len(self.state.out), list(values)
        self.state.waiting.append(held)
        found = self.several(nodes)
        self.state.waiting.pop()
        if len(self.state.out) > before:
            self._hold(held, before)
        return held, found

    def _hold(self, found: list[Value], before: int, calling: bool = False) -> None:
        """Bind the operands so far, where the text was at ``before``, if what is written since may change what they are."""
        out = self.state.out
        stored = {part.id for node in out[before:] for part in n.walk(node) if isinstance(part, n.Name) and isinstance(part.ctx, n.Store)}
        after = out[before:]
        del out[before:]
        for number, value in enumerate(found):
            if isinstance(value, Run) and not isinstance(value.node, n.Constant) and not self.is_method(value.node, stored):
                if calling and number == 0 and isinstance(value.node, (n.Attribute, n.Subscript)):
                    found[number] = Run(self.held_function(value.node, stored))
                elif not isinstance(value.node, n.Name) or value.node.id in stored:
                    found[number] = self.state.temporary(value.node)
            elif isinstance(value, (Choice, OneOf)):
                found[number] = self.state.pinned(value)
        out += after

    def held_function(self, node: Any, stored: set[str]) -> n.expr:
        """A method, or an entry of a table from outside, of which the owner and the key are bound."""
        def held(part: Any) -> Any:
            if self.outside.meant(part) is not MISSING or isinstance(part, n.Name) and part.id not in stored:
                return part
            return self.state.temporary(part).node

        if isinstance(node, n.Attribute):
            return altered(node, value=held(node.value))
        return altered(node, value=held(node.value), slice=held(node.slice))

    def is_method(self, node: n.expr, stored: set[str]) -> bool:
        """Whether an expression is a method of a list of the text that is bound once, or of a function of NumPy's."""
        if not isinstance(node, n.Attribute):
            return False
        own = isinstance(node.value, n.Name) and node.value.id in self.state.lists - stored
        return own or isinstance(self.outside.meant(node.value), np.ufunc)

    def text(self, value: Value, kept: bool = False) -> n.expr:
        """A value as an expression of the text. Raises NotInterpreted for what is none.

        ``kept``: the text keeps it. A list or dict that it keeps, or that is within what it is given, may be known in no other place.
        """
        node = as_node(value)
        if node is not None:
            return node
        if isinstance(value, Structure) and value.kind in (tuple, list, dict):
            if kept and value.kind is not tuple and value.identity in self.state.reached():
                raise NotInterpreted("a list or a dict is kept in two places")
            held = self.state.held[value.identity]
            parts = [self.text(part, True) for part in held.values()]
            if value.kind is dict:
                return n.Dict(keys=[n.Constant(value=key, kind=None) for key in held], values=parts)
            return (n.Tuple if value.kind is tuple else n.List)(elts=parts, ctx=n.Load())
        if isinstance(value, Known) and type(value.object) is tuple and (parts_ := self.outside.listed(value)) is not None:
            return n.Tuple(elts=[self.text(part) for part in parts_], ctx=n.Load())
        if isinstance(value, Known) and (found := self.outside.node_of(value.object)) is not None:
            return found
        if not kept and self.is_function(value):
            return self.as_function(value, self.state.at or n.Pass())
        of = f" of class {value.kind.__name__}" if isinstance(value, Structure) and is_users(value.kind) else ""
        raise NotInterpreted(f"an object{of} is used as a whole")

    def run(self, node: n.expr, at: n.AST) -> Run:
        """An expression of the text, where ``at`` stood."""
        return Run(place(node, at))

    def structure(self, kind: type, parts: Sequence[Value] | dict[Any, Value]) -> Structure:
        """A new structure; its parts are pinned."""
        held = dict(parts) if isinstance(parts, dict) else dict(enumerate(parts))
        return Structure(self.state.new({key: self.state.pinned(part) for key, part in held.items()}), kind)

    def parts(self, value: Structure) -> list[Value]:
        """The parts of a structure, as they are."""
        return [self.loaded(part) for part in self.state.held[value.identity].values()]

    def loaded(self, value: Value) -> Value:
        """A value as it is read from its place: a tuple that a loop renews is copied."""
        if isinstance(value, Structure) and value.identity in self.state.private:
            parts = [self.loaded(part) for part in self.state.held[value.identity].values()]
            return self.structure(value.kind, dict(zip(self.state.held[value.identity], parts)))
        return value

    # what has a method here, by the name of its class

    def _Constant(self, node: n.Constant) -> Value:
        return Known(node.value, node)

    def _Name(self, node: n.Name) -> Value:
        frame: Frame | None = self.state.frames[-1]
        first = frame
        while frame is not None:
            if node.id in frame.bound and node.id not in frame.outer:
                found = self.state.held[frame.identity].get(node.id)
                if found is None and not self.known_ones:  # the text raises Python's own error
                    name = self.state.name_of((frame.identity, node.id), node.id)
                    self.state.doubtful.add(name)
                    return self.run(expression(name), node)
                if found is None or found is LOST:
                    raise NotInterpreted(f"{node.id} may be unbound")
                if isinstance(found, Run):
                    return Run(place(clone(found.node), node))
                return self.loaded(found)
            frame = frame.around
        assert first is not None
        return self.outside.named(node.id, first.function, node)

    def _NamedExpr(self, node: Any) -> Value:
        value = self.value(node.value)
        self.assign(node.target, value)
        return self.value(expression(node.target.id))

    def assign(self, target: n.expr, value: Value) -> None:
        """Store a value (``statements.py``)."""
        raise NotImplementedError

    def assign_attribute(self, of: Value, name: str, value: Value, node: n.AST) -> None:
        """Store into an attribute (``statements.py``)."""
        raise NotImplementedError

    def _Tuple(self, node: Any) -> Value:
        found = self._starred(node.elts, True)
        if any(isinstance(part, Run) and isinstance(part.node, n.Starred) for part in found):
            return self.run(n.Tuple(elts=[self.text(part) for part in found], ctx=n.Load()), node)
        return self.structure(tuple, found)

    def _List(self, node: Any) -> Value:
        found = self._starred(node.elts, True)
        if all(not isinstance(part, Run) or not isinstance(part.node, n.Starred) for part in found):
            return self.structure(list, found)
        name = self.state.temporary(n.List(elts=[], ctx=n.Load()), "items").node
        self.state.lists.add(name.id)
        for part in found:
            text = self.text(part, True)
            if self.state.carries(text):
                self.state.active.add(name.id)
            how, given = ("extend", text.value) if isinstance(text, n.Starred) else ("append", text)
            self.state.emit(statement(f"$x.{how}($y)", x=clone(name), y=given))
        return Run(name)

    def _starred(self, nodes: Sequence[n.expr], in_list: bool = False) -> list[Value]:
        values = self.several([node.value if isinstance(node, n.Starred) else node for node in nodes])
        found: list[Value] = []
        for node, value in zip(nodes, values):
            if isinstance(node, n.Starred):
                items = self.wanted_items(value)
                if items is None and in_list and isinstance(value, Run):
                    items = [Run(n.Starred(value=self.text(value), ctx=n.Load()))]
                if items is None:
                    raise NotInterpreted("how many values a star stands for is not known")
                found += items
            else:
                found.append(value)
        return found

    def _Dict(self, node: Any) -> Value:
        pairs = zip(node.keys, node.values)
        values = self.several([part for pair in pairs for part in pair if part is not None])
        held: dict[Any, Value] = {}
        pending = iter(values)
        for key in node.keys:
            if key is None:
                held |= self.entries(next(pending))
            else:
                at = self.key(next(pending))
                held[at] = next(pending)
        return self.structure(dict, held)

    def key(self, value: Value) -> Any:
        """The key that a value is. Raises NotInterpreted if it is not known."""
        if isinstance(value, Known) and isinstance(value.object, (*NUMBERS, type(None))):
            return value.object
        if isinstance(value, Structure) and value.kind is tuple:
            return tuple(map(self.key, self.parts(value)))
        raise NotInterpreted("a key is not known")

    def is_known_part(self, owner: Structure, at: Value) -> bool:
        """Whether it is known which part of a container stands at an index or under a key, or that there is none."""
        if owner.kind is dict:
            parts = self.parts(at) if isinstance(at, Structure) and at.kind is tuple else [at]
            return all(isinstance(part, Known) or isinstance(part, Structure) and self.is_known_part(owner, part) for part in parts)
        return not (owner.kind is list or issubclass(owner.kind, tuple)) or not isinstance(at, Run)

    def entries(self, value: Value) -> dict[Any, Value]:
        """The entries of a dict. Raises NotInterpreted if they are not known."""
        if isinstance(value, Structure) and value.kind is dict:
            return {key: self.loaded(part) for key, part in self.state.held[value.identity].items()}
        found = self.outside.entries(value)
        if found is None:
            raise NotInterpreted("which entries a dict has is not known")
        return found

    def _Lambda(self, node: Any) -> Value:
        return self.closure(node, node.args)

    def closure(self, tree: Any, args: Any) -> Closure:
        """A function that is defined here, its defaults evaluated."""
        frame = self.state.frames[-1]
        positional = [*args.posonlyargs, *args.args]
        nodes = [*args.defaults, *(part for part in args.kw_defaults if part is not None)]
        values = [self.state.pinned(value) for value in self.several(nodes)]
        named = [name for name, part in zip(args.kwonlyargs, args.kw_defaults) if part is not None]
        parameters = [*positional[len(positional) - len(args.defaults):], *named]
        defaults = {parameter.id: value for parameter, value in zip(parameters, values)}
        return Closure(tree, frame, frame.function, defaults, frame.owner)

    def _IfExp(self, node: Any) -> Value:
        test = self.condition(node.test)
        if (known := self.truth(test)) is not None:
            return self.value(node.body if known else node.orelse)
        return self.either(self.text(test), lambda: self.value(node.body), lambda: self.value(node.orelse), node)

    def rerun(self, run: Any) -> Any:
        """What a loop or a branch gives (``text_containers.py``)."""
        raise NotImplementedError

    def become_text(self, of: Structure) -> Run:
        """The name of a list or dict that is one of the text from here on (``text_containers.py``)."""
        raise NotImplementedError

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
                return bool(self.state.held[value.identity])
            return None if hasattr(value.kind, "__bool__") or hasattr(value.kind, "__len__") else True
        return True if isinstance(value, (Closure, Bound, Method)) else None

    def condition(self, node: n.expr) -> Value:
        """The value of a test, of which it is only asked whether it is true."""
        return self._BoolOp(node, True) if isinstance(node, n.BoolOp) else self.value(node)

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
        if isinstance(node.op, n.Not) and (known := self.truth(value)) is not None:
            return Known(not known)
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
            raise NotInterpreted("an operator that a class overrides")
        sides = ((left, right, kinds[0], f"__{SPECIAL.get(kind)}__"), (right, left, kinds[1], f"__r{SPECIAL.get(kind)}__"))
        for one, other, of, name in sides:
            if of is not None and is_users(of) and isinstance(getattr(of, name, None), types.FunctionType):
                return self.called(self.attribute(one, name, node), [other], {}, node)
        raise NotInterpreted("an operator of an object")

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
            if kind in (n.Is, n.IsNot) and (known := self.identical(left, right)) is not None:
                return Known(known is (kind is n.Is))
            if kind in (n.In, n.NotIn) and isinstance(right, Structure) and right.kind is dict:
                if not self.is_known_part(right, left):
                    whole = self.become_text(right)
                    return self.run(n.Compare(left=self.text(left), ops=node.ops, comparators=[whole.node]), node)
                return Known((self.key(left) in self.state.held[right.identity]) is (kind is n.In))
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

    def identical(self, left: Value, right: Value) -> bool | None:
        """Whether two values are one object, if that is known."""
        if isinstance(left, Known) and isinstance(right, Known):
            if left.object is None or right.object is None:
                return left.object is right.object
            return None if isinstance(left.object, NUMBERS) else left.object is right.object
        for one, other in ((left, right), (right, left)):
            if isinstance(one, Known) and one.object is None and not isinstance(other, Run):
                return False
            if isinstance(one, Known) and one.object is None and isinstance(other, Run) and self.outside.is_something(other):
                return False
        if isinstance(left, Structure) and isinstance(right, Structure):
            return left.identity == right.identity if left.kind is not tuple else None
        return None

    def _Attribute(self, node: Any) -> Value:
        return self.attribute(self.value(node.value), node.attr, node)

    def attribute(self, value: Value, name: str, node: n.expr) -> Value:
        """An attribute of a value."""
        if isinstance(value, Structure):
            held = self.state.held[value.identity]
            if value.kind in (list, dict, tuple):
                return Method(value, name)
            if name == "__dict__":
                return self.viewed(value)
            if name == "__class__":
                return self.class_of(value.kind)
            member = self.member(value.kind, name)
            if isinstance(member, property):
                assert member.fget is not None
                return self.called(self.bound(member.fget, value), [], {}, node)
            if issubclass(value.kind, tuple):
                fields = value.kind._fields  # type: ignore[attr-defined]
                if name in fields:
                    return self.loaded(held[fields.index(name)])
                if name in ("_replace", "_asdict"):
                    return Method(value, name)
            if name in held:
                return self.loaded(held[name])
            return self.of_class(member, name, value, value.kind)
        if isinstance(value, OneOf):
            return self.attribute_of_one(value, name, node)
        if isinstance(value, Super):
            own: Any = self.kind_of(value.of)
            within_class = own is None
            own = value.of.object if within_class else own  # type: ignore[attr-defined]
            for kind in own.__mro__[own.__mro__.index(value.after) + 1:]:
                if name in vars(kind):
                    member = vars(kind)[name]
                    if isinstance(member, classmethod):
                        first = value.of if within_class else self.class_of(own, value.of)
                        return Bound(self.outside.function(member.__func__), [first], {})
                    if within_class:
                        break
                    if name == "__init__" and kind is object and isinstance(value.of, Structure):
                        return Method(value.of, "__init__ of object")
                    if isinstance(member, property):
                        return self.called(self.bound(member.fget, value.of), [], {}, node)
                    return self.of_class(member, name, value.of, kind)
            raise NotInterpreted(f"super().{name}")
        if isinstance(value, Known) and type(value.object) is dict and name in ("items", "keys", "values", "get", "copy"):
            entries = self.outside.entries(value)
            if entries is not None:
                shown = self.structure(dict, entries)
                self.state.frozen.add(shown.identity)
                if value.node is not None and not any(map(callable, value.object.values())):
                    self.state.shown[shown.identity] = value.node
                return Method(shown, name)
        if isinstance(value, Run) and self.factory_of(value) is not None and name not in ("items", "keys", "values", "get", "clear"):
            raise NotInterpreted(f".{name} of a defaultdict")
        if isinstance(value, Run) and name in ("items", "keys", "values", "get", "copy"):
            entries = self.outside.entries(value)
            if entries is not None:
                shown = self.structure(dict, entries)
                self.state.shown[shown.identity] = value.node
                return Method(shown, name)
        if isinstance(value, Known):
            return self.outside.attribute(value, name, node)
        if isinstance(value, Run):
            of = self.outside.kind_of(value)
            if of is not None and name == "__class__":
                return self.class_of(of, value)
            member = MISSING if of is None else self.member(of, name)
            if isinstance(member, types.FunctionType) and is_user_function(member):
                return self.bound(member, value)
            if isinstance(member, property) and isinstance(member.fget, types.FunctionType):
                return self.called(self.bound(member.fget, value), [], {}, node)
            if of is not None and issubclass(of, tuple) and name in ("_replace", "_asdict"):
                fields = [n.Attribute(value=clone(value.node), attr=field, ctx=n.Load()) for field in of._fields]  # type: ignore[attr-defined]
                return Method(self.structure(of, [Run(field) for field in fields]), name)
            if of is not None and isinstance(member, (staticmethod, classmethod)) and is_user_function(member.__func__):
                return Bound(self.outside.function(member.__func__), [self.class_of(of, value)] * isinstance(member, classmethod), {})
            read = n.Attribute(value=self.text(value), attr=name, ctx=n.Load())
            return self.outside.held_function(read) or self.run(read, node)
        raise NotInterpreted(f"an attribute of a {type(value).__name__.lower()}")

    def attribute_of_one(self, value: OneOf, name: str, node: n.expr) -> Value:
        """An attribute of one object out of several: of each of them, and by number."""
        kind = self.kind_of(value)
        member = MISSING if kind is None else self.member(kind, name)
        if isinstance(member, property) and is_user_function(member.fget):
            return self.called(self.bound(member.fget, value), [], {}, node)
        if is_user_function(member) and not any(name in self.state.held[each.identity] for each in value.objects):
            return self.bound(member, value)
        if any(isinstance(self.member(each.kind, name), property) for each in value.objects):
            raise NotInterpreted("a property of one of several objects")
        return self.by_number(value.number, [self.attribute(each, name, node) for each in value.objects], node)

    def by_number(self, number: n.expr, values: list[Value], node: n.expr) -> Value:
        """One of several values, by a number that the run tells."""
        if all(isinstance(value, Known) and value.object is values[0].object for value in values):  # type: ignore[attr-defined]
            return values[0]
        if all(isinstance(value, Structure) and is_users(value.kind) for value in values):
            return OneOf(number, values)  # type: ignore[arg-type]
        if all(isinstance(value, (Closure, Bound)) or isinstance(value, Known) and callable(value.object) for value in values):
            return Choice(number, values)
        shown = n.List(elts=[self.text(value) for value in values], ctx=n.Load())
        return self.run(n.Subscript(value=shown, slice=clone(number), ctx=n.Load()), node)

    def viewed(self, value: Structure) -> Structure:
        """An object as the dict of its attributes: what is stored to one is stored to the other."""
        if issubclass(value.kind, tuple):
            raise NotInterpreted("the attributes of a tuple")
        self.state.viewed.add(value.identity)
        return Structure(value.identity, dict)

    def class_of(self, kind: type, of: Value | None = None) -> Known:
        """A class as a value: that of an object, if it has no name here."""
        node = self.outside.node_of(kind)
        if node is None and isinstance(of, Run):
            node = n.Attribute(value=clone(of.node), attr="__class__", ctx=n.Load())
            self.outside.note_class(kind, node)
        return Known(kind, node)

    def member(self, kind: type, name: str) -> Any:
        """What a class holds under a name, MISSING if nothing."""
        return next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), MISSING)

    def bound(self, function: Any, of: Value) -> Bound:
        """A method of an object."""
        if hasattr(function, "__wrapped__"):  # by contextlib.contextmanager, or another decorator
            return Bound(Known(function), [self.state.pinned(of)], {})
        return Bound(self.outside.function(function), [self.state.pinned(of)], {})

    def of_class(self, member: Any, name: str, value: Value, kind: type) -> Value:
        """What an object has from its class."""
        if isinstance(member, types.FunctionType):
            return self.bound(member, value)
        if isinstance(member, staticmethod):
            function = member.__func__
            return self.outside.function(function) if is_user_function(function) else Known(function, self.outside.node_of(function))
        if isinstance(member, classmethod):
            return Bound(self.outside.function(member.__func__), [self.class_of(kind)], {})
        if member is MISSING:
            raise NotInterpreted(f"there is no attribute {name}")
        if hasattr(type(member), "__get__") and not callable(member):
            raise NotInterpreted(f"how {name} is found")
        owner = next(base for base in kind.__mro__ if name in vars(base))
        node = self.outside.node_of(owner) or self.outside.node_of(kind)
        if node is None or not is_users(owner):
            raise NotInterpreted(f"what {name} of a class is")
        self.outside.note(member)
        return self.outside.wrapped(member, n.Attribute(value=node, attr=name, ctx=n.Load()))

    def _Subscript(self, node: Any) -> Value:
        if isinstance(node.slice, (n.Slice, n.Tuple)):
            value = self.several([node.value, *indices(node.slice)])
            owner, index = value[0], value[1:]
            if isinstance(owner, Structure) and isinstance(node.slice, n.Slice):
                return self.part_slice(owner, node.slice, index)
            if isinstance(owner, Structure) and owner.kind is dict:
                return self.entry(owner, self.structure(tuple, index), node)
            sliced = with_indices(node.slice, [self.text(each) for each in index])
            return self.run(n.Subscript(value=self.text(owner), slice=sliced, ctx=n.Load()), node)
        owner, at = self.several([node.value, node.slice])
        return self.entry(owner, at, node)

    def tuple_text(self, value: Structure) -> Run:
        """A tuple of the text."""
        if self.known_ones:
            raise NotInterpreted("which part of a tuple is meant")
        return self.state.temporary(self.text(value), "parts")

    def part_slice(self, owner: Structure, node: Any, index: list[Value]) -> Value:
        """A slice of a list or tuple."""
        if all(isinstance(each, Known) for each in index):
            known: Any = iter(index)
            ends = [None if part is None else next(known).object for part in (node.lower, node.upper, node.step)]
            if owner.kind in (list, tuple):
                return self.structure(owner.kind, self.parts(owner)[slice(*ends)])
            if is_users(owner.kind):
                given = Known(slice(*ends), expression(f"slice({', '.join(map(repr, ends))})"))
                return self.called(self.attribute(owner, "__getitem__", node), [given], {}, node)
        if owner.kind not in (list, tuple):
            raise NotInterpreted("a slice of an object")
        whole = self.become_text(owner) if owner.kind is list else self.tuple_text(owner)
        sliced = with_indices(node, [self.text(each) for each in index])
        return self.run(n.Subscript(value=whole.node, slice=sliced, ctx=n.Load()), node)

    def entry(self, owner: Value, at: Value, node: n.expr) -> Value:
        """What stands at an index or under a key."""
        if isinstance(owner, Structure) and not self.is_known_part(owner, at):
            if (chosen := self.chosen(owner, at, node)) is not None:
                return chosen
            whole = self.become_text(owner) if owner.kind in (list, dict) else self.tuple_text(owner)
            return self.run(n.Subscript(value=whole.node, slice=self.text(at), ctx=n.Load()), node)
        if isinstance(owner, Structure):
            held = self.state.held[owner.identity]
            if owner.kind is dict:
                key = self.key(at)
                if key not in held and owner.identity in self.state.factories:
                    self.state.store((owner.identity, key), self.made_entry(self.state.factories[owner.identity]), str(key))
                if key not in held:
                    raise NotInterpreted("there is no such key")
                return self.loaded(held[key])
            if owner.kind is list or issubclass(owner.kind, tuple):
                if isinstance(at, Known) and type(at.object) is int and -len(held) <= at.object < len(held):
                    return self.loaded(held[at.object % len(held)])
                raise NotInterpreted("an index that is not known")
            return self.called(self.attribute(owner, "__getitem__", node), [at], {}, node)
        if (factory := self.factory_of(owner)) is not None and isinstance(owner, Run):
            text, key = self.text(owner), self.text(self.state.pinned(at))
            first = expression(repr(self.number_made(factory)))
            made = statement("$d[$k] = $v", d=clone(text), k=clone(key), v=first)
            self.state.emit(n.If(test=expression("$k not in $d", k=key, d=text), body=[place(made, node)], orelse=[]))
            return self.run(n.Subscript(value=self.text(owner), slice=clone(key), ctx=n.Load()), node)
        at = self.outside.from_the_front(owner, at)
        if isinstance(owner, Known) and (found := self.outside.entry(owner, at)) is not None:
            return found
        if isinstance(at, Run) and (table := self.outside.functions(owner)):
            return self.by_number(self.number_of(list(table), at), list(table.values()), node)
        if isinstance(owner, Run) and isinstance(at, Known) and not isinstance(at.object, slice) and isinstance(
                part := self.outside.part(owner.node, at.object), Known):
            return part
        read = n.Subscript(value=self.text(owner), slice=self.text(at), ctx=n.Load())
        return self.outside.held_function(read) or self.run(read, node)

    def chosen(self, owner: Structure, at: Value, node: n.expr) -> Value | None:
        """The function or object at a place of a list or a tuple, or under a key of a dict, that only the run tells; None of any other
        container.
        """
        if not isinstance(at, Run) or owner.kind not in (list, tuple, dict) or not (parts := self.parts(owner)):
            return None
        functions = all(isinstance(part, (Closure, Bound)) or isinstance(part, Known) and callable(part.object) for part in parts)
        if functions or all(isinstance(part, Structure) and is_users(part.kind) for part in parts):
            return self.by_number(self.number_of([*self.state.held[owner.identity]], at), parts, node)
        return None

    def factory_of(self, owner: Value) -> Any:
        """What makes the entries of a dict that are asked for first, None of any other container."""
        if isinstance(owner, Structure):
            return self.state.factories.get(owner.identity)
        return self.state.factories.get(owner.node.id) if isinstance(owner, Run) and isinstance(owner.node, n.Name) else None

    def number_made(self, factory: Any) -> int | float:
        """The number that an entry of a dict of the text begins with."""
        if factory not in (int, float):
            raise NotInterpreted("which entries a defaultdict has is not known")
        return factory()  # type: ignore[no-any-return]

    def made_entry(self, factory: Any) -> Value:
        """The entry that a defaultdict makes."""
        if factory in (list, dict):
            return self.structure(factory, [] if factory is list else {})
        return Known(factory())

    def number_of(self, keys: list[Any], at: Value) -> n.expr:
        """The number of the key that only the run tells."""
        if keys == [*range(len(keys))]:
            table: n.expr = expression(f"range({len(keys)})")
        else:
            shown: list[Any] = [n.Constant(value=key, kind=None) for key in keys]
            table = n.Dict(keys=shown, values=[n.Constant(value=place_, kind=None) for place_ in range(len(keys))])
        return self.state.temporary(n.Subscript(value=table, slice=self.text(at), ctx=n.Load()), "number").node

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
        function, *values = self.several([node.func, *stars, *(keyword.value for keyword in node.keywords)], calling=True)
        args: list[Value] = []
        for arg, value in zip(node.args, values):
            if isinstance(arg, n.Starred):
                items = self.wanted_items(value)
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

    def unpacked(self, value: Any, count: int) -> list[Value] | None:
        """The items of what the text has (``loops.py``)."""
        raise NotImplementedError

    def _super(self) -> Value:
        frame: Frame | None = self.state.frames[-1]
        while frame is not None and frame.owner is None:
            frame = frame.around
        if frame is None or not frame.tree.args.args:
            raise NotInterpreted("super()")
        of = self.state.held[frame.identity][frame.tree.args.args[0].id]
        if self.kind_of(of) is None and not (isinstance(of, Known) and isinstance(of.object, type) and frame.owner in of.object.__mro__):
            raise NotInterpreted("super()")
        return Super(of, frame.owner)

    def kind_of(self, value: Value) -> type | None:
        """The class of a structure, or of an object among the arguments, None of anything else."""
        if isinstance(value, OneOf):
            kinds = {each.kind for each in value.objects}
            return kinds.pop() if len(kinds) == 1 else None
        return value.kind if isinstance(value, Structure) else self.outside.kind_of(value) if isinstance(value, Run) else None

    def _ListComp(self, node: Any) -> Value:
        return self.comprehended(node)

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

    def pinned_iterable(self, value: Value) -> Value:
        """What is iterated over, pinned: of a view, and of what makes an iterator, what it is of."""
        if not isinstance(value, Run):
            return self.state.pinned(value)
        node: Any = value.node
        if isinstance(node, n.Attribute) and node.attr == "flat":
            return Run(altered(node, value=self.text(self.state.pinned(Run(node.value)))))
        if is_view(value):
            return Run(altered(node, func=altered(node.func, value=self.text(self.state.pinned(Run(node.func.value))))))
        if isinstance(node, n.Call) and getattr(self.outside.meant(node.func), "__module__", "") == "itertools" and not node.keywords:
            return Run(altered(node, args=[self.text(self.pinned_iterable(Run(part))) for part in node.args]))
        return self.state.pinned(value)

    def _SetComp(self, node: Any) -> Value:
        items = self.comprehended(altered(n.ListComp(elt=node.elt, generators=node.generators)))
        return self.run(n.Call(func=expression("set"), args=[self.text(items)], keywords=[]), node)

    def _DictComp(self, node: Any) -> Value:
        return self.comprehended(node)

    def _JoinedStr(self, node: Any) -> Value:
        parts = [part.value if isinstance(part, n.FormattedValue) else part for part in node.values]
        plain = all(not isinstance(part, n.FormattedValue) or part.conversion == -1 and part.format_spec is None for part in node.values)
        if plain and all(isinstance(part, (n.Constant, n.Name)) for part in parts) and parts != node.values:
            values = self.several(parts)
            if all(isinstance(value, Known) and isinstance(value.object, (str, int)) for value in values):
                return Known("".join(str(value.object) for value in values))  # type: ignore[attr-defined]
        made: Any = self._other(node)
        return self.run(altered(made.node, values=[piece for part in made.node.values for piece in pieces_of(part)]), node)

    def _FormattedValue(self, node: Any) -> Value:
        shown = [node.value] if node.format_spec is None else [node.value, node.format_spec]
        value, *specs = [self.text(self.shown(value, node.conversion == ord("r"))) for value in self.several(shown)]
        if not specs:
            return self.run(altered(node, value=value), node)
        spec = specs[0]
        spec = spec if isinstance(spec, n.JoinedStr) else n.JoinedStr(values=[spec])
        return self.run(altered(node, value=value, format_spec=spec), node)

    def shown(self, value: Value, represented: bool = False) -> Value:
        """A value that is put into words: of an object the words."""
        if not isinstance(value, Structure) or not self.holds_object(value):
            return value
        names_ = ("__repr__",) if represented else ("__str__", "__repr__")
        found = [self.member(value.kind, name) for name in names_ if is_users(value.kind)]
        method = next((each for each in found if is_user_function(each) and not hasattr(each, "__wrapped__")), None)
        if method is not None:
            return self.called(self.bound(method, value), [], {}, n.Constant(value=None, kind=None))
        held = self.state.held[value.identity]
        if value.kind in (list, tuple, dict):
            left, right = {list: ("[", "]"), tuple: ("(", ",)" if len(held) == 1 else ")"), dict: ("{", "}")}[value.kind]
            parts = [(f"{key!r}: " if value.kind is dict else "", part) for key, part in held.items()]
        elif dataclasses.is_dataclass(value.kind) and "__repr__" in vars(value.kind):
            fields = [field.name for field in dataclasses.fields(value.kind) if field.repr]
            left, right, parts = f"{value.kind.__qualname__}(", ")", [(f"{name}=", held[name]) for name in fields]
        else:
            raise NotInterpreted(f"a {value.kind.__name__}, which has no words of its own, is shown")
        pieces: list[n.expr] = [n.Constant(value=left, kind=None)]
        for number, (name, part) in enumerate(parts):
            pieces.append(n.Constant(value=", " * bool(number) + name, kind=None))
            text = self.text(self.shown(self.loaded(part), True))
            conversion = -1 if isinstance(text, n.JoinedStr) else ord("r")
            pieces += pieces_of(n.FormattedValue(value=text, conversion=conversion, format_spec=None))
        return Run(n.JoinedStr(values=[*pieces, n.Constant(value=right, kind=None)]))

    def holds_object(self, value: Value) -> bool:
        """Whether a value is an object, or a container of one."""
        if not isinstance(value, Structure):
            return False
        return value.kind not in (list, tuple, dict) or any(map(self.holds_object, self.state.held[value.identity].values()))

    def _other(self, node: n.expr) -> Value:
        """Any other expression: the same one of the text of what is in it."""
        if isinstance(node, (n.Yield, n.YieldFrom)):
            raise NotInterpreted("what is sent to a generator")
        if any(isinstance(part, n.SCOPES) for part in n.walk(node)):
            raise NotInterpreted(f"a {type(node).__name__}")
        below = [part for part in n.below(node) if isinstance(part, n.expr)]
        texts = dict(zip(map(id, below), map(self.text, self.several(below))))
        return self.run(remade(node, lambda part: texts.get(id(part), part)), node)


def pieces_of(part: Any) -> list[n.expr]:
    """A piece of a text as it stands in another text: one that is a text itself, piece by piece."""
    within = isinstance(part, n.FormattedValue) and isinstance(part.value, n.JoinedStr) and part.format_spec is None
    return [*part.value.values] if within and part.conversion == -1 else [part]


def is_view(value: Value) -> bool:
    """Whether a value is what ``.values()`` and its like give of a dict of the text."""
    call = value.node if isinstance(value, Run) else None
    method = call.func if isinstance(call, n.Call) and not call.args else None
    return isinstance(method, n.Attribute) and method.attr in ("values", "items", "keys")


def is_shape(node: n.expr) -> bool:
    """Whether an expression is a shape, or a slice of one."""
    if isinstance(node, n.Subscript) and isinstance(node.slice, n.Slice):
        return is_shape(node.value)
    return isinstance(node, n.Attribute) and node.attr == "shape"


def targets_of(node: Any) -> frozenset[str]:
    """The names that a comprehension binds, which are its own."""
    return frozenset(
        part.id for generator in node.generators for part in n.walk(generator.target) if isinstance(part, n.Name))


def indices(node: Any) -> list[n.expr]:
    """The expressions in an index, in order."""
    if isinstance(node, n.Tuple):
        return [inner for part in node.elts for inner in indices(part)]
    if isinstance(node, n.Slice):
        return [part for part in (node.lower, node.upper, node.step) if part is not None]
    return [node]


def with_indices(node: Any, texts: list[n.expr]) -> n.expr:
    """An index with other expressions in it, in order."""
    pending = iter(texts)

    def made(node: Any) -> Any:
        if isinstance(node, n.Tuple):
            return altered(node, elts=[made(part) for part in node.elts])
        if isinstance(node, n.Slice):
            ends = ("lower", "upper", "step")
            return altered(node, **{name: None if getattr(node, name) is None else next(pending) for name in ends})
        return next(pending)

    found: n.expr = made(node)
    return found
