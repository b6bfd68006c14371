"""Interpret copies of objects and of containers: ``copy``, ``deepcopy``, ``dataclasses.replace`` and ``asdict``."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..analysis.environment.captured import is_user_function
from ..rules.composites.deques import Deque
from ..runtime.held_twice import check_apart
from ..runtime.structures import copied
from ..syntax import nodes as n
from ..syntax.quote import clone
from .construction import Construction
from .nodes_of_values import as_node
from .values import Known, NotInterpreted, Run, Structure, Value

COPYING = ("__copy__", "__deepcopy__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__")
"""The methods by which a class decides itself how its objects are copied."""

GIVEN = -1
"""The number under which stands, of a copy that is being made, what it is a part of that is not made here."""


class Copies(Construction):
    """The values of copies."""

    def _replace(self, args: list[Value], named: dict[str, Value], node: n.expr) -> Value | None:
        kind = self.dataclass_of(args[0])
        if kind is None:
            return None
        given = {field.name: self.state.pinned(self.attribute(args[0], field.name, node)) for field in dataclasses.fields(kind)
                 if field.init and field.name not in named}
        return self.construct(Known(kind), kind, [], given | named, node)

    def dataclass_of(self, value: Value) -> Any:
        """The dataclass of which an object is, None of anything else."""
        kind = value.kind if isinstance(value, Structure) else self.outside.kind_of(value) if isinstance(value, Run) else None
        return kind if kind is not None and dataclasses.is_dataclass(kind) else None

    def _asdict(self, args: list[Value], named: dict[str, Value], node: n.expr) -> Value | None:
        return None if named or self.dataclass_of(args[0]) is None else self.fields_of(args[0], node)

    def fields_of(self, value: Value, node: n.expr) -> Value:
        """What ``dataclasses.asdict`` makes of a value."""
        if (kind := self.dataclass_of(value)) is not None:
            names_ = [field.name for field in dataclasses.fields(kind)]
            return self.structure(dict, {name: self.fields_of(self.attribute(value, name, node), node) for name in names_})
        if not isinstance(value, Structure):
            return self.copied(value, {}, node)
        return self.structure(value.kind, {
            key: self.fields_of(self.loaded(part), node) for key, part in self.state.held[value.identity].items()})

    def _copy(self, args: list[Value], named: dict[str, Value], node: n.expr) -> Value | None:
        value = args[0]
        if isinstance(value, Structure) and value.kind is Deque:
            return self.called(self.attribute(value, "copy", node), [], {}, node)
        if not isinstance(value, Structure) or not self.is_copied_plainly(value.kind):
            return None
        return self.structure(value.kind, {key: self.loaded(part) for key, part in self.state.held[value.identity].items()})

    def _deepcopy(self, args: list[Value], named: dict[str, Value], node: n.expr) -> Value | None:
        if named or len(args) > 1:
            return None
        held = list({n.dump(part): part for part in self.held_in(args[0], set())}.values())
        if len(held) > 1 and not all(map(self.is_fresh, held)) or any(not self.outside.is_numeric(part) for part in held):
            self.state.emit(n.Expr(value=n.Call(func=self.outside.helper(check_apart), args=held, keywords=[])))
        return self.copied(args[0], {}, node)

    def held_in(self, value: Value, seen: set[int]) -> list[n.expr]:
        """What the text has of what a value holds, but for numbers."""
        if isinstance(value, Structure):
            inside = [] if value.identity in seen else self.parts(value)
            seen.add(value.identity)
            return [found for part in inside for found in self.held_in(part, seen)]
        given = None if not isinstance(value, Run) or self.outside.path(value.node) is None else self.outside.objects(value)
        if given is None and isinstance(value, Run) and self.outside.kind_of(value) is not None:
            given = list((self.outside.attributes(value) or {}).values())
        if given is not None:
            return [found for part in given for found in self.held_in(part, seen)]
        node = as_node(value) if isinstance(value, Run) or isinstance(value, Known) and type(value.object) in (list, dict) else None
        return [] if node is None or self.outside.is_number(node) else [clone(node)]

    def is_fresh(self, node: n.expr) -> bool:
        """Whether a name of the text stands for an array that was computed, and is held nowhere else."""
        made = self.state.makers.get(node.id, []) if isinstance(node, n.Name) else []
        return bool(made) and all(isinstance(part, (n.BinOp, n.UnaryOp)) for part in made)

    def copied_parts(self, value: Run, kind: type | None, objects: list[Value] | None, known: dict[Any, Value], node: n.expr) -> Value:
        """A copy of an object that is given, of a list of such ones, or of what one holds, of which nothing is held in two places."""
        if self.outside.path(value.node) is None:
            raise NotInterpreted("a copy of an object that is not made here")
        known = {**known, GIVEN: value}
        if objects is not None or self.outside.is_empty(value.node):
            return self.structure(list, [self.copied(part, known, node) for part in objects or ()])
        if kind is not None:
            held = self.outside.attributes(value)
            if held is None or issubclass(kind, tuple) or not self.is_copied_plainly(kind):
                raise NotInterpreted("a copy of an object that is not made here")
            return self.structure(kind, {name: self.copied(self.attribute(value, name, node), known, node) for name in held})
        if (entries := self.outside.entries(value)) is not None:
            return self.structure(dict, {key: self.copied(part, known, node) for key, part in entries.items()})
        return self.run(n.Call(func=self.outside.helper(copied), args=[self.text(value)], keywords=[]), node)

    def is_copied_plainly(self, kind: type) -> bool:
        """Whether a copy of an object has the attributes that the object has."""
        return not any(is_user_function(self.member(kind, name)) for name in COPYING)

    def copied(self, value: Value, known: dict[Any, Value], node: n.expr) -> Value:
        """A copy of a value and of all that it holds; ``known`` are those that there are, by the numbers of structures and by texts."""
        if isinstance(value, Structure):
            if not self.is_copied_plainly(value.kind):
                raise NotInterpreted("an object that is copied in its own way")
            if value.identity not in known:
                held = self.state.held[value.identity]
                known[value.identity] = made = self.structure(value.kind, {})
                parts = {key: self.copied(self.loaded(part), known, node) for key, part in held.items()}
                self.state.held[made.identity].update({key: self.state.pinned(part) for key, part in parts.items()})
            return known[value.identity]
        if isinstance(value, Run):
            kind, objects = self.outside.kind_of(value), self.outside.objects(value)
            if kind is not None or objects is not None or GIVEN in known:
                return self.copied_parts(value, kind, objects, known, node)
            text = self.text(value)
            if (again := known.get(n.dump(text))) is not None:
                return again
            again = self.run(n.Call(func=self.outside.helper(copied), args=[text], keywords=[]), node)
            known[n.dump(text)] = again if self.outside.is_number(text) else self.state.pinned(again)
            return known[n.dump(text)]
        if isinstance(value, Known) and type(value.object) in (list, dict):
            return self.run(n.Call(func=self.outside.helper(copied), args=[self.text(value)], keywords=[]), node)
        if isinstance(value, Known):
            return value
        raise NotInterpreted("a copy of a function")
