"""The graph and its walk: nodes link results to what they were made of, backward visits them latest first.

A node is made after its parents, so descending ``seq`` is a topological order: there is no recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from operator import attrgetter
from typing import Any

import numpy as np

from ...errors import GraphFreedError
from ...runtime.arrays import add_at, blank, has_complex, stored, sum_to
from .anomaly import ANOMALY, check_node, note_line
from .mutation import MUTATED, refuse_overwritten
from .nodes import Kind, Node, Recorded, kind_of, tick

ndarray = np.ndarray
FLOAT64 = np.dtype(float)
total = np.add.reduce


NUMBER = attrgetter("seq")

LIMITS: set[Any] = set()
"""The decompositions with equal values that are alive, by weak reference: nearly always empty."""
THROUGH_LIMITS: list[Callable[..., Any]] = []
"""The walk where they are alive, which needs Variables: ``equal_value_limits.through_limits``."""
HOOKED: list[bool] = []
"""Not empty once a hook was registered anywhere: until then the walk need not look for any."""


def record(plan: Any, edges: tuple[Any, ...], saved: tuple[Any, ...], restore: tuple[Kind, ...] | None = None) -> Node:
    """A new node."""
    node = Node()
    node.plan = plan
    node.edges = edges
    node.saved = saved
    node.seq = tick()
    node.kind = None
    node.restore = restore
    if ANOMALY:
        note_line(node)
    return node


@lru_cache(maxsize=64)
def ones(length: int, dtype: Any) -> Any:
    """A vector of ones."""
    return np.ones(length, dtype)


def restored(c: Any, kind: Kind) -> Any:
    """A contribution in the shape and dtype of what it belongs to; the real part, of a complex one to what is real."""
    shape, dtype = kind
    if type(c) is np.ndarray:
        if c.shape != shape:
            if not shape:
                c = total(c, None)
            elif c.ndim == 2 and c.shape[1:] == shape and len(c) < 1000:
                c = ones(len(c), c.dtype).dot(c)  # a bias added to rows: a product is started much sooner than a sum
            else:
                c = sum_to(c, shape)
        if c.dtype is dtype:
            return c
    elif type(c) is np.float64 and not shape and (dtype is float or dtype is FLOAT64):
        return c
    else:
        c = sum_to(c, shape)
    have = getattr(c, "dtype", None)
    if have is not None and have == dtype:  # None == np.dtype(float) holds
        return c
    if has_complex(c) and not (dtype is complex or dtype is not float and dtype.kind == "c"):
        c = np.real(c)
    if dtype is float or dtype is complex:
        return c
    return c.astype(dtype) if hasattr(c, "astype") else dtype.type(c)


def restored_each(contributions: Iterable[Any], kinds: Iterable[Kind]) -> list[Any]:
    """Contributions, each in the shape and dtype of what it belongs to."""
    return [restored(c, kind) for c, kind in zip(contributions, kinds)]


class Parts(dict[int, Any]):
    """The adjoint of a node with several results, as far as it is known: position → adjoint. Adding merges."""

    def __add__(self, other: Parts) -> Parts:  # type: ignore[override]
        merged = Parts(self)
        for position, part in other.items():
            merged[position] = merged[position] + part if position in merged else part
        return merged


def walk_graph(
    seeds: Iterable[tuple[Any, Any, bool]], wanted: Iterable[Any] | None = None, *, retain: bool, recording: bool = False,
    nodes: list[Node] | None = None,
) -> dict[Any, Any]:
    """Carry adjoints from the ``seeds`` (node, adjoint, whether it passed a selection) down the graph; those found, by Leaf or Node.

    ``wanted`` are the nodes to find the adjoints of (None: of all leaves); what does not lead to them is not visited. Unless
    ``retain``, what the visited nodes saved is freed. ``recording``: the adjoints are Variables and the walk is recorded.
    ``nodes``: all that the seeds lead to, where that is known (it will be sorted).
    Raises GraphFreedError where a node has been freed before, InPlaceError where a saved array was overwritten since.

    What follows is this, with a care for what is infinite where nothing was selected, and for arrays that need not be made::

        adjoints = dict(seeds)
        for node in sorted(reachable(adjoints), key=seq, reverse=True):
            g = adjoints.pop(node)
            if node is a leaf or node in wanted:
                found[node] = g
            for edge, c in zip(node.edges, node.plan.backward(g, node.saved)):
                adjoints[edge] = adjoints[edge] + c if edge in adjoints else c
    """
    seeds = list(seeds)
    targets = None if wanted is None else frozenset(wanted)
    if LIMITS and not recording and (found := THROUGH_LIMITS[0](seeds, targets, retain)) is not None:
        return found  # type: ignore[no-any-return]
    roots = [node for node, _, _ in seeds]
    useful: set[Any] | None = None
    if targets is not None:
        useful = leading_to(targets, roots)
        nodes = [node for node in useful if type(node) is Node]
    elif nodes is None:
        nodes = [node for node in reachable(roots) if type(node) is Node]
    nodes.sort(key=NUMBER, reverse=True)
    found = {}
    adjoints: dict[Any, Any] = {}  # of the leaves, and of the nodes that wait
    sums: set[Any] = set()  # those of which the adjoint is an array that was made here: nobody else has it
    selections: set[Any] = set()  # those of which the adjoint has passed a selection
    for node, g, selected in seeds:
        if useful is None or node in useful:
            adjoints[node] = adjoints[node] + g if node in adjoints else g
            if selected:
                selections.add(node)
    take, look = adjoints.pop, adjoints.get
    for node in nodes:
        g = take(node, None)
        if g is None:
            continue
        if HOOKED:
            g = _hooked(node, g)
        edges = node.edges
        if useful is not None:
            if node in targets:  # type: ignore[operator]  # there are targets where something is useful
                found[node] = g
            if useful.isdisjoint(edges):
                continue
        plan = node.plan
        saved = node.saved
        if saved is None:
            raise GraphFreedError(
                f"the graph behind {plan.name} has been walked before",
                why="what it saved is freed while it is walked, to give the memory back at once",
                remedy="give retain_graph=True to every backward() or grad() call but the last",
            )
        if MUTATED:
            refuse_overwritten(node)
        selected = node in selections
        restore = node.restore
        if plan.adds and not recording and restore is None and not ANOMALY:
            (edge,) = edges
            have = look(edge)
            if type(have) is ndarray and (not _is_complex(g) or _is_complex(have)):  # x[i] in a loop: no array of zeros for each entry
                if edge not in sums:
                    adjoints[edge] = have = have.copy()
                    sums.add(edge)
                add_at(have, saved[0], g)
                selections.add(edge)
                if not retain:
                    node.saved = None
                continue
        if recording:
            contributions = plan.recorded(node, g, selected)
        elif plan.stores and node in sums and restore is None and type(g) is ndarray and useful is None and not (HOOKED or ANOMALY):
            contributions = taken_out(plan, g, saved)
        else:
            contributions = (plan.guarded if selected and plan.singular else plan.backward)(g, saved)
        if plan.single:
            if restore is None and useful is None and not ANOMALY:  # most of a chain
                (edge,) = edges
                have = look(edge)
                if have is None or type(have) is not ndarray:
                    adjoints[edge] = contributions if have is None else have + contributions
                    if have is not None or plan.adds or plan.stores:
                        sums.add(edge)
                    if selected or plan.selects:
                        selections.add(edge)
                    if not retain:
                        node.saved = None
                    continue
            contributions = (contributions,)
        if restore is not None:
            contributions = plan.restore(contributions, restore)
        if ANOMALY:
            check_node(node, g, contributions)
        if not retain:
            node.saved = None  # but not the edges: a later walk has to see that it comes through here
        selected = selected or plan.selects
        for edge, c in zip(edges, contributions):
            if useful is not None and edge not in useful:
                continue
            have = look(edge)
            if have is None:
                adjoints[edge] = c
                if plan.adds or plan.stores and edge is edges[0]:
                    sums.add(edge)
            elif type(have) is not ndarray or type(c) is not ndarray or edge not in sums:
                adjoints[edge] = have + c
                sums.add(edge)
            else:
                try:
                    have += c
                except TypeError:  # complex numbers come to real ones
                    adjoints[edge] = have + c
            if selected:
                selections.add(edge)
    for leaf, g in adjoints.items():
        found[leaf] = _hooked(leaf, g) if HOOKED else g
    return found


def taken_out(plan: Any, g: Any, saved: Any) -> Any:
    """The contributions of a store, made of an adjoint that nobody else has: without a copy of it."""
    part = None if plan.single else stored(g, *saved)
    if type(part) is ndarray:
        part = part.copy()
    g[saved[0]] = 0
    return g if plan.single else (g, part)


def _is_complex(g: Any) -> bool:
    return isinstance(g, complex) or type(g) is ndarray and g.dtype.kind == "c"


def _hooked(node: Any, g: Any) -> Any:
    for hook in tuple(getattr(node, "hooks", ())):
        changed = hook(g)
        g = g if changed is None else changed
    return g


class WalkStep:
    """A plan of the engine's own, beside those made from rules: one input, ``backward(g, saved)``."""

    __slots__ = ("backward", "guarded", "name", "restore", "selects")
    singular = adds = stores = False
    single = True

    def __init__(self, name: str, backward: Callable[..., Any], selects: bool = False):
        self.name = name
        self.selects = selects
        self.backward = self.guarded = backward
        self.restore = restored_each

    def recorded(self, node: Node, g: Any, selected: bool) -> Any:
        return self.backward(g, node.saved)


class Adjoints(tuple[Any, ...]):
    """The adjoints of all the results of a node. Adding adds them one by one: an output may be read again by its own backward pass."""

    __slots__ = ()

    def __add__(self, other: Any) -> Adjoints:
        return Adjoints(a + b for a, b in zip(self, other))


def _fill(parts: Parts, kinds: tuple[Kind, ...]) -> Adjoints:
    some = next(iter(parts.values()))
    like = some._value if isinstance(some, Recorded) else some
    return Adjoints(parts[i] if i in parts else blank(kind[0], like, kind[1])[()] for i, kind in enumerate(kinds))


COLLECT = WalkStep("collect", _fill, selects=True)  # of the results that nothing was made of the adjoint is zero
SAME = WalkStep("same", lambda g, _: g)


def pick(position: int) -> WalkStep:
    """The step from one result of several to all of them."""
    return WalkStep("pick", lambda g, _: Parts({position: g}))


def results(node: Node, values: Iterable[Any]) -> list[Node]:
    """A node for each of the several results of ``node``, whose adjoint is the tuple of theirs."""
    collected = record(COLLECT, (node,), tuple(map(kind_of, values)))
    return [record(pick(i), (collected,), ()) for i, _ in enumerate(values)]


def reachable(roots: Iterable[Any], since: int = 0) -> list[Any]:
    """The nodes that a walk from ``roots`` may come to, each once; of those made before ``since`` none but roots."""
    seen = dict.fromkeys(roots)
    stack = list(seen)
    while stack:
        for edge in stack.pop().edges:
            if edge not in seen and edge.seq >= since:
                seen[edge] = None
                stack.append(edge)
    return list(seen)


def leading_to(targets: frozenset[Any], roots: Iterable[Any]) -> set[Any]:
    """The nodes reachable from ``roots`` from which a target can be reached, targets included."""
    useful = set(targets)
    since = min((target.seq for target in targets if target is not None), default=0)
    for node in sorted(reachable(roots, since), key=NUMBER):  # parents first
        if any(edge in useful for edge in node.edges):
            useful.add(node)
    return useful
