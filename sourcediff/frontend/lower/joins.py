"""What is known of attributes where paths meet: after a branch, and at the head of a loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ...analysis.abstract import UNKNOWN, Abstract, joined
from ...syntax import nodes as n
from ..room import Room


class Standing(NamedTuple):
    """What is known of an attribute at some point: as a container, the function that it stands for, whether it may be no list."""

    kind: Abstract
    callee: n.expr | None = None
    unsure: bool = False


class Joins(Room):
    """The facts at joins of control flow."""

    def attributes(self) -> dict[str, Standing]:
        """What is known at this point of the attributes of objects that are made here.

        One that is None is left out: nothing is asked of it before it is bound anew.
        """
        state = self.state
        bound = {local for local in state.locals.values() if local in state.kinds} - state.opened.keys() - state.leaves - state.unset
        return {local: Standing(state.kinds[local], state.callees.get(local), local in state.unsure) for local in sorted(bound)}

    def know(self, name: str, known: Standing) -> None:
        """Note what is known of an attribute."""
        self.state.unset.discard(name)
        (self.state.unsure.add if known.unsure else self.state.unsure.discard)(name)
        self.state.kinds[name] = known.kind
        if known.callee is not None:
            self.state.callees[name] = known.callee
            self.scope.functions[name] = self.scope.resolve(known.callee)
        elif self.state.callees.pop(name, None) is not None:
            self.scope.functions.pop(name, None)

    def back(self, before: Mapping[str, Standing]) -> None:
        """Know of attributes what was known ``before``."""
        for name in self.attributes().keys() - before.keys():
            self.know(name, Standing(UNKNOWN))
            self.state.unset.add(name)
        for name, known in before.items():
            self.know(name, known)

    def met(self, one: Mapping[str, Standing], other: Mapping[str, Standing]) -> None:
        """Know of attributes what is so on one path and on another."""
        for name in sorted({*one, *other}):
            here, there = one.get(name) or other[name], other.get(name) or one[name]
            mixed = here.kind.kind != there.kind.kind and "sequence" in (here.kind.kind, there.kind.kind)
            alike = here.callee and there.callee and self.scope.resolve(here.callee) is self.scope.resolve(there.callee)
            kind = Abstract("sequence") if mixed else joined(here.kind, there.kind)
            self.know(name, Standing(kind, here.callee if alike else None, mixed or here.unsure or there.unsure))

    def repeated(self, method: Callable[[], None]) -> None:
        """Append a loop; again, as long as a trip leaves something else in an attribute than what it began with."""
        while True:
            start, before, embeddings = self.state.remembered(), self.attributes(), self.state.embeddings
            method()
            after = self.attributes()
            self.met(before, after)
            if all(self.attributes()[name] == known for name, known in before.items()):
                return
            self.state.restore(start)
            self.state.embeddings = embeddings
            self.met(before, {name: known for name, known in after.items() if name in before})
