"""What lies between two places of a graph, whether there is more behind it, and how it is made independent of the arrays that it reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...runtime.arrays import is_array
from .nodes import VOLATILE, Leaf, Node


def behind_boundary(roots: Iterable[Any], ends: Iterable[Any], first: int = 0) -> tuple[list[Node], bool]:
    """The nodes from ``roots`` down to the ``ends``, these left out, and whether the graph leads on to any other leaf.

    It does where a function reads a Variable that is none of its arguments, or an argument that is made of other Variables: then what
    is computed of the graph belongs to another derivative too. A leaf whose Variable is gone (of a run within the run) does not count.
    What was made before number ``first`` lies outside, it is not walked.

    >>> from sourcediff.eager import Variable
    >>> x, y = Variable(2.0, requires_grad=True), Variable(3.0, requires_grad=True)
    >>> behind_boundary([(x * x).grad_fn], [x._node]), behind_boundary([(x * y).grad_fn], [x._node])
    (([<np.multiply>], False), ([<np.multiply>], True))
    """
    seen = set(ends)
    further = any(type(node) is Node for node in seen)
    stack = [node for node in dict.fromkeys(roots) if node is not None and node is not VOLATILE and node not in seen]
    seen.update(stack)
    nodes: list[Node] = []
    while stack:
        node = stack.pop()
        if type(node) is Leaf:
            further = further or node.owner() is not None
        elif node.seq < first:
            further = True
        else:
            nodes.append(node)
            for edge in node.edges:
                if edge not in seen:
                    seen.add(edge)
                    stack.append(edge)
    return nodes, further


def snapshot(nodes: Iterable[Node]) -> None:
    """Make what nodes have saved their own: later changes of the arrays that it is (parts of) do not reach it."""
    copies: dict[int, tuple[Any, Any]] = {}
    for node in nodes:
        if node.saved:
            node.saved = _owned(node.saved, copies)


def _owned(value: Any, copies: dict[int, tuple[Any, Any]]) -> Any:
    """What a node has saved, with copies of its arrays (one for each, kept with what it is of)."""
    if type(value) in (list, tuple):
        return type(value)([_owned(part, copies) for part in value])
    if not is_array(value):
        return value
    if id(value) not in copies:
        copies[id(value)] = value, np.copy(value)
    return copies[id(value)][1]
