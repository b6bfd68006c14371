"""The adjoint of a recorded run, edge by edge: what each node contributes to each of its inputs."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from typing import Any, NamedTuple

from .nodes import Leaf
from .variable import Variable


class EdgeContribution(NamedTuple):
    """What a node, made at ``seq``, adds to the adjoint of one of its inputs, ``to``."""

    seq: float
    to: Any
    adjoint: Any


def contributions(output: Variable, seed: Any = 1.0) -> Iterator[EdgeContribution]:
    """Every contribution on the way back from a scalar, latest node first. The graph stays as it is and can be walked again."""
    waiting: dict[int, tuple[Any, Any]] = {output._node.seq: (output._node, seed)}
    heap = [-output._node.seq]
    while heap:
        node, g = waiting.pop(-heappop(heap))
        if type(node) is Leaf:
            continue
        plan = node.plan
        found = (plan.guarded if plan.singular else plan.backward)(g, node.saved)
        if plan.single:
            found = (found,)
        if node.restore is not None:
            found = plan.restore(found, node.restore)
        for edge, part in zip(node.edges, found):
            yield EdgeContribution(node.seq, edge, part)
            if edge.seq in waiting:
                waiting[edge.seq] = edge, waiting[edge.seq][1] + part
            else:
                waiting[edge.seq] = edge, part
                heappush(heap, -edge.seq)
