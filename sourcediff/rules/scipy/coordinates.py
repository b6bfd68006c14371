"""SciPy's sparse matrices of differentiated values: composites in coordinate form."""

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from ...errors import MissingRuleError
from ...runtime.sparse import (
    coordinate_dense,
    coordinate_product,
    coordinate_solution,
    determined,
    diagonal_places,
    eigenpairs,
    extent,
    indices,
    is_one_number,
    largest_sum,
    meeting,
    row_numbers,
    selected,
    unflattened,
)
from ..frames import constant, general
from ..library_functions import composite

constant(diagonal_places, eigenpairs, extent, indices, is_one_number, largest_sum, meeting, row_numbers, selected, unflattened)


@general(determined)
def determined_adjoint(g, z, step, other):
    return g, None


@determined_adjoint.pushforward
def determined_forward(z, dstep, step, other):
    return dstep


class Coordinates:
    """A sparse array of which the values are differentiated, in coordinate form; what stands at one place adds up.

    ``shares``: the format of one whose values are an array that was given, and may change with it; else "".
    """

    __array_ufunc__ = None

    def __init__(self, values, rows, columns, shape, shares=""):
        self.values = np.asarray(values)
        self.shares = shares
        self.rows = rows
        self.columns = columns
        self.shape = shape

    def alike(self, values):
        return type(self)(values, self.rows, self.columns, self.shape)

    @property
    def T(self):
        return type(self)(self.values, self.columns, self.rows, self.shape[::-1], self.shares)

    def transpose(self):
        return type(self)(self.values, self.columns, self.rows, self.shape[::-1], self.shares)

    def __getitem__(self, key):
        if isinstance(key, tuple) and len(key) == 2:
            return self.at(key[0], key[1])
        return self.part(key)

    def at(self, row, column):
        if is_one_number(row) and is_one_number(column):
            entries = selected(self.rows, self.columns, self.shape, unflattened((row, column)))[0]
            return np.sum(self.values[entries])
        return self.part((row, column))

    def part(self, key):
        entries, rows, columns, shape = selected(self.rows, self.columns, self.shape, key)
        return type(self)(self.values[entries], rows, columns, shape)

    def diagonal(self):
        entries = self.rows == self.columns
        values = np.zeros(min(self.shape))
        np.add.at(values, self.rows[entries], self.values[entries])
        return values

    def trace(self):
        return np.sum(self.values[self.rows == self.columns])

    def copy(self):
        return self.alike(np.array(self.values))

    def tocsr(self, copy=False):
        return self.alike(np.array(self.values) if self.shares == "coo" or self.shares == "csc" or copy else self.values)

    def tocsc(self, copy=False):
        return self.alike(np.array(self.values) if self.shares == "coo" or self.shares == "csr" or copy else self.values)

    def tocoo(self, copy=False):
        return self.alike(np.array(self.values) if self.shares == "csr" or self.shares == "csc" or copy else self.values)

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
        if is_one_number(other):
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
    """A sparse matrix of which the values are differentiated: ``*`` is the matrix product, and a row is a matrix."""

    def part(self, key):
        return super().part(unflattened(key))

    def __mul__(self, other):
        if is_one_number(other):
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
    return Coordinates(np.ravel(np.array(part)), np.ravel(rows), np.ravel(columns), np.shape(part))


def as_matrix(part):
    """The same as a matrix, for which ``*`` is the matrix product."""
    return MatrixCoordinates(part.values, part.rows, part.columns, part.shape, part.shares)


def of_places(arg1: tuple, shape, shares=""):
    """What is made of values and their places, of a plain array or of another matrix."""
    if isinstance(arg1, tuple):
        rows = indices(arg1[1][0])
        columns = indices(arg1[1][1])
        values = arg1[0] if shares else np.array(arg1[0])
        return Coordinates(values, rows, columns, extent(rows, columns) if shape is None else shape, shares)
    part = coordinates(arg1)
    return Coordinates(part.values, part.rows, part.columns, part.shape, part.shares)


def of_rows(arg1: tuple, shape):
    """The same, or of rows that are given one after another."""
    if isinstance(arg1, tuple) and len(arg1) == 3:
        rows = row_numbers(arg1[2])
        columns = indices(arg1[1])
        return Coordinates(arg1[0], rows, columns, (len(arg1[2]) - 1, extent(rows, columns)[1]) if shape is None else shape, "csr")
    return of_places(arg1, shape)


def of_columns(arg1: tuple, shape):
    """The same of columns."""
    if isinstance(arg1, tuple) and len(arg1) == 3:
        columns = row_numbers(arg1[2])
        rows = indices(arg1[1])
        return Coordinates(arg1[0], rows, columns, (extent(rows, columns)[0], len(arg1[2]) - 1) if shape is None else shape, "csc")
    return of_places(arg1, shape)


def of_diagonals(diagonals: list, offsets, shape):
    """The same of diagonals."""
    if isinstance(offsets, int):
        size = len(diagonals) + abs(offsets)
        rows, columns = diagonal_places([offsets], (size, size) if shape is None else shape)[1:]
        return Coordinates(np.array(diagonals), rows, columns, (size, size) if shape is None else shape)
    size = len(diagonals[0]) + abs(offsets[0]) if shape is None else 0
    lengths, rows, columns = diagonal_places(offsets, (size, size) if shape is None else shape)
    values = np.concatenate([np.broadcast_to(diagonal, (length,)) for diagonal, length in zip(diagonals, lengths)])
    return Coordinates(values, rows, columns, (size, size) if shape is None else shape)


@composite(sparse.coo_array)
def coo_array(arg1: tuple, shape=None, dtype=None, copy=False):
    return of_places(arg1, shape, "" if copy else "coo")


@composite(sparse.csr_array)
def csr_array(arg1: tuple, shape=None, dtype=None, copy=False):
    return of_rows(arg1, shape)


@composite(sparse.csc_array)
def csc_array(arg1: tuple, shape=None, dtype=None, copy=False):
    return of_columns(arg1, shape)


@composite(sparse.coo_matrix)
def coo_matrix(arg1: tuple, shape=None, dtype=None, copy=False):
    return as_matrix(of_places(arg1, shape, "" if copy else "coo"))


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


@composite(linalg.expm_multiply)
def expm_multiply_of_values(A, B):
    """Taylor's series, in steps of which the norm is at most 3 (A. H. Al-Mohy, N. J. Higham, SIAM J. Sci. Comput. 33, 2011)."""
    count = int(np.ceil(largest_sum(A.values, A.columns) / 3))
    for _ in range(count):
        term = B
        for k in range(1, 31):
            term = A @ term / (count * k)
            B = B + term
    return B


@composite(linalg.eigsh)
def eigsh_of_values(A, k=6, M=None, sigma=None, which="LM", v0=None, ncv=None, maxiter=None, tol=0, return_eigenvectors=True):
    if M is not None:
        raise MissingRuleError("scipy.sparse.linalg.eigsh has a derivative rule, but not with M=")
    found, vectors = eigenpairs(A.values, A.rows, A.columns, A.shape, k, sigma, which, v0, ncv, maxiter, tol)
    pairs = np.stack([refined(A, refined(A, np.append(vectors[:, j], found[j]))) for j in range(k)])
    return (pairs[:, -1], np.transpose(pairs[:, :-1])) if return_eigenvectors else pairs[:, -1]


def refined(A, pair):
    """An eigenvector of length 1 and its eigenvalue after one of Newton's steps, two of which give them their derivatives."""
    v, w, at, last = pair[:-1], pair[-1], np.arange(A.shape[0]), np.full(A.shape[0], A.shape[0])
    values = np.concatenate([A.values, -w * np.ones(len(at)), -v, v])
    rows, columns = np.concatenate([A.rows, at, at, last]), np.concatenate([A.columns, at, last, at])
    left = np.append(w * v - coordinate_product(A.values, v, A.rows, A.columns, A.shape), 0.5 - 0.5 * v @ v)
    right = np.stack([left, np.cos(np.arange(len(pair)) ** 2)], axis=1)
    steps = coordinate_solution(values, right, rows, columns, (len(pair), len(pair)))
    return pair + determined(steps[:, 0], steps[:, 1] * np.max(np.abs(A.values)))


BASE = next(base for base in sparse.csr_array.__mro__ if "__matmul__" in vars(base))
"""The class of SciPy's that has the operators of all."""

ARRAYS = sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.dia_array, sparse.bsr_array, sparse.lil_array, sparse.dok_array
"""The classes that may have operators of their own."""


@composite(*{getattr(kind, name) for kind in (BASE, *ARRAYS) for name in ("multiply", "__mul__", "__rmul__")})
def multiplied(self, other):
    return coordinates(self).multiply(other)


@composite(sparse.spmatrix.__mul__, sparse.spmatrix.__rmul__)
def scaled(self, other):
    return as_matrix(coordinates(self).multiply(other))


@composite(*{kind.__truediv__ for kind in (BASE, *ARRAYS)})
def divided(self, other):
    return coordinates(self).multiply(1 / other)
