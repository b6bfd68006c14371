"""Linear algebra (Giles, "Collected matrix derivative results for forward and reverse mode algorithmic differentiation", 2008).

All of them take stacks of matrices, as NumPy does.
"""

import numpy as np

from ..runtime.arrays import cofactor, fitted, inverted, of_full_rank, square, sum_to
from ..runtime.equal_spectra import alike, nearest, nonzero, parted, pinned, pivots, quotient, rates, simple, turning
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


@general(np.linalg.svd, outputs=3, only={"full_matrices": (False,), "compute_uv": (True,), "hermitian": (False,)})
def svd(g, z, a, full_matrices=True, compute_uv=True, hermitian=False):
    # Townsend, "Differentiating the singular value decomposition", 2016, with 1 / (s_j² - s_i²) in partial fractions: the turns that
    # the left and the right vectors share have 1 / (s_j - s_i), those in which they differ 1 / (s_j + s_i), which equal values leave finite
    s = np.expand_dims(nonzero(z[1]), -2)
    v = np.matrix_transpose(z[2])
    u_in = np.matrix_transpose(z[0]) @ g[0]
    v_in = z[2] @ np.matrix_transpose(g[2])
    apart = 0.5 * (u_in - np.matrix_transpose(u_in))
    other = 0.5 * (v_in - np.matrix_transpose(v_in))
    inner = z[0] @ (quotient(apart + other, z[1]) + (apart - other) / (s + np.matrix_transpose(s)))
    whole = z[0] * np.expand_dims(alike(g[1], z[1], True), -2) + inner + (g[0] - z[0] @ u_in) / s
    return whole @ z[2] + (z[0] / s) @ (g[2] - g[2] @ v @ z[2])


@svd.pushforward
def svd_forward(z, da, a, full_matrices=True, compute_uv=True, hermitian=False):
    s = np.expand_dims(nonzero(z[1]), -2)
    v = np.matrix_transpose(z[2])
    p = np.matrix_transpose(z[0]) @ da @ v
    shared = quotient(0.5 * (p + np.matrix_transpose(p)), z[1])
    own = 0.5 * (p - np.matrix_transpose(p)) / (s + np.matrix_transpose(s))
    du = z[0] @ (shared + own) + (da @ v - z[0] @ p) / s
    dv = v @ (shared - own) + (np.matrix_transpose(da) @ z[0] - v @ np.matrix_transpose(p)) / s
    return du, np.diagonal(p, 0, -2, -1), np.matrix_transpose(dv)


@svd.of_complex
def svd_of_complex(g, z, a, full_matrices=True, compute_uv=True, hermitian=False):
    s = np.expand_dims(nonzero(z[1]), -2)
    wide = np.shape(a)[-2] < np.shape(a)[-1]
    u_in = np.matrix_transpose(z[0]) @ g[0]
    v_in = np.conjugate(z[2] @ np.matrix_transpose(g[2]))
    phase = np.expand_dims(np.diagonal(u_in + v_in, 0, -2, -1), -2)
    real = np.real(z[0][..., :1, :] if wide else np.matrix_transpose(z[2][..., :1]))
    turned = 1j * np.matrix_transpose(real) * (np.imag(phase) / pinned(real, phase))
    u_free = u_in - turned if wide else u_in
    v_free = v_in if wide else v_in - turned
    apart = 0.5 * (u_free - np.conjugate(np.matrix_transpose(u_free)))
    other = 0.5 * (v_free - np.conjugate(np.matrix_transpose(v_free)))
    inner = quotient(apart + other, z[1]) + (apart - other) / (s + np.matrix_transpose(s))
    u = np.conjugate(z[0])
    whole = u * np.expand_dims(alike(g[1], z[1], True), -2) + u @ inner + (g[0] - u @ u_in) / s
    return whole @ np.conjugate(z[2]) + (u / s) @ (g[2] - g[2] @ np.matrix_transpose(z[2]) @ np.conjugate(z[2]))


@svd.for_complex.pushforward
def svd_forward_of_complex(z, da, a, full_matrices=True, compute_uv=True, hermitian=False):
    s = np.expand_dims(nonzero(z[1]), -2)
    wide = np.shape(a)[-2] < np.shape(a)[-1]
    v = np.conjugate(np.matrix_transpose(z[2]))
    p = np.conjugate(np.matrix_transpose(z[0])) @ da @ v
    pt = np.conjugate(np.matrix_transpose(p))
    shared = quotient(0.5 * (p + pt), z[1])
    own = 0.5 * (p - pt) / (s + np.matrix_transpose(s))
    du = z[0] @ (shared + own) + (da @ v - z[0] @ p) / s
    dv = v @ (shared - own) + (np.conjugate(np.matrix_transpose(da)) @ z[0] - v @ pt) / s
    phase = du[..., :1, :] if wide else dv[..., :1, :]
    turned = 1j * np.imag(phase) / pinned(np.real(z[0][..., :1, :] if wide else v[..., :1, :]), phase)
    return du - z[0] * turned, np.real(np.diagonal(p, 0, -2, -1)), np.conjugate(np.matrix_transpose(dv - v * turned))


@general(np.linalg.svdvals)
def svdvals(g, z, x):
    usv = np.linalg.svd(x, False)
    return usv[0] * np.expand_dims(alike(g, z, True), -2) @ usv[2]


@svdvals.pushforward
def svdvals_forward(z, dx, x):
    usv = np.linalg.svd(x, False)
    return rates(z, usv[0], dx, np.matrix_transpose(usv[2]))


@svdvals.of_complex
def svdvals_of_complex(g, z, x):
    usv = np.linalg.svd(x, False)
    return np.conjugate(usv[0]) * np.expand_dims(alike(g, z, True), -2) @ np.conjugate(usv[2])


@svdvals.for_complex.pushforward
def svdvals_forward_of_complex(z, dx, x):
    usv = np.linalg.svd(x, False)
    return rates(z, np.conjugate(usv[0]), dx, np.conjugate(np.matrix_transpose(usv[2])))


# Of a matrix that is not symmetric. The vectors have the length 1, and one entry without imaginary part


@general(np.linalg.eig, outputs=2, holomorphic=True)
def eig(g, z, a):
    s = np.sum(g[1] * z[1], axis=-2, keepdims=True)
    real = pivots(z[1])
    free = g[1] - np.real(s) * np.conjugate(z[1]) - np.where(real, (s - np.real(s)) / np.where(real, z[1], 1), 0)
    inside = turning(np.matrix_transpose(z[1]) @ free, z[0])
    left = np.linalg.eig(np.matrix_transpose(a))
    u = np.take_along_axis(left[1], np.expand_dims(nearest(z[0], left[0]), -2), -1)
    size = np.sum(u * z[1], axis=-2, keepdims=True)
    dual = u / np.where(size == 0, 1, size)
    return (dual * np.expand_dims(simple(g[0], z[0]), -2) + dual @ inside) @ np.matrix_transpose(z[1])


@eig.pushforward
def eig_forward(z, da, a):
    p = np.linalg.inv(z[1]) @ da @ z[1]
    real = pivots(z[1])
    moved = z[1] @ quotient(p, parted(z[0]))
    turned = np.sum(np.where(real, moved / np.where(real, z[1], 1), 0), axis=-2, keepdims=True)
    longer = np.real(np.sum(np.conjugate(z[1]) * moved, axis=-2, keepdims=True))
    return np.diagonal(p, 0, -2, -1), moved - z[1] * (longer + turned - np.real(turned))


@general(np.linalg.eigvals, holomorphic=True)
def eigvals(g, z, a):
    right = np.linalg.eig(a)
    left = np.linalg.eig(np.matrix_transpose(a))
    v = np.take_along_axis(right[1], np.expand_dims(nearest(z, right[0]), -2), -1)
    u = np.take_along_axis(left[1], np.expand_dims(nearest(z, left[0]), -2), -1)
    size = np.sum(u * v, axis=-2)
    share = simple(g, z) / np.where(size == 0, 1, size)
    return u * np.expand_dims(share, -2) @ np.matrix_transpose(v)


@eigvals.pushforward
def eigvals_forward(z, da, a):
    found = np.linalg.eig(a)
    v = np.take_along_axis(found[1], np.expand_dims(nearest(parted(z), found[0]), -2), -1)
    return np.diagonal(np.linalg.inv(v) @ da @ v, 0, -2, -1)
