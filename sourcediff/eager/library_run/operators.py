"""The operators, the elementwise functions and the indexing of Live Variables: the short way for arrays of floats and for floats.

Everything else (integers, complex numbers, lists, ``no_grad`` of volatile Variables) takes the way of Variable's operators. A node is noted
with the buffer of an array that it saves, so that this is copied before it is overwritten.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ...rules.frames import rule_for
from ..engine.apply import raw, stacked
from ..engine.inplace import SYMBOLS
from ..engine.nodes import OF_FLOAT64, VOLATILE
from ..engine.operators import BINARY, PAIRS, UFUNCS, UNARY
from ..engine.plans import Plan, plan_for
from ..engine.scopes import OFF, is_grad_enabled
from ..engine.variable import Variable
from .dict_keys import refuse_lookup
from .live import Live, LiveNumber
from .live_items import contains, live_item, live_store
from .live_steps import CONSTANTS, FLOATS, SEQUENCES, array, is_constant_array, is_usual, number, plan_of

ndarray, float64, new = np.ndarray, np.float64, object.__new__
FLOAT64 = np.dtype(float)


def live_binary(name: str, function: Any, compute: Callable[[Any, Any], Any], usual: tuple[Any, Any, Any]) -> dict[Any, tuple[Any, ...]]:
    """The three methods of an elementwise function of two: ``x op y``, ``y op x`` and ``x op= y``, of arrays and of numbers.

    ``usual`` are those of Variable.
    """
    rule = rule_for(function)
    assert rule is not None
    left, right, update = usual
    names = tuple(rule.parameters)[:2]
    plans: list[Plan | None] = [None, None, None]

    def planned(wanted: int) -> Plan:
        plans[wanted] = plan = plan_for(rule, names if wanted == 2 else names[wanted:wanted + 1])
        return plan

    def made(x: Any, xn: Any, xl: Any, y: Any, yn: Any, yl: Any) -> Any:
        """Of two of which one at least is a usual array, the other one that too or a number or a constant."""
        if xn is VOLATILE or yn is VOLATILE or OFF and is_grad_enabled() or type(z := compute(x, y)) is not ndarray:
            return NotImplemented
        if OFF:
            return Live(z)
        if yn is None:
            return Live(z) if xn is None else array(plans[0] or planned(0), z, (x, y), (xn,), (x,), (xl, yl))
        if xn is None:
            return array(plans[1] or planned(1), z, (x, y), (yn,), (y,), (xl, yl))
        return array(plans[2] or planned(2), z, (x, y), (xn, yn), (x, y), (xl, yl))

    def forward(self: Live, other: Any) -> Any:
        x, kind, found = self._value, type(other), NotImplemented
        if type(x) is ndarray and x.dtype is FLOAT64 and x.ndim or is_usual(x):
            if kind is Live:
                y = other._value
                if type(y) is ndarray and y.dtype is FLOAT64 and y.ndim or is_usual(y):
                    found = made(x, self._node, self, y, other._node, other)
            elif kind is LiveNumber and type(y := other._value) in FLOATS:
                found = made(x, self._node, self, y, other._place, other)
            elif kind in CONSTANTS or kind is ndarray and is_constant_array(other):
                found = made(x, self._node, self, other, None, None)
        return left(self, stacked(other) if isinstance(other, SEQUENCES) else other) if found is NotImplemented else found

    def reflected(self: Live, other: Any) -> Any:
        y, kind, found = self._value, type(other), NotImplemented
        if (kind in CONSTANTS or kind is ndarray and is_constant_array(other)) and is_usual(y):
            found = made(other, None, None, y, self._node, self)
        return right(self, stacked(other) if isinstance(other, SEQUENCES) else other) if found is NotImplemented else found

    def updated(self: Live, other: Any) -> Any:
        x = self._value
        kind = type(other)
        if is_usual(x) and (kind in CONSTANTS or kind is Live and type(y := other._value) is ndarray and y.shape == x.shape):
            return self._overwrite(forward(self, other), SYMBOLS[name])
        return update(self, stacked(other) if isinstance(other, SEQUENCES) else other)

    def number_forward(self: LiveNumber, other: Any) -> Any:
        x, kind = self._value, type(other)
        if kind is LiveNumber:
            y, yn = other._value, other._place
        elif kind is float or kind is int or kind is float64:
            y, yn = other, None
        elif kind is Live and type(x) in FLOATS and is_usual(other._value):
            found = made(x, self._place, self, other._value, other._node, other)
            return left(self, other) if found is NotImplemented else found
        elif kind is ndarray and type(x) in FLOATS and is_constant_array(other):
            found = made(x, self._place, self, other, None, None)
            return left(self, other) if found is NotImplemented else found
        else:
            return left(self, stacked(other) if isinstance(other, SEQUENCES) else other)
        xn = self._place
        if type(x) not in FLOATS or kind is LiveNumber and type(y) not in FLOATS or xn is VOLATILE or yn is VOLATILE:
            return left(self, other)
        if OFF:
            if is_grad_enabled():
                return left(self, other)
            xn = yn = None
        z = compute(x, y)
        if type(z) not in FLOATS:
            return left(self, other)
        if yn is None:
            return z if xn is None else number(plans[0] or planned(0), z, (x, y), (xn,))
        if xn is None:
            return number(plans[1] or planned(1), z, (x, y), (yn,))
        return number(plans[2] or planned(2), z, (x, y), (xn, yn))

    def number_reflected(self: LiveNumber, other: Any) -> Any:
        y, yn, kind = self._value, self._place, type(other)
        if kind is Live:
            return forward(other, self)
        if type(y) in FLOATS and yn is not VOLATILE and not (OFF and is_grad_enabled()):
            if kind is float or kind is int or kind is float64:
                z = compute(other, y)
                if type(z) in FLOATS:
                    return z if yn is None or OFF else number(plans[1] or planned(1), z, (other, y), (yn,))
            elif kind is ndarray and is_constant_array(other):
                found = made(other, None, None, y, yn, self)
                if found is not NotImplemented:
                    return found
        return right(self, stacked(other) if isinstance(other, SEQUENCES) else other)

    def number_updated(self: LiveNumber, other: Any) -> Any:
        return number_forward(self, other) if type(self._value) in FLOATS else update(
            self, stacked(other) if isinstance(other, SEQUENCES) else other)

    return {Live: (forward, reflected, updated), LiveNumber: (number_forward, number_reflected, number_updated)}


def live_product(function: Any, usual: Callable[[Any, Any], Any]) -> Any:
    """``x @ y`` or ``np.dot(x, y)``, of which the rule depends on the ranks."""
    rule = rule_for(function)
    assert rule is not None
    names = tuple(rule.parameters)[:2]
    plan_by_rank = cache(lambda ranks, wanted: plan_for(rule.variant(ranks), wanted))

    def forward(self: Live, other: Any) -> Any:
        x = raw(self)
        if type(self) is type(other) is Live and not OFF and is_usual(x) and is_usual(y := other._value) and x.dtype is y.dtype:
            xn, yn = self._node, other._node
            if xn is not VOLATILE and yn is not VOLATILE and (xn is not None or yn is not None):
                wanted, edges = (names[1:], (yn,)) if xn is None else (names[:1], (xn,)) if yn is None else (names, (xn, yn))
                plan = plan_by_rank((x.ndim, y.ndim), wanted)
                z = function(x, y)
                if type(z) is ndarray:
                    return array(plan, z, (x, y), edges, (), (self, other))
                return of_arrays(plan, z, x, y, edges, self, other)
        return usual(self, other)

    return forward


def of_arrays(plan: Plan, z: Any, x: Any, y: Any, edges: tuple[Any, ...], left: Live, right: Live) -> LiveNumber:
    """The number ``z`` that a product of two arrays gave."""
    result = number(plan, z, (x, y), edges)
    for position in plan.holds:
        (left if position == 1 else right)._buffer.note(result._place)
    return result


def live_unary(function: Any, compute: Callable[[Any], Any], usual: Callable[[Any], Any]) -> Any:
    """The method of an elementwise function of one; ``usual`` is that of Variable."""
    rule = rule_for(function)
    assert rule is not None
    plan = plan_of(rule, tuple(rule.parameters)[:1])

    def method(self: Live) -> Any:
        x = self._value
        xn = self._node
        if xn is VOLATILE or OFF and is_grad_enabled():
            return usual(self)
        if xn is None or OFF:
            if type(x) in FLOATS or is_usual(x):
                z = compute(x)
                if type(z) in FLOATS or is_usual(z):
                    return Live(z) if type(z) is ndarray else z
        elif type(x) in FLOATS:
            if type(z := compute(x)) in FLOATS:
                return number(plan(), z, (x,), (xn,), (OF_FLOAT64,) if type(x) is float64 and type(z) is float else None)
        elif is_usual(x) and type(z := compute(x)) is ndarray:
            return array(plan(), z, (x,), (xn,), (x,), (self,))
        return usual(self)

    return method


def live_ufunc(self: Live, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """``__array_ufunc__``: the short ways, where there is one."""
    if not kwargs and method == "__call__":
        if len(inputs) == 1 and ufunc in LIVE_UFUNCS:
            return LIVE_UFUNCS[ufunc](self)
        if len(inputs) == 2 and ufunc in LIVE_PAIRS:
            x, y = inputs
            if type(x) in LIVES:
                return LIVE_PAIRS[ufunc][type(x)][0](x, y)
            if type(x) in CONSTANTS or type(x) is ndarray:
                return LIVE_PAIRS[ufunc][type(y)][1](y, x)
    return Variable.__array_ufunc__(self, ufunc, method, *inputs, **kwargs)  # type: ignore[attr-defined]


WHERE: Any = rule_for(np.where)


STACK: Any = rule_for(np.stack)


LIVES = (Live, LiveNumber)
LIVE_UFUNCS = {ufunc: live_unary(ufunc, ufunc, usual) for ufunc, usual in UFUNCS.items()}
LIVE_PAIRS = {
    ufunc: live_binary("", ufunc, ufunc, (*usual, None)) for ufunc, usual in PAIRS.items() if ufunc not in (np.divmod, np.matmul)
}
"""The ufuncs of one argument and of two as methods of Live, and of LiveNumber."""
SHORT = {**LIVE_UFUNCS, np.ndim: lambda x: np.ndim(x._value), np.shape: lambda x: np.shape(x._value)}
"""Functions of one Live Variable for which there is a short way."""


def live_comparison(name: str) -> Any:
    """A comparison, also with lists, as of the array."""
    compute = getattr(operator, name)
    usual = getattr(Variable, f"__{name}__")

    def method(self: Live, other: Any) -> Any:
        kind = type(other)
        if kind is float or kind is int:
            return compute(self._value, other)
        if kind is LiveNumber or kind is Live:
            return compute(self._value, other._value)
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




def install_operators() -> None:
    """Give Live its operators."""
    for name in ("add", "sub", "mul", "truediv", "pow"):
        usual = tuple(getattr(Variable, f"__{prefix}{name}__") for prefix in ("", "r", "i"))
        for kind, methods in live_binary(name, BINARY[name], getattr(operator, name), usual).items():  # type: ignore[arg-type]
            for prefix, method in zip(("", "r", "i"), methods):
                setattr(kind, f"__{prefix}{name}__", method)
    for name, function in UNARY.items():
        setattr(Live, f"__{name}__", live_unary(function, getattr(operator, name), getattr(Variable, f"__{name}__")))
    setattr(Live, "__matmul__", live_product(np.matmul, getattr(Variable, "__matmul__")))  # noqa: B009, B010
    setattr(Live, "__array_ufunc__", live_ufunc)  # noqa: B010
    for name in ("ne", "lt", "le", "gt", "ge"):
        setattr(Live, f"__{name}__", live_comparison(name))
    setattr(Live, "__eq__", equal)  # noqa: B010
    setattr(Live, "__getitem__", live_item)  # noqa: B010
    setattr(Live, "__setitem__", live_store)  # noqa: B010
    setattr(Live, "__contains__", contains)  # noqa: B010


install_operators()
