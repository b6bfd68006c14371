"""Functions of NumPy's whose call has to be read before it is recorded: ``out=``, two spellings, or one that writes an argument."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from ...rules.facts import FACTS
from ...rules.frames import spelling
from ...runtime.arrays import chosen_among, einsum_pairs, einsum_subscripts, roots_of
from ..engine.apply import call, raw, records, variables_in
from ..engine.nodes import Recorded
from ..library_run.watch import refused
from .composites import said_by_others
from .ufuncs import into, plain_target

OUT_IN_C = {np.concatenate: 2, np.dot: 2}
"""Where ``out`` stands among the arguments of functions that are written in C, which do not all say so."""


def apply_function(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function of NumPy's with a Variable among its arguments: recorded, or refused by name."""
    if function in FACTS["writes"]:
        return written(function, args, kwargs)
    kwargs = {name: value for name, value in kwargs.items() if value is not np._NoValue}
    if (result := said_by_others(function, args, kwargs)) is not NotImplemented:
        return result
    if function in (np.gradient, np.meshgrid, np.block, np.broadcast_arrays):
        from ..library_run.looping import APPLYING  # which library runs need too

        return APPLYING[function](*args, **kwargs)
    if function in SPELLINGS:
        function, args, kwargs = SPELLINGS[function](args, kwargs)
    place = out_place(function)
    out = kwargs.get("out")
    if len(args) > place:
        out = args[place]
        args, more = args[:place], args[place + 1:]
        if more:
            kwargs = {**dict(zip(list(inspect.signature(function).parameters)[place + 1:], more)), **kwargs}
    if out is None:
        if "out" in kwargs:
            kwargs = {name: value for name, value in kwargs.items() if name != "out"}
        return call(function, args, kwargs)
    kwargs = {name: value for name, value in kwargs.items() if name != "out"}
    compute = partial(function, **raw(kwargs))

    def run() -> Any:
        if isinstance(out, Recorded):
            compute(*raw(args), out=np.copy(out._value))  # for the error that NumPy raises, of a shape or a dtype that does not fit
        return call(function, args, kwargs)

    return into(spelling(function), compute, args, out, run)


@cache
def out_place(function: Any) -> int:
    """The position of the parameter ``out``; beyond every argument, if there is none or it is given by name only."""
    try:
        parameters = inspect.signature(function).parameters
    except (ValueError, TypeError):
        parameters = {}  # type: ignore[assignment]
    named = list(parameters)
    if "out" in named and parameters["out"].kind is not inspect.Parameter.KEYWORD_ONLY:
        return named.index("out")
    return OUT_IN_C.get(function, 1000)


def written(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``np.copyto(v, …)`` and its like, which write into their first argument: a store into it."""
    from .writing import INSTEAD  # which library runs need too, and all that they need

    bound = inspect.signature(INSTEAD[function].function).bind(*args, **kwargs)
    target = next(iter(bound.arguments.values()))
    if isinstance(target, Recorded):
        first, *others = bound.args
        function(np.copy(raw(first)), *raw(others), **raw(bound.kwargs))  # for the error that NumPy raises
        return INSTEAD[function].function(*bound.args, **bound.kwargs)
    if records(variables_in([*args, *kwargs.values()])):
        raise refused(plain_target(spelling(function)))
    return function(*raw(args), **raw(kwargs))


def _where_either(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """``np.where(condition)`` is ``np.nonzero``."""
    return (np.nonzero if len(args) == 1 and not kwargs else np.where), args, kwargs


def _einsum(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """``np.einsum(x, [0, 1], y, [1, 2], [0, 2])`` is ``np.einsum("ab,bc->ac", x, y)``; of several operands it is products of two."""
    if len(args) > 1 and not isinstance(args[0], str):
        pairs = len(args) // 2
        subscripts = einsum_subscripts(args[1:2 * pairs:2], args[-1] if len(args) % 2 else None)
        args = (subscripts, *args[0:2 * pairs:2])
    if len(args) > 3 and not set(kwargs) - {"optimize"}:
        order = sorted(range(len(args) - 1), key=lambda position: not variables_in([args[position + 1]]))
        steps = einsum_pairs(args[0], order)
        args = (args[0], *(args[position + 1] for position in order)) if steps else args
        for step in steps[:-1]:
            args = (step, np.einsum(step, *args[1:3]), *args[3:])
        args = (steps[-1], *args[1:]) if steps else args
    return np.einsum, args, kwargs


def _clip(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """``np.clip(x, min=0)`` is ``np.clip(x, 0, None)``: ``min`` and ``max`` are other names, and a bound may be left out."""
    if len(args) == 1 and not {"a_min", "a_max"} & set(kwargs):
        others = {name: value for name, value in kwargs.items() if name not in ("min", "max")}
        args, kwargs = (*args, kwargs.get("min"), kwargs.get("max")), others
    return np.clip, args, kwargs


def _select(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """``np.select([c, d], [x, y], z)`` is ``np.where(c, x, np.where(d, y, z))``."""
    given = inspect.signature(np.select).bind(*args, **kwargs)
    given.apply_defaults()
    conditions, choices, chosen = given.args
    if len(conditions) != len(choices) or not len(conditions) or any(np.asarray(raw(part)).dtype != bool for part in conditions):
        np.select(*raw(given.args))  # for the error that NumPy raises
    for condition, choice in zip(conditions[:0:-1], choices[:0:-1]):
        chosen = np.where(condition, choice, chosen)
    return np.where, (conditions[0], choices[0], chosen), {}


def _quantiles(function: Any) -> Callable[..., Any]:
    """``np.quantile(x, [p, q])`` is the stack of the two."""

    def spelled(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
        given = inspect.signature(function).bind(*args, **kwargs).arguments
        q = given.pop("q")
        if np.ndim(q) == 0:
            return function, args, kwargs
        rows = [apply_function(function, (), {**given, "q": p}) for p in np.ravel(q)]
        return np.reshape, (np.stack(rows), np.shape(q) + np.shape(rows[0])), {}

    return spelled


def _chosen(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """``np.choose(i, [x, y, z])`` is ``np.where(i == 0, x, np.where(i == 1, y, z))``."""
    if len(args) != 2 or not isinstance(args[1], (list, tuple)) or set(kwargs) - {"mode"} or isinstance(args[0], Recorded):
        return np.choose, args, kwargs
    numbers, (*others, chosen) = chosen_among(args[0], len(args[1]), **kwargs), args[1]
    for number, choice in reversed([*enumerate(others[1:], start=1)]):
        chosen = np.where(numbers == number, choice, chosen)
    return np.where, (numbers == 0, args[1][0], chosen), {}


def _svd(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """``np.linalg.svd(x, compute_uv=False)`` is ``np.linalg.svdvals(x)``."""
    given = inspect.signature(np.linalg.svd).bind(*args, **kwargs).arguments
    if given.get("compute_uv", True) or given.get("hermitian", False):
        return np.linalg.svd, args, kwargs
    return np.linalg.svdvals, (given["a"],), {}


def _cond(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """``np.linalg.cond(x)`` is the greatest singular value by the least one."""
    given = inspect.signature(np.linalg.cond).bind(*args, **kwargs).arguments
    if given.get("p") is not None:
        return np.linalg.cond, args, kwargs
    sizes = np.linalg.svdvals(given["x"])
    return np.true_divide, (sizes[..., 0], sizes[..., -1]), {}


SPELLINGS: dict[Any, Callable[..., Any]] = {
    np.where: _where_either, np.select: _select, np.einsum: _einsum, np.clip: _clip,
    **{function: _quantiles(function) for function in (np.quantile, np.percentile, np.nanquantile, np.nanpercentile)},
    np.choose: _chosen, np.linalg.svd: _svd, np.linalg.cond: _cond,
    np.roots: lambda args, kwargs: (roots_of, (*args, complex), kwargs),
    np.linalg.vecdot: lambda args, kwargs: (np.vecdot, args, kwargs),
}
"""Functions that are called in two ways, of which the rule knows one: to that."""
