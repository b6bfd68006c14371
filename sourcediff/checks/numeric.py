"""The oracles that are numbers alone: complex step, extrapolated central differences, the slope of the Taylor remainder.

They take plain functions of arrays, numbers and (nested) lists, tuples and dicts of them, and depend on no other layer. What they compute
with is NumPy's; arrays on a device are what the functions are given.

    numeric_jvp        J v, and a bound of its own error; refuses to judge at a kink
    numeric_gradient   the gradient of u . f, entry by entry
    check_jvp          a tangent against numeric_jvp           ┐ CrossCheckError names the worst entry
    check_gradient     a gradient against numeric_gradient     ┘
    taylor_slope       2 for a right derivative, 1 for a wrong one: the test that needs no tolerance

Methods: Squire and Trapp, "Using complex variables to estimate derivatives of real functions", SIAM Review 40 (1998);
Ridders, "Accurate computation of F'(x) and F'(x)F''(x)", Advances in Engineering Software 4 (1982).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..errors import CrossCheckError, NonDifferentiableError
from ..runtime.arrays.library import as_array, is_array, on_device, on_host
from ..runtime.structures import refilled
from ..runtime.trees import leaves, mapped
from ..runtime.user_objects import active, is_open, object_with, own
from ..runtime.whose_error import pass_on

Function = Callable[..., Any]
Array = Any


class Derivative(NamedTuple):
    """A number's worth of knowledge: ``value`` has the structure of the function's output, ``error`` bounds each entry's."""

    value: Any
    error: float


# Structures of arrays


def vector(tree: Any) -> Array:
    """All entries of a structure in one vector of NumPy's."""
    return np.concatenate([np.zeros(0), *(np.ravel(on_host(leaf)) for _, leaf in leaves(tree))])


def in_structure_of(tree: Any, entries: Array) -> Any:
    """The inverse of :func:`vector`: a structure like ``tree`` that holds ``entries``."""
    place = 0

    def take(leaf: Any) -> Any:
        nonlocal place
        start, place = place, place + np.size(leaf)
        return alike(np.reshape(entries[start:place], np.shape(leaf))[()], leaf)

    return mapped(take, tree)


def alike(numbers: Any, part: Any) -> Any:
    """Numbers of NumPy's, on a device if ``part`` is."""
    return as_array(numbers, part) if on_device(part) else numbers


def moved_along(args: Sequence[Any], tangents: Sequence[Any], step: complex) -> list[Any]:
    """The arguments, a step along the tangents; an argument whose tangent is None stays as it is."""

    def move(part: Any, tangent: Any) -> Any:
        return part + step * alike(tangent, part) if on_device(part) else np.asarray(part + step * np.asarray(tangent))[()]

    def walk(part: Any, tangent: Any) -> Any:
        if tangent is None:
            return part.copy() if is_array(part) else part
        if isinstance(part, dict):
            return {key: walk(value, tangent[key]) for key, value in part.items()}
        if isinstance(part, (list, tuple)):
            return refilled(part, [walk(*pair) for pair in zip(part, tangent)])
        if is_open(part):
            return object_with(part, **{name: walk(own(part)[name], own(tangent)[name]) for name in active(part)})
        return move(part, tangent)

    return [walk(*pair) for pair in zip(args, tangents)]


# Derivatives


def numeric_jvp(
    f: Function, args: Sequence[Any], tangents: Sequence[Any], *, rtol: float = 1e-7, complex_step: bool = True,
) -> Derivative:
    """The derivative of ``f`` at ``args`` along ``tangents``, and a bound of its error.

    ``tangents`` has one entry for each argument, of its structure; None for an argument that is held fixed. Inputs should
    be float64: float32 leaves about three digits. ``complex_step`` where the function allows it (its result must agree with
    the differences), else Ridders' extrapolated central differences.

    Raises NonDifferentiableError where numbers cannot judge: left and right derivative disagree (a kink), or the
    differences do not settle (a kink close by, a domain's edge, NaN).

    >>> float(numeric_jvp(np.sin, [0.0], [2.0]).value)
    2.0
    >>> numeric_jvp(np.abs, [0.0], [1.0])
    Traceback (most recent call last):
    ...
    sourcediff.errors.NonDifferentiableError: a kink: the derivative is -1 to the left and 1 to the right, at entry 0 of the output
    """

    def along(t: complex) -> Array:
        return vector(f(*moved_along(args, tangents, t)))

    size = max([1.0] + [float(np.max(np.abs(vector(list(tangents))), initial=0.0))])
    with np.errstate(all="ignore"):
        output = f(*moved_along(args, tangents, 0.0))
        value, error = _differences(along, 0.02 / size, rtol)
        scale = 1.0 + np.abs(value)
        _refuse_kink(along, 1e-4 / size, float(np.max(scale, initial=1.0)) * size)
        if not np.all(error <= rtol * scale):
            worst = int(np.argmax(np.where(np.isnan(error), np.inf, error / scale)))
            raise NonDifferentiableError(
                f"the differences do not settle, at entry {worst} of the output ({value[worst]:.6g} ± {error[worst]:.1g})",
                why="a kink or a domain's edge is close by, or a value is not finite",
                remedy="check at another point, some way off",
            )
        step = _complex_step(along) if complex_step else None
    if step is not None and np.shape(step) == np.shape(value) and np.all(np.abs(step - value) <= 10 * error + 1e-6 * np.abs(value)):
        value, error = step, 1e-14 * scale
    return Derivative(in_structure_of(output, value), float(np.max(error, initial=0.0)))


def _differences(along: Callable[[float], Array], h: float, rtol: float) -> tuple[Array, Array]:
    """Ridders: central differences with h, h/2, h/4 …, extrapolated; for each entry the value that has settled best.

    Begins again with a hundredth of h where they have not settled: an edge of the domain may have been crossed.
    """
    best = np.zeros(np.shape(along(0.0)))
    error = np.full(np.shape(best), np.inf)
    for first in (h, h / 100, h / 10000):
        step, rows = first, [(along(first) - along(-first)) / (2 * first)]
        for _ in range(8):
            step /= 2
            new, power = [(along(step) - along(-step)) / (2 * step)], 1.0
            for old in rows:
                power *= 4
                new.append((power * new[-1] - old) / (power - 1))
                change = np.maximum(np.abs(new[-1] - new[-2]), np.abs(new[-1] - old))
                better = change < error
                best, error = np.where(better, new[-1], best), np.where(better, change, error)
            rows = new
            if np.all(error < 1e-11 * (1 + np.abs(best))):
                break
        if np.all(error <= rtol * (1 + np.abs(best))):
            break
    return best, error


def _complex_step(along: Callable[[complex], Array]) -> Array | None:
    """The imaginary part after an imaginary step, or None: the function does not take complex numbers."""
    h = 1e-30
    with warnings.catch_warnings():
        warnings.simplefilter("error", np.exceptions.ComplexWarning)  # an imaginary part was cast away
        try:
            moved_value = along(1j * h)
        except Exception as error:  # whatever a function says to what it does not expect
            pass_on(error)
            return None
    return moved_value.imag / h if np.iscomplexobj(moved_value) else None


def _refuse_kink(along: Callable[[float], Array], h: float, scale: float) -> None:
    """Raise if the one-sided derivatives disagree, and do so as much with half the step."""
    middle = along(0.0)
    right, left = (along(h) - middle) / h, (middle - along(-h)) / h
    jump = np.abs(right - left)
    half = np.abs((along(h / 2) - middle) - (middle - along(-h / 2))) / (h / 2)
    kinked = (jump > 1e-5 * scale) & (half > 0.7 * jump)
    if np.any(kinked):
        worst = int(np.argmax(np.where(kinked, jump, 0)))
        raise NonDifferentiableError(
            f"a kink: the derivative is {left[worst]:.6g} to the left and {right[worst]:.6g} to the right, "
            f"at entry {worst} of the output"
        )


def numeric_gradient(f: Function, args: Sequence[Any], wrt: int = 0, *, seed: Any = None, rtol: float = 1e-7) -> Derivative:
    """The gradient of ``f`` (a scalar function; else of the dot product of ``seed`` and its output), entry by entry.

    >>> numeric_gradient(lambda x: np.sum(x**2), [np.array([1.0, 2.0])]).value
    array([2., 4.])
    """
    at = args[wrt]
    entries = vector(at)
    found, error = np.zeros(entries.size), 0.0

    def weighted(*moved_args: Any) -> Any:
        value = f(*moved_args)
        return value if seed is None else vector(seed) @ vector(value)

    for i in range(entries.size):
        unit = np.zeros(entries.size)
        unit[i] = 1.0
        tangents = [in_structure_of(at, unit) if k == wrt else None for k in range(len(args))]
        value, bound = numeric_jvp(weighted, args, tangents, rtol=rtol)
        if np.ndim(value):
            raise NonDifferentiableError("the output is no scalar", remedy="give a seed of the output's shape")
        found[i], error = value, max(error, bound)
    return Derivative(in_structure_of(at, found), error)


# Judgements


def compare(found: Any, expected: Any, *, rtol: float = 1e-6, atol: float = 1e-8, what: str = "the gradient") -> None:
    """Raise CrossCheckError, naming the worst entry, unless the structures agree in shapes and in every number.

    >>> compare([1.0, np.array([2.0, 3.0])], [1.0, np.array([2.0, 4.0])])
    Traceback (most recent call last):
    ...
    sourcediff.errors.CrossCheckError: the gradient[1] is wrong, the most at [1]: 3.0, but should be 4.0
    """
    mine, theirs = ({path: on_host(leaf) for path, leaf in leaves(tree)} for tree in (found, expected))
    if mine.keys() != theirs.keys():
        raise CrossCheckError(f"{what} has the entries {list(mine)}, but should have {list(theirs)}")
    worst: tuple[float, str] = (0.0, "")
    for path, value in mine.items():
        wanted = theirs[path]
        if np.shape(value) != np.shape(wanted):
            raise CrossCheckError(f"{what}{path} has the shape {np.shape(value)}, but should have {np.shape(wanted)}")
        with np.errstate(invalid="ignore"):
            off = np.abs(np.asarray(value) - wanted) / (atol + rtol * np.abs(wanted))
        off = np.where(np.equal(value, wanted) | (np.isnan(value) & np.isnan(wanted)), 0.0, np.where(np.isnan(off), np.inf, off))
        if off.size and np.max(off) > max(1.0, worst[0]):
            index = np.unravel_index(np.argmax(off), off.shape)
            place = f" the most at [{', '.join(map(str, index))}]:" if index else ""
            message = f"{what}{path} is wrong,{place} {np.asarray(value)[index]!s}, but should be {np.asarray(wanted)[index]!s}"
            worst = float(np.max(off)), message
    if worst[1]:
        raise CrossCheckError(worst[1])


def check_jvp(
    f: Function, tangent: Any, args: Sequence[Any], tangents: Sequence[Any], *, rtol: float = 1e-6, atol: float = 1e-8,
) -> None:
    """Raise CrossCheckError unless ``tangent`` is the derivative of ``f`` at ``args`` along ``tangents``."""
    value, error = numeric_jvp(f, args, tangents)
    compare(tangent, value, rtol=rtol, atol=atol + error, what="the tangent")


def check_gradient(
    f: Function, gradient: Any, args: Sequence[Any], wrt: int = 0, *,
    seed: Any = None, rtol: float = 1e-6, atol: float = 1e-8,
) -> None:
    """Raise CrossCheckError unless ``gradient`` is that of ``f`` (of ``seed`` . ``f``) with respect to ``args[wrt]``.

    >>> check_gradient(lambda x: np.sum(x**3), np.array([3.0, 11.0]), [np.array([1.0, 2.0])])
    Traceback (most recent call last):
    ...
    sourcediff.errors.CrossCheckError: the gradient is wrong, the most at [1]: 11.0, but should be 12.0
    """
    value, error = numeric_gradient(f, args, wrt, seed=seed)
    compare(gradient, value, rtol=rtol, atol=atol + error)


def taylor_slope(f: Function, args: Sequence[Any], tangents: Sequence[Any], derivative: Any) -> float:
    """The order of |f(x + hv) - f(x) - h derivative| in h: 2 for a right ``derivative``, 1 for a wrong one.

    inf where nothing remains but rounding (``f`` is linear along ``tangents``).

    >>> round(taylor_slope(np.exp, [0.5], [1.0], np.exp(0.5)), 1)
    2.0
    >>> round(taylor_slope(np.exp, [0.5], [1.0], 1.1 * np.exp(0.5)), 1)
    1.0
    """
    middle, slope = vector(f(*moved_along(args, tangents, 0.0))), vector(derivative)
    remainders = []
    steps = 1e-2 * 0.5 ** np.arange(6)
    for h in steps:
        remainders.append(np.linalg.norm(vector(f(*moved_along(args, tangents, h))) - middle - h * slope))
    floor = 1e-13 * (1.0 + np.linalg.norm(middle))
    orders = [np.log2(a / b) for a, b in pairwise(remainders) if a > floor and b > floor]
    return float(np.median(orders)) if orders else float("inf")
