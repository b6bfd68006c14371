"""What the abstract values of single functions ask of the whole interpretation (``values.py``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from ...analysis.abstract import Abstract
from ...analysis.lengths import Equalities
from ...analysis.scope import Scope
from ...syntax import nodes as n


class Evaluator(Protocol):
    """Abstract interpretation, as it is asked for parts of expressions."""

    scope: Scope
    within: tuple[Any, ...]
    equal: Equalities
    before: dict[n.stmt, dict[str, Abstract]]

    def __init__(self, scope: Scope, within: tuple[Any, ...] = ()): ...

    def block(self, body: list[n.stmt], environment: Mapping[str, Abstract]) -> Any:
        """Interpret a block."""

    def of(self, node: n.expr, environment: Mapping[str, Abstract]) -> Abstract:
        """The abstract value of an expression."""

    def iterated(self, value: Abstract, node: n.expr, environment: Mapping[str, Abstract]) -> Abstract:
        """What a loop over a value gives each time."""

    def measured(self, name: str, value: Abstract, at: n.AST | None) -> Abstract:
        """What is bound to a name, each unknown length of an array a symbol."""

    def metadata(self, attribute: str, value: Abstract) -> Abstract:
        """The shape, the number of dimensions or the size of an array."""

    def combined(self, called: Any, values: list[Abstract], scalar: Abstract | None = None) -> Abstract:
        """What an elementwise function gives."""
