"""SciPy's linear algebra. What NumPy has, too, is said by that where SciPy's keywords ask for more (check_finite, assume_a, …)."""

import numpy as np
from scipy import linalg

from ...runtime.arrays import bands, of_square, row_order, sum_to
from ..frames import alias, constant, general, reduction
from ..library_functions import composite
from . import matrix_equations  # noqa: F401  (the rules of functions of matrices)

constant(linalg.bandwidth, linalg.issymmetric, linalg.ishermitian)

for _function, _like in ((linalg.inv, np.linalg.inv), (linalg.det, np.linalg.det), (linalg.solve, np.linalg.solve)):
    alias(_function, _like)


@reduction(linalg.norm, singular=True, only={"ord": (None, "fro")})
def norm(g, z, a, ord=None, axis=None, keepdims=False):
    return g * a / np.where(z == 0, 1, z)


@composite(linalg.norm)
def norm_of_any_order(a, ord=None, axis=None, keepdims=False, check_finite=True):
    return np.linalg.norm(a, ord, axis, keepdims)


@composite(linalg.inv)
def inv(a, overwrite_a=False, check_finite=True):
    return np.linalg.inv(a)


@composite(linalg.det)
def det(a, overwrite_a=False, check_finite=True):
    return np.linalg.det(a)


@composite(linalg.pinv)
def pinv(a, *, check_finite=True):
    return np.linalg.pinv(a)


@composite(linalg.svdvals)
def svdvals(a, overwrite_a=False, check_finite=True):
    return np.linalg.svdvals(a)


@composite(linalg.svd)
def svd(a, full_matrices=True, compute_uv=True, overwrite_a=False, check_finite=True):
    return np.linalg.svd(a, full_matrices) if compute_uv else np.linalg.svdvals(a)


@composite(linalg.qr)
def qr(a, overwrite_a=False, lwork=None, mode="full", check_finite=True):
    if mode == "r":
        return (np.linalg.qr(a, "r"),)
    return np.linalg.qr(a, "reduced" if mode == "economic" else "complete")


@composite(linalg.eigvals)
def eigvals(a, overwrite_a=False, check_finite=True):
    return np.linalg.eigvals(a) + 0j


@composite(linalg.lstsq)
def lstsq(a, b, overwrite_a=False, overwrite_b=False, check_finite=True):
    x, left, rank, sizes = np.linalg.lstsq(a, b, rcond=None)
    return x, left[0] if np.ndim(b) == 1 and np.size(left) else left, rank, sizes


@composite(linalg.polar)
def polar(a, side="right"):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return u @ vt, vt.T * s @ vt if side == "right" else u * s @ u.T


@composite(linalg.orthogonal_procrustes)
def orthogonal_procrustes(A, B, check_finite=True):
    u, s, vt = np.linalg.svd((B.T @ A).T, full_matrices=False)
    return u @ vt, np.sum(s)


# Matrices of a given form


def symmetric(a, lower):
    """The symmetric matrix of which one triangle is read."""
    return np.tril(a) + np.matrix_transpose(np.tril(a, -1)) if lower else np.triu(a) + np.matrix_transpose(np.triu(a, 1))


def hermitian(a, lower):
    """The Hermitian matrix of which one triangle is read."""
    read = np.tril(a) + np.tril(a, -1) if lower else np.triu(a) + np.triu(a, 1)
    return 0.5 * (read + np.conjugate(np.matrix_transpose(read)))


@composite(linalg.solve)
def solve_of_form(a, b, lower=False, overwrite_a=False, overwrite_b=False, check_finite=True, assume_a="gen", transposed=False):
    if assume_a in ("sym", "symmetric"):
        a = symmetric(a, lower)
    elif assume_a in ("pos", "positive definite", "her", "hermitian"):
        a = hermitian(a, lower)
    elif assume_a in ("upper triangular", "lower triangular"):
        a = np.triu(a) if assume_a == "upper triangular" else np.tril(a)
    elif assume_a in ("diagonal", "tridiagonal"):
        a = np.triu(np.tril(a, 0 if assume_a == "diagonal" else 1), 0 if assume_a == "diagonal" else -1)
    return np.linalg.solve(np.matrix_transpose(a) if transposed else a, b)


@composite(linalg.toeplitz)
def toeplitz(c, r=None):
    row = np.conjugate(c) if r is None else r
    entries = np.concatenate((c[..., :0:-1], c[..., :1], row[..., 1:]), axis=-1)
    return entries[..., np.arange(np.shape(row)[-1]) - np.expand_dims(np.arange(np.shape(c)[-1]), -1) + np.shape(c)[-1] - 1]


@composite(linalg.hankel)
def hankel(c, r=None):
    row = np.zeros_like(c) if r is None else r
    return np.concatenate((c, row[1:]))[np.arange(np.size(row)) + np.expand_dims(np.arange(np.size(c)), -1)]


@composite(linalg.circulant)
def circulant(c):
    n = np.shape(c)[-1]
    return c[..., (np.expand_dims(np.arange(n), -1) - np.arange(n)) % n]


@composite(linalg.khatri_rao)
def khatri_rao(a, b):
    return np.reshape(np.expand_dims(a, 1) * b, (-1, np.shape(b)[1]))


@composite(linalg.solve_toeplitz)
def solve_toeplitz(c_or_cr, b, check_finite=True):
    if isinstance(c_or_cr, tuple):
        return np.linalg.solve(linalg.toeplitz(c_or_cr[0], c_or_cr[1]), b)
    return np.linalg.solve(linalg.toeplitz(c_or_cr), b)


@composite(linalg.solve_circulant)
def solve_circulant(c, b):
    return np.linalg.solve(linalg.circulant(c), b)


@composite(linalg.block_diag)
def block_diag(*arrs):
    whole = np.atleast_2d(arrs[0])
    for block in arrs[1:]:
        part = np.atleast_2d(block)
        (m, n), (rows, columns) = np.shape(whole), np.shape(part)
        whole = np.pad(whole, ((0, rows), (0, columns))) + np.pad(part, ((m, 0), (n, 0)))
    return whole


# Factors


@composite(linalg.cholesky)
def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    return np.linalg.cholesky(a) if lower else np.matrix_transpose(np.linalg.cholesky(np.matrix_transpose(a)))


OTHER = float(linalg.cho_factor(np.array([[2.0, 1.0], [1.0, 2.0]]))[0][1, 0])
"""What SciPy leaves in the other triangle: the matrix (1), or nothing (from 1.18 on)."""


@composite(linalg.cho_factor)
def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    factor = linalg.cholesky(a, lower)
    if OTHER == 0:
        return factor, lower
    return (factor + np.triu(a, 1) if lower else factor + np.tril(a, -1)), lower


@composite(linalg.cho_solve)
def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    c, lower = c_and_lower
    if lower:
        return linalg.solve_triangular(c, linalg.solve_triangular(c, b, lower=True), 2, lower=True)
    return linalg.solve_triangular(c, linalg.solve_triangular(c, b, 2))


@composite(linalg.lu_solve)
def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    lu, piv = lu_and_piv
    lu = np.conjugate(lu) if trans == 2 else lu
    lower = np.tril(lu, -1) + np.eye(np.shape(lu)[0])
    if trans == 0:
        return linalg.solve_triangular(lu, linalg.solve_triangular(lower, b[row_order(piv)], lower=True))
    return linalg.solve_triangular(lower, linalg.solve_triangular(lu, b, 1), 1, lower=True)[np.argsort(row_order(piv))]


@general(linalg.lu_factor, outputs=2)
def lu_factor(g, z, a, *, check_finite=True):
    lower = np.tril(of_square(z[0], "scipy.linalg.lu_factor"), -1) + np.eye(np.shape(a)[0])
    upper = np.triu(z[0])
    inside = np.tril(lower.T @ np.tril(g[0], -1), -1) + np.triu(np.triu(g[0]) @ upper.T)
    bar = np.linalg.inv(lower).T @ inside @ np.linalg.inv(upper).T
    return bar[np.argsort(row_order(z[1]))]


@lu_factor.pushforward
def lu_factor_forward(z, da, a, *, check_finite=True):
    lower = np.tril(of_square(z[0], "scipy.linalg.lu_factor"), -1) + np.eye(np.shape(a)[0])
    upper = np.triu(z[0])
    inside = np.linalg.inv(lower) @ da[row_order(z[1])] @ np.linalg.inv(upper)
    return lower @ np.tril(inside, -1) + np.triu(inside) @ upper, np.zeros_like(z[1])


@general(linalg.lu, outputs=3, only={"permute_l": (False,)})
def lu(g, z, a, permute_l=False, *, check_finite=True):
    inside = np.tril(np.matrix_transpose(z[1]) @ g[1], -1) + np.triu(g[2] @ np.matrix_transpose(z[2]))
    lower = np.linalg.inv(of_square(z[1], "scipy.linalg.lu"))
    return z[0] @ np.matrix_transpose(lower) @ inside @ np.matrix_transpose(np.linalg.inv(of_square(z[2], "scipy.linalg.lu")))


@lu.pushforward
def lu_forward(z, da, a, permute_l=False, *, check_finite=True):
    lower = np.linalg.inv(of_square(z[1], "scipy.linalg.lu"))
    inside = lower @ np.matrix_transpose(z[0]) @ da @ np.linalg.inv(of_square(z[2], "scipy.linalg.lu"))
    return np.zeros_like(z[0]), z[1] @ np.tril(inside, -1), np.triu(inside) @ z[2]


# Systems of banded matrices, and triangular ones


@general(linalg.solve_banded, holomorphic=True)
def solve_banded(g, z, l_and_u, ab, b, *, check_finite=True):
    at = bands(l_and_u, np.shape(b)[0])
    w = linalg.solve_banded(l_and_u[::-1], np.take_along_axis(ab, at[2], 1)[::-1], g)
    products = np.reshape(w, (np.shape(b)[0], -1))[at[0]] * np.reshape(z, (np.shape(b)[0], -1))
    return None, -np.where(at[1], np.sum(products, axis=-1), 0), w


@solve_banded.pushforward
def solve_banded_forward(z, dab, db, l_and_u, ab, b, *, check_finite=True):
    at = bands(l_and_u, np.shape(b)[0])
    rows = np.where(at[3], np.take_along_axis(dab, at[2], 1), 0)
    moved = np.sum(np.expand_dims(rows, -1) * np.reshape(z, (np.shape(b)[0], -1))[at[2]], axis=0)
    return linalg.solve_banded(l_and_u, ab, db - np.reshape(moved, np.shape(b)))


@composite(linalg.solveh_banded)
def solveh_banded(ab, b, overwrite_ab=False, overwrite_b=False, lower=False, check_finite=True):
    n = np.shape(ab)[1]
    steps = np.expand_dims(np.arange(np.shape(ab)[0]), -1)
    if lower:
        whole = np.concatenate((np.conjugate(np.take_along_axis(ab, (np.arange(n) - steps) % n, 1))[:0:-1], ab))
    else:
        whole = np.concatenate((ab, np.conjugate(np.take_along_axis(ab, (np.arange(n) + steps[::-1]) % n, 1))[-2::-1]))
    return linalg.solve_banded((len(steps) - 1, len(steps) - 1), whole, b)


@general(linalg.solve_triangular, only={"trans": (0, 1, 2)}, holomorphic=True)
def solve_triangular(g, z, a, b, trans=0, lower=False, *, check_finite=True):
    w = linalg.solve_triangular(np.conjugate(a) if trans == 2 else a, g, 1 if trans == 0 else 0, lower)
    columns = np.expand_dims(w, -1) if np.ndim(b) == 1 else w
    x = np.expand_dims(z, -1) if np.ndim(b) == 1 else z
    a_bar = -(columns @ np.matrix_transpose(x)) if trans == 0 else -(x @ np.matrix_transpose(columns))
    a_bar = np.conjugate(a_bar) if trans == 2 else a_bar
    return sum_to(np.tril(a_bar) if lower else np.triu(a_bar), np.shape(a)), sum_to(w, np.shape(b))


@solve_triangular.pushforward
def solve_triangular_forward(z, da, db, a, b, trans=0, lower=False, *, check_finite=True):
    read = np.conjugate(np.tril(a) if lower else np.triu(a)) if trans == 2 else np.tril(a) if lower else np.triu(a)
    moved = np.conjugate(np.tril(da) if lower else np.triu(da)) if trans == 2 else np.tril(da) if lower else np.triu(da)
    x = np.expand_dims(z, -1) if np.ndim(b) == 1 else z
    change = (np.expand_dims(db, -1) if np.ndim(b) == 1 else db) - (moved if trans == 0 else np.matrix_transpose(moved)) @ x
    dx = np.linalg.solve(read if trans == 0 else np.matrix_transpose(read), change)
    return np.squeeze(dx, -1) if np.ndim(b) == 1 else dx


@composite(linalg.solve_triangular)
def solve_triangular_by_letter(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=True):
    if unit_diagonal:
        a = (np.tril(a, -1) if lower else np.triu(a, 1)) + np.eye(np.shape(a)[0])
    if trans in ("T", 1):
        return linalg.solve_triangular(a, b, 1, lower)
    if trans in ("C", 2):
        return linalg.solve_triangular(a, b, 2, lower)
    return linalg.solve_triangular(a, b, 0, lower)
