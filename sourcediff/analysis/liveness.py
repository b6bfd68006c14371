"""Liveness: which names may still be read, in their present binding, after each statement."""

from __future__ import annotations

from ..syntax import nodes as n
from .effects import loads, target_names


class Liveness:
    """``after[statement]``: the names that may be read later; ``entry``: those read before the block binds them."""

    def __init__(self, body: list[n.stmt], out: set[str]):
        self.after: dict[n.stmt, frozenset[str]] = {}
        self.at_head: dict[n.stmt, frozenset[str]] = {}  # of a loop: what may be read when it is about to make a trip, or none
        self.entry = self.block(body, frozenset(out))

    def block(self, body: list[n.stmt], live: frozenset[str]) -> frozenset[str]:
        for statement in reversed(body):
            self.after[statement] = live
            live = self.statement(statement, live)
        return live

    def statement(self, node: n.stmt, live: frozenset[str]) -> frozenset[str]:
        if isinstance(node, n.If):
            return self.block(node.body, live) | self.block(node.orelse, live) | loads(node.test)
        if isinstance(node, (n.For, n.While)):
            header = loads(node.iter if isinstance(node, n.For) else node.test)
            bound = target_names(node.target) if isinstance(node, n.For) else set()
            head = live | header
            while True:
                new = head | (self.block(node.body, frozenset(head)) - bound)
                if new == head:
                    self.at_head[node] = frozenset(head)
                    return frozenset(head)
                head = new
        bound = set()
        if isinstance(node, n.Assign):
            bound = set().union(*map(target_names, node.targets))
        return frozenset((live - bound) | loads(node))
