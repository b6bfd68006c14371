"""Zeros that stay zeros on the way forward: what a tangent of zero has not selected is zero, however steep the function is there."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np

from ..arrays import keep_zeros
from ..rules.frames import rule_for
from .apply import apply
from .graph import Node
from .plans import Plan, quietly


class Strong:
    """A plan of an elementwise rule that keeps the zeros of a selection: 0 · inf, with the 0 given by the caller, is 0.

    Forwards a singular rule is a product with its partial derivative, and products keep no zeros by themselves.
    """

    __slots__ = ("_quiet", "backward", "name", "plan", "restore", "selects", "single")
    singular = True
    adds = False

    def __init__(self, plan: Plan):
        self.plan = plan
        self.name = plan.name
        self.restore = plan.restore
        self.selects = plan.selects
        self.single = plan.single
        self.backward = plan.backward
        self._quiet = quietly(self._kept)

    def guarded(self, g: Any, saved: Any) -> Any:
        """The contributions; NumPy warns only of what is infinite or undefined with the zeros kept too."""
        with np.errstate(all="ignore"):
            found = self.backward(g, saved)
        return found if _finite(found) else self._quiet(g, saved)

    def _kept(self, g: Any, saved: Any) -> Any:
        found = self.backward(g, saved)
        return keep_zeros(found, g) if self.single else tuple([keep_zeros(c, g) for c in found])

    def recorded(self, node: Node, g: Any, selected: bool) -> Any:
        """The contributions as Variables."""
        found = self.plan.recorded(node, g, selected)
        if not selected:
            return found
        rule = rule_for(keep_zeros)
        return apply(rule, (found, g), {}) if self.single else tuple(apply(rule, (c, g), {}) for c in found)


def _finite(found: Any) -> bool:
    return all(bool(np.isfinite(c).all()) for c in (found if type(found) is tuple else (found,)))


@cache
def strong(plan: Plan) -> Strong:
    """The plan that keeps zeros."""
    return Strong(plan)


def strengthen(roots: Iterable[Any], first: int) -> None:
    """Let the nodes that lead to ``roots`` and were made after number ``first`` keep the zeros that walk through them."""
    stack = [node for node in roots if type(node) is Node]
    seen = set(stack)
    while stack:
        node = stack.pop()
        if type(node.plan) is Plan and node.plan.rule.kind == "elementwise" and not node.plan.singular:
            node.plan = strong(node.plan)
        for edge in node.edges:
            if type(edge) is Node and edge.seq > first and edge not in seen:
                seen.add(edge)
                stack.append(edge)
