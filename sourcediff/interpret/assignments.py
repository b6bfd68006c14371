"""Interpret assignments: of variables, attributes and entries; updates; what is taken away."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from typing import Any

from ..analysis.scope import MISSING
from ..analysis.source.made_here import GENERATORS
from ..analysis.source.out_arguments import among
from ..rules.methods import ATTRIBUTES
from ..runtime.user_objects import is_users
from ..syntax import nodes as n
from ..syntax.quote import altered, expression, names, place
from .attributes import holding
from .counters import counting
from .functions import Functions
from .operators import SPECIAL
from .places import is_own
from .state import Block
from .text_containers import is_unread, once
from .trees import NO_ARGUMENTS, indices, last_ones, with_indices
from .values import (
    LOST,
    Columns,
    Frame,
    Grown,
    Items,
    Known,
    Method,
    NotInterpreted,
    OneOf,
    Row,
    Run,
    Selected,
    Series,
    Structure,
    Value,
)

PARTS = frozenset({"real", "imag", "flat"})
"""The attributes of arrays that are stored to."""


class Assignments(Functions):
    """What assignments do."""

    def _Assign(self, node: Any) -> Any:
        counted = counting(node.targets[0], node.value)
        if counted is not None and self.is_counter(self.value(counted.target.value), counted.target.attr):
            return self._AugAssign(counted)
        stars = any(isinstance(part, n.Starred) for target in node.targets for part in getattr(target, "elts", ()))
        outer, self.wanting = self.wanting, self.wanting or stars and isinstance(node.value, n.ListComp)
        value = self.value(node.value)
        self.wanting = outer
        value = self.state.pinned(value) if len(node.targets) > 1 else self.state.as_whole(value)
        for target in node.targets:
            self.assign(target, value)
        return None

    def assign(self, target: Any, value: Value) -> None:
        """Store a value into a target."""
        if isinstance(target, n.Name):
            frame = self.frame_of(target.id)
            bound = isinstance(value, Run) and isinstance(value.node, n.Name) and value.node.id in self.state.once
            if bound and is_unread(frame.tree, target.id) or is_own(self.state, (frame.identity, target.id), value):
                return
            if isinstance(value, Run) and self.outside.path(value.node) is not None and once(frame.tree, target.id):
                self.state.stands[self.state.name_of((frame.identity, target.id), target.id)] = value.node
            elif isinstance(value, Run) and self.outside.is_dict(value.node):
                value = self.state.temporary(value.node)
            whole = self.state.stands.get(value.node.id, value.node) if isinstance(value, Run) and isinstance(value.node, n.Name) else (
                value.node if isinstance(value, Run) else None)
            if whole is not None and is_slice_of(whole, self.outside.path) and once(frame.tree, target.id):
                self.state.slices[self.state.name_of((frame.identity, target.id), target.id)] = whole
            if isinstance(value, Run) and isinstance(value.node, n.Call) and among(self.effective.resolve(value.node.func), GENERATORS):
                self.effective.generators.add(self.state.name_of((frame.identity, target.id), target.id))
            is_list = isinstance(value, Run) and isinstance(value.node, n.Name) and value.node.id in self.state.lists
            second = isinstance(value, Run) and self.factory_of(value) is not None
            if second and (any(loop is not None for loop in self.loops) or self.deep):
                raise NotInterpreted("a second name for a defaultdict")
            again = isinstance(value, Run) and self.state.is_list_for_good(value.node) and None in self.loops[self.base:]
            again = again or isinstance(value, Run) and self.is_item_of_data(value.node) and not is_read_after_its_loop(target, frame.tree)
            if again or second or self.is_object_taken(value) and once(frame.tree, target.id):
                self.state.held[frame.identity][target.id] = value  # in the next trip it is another list
            else:
                self.state.store((frame.identity, target.id), value, target.id)
                self.state.lists |= {self.state.named[frame.identity, target.id]} if is_list and once(frame.tree, target.id) else set()
        elif isinstance(target, (n.Tuple, n.List)):
            self.unpack(target, value)
        elif isinstance(target, n.Attribute):
            (value,), (of,) = self.held_for([value], [target.value])
            self.assign_attribute(of, target.attr, value, target)
        elif isinstance(target, n.Subscript):
            self.assign_entry(target, value)
        else:
            raise NotInterpreted("this target")

    def is_object_taken(self, value: Value) -> bool:
        """Whether a value is the name of an object that an index has taken from a container from outside."""
        name = value.node.id if isinstance(value, Run) and isinstance(value.node, n.Name) else ""
        return name in self.state.kinds and name in self.state.once and self.state.kinds[name].kind == "object"

    def is_item_of_data(self, node: n.expr) -> bool:
        """Whether an expression is the variable of a loop over data, and may stand for an object."""
        state = self.state
        bound_by_loop = isinstance(node, n.Name) and node.id in state.final and node.id not in state.makers.keys() | self.outside.own.keys()
        return bound_by_loop and not state.carries(node) and not self.outside.is_numeric(node)

    def frame_of(self, name: str) -> Frame:
        """The frame in which a name is bound."""
        frame: Frame | None = self.state.frames[-1]
        while frame is not None:
            if name in frame.bound and name not in frame.outer:
                return frame
            frame = frame.around
        raise NotInterpreted(f"{name} is bound outside")

    def unpack(self, target: Any, value: Value) -> None:
        """Store the parts of a value into several targets."""
        value = self.in_list(value)
        stars = [number for number, part in enumerate(target.elts) if isinstance(part, n.Starred)]
        words = isinstance(value, Run) and self.outside.holds_words(value.node)
        plain = isinstance(value, Run) and not stars and not words and self.outside.objects(value) is None
        items = None if plain else self.wanted_items(value)
        if items is None and not stars and isinstance(value, Items) and value.kind == "map" and len(value.parts) == 2:
            found = self.unpacked(value.parts[1], len(target.elts))
            items = None if found is None else [self.called(value.parts[0], [item], {}, target) for item in found]
        if items is None and not stars and isinstance(value, Items) and value.kind == "columns":
            items = self.unpacked(value, len(target.elts))
        if items is None and not stars and isinstance(value, Items) and value.kind == "generator expression":
            items = self.unpacked_each(value, len(target.elts))
        wrong = items is not None and (len(items) < len(target.elts) - len(stars) or len(items) > len(target.elts) and not stars)
        if items is None or wrong:
            if stars and self.known_ones or isinstance(value, Items) or isinstance(value, Structure) and not wrong:
                raise NotInterpreted("how many values there are")
            text = self.text(value)
            carried = self.state.carries(text)
            if stars and any(map(self.is_generator, [text, *self.state.makers.get(getattr(text, "id", ""), [])])):
                text = expression("list($x)", x=text)
            if all(isinstance(part.value if isinstance(part, n.Starred) else part, n.Name) for part in target.elts):
                shown = [self.text_target(part, carried, text) for part in target.elts]
                self.state.emit(n.Assign(targets=[n.Tuple(elts=shown, ctx=n.Store())], value=text, type_comment=None))
                return
            made: list[tuple[Any, Run]] = []
            shown = []
            for part in target.elts:
                is_star, part = isinstance(part, n.Starred), part.value if isinstance(part, n.Starred) else part
                name = self.state.fresh(part.id if isinstance(part, n.Name) else "part")
                self.state.final.add(name)
                if carried:
                    self.state.active.add(name)
                if is_star:
                    self.state.lists.add(name)
                made.append((part, Run(expression(name))))
                stored: n.expr = n.Name(id=name, ctx=n.Store())
                shown.append(n.Starred(value=stored, ctx=n.Store()) if is_star else stored)
            self.state.emit(n.Assign(targets=[n.Tuple(elts=shown, ctx=n.Store())], value=text, type_comment=None))
            for part, run in made:
                self.assign(part, run)
            return
        items = [self.state.pinned(item) for item in items]
        if stars:
            at, after = stars[0], len(target.elts) - stars[0] - 1
            items[at:len(items) - after] = [self.structure(list, items[at:len(items) - after])]
        self.state.waiting.append(items)
        for number, part in enumerate(target.elts):
            item, items[number] = items[number], Known(None)  # which nothing else holds from here on
            self.assign(part.value if isinstance(part, n.Starred) else part, item)
        self.state.waiting.pop()

    def is_generator(self, node: n.expr) -> bool:
        """Whether an expression is a call of a user's generator function."""
        return isinstance(node, n.Call) and inspect.isgeneratorfunction(self.outside.meant(node.func))

    def unpacked_each(self, value: Items, count: int) -> list[Value] | None:
        """The items of a generator expression over so many items of what the text has."""
        first, frame, node = value.parts
        if len(node.generators) > 1 or node.generators[0].ifs or (found := self.unpacked(first, count)) is None:
            return None
        outer, items = self.state.frames, []
        self.state.frames = [*outer, frame]
        for item in found:
            self.assign(node.generators[0].target, item)
            items.append(self.state.pinned(self.value(node.elt)))
        self.state.frames = outer
        return items

    def assign_attribute(self, of: Value, name: str, value: Value, node: n.AST) -> None:
        """Store into an attribute."""
        of = holding(of)
        if isinstance(of, Row):
            setter = self.member(self.state.rows[of.of.identity].kind, name)
            if isinstance(setter, property) and setter.fset is not None:
                self.called(self.bound(setter.fset, of), [value], {}, node)
            else:
                self.store_to_row(of, name, value, node)
            return
        if isinstance(of, Structure) and of.kind not in (list, dict) and not issubclass(of.kind, tuple):
            member = self.member(of.kind, name)
            if isinstance(member, property):
                if member.fset is None:
                    raise NotInterpreted("a property without a setter")
                self.called(self.bound(member.fset, of), [value], {}, node)
                return
            params = getattr(of.kind, "__dataclass_params__", None)
            if params is not None and params.frozen or hasattr(member, "__set__") and not isinstance(member, types.MemberDescriptorType):
                raise NotInterpreted("an attribute that is not stored to")
            self.show_of_class(of, name)
            self.state.store((of.identity, name), value, name)
            return
        if isinstance(of, Run) and name in PARTS:
            text, stored = self.text(of), self.text(value)
            if self.state.carries(stored):
                self.state.active |= names(text)
            shown = n.Attribute(value=text, attr=name, ctx=n.Store())
            self.state.emit(n.Assign(targets=[place(shown, node)], value=stored, type_comment=None))
            return
        if isinstance(of, OneOf):
            self.separate_container(of.objects)
        raise NotInterpreted("a store to an attribute of what is not made here")

    def show_of_class(self, of: Structure, name: str) -> None:
        """Where only some ways give an object an attribute that its class has as well, it has its own before."""
        known = name in self.state.held[of.identity] or not self.begun or self.begun[-1] < of.identity
        member = MISSING if known or not is_users(of.kind) else self.member(of.kind, name)
        if member is not MISSING and not hasattr(type(member), "__get__"):
            raise Grown(of.identity, of.kind, name)

    def assign_entry(self, target: Any, value: Value) -> None:
        """Store into what stands at an index or under a key."""
        (value,), (owner, *at) = self.held_for([value], [target.value, *indices(target.slice)])
        check_has_entries(owner)
        if isinstance(owner, Structure) and owner.kind is Columns and len(at) == 1 and not isinstance(target.slice, n.Slice):
            self.absorb(owner, at[0], value)
            return
        if isinstance(owner, Structure):
            held = self.state.held[owner.identity]
            whole = at[0] if not isinstance(target.slice, n.Tuple) else self.structure(tuple, at)
            if owner.kind in (list, dict) and (isinstance(target.slice, n.Slice) or not self.is_known_part(owner, whole)):
                self.state.waiting.append([value, *at])
                owner = self.become_text(owner)
                value, *at = self.state.waiting.pop()
        if isinstance(owner, Structure):
            if owner.kind is dict and not isinstance(target.slice, n.Slice):
                key = self.key(whole)
                self.state.store((owner.identity, key), value, str(key))
                return
            if owner.kind is list and not isinstance(target.slice, (n.Slice, n.Tuple)):
                if isinstance(at[0], Known) and type(at[0].object) is int and -len(held) <= at[0].object < len(held):
                    self.state.store((owner.identity, at[0].object % len(held)), value, "part")
                    return
                raise NotInterpreted("an index that is not known")
            if is_users(owner.kind) and not any(isinstance(part, n.Slice) for part in n.walk(target.slice)):
                self.called(self.attribute(owner, "__setitem__", target), [whole, value], {}, target)
                return
            raise NotInterpreted("a store to a part that is not known")
        if isinstance(owner, Known) and owner.node is None or isinstance(owner, Run) and self.outside.is_table(owner.node):
            raise NotInterpreted("a store to what is not made here")
        if isinstance(owner, Run) and self.outside.turns(
                owner.node, at[0] if len(at) == 1 else None, value, isinstance(target.slice, n.Slice)):
            raise NotInterpreted("an entry of an argument becomes something of another kind")
        text = self.text(owner)
        self.separate(getattr(text, "id", None), value)
        stored = self.text(value, True)
        if isinstance(text, n.Name) and self.state.carries(stored):
            self.state.active.add(text.id)
        elif not isinstance(text, n.Name) and self.state.carries(stored):
            self.state.active |= names(text)
        slice_ = with_indices(target.slice, [self.text(each) for each in at])
        shown = n.Subscript(value=text, slice=slice_, ctx=n.Store())
        self.state.emit(n.Assign(targets=[place(shown, target)], value=stored, type_comment=None))

    def _AugAssign(self, node: Any) -> Any:
        target = node.target
        owner: Any = None
        at: Any = None
        if isinstance(target, n.Name):
            old = self.several([expression(target.id)])[0]
        elif isinstance(target, n.Attribute):
            owner = holding(self.value(target.value))
            if isinstance(owner, Run) and (target.attr in PARTS or self.is_array(owner, target.attr)):
                self.update_part(owner, target, node)
                return None
            if isinstance(owner, Row):
                before = len(self.state.out)
                (value,) = self.several([node.value])
                if len(self.state.out) > before:
                    self._hold_old([Run(owner.key)], before)
                    if self.does_more(self.state.out[before:]):
                        raise NotInterpreted("an update of what its value changes")
                self.update_row(owner, target, node.op, value)
                return None
            if isinstance(owner, OneOf):
                self.separate_container(owner.objects)
            if not isinstance(owner, Structure):
                self.count(owner, target, node)
                return None
            self.show_of_class(owner, target.attr)
            old = self.attribute(owner, target.attr, target)
        else:
            owner, *at = self.several([target.value, *indices(target.slice)])
            check_has_entries(owner)
            if isinstance(owner, Structure) and owner.kind in (list, dict):
                whole = self.structure(tuple, at) if isinstance(target.slice, n.Tuple) else at[0]
                if isinstance(target.slice, n.Slice) or not self.is_known_part(owner, whole):
                    owner = self.become_text(owner)
            if not isinstance(owner, Structure):
                self.update_entry(owner, at, node)
                return None
            if len(at) != 1 or isinstance(target.slice, (n.Slice, n.Tuple)):
                raise NotInterpreted("a store to a part that is not known")
            old = self.entry(owner, at[0], target)
        held: list[Value] = [old, *([owner] if owner is not None else []), *(at or [])]
        self.state.waiting.append(held)
        before, block = len(self.state.out), self.state.out
        value = self.value(node.value)
        if len(block) > before:
            self._hold_old(held, before)
        self.state.waiting.pop()
        old = held[0]
        if isinstance(old, Known) and isinstance(old.object, (int, float, str)) or isinstance(old, Structure):
            if isinstance(old, Structure) and old.kind is list:
                if not isinstance(node.op, n.Add):
                    raise NotInterpreted("*= of a list")
                if isinstance(value, Run) and not self.is_list(value.node):
                    raise NotInterpreted("a list to which an array may be added")
                if (items := self.items_of(value)) is None:
                    self.called(self.method_of(old, "extend"), [value], {}, node)
                    return None
                for item in items:
                    self.state.store((old.identity, len(self.state.held[old.identity])), item, "part")
                return None
            changing = f"__i{SPECIAL.get(type(node.op))}__"
            if isinstance(old, Structure) and is_users(old.kind) and isinstance(self.member(old.kind, changing), types.FunctionType):
                self.store_back(target, owner, at, self.called(self.attribute(old, changing, node), [value], {}, node))
                return None
            self.store_back(target, owner, at, self.operation(node.op, old, value, node))
            return None
        if isinstance(old, Run) and self.outside.is_table(old.node):
            raise NotInterpreted("a store to what is not made here")
        where = self.where_of(target, owner, at)
        if not self.outside.is_array(self.text(old)):
            self.state.check_changeable(where[0])
        name = self.state.name_of(where, target.id if isinstance(target, n.Name) else "part")
        self.state.bind(name, self.text(old))
        self.state.held[where[0]][where[1]] = Run(expression(name))
        text = self.text(value)
        if self.state.carries(text):
            self.state.active.add(name)
        self.state.emit(place(n.AugAssign(target=n.Name(id=name, ctx=n.Store()), op=node.op, value=text), node))
        return None

    def is_list(self, node: n.expr) -> bool:
        """Whether an expression of the text is certainly a list."""
        repeated = isinstance(node, n.BinOp) and isinstance(node.op, n.Mult) and isinstance(node.left, n.List)
        return repeated or isinstance(node, n.List) or isinstance(node, n.Name) and node.id in self.state.lists

    def is_array(self, owner: Run, name: str) -> bool:
        """Whether an attribute of an argument is an array, which an update changes in place."""
        known = self.outside.known(n.Attribute(value=owner.node, attr=name, ctx=n.Load()))
        return known is not None and known.kind == "array" and bool(known.dims)

    def update_part(self, owner: Value, target: Any, node: Any) -> None:
        """Update the real or the imaginary part of an array, or an array that an argument holds."""
        before = len(self.state.out)
        (owner,), (value,) = self.held_for([owner], [node.value])
        if self.does_more(self.state.out[before:]):
            raise NotInterpreted("an update of what its value changes")
        text, stored = self.text(owner), self.text(value)
        if self.state.carries(stored):
            self.state.active |= names(text)
        shown = n.Attribute(value=text, attr=target.attr, ctx=n.Store())
        self.state.emit(n.AugAssign(target=place(shown, target), op=node.op, value=stored))

    def does_more(self, body: Block) -> bool:
        """Whether statements do more than change what they make, or draw."""
        calls = [(node, node.value) for node in body if isinstance(node, n.Assign) and isinstance(node.value, n.Call)]
        quiet = [node for node, call in calls if self.effective.draws(call)]
        quiet += [node for node in body if isinstance(node, n.Assign) and self.is_part_of_array(node.value)]
        others = [node for node in body if node not in quiet]
        return not self.effective.is_pure(altered(self.source.tree, args=NO_ARGUMENTS, body=others))

    def is_part_of_array(self, node: n.expr) -> bool:
        """Whether an expression is a part, as its transpose, of what has been computed."""
        return isinstance(node, n.Attribute) and node.attr in ATTRIBUTES and isinstance(node.value, n.Name) and bool(
            self.state.makers.get(node.value.id))

    def _hold_old(self, held: list[Value], before: int) -> None:
        """What the value of an update writes comes after what is updated was read."""
        out = self.state.out
        stored = {part.id for node in out[before:] for part in n.walk(node) if isinstance(part, n.Name) and isinstance(part.ctx, n.Store)}
        if any(isinstance(value, Run) and names(value.node) & stored for value in held):
            raise NotInterpreted("an update of what its value changes")

    def where_of(self, target: Any, owner: Any, at: Any) -> tuple[int, Any]:
        """The place that a target is."""
        if isinstance(target, n.Name):
            return self.frame_of(target.id).identity, target.id
        if isinstance(target, n.Attribute):
            if isinstance(self.member(owner.kind, target.attr), property):
                raise NotInterpreted("an update of a property")
            return owner.identity, target.attr
        if owner.kind is dict:
            return owner.identity, self.key(at[0])
        if owner.kind is list and isinstance(at[0], Known):
            return owner.identity, at[0].object % len(self.state.held[owner.identity])
        raise NotInterpreted("an update of a part that is not known")

    def store_back(self, target: Any, owner: Any, at: Any, value: Value) -> None:
        """Store what an update gives."""
        if isinstance(target, n.Attribute) and isinstance(self.member(owner.kind, target.attr), property):
            self.assign_attribute(owner, target.attr, value, target)
            return
        where = self.where_of(target, owner, at)
        self.state.store(where, value, target.id if isinstance(target, n.Name) else "part")

    def _Delete(self, node: Any) -> Any:
        for target in node.targets:
            if isinstance(target, n.Name):
                self.state.held[self.frame_of(target.id).identity][target.id] = LOST
            elif isinstance(target, n.Subscript) and (last := last_ones(target)) is not None:
                self.block([place(last, node)])
            elif isinstance(target, n.Subscript):
                self.delete_entry(target)
            else:
                raise NotInterpreted("del")
        return None

    def delete_entry(self, target: Any) -> None:
        """Take a part out of a container."""
        owner, *at = self.several([target.value, *indices(target.slice)])
        check_has_entries(owner)
        if isinstance(owner, Structure) and owner.kind in (list, dict) and not isinstance(target.slice, (n.Slice, n.Tuple)):
            if self.is_known_part(owner, at[0]):
                self.called(Method(owner, "pop"), [at[0]], {}, target)
                return
            owner = self.become_text(owner)
        if isinstance(owner, Run) and self.outside.is_table(owner.node):
            raise NotInterpreted("a store to what is not made here")
        text = n.Subscript(value=self.text(owner), slice=with_indices(target.slice, [self.text(each) for each in at]), ctx=n.Del())
        self.state.emit(n.Delete(targets=[place(text, target)]))


def check_has_entries(owner: Value) -> None:
    """Raise NotInterpreted for what the text would make anew where an entry of it is stored to."""
    if isinstance(owner, (Series, Selected, Items)):
        raise NotInterpreted("a store to an item of a list that an object in a container of the text has")


def is_read_after_its_loop(target: n.Name, tree: Any) -> bool:
    """Whether a variable is read further on than the loops in which it is bound here."""
    line = getattr(target, "lineno", None)
    if line is None or not isinstance(tree, n.FunctionDef):
        return True
    around = [part for part in n.walk(tree) if isinstance(part, (n.For, n.While)) and part.lineno <= line <= part.end_lineno]
    last = max((part.end_lineno for part in around), default=0)
    return any(isinstance(part, n.Name) and part.id == target.id and isinstance(part.ctx, n.Load) and getattr(part, "lineno", 0) > last
               for part in n.walk(tree))


def is_slice_of(node: n.expr, path: Callable[[n.expr], Any]) -> bool:
    """Whether an expression is a slice of an argument."""
    return isinstance(node, n.Subscript) and isinstance(node.slice, n.Slice) and path(node.value) is not None
