"""SciPy's filters of images, and interpolation in them.

The adjoint of a linear filter runs it backwards over the adjoint with a rim of zeros around it, and folds that rim back to where the
filter took what it found beyond the edges.
"""

import numpy as np
from scipy import fft, ndimage, signal, special

from ...runtime.arrays import (
    around,
    bsplines,
    chosen,
    doubled,
    extents,
    folded,
    half,
    is_odd,
    is_outside,
    lattice,
    overlap,
    padded,
    put_back,
    reach,
    rotated,
    support,
    turned,
    turns,
    zoomed,
)
from ..families import itself
from ..frames import alias, constant, general, linear, multilinear, named
from ..library_functions import composite

PLAIN = {"output": (None,), "cval": (0.0,)}
"""What a filter has to leave as it is: it gives an array of its own, and zeros are zeros beyond the edges."""

# Filters by weights; of complex ones a correlation takes the conjugates, a convolution does not


@multilinear(ndimage.correlate1d, only=PLAIN)
def correlate1d(g, z, input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    rim = around(np.ndim(input), half(np.size(weights), origin), axis)
    back = itself(padded(g, rim, "constant"), np.flip(weights), axis, None, "constant", 0.0, turned(np.size(weights), origin))
    whole = padded(input, overlap(np.shape(weights), origin, np.ndim(input), axis), mode)
    return folded(back, rim, mode), np.conjugate(np.ravel(signal.convolve(whole, np.flip(g), "valid")))


@multilinear(ndimage.correlate, only=PLAIN)
def correlate(g, z, input, weights, output=None, mode="reflect", cval=0.0, origin=0):
    rim = around(np.ndim(input), half(np.shape(weights), origin))
    back = itself(padded(g, rim, "constant"), np.flip(weights), None, "constant", 0.0, turned(np.shape(weights), origin))
    whole = padded(input, overlap(np.shape(weights), origin, np.ndim(input)), mode)
    return folded(back, rim, mode), np.conjugate(signal.convolve(whole, np.flip(g), "valid"))


@composite(ndimage.convolve1d)
def convolve1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    return ndimage.correlate1d(input, np.conjugate(np.flip(weights)), axis, output, mode, cval, turned(np.size(weights), origin))


@composite(ndimage.convolve)
def convolve(input, weights, output=None, mode="reflect", cval=0.0, origin=0):
    return ndimage.correlate(input, np.conjugate(np.flip(weights)), output, mode, cval, turned(np.shape(weights), origin))


@linear(ndimage.gaussian_filter1d, only=PLAIN, refuses=("sigma",))
def gaussian_filter1d(
    g, z, input, sigma, axis=-1, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None,
):
    rim = around(np.ndim(input), reach(sigma, truncate, radius), axis)
    back = ndimage.gaussian_filter1d(padded(g, rim, "constant"), sigma, axis, order, None, "constant", 0.0, truncate, radius=radius)
    return folded(-back if is_odd(order, 1) else back, rim, mode)


@linear(ndimage.gaussian_filter, only=PLAIN, refuses=("sigma",))
def gaussian_filter(
    g, z, input, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None, axes=None,
):
    rim = around(np.ndim(input), reach(sigma, truncate, radius), axes)
    back = ndimage.gaussian_filter(padded(g, rim, "constant"), sigma, order, None, "constant", 0.0, truncate, radius=radius, axes=axes)
    return folded(-back if is_odd(order, np.ndim(input), axes) else back, rim, mode)


@linear(ndimage.uniform_filter1d, only=PLAIN)
def uniform_filter1d(g, z, input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    rim = around(np.ndim(input), half(size, origin), axis)
    return folded(ndimage.uniform_filter1d(padded(g, rim, "constant"), size, axis, None, "constant", 0.0, turned(size, origin)), rim, mode)


@linear(ndimage.uniform_filter, only=PLAIN)
def uniform_filter(g, z, input, size=3, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    rim = around(np.ndim(input), half(size, origin), axes)
    back = ndimage.uniform_filter(padded(g, rim, "constant"), size, None, "constant", 0.0, turned(size, origin), axes=axes)
    return folded(back, rim, mode)


@linear(ndimage.laplace, only=PLAIN)
def laplace(g, z, input, output=None, mode="reflect", cval=0.0):
    rim = around(np.ndim(input), 1)
    return folded(ndimage.laplace(padded(g, rim, "constant"), None, "constant"), rim, mode)


@linear(ndimage.sobel, ndimage.prewitt, only=PLAIN)
def sobel(g, z, input, axis=-1, output=None, mode="reflect", cval=0.0):
    rim = around(np.ndim(input), 1)
    return -folded(itself(padded(g, rim, "constant"), axis, None, "constant"), rim, mode)


@composite(ndimage.gaussian_laplace)
def gaussian_laplace(input, sigma, output=None, mode="reflect", cval=0.0, truncate=4.0):
    total = 0.0
    for axis in range(np.ndim(input)):
        total = total + ndimage.gaussian_filter(input, sigma, 2 * np.eye(np.ndim(input), dtype=int)[axis], None, mode, cval, truncate)
    return total


@composite(ndimage.gaussian_gradient_magnitude)
def gaussian_gradient_magnitude(input, sigma, output=None, mode="reflect", cval=0.0, truncate=4.0):
    total = 0.0
    for axis in range(np.ndim(input)):
        total = total + ndimage.gaussian_filter(input, sigma, np.eye(np.ndim(input), dtype=int)[axis], None, mode, cval, truncate) ** 2
    return np.sqrt(total)


# Filters by rank: of equal entries the first one in the window


@general(ndimage.median_filter, ndimage.maximum_filter, ndimage.minimum_filter, only={"output": (None,)}, selects=True)
def median_filter(g, z, input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0):
    return put_back(g, np.shape(input), chosen(z, input, size, footprint, mode, origin))


@median_filter.pushforward
def median_filter_forward(z, dinput, input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0):
    return np.take(np.append(dinput, np.zeros(1, z.dtype)), chosen(z, input, size, footprint, mode, origin))


@general(ndimage.percentile_filter, only={"output": (None,)}, selects=True)
def percentile_filter(g, z, input, percentile, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0):
    return put_back(g, np.shape(input), chosen(z, input, size, footprint, mode, origin))


@percentile_filter.pushforward
def percentile_filter_forward(z, dinput, input, percentile, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0):
    return np.take(np.append(dinput, np.zeros(1, z.dtype)), chosen(z, input, size, footprint, mode, origin))


alias(ndimage.rank_filter, ndimage.percentile_filter, rank="percentile")
constant(*named(ndimage, "label find_objects binary_closing binary_dilation binary_erosion binary_fill_holes binary_opening "
                "binary_hit_or_miss binary_propagation generate_binary_structure iterate_structure watershed_ift maximum_position "
                "minimum_position"))

@composite(ndimage.sum_labels)
def sum_labels(input, labels=None, index=None):
    if labels is None:
        return np.sum(input)
    of = np.broadcast_to(labels, np.shape(input))
    if index is None:
        return np.sum(np.where(of > 0, input, 0.0))
    return np.reshape(np.tensordot(input, np.equal(np.expand_dims(of, -1), np.ravel(index)) * 1.0, np.ndim(input)), np.shape(index))


@composite(ndimage.mean)
def mean(input, labels=None, index=None):
    return ndimage.sum_labels(input, labels, index) / ndimage.sum_labels(np.ones(np.shape(input)), labels, index)


# Interpolation: splines in the coefficients that the prefilter makes (M. Unser, "Splines", IEEE Signal Processing Magazine 16, 1999)


@linear(ndimage.spline_filter1d, holomorphic=False)
def spline_filter1d(g, z, input, order=3, axis=-1, *, mode="mirror"):
    ends = doubled(fft.dct, np.shape(z), axis, 1, None, mode not in ("mirror", "constant", "wrap", "grid-constant"))[0]
    matrix = ndimage.spline_filter1d(np.eye(np.minimum(np.shape(z)[axis], 32)), order, 0, mode=mode)
    short = np.moveaxis(np.moveaxis(g, axis, -1)[..., :32] @ matrix, -1, axis)  # of few entries SciPy's is not quite symmetric
    return short if np.shape(z)[axis] <= 32 else ndimage.spline_filter1d(g * ends, order, axis, mode=mode) / ends


@composite(ndimage.spline_filter)
def spline_filter(input, order=3, output=None, mode="mirror"):
    values = input
    for axis in range(np.ndim(input)):
        values = ndimage.spline_filter1d(values, order, axis, mode=mode)
    return values


@composite(ndimage.map_coordinates)
def map_coordinates(input, coordinates, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    smooth = prefilter and order > 1
    rim = 12 if smooth and mode in ("nearest", "grid-constant") else 0
    ring = 1 if mode == "grid-constant" else 0
    values = input
    if rim:
        values = padded(input - cval, [(rim, rim)] * np.ndim(input), mode) + cval
    if smooth:
        values = ndimage.spline_filter(values, order, mode=mode)
    places = np.asarray(coordinates) + rim
    places = places + turns(places, np.shape(values), mode)
    if mode == "nearest":
        places = np.minimum(np.maximum(places, 0.0), extents(np.shape(values), np.ndim(places)))
    corner = np.floor(places + (0.0 if order % 2 else 0.5))
    weights = bsplines(places - corner + (0.0 if order % 2 else 0.5), order)
    if ring:
        values = padded(values - cval, [(1, 1)] * np.ndim(input), mode) + cval
    found = values[support(corner + ring, np.shape(values), order, mode)]
    for axis in range(np.ndim(input) - 1, -1, -1):
        found = np.sum(found * np.expand_dims(weights[axis], tuple(range(-1 - axis, -1))), -1)
    return np.where(is_outside(places, np.shape(values), mode), cval, found)


@composite(ndimage.shift)
def shift(input, shift, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    by = np.reshape(np.broadcast_to(shift, (np.ndim(input),)), (-1,) + (1,) * np.ndim(input))
    return ndimage.map_coordinates(input, lattice(np.shape(input)) - by, None, order, mode, cval, prefilter)


@composite(ndimage.zoom)
def zoom(input, zoom, output=None, order=3, mode="constant", cval=0.0, prefilter=True, *, grid_mode=False):
    return ndimage.map_coordinates(input, zoomed(np.shape(input), zoom, grid_mode), None, order, mode, cval, prefilter)


@composite(ndimage.affine_transform)
def affine_transform(
    input, matrix, offset=0.0, output_shape=None, output=None, order=3, mode="constant", cval=0.0, prefilter=True,
):
    n = np.ndim(input)
    turn = np.asarray(matrix)
    by = offset
    if np.ndim(matrix) == 2 and np.shape(matrix)[1] == n + 1:
        by = turn[:n, n]
        turn = turn[:n, :n]
    grid = lattice(np.shape(input) if output_shape is None else output_shape)
    rest = (1,) * (np.ndim(grid) - 1)
    if np.ndim(matrix) == 1:
        moved = grid * np.reshape(turn, (-1,) + rest)
    else:
        moved = np.sum(np.reshape(turn, np.shape(turn) + rest) * grid, 1)
    places = moved + np.reshape(np.broadcast_to(by, (n,)), (-1,) + rest)
    return ndimage.map_coordinates(input, places, None, order, mode, cval, prefilter)


@composite(ndimage.rotate)
def rotate(input, angle, axes=(1, 0), reshape=True, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    plane = sorted([axis % np.ndim(input) for axis in axes])
    images = np.moveaxis(input, plane, (-2, -1))
    old = np.array(np.shape(images)[-2:])
    turn = special.cosdg(angle) * np.eye(2) + special.sindg(angle) * np.array([[0.0, 1.0], [-1.0, 0.0]])
    new = rotated(old, turn) if reshape else old
    by = (old - 1) / 2 - turn @ ((new - 1) / 2)
    rows = np.reshape(images, (-1, old[0], old[1]))
    parts = []
    for k in range(len(rows)):
        parts.append(ndimage.affine_transform(rows[k], turn, by, new, None, order, mode, cval, prefilter))
    whole = np.reshape(np.stack(parts), np.shape(images)[:-2] + (new[0], new[1]))
    return np.moveaxis(whole, (-2, -1), plane)
