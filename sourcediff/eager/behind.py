"""What lies between two places of a graph, and whether there is more behind it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .graph import VOLATILE, Leaf, Node


def behind(roots: Iterable[Any], ends: Iterable[Any]) -> tuple[list[Node], bool]:
    """The nodes from ``roots`` down to the ``ends``, these left out, and whether the graph leads on to any other leaf.

    It does where a function reads a Variable that is none of its arguments, or an argument that is made of other Variables: then what
    is computed of the graph belongs to another derivative too. A leaf whose Variable is gone (of a run within the run) does not count.

    >>> from sourcediff.eager import Variable
    >>> x, y = Variable(2.0, requires_grad=True), Variable(3.0, requires_grad=True)
    >>> behind([(x * x).grad_fn], [x._node]), behind([(x * y).grad_fn], [x._node])
    (([<np.multiply>], False), ([<np.multiply>], True))
    """
    ends = set(ends)
    seen = dict.fromkeys(node for node in roots if node is not None and node is not VOLATILE and node not in ends)
    stack = list(seen)
    while stack:
        for edge in stack.pop().edges:
            if edge not in seen and edge not in ends:
                seen[edge] = None
                stack.append(edge)
    further = any(type(node) is Leaf and node.owner() is not None for node in seen) or any(type(node) is Node for node in ends)
    return [node for node in seen if type(node) is Node], further
