"""Interpret indices, slices and keys."""

from __future__ import annotations

from typing import Any

from ..analysis.environment.words import DICTS
from ..rules.composites.deques import Deque
from ..runtime.user_objects import is_users
from ..syntax import nodes as n
from ..syntax.quote import clone, expression, place, statement
from .operators import Operators
from .trees import indices, with_indices
from .values import Bound, Closure, Known, NotInterpreted, Run, Structure, Value


class Subscripts(Operators):
    """The values of subscripts."""

    def _Subscript(self, node: Any) -> Value:
        if isinstance(node.slice, (n.Slice, n.Tuple)):
            value = self.several([node.value, *indices(node.slice)])
            owner, index = value[0], value[1:]
            if isinstance(owner, Structure) and isinstance(node.slice, n.Slice):
                return self.part_slice(owner, node.slice, index)
            now = isinstance(owner, Known) and (type(owner.object) is str or type(owner.object) is tuple and owner.node is None)
            ends = known_ends(node.slice, index)
            if now and ends:
                return Known(owner.object[slice(*ends)])  # type: ignore[attr-defined]
            if ends and not isinstance(owner, Structure) and (objects := self.outside.objects(owner)) is not None:
                return self.structure(list, objects[slice(*ends)])
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
        if owner.kind is Deque:
            raise NotInterpreted("a slice of a deque")
        if ends := known_ends(node, index):
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
                    self.raises(KeyError)
                    raise NotInterpreted("there is no such key")
                return self.loaded(held[key])
            if owner.kind is list or issubclass(owner.kind, tuple):
                if isinstance(at, Known) and type(at.object) is int and -len(held) <= at.object < len(held):
                    return self.loaded(held[at.object % len(held)])
                if isinstance(at, Known) and type(at.object) is int:
                    self.raises(IndexError)
                raise NotInterpreted("an index that is not known")
            return self.called(self.attribute(owner, "__getitem__", node), [at], {}, node)
        if (factory := self.factory_of(owner)) is not None and isinstance(owner, Run):
            text, key = self.text(owner), self.text(self.state.pinned(at))
            first = expression(repr(self.number_made(factory)))
            made = statement("$d[$k] = $v", d=clone(text), k=clone(key), v=first)
            self.state.emit(n.If(test=expression("$k not in $d", k=key, d=text), body=[place(made, node)], orelse=[]))
            return self.run(n.Subscript(value=self.text(owner), slice=clone(key), ctx=n.Load()), node)
        if isinstance(owner, Known) and isinstance(owner.object, str) and isinstance(at, Known) and type(at.object) is int:
            return Known(owner.object[at.object])
        at = self.outside.from_the_front(owner, at)
        if isinstance(owner, Known) and (found := self.outside.entry(owner, at)) is not None:
            return found
        if isinstance(owner, Known) and type(owner.object) in DICTS and isinstance(at, Known) and at.object not in owner.object:
            self.raises(KeyError)
        if isinstance(at, Run) and (table := self.outside.functions(owner)):
            return self.by_number(self.number_of(list(table), at), list(table.values()), node)
        if isinstance(owner, Run) and isinstance(at, Known) and not isinstance(at.object, slice) and isinstance(
                part := self.outside.part(owner.node, at.object), Known):
            return part
        read = n.Subscript(value=self.text(owner), slice=self.text(at), ctx=n.Load())
        if isinstance(at, Run) and self.state.carries(read.value) and self.outside.objects(owner) is not None:
            raise NotInterpreted("which object an index takes")
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
            shown = [self.outside.key(key) for key in keys]
            table = n.Dict(keys=shown, values=[n.Constant(value=place_, kind=None) for place_ in range(len(keys))])
        return self.state.temporary(n.Subscript(value=table, slice=self.text(at), ctx=n.Load()), "number").node


def known_ends(node: Any, index: list[Value]) -> list[Any]:
    """The ends and the step of a slice, empty where one of them is not known."""
    if not isinstance(node, n.Slice) or not all(isinstance(each, Known) for each in index):
        return []
    known: Any = iter(index)
    return [None if part is None else next(known).object for part in (node.lower, node.upper, node.step)]
