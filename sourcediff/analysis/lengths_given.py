"""Lengths of what a function returns, as forms of those of its arguments: found once, whatever a call is given."""

from __future__ import annotations

from collections.abc import Mapping

from .abstract import UNKNOWN, Abstract, without_lengths
from .lengths import Computed, Dim, Length, length_of, number_of, of_symbol, plus, symbols_of, times
from .lengths_within import with_lengths

GIVEN = -2
"""What stands for the statement in a symbol of a length that is given."""


def with_symbols(value: Abstract, name: str) -> Abstract:
    """An array of which no lengths are known, with symbols for them; any other value as it is.

    >>> str(with_symbols(Abstract("array", None, (None, None)), "x").dims[1])
    'x@-2.1'
    """
    if value.kind != "array" or any(dim is not None for dim in value.dims):
        return value
    return value._replace(dims=tuple(of_symbol(Computed(GIVEN, name, axis)) for axis in range(len(value.dims))))


def forms_alone(value: Abstract) -> Abstract | None:
    """What ``without_lengths`` gives, with those lengths of an array that are numbers, or forms of the ones given."""
    found = without_lengths(value)
    if found is None or value.kind != "array":
        return found
    return found._replace(dims=tuple(dim if is_form(dim) else None for dim in value.dims))


def is_form(dim: Dim) -> bool:
    """Whether a length is known by those given alone."""
    if not isinstance(dim, Length):
        return dim is not None
    return dim.step == 1 and all(isinstance(symbol, Computed) and symbol.statement == GIVEN for symbol, _ in dim.terms)


def at_call(value: Abstract, given: Mapping[str, Abstract]) -> Abstract:
    """A value that is known by such forms, for a call that is ``given`` values of which more is known."""
    def dim_of(symbol: Computed) -> Dim:
        known = given.get(symbol.name, UNKNOWN)
        return known.dims[symbol.axis] if known.kind == "array" and symbol.axis < len(known.dims) else None

    def change(dim: Length) -> Dim:
        if not any(isinstance(symbol, Computed) and symbol.statement == GIVEN for symbol in symbols_of(dim)):
            return dim
        ((first, many), *others) = dim.terms
        if not others and many == 1 and dim.constant == 0:
            return dim_of(first)
        total: Dim = dim.constant
        for symbol, many in dim.terms:
            total = plus(total, times(number_of(dim_of(symbol)), many))
        return length_of(total)

    found: Abstract = with_lengths(value, change)
    return found
