"""Products of matrices and tensors: linear in each argument. The variants for fixed ranks are what one writes by hand."""

import numpy as np

from ..arrays import contraction, einsum_adjoint, matmul_adjoint, pairing
from .frames import multilinear


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


@multilinear(np.outer)
def outer(g, z, a, b):
    return np.reshape(g @ np.ravel(b), np.shape(a)), np.reshape(np.ravel(a) @ g, np.shape(b))


@multilinear(np.outer, ranks=(1, 1))
def outer_of_vectors(g, z, a, b):
    return g @ b, a @ g


@multilinear(np.tensordot)
def tensordot(g, z, a, b, axes=2):
    subscripts = contraction(np.ndim(a), np.ndim(b), axes)
    return einsum_adjoint(g, subscripts, np.shape(a), b, 0), einsum_adjoint(g, subscripts, np.shape(b), a, 1)


@multilinear(np.einsum)
def einsum(g, z, subscripts, x, y=None, *, optimize=False):
    return None, einsum_adjoint(g, subscripts, np.shape(x), y, 0), einsum_adjoint(g, subscripts, np.shape(y), x, 1)
