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

from ...rules.frames import Rule, rule_for
from ..engine.apply import raw, stacked, variables_in
from ..engine.graph import record
from ..engine.inplace import SYMBOLS
from ..engine.nodes import VOLATILE, kind_of
from ..engine.operators import BINARY, PAIRS, UFUNCS, UNARY
from ..engine.plans import Plan, plan_for
from ..engine.scopes import OFF, is_grad_enabled
from ..engine.variable import Variable
from .dict_keys import refuse_lookup
from .live import UNCHANGING, Live, LiveNumber, indexed

ndarray, float64 = np.ndarray, np.float64
CONSTANTS = frozenset({float, int, float64})
REALS = frozenset({float, float64, ndarray})
SEQUENCES = (list, tuple)
BOUNDS = frozenset({int, type(None)})


def is_usual(data: Any) -> bool:
    """Whether what a Live Variable stands for takes the short way: an array of floats that has dimensions, or a float."""
    kind = type(data)
    return data.ndim > 0 and data.dtype.kind == "f" if kind is ndarray else kind is float64 or kind is float


def node_of(variable: Live) -> Any:
    """The node of a Live Variable, None where nothing is recorded."""
    node = variable._node
    return node if not OFF or node is VOLATILE or is_grad_enabled() else None


def recorded(
    plan: Plan, z: Any, values: tuple[Any, ...], edges: tuple[Any, ...], active: tuple[Any, ...], holders: tuple[Any, ...],
) -> Live:
    """The result ``z`` of a function of ``values``; the ``edges`` are the nodes of those that are ``active``, if it is elementwise."""
    saved = plan.save(z, *values) if plan.keeps else ()
    shape, restore = z.shape if type(z) is ndarray else None, None
    for x in active:
        if type(x) is not type(z) or shape is not None and (x.shape != shape or x.dtype is not z.dtype):
            restore = tuple(map(kind_of, active))
            break
    node = record(plan, edges, saved, restore)
    result = LiveNumber(z, node, UNCHANGING) if shape is None else Live(z, node)
    for array in saved:
        if type(array) is ndarray:
            for holder in holders:
                if array is holder._value:
                    holder._buffer.savers.append(node)
                    break
            else:
                if array is z:
                    result._buffer.savers.append(node)
                else:  # it belongs to nobody who would note that it changes
                    node.saved = tuple(np.copy(value) if value is array else value for value in node.saved or ())
    return result


def live_binary(name: str, function: Any, compute: Callable[[Any, Any], Any], usual: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
    """The three methods of an elementwise function of two: ``x op y``, ``y op x`` and ``x op= y``; ``usual`` are those of Variable."""
    rule = rule_for(function)
    assert rule is not None
    left, right, update = usual
    names = tuple(rule.parameters)[:2]
    plans = [plan_of(rule, part) for part in (names[:1], names[1:], names)]

    def made(x: Any, xn: Any, y: Any, yn: Any, holders: tuple[Any, ...]) -> Any:
        if xn is VOLATILE or yn is VOLATILE or type(z := compute(x, y)) not in REALS:
            return NotImplemented
        if xn is None and yn is None:
            return Live(z) if type(z) is ndarray else z
        if yn is None:
            return recorded(plans[0](), z, (x, y), (xn,), (x,), holders)
        if xn is None:
            return recorded(plans[1](), z, (x, y), (yn,), (y,), holders)
        return recorded(plans[2](), z, (x, y), (xn, yn), (x, y), holders)

    def forward(self: Live, other: Any) -> Any:
        x, kind, found = self._value, type(other), NotImplemented
        if is_usual(x):
            if kind in CONSTANTS or kind is ndarray and is_constant_array(other):
                found = made(x, node_of(self), other, None, (self,))
            elif (kind is Live or kind is LiveNumber) and is_usual(other._value):
                found = made(x, node_of(self), other._value, node_of(other), (self, other))
        return left(self, stacked(other) if isinstance(other, SEQUENCES) else other) if found is NotImplemented else found

    def reflected(self: Live, other: Any) -> Any:
        y, kind, found = self._value, type(other), NotImplemented
        if (kind in CONSTANTS or kind is ndarray and is_constant_array(other)) and is_usual(y):
            found = made(other, None, y, node_of(self), (self,))
        return right(self, stacked(other) if isinstance(other, SEQUENCES) else other) if found is NotImplemented else found

    def updated(self: Live, other: Any) -> Any:
        x = self._value
        kind = type(other)
        if type(x) is not ndarray and is_usual(x):
            return forward(self, other)
        if type(x) is ndarray and x.ndim and x.dtype.kind == "f" and (
            kind is float or kind is int or kind is Live and type(other._value) is ndarray and other._value.shape == x.shape
        ):
            return self._overwrite(forward(self, other), SYMBOLS[name])
        return update(self, stacked(other) if isinstance(other, SEQUENCES) else other)

    return forward, reflected, updated


def plan_of(rule: Rule, names: tuple[str, ...]) -> Callable[[], Plan]:
    """What gives the plan of a rule, made when it is first asked for."""
    return cache(lambda: plan_for(rule, names))


def is_constant_array(value: Any) -> bool:
    """Whether a plain array takes part in what is computed of floats."""
    return value.ndim > 0 and value.dtype.kind in "fbiu"


def live_product(usual: Callable[[Any, Any], Any]) -> Any:
    """``x @ y``, of which the rule depends on the ranks."""
    rule = rule_for(np.matmul)
    assert rule is not None
    names = tuple(rule.parameters)[:2]
    plan_by_rank = cache(lambda ranks, wanted: plan_for(rule.variant(ranks), wanted))

    def forward(self: Live, other: Any) -> Any:
        x = self._value
        if type(other) is Live and type(x) is ndarray and is_usual(x) and is_usual(y := other._value) and x.dtype is y.dtype:
            nodes = node_of(self), node_of(other)
            wanted = tuple([name for name, node in zip(names, nodes) if node is not None])
            if wanted and VOLATILE not in nodes:
                edges = tuple([node for node in nodes if node is not None])
                return recorded(plan_by_rank((x.ndim, y.ndim), wanted), x @ y, (x, y), edges, (), (self, other))
        return usual(self, other)

    return forward


def live_unary(function: Any, compute: Callable[[Any], Any], usual: Callable[[Any], Any]) -> Any:
    """The method of an elementwise function of one; ``usual`` is that of Variable."""
    rule = rule_for(function)
    assert rule is not None
    plan = plan_of(rule, tuple(rule.parameters)[:1])

    def method(self: Live) -> Any:
        x = self._value
        if is_usual(x):
            xn = node_of(self)
            if xn is not VOLATILE and xn is not None and type(z := compute(x)) in REALS:
                return recorded(plan(), z, (x,), (xn,), (x,), (self,))
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
                return LIVE_PAIRS[ufunc][0](x, y)
            if type(x) in CONSTANTS or type(x) is ndarray:
                return LIVE_PAIRS[ufunc][1](y, x)
    return Variable.__array_ufunc__(self, ufunc, method, *inputs, **kwargs)  # type: ignore[attr-defined]


LIVES = (Live, LiveNumber)
LIVE_UFUNCS = {ufunc: live_unary(ufunc, ufunc, usual) for ufunc, usual in UFUNCS.items()}
LIVE_PAIRS = {
    ufunc: live_binary("", ufunc, ufunc, (*usual, None))[:2] for ufunc, usual in PAIRS.items() if ufunc not in (np.divmod, np.matmul)
}
"""The ufuncs of one argument and of two as methods of Live."""
SHORT = {**LIVE_UFUNCS, np.ndim: lambda x: np.ndim(x._value), np.shape: lambda x: np.shape(x._value)}
"""Functions of one Live Variable for which there is a short way."""


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


usual_item, usual_store = Variable.__getitem__, Variable.__setitem__


def live_store(self: Live, key: Any, value: Any) -> None:
    """``x[key] = value``; nothing where that is the last step of ``x[key] op= y``, and the view has been changed already."""
    if not is_simple_operand(key):
        usual_store(self, key, value)
    elif type(value) is not Live or value._parent is not self or value._how is None or value._how[0] is not operator.getitem or (
        value._how[1][1] != key
    ):
        self._store(key, value)


def contains(self: Live, value: Any) -> bool:
    """``value in x``."""
    return raw(stacked(value) if variables_in([value]) else value) in self._value


def install_operators() -> None:
    """Give Live its operators."""
    for name in ("add", "sub", "mul", "truediv", "pow"):
        usual = tuple(getattr(Variable, f"__{prefix}{name}__") for prefix in ("", "r", "i"))
        methods = live_binary(name, BINARY[name], getattr(operator, name), usual)  # type: ignore[arg-type]
        for prefix, method in zip(("", "r", "i"), methods):
            setattr(Live, f"__{prefix}{name}__", method)
    for name, function in UNARY.items():
        setattr(Live, f"__{name}__", live_unary(function, getattr(operator, name), getattr(Variable, f"__{name}__")))
    setattr(Live, "__matmul__", live_product(getattr(Variable, "__matmul__")))  # noqa: B009, B010
    setattr(Live, "__array_ufunc__", live_ufunc)  # noqa: B010
    for name in ("ne", "lt", "le", "gt", "ge"):
        setattr(Live, f"__{name}__", live_comparison(name))
    setattr(Live, "__eq__", equal)  # noqa: B010
    setattr(Live, "__getitem__", live_item)  # noqa: B010
    setattr(Live, "__setitem__", live_store)  # noqa: B010
    setattr(Live, "__contains__", contains)  # noqa: B010


install_operators()
