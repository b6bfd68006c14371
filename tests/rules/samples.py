"""Calls on which each rule of the table is tried: beside the mathematics, the data. A rule without a sample fails the test."""

from __future__ import annotations

import importlib.util
import math
import operator
from typing import Any

import numpy as np

from sourcediff.runtime import arrays, structures
from sourcediff.runtime import equal_spectra as spectra
from sourcediff.runtime import zero_lengths as lengths

from . import composites
from .calls import Sample, binary, call, definite, positive, reduced, regular, unary, unit, with_nan, x

NAN = [
    call(x(2, 3)), call(with_nan(2, 3)), call(with_nan(2, 3), axis=0), call(with_nan(2, 3, 2), axis=(0, -1), keepdims=True),
    call(with_nan(3, 3), axis=1, keepdims=True),
]
SPREAD_NAN = [
    call(x(2, 3)), call(with_nan(2, 3)), call(with_nan(5, 3) ** 2, axis=0), call(with_nan(2, 3, 2) ** 2, axis=(0, -1), keepdims=True),
    call(with_nan(5, 3) ** 2, axis=0, ddof=1), call(with_nan(3, 4) ** 2, axis=-1, keepdims=True),
]
HALVES = [
    call(x(2, 3)), call(x(2, 3, 2)), call(x(2, 3), norm="ortho"), call(x(2, 3, 4), axes=(0, 2)), call(x(2, 3), (3, 5), (0, 1)),
    call(x(2, 3), s=(1, 3), axes=(1, 0)), call(x(2, 3), norm="forward"),
]
TURNING = [call(np.array([[1.0, -2.0, 0.3], [1.5, 0.7, 0.2], [0.4, 0.1, 3.0]]))]
WIDE = np.diag([1e9, 1.0])
SPD = [call(definite(3, 3)), call(definite(2, 3, 3))]
SQUARE = [call(regular(3, 3)), call(regular(2, 3, 3)), call(regular(1, 1)), call(regular(2, 2, 2, 2))]
PRODUCTS = [
    call(x(2, 3), x(3, 4, seed=1)), call(x(2, 3), x(3, seed=1)), call(x(3), x(3, 2, seed=1)), call(x(3), x(3, seed=1)),
    call(x(2, 0), x(0, 3, seed=1)), call(x(0, 2), x(2, 3, seed=1)),
]
BOOLEANS = np.array([True, False, True])

SAMPLES: dict[Any, list[Sample]] = {
    # elementwise
    np.add: binary(x), np.subtract: binary(x), np.multiply: binary(x), np.divide: binary(x, positive),
    np.remainder: binary(x, positive), np.fmod: binary(x, positive), math.fmod: [call(1.7, 0.6), call(-1.7, 0.6)],
    np.power: [
        *(s._replace(weak=isinstance(s.args[0], float)) for s in binary(positive, x)), call(x(2, 3), 2),
        call(positive(2, 3), 3.0), call(x(2, 3), 3), call(x(2, 3), 1), call(x(2, 3), 0), call(x(2, 3), -1),
        call(positive(3), 0.5), call(x(3), np.array([2, 3, -1])), call(-1.3, 3), call(np.array([0.0, 1.5]), 2),
        call(np.array([0.0, -1.5]), 1),
    ],
    np.float_power: [call(positive(2, 3), x(3), weak=True), call(x(3), 2, weak=True)],
    pow: [call(positive(3), x(3, seed=1)), call(1.3, 2.2), call(1.3, 2)], math.pow: [call(1.3, 2.2), call(-1.3, 2)],
    np.negative: unary(x), np.positive: unary(x), np.conjugate: unary(x), np.real: unary(x),
    np.real_if_close: unary(x), np.ldexp: [call(x(2, 3), np.array([1, -2, 3])), call(x(3), 2), call(1.5, np.array([0, 2]))],
    np.imag: unary(x), np.angle: [*unary(x), call(x(3), True), call(x(3), deg=True)], float: [call(1.5)], np.float64: [call(1.5)],
    arrays.number_of: [call(np.float64(1.5), weak=True)],
    np.absolute: unary(x), np.fabs: unary(x), abs: unary(x),
    math.fabs: [call(-1.5)], np.reciprocal: unary(positive), np.square: unary(x), np.sqrt: unary(positive), np.cbrt: unary(x),
    np.hypot: binary(x), math.hypot: [call(1.5, -2.0)], math.copysign: [call(1.5, -2.0, weak=True)], math.ldexp: [call(1.5, 2)],
    np.exp: unary(x), np.exp2: unary(x), np.expm1: unary(x),
    np.log: unary(positive), np.log2: unary(positive), np.log10: unary(positive), np.log1p: unary(unit), np.logaddexp: binary(x),
    np.logaddexp2: binary(x), np.sin: unary(x), np.cos: unary(x), np.tan: unary(unit), np.arcsin: unary(unit),
    np.arccos: unary(unit), np.arctan: unary(x), np.arctan2: binary(x), np.deg2rad: unary(x), np.radians: unary(x),
    np.rad2deg: unary(x), np.degrees: unary(x), np.sinh: unary(x), np.cosh: unary(x), np.tanh: unary(x), np.arcsinh: unary(x),
    np.arctanh: unary(unit), np.arccosh: [call(1.0 + positive(2, 3)), call(1.0 + positive())], np.maximum: binary(x),
    np.copysign: [s._replace(weak=not isinstance(s.args[1], np.ndarray)) for s in binary(x)],
    np.i0: [call(x(2, 3)), call(x(0, 2)), call(np.array([0.0, 30.0])), call(1.5)],
    np.sinc: [*unary(x), call(np.array([0.0, 0.05, -0.09, 0.1, 1.0]))], np.nan_to_num: unary(x),
    np.minimum: binary(x), np.fmax: binary(x), np.fmin: binary(x),
    np.heaviside: [call(np.array([-1.0, 0.0, 2.0, 0.0]), x(4)), call(np.array([[0.0], [1.0]]), x(3)), call(0.0, 0.7), call(1.0, x(2))],
    np.where: [
        call(BOOLEANS, x(3), x(3, seed=1)), call(BOOLEANS, x(2, 3), 0.5), call(BOOLEANS, 0.5, x(2, 3)),
        call(BOOLEANS[:, None], x(2), x(3, 1, seed=1)), call(True, x(), x(2, seed=1)), call(True, 1.5, 2.5),
    ],
    np.clip: [
        call(x(2, 3), -0.5, 0.7), call(x(2, 3), None, 0.7), call(x(2, 3), -0.5, None),
        call(x(2, 3), x(3, seed=1, high=0.1), 0.7), call(x(2, 3), x(3, seed=1, high=0.1), x(2, 1, seed=2, low=0.2)),
        call(x(3), 0.7, -0.5), call(0.3, -0.5, 0.7),
    ],
    # reductions
    np.sum: [*reduced(x), call(2.5)], np.mean: [*reduced(x), call(2.5)],
    np.var: [*reduced(x, empty=False), call(x(0, 3), axis=1), call(x(2, 3), axis=1, ddof=1)],
    np.std: [*reduced(x, empty=False)[:-2], call(x(4, 3), axis=0, ddof=1), call(x(2, 3), ddof=2)],
    arrays.largest: [call(x(3)), call(x(1))], arrays.smallest: [call(x(3)), call(x(4))],
    np.max: [*reduced(x, empty=False), call(2.5)], np.min: reduced(x, empty=False),
    np.prod: [*reduced(x), call(np.array([2.0, 0.0, 3.0])), call(np.array([[0.0, 0.0, 3.0], [1.0, 0.0, 2.0]]), axis=1),
              call(x(0)), call(x(0, 3), axis=0)],
    np.cumsum: [call(x(2, 3)), call(x(2, 3), axis=0), call(x(2, 3), -1), call(x(3)), call(x(0))],
    np.diff: [call(x(4)), call(x(2, 4)), call(x(4, 2), axis=0), call(x(2, 5), 2), call(x(2, 4, 2), 3, 1), call(x(1)), call(x(3), 0),
              call(x(3), 0, 1), call(x(3), 4), call(x(1), 2), call(x(2, 3), n=5, axis=0), call(x(0))],
    np.ptp: [*reduced(x, empty=False)[:-2], call(x(4, 3), axis=0)], np.nanmax: NAN, np.nanmin: NAN, np.nansum: NAN, np.nanmean: NAN,
    np.nanprod: NAN, np.nanvar: SPREAD_NAN, np.nanstd: SPREAD_NAN,
    np.average: [
        call(x(3)), call(x(2, 3), axis=0), call(x(2, 3), weights=positive(2, 3)), call(x(2, 3), 1, positive(3)),
        call(x(2, 3), axis=0, weights=positive(2), keepdims=True), call(x(3), weights=positive(3)), call(x(2, 3, 2), axis=1),
        call(x(2, 3), [0, 1]),
    ],
    np.cumprod: [
        call(x(2, 3)), call(x(2, 3), axis=0), call(x(2, 3), -1), call(x(3)), call(x(0)), call(np.array([2.0, 0.0, 3.0, 4.0])),
        call(np.array([[0.0, 0.0, 3.0], [1.0, 0.0, 2.0]]), axis=1),
    ],
    np.cov: [
        call(x(3, 5), weak=True), call(x(5), weak=True), call(x(5, 3), rowvar=False, weak=True), call(x(2, 4), ddof=0, weak=True),
        call(x(5), rowvar=False, weak=True), call(x(1, 4), weak=True),
    ],
    np.corrcoef: [call(x(3, 5), weak=True), call(x(5, 3), rowvar=False, weak=True)],
    np.unwrap: [call(4 * x(6)), call(4 * x(2, 5)), call(4 * x(5, 2), axis=0)],
    np.ediff1d: [call(x(4)), call(x(2, 3)), call(x(1)), call(x(0))],
    # order
    np.sort: [call(x(5)), call(x(2, 3)), call(x(2, 3), axis=0), call(x(2, 3), axis=None), call(x(2, 3, 4), 1), call(x(0))],
    np.partition: [call(x(6), 2), call(x(2, 5), 1), call(x(5, 2), 3, axis=0), call(x(2, 3), 2, axis=None), call(x(6), [1, 4])],
    np.median: [*reduced(x, empty=False)[:-2], call(x(0, 3), axis=1), call(x(2, 4)), call(x(4, 3, 2), axis=(0, 2))],
    np.quantile: [
        call(x(5), 0.3), call(x(2, 3), 0.9), call(x(4, 3), 0.25, axis=0), call(x(2, 3), 0.5, -1, keepdims=True), call(x(3), 1.0),
        call(x(3), 0), call(x(2, 3, 4), 0.6, axis=(0, 2)),
    ],
    np.percentile: [call(x(5), 30), call(x(2, 3), 90.0, axis=1), call(x(4), 50, keepdims=True)],
    # structure
    np.reshape: [
        call(x(2, 3), (3, 2)), call(x(2, 3), -1), call(x(2, 3), (1, 6)), call(x(), (1, 1)), call(x(0, 2), (2, 0)),
        call(1.5, (1,)), call(x(2, 3), (3, 2), order="F"), call(x(2, 3, 2), (4, 3), "F"),
    ],
    np.ravel: [call(x(2, 3)), call(x()), call(x(0, 2)), call(x(2, 3), "F")],
    np.insert: [
        call(x(4), 1, x(seed=1)), call(x(4), [0, 2], x(2, seed=1)), call(x(2, 3), 1, x(3, seed=1), axis=0), call(x(2, 3), 2, x(seed=1)),
        call(x(2, 3), 1, 0.5, axis=1, weak=True), call(x(4), slice(1, 3), x(2, seed=1)),
        call(np.array([1, 2]), 1, 0.5, weak=True),
    ],
    np.squeeze: [call(x(1, 2, 1)), call(x(1, 2, 1), axis=0), call(x(1, 1), -1)],
    np.expand_dims: [call(x(2, 3), 1), call(x(2), (0, -1)), call(x(), 0)], np.atleast_1d: [call(x()), call(x(2)), call(1.5)],
    np.atleast_2d: [call(x(2)), call(x())], np.atleast_3d: [call(x(2, 3)), call(x(2))],
    np.transpose: [call(x(2, 3)), call(x(2, 3, 4), (1, 2, 0)), call(x(2, 3, 4), axes=(-1, 0, 1)), call(x(2))],
    np.matrix_transpose: [call(x(2, 3)), call(x(2, 3, 4))], np.swapaxes: [call(x(2, 3, 4), 0, -1), call(x(2, 3), 0, 1)],
    np.moveaxis: [call(x(2, 3, 4), 0, -1), call(x(2, 3, 4), (0, 1), (-1, 0))],
    np.flip: [call(x(2, 3)), call(x(2, 3), 0), call(x(2, 3), (0, 1)), call(x(2, 3), axis=-1)], np.fliplr: [call(x(2, 3))],
    np.flipud: [call(x(2, 3))], np.roll: [call(x(2, 3), 1), call(x(2, 3), 2, axis=1), call(x(2, 3), (1, -1), axis=(0, 1))],
    np.rot90: [call(x(2, 3)), call(x(2, 3), 2), call(x(2, 3, 2), -1, (1, 2))],
    np.broadcast_to: [call(x(3), (2, 3)), call(x(2, 1), (2, 3)), call(x(), (2,)), call(1.5, (2, 2)), call(x(1), (0,))],
    np.resize: [call(x(3), (2, 2)), call(x(2, 3), 4), call(x(3), (7,))],
    np.pad: [
        call(x(3), 1), call(x(2, 3), ((1, 0), (0, 2))), call(x(3), (2, 1), "edge"), call(x(4), 2, mode="wrap"),
        call(x(2, 3), (1, 2), "reflect"), call(x(2, 3), ((0, 1), (2, 0)), "symmetric"), call(x(2), 5, "reflect"),
    ],
    np.rollaxis: [call(x(2, 3, 4), 2), call(x(2, 3, 4), 0, 3), call(x(2, 3), 1, start=0)],
    np.append: [
        call(x(2), x(3, seed=1)), call(x(2, 2), x(3, seed=1)), call(x(2, 3), x(1, 3, seed=1), axis=0), call(x(2, 1), x(2, 2, seed=1), 1),
        call(x(3), 1.5, weak=True),
    ],
    np.split: [call(x(6), 3), call(x(2, 3), 3, axis=1), call(x(5), [1, 3]), call(x(4, 2), [2], 0)],
    np.array_split: [call(x(5), 3), call(x(2, 3), 2, axis=-1)], np.vsplit: [call(x(4, 2), 2), call(x(3, 2), [1])],
    np.hsplit: [call(x(4), 2), call(x(2, 3), [1, 2])], np.dsplit: [call(x(1, 2, 4), 2)],
    np.tile: [call(x(3), 2), call(x(2, 3), (2, 1)), call(x(3), (2, 2)), call(x(2, 3), 2), call(x(), 3), call(x(2), 0)],
    np.repeat: [
        call(x(3), 2), call(x(2, 3), 2), call(x(2, 3), 2, axis=1), call(x(3), [1, 0, 3]), call(x(2, 3), [2, 1], axis=0),
        call(x(), 3),
    ],
    np.diag: [call(x(3)), call(x(3), 1), call(x(3), k=-2), call(x(3, 3)), call(x(3, 4), 1), call(x(3, 2), -1)],
    np.diagflat: [call(x(3)), call(x(2, 2), 1), call(x(3), k=-2), call(x())],
    np.diagonal: [call(x(3, 3)), call(x(2, 3, 4), 1, 2, 0), call(x(3, 2), -1)],
    np.trace: [call(x(3, 3)), call(x(3, 4), 1), call(x(3, 2, 3), 0, 0, 2), call(x(3, 3), offset=-1)],
    np.tril: [call(x(3, 3)), call(x(2, 3, 4), 1)], np.triu: [call(x(3, 3)), call(x(3, 2), -1)],
    np.concatenate: [
        call([x(2, 3), x(1, 3, seed=1)]), call((x(2, 3), x(2, 1, seed=1), x(2, 0)), axis=1),
        call([x(2, 3), x(2, seed=1)], axis=None), call([x(2, 1, 2), x(2, 3, 2, seed=1)], -2),
    ],
    np.stack: [
        call([x(2, 3), x(2, 3, seed=1)]), call([x(2), x(2, seed=1), x(2, seed=2)], axis=-1), call([x(), x(seed=1)]),
        call([1.5, 2.5]),
    ],
    np.vstack: [call([x(3), x(2, 3, seed=1)]), call([x(2), x(2, seed=1)]), call([x(), x(seed=1)])],
    np.hstack: [call([x(2), x(3, seed=1)]), call([x(2, 1), x(2, 3, seed=1)]), call([x(), x(2, seed=1)]), call([1.5, 2.5])],
    np.dstack: [call([x(2), x(2, seed=1)]), call([x(2, 3), x(2, 3, seed=1)]), call([x(2, 3, 1), x(2, 3, 2, seed=1)])],
    np.column_stack: [call([x(2), x(2, seed=1)]), call([x(2), x(2, 3, seed=1)])], np.copy: [call(x(2, 3)), call(x())],
    np.ascontiguousarray: [call(x(2, 3).T)],
    np.asarray: [call(x(2, 3)), call(1.5), call(x(2), dtype=float, weak=True), call(1.5, float)],
    np.array: [call(x(2, 3)), call(1.5), call(x(2), float, weak=True)],
    arrays.astype: [call(x(2, 3), np.float64, weak=True), call(x(2, 3), int, weak=True)],
    # indexing
    operator.getitem: [
        call(x(4), 1), call(x(4), slice(1, -1)), call(x(4), slice(None, None, -2)), call(x(2, 3), (slice(None), 1)),
        call(x(2, 3), (..., 0)), call(x(2, 3), (None, 1, slice(1, None), None)), call(x(2, 3), (1, -1)), call(x(4), [0, 0, 3]),
        call(x(2, 3), np.array([[0, 1], [1, 1]])), call(x(2, 3), ([0, 1, 0], [2, 2, 2])), call(x(3), BOOLEANS),
        call(x(2, 3), (slice(None), BOOLEANS)), call(x(2, 3), x(2, 3) > 0), call(x(2, 3, 4), (0, slice(None), [1, 1])),
        call(x(3), ~np.ones(3, bool)), call(x(3), slice(0, 0)), call(x(), ()), call(x(), ...), call(x(3, 3), (BOOLEANS, [0, 0])),
        call(x(3), np.array(2)), call(x(0, 2), slice(None)),
    ],
    np.take: [
        call(x(4), [0, 0, -1]), call(x(2, 3), [5, 0, -1]), call(x(2, 3), [[0, 2], [2, 2]], axis=1), call(x(2, 3), 1, -2),
        call(x(3), BOOLEANS),
    ],
    np.take_along_axis: [
        call(x(2, 3), np.array([[0], [2]]), 1), call(x(2, 3), np.array([[1, 0, 1], [1, 1, 0]]), axis=0),
        call(x(2, 3), np.array([5, 0, 0]), None),
    ],
    np.choose: [
        call(np.array([0, 1, 1]), x(2, 3)), call(np.array([[0, 2], [1, 0]]), x(3, 2)), call(np.array([5, 1, -1]), x(3, 1), mode="wrap"),
        call(np.array([5, 1, -1]), x(3, 3), mode="clip"), call(1, x(2, 2)),
    ],
    np.compress: [call(BOOLEANS, x(3)), call(BOOLEANS, x(2, 3), axis=1), call(BOOLEANS, x(2, 3)), call([True], x(2, 3), 0)],
    np.extract: [call(BOOLEANS, x(3)), call(x(2, 3) > 0, x(2, 3))],
    np.delete: [call(x(4), 1), call(x(2, 3), [0, 2], axis=1), call(x(2, 3), slice(1, 4)), call(x(2, 3), -1, 0)],
    # products
    np.kron: [
        call(x(2), x(3, seed=1)), call(x(2, 3), x(3, 2, seed=1)), call(x(2), x(2, 3, seed=1)), call(x(2, 1, 2), x(3, seed=1)),
        call(x(), x(2, seed=1)), call(x(1, 2), x(1, 3, seed=1)),
    ],
    np.cross: [
        call(x(3), x(3, seed=1)), call(x(2, 3), x(3, seed=1)), call(x(3), x(4, 3, seed=1)), call(x(2, 1, 3), x(4, 3, seed=1)),
    ],
    np.convolve: [
        call(x(4), x(2, seed=1)), call(x(2), x(5, seed=1)), call(x(4), x(3, seed=1), "same"), call(x(5), x(2, seed=1), "same"),
        call(x(2), x(4, seed=1), mode="same"), call(x(5), x(3, seed=1), "valid"), call(x(2), x(5, seed=1), "valid"), call(x(1), x(1)),
    ],
    np.correlate: [
        call(x(4), x(2, seed=1)), call(x(2), x(5, seed=1)), call(x(4), x(3, seed=1), "same"), call(x(5), x(2, seed=1), "same"),
        call(x(2), x(4, seed=1), mode="same"), call(x(4), x(5, seed=1), "same"), call(x(5), x(3, seed=1), "full"),
        call(x(2), x(5, seed=1), "full"),
    ],
    np.vecdot: [call(x(3), x(3, seed=1)), call(x(2, 3), x(3, seed=1)), call(x(2, 1, 3), x(4, 3, seed=1))],
    # curves
    np.interp: [
        call(x(6), np.array([-1.5, -0.2, 0.4, 1.9]), x(4, seed=1), weak=True),
        call(x(2, 2), np.array([-1.5, 1.6]), x(2, seed=1), weak=True),
        call(0.7, np.array([-1.0, 0.5, 1.0]), x(3, seed=1), weak=True), call(5.0, np.array([-1.0, 0.5]), x(2, seed=1), weak=True),
        call(x(6), np.array([-0.5, 0.2, 0.4]), x(3, seed=1), 1.5, weak=True),
        call(x(2, 3), np.array([-0.5, 0.2, 0.4]), x(3, seed=1), left=1.5, right=-0.5, weak=True),
        call(x(6), np.array([-0.5, 0.2, 0.4]), x(3, seed=1), right=-0.5, weak=True),
    ],
    np.gradient: [
        call(x(4)), call(x(5), 0.3), call(x(2)), call(x(4), 0.5, edge_order=2), call(x(3), 2, edge_order=2, weak=True),
        call(x(5), np.array([0.0, 0.4, 1.0, 3.0, 3.5])), call(x(4), np.array([0.0, 0.4, 1.0, 3.0]), edge_order=2),
        call(x(2, 4), 0.3, axis=1), call(x(4, 3), np.array([0.0, 0.4, 1.0, 3.0]), axis=0), call(x(2, 4, 2), axis=-2),
        call(x(3, 3), np.array([0.0, 0.4, 1.0]), axis=(1,), edge_order=2), call(x(4), np.array([0.0, 0.5, 1.0, 1.5]), axis=0),
        call(x(2), np.array([0.0, 0.4])),
    ],
    np.trapezoid: [
        call(x(4)), call(x(2, 4)), call(x(4), np.array([0.0, 0.4, 1.0, 3.0])), call(x(1)),
        call(x(2, 3), np.array([0.0, 0.4, 1.0])), call(x(2, 3), x(2, 3, seed=1)), call(x(3), x(2, 3, seed=1)),
        call(x(3, 2), axis=0), call(x(3, 2), np.array([0.0, 0.4, 1.0]), axis=0), call(x(3, 2), x(3, 2, seed=1), axis=-2),
        call(x(2, 3, 2), x(3, 2, seed=1), axis=-2),
    ],
    np.logspace: [
        call(0.5, 1.5, 5), call(x(), x(seed=1), num=3, endpoint=False, weak=True),
        call(0.5, x(3), 3, weak=True), call(x(3), x(), 4, weak=True),
    ],
    np.geomspace: [
        call(0.5, 2.5, 5), call(positive(), positive(seed=1), num=3, endpoint=False, weak=True),
        call(positive(2), positive(2, seed=1), 4), call(2.5, positive(3, seed=1), 3, weak=True), call(positive(3), positive(), 4),
    ],
    np.vander: [call(x(3)), call(x(3), 2), call(x(2), N=4), call(x(2), 1)],
    np.polyval: [
        call(x(3), x(4, seed=1), weak=True), call(x(3), x(2, 2, seed=1), weak=True), call(x(1), x(2, seed=1), weak=True),
        call(x(3, 2), x(2, seed=1), weak=True), call(x(2, 3), x(2, 1, seed=1), weak=True), call(x(2, 2), 1.5, weak=True),
        call(x(3), 1.5, weak=True),
    ],
    np.linalg.lstsq: [
        call(x(4, 2), x(4, seed=1)), call(x(4, 2), x(4, 3, seed=1), None), call(x(3, 3), x(3, seed=1), rcond=None),
        call(x(2, 4), x(2, 2, seed=1)), call(x(4, 1), x(4, 1, seed=1), rcond=1e-8), call(x(2, 3), x(2, seed=1)),
    ],
    np.polyfit: [
        call(x(5), x(5, seed=1), 2, weak=True), call(x(4), x(4, 2, seed=1), 1, weak=True), call(x(4), x(4, seed=1), 3, weak=True),
        call(x(5), x(5, seed=1), 1, w=np.array([1, 2, 1, 3, 1]), weak=True), call(x(3), x(3, seed=1), 0, weak=True),
    ],
    arrays.roots_of: [
        call(np.array([1.0, -1.5, -2.0, 1.5]), complex, weak=True), call(np.array([2.0, 1.0]), complex, weak=True),
        call(np.array([1.0, 0.5, -2.0, 0.0]), complex, weak=True),
    ],
    np.matmul: [
        *PRODUCTS, call(x(2, 2, 3), x(2, 3, 2, seed=1)), call(x(2, 2, 3), x(3, 2, seed=1)), call(x(2, 3), x(4, 3, 2, seed=1)),
        call(x(3), x(2, 3, 2, seed=1)), call(x(2, 2, 3), x(3, seed=1)), call(x(2, 1, 2, 3), x(4, 3, 2, seed=1)),
        call(x(1, 2, 3), x(2, 3, 2, seed=1)),
    ],
    np.dot: [
        *PRODUCTS, call(x(2, 3, 4), x(2, 4, 3, seed=1)), call(x(2, 3, 4), x(4, seed=1)), call(x(), x(2, 3, seed=1)),
        call(x(2, 3), 1.5, weak=True), call(1.5, 2.5), call(x(4), x(2, 4, 3, seed=1)),
    ],
    np.inner: [
        call(x(3), x(3, seed=1)), call(x(2, 3), x(4, 3, seed=1)), call(x(2, 3), x(3, seed=1)), call(x(), x(3, seed=1)),
        call(x(3), 1.5, weak=True),
    ],
    np.outer: [
        call(x(2), x(3, seed=1)), call(x(2, 2), x(3, seed=1)), call(x(), x(2, seed=1)), call(x(2), 1.5, weak=True),
        call(x(0), x(2, seed=1)),
    ],
    np.add.outer: [call(x(2), x(3, seed=1)), call(x(2, 2), x(3, seed=1)), call(x(), x(2, seed=1))],
    np.subtract.outer: [call(x(2), x(3, seed=1)), call(x(2), x(2, 2, seed=1))],
    np.multiply.outer: [call(x(2), x(3, seed=1)), call(x(2, 2), x(3, seed=1)), call(x(), x(2, seed=1))],
    np.linalg.svdvals: [call(x(3, 3)), call(x(4, 2)), call(x(2, 3)), call(x(2, 3, 3))],
    np.linalg.outer: [call(x(2), x(3, seed=1)), call(x(0), x(2, seed=1))],
    np.linalg.cross: [call(x(3), x(3, seed=1)), call(x(2, 3), x(3, seed=1)), call(x(2, 1, 3), x(4, 3, seed=1))],
    np.vdot: [call(x(3), x(3, seed=1)), call(x(2, 3), x(3, 2, seed=1)), call(1.5, 2.5)],
    np.tensordot: [
        call(x(2, 3, 4), x(3, 4, seed=1)), call(x(2, 3), x(3, 4, seed=1), 1), call(x(2), x(3, seed=1), 0),
        call(x(2, 3, 4), x(4, 2, seed=1), axes=([0, 2], [1, 0])), call(x(2, 3), x(4, 3, seed=1), (1, -1)),
        call(x(2, 3), x(2, 3, seed=1)),
    ],
    np.einsum: [
        call("ij,jk->ik", x(2, 3), x(3, 4, seed=1)), call("ij,jk", x(2, 3), x(3, 4, seed=1)), call("i,i", x(3), x(3, seed=1)),
        call("ii", x(3, 3)), call("ii->i", x(3, 3)), call("ij->ji", x(2, 3)), call("ij->", x(2, 3)), call("ba", x(2, 3)),
        call("ij,k->i", x(2, 3), x(4, seed=1)), call("...ij,...jk->...ik", x(2, 2, 3), x(3, 4, seed=1)),
        call("...i,...i", x(2, 3), x(4, 1, 3, seed=1)), call("ii,ij->j", x(3, 3), x(3, 2, seed=1)), call("iij->j", x(2, 2, 3)),
        call("i,j->ij", x(2), x(3, seed=1)), call(",ij->ij", 1.5, x(2, 3), weak=True),
        call("ij,ij->i", x(3, 1), x(3, 4, seed=1)), call("i...->...", x(2, 3)),
        call("ij,ij->", x(2, 3), x(2, 3, seed=1), optimize=True), call("i j , j -> i", x(2, 3), x(3, seed=1)),
    ],
    # linear algebra
    np.linalg.inv: SQUARE, np.linalg.det: SQUARE, np.linalg.slogdet: SQUARE, np.linalg.cholesky: SPD,
    arrays.block_triangular: [call(x(3, 3), x(3, 3, seed=1)), call(x(2, 1, 1), x(2, 1, 1, seed=1))],
    arrays.off_diagonal: [call(arrays.block_triangular(WIDE, x(2, 2)), WIDE)],
    spectra.parted: [call(x(3))], arrays.of_square: [call(x(3, 3), "np.linalg.qr")],
    np.linalg.eigh: [*SPD, call(regular(3, 3), "U"), call(definite(3, 3), UPLO="u")], np.linalg.eigvalsh: SPD,
    np.linalg.qr: [call(x(3, 3)), call(x(4, 2)), call(x(2, 4, 3))],
    np.linalg.svd: [
        call(x(3, 3), full_matrices=False), call(x(4, 2), False), call(x(2, 3), full_matrices=False), call(x(2, 4, 3), full_matrices=False),
    ],
    np.linalg.pinv: [call(x(3, 3)), call(x(4, 2)), call(x(2, 3)), call(x(2, 3, 2))],
    np.linalg.solve: [
        call(regular(3, 3), x(3, seed=1)), call(regular(3, 3), x(3, 2, seed=1)), call(regular(2, 3, 3), x(3, seed=1)),
        call(regular(2, 3, 3), x(2, 3, 2, seed=1)), call(regular(3, 3), x(2, 3, 2, seed=1)),
        call(regular(2, 3, 3), x(3, 2, seed=1)), call(regular(2, 1, 3, 3), x(4, 3, 2, seed=1)),
    ],
    np.linalg.norm: [
        call(x(3)), call(x(2, 3)), call(x(2, 3), axis=1), call(x(2, 3, 4), axis=(0, 2)), call(x(2, 3), None, 0, True),
        call(x(2, 3), "fro"), call(x(2, 3), keepdims=True), call(x(2, 3, 4), "fro", (1, 2)),
    ],
    np.linalg.vector_norm: [
        call(x(3)), call(x(2, 3)), call(x(2, 3), axis=1), call(x(2, 3, 4), axis=(0, 2), keepdims=True), call(x(3), ord=2),
    ],
    # Fourier transforms: those with a real result of a real argument; the others below
    np.fft.irfft: [
        call(x(4)), call(x(4), 5), call(x(4), 3), call(x(3), 8), call(x(3, 2), axis=0), call(x(2, 3), n=5, norm="ortho"),
        call(x(2, 3), norm="forward"),
    ],
    np.fft.irfftn: HALVES, np.fft.irfft2: HALVES,
    np.fft.hfft: [call(x(4)), call(x(4), 5), call(x(4), 3), call(x(3), 8), call(x(3, 2), axis=0, norm="ortho"), call(x(3), norm="forward")],
    **{key: [call(5, np.array(0.4)), call(4, np.array(1.7))] for key in (np.fft.fftfreq, np.fft.rfftfreq)},
    np.fft.fftshift: [call(x(4)), call(x(5)), call(x(2, 3)), call(x(2, 3), 1), call(x(2, 3, 4), axes=(0, -1))],
    np.fft.ifftshift: [call(x(4)), call(x(5)), call(x(2, 3)), call(x(2, 3), 1), call(x(2, 3, 4), axes=(0, -1))],
    # creation
    np.full: [
        call((2, 3), 1.5), call(3, x()), call((2, 3), x(3)), call(3, 1.5, dtype=np.float64, weak=True),
        call(3, x(3), int, weak=True),
    ],
    np.full_like: [call(x(2, 3), x(3, seed=1)), call(x(2), 1.5), call(np.array([1, 2]), 1.5, weak=True)],
    np.linspace: [
        call(0.5, 2.5, 5), call(x(), x(seed=1), num=3, endpoint=False), call(x(2), x(2, seed=1), 4), call(0.5, x(2, 1), 1),
        call(0.5, 2.5, 0),
    ],
    np.arange: [call(0.5, 3.0), call(0.5, 3.24, 0.42), call(4.5)],
    # helpers
    arrays.sum_to: [
        call(x(2, 3), (3,)), call(x(2, 3), (2, 1)), call(x(2, 3), ()), call(x(2, 3), (2, 3)), call(x(4, 2, 3), (1, 1, 3)),
        call(x(0, 3), (3,)),
    ],
    arrays.sum_to_stored: [call(x(3), (1, 1, 3)), call(x(2, 3), (3,)), call(x(), (1,)), call(x(2, 3), (1, 1, 3))],
    arrays.spread_stored: [call(x(1, 1, 3), (3,)), call(x(3), (2, 3)), call(x(1), ()), call(x(1, 1, 3), (2, 3))],
    arrays.number_of: [call(x(), weak=True), call(x(1), weak=True), call(x(1, 1), weak=True)],
    arrays.expanded: [call(x(3), 1, False), call(x(2, 1), 1, True), call(x(), None, False)],
    arrays.keep_zeros: [call(x(3), np.array([0.0, 1.0, 2.0])), call(1.5, 0.0)],
    arrays.contribution: [call(x(2, 3), (2, 3), "a rule"), call(x(3), (2, 3), "a rule", True), call(1.5, (), "a rule")],
    arrays.cast: [call(x(3), np.float64, np.float64, weak=True), call(x(3), np.dtype(int), np.float64, weak=True)],
    arrays.scatter: [
        call(x(2), (3,), slice(1, None)), call(x(3), (4,), [0, 0, 2]), call(x(), (2, 2), (0, 1)), call(x(2), (3,), BOOLEANS),
    ],
    arrays.store: [
        call(x(3), 0, 1.5), call(x(3), slice(None), x(3, seed=1)), call(x(2, 3), (slice(None), 1), x(2, seed=1)),
        call(x(2, 3), 0, x()), call(x(2, 3), ..., x(3, seed=1)), call(x(4), [0, 0, 2], x(3, seed=1)),
        call(x(3), BOOLEANS, x(2, seed=1)), call(x(3), BOOLEANS, 0.5), call(x(2, 3), ([0, 1, 0], [2, 2, 2]), x(3, seed=1)),
        call(x(3), slice(1), x(1, 1, seed=1)),
    ],
    arrays.incremented: [
        call(x(3), 0, 1.5), call(x(4), [0, 0, 2], x(3, seed=1)), call(x(2, 3), ([0, 1, 0], [2, 2, 2]), x(3, seed=1)),
        call(x(3), [1, 1], 0.5), call(x(2, 3), [1, 1], x(3, seed=1)), call(x(3), BOOLEANS, x(2, seed=1)),
    ],
    arrays.maximum_at: [
        call(x(3), 0, 1.5), call(x(4), [0, 0, 2], x(3, seed=1)), call(x(2, 3), ([0, 1, 0], [2, 2, 2]), x(3, seed=1)),
        call(x(3), [1, 1], 0.5), call(x(2, 3), [1, 1], x(3, seed=1)), call(x(3), BOOLEANS, x(2, seed=1)),
    ],
    arrays.minimum_at: [
        call(x(3), 0, -1.5), call(x(4), [0, 0, 2], x(3, seed=1)), call(x(2, 3), [1, 1], x(3, seed=1)), call(x(3), BOOLEANS, x(2, seed=1)),
    ],
    arrays.stored: [
        call(x(4), [0, 0, 2], (3,)), call(x(2, 3), 0, (3,)), call(x(2, 3), slice(None), ()), call(x(2, 3), slice(1), (1, 1, 3)),
        call(x(4), [1, 1], (1,)),
    ],
    arrays.last_stored: [call(x(4), [0, 0, 2]), call(x(2, 3), ([0, 1, 0], [2, 2, 2])), call(x(3), BOOLEANS)],
    structures.copied: [call(x(3)), call(x(2, 3))],
    structures.own: [call(x(3), x(3, seed=1)), call(x(), x(seed=1)), call(1.5, x())],
    structures.with_added: [call(x(4), [0, 0, 2], x(3, seed=1)), call(x(2, 3), 1, x(3, seed=1)), call(x(3), 0, 1.5)],
    arrays.as_seed: [call(x(2, 3), (2, 3)), call(1.5, ())],
    structures.with_entry: [call(x(4), 2, x()), call(x(2, 3), 1, x(3, seed=1)), call(x(3), slice(1, 3), 1.5)],
    structures.real_part: [call(x(3)), call(x(2, 2))],
    arrays.crossed: [call(x(3), x(3, seed=1)), call(x(2, 3), x(3, seed=1)), call(x(2, 3), x(2, 3, seed=1))],
    structures.added: [call(x(3), x(3, seed=1)), call(x(2, 3), x(2, 3, seed=1))],
    structures.like: [call(x(3), x(3, seed=1)), call(x(), x(2, 3)), call(x(3), x(2, 3))],
    structures.matched: [call(x(2, 3), x(3, seed=1)), call(x(3), x()), call(x(3), x(3, seed=1))],
    structures.spread: [call(x(), x(2, 3)), call(x(3), x(3, seed=1))],
    structures.tangent_like: [call(x(3), x(3, seed=1)), call(x(), x(2))],
    arrays.split_like: [call(x(5), [(2,), (3,)], 0), call(x(2, 3), [(2,), (2,), (2,)], 1), call(x(5), [(2, 2), (1,)], None)],
    arrays.join_like: [
        call([x(2), x(3, seed=1)], (5,), 0), call([x(2), x(2, seed=1)], (2, 2), 1), call([x(2, 2), x(1, seed=1)], (5,), None),
    ],
    arrays.unsplit: [
        call([x(2), x(1, seed=1)], (3,), [2]), call([x(2, 1), x(2, 2, seed=1)], (2, 3), [1], 1), call([x(2), x(2, seed=1)], (4,), 2),
    ],
    arrays.untile: [call(x(6), (3,), 2), call(x(2, 6), (3,), (2, 2)), call(x(2, 6), (2, 3), 2)],
    arrays.put_back: [
        call(x(0), (3,), np.zeros(0, int)), call(x(2), (0,), np.array([-1, -1])),
        call(x(3), (2, 2), np.array([3, 0, 3])), call(x(2, 2), (3,), np.array([[0, -1], [-1, 2]])), call(x(2), (2,), np.array([-1, -1])),
    ],
    arrays.recurrence: [
        call(x(4), x(4, seed=1), 0), call(x(2, 3), x(2, 3, seed=1), 1), call(x(3, 2), x(3, 2, seed=1), -2), call(x(1), x(1), 0),
    ],
    arrays.padded: [call(x(3), [(1, 2)], mode) for mode in ("reflect", "mirror", "nearest", "wrap", "constant")] + [
        call(x(2, 3), [(0, 0), (7, 1)], "mirror"), call(x(2, 3), [(1, 2), (2, 0)], ("wrap", "nearest")), call(x(1), [(2, 2)], "mirror"),
    ],
    arrays.folded: [call(x(6), [(1, 2)], mode) for mode in ("reflect", "mirror", "nearest", "wrap", "constant")] + [
        call(x(2, 11), [(0, 0), (7, 1)], "mirror"), call(x(5, 5), [(1, 2), (2, 0)], ("wrap", "nearest")), call(x(5), [(2, 2)], "mirror"),
    ],
    arrays.bsplines: [call(x(3, low=0.1, high=0.9), order, derivative) for order, derivative in ((1, 0), (2, 1), (3, 0), (5, 2), (1, 2))],
    arrays.fitted: [call(x(3), (2,)), call(x(3), (5,)), call(x(2, 3), (3, 2)), call(x(2, 3), (2, 3)), call(x(2), (0,))],
    arrays.edge: [call(x(), (3, 2), 0), call(x(2), (4,), -1), call(x(2, 1), (2, 3), 1), call(1.5, (2,), 0)],
    arrays.i0_slope: [call(x(2, 3), 1), call(x(2, 3), 2), call(np.array([0.0, 3.0]), 3)],
    arrays.of_full_rank: [call(x(3, 2)), call(x(2, 3), 2)],
    arrays.undiff: [call(x(3)), call(x(2, 3), 2, 0), call(x(2, 0)), call(x(0), 4, -1, (2,)), call(x(2), 1, -1, (3,))],
    arrays.undiagonal: [call(x(3), (3, 3)), call(x(2), (2, 3), 1), call(x(1), (3, 3)), call(x(3, 1), (2, 3, 4), 1, 2, 0)],
    arrays.matmul_adjoint: [
        call(x(2, 4), (2, 3), x(3, 4, seed=1), 0), call(x(2, 4), (3, 4), x(2, 3, seed=1), 1),
        call(x(5, 2, 4), (2, 3), x(5, 3, 4, seed=1), 0), call(x(4), (3,), x(3, 4, seed=1), 0),
        call(x(2), (3,), x(2, 3, seed=1), 1), call(x(5, 2), (3,), x(5, 2, 3, seed=1), 1), call(x(), (3,), x(3, seed=1), 0),
    ],
    arrays.einsum_adjoint: [
        call(x(2, 4), "ij,jk->ik", (2, 3), x(3, 4, seed=1), 0), call(x(2, 4), "ij,jk->ik", (3, 4), x(2, 3, seed=1), 1),
        call(x(3), "ii->i", (3, 3)), call(x(2), "ii,ij->j", (3, 3), x(3, 2, seed=1)),
    ],
    arrays.others: [
        call(x(3)), call(x(2, 3)), call(x(2, 3), -1), call(x(2, 3, 2), (0, -1)), call(np.array([2.0, 0.0, 3.0])),
        call(np.array([0.0, 0.0, 3.0, 1.0])), call(x(1)), call(x(2, 0), 1), call(x()),
    ],
    arrays.cofactor: SQUARE[:2], arrays.axis_last: [call(x(2, 3), 2, 0), call(x(3), 2, 0), call(x(2, 1, 3), 3, -2)],
    spectra.quotient: [
        call(x(3, 3), positive(3)), call(x(2, 3, 3), positive(2, 3)), call(x(1, 1), positive(1)), call(x(0, 0), positive(0)),
    ],
    spectra.alike: [
        call(x(3), positive(3, seed=1)),
        call(x(2, 3), positive(2, 3, seed=1), True), call(x(2), np.array([1.0, 0.0]), True), call(x(0), positive(0)),
    ],
    spectra.turning: [call(x(3, 3), np.array([1.0, 3.0, 2.0])), call(x(2, 3, 3), x(2, 3, seed=1))],
    spectra.simple: [call(x(3), np.array([1.0, 3.0, 2.0]))],
    spectra.pinned: [call(positive(3), x(3, seed=1)), call(positive(2, 1, 3), x(2, 1, 3, seed=1))],
    spectra.nonzero: [call(positive(3)), call(positive(2, 3)), call(positive(0))],
    spectra.rates: [
        call(positive(3), x(3, 3), x(3, 3, seed=1), x(3, 3, seed=2)), call(positive(2), x(4, 2), x(4, 3, seed=1), x(3, 2, seed=2)),
    ],
    lengths.of_length: [call(x(3), positive(), x(3, seed=1)), call(x(2, 3), positive(2, 1), x(2, 3, seed=1)), call(0.3, 1.2, 0.7)],
    lengths.unmoved: [call(x(3), positive(3)), call(x(2, 3), positive(2, 1)), call(0.3, 1.2)],
    lengths.of_tangent: [
        call(x(3), positive(), x(3, seed=1), x(3, seed=2)), call(x(2, 3), positive(2, 1), x(2, 3, seed=1), x(2, 3, seed=2)),
    ],
    lengths.uncrossed: [call(x(3), positive(3), x(3, seed=1)), call(x(2, 3), positive(2, 1), x(2, 3, seed=1)), call(0.3, 1.2, 0.7)],
    arrays.square: SQUARE[:2], arrays.inverted: SQUARE[:2], arrays.inexact: [call(x(2, 3)), call(x()), call(x(0))],
}

twins = "sin cos tan sinh cosh tanh exp expm1 log log1p log2 log10 sqrt exp2 cbrt asin acos atan asinh atanh radians degrees"
SAMPLES |= {getattr(math, name): [call(0.4)] for name in twins.split() if hasattr(math, name)}
SAMPLES |= {math.acosh: [call(1.4)], math.atan2: [call(0.4, -1.2)]}
SAMPLES |= {getattr(np, name): samples for name, samples in (
    ("matvec", [call(x(2, 3), x(3, seed=1)), call(x(4, 2, 3), x(3, seed=1)), call(x(2, 3), x(4, 3, seed=1))]),
    ("vecmat", [call(x(2), x(2, 3, seed=1)), call(x(4, 2), x(2, 3, seed=1)), call(x(2), x(4, 2, 3, seed=1))]),
    ("cumulative_sum", [call(x(3)), call(x(2, 3), axis=0), call(x(2, 3), axis=-1), call(x(0))]),
    ("cumulative_prod", [call(x(3)), call(x(2, 3), axis=0), call(x(2, 3), axis=-1), call(np.array([1.5, 0.0, -0.7])), call(x(0))]),
) if hasattr(np, name)}
for name, like in (("amax", np.max), ("amin", np.min), ("astype", arrays.astype), ("row_stack", np.vstack)):
    SAMPLES |= {getattr(np, name): SAMPLES[like]} if hasattr(np, name) else {}

LINES = [
    call(x(4)), call(x(5)), call(x(2, 3)), call(x(3, 2), axis=0), call(x(4), 6), call(x(5), n=3), call(x(2, 4), 3, 0, "ortho"),
    call(x(4), norm="forward"), call(x(4), norm="ortho"),
]
PLANES = [
    call(x(2, 3)), call(x(2, 3, 2)), call(x(2, 3), norm="ortho"), call(x(2, 3, 4), axes=(0, 2)), call(x(2, 3), (3, 2), (0, 1)),
    call(x(2, 3), s=(1, 5), axes=(0, 1)), call(x(2, 3), norm="forward"),
]
SAMPLES |= composites.SAMPLES
COMPOSITES = dict(composites.COMPOSITES)
COMPLEX: dict[Any, list[Sample]] = {  # complex results, of real arguments too
    np.linalg.eig: TURNING, np.linalg.eigvals: TURNING,
    np.sort_complex: [call(x(4)), call(x(2, 3))],
    arrays.roots_of: [call(np.array([2.0, 1.0, 3.0]), complex), call(np.array([1.0, 0.0, 0.5, 2.0]), complex)],
    complex: [call(1.5), call(0.5, -1.5)],
    **dict.fromkeys((np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.ihfft), LINES),
    **dict.fromkeys((np.fft.fftn, np.fft.ifftn, np.fft.fft2, np.fft.ifft2, np.fft.rfftn, np.fft.rfft2), PLANES),
}

if importlib.util.find_spec("scipy"):  # without it, tests/rules/test_special.py says that it is missing
    for _package in ("special", "linalg", "stats", "fft", "filters", "ndimage", "integrate", "sparse", "spatial", "interpolate"):
        _file = importlib.import_module(f"tests.rules.scipy.{_package}")
        SAMPLES |= getattr(_file, "SAMPLES", {})
        COMPLEX |= getattr(_file, "COMPLEX", {})
        COMPOSITES |= getattr(_file, "COMPOSITES", {})
