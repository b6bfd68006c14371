"""Sparse matrices in coordinate form, as values, rows, columns and shape (what stands at one place adds up), and solvers of SciPy's."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import MissingRuleError, NonDifferentiableError


def assembled(values: Any, rows: Any, columns: Any, shape: Any) -> Any:
    """The matrix itself."""
    from scipy import sparse

    return sparse.csc_array((values, (rows, columns)), shape=shape)


def coordinate_dense(values: Any, rows: Any, columns: Any, shape: Any) -> Any:
    """The matrix as a plain array."""
    return assembled(values, rows, columns, shape).toarray()


def coordinate_product(values: Any, x: Any, rows: Any, columns: Any, shape: Any) -> Any:
    """Its product with a vector, or a matrix."""
    return assembled(values, rows, columns, shape) @ np.asarray(x)


def coordinate_solution(values: Any, b: Any, rows: Any, columns: Any, shape: Any) -> Any:
    """The solution of a system with it, for a vector, or for each column."""
    from scipy.sparse import linalg

    return np.reshape(linalg.spsolve(assembled(values, rows, columns, shape), b), np.shape(b))


def meeting(columns: Any, rows: Any) -> tuple[Any, Any]:
    """The positions of all pairs of an entry of one matrix and one of another that meet in their product.

    >>> meeting(np.array([0, 1, 2]), np.array([2, 0, 2]))
    (array([0, 2, 2]), array([1, 0, 2]))
    """
    order = np.argsort(rows, kind="stable")
    first = np.searchsorted(rows[order], columns, "left")
    counts = np.searchsorted(rows[order], columns, "right") - first
    within = np.arange(np.sum(counts)) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(np.arange(len(columns)), counts), order[np.repeat(first, counts) + within]


def selected(rows: Any, columns: Any, shape: Any, key: Any) -> tuple[Any, Any, Any, tuple[int, int]]:
    """The entries of a matrix that are in a part of it, their rows and columns there, and its shape. MissingRuleError if it is no matrix.

    >>> selected(np.array([0, 1, 2]), np.array([1, 1, 0]), (3, 2), (slice(1, None), [1]))
    (array([1]), array([0]), array([0]), (2, 1))
    """
    pair = key if isinstance(key, tuple) else (key, slice(None))
    kept = [np.arange(size)[part] for size, part in zip(shape, pair)]
    crossed = any(isinstance(part, slice) for part in pair) and all(np.ndim(part) == 1 for part in kept)
    if len(pair) != 2 or not crossed and [np.shape(part) for part in kept] != [(np.size(kept[0]), 1), (1, np.size(kept[-1]))]:
        raise MissingRuleError(
            "a part of a sparse matrix of differentiated values has a derivative rule, but only one that is a matrix itself",
            why="this index gives a row, or single entries", remedy="index with slices or lists, A[[i], :], or with np.ix_(rows, columns)",
        )
    first, down = meeting(rows, np.ravel(kept[0]))
    second, right = meeting(columns[first], np.ravel(kept[1]))
    return first[second], down[second], right, (np.size(kept[0]), np.size(kept[1]))


def unflattened(key: Any) -> Any:
    """An index with ranges for its numbers, so that what it gives of a matrix is one.

    >>> unflattened((2, slice(0, 4)))
    (slice(2, 3, None), slice(0, 4, None))
    """
    if isinstance(key, tuple):
        return tuple(map(unflattened, key))
    return slice(key, key + 1 or None) if isinstance(key, (int, np.integer)) else key


def is_one_number(x: Any) -> bool:
    """Whether an operand scales a matrix, and is no vector, or an index is no range. (To the compiler it is one if it is known to be.)"""
    return np.ndim(x) == 0 and not isinstance(x, slice)


def indices(places: Any) -> Any:
    """Rows or columns as an array of integers, which has no derivative."""
    return np.asarray(places, dtype=np.intp)


def row_numbers(indptr: Any) -> Any:
    """The row of each entry, of rows that begin and end there.

    >>> row_numbers(np.array([0, 2, 2, 3]))
    array([0, 0, 2])
    """
    return np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))


def extent(rows: Any, columns: Any) -> tuple[int, int]:
    """The shape of the smallest matrix with these entries."""
    return int(np.max(rows)) + 1, int(np.max(columns)) + 1


def diagonal_places(offsets: Any, shape: Any) -> tuple[list[int], Any, Any]:
    """The lengths of diagonals of a matrix, and the rows and columns of their entries, one after another.

    >>> diagonal_places([0, 1], (2, 2))
    ([2, 1], array([0, 1, 0]), array([0, 1, 1]))
    """
    places = [(max(0, min(shape[0] + min(k, 0), shape[1] - max(k, 0))), k) for k in offsets]
    rows = [np.arange(length) - min(k, 0) for length, k in places]
    columns = [np.arange(length) + max(k, 0) for length, k in places]
    return [length for length, _ in places], np.concatenate(rows), np.concatenate(columns)


def solution(b: Any, solve: Any) -> Any:
    """The solution with the matrix of which ``factorized`` gave ``solve``."""
    return solve(b)


def transposed_solution(b: Any, solve: Any) -> Any:
    """The solution with the transpose of the matrix of which ``factorized`` gave ``solve``."""
    return solve.__self__.solve(b, "T")


def converged(x: Any, info: int) -> Any:
    """What an iteration found, if it came to an end."""
    if info:
        raise NonDifferentiableError(
            f"the solution of an adjoint or tangent system did not converge (info = {info})", remedy="give a larger rtol= or maxiter=",
        )
    return x


def largest_sum(values: Any, columns: Any) -> Any:
    """The largest sum of the magnitudes in a column, which bounds the norm of a matrix."""
    return np.max(np.bincount(columns, np.abs(values)))


def eigenpairs(values: Any, rows: Any, columns: Any, shape: Any, k: int, *options: Any) -> tuple[Any, Any]:
    """Some eigenvalues and eigenvectors of a symmetric matrix. NonDifferentiableError if they have not converged."""
    from scipy.sparse import linalg

    sigma, which, v0, ncv, maxiter, tol = options
    A = assembled(values, rows, columns, shape)
    w, v = linalg.eigsh(A, k, None, sigma, which, v0, ncv, maxiter, tol)
    if not np.all(np.abs(A @ v - w * v) < 1e-8 * np.max(np.abs(values))):
        raise NonDifferentiableError("scipy.sparse.linalg.eigsh did not converge far enough for a derivative", remedy="leave tol= out")
    return w, v


def determined(step: Any, other: Any) -> Any:
    """A step to an eigenvector, if it is determined, as ``other``, for a right side like any, shows. NonDifferentiableError if not."""
    if not np.all(np.abs(other) < 1e8):
        raise NonDifferentiableError(
            "scipy.sparse.linalg.eigsh has no derivative where eigenvalues are equal", why="an eigenvector of several is not determined",
            remedy="ask for fewer eigenvalues, up to a gap",
        )
    return step
