"""The operators of Variable: the hot path of dynamic programs.

An operator on plain float arrays goes straight to the ndarray's own and records one node, made of what the rule's slice
reads; everything else (views that are stale, ``no_grad``, library runs, odd types) takes the general way, :func:`apply`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..rules.frames import rule_for
from .apply import apply, plain
from .graph import VOLATILE, Node, kind_of, tick
from .mutation import REWRITTEN
from .plans import Plan, plan_for
from .scopes import OFF
from .variable import Variable, new, on_graph

ndarray = np.ndarray
FLOATS = frozenset({np.dtype(np.float64), np.dtype(np.float32)})


def binary(function: Any, compute: Callable[[Any, Any], Any]) -> tuple[Any, Any]:
    """The two methods of a binary operator: ``v op other`` and ``other op v``."""
    rule = rule_for(function)
    assert rule is not None
    both: Plan | None = None
    left: Plan | None = None
    right: Plan | None = None

    def forward(self: Variable, other: Any) -> Any:
        nonlocal both, left, right
        x = self._data
        xn = self._node
        kind = type(other)
        if OFF or REWRITTEN or type(x) is not ndarray or type(self) is not Variable:
            return general(self, other)
        if kind is Variable:
            y = other._data
            yn = other._node
            if type(y) is not ndarray or x.dtype is not y.dtype or x.shape != y.shape:
                return general(self, other)
        elif kind is float or kind is int:
            y = other
            yn = None
        else:
            return general(self, other)
        variable = new(Variable)
        variable._data = z = compute(x, y)
        if xn is None:
            if yn is None or yn is VOLATILE:
                variable._node = yn
                return variable
            if right is None:
                right = plan_for(rule, names[1:])
            plan = right
            edges = (yn,)
        elif xn is VOLATILE or yn is VOLATILE:
            variable._node = VOLATILE
            return variable
        elif yn is None:
            if left is None:
                left = plan_for(rule, names[:1])
            plan = left
            edges = (xn,)
        else:
            if both is None:
                both = plan_for(rule, names)
            plan = both
            edges = (xn, yn)
        variable._node = node = new(Node)
        node.plan = plan
        node.edges = edges
        node.saved = plan.save(z, x, y) if plan.keeps else ()
        node.seq = tick()
        node.restore = None
        return variable

    def general(self: Variable, other: Any) -> Any:
        return apply(rule, (self, other), {}) if usable(other) else NotImplemented

    def reflected(self: Variable, other: Any) -> Any:
        return apply(rule, (other, self), {}) if usable(other) else NotImplemented

    names = tuple(rule.parameters)
    return forward, reflected


def unary(function: Any, compute: Callable[[Any], Any]) -> Any:
    """A method for a function of one float array."""
    rule = rule_for(function)
    assert rule is not None
    plan: Plan | None = None

    def method(self: Variable) -> Any:
        nonlocal plan
        x = self._data
        xn = self._node
        if OFF or REWRITTEN or type(x) is not ndarray or type(self) is not Variable:
            return apply(rule, (self,), {})
        variable = new(Variable)
        variable._data = z = compute(x)
        if xn is None or xn is VOLATILE:
            variable._node = xn
            return variable
        if plan is None:
            plan = plan_for(rule, tuple(rule.parameters)[:1])
        variable._node = node = new(Node)
        node.plan = plan
        node.edges = (xn,)
        node.saved = plan.save(z, x) if plan.keeps else ()
        node.seq = tick()
        node.restore = None
        return variable

    return method


def usable(other: Any) -> bool:
    """Whether an operand is an array, a number or a Variable: for all else the other operand's method is asked."""
    return isinstance(other, (Variable, int, float, complex, ndarray, np.generic)) or hasattr(other, "__array_function__")


def comparison(compute: Callable[[Any, Any], Any]) -> Any:
    """A comparison: of the values, giving an array (a bool of numbers), never a Variable."""

    def method(self: Variable, other: Any) -> Any:
        return compute(self._data, plain(other)) if usable(other) else NotImplemented

    return method


BINARY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.divide, "pow": np.power, "matmul": np.matmul,
    "mod": np.remainder, "floordiv": np.floor_divide,
}
UNARY = {"neg": np.negative, "pos": np.positive, "abs": np.absolute}


def install() -> None:
    """Give Variable its operators."""
    for name, function in BINARY.items():
        forward, reflected = binary(function, getattr(operator, name))
        setattr(Variable, f"__{name}__", forward)
        setattr(Variable, f"__r{name}__", reflected)
    for name, function in UNARY.items():
        setattr(Variable, f"__{name}__", unary(function, getattr(operator, name)))
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        setattr(Variable, f"__{name}__", comparison(getattr(operator, name)))
    Variable.__hash__ = object.__hash__  # type: ignore[method-assign]
    Variable.__divmod__ = lambda self, other: (self // other, self % other)  # type: ignore[attr-defined]
    Variable.__rdivmod__ = lambda self, other: (other // self, other % self)  # type: ignore[attr-defined]
    Variable.__round__ = lambda self, ndigits=0: round(self._data, ndigits) if ndigits else round(self._data)  # type: ignore[attr-defined]


install()
