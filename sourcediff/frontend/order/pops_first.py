"""Hoist ``pop`` out of expressions: ``x[order.pop()]`` takes the item in a statement of its own.

>>> from sourcediff.api.explain import text_after
>>> def drained(x):
...     order = [0, 1, 2]
...     total = 0.0
...     while order:
...         total = total * x[order.pop()] + len(order)
...     return total
>>> print(text_after("unbound_names", drained))
order = [0, 1, 2]
total = 0.0
while order:
    t = order.pop()
    t1 = x[t]
    t2 = total * t1
    t3 = len(order)
    total = t2 + t3

What the statement asks of the list is asked in the order in which Python evaluates it.
"""

from __future__ import annotations

import builtins
from typing import Any

from ...analysis.scope import MISSING
from ...analysis.statements import base, grown
from ...syntax import nodes as n
from ...syntax.container_methods import RESULT_MATTERS
from ..room import Room


class PopsFirst(Room):
    """Knows which lists become shorter while a statement is evaluated."""

    def shrinking(self, node: n.stmt) -> frozenset[str]:
        """The names of lists that a statement's own expressions make shorter, but for one that does nothing else."""
        own = getattr(node, {n.If: "test", n.While: "test", n.For: "iter"}.get(type(node), ""), node)
        if isinstance(node, n.FunctionDef):
            return frozenset()
        calls = [part for part in n.walk(own) if self.takes(part)]
        alone = isinstance(node, n.Assign) and isinstance(node.targets[0], n.Name) or isinstance(node, n.Expr)
        if not calls or alone and calls == [node.value] and isinstance(node.value.func.value, n.Name):
            return frozenset()
        for call in calls:
            if not isinstance(call.func.value, n.Name):
                self.refused(call, "a change of a list or dict in an entry", "which one it is may change", "give the list a name first")
        update = isinstance(node, n.AugAssign) and isinstance(node.target, n.Subscript)
        names = frozenset(call.func.value.id for call in calls if isinstance(call.func.value, n.Name))
        if update and base(node.target) in names:
            self.refused(node, "this update", "the entry is read before the list becomes shorter", "pop in a line of its own")
            return frozenset()
        inside = [part for part in n.walk(own) if isinstance(part, (*n.COMPREHENSIONS, n.Lambda)) and any(map(self.takes, n.walk(part)))]
        if not inside:
            return names
        if len(calls) > 1 or not self.carries(inside[0]) or isinstance(inside[0], n.Lambda):
            self.refused(inside[0], "a list that becomes shorter inside an expression", "how often is not known", "write a loop")
        return frozenset()

    def takes(self, node: n.AST) -> bool:
        """Whether an expression is a call like ``parts.pop()``."""
        function = node.func if isinstance(node, n.Call) else None
        return isinstance(function, n.Attribute) and function.attr in RESULT_MATTERS and self.scope.resolve(function) is MISSING

    def asks(self, node: Any) -> bool:
        """Whether an expression asks something of a list that becomes shorter: an item, its length, or the item that it loses."""
        if isinstance(node, n.Subscript):
            return isinstance(node.ctx, n.Load) and isinstance(node.value, n.Name) and node.value.id in self.state.popping
        if not isinstance(node, n.Call):
            return False
        if isinstance(node.func, n.Attribute):
            return isinstance(node.func.value, n.Name) and node.func.value.id in self.state.popping
        counted = node.args[0] if len(node.args) == 1 and self.scope.resolve(node.func) is builtins.len else None
        return isinstance(counted, n.Name) and counted.id in self.state.popping

    def left_alone(self, node: n.stmt, field: str | None) -> None:
        """Refuse what is done with such a list as a whole in the same statement."""
        left = [getattr(node, field)] if field else node.value.args if grown(node) in self.state.popping else [getattr(node, "value", None)]
        for part in (part for tree in left if tree is not None for part in n.walk(tree)):
            if isinstance(part, n.Name) and part.id in self.state.popping:
                self.refused(part, f"{part.id}, which becomes shorter in this statement,", "what it holds by then is not followed",
                             "pop in a line of its own")
                break
