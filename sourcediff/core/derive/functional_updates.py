"""Make updates of adjoint structures functional, so that derived code can be derived again without aliases.

>>> from sourcediff.analysis.scope import Scope
>>> from sourcediff.syntax.quote import statements
>>> from sourcediff.syntax.text import to_source
>>> text = "p_bar['w'][2] += g\\np_bar['b'] -= g\\nrows_bar[0][1] = 0\\nrows_bar[1] = 0"
>>> for node in renewed(statements(text), {"p_bar", "rows_bar"}, Scope()):
...     print(to_source(node))
p_bar = with_added(p_bar, 'w', with_added(zeros_like(p_bar['w']), 2, g))
p_bar = with_added(p_bar, 'b', -g)
rows_bar[0] = with_entry(rows_bar[0], 1, 0)
rows_bar[1] = 0
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from ...analysis.scope import Scope
from ...analysis.statements import base, entry_put_in, grown, is_add_at, popped
from ...runtime.structures import copied, with_added, with_entry, zeros_like
from ...syntax import nodes as n
from ...syntax.quote import as_index, as_read, clone, expression, place, statement

Block = list[n.stmt]


def renewed(body: Sequence[n.stmt], structures: set[str], scope: Scope) -> Block:
    """A copy of a block in which the entries of some structures, and what is in these, are only replaced."""

    def each(node: n.stmt) -> n.stmt:
        node = clone(node)
        if isinstance(node, (n.If, n.For, n.While)):
            node.body, node.orelse = list(map(each, node.body)), list(map(each, node.orelse))
        elif isinstance(node, n.AugAssign) and within(node.target):
            made = added(as_read(node.target), node.value if isinstance(node.op, n.Add) else expression("-$g", g=node.value))
            return place(made, node)
        elif isinstance(node, n.Expr) and isinstance(node.value, n.Call) and is_add_at(node.value):
            array, index, part = node.value.args
            if base(array) in structures:
                return place(added(n.Subscript(value=array, slice=index, ctx=n.Load()), part), node)
        elif isinstance(node, n.Assign) and within(node.targets[0]):
            return place(stored(as_read(node.targets[0]), node.value), node)
        return node

    def within(target: n.expr) -> bool:
        return isinstance(target, n.Subscript) and base(target) in structures

    def helper(function: Any, *args: n.expr) -> n.expr:
        return n.Call(func=expression(scope.imported(function.__name__, function)), args=list(args), keywords=[])

    def index_of(slot: n.Subscript) -> n.expr:
        return as_index(slot.slice, lambda: scope.imported("np", np))

    def added(slot: Any, part: n.expr) -> n.stmt:
        if isinstance(slot, n.Attribute):  # an array's transpose
            return added(slot.value, expression("$p.T", p=part))
        if isinstance(slot.value, n.Name):
            return statement("$x = $v", x=slot.value.id, v=helper(with_added, slot.value, index_of(slot), part))
        if isinstance(slot.slice, n.Constant) and slot.slice.value is ...:
            return added(slot.value, part)
        return added(slot.value, helper(with_added, helper(zeros_like, slot.value), index_of(slot), part))

    def stored(slot: Any, value: n.expr) -> n.stmt:
        if isinstance(slot, n.Attribute):
            return stored(slot.value, expression("$v.T", v=value))
        if isinstance(slot.value, n.Name):
            return statement("$x[$i] = $v", x=slot.value, i=slot.slice, v=value)
        return stored(slot.value, helper(with_entry, slot.value, index_of(slot), value))

    return list(map(each, body))


def lists_of_copies(body: Sequence[n.stmt], lists: Collection[str], scope: Scope) -> frozenset[str]:
    """Those of some lists in which nothing but copies are put, and that are used for nothing else than to take them out again."""

    def is_copy(value: n.expr) -> bool:
        if not isinstance(value, n.Call):
            return False
        return isinstance(value.func, n.Attribute) and value.func.attr == "copy" or scope.resolve(value.func) is copied

    used: set[str] = set()
    parts = list(body[:-1])
    for part in parts:
        if grown(part) in lists and is_copy(entry_put_in(part)):
            parts.append(entry_put_in(part))
        elif popped(part) is None and not (isinstance(part, n.Name) and isinstance(part.ctx, n.Store)):
            if isinstance(part, n.Name):
                used.add(part.id)
            parts += n.below(part)
    return frozenset(lists) - used
