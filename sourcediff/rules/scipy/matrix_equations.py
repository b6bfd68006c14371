"""Functions of matrices, equations between them, and eigenvalues, as SciPy has them."""

import numpy as np
from scipy import linalg

from ...runtime.arrays import block_triangular, cast, off_diagonal
from ...runtime.equal_spectra import quotient
from ..families import itself
from ..frames import general
from ..library_functions import composite

# f([[A, E], [0, A]]) = [[f(A), L], [0, f(A)]], where L is the derivative of f at A along E (Mathias, "A chain rule for matrix
# functions", 1996); at the transposed A, along E = g, it is the adjoint


@general(linalg.expm, linalg.sinm, linalg.cosm, linalg.tanm, linalg.sinhm, linalg.coshm, linalg.tanhm, holomorphic=True)
def of_matrix(g, z, A):
    return itself(block_triangular(np.matrix_transpose(A), g))[..., :np.shape(A)[-1], np.shape(A)[-1]:]


@of_matrix.pushforward
def of_matrix_forward(z, dA, A):
    return itself(block_triangular(A, dA))[..., :np.shape(A)[-1], np.shape(A)[-1]:]


@general(linalg.logm, holomorphic=True)
def logm(g, z, A):
    return off_diagonal(linalg.logm(block_triangular(np.matrix_transpose(A), g)), np.matrix_transpose(z))


@logm.pushforward
def logm_forward(z, dA, A):
    return off_diagonal(linalg.logm(block_triangular(A, dA)), z)


@general(linalg.fractional_matrix_power, holomorphic=True, refuses=("t",))
def fractional_matrix_power(g, z, A, t):
    return off_diagonal(linalg.fractional_matrix_power(block_triangular(A.T, g), t), z.T), None


@fractional_matrix_power.pushforward
def fractional_matrix_power_forward(z, dA, A, t):
    return off_diagonal(linalg.fractional_matrix_power(block_triangular(A, dA), t), z)


@general(linalg.sqrtm, holomorphic=True)
def sqrtm(g, z, A):
    return linalg.solve_sylvester(np.matrix_transpose(z), np.matrix_transpose(z), g)


@sqrtm.pushforward
def sqrtm_forward(z, dA, A):
    return linalg.solve_sylvester(z, z, dA)


@composite(linalg.expm_frechet)
def expm_frechet(A, E, method=None, compute_expm=True, check_finite=True):
    whole = linalg.expm(block_triangular(A, E))
    return (whole[:len(A), :len(A)], whole[:len(A), len(A):]) if compute_expm else whole[:len(A), len(A):]


@general(linalg.solve_sylvester, holomorphic=True)
def solve_sylvester(g, z, a, b, q):
    # SciPy's own is wrong of a real matrix with complex eigenvalues beside complex ones
    at = cast(np.matrix_transpose(a), z.dtype, z.dtype)
    q_bar = linalg.solve_sylvester(at, cast(np.matrix_transpose(b), z.dtype, z.dtype), g)
    return -(q_bar @ np.matrix_transpose(z)), -(np.matrix_transpose(z) @ q_bar), q_bar


@solve_sylvester.pushforward
def solve_sylvester_forward(z, da, db, dq, a, b, q):
    return linalg.solve_sylvester(cast(a, z.dtype, z.dtype), cast(b, z.dtype, z.dtype), dq - da @ z - z @ db)


@composite(linalg.solve_continuous_lyapunov)
def solve_continuous_lyapunov(a, q):
    return linalg.solve_sylvester(a, np.conjugate(a).T, q)


@general(linalg.solve_discrete_lyapunov)
def solve_discrete_lyapunov(g, z, a, q, method=None):
    q_bar = linalg.solve_discrete_lyapunov(a.T, g, method)
    return q_bar @ a @ z.T + q_bar.T @ a @ z, q_bar


@solve_discrete_lyapunov.pushforward
def solve_discrete_lyapunov_forward(z, da, dq, a, q, method=None):
    return linalg.solve_discrete_lyapunov(a, dq + da @ z @ a.T + a @ z @ da.T, method)


@general(linalg.solve_continuous_are)
def solve_continuous_are(g, z, a, b, q, r):
    gain = np.linalg.solve(r, b.T @ z)
    q_bar = linalg.solve_sylvester(a - b @ gain, (a - b @ gain).T, -0.5 * (g + g.T))
    return 2 * z @ q_bar, -2 * z @ q_bar @ gain.T, q_bar, gain @ q_bar @ gain.T


@solve_continuous_are.pushforward
def solve_continuous_are_forward(z, da, db, dq, dr, a, b, q, r):
    gain = np.linalg.solve(r, b.T @ z)
    half = z @ (da - db @ gain) + 0.5 * (dq + gain.T @ dr @ gain)
    return linalg.solve_sylvester((a - b @ gain).T, a - b @ gain, -(half + half.T))


# Eigenvalues of symmetric matrices, of which one triangle is read


@general(linalg.eigh, outputs=2, only={"b": (None,), "eigvals_only": (False,)})
def eigh(g, z, a, b=None, *, lower=True, eigvals_only=False, check_finite=True, driver=None):
    p = np.matrix_transpose(z[1]) @ g[1]
    inside = quotient(0.5 * (p - np.matrix_transpose(p)), z[0])
    s = (z[1] * np.expand_dims(g[0], -2) + z[1] @ inside) @ np.matrix_transpose(z[1])
    return np.tril(s) + np.tril(s, -1) if lower else np.triu(s) + np.triu(s, 1)


@eigh.pushforward
def eigh_forward(z, da, a, b=None, *, lower=True, eigvals_only=False, check_finite=True, driver=None):
    moved = np.tril(da) + np.matrix_transpose(np.tril(da, -1)) if lower else np.triu(da) + np.matrix_transpose(np.triu(da, 1))
    p = np.matrix_transpose(z[1]) @ moved @ z[1]
    return np.diagonal(p, 0, -2, -1), z[1] @ quotient(p, z[0])


@composite(linalg.eigh)
def eigh_generalised(a, b=None, *, lower=True, eigvals_only=False, overwrite_a=False, overwrite_b=False, check_finite=True):
    read = a if lower else np.matrix_transpose(a)
    if b is None:
        return np.linalg.eigvalsh(read) if eigvals_only else linalg.eigh(a, lower=lower)
    half = np.linalg.inv(np.linalg.cholesky(b if lower else b.T))
    reduced = half @ (np.tril(read) + np.tril(read, -1).T) @ half.T
    if eigvals_only:
        return np.linalg.eigvalsh(reduced)
    w, v = np.linalg.eigh(reduced)
    return w, half.T @ v


@composite(linalg.eigvalsh)
def eigvalsh(a, b=None, *, lower=True, overwrite_a=False, overwrite_b=False, check_finite=True, subset_by_index=None):
    w = linalg.eigh(a, b, lower=lower, eigvals_only=True)
    return w if subset_by_index is None else w[subset_by_index[0]:subset_by_index[1] + 1]


@composite(linalg.eigvalsh_tridiagonal)
def eigvalsh_tridiagonal(d, e, check_finite=True):
    return np.linalg.eigvalsh(np.diag(d) + np.diag(e, -1))


@general(linalg.eigh_tridiagonal, outputs=2, only={"eigvals_only": (False,)})
def eigh_tridiagonal(g, z, d, e, eigvals_only=False, *, check_finite=True):
    p = z[1].T @ g[1]
    s = (z[1] * g[0] + z[1] @ quotient(0.5 * (p - p.T), z[0])) @ z[1].T
    return np.diagonal(s), 2 * np.diagonal(s, -1)


@eigh_tridiagonal.pushforward
def eigh_tridiagonal_forward(z, dd, de, d, e, eigvals_only=False, *, check_finite=True):
    p = z[1].T @ (np.diag(dd) + np.diag(de, -1) + np.diag(de, 1)) @ z[1]
    return np.diagonal(p), z[1] @ quotient(p, z[0])
