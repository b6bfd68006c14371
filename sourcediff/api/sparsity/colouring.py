"""Colourings: which columns (or rows) of a sparse matrix share a sweep, so that every entry can be read from one product.

Columns of one colour have no row in common, so the sum of them shows each entry alone (Curtis, Powell and Reid, "On the estimation of
sparse Jacobian matrices", 1974). A symmetric matrix needs less: of an entry and its mirror image one is to be alone, which is a star
colouring of its graph (Coleman and Moré, "Estimation of sparse Hessian matrices and graph coloring problems", 1984). Both are greedy,
the fullest columns first (Gebremedhin, Manne and Pothen, "What color is your Jacobian?", 2005).
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

Colours = NDArray[np.int64]


def column_colours(pattern: Any) -> Colours:
    """A colour for each column of a SciPy sparse array, such that no two of one colour have an entry in the same row.

    >>> import scipy.sparse
    >>> column_colours(scipy.sparse.csr_array(np.eye(4) + np.eye(4, k=1))).tolist()
    [1, 0, 1, 0]
    """
    columns = lists(pattern.tocsc())
    colours = np.zeros(len(columns), int)
    used = [0] * pattern.shape[0]  # of each row the colours that are in it, as bits
    for j in fullest_first(columns):
        taken = 0
        for i in columns[j]:
            taken |= used[i]
        bit = free(taken)
        colours[j] = bit.bit_length() - 1
        for i in columns[j]:
            used[i] |= bit
    return colours


def star_colours(pattern: Any) -> Colours:
    """A colour for each column of a symmetric SciPy sparse array: neighbours differ, and each path of four has three colours.

    >>> import scipy.sparse
    >>> arrow = np.eye(5)
    >>> arrow[0] = arrow[:, 0] = 1
    >>> star_colours(scipy.sparse.csr_array(arrow)).tolist()
    [0, 1, 1, 1, 1]
    """
    neighbours = [[w for w in column if w != v] for v, column in enumerate(lists(pattern.tocsc()))]
    size = len(neighbours)
    bits = [0] * size  # of a vertex its colour
    seen = [0] * size  # the colours of its neighbours
    many = [0] * size  # those that several neighbours have
    barred = [0] * size  # those of a neighbour that sees several of this vertex's colour
    first: list[dict[int, int]] = [{} for _ in neighbours]
    for v in fullest_first(neighbours):
        taken = 0
        for w in neighbours[v]:
            taken |= bits[w] | barred[w] if bits[w] else seen[w]
        bits[v] = bit = free(taken)
        for w in neighbours[v]:
            if not seen[w] & bit:
                seen[w] |= bit
                first[w][bit] = v
                continue
            if not many[w] & bit:
                many[w] |= bit
                barred[first[w][bit]] |= bits[w]
            barred[v] |= bits[w]
    return np.array([bit.bit_length() - 1 for bit in bits], int)


def free(taken: int) -> int:
    """The lowest bit that is not among those taken."""
    return ~taken & (taken + 1)


def lists(columns: Any) -> list[list[int]]:
    """The row numbers in each column."""
    rows, starts = columns.indices.tolist(), columns.indptr.tolist()
    return [rows[start:end] for start, end in itertools.pairwise(starts)]


def fullest_first(columns: list[list[int]]) -> list[int]:
    """The numbers of the columns, those with the most entries first."""
    return sorted(range(len(columns)), key=lambda j: -len(columns[j]))
