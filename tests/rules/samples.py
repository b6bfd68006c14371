"""Calls on which each rule of the table is tried: beside the mathematics, the data. A rule without a sample fails the test.

A sample is written as the call itself: ``call(x(2, 3), axis=1)``. Arrays come as float64; the test casts them.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from sourcediff import arrays


class Sample(NamedTuple):
    """The arguments of one call. ``symmetric``: the function reads its matrix as a symmetric one. ``weak``: a Python number
    makes part of the formula float64, which the frame casts back."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    symmetric: bool = False
    weak: bool = False


def call(*args: Any, symmetric: bool = False, weak: bool = False, **kwargs: Any) -> Sample:
    return Sample(args, kwargs, symmetric, weak)


def x(*shape: int, seed: int = 0, low: float = -2.0, high: float = 2.0) -> Any:
    """An array of distinct entries in an interval, in no order."""
    size = math.prod(shape)
    order = np.random.default_rng(seed + 17 * size).permutation(size)
    # an irrational offset per seed: two arrays have no entries in common, and none is 0, 1 or an integer
    entries = low + (high - low) * (order + 0.1 + 0.7 * ((seed + 1) * 0.6180339887 % 1)) / max(size, 1)
    return entries.reshape(shape)


def positive(*shape: int, seed: int = 0) -> Any:
    return x(*shape, seed=seed, low=0.3, high=2.5)


def unit(*shape: int, seed: int = 0) -> Any:
    return x(*shape, seed=seed, low=-0.9, high=0.9)


def regular(*shape: int, seed: int = 0) -> Any:
    """Well-conditioned square matrices."""
    return x(*shape, seed=seed) + 4.0 * np.eye(shape[-1])


def definite(*shape: int) -> Any:
    half = x(*shape)
    return half @ np.swapaxes(half, -1, -2) + 2.0 * np.eye(shape[-1])


def unary(make: Callable[..., Any]) -> list[Sample]:
    return [call(make(2, 3)), call(make()), call(make(0, 2)), call(float(make()))]


def binary(make: Callable[..., Any], other: Callable[..., Any] | None = None) -> list[Sample]:
    other = other or make
    return [
        call(make(2, 3), other(2, 3, seed=1)), call(make(2, 3), other(3, seed=1)), call(make(3), other(2, 1, seed=1)),
        call(make(2, 1), other(1, 3, seed=1)), call(make(), other(2, seed=1)), call(make(2, 3), float(other(seed=1))),
        call(float(make()), other(3, seed=1)), call(float(make()), float(other(seed=1))), call(make(2, 0), other(2, 1, seed=1)),
    ]


def reduced(make: Callable[..., Any], *, empty: bool = True) -> list[Sample]:
    samples = [
        call(make(2, 3)), call(make(2, 3), keepdims=True), call(make(2, 3), axis=0), call(make(2, 3), axis=-1),
        call(make(2, 3, 4), axis=1, keepdims=True), call(make(3)), call(make(4), axis=0), call(make(2, 3), 1),
        call(make(2, 3, 4), axis=(0, -1)), call(make(2, 3, 4), axis=(2, 0), keepdims=True),
    ]
    return samples + ([call(make()), call(make(0, 3), axis=1)] if empty else [])


SPD = [call(definite(3, 3), symmetric=True), call(definite(2, 3, 3), symmetric=True)]
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
    np.negative: unary(x), np.positive: unary(x), np.conjugate: unary(x), float: [call(1.5)], np.float64: [call(1.5)],
    np.absolute: unary(x), np.fabs: unary(x), abs: unary(x),
    math.fabs: [call(-1.5)], np.reciprocal: unary(positive), np.square: unary(x), np.sqrt: unary(positive), np.cbrt: unary(x),
    np.hypot: binary(x), math.hypot: [call(1.5, -2.0)], np.exp: unary(x), np.exp2: unary(x), np.expm1: unary(x),
    np.log: unary(positive), np.log2: unary(positive), np.log10: unary(positive), np.log1p: unary(unit), np.logaddexp: binary(x),
    np.logaddexp2: binary(x), np.sin: unary(x), np.cos: unary(x), np.tan: unary(unit), np.arcsin: unary(unit),
    np.arccos: unary(unit), np.arctan: unary(x), np.arctan2: binary(x), np.deg2rad: unary(x), np.radians: unary(x),
    np.rad2deg: unary(x), np.degrees: unary(x), np.sinh: unary(x), np.cosh: unary(x), np.tanh: unary(x), np.arcsinh: unary(x),
    np.arctanh: unary(unit), np.arccosh: [call(1.0 + positive(2, 3)), call(1.0 + positive())], np.maximum: binary(x),
    np.minimum: binary(x), np.fmax: binary(x), np.fmin: binary(x),
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
    np.sum: [*reduced(x), call(2.5)], np.mean: [*reduced(x, empty=False), call(2.5)],
    np.var: [*reduced(x, empty=False), call(x(2, 3), axis=1, ddof=1)],
    np.std: [*reduced(x, empty=False)[:-2], call(x(4, 3), axis=0, ddof=1), call(x(2, 3), ddof=2)],
    np.max: [*reduced(x, empty=False), call(2.5)], np.min: reduced(x, empty=False),
    np.prod: [*reduced(x), call(np.array([2.0, 0.0, 3.0])), call(np.array([[0.0, 0.0, 3.0], [1.0, 0.0, 2.0]]), axis=1)],
    np.cumsum: [call(x(2, 3)), call(x(2, 3), axis=0), call(x(2, 3), -1), call(x(3)), call(x(0))],
    np.diff: [call(x(4)), call(x(2, 4)), call(x(4, 2), axis=0), call(x(2, 5), 2), call(x(2, 4, 2), 3, 1), call(x(1)), call(x(3), 0)],
    # structure
    np.reshape: [
        call(x(2, 3), (3, 2)), call(x(2, 3), -1), call(x(2, 3), (1, 6)), call(x(), (1, 1)), call(x(0, 2), (2, 0)),
        call(1.5, (1,)),
    ],
    np.ravel: [call(x(2, 3)), call(x()), call(x(0, 2))],
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
    np.tile: [call(x(3), 2), call(x(2, 3), (2, 1)), call(x(3), (2, 2)), call(x(2, 3), 2), call(x(), 3), call(x(2), 0)],
    np.repeat: [
        call(x(3), 2), call(x(2, 3), 2), call(x(2, 3), 2, axis=1), call(x(3), [1, 0, 3]), call(x(2, 3), [2, 1], axis=0),
        call(x(), 3),
    ],
    np.diag: [call(x(3)), call(x(3), 1), call(x(3), k=-2), call(x(3, 3)), call(x(3, 4), 1), call(x(3, 2), -1)],
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
    np.take: [call(x(4), [0, 0, -1]), call(x(2, 3), [5, 0, -1]), call(x(2, 3), [[0, 2], [2, 2]], axis=1), call(x(2, 3), 1, -2)],
    # products
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
    np.linalg.solve: [
        call(regular(3, 3), x(3, seed=1)), call(regular(3, 3), x(3, 2, seed=1)), call(regular(2, 3, 3), x(3, seed=1)),
        call(regular(2, 3, 3), x(2, 3, 2, seed=1)), call(regular(3, 3), x(2, 3, 2, seed=1)),
        call(regular(2, 3, 3), x(3, 2, seed=1)), call(regular(2, 1, 3, 3), x(4, 3, 2, seed=1)),
    ],
    np.linalg.norm: [
        call(x(3)), call(x(2, 3)), call(x(2, 3), axis=1), call(x(2, 3, 4), axis=(0, 2)), call(x(2, 3), None, 0, True),
        call(x(2, 3), "fro"), call(x(2, 3), keepdims=True), call(x(2, 3, 4), "fro", (1, 2)),
    ],
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
    arrays.keep_zeros: [call(x(3), np.array([0.0, 1.0, 2.0])), call(1.5, 0.0)],
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
    arrays.stored: [
        call(x(4), [0, 0, 2], (3,)), call(x(2, 3), 0, (3,)), call(x(2, 3), slice(None), ()), call(x(2, 3), slice(1), (1, 1, 3)),
        call(x(4), [1, 1], (1,)),
    ],
    arrays.split_like: [call(x(5), [(2,), (3,)], 0), call(x(2, 3), [(2,), (2,), (2,)], 1), call(x(5), [(2, 2), (1,)], None)],
    arrays.join_like: [
        call([x(2), x(3, seed=1)], (5,), 0), call([x(2), x(2, seed=1)], (2, 2), 1), call([x(2, 2), x(1, seed=1)], (5,), None),
    ],
    arrays.untile: [call(x(6), (3,), 2), call(x(2, 6), (3,), (2, 2)), call(x(2, 6), (2, 3), 2)],
    arrays.undiff: [call(x(3)), call(x(2, 3), 2, 0), call(x(2, 0))],
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
    arrays.cofactor: SQUARE[:2],
}

twins = "sin cos tan sinh cosh tanh exp expm1 log log1p log2 log10 sqrt exp2 cbrt asin acos atan asinh atanh radians degrees"
SAMPLES |= {getattr(math, name): [call(0.4)] for name in twins.split() if hasattr(math, name)}
SAMPLES |= {math.acosh: [call(1.4)], math.atan2: [call(0.4, -1.2)]}
for name, like in (("amax", np.max), ("amin", np.min), ("astype", arrays.astype)):
    SAMPLES |= {getattr(np, name): SAMPLES[like]} if hasattr(np, name) else {}
