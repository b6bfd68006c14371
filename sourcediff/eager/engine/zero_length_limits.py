"""The second derivative of functions of a length where the length is zero: the limit, where there is one.

Let F be a function of z = |x|, and g = dF/dz, so that the gradient is g x / z, by convention 0 at z = 0. If F is smooth in x it is even
in z: g vanishes there, and g / z becomes dg/dz, one number for each length that is zero (of two of them there is no mixed derivative).
The backward pass that has computed g is recorded, so it can be differentiated along z, at all such lengths at once, as in
``equal_value_limits.py``. This is done only where the adjoint of the gradient is not zero there: the distance of a point to itself
never moves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...runtime.zero_lengths import pointed
from .apply import raw
from .graph import record, restored_each, walk_graph
from .nodes import VOLATILE, Leaf, Node, Recorded
from .scopes import enable_grad
from .variable import constant, on_graph

Formula = Callable[[Any], Any]


def with_limits(found: Any, node: Node, g: Any, zero: Any, formula: Formula) -> Any:
    """The recorded contributions of the length at ``node``, of which those that are ``zero`` say what their derivative is there.

    ``formula`` gives the same contributions for any adjoint.
    """
    several = isinstance(found, tuple)
    made = [with_limit(part, node, k, g, zero, formula) for k, part in enumerate(found if several else (found,))]
    return tuple(made) if several else made[0]


def with_limit(part: Any, node: Node, position: int, g: Any, zero: Any, formula: Formula) -> Any:
    """One contribution, and a zero beside it that has the derivative."""
    edge = node.edges[position]
    corner = Corner(node, edge, g, zero, lambda adjoint: contribution_at(formula(adjoint), position))
    kinds = None if node.restore is None or node.restore[position] is None else (node.restore[position],)
    return part + on_graph(np.zeros_like(part._value), record(corner, (edge,), (), kinds))


def contribution_at(found: Any, position: int) -> Any:
    return found[position] if isinstance(found, tuple) else found


class Corner:
    """The plan of such a zero: what a contribution changes by as ``x`` leaves the point at which its length is ``zero``."""

    selects = singular = adds = stores = False
    single = True
    name = "the limit of a quotient"

    def __init__(self, node: Node, edge: Any, g: Any, zero: Any, formula: Formula):
        self.node = node
        self.edge = edge
        self.g = g
        self.zero = zero
        self.formula = formula
        kept = dict(zip(node.plan.reads, node.saved or ())).get(("_kept", "_kept"))
        self.wide = zero if kept is None else np.reshape(zero, kept)  # as it broadcasts to a contribution: a reduction has left out axes
        self.guarded = self.backward
        self.restore = restored_each

    def backward(self, v: Any, saved: Any) -> Any:
        """The contribution to the argument of the length."""
        with enable_grad(), np.errstate(all="ignore"):
            return raw(self.recorded(None, constant(v), False))

    def recorded(self, node: Any, v: Any, selected: bool) -> Any:
        """The same as a Variable."""
        if not np.any(self.wide & (v._value != 0)):
            return constant(np.zeros_like(v._value))
        g = raw(self.g)
        pointing = raw(self.pulled(constant(np.where(self.zero, g, 0.0)), v))
        if np.any(np.abs(pointing) > 1e-9 * np.max(np.abs(g)) * np.max(np.abs(v._value))):
            raise pointed()
        slope = self.slope()
        return constant(np.zeros_like(v._value)) if slope is None else self.pulled(np.where(self.zero, slope, 0.0), v)

    def pulled(self, adjoint: Any, v: Any) -> Any:
        """What ``v`` gives to the argument, for one adjoint of the length."""
        part = self.formula(adjoint)
        return walk_graph([(part._node, v, True)], [self.edge], retain=True, recording=True)[self.edge]

    def slope(self) -> Any:
        """The derivative of each adjoint by its length; None for zero."""
        if not isinstance(self.g, Recorded) or self.g._node in (None, VOLATILE):
            return None
        weight = on_graph(np.ones_like(self.g._value), None)
        weight._node = Leaf(weight)
        back = walk_graph([(self.g._node, weight, True)], [self.node], retain=True, recording=True).get(self.node)
        if back is None or back._node in (None, VOLATILE):
            return None
        along = constant(np.where(self.zero, 1.0, 0.0).astype(back._value.dtype))
        return walk_graph([(back._node, along, True)], [weight._node], retain=True, recording=True).get(weight._node)
