"""Where a matrix may be other than zero, and how it is read from products with few vectors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .colouring import Colours, column_colours, star_colours

Products = Callable[[NDArray[Any]], NDArray[Any]]
"""From vectors, one a row, to the product of the matrix (or of its transpose) and each of them, one a row."""


class Reading(NamedTuple):
    """Where the entries of a matrix are in its products: entry ``k`` at ``[colour[k], place[k]]`` of those with the sums of unit vectors
    of one colour; ``forward``: the matrix is multiplied, else its transpose. ``colours``: of each column (row)."""

    colours: Colours
    forward: bool
    colour: NDArray[Any]
    place: NDArray[Any]

    @property
    def number(self) -> int:
        """The number of colours."""
        return int(self.colours.max(initial=-1)) + 1


class Pattern:
    """A SciPy ``csr_array`` of booleans with the readings that have been asked for; ``where``: a sparse or dense array of any kind."""

    def __init__(self, where: Any):
        from scipy.sparse import csr_array

        self.where = csr_array(where).astype(bool)
        self.where.eliminate_zeros()
        self.where.sort_indices()
        self.readings: dict[str, Reading] = {}

    def __repr__(self) -> str:
        return f"<{self.where.nnz} entries of {' by '.join(map(str, self.shape))}>"

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, columns = self.where.shape
        return rows, columns

    @property
    def rows(self) -> NDArray[Any]:
        """The row of each entry."""
        return np.repeat(np.arange(self.shape[0]), np.diff(self.where.indptr))

    def with_entries(self, data: NDArray[Any]) -> Any:
        """The matrix with this data, in the order of rows."""
        from scipy.sparse import csr_array

        return csr_array((data, self.where.indices.copy(), self.where.indptr.copy()), shape=self.shape)

    def joined(self, other: Pattern) -> Pattern:
        """What is in one or the other."""
        return Pattern(self.where + other.where)

    @functools.cached_property
    def mirrored(self) -> Pattern:
        """What is in it or in its transpose."""
        return Pattern(self.where + self.where.T)

    def reading(self, direction: str) -> Reading:
        """The reading by columns (``"forward"``), by rows (``"reverse"``), by whichever has fewer colours (``"auto"``); of a symmetric
        matrix (``"symmetric"``)."""
        if direction not in self.readings:
            self.readings[direction] = self._fewer() if direction == "auto" else self._made(direction)
        return self.readings[direction]

    def _fewer(self) -> Reading:
        fullest = {"forward": np.diff(self.where.indptr).max(initial=0), "reverse": np.diff(self.where.tocsc().indptr).max(initial=0)}
        first, second = sorted(fullest, key=lambda direction: (int(fullest[direction]), direction))
        reading = self.reading(first)
        if reading.number <= fullest[second]:  # which are all to have colours of their own
            return reading
        return min(reading, self.reading(second), key=lambda found: found.number)

    def _made(self, direction: str) -> Reading:
        rows, columns = self.rows, self.where.indices
        if direction == "forward":
            colours = column_colours(self.where)
            return Reading(colours, True, colours[columns], rows)
        if direction == "reverse":
            colours = column_colours(self.where.T)
            return Reading(colours, False, colours[rows], columns)
        colours = star_colours(self.where)
        cell = rows * (colours.max(initial=0) + 1) + colours[columns]
        _, inverse, counts = np.unique(cell, return_inverse=True, return_counts=True)
        alone = counts[inverse] == 1
        return Reading(colours, True, np.where(alone, colours[columns], colours[rows]), np.where(alone, rows, columns))


def seeds(reading: Reading) -> NDArray[Any]:
    """The sums of the unit vectors of each colour, and last a vector for the check."""
    made = np.zeros((reading.number + 1, len(reading.colours)))
    made[reading.colours, np.arange(len(reading.colours))] = 1
    made[-1] = probe(len(reading.colours))
    return made


def probe(size: int) -> NDArray[Any]:
    """A vector with entries of which no two sums agree, but by a chance of measure zero; always the same."""
    draw = np.random.default_rng(size)
    made: NDArray[Any] = draw.uniform(1, 2, size) * draw.choice((-1.0, 1.0), size)
    return made


def missed(matrix: Any, product: NDArray[Any], vector: NDArray[Any], eps: float) -> NDArray[Any]:
    """The rows of which the product with a vector is not that of the matrix, by more than rounding; those that are not finite aside."""
    with np.errstate(invalid="ignore", over="ignore"):
        wrong: NDArray[Any] = np.flatnonzero(differs(product, matrix @ vector, abs(matrix) @ np.abs(vector), eps))
    return wrong


def differs(product: NDArray[Any], total: NDArray[Any], size: NDArray[Any], eps: float) -> NDArray[Any]:
    """Where two sums differ by more than rounding, if the sum of the terms' absolute values is ``size``."""
    finite = np.isfinite(size) & np.isfinite(product)
    with np.errstate(invalid="ignore"):
        found = np.abs(product - total) > eps ** 0.5 * size + 100 * eps * np.max(size, initial=0, where=finite)
    return np.asarray(found & finite)
