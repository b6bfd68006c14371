"""SciPy's linear algebra."""

import numpy as np
from scipy import linalg

from ...runtime.arrays import sum_to
from ..frames import alias, general, reduction

for _function, _like in ((linalg.inv, np.linalg.inv), (linalg.det, np.linalg.det), (linalg.solve, np.linalg.solve)):
    alias(_function, _like)


@reduction(linalg.norm, singular=True, only={"ord": (None, "fro")})
def norm(g, z, a, ord=None, axis=None, keepdims=False):
    return g * a / np.where(z == 0, 1, z)


# NumPy has no solver for triangular matrices, and what a formula calls has to take Variables too


@general(linalg.solve_triangular, only={"trans": (0, 1)})
def solve_triangular(g, z, a, b, trans=0, lower=False):
    read = np.tril(a) if lower else np.triu(a)
    columns = np.expand_dims(g, -1) if np.ndim(b) == 1 else g
    x = np.expand_dims(z, -1) if np.ndim(b) == 1 else z
    w = np.linalg.solve(np.matrix_transpose(read) if trans == 0 else read, columns)
    a_bar = -(w @ np.matrix_transpose(x)) if trans == 0 else -(x @ np.matrix_transpose(w))
    b_bar = np.squeeze(w, -1) if np.ndim(b) == 1 else w
    return sum_to(np.tril(a_bar) if lower else np.triu(a_bar), np.shape(a)), sum_to(b_bar, np.shape(b))


@solve_triangular.pushforward
def solve_triangular_forward(z, da, db, a, b, trans=0, lower=False):
    read = np.tril(a) if lower else np.triu(a)
    moved = np.tril(da) if lower else np.triu(da)
    x = np.expand_dims(z, -1) if np.ndim(b) == 1 else z
    change = (np.expand_dims(db, -1) if np.ndim(b) == 1 else db) - (moved if trans == 0 else np.matrix_transpose(moved)) @ x
    dx = np.linalg.solve(read if trans == 0 else np.matrix_transpose(read), change)
    return np.squeeze(dx, -1) if np.ndim(b) == 1 else dx
