"""Samples of NumPy's functions that are said by others, and of the rules beside them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sourcediff.runtime import arrays

from .calls import Sample, call, positive, reduced, regular, with_nan, x

MASK = np.array([[True, False, True], [True, True, False]])
NUMBERS = np.array([0, 2, 2, 1])
POINTS = np.array([[0.1, 0.3], [0.6, 0.7], [0.4, 0.9], [1.7, 0.2]])
NAN_QUANTILES = [call(x(2, 3), 0.3), call(with_nan(2, 3), 0.6, axis=1), call(with_nan(3, 3), 0.25, axis=(0, 1), keepdims=True)]

SAMPLES: dict[Any, list[Sample]] = {
    np.nanquantile: NAN_QUANTILES,
    np.nanpercentile: [call(*sample.args[:1], 100 * sample.args[1], **sample.kwargs) for sample in NAN_QUANTILES],
    np.nanmedian: [call(x(2, 3)), call(with_nan(2, 3), axis=1), call(with_nan(3, 4), axis=0, keepdims=True)],
    np.bincount: [call(NUMBERS, x(4), weak=True), call(NUMBERS, weights=x(4), minlength=5, weak=True)],
    arrays.binned: [call(x(4), POINTS, [2, 3], [(0, 1), (0, 1)]), call(x(4), POINTS[:, :1], [np.array([0.0, 0.5, 1.0])])],
    np.histogram_bin_edges: [call(x(4), 3), call(x(2, 3), 2, (-3.0, 3.0)), call(x(3), np.array([0.0, 0.5, 2.0]))],
    np.lib.stride_tricks.sliding_window_view: [call(x(5), 3), call(x(3, 4), (2, 2)), call(x(3, 4), 2, axis=0)],
    arrays.listed: [call(x(3), weak=True)],
    arrays.log_sum: [call(x(3)), call(x(2, 3), 1), call(x(2, 3), 0, keepdims=True), call(x(2, 3), axis=(0, 1))],
    np.maximum.accumulate: [call(x(4)), call(x(3, 2)), call(x(2, 4), axis=-1)],
    np.minimum.accumulate: [call(x(4)), call(x(2, 4), axis=1)],
    np.logaddexp.accumulate: [call(x(4)), call(x(2, 3), axis=1), call(x(1))],
}
if hasattr(np, "unstack"):
    SAMPLES[np.unstack] = [call(x(3, 2)), call(x(2, 3), axis=1), call(x(2))]

COMPOSITES: dict[Any, list[Sample]] = {
    np.linalg.tensorsolve: [
        call(x(2, 3, 6) + np.reshape(2 * np.eye(6), (2, 3, 6)), x(2, 3)),
        call(np.moveaxis(x(2, 3, 6) + np.reshape(2 * np.eye(6), (2, 3, 6)), 2, 0), x(2, 3), axes=(0,)),
    ],
    np.linalg.tensorinv: [
        call(x(2, 3, 6) + np.reshape(2 * np.eye(6), (2, 3, 6))),
        call(x(4, 2, 2) + np.reshape(2 * np.eye(4), (4, 2, 2)), ind=1),
    ],
    np.linalg.norm: [
        *(call(x(4), ord) for ord in (1, 3, np.inf, -np.inf)), *(call(x(2, 3), ord, (0, 1)) for ord in (1, -1, 2, -2, np.inf, "nuc")),
        call(x(2, 3), 1, 1), call(x(2, 3, 4), 2, axis=(2, 0), keepdims=True), call(x(2, 3), 1),
    ],
    np.linalg.vector_norm: [call(x(2, 3), ord=1), call(x(2, 3), axis=1, ord=4)],
    np.linalg.svd: [call(regular(3, 3))], np.linalg.qr: [call(x(4, 2), "r"), call(regular(3, 3), "complete")],
    np.fromiter: [call(x(4), float), call(x(4), float, 2)], math.fsum: [call(x(4))],
    math.prod: [call(x(3)), call(x(3), start=2.0)], math.dist: [call(x(3), 1.0 - x(3))],
    math.hypot: [call(0.3, -0.4, 1.2), call(-0.7)], math.modf: [call(2.3), call(-1.6)],
    np.sum: [call(x(2, 3), 1, where=MASK), call(x(2, 3), initial=1.5, keepdims=True)],
    np.prod: [call(x(2, 3), axis=0, where=MASK), call(x(3), initial=2.0, dtype=float)],
    np.max: [call(x(2, 3), axis=1, where=MASK, initial=-0.3), call(x(3), initial=5.0)],
    np.min: [call(x(2, 3), axis=1, where=MASK, initial=0.3), call(x(3), initial=5.0)],
    np.mean: [call(x(2, 3), where=MASK), call(x(2, 3), axis=1, where=MASK, keepdims=True), call(x(3), dtype=float)],
    np.var: [call(x(2, 3), axis=1, where=MASK), call(x(4), ddof=1, where=np.array([True, True, False, True])), call(x(3), dtype=float)],
    np.std: [call(x(2, 4), axis=1, where=np.ones(4, bool)), call(x(4), dtype=float)],
    np.nansum: [call(with_nan(2, 3), axis=1, where=MASK)],
    np.nanmean: [call(with_nan(3, 3), axis=1, where=np.array([True, True, False]))],
    np.cumsum: [call(x(2, 3), 1, dtype=float)], np.cumprod: [call(x(2, 3), 0, dtype=float)],
    np.add.reduce: [*reduced(x)[:3], call(x(2, 3), axis=1, where=MASK)], np.multiply.reduce: reduced(x)[:3],
    np.maximum.reduce: [*reduced(x)[:3], call(x(3), initial=0.1)], np.minimum.reduce: [*reduced(x)[:3], call(x(3), initial=0.1)],
    np.logaddexp.reduce: [call(x(2, 3)), call(x(2, 3), 1, keepdims=True)],
    np.fmax.reduce: [call(with_nan(2, 3))], np.fmin.reduce: [call(with_nan(2, 3))],
    np.add.accumulate: [call(x(2, 3)), call(x(2, 3), 1, float)], np.multiply.accumulate: [call(x(2, 3)), call(x(2, 3), 1, float)],
    np.average: [call(x(2, 3), axis=1, weights=positive(3), returned=True), call(x(2, 3), returned=True)],
    np.cov: [call(x(2, 4), aweights=positive(4)), call(x(4), x(4, seed=1), bias=True), call(x(4, 2), rowvar=False, fweights=NUMBERS + 1)],
    np.corrcoef: [call(x(4), x(4, seed=1)), call(x(4, 2), x(4, 1, seed=1), rowvar=False)],
    np.cross: [
        call(x(3, 2), x(4, 2, 3, seed=1), axisa=0, axisc=1), call(x(2, 3), x(2, 3, seed=1), 1, -1, 0),
        call(x(3, 2), x(3, 2, seed=1), axis=0), call(x(3, 2), x(3, seed=1), 0, 0, 1, 0), call(x(3, 3), x(3, seed=1), axis=0),
    ],
    np.linalg.eigvalsh: [call(regular(3, 3), "U"), call(regular(3, 3), UPLO="l")],
    np.linalg.cross: [call(x(3, 2), x(3, 2, seed=1), axis=0), call(x(3, 3), x(3, seed=1), axis=0)],
    np.diff: [call(x(4), prepend=0.5), call(x(2, 3), axis=0, prepend=x(2, 3, seed=1), append=0.5)],
    np.histogram: [
        call(np.array([1, 2, 2, 3]), 3, weights=x(4)), call(np.array([1, 2, 5, 3]), 2, (0, 4), True, positive(4)),
    ],
    np.histogram2d: [call(NUMBERS, NUMBERS**2, 2, weights=x(4)), call(NUMBERS, NUMBERS, [1, 2], density=True, weights=positive(4))],
    np.histogramdd: [call(np.stack([NUMBERS, NUMBERS**2], 1), [2, 2], weights=x(4))],
    np.modf: [call(x(3)), call(-1.3)], np.frexp: [call(x(3)), call(-1.3)],
    np.ediff1d: [call(x(2, 3), to_end=0.5), call(x(3), to_begin=x(2, seed=1))],
    np.interp: [call(x(3), np.array([2, 5, 9]), x(3, seed=1), period=np.int64(7))],
    np.linspace: [call(0.3, 1.5, 4, retstep=True), call(x(2), 1.5, 3, False, True)], np.vander: [call(x(3), 4, True)],
    np.logspace: [call(0.3, x(2), 3, base=2.5)],
    np.trapezoid: [
        call(x(4), dx=0.5), call(x(3, 2), dx=np.array([[0.5], [0.8]]), axis=0), call(x(3, 4), dx=positive(4), axis=0),
        call(x(3), x(3, seed=1), 1.0, 0),
    ],
    np.take: [call(x(3), np.array([0, 7]), mode="wrap"), call(x(2, 3), np.array([-2, 7]), 1, mode="clip")],
    np.trim_zeros: [call(x(3), "b")],
    np.array: [call(x(3), ndmin=3), call(x(3), float, ndmin=2)],
    np.unique: [call(np.array([2.0, 1.0, 2.5]))], np.intersect1d: [call(x(3), np.array([1, 2]))],
    np.setdiff1d: [call(x(3), np.array([1, 2]))], np.union1d: [call(x(3), np.array([1, 2]))], np.setxor1d: [call(x(3), x(2, seed=1))],
    np.polyadd: [call(x(3), x(2, seed=1))], np.polysub: [call(x(2), x(3, seed=1))], np.polymul: [call(x(3), x(2, seed=1))],
    np.polydiv: [call(x(4), positive(2)), call(x(2), positive(3))], np.polyder: [call(x(4)), call(x(4), 2), call(x(2), 3)],
    np.polyint: [call(x(3)), call(x(3), 2, x(2, seed=1)), call(x(2), 2, 0.5)], np.poly: [call(x(3)), call(x(3, 3))],
    np.polyfit: [call(np.arange(5), x(5), 1, cov=True), call(np.arange(5), x(5), 1, cov="unscaled")],
    **{function: [call(x(5)), call(x(4), 2), call(x(3, 4), 1, 0.5, 1), call(x(2), 3)] for function in (
        np.polynomial.polynomial.polyder, np.polynomial.chebyshev.chebder, np.polynomial.legendre.legder)},
    np.polynomial.polynomial.polyval: [call(x(2), x(3, seed=1)), call(0.3, x(3)), call(x(2), x(3, 2, seed=1))],
    np.polynomial.chebyshev.chebval: [call(x(2), x(4, seed=1)), call(0.3, x(1)), call(x(2), x(2, seed=1))],
    np.polynomial.legendre.legval: [call(x(2), x(4, seed=1)), call(0.3, x(1))],
    np.apply_along_axis: [call(np.cumsum, 0, x(2, 3))],
    **{ufunc.reduceat: [call(x(5), [0, 3, 1]), call(x(2, 4), [0, 2], 1)] for ufunc in (np.add, np.multiply, np.maximum, np.minimum)},
}
COMPOSITES |= {getattr(np, name): samples for name, samples in (
    ("cumulative_sum", [call(x(3), include_initial=True), call(x(2, 3), axis=1, include_initial=True, dtype=float)]),
    ("cumulative_prod", [call(x(2, 3), axis=1, include_initial=True)]), ("unique_values", [call(x(3))]),
    ("vecdot", [call(x(3, 2), x(3, 2, seed=1), axis=0)]), ("amax", [call(x(3), initial=0.1)]), ("amin", [call(x(3), initial=0.1)]),
) if hasattr(np, name)}
