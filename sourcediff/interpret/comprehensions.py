"""Interpret what takes all items: lists and dicts of them, sums, several targets."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from ..analysis.environment.words import DICTS
from ..analysis.source.effects import Effective
from ..syntax import nodes as n
from ..syntax.quote import altered, clone, expression, names, place, remade, statement
from .builtin_iterators import Cursor
from .iterators import Iterators
from .loop_state import TRIPS
from .nodes_of_values import as_node
from .trees import NO_ARGUMENTS, targets_of
from .values import Frame, Items, Kept, Known, NotInterpreted, Row, Run, Structure, TooLong, Unsettled, Value


class Comprehensions(Iterators):
    """The values of what is made of items."""

    source: Any  # of the function that is interpreted
    trying: int  # how many blocks are around of which an exception is caught (``ways_out.py``)
    effective: Effective
    as_they_are = False
    """Whether dicts may stand in lists of the text."""

    def items_of(self, value: Value) -> list[Value] | None:
        """The items of what has a known number of them, None of anything else."""
        value = self.in_list(value)
        if isinstance(value, Items) and value.kind in ("zip", "reversed", "product", "pairwise", "islice", "combinations", "enumerate"):
            if value.born in self.state.used_up or any(loop is not None and loop.begun >= value.born for loop in self.loops):
                raise NotInterpreted("an iterator that has given its items")
            if sum(map(self.is_lazy, value.parts)) > 1:
                raise NotInterpreted("generators side by side")
            self.state.used_up.add(value.born)
            if value.kind in ("zip", "islice") and any(isinstance(part, Structure) and part.kind is Cursor for part in value.parts):
                return self.in_turn(value)
            numbers = [part for part in value.parts if value.kind == "islice"][1:]
            alone = value.kind in ("islice", "combinations", "enumerate")
            made = [self.items_of(part) for part in (value.parts[:1] if alone else value.parts)]
            if value.kind == "zip" and any(part is not None for part in made):
                shortest = min(len(part) for part in made if part is not None)
                made = [self.unpacked(self.first_ones(part, shortest), shortest) if items is None else items
                        for part, items in zip(value.parts, made)]
            if any(part is None for part in made):
                self.state.used_up.discard(value.born)
                return None
            lists: list[Any] = [part or [] for part in made]
            if value.kind == "zip":
                self.check_asked(value, lists)
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
        if not isinstance(value, (Structure, Items)) and not (isinstance(value, Known) and type(value.object) in (*DICTS, str)):
            if (objects := self.outside.objects(value)) is not None:
                return objects
            if isinstance(value, Known):
                return self.outside.listed(value)
            if isinstance(value, Run) and isinstance(value.node, n.Call) and getattr(value.node.func, "id", "") == "range":
                numbers_ = [self.outside.number(part) for part in value.node.args]
                return None if None in numbers_ else [Known(trip) for trip in range(*numbers_)[:TRIPS + 1]]  # type: ignore[arg-type]
            if isinstance(value, Run) and (length := self.outside.length(value.node)) is not None and length <= TRIPS:
                return [self.outside.part(value.node, position) for position in range(length)]
            if not isinstance(value, Run):
                return None
            if (found_ := self.outside.viewed(value)) is not None:
                method, entries = found_
                keys: list[Value] = list(map(self.outside.known_key, entries))
                pairs = [self.structure(tuple, list(pair)) for pair in zip(keys, entries.values())] if method == "items" else []
                return pairs or (list(entries.values()) if method == "values" else keys)
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
        name = None
        while isinstance(node, n.Name) and (node.id in self.state.slices or node.id in self.state.stands):
            name, node = node, self.state.slices.get(node.id) or self.state.stands[node.id]
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

    def first_ones(self, value: Value, count: int) -> Value:
        """So many items of an array or of a list of the text, which may have more."""
        if not isinstance(value, Run) or not self.is_row(value) and not self.outside.is_numeric(value.node):
            return value
        if self.trying:  # where it has to be known that there are so many
            return value
        return value if self.outside.length(value.node) == count else Run(expression(f"$x[:{count}]", x=self.text(value)))

    def unpacked(self, value: Any, count: int) -> list[Value] | None:
        """The items of what the text has, which raises if there are not so many."""
        if isinstance(value, Items) and value.kind == "columns":
            if not self.state.is_unchanged(value.parts[1].object):
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
        if self.has_rest(value):
            raise NotInterpreted("how far an iterator has come")
        while (item := self.next_of(value)) is not None:
            yield item

    def check_asked(self, value: Items, lists: list[list[Value]]) -> None:
        """Raise NotInterpreted where a generator beside lists is not asked to its end, which does something else."""
        for place_, part in enumerate(value.parts):
            others = [len(items) for number, items in enumerate(lists) if number != place_]
            if others and isinstance(part, Items) and part.kind == "generator" and not self.is_finite(part):
                first = place_ <= min(number for number, items in enumerate(lists) if len(items) == min(map(len, lists)))
                if len(lists[place_]) > min(others) or len(lists[place_]) == min(others) and not first:
                    raise NotInterpreted("a generator that is longer than what is beside it")

    def in_turn(self, value: Items) -> list[Value] | None:
        """The items of ``zip`` and ``islice`` over such iterators."""
        shared = [isinstance(part, Structure) and part.kind is Cursor for part in value.parts]
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
        if isinstance(value, Known) and (found := self.outside.listed(value)) is not None:
            return self.structure(kind, found)
        if isinstance(value, Run) and (objects := self.outside.objects(value)) is not None:
            return self.structure(kind, objects)
        if isinstance(value, Run) and self.known_ones and (found := self.items_of(value)) is not None:  # as they are now
            return self.structure(kind, [self.state.temporary(each.node) if isinstance(each, Run) else each for each in found])
        if isinstance(value, (Run, Known)) and not (isinstance(value, Known) and type(value.object) in (*DICTS, str)):
            return self.run(n.Call(func=expression(kind.__name__), args=[self.text(value)], keywords=[]), node)
        if kind is list and (rows := self.columns_at(node, list)) is not None:
            self.drive(value, lambda item: self.absorb(rows, None, item), node)
            return rows
        if (items := self.items_of(value)) is not None:
            self.separate_many(items, node)
            return self.sited(self.structure(kind, items), node) if kind is list else self.structure(kind, items)
        name = self.state.temporary(n.List(elts=[], ctx=n.Load()), "items").node
        self.state.lists.add(name.id)
        self.note_site(name.id, node)

        saved = self.state.saved()
        rows_: list[Row] = []

        def append(item: Value) -> None:
            if not self.wanting and not self.as_they_are and (
                    isinstance(item, Structure) and item.kind is dict or self.outside.is_made_by_library(item)):
                raise NotInterpreted("dicts in a list of the text")
            self.separate(name.id, item)
            if isinstance(item, Row) and not self.pooling:
                rows_.append(item)
            elif rows_:
                raise NotInterpreted("a list of objects, and of other values")
            text = self.key_of(item) if isinstance(item, Row) and not self.pooling else self.text(item, True)
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
                return self.sited(self.structure(kind, items), node) if kind is list else self.structure(kind, items)
            if self.as_they_are:
                raise
            self.as_they_are = True
            try:
                return self.listed(value, node, kind)
            finally:
                self.as_they_are = False
        if rows_:
            return self.selected(rows_, name)
        return Run(name) if kind is list else self.run(n.Call(func=expression("tuple"), args=[name], keywords=[]), node)

    def comprehended(self, node: Any) -> Value:
        """The value of a comprehension; one of data alone stays as it is where it is refused."""
        saved, depth, count = self.state.saved(), len(self.state.waiting), len(self.loops)
        try:
            return self.items_comprehended(node)
        except (NotInterpreted, Unsettled, TooLong):
            del self.state.waiting[depth:]
            del self.loops[count:]
            self.state.abandon(saved)
            if (text := self.of_data(node)) is None:
                raise
            return self.run(text, node)

    def of_data(self, node: Any) -> n.expr | None:
        """A comprehension as the text has it, in which nothing carries a derivative, and that only looks; None of any other."""
        bound = targets_of(node)
        if any(isinstance(part, (n.Lambda, n.NamedExpr, n.Yield, n.YieldFrom)) for part in n.walk(node)):
            return None
        if not bound.isdisjoint(names(node.generators[0].iter)):  # which is read outside of it
            return None
        if not self.effective.is_pure(altered(self.source.tree, args=NO_ARGUMENTS, body=[place(n.Expr(value=node), node)])):
            return None
        texts: dict[str, n.expr] = {}
        for part in n.walk(node):
            if isinstance(part, n.Name) and part.id not in bound and part.id not in texts:
                try:
                    text = as_node(self.value(part))
                except NotInterpreted:
                    return None
                if text is None or self.state.carries(text) or not bound.isdisjoint(names(text)):
                    return None
                texts[part.id] = text

        def written(part: Any) -> Any:
            if isinstance(part, n.Name) and part.id in texts:
                return clone(texts[part.id])
            return remade(part, written)

        made: n.expr = remade(node, written)
        return made

    def items_comprehended(self, node: Any) -> Value:
        """The same, item by item, or as a loop of the text."""
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

        if (rows := self.columns_at(node, dict)) is not None:
            def stored(item: Any) -> None:
                key, part = self.parts(item)
                self.absorb(rows, key, part, False)

            self.drive(pairs(), stored, node)
            return rows
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
        return self.sited(self.structure(dict, held), node)

    def filled(self, pairs: Items, node: n.AST) -> Run:
        """A dict of the text, of which only the run tells the keys."""
        name = self.state.temporary(n.Dict(keys=[], values=[]), "entries").node
        self.state.lists.add(name.id)
        self.note_site(name.id, node)

        def store(item: Any) -> None:
            held, kept = self.parts(item)
            self.separate(name.id, kept)
            key, value = self.text(held), self.text(kept, True)
            if self.state.carries(value):
                self.state.active.add(name.id)
            self.state.emit(statement("$x[$k] = $y", x=clone(name), k=key, y=value))

        self.drive(pairs, store, node)
        return Run(name)
