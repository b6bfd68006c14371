"""Sparse Jacobians and Hessians of a call: the pattern, given or found, the products that its colours ask for, and the check."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...dispatch.transform_calls import TransformCall
from ...eager.engine.linear import linearise
from ...eager.engine.linear_maps import Map
from ...errors import NonDifferentiableError, SourcediffError
from ...runtime.arrays.library import is_array, on_host
from ...runtime.function_cache import kept
from ...runtime.structures import copied
from ...runtime.trees import leaves
from .detection import detected
from .gathers import LAYOUTS, by_gathers, indexed_by_arrays
from .pattern import Pattern, missed, seeds

DETECT = "detect"


class Found:
    """What has been found of a function: its patterns, by shape; in which layouts gathered rows may stand in its result."""

    def __init__(self) -> None:
        self.patterns: dict[tuple[int, int], Pattern] = {}
        self.layouts: tuple[str, ...] = LAYOUTS


def as_sparsity(given: Any) -> Any:
    """What was given as ``sparsity``: ``"detect"`` or a pattern. Raises ValueError for anything else, ImportError without SciPy."""
    if given == DETECT if isinstance(given, str) else isinstance(given, Pattern):
        return given
    if len(np.shape(given)) != 2:
        raise ValueError(f"sparsity is {DETECT!r} or a matrix, dense or of scipy.sparse, not {given!r}")
    return Pattern(given)


def found_of(call: TransformCall, wrt: tuple[str, ...], door: str) -> Found:
    """What is known of the sparsity of the function of a call."""
    return kept(call.function, ("sparsity", door, wrt), Found)


def sparse_matrix(linear: Map, found: Found, sparsity: Any, direction: str, door: str, name: str) -> Any:
    """The matrix of a linear map as a SciPy ``csr_array``. A pattern that was found grows where it does not hold any more."""
    linear.require_floats(name)
    if linear.variables:
        raise NonDifferentiableError(
            f"the sparse {door} of {name} was asked for with Variables", why="SciPy's sparse matrices hold none",
            remedy="leave sparsity out where it is differentiated in turn",
        )
    shape = linear.outputs.size, linear.inputs.size
    pattern = found.patterns.get(shape) if sparsity == DETECT else sparsity.mirrored if direction == "symmetric" else sparsity
    if pattern is not None and pattern.shape != shape:
        raise ValueError(f"sparsity has the shape {pattern.shape}, and the {door} of {name} {shape}")
    grown = pattern is None
    if pattern is None:
        pattern = found.patterns[shape] = find(linear, direction)
    matrix, wrong = filled(linear, pattern, direction)
    if len(wrong) and sparsity == DETECT and not grown:
        pattern = found.patterns[shape] = pattern.joined(find(linear, direction))
        matrix, wrong = filled(linear, pattern, direction)
    if len(wrong):
        raise NonDifferentiableError(
            f"the {door} of {name} has entries outside of its sparsity, in row {wrong[0]}" + (
                f" and {len(wrong) - 1} others" if len(wrong) > 1 else ""),
            why="a product with it is not that of the entries in the pattern",
            remedy="leave sparsity out" if sparsity == DETECT else f"give a larger pattern, or sparsity={DETECT!r}",
        )
    return matrix


def find(linear: Map, direction: str) -> Pattern:
    """The pattern of a linear map, by products from its shorter side."""
    shape = linear.outputs.size, linear.inputs.size
    if direction == "symmetric":
        return detected(linear.rows, shape).mirrored
    if shape[1] <= shape[0]:
        return detected(linear.columns, shape)
    return Pattern(detected(linear.rows, shape[::-1]).where.T)


def filled(linear: Map, pattern: Pattern, direction: str) -> tuple[Any, NDArray[Any]]:
    """The matrix with this pattern, and the rows (or columns) that have entries outside of it."""
    reading = pattern.reading(direction)
    vectors = seeds(reading)
    if direction == "symmetric":  # either way, and rows know their tape
        swept = linear.swept(vectors)
        found = linear.rows(vectors) if swept is None else swept
    else:
        found = linear.columns(vectors) if reading.forward else linear.rows(vectors)
    data = found[reading.colour, reading.place]
    wrong: list[int] = []
    for row in np.unique(pattern.rows[~np.isfinite(data)]):  # in which what is not finite may have met the zeros of another's seed
        inside = slice(*pattern.where.indptr[row:row + 2])
        (alone,) = linear.rows(np.arange(pattern.shape[0])[None] == row)
        data[inside] = alone[pattern.where.indices[inside]]
        if np.count_nonzero(alone) != np.count_nonzero(data[inside]):
            wrong.append(row)
    matrix = pattern.with_entries(data)
    missing = missed(matrix if reading.forward else matrix.T, found[-1], vectors[-1], linear.eps)
    return matrix, np.union1d(wrong, missing).astype(int)


def of_gathered_rows(call: TransformCall, wrt: tuple[str, ...], found: Found) -> Any:
    """The Jacobian of a function of gathered rows, by the graph of one run; None where it does not have this form."""
    values = call.values(wrt)
    if not found.layouts or not indexed_by_arrays(call.function, values):
        return None
    try:
        given = copied(values, True)
        call.refuse_objects(wrt)
        linear, _, _ = linearise(call.function, given, wrt)
        linear.require_floats(call.name)
        made = None if any(map(changed, values.values(), given.values())) else by_gathers(linear, found.layouts)
    except SourcediffError:
        made = None
    if made is None:
        found.layouts = ()
        return None
    matrix, layout = made
    found.layouts = (layout, *(other for other in LAYOUTS if other != layout))
    return matrix


def changed(before: Any, after: Any) -> bool:
    """Whether an array of a structure is another than it was."""
    pairs = zip(leaves(before), leaves(after))
    return any(not np.array_equal(on_host(x), on_host(y), equal_nan=x.dtype.kind in "fc") for (_, x), (_, y) in pairs if is_array(x))
