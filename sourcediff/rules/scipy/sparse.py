"""SciPy's sparse matrices and their solvers, as constants: products with what is differentiated, and solutions."""

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from ...runtime.sparse import (
    converged,
    coordinate_dense,
    coordinate_product,
    coordinate_solution,
    solution,
    transposed_solution,
)
from ..families import itself
from ..frames import general, linear, multilinear, named
from ..library_objects import record
from .coordinates import BASE


@multilinear(sparse.csr_array.__matmul__, linalg.LinearOperator.__matmul__)
def matmul(g, z, self, other):
    return None, self.T @ g


@multilinear(sparse.csr_array.dot, linalg.LinearOperator.dot)
def dot(g, z, self, other):
    return None, np.reshape(self.T @ g, np.shape(other))  # not of a number, which scales it


@multilinear(sparse.csr_array.__rmatmul__)
def rmatmul(g, z, self, other):
    return None, np.reshape(g @ self.T, np.shape(other))


@multilinear(linalg.LinearOperator.matvec, linalg.LinearOperator.matmat)
def matvec(g, z, self, x):
    return None, np.reshape(self.T @ g, np.shape(x))


@general(linalg.spsolve, refuses=("A",))
def spsolve(g, z, A, b, permc_spec=None, use_umfpack=True):
    return None, np.reshape(linalg.spsolve(A.T, g), np.shape(b))


@spsolve.pushforward
def spsolve_forward(z, db, A, b, permc_spec=None, use_umfpack=True):
    return linalg.spsolve(A, db)


@general(linalg.SuperLU.solve, only={"trans": ("N", "T")})
def superlu_solve(g, z, self, rhs, trans="N"):
    return None, self.solve(g, "T" if trans == "N" else "N")


@superlu_solve.pushforward
def superlu_solve_forward(z, drhs, self, rhs, trans="N"):
    return self.solve(drhs, trans)


class Factorised:
    """What ``factorized`` gives, the bound method of a factorisation."""

    def __call__(self, b):
        return self(b)


@general(Factorised.__call__)
def factorised_call(g, z, self, b):
    return None, transposed_solution(g, self)


@factorised_call.pushforward
def factorised_call_forward(z, db, self, b):
    return solution(db, self)


@linear(converged)
def converged_adjoint(g, z, x, info):
    return g, None


@linear(transposed_solution)
def transposed_solution_adjoint(g, z, b, solve):
    return solution(g, solve)


@linear(solution)
def solution_adjoint(g, z, b, solve):
    return transposed_solution(g, solve)


@general(*named(linalg, "cgs bicg bicgstab tfqmr gmres"), outputs=2, refuses=("A", "x0", "M"))
def iterative(g, z, A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None):
    found = itself(A.T, g[0], rtol=rtol, atol=atol, maxiter=maxiter)
    return None, converged(found[0], found[1])


@iterative.pushforward
def iterative_forward(z, db, A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None):
    found = itself(A, db, rtol=rtol, atol=atol, maxiter=maxiter, M=M)
    return converged(found[0], found[1]), 0.0


@general(linalg.cg, outputs=2, refuses=("A", "x0", "M"))
def cg(g, z, A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None):
    found = linalg.cg(A, g[0], rtol=rtol, atol=atol, maxiter=maxiter, M=M)
    return None, converged(found[0], found[1])


@cg.pushforward
def cg_forward(z, db, A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None):
    found = linalg.cg(A, db, rtol=rtol, atol=atol, maxiter=maxiter, M=M)
    return converged(found[0], found[1]), 0.0


@general(linalg.minres, outputs=2, refuses=("A", "x0", "shift", "M"))
def minres(g, z, A, b, x0=None, *, rtol=1e-5, shift=0.0, maxiter=None, M=None):
    found = linalg.minres(A, g[0], rtol=rtol, shift=shift, maxiter=maxiter, M=M)
    return None, converged(found[0], found[1])


@minres.pushforward
def minres_forward(z, db, A, b, x0=None, *, rtol=1e-5, shift=0.0, maxiter=None, M=None):
    found = linalg.minres(A, db, rtol=rtol, shift=shift, maxiter=maxiter, M=M)
    return converged(found[0], found[1]), 0.0


@general(linalg.expm_multiply, refuses=("A",))
def expm_multiply(g, z, A, B):
    return None, linalg.expm_multiply(A.T, g)


@expm_multiply.pushforward
def expm_multiply_forward(z, dB, A, B):
    return linalg.expm_multiply(A, dB)


@linear(coordinate_dense)
def coordinate_dense_adjoint(g, z, values, rows, columns, shape):
    return g[rows, columns]


@multilinear(coordinate_product)
def coordinate_product_adjoint(g, z, values, x, rows, columns, shape):
    products = g[rows] * x[columns]
    v_bar = products if np.ndim(x) == 1 else np.sum(products, axis=1)
    return v_bar, coordinate_product(values, g, columns, rows, shape[::-1])


@general(coordinate_solution)
def coordinate_solution_adjoint(g, z, values, b, rows, columns, shape):
    w = coordinate_solution(values, g, columns, rows, shape[::-1])
    products = w[rows] * z[columns]
    return -products if np.ndim(b) == 1 else -np.sum(products, axis=1), w


@coordinate_solution_adjoint.pushforward
def coordinate_solution_forward(z, dvalues, db, values, b, rows, columns, shape):
    return coordinate_solution(values, db - coordinate_product(dvalues, z, rows, columns, shape), rows, columns, shape)


ALIKE = "T mT H transpose conj conjugate copy tocsr tocsc tocoo todia tobsr tolil todok astype power operators"
MAKERS = """
    diags diags_array spdiags eye eye_array identity kron kronsum block_diag block_array bmat hstack vstack random random_array tril triu"""

record(BASE, *named(sparse, MAKERS), alike=ALIKE)
record(sparse.spmatrix, alike=ALIKE, methods={
    name: getattr(sparse.csr_matrix, name) for name in dir(sparse.csr_matrix) if callable(getattr(sparse.csr_matrix, name, None))
} | {"__mul__": sparse.csr_matrix.dot, "__rmul__": sparse.csr_matrix.__rmatmul__})
record(linalg.SuperLU, linalg.splu, linalg.spilu)
record(Factorised, linalg.factorized)
record(linalg.LinearOperator, linalg.aslinearoperator, alike="T H transpose adjoint operators", methods={
    "__call__": linalg.LinearOperator.dot, "__mul__": linalg.LinearOperator.dot,
})
