"""Calls of functions as data, and arrays for them: distinct entries, off every kink.

A sample is written as the call itself: ``call(x(2, 3), axis=1)``. Arrays come as float64; the test casts them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


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


def weakly(samples: list[Sample]) -> list[Sample]:
    """Samples of a function that takes its float32 path or not by a Python number too."""
    return [sample._replace(weak=any(isinstance(arg, float) for arg in sample.args)) for sample in samples]


def reduced(make: Callable[..., Any], *, empty: bool = True) -> list[Sample]:
    samples = [
        call(make(2, 3)), call(make(2, 3), keepdims=True), call(make(2, 3), axis=0), call(make(2, 3), axis=-1),
        call(make(2, 3, 4), axis=1, keepdims=True), call(make(3)), call(make(4), axis=0), call(make(2, 3), 1),
        call(make(2, 3, 4), axis=(0, -1)), call(make(2, 3, 4), axis=(2, 0), keepdims=True),
    ]
    return samples + ([call(make()), call(make(0, 3), axis=1)] if empty else [])


def with_nan(*shape: int) -> Any:
    entries = x(*shape)
    entries.flat[1] = np.nan
    return entries
