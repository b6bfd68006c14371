"""Linear algebra (Giles, "Collected matrix derivative results for forward and reverse mode algorithmic differentiation", 2008).

All of them take stacks of matrices, as NumPy does.
"""

import numpy as np

from ..arrays import cofactor, sum_to
from .frames import general, reduction


@reduction(np.linalg.norm, singular=True, only={"ord": (None, "fro")})
def norm(g, z, x, ord=None, axis=None, keepdims=False):
    return g * x / np.where(z == 0, 1, z)


@norm.of_complex
def norm_of_complex(g, z, x, ord=None, axis=None, keepdims=False):
    return g * np.conjugate(x) / np.where(z == 0, 1, z)


@reduction(np.linalg.vector_norm, singular=True, only={"ord": (2,)})
def vector_norm(g, z, x, *, axis=None, keepdims=False, ord=2):
    return g * x / np.where(z == 0, 1, z)


@vector_norm.of_complex
def vector_norm_of_complex(g, z, x, *, axis=None, keepdims=False, ord=2):
    return g * np.conjugate(x) / np.where(z == 0, 1, z)


@general(np.linalg.inv, holomorphic=True)
def inv(g, z, a):
    zt = np.matrix_transpose(z)
    return -(zt @ g @ zt)


@inv.pushforward
def inv_forward(z, da, a):
    return -(z @ da @ z)


@general(np.linalg.inv, ranks=(2,))
def inv_of_matrix(g, z, a):
    return -(z.T @ g @ z.T)


@general(np.linalg.solve, holomorphic=True)
def solve(g, z, a, b):
    columns = np.expand_dims(g, -1) if np.ndim(b) == 1 else g
    x = np.expand_dims(z, -1) if np.ndim(b) == 1 else z
    b_bar = np.linalg.solve(np.matrix_transpose(a), columns)
    a_bar = -(b_bar @ np.matrix_transpose(x))
    return sum_to(a_bar, np.shape(a)), sum_to(np.squeeze(b_bar, -1) if np.ndim(b) == 1 else b_bar, np.shape(b))


@solve.pushforward
def solve_forward(z, da, db, a, b):
    x = np.expand_dims(z, -1) if np.ndim(b) == 1 else z
    dx = np.linalg.solve(a, (np.expand_dims(db, -1) if np.ndim(b) == 1 else db) - da @ x)
    return np.squeeze(dx, -1) if np.ndim(b) == 1 else dx


@general(np.linalg.solve, ranks=(2, 1))
def solve_for_vector(g, z, a, b):
    b_bar = np.linalg.solve(a.T, g)
    return -np.outer(b_bar, z), b_bar


@general(np.linalg.solve, ranks=(2, 2))
def solve_for_matrix(g, z, a, b):
    b_bar = np.linalg.solve(a.T, g)
    return -(b_bar @ z.T), b_bar


@general(np.linalg.det, holomorphic=True)
def det(g, z, a):
    return np.expand_dims(g, (-2, -1)) * cofactor(a)


@det.pushforward
def det_forward(z, da, a):
    return np.sum(cofactor(a) * da, axis=(-2, -1))


@general(np.linalg.det, ranks=(2,))
def det_of_matrix(g, z, a):
    return g * cofactor(a)


@general(np.linalg.slogdet, outputs=2)
def slogdet(g, z, a):
    return np.expand_dims(g[1], (-2, -1)) * np.matrix_transpose(np.linalg.inv(a))


@slogdet.pushforward
def slogdet_forward(z, da, a):
    return np.zeros_like(z[0]), np.sum(np.matrix_transpose(np.linalg.inv(a)) * da, axis=(-2, -1))


@general(np.linalg.slogdet, outputs=2, ranks=(2,))
def slogdet_of_matrix(g, z, a):
    return g[1] * np.linalg.inv(a).T


@general(np.linalg.cholesky)
def cholesky(g, z, a):
    # NumPy reads the lower triangle alone; the contribution is made symmetric, as for a symmetric argument
    p = np.matrix_transpose(z) @ g
    inverse = np.linalg.inv(z)
    s = np.matrix_transpose(inverse) @ (0.5 * (np.tril(p) + np.tril(p, -1))) @ inverse
    return 0.5 * (s + np.matrix_transpose(s))


@cholesky.pushforward
def cholesky_forward(z, da, a):
    inverse = np.linalg.inv(z)
    p = inverse @ (0.5 * (da + np.matrix_transpose(da))) @ np.matrix_transpose(inverse)
    return z @ (0.5 * (np.tril(p) + np.tril(p, -1)))
