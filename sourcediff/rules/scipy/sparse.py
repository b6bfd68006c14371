"""SciPy's sparse matrices and their solvers, as constants: products with what is differentiated, and solutions."""

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from ...runtime.sparse import (
    converged,
    coordinate_dense,
    coordinate_product,
    coordinate_solution,
    diagonal_places,
    extent,
    indices,
    is_number,
    meeting,
    row_numbers,
    solution,
    transposed_solution,
)
from ..families import itself
from ..frames import composite, constant, general, linear, multilinear, named, record


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


constant(diagonal_places, extent, indices, is_number, meeting, row_numbers)


class Coordinates:
    """A sparse array of which the values are differentiated, in coordinate form; what stands at one place adds up."""

    __array_ufunc__ = None

    def __init__(self, values, rows, columns, shape):
        self.values = values
        self.rows = rows
        self.columns = columns
        self.shape = shape

    def alike(self, values):
        return type(self)(values, self.rows, self.columns, self.shape)

    @property
    def T(self):
        return type(self)(self.values, self.columns, self.rows, self.shape[::-1])

    def transpose(self):
        return type(self)(self.values, self.columns, self.rows, self.shape[::-1])

    def tocsr(self, copy=False):
        return self.alike(self.values)

    def tocsc(self, copy=False):
        return self.alike(self.values)

    def tocoo(self, copy=False):
        return self.alike(self.values)

    def toarray(self):
        return coordinate_dense(self.values, self.rows, self.columns, self.shape)

    def times(self, other):
        first, second = meeting(self.columns, other.rows)
        values = self.values[first] * other.values[second]
        return type(self)(values, self.rows[first], other.columns[second], (self.shape[0], other.shape[1]))

    def __matmul__(self, other):
        if isinstance(other, Coordinates):
            return self.times(other)
        if hasattr(other, "tocoo"):
            return self.times(coordinates(other))
        return coordinate_product(self.values, other, self.rows, self.columns, self.shape)

    def __rmatmul__(self, other):
        if hasattr(other, "tocoo"):
            return self.T.times(coordinates(other).T).T
        return np.transpose(coordinate_product(self.values, np.transpose(other), self.columns, self.rows, self.shape[::-1]))

    def dot(self, other):
        return self @ other

    def __add__(self, other):
        part = coordinates(other)
        values = np.concatenate([self.values, part.values])
        return type(self)(values, np.concatenate([self.rows, part.rows]), np.concatenate([self.columns, part.columns]), self.shape)

    def __radd__(self, other):
        return self + other

    def __neg__(self):
        return self.alike(-self.values)

    def __sub__(self, other):
        part = coordinates(other)
        return self + part.alike(-part.values)

    def __rsub__(self, other):
        return self.alike(-self.values) + other

    def __truediv__(self, other):
        return self.multiply(1 / other)

    def multiply(self, other):
        if isinstance(other, Coordinates) or hasattr(other, "tocoo"):
            return self.multiply(other.toarray())
        if is_number(other):
            return self.alike(self.values * other)
        spread = np.broadcast_to(other, self.shape)
        return self.alike(self.values * spread[self.rows, self.columns])

    def __mul__(self, other):
        return self.multiply(other)

    def __rmul__(self, other):
        return self.multiply(other)

    def power(self, n):
        places, where = np.unique(self.rows * self.shape[1] + self.columns, return_inverse=True)
        values = np.zeros(len(places))
        np.add.at(values, where, self.values)
        return type(self)(values**n, places // self.shape[1], places % self.shape[1], self.shape)

    def sum(self, axis=None):
        if axis is None:
            return np.sum(self.values)
        return np.sum(self.toarray(), axis=axis)


class MatrixCoordinates(Coordinates):
    """A sparse matrix of which the values are differentiated: ``*`` is the matrix product."""

    def __mul__(self, other):
        if is_number(other):
            return self.multiply(other)
        return self @ other

    def __rmul__(self, other):
        return self.multiply(other)


def coordinates(part):
    """What stands for a part of a larger matrix: a sparse one, constant or not, or a plain array."""
    if isinstance(part, Coordinates):
        return part
    if hasattr(part, "tocoo"):
        known = part.tocoo()
        return Coordinates(known.data, known.row, known.col, known.shape)
    rows, columns = np.indices(np.shape(part))
    return Coordinates(np.ravel(part), np.ravel(rows), np.ravel(columns), np.shape(part))


def as_matrix(part):
    """The same as a matrix, for which ``*`` is the matrix product."""
    return MatrixCoordinates(part.values, part.rows, part.columns, part.shape)


def of_places(arg1: tuple, shape):
    """What is made of values and their places, of a plain array or of another matrix."""
    if isinstance(arg1, tuple):
        rows = indices(arg1[1][0])
        columns = indices(arg1[1][1])
        return Coordinates(arg1[0], rows, columns, extent(rows, columns) if shape is None else shape)
    part = coordinates(arg1)
    return Coordinates(part.values, part.rows, part.columns, part.shape)


def of_rows(arg1: tuple, shape):
    """The same, or of rows that are given one after another."""
    if isinstance(arg1, tuple) and len(arg1) == 3:
        rows = row_numbers(arg1[2])
        columns = indices(arg1[1])
        return Coordinates(arg1[0], rows, columns, (len(arg1[2]) - 1, extent(rows, columns)[1]) if shape is None else shape)
    return of_places(arg1, shape)


def of_columns(arg1: tuple, shape):
    """The same of columns."""
    if isinstance(arg1, tuple) and len(arg1) == 3:
        columns = row_numbers(arg1[2])
        rows = indices(arg1[1])
        return Coordinates(arg1[0], rows, columns, (extent(rows, columns)[0], len(arg1[2]) - 1) if shape is None else shape)
    return of_places(arg1, shape)


def of_diagonals(diagonals: list, offsets, shape):
    """The same of diagonals."""
    if isinstance(offsets, int):
        size = len(diagonals) + abs(offsets)
        rows, columns = diagonal_places([offsets], (size, size) if shape is None else shape)[1:]
        return Coordinates(diagonals, rows, columns, (size, size) if shape is None else shape)
    size = len(diagonals[0]) + abs(offsets[0]) if shape is None else 0
    lengths, rows, columns = diagonal_places(offsets, (size, size) if shape is None else shape)
    values = np.concatenate([np.broadcast_to(diagonal, (length,)) for diagonal, length in zip(diagonals, lengths)])
    return Coordinates(values, rows, columns, (size, size) if shape is None else shape)


@composite(sparse.coo_array)
def coo_array(arg1: tuple, shape=None, dtype=None, copy=False):
    return of_places(arg1, shape)


@composite(sparse.csr_array)
def csr_array(arg1: tuple, shape=None, dtype=None, copy=False):
    return of_rows(arg1, shape)


@composite(sparse.csc_array)
def csc_array(arg1: tuple, shape=None, dtype=None, copy=False):
    return of_columns(arg1, shape)


@composite(sparse.coo_matrix)
def coo_matrix(arg1: tuple, shape=None, dtype=None, copy=False):
    return as_matrix(of_places(arg1, shape))


@composite(sparse.csr_matrix)
def csr_matrix(arg1: tuple, shape=None, dtype=None, copy=False):
    return as_matrix(of_rows(arg1, shape))


@composite(sparse.csc_matrix)
def csc_matrix(arg1: tuple, shape=None, dtype=None, copy=False):
    return as_matrix(of_columns(arg1, shape))


@composite(sparse.diags)
def diags(diagonals: list, offsets=0, shape=None, format=None, dtype=None):
    return as_matrix(of_diagonals(diagonals, offsets, shape))


@composite(sparse.diags_array)
def diags_array(diagonals: list, *, offsets=0, shape=None, format=None, dtype=None):
    return of_diagonals(diagonals, offsets, shape)


@composite(sparse.kron)
def kron(A, B, format=None):
    a = coordinates(A)
    b = coordinates(B)
    rows = np.ravel(np.expand_dims(a.rows * b.shape[0], 1) + b.rows)
    columns = np.ravel(np.expand_dims(a.columns * b.shape[1], 1) + b.columns)
    shape = (a.shape[0] * b.shape[0], a.shape[1] * b.shape[1])
    return MatrixCoordinates(np.ravel(np.outer(a.values, b.values)), rows, columns, shape)


def placed(blocks: list, down, right):
    """Blocks one after another, below or beside the one before."""
    parts = [coordinates(block) for block in blocks]
    heights = np.array([part.shape[0] for part in parts])
    widths = np.array([part.shape[1] for part in parts])
    below = (np.cumsum(heights) - heights) * down
    beside = (np.cumsum(widths) - widths) * right
    values = np.concatenate([part.values for part in parts])
    rows = np.concatenate([part.rows + first for part, first in zip(parts, below)])
    columns = np.concatenate([part.columns + first for part, first in zip(parts, beside)])
    shape = (int(np.sum(heights) if down else heights[0]), int(np.sum(widths) if right else widths[0]))
    return MatrixCoordinates(values, rows, columns, shape)


@composite(sparse.block_diag)
def block_diag(mats: list, format=None, dtype=None):
    return placed(mats, True, True)


@composite(sparse.vstack)
def vstack(blocks: list, format=None, dtype=None):
    return placed(blocks, True, False)


@composite(sparse.hstack)
def hstack(blocks: list, format=None, dtype=None):
    return placed(blocks, False, True)


@composite(linalg.spsolve)
def spsolve_of_values(A, b, permc_spec=None, use_umfpack=True):
    return coordinate_solution(A.values, b, A.rows, A.columns, A.shape)


@composite(linalg.splu, linalg.factorized)
class Factorisation:
    """A factorisation of a matrix of differentiated values: a solver of systems with it."""

    def __init__(self, A):
        self.A = A

    def solve(self, rhs, trans="N"):
        if trans == "N":
            return coordinate_solution(self.A.values, rhs, self.A.rows, self.A.columns, self.A.shape)
        return coordinate_solution(self.A.values, rhs, self.A.columns, self.A.rows, self.A.shape[::-1])

    def __call__(self, b):
        return self.solve(b)


BASE = next(base for base in sparse.csr_array.__mro__ if "__matmul__" in vars(base))


@composite(BASE.multiply, BASE.__mul__, BASE.__rmul__)
def multiplied(self, other):
    return coordinates(self).multiply(other)


@composite(sparse.spmatrix.__mul__, sparse.spmatrix.__rmul__)
def scaled(self, other):
    return as_matrix(coordinates(self).multiply(other))


@composite(BASE.__truediv__)
def divided(self, other):
    return coordinates(self).multiply(1 / other)


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
