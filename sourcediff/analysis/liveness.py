"""Liveness: which names may still be read, in their present binding, after each statement.

What follows a loop is often read only if the loop was left (``if returned: …``). There a name is live under the condition that the
flag is set, and at ``returned = False`` it is not live at all.
"""

from __future__ import annotations

from typing import NamedTuple

from ..syntax import nodes as n
from .effects import loads, target_names, targets
from .literals import constant


class Conditional(NamedTuple):
    """A name that may be read if a flag is true."""

    flag: str
    name: str


Live = frozenset["str | Conditional"]


class Liveness:
    """``after[statement]``: the names that may be read later; ``entry``: those read before the block binds them.

    ``flags`` False: whatever flags say, as if each side of every branch could follow each other one.
    """

    def __init__(self, body: list[n.stmt], out: set[str], flags: bool = True):
        self.flags = flags
        self.after: dict[n.stmt, frozenset[str]] = {}
        self.at_head: dict[n.stmt, frozenset[str]] = {}  # of a loop: what may be read when it is about to make a trip, or none
        self.entry = plain(self.block(body, frozenset(out)))

    def block(self, body: list[n.stmt], live: Live) -> Live:
        for statement in reversed(body):
            self.after[statement] = plain(live)
            live = self.statement(statement, live)
        return live

    def statement(self, node: n.stmt, live: Live) -> Live:
        if isinstance(node, n.If):
            return self._if(node, live)
        if isinstance(node, (n.For, n.While)):
            header = loads(node.iter if isinstance(node, n.For) else node.test)
            bound = target_names(node.target) if isinstance(node, n.For) else set()
            head = live | header
            while True:
                new = head | without(settled(self.block(node.body, head), bound, False), bound)
                if new == head:
                    self.at_head[node] = plain(head)
                    return head
                head = new
        bound = set().union(*map(target_names, targets(node)))
        live = settled(live, bound, isinstance(node, n.Assign) and constant(node.value) is False)
        return without(live, bound) | loads(node)

    def _if(self, node: n.If, live: Live) -> Live:
        """What only one side reads is live if that side is taken, where a flag says which one is."""
        then, other = self.block(node.body, live), self.block(node.orelse, live)
        negative = isinstance(node.test, n.UnaryOp) and isinstance(node.test.op, n.Not)
        test = node.test.operand if negative else node.test
        if not isinstance(test, n.Name) or not self.flags:
            return then | other | loads(node.test)
        if_set, if_not = (other, then) if negative else (then, other)
        return if_not | {Conditional(test.id, name) if isinstance(name, str) else name for name in if_set - if_not} | {test.id}


def plain(live: Live) -> frozenset[str]:
    """The names that may be read, under whatever condition."""
    return frozenset(found.name if isinstance(found, Conditional) else found for found in live)


def without(live: Live, bound: set[str]) -> Live:
    """What is live without the names that are bound here."""
    return frozenset(found for found in live if (found.name if isinstance(found, Conditional) else found) not in bound)


def settled(live: Live, bound: set[str], false: bool) -> Live:
    """What is live where a flag is bound: to False (what is read only if it is set is not), or to something else."""
    kept = (found for found in live if not (isinstance(found, Conditional) and found.flag in bound and false))
    return frozenset(found.name if isinstance(found, Conditional) and found.flag in bound else found for found in kept)
