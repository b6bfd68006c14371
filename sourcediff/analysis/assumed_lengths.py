"""Lengths of the arguments of a call that are taken for equal, or for long enough, which the call is asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Any

from .lengths import Dim, Length, at_least, least, length_at, length_of, of_symbol, plus, split_bound, symbols_of


def prolonged(asked: Mapping[str, int], known: Mapping[str, Dim], told: Set[str], sizes: Any = True) -> dict[str, Length]:
    """By symbols that are ``told`` the lengths that they have where they are not less than what is ``asked`` of them.

    >>> str(prolonged({"x.0": 3}, {}, {"x.0"})["x.0"])
    'x.0>3 + 3'
    """
    found = {}
    for symbol, number in asked.items():
        had = known.get(symbol)
        longer = isinstance(had, Length) and split_bound(str(had.terms[0][0])) == (symbol, had.constant) and had.constant < number
        enough = not isinstance(sizes, tuple) or dict(sizes).get(symbol, 0) >= number
        if symbol in told and enough and (had is None or longer):
            found[symbol] = at_least(symbol, number)
    return found


def positive_parts(number: Length) -> tuple[Dim, Dim] | None:
    """Two lengths that can be told of a call, of which the second less the first is the value of an int.

    >>> tuple(map(str, positive_parts(Length((("n", -1), ("x.0", 1)), -1)) or ()))
    ('n + 1', 'x.0')
    """
    if not number.of_call:
        return None
    positive = Length(tuple(term for term in number.terms if term[1] > 0), max(0, number.constant))
    less = plus(positive, number, -1)
    return less, positive if positive.terms else positive.constant


def sizes_at(dim: Dim, sizes: tuple[tuple[str, int], ...]) -> dict[str, int]:
    """The sizes of the symbols of a length, by those of dimensions of arguments."""
    known, bounds = dict(sizes), {symbol: split_bound(symbol) for symbol in symbols_of(dim)}
    return {symbol: max(0, known[base] - number) for symbol, (base, number) in bounds.items() if base in known}


def may_be_taken(pair: tuple[Dim, Dim], told: Set[str], sizes: Any) -> bool:
    """Whether the second of two lengths may be taken for no smaller than the first one: it can be told of a call, and is so of examples."""
    one, other = (length_at(dim, sizes_at(dim, sizes)) for dim in pair) if isinstance(sizes, tuple) else (0, 0)
    return all(symbols_of(dim) <= told for dim in pair) and one is not None and other is not None and one <= other


def solved(likely: Iterable[frozenset[Dim]], known: Mapping[str, Dim], told: Set[str], sizes: Any = True) -> dict[str, Dim]:
    """By symbols that are ``told`` the lengths that they have where ``likely`` pairs are equal, and ``known`` ones.

    ``sizes`` are those of example arguments, True where there are none.

    >>> pairs = [frozenset((Length((("a.0", 1),), -2), Length((("b.0", 1),), -1))), frozenset((of_symbol("c.0"), 3))]
    >>> {symbol: str(dim) for symbol, dim in sorted(solved(pairs, {}, {"a.0", "b.0", "c.0"}).items())}
    {'a.0': 'b.0 + 1', 'c.0': '3'}
    """
    found = dict(known)
    for one, other in sorted((sorted(pair, key=str) for pair in likely), key=str):
        while isinstance(one, Length) and isinstance(other, Length) and one.step == other.step > 1:
            one, other = (length_of(part._replace(step=1)) for part in (one, other))
        if isinstance(sizes, tuple) and length_at(one, sizes_at(one, sizes)) != length_at(other, sizes_at(other, sizes)):
            continue
        apart = plus(one, other, -1)
        apart = apart if isinstance(apart, Length) else Length((), 0)
        for symbol, many in apart.terms:  # the substitution so far
            if symbol in found:
                apart = plus(plus(apart, of_symbol(symbol), -many), found[symbol], many) or 0
                apart = apart if isinstance(apart, Length) else Length((), 0)
        terms = [(symbol, many) for symbol, many in apart.terms if symbol in told]
        if len(terms) < len(apart.terms) or [many for _, many in terms] not in ([1], [-1], [1, -1], [-1, 1]):
            continue
        symbol, many = terms[-1]
        if len(terms) == 2 and -many * apart.constant < 0:  # what is longer is told by what is shorter
            symbol, many = terms[0]
        dim = plus(of_symbol(symbol), apart, -many)
        if dim is not None and least(dim) > 1:
            found = {key: plus(plus(value, of_symbol(symbol), -count), dim, count) for key, value in found.items()
                     for count in [dict(value.terms).get(symbol, 0) if isinstance(value, Length) else 0]}
            found[symbol] = dim
    return found
