"""The adjoints of products, and products of all but one."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import NonDifferentiableError
from .broadcasting import sum_to
from .library import Shape, blank, is_foreign
from .static import reduced


def matmul_adjoint(g: Any, shape: Shape, other: Any, position: int) -> Any:
    """The adjoint of ``x @ y`` of any ranks: of the operand at ``position`` (0 or 1), which has ``shape``, given the other one.

    It is the array that has with every such operand the dot product that ``g`` has with the matrix product.
    """
    ranks = (len(shape), np.ndim(other)) if position == 0 else (np.ndim(other), len(shape))
    if ranks[1] == 1:
        g = np.expand_dims(g, -1)
    if ranks[0] == 1:
        g = np.expand_dims(g, -2)
    if np.ndim(other) == 1:
        other = np.expand_dims(other, position - 1)
    if len(shape) == 2 and np.ndim(g) > 2 and np.shape(g)[:-2] == np.shape(other)[:-2]:  # one product over all that the matrix met
        axes = (*range(np.ndim(g) - 2), -2 if position else -1)
        return np.tensordot(g, other, (axes, axes)) if position == 0 else np.tensordot(other, g, (axes, axes))
    if np.ndim(other) == 2 and position == 0 and np.ndim(g) > 2:
        return sum_to(np.tensordot(g, other, ((-1,), (-1,))), shape)
    full = g @ np.swapaxes(other, -1, -2) if position == 0 else np.swapaxes(other, -1, -2) @ g
    if len(shape) == 1:
        return np.reshape(sum_to(full, (1, *shape) if position == 0 else (*shape, 1)), shape)
    return sum_to(full, shape)


def einsum_adjoint(g: Any, subscripts: str, shape: Shape, other: Any = None, position: int = 0) -> Any:
    """The adjoint of ``np.einsum`` with one or two operands: of the one at ``position``, which has ``shape``, given the other one.

    >>> einsum_adjoint(np.array([1., 2.]), "ii->i", (2, 2))
    array([[1., 0.],
           [0., 2.]])
    """
    of_other = None if other is None else tuple(np.shape(other))
    product, optimize, plain, summed, missing, lengths, diagonal = _einsum_plan(subscripts, tuple(shape), of_other, position)
    found = np.einsum(product, *([g] if other is None else [g, other]), optimize=optimize)
    if plain:
        return found
    # an axis of length 1 that met a longer one gets the sum, one that was summed away (or met length 1) gets copies
    found = np.expand_dims(np.sum(found, axis=summed, keepdims=True), missing)
    found = np.broadcast_to(found, lengths)
    if diagonal is None:
        return np.copy(found)
    full = blank(shape, found)
    np.einsum(diagonal, full)[...] = found  # the (writable) view of a generalised diagonal
    return full


SMALL_PRODUCT = 1 << 14
"""The multiplications in a product for which finding a better order takes longer than it saves."""


@functools.lru_cache(1024)
def _einsum_plan(subscripts: str, shape: Shape, shape_of_other: Shape | None, position: int) -> tuple[Any, ...]:
    """How an adjoint of ``np.einsum`` is computed: by a product of the adjoint and the other operand, whether its order is to be found, and
    whether that is all of it, the summed axes of that, and the missing ones, the lengths of all, and of which diagonal they are."""
    terms, result = _einsum_terms(subscripts, [shape] if shape_of_other is None else [shape, shape_of_other][:: 1 - 2 * position])
    mine, others = terms[position], "" if shape_of_other is None else terms[1 - position]
    dimension = dict(zip(mine, shape))
    unique = "".join(dict.fromkeys(mine))
    known = "".join(letter for letter in unique if letter in result or letter in others)
    inputs = result if shape_of_other is None else f"{result},{others}"
    there = dict(zip(others, shape_of_other or ()))
    sizes = there | {letter: length for letter, length in dimension.items() if length > 1}
    summed = tuple(i for i, letter in enumerate(known) if dimension[letter] == 1)
    missing = tuple(i for i, letter in enumerate(unique) if letter not in known)
    plain = bool(mine) and shape_of_other is not None and known == mine and not summed
    plain = plain and all(letter in result or there[letter] == dimension[letter] for letter in mine)
    lengths = tuple(dimension[letter] for letter in unique)
    diagonal = None if unique == mine else f"{mine}->{unique}"
    return f"{inputs}->{known}", math.prod(sizes.values()) > SMALL_PRODUCT, plain, summed, missing, lengths, diagonal


def _einsum_terms(subscripts: str, shapes: Sequence[Shape]) -> tuple[list[str], str]:
    """The letters of the operands and of the result, with implicit results and ellipses written out."""
    inputs, arrow, result = subscripts.replace(" ", "").partition("->")
    terms = inputs.split(",")
    free = [letter for letter in "zyxwvutsrqponmlkjihgfedcbaZYXWVUTSRQPONMLKJIHGFEDCBA" if letter not in subscripts]
    ranks = [len(shape) - len(term.replace("...", "")) for term, shape in zip(terms, shapes)]
    longest = "".join(free[:max(ranks)])
    named = "".join(terms).replace("...", "")
    if not arrow:
        result = ("..." if "..." in inputs else "") + "".join(sorted(c for c in set(named) if named.count(c) == 1))
    terms = [term.replace("...", longest[len(longest) - rank:]) for term, rank in zip(terms, ranks)]
    return terms, result.replace("...", longest)


def others(a: Any, axis: int | tuple[int, ...] | None = None) -> Any:
    """For each entry the product of the others along ``axis``; right with zeros among them.

    >>> others(np.array([2., 3., 0.]))
    array([0., 0., 6.])
    """
    a = a if is_foreign(a) else np.asarray(a)
    axes = reduced(a.ndim, axis)
    last = tuple(range(-len(axes), 0))
    moved = np.moveaxis(a, axes, last)
    rows = np.reshape(moved, (*moved.shape[:a.ndim - len(axes)], math.prod(moved.shape[a.ndim - len(axes):])))
    ones = np.ones_like(rows[..., :1])
    before = np.cumprod(np.concatenate([ones, rows[..., :-1]], -1), -1)
    after = np.cumprod(np.concatenate([ones, rows[..., :0:-1]], -1), -1)[..., ::-1]
    return np.moveaxis(np.reshape(before * after, moved.shape), last, axes)


def log_sum(a: Any, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False) -> Any:
    """The logarithm of the sum of exponentials, as ``np.logaddexp.reduce`` computes it.

    >>> log_sum(np.zeros((2, 3)), 1)
    array([1.09861229, 1.09861229])
    """
    return np.logaddexp.reduce(a, axis=axis, keepdims=keepdims)  # type: ignore[call-overload]


def recurrence(b: Any, a: Any, axis: int) -> Any:
    """Along ``axis``: y[k] = b[k] + a[k] * y[k - 1], beginning with y[0] = b[0].

    >>> recurrence(np.array([1., 1., 1.]), np.array([5., 2., 3.]), 0)
    array([ 1.,  3., 10.])
    """
    b, a = np.moveaxis(b, axis, 0), np.moveaxis(a, axis, 0)
    y = b + np.zeros_like(a)  # in a dtype for both
    for k in range(1, len(y)):
        y[k] += a[k] * y[k - 1]
    return np.moveaxis(y, 0, axis)


def crossed(a: Any, b: Any) -> Any:
    """``np.cross`` of vectors in space, which takes long for two single ones.

    >>> crossed(np.array([1., 0., 0.]), np.array([0., 1., 0.]))
    array([0., 0., 1.])

    Raises NonDifferentiableError for vectors in a plane, of which NumPy 2 will make no product any more.
    """
    for v in (a, b):
        if np.shape(v)[-1:] != (3,):
            raise NonDifferentiableError(
                f"the derivative of np.cross of vectors of {np.shape(v)[-1]} numbers is not known",
                why="the rule is that of vectors in space", remedy="write a[0] * b[1] - a[1] * b[0]", at_run_time=True,
            )
    if not (type(a) is type(b) is np.ndarray and a.ndim == b.ndim == 1 and a.dtype == b.dtype == float):
        return np.cross(a, b)
    (a0, a1, a2), (b0, b1, b2) = a.tolist(), b.tolist()
    return np.array([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0])
