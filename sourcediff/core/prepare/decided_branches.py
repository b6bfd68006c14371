"""Branches on what is known before the program runs (numbers of dimensions, lengths): the way that is taken, in their place."""

from __future__ import annotations

from typing import Any

from ...syntax import nodes as n
from ...syntax.quote import place
from ..facts.values import Values

Block = list[n.stmt]


def decided_branches(body: Block, values: Values) -> Block:
    """A block without the branches that are known not to be taken; its statements are changed in place."""
    done: Block = []
    for node in body:
        for inner in ("body", "orelse"):
            if before := getattr(node, inner, None):
                setattr(node, inner, decided_branches(before, values) or [nothing(before[0], values)])
        decided = values.decided(node.test, values.before[node]) if isinstance(node, n.If) else None
        if decided is not None:
            done += node.body if decided else node.orelse
            continue
        for field in n.children[type(node)]:
            if isinstance(part := node.__dict__.get(field), n.expr):
                node.__dict__[field] = chosen(part, node, values)
        done.append(node)
    return done


def nothing(instead: n.stmt, values: Values) -> n.stmt:
    """A statement that does nothing, of which is known what is known where another one stood."""
    made = place(n.Pass(), instead)
    values.before[made] = values.after[made] = values.before[instead]
    return made


def chosen(expr: Any, at: n.stmt, values: Values) -> Any:
    """An expression with what a known condition chooses."""
    for field in n.children[type(expr)]:
        value = expr.__dict__.get(field)
        if isinstance(value, n.expr):
            expr.__dict__[field] = chosen(value, at, values)
        elif type(value) is list:
            expr.__dict__[field] = [chosen(item, at, values) if isinstance(item, n.expr) else item for item in value]
    decided = values.decided(expr.test, values.before[at]) if isinstance(expr, n.IfExp) else None
    return expr if decided is None else expr.body if decided else expr.orelse
