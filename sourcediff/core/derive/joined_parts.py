"""The adjoints of arrays that are joined: entries and slices of the adjoint of the whole, where lengths and ranks say which."""

from __future__ import annotations

from collections.abc import Sequence

from ...analysis.abstract import Abstract
from ...analysis.lengths import Dim
from ...syntax import nodes as n
from ...syntax.quote import expression

MOST = 2
"""Lengths that are added to say where a part begins."""


def parts_of(whole: n.expr, rank: int, axis: int, elements: Sequence[n.expr], known: Sequence[Abstract]) -> list[n.expr] | None:
    """The parts of an adjoint of this rank of arrays that are joined along an axis; None where it is not known which they are.

    ``known`` is what is known of the elements. One with an axis less than the whole takes an entry of the axis.
    """
    if any(value.rank not in (rank - 1, rank) for value in known):
        return None
    axis %= rank
    lengths = [value.dims[axis] if value.rank == rank else 1 for value in known]
    found = []
    for place, value in enumerate(known):
        first = bound(elements, lengths, place, axis)
        if first is None:
            return None
        if value.rank == rank:
            last = None if place == len(lengths) - 1 else bound(elements, lengths, place + 1, axis)
            if last is None and place < len(lengths) - 1:
                return None
            lower = None if place == 0 else first
            index: n.expr = n.Slice(lower=lower, upper=last, step=None)
        else:
            index = first
        if axis:
            index = n.Tuple(elts=[*(n.Slice(lower=None, upper=None, step=None) for _ in range(axis)), index], ctx=n.Load())
        found.append(expression("$g[$i]", g=whole, i=index))
    return found


def bound(elements: Sequence[n.expr], lengths: Sequence[Dim], place: int, axis: int) -> n.expr | None:
    """Where an element begins, from the front or from the end; None where many lengths would have to be added."""
    before, after = lengths[:place], lengths[place:]
    if all(isinstance(length, int) for length in before):
        return n.Constant(value=sum(before), kind=None)  # type: ignore[arg-type]
    if all(isinstance(length, int) for length in after) and sum(after):  # type: ignore[arg-type]
        return n.Constant(value=-sum(after), kind=None)  # type: ignore[arg-type]
    terms = [expression(f"np.shape($x)[{axis}]", x=element) for element, length in zip(elements, before) if not isinstance(length, int)]
    number = sum(length for length in before if isinstance(length, int))
    if len(terms) > MOST:
        return None
    total = terms[0]
    for term in [*terms[1:], *([n.Constant(value=number, kind=None)] if number else [])]:
        total = n.BinOp(left=total, op=n.Add(), right=term)
    return total
