"""NumPy's ways to call a Python function entry by entry or line by line, in a library run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

import numpy as np

from ...errors import MissingRuleError
from ..engine.apply import call, raw, stacked, variables_in
from .watch import refused, shown


class Vectorized:
    """``np.vectorize``: of values that are being differentiated, a loop over the entries."""

    def __init__(
        self, pyfunc: Any = None, otypes: Any = None, doc: str | None = None, excluded: Any = None, cache: bool = False,
        signature: str | None = None,
    ):
        self.pyfunc = pyfunc
        self.options = {"otypes": otypes, "doc": doc, "excluded": excluded, "cache": cache, "signature": signature}
        self.__name__ = getattr(pyfunc, "__name__", "vectorized")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.pyfunc is None:  # np.vectorize(otypes=[float]) as a decorator
            return Vectorized(*args, **self.options)
        if kwargs or self.options["excluded"] or self.options["signature"] or isinstance(self.options["otypes"], (list, tuple)) and (
            len(self.options["otypes"]) > 1
        ):
            if variables_in([*args, *kwargs.values()]):
                raise refused(MissingRuleError(
                    "np.vectorize of values that are being differentiated is not recorded with keywords, excluded=, signature= or "
                    "several otypes=", why="it calls the function in other ways then", remedy="write the loop out",
                ))
            return np.vectorize(self.pyfunc, **self.options)(*args, **kwargs)
        arrays = [stacked(arg) for arg in args]
        shape = np.broadcast_shapes(*(np.shape(raw(array)) for array in arrays))
        spread = [np.broadcast_to(array, shape) for array in arrays]
        results = [self.pyfunc(*(array[index] for array in spread)) for index in np.ndindex(shape)]
        if not variables_in(results):
            return np.vectorize(lambda i: results[i], otypes=self.options["otypes"])(np.arange(len(results)).reshape(shape))
        return self._typed(results, shape)

    def _typed(self, results: list[Any], shape: tuple[int, ...]) -> Any:
        """The entries as an array of the type that NumPy gives it: that of the first one."""
        if any(isinstance(result, (tuple, list)) for result in results):
            raise refused(MissingRuleError(
                "np.vectorize of a function with several results is not recorded", why="each would be an array of its own",
                remedy="write the loop out, or vectorize a function for each result",
            ))
        (otype,) = self.options["otypes"] or [np.asarray(raw(results[0])).dtype]
        if np.dtype(otype).kind != "f":
            raise refused(MissingRuleError(
                f"np.vectorize makes an array of {np.dtype(otype)} of values that are being differentiated",
                why="the first result decides the type: the others would be rounded and lose their gradient",
                remedy="return floats, for example 0.0 for 0",
            ))
        made = np.reshape(stacked(results), shape)
        return made if made.dtype == np.dtype(otype) else made.astype(otype)


def from_iterable(iter: Iterable[Any], dtype: Any, count: int = -1, **kwargs: Any) -> Any:
    """``np.fromiter``."""
    values = list(iter if count < 0 else islice(iter, count))
    if len(values) < count:
        raise ValueError("iterator too short")
    made = stacked(values) if variables_in(values) else np.fromiter(values, dtype, **kwargs)
    return made if made.dtype == np.dtype(dtype) else made.astype(dtype)


def along_axis(func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """``np.apply_along_axis``."""
    lines = np.moveaxis(stacked(arr), axis, -1)
    lead = np.shape(raw(lines))[:-1]
    results = [func1d(lines[index], *args, **kwargs) for index in np.ndindex(lead)]
    own = np.shape(raw(stacked(results[0])))
    made = np.reshape(stacked(results), lead + own)
    axis = axis % (len(lead) + 1)
    return np.moveaxis(made, range(len(lead), len(lead) + len(own)), range(axis, axis + len(own)))


def gradients(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """``np.gradient``: an array for one axis, a tuple of them for several."""
    f, steps = stacked(f), tuple(map(stacked, varargs))
    axes = range(np.ndim(raw(f))) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    if len(steps) not in (0, len(axes)) and (len(steps) > 1 or np.ndim(raw(steps[0]))):
        np.gradient(raw(f), *map(raw, steps), axis=axis)  # for the error that NumPy raises
    steps = steps * len(axes) if len(steps) == 1 else steps
    found = tuple(call(np.gradient, (f, *steps[i:i + 1]), {"axis": k, "edge_order": edge_order}) for i, k in enumerate(axes))
    return found[0] if len(found) == 1 else found


def broadcast_arrays(*arrays: Any, subok: bool = False) -> tuple[Any, ...]:
    """``np.broadcast_arrays``."""
    arrays = tuple(map(stacked, arrays))
    shape = np.broadcast_shapes(*(np.shape(raw(array)) for array in arrays))
    return tuple(array if np.shape(raw(array)) == shape else np.broadcast_to(array, shape) for array in arrays)


def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> Any:
    """``np.meshgrid``."""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    count = len(xi)
    places = [1, 0, *range(2, count)] if indexing == "xy" and count > 1 else list(range(count))
    arrays = [np.reshape(stacked(x), (1,) * place + (-1,) + (1,) * (count - 1 - place)) for place, x in zip(places, xi)]
    if not sparse:
        arrays = list(broadcast_arrays(*arrays))
    return tuple(np.copy(array) for array in arrays) if copy else tuple(arrays)


def block(arrays: Any) -> Any:
    """``np.block``: lists of depth 1 are joined along the last axis, of depth 2 along the last but one, …"""
    depth, part = 0, arrays
    while type(part) is list:
        depth, part = depth + 1, part[0]
    ndim = max(depth, *_ranks(arrays)) if depth else np.ndim(raw(arrays))

    def joined(part: Any, level: int) -> Any:
        if type(part) is list:
            return np.concatenate([joined(inner, level - 1) for inner in part], axis=-level)
        shape = np.shape(raw(part))
        return np.reshape(part, (1,) * (ndim - len(shape)) + shape)

    return np.copy(arrays) if not depth else joined(arrays, depth)


def _ranks(part: Any) -> list[int]:
    return [rank for inner in part for rank in _ranks(inner)] if type(part) is list else [np.ndim(raw(part))]


def as_text(function: Any) -> Callable[..., str]:
    """``np.array2string`` and its like: text is free, only numbers must not be read from it again."""

    def text_of(a: Any, *args: Any, **kwargs: Any) -> str:
        return shown(function(raw(a), *args, **kwargs))

    return text_of


LOOPS: dict[Any, Callable[..., Any]] = {np.fromiter: from_iterable}
APPLYING: dict[Any, Callable[..., Any]] = {
    np.apply_along_axis: along_axis, np.gradient: gradients, np.broadcast_arrays: broadcast_arrays, np.meshgrid: meshgrid, np.block: block,
    **{function: as_text(function) for function in (np.array2string, np.array_str, np.array_repr)},
}
