"""Rules of the helpers of runtime/ that rules of matrices and of spectra call: their derivative again."""

import numpy as np

from ..runtime import arrays
from ..runtime import equal_spectra as spectra
from ..runtime.arrays import (
    block_triangular,
    cofactor,
    inverted,
    of_full_rank,
    of_square,
    off_diagonal,
)
from ..runtime.equal_spectra import quotient, simple, turning, vanishing
from .frames import general, linear


@general(of_full_rank)
def of_full_rank_rule(g, z, a, rank=None):
    return g


@of_full_rank_rule.pushforward
def of_full_rank_forward(z, da, a, rank=None):
    return da


@linear(arrays.square)
def square_rule(g, z, r):
    return g


@general(cofactor, holomorphic=True)
def cofactor_rule(g, z, a):
    inverse = np.matrix_transpose(inverted(a))
    along = np.sum(g * z, axis=(-2, -1), keepdims=True)
    return along * inverse - z @ np.matrix_transpose(g) @ inverse


@cofactor_rule.pushforward
def cofactor_forward(z, da, a):
    inverse = np.matrix_transpose(inverted(a))
    along = np.sum(inverse * da, axis=(-2, -1), keepdims=True)
    return along * z - inverse @ np.matrix_transpose(da) @ z


@general(spectra.quotient, holomorphic=True)
def quotient_rule(g, z, m, w):
    share = quotient(g, w)
    return share, np.sum(share * z, axis=-1) - np.sum(share * z, axis=-2)


@quotient_rule.pushforward
def quotient_forward(z, dm, dw, m, w):
    return quotient(dm - z * (np.expand_dims(dw, -2) - np.expand_dims(dw, -1)), w)


@general(spectra.turning, holomorphic=True)
def turning_rule(g, z, m, w):
    share = turning(g, w)
    return share, np.sum(share * z, axis=-1) - np.sum(share * z, axis=-2)


@turning_rule.pushforward
def turning_forward(z, dm, dw, m, w):
    return turning(dm - z * (np.expand_dims(dw, -2) - np.expand_dims(dw, -1)), w)


@general(spectra.simple, holomorphic=True)
def simple_rule(g, z, adjoint, w):
    return simple(g, w), None


@simple_rule.pushforward
def simple_forward(z, dadjoint, adjoint, w):
    return dadjoint


@general(spectra.alike)
def alike_rule(g, z, adjoint, w, sized=False):
    return np.where(vanishing(w), 0, g) if sized else g, None


@alike_rule.pushforward
def alike_forward(z, dadjoint, adjoint, w, sized=False):
    return np.where(vanishing(w), 0, dadjoint) if sized else dadjoint


@general(spectra.nonzero)
def nonzero_rule(g, z, s):
    return g


@nonzero_rule.pushforward
def nonzero_forward(z, ds, s):
    return ds


@general(spectra.pinned, holomorphic=True)
def pinned_rule(g, z, real, phase):
    return g, np.zeros_like(g)


@pinned_rule.pushforward
def pinned_forward(z, dreal, dphase, real, phase):
    return dreal + 0 * dphase


@general(spectra.rates, holomorphic=True)
def rates_rule(g, z, w, left, change, right):
    weighed = left * np.expand_dims(g, -2)
    return None, change @ right * np.expand_dims(g, -2), weighed @ np.matrix_transpose(right), np.matrix_transpose(change) @ weighed


@rates_rule.pushforward
def rates_forward(z, dleft, dchange, dright, w, left, change, right):
    return np.real(np.sum(dleft * (change @ right) + left * (dchange @ right + change @ dright), axis=-2))


@linear(block_triangular)
def block_triangular_rule(g, z, a, e):
    n = np.shape(a)[-1]
    return g[..., :n, :n] + g[..., n:, n:], g[..., :n, n:]


@general(off_diagonal, holomorphic=True)
def off_diagonal_rule(g, z, whole, value):
    return block_triangular(np.zeros_like(g), g), np.zeros_like(g)


@off_diagonal_rule.pushforward
def off_diagonal_forward(z, dwhole, dvalue, whole, value):
    return dwhole[..., :np.shape(z)[-1], np.shape(z)[-1]:] + 0 * dvalue


@linear(of_square)
def of_square_rule(g, z, a, name):
    return g


@linear(spectra.parted)
def parted_rule(g, z, w):
    return g
