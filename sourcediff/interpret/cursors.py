"""Interpret iterators that are asked for one item after the other: how far they have come is known now, or counted in the text."""

from __future__ import annotations

from typing import Any

from ..analysis.statements import mutates
from ..syntax import nodes as n
from ..syntax.quote import clone, expression
from .loop_state import TRIPS, Consume
from .side_by_side import SideBySide
from .values import LOST, Items, Known, NotInterpreted, Run, Structure, TooLong, Value


class Cursors(SideBySide):
    """What is asked of iterators."""

    catching: list[Any]  # the tries around (``ways_out.py``)

    def has_rest(self, value: Structure) -> bool:
        """Whether only the run tells which items an iterator has not given yet."""
        held = self.state.held[value.identity]
        return isinstance(held["of"], Run) or isinstance(held["position"], Run)

    def rest_of(self, value: Structure) -> n.expr:
        """The items of a list or an array that an iterator has not given yet; nobody may ask for them once more."""
        held = self.state.held[value.identity]
        of, position = held.get("whole"), held["position"]
        if not isinstance(of, Run) or not isinstance(position, (Known, Run)):
            raise NotInterpreted("how far an iterator has come")
        held["position"] = LOST
        if isinstance(position, Known) and position.object == 0:
            return clone(of.node)
        return expression("$x[$k:]", x=clone(of.node), k=self.text(position))

    def driven_iterator(self, value: Structure, consume: Consume, at: n.AST, target: n.expr | None = None) -> Any:
        """The items that an iterator has not given yet."""
        if self.has_rest(value):
            rest, count = self.rest_of(value), len(self.state.out)
            ended = self.kept(rest, consume, at, target)
            of = rest.value if isinstance(rest, n.Subscript) else None
            if isinstance(of, n.Name) and not self.outside.is_array(of) and self.may_change(of.id, self.state.out[count:]):
                raise NotInterpreted("an iterator over a list that a loop changes")
            return ended
        given = 0
        while (item := self.next_of(value)) is not None:
            given += 1
            if given > TRIPS:
                raise TooLong
            if (ended := self.written_out([item], consume)) is not None:
                return ended
        return None

    def may_change(self, name: str, body: list[n.stmt]) -> bool:
        """Whether statements may change a list of the text, by whatever name."""
        changed = mutates(body)
        names_ = self.roots_of(name, frozenset())
        roots = [self.roots_of(each, frozenset()) for each in changed if not self.outside.is_numeric(expression(each))]
        return names_ is None or any(each is None or not names_.isdisjoint(each) for each in roots)

    def roots_of(self, name: str, around: frozenset[str]) -> frozenset[str] | None:
        """The names of the containers made here that a name may stand for; None if it may stand for others."""
        found = {name}
        for made in self.state.makers.get(name, [None]):
            if isinstance(made, n.Name) and made.id not in around:
                inner = self.roots_of(made.id, around | {name})
                if inner is None:
                    return None
                found |= inner
            elif made is None or not isinstance(made, (n.Name, n.List, n.Dict, n.ListComp, n.BinOp, n.Constant)) and (
                    not self.outside.is_numeric(made)):
                return None
        return frozenset(found)

    def next_of(self, value: Structure) -> Value | None:
        """The next item of an iterator, None where it has none."""
        held = self.state.held[value.identity]
        position = held["position"]
        of = held.get("whole", held["of"]) if isinstance(position, Run) else held["of"]
        counts = isinstance(of, Items) and "text" in held  # without an end
        if isinstance(position, Run) and counts or isinstance(position, (Known, Run)) and isinstance(of, Run):
            if self.catching:  # StopIteration, it may be, which the text does not raise
                raise NotInterpreted("whether an iterator has a next item")
            at = self.text(position)
            whole = self.text(of.parts[0] if isinstance(of, Items) else of)
            item = self.state.temporary(expression("$k + $x" if counts else "$x[$k]", x=whole, k=at), "item")
            self.state.store((value.identity, "position"), Run(expression("$k + 1", k=clone(at))), "position")
            return item
        if not isinstance(position, Known):
            raise NotInterpreted("how far an iterator has come")
        if isinstance(of, Items):
            trips = range(*(part.object for part in of.parts))
            held["position"] = Known(position.object + 1)
            return Known(trips[position.object]) if position.object < len(trips) else None
        if not isinstance(of, Structure):
            raise NotInterpreted("how far an iterator has come")
        self.stays_known(of)
        parts = self.parts(of)
        if position.object >= len(parts):
            return None
        held["position"] = Known(position.object + 1)
        part: Value = parts[position.object]
        return part
