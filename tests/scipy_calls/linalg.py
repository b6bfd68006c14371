"""scipy.linalg, and what numpy.linalg says in the same words."""

import numpy as np
import scipy.linalg
import scipy.linalg as la
from scipy import linalg
from scipy.linalg import (
    block_diag,
    cho_factor,
    cho_solve,
    circulant,
    expm,
    logm,
    lu_factor,
    lu_solve,
    solve_banded,
    solve_continuous_are,
    solve_continuous_lyapunov,
    solve_discrete_lyapunov,
    solve_sylvester,
    solve_toeplitz,
    solve_triangular,
    solveh_banded,
    sqrtm,
    toeplitz,
)

from tests.corpus.case import array, definite, number, positive

from .call import call, near

BASE = np.array([[1.0, 0.2, -0.3], [0.4, -0.5, 0.1], [0.0, 0.6, 0.8]])


@call(array("3 3"))
def exponential(A):
    return np.sum(expm(A))


@call(number(0.7), array("3"))
def exponential_in_time(t, x):
    return np.sum((expm(BASE * t) @ x) ** 2)


@call(definite("4"))
def square_root(A):
    return np.sum(np.cos(sqrtm(A)))


@call(definite("4"))
def logarithm(A):
    return np.sum(logm(A) ** 2)


@call(definite("4"), array("4"))
def solved(A, b):
    return np.sum(linalg.solve(A, b) ** 2)


@call(definite("4"), array("4"))
def solved_as_positive(A, b):
    return b @ scipy.linalg.solve(A, b, assume_a="pos")


@call(definite("4"), array("4"))
def triangular(L, b):
    x = solve_triangular(L, b, lower=True)
    return x @ x


@call(definite("4"), array("4"))
def gaussian_log_likelihood(K, y):
    L = linalg.cholesky(K, lower=True)
    alpha = linalg.cho_solve((L, True), y)
    return -0.5 * y @ alpha - np.sum(np.log(np.diag(L)))


@call(definite("4"), array("4"))
def cholesky_factor_and_solve(A, b):
    c, low = cho_factor(A)
    return np.sum(cho_solve((c, low), b) ** 2)


@call(definite("4"), array("4"))
def cholesky_in_one_line(A, b):
    return np.sum(cho_solve(cho_factor(A, lower=True), b))


@call(definite("4"), array("4"))
def lu_factor_and_solve(A, b):
    lu, piv = lu_factor(A)
    x = lu_solve((lu, piv), b)
    return np.sum(x**2)


@call(definite("4"))
def factors_of_lu(A):
    P, L, U = linalg.lu(A)
    return np.sum(np.log(np.abs(np.diag(U)))) + np.sum(L**2)


@call(array("5 3"), array("5"))
def least_squares_by_qr(A, b):
    Q, R = linalg.qr(A, mode="economic")
    return np.sum(linalg.solve_triangular(R, Q.T @ b) ** 2)


@call(array("4 4"))
def square_qr(A):
    q, r = linalg.qr(A)
    return np.sum(q**3) + np.sum(np.abs(r))


@call(definite("4"))
def eigenvalues_and_vectors(A):
    w, v = linalg.eigh(A)
    return np.sum(w**2) + np.sum(v[:, 0] ** 4)


@call(definite("4"), definite("4"))
def generalised_eigenvalues(K, M):
    w = la.eigh(K, M, eigvals_only=True)
    return np.sqrt(w[0])


@call(definite("4"))
def smallest_eigenvalue(A):
    return la.eigvalsh(A)[0]


@call(array("4 4"))
def spectral_radius(A):
    w = linalg.eigvals(A)
    return np.max(np.abs(w))


@call(array("5 3"))
def low_rank(A):
    U, s, Vh = linalg.svd(A, full_matrices=False)
    return np.sum((U[:, :2] * s[:2] @ Vh[:2]) ** 4)


@call(array("5 3"))
def full_svd_for_its_values(A):
    U, s, Vh = linalg.svd(A)
    return np.sum(np.log(s))


@call(array("5 3"))
def singular_values(A):
    return np.sum(np.sqrt(linalg.svdvals(A)))


@call(array("4 4"))
def determinant(A):
    return linalg.det(A) ** 2


@call(definite("4"))
def trace_of_the_inverse(A):
    return np.trace(linalg.inv(A))


@call(array("5 3"))
def pseudo_inverse(A):
    return np.sum(linalg.pinv(A) ** 2)


@call(array("6 3"), array("6"))
def lstsq_of_both(A, y):
    p, res, rnk, s = linalg.lstsq(A, y)
    return np.sum(p**2)


@call(array("4 3"))
def norms(A):
    return linalg.norm(A) + linalg.norm(A, 1) + linalg.norm(A, 2)


@call(array("4 4"))
def condition_number(A):
    return np.log(np.linalg.cond(A))


@call(positive("3 6"), array("6"))
def banded(ab, b):
    ab = ab + np.array([[0.0], [5.0], [0.0]])
    return np.sum(solve_banded((1, 1), ab, b) ** 2)


@call(array("6"))
def positive_banded(b):
    ab = np.array([[0.0, -1, -1, -1, -1, -1], [2.5, 2.5, 2.5, 2.5, 2.5, 2.5]])
    return b @ solveh_banded(ab, b)


@call(near(4.0, 1.0, 0.5, 0.2), array("4"))
def toeplitz_system(c, b):
    return np.sum(solve_toeplitz(c, b) ** 2)


@call(array("3 3"), array("3 3"))
def sylvester(A, Q):
    X = solve_sylvester(A, BASE + 4 * np.eye(3), Q)
    return np.sum(X**2)


@call(array("3 3"), definite("3"))
def lyapunov(A, Q):
    X = solve_continuous_lyapunov(A - 4 * np.eye(3), -Q)
    return np.trace(X)


@call(array("3 3"), definite("3"))
def discrete_lyapunov(A, Q):
    return np.trace(solve_discrete_lyapunov(0.2 * A, Q))


@call(array("3 3"), array("3 1"))
def linear_quadratic_regulator(A, B):
    P = solve_continuous_are(A, B, np.eye(3), np.eye(1))
    return np.sum((B.T @ P) ** 2)


@call(array("2 2"), array("3 3"))
def blocks(A, B):
    return np.sum(expm(0.3 * block_diag(A, B)))


@call(array("4"), array("4"))
def toeplitz_and_circulant(c, x):
    return np.sum((toeplitz(c) @ x) ** 2) + np.sum((circulant(c) @ x) ** 2)


@call(definite("3"), array("3"))
def batch_of_systems(A, b):
    As = np.stack([A, 2 * A + np.eye(3)])
    return np.sum(np.linalg.solve(As, np.stack([b, b**2])[..., None]) ** 2)
