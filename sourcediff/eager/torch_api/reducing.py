"""Methods that take entries together: sums and their like, extrema, norms."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.unary_fast_path import short
from ..engine.variable import Variable
from .ordering import numbers
from .spelling import Method, numpy_spelling, spelled


def reduction(function: Any) -> Method:
    """A reduction of NumPy's; a bool after the axis, which NumPy has no use for, is PyTorch's ``keepdim``."""

    def method(self: Variable, *args: Any, **kwargs: Any) -> Any:
        if kwargs:
            kwargs = numpy_spelling(kwargs)
        if len(args) == 2 and type(args[1]) is bool:
            *args, kwargs["keepdims"] = args  # type: ignore[assignment]
        result = short(function, (self, *args), kwargs)
        return function(self, *args, **kwargs) if result is NotImplemented else result

    method.__doc__ = f"``np.{function.__name__}(x, axis=None, keepdims=False)``; also ``dim`` and ``keepdim``, also by position."
    return method


def deviation(function: Any) -> Method:
    """``var`` or ``std``: by n, as NumPy's, unless ``ddof=1`` or PyTorch's ``unbiased=True`` says by n − 1."""

    def method(self: Variable, *args: Any, **kwargs: Any) -> Any:
        kwargs = numpy_spelling(kwargs)
        if len(args) > 1 and type(args[1]) is bool:
            raise TypeError(f"a bool after the axis of {function.__name__} could mean two things: write keepdim= or unbiased=")
        if "unbiased" in kwargs:
            kwargs["ddof"] = int(kwargs.pop("unbiased"))
        result = short(function, (self, *args), kwargs)
        return function(self, *args, **kwargs) if result is NotImplemented else result

    method.__doc__ = f"``np.{function.__name__}(x, axis=None, ddof=0, keepdims=False)``; ``unbiased=True`` is ``ddof=1``."
    return method


def extremum(function: Any, position: Any, pairwise: Any) -> Method:
    """``max`` or ``min``: with ``dim`` PyTorch's (values, indices), with ``axis`` (or by position) NumPy's values."""
    values = reduction(function)

    def method(self: Variable, *args: Any, **kwargs: Any) -> Any:
        if args and np.ndim(args[0]) or args and isinstance(args[0], (Variable, float)):
            raise TypeError(f"{function.__name__} takes an axis: the {function.__name__} of two arrays, entry by entry, is "
                            f"np.{pairwise.__name__}(x, y)")
        dim = kwargs.get("dim")
        if dim is None:
            return values(self, *args, **kwargs)
        result = values(self, *args, **kwargs)
        return result, numbers(self, position(self._value, axis=dim, keepdims=bool(kwargs.get("keepdim", kwargs.get("keepdims", False)))))

    method.__doc__ = f"``np.{function.__name__}(x, axis=None, keepdims=False)``; with ``dim`` the values and their indices."
    return method


@spelled
def logsumexp(x: Variable, axis: Any = None, keepdims: bool = False) -> Any:
    """log(sum(exp(x))) along ``axis`` (or ``dim``), the largest entry taken out first."""
    top = np.max(x._value, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0).astype(x.dtype)
    total = np.sum(np.exp(x - top), axis=axis, keepdims=keepdims)
    with np.errstate(divide="ignore"):  # of entries that are all −inf it is −inf
        total = np.log(total)
    return total + (top if keepdims else np.squeeze(top, axis=axis))


@spelled
def norm(x: Variable, p: float = 2, axis: Any = None, keepdims: bool = False) -> Any:
    """The p-norm of the entries, over all of them or along ``axis`` (or ``dim``); at 0 its derivative is 0."""
    if isinstance(p, str):
        raise TypeError(f"norm takes the number p: np.linalg.norm(x, {p!r}) is that of a matrix")
    if p == 2 and not (isinstance(axis, tuple) and len(axis) > 2):
        return np.linalg.norm(x, axis=axis, keepdims=keepdims)  # type: ignore[call-overload]
    size = np.abs(x)
    if p == 1:
        return np.sum(size, axis=axis, keepdims=keepdims)
    if abs(p) == np.inf:
        return (np.max if p > 0 else np.min)(size, axis=axis, keepdims=keepdims)
    total = np.sum(size ** p, axis=axis, keepdims=keepdims)
    nothing = total._value == 0
    return np.where(nothing, 0.0, np.where(nothing, 1.0, total) ** (1 / p)) if np.any(nothing) else total ** (1 / p)


def dist(x: Variable, y: Any, p: float = 2) -> Any:
    """The p-norm of x − y."""
    return norm(x - y, p)


REDUCTIONS: dict[str, Method] = {
    **{name: reduction(getattr(np, name)) for name in ("sum", "mean", "prod", "any", "all", "ptp")},
    "var": deviation(np.var), "std": deviation(np.std),
    "max": extremum(np.max, np.argmax, np.maximum), "min": extremum(np.min, np.argmin, np.minimum),
    "logsumexp": logsumexp, "norm": norm, "dist": dist,
}
