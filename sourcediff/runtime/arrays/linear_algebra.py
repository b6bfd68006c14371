"""What rules of linear algebra, polynomials and Jacobians have in common."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import NonDifferentiableError
from .products import others


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
        size = np.max(np.where(np.isfinite(ones), np.abs(units[1] * ones), 0)) if np.size(ones) else 0
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


def block_triangular(a: Any, e: Any) -> Any:
    """The matrix ``[[a, e], [0, a]]``: a function of it has that function's derivative along ``e`` where ``e`` stands.

    >>> block_triangular(np.array([[2]]), np.array([[5]]))
    array([[2, 5],
           [0, 2]])
    """
    return np.concatenate((np.concatenate((a, e), axis=-1), np.concatenate((np.zeros_like(a), a), axis=-1)), axis=-2)


def off_diagonal(whole: Any, z: Any) -> Any:
    """The block where the derivative stands, of a function of :func:`block_triangular` whose diagonal blocks are ``z``.

    >>> off_diagonal(np.array([[2.0, 5.0], [0.0, 2.0]]), np.array([[2.0]]))
    array([[5.]])

    Raises NonDifferentiableError where they are not: a negative eigenvalue, which stands there twice, was put on both sides of a cut.
    """
    n = np.shape(z)[-1]
    near = float(np.finfo(np.asarray(whole).dtype).eps) ** 0.5 * float(np.max(np.abs(z), initial=0))
    if not (np.allclose(whole[..., :n, :n], z, 0, near, True) and np.allclose(whole[..., n:, n:], z, 0, near, True)):
        raise NonDifferentiableError(
            "a logarithm or a power of a matrix has no derivative here", at_run_time=True,
            why="an eigenvalue is on the cut of the complex plane, at a negative number",
            remedy="add a small imaginary part to the matrix, or take scipy.linalg.sqrtm for the square root",
        )
    return whole[..., :n, n:]


def of_square(a: Any, name: str) -> Any:
    """A part of a decomposition, as it is. Raises NonDifferentiableError unless it is square: then the rule is right."""
    if np.shape(a)[-2] != np.shape(a)[-1]:
        raise NonDifferentiableError(
            f"the derivative of {name} of a matrix with more rows than columns, or more columns than rows, is not known",
            why="the rule is that of square matrices, whose vectors are all determined", at_run_time=True,
            remedy="decompose the square part, or ask for the economic or reduced form (full_matrices=False) where there is one",
        )
    return a


def row_order(piv: Any) -> Any:
    """The order of rows that ``lu_factor`` says by exchanges.

    >>> row_order([2, 2, 2])
    array([2, 0, 1])
    """
    order = np.arange(len(piv))
    for k, other in enumerate(piv):
        order[[k, other]] = order[[other, k]]
    return order


def bands(l_and_u: Any, n: int) -> tuple[Any, ...]:
    """Of the entries of a banded matrix, in SciPy's diagonal ordered form, the rows and whether there are such; and of those of its
    transpose, from the last diagonal to the first, where they stand.

    >>> bands((1, 0), 3)[0].tolist()
    [[0, 1, 2], [1, 2, 0]]
    """
    below, above = l_and_u
    steps = np.arange(-above, below + 1)[:, None]
    rows, columns = np.arange(n) + steps, np.arange(n) - steps
    return rows % n, (rows >= 0) & (rows < n), columns % n, (columns >= 0) & (columns < n)
