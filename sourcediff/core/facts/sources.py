"""What the analyses of containers ask of the alias analysis (``aliases.py``)."""

from __future__ import annotations

from typing import Any, Protocol

from ...analysis.scope import Scope
from ...syntax import nodes as n
from .values import Values


class Sources(Protocol):
    """Which names may stand for parts of the same thing, before each statement."""

    scope: Scope
    values: Values
    before: dict[n.stmt, Any]

    def of(self, name: str, node: n.stmt) -> set[str]:
        """The names that may stand for the same array before a statement."""

    def sources(self, node: n.expr, at: n.stmt) -> set[str]:
        """The names that the value of an expression may be a part of."""

    def together(self, first: n.stmt, then: n.stmt) -> bool:
        """Whether two statements are in one block, the second after the first."""

    def block_of(self, node: n.stmt) -> list[n.stmt]:
        """The block that a statement is in."""
