"""Interpret indices, slices and keys."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Sequence
from typing import Any

from ..analysis.abstract import Abstract
from ..analysis.environment.words import DICTS
from ..rules.composites.deques import Deque
from ..runtime.user_objects import is_users
from ..syntax import nodes as n
from ..syntax.quote import altered, clone, expression, names, place, statement
from .operators import Operators
from .trees import indices, with_indices
from .values import Bound, Choice, Closure, Columns, Known, NotInterpreted, Row, Run, Selected, Series, Structure, Value


class Subscripts(Operators):
    """The values of subscripts."""

    heaps: set[str] | None = None
    """The names of the heaps of which an entry carries a derivative (``heaps.py``); None where no such entry has been met."""

    def _Subscript(self, node: Any) -> Value:
        if isinstance(node.slice, (n.Slice, n.Tuple)):
            value = self.several([node.value, *indices(node.slice)])
            owner, index = value[0], value[1:]
            if isinstance(owner, Structure) and isinstance(node.slice, n.Slice):
                return self.part_slice(owner, node.slice, index)
            if isinstance(owner, Selected) and isinstance(node.slice, n.Slice):
                return self.slice_of_rows(owner, node.slice, index)
            now = isinstance(owner, Known) and (type(owner.object) is str or type(owner.object) is tuple and owner.node is None)
            ends = known_ends(node.slice, index)
            if now and ends:
                return Known(owner.object[slice(*ends)])  # type: ignore[attr-defined]
            if ends and not isinstance(owner, Structure) and (objects := self.outside.objects(owner)) is not None:
                return self.structure(list, objects[slice(*ends)])
            plain = not any(isinstance(part, n.Slice) for part in n.walk(node.slice))
            held = isinstance(owner, Run) and (self.factory_of(owner) or self.state.records.entry(owner.node))
            if isinstance(owner, Structure) and (owner.kind in (dict, Columns) or plain and is_users(owner.kind)) or plain and held:
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
        if owner.kind is Columns:
            return self.slice_of_rows(owner, node, index)
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

    def asked_at(self, of: Structure, key: Value) -> Row | Series:
        """The object under a key of a container of the text, or the list (``columns.py``)."""
        raise NotImplementedError

    def slice_of_rows(self, of: Structure | Selected, node: n.Slice, index: list[Value]) -> Selected:
        """A slice of such a list (``columns.py``)."""
        raise NotImplementedError

    def selected_at(self, owner: Selected, at: Value) -> Row:
        """One of the objects that are selected (``columns.py``)."""
        raise NotImplementedError

    def item_at(self, series: Series, at: Value) -> Run | Row:
        """An item of a list that such an object has (``columns.py``)."""
        raise NotImplementedError

    def entry(self, owner: Value, at: Value, node: n.expr) -> Value:
        """What stands at an index or under a key."""
        of_heap = self.heaps and isinstance(owner, Run) and getattr(owner.node, "id", "") in self.heaps
        if of_heap and isinstance(at, Known) and at.object == 0:
            at = Run(expression("$q.index(min($q))", q=self.text(owner)))
        if isinstance(owner, Structure) and owner.kind is Columns:
            return self.asked_at(owner, at)
        if isinstance(owner, Series):
            return self.item_at(owner, at)
        if isinstance(owner, Selected):
            return self.selected_at(owner, at)
        if isinstance(owner, Structure) and not self.is_known_part(owner, at):
            if (chosen := self.chosen(owner, at, node)) is not None:
                return chosen
            whole = self.become_text(owner) if owner.kind in (list, dict) else self.tuple_text(owner)
            return self.entry(whole, at, node)
        if isinstance(owner, Structure):
            held = self.state.held[owner.identity]
            if owner.kind is dict:
                key = self.key(at)
                if key not in held and self.factory_of(owner) is Counter:  # which makes no entry when it is asked
                    return Known(0)
                if key not in held and owner.identity in self.state.factories:
                    self.state.store((owner.identity, key), self.made_entry(self.state.factories[owner.identity], node), str(key))
                if key not in held:
                    self.raises(KeyError)
                    raise NotInterpreted("there is no such key")
                return self.loaded(held[key])
            if owner.kind is list or issubclass(owner.kind, tuple):
                if isinstance(at, Known) and type(at.object) is int and -len(held) <= at.object < len(held):
                    return self.loaded(held[at.object % len(held)])
                if isinstance(at, Known) and type(at.object) is int:
                    self.raises(IndexError)
                    if owner.kind is list and self.begun:  # of a trip, or of a branch, that does not run as yet
                        return self.entry(self.become_text(owner), at, node)
                raise NotInterpreted("an index that is not known")
            return self.called(self.attribute(owner, "__getitem__", node), [at], {}, node)
        if (factory := self.factory_of(owner)) is not None and isinstance(owner, Run):
            text, key = self.text(owner), self.text(self.state.pinned(at))
            if factory is Counter:
                return self.run(expression("$d.get($k, 0)", d=text, k=key), node)
            saved = self.state.saved()
            with self.state.block() as block:
                made_first = self.made_entry(factory, node)
                first = self.text(made_first)
            if self.state.changed(saved) or self.factory_of(made_first) is not None:
                raise NotInterpreted("what makes the entries of a defaultdict")
            if self.state.carries(first):
                self.state.active |= names(text)
            made = [*block, place(statement("$d[$k] = $v", d=clone(text), k=clone(key), v=first), node)]
            self.state.emit(n.If(test=expression("$k not in $d", k=key, d=text), body=made, orelse=[]))
            return self.run(n.Subscript(value=self.text(owner), slice=clone(key), ctx=n.Load()), node)
        if isinstance(owner, Known) and isinstance(owner.object, str) and isinstance(at, Known) and type(at.object) is int:
            return Known(owner.object[at.object])
        if isinstance(owner, Known) and isinstance(owner.object, enum.EnumMeta) and isinstance(at, Known) and type(at.object) is str:
            return self.outside.attribute(owner, at.object, node)
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
        if (record := self.state.records.entry(read.value)) is not None:
            return self.shown_record(self.state.temporary(read).node, record)
        if isinstance(at, Run) and self.state.carries(read.value) and (given := self.outside.objects(owner)) is not None:
            return self.given_object(given, at, node)
        if isinstance(at, Run) and (objects := self.outside.held_by_class(owner)):
            return self.object_at(read, objects)
        if isinstance(at, Run) and self.outside.holds_records(owner):
            return self.state.temporary(altered(read, slice=self.text(self.state.pinned(at))), "part")
        return self.outside.held_function(read) or self.run(read, node)

    def update_entry(self, owner: Value, at: list[Value], node: Any) -> None:
        """An update of an entry of a container of the text."""
        target = node.target
        if isinstance(owner, Run) and self.outside.is_table(owner.node):
            raise NotInterpreted("a store to what is not made here")
        factory = self.factory_of(owner)
        if factory not in (None, int, float, Counter):  # Python makes the entry before it asks for the value
            at = [self.state.pinned(each) for each in at]
            self.entry(owner, self.structure(tuple, at) if isinstance(target.slice, n.Tuple) else at[0], target)
        before, found = len(self.state.out), [owner, *at]
        (owner, *at), (value,) = self.held_for(found, [node.value])
        if self.does_more(self.state.out[before:]):
            self.update_read(owner, at, value, node, before + sum(one is not other for one, other in zip(found, [owner, *at])))
            return
        text, stored = self.text(owner), self.text(value)
        if self.state.carries(stored):
            self.state.active |= names(text)
        if factory in (int, float, Counter):
            at = [self.state.pinned(each) for each in at]
            whole = self.structure(tuple, at) if isinstance(target.slice, n.Tuple) else at[0]
            key, first = self.text(whole), expression("0.0" if factory is float else "0")
            read = expression("$d.get($k, $v)", d=clone(text), k=clone(key), v=first)
            made = n.BinOp(left=read, op=node.op, right=stored)
            self.state.emit(place(statement("$d[$k] = $v", d=text, k=key, v=made), node))
            return
        shown = n.Subscript(value=text, slice=with_indices(target.slice, [self.text(each) for each in at]), ctx=n.Store())
        self.state.emit(n.AugAssign(target=place(shown, target), op=node.op, value=stored))

    def update_read(self, owner: Value, at: list[Value], value: Value, node: Any, before: int) -> None:
        """An update of an entry that is read at ``before``, ahead of all that the value does."""
        if self.factory_of(owner) is not None:
            raise NotInterpreted("an update of what its value changes")
        whole = with_indices(node.target.slice, [self.text(each) for each in at])
        after = self.state.out[before:]
        del self.state.out[before:]
        was = self.state.temporary(n.Subscript(value=self.text(owner), slice=clone(whole), ctx=n.Load())).node
        self.state.out += after
        stored = self.text(value)
        if self.state.carries(stored):
            self.state.active |= names(self.text(owner)) | {was.id}
        self.state.emit(place(n.AugAssign(target=n.Name(id=was.id, ctx=n.Store()), op=node.op, value=stored), node))
        shown = n.Subscript(value=self.text(owner), slice=whole, ctx=n.Store())
        self.state.emit(n.Assign(targets=[place(shown, node.target)], value=was, type_comment=None))

    def chosen(self, owner: Structure, at: Value, node: n.expr) -> Value | None:
        """The function or object at a place of a list or a tuple, or under a key of a dict, that only the run tells; None of any other
        container.
        """
        if not isinstance(at, Run) or owner.kind not in (list, tuple, dict) or not (parts := self.parts(owner)):
            return None
        functions = all(isinstance(part, (Closure, Bound)) or isinstance(part, Known) and callable(part.object) for part in parts)
        if functions or all(isinstance(part, Structure) and is_users(part.kind) for part in parts):
            for part in parts:
                self.separate(owner.identity, part)
            return self.by_number(self.number_of([*self.state.held[owner.identity]], at), parts, node)
        return None

    def object_at(self, read: n.Subscript, objects: dict[Any, Abstract]) -> Value:
        """The object at a place of a container from outside that only the run tells: where they are of several classes, one out of as many,
        each taken from a list of those of its class.
        """
        place_ = self.text(self.state.pinned(Run(read.slice)))
        kinds = list(dict.fromkeys(objects.values()))
        if len(kinds) == 1:
            return self.object_known(altered(read, slice=place_), kinds[0])
        found: list[Value] = []
        for kind in kinds:
            own = [key for key, known in objects.items() if known is kind]
            shown = [altered(read, value=clone(read.value), slice=self.outside.key(key)) for key in own]
            number = self.place_among({key: own.index(key) if key in own else 0 for key in objects}, place_)
            found.append(self.object_known(n.Subscript(value=n.List(elts=shown, ctx=n.Load()), slice=number, ctx=n.Load()), kind))
        return Choice(self.place_among({key: kinds.index(known) for key, known in objects.items()}, place_), found)

    def given_object(self, objects: Sequence[Value], at: Value, node: n.expr) -> Structure:
        """The object at a place of a list from outside, which are all of one class: by what they hold. Raises NotInterpreted if it is not
        known what that is.
        """
        known = [self.outside.known(each.node) for each in objects if isinstance(each, Run)]
        forms = {(each.items[0], tuple(name for name, _ in each.items[1])) for each in known if each is not None and each.kind == "object"}
        if None in known or len(known) < len(objects) or len(forms) != 1 or issubclass((found := forms.pop())[0].value, tuple):
            raise NotInterpreted("which object an index takes")
        held = {name: [self.attribute(each, name, node) for each in objects] for name in found[1]}
        if len(objects) == 1:
            made = self.structure(found[0].value, {name: value for name, (value,) in held.items()})
        else:
            number = self.number_of([*range(len(objects))], at)
            made = self.structure(found[0].value, {name: self.by_number(number, values, node) for name, values in held.items()})
        self.state.frozen.add(made.identity)
        return made

    def object_known(self, node: n.Subscript, known: Abstract) -> Run:
        """A name for an object of which something is known."""
        name = self.state.temporary(node, "part").node
        self.state.kinds[name.id] = known
        return Run(name)

    def place_among(self, numbers: dict[Any, int], at: n.expr) -> n.expr:
        """The number that belongs to a key that only the run tells."""
        shown = [n.Constant(value=number, kind=None) for number in numbers.values()]
        counted = list(numbers) == [*range(len(numbers))]
        table = n.List(elts=shown, ctx=n.Load()) if counted else n.Dict(keys=list(map(self.outside.key, numbers)), values=shown)
        return self.state.temporary(n.Subscript(value=table, slice=clone(at), ctx=n.Load()), "number").node

    def made_entry(self, factory: Any, node: n.AST) -> Value:
        """The entry that a defaultdict makes."""
        if isinstance(factory, Closure):
            return self.called(factory, [], {}, node)
        if factory is set:
            return Run(expression("set()"))
        return self.structure(factory, {}) if factory in (list, dict) else Known(factory())

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
