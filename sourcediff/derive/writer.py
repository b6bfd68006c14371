"""What both modes write with: code at a place of the program, over names of which the abstract values are known."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import arrays, structures
from ..analysis.abstract import Abstract
from ..analysis.complexes import Complexes, holds_complex
from ..analysis.values import Values
from ..errors import UnsupportedSyntaxError
from ..syntax import nodes as n
from ..syntax.quote import Filling, as_read, clone, expression, place

Block = list[n.stmt]


class Writer:
    """Holds the code of the moment, the statement that it belongs to (``at``), and what is known of the names there."""

    def __init__(self, values: Values, complexes: Complexes, pointer: Any):
        self.values = values
        self.complexes = complexes
        self.scope = values.scope
        self.helpers = values.scope.helpers
        self.pointer = pointer  # statement, problem, why, remedy → Place
        self.code: Block = []
        self.at: n.stmt | None = None
        self.environment: dict[str, Abstract] = {}

    def emit(self, node: n.stmt) -> n.stmt:
        """Add a statement to the code of the moment."""
        if self.at is not None:
            place(node, self.at)
        self.code.append(node)
        return node

    def helper(self, name: str, *args: Filling) -> n.expr:
        """A call of a helper of arrays.py or structures.py."""
        spelled = self.scope.imported(name, getattr(structures, name, None) or getattr(arrays, name))
        return n.Call(func=expression(spelled), args=[clone(expression("$a", a=argument)) for argument in args], keywords=[])

    def numpy(self, text: str, **holes: Filling) -> n.expr:
        """An expression that calls NumPy."""
        spelled = self.scope.imported("np", np)
        return clone(expression(text, **holes), {"np": expression(spelled)} if spelled != "np" else None)

    def copied(self, node: Filling, known: Abstract) -> n.expr:
        """A copy of an array, or of a structure of arrays."""
        return expression("$x.copy()", x=node) if known.kind == "array" else self.helper("copied", node)

    def may_be_complex(self, node: n.expr, known: Abstract | None = None) -> bool:
        """Whether the value of an expression may be complex (or hold what is)."""
        if not self.complexes.names:
            return False
        known = self.value_of(node) if known is None else known
        return known.dtype.kind == "c" if known.dtype is not None else holds_complex(known) or self.complexes.may_be(node)

    def check_entry(self, target: n.Subscript, holder: Abstract) -> None:
        """Refuse that anything but a number takes the place of an entry of a list or dict: other names may hold what was there."""
        after = self.values.after[self.at] if self.at is not None else {}
        if holder.kind == "mixed" or not self.value_of(as_read(target)).scalar or not self.values.of(as_read(target), after).scalar:
            place_ = self.pointer(
                self.at, "this list or dict holds differentiated values", "other names may hold its entries",
                "use an array, or local names",
            )
            raise UnsupportedSyntaxError("a store into a list or dict is not taken by the compiler", places=[place_])

    def value_of(self, node: n.expr) -> Abstract:
        """The abstract value of an expression at this point."""
        return self.values.of(node, self.environment)
