"""A derivative that is taken inside of a program, while what it is has not been written yet: what is known of its result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .abstract import FLOAT, UNKNOWN, Abstract


class Taken(NamedTuple):
    """The gradient with respect to the arguments at ``positions``, alone if ``single``, with the value before it if ``value``."""

    positions: tuple[int, ...]
    single: bool
    value: bool

    def result(self, arguments: Sequence[Abstract]) -> Abstract:
        """What the call gives: a gradient is like its argument.

        >>> Taken((1,), True, False).result([UNKNOWN, FLOAT]) == FLOAT
        True
        """
        parts = tuple(gradient_of(arguments[position]) for position in self.positions)
        found = parts[0] if self.single else Abstract("sequence", items=parts)
        return Abstract("sequence", items=(UNKNOWN, found)) if self.value else found


def gradient_of(argument: Abstract) -> Abstract:
    """The abstract value of the gradient with respect to an argument."""
    if argument.kind == "python":
        return FLOAT
    return argument._replace(length=None) if argument.floating and argument.kind in ("array", "numpy") else UNKNOWN
