"""What the adjoints of filters and transforms along axes need: the entries at the ends, the rim beyond them, what a filter chose."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import MissingRuleError
from .library import HOST, Shape
from .static import numbers, reduced


def doubled(function: Any, shape: Shape, axes: Any, type: int, norm: str | None, orthogonalize: bool | None) -> tuple[Any, Any]:
    """How often the entries at the ends count where a cosine or sine transform is not orthogonal, along ``axes`` of ``shape``.

    By the first array the adjoint is multiplied before the transposed transform, by the second its result is divided.

    >>> doubled(np.cos, (4,), 0, 2, None, None)
    (array([2, 1, 1, 1], dtype=int8), array([1, 1, 1, 1], dtype=int8))
    """
    ends = {"c": {1: [0, -1], 2: [0], 3: [0]}, "s": {2: [-1], 3: [-1]}}["s" if "dst" in function.__name__ else "c"].get(type, [])
    often, once = np.ones(shape, np.int8), np.ones(shape, np.int8)
    for axis in reduced(len(shape), axes) if not (norm == "ortho" if orthogonalize is None else orthogonalize) else ():
        np.moveaxis(often, axis, 0)[ends] *= 2
    inverse = function.__name__.startswith("i")
    return often if type != 2 + (not inverse) else once, often if type not in (3 - (not inverse), 4) else once


def transformed(ndim: int, lengths: Sequence[int] | int | None, axes: Any) -> Shape:
    """The axes of a transform of an array of ``ndim`` dimensions to these ``lengths``: the last ones, or all, if ``axes`` does not say.

    >>> transformed(3, (4, 5), None), transformed(3, None, -1)
    ((1, 2), (2,))
    """
    return reduced(ndim, tuple(range(-np.size(lengths), 0)) if axes is None and lengths is not None else axes)


def centred(one: Shape, other: Shape, shape: Shape, axes: Any = None) -> list[tuple[int, int]]:
    """How wide a rim of zeros makes the result of a convolution, of ``shape``, as long as the full one, along ``axes``.

    >>> centred((5,), (3,), (5,)), centred((5,), (3,), (3,))
    ([(1, 1)], [(2, 2)])
    """
    over = reduced(len(shape), axes)
    missing = [one[i] + other[i] - 1 - shape[i] if i in over else 0 for i in range(len(shape))]
    return [(width // 2, width - width // 2) for width in missing]


def beyond(ndim: int, axis: int, after: int, before: int = 0) -> list[tuple[int, int]]:
    """The widths that ``np.pad`` wants of an array of ``ndim`` dimensions to lengthen it along one axis.

    >>> beyond(2, -1, 3)
    [(0, 0), (0, 3)]
    """
    return [(before, after) if i == axis % ndim else (0, 0) for i in range(ndim)]


def settling(taps: Any, padtype: str | None, padlen: int | None, method: str = "pad") -> Any:
    """By how many entries a filter of so many taps, run forth and back, continues its signal at both ends.

    >>> settling(3, "odd", None), settling(3, None, None)
    (9, 0)

    Raises MissingRuleError for another method than continuing it.
    """
    if method != "pad":
        raise MissingRuleError(
            f"filtfilt has a derivative rule, but not with method={method!r}", why="only method='pad' is known", remedy="leave method out",
            at_run_time=True,
        )
    return 0 if padtype is None else 3 * taps if padlen is None else padlen


def segment(length: int, nperseg: int | None, window: Any, onesided: bool, average: str) -> int:
    """How long the parts of a signal are that Welch's method takes. Raises MissingRuleError for what has no rule there.

    >>> segment(100, None, "hann", True, "mean")
    100
    """
    if not onesided or average != "mean" or not isinstance(window, (str, tuple)):
        raise MissingRuleError(
            "welch and periodogram have a derivative rule for one-sided spectra, average='mean' and windows by name only",
            remedy="write np.abs(np.fft.rfft(x * window)) ** 2", at_run_time=True,
        )
    return min(256 if nperseg is None else nperseg, length)


def mirrored(window: Any) -> Any:
    """A window turned around its middle, which of an even number of entries is the one before; one that has a name as it is.

    >>> mirrored([1.0, 2.0, 3.0, 4.0]), mirrored("hann")
    (array([4., 3., 2., 1., 0.]), 'hann')
    """
    if isinstance(window, (str, tuple)):
        return window
    return np.flip(np.concatenate([np.zeros(1 - len(window) % 2), window]))


PADDED = {
    "reflect": "symmetric", "grid-mirror": "symmetric", "mirror": "reflect", "nearest": "edge", "wrap": "wrap", "grid-wrap": "wrap",
    "constant": "constant", "grid-constant": "constant",
}
"""How SciPy's filters call what goes on beyond the edges → how np.pad calls it."""


def padded(a: Any, rim: Sequence[tuple[int, int]], mode: Any) -> Any:
    """An array continued beyond its edges as SciPy's filters do, by a ``mode`` for all axes or one for each.

    >>> padded(np.array([1., 2., 3.]), [(2, 1)], "mirror")
    array([3., 2., 1., 2., 3., 2.])
    """
    if mode == "constant" and np.shape(a):
        found = np.zeros([length + sum(widths) for length, widths in zip(a.shape, rim)], a.dtype)
        found[tuple([slice(before, before + length) for length, (before, _) in zip(a.shape, rim)])] = a
        return found
    for axis, (widths, kind) in enumerate(zip(rim, mode_of_each(mode, np.ndim(a)))):
        a = np.pad(a, beyond(np.ndim(a), axis, widths[1], widths[0]), PADDED[kind])  # type: ignore[call-overload]
    return a


def folded(g: Any, rim: Sequence[tuple[int, int]], mode: Any) -> Any:
    """The adjoint of :func:`padded`: what stands beyond the edges is added to where it was copied from.

    >>> folded(np.array([1., 2., 3., 4., 5.]), [(1, 1)], "nearest")
    array([3., 3., 9.])
    """
    for axis, ((before, after), kind) in enumerate(zip(rim, mode_of_each(mode, np.ndim(g)))):
        along = (slice(None),) * axis
        length = g.shape[axis] - before - after
        inside = g[(*along, slice(before, before + length))].copy()
        for place, k in copies_beyond(length, before, after, kind):
            inside[(*along, place)] += g[(*along, k)]
        g = inside
    return g


@functools.lru_cache(maxsize=256)
def copies_beyond(length: int, before: int, after: int, kind: str) -> list[tuple[int, int]]:
    """What is copied from which entry, where an array of a length is continued beyond its ends.

    >>> copies_beyond(3, 1, 1, "mirror")
    [(1, 0), (1, 4)]
    """
    places = HOST.pad(HOST.arange(1, length + 1), (before, after), PADDED[kind]) - 1  # type: ignore[call-overload]
    return [(int(places[k]), k) for k in [*range(before), *range(before + length, len(places))] if places[k] >= 0]


def mode_of_each(mode: Any, ndim: int) -> list[str]:
    """The mode of each axis. Raises MissingRuleError for another number of modes than of axes."""
    modes = [mode] * ndim if isinstance(mode, str) else list(mode)
    if len(modes) != ndim:
        raise MissingRuleError(
            f"a filter of {ndim} axes with {len(modes)} modes has no derivative rule", remedy="give one mode, or one for each axis",
            at_run_time=True,
        )
    return modes


def reach(width: Any, truncate: float = 4.0, radius: Any = None) -> int:
    """How far a Gaussian filter looks: the largest of its radii.

    >>> reach(0.5), reach((0.5, 1.0)), reach(1.0, 4.0, 7)
    (2, 4, 7)
    """
    return int(HOST.max(HOST.floor(truncate * HOST.asarray(width, float) + 0.5) if radius is None else radius))


def around(ndim: int, width: int | Sequence[int], axes: Any = None) -> list[tuple[int, int]]:
    """The widths that ``np.pad`` wants for a rim of one width (of several the largest), along ``axes``.

    >>> around(2, (2, 3), -1)
    [(0, 0), (3, 3)]
    """
    widest, along = int(HOST.max(width)), reduced(ndim, axes)
    return [(widest, widest) if i in along else (0, 0) for i in range(ndim)]


def half(size: Any, origin: Any = 0) -> int:
    """How far a filter of so many taps looks to either side, at most.

    >>> half(4), half((3, 7), -1)
    (2, 4)
    """
    return int(HOST.max(size)) // 2 + int(HOST.max(HOST.abs(origin)))


def is_odd(order: Any, ndim: int, axes: Any = None) -> bool:
    """Whether the orders of a derivative along ``axes`` add up to an odd number: then the filter run backwards changes its sign.

    >>> is_odd(1, 2), is_odd((0, 1), 2)
    (False, True)
    """
    return bool(HOST.sum(HOST.broadcast_to(order, len(reduced(ndim, axes)))) % 2)


def turned(size: Any, origin: Any = 0) -> Any:
    """The origin of the filter that runs backwards: one place further for a filter of an even number of taps.

    >>> turned(3, 1), turned((3, 4))
    (-1, [0, -1])
    """
    if type(size) is int and type(origin) is int:
        return -origin - (size + 1) % 2
    found = -HOST.asarray(origin) - (HOST.asarray(size) + 1) % 2
    return found.tolist()


def overlap(shape: Shape, origin: Any, ndim: int, axes: Any = None) -> list[tuple[int, int]]:
    """How far a filter with weights of a shape looks before and behind each place of an array of ``ndim`` dimensions, along ``axes``.

    >>> overlap((4,), 0, 1)
    [(2, 1)]
    """
    rim = [(0, 0)] * ndim
    for axis, taps, moved in zip(reduced(ndim, axes), shape, HOST.broadcast_to(origin, len(shape))):
        rim[axis] = (taps // 2 + int(moved), taps - 1 - taps // 2 - int(moved))
    return rim


def chosen(z: Any, a: Any, size: Any, footprint: Any = None, mode: Any = "reflect", origin: Any = 0) -> Any:
    """The numbers of the entries of ``a`` that a filter by rank chose: of equal ones in its window the first, -1 for none of them.

    >>> chosen(np.array([2., 3., 3.]), np.array([1., 2., 3.]), 2, None, "nearest", -1)
    array([1, 2, 2])
    """
    mask = np.ones(np.broadcast_to(size, np.ndim(a)), bool) if footprint is None else np.asarray(footprint, bool)
    places = padded(numbers(np.shape(a)) + 1, overlap(mask.shape, origin, np.ndim(a)), mode) - 1
    windows = np.lib.stride_tricks.sliding_window_view(places, mask.shape)[..., mask]
    hits = (np.take(a, windows) == np.expand_dims(z, -1)) & (windows >= 0)
    found = np.take_along_axis(windows, np.argmax(hits, -1)[..., None], -1)[..., 0]
    return np.where(np.any(hits, -1), found, -1)
