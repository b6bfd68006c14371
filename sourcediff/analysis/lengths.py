"""Symbolic lengths of dimensions: linear forms in symbols, what is known of them, and which must be equal.

A length is an ``int``, a :class:`Length` or None (unknown). A parameter's length that is neither 0 nor 1 is a symbol: two such symbols
that meet in broadcasting are equal, for else NumPy would have raised. ``Length((("x.0", 1),), -2)`` is ``max(0, n - 2)``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple


class Computed(NamedTuple):
    """The symbol of a length that a statement gives an array, as it has run last: its number, what it binds, and the axis."""

    statement: int
    name: str
    axis: int
    may_be_one: bool = True

    def __str__(self) -> str:
        return f"{self.name}@{self.statement}.{self.axis}"


class Length(NamedTuple):
    """A linear form in symbols. As the length of a dimension it is cut off at 0; as the value of an int it is exact.

    With a ``step`` it is the length of every second (third …) entry of such a dimension, and never the value of an int.
    A symbol is ``x.0`` (a parameter's own dimension, 2 or more), ``n`` (an int among the parameters), the length of a dimension, or
    :class:`Computed`.
    """

    terms: tuple[tuple[Any, int], ...]
    constant: int = 0
    step: int = 1

    @property
    def of_call(self) -> bool:
        """Whether it can be told from the arguments of a call."""
        return self.step == 1 and all(type(symbol) is str for symbol, _ in self.terms)

    def __str__(self) -> str:
        parts = [f"{'' if times == 1 else f'{times} * '}{symbol}" for symbol, times in self.terms]
        parts += [str(self.constant)] if self.constant > 0 else []
        form = f"{' + '.join(parts)}{self.constant if self.constant < 0 else ''}"
        return form if self.step == 1 else f"({form}) / {self.step}"


def of_symbol(symbol: Any) -> Length:
    """The length that a symbol stands for."""
    return Length(((symbol, 1),))


BEYOND = ">"
"""What stands in a symbol between that of a length and a number: ``x.0>3`` is how much longer than 3 it is."""


def split_bound(symbol: str) -> tuple[str, int]:
    """The symbol of a length, and how much longer than what number it stands for; 0 for the length itself.

    >>> split_bound("x.0>3"), split_bound("p['a>b'].0")
    (('x.0', 3), ("p['a>b'].0", 0))
    """
    base, _, number = symbol.rpartition(BEYOND)
    return (base, int(number)) if number.isdigit() and base else (symbol, 0)


def at_least(symbol: str, number: int) -> Length:
    """A length that is not less than a number."""
    return Length(((f"{symbol}{BEYOND}{number}", 1),), number)


NOT_ONE = of_symbol(Computed(-1, "", 0, may_be_one=False))  # some length that is not 1


Dim = int | Length | None


def symbols_of(dim: Dim) -> frozenset[Any]:
    """The symbols that a length is a form of."""
    terms = dim.terms if isinstance(dim, Length) else ()
    return frozenset().union(*(symbols_of(symbol) if isinstance(symbol, Length) else {symbol} for symbol, _ in terms))


def length_at(dim: Dim, sizes: Mapping[Any, int]) -> int | None:
    """How long a dimension is where its symbols have these sizes.

    >>> length_at(Length((("x.0", 2),), -1), {"x.0": 3}), length_at(Length((("x.0", 1),), -4), {"x.0": 3})
    (5, 0)
    """
    if not isinstance(dim, Length) or not symbols_of(dim) <= sizes.keys():
        return None if isinstance(dim, Length) else dim
    parts = [times * (length_at(symbol, sizes) or 0 if isinstance(symbol, Length) else sizes[symbol]) for symbol, times in dim.terms]
    return -(-max(0, sum(parts) + dim.constant) // dim.step)


def least(dim: Dim) -> float:
    """The least that a form may be, before it is cut off."""
    if not isinstance(dim, Length):
        return dim or 0
    lowest = sum(least_of_symbol(symbol) * times if times > 0 else -math.inf for symbol, times in dim.terms) + dim.constant
    return lowest if dim.step == 1 else -(-max(0, lowest) // dim.step)


def least_of_symbol(symbol: Any) -> float:
    """The least that a symbol stands for."""
    if isinstance(symbol, Length):
        return max(0, least(symbol))
    if isinstance(symbol, Computed) or split_bound(symbol)[1]:
        return 0
    return 2 if symbol.rpartition(".")[2].isdigit() else -math.inf


def number_of(dim: Dim) -> Dim:
    """The value of an int that is the length of a dimension."""
    if not isinstance(dim, Length) or dim == NOT_ONE or dim.step == 1 and least(dim) >= 0:
        return dim
    return of_symbol(dim)


def every(dim: Dim, step: int) -> Dim:
    """The length of every second (third …) entry of a dimension."""
    if dim is None or dim == NOT_ONE or step == 1:
        return dim if step == 1 else None
    if isinstance(dim, int):
        return -(-dim // step)
    return (dim if dim.step == 1 else of_symbol(dim))._replace(step=step)


def length_of(number: Dim) -> Dim:
    """The length of a dimension that is as long as an int says."""
    if isinstance(number, Length) and len(number.terms) == 1 and number.constant <= 0:
        ((inner, times),) = number.terms
        if isinstance(inner, Length) and times == 1 and (inner.step == 1 or not number.constant):
            return inner._replace(constant=inner.constant + number.constant)
    return number


def plus(a: Dim, b: Dim, factor: int = 1) -> Dim:
    """The value of ``a + factor * b`` of ints.

    >>> str(plus(of_symbol("n"), 2)), plus(of_symbol("n"), of_symbol("n"), -1)
    ('n + 2', 0)
    """
    if a is None or b is None or NOT_ONE in (a, b):
        return None
    one, other = (Length((), part) if isinstance(part, int) else part if part.step == 1 else of_symbol(part) for part in (a, b))
    total = dict(one.terms)
    for symbol, many in other.terms:
        total[symbol] = total.get(symbol, 0) + factor * many
    terms = sorted((term for term in total.items() if term[1]), key=str)
    constant = one.constant + factor * other.constant
    return Length(tuple(terms), constant) if terms else constant


def times(a: Dim, b: Dim) -> Dim:
    """The value of ``a * b`` of ints, one of which is known."""
    return plus(0, b, a) if isinstance(a, int) else plus(0, a, b) if isinstance(b, int) else None


def quotient(a: Dim, b: Dim) -> Dim:
    """The value of ``a // b`` of ints, where the first is not below 0 and the second is known.

    >>> str(quotient(of_symbol("x.0"), 2))
    '(x.0-1) / 2'
    """
    known = isinstance(b, int) and b > 0 and a is not None and least(a) >= 0
    return number_of(every(length_of(plus(a, b - 1, -1)), b)) if known and isinstance(b, int) else None


def can_be_one(dim: Dim) -> bool:
    """Whether a length may be 1 at run time."""
    if not isinstance(dim, Length):
        return dim is None or dim == 1
    if dim.step == 1 and (1 - dim.constant) % math.gcd(*(times for _, times in dim.terms)):
        return False
    alone = dim.terms[0][0] if len(dim.terms) == 1 and dim == of_symbol(dim.terms[0][0]) else None
    return least(dim) < 2 and not (isinstance(alone, Computed) and not alone.may_be_one)


class Equalities(set[frozenset[Any]]):
    """Pairs of lengths that NumPy would insist on being equal, by name; ``likely``: such that are equal unless one of them is 1.

    ``least`` are by symbols the numbers of entries that slices of arrays ask for, ``ordered`` pairs of which slices ask that the second
    is no smaller.
    """

    def __init__(self) -> None:
        super().__init__()
        self.likely: set[frozenset[Dim]] = set()
        self.least: dict[str, int] = {}
        self.ordered: set[tuple[Dim, Dim]] = set()

    def ask(self, dim: Dim, number: int) -> None:
        """Note that a slice asks for a number of entries of a dimension of which a call tells the length."""
        if isinstance(dim, Length) and len(dim.terms) == 1 and type(symbol := dim.terms[0][0]) is str and dim.terms[0][1] == 1:
            base, had = split_bound(symbol)
            self.least[base] = max(self.least.get(base, 0), number - dim.constant + had)


def broadcast(*shapes: tuple[Dim, ...], equal: Equalities | None = None) -> tuple[Dim, ...]:
    """The lengths that shapes broadcast to. Different lengths that have to be equal for that are noted in ``equal``."""
    rank = max(map(len, shapes))
    result: list[Dim] = []
    for axis in range(-rank, 0):
        dims = [shape[axis] for shape in shapes if len(shape) >= -axis]
        others = [dim for dim in dims if dim != 1]
        if not others:
            result.append(1)
        elif all(dim == others[0] for dim in others):
            result.append(others[0])
        else:  # lengths that are certainly not 1 must be equal; if there is one, it is the result
            if equal is not None:
                same_length(equal, *(dim for dim in others if not can_be_one(dim)))
                told = [dim for dim in others if dim is not None and all(type(symbol) is str for symbol in symbols_of(dim))]
                pairs = (frozenset((told[0], dim)) for dim in told[1:] if dim != told[0])
                equal.likely.update(pair for pair in pairs if any(isinstance(dim, int) or can_be_one(dim) for dim in pair))
            certain = [dim for dim in others if not can_be_one(dim)]
            result.append(next((dim for dim in certain if isinstance(dim, int)), certain[0] if certain else None))
    return tuple(result)


def agreed(equal: set[frozenset[Any]], *dims: Dim) -> Dim:
    """What is known of one length of several that must be equal."""
    same_length(equal, *dims)
    known = [dim for dim in dims if dim is not None and dim != NOT_ONE]
    return next((dim for dim in known if isinstance(dim, int)), known[0] if known else NOT_ONE if NOT_ONE in dims else None)


def same_length(equal: set[frozenset[Any]], *dims: Dim) -> None:
    """Note that these lengths must be equal, where that can be asked of a call's arguments."""
    known = sorted({str(dim) for dim in dims if isinstance(dim, Length) and dim.of_call})
    equal.update(frozenset((known[0], other)) for other in known[1:])


def unbroadcast(operand: tuple[Dim, ...], result: tuple[Dim, ...]) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """How the result's adjoint is summed to the operand's shape: leading axes to drop, axes to keep with length 1.

    ``((), ())`` if no broadcasting happened, None if that is not known.
    """
    extra = len(result) - len(operand)
    if extra < 0:  # a store, which drops axes
        return None
    kept = []
    for axis, dim in enumerate(operand):
        other = result[axis + extra]
        if dim == other and dim is not None:
            continue
        if dim == 1:  # right where the other one is 1, too
            kept.append(axis + extra)
        elif not can_be_one(dim):
            continue  # not 1 here, so the result has the same length
        else:
            return None
    return tuple(range(extra)), tuple(kept)
