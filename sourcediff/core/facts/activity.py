"""Activity: which values depend on an input that is asked for."""

from __future__ import annotations

from ...analysis.scope import Scope
from ...analysis.source.may_be_active import carries
from ...analysis.statements import base, entry_put_in, grown, target_names
from ...syntax import nodes as n
from .values import Values


class Activity:
    """``varied[statement]``: the names that depend on the inputs before it; ``final``: those after the last statement.

    ``strays`` are statements that are not in normal form though they carry a derivative: what reaches them was not seen in time.
    """

    def __init__(self, body: list[n.stmt], inputs: set[str], values: Values):
        self.values = values
        self.scope: Scope = values.scope
        self.varied: dict[n.stmt, frozenset[str]] = {}
        self.strays: list[n.stmt] = []
        self.final = self.forward(body, frozenset(inputs))

    def forward(self, body: list[n.stmt], varied: frozenset[str]) -> frozenset[str]:
        for statement in body:
            known = self.varied.get(statement)
            self.varied[statement] = varied if known is None or known <= varied else known | varied  # mostly one object for many
            varied = self._forward(statement, varied)
        return varied

    def _forward(self, node: n.stmt, varied: frozenset[str]) -> frozenset[str]:
        if isinstance(node, n.Assign):
            depends = node not in self.scope.idle and carries(node.value, varied, self.scope)
            for target in node.targets:
                names = target_names(target)
                varies = {name for name in names if depends and not self.counted(name, node)}
                if not varies <= varied or not varied.isdisjoint(names - varies):
                    varied = varied - names | varies
                if isinstance(target, n.Subscript) and depends and (stored := base(target)):
                    self.named(node.value, node)
                    varied = with_name(varied, stored)
        elif isinstance(node, n.AugAssign):
            if carries(node.value, varied, self.scope) and (updated := base(node.target)):
                self.named(node.value, node)
                varied = with_name(varied, updated)
        elif (parts := grown(node)) is not None:
            if carries(entry_put_in(node), varied, self.scope):
                self.named(entry_put_in(node), node)
                varied = with_name(varied, parts)
        elif isinstance(node, n.If):
            varied = self.forward(node.body, varied) | self.forward(node.orelse, varied)
        elif isinstance(node, (n.For, n.While)):
            if isinstance(node, n.For) and carries(node.iter, varied, self.scope):  # what it goes over should be indexed
                self.strays.append(node)
            while (new := varied | self.forward(node.body, varied)) != varied:
                varied = new
        return varied

    def counted(self, name: str, node: n.stmt) -> bool:
        """Whether a name stands for whole numbers or booleans after a statement."""
        known = self.values.after[node].get(name)
        return known is not None and known.dtype is not None and known.dtype.kind in "iub"

    def named(self, value: n.expr, node: n.stmt) -> None:
        """Note a statement whose value has no name, by which its adjoint would be known."""
        if not isinstance(value, n.Name):
            self.strays.append(node)


def with_name(names: frozenset[str], name: str) -> frozenset[str]:
    """Some names and one more; the very same ones if it is among them."""
    return names if name in names else names | {name}
