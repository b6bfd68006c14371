"""Sizes for samples: numbers for the symbols in lengths, so that what comes out is told by what went in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ...analysis.abstract import Abstract
from ...analysis.lengths import (
    NOT_ONE,
    Computed,
    Dim,
    Length,
    length_at,
    length_of,
    number_of,
    plus,
    symbols_of,
    times,
)

KNOWN, NOT_KNOWN = -2, -3
"""What stands for the number of a statement, in symbols of lengths that are known and of such that are not."""

UNKNOWN_INT = ""
"""What stands among the symbols for ints that are not known."""

FEW = 4
"""Symbols of which it is tried which are equal."""

Sizes = Mapping[str, int]

SIZES = ((4, 7, 10, 13, 18, 24), (5, 11, 15, 19, 23, 30), (9, 13, 21, 22, 31, 35))
"""The sizes of symbols in each of the calls: no two columns, nor their halves, doubles and means, differ by the same in all of them."""


class Display(NamedTuple):
    """A list or a tuple that is written out."""

    kind: type
    items: tuple[Any, ...]


def in_terms_of(dim: Dim, symbols: Mapping[Any, Any]) -> Dim:
    """A length with other symbols."""
    if not isinstance(dim, Length):
        return dim
    named = [(in_terms_of(each, symbols) if isinstance(each, Length) else symbols[each], times) for each, times in dim.terms]
    return dim._replace(terms=tuple(sorted(named, key=str)))


def renamed(known: Abstract, symbols: Mapping[Any, Any]) -> Abstract:
    """What is known of a value, with other symbols in its lengths."""
    items = tuple(renamed(item, symbols) for item in known.items) if type(known.items) is tuple else known.items
    dims = tuple(dim if dim == NOT_ONE else in_terms_of(dim, symbols) for dim in known.dims)
    return known._replace(dims=dims, items=items)


def attempts(symbols: list[str], written: list[int], room: int) -> Iterator[tuple[list[list[str]] | None, list[dict[str, int]]]]:
    """The sizes to try, and which symbols have one of their own; None where some have one that is written, or unknown ints are 0."""
    classified = [classes for classes in partitions(symbols) if len(classes) <= len(SIZES[0])]
    for size in (0, *written, -1):
        for classes in classified:
            rows = [{symbol: row[k] + room for k, members in enumerate(classes) for symbol in members} for row in SIZES]
            for row in rows:
                row.update(dict.fromkeys(classes[0], size) if size > 0 else {UNKNOWN_INT: 0} if size else {})
            yield (None if size else classes), rows
    yield None, [dict.fromkeys(symbols, 12 * (turn + 1)) for turn in range(len(SIZES))]  # for what takes halves or thirds


def lengths(args: Iterable[Any]) -> Iterator[Dim]:
    """The lengths that arguments name."""
    for part in args:
        if isinstance(part, Display):
            yield from lengths(part.items)
        elif isinstance(part, Abstract):
            yield from part.dims
            yield part.length
            if part.kind == "sequence":
                yield from lengths(part.items if type(part.items) is tuple else (part.items,))


def partitions(symbols: list[str]) -> list[list[list[str]]]:
    """The ways to give some symbols one size, those with the most sizes first; of many symbols the two extremes."""
    if len(symbols) > FEW:
        return [[[symbol] for symbol in symbols], [symbols]]
    found: list[list[list[str]]] = [[]]
    for symbol in symbols:
        found = [
            [*classes[:k], [*classes[k], symbol], *classes[k + 1:]] if k < len(classes) else [*classes, [symbol]]
            for classes in found for k in range(len(classes) + 1)
        ]
    return sorted(found, key=len, reverse=True)


def size_of(dim: Dim, sizes: Sizes) -> int:
    """A length where its symbol has a size."""
    return length_at(dim, sizes) or 0


def dim_of(sizes: tuple[int, ...], known: Mapping[Length, tuple[int, ...]] | None) -> Dim:
    """The length that has these sizes."""
    if known is None:
        return None
    if len(sizes) == len(SIZES) and len(set(sizes)) == 1:
        return sizes[0] or None
    for dim, own in known.items():
        apart = {one - other for one, other in zip(sizes, own)}
        ratios = {one / other if other else 0 for one, other in zip(sizes, own)}
        symbol = next(iter(symbols_of(dim)), None)
        unknown = isinstance(symbol, Computed) and symbol.statement == NOT_KNOWN
        if len(apart) == 1:
            more = apart.pop()
            if isinstance(symbol, Computed) and unknown:
                return NOT_ONE if not symbol.may_be_one and not more else None
            return length_of(plus(number_of(dim), more))
        if len(ratios) == 1 and (ratio := ratios.pop()) == int(ratio) > 1 and not unknown:
            return length_of(times(number_of(dim), int(ratio)))
    return None
