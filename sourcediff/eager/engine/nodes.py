"""What the graph is made of: nodes and leaves, and the Variables that stand at them."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

tick = itertools.count(1).__next__
"""The next number of a node (or of an in-place change): one order over all threads."""


Kind = tuple[tuple[int, ...], Any]
"""Shape and dtype; the dtype is ``float`` or ``complex`` for a Python number."""


class Recorded:
    """What takes part in the graph: Variable and its kinds. It has ``_value`` and ``_node``."""

    __slots__ = ()
    _value: Any
    _node: Any

    if TYPE_CHECKING:  # all else that a Variable has

        def __getattr__(self, name: str) -> Any: ...


class Node:
    """One recorded operation.

    ``plan`` says how to go backward, ``edges`` are the nodes of the inputs that want a contribution, ``saved`` what the
    formula reads (None once it is freed), ``seq`` the node's number, ``restore`` the kind of each such input where its
    contribution may have another one (None: it has that; for the whole: all have), ``kind`` the kind of the result, where it has been asked
    for (None: not yet). ``hooks``, ``line``: set only where they are asked for.
    """

    __slots__ = ("__weakref__", "edges", "hooks", "kind", "line", "plan", "restore", "saved", "seq")
    plan: Any
    edges: tuple[Any, ...]
    saved: tuple[Any, ...] | None
    seq: int
    restore: tuple[Any, ...] | None  # of a sequence: (position, kind)
    kind: Kind | None
    hooks: list[Callable[[Any], Any]]
    line: str

    @property
    def name(self) -> str:
        return self.plan.name

    def __repr__(self) -> str:
        return f"<{self.name}>"


class Leaf:
    """The end of the graph at a Variable that requires grad: where its gradient is collected."""

    __slots__ = ("__weakref__", "hooks", "kind", "owner", "seq")
    kind: Kind | None
    hooks: list[Callable[[Any], Any]]
    edges = ()
    name = "leaf"

    def __init__(self, owner: Any):
        self.owner = weakref.ref(owner)
        self.seq = tick()
        self.kind = None


class _Volatile:
    """Stands where a volatile Variable has its node: nothing is recorded, and what is made from it is volatile too."""

    __slots__ = ()
    seq = 0

    def __repr__(self) -> str:
        return "<volatile>"


VOLATILE = _Volatile()


OF_FLOAT: Kind = ((), float)
OF_FLOAT64: Kind = ((), np.dtype(float))


def kind_of(data: Any) -> Kind:
    """Shape and dtype of an array, a NumPy scalar or a number (``float`` or ``complex``).

    >>> kind_of(np.zeros((2, 3), np.float32)), kind_of(1.5)
    (((2, 3), dtype('float32')), ((), <class 'float'>))
    """
    if type(data) is float:
        return OF_FLOAT
    if type(data) is np.float64:
        return OF_FLOAT64
    if hasattr(data, "dtype"):
        return data.shape, data.dtype
    return np.shape(data), complex if isinstance(data, complex) else float


def noted(node: Any, data: Any) -> Kind:
    """The kind of the array that stands at a node, kept there for the next operation that asks."""
    node.kind = kind = (data.shape, data.dtype)
    return kind
