"""Linear algebra: norms of every order, and decompositions as they are asked for by other keywords."""

import numpy as np

from ...runtime.arrays import of_square
from ..library_functions import composite


def vector_norm(x, ord, axis, keepdims):
    """The norm of vectors along an axis, or several."""
    if ord == np.inf:
        return np.max(np.abs(x), axis=axis, keepdims=keepdims)
    if ord == -np.inf:
        return np.min(np.abs(x), axis=axis, keepdims=keepdims)
    if ord == 0:
        return np.sum(np.where(x == 0, 0.0, 1.0), axis=axis, keepdims=keepdims)
    if ord == 1:
        return np.sum(np.abs(x), axis=axis, keepdims=keepdims)
    if ord == 2:
        return np.linalg.norm(x, axis=axis, keepdims=keepdims)
    return np.sum(np.abs(x) ** ord, axis=axis, keepdims=keepdims) ** (1 / ord)


def matrix_norm(x, ord, rows, columns):
    """The norm of matrices in these axes."""
    if ord == 1:
        return np.max(np.sum(np.abs(x), axis=rows, keepdims=True), axis=columns, keepdims=True)
    if ord == -1:
        return np.min(np.sum(np.abs(x), axis=rows, keepdims=True), axis=columns, keepdims=True)
    if ord == np.inf:
        return np.max(np.sum(np.abs(x), axis=columns, keepdims=True), axis=rows, keepdims=True)
    if ord == -np.inf:
        return np.min(np.sum(np.abs(x), axis=columns, keepdims=True), axis=rows, keepdims=True)
    s = np.linalg.svdvals(np.moveaxis(x, (rows, columns), (-2, -1)))
    found = np.sum(s, axis=-1) if ord == "nuc" else s[..., 0] if ord == 2 else s[..., -1]
    return np.expand_dims(found, (rows, columns))


@composite(np.linalg.norm)
def norm(x, ord=None, axis=None, keepdims=False):
    if axis is None and (ord == "nuc" or np.ndim(x) == 2):
        found = matrix_norm(x, ord, 0, 1)
        return found if keepdims else found[0, 0]
    if ord != "nuc" and (axis is None or np.ndim(axis) == 0 or np.size(axis) == 1):
        return vector_norm(x, ord, axis, keepdims)
    found = matrix_norm(x, ord, axis[0], axis[1])
    return found if keepdims else np.squeeze(found, axis)


@composite(np.linalg.vector_norm)
def vector_norm_of_any_order(x, *, axis=None, keepdims=False, ord=2):
    return vector_norm(x, ord, axis, keepdims)


@composite(np.linalg.svd)
def svd(a, full_matrices=True):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    if not full_matrices:
        return u, s, vt
    return of_square(u, "np.linalg.svd"), s, of_square(vt, "np.linalg.svd")


@composite(np.linalg.eigvalsh)
def eigvalsh(a, UPLO="L"):
    return np.linalg.eigvalsh(a if UPLO in "Ll" else np.conjugate(np.matrix_transpose(a)))


@composite(np.linalg.qr)
def qr(a, mode="reduced"):
    q, r = np.linalg.qr(a)
    return r if mode == "r" else (of_square(q, "np.linalg.qr"), r)


@composite(np.cross)
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    one, other, found = (axisa, axisb, axisc) if axis is None else (axis, axis, axis)
    return np.moveaxis(np.cross(np.moveaxis(a, one, -1), np.moveaxis(b, other, -1)), -1, found)


@composite(np.linalg.cross)
def cross_of_vectors(x1, x2, *, axis=-1):
    return cross(x1, x2, axis=axis)


@composite(np.linalg.tensorsolve)
def tensorsolve(a, b, axes=None):
    if axes is not None:
        a = np.moveaxis(a, axes, tuple(range(-len(axes), 0)))
    return np.reshape(np.linalg.solve(np.reshape(a, (np.size(b), -1)), np.ravel(b)), np.shape(a)[np.ndim(b):])


@composite(np.linalg.tensorinv)
def tensorinv(a, ind=2):
    rest = np.shape(a)[ind:]
    return np.reshape(np.linalg.inv(np.reshape(a, (int(np.prod(rest)), -1))), rest + np.shape(a)[:ind])
