"""Interpret expressions, in Python's order: what an operand writes stands before what the next one reads."""

from __future__ import annotations

import enum
import types
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..analysis.scope import MISSING
from ..rules.composites.deques import Deque
from ..runtime.user_objects import is_users
from ..syntax import nodes as n
from ..syntax.quote import altered, clone, expression, place, remade, statement
from .nodes_of_values import as_node
from .outside import Outside
from .records import Objects
from .state import State
from .trees import is_deleted
from .values import LOST, PERHAPS, Choice, Closure, Frame, Known, NotInterpreted, ObjectKey, OneOf, Row, Run, Series, Structure, Value

NUMBERS = (int, float, complex, bool, str)


class Expressions(Objects):
    """The values of expressions."""

    state: State
    outside: Outside
    known_ones = False
    known_rows = False
    """Whether only containers of which all is known are taken."""

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

    def text_of(self, value: Value) -> n.expr | None:
        """An iterator as an expression of the text, if it is one (``iterators.py``)."""
        raise NotImplementedError

    def drive(self, value: Value, consume: Any, at: n.AST, target: n.expr | None = None) -> Any:
        """Give each item of an iterable to ``consume`` (``iterators.py``)."""
        raise NotImplementedError

    def items_of(self, value: Value) -> list[Value] | None:
        """The items of what has a known number of them (``loops.py``)."""
        raise NotImplementedError

    def wanted_items(self, value: Value) -> list[Value] | None:
        """The same, where the lengths of arguments may be asked for (``loops.py``)."""
        raise NotImplementedError

    def does_more(self, body: list[n.stmt]) -> bool:
        """Whether statements do more than change what they make, or draw (``assignments.py``)."""
        raise NotImplementedError

    def factory_of(self, owner: Value) -> Any:
        """What makes the entries of a dict that are asked for first, None of any other container (``attributes.py``)."""
        raise NotImplementedError

    def value(self, node: n.expr) -> Value:
        """What an expression stands for; what has to run before is written."""
        method = getattr(self, f"_{type(node).__name__}", None)
        if method is None:
            return self._other(node)
        found: Value = method(node)
        return found

    def several(self, nodes: Sequence[n.expr], calling: bool = False, apart: Sequence[int] = ()) -> list[Value]:
        """The values of operands: those before one that writes something are as they were before that.

        ``calling``: the first one is a function, which stays a method. ``apart``: the numbers of those that are taken apart, by a star.
        """
        found: list[Value] = []
        self.state.waiting.append(found)
        try:
            for node in nodes:
                block, before, was = self.state.out, len(self.state.out), list(found)
                value = self.value(node)
                assert self.state.out is block
                if any(not isinstance(written, n.FunctionDef) for written in block[before:]):
                    self._hold(found, was, before, calling)
                found.append(self.snapshot(value, nodes[len(found) + 1:]) if len(found) in apart else value)
        finally:
            self.state.waiting.pop()
        return found

    def snapshot(self, value: Value, later: Sequence[n.expr]) -> Value:
        """What a container holds that is taken apart, before later operands may change it."""
        may_change = any(isinstance(part, (n.Call, n.NamedExpr)) for node in later for part in n.walk(node))
        if may_change and isinstance(value, Run) and isinstance(value.node, n.Name) and value.node.id in self.state.lists:
            return self.state.temporary(expression("[*$x]", x=value.node))
        if not may_change or not isinstance(value, Structure) or value.kind not in (list, dict):
            return value
        return self.structure(tuple, self.parts(value)) if value.kind is list else self.structure(dict, self.entries(value))

    def held_for(self, values: list[Value], nodes: Sequence[n.expr]) -> tuple[list[Value], list[Value]]:
        """Values as they are before some operands are evaluated, and these."""
        before, held = len(self.state.out), list(values)
        self.state.waiting.append(held)
        found = self.several(nodes)
        self.state.waiting.pop()
        if len(self.state.out) > before:
            self._hold(held, values, before)
        return held, found

    def _hold(self, found: list[Value], was: Sequence[Value], before: int, calling: bool = False) -> None:
        """Bind the operands so far, where the text was at ``before``, if what is written since may change what they are. A container that
        ``was`` known there has been given its name since.
        """
        out = self.state.out
        stored = {part.id for node in out[before:] for part in n.walk(node) if isinstance(part, n.Name) and isinstance(part.ctx, n.Store)}
        after = out[before:]
        del out[before:]
        for number, value in enumerate(found):
            if isinstance(value, Run) and isinstance(was[number], Structure):
                continue
            if isinstance(value, Run) and not isinstance(value.node, n.Constant) and not self.is_method(value.node, stored):
                if calling and number == 0 and isinstance(value.node, (n.Attribute, n.Subscript)):
                    found[number] = Run(self.held_function(value.node, stored))
                elif not isinstance(value.node, n.Name) or value.node.id in stored:
                    found[number] = self.state.temporary(value.node)
            elif isinstance(value, (Choice, OneOf, Row)):
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
        if isinstance(value, Series) and not value.method and not kept:
            return self.listed_series(value)
        if (kept or isinstance(value, Row)) and self.state.records.asked and self.holds_objects(value):
            return self.as_record(value)[1]
        if isinstance(value, Structure) and value.kind in (tuple, list, dict):
            if kept and value.kind is not tuple and value.identity in self.state.reached():
                return self.become_text(value).node
            held = self.state.held[value.identity]
            parts = [self.text(part, True) for part in held.values()]
            if value.kind is dict:
                return n.Dict(keys=[self.outside.key(key) for key in held], values=parts)
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

    def listed_series(self, series: Series) -> n.expr:
        """A list that an object in a container of the text has, as one that is made anew (``columns.py``)."""
        raise NotImplementedError

    def columns_at(self, node: Any, container: type) -> Structure | None:
        """The list or dict of objects that is made where a node stands, if the text holds it by attributes (``columns.py``)."""
        raise NotImplementedError

    def absorb(self, of: Structure, key: Value | None, value: Value, replaces: bool = True) -> None:
        """Store an object into such a list or dict (``columns.py``)."""
        raise NotImplementedError

    def sited(self, made: Structure, node: Any) -> Structure:
        """A new structure, of which it is noted where it was made (``columns.py``)."""
        raise NotImplementedError

    def separate(self, of: Any, value: Value) -> None:
        """Go back to where a container was made, if it is given an object that the text cannot hold (``columns.py``)."""
        raise NotImplementedError

    def structure(self, kind: type, parts: Sequence[Value] | dict[Any, Value]) -> Structure:
        """A new structure; its parts are pinned."""
        held = dict(parts) if isinstance(parts, dict) else dict(enumerate(parts))
        return Structure(self.state.new({key: self.state.pinned(part) for key, part in held.items()}), kind)

    def parts(self, value: Structure) -> list[Value]:
        """The parts of a structure, as they are."""
        return [self.loaded(part) for part in self.state.held[value.identity].values()]

    def all_parts(self, value: Structure) -> dict[Any, Value]:
        """What a structure holds, by key. Raises NotInterpreted if it is not known which of it is there."""
        if PERHAPS in self.state.held[value.identity]:
            raise NotInterpreted("which entries a dict has is not known")
        return self.state.held[value.identity]

    def loaded(self, value: Value) -> Value:
        """A value as it is read from its place: a tuple that a loop renews is copied."""
        if value is PERHAPS:
            raise NotInterpreted("which entries a dict has is not known")
        if value is LOST:
            raise NotInterpreted("what only some ways store")
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
                if found is None and not self.known_ones and not is_deleted(node.id, frame.tree):  # the text raises Python's own error
                    name = self.state.name_of((frame.identity, node.id), node.id)
                    self.state.doubtful.add(name)
                    self.state.early.add(name)
                    return self.run(expression(name), node)
                if found is None or found is LOST:
                    raise NotInterpreted(f"{node.id} may be unbound")
                if isinstance(found, Run):
                    if isinstance(found.node, n.Name) and found.node.id in self.state.doubtful and is_deleted(node.id, frame.tree):
                        raise NotInterpreted(f"{node.id} may be unbound")
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
            if (rows := self.columns_at(node, list)) is not None:
                for part in found:
                    self.absorb(rows, None, part)
                return rows
            return self.sited(self.structure(list, found), node)
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
        apart = [number for number, node in enumerate(nodes) if isinstance(node, n.Starred)]
        values = self.several([node.value if isinstance(node, n.Starred) else node for node in nodes], apart=apart)
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
        nodes = [(key is None, part) for key, value in zip(node.keys, node.values) for part in (key, value) if part is not None]
        values = self.several([part for _, part in nodes], apart=[number for number, (starred, _) in enumerate(nodes) if starred])
        held: dict[Any, Value] = {}
        pending = iter(values)
        for key in node.keys:
            if key is None:
                held |= self.entries(next(pending))
            elif not self.is_key(at := next(pending)):
                return self.dict_at_run(held, [at, *pending], node)
            else:
                held[self.key(at)] = next(pending)
        if (rows := self.columns_at(node, dict)) is not None:
            for key_, part in held.items():
                self.absorb(rows, self.outside.known_key(key_), part, False)
            return rows
        return self.sited(self.structure(dict, held), node)

    def dict_at_run(self, held: dict[Any, Value], others: list[Value], node: n.Dict) -> Value:
        """A dict of the text, of entries and of other keys and their values, of which only the run tells what the keys are."""
        if None in node.keys:
            raise NotInterpreted("a key is not known")
        table = self.become_text(self.structure(dict, held))
        for key, value in zip(others[::2], others[1::2]):
            entry = place(n.Subscript(value=self.text(table), slice=self.text(key), ctx=n.Store()), node)
            self.state.emit(n.Assign(targets=[entry], value=self.text(value, True), type_comment=None))
        return table

    def is_key(self, value: Value) -> bool:
        """Whether it is known which key a value is."""
        try:
            self.key(value)
        except NotInterpreted:
            return False
        return True

    def key(self, value: Value) -> Any:
        """The key that a value is. Raises NotInterpreted if it is not known."""
        if isinstance(value, Known) and isinstance(value.object, (*NUMBERS, type(None), enum.Enum)):
            return value.object
        if isinstance(value, Structure) and value.kind is tuple:
            return tuple(map(self.key, self.parts(value)))
        if isinstance(value, Structure) and has_identity(value.kind) and value.identity not in self.state.frozen:
            return ObjectKey(value.identity, value.kind)
        if isinstance(value, Known) and type(value.object) is tuple and value.node is None:
            return value.object
        raise NotInterpreted("a key is not known")

    def in_list(self, value: Value) -> Value:
        """The list that a deque is in; anything else as it is."""
        return self.state.held[value.identity]["queue"] if isinstance(value, Structure) and value.kind is Deque else value

    def is_known_part(self, owner: Structure, at: Value) -> bool:
        """Whether it is known which part of a container stands at an index or under a key, or that there is none."""
        if owner.kind is dict:
            parts = self.parts(at) if isinstance(at, Structure) and at.kind is tuple else [at]
            return all(isinstance(part, Known) or isinstance(part, Structure) and (
                part.kind is not tuple or self.is_known_part(owner, part)) for part in parts)
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
        return Closure(tree, frame, frame.function, defaults, frame.owner, Structure(self.state.new({}), types.FunctionType))

    def raises(self, kind: type) -> None:
        """Leave for the ``try`` that catches an exception, if it is certainly raised in it (``ways_out.py``)."""
        raise NotImplementedError

    def rerun(self, run: Any) -> Any:
        """What a loop or a branch gives (``text_containers.py``)."""
        raise NotImplementedError

    def become_text(self, of: Structure) -> Run:
        """The name of a list or dict that is one of the text from here on (``text_containers.py``)."""
        raise NotImplementedError

    def unpacked(self, value: Any, count: int) -> list[Value] | None:
        """The items of what the text has (``loops.py``)."""
        raise NotImplementedError

    def _ListComp(self, node: Any) -> Value:
        return self.comprehended(node)

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

    def _other(self, node: n.expr) -> Value:
        """Any other expression: the same one of the text of what is in it."""
        if isinstance(node, (n.Yield, n.YieldFrom)):
            raise NotInterpreted("what is sent to a generator")
        if any(isinstance(part, n.SCOPES) for part in n.walk(node)):
            raise NotInterpreted(f"a {type(node).__name__}")
        below = [part for part in n.below(node) if isinstance(part, n.expr)]
        texts = dict(zip(map(id, below), map(self.text, self.several(below))))
        return self.run(remade(node, lambda part: texts.get(id(part), part)), node)


def is_view(value: Value) -> bool:
    """Whether a value is what ``.values()`` and its like give of a dict of the text."""
    call = value.node if isinstance(value, Run) else None
    method = call.func if isinstance(call, n.Call) and not call.args else None
    return isinstance(method, n.Attribute) and method.attr in ("values", "items", "keys")


def has_identity(kind: type) -> bool:
    """Whether objects of a class are equal to themselves alone."""
    return is_users(kind) and not issubclass(kind, tuple) and (kind.__eq__, kind.__hash__) == (object.__eq__, object.__hash__)
