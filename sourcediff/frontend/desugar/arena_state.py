"""What the readings of one group of containers share: which these are, and what has been written for the statement at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...syntax import nodes as n
from ...syntax.quote import names
from .arena_classes import COMPREHENDED, AliasClass, Containers, method_of

Block = list[n.stmt]
Loop = tuple[Any, Any, list[tuple[Any, n.expr]]]
"""The target and the iterable of a loop, and what is bound at the head of its body."""


class ArenaState:
    """Knows the containers of one group; ``active``: they hold what is differentiated, and their directories the places of it."""

    if TYPE_CHECKING:
        def __getattr__(self, name: str) -> Any:
            """What the subclasses do."""

    def __init__(self, containers: Containers, rebound: set[str], group: set[str], active: bool):
        self.containers, self.scope = containers, containers.scope
        self.rebound = rebound  # the names that calls and ``:=`` bind anew
        self.group, self.active = group, active
        self.values = self.scope.fresh("pool") if active else ""
        self.alone = False  # the statement at hand evaluates its expressions once, all of them
        self.taking = False  # it changes containers meanwhile, so all that is asked of them has a name
        self.before: Block = []
        self.cells = {part for name in group for part in self.containers.cells[name].chain() if part.held}
        self.present: set[tuple[str, str]] = set()  # dicts as they are said, and the names that stand for a key of theirs
        self.handed = False  # a container is held by two, or has two names
        self.returned = False  # one that holds others was

    def cell(self, node: Any) -> AliasClass | None:
        """The cell of a container of the group, None of anything else."""
        found = self.containers.of(node)
        part = isinstance(node, n.Subscript) and isinstance(node.slice, n.Slice) and self.cell(node.value) is not None
        return found if part or found in self.cells else None

    def owner(self, node: Any) -> AliasClass | None:
        """The cell of the container of which ``d[k]`` or ``d.method(…)`` asks something."""
        if isinstance(node, n.Subscript):
            return self.cell(node.value)
        return self.cell(node.func.value) if method_of(node) else None

    def concerns(self, node: Any) -> bool:
        return not self.group.isdisjoint(names(node))

    def bound(self, body: Any) -> set[str]:
        """The names that a body may bind."""
        return self.rebound | {part.id for node in body for part in n.walk(node) if isinstance(part, n.Name) and is_stored(part)}


def is_stored(name: n.Name) -> bool:
    """Whether a name is bound where it stands: as a target, or as a parameter."""
    return not isinstance(name.ctx, (n.Load, n.Del))


def fresh(node: Any) -> bool:
    """Whether an expression makes a container that nobody else has."""
    if isinstance(node, n.Call):
        return not isinstance(node.func, n.Attribute) and not node.args
    return isinstance(node, (n.List, n.Dict, n.Set, *COMPREHENDED))
