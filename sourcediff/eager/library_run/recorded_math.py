"""The functions of ``math`` that also take Variables."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...rules.frames import rule_for
from ..engine.apply import apply, call, raw, stacked, variables_in
from .live import LiveNumber
from .operators import live_unary


def fsum(seq: Iterable[Any]) -> Any:
    values = list(seq)
    return apply(rule_for(np.sum), (stacked(values),), {}, compute=math.fsum) if variables_in(values) else math.fsum(values)


def prod(iterable: Iterable[Any], *, start: Any = 1) -> Any:
    for factor in iterable:
        start = start * factor
    return start


def hypot(*coordinates: Any) -> Any:
    return apply(rule_for(np.linalg.norm), (stacked(coordinates),), {}, compute=lambda v: math.hypot(*v))


def math_dist(p: Any, q: Any) -> Any:
    first, second = (stacked(list(point)) for point in (p, q))
    return apply(rule_for(np.linalg.norm), (first - second,), {}, compute=lambda _: math.dist(raw(first), raw(second)))


def log(x: Any, *base: Any) -> Any:
    return call(math.log, (x,), {}) / log(*base) if base else call(math.log, (x,), {})


def copysign(x: Any, y: Any) -> Any:
    return abs(x) * math.copysign(1.0, raw(y))


def modf(x: Any) -> tuple[Any, float]:
    whole = math.modf(raw(x))[1]
    return x - whole, whole


def ldexp(x: Any, i: int) -> Any:
    return x * math.ldexp(1.0, i)


def sumprod(p: Iterable[Any], q: Iterable[Any]) -> Any:
    first, second = list(p), list(q)
    if not variables_in([first, second]):
        return math.sumprod(first, second)  # type: ignore[attr-defined]
    return apply(rule_for(np.dot), (stacked(first), stacked(second)), {}, compute=math.sumprod)  # type: ignore[attr-defined]


COMPOSED: dict[str, Callable[..., Any]] = {
    "dist": math_dist, **{function.__name__: function for function in (hypot, log, copysign, modf, ldexp)},
}
ITERATING: dict[str, Callable[..., Any]] = {function.__name__: function for function in (fsum, prod, sumprod)}
"""Those that take an iterable, in which Variables are not seen beforehand."""


def recorded(function: Any) -> Callable[..., Any]:
    """A function of ``math`` that also takes Variables."""
    name = function.__name__
    if name in ITERATING:
        return ITERATING[name]
    own = COMPOSED.get(name)
    rule = rule_for(function)
    elementwise = own is None and rule is not None and rule.kind == "elementwise" and len(rule.parameters) == 1
    short = live_unary(function, function, lambda x: call(function, (x,), {})) if elementwise else None

    def called(*args: Any, **kwargs: Any) -> Any:
        if short is not None and len(args) == 1 and type(args[0]) is LiveNumber and not kwargs:
            return short(*args)
        if not variables_in(args):
            return function(*args, **kwargs)
        return own(*args, **kwargs) if own is not None else call(function, args, kwargs)

    called.__name__ = name
    return called
