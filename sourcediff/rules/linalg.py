"""Linear algebra (Giles, "Collected matrix derivative results for forward and reverse mode algorithmic differentiation", 2008).

All of them take stacks of matrices, as NumPy does.
"""

import numpy as np

from ..runtime.arrays import cofactor, fitted, inverted, of_full_rank, square, sum_to
from ..runtime.equal_spectra import alike, pinned, quotient, rates
from .frames import alias, general, reduction


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


alias(inverted, np.linalg.inv)


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


@general(np.linalg.pinv, only={"rcond": (None,), "hermitian": (False,)})
def pinv(g, z, a, rcond=None, hermitian=False):
    # Golub and Pereyra, "The differentiation of pseudo-inverses and nonlinear least squares problems", 1973; of constant rank
    zt = np.matrix_transpose(z)
    gt = np.matrix_transpose(g)
    zg = zt @ z @ gt
    gz = gt @ z @ zt
    return gz - a @ (z @ gz) + zg - zg @ z @ a - zt @ g @ zt


@pinv.pushforward
def pinv_forward(z, da, a, rcond=None, hermitian=False):
    zt = np.matrix_transpose(z)
    dat = np.matrix_transpose(da)
    one = z @ zt @ dat
    other = dat @ zt @ z
    return one - one @ a @ z + other - z @ (a @ other) - z @ da @ z


@general(np.linalg.lstsq, outputs=4)
def lstsq(g, z, a, b, rcond=None):
    # Golub and Pereyra again: x = pinv(a) @ b; what is left over, a @ x - b, is at right angles to the columns of a
    p = np.linalg.pinv(of_full_rank(a, np.round(z[2])))
    x = np.reshape(z[0], (np.shape(a)[1], -1))
    x_bar = np.reshape(g[0], np.shape(x))
    left = np.reshape(b, (np.shape(a)[0], -1)) - a @ x
    left_bar = 2 * left * fitted(g[1], np.shape(x)[1:])
    b_bar = p.T @ x_bar + left_bar
    usv = np.linalg.svd(a, False)
    turned = left @ (x_bar.T @ p @ p.T) + p.T @ x @ (x_bar.T - x_bar.T @ p @ a)
    return turned - b_bar @ x.T + usv[0] * g[3] @ usv[2], np.reshape(b_bar, np.shape(b))


@lstsq.pushforward
def lstsq_forward(z, da, db, a, b, rcond=None):
    p = np.linalg.pinv(of_full_rank(a, np.round(z[2])))
    x = np.reshape(z[0], (np.shape(a)[1], -1))
    left = np.reshape(b, (np.shape(a)[0], -1)) - a @ x
    change = np.reshape(db, np.shape(left)) - da @ x
    turned = p @ p.T @ (np.transpose(da) @ left)
    rest = np.transpose(da) @ p.T @ x
    dx = p @ change + turned + rest - p @ (a @ rest)
    usv = np.linalg.svd(a, False)
    dleft = fitted(2 * np.sum(left * change, axis=0), np.shape(z[1]))
    dsizes = np.diagonal(usv[0].T @ (da + 0 * a) @ usv[2].T)
    return np.reshape(dx, np.shape(z[0])), dleft, np.zeros_like(np.sum(z[3])), dsizes


# Decompositions. Of a matrix that is taken for symmetric NumPy reads the lower triangle alone: the contribution is to its entries


@general(np.linalg.cholesky)
def cholesky(g, z, a):
    p = np.matrix_transpose(z) @ g
    inverse = np.linalg.inv(z)
    s = np.matrix_transpose(inverse) @ (0.5 * (np.tril(p) + np.tril(p, -1))) @ inverse
    return np.tril(s) + np.tril(np.matrix_transpose(s), -1)


@cholesky.pushforward
def cholesky_forward(z, da, a):
    inverse = np.linalg.inv(z)
    p = inverse @ (np.tril(da) + np.matrix_transpose(np.tril(da, -1))) @ np.matrix_transpose(inverse)
    return z @ (0.5 * (np.tril(p) + np.tril(p, -1)))


@cholesky.of_complex
def cholesky_of_hermitian(g, z, a):
    p = np.matrix_transpose(z) @ g
    inverse = np.linalg.inv(z)
    s = np.matrix_transpose(inverse) @ (0.5 * (np.tril(p) + np.tril(p, -1))) @ np.conjugate(inverse)
    whole = s + np.conjugate(np.matrix_transpose(s))
    return 0.5 * (np.tril(whole) + np.tril(whole, -1))


@cholesky.over_complex().pushforward
def cholesky_of_hermitian_forward(z, da, a):
    inverse = np.linalg.inv(z)
    twice = np.tril(da) + np.tril(da, -1)
    p = inverse @ (0.5 * (twice + np.conjugate(np.matrix_transpose(twice)))) @ np.conjugate(np.matrix_transpose(inverse))
    return z @ (0.5 * (np.tril(p) + np.tril(p, -1)))


@general(np.linalg.eigvalsh, only={"UPLO": ("L",)})
def eigvalsh(g, z, a, UPLO="L"):
    v = np.linalg.eigh(a)[1]
    s = v * np.expand_dims(alike(g, z), -2) @ np.matrix_transpose(v)
    return np.tril(s) + np.tril(s, -1)


@eigvalsh.pushforward
def eigvalsh_forward(z, da, a, UPLO="L"):
    v = np.linalg.eigh(a)[1]
    return rates(z, v, np.tril(da) + np.matrix_transpose(np.tril(da, -1)), v)


@eigvalsh.of_complex
def eigvalsh_of_complex(g, z, a, UPLO="L"):
    v = np.linalg.eigh(a)[1]
    s = np.conjugate(v) * np.expand_dims(alike(g, z), -2) @ np.matrix_transpose(v)
    return np.tril(s) + np.tril(s, -1)


@eigvalsh.for_complex.pushforward
def eigvalsh_forward_of_complex(z, da, a, UPLO="L"):
    v = np.linalg.eigh(a)[1]
    half = 0.5 * (np.tril(da) + np.tril(da, -1))
    return rates(z, np.conjugate(v), half + np.conjugate(np.matrix_transpose(half)), v)


@general(np.linalg.eigh, outputs=2)
def eigh(g, z, a, UPLO="L"):
    p = np.matrix_transpose(z[1]) @ g[1]
    inside = quotient(0.5 * (p - np.matrix_transpose(p)), z[0])
    s = (z[1] * np.expand_dims(g[0], -2) + z[1] @ inside) @ np.matrix_transpose(z[1])
    return np.tril(s) + np.tril(s, -1) if UPLO in "Ll" else np.triu(s) + np.triu(s, 1)


@eigh.pushforward
def eigh_forward(z, da, a, UPLO="L"):
    half = 0.5 * (np.tril(da) + np.tril(da, -1) if UPLO in "Ll" else np.triu(da) + np.triu(da, 1))
    p = np.matrix_transpose(z[1]) @ (half + np.matrix_transpose(half)) @ z[1]
    return np.diagonal(p, 0, -2, -1), z[1] @ quotient(p, z[0])


# Of complex vectors the phases are those that LAPACK gives them: of a Hermitian matrix the first entry of each is real (where the upper
# triangle is read, the last), of a singular value that of the square one of u and v


@eigh.of_complex
def eigh_of_complex(g, z, a, UPLO="L"):
    p = np.matrix_transpose(z[1]) @ g[1]
    real = np.real(z[1][..., :1, :] if UPLO in "Ll" else z[1][..., -1:, :])
    phase = np.expand_dims(np.diagonal(p, 0, -2, -1), -2)
    inside = quotient(p - 1j * np.matrix_transpose(real) * (np.imag(phase) / pinned(real, phase)), z[0])
    v = 0.5 * np.conjugate(z[1])
    s = (v * np.expand_dims(g[0], -2) + v @ inside) @ np.matrix_transpose(z[1])
    whole = s + np.conjugate(np.matrix_transpose(s))
    return np.tril(whole) + np.tril(whole, -1) if UPLO in "Ll" else np.triu(whole) + np.triu(whole, 1)


@eigh.for_complex.pushforward
def eigh_forward_of_complex(z, da, a, UPLO="L"):
    half = 0.5 * (np.tril(da) + np.tril(da, -1) if UPLO in "Ll" else np.triu(da) + np.triu(da, 1))
    p = np.conjugate(np.matrix_transpose(z[1])) @ (half + np.conjugate(np.matrix_transpose(half))) @ z[1]
    moved = z[1] @ quotient(p, z[0])
    phase = moved[..., :1, :] if UPLO in "Ll" else moved[..., -1:, :]
    real = np.real(z[1][..., :1, :] if UPLO in "Ll" else z[1][..., -1:, :])
    return np.real(np.diagonal(p, 0, -2, -1)), moved - 1j * z[1] * (np.imag(phase) / pinned(real, phase))


@general(np.linalg.qr, outputs=2, only={"mode": ("reduced",)})
def qr(g, z, a, mode="reduced"):
    # Walter and Lehmann, "Algorithmic differentiation of linear algebra functions", 2010; of no more columns than rows
    m = z[1] @ np.matrix_transpose(g[1]) - np.matrix_transpose(g[0]) @ z[0]
    whole = g[0] + z[0] @ (np.tril(m) + np.matrix_transpose(np.tril(m, -1)))
    return np.matrix_transpose(np.linalg.solve(square(z[1]), np.matrix_transpose(whole)))


@qr.pushforward
def qr_forward(z, da, a, mode="reduced"):
    scaled = np.matrix_transpose(np.linalg.solve(np.matrix_transpose(square(z[1])), np.matrix_transpose(da)))
    c = np.matrix_transpose(z[0]) @ scaled
    upper = np.triu(c) + np.matrix_transpose(np.tril(c, -1))
    return scaled - z[0] @ upper, upper @ z[1]


# Of a matrix that is not symmetric. The vectors have the length 1, and one entry without imaginary part
