"""Static facts of shapes, axes and indices: never of values, so generated code may compute them where it likes."""

from __future__ import annotations

import math
import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import MissingRuleError, NonDifferentiableError
from .library import Shape, is_array, is_foreign


def count(shape: Shape, axis: int | tuple[int, ...] | None) -> int:
    """How many entries a reduction of an array of ``shape`` over ``axis`` takes together; 1 for none, of which there is no share.

    >>> count((2, 3, 4), (0, -1)), count((0, 2), 0)
    (8, 1)
    """
    return math.prod(shape[i] for i in reduced(len(shape), axis)) or 1


def reduced(ndim: int, axis: int | tuple[int, ...] | None) -> Shape:
    """The axes that a reduction over ``axis`` takes together, counted from the front.

    >>> reduced(3, (0, -1))
    (0, 2)
    """
    axes = range(ndim) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    return tuple(i % ndim for i in axes) if ndim else ()  # NumPy allows the axes 0 and -1 of a number, which has none


def each(shape: Shape, axis: int | tuple[int, ...] | None) -> Any:
    """For each entry that a reduction takes together, along a last axis: the mask that is true at this entry alone.

    >>> each((3, 2), 0)[:, 0, :].astype(int)
    array([[1, 0, 0],
           [0, 1, 0],
           [0, 0, 1]])
    """
    axes = reduced(len(shape), axis)
    taken = tuple(length if i in axes else 1 for i, length in enumerate(shape))
    return np.reshape(np.eye(math.prod(taken), dtype=bool), (*taken, math.prod(taken)))


def shapes(arrays: Sequence[Any]) -> list[Shape]:
    """The shape of each array of a sequence."""
    return [np.shape(array) for array in arrays]


def inverse(axes: int | Sequence[int]) -> Shape:
    """The permutation of axes that undoes ``axes``.

    >>> inverse((-1, 0, 1))
    (1, 2, 0)
    """
    if isinstance(axes, (int, np.integer)):  # of a vector
        return (0,)
    found = [0] * len(axes)
    for place, axis in enumerate(axes):
        found[axis] = place
    return tuple(found)


def along(shape: Shape, indices: Any, axis: int | None) -> tuple[Any, ...]:
    """The index under which an array of ``shape`` (flat, if ``axis`` is None) gives ``np.take(array, indices, axis)``.

    >>> np.arange(6).reshape(2, 3)[along((2, 3), [0, 0, 2], 1)]
    array([[0, 0, 2],
           [3, 3, 5]])
    """
    indices = indices if is_foreign(indices) else np.asarray(indices)
    return (slice(None),) * ((axis or 0) % len(shape)) + (indices.astype(np.intp),)  # True counts as 1 here, not as a mask


def repeated(shape: Shape, repeats: Any, axis: int | None) -> tuple[Any, ...]:
    """The index under which an array of ``shape`` (flat, if ``axis`` is None) gives ``np.repeat(array, repeats, axis)``."""
    return along(shape, np.repeat(np.arange(shape[axis or 0]), repeats), axis)


def numbers(shape: Shape) -> Any:
    """The number of each entry of an array of ``shape``, counted row by row.

    What a function that moves entries makes of these says where each of its entries comes from.

    >>> np.delete(numbers((2, 2)), 0, axis=1)
    array([[1],
           [3]])
    """
    return np.reshape(np.arange(math.prod(shape)), shape)


def flat_index(key: Any, shape: Shape) -> tuple[Any, ...]:
    """The index that means the entries ``a.flat[key]`` of an array ``a`` of a shape.

    >>> a = np.arange(6).reshape(2, 3)
    >>> a[flat_index(-1, (2, 3))], a[flat_index(np.s_[1:4], (2, 3))]
    (np.int64(5), array([1, 2, 3]))
    """
    size = math.prod(shape)
    places = range(size)[key] if isinstance(key, (int, np.integer)) else np.arange(size)[key]
    return np.unravel_index(places, shape)


def memory_order(a: Any) -> list[tuple[int, ...]]:
    """The indices of an array's entries as they lie in memory, which is the order of ``np.nditer(a)``.

    >>> memory_order(np.zeros((2, 2)).T)
    [(0, 0), (1, 0), (0, 1), (1, 1)]
    """
    entries = np.nditer(a, flags=["multi_index", "zerosize_ok"])
    return [entries.multi_index for _ in entries]


def is_first(shape: Shape, axis: int) -> Any:
    """Which entries of an array of ``shape`` stand first along ``axis``; it broadcasts along the other axes.

    >>> is_first((2, 3), 1)
    array([[ True, False, False]])
    """
    return np.reshape(np.arange(shape[axis]) == 0, [length if i == axis % len(shape) else 1 for i, length in enumerate(shape)])


def largest(a: Any) -> Any:
    """Python's ``max(a)`` of numbers, and so ``smallest`` is ``min(a)``: of equal ones the first, as the rule of these says.

    >>> largest([1.0, 3.0, 3.0]), smallest(np.ones(2))
    (3.0, np.float64(1.0))
    """
    return max(a)


def smallest(a: Any) -> Any:
    """See :func:`largest`."""
    return min(a)


def aligned(shape: Shape, whole: Shape, axis: int | tuple[int, ...] | None) -> Shape:
    """The shape in which weights along ``axis`` broadcast against an array of the shape ``whole``; their own, if it is as long.

    >>> aligned((3,), (2, 3, 4), 1)
    (1, 3, 1)
    """
    axes = reduced(len(whole), axis)
    return shape if len(shape) == len(whole) else tuple(length if i in axes else 1 for i, length in enumerate(whole))


def interleaved(one: Shape, other: Shape, rank: int) -> Shape:
    """The lengths of two shapes by turns, each brought to ``rank`` by ones before it: how ``np.kron`` orders them.

    >>> interleaved((2, 3), (4,), 2)
    (2, 1, 3, 4)
    """
    pairs = zip((1,) * (rank - len(one)) + tuple(one), (1,) * (rank - len(other)) + tuple(other))
    return tuple(length for pair in pairs for length in pair)


def ranking(a: Any, axis: int | tuple[int, ...] | None) -> Any:
    """The place of each entry in ascending order, among those that a reduction over ``axis`` takes together; ties in their own order.

    >>> ranking(np.array([30., 10., 20.]), None)
    array([2, 0, 1])
    """
    axes = reduced(np.ndim(a), axis)
    last = tuple(range(-len(axes), 0))
    moved = np.moveaxis(a, axes, last)
    rows = np.reshape(moved, (*moved.shape[:moved.ndim - len(axes)], math.prod(moved.shape[moved.ndim - len(axes):])))
    places = np.argsort(np.argsort(rows, -1, kind="stable"), -1)
    return np.moveaxis(np.reshape(places, moved.shape), last, axes)


def quantile_weights(q: Any, length: int, dtype: Any) -> Any:
    """With which weights the entries in ascending order make up the quantile ``q``, by NumPy's default method.

    >>> quantile_weights(0.5, 4, float)
    array([0. , 0.5, 0.5, 0. ])

    Raises MissingRuleError for several quantiles at once.
    """
    check_one(q)
    place = q * (length - 1)
    lower = min(int(place), length - 1)
    weights = np.zeros(length, dtype)
    weights[lower] = 1 - (place - lower)
    weights[min(lower + 1, length - 1)] += place - lower
    return weights


def known_weights(q: Any, a: Any, axis: int | tuple[int, ...] | None, dtype: Any) -> Any:
    """With which weights the entries of an array make up its quantile ``q``, those left out that are no numbers.

    >>> known_weights(0.5, np.array([3., np.nan, 1.]), None, float)
    array([0.5, 0. , 0.5])
    """
    check_one(q)
    place = q * (np.sum(~np.isnan(a), axis=reduced(np.ndim(a), axis), keepdims=True) - 1)
    return np.maximum(1 - np.abs(ranking(a, axis) - place), 0).astype(dtype)


def check_one(q: Any) -> None:
    """Raise MissingRuleError for several quantiles at once."""
    if np.ndim(q):
        raise MissingRuleError(
            "quantiles and percentiles have a derivative rule for one q, and this is an array of them",
            remedy="compute them one by one: np.stack([np.quantile(a, p) for p in q])", at_run_time=True,
        )


def axis_last(steps: Any, ndim: int, axis: int, points: bool = False) -> Any:
    """The steps ``dx`` or points ``x`` of ``np.trapezoid`` for an array of ``ndim`` dimensions, with ``axis`` moved to the end.

    >>> axis_last(np.array([0.5, 0.6, 0.7]), 2, 0).shape
    (3, 1)

    Raises MissingRuleError where ``axis`` is not the same one of both: with more dimensions, or with fewer for ``points``.
    """
    if np.ndim(steps) > ndim or points and axis >= 0 and np.ndim(steps) < ndim:
        raise MissingRuleError(
            f"np.trapezoid of an array of {ndim} dimensions along axis {axis}, with x or dx of {np.ndim(steps)}, has no derivative rule",
            why="the axis is not the same one of both", remedy="bring them to the same number of dimensions", at_run_time=True,
        )
    return np.moveaxis(np.reshape(steps, (1,) * (ndim - np.ndim(steps)) + np.shape(steps)), axis, -1)


def only_axis(ndim: int, axis: Any) -> int:
    """The one axis that is meant. Raises MissingRuleError if there are several: then ``np.gradient`` gives an array for each.

    >>> only_axis(1, None), only_axis(3, -1)
    (0, -1)
    """
    axes = reduced(ndim, None) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    if len(axes) != 1:
        raise MissingRuleError(
            f"np.gradient along {len(axes)} axes at once has no derivative rule here", why="it gives an array for each of them",
            remedy="take it along one axis at a time, np.gradient(f, h, axis=0), or name all: fy, fx = np.gradient(f, h)", at_run_time=True,
        )
    return int(axes[0])


def chosen_among(a: Any, count: int, mode: str = "raise") -> Any:
    """The numbers by which ``np.choose`` chooses among ``count`` arrays, all of them from 0 to ``count - 1``.

    >>> chosen_among(np.array([0, 3, -1]), 3, "wrap")
    array([0, 0, 2])

    Raises ValueError where NumPy does.
    """
    return np.choose(a, np.arange(count), mode=mode)  # type: ignore[call-overload]


def repeats(times: Any) -> Any:
    """The int by which a list is repeated, ``times * xs``.

    >>> repeats(3)
    3

    Raises NonDifferentiableError for an array: with that, ``*`` multiplies the entries of the list.
    """
    if is_array(times) and not isinstance(times, np.generic):
        raise NonDifferentiableError(
            "a list is multiplied by an array", why="the gradient that was written is that of a list repeated a number of times",
            remedy="multiply an array, w * np.array(xs), or repeat the list by an int, xs * int(n)", at_run_time=True,
        )
    return times


def contraction(ndim_a: int, ndim_b: int, axes: Any) -> str:
    """The subscripts under which ``np.einsum`` is ``np.tensordot(a, b, axes)``.

    >>> contraction(2, 3, ([1], [0]))
    'ab,bcd->acd'
    """
    if np.ndim(axes) == 0:
        axes = range(ndim_a - axes, ndim_a), range(axes)
    left, right = ([int(part)] if isinstance(part, (int, np.integer)) else [*map(int, part)] for part in axes)
    letters = iter(string.ascii_letters)
    a = [next(letters) for _ in range(ndim_a)]
    paired = {j % ndim_b: a[i] for i, j in zip(left, right)}
    b = [paired[j] if j in paired else next(letters) for j in range(ndim_b)]
    shared = set(paired.values())
    return f"{''.join(a)},{''.join(b)}->{''.join(letter for letter in a + b if letter not in shared)}"


def einsum_subscripts(terms: Sequence[Sequence[Any]], result: Sequence[Any] | None = None) -> str:
    """The subscripts of ``np.einsum(x, [0, 1], y, [1, 2], [0, 2])``: lists of axes as letters, which have the order of the numbers.

    >>> einsum_subscripts([[0, 1], [1, 2]], [0, 2]), einsum_subscripts([[..., 0]])
    ('ab,bc->ac', '...a')
    """
    lists = [*terms, *([] if result is None else [result])]
    many = any(axis is not Ellipsis and axis >= 26 for axes in lists for axis in axes)
    letters = string.ascii_uppercase + string.ascii_lowercase if many else string.ascii_lowercase
    spelled = ["".join("..." if axis is Ellipsis else letters[axis] for axis in axes) for axes in lists]
    return ",".join(spelled[:len(terms)]) + ("" if result is None else f"->{spelled[-1]}")


def einsum_pairs(subscripts: str, order: Sequence[int]) -> list[str]:
    """The subscripts of the products of two that ``np.einsum`` of several operands is, one after the other, the operands in an ``order``;
    none where that is not known. A product with what is differentiated is one of floating-point numbers: it should be the first.

    >>> einsum_pairs("i,ij,j->", (0, 1, 2)), einsum_pairs("i,ij,j->", (2, 0, 1))
    (['i,ij->j', 'j,j->'], ['j,i->ji', 'ji,ij->'])
    """
    inputs, arrow, result = subscripts.replace(" ", "").partition("->")
    terms = inputs.split(",")
    if "." in subscripts or len(terms) != len(order):
        return []
    letters = "".join(terms)
    result = result if arrow else "".join(sorted(letter for letter in set(letters) if letters.count(letter) == 1))
    terms = [terms[position] for position in order]
    steps, have = [], terms[0]
    for position, term in enumerate(terms[1:], 2):
        later = {*result, *"".join(terms[position:])}
        kept = "".join(dict.fromkeys(letter for letter in have + term if letter in later)) if position < len(order) else result
        steps.append(f"{have},{term}->{kept}")
        have = kept
    return steps


def pairing(ndim_a: int, ndim_b: int) -> tuple[list[int], list[int]]:
    """The ``axes`` under which ``np.tensordot`` is ``np.dot``: the last of ``a`` with the last but one (or only one) of ``b``."""
    return ([], []) if not ndim_a or not ndim_b else ([ndim_a - 1], [max(ndim_b - 2, 0)])
