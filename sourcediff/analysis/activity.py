"""Activity: which values depend on an input that is asked for, and reach the output."""

from __future__ import annotations

from ..syntax import nodes as n
from .carrying import carries
from .effects import base, loads, target_names
from .scope import Scope
from .values import Values


class Activity:
    """``varied[statement]``: names that depend on the inputs before it; ``useful[statement]``: names that reach the output after it."""

    def __init__(self, body: list[n.stmt], inputs: set[str], outputs: set[str], values: Values):
        self.values = values
        self.scope: Scope = values.scope
        self.varied: dict[n.stmt, frozenset[str]] = {}
        self.useful: dict[n.stmt, frozenset[str]] = {}
        self.final = self.forward(body, frozenset(inputs))
        self.backward(body, frozenset(outputs))

    def forward(self, body: list[n.stmt], varied: frozenset[str]) -> frozenset[str]:
        for statement in body:
            self.varied[statement] = self.varied.get(statement, frozenset()) | varied
            varied = self._forward(statement, varied)
        return varied

    def _forward(self, node: n.stmt, varied: frozenset[str]) -> frozenset[str]:
        if isinstance(node, n.Assign):
            depends = carries(node.value, set(varied), self.scope)
            for target in node.targets:
                for name in target_names(target):
                    known = self.values.after[node].get(name)
                    counted = known is not None and known.dtype is not None and known.dtype.kind in "iub"
                    varied = varied | {name} if depends and not counted else varied - {name}
                if isinstance(target, n.Subscript) and depends and (name := base(target)):
                    varied = varied | {name}
        elif isinstance(node, n.AugAssign):
            if carries(node.value, set(varied), self.scope) and (name := base(node.target)):
                varied = varied | {name}
        elif isinstance(node, n.If):
            varied = self.forward(node.body, varied) | self.forward(node.orelse, varied)
        elif isinstance(node, (n.For, n.While)):
            while (new := varied | self.forward(node.body, varied)) != varied:
                varied = new
        return varied

    def backward(self, body: list[n.stmt], useful: frozenset[str]) -> frozenset[str]:
        for statement in reversed(body):
            self.useful[statement] = self.useful.get(statement, frozenset()) | useful
            useful = self._backward(statement, useful)
        return useful

    def _backward(self, node: n.stmt, useful: frozenset[str]) -> frozenset[str]:
        if isinstance(node, n.Assign):
            target = node.targets[0]
            if isinstance(target, n.Subscript):
                return useful | loads(node.value) if base(target) in useful else useful
            bound = target_names(target)
            return useful - bound | loads(node.value) if bound & useful else useful - bound
        if isinstance(node, n.AugAssign):
            return useful | loads(node.value) if base(node.target) in useful else useful
        if isinstance(node, n.If):
            return self.backward(node.body, useful) | self.backward(node.orelse, useful)
        if isinstance(node, (n.For, n.While)):
            while (new := useful | self.backward(node.body, useful)) != useful:
                useful = new
        return useful
