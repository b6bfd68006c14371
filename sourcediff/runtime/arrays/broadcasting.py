"""The adjoints of broadcasting, and of changes of dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import NonDifferentiableError, RuleError
from .library import Shape, blank, has_complex, is_array, is_foreign


def sum_to(g: Any, shape: Shape) -> Any:
    """The adjoint of broadcasting: sum ``g`` over the axes along which an array of ``shape`` was repeated.

    >>> sum_to(np.ones((3, 2)), (2,))
    array([3., 3.])
    >>> sum_to(np.ones((3, 2)), (3, 1))
    array([[2.],
           [2.],
           [2.]])
    """
    have = np.shape(g)
    if have == shape:
        return g
    if not shape:
        return np.sum(g)
    extra = len(have) - len(shape)
    g = np.sum(g, axis=tuple(range(extra))) if extra else g
    axes = tuple(i for i, length in enumerate(shape) if length == 1 and np.shape(g)[i] != 1)
    return np.sum(g, axis=axes, keepdims=True) if axes else g


def sum_to_stored(g: Any, shape: Shape) -> Any:
    """As ``sum_to``, of an array that was stored: a store drops leading axes of length 1, and ``shape`` may have more of them than ``g``.

    >>> sum_to_stored(np.ones((3, 2)), (1, 1, 1, 2))
    array([[[[3., 3.]]]])
    """
    more = max(0, len(shape) - np.ndim(g))
    return np.reshape(sum_to(g, shape[more:]), shape) if more else sum_to(g, shape)


def spread_stored(c: Any, shape: Shape) -> Any:
    """The adjoint of ``sum_to_stored``: what a store of ``c`` into an array of ``shape`` puts there.

    >>> spread_stored(np.ones((1, 1, 2)), (2,))
    array([1., 1.])
    """
    return np.broadcast_to(np.reshape(c, np.shape(c)[max(0, np.ndim(c) - len(shape)):]), shape)


def expanded(z: Any, axis: Any, keepdims: Any) -> Any:
    """What a reduction gave, in the rank of its array (length 1 along the axes), so that it broadcasts against that.

    >>> expanded(np.array([1., 2.]), 1, False)
    array([[1.],
           [2.]])
    """
    return z if keepdims or axis is None else np.expand_dims(z, axis)


def keep_zeros(c: Any, g: Any) -> Any:
    """The contribution ``c`` of an adjoint ``g`` that passed a selection: what was not selected stays 0 (no 0 * inf).

    >>> keep_zeros(np.array([np.nan, np.nan, 3.]), np.array([0., 1., 2.]))
    array([ 0., nan,  3.])
    """
    kind = type(c)
    if kind is np.ndarray:
        square = np.vdot(c, c)  # which is NaN if an entry is, and is found the quickest
        if square == square:
            return c
    elif kind is np.float64 and c == c:
        return c
    return np.where((g == 0) & np.isnan(c), 0, c)[()]


def number_of(x: Any) -> Any:
    """``x.item()`` as a function, of Python's numbers too."""
    return np.asarray(x).item()


def contribution(c: Any, shape: Shape, rule: str, spreads: bool = False) -> Any:
    """What a rule of one's own has given, in an array of its own. Raises RuleError unless it has the ``shape``, or ``spreads`` to it.

    >>> contribution(np.ones(3), (2,), "drag_rule (flow.py:12)")
    Traceback (most recent call last):
    ...
    sourcediff.errors.RuleError: the rule drag_rule (flow.py:12) gave a contribution of shape (3,), and (2,) was due
      instead: look at the rule; sourcediff.check_rule tries it on a call
    """
    c = c if is_array(c) else np.asarray(c)[()]
    if getattr(c, "dtype", np.dtype(object)).kind not in "biufc":
        raise RuleError(f"the rule {rule} gave no numbers", remedy="return an array for each parameter that has a derivative")
    if c.shape == shape:
        return c.copy()
    if spreads and c.ndim <= len(shape) and all(have in (1, want) for have, want in zip(c.shape[::-1], shape[::-1])):
        return np.broadcast_to(c, shape).copy()
    raise RuleError(
        f"the rule {rule} gave a contribution of shape {c.shape}, and {shape} was due",
        remedy="look at the rule; sourcediff.check_rule tries it on a call",
    )


def inexact(x: Any) -> Any:
    """``x`` in floating-point numbers: small integers would wrap around in a formula. Python's own numbers stay as they are.

    >>> inexact(np.array([200], np.uint8)) ** 2
    array([40000.])
    """
    if not hasattr(x, "dtype"):
        if isinstance(x, (int, float, complex)):
            return x
        x = np.asarray(x)
    return x.astype(float) if x.dtype.kind in "biu" else x


def astype(x: Any, dtype: Any, *, copy: bool = True) -> Any:
    """``x.astype(dtype)`` as a function (``np.astype``, which NumPy 2.0 lacks)."""
    return x.astype(dtype, copy=copy)


def cast(g: Any, source: Any, target: Any) -> Any:
    """The adjoint, in ``target``, of a conversion to ``source``; zero where integers cut the dependence off.

    Raises NonDifferentiableError for a complex adjoint of something real: which part of it is meant is not decided here. So it does
    for objects, of which nobody knows what NumPy computes with them.
    """
    if np.dtype(source).hasobject or np.dtype(target).hasobject:
        raise NonDifferentiableError(
            "a differentiated value became an array of objects", why="what NumPy does with its entries is said by their classes",
            remedy="use a list, or an array of floats", at_run_time=True,
        )
    if has_complex(g) and np.issubdtype(target, np.floating):
        raise NonDifferentiableError(
            "a complex value is on the way to the output", why="the rules take real numbers",
            remedy="compute with the real and the imaginary part, or on the eager engine: mode=\"eager\"", at_run_time=True,
        )
    cut = not (np.issubdtype(source, np.inexact) and np.issubdtype(target, np.inexact))
    if cut:
        return blank(np.shape(g), g, target)
    return g.astype(target) if is_foreign(g) else np.asarray(g, target)[()]
