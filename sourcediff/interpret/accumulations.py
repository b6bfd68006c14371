"""Interpret accumulations over items: ``sum`` and ``functools.reduce``."""

from __future__ import annotations

from typing import Any

from ..syntax import nodes as n
from ..syntax.quote import expression
from .comprehensions import Comprehensions
from .values import Frame, Items, Kept, NotInterpreted, Run, Value


class Accumulations(Comprehensions):
    """What is made of items one after the other."""

    def reduced(self, items: Value, start: Value | None, step: Any, node: n.AST) -> Value:
        """An accumulation over items."""
        found: Value = self.with_replacement(lambda: self.accumulation(items, start, step, node))
        return found

    def first_and_others(self, items: Value, node: Any) -> tuple[Value, Value] | None:
        """The first item of what the text goes over, and what is left to be gone over; None where neither can be said."""
        if isinstance(items, Run):
            try:
                whole = self.state.pinned(Run(self.indexed_row(items)))
            except NotInterpreted:
                return None
            first, others = (Run(expression(text, x=self.text(whole))) for text in ("$x[0]", "$x[1:]"))
            return first, others
        if not isinstance(items, Items) or items.kind not in ("zip", "map", "generator expression"):
            return None
        over = {"zip": items.parts, "map": items.parts[1:], "generator expression": items.parts[:1]}[items.kind]
        nested = items.kind == "generator expression" and (len(items.parts[2].generators) > 1 or items.parts[2].generators[0].ifs)
        parts = [] if nested else [self.first_and_others(part, node) for part in over]
        if not parts or None in parts:
            return None
        firsts, others_ = [first for first, _ in parts], [others for _, others in parts]  # type: ignore[misc]
        if items.kind == "zip":
            return self.structure(tuple, firsts), Items("zip", others_, items.born)
        if items.kind == "map":
            return self.called(items.parts[0], firsts, {}, node), Items("map", [items.parts[0], *others_], items.born)
        outer, (_, frame, shown) = self.state.frames, items.parts
        self.state.frames = [*outer, frame]
        self.assign(shown.generators[0].target, firsts[0])
        begun = self.state.pinned(self.value(shown.elt))
        self.state.frames = outer
        return begun, Items(items.kind, [others_[0], frame, shown], items.born)

    def accumulation(self, items: Value, start: Value | None, step: Any, node: n.AST) -> Value:
        """The same, a loop of the text or trip by trip."""
        if start is not None or not isinstance(items, (Items, Run)):
            return self.steps(items, start, step, node)
        saved, depth, count, frames = self.state.saved(), len(self.state.waiting), len(self.loops), self.state.frames
        outer, self.wanting = self.wanting, True
        self.one_by_one += 1
        try:
            return self.steps(self.undone(items), None, step, node)
        except (Kept, NotInterpreted):
            del self.state.waiting[depth:]
            del self.loops[count:]
            self.state.abandon(saved)
            self.state.frames = frames
        finally:
            self.one_by_one -= 1
            self.wanting = outer
        parted = self.first_and_others(items, node)
        return self.steps(items, None, step, node) if parted is None else self.steps(parted[1], parted[0], step, node)

    def undone(self, items: Value) -> Value:
        """Items of which each is made when it is asked for. Raises Kept for those that would be made ahead."""
        over = items.parts[1:] if isinstance(items, Items) and items.kind == "map" else items.parts if isinstance(items, Items) else []
        if any(map(self.is_lazy, over)):
            raise Kept
        return items

    def steps(self, items: Value, start: Value | None, step: Any, node: n.AST) -> Value:
        """What is made of a start and of items one after the other; without a start, of the first of them."""
        total = (self.state.new({}), "total")
        frame = Frame(total[0], frozenset({"total"}), None, None, None)
        self.state.frames = [frame, *self.state.frames]
        if start is not None:
            self.state.store(total, start, "total")

        def add(item: Value) -> None:
            held = self.state.held[total[0]]
            if "total" not in held and self.loops and self.loops[-1] is not None:
                raise NotInterpreted("the first item of a loop")
            with self.as_they_run():
                self.state.store(total, step(held["total"], item) if "total" in held else item, "total")

        self.drive(items, add, node)
        self.state.frames = [each for each in self.state.frames if each is not frame]
        return self.state.held[total[0]]["total"]
