"""The few helpers that rules and generated code may call. They are the narrow waist: a backend that has these has all.

They take and return plain arrays (or scalars) and never change their arguments; the dtype is that of the first argument.
Each has a derivative rule itself (``rules/helpers.py``), so that any order of derivative works.
"""

from __future__ import annotations

import math
import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from .errors import MissingRuleError, NonDifferentiableError, RuleError

Shape = tuple[int, ...]


# Static facts: of shapes, axes and indices, never of values


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
    if np.ndim(q):
        raise MissingRuleError(
            "quantiles and percentiles have a derivative rule for one q, and this is an array of them",
            remedy="compute them one by one: np.stack([np.quantile(a, p) for p in q])", at_run_time=True,
        )
    place = q * (length - 1)
    lower = min(int(place), length - 1)
    weights = np.zeros(length, dtype)
    weights[lower] = 1 - (place - lower)
    weights[min(lower + 1, length - 1)] += place - lower
    return weights


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
    left, right = (np.atleast_1d(part).tolist() for part in axes)
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


# Arrays of the kind at hand: NumPy's, or another library's that follows NumPy's protocols (CuPy's)


def is_foreign(value: Any) -> bool:
    """Whether a value is an array of another library than NumPy, by its following NumPy's protocols.

    >>> is_foreign(np.ones(2)), is_foreign(np.float64(1.0)), is_foreign(1.0)
    (False, False, False)
    """
    return not isinstance(value, np.ndarray) and hasattr(type(value), "__array_function__")


def is_array(value: Any) -> bool:
    """Whether a value is an array, of NumPy or of another library.

    >>> is_array(np.ones(2)), is_array(np.float64(1.0)), is_array([1.0])
    (True, False, False)
    """
    return isinstance(value, np.ndarray) or hasattr(type(value), "__array_function__")


def blank(shape: Shape, like: Any, dtype: Any = None) -> Any:
    """Zeros of ``shape`` in the library, and unless ``dtype`` is given in the dtype, of ``like``.

    >>> blank((2,), np.float32(3.0))
    array([0., 0.], dtype=float32)
    """
    if dtype is None:
        dtype = getattr(like, "dtype", complex if isinstance(like, complex) else float)
    return np.zeros(shape, dtype) if type(like) is np.ndarray or not is_foreign(like) else np.zeros(shape, dtype, like=like)


def has_complex(value: Any) -> bool:
    """Whether a value is complex, or a sequence that holds a complex one.

    >>> has_complex(np.ones(2)), has_complex([1.0, np.ones(2) * 1j])
    (False, True)
    """
    dtype = getattr(value, "dtype", None)
    if dtype is not None:
        return getattr(dtype, "kind", "") == "c"  # np.float64 itself has no kind
    return any(map(has_complex, value)) if isinstance(value, (list, tuple)) else isinstance(value, complex)


# The adjoints of broadcasting, indexing and joining


def sum_to(g: Any, shape: Shape) -> Any:
    """The adjoint of broadcasting: sum ``g`` over the axes along which an array of ``shape`` was repeated.

    >>> sum_to(np.ones((3, 2)), (2,))
    array([3., 3.])
    >>> sum_to(np.ones((3, 2)), (3, 1))
    array([[2.],
           [2.],
           [2.]])
    """
    have = np.shape(g)
    if have == shape:
        return g
    if not shape:
        return np.sum(g)
    extra = len(have) - len(shape)
    g = np.sum(g, axis=tuple(range(extra))) if extra else g
    axes = tuple(i for i, length in enumerate(shape) if length == 1 and np.shape(g)[i] != 1)
    return np.sum(g, axis=axes, keepdims=True) if axes else g


def sum_to_stored(g: Any, shape: Shape) -> Any:
    """As ``sum_to``, of an array that was stored: a store drops leading axes of length 1, and ``shape`` may have more of them than ``g``.

    >>> sum_to_stored(np.ones((3, 2)), (1, 1, 1, 2))
    array([[[[3., 3.]]]])
    """
    more = max(0, len(shape) - np.ndim(g))
    return np.reshape(sum_to(g, shape[more:]), shape) if more else sum_to(g, shape)


def spread_stored(c: Any, shape: Shape) -> Any:
    """The adjoint of ``sum_to_stored``: what a store of ``c`` into an array of ``shape`` puts there.

    >>> spread_stored(np.ones((1, 1, 2)), (2,))
    array([1., 1.])
    """
    return np.broadcast_to(np.reshape(c, np.shape(c)[max(0, np.ndim(c) - len(shape)):]), shape)


def expanded(z: Any, axis: Any, keepdims: Any) -> Any:
    """What a reduction gave, in the rank of its array (length 1 along the axes), so that it broadcasts against that.

    >>> expanded(np.array([1., 2.]), 1, False)
    array([[1.],
           [2.]])
    """
    return z if keepdims or axis is None else np.expand_dims(z, axis)


def keep_zeros(c: Any, g: Any) -> Any:
    """The contribution ``c`` of an adjoint ``g`` that passed a selection: what was not selected stays 0 (no 0 * inf).

    >>> keep_zeros(np.array([np.nan, np.nan, 3.]), np.array([0., 1., 2.]))
    array([ 0., nan,  3.])
    """
    kind = type(c)
    if kind is np.ndarray:
        square = np.vdot(c, c)  # which is NaN if an entry is, and is found the quickest
        if square == square:
            return c
    elif kind is np.float64 and c == c:
        return c
    return np.where((g == 0) & np.isnan(c), 0, c)[()]


def number_of(x: Any) -> Any:
    """``x.item()`` as a function, of Python's numbers too."""
    return np.asarray(x).item()


def contribution(c: Any, shape: Shape, rule: str, spreads: bool = False) -> Any:
    """What a rule of one's own has given, in an array of its own. Raises RuleError unless it has the ``shape``, or ``spreads`` to it.

    >>> contribution(np.ones(3), (2,), "drag_rule (flow.py:12)")
    Traceback (most recent call last):
    ...
    sourcediff.errors.RuleError: the rule drag_rule (flow.py:12) gave a contribution of shape (3,), and (2,) was due
      instead: look at the rule; sourcediff.check_rule tries it on a call
    """
    c = c if is_array(c) else np.asarray(c)[()]
    if getattr(c, "dtype", np.dtype(object)).kind not in "biufc":
        raise RuleError(f"the rule {rule} gave no numbers", remedy="return an array for each parameter that has a derivative")
    if c.shape == shape:
        return c.copy()
    if spreads and c.ndim <= len(shape) and all(have in (1, want) for have, want in zip(c.shape[::-1], shape[::-1])):
        return np.broadcast_to(c, shape).copy()
    raise RuleError(
        f"the rule {rule} gave a contribution of shape {c.shape}, and {shape} was due",
        remedy="look at the rule; sourcediff.check_rule tries it on a call",
    )


def inexact(x: Any) -> Any:
    """``x`` in floating-point numbers: small integers would wrap around in a formula. Python's own numbers stay as they are.

    >>> inexact(np.array([200], np.uint8)) ** 2
    array([40000.])
    """
    if not hasattr(x, "dtype"):
        if isinstance(x, (int, float, complex)):
            return x
        x = np.asarray(x)
    return x.astype(float) if x.dtype.kind in "biu" else x


def astype(x: Any, dtype: Any, *, copy: bool = True) -> Any:
    """``x.astype(dtype)`` as a function (``np.astype``, which NumPy 2.0 lacks)."""
    return x.astype(dtype, copy=copy)


def cast(g: Any, source: Any, target: Any) -> Any:
    """The adjoint, in ``target``, of a conversion to ``source``; zero where integers cut the dependence off.

    Raises NonDifferentiableError for a complex adjoint of something real: which part of it is meant is not decided here. So it does
    for objects, of which nobody knows what NumPy computes with them.
    """
    if np.dtype(source).hasobject or np.dtype(target).hasobject:
        raise NonDifferentiableError(
            "a differentiated value became an array of objects", why="what NumPy does with its entries is said by their classes",
            remedy="use a list, or an array of floats", at_run_time=True,
        )
    if has_complex(g) and np.issubdtype(target, np.floating):
        raise NonDifferentiableError(
            "a complex value is on the way to the output", why="the rules take real numbers",
            remedy="compute with the real and the imaginary part, or on the eager engine: mode=\"eager\"", at_run_time=True,
        )
    cut = not (np.issubdtype(source, np.inexact) and np.issubdtype(target, np.inexact))
    if cut:
        return blank(np.shape(g), g, target)
    return g.astype(target) if is_foreign(g) else np.asarray(g, target)[()]


def _repeats_entries(index: Any) -> bool:
    """Whether an index may name an entry twice: only integer arrays can."""
    for part in index if isinstance(index, tuple) else (index,):
        if isinstance(part, (list, tuple)):
            part = np.asarray(part)
        if getattr(part, "ndim", 0) and part.dtype != bool:
            return True
    return False


def add_at(full: Any, index: Any, g: Any) -> None:
    """Add ``g`` to an array in place at ``index``, as often as it is named.

    >>> full = np.ones(3)
    >>> add_at(full, [0, 0], np.array([1.0, 2.0]))
    >>> full
    array([4., 1., 1.])
    """
    if type(index) is int or type(index) is slice or not _repeats_entries(index):
        full[index] += g
    else:
        np.add.at(full, index, g)


def scatter(g: Any, shape: Shape, index: Any) -> Any:
    """The adjoint of ``array[index]`` for an array of ``shape``: zeros with ``g`` added at ``index``, as often as it is named.

    >>> scatter(np.array([1., 2., 3.]), (4,), [0, 0, 2])
    array([3., 0., 3., 0.])
    """
    full = blank(shape, g)
    if type(index) is int or type(index) is slice or not _repeats_entries(index):
        full[index] = g
    elif is_foreign(g):  # CuPy's ufuncs have at(), but not by protocol
        numbers = np.reshape(np.arange(math.prod(shape), like=g), shape)[index]
        weights = np.broadcast_to(g, numbers.shape)
        full = np.reshape(np.bincount(np.ravel(numbers), np.ravel(weights), math.prod(shape)), shape).astype(g.dtype)
    else:
        np.add.at(full, index, g)
    return full


def store(a: Any, index: Any, value: Any) -> Any:
    """A copy of ``a`` with ``value`` at ``index``: the assignment ``a[index] = value`` as a function.

    >>> store(np.zeros(3), slice(1, None), 5.)
    array([0., 5., 5.])
    """
    changed = np.copy(a)
    changed[index] = value
    return changed


def incremented(a: Any, index: Any, value: Any) -> Any:
    """A copy of ``a`` with ``value`` added at ``index``, as often as it is named: ``np.add.at(a, index, value)`` as a function.

    >>> incremented(np.zeros(3), [0, 0, 2], 5.)
    array([10.,  0.,  5.])
    """
    changed = np.copy(a)
    np.add.at(changed, index, value)
    return changed


def last_stored(a: Any, index: Any) -> Any:
    """The adjoint of ``v`` in ``a[index] = v``, given that of ``a``: where the index names an entry twice, only the last store counts.

    >>> last_stored(np.array([1.0, 2.0]), [0, 0])
    array([0., 1.])
    """
    read = a[index]
    order = np.arange(np.size(read)).reshape(np.shape(read))
    last = np.empty(a.shape, dtype=order.dtype)
    last[index] = order
    return np.where(last[index] == order, read, 0)


def stored(g: Any, index: Any, shape: Shape) -> Any:
    """The adjoint of the value in ``a[index] = value``; of values stored at one place, the last alone counts.

    >>> stored(np.array([1., 2., 3.]), [0, 0, 2], (3,))
    array([0., 1., 3.])
    """
    g = np.asarray(g) if isinstance(g, float) else g  # of a buffer without dimensions that float() was asked of
    # where there is no order of stores, naming an entry twice is refused
    taken = last_stored(g, index) if _repeats_entries(index) and not is_foreign(g) else g[index]
    extra = len(shape) - np.ndim(taken)  # a[0] = [[1.0]] is allowed: leading axes of length 1
    return np.reshape(sum_to(taken, shape[max(extra, 0):]), shape)[()]


def split_like(g: Any, shapes: Sequence[Shape], axis: int | None) -> list[Any]:
    """The adjoint of joining arrays of these ``shapes`` along ``axis`` (for ``stack`` and its like: a slot of length 1 each).

    >>> split_like(np.arange(5.), [(2,), (3,)], 0)
    [array([0., 1.]), array([2., 3., 4.])]
    """
    if axis is None:
        g, axis = np.ravel(g), 0
        lengths = [math.prod(shape) for shape in shapes]
    else:
        lengths = [shape[axis] if len(shape) == np.ndim(g) else 1 for shape in shapes]
    ends = np.cumsum(lengths)[:-1].tolist()
    return [np.reshape(part, shape)[()] for part, shape in zip(np.split(g, ends, axis), shapes)]


def join_like(parts: Sequence[Any], shape: Shape, axis: int | None) -> Any:
    """Arrays joined along ``axis`` to one of ``shape``: what :func:`split_like` took apart."""
    if axis is None:
        return np.reshape(np.concatenate([np.ravel(part) for part in parts]), shape)
    axis %= len(shape)
    slot = shape[:axis] + (1,) + shape[axis + 1:]
    return np.concatenate([part if np.ndim(part) == len(shape) else np.reshape(part, slot) for part in parts], axis)


def untile(g: Any, shape: Shape, reps: Any) -> Any:
    """The adjoint of ``np.tile(array, reps)`` for an array of ``shape``: the sum over the copies.

    >>> untile(np.arange(6.), (2,), 3)
    array([6., 9.])
    """
    times = tuple(reps) if np.ndim(reps) else (int(reps),)
    rank = max(len(times), len(shape))
    times = (1,) * (rank - len(times)) + times
    lengths = (1,) * (rank - len(shape)) + tuple(shape)
    copies = np.reshape(g, [part for pair in zip(times, lengths) for part in pair])
    return np.reshape(np.sum(copies, axis=tuple(range(0, 2 * rank, 2))), shape)


def undiagonal(g: Any, shape: Shape, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The adjoint of ``np.diagonal``: zeros of ``shape`` with ``g`` (broadcast) on that diagonal.

    >>> undiagonal(np.array([1., 2.]), (2, 3), 1)
    array([[0., 1., 0.],
           [0., 0., 2.]])
    """
    full = blank(shape, g)
    offset = int(offset)  # an unsigned one would have no negative
    rows = np.arange(np.diagonal(full, offset, axis1, axis2).shape[-1])
    np.moveaxis(full, (axis1, axis2), (-2, -1))[..., rows + max(-offset, 0), rows + max(offset, 0)] = g
    return full


def undiff(g: Any, n: int = 1, axis: int = -1, shape: Shape | None = None) -> Any:
    """The adjoint of ``np.diff(array, n, axis)``. The ``shape`` of the array tells how long it is where no differences are left.

    >>> undiff(np.array([1., 5.]))
    array([-1., -4.,  5.])
    >>> undiff(np.array([]), 3, -1, (2,))
    array([0., 0.])
    """
    if n and shape is not None and not np.shape(g)[axis]:  # of no differences NumPy does not look at the axis
        return blank(shape, g)
    for _ in range(n):
        ends = list(np.shape(g))
        ends[axis] = 1
        edge = blank(tuple(ends), g)
        g = np.diff(np.concatenate([edge, np.negative(g), edge], axis), axis=axis)
    return g


def edge(value: Any, shape: Shape, axis: int) -> Any:
    """What ``np.diff`` puts before or behind an array of ``shape``: a number stands for a slice of them.

    >>> edge(2.0, (3, 2), 0)
    array([[2., 2.]])
    """
    value = value if is_foreign(value) else np.asarray(value)
    ends = tuple(1 if i == axis % len(shape) else length for i, length in enumerate(shape))
    return np.copy(value if value.ndim else np.broadcast_to(value, ends))


def i0_slope(x: Any, order: int) -> Any:
    """The derivative of that order of ``np.i0``, the mean of cosh(x cos t) over a circle (https://dlmf.nist.gov/10.32.E1).

    >>> float(i0_slope(np.float64(1.0), 1)), float(i0_slope(np.float64(0.0), 2))
    (0.5651591039924851, 0.5)
    """
    c = np.cos((np.arange(64) + 0.5) * (np.pi / 128))  # a mean of a smooth periodic function by points: right to the last digits
    x = x if is_foreign(x) else np.asarray(x, float if np.result_type(x).kind != "f" else None)
    curve = np.sinh if order % 2 else np.cosh
    return np.mean(c**order * curve(np.expand_dims(x, -1) * c), -1).astype(x.dtype)[()]


def unsplit(parts: Sequence[Any], shape: Shape, places: Any, axis: int = 0) -> Any:
    """The adjoint of ``np.array_split(array, places, axis)`` for an array of ``shape``; parts may overlap, where places descend.

    >>> unsplit([np.array([1., 2.]), np.array([]), np.array([5., 6.])], (3,), [2, 1])
    array([1., 7., 6.])
    """
    joined = np.concatenate(parts, axis)
    if np.shape(joined) == shape:
        return joined
    return put_back(joined, shape, np.concatenate(np.array_split(numbers(shape), places, axis), axis))


def put_back(g: Any, shape: Shape, places: Any) -> Any:
    """The adjoint of taking the entries with the numbers ``places`` out of an array of ``shape``; -1 is the number of none.

    >>> put_back(np.array([1., 2., 3., 4.]), (2, 2), np.array([3, 3, -1, 0]))
    array([[4., 0.],
           [0., 3.]])
    """
    taken = places >= 0
    return np.reshape(scatter(g[taken], (math.prod(shape),), places[taken]), shape)


def fitted(a: Any, shape: Shape) -> Any:
    """The array cut off at the ends of its axes, or filled up with zeros, to ``shape``: what a Fourier transform does first.

    >>> fitted(np.array([1., 2., 3.]), (2,)), fitted(np.array([1., 2., 3.]), (4,))
    (array([1., 2.]), array([1., 2., 3., 0.]))
    """
    if np.shape(a) == tuple(shape):
        return a
    common = tuple(slice(min(lengths)) for lengths in zip(np.shape(a), shape))
    full = blank(tuple(shape), a)
    full[common] = a[common]
    return full


def lengths(shape: Shape, axes: Sequence[int], s: Sequence[int] | None) -> Shape:
    """The lengths ``s`` along ``axes``; where they are not given, or are -1, those of ``shape``.

    >>> lengths((2, 3, 4), (0, 2), (5, -1))
    (5, 4)
    """
    return tuple(shape[axis] if s is None or s[i] == -1 else s[i] for i, axis in enumerate(axes))


def halves(shape: Shape, axis: int) -> Any:
    """How often each entry of half a spectrum stands in the whole one, along ``axis`` of ``shape``; 0 where the half has no entry.

    >>> halves((6,), 0), halves((5,), 0)
    (array([1, 2, 2, 1, 0, 0], dtype=int8), array([1, 2, 2, 0, 0], dtype=int8))
    """
    length = shape[axis]
    often = np.zeros(length, np.int8)
    often[:length // 2 + 1] = 1
    often[1:(length + 1) // 2] = 2
    return np.reshape(often, [length if i == axis % len(shape) else 1 for i in range(len(shape))])


# The adjoints of products


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
    shape_of_other = () if other is None else np.shape(other)
    terms, result = _einsum_terms(subscripts, [shape] if other is None else [shape, shape_of_other][:: 1 - 2 * position])
    mine, others = terms[position], "" if other is None else terms[1 - position]
    dimension = dict(zip(mine, shape))
    unique = "".join(dict.fromkeys(mine))
    known = "".join(letter for letter in unique if letter in result or letter in others)
    operands, inputs = [g], result
    if other is not None:
        operands, inputs = [g, other], f"{result},{others}"
    found = np.einsum(f"{inputs}->{known}", *operands, optimize=True)
    # an axis of length 1 that met a longer one gets the sum, one that was summed away (or met length 1) gets copies
    summed = tuple(i for i, letter in enumerate(known) if dimension[letter] == 1)
    found = np.expand_dims(
        np.sum(found, axis=summed, keepdims=True), tuple(i for i, letter in enumerate(unique) if letter not in known)
    )
    found = np.broadcast_to(found, [dimension[letter] for letter in unique])
    if unique == mine:
        return np.copy(found)
    full = blank(shape, found)
    np.einsum(f"{mine}->{unique}", full)[...] = found  # the (writable) view of a generalised diagonal
    return full


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


# Products of all but one


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


def in_space(v: Any, axis: int = -1) -> Any:
    """Vectors of three numbers along an axis, as they are.

    >>> in_space(np.ones(3))
    array([1., 1., 1.])

    Raises NonDifferentiableError for vectors in a plane, of which NumPy 2 will make no product any more.
    """
    if np.shape(v)[axis] != 3:
        raise NonDifferentiableError(
            f"the derivative of np.cross of vectors of {np.shape(v)[axis]} numbers is not known",
            why="the rule is that of vectors in space", remedy="write a[0] * b[1] - a[1] * b[0]", at_run_time=True,
        )
    return v


def square(r: Any) -> Any:
    """The second factor of ``np.linalg.qr``, as it is. Raises NonDifferentiableError for that of a matrix with more columns than rows.

    >>> square(np.eye(2)).shape
    (2, 2)
    """
    if np.shape(r)[-2] != np.shape(r)[-1]:
        raise NonDifferentiableError(
            "the derivative of np.linalg.qr of a matrix with more columns than rows is not known",
            why="the rule is that of matrices with at least as many rows as columns",
            remedy="decompose the first columns, q, r = np.linalg.qr(a[:, :len(a)]): the other columns of r are q.T @ a[:, len(a):]",
            at_run_time=True,
        )
    return r


def inverted(a: Any) -> Any:
    """``np.linalg.inv(a)``, for the second derivative of the determinant.

    >>> inverted(np.array([[2.0]]))
    array([[0.5]])

    Raises NonDifferentiableError for a singular matrix.
    """
    if np.any(np.linalg.matrix_rank(a) < np.shape(a)[-1]):
        raise NonDifferentiableError(
            "the second derivative of the determinant of a singular matrix is not known", why="the rule has its inverse in it",
            remedy="write the determinant out, or add a small multiple of the identity", at_run_time=True,
        )
    return np.linalg.inv(a)


def of_full_rank(a: Any, rank: Any = None) -> Any:
    """A copy of a matrix of full rank: that is, of ``rank``, or as far as its columns go.

    >>> of_full_rank(np.ones((3, 1)))
    array([[1.],
           [1.],
           [1.]])

    Raises NonDifferentiableError for any other matrix: what it solves jumps.
    """
    found, full = (np.linalg.matrix_rank(a), np.shape(a)[1]) if rank is None else (rank, min(np.shape(a)))
    if found < full:
        raise NonDifferentiableError(
            f"least squares with a matrix of shape {np.shape(a)} and rank {int(found)} have no derivative",
            why="the solution jumps where the rank changes", remedy="leave out what depends on the other columns, or np.linalg.solve"
            "(a.T @ a + c * np.eye(n), a.T @ b) with a small c", at_run_time=True,
        )
    return np.copy(a)


def roots_of(p: Any, kind: Any) -> Any:
    """``np.roots(p)``; the ``kind`` tells a reader of the text that they may be complex.

    >>> roots_of(np.array([1.0, 0.0, -4.0]), complex)
    array([-2.,  2.])
    """
    return np.roots(p)


def cofactor(a: Any) -> Any:
    """The matrix of cofactors, det(a) * inv(a).T where that exists: the gradient of the determinant.

    >>> cofactor(np.array([[1., 2.], [2., 4.]])).round(12)
    array([[ 4., -2.],
           [-2.,  1.]])
    """
    u, s, vt = np.linalg.svd(a)
    sign = np.linalg.det(u) * np.linalg.det(vt)
    return sign[..., None, None] * (np.conjugate(u) * others(s, -1)[..., None, :]) @ np.conjugate(vt)


def probes(x, diagonal=False):
    """The unit vectors of an array or number ``x``, along a leading axis; with ``diagonal`` ones, and a vector of which no two entries
    are alike.

    Raises NonDifferentiableError for an array of integers.

    >>> probes(np.array([3.0, 5.0])).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    kind = np.result_type(x)
    if isinstance(x, np.ndarray) and kind.kind != "f":
        raise NonDifferentiableError(f"an array of {kind} is differentiated", why="only floating-point arrays have a gradient here",
                                     remedy="pass x.astype(float)")
    size, kind = np.size(x), kind if kind.kind == "f" else np.dtype(float)
    if not size:
        raise NonDifferentiableError("a Jacobian with respect to an empty array is asked for inside of a differentiated function",
                                     why="it has no columns that would tell its shape", remedy="ask for it outside")
    rows = np.stack([np.ones(size, kind), np.cos(np.arange(size) + 1).astype(kind)]) if diagonal else np.eye(size, dtype=kind)
    return np.reshape(rows, (-1, *np.shape(x)))


def check_diagonal(columns, units, shape):
    """Raise NonDifferentiableError unless ``columns`` are the products of a diagonal matrix and the two ``units`` of :func:`probes`.

    Only a diagonal matrix D has Dv = v · D1 for a v of which no two entries are alike.
    """
    ones, others = columns
    if np.shape(ones) != shape:
        problem = f"the argument has the shape {shape}, and the result {np.shape(ones)}"
    else:
        eps = float(np.finfo(np.result_type(units)).eps) ** 0.5
        size = np.max(np.abs(units[1] * ones), initial=0, where=np.isfinite(ones))
        with np.errstate(invalid="ignore"):
            if np.all(np.isclose(others, units[1] * ones, rtol=eps, atol=eps * float(size), equal_nan=True)):
                return
        problem = "an entry of the result depends on another entry of the argument"
    raise NonDifferentiableError(
        f"a function given to elementwise_grad is not elementwise: {problem}", why="the derivatives of its entries are a matrix",
        remedy="use jacobian, or grad of the sum of its entries",
    )


def as_seed(g, shape):
    """``g`` as a tangent or cotangent of a value of that shape. Raises NonDifferentiableError where it has another one."""
    if np.shape(g) != shape:
        problem = f"a tangent or cotangent of shape {np.shape(g)} was given for a value of shape {shape}"
        raise NonDifferentiableError(problem, why="each entry has one", remedy="give one of the same shape")
    return g
