"""The graph and its walk: nodes link results to what they were made of, backward visits them latest first.

A node is made after its parents, so descending ``seq`` is a topological order: a heap of the nodes still waiting is all the
bookkeeping, there is no recursion, and a chain never even touches the heap.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from typing import Any

import numpy as np

from ..arrays import sum_to
from ..errors import GraphFreedError
from .anomaly import ANOMALY, check_born, user_line
from .mutation import MUTATED, refuse_overwritten

tick = itertools.count(1).__next__
"""The next number of a node (or of an in-place change): one order over all threads."""

Kind = tuple[tuple[int, ...], Any]
"""Shape and dtype; the dtype is ``float`` for a Python number."""


class Recorded:
    """What takes part in the graph: Variable and its kinds. It has ``_value`` and ``_node``."""

    __slots__ = ()
    _value: Any
    _node: Any


class Node:
    """One recorded operation.

    ``plan`` says how to go backward, ``edges`` are the nodes of the inputs that want a contribution, ``saved`` what the
    formula reads (None once it is freed), ``seq`` the node's number, ``restore`` the kind of each such input where a
    contribution may have another one (None: all have the result's). ``hooks``, ``line``: set only where they are asked for.
    """

    __slots__ = ("__weakref__", "edges", "hooks", "line", "plan", "restore", "saved", "seq")
    plan: Any
    edges: tuple[Any, ...]
    saved: tuple[Any, ...] | None
    seq: int
    restore: tuple[Kind, ...] | None
    hooks: list[Callable[[Any], Any]]
    line: str

    @property
    def name(self) -> str:
        return self.plan.name

    def __repr__(self) -> str:
        return f"<{self.name}>"


class Leaf:
    """The end of the graph at a Variable that requires grad: where its gradient is collected."""

    __slots__ = ("__weakref__", "hooks", "owner", "seq")
    hooks: list[Callable[[Any], Any]]
    edges = ()
    name = "leaf"

    def __init__(self, owner: Any):
        self.owner = weakref.ref(owner)
        self.seq = tick()


class _Volatile:
    """Stands where a volatile Variable has its node: nothing is recorded, and what is made from it is volatile too."""

    __slots__ = ()
    seq = 0

    def __repr__(self) -> str:
        return "<volatile>"


VOLATILE = _Volatile()
HOOKED: list[bool] = []
"""Not empty once a hook was registered anywhere: until then the walk need not look for any."""


def kind_of(data: Any) -> Kind:
    """Shape and dtype of an array, a NumPy scalar or a number.

    >>> kind_of(np.zeros((2, 3), np.float32)), kind_of(1.5)
    (((2, 3), dtype('float32')), ((), <class 'float'>))
    """
    return (data.shape, data.dtype) if hasattr(data, "dtype") else (np.shape(data), float)


def record(plan: Any, edges: tuple[Any, ...], saved: tuple[Any, ...], restore: tuple[Kind, ...] | None = None) -> Node:
    """A new node."""
    node = Node()
    node.plan = plan
    node.edges = edges
    node.saved = saved
    node.seq = tick()
    node.restore = restore
    if ANOMALY:
        node.line = user_line()
    return node


def restored(c: Any, kind: Kind) -> Any:
    """A contribution in the shape and dtype of what it belongs to."""
    shape, dtype = kind
    if type(c) is np.ndarray:
        if c.shape != shape:
            # the commonest broadcasting of all, a bias added to rows, without the detour through np.sum
            c = np.add.reduce(c) if c.shape[1:] == shape else sum_to(c, shape)
    else:
        c = sum_to(c, shape)
    if dtype is float:
        return c
    return c if getattr(c, "dtype", None) == dtype else c.astype(dtype) if hasattr(c, "astype") else dtype.type(c)


class Parts(dict[int, Any]):
    """The adjoint of a node with several results, as far as it is known: position → adjoint. Adding merges."""

    def __add__(self, other: Parts) -> Parts:  # type: ignore[override]
        merged = Parts(self)
        for position, part in other.items():
            merged[position] = merged[position] + part if position in merged else part
        return merged


def walk(
    seeds: Iterable[tuple[Any, Any, bool]], wanted: Iterable[Any] | None = None, *, retain: bool, recording: bool = False,
) -> dict[Any, Any]:
    """Carry adjoints from the ``seeds`` (node, adjoint, whether it passed a selection) down the graph; those found, by Leaf or Node.

    ``wanted`` are the nodes to find the adjoints of (None: of all leaves); what does not lead to them is not visited. Unless
    ``retain``, what the visited nodes saved is freed. ``recording``: the adjoints are Variables and the walk is recorded.
    Raises GraphFreedError where a node has been freed before, InPlaceError where a saved array was overwritten since.
    """
    found: dict[Any, Any] = {}
    waiting: dict[int, list[Any]] = {}
    heap: list[int] = []
    seeds = list(seeds)
    targets = None if wanted is None else frozenset(wanted)
    useful = None if targets is None else leading_to(targets, [node for node, _, _ in seeds])

    def arrive(node: Any, g: Any, selected: bool) -> None:
        entry = waiting.get(node.seq)
        if entry is None:
            waiting[node.seq] = [node, g, selected]
            heappush(heap, -node.seq)
        else:
            entry[1] = entry[1] + g
            entry[2] = entry[2] or selected

    for node, g, selected in seeds:
        if useful is None or node in useful:
            arrive(node, g, selected)
    while heap:
        node, g, selected = waiting.pop(-heappop(heap))
        while True:  # along a chain, without the heap
            if HOOKED:
                g = _hooked(node, g)
            if targets is not None and node in targets:
                found[node] = g
            if type(node) is Leaf:
                if targets is None:
                    found[node] = g
                break
            if useful is not None and not any(edge in useful for edge in node.edges):
                break
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
            if recording:
                contributions = plan.recorded(node, g, selected)
            else:
                contributions = (plan.guarded if selected and plan.singular else plan.backward)(g, *saved)
            edges = node.edges
            if plan.single:
                contributions = (contributions,)
            if node.restore is not None:
                contributions = plan.restore(contributions, node.restore)
            if ANOMALY:
                check_born(node, g, contributions)
            if not retain:
                node.saved = None
                node.edges = ()
            selected = selected or plan.selects
            if len(edges) == 1:
                (node,), (g,) = edges, contributions
                if useful is not None and node not in useful:
                    break
                if heap and node.seq <= -heap[0]:
                    arrive(node, g, selected)
                    break
            else:
                for edge, g in zip(edges, contributions):
                    if useful is None or edge in useful:
                        arrive(edge, g, selected)
                break
    return found


def _hooked(node: Any, g: Any) -> Any:
    for hook in tuple(getattr(node, "hooks", ())):
        changed = hook(g)
        g = g if changed is None else changed
    return g


class Step:
    """A plan of the engine's own, beside those made from rules: one input, ``backward(g, *saved)``."""

    __slots__ = ("backward", "guarded", "name", "restore")
    selects = singular = False
    single = True

    def __init__(self, name: str, backward: Callable[..., Any]):
        self.name = name
        self.backward = self.guarded = backward
        self.restore = lambda contributions, kinds: [restored(c, kind) for c, kind in zip(contributions, kinds)]

    def recorded(self, node: Node, g: Any, selected: bool) -> Any:
        return self.backward(g, *(node.saved or ()))


def _fill(parts: Parts, *kinds: Kind) -> tuple[Any, ...]:
    return tuple(parts[i] if i in parts else np.zeros(*kind)[()] for i, kind in enumerate(kinds))


COLLECT = Step("collect", _fill)
SAME = Step("same", lambda g: g)


def pick(position: int) -> Step:
    """The step from one result of several to all of them."""
    return Step("pick", lambda g: Parts({position: g}))


def results(node: Node, values: Iterable[Any]) -> list[Node]:
    """A node for each of the several results of ``node``, whose adjoint is the tuple of theirs."""
    collected = record(COLLECT, (node,), tuple(map(kind_of, values)))
    return [record(pick(i), (collected,), ()) for i, _ in enumerate(values)]


def leading_to(targets: frozenset[Any], roots: Iterable[Any]) -> set[Any]:
    """The nodes reachable from ``roots`` from which a target can be reached, targets included."""
    seen = dict.fromkeys(roots)
    stack = list(seen)
    while stack:
        for edge in stack.pop().edges:
            if edge not in seen:
                seen[edge] = None
                stack.append(edge)
    useful = set(targets)
    for node in sorted(seen, key=lambda node: node.seq):  # parents first
        if any(edge in useful for edge in node.edges):
            useful.add(node)
    return useful
