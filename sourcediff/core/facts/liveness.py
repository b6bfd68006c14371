"""Liveness: which names may still be read, in their present binding, after each statement.

What follows a loop is often read only if the loop was left (``if returned: …``). There a name is live under the condition that the
flag is set, and at ``returned = False`` it is not live at all.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from ...analysis.literals import constant
from ...analysis.statements import loads, target_names, targets
from ...syntax import nodes as n


class Conditional(NamedTuple):
    """A name that may be read if a flag is true."""

    flag: str
    name: str


class LiveNames(NamedTuple):
    """What may be read: names, whatever flags say, and names under the condition of a flag."""

    names: frozenset[str]
    conditional: frozenset[Conditional] = frozenset()

    @property
    def plain(self) -> frozenset[str]:
        """The names that may be read, under whatever condition."""
        return self.names.union(each.name for each in self.conditional) if self.conditional else self.names

    def __or__(self, other: LiveNames | set[str]) -> LiveNames:  # type: ignore[override]
        if isinstance(other, LiveNames):
            return LiveNames(self.names | other.names, self.conditional | other.conditional)
        return LiveNames(self.names | other, self.conditional)

    def without(self, bound: set[str], false: bool = False) -> LiveNames:
        """What is live before these names are bound: a flag to False (what is read only if it is set is not live), or to something else."""
        if not self.conditional:
            return LiveNames(self.names - bound)
        settled = {each.name for each in self.conditional if each.flag in bound and not false}
        kept = frozenset(each for each in self.conditional if each.flag not in bound and each.name not in bound)
        return LiveNames((self.names | settled) - bound, kept)


class Liveness:
    """``after[statement]``: the names that may be read later; ``entry``: those read before the block binds them.

    ``flags`` False: whatever flags say, as if each side of every branch could follow each other one.
    """

    def __init__(self, body: list[n.stmt], out: set[str], flags: bool = True):
        self.flags = flags
        self.loads = cache(loads)  # a loop's body is gone through until nothing changes
        self.after: dict[n.stmt, frozenset[str]] = {}
        self.at_head: dict[n.stmt, frozenset[str]] = {}  # of a loop: what may be read when it is about to make a trip, or none
        self.entry = self.block(body, LiveNames(frozenset(out))).plain

    def block(self, body: list[n.stmt], live: LiveNames) -> LiveNames:
        for statement in reversed(body):
            self.after[statement] = live.plain
            live = self.statement(statement, live)
        return live

    def statement(self, node: n.stmt, live: LiveNames) -> LiveNames:
        if isinstance(node, n.If):
            return self._if(node, live)
        if isinstance(node, (n.For, n.While)):
            header = self.loads(node.iter if isinstance(node, n.For) else node.test)
            bound = target_names(node.target) if isinstance(node, n.For) else set()
            head = live | header
            while True:
                new = head | self.block(node.body, head).without(bound)
                if new == head:
                    self.at_head[node] = head.plain
                    return head
                head = new
        if isinstance(node, n.Assign):
            bound = set().union(*map(target_names, node.targets))
            return live.without(bound, constant(node.value) is False if live.conditional else False) | self.loads(node)
        bound = set().union(*map(target_names, targets(node)))
        return live.without(bound) | self.loads(node)

    def _if(self, node: n.If, live: LiveNames) -> LiveNames:
        """What only one side reads is live if that side is taken, where a flag says which one is."""
        then, other = self.block(node.body, live), self.block(node.orelse, live)
        negative = isinstance(node.test, n.UnaryOp) and isinstance(node.test.op, n.Not)
        test = node.test.operand if negative else node.test
        if not isinstance(test, n.Name) or not self.flags:
            return then | other | self.loads(node.test)
        if_set, if_not = (other, then) if negative else (then, other)
        only = (Conditional(test.id, name) for name in if_set.names - if_not.names)
        return LiveNames(if_not.names | {test.id}, if_not.conditional.union(if_set.conditional, only))
