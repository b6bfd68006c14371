"""Singular values and eigenvalues of general matrices."""

import numpy as np

from ..runtime.equal_spectra import alike, nearest, nonzero, parted, pinned, pivots, quotient, rates, simple, turning
from .frames import general


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
