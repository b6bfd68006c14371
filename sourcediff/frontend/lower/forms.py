"""Small questions about expressions that several rooms ask."""

from __future__ import annotations

from ...analysis.scope import bound_names
from ...syntax import nodes as n
from ...syntax.quote import place


def nothing() -> n.expr:
    """What stands for a value that there is none of."""
    return n.Constant(value=None, kind=None)


def entry(node: n.expr, counters: set[str]) -> bool:
    """``p["w"]``, ``p[0]["w"]`` or a row by a loop's own counter: an entry that stays where it is, reached again by the same path."""
    if isinstance(node, n.Name):
        return True
    if not isinstance(node, n.Subscript) or not entry(node.value, counters):
        return False
    if isinstance(node.slice, n.Name):
        return node.slice.id in counters
    return isinstance(node.slice, n.Constant) and isinstance(node.slice.value, (int, str))


def bound_anew(body: list[n.stmt]) -> set[str]:
    """The names that a block binds."""
    return set().union(*map(bound_names, body))


def clone_with(display: n.expr, elements: list[n.expr]) -> n.expr:
    """A tuple or list display like ``display`` with other elements."""
    return place(type(display)(elts=elements, ctx=n.Load()), display)
