"""Every way to call a ufunc that the short ones do not take: keywords, ``out=``, ``where=``, and the methods ``reduce`` to ``at``.

What is recorded is the function that the call amounts to; the value is computed by the call itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...errors import InPlaceError, MissingRuleError
from ...rules.frames import rule_for, spelling
from ...runtime.arrays import blank, scatter
from ..engine.apply import apply, call, leader, mixed_node, raw, records, variables_in
from ..engine.nodes import Recorded
from ..library_run.watch import refused
from .composites import said_by_others
from .indexing import index_of

HOW = frozenset({"dtype", "casting", "order", "subok", "signature", "sig"})
"""Keywords that say how a ufunc computes its result and lays it out, not what the result is."""


def apply_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``ufunc(…)`` or ``ufunc.method(…)`` with a Variable among the arguments: recorded, or refused by name."""
    if method == "at":
        return ufunc_at(ufunc, *inputs)
    out = kwargs.pop("out", None)

    def run() -> Any:
        result = said_by_others(ufunc if method == "__call__" else getattr(ufunc, method), inputs, kwargs)
        return METHODS[method](ufunc, inputs, kwargs) if result is NotImplemented else result

    if out is None:
        return run()
    name = spelling(ufunc) if method == "__call__" else f"{spelling(ufunc)}.{method}"
    if method == "__call__" and kwargs.get("where", True) is not True:
        return into(name, partial(getattr(ufunc, method), **kwargs), inputs, out, lambda: masked_ufunc(ufunc, inputs, kwargs, out))
    return into(name, partial(getattr(ufunc, method), **kwargs), inputs, out, run)


def into(name: str, function: Callable[..., Any], args: tuple[Any, ...], out: Any, run: Callable[[], Any]) -> Any:
    """A call with ``out=``: what ``run()`` gives is written into it. ``function`` is called as it is where nothing is recorded.

    Raises InPlaceError if ``out`` is a plain array and the result requires grad, or as every change in place does.
    """
    outs = out if isinstance(out, tuple) else (out,)
    result = run()
    if not any(isinstance(part, Recorded) for part in outs):
        if records(variables_in([result])):
            raise refused(plain_target(name))
        return function(*map(raw, args), out=out)
    for part, value in zip(outs, result if len(outs) > 1 else (result,)):
        if isinstance(part, Recorded):
            part._overwrite(value, f"{name}(out=…)")  # type: ignore[attr-defined]  # what is recorded is a Variable
        elif part is not None:
            raise refused(plain_target(name))
    return out if len(outs) > 1 else outs[0]


def plain_target(name: str) -> InPlaceError:
    """The error for an active value that would be written into an array that is no Variable."""
    return InPlaceError(
        f"{name} would write a value that is being differentiated into a plain array",
        why="a plain array has no place in the graph: the gradient would silently be lost",
        remedy="write a = a + v for a += v, or make the array a Variable first",
    )


def called(ufunc: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``ufunc(*inputs, **kwargs)`` without ``out=``."""
    if kwargs.pop("where", True) is not True:
        raise refused(MissingRuleError(
            f"{spelling(ufunc)} was called with where=, but without out=",
            why="the entries that are left out would be uninitialised memory",
            remedy=f"write np.where(mask, {spelling(ufunc)}(…), other), or give a Variable as out=",
        ))
    rule = rule_for(ufunc)
    if rule is None:
        return call(ufunc, inputs, kwargs)
    how = {name: kwargs[name] for name in kwargs if name in HOW}
    rest = {name: value for name, value in kwargs.items() if name not in HOW}
    return apply(rule, inputs, rest, partial(ufunc, **how) if how else None)


def masked_ufunc(ufunc: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any], out: tuple[Any, ...]) -> Any:
    """``ufunc(*inputs, out=out, where=mask)``: computed where the mask is true, what ``out`` was elsewhere."""
    rule, mask = rule_for(ufunc), raw(kwargs["where"])
    if rule is None:
        return call(ufunc, inputs, {})
    if len(out) > 1:
        raise refused(MissingRuleError(
            f"{spelling(ufunc)} has several results, and was called with where=", why="which entries each of them keeps is not recorded",
            remedy="call it without where=, and choose by np.where(mask, …)",
        ))
    how = {name: value for name, value in kwargs.items() if name != "where"}
    target = raw(out[0])
    z = apply(rule, inputs, {}, lambda *arrays: ufunc(*arrays, out=blank(target.shape, target), where=mask, **how))
    return np.where(mask, z, out[0])


def by_method(method: str) -> Callable[..., Any]:
    """``ufunc.reduce``, ``ufunc.accumulate`` or ``ufunc.reduceat``, where it has a rule or is said by others."""

    def run(ufunc: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        function = getattr(ufunc, method)
        return call(function, inputs, kwargs) if rule_for(function) is not None else unruled(ufunc, method, inputs, kwargs)

    return run


def outer(ufunc: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``ufunc.outer``: the ufunc of every entry of the one with every entry of the other."""
    a, b = inputs
    if ufunc.signature is not None:
        return unruled(ufunc, "outer", inputs, kwargs)
    return called(ufunc, (np.reshape(a, np.shape(a) + (1,) * np.ndim(b)), b), kwargs)


def ufunc_at(ufunc: Any, target: Any, indices: Any, *operand: Any) -> None:
    """``ufunc.at``: a change in place in which an entry that is named twice changes twice.

    Raises InPlaceError for a plain array as target of an active value, MissingRuleError for all but add and subtract.
    """
    name = f"{spelling(ufunc)}.at"
    indices = index_of(indices)
    active = records(variables_in([target, *operand]))
    if not isinstance(target, Recorded):
        if active:
            raise refused(plain_target(name))
        ufunc.at(target, indices, *map(raw, operand))
        return
    if active and ufunc not in (np.add, np.subtract):
        raise refused(MissingRuleError(
            f"{name} has no derivative rule", why="how often each entry changes, and from which value each time, is not recorded",
            remedy=f"name each entry once, and write v[i] = {spelling(ufunc)}(v[i], …)",
        ))

    def changed(array: Any, *_: Any) -> Any:
        copy = np.copy(array)
        ufunc.at(copy, indices, *map(raw, operand))
        return copy

    if not active:
        result = changed(target._value)
    else:
        shape = np.shape(target._value)
        spread = np.broadcast_to(operand[0], np.shape(target._value[indices]))
        result = apply(rule_for(ufunc), (target, apply(rule_for(scatter), (spread, shape, indices), {})), {}, changed)
    target._overwrite(result, name)  # type: ignore[attr-defined]  # what is recorded is a Variable


def unruled(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A method without a rule: refused by name if something requires grad, else called."""
    variables = variables_in([*inputs, *kwargs.values()])
    if records(variables):
        name = f"{spelling(ufunc)}.{method}"
        raise refused(MissingRuleError(
            f"{name} has no derivative rule", why="the result would silently lose its gradient",
            remedy=REMEDIES.get(method, "").format(ufunc=spelling(ufunc)),
        ))
    return leader(variables)._ruleless(getattr(ufunc, method), inputs, kwargs, mixed_node(variables))


METHODS = {
    "__call__": called, "outer": outer, **{method: by_method(method) for method in ("reduce", "accumulate", "reduceat")},
}
REMEDIES = {
    "reduce": "use np.sum, np.prod, np.max, np.min, or a loop that calls {ufunc}",
    "accumulate": "use np.cumsum, or a loop that calls {ufunc} and np.stack of what it gave",
    "reduceat": "take the parts by index, and join what the reduction of each gives: np.stack([np.sum(x[i:j]) for i, j in …])",
    "outer": "add the axes yourself: {ufunc}(a[:, None], b)",
}
