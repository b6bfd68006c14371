"""Interpret iteration: a loop is kept in the text, or written out where its items are known one by one.

Comprehensions, generators, ``sum`` and ``map`` are the same: what drives the items gives each to what consumes it, where it stands.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ..analysis.abstract import Abstract
from ..syntax import nodes as n
from ..syntax.quote import altered, clone, expression, place, statement
from . import calls
from .calls import Calls
from .expressions import targets_of
from .join import Match, assign, is_own, split, variable_after, widened
from .state import Place, as_node
from .text_containers import once
from .values import LOST, Frame, Items, Known, NotInterpreted, Run, Structure, TooLong, Unsettled, Value

LAZY_KINDS = ("generator", "generator expression", "map", "filter", "manager")
"""The kinds of iterators that do something for each item."""

VIEWS = ("items", "keys", "values")
"""The kinds of views of dicts."""

TRIPS = 64
"""How many trips of a loop are written out at most."""

Consume = Callable[[Value], Any]


class Kept(Exception):
    """A loop that would be kept where each item is asked for."""


@dataclass
class Loop:
    """A loop that is kept in the text, while its body is interpreted."""

    held: Any  # the parts of structures as it begins
    roots: Any
    frame: Frame
    begun: int = 0  # how many structures there were then
    wide: set[Place] = field(default_factory=set)
    split: set[Place] = field(default_factory=set)
    left: bool = False  # whether a trip may end before its last statement
    bound: dict[Place, Value] = field(default_factory=dict)  # the variables that it has bound where it is left
    match: Any = None  # of what it begins with and what its last trip leaves


class Loops(Calls):
    """The values of what is iterated over."""

    loops: list[Loop | None]  # those around, None where one is written out
    one_by_one: int  # how many of what is at hand ask for each item
    deep: int = 0  # how many branches and loops of the text are around

    @contextmanager
    def within(self) -> Iterator[None]:
        """A branch of the text, or a loop."""
        self.deep += 1
        try:
            yield
        finally:
            self.deep -= 1

    @contextmanager
    def as_they_run(self) -> Iterator[None]:
        """What gives no item to those who ask for each: its loops may be loops of the text."""
        outer, self.one_by_one = self.one_by_one, 0
        try:
            yield
        finally:
            self.one_by_one = outer

    def given(self, item: Callable[[], Value]) -> Value:
        """An item, whatever has to run for it."""
        with self.as_they_run():
            return item()

    def drive(self, value: Value, consume: Consume, at: n.AST, target: n.expr | None = None) -> Any:
        """Give each item of an iterable to ``consume``, within a loop of the text where that is needed; what ends it early is returned."""
        if isinstance(value, Structure):
            if value.kind is dict:
                items: list[Value] = [Known(key) for key in self.state.held[value.identity]]
            elif value.kind is list:
                return self.live(value, consume)
            elif value.kind is calls.Iterator:
                return self.driven_iterator(value, consume, at)
            elif issubclass(value.kind, tuple):
                items = self.parts(value)
            else:
                return self.drive(self.called(self.attribute(value, "__iter__", at), [], {}, at), consume, at, target)
            return self.written_out(items, consume)
        if isinstance(value, Known) and type(value.object) is dict and (found := self.outside.entries(value)) is not None:
            return self.written_out([Known(key) for key in found], consume)
        if (each_object := self.outside.objects(value)) is not None:
            known = None if self.odd or self.one_by_one else self.outside.object_of_all(value)
            return self.kept_or_not(None if known is None else self.text(value), known, lambda: self.written_out(each_object, consume),
                                    consume, at, target)
        if isinstance(value, Known) and type(value.object) in (list, tuple) and (listed := self.outside.listed(value)) is not None:
            return self.written_out(listed, consume)
        if isinstance(value, Known) and isinstance(value.object, str):
            return self.written_out([Known(letter) for letter in value.object], consume)
        if isinstance(value, Items):
            return self.driven_items(value, consume, at, target)
        if isinstance(value, Run) and self.outside.holds_words(value.node) and (parts := self.items_of(value)) is not None:
            return self.written_out(parts, consume)
        return self.kept(self.text(value), consume, at, target)

    def kept_or_not(
        self, node: n.expr | None, kinds: Any, written_out: Callable[[], Any], consume: Consume, at: n.AST, target: n.expr | None,
    ) -> Any:
        """A loop over objects from outside, which stays one where that can be; ``kinds`` is what is known of them, None of odd ones."""
        if node is None or kinds is None or target is None:
            return written_out()
        saved, depth, count, frames = self.state.saved(), len(self.state.waiting), len(self.loops), self.state.frames
        try:
            return self.kept(node, consume, at, target, kinds)
        except (NotInterpreted, Unsettled):
            del self.state.waiting[depth:]
            del self.loops[count:]
            self.state.abandon(saved)
            self.state.frames = frames
            return written_out()

    def kinds_in(self, value: Any) -> Any:
        """What is known of the objects that an iterator gives, by its parts; None of one in which there is nothing of the kind; raises
        Kept for objects of several classes, or with a derivative.
        """
        if isinstance(value, Items):
            found = [self.kinds_in(part) for part in value.parts]
            if value.kind == "enumerate":
                found = [None, found[0]]
            return found[0] if value.kind == "reversed" else None if all(part is None for part in found) else found
        if isinstance(value, Structure) or self.outside.objects(value) is None:
            return None
        if (known := self.outside.object_of_all(value)) is None:
            raise Kept
        return known

    def with_objects(self, value: Any) -> Any:
        """An iterator of which the objects from outside are known one by one."""
        if isinstance(value, Items):
            return dataclasses.replace(value, parts=[self.with_objects(part) for part in value.parts])
        objects = None if isinstance(value, Structure) else self.outside.objects(value)
        return value if objects is None else self.structure(tuple, objects)

    def live(self, value: Structure, consume: Consume) -> Any:
        """The items of a list, as it is when each is asked for."""
        position = 0
        self.state.waiting.append([value])
        self.loops.append(None)
        try:
            while position < len(held := self.state.held[value.identity]):
                self.stays_known(value)
                if position > TRIPS:
                    raise TooLong
                ended = consume(self.state.pinned(self.loaded(held[position])))
                if ended in ("break", "return", "left"):
                    return None if ended == "break" else ended
                position += 1
            return None
        finally:
            self.loops.pop()
            self.state.waiting.pop()

    def driven_iterator(self, value: Structure, consume: Consume, at: n.AST) -> Any:
        """The items that an iterator has not given yet."""
        while (item := self.next_of(value)) is not None:
            ended = self.written_out([item], consume)
            if ended is not None:
                return ended
        return None

    def next_of(self, value: Structure) -> Value | None:
        """The next item of an iterator, None where it has none."""
        held = self.state.held[value.identity]
        of, position = held["of"], held["position"]
        if not isinstance(position, Known) or not isinstance(of, Structure):
            raise NotInterpreted("how far an iterator has come")
        self.stays_known(of)
        parts = self.parts(of)
        if position.object >= len(parts):
            return None
        held["position"] = Known(position.object + 1)
        found: Value = parts[position.object]
        return found

    def lists_in(self, value: Any) -> list[int]:
        """The lists that an iterator goes over."""
        if isinstance(value, Structure):
            return [value.identity] if value.kind is list else []
        return [number for part in value.parts for number in self.lists_in(part)] if isinstance(value, Items) else []

    def watching(self, before: dict[int, dict[Any, Value]], kind: str, consume: Consume) -> Consume:
        """The same ``consume``, where none of the lists that are gone over may have changed that is not gone over yet."""
        position = -1

        def watched(item: Value) -> Any:
            nonlocal position
            position += 1
            ended = consume(item)
            for identity, parts in before.items():
                now = self.state.held[identity]
                rest = range(len(parts) - 1 - position) if kind == "reversed" else range(position + 1, len(parts))
                if list(now) != list(parts) or any(now[key] is not parts[key] for key in rest):
                    raise NotInterpreted("a list that changes while a loop goes over it")
            return ended

        return watched

    def live_view(self, kind: str, of: Structure, consume: Consume) -> Any:
        """The items of a view of a dict, as they are when each is asked for."""
        keys = list(self.state.held[of.identity])
        self.state.waiting.append([of])
        self.loops.append(None)
        try:
            for key in keys:
                held = self.state.held[of.identity]
                self.stays_known(of)
                if list(held) != keys:
                    raise NotInterpreted("a dict that changes while a loop goes over it")
                item = self.state.pinned(self.loaded(held[key]))
                ended = consume(item if kind == "values" else Known(key) if kind == "keys" else self.structure(tuple, [Known(key), item]))
                if ended in ("break", "return", "left"):
                    return None if ended == "break" else ended
            return None
        finally:
            self.loops.pop()
            self.state.waiting.pop()

    def is_lazy(self, value: Any) -> bool:
        """Whether the items of an iterator are made when they are asked for."""
        return isinstance(value, Items) and (value.kind in LAZY_KINDS or any(map(self.is_lazy, value.parts)))

    def driven_items(self, value: Items, consume: Consume, at: n.AST, target: n.expr | None) -> Any:
        """The same for an iterator."""
        kind, parts = value.kind, value.parts
        if kind in VIEWS:
            return self.live_view(kind, parts[0], consume)
        if kind != "range":
            if value.born in self.state.used_up or any(loop is not None and loop.begun >= value.born for loop in self.loops):
                raise NotInterpreted("an iterator that has given its items")
            self.state.used_up.add(value.born)
        node = self.text_of(value) if not self.one_by_one else None
        if kind == "range":
            trips = range(*(part.object for part in parts))
            if node is not None and not self.odd:
                return self.kept(node, consume, at, target)
            if len(trips) > TRIPS:
                raise Kept
            return self.written_out([Known(trip) for trip in trips], consume)
        if kind in ("zip", "enumerate", "reversed") and node is not None:
            try:
                kinds = self.kinds_in(value)
            except Kept:
                kinds, node = None, None
            if kinds is not None or node is None:
                self.state.used_up.discard(value.born)
                return self.kept_or_not(
                    node, kinds, lambda: self.driven_items(self.with_objects(value), consume, at, target), consume, at, target)
            return self.kept(node, consume, at, target)
        if kind == "product" and len(parts) == 2 and not any(map(self.is_lazy, parts)):
            return self.drive(parts[0], lambda one: self.drive(parts[1], lambda two: consume(self.structure(tuple, [one, two])), at), at)
        if kind == "zip" and not self.one_by_one and sum(map(self.is_lazy, parts)) == 1:
            return self.beside(value, consume, at)
        if kind in ("zip", "reversed", "product", "pairwise", "islice", "combinations", "repeat"):
            if any(map(self.is_lazy, parts)) and not self.one_by_one:
                raise NotInterpreted("generators side by side")
            self.state.used_up.discard(value.born)
            before = {each: dict(self.state.held[each]) for each in self.lists_in(value)}
            found = self.items_of(value)
            if found is None:
                raise Kept
            return self.written_out(found, consume if kind in ("product", "combinations") else self.watching(before, kind, consume))
        if kind == "enumerate":
            counter = (self.state.new({}), "k")
            frame = Frame(counter[0], frozenset({"k"}), None, None, None)
            self.state.frames = [frame, *self.state.frames]
            self.state.store(counter, parts[1], "k")

            def counted(item: Value) -> Any:
                ended = consume(self.structure(tuple, [self.state.held[counter[0]]["k"], item]))
                if ended is None:
                    one = self.operation(n.Add(), self.state.held[counter[0]]["k"], Known(1), at)
                    self.state.store(counter, one, "k")
                return ended

            ended = self.drive(parts[0], counted, at)
            self.state.frames = [each for each in self.state.frames if each is not frame]
            return ended
        if kind == "map":
            function, *iterables = parts
            if len(iterables) == 1:
                return self.drive(iterables[0], lambda item: consume(self.given(lambda: self.called(function, [item], {}, at))), at)
            together = Items("zip", iterables)
            return self.drive(together, lambda item: consume(
                self.given(lambda: self.called(function, self.items_of(item) or [], {}, at))), at)
        if kind == "chain":
            for part in parts:
                if (ended := self.drive(part, consume, at)) is not None:
                    return ended
            return None
        if kind == "filter":
            def asked(item: Value) -> Any:
                item = self.state.pinned(item)
                test = item if isinstance(parts[0], Known) and parts[0].object is None else self.called(parts[0], [item], {}, at)
                return self.branch(test, lambda: consume(item), lambda: None, at)
            return self.drive(parts[1], asked, at)
        if kind == "generator expression":
            return self.each(parts[2].generators, parts[0], parts[1], lambda: consume(self.given(lambda: self.value(parts[2].elt))), at)
        if kind == "generator":
            return self.generate(value, consume)
        if kind == "columns" and self.one_by_one:
            raise Kept
        raise NotInterpreted(f"a loop over {kind}")

    def beside(self, value: Items, consume: Consume, at: n.AST) -> Any:
        """The items of a generator beside those of what is known item by item."""
        lazy = [self.is_lazy(part) for part in value.parts].index(True)
        rows = [part for position, part in enumerate(value.parts) if position != lazy]
        if all(isinstance(part, Run) and self.is_row(part) for part in rows) and self.is_finite(value.parts[lazy]):
            saved, depth, count, frames = self.state.saved(), len(self.state.waiting), len(self.loops), self.state.frames
            try:
                return self.counted_beside(value, lazy, consume, at)
            except (NotInterpreted, Unsettled):
                del self.state.waiting[depth:]
                del self.loops[count:]
                self.state.abandon(saved)
                self.state.frames = frames
        others = [[] if position == lazy else self.wanted_items(part) for position, part in enumerate(value.parts)]
        if any(items is None for items in others):
            raise NotInterpreted("generators side by side")
        shortest = min(len(items or ()) for position, items in enumerate(others) if position != lazy)
        self.state.waiting += [items or [] for items in others]
        position = -1

        def paired(item: Value) -> Any:
            nonlocal position
            position += 1
            if position >= shortest:
                raise NotInterpreted("a generator that is longer than what is beside it")
            row = [item if number == lazy else (items or [])[position] for number, items in enumerate(others)]
            with self.as_they_run():
                return consume(self.structure(tuple, row))

        self.one_by_one += 1
        try:
            return self.drive(value.parts[lazy], paired, at)
        except Kept:
            raise NotInterpreted("generators side by side") from None
        finally:
            self.one_by_one -= 1
            del self.state.waiting[-len(others):]

    def is_finite(self, value: Any) -> bool:
        """Whether what is left of a generator does nothing but end, where nobody asks for its items."""
        if value.kind == "generator expression":
            return True
        tree = value.parts[1].tree if value.kind == "generator" else None
        return tree is not None and not any(isinstance(part, n.While) for part in n.walk(tree)) and self.effective.is_pure(tree)

    def counted_beside(self, value: Items, lazy: int, consume: Consume, at: n.AST) -> Any:
        """The same in a loop of the text, of which the trips are counted."""
        counter = (self.state.new({}), "k")
        frame = Frame(counter[0], frozenset({"k"}), None, None, None)
        self.state.frames = [frame, *self.state.frames]
        self.state.store(counter, Known(0), "k")

        def paired(item: Value) -> Any:
            k = self.text(self.state.held[counter[0]]["k"])
            rows = [item if number == lazy else Run(expression("$x[$k]", x=self.text(part), k=k))
                    for number, part in enumerate(value.parts)]
            there = [expression("$k < len($x)", k=k, x=self.text(part)) for number, part in enumerate(value.parts) if number != lazy]
            test = there[0] if len(there) == 1 else n.BoolOp(op=n.And(), values=there)
            ended = self.branch(Run(test), lambda: consume(self.structure(tuple, rows)), lambda: None, at)
            if ended is None:
                self.state.store(counter, self.operation(n.Add(), self.state.held[counter[0]]["k"], Known(1), at), "k")
            return ended

        ended = self.drive(value.parts[lazy], paired, at)
        self.state.frames = [each for each in self.state.frames if each is not frame]
        return ended

    odd = False
    """Whether the loops at hand are written out, on demand."""

    def generate(self, value: Items, consume: Consume) -> Any:
        """Run a generator, what consumes its items in place of each ``yield`` (``statements.py``)."""
        raise NotImplementedError

    def branch(self, test: Value, first: Callable[[], Any], second: Callable[[], Any], at: n.AST) -> Any:
        """What two blocks do, by a test; what ends them early is returned (``statements.py``)."""
        raise NotImplementedError

    def text_of(self, value: Value) -> n.expr | None:
        """An iterator as an expression of the text, if it is one."""
        if isinstance(value, Items):
            if value.kind not in ("range", "zip", "enumerate", "reversed"):
                return None
            parts = [self.text_of(part) for part in value.parts]
            if any(part is None for part in parts):
                return None
            if value.kind == "enumerate" and isinstance(value.parts[1], Known) and value.parts[1].object == 0:
                parts.pop()
            return n.Call(func=expression(value.kind), args=parts, keywords=[])
        if isinstance(value, Structure):
            return None
        return as_node(value)

    def each(self, generators: list[Any], first: Value, frame: Frame, consume: Callable[[], Any], at: n.AST) -> Any:
        """The loops of a comprehension, one within the other."""
        generator, *others = generators

        def one(item: Value) -> Any:
            outer = self.state.frames
            self.state.frames = [*outer, frame]
            if item is not None:
                self.assign(generator.target, item)
            ended = self.conditions(generator.ifs, lambda: self.each(
                others, self.value(others[0].iter), frame, consume, at) if others else consume(), at)
            self.state.frames = outer
            return ended

        outer = self.state.frames
        self.state.frames = [*outer, frame]
        try:
            return self.drive(first, one, at, generator.target)
        finally:
            self.state.frames = outer

    def conditions(self, tests: list[n.expr], then: Callable[[], Any], at: n.AST) -> Any:
        """What happens if all the tests hold."""
        if not tests:
            return then()
        return self.branch(self.condition(tests[0]), lambda: self.conditions(tests[1:], then, at), lambda: None, at)

    def written_out(self, items: list[Value], consume: Consume) -> Any:
        """Each item after the other."""
        if len(items) > TRIPS:
            raise TooLong
        waiting = [self.state.pinned(item) for item in items]
        self.state.waiting.append(waiting)
        self.loops.append(None)
        try:
            for item in waiting[:]:
                ended = consume(item)
                if ended in ("break", "return", "left"):
                    return None if ended == "break" else ended
            return None
        finally:
            self.loops.pop()
            self.state.waiting.pop()

    def kept(self, node: n.expr, consume: Consume, at: n.AST, target: n.expr | None, kinds: Any = None) -> Any:
        """A loop of the text over an expression of it; ``kinds`` is what is known of the objects that it gives."""
        if self.one_by_one and (self.wanting or isinstance(node, n.Call)):
            if (items := self.items_of(Run(node))) is not None:
                return self.written_out(items, consume)
        if self.one_by_one:
            raise Kept
        carried = self.state.carries(node)
        shown: Any = None
        plain = target is not None and all(isinstance(part, (n.Name, n.Tuple)) for part in n.walk(target))

        def header(block: list[n.stmt]) -> n.stmt:
            return place(n.For(target=shown, iter=node, body=block or [n.Pass()], orelse=[], type_comment=None), at)

        def begin() -> Any:
            nonlocal shown
            if plain and target is not None:
                shown = self.text_target(target, carried)
                self.note_kinds(shown, kinds)
                return consume(None)  # type: ignore[arg-type]
            name = self.state.fresh("item")
            self.state.final.add(name)
            if carried:
                self.state.active.add(name)
            shown = n.Name(id=name, ctx=n.Store())
            return consume(Run(expression(name)))

        return self.looped(begin, header)

    def note_kinds(self, target: n.expr, kinds: Any) -> None:
        """Note what is known of the objects that the variables of a loop stand for."""
        if isinstance(target, n.Tuple) and isinstance(kinds, list):
            for part, known in zip(target.elts, kinds):
                self.note_kinds(part, known)
        elif isinstance(target, n.Name) and isinstance(kinds, Abstract):
            self.state.kinds[target.id] = kinds
        elif kinds is not None:
            raise NotInterpreted("what the items of a loop are")

    def text_target(self, target: n.expr, carried: bool) -> n.expr:
        """The target of a loop of the text, its variables bound."""
        if isinstance(target, n.Tuple):
            return n.Tuple(elts=[self.text_target(part, carried) for part in target.elts], ctx=n.Store())
        if isinstance(target, n.Starred):
            rest: Any = self.text_target(target.value, carried)
            self.state.lists.add(rest.id)
            return n.Starred(value=rest, ctx=n.Store())
        assert isinstance(target, n.Name)
        frame = self.state.frames[-1]
        name = self.state.name_of((frame.identity, target.id), target.id)
        self.state.kinds.pop(name, None)
        if frame.tree is not None and once(frame.tree, target.id):
            self.state.final.add(name)
        if carried:
            self.state.active.add(name)
        self.state.held[frame.identity][target.id] = Run(expression(name))
        return n.Name(id=name, ctx=n.Store())

    def looped(self, body: Callable[[], Any], header: Callable[[list[n.stmt]], n.stmt]) -> Any:
        """A loop of the text, its body interpreted until what it begins with is what it ends with."""
        return self.rerun(lambda: self.looped_with(body, header))

    def looped_with(self, body: Callable[[], Any], header: Callable[[list[n.stmt]], n.stmt]) -> Any:
        """The same, if the containers that it knows may be known in it."""
        state = self.state
        saved = state.saved()
        wide: set[Place] = set()
        apart: dict[Place, int] = {}
        for _ in range(40):
            state.abandon(saved)
            split(state, apart)
            widened(state, wide, {})
            before = {identity: dict(parts) for identity, parts in state.held.items()}
            loop = Loop(before, state.roots(), state.frames[-1], state.count)
            active, before_it = set(state.active), state.final.union(state.named.values())
            self.loops.append(loop)
            count = len(self.loops)
            try:
                with state.block() as block, self.within():
                    ended = body()
                    if ended in (None, "continue"):
                        self.settle(loop)
                        self.show_new(loop)
            finally:
                del self.loops[count - 1:]
            if ended == "return":
                raise NotInterpreted("a return in a loop")
            if loop.wide or loop.split:
                if loop.wide <= wide and loop.split <= apart.keys():
                    raise Unsettled
                wide |= loop.wide
                apart = dict.fromkeys(loop.split, 0) | apart
                continue
            if not (state.active - active).isdisjoint(before_it):
                continue
            after = state.held
            state.held = {**{identity: dict(parts) for identity, parts in after.items()},
                          **{identity: dict(parts) for identity, parts in before.items()}}
            for identity, parts in before.items():
                for key, value in after.get(identity, {}).items():
                    if key not in parts:
                        found = value if is_own(state, (identity, key), value) else self.left_by(loop, value)
                        state.held[identity][key] = found or LOST
            for (identity, name), value in loop.bound.items():
                ended_with = after.get(identity, {}).get(name, value)
                state.held[identity][name] = value if is_own(state, (identity, name), ended_with) else LOST
            state.emit(header(block))
            return None
        raise Unsettled

    def left_by(self, loop: Loop, value: Value) -> Structure | None:
        """A structure that the last trip of a loop has bound, as the loop leaves it; None for what the text does not have then."""
        if loop.left or not isinstance(value, Structure):
            return None
        if value.identity in loop.match.back:
            return Structure(loop.match.back[value.identity], value.kind)
        return value if self.is_left(loop, value) else None

    def is_left(self, loop: Loop, value: Structure) -> bool:
        """Whether all that a structure holds was made in the last trip, and stands under names that nothing binds anew."""
        if value.identity in loop.held or value.identity in loop.match.back:
            return False
        return all(
            isinstance(part, Known) or isinstance(part, Structure) and self.is_left(loop, part)
            or isinstance(part, Run) and (isinstance(part.node, n.Constant) or is_own(self.state, (value.identity, key), part)
                                          or isinstance(part.node, n.Name) and part.node.id in self.state.final)
            for key, part in self.state.held[value.identity].items())

    def show_new(self, loop: Loop, leaving: bool = False) -> dict[Place, Value]:
        """The variables that a loop binds first, as it ends or is left: literals are bound in the text, too, and tuples where it is
        left.
        """
        found: dict[Place, Value] = {}
        for (identity, name), value in self.state.roots().items():
            if name not in loop.held.get(identity, {name}):
                found[identity, name] = shown = variable_after(self.state, (identity, name), value, leaving)
                self.state.held[identity][name] = value if shown is LOST else shown
        return found

    def settle(self, loop: Loop) -> None:
        """Assign what the loop begins with, where a trip ends."""
        match = Match(self.state, loop.held, self.state.held)
        match.roots(loop.roots, self.state.roots())
        loop.match = match
        loop.wide |= match.wide
        loop.split |= match.split
        if not match.wide and not match.split:
            assign(self.state, match.copies)

    # what takes the items

    as_they_are = False
    """Whether dicts may stand in lists of the text."""

    wanting = False
    """Whether lengths of arguments are asked for where items are."""

    def items_of(self, value: Value) -> list[Value] | None:
        """The items of what has a known number of them, None of anything else."""
        if isinstance(value, Items) and value.kind in ("zip", "reversed", "product", "pairwise", "islice", "combinations", "enumerate"):
            if value.born in self.state.used_up or any(loop is not None and loop.begun >= value.born for loop in self.loops):
                raise NotInterpreted("an iterator that has given its items")
            if sum(map(self.is_lazy, value.parts)) > 1:
                raise NotInterpreted("generators side by side")
            self.state.used_up.add(value.born)
            if value.kind in ("zip", "islice") and any(isinstance(part, Structure) and part.kind is calls.Iterator for part in value.parts):
                return self.in_turn(value)
            numbers = [part for part in value.parts if value.kind == "islice"][1:]
            alone = value.kind in ("islice", "combinations", "enumerate")
            made = [self.items_of(part) for part in (value.parts[:1] if alone else value.parts)]
            if value.kind == "zip" and any(part is not None for part in made):
                shortest = min(len(part) for part in made if part is not None)
                made = [self.unpacked(part, shortest) if items is None else items for part, items in zip(value.parts, made)]
            if any(part is None for part in made):
                self.state.used_up.discard(value.born)
                return None
            lists: list[Any] = [part or [] for part in made]
            if value.kind == "reversed":
                return list(lists[0][::-1])
            if value.kind == "islice":
                return list(itertools.islice(lists[0], *(part.object for part in numbers)))
            if value.kind == "enumerate":
                pairs: Any = [(Known(value.parts[1].object + position), item) for position, item in enumerate(lists[0])]
            elif value.kind == "combinations":
                pairs = itertools.combinations(lists[0], value.parts[1].object)
            else:
                pairs = {"zip": zip, "product": itertools.product, "pairwise": itertools.pairwise}[value.kind](*lists)
            return [self.structure(tuple, list(pair)) for pair in pairs]
        if not isinstance(value, (Structure, Items)) and not (isinstance(value, Known) and type(value.object) in (dict, str)):
            if (objects := self.outside.objects(value)) is not None:
                return objects
            if isinstance(value, Known) and type(value.object) in (list, tuple):
                return self.outside.listed(value)
            if isinstance(value, Run) and isinstance(value.node, n.Call) and getattr(value.node.func, "id", "") == "range":
                numbers_ = [self.outside.number(part) for part in value.node.args]
                return None if None in numbers_ else [Known(trip) for trip in range(*numbers_)[:TRIPS + 1]]  # type: ignore[arg-type]
            if isinstance(value, Run) and (length := self.outside.length(value.node)) is not None and length <= TRIPS:
                return [self.outside.part(value.node, position) for position in range(length)]
            if not isinstance(value, Run):
                return None
            if (length := self.outside.length_of_each(value.node)) is not None and length <= TRIPS:
                whole = self.state.temporary(value.node)
                return [Run(n.Subscript(value=clone(whole.node), slice=n.Constant(value=position, kind=None), ctx=n.Load()))
                        for position in range(length)]
            return self.sliced_items(value.node)
        found: list[Value] = []
        saved, deep = self.state.saved(), self.deep

        def consume(item: Value) -> None:
            if self.deep > deep:
                raise Kept
            found.append(self.state.pinned(item))

        self.one_by_one += 1
        depth, count = len(self.state.waiting), len(self.loops)
        try:
            self.drive(value, consume, self.state.at or n.Pass())
        except Kept:
            del self.state.waiting[depth:]
            del self.loops[count:]
            self.state.abandon(saved)
            return None
        finally:
            self.one_by_one -= 1
        return found

    def sliced_items(self, node: Any) -> list[Value] | None:
        """The items of a slice of an argument of a known length."""
        name = node if isinstance(node, n.Name) else None
        if name is not None:
            node = self.state.slices.get(name.id) or self.state.stands.get(name.id, node)
        if not isinstance(node, n.Subscript) or not isinstance(node.slice, n.Slice):
            return None
        ends = [None if end is None else self.outside.number(end) for end in (node.slice.lower, node.slice.upper, node.slice.step)]
        given = (node.slice.lower, node.slice.upper, node.slice.step)
        if any(end is not None and number is None for end, number in zip(given, ends)):
            return None
        length = self.outside.length(node.value)
        if length is None or length > TRIPS:
            return None
        places = range(length)[slice(*ends)]
        if name is not None and name.id in self.state.slices:  # what has been stored into it since is its own
            return [Run(expression(f"$x[{number}]", x=clone(name))) for number in range(len(places))]
        return [self.outside.part(node.value, position) for position in places]

    def unpacked(self, value: Any, count: int) -> list[Value] | None:
        """The items of what the text has, which raises if there are not so many."""
        if isinstance(value, Items) and value.kind == "columns":
            if value.parts[1].object != self.state.written:
                raise NotInterpreted("columns of a list that may have changed")
            return self.columns(value.parts[0], count)
        if not isinstance(value, Run) or not 0 < count <= TRIPS:
            return None
        found = [self.state.fresh("part") for _ in range(count)]
        self.state.final.update(found)
        self.state.active |= set(found) if self.state.carries(value.node) else set()
        targets = n.Tuple(elts=[n.Name(id=name, ctx=n.Store()) for name in found], ctx=n.Store())
        self.state.emit(n.Assign(targets=[targets], value=clone(value.node), type_comment=None))
        return [Run(expression(name)) for name in found]

    def columns(self, rows: Value, count: int) -> list[Value]:
        """The columns of a list of rows of the text, ``zip(*rows)``."""
        lists = [self.state.temporary(n.List(elts=[], ctx=n.Load()), "column").node for _ in range(count)]
        carried = self.state.carries(self.text(rows))
        for each in lists:
            self.state.lists.add(each.id)
            self.state.active |= {each.id} if carried else set()

        def append(row: Value) -> None:
            for position, each in enumerate(lists):
                self.state.emit(statement("$x.append($y[$k])", x=clone(each), y=self.text(row), k=n.Constant(value=position, kind=None)))

        self.kept(self.text(rows), append, self.state.at or n.Pass(), None)
        return [Run(each) for each in lists]

    def remaining(self, value: Structure) -> Iterator[Value]:
        """The items of an iterator that others may ask as well, each taken when it is asked for."""
        while (item := self.next_of(value)) is not None:
            yield item

    def in_turn(self, value: Items) -> list[Value] | None:
        """The items of ``zip`` and ``islice`` over such iterators."""
        shared = [isinstance(part, Structure) and part.kind is calls.Iterator for part in value.parts]
        if value.kind == "islice":
            return list(itertools.islice(self.remaining(value.parts[0]), *(part.object for part in value.parts[1:])))
        rows: list[Any] = [self.remaining(part) if is_shared else self.items_of(part) for part, is_shared in zip(value.parts, shared)]
        return None if any(row is None for row in rows) else [self.structure(tuple, list(row)) for row in zip(*rows)]

    def wanted_items(self, value: Value) -> list[Value] | None:
        """The same, where the lengths of arguments may be asked for."""
        if (found := self.items_of(value)) is not None or self.wanting:
            return found
        self.wanting = True
        try:
            return self.items_of(value)
        finally:
            self.wanting = False

    def listed(self, value: Value, node: n.AST, kind: type = list) -> Value:
        """A list of the items of an iterable: a structure, if they are known one by one."""
        if isinstance(value, Known) and type(value.object) in (list, tuple) and (found := self.outside.listed(value)) is not None:
            return self.structure(kind, found)
        if isinstance(value, (Run, Known)) and not (isinstance(value, Known) and type(value.object) in (dict, str)):
            return self.run(n.Call(func=expression(kind.__name__), args=[self.text(value)], keywords=[]), node)
        if (items := self.items_of(value)) is not None:
            return self.structure(kind, items)
        name = self.state.temporary(n.List(elts=[], ctx=n.Load()), "items").node
        self.state.lists.add(name.id)

        saved = self.state.saved()

        def append(item: Value) -> None:
            if isinstance(item, Structure) and item.kind is dict and not self.wanting and not self.as_they_are:
                raise NotInterpreted("dicts in a list of the text")
            text = self.text(item, True)
            if self.state.carries(text):
                self.state.active.add(name.id)
            self.state.emit(statement("$x.append($y)", x=clone(name), y=text))

        depth, count = len(self.state.waiting), len(self.loops)
        try:
            self.drive(value, append, node)
        except (NotInterpreted, Unsettled):
            if self.wanting:
                raise
            del self.state.waiting[depth:]
            del self.loops[count:]
            self.state.abandon(saved)
            self.wanting = True
            try:
                items = self.items_of(value)
            finally:
                self.wanting = False
            if items is not None:
                return self.structure(kind, items)
            if self.as_they_are:
                raise
            self.as_they_are = True
            try:
                return self.listed(value, node, kind)
            finally:
                self.as_they_are = False
        return Run(name) if kind is list else self.run(n.Call(func=expression("tuple"), args=[name], keywords=[]), node)

    def comprehended(self, node: Any) -> Value:
        """The value of a comprehension."""
        around = self.state.frames[-1]
        bound = targets_of(node)
        first = self.state.as_whole(self.value(node.generators[0].iter))
        first = first if isinstance(first, Run) else self.pinned_iterable(first)
        frame = Frame(self.state.new({}), bound, around.function, around, node, around.owner)
        if isinstance(node, n.ListComp):
            return self.listed(Items("generator expression", [first, frame, node], self.state.new({})), node)
        pair = n.Tuple(elts=[node.key, node.value], ctx=n.Load())

        def pairs() -> Items:
            return Items("generator expression", [first, frame, altered(node, elt=pair)], self.state.new({}))

        items = self.items_of(pairs())
        if items is None:
            saved, depth, count = self.state.saved(), len(self.state.waiting), len(self.loops)
            try:
                return self.filled(pairs(), node)
            except (NotInterpreted, Unsettled):
                del self.state.waiting[depth:]
                del self.loops[count:]
                self.state.abandon(saved)
                if (items := self.wanted_items(pairs())) is None:
                    raise
        held: dict[Any, Value] = {}
        for item in items:
            key, value = self.parts(item)  # type: ignore[arg-type]
            held[self.key(key)] = value
        return self.structure(dict, held)

    def filled(self, pairs: Items, node: n.AST) -> Run:
        """A dict of the text, of which only the run tells the keys."""
        name = self.state.temporary(n.Dict(keys=[], values=[]), "entries").node
        self.state.lists.add(name.id)

        def store(item: Value) -> None:
            held, kept = self.parts(item)  # type: ignore[arg-type]
            key, value = self.text(held), self.text(kept, True)
            if self.state.carries(value):
                self.state.active.add(name.id)
            self.state.emit(statement("$x[$k] = $y", x=clone(name), k=key, y=value))

        self.drive(pairs, store, node)
        return Run(name)

    def is_row(self, value: Run) -> bool:
        """Whether what the text has is certainly a list or an array."""
        known = self.outside.known(value.node)
        own = isinstance(value.node, n.Name) and value.node.id in self.state.lists
        return own or known is not None and known.kind in ("array", "sequence")

    def reduced(self, items: Value, start: Value | None, step: Any, node: n.AST) -> Value:
        """An accumulation over items."""
        if start is None and isinstance(items, Run) and self.is_row(items):
            whole = self.state.pinned(items)
            start, items = (Run(expression(text, x=self.text(whole))) for text in ("$x[0]", "$x[1:]"))
        total = (self.state.new({}), "total")
        frame = Frame(total[0], frozenset({"total"}), None, None, None)
        self.state.frames = [frame, *self.state.frames]
        if start is not None:
            self.state.store(total, start, "total")

        def add(item: Value) -> None:
            held = self.state.held[total[0]]
            if "total" not in held and self.loops and self.loops[-1] is not None:
                raise NotInterpreted("the first item of a loop")
            self.state.store(total, step(held["total"], item) if "total" in held else item, "total")

        self.drive(items, add, node)
        self.state.frames = [each for each in self.state.frames if each is not frame]
        return self.state.held[total[0]]["total"]
