"""The derivatives of the helpers that rules call, in terms of each other: so a gradient can be differentiated again."""

import numpy as np

from ..runtime import arrays
from ..runtime import equal_spectra as spectra
from ..runtime import zero_lengths as lengths
from ..runtime.arrays import (
    blank,
    bsplines,
    cast,
    contribution,
    crossed,
    each,
    edge,
    einsum_adjoint,
    fitted,
    folded,
    i0_slope,
    incremented,
    is_first,
    join_like,
    keep_zeros,
    last_stored,
    matmul_adjoint,
    maximum_at,
    minimum_at,
    others,
    padded,
    put_back,
    reaches,
    recurrence,
    reduced,
    scatter,
    shapes,
    split_like,
    spread_stored,
    store,
    stored,
    sum_to,
    sum_to_stored,
    undiagonal,
    undiff,
    untile,
)
from ..runtime.zero_lengths import uncrossed, unmoved
from .frames import constant, elementwise, general, linear, multilinear

constant(
    arrays.count, arrays.reduced, arrays.each, arrays.shapes, arrays.inverse, arrays.along, arrays.repeated, arrays.contraction,
    arrays.pairing, arrays.has_complex, arrays.halves, arrays.lengths, arrays.numbers, arrays.aligned, arrays.interleaved, arrays.is_first,
    arrays.ranking, arrays.reaches, arrays.quantile_weights, arrays.known_weights, arrays.is_foreign, arrays.is_array, arrays.blank,
    arrays.probes,
    arrays.only_axis, arrays.chosen_among, arrays.flat_index, arrays.memory_order, arrays.repeats, spectra.vanishing, spectra.gaps,
    spectra.pivots, spectra.nearest,
    arrays.doubled, arrays.transformed, arrays.centred, arrays.beyond, arrays.mirrored, arrays.reach, arrays.around, arrays.half,
    arrays.turned, arrays.overlap, arrays.chosen, arrays.is_odd, arrays.extents, arrays.turns, arrays.support, arrays.is_outside,
    arrays.lattice, arrays.zoomed, arrays.rotated, arrays.settling, arrays.bands, arrays.row_order, arrays.entry_at, arrays.segment,
)


@linear(sum_to)
def sum_to_rule(g, z, a, shape):
    return np.broadcast_to(g, np.shape(a))


@linear(sum_to_stored)
def sum_to_stored_rule(g, z, a, shape):
    return spread_stored(g, np.shape(a))


@linear(spread_stored)
def spread_stored_rule(g, z, c, shape):
    return sum_to_stored(g, np.shape(c))


@linear(arrays.expanded)
def expanded_rule(g, z, a, axis, keepdims):
    return np.reshape(g, np.shape(a))


@linear(arrays.number_of)
def number_of_rule(g, z, x):
    return np.reshape(g, np.shape(x))[()]


@elementwise(keep_zeros, selects=True, holomorphic=True)
def keep_zeros_rule(g, z, c, adjoint):
    return np.where((adjoint == 0) & np.isnan(c), 0, g), None


@linear(contribution)
def contribution_rule(g, z, c, shape, rule, spreads=False):
    return sum_to(g, np.shape(c))


@linear(arrays.inexact)
def inexact_rule(g, z, x):
    return g


@linear(arrays.axis_last)
def axis_last_rule(g, z, steps, ndim, axis, points=False):
    return np.reshape(np.moveaxis(g, -1, axis), np.shape(steps))


@linear(cast)
def cast_rule(g, z, a, source, target):
    return cast(g, target, source)


@linear(arrays.as_seed)
def as_seed_rule(g, z, seed, shape):
    return g


@linear(scatter)
def scatter_rule(g, z, a, shape, index):
    return g[index]


@linear(store, selects=True)
def store_rule(g, z, a, index, value):
    return store(g, index, 0), None, stored(g, index, np.shape(value))


@linear(incremented, selects=True)
def incremented_rule(g, z, a, index, value):
    return g, None, sum_to_stored(g[index], np.shape(value))


@general(maximum_at, selects=True)
def maximum_at_rule(g, z, a, index, value):
    return np.where(a == z, g, 0), None, sum_to(np.where(reaches(a, z, index, value), g[index], 0), np.shape(value))


@maximum_at_rule.pushforward
def maximum_at_forward(z, da, dvalue, a, index, value):
    return np.where(a == z, da, 0) + scatter(np.where(reaches(a, z, index, value), dvalue, 0), np.shape(a), index)


@general(minimum_at, selects=True)
def minimum_at_rule(g, z, a, index, value):
    return np.where(a == z, g, 0), None, sum_to(np.where(reaches(a, z, index, value), g[index], 0), np.shape(value))


@minimum_at_rule.pushforward
def minimum_at_forward(z, da, dvalue, a, index, value):
    return np.where(a == z, da, 0) + scatter(np.where(reaches(a, z, index, value), dvalue, 0), np.shape(a), index)


@linear(stored, selects=True)
def stored_rule(g, z, a, index, shape):
    return store(blank(np.shape(a), g), index, g)


@linear(last_stored, selects=True)
def last_stored_rule(g, z, a, index):
    return store(blank(np.shape(a), g), index, g)


@linear(split_like, outputs=0)
def split_like_rule(g, z, joined, shapes, axis):
    return join_like(g, np.shape(joined), axis)


@linear(arrays.listed, outputs=0)
def listed_rule(g, z, x):
    return join_like(g, np.shape(x), 0)


@linear(join_like, sequence=True)
def join_like_rule(g, z, parts, shape, axis):
    return split_like(g, shapes(parts), axis)


@linear(arrays.unsplit, sequence=True)
def unsplit_rule(g, z, parts, shape, places, axis=0):
    return np.array_split(g, places, axis)


@linear(untile)
def untile_rule(g, z, a, shape, reps):
    return np.tile(g, reps)


@linear(put_back)
def put_back_rule(g, z, a, shape, places):
    return np.take(np.concatenate([np.ravel(g), blank((1,), g)]), places)


@linear(padded)
def padded_rule(g, z, a, rim, mode):
    return folded(g, rim, mode)


@general(bsplines, holomorphic=True)
def bsplines_rule(g, z, u, order, derivative=0):
    return np.sum(g * bsplines(u, order, derivative + 1), -1)


@bsplines_rule.pushforward
def bsplines_forward(z, du, u, order, derivative=0):
    return np.expand_dims(du, -1) * bsplines(u, order, derivative + 1)


@linear(folded)
def folded_rule(g, z, a, rim, mode):
    return padded(g, rim, mode)


@linear(fitted)
def fitted_rule(g, z, a, shape):
    return fitted(g, np.shape(a))


@linear(undiff)
def undiff_rule(g, z, a, n=1, axis=-1, shape=None):
    return np.diff(g, n, axis)


@linear(edge)
def edge_rule(g, z, value, shape, axis):
    return sum_to(g, np.shape(value))


@elementwise(i0_slope)
def i0_slope_rule(g, z, x, order):
    return g * i0_slope(x, order + 1)


@linear(undiagonal)
def undiagonal_rule(g, z, a, shape, offset=0, axis1=0, axis2=1):
    return sum_to(np.diagonal(g, offset, axis1, axis2), np.shape(a))


@multilinear(matmul_adjoint)
def matmul_adjoint_rule(g, z, adjoint, shape, other, position):
    return g @ other if position == 0 else other @ g, None, matmul_adjoint(adjoint, np.shape(other), g, 1 - position)


@multilinear(einsum_adjoint)
def einsum_adjoint_rule(g, z, adjoint, subscripts, shape, other=None, position=0):
    alone = other is None
    product = np.einsum(subscripts, other, g) if position == 1 else np.einsum(subscripts, g) if alone else np.einsum(subscripts, g, other)
    return product, None, None, einsum_adjoint(adjoint, subscripts, np.shape(other), g, 1 - position)


@general(others, holomorphic=True)
def others_rule(g, z, a, axis=None):
    # along a last axis, for each entry: the array with this entry replaced by 1, the others of which leave out two
    one = each(np.shape(a), axis)
    axes = reduced(np.ndim(a), axis)
    pairs = others(np.where(one, 1, np.expand_dims(a, -1)), axes)
    g_of_one = np.sum(np.where(one, np.expand_dims(g, -1), 0), axis=axes, keepdims=True)
    return np.sum(np.where(one, 0, g_of_one * pairs), axis=-1)


@others_rule.pushforward
def others_forward(z, da, a, axis=None):
    one = each(np.shape(a), axis)  # as in reverse: the Jacobian is symmetric
    axes = reduced(np.ndim(a), axis)
    pairs = others(np.where(one, 1, np.expand_dims(a, -1)), axes)
    da_of_one = np.sum(np.where(one, np.expand_dims(da, -1), 0), axis=axes, keepdims=True)
    return np.sum(np.where(one, 0, da_of_one * pairs), axis=-1)


@general(recurrence, holomorphic=True)
def recurrence_rule(g, z, b, a, axis):
    b_bar = np.flip(recurrence(np.flip(g, axis), np.roll(np.flip(a, axis), 1, axis), axis), axis)
    return b_bar, b_bar * np.where(is_first(np.shape(z), axis), 0, np.roll(z, 1, axis))


@recurrence_rule.pushforward
def recurrence_forward(z, db, da, b, a, axis):
    return recurrence(db + da * np.where(is_first(np.shape(z), axis), 0, np.roll(z, 1, axis)), a, axis)


@multilinear(crossed)
def crossed_rule(g, z, a, b):
    return sum_to(crossed(b, g), np.shape(a)), sum_to(crossed(g, a), np.shape(b))


@elementwise(lengths.of_length, holomorphic=True)
def of_length_rule(g, z, c, length, x):
    return g, None, unmoved(g, length)


@elementwise(lengths.unmoved, holomorphic=True)
def unmoved_rule(g, z, d, length):
    return np.zeros_like(g), None


@elementwise(lengths.of_tangent, holomorphic=True)
def of_tangent_rule(g, z, c, length, x, d):
    return g, None, uncrossed(g, length, d), None


@elementwise(lengths.uncrossed, holomorphic=True)
def uncrossed_rule(g, z, d, length, other):
    return np.zeros_like(g), None, None
