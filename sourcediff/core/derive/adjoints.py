"""The adjoints that the reverse sweep holds at one moment: what each is, and what may be done to it."""

from __future__ import annotations

from dataclasses import dataclass

from ...analysis.abstract import UNKNOWN, Abstract
from ...syntax import nodes as n


@dataclass(frozen=True)
class Adjoint:
    """The adjoint of one variable.

    ``expr`` is where it is: its own name (``x_bar``) once it was written, else another adjoint's name or a number that stands
    for it until one of the two changes. ``value`` is its abstract value. ``narrow``: a scalar that stands for an array of equal
    entries. ``owned``: the array is nobody else's, so it may be changed in place. ``selected``: it has passed a selection.
    ``view_of``: the adjoint buffer that it is a view of; ``made_by``: the statement that bound it, to be mended into a copy
    should that buffer change.
    """

    expr: n.expr
    value: Abstract = UNKNOWN
    narrow: bool = False
    owned: bool = False
    selected: bool = False
    view_of: str | None = None
    made_by: n.stmt | None = None

    def borrows(self, name: str) -> bool:
        """Whether it is written as another adjoint's name."""
        return isinstance(self.expr, n.Name) and self.expr.id == name


@dataclass(frozen=True)
class Contribution:
    """What one use of a variable adds to its adjoint. ``owned``: the array is handed over with it."""

    expr: n.expr
    value: Abstract = UNKNOWN
    narrow: bool = False
    selected: bool = False
    view_of: str | None = None
    owned: bool = False
