"""Find the pattern of a matrix by products alone, from coarse blocks of columns to single ones.

A block of columns is seeded with a vector without zeros: where its product is zero, the block has no entry. What is left is cut into
smaller blocks, and blocks that no row can tell apart share a product, as columns of one colour do. (The hierarchical detection of
CasADi: Andersson et al., "CasADi: a software framework for nonlinear optimization and optimal control", 2019, section 4.3.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .colouring import column_colours
from .pattern import Pattern, Products, probe

FIRST = 64
"""At most this many blocks at first, each of which takes a product of its own."""
CUT = 4
"""The number of blocks that one is cut into."""


def detected(products: Products, shape: tuple[int, int]) -> Pattern:
    """The pattern of a matrix of which ``products`` gives J v for rows v.

    >>> matrix = np.eye(3) + np.eye(3, k=1)
    >>> detected(lambda vectors: vectors @ matrix.T, (3, 3)).where.toarray().astype(int).tolist()
    [[1, 1, 0], [0, 1, 1], [0, 0, 1]]
    """
    from scipy.sparse import csr_array, kron

    height, width = shape
    size = 1
    while size * FIRST < width:
        size *= CUT
    vector = probe(width)
    blocks = np.arange(width) // size
    count = -(-width // size)
    found = products(block_seeds(np.arange(count), blocks, vector))
    pattern = csr_array((found != 0).T)  # and what is NaN is not zero
    while size > 1:
        size //= CUT
        blocks = np.arange(width) // size
        finer = csr_array(np.ones((1, CUT), bool))
        candidates = csr_array(kron(pattern, finer, format="csr"))[:, :blocks[-1] + 1]
        colours = column_colours(candidates)
        found = products(block_seeds(colours, blocks, vector))
        rows = np.repeat(np.arange(height), np.diff(candidates.indptr))
        hit = found[colours[candidates.indices], rows] != 0
        pattern = csr_array((np.ones(np.count_nonzero(hit), bool), (rows[hit], candidates.indices[hit])), shape=candidates.shape)
    return Pattern(pattern)


def block_seeds(colours: Any, blocks: Any, vector: Any) -> Any:
    """For each colour the entries of ``vector`` in the blocks that have it, among zeros."""
    made = np.zeros((int(colours.max(initial=-1)) + 1, len(vector)))
    made[colours[blocks], np.arange(len(vector))] = vector
    return made
