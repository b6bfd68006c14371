"""The shapes and dtypes of inner results, as far as the recorded graph tells: what was saved, and what must be equal to it.

A node does not keep its result. But a consumer that saved it, or that had to note the kind of its inputs, tells; and an elementwise
operation without such a note has inputs of the kind of its result. What leaves and outputs hold now is asked last, and only about
themselves and what is made of them: their ``data`` may have been assigned since.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..engine.graph import Kind, Leaf, Node, kind_of
from ..engine.plans import Plan
from .diagram import Result

Place = tuple[Any, int]
"""A node and the number of one of its results."""


class Facts:
    """What is known of places of which some are known to be alike: sets of them that are joined (union-find)."""

    def __init__(self) -> None:
        self.above: dict[Place, Place] = {}
        self.known: dict[Place, Any] = {}

    def head(self, place: Place) -> Place:
        """The place that stands for all that are alike."""
        above = self.above
        while (up := above.get(place)) is not None:
            further = above.get(up)
            if further is not None:
                above[place] = further  # half as long for the next one who asks
            place = up
        return place

    def note(self, place: Place, fact: Any) -> None:
        """It is so at this place."""
        self.known.setdefault(self.head(place), fact)

    def alike(self, one: Place, other: Place) -> None:
        """It is the same at both places, whatever it is."""
        one, other = self.head(one), self.head(other)
        if one != other:
            self.above[one] = other
            if one in self.known:
                self.known.setdefault(other, self.known.pop(one))

    def at(self, place: Place) -> Any:
        """What is known there, or None."""
        return self.known.get(self.head(place))


class Kinds:
    """What is known of the results of the nodes of a graph: ``learn`` from each node, then ``conclude``."""

    def __init__(self) -> None:
        self.shapes = Facts()
        self.dtypes = Facts()
        self.of_leaves: list[tuple[Facts, Place, Place]] = []  # a fact that an operation shares with a leaf

    def note(self, place: Place, kind: Kind) -> None:
        """A result was recorded with this shape and dtype."""
        self.shapes.note(place, kind[0])
        self.dtypes.note(place, np.dtype(kind[1]))

    def result(self, place: Place) -> Result:
        """What is known of a result."""
        return Result(self.shapes.at(place), self.dtypes.at(place))

    def learn(self, node: Node, inputs: Iterable[Place]) -> None:
        """Take over what a node tells of its own result and of the ``inputs``, the places of its edges."""
        inputs = list(inputs)
        plan = node.plan
        for place, kind in zip(inputs, node.restore or ()):
            if kind is None:
                self._alike(place, node, self.shapes, self.dtypes)
            else:
                self.note(place, kind[1] if isinstance(kind[0], int) else kind)  # of a sequence the position stands first
        if not isinstance(plan, Plan) or plan.rule.sequence:
            return
        if node.restore is None and plan.rule.outputs == 1:
            for place in inputs:
                self._alike(place, node, self.dtypes, *[self.shapes] * (plan.rule.kind == "elementwise"))
        wanted = dict(zip(plan.wanted, inputs))
        first = next(iter(plan.rule.parameters))
        for (name, what), value in zip(plan.reads, node.saved or ()):
            if name == "z" and what == "value" and plan.rule.outputs == 1:
                self.note((node, 0), kind_of(value))
            elif name in wanted and what in TELL:
                TELL[what](self, wanted[name], value)
            elif what == "_full" and first in wanted:
                self.shapes.note(wanted[first], value)

    def _alike(self, place: Place, node: Node, *what: Facts) -> None:
        """These facts of an input are those of the result, too."""
        for facts in what:
            if type(place[0]) is Leaf:  # which may have been given other data between its uses
                self.of_leaves.append((facts, place, (node, 0)))
            else:
                facts.alike((node, 0), place)  # the newer place under the older one, which keeps all ways short

    def conclude(self, nodes: Iterable[Any], variables: Iterable[tuple[Place, Any]]) -> None:
        """Once all nodes have told: what they note of themselves, then what the ``variables`` at some places hold now."""
        for node in nodes:
            if node.kind is not None:
                self.note((node, 0), node.kind)
        for place, variable in variables:
            self.note(place, kind_of(variable._value))
        for facts, place, result in self.of_leaves:
            for known, unknown in ((place, result), (result, place)):
                if (fact := facts.at(known)) is not None:
                    facts.note(unknown, fact)


TELL: dict[str, Callable[[Kinds, Place, Any], None]] = {
    "value": lambda kinds, place, value: kinds.note(place, kind_of(value)),
    "shape": lambda kinds, place, value: kinds.shapes.note(place, value),
    "dtype": lambda kinds, place, value: kinds.dtypes.note(place, value),
}
"""What something that was saved of an input says about it."""
