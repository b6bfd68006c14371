"""Interpret statements and bodies.

What ends a block early is returned: ``"return"``, ``"break"``, ``"continue"``; ``"left"`` if the text says it.
"""

from __future__ import annotations

import functools
import types
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..analysis.scope import MISSING, imported_names
from ..analysis.source.made_here import GENERATORS
from ..analysis.source.out_arguments import among
from ..core.single_exit import unify
from ..runtime.user_objects import is_users
from ..syntax import nodes as n
from ..syntax.quote import altered, clone, expression, names, place, statement
from ..syntax.source import read
from .calls import DEEPEST
from .expressions import SPECIAL, indices, with_indices
from .join import is_own, joined
from .loops import Consume, Kept, Loops
from .state import Names, within
from .text_containers import once
from .values import (
    LOST,
    Closure,
    Final,
    Frame,
    Grown,
    Items,
    Known,
    Method,
    NotInterpreted,
    Recursing,
    Run,
    Structure,
    TooLong,
    Unsettled,
    Value,
)

Block = Sequence[n.stmt]

RESULT = "return"
"""The part of a frame that holds what its call gives."""

PARTS = frozenset({"real", "imag", "flat"})
"""The attributes of arrays that are stored to."""

ENDS = (n.Return, n.Break, n.Continue)

NO_ARGUMENTS: Any = statement("def empty(): pass").args

CONSTANTS = ("math", "cmath", "numpy", "scipy.constants")
"""The modules of which the numbers are constants."""

FILTERS = (warnings.simplefilter, warnings.filterwarnings)
SHOWING = ("ignore", "default", "always", "module", "once")
"""What sets the filters of warnings, and the actions with which a warning is none or is shown."""


class Leaving(n.Pass):  # type: ignore[misc]
    """The end of a block, where what is done when it is left is done."""


class Acting(Exception):
    """A test of a loop that does more than look."""


class Statements(Loops):
    """What statements do."""

    source: Any  # of the function that is interpreted
    consumers: dict[int, tuple[Consume, Frame]]  # by the frames of generators that run, what takes their items, and for whom

    def block(self, body: Block) -> Any:
        """Interpret statements one after the other."""
        for number, node in enumerate(body):
            if isinstance(node, n.If):
                test = self.condition(node.test)
                known = self.truth(test)
                rest = body[number + 1:]
                if known is not None:
                    if (ended := self.block(node.body if known else node.orelse)) is not None:
                        return ended
                    continue
                self.state.at = node
                leaves = any(isinstance(part, ENDS) for part in n.walk(node))
                ended = self.either_block(test, node, rest if leaves else [])
                if leaves or ended is not None:
                    return ended
                continue
            if isinstance(node, Leaving):
                self.finish(len(self.state.finals) - 1)
            elif isinstance(node, (n.With, n.Try)) and may_be_left(node):
                begun = self.begun_block(node, body[number + 1:])
                return begun if isinstance(begun, str) else self.block([*begun, Leaving(), *body[number + 1:]])
            elif (ended := self.statement(node)) is not None:
                return ended
        return None

    def begun_block(self, node: Any, rest: Block) -> Any:
        """The statements of a block that may be left, begun: what is done at its end is noted. Of one that stays one in the text, which is
        left at its end alone, how it ends.
        """
        if isinstance(node, n.Try):
            if node.handlers and ends_with_return([*node.body, *node.orelse]):
                return self._Try(node)
            body: list[Any] = [*node.body, *node.orelse]
            if node.handlers and len(body) > 1 and isinstance(body[-1], (n.Break, n.Continue)) and not leaves(body[:-1]):  # neither raises
                return self.block([altered(node, body=body[:-1], orelse=[]), body[-1]])
            if node.handlers or leaves(node.finalbody):
                raise NotInterpreted("leaving a try")
            self.push(lambda: self.block(node.finalbody))
            return [*node.body, *node.orelse]
        item, *others = node.items
        manager = self.state.as_whole(self.value(item.context_expr))
        if isinstance(manager, Run) and ends_with_return(node.body):
            return self.managed(node, manager)
        parts = [part for statement_ in node.body for part in n.walk(statement_)]
        quiet = isinstance(manager, Run) and isinstance(manager.node, n.Call) and self.outside.meant(manager.node.func) is np.errstate
        if quiet and not any(isinstance(part, (n.Break, n.Continue)) for part in parts):
            return self.managed(altered(node, body=[*node.body, *rest]), manager)  # what follows is quiet, too
        if not isinstance(manager, Structure) or is_catching(self.member(manager.kind, "__exit__")):
            raise NotInterpreted("a block with a manager that is left")
        value = self.called(self.attribute(manager, "__enter__", node), [], {}, node)
        self.push(lambda: self.called(self.attribute(manager, "__exit__", node), [Known(None)] * 3, {}, node))
        if item.optional_vars is not None:
            self.assign(item.optional_vars, value)
        return [altered(node, items=others)] if others else node.body

    def push(self, run: Callable[[], Any]) -> None:
        """Note what is done when the block that begins is left."""
        self.state.finals = (*self.state.finals, Final(self.state.frames[-1].identity, len(self.loops), run))

    def finish(self, first: int) -> None:
        """Do what is done at the end of the blocks from the ``first`` one on, the innermost first; they are over."""
        while len(self.state.finals) > first:
            *others, final = self.state.finals
            self.state.finals = tuple(others)
            final.run()

    def either_block(self, test: Value, node: Any, rest: Block) -> Any:
        """The one or the other block of an ``if``, and then the rest."""
        return self.branch(test, lambda: self.block([*node.body, *rest]), lambda: self.block([*node.orelse, *rest]), node)

    def branch(self, test: Value, first: Callable[[], Any], second: Callable[[], Any], at: n.AST) -> Any:
        """What two blocks do, by a test; what ends them early is returned."""
        if (known := self.truth(test)) is not None:
            return first() if known else second()
        return self.rerun(lambda: self.branched(test, first, second, at))

    def branched(self, test: Value, first: Callable[[], Any], second: Callable[[], Any], at: n.AST) -> Any:
        """What two blocks do, by a test that runs."""
        node = self.text(test)
        state = self.state
        before = state.saved()
        found = []
        for each in (first, second):
            state.restore(before)
            with state.block() as block, self.within():
                ended = each()
                found.append((block, ended, state.held, state.roots()))
        (one, ended, held, roots), (two, other, held2, roots2) = found
        if ended == "left" or other == "left":
            state.held = held2 if ended == "left" else held
            result = other if ended == "left" else ended
        elif ended != other and not self.alike(ended, other):
            raise NotInterpreted("a block that ends in several ways")
        else:
            if ended != other and RESULT in (ended, other):
                for ends, parts, its in ((ended, held, roots), (other, held2, roots2)):
                    frame = state.frames[-1]
                    if ends is None:
                        parts[frame.identity][RESULT] = its[frame.identity, RESULT] = Known(None)
            state.held = joined(state, [(one, held, roots), (two, held2, roots2)])
            result = ended or other
        self.write_if(node, one, two, at)
        return result

    def alike(self, one: Any, other: Any) -> bool:
        """Whether two ends are one, since nothing follows."""
        return {one, other} == {None, "continue"} or {one, other} == {None, "return"} and len(self.loops) == self.base

    trying = 0
    """How many blocks are around of which an exception is caught."""

    trees: dict[Any, Any]  # functions as they are written, and as they are interpreted

    def statement(self, node: n.stmt) -> Any:
        """Interpret one statement."""
        method = getattr(self, f"_{type(node).__name__}", None)
        self.state.at = node
        if method is None:
            raise NotInterpreted(f"a {type(node).__name__.lower()} statement")
        return method(node)

    def _Expr(self, node: Any) -> Any:
        if isinstance(node.value, n.Yield):
            return self.yielded(self.value(node.value.value) if node.value.value else Known(None))
        if isinstance(node.value, n.YieldFrom):
            return self.drive(self.value(node.value.value), self.yielded, node)
        if isinstance(node.value, (n.BoolOp, n.IfExp)):
            return self.block([as_branch(node)])
        value = self.state.as_whole(self.value(node.value))
        said = (n.Call, n.Subscript, n.Attribute, n.BinOp) if self.trying else n.Call
        if isinstance(value, Run) and any(isinstance(part, said) for part in n.walk(value.node)):
            self.state.emit(place(n.Expr(value=value.node), node))
        return None

    def _Pass(self, node: Any) -> Any:
        return None

    def _Assign(self, node: Any) -> Any:
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
            if is_own(self.state, (frame.identity, target.id), value):
                return
            if isinstance(value, Run) and self.outside.path(value.node) is not None and once(frame.tree, target.id):
                self.state.stands[self.state.name_of((frame.identity, target.id), target.id)] = value.node
            whole = self.state.stands.get(value.node.id, value.node) if isinstance(value, Run) and isinstance(value.node, n.Name) else (
                value.node if isinstance(value, Run) else None)
            if whole is not None and is_slice_of(whole, self.outside.path) and once(frame.tree, target.id):
                self.state.slices[self.state.name_of((frame.identity, target.id), target.id)] = whole
            if isinstance(value, Run) and isinstance(value.node, n.Call) and among(self.effective.resolve(value.node.func), GENERATORS):
                self.effective.generators.add(self.state.name_of((frame.identity, target.id), target.id))
            is_list = isinstance(value, Run) and isinstance(value.node, n.Name) and value.node.id in self.state.lists
            if isinstance(value, Run) and self.factory_of(value) is not None:
                raise NotInterpreted("a second name for a defaultdict")
            self.state.store((frame.identity, target.id), value, target.id)
            if is_list and once(frame.tree, target.id):
                self.state.lists.add(self.state.named[frame.identity, target.id])
        elif isinstance(target, (n.Tuple, n.List)):
            self.unpack(target, value)
        elif isinstance(target, n.Attribute):
            (value,), (of,) = self.held_for([value], [target.value])
            self.assign_attribute(of, target.attr, value, target)
        elif isinstance(target, n.Subscript):
            self.assign_entry(target, value)
        else:
            raise NotInterpreted("this target")

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
        stars = [number for number, part in enumerate(target.elts) if isinstance(part, n.Starred)]
        words = isinstance(value, Run) and self.outside.holds_words(value.node)
        items = None if isinstance(value, Run) and not stars and not words else self.wanted_items(value)
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
            if all(isinstance(part.value if isinstance(part, n.Starred) else part, n.Name) for part in target.elts):
                shown = [self.text_target(part, carried) for part in target.elts]
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
            self.assign(part.value if isinstance(part, n.Starred) else part, items[number])
        self.state.waiting.pop()

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
            if is_users(owner.kind) and len(at) == 1:
                self.called(self.attribute(owner, "__setitem__", target), [at[0], value], {}, target)
                return
            raise NotInterpreted("a store to a part that is not known")
        if isinstance(owner, Known) and owner.node is None:
            raise NotInterpreted("a store to what is not made here")
        text, stored = self.text(owner), self.text(value, True)
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
            owner = self.value(target.value)
            if isinstance(owner, Run) and (target.attr in PARTS or self.is_array(owner, target.attr)):
                self.update_part(owner, target, node)
                return None
            if not isinstance(owner, Structure):
                raise NotInterpreted("a store to an attribute of what is not made here")
            self.show_of_class(owner, target.attr)
            old = self.attribute(owner, target.attr, target)
        else:
            owner, *at = self.several([target.value, *indices(target.slice)])
            if isinstance(owner, Structure) and owner.kind in (list, dict):
                whole = self.structure(tuple, at) if isinstance(target.slice, n.Tuple) else at[0]
                if isinstance(target.slice, n.Slice) or not self.is_known_part(owner, whole):
                    owner = self.become_text(owner)
            if not isinstance(owner, Structure):
                before = len(self.state.out)
                (owner, *at), (value,) = self.held_for([owner, *at], [node.value])
                if self.does_more(self.state.out[before:]):
                    raise NotInterpreted("an update of what its value changes")
                text, stored = self.text(owner), self.text(value)
                if self.state.carries(stored):
                    self.state.active |= names(text)
                if (factory := self.factory_of(owner)) is not None:
                    key, first = self.text(self.state.pinned(at[0])), expression(repr(self.number_made(factory)))
                    read = expression("$d.get($k, $v)", d=clone(text), k=clone(key), v=first)
                    made = n.BinOp(left=read, op=node.op, right=stored)
                    self.state.emit(place(statement("$d[$k] = $v", d=text, k=key, v=made), node))
                    return None
                shown = n.Subscript(value=text, slice=with_indices(target.slice, [self.text(each) for each in at]), ctx=n.Store())
                self.state.emit(n.AugAssign(target=place(shown, target), op=node.op, value=stored))
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
                raise NotInterpreted("an operator that changes an object")
            self.store_back(target, owner, at, self.operation(node.op, old, value, node))
            return None
        where = self.where_of(target, owner, at)
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
        drawn = [node for node, call in calls if self.effective.draws(call)]
        others = [node for node in body if node not in drawn]
        return not self.effective.is_pure(altered(self.source.tree, args=NO_ARGUMENTS, body=others))

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
            elif isinstance(target, n.Subscript):
                self.delete_entry(target)
            else:
                raise NotInterpreted("del")
        return None

    def delete_entry(self, target: Any) -> None:
        """Take a part out of a container."""
        owner, *at = self.several([target.value, *indices(target.slice)])
        if isinstance(owner, Structure) and owner.kind in (list, dict) and not isinstance(target.slice, (n.Slice, n.Tuple)):
            if self.is_known_part(owner, at[0]):
                self.called(Method(owner, "pop"), [at[0]], {}, target)
                return
            owner = self.become_text(owner)
        text = n.Subscript(value=self.text(owner), slice=with_indices(target.slice, [self.text(each) for each in at]), ctx=n.Del())
        self.state.emit(n.Delete(targets=[place(text, target)]))

    def _Assert(self, node: Any) -> Any:
        test = self.condition(node.test)
        if self.truth(test) is True:
            return None
        text, said = self.text(test), None
        if node.msg is not None:
            saved = self.state.saved()
            with self.state.block() as block:
                said = self.text(self.shown(self.value(node.msg)))
            if block or self.state.changed(saved):
                raise NotInterpreted("what an assert says")
        self.state.emit(place(n.Assert(test=text, msg=said), node))
        return None

    def _Raise(self, node: Any) -> Any:
        value, cause = (None if part is None else self.text(self.state.as_whole(self.value(part))) for part in (node.exc, node.cause))
        self.state.emit(place(n.Raise(exc=value, cause=cause), node))
        return "left"

    def _Import(self, node: Any) -> Any:
        frame = self.state.frames[-1]
        for alias in node.names:
            called = alias.asname or alias.name.split(".")[0]
            try:
                value = imported_names(altered(node, names=[alias]))[called]
            except (ImportError, AttributeError, KeyError):
                raise NotInterpreted("this import inside of a function") from None
            if isinstance(value, float) and getattr(node, "module", "") in CONSTANTS:
                self.state.held[frame.identity][called] = Known(value)
                continue
            if not isinstance(value, types.ModuleType) and not callable(value):
                raise NotInterpreted("an import of what is no function")
            shown = next((name for name, other in self.outside.own.items() if other is value), None)
            if shown is None:
                shown = self.state.fresh(called)
                self.outside.own[shown] = value
                self.state.final.add(shown)
                whole = "." in alias.name and alias.asname is None and isinstance(node, n.Import)
                said = [alias] if whole or shown == called else [altered(alias, asname=shown)]
                self.state.emit(place(altered(node, names=said), node))
            self.state.held[frame.identity][called] = Known(value, expression(shown))
        return None

    _ImportFrom = _Import

    def _Global(self, node: Any) -> Any:
        if not self.state.frames[-1].bound.isdisjoint(node.names):
            raise NotInterpreted("a global that is bound")
        return None

    def _Nonlocal(self, node: Any) -> Any:
        if self.state.frames[-1].around is None:
            raise NotInterpreted("a nonlocal of a function that is around")
        return None

    def _FunctionDef(self, node: Any) -> Any:
        given = [part for part in node.decorator_list if not (isinstance(part, n.Call) and self.is_wraps(part.func))]
        decorators = [self.state.pinned(value) for value in self.several(given)]
        value: Value = self.closure(node, node.args)
        for decorator in reversed(decorators):
            value = self.called(decorator, [value], {}, node)
        self.assign(expression(node.name), value)
        return None

    def is_wraps(self, node: n.expr) -> bool:
        """Whether an expression is ``functools.wraps``, which changes no result."""
        value = self.value(node) if isinstance(node, (n.Name, n.Attribute)) else None
        return isinstance(value, Known) and value.object is functools.wraps

    def _Return(self, node: Any) -> Any:
        if any(loop is not None and loop.frame is self.state.frames[-1] for loop in self.loops):
            raise NotInterpreted("a return in a loop")
        value = Known(None) if node.value is None else self.value(node.value)
        frame = self.state.frames[-1].identity
        over = [number for number, final in enumerate(self.state.finals) if final.frame == frame]
        self.state.held[frame][RESULT] = self.state.pinned(value) if self.trying or over else value
        if over:
            self.finish(over[0])
        return "return"

    def _Break(self, node: Any) -> Any:
        return self.leaves(node, "break")

    def _Continue(self, node: Any) -> Any:
        return self.leaves(node, "continue")

    def leaves(self, node: n.stmt, how: str) -> Any:
        """The end of a trip, or of a loop: in a loop of the text it is written."""
        loop = self.loops[-1]
        frame = self.state.frames[-1].identity
        over = [number for number, final in enumerate(self.state.finals) if final.frame == frame and final.loops == len(self.loops)]
        if over:
            self.finish(over[0])
        if loop is None or how == "continue" and loop.frame is not self.state.frames[-1]:
            return how
        if loop.frame is not self.state.frames[-1]:
            running = [frame for frame in self.state.frames if frame.identity in self.consumers]
            if loop.frame not in running or not all(ends_with_items(frame.tree) for frame in running):
                raise NotInterpreted(f"{how} in a loop over a generator")
        loop.left = True
        self.settle(loop)
        for where, value in self.show_new(loop, how == "break").items():
            loop.bound[where] = LOST if loop.bound.get(where) is LOST else value
        self.state.emit(place(clone(node), node))
        return "left"

    def _For(self, node: Any) -> Any:
        if node.orelse:
            raise NotInterpreted("else of a loop")
        if self.one_by_one and not any(isinstance(part, (n.Yield, n.YieldFrom)) for part in n.walk(node)):
            with self.as_they_run():
                return self._For(node)
        iterable = self.state.as_whole(self.value(node.iter))
        iterable = self.state.pinned(iterable) if not isinstance(iterable, Run) else iterable
        frame = self.state.frames[-1]

        def one(item: Value | None) -> Any:
            outer = self.state.frames
            self.state.frames = outer if outer[-1] is frame else [*outer, frame]
            if item is not None:
                self.assign(node.target, item)
            ended = self.block(node.body)
            self.state.frames = outer
            return None if ended == "continue" else ended

        self.state.waiting.append([iterable])
        saved, count, outer_loops = self.state.saved(), len(self.loops), self.odd
        depth = len(self.state.waiting) - 1
        try:
            return self.drive(iterable, one, node, node.target)
        except (Unsettled, NotInterpreted) as problem:
            if isinstance(iterable, Structure) and iterable.kind in (list, tuple) and leaves(node.body) and not self.known_ones:
                del self.loops[count:]
                del self.state.waiting[depth:]
                self.state.abandon(saved)
                self.state.waiting.append([])
                whole = self.become_text(iterable) if iterable.kind is list else self.tuple_text(iterable)
                return self.drive(whole, one, node, node.target)
            if not isinstance(iterable, (Items, Run)) or self.text_of(iterable) is None or outer_loops:
                raise problem
            del self.loops[count:]
            del self.state.waiting[depth:]
            self.state.abandon(saved)
            self.state.waiting.append([iterable])
            items = self.items_of(iterable)
            if items is None:
                raise
            try:
                return self.written_out(items, one)
            except TooLong:
                raise problem from None
        finally:
            self.state.waiting.pop()

    def _While(self, node: Any) -> Any:
        if node.orelse:
            raise NotInterpreted("else of a loop")
        if self.one_by_one:
            raise Kept

        shown: Any = None

        def body() -> Any:
            nonlocal shown
            saved = self.state.saved()
            test = self.condition(node.test)
            if self.state.out or self.state.changed(saved):
                raise Acting
            shown = self.text(test)
            return self.block(node.body)

        saved, count, depth = self.state.saved(), len(self.loops), len(self.state.waiting)
        try:
            return self.looped(body, lambda block: place(n.While(test=shown, body=block or [n.Pass()], orelse=[]), node))
        except Acting:
            del self.loops[count:]
            del self.state.waiting[depth:]
            self.state.abandon(saved)
        leaves = place(n.If(test=node.test, body=[n.Pass()], orelse=[place(n.Break(), node)]), node)
        return self._While(place(altered(node, test=expression("True"), body=[leaves, *node.body]), node))

    def _With(self, node: Any) -> Any:
        """A block with a manager: of a generator of the user's it stands in place of the ``yield``; of others it stays one, if it can."""
        item, *others = node.items
        body = node.body if not others else [altered(node, items=others)]
        manager = self.state.as_whole(self.value(item.context_expr))
        if isinstance(manager, Items) and manager.kind == "manager":
            times = 0

            def once(value: Value) -> Any:
                nonlocal times
                times += 1
                outer = self.state.frames
                self.state.frames = [*outer, frame]
                if item.optional_vars is not None:
                    self.assign(item.optional_vars, value)
                ended = self.block(body)
                self.state.frames = outer
                return ended

            frame = self.state.frames[-1]
            ended = self.generate(manager, once)
            if times != 1:
                raise NotInterpreted("a manager that yields more than once")
            return ended
        if isinstance(manager, Structure):
            value = self.called(self.attribute(manager, "__enter__", node), [], {}, node)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value)
            if is_catching(self.member(manager.kind, "__exit__")):
                ended = self.tried(lambda: self.block(body), [n.ExceptHandler(type=None, name=None, body=[n.Pass()])], node)
            else:
                ended = self.block(body)
            if ended == "left":
                return "left"
            self.called(self.attribute(manager, "__exit__", node), [Known(None)] * 3, {}, node)
            return None
        return self.managed(node, manager)

    def managed(self, node: Any, manager: Value) -> Any:
        """A block with a manager of the text."""
        item, *others = node.items
        body = node.body if not others else [altered(node, items=others)]
        text = self.text(manager)
        if self.state.carries(text) or item.optional_vars is not None:
            raise NotInterpreted("a manager that is not known")
        if isinstance(text, n.Call) and not text.args and not text.keywords and self.outside.meant(text.func) is warnings.catch_warnings:
            return self.block([part for part in body if not self.is_filter(part)])
        self.trying += 1
        try:
            with self.state.block() as block:
                ended = self.block(body)
        finally:
            self.trying -= 1
        self.state.emit(place(altered(node, items=[altered(item, context_expr=text)], body=block or [n.Pass()]), node))
        return ended

    def is_filter(self, node: n.stmt) -> bool:
        """Whether a statement says which warnings are shown, and makes no error of one."""
        call = node.value if isinstance(node, n.Expr) else None
        if not isinstance(call, n.Call) or not isinstance(call.func, (n.Name, n.Attribute)):
            return False
        function = self.value(call.func)
        if not isinstance(function, Known) or not any(function.object is each for each in FILTERS):
            return False
        if not call.args or not isinstance(call.args[0], n.Constant) or call.args[0].value not in SHOWING:
            raise NotInterpreted("a warning that becomes an error")
        return True

    def _Try(self, node: Any) -> Any:
        """A block of which the way without exceptions is taken: the text says what would be caught."""
        if leaves(node.finalbody):
            raise NotInterpreted("leaving a finally")
        if node.orelse:
            return self._Try(altered(node, body=[*node.body, *node.orelse], orelse=[]))
        if not node.handlers:
            if (ended := self.block(node.body)) not in (None, "return"):
                return ended
            return self.block(node.finalbody) or ended
        handlers = []
        for handler in node.handlers:
            kind = None if handler.type is None else self.text(self.value(handler.type))
            handlers.append(altered(handler, type=kind, name=None, body=[n.Pass()]))
        ended = self.tried(lambda: self.block(node.body), handlers, node)
        return self.block(node.finalbody) or ended if ended in (None, "return") else ended

    def tried(self, run: Callable[[], Any], handlers: list[Any], node: Any) -> Any:
        """What a block does of which exceptions are caught: all that it computes is computed within it."""
        self.trying += 1
        try:
            with self.state.block() as block:
                ended = run()
        finally:
            self.trying -= 1
        if block:
            self.state.emit(place(n.Try(body=block, handlers=handlers, orelse=[], finalbody=[]), node))
        return ended

    def function(self, closure: Closure, args: Sequence[Value], named: dict[str, Value], node: n.expr) -> Value:
        """The body of a function in place of its call; of a generator what gives its items."""
        tree = self.with_one_exit(closure.tree)
        if len(self.state.frames) > DEEPEST:
            raise NotInterpreted("calls within calls")
        if sum(frame.tree is tree for frame in self.state.frames) > 12:
            raise Recursing(closure.function)
        body = [tree.body] if isinstance(tree, n.Lambda) else tree.body
        inner = [part for statement_ in body for part in n.walk(statement_)]
        outer = frozenset(name for part in own_parts(tree) if isinstance(part, n.Nonlocal) for name in part.names)
        bound = bound_in(tree)
        frame = Frame(self.state.new({}), bound, closure.function, closure.frame, tree, closure.owner, outer)
        lasting = any(isinstance(part, n.SCOPES) for part in inner)
        yields = any(isinstance(part, (n.Yield, n.YieldFrom)) for part in inner)
        values = self.arguments(tree, closure, list(args), named)
        often = {part.id for part in inner if isinstance(part, n.Name) and isinstance(part.ctx, n.Store)}
        for name, value in values.items():
            if isinstance(value, Run) and (yields or name in often or not self.steady(value)):
                if name not in often and (self.outside.path(value.node) is not None or isinstance(value.node, (n.Call, n.BinOp))):
                    self.state.stands[self.state.name_of((frame.identity, name), name)] = value.node
                self.state.store((frame.identity, name), value, name)
            else:
                self.state.held[frame.identity][name] = value
        if any(isinstance(part, (n.Yield, n.YieldFrom)) for part in own_parts(tree)):
            return Items("generator", [frame, closure], self.state.new({}))
        self.state.frames = [*self.state.frames, frame]
        loops, self.loops, base = self.loops, [*self.loops], self.base
        self.base = len(loops)
        at = self.state.at
        if isinstance(tree, n.Lambda):
            result = self.value(tree.body)
        else:
            self.block(tree.body)
            result = self.state.held[frame.identity].get(RESULT, Known(None))
        self.state.at = at
        self.loops, self.base = loops, base
        self.state.frames = [each for each in self.state.frames if each is not frame]
        if lasting and frame.identity in within(self.state.held, [result, *self.state.roots().values()]):
            for name, value in self.state.held[frame.identity].items():
                if isinstance(value, Run) and name not in often:
                    self.state.held[frame.identity][name] = self.state.pinned(value)
        return result

    def with_one_exit(self, tree: Any) -> Any:
        """A function of which no loop has a return or an ``else``; it has the one tree for all calls."""
        if tree not in self.trees:
            self.trees[tree] = tree
            parts = own_parts(tree)
            loops = [part for part in parts if isinstance(part, (n.For, n.While))]
            inner = [part for loop in loops for part in own_parts(loop)]
            if any(isinstance(part, n.Return) for part in inner) or any(loop.orelse for loop in loops):
                names_ = Names({part.id for part in n.walk(tree) if isinstance(part, n.Name)})
                blocks = [part for part in parts if isinstance(part, (n.Try, n.With))]  # which unify does not look into
                made = altered(tree, body=without_else(tree.body, names_.fresh)) if blocks else tree
                if not leaves(blocks) and not any(isinstance(part, (n.Yield, n.YieldFrom)) for part in parts):
                    made = altered(made, body=unify(clone(made).body, names_.fresh("value"), names_.fresh))
                self.trees[tree] = made
        return self.trees[tree]

    def steady(self, value: Run) -> bool:
        """Whether an argument may stand in place of a parameter: nothing changes it while the function runs."""
        node = value.node
        if isinstance(node, n.Constant) or isinstance(node, n.Name) and node.id in self.state.final | self.outside.own.keys():
            return True
        trees = [frame.tree for frame in self.state.frames if frame.tree is not None]
        if not isinstance(node, n.Name) or any(isinstance(part, n.Nonlocal) for tree in trees for part in n.walk(tree)):
            return False
        places = ((frame.identity, name) for frame in self.state.frames for name in frame.bound)
        return any(self.state.named.get(where) == node.id for where in places)

    def arguments(self, tree: Any, closure: Closure, args: list[Value], named: dict[str, Value]) -> dict[str, Value]:
        """The values of the parameters of a function."""
        given = tree.args
        positional = [part.id for part in (*given.posonlyargs, *given.args)]
        values: dict[str, Value] = dict(zip(positional, args))
        if len(args) > len(positional):
            if given.vararg is None:
                raise NotInterpreted("too many arguments")
        if given.vararg is not None:
            values[given.vararg.id] = self.structure(tuple, args[len(positional):])
        others: dict[Any, Value] = {}
        for name, value in named.items():
            if name in values:
                raise NotInterpreted("an argument that is given twice")
            if name in positional or name in [part.id for part in given.kwonlyargs]:
                values[name] = value
            elif given.kwarg is not None:
                others[name] = value
            else:
                raise NotInterpreted(f"an argument {name} that there is not")
        if given.kwarg is not None:
            values[given.kwarg.id] = self.structure(dict, others)
        for name in (*positional, *(part.id for part in given.kwonlyargs)):
            if name not in values:
                if name not in closure.defaults:
                    raise NotInterpreted(f"no argument {name}")
                values[name] = closure.defaults[name]
        return values

    def generate(self, value: Items, consume: Consume) -> Any:
        """Run a generator, what consumes its items in place of each ``yield``."""
        frame, closure = value.parts
        if frame.identity in self.consumers:
            raise NotInterpreted("a generator that is asked twice")
        user = self.state.frames[-1]
        self.consumers[frame.identity] = (consume, user)
        self.state.frames = [*self.state.frames, frame]
        base, self.base = self.base, len(self.loops) + 1
        self.loops.append(None)
        try:
            ended = self.block(closure.tree.body)
        finally:
            self.base = base
            self.loops.pop()
            del self.consumers[frame.identity]
            self.state.frames = [each for each in self.state.frames if each is not frame]
        return None if ended == "return" else ended

    def yielded(self, item: Value) -> Any:
        """An item of the generator at hand: what consumes it, here."""
        frame = self.state.frames[-1]
        while frame.identity not in self.consumers:
            if frame.around is None:
                raise NotInterpreted("a yield")
            frame = frame.around
        consume, user = self.consumers[frame.identity]
        outer = self.state.frames
        self.state.frames = [*outer, user]
        item = self.state.pinned(item)
        ended = consume(item)
        self.state.frames = outer
        if ended not in (None, "continue"):
            raise NotInterpreted("a loop over a generator that is left")
        return None


def is_slice_of(node: n.expr, path: Callable[[n.expr], Any]) -> bool:
    """Whether an expression is a slice of an argument."""
    return isinstance(node, n.Subscript) and isinstance(node.slice, n.Slice) and path(node.value) is not None


def as_branch(node: Any) -> n.stmt:
    """A statement of ``and``, ``or``, or a conditional expression as an ``if``."""
    def said(value: n.expr) -> list[n.stmt]:
        return [place(n.Expr(value=value), node)]

    value = node.value
    if isinstance(value, n.IfExp):
        return place(n.If(test=value.test, body=said(value.body), orelse=said(value.orelse)), node)
    first, *others = value.values
    rest = said(others[0] if len(others) == 1 else altered(value, values=others))
    body = rest if isinstance(value.op, n.And) else [place(n.Pass(), node)]
    return place(n.If(test=first, body=body, orelse=[] if body is rest else rest), node)


def without_else(body: Block, fresh: Callable[[str], str], flag: str = "") -> list[n.stmt]:
    """Statements in which no loop has an ``else``: a ``flag`` says that the loop around them has not been left by ``break``."""
    found: list[n.stmt] = []
    for node in body:
        if isinstance(node, n.Break) and flag:
            found += [place(statement("$x = False", x=flag), node), node]
        elif isinstance(node, (n.For, n.While)):
            inner = fresh("completed") if node.orelse else ""
            rest = without_else(node.orelse, fresh, flag)
            found += [place(statement("$x = True", x=inner), node)] if inner else []
            found.append(altered(node, body=without_else(node.body, fresh, inner), orelse=[]))
            found += [place(n.If(test=expression(inner), body=rest, orelse=[]), node)] if inner else []
        elif isinstance(node, (n.If, n.With, n.Try)):
            blocks = [name for name in ("body", "orelse", "finalbody") if hasattr(node, name)]
            fields = {name: without_else(getattr(node, name), fresh, flag) for name in blocks}
            if isinstance(node, n.Try):
                fields["handlers"] = [altered(part, body=without_else(part.body, fresh, flag)) for part in node.handlers]
            found.append(altered(node, **fields))
        else:
            found.append(node)
    return found


def may_be_left(node: Any) -> bool:
    """Whether there are ways out of a block besides its end."""
    return leaves([*node.body, *getattr(node, "orelse", [])])


def leaves(body: Block) -> bool:
    """Whether a statement of a block may leave it, or a loop."""
    return any(isinstance(part, ENDS) for statement_ in body for part in n.walk(statement_))


def ends_with_return(body: Block) -> bool:
    """Whether the last statement of a block is its only way out, a return."""
    last = body[-1]
    if leaves(body[:-1]):
        return False
    return isinstance(last, n.Return) or isinstance(last, n.With) and ends_with_return(last.body)


def ends_with_items(tree: Any) -> bool:
    """Whether a generator does nothing after the loop of its only ``yield``, which is in no other loop."""
    last = tree.body[-1]
    inner: list[n.AST] = [part for part in n.walk(last) if isinstance(part, (n.For, n.While, n.Try, n.With))]
    yields = [part for part in n.walk(tree) if isinstance(part, (n.Yield, n.YieldFrom))]
    return len(yields) == 1 and [id(part) for part in inner] == [id(last)]


def is_catching(function: Any) -> bool:
    """Whether the ``__exit__`` of a manager may say that an exception ends there."""
    returned = [part.value for part in own_parts(read(function).tree) if isinstance(part, n.Return) and part.value is not None]
    return any(not isinstance(value, n.Constant) or bool(value.value) for value in returned)


def own_parts(tree: Any) -> list[n.AST]:
    """The nodes of a function, but for those of functions within."""
    found: list[n.AST] = n.below(tree) if not isinstance(tree, n.Lambda) else [tree.body]
    for part in found:
        if not isinstance(part, (n.FunctionDef, n.Lambda)):
            found += n.below(part)
    return found


def bound_in(tree: Any) -> frozenset[str]:
    """The names that a function binds."""
    args = tree.args
    stars = [part for part in (args.vararg, args.kwarg) if part is not None]
    found = {part.id for part in (*args.posonlyargs, *args.args, *args.kwonlyargs, *stars)}
    if isinstance(tree, n.Lambda):
        return frozenset(found | {part.target.id for part in own_parts(tree) if isinstance(part, n.NamedExpr)})
    pending: list[n.AST] = list(tree.body)
    while pending:
        part = pending.pop()
        if isinstance(part, n.FunctionDef):
            found.add(part.name)
        elif isinstance(part, (n.Import, n.ImportFrom)):
            found |= {alias.asname or alias.name.split(".")[0] for alias in part.names}
        elif isinstance(part, n.Name) and not isinstance(part.ctx, n.Load):
            found.add(part.id)
        if not isinstance(part, (n.FunctionDef, n.Lambda)):
            if isinstance(part, n.COMPREHENSIONS):
                walrus = [inner.target.id for inner in n.walk(part) if isinstance(inner, n.NamedExpr)]
                found |= set(walrus)
            else:
                pending += n.below(part)
    return frozenset(found)
