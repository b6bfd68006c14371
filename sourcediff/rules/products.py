"""Products of matrices and tensors: linear in each argument. The variants for fixed ranks are what one writes by hand."""

import numpy as np

from ..runtime.arrays import contraction, crossed, einsum_adjoint, interleaved, matmul_adjoint, pairing, sum_to
from .frames import linear, multilinear, named


@multilinear(np.matmul)
def matmul(g, z, a, b):
    return matmul_adjoint(g, np.shape(a), b, 0), matmul_adjoint(g, np.shape(b), a, 1)


@multilinear(np.dot)
def dot(g, z, a, b):
    subscripts = contraction(np.ndim(a), np.ndim(b), pairing(np.ndim(a), np.ndim(b)))
    return einsum_adjoint(g, subscripts, np.shape(a), b, 0), einsum_adjoint(g, subscripts, np.shape(b), a, 1)


@multilinear(np.inner)
def inner(g, z, a, b):
    axes = (-1, -1) if np.ndim(a) and np.ndim(b) else 0
    subscripts = contraction(np.ndim(a), np.ndim(b), axes)
    return einsum_adjoint(g, subscripts, np.shape(a), b, 0), einsum_adjoint(g, subscripts, np.shape(b), a, 1)


@multilinear(np.dot, ranks=(0, 0))
def number_times_number(g, z, a, b):
    return g * b, g * a


@multilinear(np.matmul, np.dot, ranks=(2, 2))
def matrix_times_matrix(g, z, a, b):
    return g @ b.T, a.T @ g


@multilinear(np.matmul, np.dot, ranks=(2, 1))
def matrix_times_vector(g, z, a, b):
    return np.outer(g, b), a.T @ g


@multilinear(np.matmul, np.dot, ranks=(1, 2))
def vector_times_matrix(g, z, a, b):
    return b @ g, np.outer(a, g)


@multilinear(np.matmul, np.dot, np.inner, ranks=(1, 1))
def vector_times_vector(g, z, a, b):
    return g * b, g * a


@multilinear(np.vdot)
def vdot(g, z, a, b):
    return g * np.reshape(b, np.shape(a)), g * np.reshape(a, np.shape(b))


@vdot.of_complex
def vdot_of_complex(g, z, a, b):
    return np.conjugate(g * np.reshape(b, np.shape(a))), g * np.conjugate(np.reshape(a, np.shape(b)))


@multilinear(np.outer, np.linalg.outer)
def outer(g, z, a, b):
    return np.reshape(g @ np.ravel(b), np.shape(a)), np.reshape(np.ravel(a) @ g, np.shape(b))


@multilinear(np.outer, np.linalg.outer, ranks=(1, 1))
def outer_of_vectors(g, z, a, b):
    return g @ b, a @ g


@linear(np.add.outer)
def add_outer(g, z, A, B):
    table = np.reshape(g, (np.size(A), np.size(B)))
    return np.reshape(np.sum(table, 1), np.shape(A)), np.reshape(np.sum(table, 0), np.shape(B))


@linear(np.subtract.outer)
def subtract_outer(g, z, A, B):
    table = np.reshape(g, (np.size(A), np.size(B)))
    return np.reshape(np.sum(table, 1), np.shape(A)), -np.reshape(np.sum(table, 0), np.shape(B))


@multilinear(np.multiply.outer)
def multiply_outer(g, z, A, B):
    table = np.reshape(g, (np.size(A), np.size(B)))
    return np.reshape(table @ np.ravel(B), np.shape(A)), np.reshape(np.ravel(A) @ table, np.shape(B))


@multilinear(np.tensordot)
def tensordot(g, z, a, b, axes=2):
    subscripts = contraction(np.ndim(a), np.ndim(b), axes)
    return einsum_adjoint(g, subscripts, np.shape(a), b, 0), einsum_adjoint(g, subscripts, np.shape(b), a, 1)


@multilinear(np.kron)
def kron(g, z, a, b):
    pairs = np.reshape(g, interleaved(np.shape(a), np.shape(b), np.ndim(z)))
    rows = interleaved(np.shape(a), (), np.ndim(z))
    columns = interleaved((), np.shape(b), np.ndim(z))
    a_bar = sum_to(pairs * np.reshape(b, columns), rows)
    return np.reshape(a_bar, np.shape(a)), np.reshape(sum_to(pairs * np.reshape(a, rows), columns), np.shape(b))


@multilinear(np.cross, only={"axisa": (-1,), "axisb": (-1,), "axisc": (-1,), "axis": (None,)})
def cross(g, z, a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    return sum_to(crossed(b, g), np.shape(a)), sum_to(crossed(g, a), np.shape(b))


@multilinear(np.linalg.cross, only={"axis": (-1,)})
def cross_of_vectors(g, z, x1, x2, *, axis=-1):
    return sum_to(crossed(x2, g), np.shape(x1)), sum_to(crossed(g, x1), np.shape(x2))


@multilinear(np.convolve)
def convolve(g, z, a, v, mode="full"):
    missing = np.size(a) + np.size(v) - 1 - np.size(g)
    full = np.pad(g, (missing // 2, missing - missing // 2))
    a_bar = np.convolve(full, np.flip(np.ravel(v)), "valid")  # a number is taken for an array of one entry
    return np.reshape(a_bar, np.shape(a)), np.reshape(np.convolve(full, np.flip(np.ravel(a)), "valid"), np.shape(v))


@multilinear(np.correlate)
def correlate(g, z, a, v, mode="valid"):
    missing = np.size(a) + np.size(v) - 1 - np.size(g)
    before = missing // 2 if np.size(a) >= np.size(v) else missing - missing // 2
    full = np.pad(g, (before, missing - before))
    return np.convolve(full, v, "valid"), np.convolve(full, a[::-1], "valid")[::-1]


@correlate.of_complex
def correlate_of_complex(g, z, a, v, mode="valid"):
    missing = np.size(a) + np.size(v) - 1 - np.size(g)
    before = missing // 2 if np.size(a) >= np.size(v) else missing - missing // 2
    full = np.pad(g, (before, missing - before))
    return np.convolve(full, np.conjugate(v), "valid"), np.conjugate(np.convolve(full, a[::-1], "valid"))[::-1]


@multilinear(np.vecdot)
def vecdot(g, z, x1, x2):
    columns = np.expand_dims(g, -1)
    return sum_to(columns * x2, np.shape(x1)), sum_to(columns * x1, np.shape(x2))


@vecdot.of_complex
def vecdot_of_complex(g, z, x1, x2):
    columns = np.expand_dims(g, -1)
    return np.conjugate(sum_to(columns * x2, np.shape(x1))), sum_to(columns * np.conjugate(x1), np.shape(x2))


@multilinear(*named(np, "matvec"))
def matvec(g, z, x1, x2):
    rows = np.expand_dims(g, -1)
    return sum_to(rows * np.expand_dims(x2, -2), np.shape(x1)), sum_to(np.sum(rows * x1, -2), np.shape(x2))


@multilinear(*named(np, "vecmat"), holomorphic=False)
def vecmat(g, z, x1, x2):
    columns = np.expand_dims(g, -2)
    return sum_to(np.sum(columns * x2, -1), np.shape(x1)), sum_to(np.expand_dims(x1, -1) * columns, np.shape(x2))


@multilinear(np.einsum, refuses=("subscripts",))
def einsum(g, z, subscripts, x, y=None, *, optimize=False):
    return None, einsum_adjoint(g, subscripts, np.shape(x), y, 0), einsum_adjoint(g, subscripts, np.shape(y), x, 1)
