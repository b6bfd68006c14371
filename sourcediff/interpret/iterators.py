"""Interpret iterators: each item is given to what consumes it, in a loop of the text or one after the other."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Sequence
from typing import Any

from ..analysis.environment.captured import current, is_user_function
from ..analysis.environment.words import DICTS, WITHIN, is_telling
from ..runtime.user_objects import is_users, member
from ..syntax import nodes as n
from ..syntax.quote import clone, expression
from .builtin_iterators import Cursor
from .cursors import Cursors
from .loop_state import TRIPS, Consume
from .nodes_of_values import as_node
from .trees import ends_with_items, leaves
from .values import LOST, Columns, Frame, Items, Kept, Known, NotInterpreted, Run, Selected, Series, Structure, TooLong, Unsettled, Value

LAZY_KINDS = ("generator", "generator expression", "map", "filter", "manager", "accumulate", "flat")
"""The kinds of iterators that do something for each item."""


VIEWS = ("items", "keys", "values")
"""The kinds of views of dicts."""

MANY = 12
"""The number of entries from which on a loop over a dict that is given stays one, if it can."""

LONG = 60
"""The number of statements from which on that holds of all trips together."""


class Iterators(Cursors):
    """What iterators give."""

    def drive(self, value: Value, consume: Consume, at: n.AST, target: n.expr | None = None) -> Any:
        """Give each item of an iterable to ``consume``, within a loop of the text where that is needed; what ends it early is returned."""
        value = self.in_list(value)
        if isinstance(value, Series):
            if self.one_by_one:
                raise Kept
            return self.over_series(value, consume, at)
        if isinstance(value, Selected):
            if self.one_by_one:
                raise Kept
            return self.over_rows([value], "", consume, at)
        if isinstance(value, Structure):
            if value.kind is dict:
                items: list[Value] = list(map(self.outside.known_key, self.state.held[value.identity]))
            elif value.kind is list:
                return self.numbers_kept([value], lambda shown: shown[0], lambda: self.live(value, consume), consume, at, target)
            elif value.kind is Columns:
                return self.over_rows([value], "keys" if self.state.rows[value.identity].container is dict else "", consume, at)
            elif value.kind is Cursor:
                return self.driven_iterator(value, consume, at, target)
            elif issubclass(value.kind, tuple):
                items = self.parts(value)
            else:
                return self.drive(self.called(self.attribute(value, "__iter__", at), [], {}, at), consume, at, target)
            return self.written_out(items, consume)
        if isinstance(value, Known) and type(value.object) in DICTS and (found := self.outside.entries(value)) is not None:
            return self.written_out(list(map(self.outside.known_key, found)), consume)
        if (each_object := self.outside.objects(value)) is not None:
            known = None if self.odd or self.one_by_one else self.outside.object_of_all(value)
            return self.kept_or_not(None if known is None else self.text(value), known, lambda: self.written_out(each_object, consume),
                                    consume, at, target)
        if isinstance(value, Known) and (listed := self.outside.listed(value)) is not None:
            plain = value.node is not None and not any(isinstance(item, Known) and callable(item.object) for item in listed)
            return self.table_kept(value if plain else None, listed, consume, at, target)
        if isinstance(value, Known) and isinstance(value.object, str):
            return self.written_out([Known(letter) for letter in value.object], consume)
        if isinstance(value, Items):
            return self.driven_items(value, consume, at, target)
        if isinstance(value, Run) and self.outside.holds_words(value.node) and (parts := self.items_of(value)) is not None:
            return self.table_kept(value, parts, consume, at, target)
        if isinstance(value, Run) and self.outside.is_empty(value.node):
            return None
        apart = isinstance(value, Run) and (self.outside.holds_records(value) or self.known_ones and self.outside.holds_rows(value))
        if apart and (held := self.items_of(value)) is not None:
            return self.written_out(held, consume)
        if isinstance(value, Run) and (kind := self.outside.kind_of(value)) and is_user_function(self.member(kind, "__iter__")):
            return self.drive(self.called(self.attribute(value, "__iter__", at), [], {}, at), consume, at, target)
        if target is None and isinstance(value, Run) and (axes := self.outside.axes(value.node)) is not None:
            return self.written_out(axes, consume)
        plain = target is None or isinstance(target, n.Name)
        return self.kept(self.text(value), consume, at, target, self.outside.item_of_all(value) if plain else None)

    def table_kept(self, table: Value | None, rows: list[Value], consume: Consume, at: n.AST, target: n.expr | None) -> Any:
        """A loop over known rows, written out; one over the ``table``, where that would be long, is refused, or tells no word."""
        ways = [lambda: self.written_out(rows, consume), lambda: self.kept(self.text(table), consume, at, target)]  # type: ignore[arg-type]
        if not rows or table is None or target is None or self.odd or self.one_by_one:
            return ways[0]()
        told = not isinstance(table, Known) or is_telling(table.object)
        return self.first_of_two(*(ways if told and not self.is_long(at, len(rows)) else reversed(ways)))

    def numbers_kept(
        self, lists: Sequence[Value], over: Callable[[list[n.expr]], n.expr], written_out: Callable[[], Any], consume: Consume, at: n.AST,
        target: n.expr | None,
    ) -> Any:
        """A loop over numbers that stand in the text, which stays one where it would be long, if it can."""
        known = bool(lists) and all(
            isinstance(each, Structure) and each.kind in (list, tuple) and all(
                isinstance(part, Known) and type(part.object) in (int, float) for part in self.state.held[each.identity].values())
            for each in lists)
        if not known or target is None or self.odd or self.one_by_one or not self.is_long(at, len(self.parts(lists[0]))):  # type: ignore[arg-type]
            return written_out()
        shown = over([n.List(elts=list(map(self.text, self.parts(each))), ctx=n.Load()) for each in lists])  # type: ignore[arg-type]
        return self.first_of_two(lambda: self.kept(shown, consume, at, target), written_out)

    def is_long(self, at: n.AST, trips: int) -> bool:
        """Whether a loop would be long if its trips were written out."""
        function = next(frame.function for frame in reversed(self.state.frames) if frame.function is not None)
        return trips >= MANY or isinstance(at, n.For) and trips * self.weight(at.body, (function,)) >= LONG

    def weight(self, body: Sequence[n.AST], around: tuple[Any, ...]) -> int:
        """The number of statements in a block of the last function ``around``, and in the user's functions that it calls by name."""
        parts = [part for node in body for part in n.walk(node)]
        called = [current(around[-1], part.func.id) for part in parts if isinstance(part, n.Call) and isinstance(part.func, n.Name)]
        inner = [function for function in called if is_user_function(function) and function not in around and len(around) <= WITHIN]
        asked = {part.func.attr for part in parts if isinstance(part, n.Call) and isinstance(part.func, n.Attribute)}
        return sum(isinstance(part, n.stmt) for part in parts) + lines_of_methods(asked, around[-1]) + sum(
            self.weight(self.outside.function(function).tree.body, (*around, function)) for function in inner)

    def kept_or_not(
        self, node: n.expr | None, kinds: Any, written_out: Callable[[], Any], consume: Consume, at: n.AST, target: n.expr | None,
    ) -> Any:
        """A loop over objects from outside, which stays one where that can be; ``kinds`` is what is known of them, None of odd ones."""
        if node is None or kinds is None or target is None:
            return written_out()
        return self.first_of_two(lambda: self.kept(node, consume, at, target, kinds), written_out)

    def first_of_two(self, loop: Callable[[], Any], written_out: Callable[[], Any]) -> Any:
        """What a loop of the text gives, or, if it is refused, its trips one after the other."""
        saved, depth, count, frames = self.state.saved(), len(self.state.waiting), len(self.loops), self.state.frames
        try:
            return loop()
        except (NotInterpreted, Unsettled):
            del self.state.waiting[depth:]
            del self.loops[count:]
            self.state.abandon(saved)
            self.state.frames = frames
            return written_out()

    def kinds_in(self, value: Any) -> Any:
        """What is known of the objects that an iterator gives, by its parts; None of one in which there is nothing of the kind; raises
        Kept for objects of several classes, or with a derivative, and for functions.
        """
        if isinstance(value, Items):
            found = [self.kinds_in(part) for part in value.parts]
            if value.kind == "enumerate":
                found = [None, found[0]]
            return found[0] if value.kind == "reversed" else None if all(part is None for part in found) else found
        if self.functions_in(value) is not None:
            raise Kept
        if isinstance(value, Structure) or self.outside.objects(value) is None:
            return None
        if (known := self.outside.object_of_all(value)) is None:
            raise Kept
        return known

    def functions_in(self, value: Any) -> list[Value] | None:
        """The items of a list or a tuple from outside in which there are functions; None of anything else."""
        items = self.outside.listed(value) if isinstance(value, Known) else None
        return items if items and any(isinstance(item, Known) and callable(item.object) for item in items) else None

    def with_objects(self, value: Any) -> Any:
        """An iterator of which the objects and functions from outside are known one by one."""
        if isinstance(value, Items):
            return dataclasses.replace(value, parts=[self.with_objects(part) for part in value.parts])
        objects = None if isinstance(value, Structure) else self.functions_in(value) or self.outside.objects(value)
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
                item, at = self.state.pinned(self.loaded(held[key])), self.outside.known_key(key)
                ended = consume(item if kind == "values" else at if kind == "keys" else self.structure(tuple, [at, item]))
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
        objects = [isinstance(part, Structure) and part.kind is Columns or isinstance(part, Selected) for part in parts]
        if any(objects):
            if kind in VIEWS:
                return self.over_rows(parts, kind, consume, at)
            texts = all(of or as_node(part) is not None for of, part in zip(objects, parts))
            whole = [part for part in parts if isinstance(part, Structure) and part.kind is Columns]
            if kind == "zip" and texts and all(self.state.rows[part.identity].container is list for part in whole):
                return self.over_rows(parts, "", consume, at)
        if kind in VIEWS:
            shown, entries = self.state.shown.get(parts[0].identity), self.state.held[parts[0].identity]
            if shown is None or target is None or not self.is_long(at, len(entries)) or self.odd or self.one_by_one:
                return self.live_view(kind, parts[0], consume)
            view = n.Call(func=n.Attribute(value=clone(shown), attr=kind, ctx=n.Load()), args=[], keywords=[])
            return self.first_of_two(lambda: self.kept(view, consume, at, target), lambda: self.live_view(kind, parts[0], consume))
        if kind != "range":
            if value.born in self.state.used_up or any(loop is not None and loop.begun >= value.born for loop in self.loops):
                raise NotInterpreted("an iterator that has given its items")
            self.state.used_up.add(value.born)
        node = self.text_of(value) if not self.one_by_one else None
        if node is None and kind in ("zip", "enumerate") and (view := self.shown_views(value, at)) is not None and target is not None:
            self.state.used_up.discard(value.born)
            listed = [self.items_of(part) if isinstance(part, Items) and part.kind in VIEWS else None for part in parts]
            known = dataclasses.replace(value, parts=[
                part if items is None else self.structure(tuple, items) for part, items in zip(parts, listed)])
            return self.first_of_two(
                lambda: self.kept(view, consume, at, target), lambda: self.driven_items(known, consume, at, target))
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
            self.drain(value)
            return self.kept(node, consume, at, target)
        if kind == "product" and not any(map(self.is_lazy, parts)) and (len(parts) == 2 or not self.are_known(parts)):
            return self.nested([parts[0], *map(self.asked_again, parts[1:])], [], self.unbroken(consume), at)
        if kind == "zip" and not self.one_by_one and sum(map(self.is_lazy, parts)) == 1:
            return self.beside(value, consume, at)
        many = parts[1] if kind == "islice" and len(parts) == 2 and self.is_lazy(parts[0]) and not self.one_by_one else Known(None)
        if not isinstance(many, Known) or many.object is not None:
            numbers = Run(n.Call(func=expression("range"), args=[self.text(many)], keywords=[]))

            def taken(pair: Value) -> Any:
                return consume(self.parts(pair)[1])  # type: ignore[arg-type]

            return self.beside(Items("zip", [numbers, parts[0]], value.born), taken, at)
        if kind in ("zip", "reversed", "product", "pairwise", "islice", "combinations", "repeat"):
            if any(map(self.is_lazy, parts)) and not self.one_by_one:
                raise NotInterpreted("generators side by side")
            self.state.used_up.discard(value.born)
            before = {each: dict(self.state.held[each]) for each in self.lists_in(value)}
            found = self.items_of(value)
            if found is None and kind == "zip" and not self.one_by_one and (shown := self.with_chains(parts)) is not None:
                count = len(self.state.out)
                ended = self.kept(shown, consume, at, target)
                if self.does_more(self.state.out[count:]):  # the lists have been made before
                    raise NotInterpreted("a chain of what a loop over it changes")
                return ended
            if found is None:
                raise Kept
            watched = consume if kind in ("product", "combinations") else self.watching(before, kind, consume)
            return self.taken_ahead(value, lambda: self.numbers_kept(
                parts if kind == "zip" else [], lambda shown: n.Call(func=expression("zip"), args=shown, keywords=[]),
                lambda: self.written_out(found, watched), consume, at, target), at)
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
        if kind == "accumulate":
            return self.accumulated(value, consume, at)
        if kind == "map":
            function, *iterables = parts
            if len(iterables) == 1:
                return self.drive(iterables[0], lambda item: consume(self.given(lambda: self.called(function, [item], {}, at))), at)
            together = Items("zip", iterables)
            return self.drive(together, lambda item: consume(
                self.given(lambda: self.called(function, self.items_of(item) or [], {}, at))), at)
        if kind == "chain":
            for part in parts:
                if (ended := self.drive(part, consume if part is parts[-1] else self.unbroken(consume), at)) is not None:
                    return ended
            return None
        if kind == "flat":
            within = self.unbroken(consume)
            return self.drive(parts[0], lambda part: self.drive(part, within, at), at)
        if kind == "filter":
            def asked(item: Value) -> Any:
                item = self.state.pinned(item)
                test = item if isinstance(parts[0], Known) and parts[0].object is None else self.called(parts[0], [item], {}, at)
                return self.branch(test, lambda: consume(item), lambda: None, at)
            return self.drive(parts[1], asked, at)
        if kind == "generator expression":
            within = consume if len(parts[2].generators) == 1 else self.unbroken(consume)
            return self.each(parts[2].generators, parts[0], parts[1], lambda: within(self.given(lambda: self.value(parts[2].elt))), at)
        if kind == "generator":
            running = [parts[0].tree, *(frame.tree for frame in self.state.frames if frame.identity in self.consumers)]
            stops = isinstance(at, n.For) and leaves(at.body, (n.Break,)) and not all(map(ends_with_items, running))
            return self.generate(value, consume, stops)
        if kind == "columns" and self.one_by_one:
            raise Kept
        if kind == "columns" and isinstance(target, n.Tuple) and not any(isinstance(part, n.Starred) for part in target.elts):
            if self.state.is_unchanged(parts[1].object) and (columns := self.unpacked(parts[0], len(target.elts))) is not None:
                return self.drive(Items("zip", columns, self.state.new({})), consume, at, target)
        raise NotInterpreted(f"a loop over {kind}")

    def cursors_in(self, value: Any) -> list[Structure]:
        """The iterators that an iterator asks."""
        if isinstance(value, Structure):
            return [value] if value.kind is Cursor else []
        return [cursor for part in value.parts for cursor in self.cursors_in(part)] if isinstance(value, Items) else []

    def taken_ahead(self, value: Value, run: Callable[[], Any], at: n.AST) -> Any:
        """What a loop over items does that iterators have given ahead of it: nobody asks these within it, nor after it has been left."""
        positions = {cursor.identity: self.state.held[cursor.identity]["position"] for cursor in self.cursors_in(value)}
        for identity in positions:
            self.state.held[identity]["position"] = LOST
        ended = run()
        if not (isinstance(at, n.For) and leaves(at.body, (n.Break,))):
            for identity, position in positions.items():
                self.state.held[identity]["position"] = position
        return ended

    def are_known(self, values: Sequence[Value]) -> bool:
        """Whether it is known of all iterables how many items they have; none is taken."""
        saved = self.state.saved()
        found = all(self.items_of(value) is not None for value in values)
        self.state.abandon(saved)
        return found

    def asked_again(self, value: Value) -> Value:
        """What is gone over again and again."""
        items = self.items_of(value) if isinstance(value, Items) and value.kind != "range" else None
        return value if items is None else self.structure(tuple, items)

    def nested(self, iterables: list[Value], given: list[Value], consume: Consume, at: n.AST) -> Any:
        """Loops over several iterables, one within the other."""
        first, *others = iterables
        if not others:
            return self.drive(first, lambda item: consume(self.structure(tuple, [*given, item])), at)
        return self.drive(first, lambda item: self.nested(others, [*given, item], consume, at), at)

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
            held = self.state.held[value.identity] if value.kind is Cursor else {}
            begun = held.get("position")
            return as_node(held["text"]) if "text" in held and isinstance(begun, Known) and begun.object == 0 else None
        return as_node(value)

    def shown_views(self, value: Items, at: n.AST) -> n.expr | None:
        """A ``zip`` or ``enumerate`` of views of dicts that the text has, where a loop over it would be long; None of anything else."""
        views = [part for part in value.parts if isinstance(part, Items) and part.kind in VIEWS]
        shown = {id(view): self.state.shown.get(view.parts[0].identity) for view in views}
        if None in shown.values() or not views or self.odd or self.one_by_one:
            return None
        if not self.is_long(at, max(len(self.state.held[view.parts[0].identity]) for view in views)):
            return None
        return self.text_of(dataclasses.replace(value, parts=[
            Run(n.Call(func=n.Attribute(value=clone(shown[id(part)]), attr=part.kind, ctx=n.Load()), args=[], keywords=[]))
            if id(part) in shown else part for part in value.parts]))

    def with_chains(self, parts: Sequence[Value]) -> n.expr | None:
        """The ``zip`` of iterables of the text and of chains of such, each as a list; None of anything else."""
        shown: list[n.expr] = []
        for part in parts:
            chained = isinstance(part, Items) and part.kind == "chain"
            pieces = [as_node(each) or (self.text(each) if isinstance(each, Structure) and each.kind in (list, tuple) else None)
                      for each in (part.parts if isinstance(part, Items) and chained else [part])]
            if None in pieces:
                return None
            starred = [n.Starred(value=piece, ctx=n.Load()) for piece in pieces]
            shown.append(n.List(elts=starred, ctx=n.Load()) if chained else pieces[0])
        return n.Call(func=expression("zip"), args=shown, keywords=[])

    def drain(self, value: Any) -> None:
        """Note that the text takes the items of an iterator: how far it comes is not known any more."""
        if isinstance(value, Items):
            for part in value.parts:
                self.drain(part)
        elif isinstance(value, Structure) and value.kind is Cursor:
            self.state.held[value.identity]["position"] = LOST

    def each(self, generators: list[Any], first: Value, frame: Frame, consume: Callable[[], Any], at: n.AST) -> Any:
        """The loops of a comprehension, one within the other."""
        generator, *others = generators

        def one(item: Value) -> Any:
            outer = self.state.frames
            self.state.frames = [*outer, frame]
            final = isinstance(item, Run) and isinstance(item.node, n.Name) and item.node.id in self.state.final
            if final and isinstance(generator.target, n.Name):
                self.state.held[frame.identity][generator.target.id] = item
            elif item is not None:
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


def lines_of_methods(names: set[str], function: types.FunctionType, within: int = WITHIN) -> int:
    """The number of lines in methods of these names, and in the methods that they ask for, of the classes that a function may know: of each
    name in the longest one.
    """
    known = [kind for kind in function.__globals__.values() if isinstance(kind, type) and is_users(kind)]
    total = 0
    for name in sorted(names):
        methods = [found.__code__ for kind in known if is_user_function(found := member(kind, name))]
        lines = [len({line for *_, line in code.co_lines()}) + (
            lines_of_methods(set(code.co_names) - {name}, function, within - 1) if within else 0) for code in dict.fromkeys(methods)]
        total += max(lines, default=0)
    return total
