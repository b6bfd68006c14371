"""Interpret iterators of which each item is asked for at its own time: a generator beside a list, running sums."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ..syntax import nodes as n
from ..syntax.quote import expression
from .loop_state import Consume
from .loops import Loops
from .values import Frame, Items, Kept, Known, NotInterpreted, Run, Structure, Unsettled, Value


class SideBySide(Loops):
    """What iterators give beside one another."""

    def drive(self, value: Value, consume: Consume, at: n.AST, target: n.expr | None = None) -> Any:
        """Give each item of an iterable to ``consume`` (``iterators.py``)."""
        raise NotImplementedError

    def text_of(self, value: Value) -> n.expr | None:
        """An iterator as an expression of the text, if it is one (``iterators.py``)."""
        raise NotImplementedError

    def is_lazy(self, value: Any) -> bool:
        """Whether the items of an iterator are made when they are asked for (``iterators.py``)."""
        raise NotImplementedError

    def _accumulate(self, args: list[Value], named: dict[str, Value], node: n.expr) -> Value | None:
        items, *rest = args
        if not isinstance(items, Structure):
            saved = self.state.saved()
            known = self.is_lazy(items) and self.items_of(items) is not None
            self.state.abandon(saved)
            if not known and "initial" not in named:  # which begins it, whatever comes
                return None
        function = rest[0] if rest else named.get("func", Known(None))
        if isinstance(function, Known) and function.object is None:
            function = Known(operator.add)
        parts = [self.pinned_iterable(items), function, self.state.pinned(named.get("initial", Known(None)))]
        return Items("accumulate", parts, self.state.new({}))

    def accumulated(self, value: Items, consume: Consume, at: n.AST) -> Any:
        """The results of ``itertools.accumulate``, each after the item that it comes of."""
        iterable, function, initial = value.parts
        total = (self.state.new({}), "total")
        frame = Frame(total[0], frozenset({"total"}), None, None, None)
        begun = not (isinstance(initial, Known) and initial.object is None)
        self.state.frames = [frame, *self.state.frames]
        if begun:
            self.state.store(total, initial, "total")
            if (ended := self.unbroken(consume)(self.state.held[total[0]]["total"])) is not None:
                return ended

        def added(item: Value) -> Any:
            nonlocal begun
            if begun:
                item = self.called(function, [self.state.held[total[0]]["total"], item], {}, at)
            begun = True
            self.state.store(total, item, "total")
            with self.as_they_run():
                return consume(self.state.held[total[0]]["total"])

        outer = self.one_by_one
        self.one_by_one += not begun  # the first item is not added to anything
        try:
            ended = self.drive(iterable, added, at)
        except Kept:
            if outer:
                raise
            raise NotInterpreted("which item of an accumulation is the first") from None
        finally:
            self.one_by_one = outer
        self.state.frames = [each for each in self.state.frames if each is not frame]
        return ended

    def beside(self, value: Items, consume: Consume, at: n.AST) -> Any:
        """The items of a generator beside those of what is known item by item."""
        lazy = [self.is_lazy(part) for part in value.parts].index(True)
        rows = [part for position, part in enumerate(value.parts) if position != lazy]
        for stops in (False, True):
            if stops or all(isinstance(part, Run) for part in rows) and self.is_finite(value.parts[lazy]):
                saved, depth, count, frames = self.state.saved(), len(self.state.waiting), len(self.loops), self.state.frames
                try:
                    return self.counted_beside(value, lazy, consume, at, stops)
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
        if value.kind == "generator expression" or value.kind == "map" and len(value.parts) == 2 and isinstance(value.parts[1], Run):
            return True
        closure = value.parts[1] if value.kind == "generator" else None
        if closure is None or any(isinstance(part, n.While) for part in n.walk(closure.tree)):
            return False
        return self.effective.is_pure(closure.tree) if closure.frame is not None else self.effective.object_is_pure(closure.function)

    def counted_beside(self, value: Items, lazy: int, consume: Consume, at: n.AST, stops: bool) -> Any:
        """The same in a loop of the text, of which the trips are counted; where that ``stops`` the generator, it is asked for no more."""
        counter = (self.state.new({}), "k")
        frame = Frame(counter[0], frozenset({"k"}), None, None, None)
        self.state.frames = [frame, *self.state.frames]
        self.state.store(counter, Known(0), "k")
        rows = [None if number == lazy else self.indexed_row(part) for number, part in enumerate(value.parts)]

        def there(rows: list[n.expr | None]) -> Run | None:
            k = self.text(self.state.held[counter[0]]["k"])
            tests = [expression("$k < len($x)", k=k, x=row) for row in rows if row is not None]
            return Run(tests[0] if len(tests) == 1 else n.BoolOp(op=n.And(), values=tests)) if tests else None

        def stop() -> None:
            if stops:
                self.stop()

        def paired(item: Value) -> Any:
            k = self.text(self.state.held[counter[0]]["k"])
            values = [item if row is None else Run(expression("$x[$k]", x=row, k=k)) for row in rows]
            test = there(rows[lazy:] if stops else rows)
            ended = self.branch_if(test, lambda: consume(self.structure(tuple, values)), stop, at)
            if ended is None:
                self.state.store(counter, self.operation(n.Add(), self.state.held[counter[0]]["k"], Known(1), at), "k")
                if stops:
                    self.branch_if(there(rows[:lazy]), lambda: None, stop, at)
            return ended

        iterator = value.parts[lazy]
        if stops:
            if iterator.kind != "generator":
                raise NotInterpreted("generators side by side")
            if iterator.born in self.state.used_up or any(loop is not None and loop.begun >= iterator.born for loop in self.loops):
                raise NotInterpreted("an iterator that has given its items")
            self.state.used_up.add(iterator.born)  # some of them at least
            ended = self.generate(iterator, paired, True, lambda body: self.branch_if(
                there(rows[:lazy]), lambda: self.block(body), lambda: None, at))
        else:
            ended = self.drive(iterator, paired, at)
        self.state.frames = [each for each in self.state.frames if each is not frame]
        return ended

    def indexed_row(self, value: Value) -> n.expr:
        """A list, a tuple or an array of the text, of which each item is asked for by its position."""
        made = self.state.once.get(getattr(value.node, "id", ""), value.node) if isinstance(value, Run) else None
        ranged = isinstance(made, n.Call) and self.outside.meant(made.func) is range
        sliced = isinstance(made, n.Subscript) and isinstance(made.slice, n.Slice) and self.is_row(Run(made.value))
        if isinstance(value, Run) and (ranged or sliced or self.is_row(value)):
            return value.node
        if isinstance(value, Structure) and value.kind in (list, tuple):
            return self.text(self.state.pinned(Run(self.text(value))))
        if isinstance(value, Items) and value.kind == "range" and (shown := self.text_of(value)) is not None:
            return shown
        raise NotInterpreted("generators side by side")

    def branch_if(self, test: Value | None, first: Callable[[], Any], second: Callable[[], Any], at: n.AST) -> Any:
        """What two blocks do by a test, or the first one alone, if there is nothing to test."""
        return first() if test is None else self.branch(test, first, second, at)
