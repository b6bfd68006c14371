"""The operators and the indexing of Live Variables: the short way for arrays of one dtype and shape, or an array and a number.

Everything else (views that numbers broadcast against, integers, complex numbers, lists, ``no_grad``) takes the way of Variable's
operators. A node is noted with the buffer of an array that it saves, so that this is copied before it is overwritten.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...rules.frames import rule_for
from ..engine.apply import raw, stacked, variables_in
from ..engine.graph import record
from ..engine.inplace import SYMBOLS
from ..engine.nodes import VOLATILE
from ..engine.operators import BINARY
from ..engine.plans import Plan, plan_for
from ..engine.scopes import OFF
from ..engine.variable import Variable
from .dict_keys import refuse_lookup
from .live import Live, LiveNumber, indexed

ndarray = np.ndarray
SEQUENCES = (list, tuple)
BOUNDS = frozenset({int, type(None)})


def live_binary(name: str, function: Any, compute: Callable[[Any, Any], Any]) -> tuple[Any, Any, Any]:
    """The three methods of an elementwise operator: ``x op y``, ``y op x`` and ``x op= y``."""
    rule = rule_for(function)
    assert rule is not None
    left, right, update = (getattr(Variable, f"__{prefix}{name}__") for prefix in ("", "r", "i"))
    names = tuple(rule.parameters)[:2]
    plans: list[Plan | None] = [None, None, None]  # for the left operand, the right one, both

    def made(x: Any, xn: Any, y: Any, yn: Any, one: Live, other: Any) -> Live:
        z = compute(x, y)
        if xn is None and yn is None:
            return Live(z)
        choice = 1 if xn is None else 0 if yn is None else 2
        plan = plans[choice]
        if plan is None:
            plans[choice] = plan = plan_for(rule, names if choice == 2 else names[choice:choice + 1])
        saved = plan.save(z, x, y) if plan.keeps else ()
        node = record(plan, (xn, yn) if choice == 2 else (yn if choice else xn,), saved)
        result = Live(z, node)
        for array in saved:
            if array is one._value:
                one._buffer.savers.append(node)
            elif array is z:
                result._buffer.savers.append(node)
            elif type(array) is ndarray:
                other._buffer.savers.append(node)
        return result

    def forward(self: Live, other: Any) -> Any:
        x = self._value
        kind = type(other)
        if type(x) is ndarray and x.ndim and not OFF and x.dtype.kind == "f":
            if kind is float or kind is int:
                xn = self._node
                if xn is not VOLATILE:
                    return made(x, xn, other, None, self, None)
            elif kind is Live:
                y = other._value
                if type(y) is ndarray and y.shape == x.shape and y.dtype is x.dtype:
                    xn, yn = self._node, other._node
                    if xn is not VOLATILE and yn is not VOLATILE:
                        return made(x, xn, y, yn, self, other)
        return left(self, stacked(other) if isinstance(other, SEQUENCES) else other)

    def reflected(self: Live, other: Any) -> Any:
        y = self._value
        kind = type(other)
        if (kind is float or kind is int) and type(y) is ndarray and y.ndim and not OFF and y.dtype.kind == "f":
            yn = self._node
            if yn is not VOLATILE:
                return made(other, None, y, yn, self, None)
        return right(self, stacked(other) if isinstance(other, SEQUENCES) else other)

    def updated(self: Live, other: Any) -> Any:
        x = self._value
        kind = type(other)
        if type(x) is ndarray and x.ndim and x.dtype.kind == "f" and (
            kind is float or kind is int or kind is Live and type(other._value) is ndarray and other._value.shape == x.shape
        ):
            return self._overwrite(forward(self, other), SYMBOLS[name])
        return update(self, stacked(other) if isinstance(other, SEQUENCES) else other)

    return forward, reflected, updated


def live_comparison(name: str) -> Any:
    """A comparison, also with lists, as of the array."""
    compute = getattr(operator, name)
    usual = getattr(Variable, f"__{name}__")

    def method(self: Live, other: Any) -> Any:
        if isinstance(other, SEQUENCES) and type(self._value) is ndarray:
            return compute(self._value, raw(other))
        return usual(self, other)

    return method


compare_equal = live_comparison("eq")


def equal(self: Live, other: Any) -> Any:
    """``x == y``; see ``dict_keys.py``."""
    result = compare_equal(self, other)
    if (result is True or result is np.True_) and type(self._value) is not ndarray:
        refuse_lookup(self, other)
    return result


def is_simple_operand(key: Any) -> bool:
    """Whether a key is made of plain integers and slices of these."""
    kind = type(key)
    if kind is slice:
        return type(key.start) in BOUNDS and type(key.stop) in BOUNDS and type(key.step) in BOUNDS
    return kind is int or kind is tuple and all(map(is_simple_operand, key))


def live_item(self: Live, key: Any) -> Any:
    """``x[key]``: an entry, or a view that follows the changes of the array."""
    x = self._value
    if type(x) is not ndarray or OFF or x.dtype.kind != "f" or not is_simple_operand(key):
        return usual_item(self, key)
    xn = self._node
    if xn is VOLATILE:
        return usual_item(self, key)
    z = x[key]
    node = None if xn is None else indexed(xn, x, key, z)
    if type(z) is ndarray:
        return Live(z, node, self._buffer, self, (operator.getitem, (self, key), {}))
    return z if node is None else LiveNumber(z, node)


usual_item = Variable.__getitem__


def contains(self: Live, value: Any) -> bool:
    """``value in x``."""
    return raw(stacked(value) if variables_in([value]) else value) in self._value


def install_operators() -> None:
    """Give Live its operators."""
    for name in ("add", "sub", "mul", "truediv", "pow"):
        methods = live_binary(name, BINARY[name], getattr(operator, name))
        for prefix, method in zip(("", "r", "i"), methods):
            setattr(Live, f"__{prefix}{name}__", method)
    for name in ("ne", "lt", "le", "gt", "ge"):
        setattr(Live, f"__{name}__", live_comparison(name))
    setattr(Live, "__eq__", equal)  # noqa: B010
    setattr(Live, "__getitem__", live_item)  # noqa: B010
    setattr(Live, "__contains__", contains)  # noqa: B010


install_operators()
