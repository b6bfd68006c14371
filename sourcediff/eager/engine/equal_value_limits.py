"""The derivative of functions of eigenvectors and singular vectors where values are equal: the limit, where there is one.

Let A = V diag(w) Vᵀ with w_i = w_j. What the quotient m_ij / (w_j - w_i) in the rule becomes is not known from m at this point alone: of
(V * h(w)) @ V.T it is a multiple of h'(w), and V's adjoint holds h(w) only. But m is computed by the backward pass of all that was made
of V and w, and that pass is recorded here, so it can be differentiated along dw = d, with d_i ≠ d_j and V as it is: A moves to
V diag(w + t d) Vᵀ, whose values are apart, and as the gradient is continuous the quotient's limit is dm_ij / (d_j - d_i) (L'Hôpital).
One term more of the expansion makes it right to first order in w too, so that it can be differentiated in turn.

The limit is the derivative only if the function has one. Then m_ij vanishes, and the block G of the gradient that belongs to equal values
turns with the vectors that span their space: along dV = V K with K antisymmetric it changes by G K - K G. Both are asked of each
function (Kasim, "Derivatives of partial eigendecomposition of a real symmetric matrix for degenerate cases", 2020, has the first condition,
and leaves the quotient out, which is right where m vanishes for nearby w too). What fails is refused.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...errors import Place
from ...rules.frames import RULES, Rule
from ...runtime.arrays import is_foreign
from ...runtime.equal_spectra import close, gaps, rounding, unsmooth, vanishing
from .anomaly import user_place
from .apply import DECOMPOSITIONS, raw
from .double_backward import Again, recording
from .graph import LIMITS, THROUGH_LIMITS, reachable, record, results, walk_graph
from .nodes import VOLATILE, Leaf, Node, Recorded
from .plans import HELPERS, Plan, plan_for
from .scopes import enable_grad
from .variable import constant, on_graph

TURNED = "it depends on which vectors stand for a space that belongs to equal values"


class Limit:
    """The plan of one decomposition with equal values. It is walked recorded always: see :func:`through_limits`."""

    selects = singular = adds = stores = False

    def __init__(self, plan: Plan, z: tuple[Any, ...], place: Place):
        self.plan = plan_for(plan.rule, plan.wanted) if plan.device else plan  # it is recorded
        self.name = plan.name
        self.single = plan.single
        self.restore = plan.restore
        self.backward = self.guarded = plan.backward
        self.place = place
        self.z = z
        self.largest: Any = 0.0

    def recorded(self, node: Node, g: Any, selected: bool) -> Any:
        """The contribution, as a Variable."""
        again = Again(self.plan)
        assert node.saved is not None
        saved = [again.linked(name, value, node) if kind == "value" else value for (name, kind), value in zip(self.plan.reads, node.saved)]
        g = tuple(part if isinstance(part, Recorded) else constant(part) for part in g)
        function = recording(self.plan.rule, self.plan.backward, HELPERS)
        quotient = Quotient(node, self, g)
        alone = all(part._node is None and not np.any(part._value) for position, part in enumerate(g) if position != quotient.position)
        function.__globals__.update(quotient=quotient, nonzero=self.shifted if alone else self.nonzero, alike=self.alike)
        return function(g, saved)

    def shifted(self, s: Any) -> Any:
        """Singular values by which no adjoint is divided but zeros."""
        return np.where(vanishing(s._value), 1, s)

    def nonzero(self, s: Any) -> Any:
        if np.any(vanishing(s._value)):
            raise unsmooth("a singular value is 0, and the vectors that belong to it may be any", self.place)
        return s

    def alike(self, g: Any, s: Any, sized: bool = False) -> Any:
        return np.where(vanishing(s._value), 0, g) if sized else g


class Quotient:
    """``quotient(m, w)`` of one walk through a node: ``g`` are the adjoints of its results, Variables."""

    def __init__(self, node: Node, limit: Limit, g: tuple[Any, ...]):
        self.node = node
        self.limit = limit
        self.g = g
        self.values = limit.z
        self.position = 0 if len(self.values) == 2 else 1

    def __call__(self, m: Any, w: Any) -> Any:
        data = w._value
        n = data.shape[-1]
        apart = gaps(w)
        noise = 1e3 * float(np.finfo(data.dtype).eps) * self.size(data)
        equal = together(data, rounding(data))
        near = equal | close(data, tolerance_of_values(data, 1 / 3))
        if np.any(equal & (np.abs(m._value) > noise * 100)):
            raise unsmooth(TURNED, self.limit.place)
        quotients: Any = np.where(equal, 0, m) / np.where(equal | np.eye(n, dtype=bool), 1, apart)
        limits = self.limits(m, equal, near, apart)
        with np.errstate(all="ignore"):  # the one is taken where the other agrees with it to its rounding errors
            agree = np.abs(raw(limits) - quotients._value) * np.abs(apart._value) <= noise
        return np.where(equal | near & agree, limits, quotients)

    def limits(self, m: Any, equal: Any, near: Any, apart: Any) -> Any:
        """What the quotients are near equal values."""
        w = self.values[self.position]
        n = w.shape[-1]
        order = np.broadcast_to(np.arange(n) - (n - 1) / 2, w.shape).astype(w.dtype)
        parting = gaps(order) + np.eye(n, dtype=w.dtype)
        along = [order if k == self.position else None for k in range(len(self.values))]
        (first,) = self.moved([m], along)
        slope = np.zeros_like(m._value) if first is None else np.where(near, first / parting, 0)
        self.check(m, slope, equal, w)
        (second,) = self.moved([slope], along)
        return slope if second is None else slope - np.where(near, apart * second / (2 * parting), 0)

    def size(self, w: Any) -> Any:
        """What the adjoints are large or small in comparison with."""
        largest = np.max(np.abs(w), axis=-1, initial=0.0)
        parts = [reduced_to(np.abs(part._value), w.ndim - 1) * (largest if k == self.position else 1) for k, part in enumerate(self.g)]
        found = np.maximum.reduce(parts)[..., None, None]
        self.limit.largest = np.maximum(self.limit.largest, found)
        return self.limit.largest  # where adjoints cancel, of a second derivative that is zero, those of the first say what rounding is

    def moved(self, values: Sequence[Any], along: Sequence[Any]) -> list[Any]:
        """The tangents of what was computed of the node's results, as these move; None for zero. (The pullback is pulled back.)"""
        values = [value if isinstance(value, Recorded) and value._node not in (None, VOLATILE) else None for value in values]
        weights = [None if value is None else leaf_like(value._value) for value in values]
        pulled = walk_graph([(value._node, weight, False) for value, weight in zip(values, weights) if value is not None], [self.node],
                      retain=True, recording=True).get(self.node)
        if pulled is None:
            return [None] * len(values)
        seeds = [(part._node, constant(tangent), False) for part, tangent in zip(pulled, along)
                 if tangent is not None and isinstance(part, Recorded) and part._node not in (None, VOLATILE)]
        found = walk_graph(seeds, [weight._node for weight in weights if weight is not None], retain=True, recording=True) if seeds else {}
        return [None if weight is None else found.get(weight._node) for weight in weights]

    def check(self, m: Any, slope: Any, equal: Any, w: Any) -> None:
        """Refuse a function whose gradient does not turn with the vectors of equal values."""
        if not np.any(equal):
            return
        turn = antisymmetric(w.shape) * equal
        own = self.g[self.position]
        z = self.values
        along = (None, z[1] @ turn) if self.position == 0 else (z[0] @ turn, None, np.swapaxes(turn, -1, -2) @ z[2])
        moved_m, moved_own, moved_slope = self.moved([m, own, slope], along)
        if moved_m is not None and np.any(equal & (np.abs(raw(moved_m)) > tolerance_of_values(w, 1 / 2) * self.size(w))):
            raise unsmooth(TURNED, self.limit.place)
        block = np.where(equal, raw(slope), 0) + diagonal_part(own._value)
        due = block @ turn - turn @ block
        have = (0 if moved_slope is None else raw(moved_slope)) + (0 if moved_own is None else diagonal_part(raw(moved_own)))
        within = equal | np.eye(w.shape[-1], dtype=bool)
        off = np.where(within, have - due, 0)
        scale = np.max(np.abs(block), axis=(-2, -1), initial=0.0, keepdims=True)
        noise = 1e5 * float(np.finfo(w.dtype).eps) * self.size(w) / (np.max(np.abs(w), axis=-1)[..., None, None] + (w[..., :1, None] == 0))
        if not np.all(np.abs(off) <= tolerance_of_values(w, 0.4) * scale + noise):
            raise unsmooth("it tells values apart that are equal", self.limit.place)


def tolerance_of_values(w: Any, power: float) -> float:
    """A power of the rounding unit."""
    return float(np.finfo(w.dtype).eps) ** power


def reduced_to(a: Any, ndim: int) -> Any:
    """The largest entries along the trailing axes, such that ``ndim`` are left."""
    return np.max(a, axis=tuple(range(ndim, a.ndim)), initial=0.0) if a.ndim > ndim else a


def together(w: Any, within: float) -> Any:
    """Which pairs are of one run of equal values."""
    equal = close(w, within)
    runs = np.cumsum(~np.concatenate([np.zeros((*w.shape[:-1], 1), bool), np.diagonal(equal, 1, -2, -1)], axis=-1), axis=-1)
    return (runs[..., None, :] == runs[..., :, None]) & ~np.eye(w.shape[-1], dtype=bool)


def antisymmetric(shape: tuple[int, ...]) -> Any:
    """An antisymmetric matrix (or more of them) whose entries are in no relation to each other."""
    n = shape[-1]
    entries = np.triu(0.5 + np.reshape(np.arange(1.0, n * n + 1) * 0.6180339887498949 % 1, (n, n)), 1)
    return np.broadcast_to(entries - entries.T, (*shape, n))


def diagonal_part(v: Any) -> Any:
    """The matrix with ``v`` on its diagonal (or more of them)."""
    return np.eye(v.shape[-1], dtype=v.dtype) * v[..., None, :]


def leaf_like(data: Any) -> Any:
    """A leaf of this shape, whose numbers matter to nobody."""
    leaf = on_graph(np.ones_like(data), None)
    leaf._node = Leaf(leaf)
    return leaf


def degenerate_values(rule: Rule, z: Any) -> bool:
    """Whether a decomposition has values that are equal (or a singular value that is 0)."""
    if rule.function is np.linalg.eigh or rule.function is np.linalg.eigvalsh:
        w = z[0] if isinstance(z, tuple) else z
        return bool(np.any(close(w, tolerance_of_values(w, 1 / 3))))
    s = z[1] if isinstance(z, tuple) else z
    return bool(np.any(close(s, tolerance_of_values(s, 1 / 3))) or np.any(vanishing(s)))


VALUES = {np.linalg.eigvalsh: np.linalg.eigh, np.linalg.svdvals: np.linalg.svd}
"""Functions that give the values alone, and those that give the vectors too."""


def at_limit(rule: Rule, node: Node, z: Any, a: Any) -> Node:
    """The node of a decomposition; of one with equal values, one that takes the limit."""
    if is_foreign(a) or np.iscomplexobj(a) or not degenerate_values(rule, z):
        return node
    place = user_place("values are equal here")
    if rule.function not in VALUES:
        node.plan = Limit(node.plan, tuple(z), place)
        watch_for(node)
        return node
    function: Any = VALUES[rule.function]
    whole = RULES[function]
    several = tuple(whole.function(a, False) if whole.function is np.linalg.svd else whole.function(a))
    position = len(several) - 2
    several = several[:position] + (z,) + several[position + 1:]
    plan = plan_for(whole, (next(iter(whole.parameters)),))
    values = [a, False, True, False] if position else [a, "L"]
    inner = record(Limit(plan, several, place), node.edges, plan.save(several, *values), node.restore)
    watch_for(inner)
    return results(inner, several)[position]


def watch_for(node: Node) -> None:
    """Let every walk look for the node, as long as it lives."""
    LIMITS.add(weakref.ref(node, LIMITS.discard))


def leads_to_limit(roots: Iterable[Any]) -> list[Any] | None:
    """The nodes that a walk may come to, if one of them takes a limit."""
    nodes = reachable(roots)
    return nodes if any(type(node) is Node and type(node.plan) is Limit for node in nodes) else None


def through_limits(
    seeds: list[tuple[Any, Any, bool]], wanted: Iterable[Any] | None, retain: bool,
) -> dict[Any, Any] | None:
    """The walk, recorded, and of what it finds the numbers; None if it comes to no limit."""
    nodes = leads_to_limit([node for node, _, _ in seeds])
    if nodes is None:
        return None
    with enable_grad():
        found = walk_graph([(node, g if isinstance(g, Recorded) else constant(g), selected) for node, g, selected in seeds], wanted,
                     retain=True, recording=True)
    for node in nodes if not retain else ():
        if type(node) is Node:
            node.saved = None
    return {node: raw(g) for node, g in found.items()}


def take_limits() -> None:
    """Let decompositions with equal values, and walks that come to them, take the limit."""
    DECOMPOSITIONS.update(dict.fromkeys((np.linalg.eigh, np.linalg.svd, *VALUES), at_limit))
    THROUGH_LIMITS[:] = [through_limits]
