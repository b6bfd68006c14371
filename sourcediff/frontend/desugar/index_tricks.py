"""Write ``np.r_[…]`` and ``np.c_[…]`` of differentiated values as concatenations.

>>> import numpy as np
>>> from sourcediff.api.explain import text_after
>>> def mirrored(h, y):
...     he = np.r_[h[0], h, 0:1:3j]
...     return np.sum(he) + np.sum(np.c_[h, y] ** 2)
>>> print(text_after("unbound_names", mirrored, args=(np.ones(3), np.ones(3))))
t = h[0]
t1 = np.atleast_1d(t)
t2 = np.linspace(0, 1, 3)
he = np.concatenate((t1, h, t2))
t3 = np.sum(he)
t4 = np.column_stack((h, y))
t5 = t4 ** 2
t6 = np.sum(t5)
value = t3 + t6
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...analysis.abstract import Abstract
from ...analysis.literals import constant
from ...syntax import nodes as n
from ...syntax.quote import expression


class Unwritten(Exception):
    """What is not written as a concatenation; the node, and why not."""

    def __init__(self, node: n.AST, why: str):
        super().__init__(why)
        self.node = node
        self.why = why


class Part(NamedTuple):
    """A part, and how many dimensions it has, None where that is not known."""

    value: n.expr
    rank: int | None


class Beside(NamedTuple):
    """What is known of the parts: ``known`` their values, ``carries`` whether one is differentiated, ``named`` gives one a name;
    ``numpy`` is what NumPy is called."""

    known: Callable[[n.expr], Abstract]
    carries: Callable[[n.AST], bool]
    named: Callable[[n.expr], n.expr]
    numpy: str

    def written(self, function: Any, index: n.expr) -> n.expr:
        """``np.r_[index]`` or ``np.c_[index]`` by functions of NumPy's. Raises Unwritten."""
        given = list(index.elts) if isinstance(index, n.Tuple) else [index]
        if isinstance(given[0], n.Constant) and isinstance(given[0].value, str):
            raise Unwritten(given[0], "a text says how its parts are joined")
        if not isinstance(index, (n.Tuple, n.Slice)) and self.known(index).kind != "array":
            raise Unwritten(index, "whether it is one part or a tuple of several is not known")
        for part in given:
            if isinstance(part, n.Starred):
                raise Unwritten(part, "how many parts there are is not known")
        given = [self.named(part) if self.carries(part) and not isinstance(part, n.Slice) else part for part in given]
        like = next((part for part in given if self.carries(part)), None)
        parts = [self.part(part, like) for part in given]
        if function is np.r_:
            joined = [part.value if part.rank else self.call("atleast_1d", part.value) for part in parts]
            return self.call("concatenate", n.Tuple(elts=joined, ctx=n.Load()))
        if all(part.rank in (1, 2) for part in parts):
            return self.call("column_stack", n.Tuple(elts=[part.value for part in parts], ctx=n.Load()))
        columns = [self.call("transpose", self.call("atleast_2d", self.call("transpose", part.value))) for part in parts]
        return expression(f"{self.numpy}.concatenate($p, axis=-1)", p=n.Tuple(elts=columns, ctx=n.Load()))

    def call(self, function: str, argument: n.expr) -> n.expr:
        """A call of one of NumPy's functions."""
        return expression(f"{self.numpy}.{function}($a)", a=argument)

    def part(self, node: n.expr, like: n.expr | None) -> Part:
        """A slice as a range; a literal as a vector of the dtype of what is beside it, as Python's numbers have none of their own."""
        if isinstance(node, n.Slice):
            return Part(self.ranged(node), 1)
        if type(constant(node)) in (int, float) and like is not None:
            return Part(expression(f"{self.numpy}.full(1, $v, {self.numpy}.result_type($l))", v=node, l=like), 1)
        value = self.known(node)
        return Part(node, value.rank if value.kind == "array" else None)

    def ranged(self, node: n.Slice) -> n.expr:
        """``a:b:c`` as ``np.arange(a, b, c)``, ``a:b:5j`` as ``np.linspace(a, b, 5)``."""
        start, stop, step = node.lower or expression("0"), node.upper, node.step
        if self.carries(node):
            raise Unwritten(node, "how many numbers there are depends on what is differentiated")
        if stop is None:
            raise Unwritten(node, "it has no end")
        if step is None:
            return expression(f"{self.numpy}.arange($a, $b)", a=start, b=stop)
        count, dtype = constant(step), self.known(step).dtype
        if type(count) is complex:
            return expression(f"{self.numpy}.linspace($a, $b, $n)", a=start, b=stop, n=int(abs(count)))
        if type(count) not in (int, float) and (dtype is None or dtype.kind not in "iuf"):
            raise Unwritten(node, "whether its step is a count, like 5j, is not known")
        return expression(f"{self.numpy}.arange($a, $b, $c)", a=start, b=stop, c=step)
