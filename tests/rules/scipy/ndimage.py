"""Samples of SciPy's filters of images and of interpolation in them."""

import numpy as np
from scipy import ndimage

from sourcediff.rules.scipy import loaded

from ..calls import call, unit, x

loaded("ndimage")

MODES = ("reflect", "mirror", "nearest", "wrap", "constant")
GRIDS = (*MODES, "grid-constant", "grid-mirror", "grid-wrap")
LINES = [
    *(call(x(5), x(3, seed=1), mode=mode) for mode in MODES), call(x(2, 6), x(4, seed=1), 1, origin=1),
    call(x(4, 2), x(3, seed=1), 0, origin=-1),
    call(x(2), x(5, seed=1)), call(x(3, 2), x(2, seed=1), axis=0, mode="mirror"),
]
PLANES = [
    *(call(x(4, 3), x(3, 2, seed=1), mode=mode) for mode in MODES), call(x(3, 4), x(2, 3, seed=1), origin=(-1, 1)),
    call(x(5), x(3, seed=1), origin=1), call(x(1, 3), x(3, 3, seed=1), mode="wrap"),
]
EDGES = [*(call(x(5, 4), mode=mode) for mode in MODES), call(x(6))]
ALONG = [*EDGES, call(x(3, 4), 0)]
RANKS = [
    *(call(x(5, 4), 3, mode=mode) for mode in MODES), call(x(6), 2), call(x(3, 4), footprint=np.array([[0, 1], [1, 1]])),
    call(x(5), 3, origin=1),
]
SAMPLES = {
    ndimage.correlate1d: LINES, ndimage.correlate: PLANES,
    ndimage.gaussian_filter1d: [
        *(call(x(7), 0.8, mode=mode) for mode in MODES), call(x(2, 9), 1.0, 1, 1), call(x(6, 2), 0.5, 0, 2, truncate=3.0),
        call(x(8), 1.0, radius=2),
    ],
    ndimage.gaussian_filter: [
        *(call(x(4, 5), 0.7, mode=mode) for mode in MODES), call(x(5, 4), (0.5, 0.9), (1, 0)), call(x(5, 4), 0.6, 1),
        call(x(3, 5), 0.6, mode=("wrap", "nearest")), call(x(3, 5), 0.8, axes=(1,)), call(x(5, 4), 0.8, radius=(1, 2)),
    ],
    ndimage.uniform_filter1d: [
        *(call(x(5), 3, mode=mode) for mode in MODES), call(x(2, 6), 4), call(x(5, 2), 4, 0, origin=1), call(x(5), 3, origin=-1),
    ],
    ndimage.uniform_filter: [
        *(call(x(4, 5), 3, mode=mode) for mode in MODES), call(x(4, 5)), call(x(4, 6), (2, 3), origin=(-1, 1)), call(x(4, 6), 4),
    ],
    ndimage.laplace: EDGES, ndimage.sobel: ALONG, ndimage.prewitt: ALONG,
    ndimage.median_filter: RANKS, ndimage.maximum_filter: RANKS, ndimage.minimum_filter: RANKS,
    ndimage.percentile_filter: [call(x(5, 4), 30, 3), call(x(6), 80, 3, mode="wrap")],
    ndimage.rank_filter: [call(x(5, 4), 2, 3), call(x(6), -1, 3, mode="mirror")],
    ndimage.spline_filter1d: [
        *(call(x(n), order, mode=mode, weak=True) for n, order in ((7, 2), (40, 3), (40, 4), (9, 5))
          for mode in ("mirror", "reflect", "grid-wrap", "nearest", "grid-constant")),
        call(x(4, 2), axis=0, weak=True), call(x(3), 1, weak=True), call(x(1), weak=True),
    ],
}
PLACES = np.array([[0.3, 1.7, 2.2, 3.6, -0.4], [0.2, 1.1, 1.9, 0.7, 3.4]])
LABELS = np.array([[0, 1, 1], [2, 2, 0]])
COMPOSITES = {
    ndimage.sum_labels: [call(x(2, 3)), call(x(2, 3), LABELS), call(x(2, 3), LABELS, [0, 2])],
    ndimage.mean: [call(x(2, 3), LABELS, 2), call(x(2, 3), LABELS, [0, 2])],
    ndimage.convolve1d: LINES[5:8], ndimage.convolve: PLANES[5:7],
    ndimage.gaussian_laplace: [call(x(5, 4), (0.8, 0.5)), call(x(8), 1, mode="wrap"), call(x(5, 4), 1, truncate=2)],
    ndimage.gaussian_gradient_magnitude: [call(x(5, 4), (0.8, 0.5)), call(x(8), 1, mode="nearest")],
    ndimage.spline_filter: [call(x(5, 4)), call(x(5, 4), 2, mode="reflect")],
    ndimage.map_coordinates: [
        *(call(x(5, 4), PLACES, mode=mode) for mode in GRIDS),
        *(call(x(7), np.array([[0.3, 2.2, 3.9, 5.6, 7.3]]), order=order, mode=mode) for order, mode in (
            (0, "constant"), (1, "wrap"), (2, "grid-mirror"), (5, "grid-wrap"),
        )),
        call(x(3, 4, 5), x(3, 2, 2, seed=1) + 1.5, order=1), call(x(5, 4), PLACES, order=3, prefilter=False),
        call(x(5, 4), PLACES, order=3, mode="grid-constant", cval=0.5), call(x(5, 4), PLACES, order=1, cval=0.5),
    ],
    ndimage.shift: [call(x(5, 4), 0.3, mode="nearest"), call(x(5, 4), np.array([0.3, -1.4])), call(x(6), 2.3, order=1, mode="wrap")],
    ndimage.zoom: [call(x(4, 3), 2), call(x(4, 3), (1.5, 0.7), order=1), call(x(5), 2, mode="grid-wrap", grid_mode=True)],
    ndimage.affine_transform: [
        call(x(4, 5), unit(2, 2) + np.eye(2), 0.3, mode="nearest"), call(x(4, 5), np.array([0.8, 1.1]), np.array([0.2, 0.4])),
        call(x(4, 5), np.array([[0.92, 0.07, 0.31], [-0.13, 1.07, 0.23]]), order=1), call(x(4, 5), np.eye(2), 0.3, (3, 3)),
    ],
    ndimage.rotate: [call(x(4, 5), 30), call(x(4, 5), 20, reshape=False, order=1), call(x(4, 3, 2), 40, (0, 1), mode="reflect")],
}
