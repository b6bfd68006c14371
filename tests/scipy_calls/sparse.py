"""scipy.sparse and scipy.sparse.linalg."""

import numpy as np
import scipy.sparse as sp
from scipy import sparse
from scipy.sparse import coo_matrix, csc_matrix, csr_array, csr_matrix, diags, lil_matrix
from scipy.sparse.linalg import (
    LinearOperator,
    bicgstab,
    cg,
    eigsh,
    expm_multiply,
    factorized,
    gmres,
    lsqr,
    spilu,
    splu,
    spsolve,
)

from tests.corpus.case import array, number, positive

from .call import call

LAPLACIAN = sparse.diags([-1.0, 2.5, -1.0], [-1, 0, 1], shape=(6, 6), format="csr")
ADVECTION = csc_matrix(LAPLACIAN + sparse.diags([0.3], [1], shape=(6, 6)))
ROW = np.array([0, 0, 1, 2, 2, 3, 3])
COLUMN = np.array([0, 2, 1, 0, 3, 3, 1])


@call(LAPLACIAN, array("6"))
def csr_given(A, x):
    return np.sum((A @ x) ** 2)


@call(array("6"))
def energy_of_a_global_matrix(x):
    return 0.5 * x @ (LAPLACIAN @ x)


@call(array("6"))
def vector_from_the_left(x):
    return np.sum(np.sin(x @ ADVECTION))


@call(csr_matrix(LAPLACIAN), array("6"))
def dot_method(A, x):
    return np.linalg.norm(A.dot(x))


@call(csr_matrix(LAPLACIAN), array("6"))
def star_of_a_matrix(A, x):
    r = A * x - 1.0
    return r @ r


@call(ADVECTION, array("6"))
def transposed(A, x):
    return np.sum((A.T @ x) ** 2)


@call(csr_array(LAPLACIAN), array("6 3"))
def csr_array_times_dense(A, X):
    return np.sum((A @ X) ** 2)


@call(array("4"))
def built_inside_from_triples(x):
    A = coo_matrix((np.ones(7), (ROW, COLUMN)), shape=(4, 4)).tocsr()
    return np.sum((A @ x) ** 2)


@call(array("7"), array("4"))
def values_of_triples(v, x):
    A = csr_matrix((v, (ROW, COLUMN)), shape=(4, 4))
    return np.sum((A @ x) ** 2)


@call(array("6"))
def values_with_indptr(data):
    A = csr_matrix((data, np.array([0, 2, 2, 0, 1, 2]), np.array([0, 2, 3, 6])), shape=(3, 3))
    return np.sum(A.toarray() ** 2)


@call(array("7"))
def assembled_to_dense(v):
    K = coo_matrix((v**2, (ROW, COLUMN)), shape=(4, 4)).toarray() + 3 * np.eye(4)
    return np.linalg.solve(K, np.ones(4)).sum()


@call(array("5"), positive("6"), array("6"))
def tridiagonal_of_vectors(off, main, x):
    A = diags([off, main, off], [-1, 0, 1])
    return np.sum((A @ x) ** 2)


@call(positive("6"), array("6"))
def scaled_rows(d, x):
    D = sp.diags(1 / np.sqrt(d))
    return x @ (D @ LAPLACIAN @ D @ x)


@call(array("6"))
def multiplied_elementwise(x):
    return LAPLACIAN.multiply(x).power(2).sum()


@call(array("6"))
def slice_of_rows(x):
    return np.sum((LAPLACIAN[1:4] @ x) ** 2)


@call(number(0.3), array("6"))
def implicit_step(dt, u):
    A = sparse.eye(6, format="csc") + dt * LAPLACIAN.tocsc()
    return np.sum(spsolve(A, u) ** 2)


@call(array("9"))
def two_dimensional_laplacian(u):
    T = sparse.diags([-1, 2, -1], [-1, 0, 1], shape=(3, 3))
    L = sparse.kron(sparse.eye(3), T) + sparse.kron(T, sparse.eye(3))
    return u @ (L @ u)


@call(positive("3"), array("6"))
def kron_of_values(a, x):
    return np.sum((sparse.kron(sparse.diags(a), np.array([[1.0, 2.0], [0.5, 1.0]]), format="csr") @ x) ** 2)


@call(array("6"), positive("6"))
def stacked_with_a_penalty(x, w):
    A = sparse.vstack([LAPLACIAN, sparse.diags(w)])
    return np.sum((A @ x) ** 2)


@call(array("3"), array("3"), array("6"))
def block_diagonal(a, b, x):
    A = sparse.block_diag((sparse.diags(a), np.outer(a, b)))
    return np.sum((A @ x) ** 2)


@call(array("6"))
def spsolve_of_the_right_side(b):
    x = spsolve(ADVECTION, b)
    return np.sum(x**2)


@call(positive("6"), array("6"))
def spsolve_of_the_matrix(k, b):
    A = LAPLACIAN + diags(k)
    return np.sum(spsolve(A.tocsc(), b) ** 2)


@call(ADVECTION, array("6"))
def factorised_once(A, b):
    lu = splu(A)
    return np.sum(lu.solve(lu.solve(b)) ** 2)


@call(ADVECTION, array("6"))
def splu_in_one_line(A, b):
    return np.sum(splu(A).solve(b) ** 2)


@call(array("6"))
def solver_as_a_function(b):
    solve = factorized(ADVECTION)
    return np.sum(solve(b) ** 2)


@call(LAPLACIAN, array("6"))
def conjugate_gradients(A, b):
    x, info = cg(A, b, rtol=1e-13)
    return np.sum(x**2)


@call(ADVECTION, array("6"))
def gmres_of_the_right_side(A, b):
    x, exit_code = gmres(A, b, rtol=1e-13, atol=0.0)
    return np.sum(x**2)


@call(ADVECTION, array("6"))
def bicgstab_preconditioned(A, b):
    M = LinearOperator((6, 6), spilu(A).solve)
    return np.sum(bicgstab(A, b, rtol=1e-13, M=M)[0] ** 2)


@call(array("6"))
def least_squares_of_a_tall_matrix(b):
    A = LAPLACIAN[:, :4]
    return np.sum(lsqr(A, b, atol=1e-14, btol=1e-14)[0] ** 2)


@call(number(0.7), array("6"))
def diffused(t, u):
    return np.sum(expm_multiply(-t * LAPLACIAN, u) ** 2)


@call(positive("6"))
def ground_state_energy(potential):
    H = LAPLACIAN + diags(potential)
    w, v = eigsh(H, k=2, which="SA")
    return w[1] - w[0]


@call(positive("6"), array("6"))
def matrix_free(k, b):
    A = LinearOperator((6, 6), matvec=lambda v: LAPLACIAN @ v + k * v)
    return cg(A, b, rtol=1e-13)[0] @ b


@call(array("16"), array("6"))
def weighted_entries(w, x):
    A = LAPLACIAN.copy()
    A.data = A.data * w
    return np.sum((A @ x) ** 2)


@call(positive("7"))
def row_sums(v):
    A = csr_matrix((v, (ROW, COLUMN)), shape=(4, 4))
    return np.sum(np.log(np.asarray(A.sum(axis=1)).ravel()))


@call(array("5"))
def lil_filled(x):
    A = lil_matrix((5, 5))
    A[0, 1:4] = [1.0, 2.0, 3.0]
    A.setdiag(2.0)
    return np.sum((A.tocsr() @ x) ** 2)


@call(array("4"))
def values_in_a_list(v):
    values = [entry for k in range(4) for entry in (v[k], -2 * v[k])]
    A = csr_matrix((values, ([0, 0, 1, 1, 2, 2, 3, 3], [0, 1, 1, 2, 2, 3, 3, 0])), shape=(4, 4))
    N = A.T @ diags([v[0] ** 2, 1.0, 2.0, 3.0]) @ A + 4 * sparse.eye(4)
    return np.sum(spsolve(N.tocsc(), A.T @ v))
