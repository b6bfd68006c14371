"""A derivative that is taken inside of a program, while what it is has not been written yet: what is known of its result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ...analysis.abstract import FLOAT, UNKNOWN, Abstract


class Taken(NamedTuple):
    """The derivative with respect to the arguments at ``positions``, alone if ``single``; ``what`` it is.

    ``"gradient"``, with the value before it if ``value``; ``"pushed"``: the value and its tangent; ``"pulled"``: the value;
    ``"jacobian"``; ``"alike"``: an array like the argument. ``returned`` tells what is known of the value.
    """

    positions: tuple[int, ...]
    single: bool
    value: bool
    what: str = "gradient"
    returned: Callable[[Sequence[Abstract]], Abstract] = lambda arguments: UNKNOWN

    def result(self, arguments: Sequence[Abstract]) -> Abstract:
        """What the call gives: a gradient is like its argument.

        >>> Taken((1,), True, False).result([UNKNOWN, FLOAT]) == FLOAT
        True
        """
        if self.what in ("pushed", "pulled", "jacobian"):
            value = self.returned(arguments)
            if self.what == "jacobian":
                return jacobian_of(value, arguments[self.positions[0]])
            return value if self.what == "pulled" else Abstract("sequence", items=(value, gradient_of(value)))
        parts = tuple(gradient_of(arguments[position]) for position in self.positions)
        found = parts[0] if self.single else Abstract("sequence", items=parts)
        return Abstract("sequence", items=(UNKNOWN, found)) if self.value else found


def jacobian_of(value: Abstract, argument: Abstract) -> Abstract:
    """The abstract value of a Jacobian: of the shape of the value, and then that of the argument."""
    if argument.scalar:
        return gradient_of(value)
    if argument.kind != "array" or not argument.floating or value.rank is None:
        return UNKNOWN
    return Abstract("array", argument.dtype, (*value.dims, *argument.dims))


def gradient_of(argument: Abstract) -> Abstract:
    """The abstract value of the gradient with respect to an argument."""
    if argument.kind == "python":
        return FLOAT
    return argument._replace(length=None) if argument.floating and argument.kind in ("array", "numpy") else UNKNOWN
