"""The operators of Variable: the hot path of dynamic programs.

An operator on plain float arrays goes straight to the ndarray's own and records one node, made of what the rule's slice
reads; everything else (views that are stale, ``no_grad``, library runs, odd types) takes the general way, :func:`apply`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import MissingRuleError
from ...rules.frames import RULES, Rule, rule_for
from ...runtime.arrays import is_array, is_host_array, is_number, is_plain_array
from ..library_run.watch import refused
from .accepting import plainly
from .apply import apply, raw
from .mutation import REWRITTEN
from .nodes import VOLATILE, Node, noted, tick
from .plans import Plan, plan_for
from .scopes import OFF, is_grad_enabled
from .variable import Variable, new
from .views import refresh

ndarray = np.ndarray
PLAIN = frozenset({ndarray, float, int})


def binary(function: Any, compute: Callable[[Any, Any], Any]) -> tuple[Any, Any]:
    """The two methods of an elementwise operator: ``v op other`` and ``other op v``."""
    rule = rule_for(function)
    assert rule is not None
    if rule.kind == "constant":
        return piecewise_constant(rule, compute)
    plans: list[Plan | None] = [None, None, None]  # for the left operand, the right one, both

    def forward(self: Variable, other: Any) -> Any:
        if OFF:
            return unrecorded(rule, compute, self, other)
        if REWRITTEN:
            bring_up_to_date(self, other)
        x = self._value
        xn = self._node
        if type(other) is Variable:
            y = other._value
            yn = other._node
        else:
            y = other
            yn = None
        number = (type(y) is float or type(y) is int) and yn is None
        if type(x) is not ndarray or type(self) is not Variable or not number and type(y) is not ndarray:
            return general(rule, compute, self, other)
        variable = new(Variable)
        variable._value = z = compute(x, y)
        if xn is None:
            if yn is None or yn is VOLATILE:
                variable._node = yn
                return variable
            choice = 1
            edges: tuple[Any, ...] = (yn,)
        elif xn is VOLATILE or yn is VOLATILE:
            variable._node = VOLATILE
            return variable
        elif yn is None:
            choice = 0
            edges = (xn,)
        else:
            choice = 2
            edges = (xn, yn)
        if number:
            left = right = xn.kind
        else:
            left = (x.shape, x.dtype) if xn is None else xn.kind or noted(xn, x)
            right = (y.shape, y.dtype) if yn is None else yn.kind or noted(yn, y)
        exact = left is right or left == right
        if not exact and z.dtype.kind != "f":
            return general(rule, compute, self, other)  # a complex array came in, or one of objects
        plan = plans[choice] or planned(plans, rule, choice)
        variable._node = node = new(Node)
        node.plan = plan
        node.edges = edges
        node.saved = plan.save(z, x, y) if plan.keeps else ()
        node.seq = tick()
        if exact:
            node.kind = left
            node.restore = None
        else:
            made = (z.shape, z.dtype)
            if left == made:
                made, left = left, None
            if right == made:
                right = None
            node.kind = made
            node.restore = (left, right) if choice == 2 else (right,) if choice else (left,)
        return variable

    def reflected(self: Variable, other: Any) -> Any:
        y = self._value
        yn = self._node
        if OFF or type(other) is not float and type(other) is not int or type(y) is not ndarray or type(self) is not Variable:
            return apply(rule, (other, self), {}, compute) if usable(other) else NotImplemented
        if REWRITTEN:
            refresh(self)
            yn = self._node
        variable = new(Variable)
        variable._value = z = compute(other, y)
        if yn is None or yn is VOLATILE:
            variable._node = yn
            return variable
        plan = plans[1] or planned(plans, rule, 1)
        variable._node = node = new(Node)
        node.plan = plan
        node.edges = (yn,)
        node.saved = plan.save(z, other, y) if plan.keeps else ()
        node.seq = tick()
        node.kind = yn.kind
        node.restore = None
        return variable

    return forward, reflected


def product(rule: Any, compute: Callable[[Any, Any], Any]) -> tuple[Any, Any]:
    """The same two methods of ``@``, whose rule and quickest function depend on the ranks of the operands.

    What is alike in :func:`binary` stands here again: on this path a call is a twentieth of the whole.
    """
    by_rank: dict[tuple[int, int], list[Plan | None]] = {}
    matrices = by_rank[2, 2] = [None, None, None]

    def forward(self: Variable, other: Any) -> Any:
        if OFF:
            return unrecorded(rule, compute, self, other)
        if REWRITTEN:
            bring_up_to_date(self, other)
        x = self._value
        xn = self._node
        if type(other) is Variable:
            y = other._value
            yn = other._node
        else:
            y = other
            yn = None
        if type(x) is not ndarray or type(y) is not ndarray or type(self) is not Variable:
            return general(rule, compute, self, other)
        dtype = x.dtype
        exact = dtype is y.dtype
        if x.ndim == 2 and y.ndim == 2:
            z = x.dot(y)  # the same product, started in half the time
            plans = matrices
        else:
            z = compute(x, y)
            plans = by_rank.setdefault((x.ndim, y.ndim), [None, None, None])
        if not exact and z.dtype.kind != "f":
            return general(rule, compute, self, other)  # a complex array came in, or one of objects
        variable = new(Variable)
        variable._value = z
        if xn is None:
            if yn is None or yn is VOLATILE:
                variable._node = yn
                return variable
            choice = 1
            edges: tuple[Any, ...] = (yn,)
        elif xn is VOLATILE or yn is VOLATILE:
            variable._node = VOLATILE
            return variable
        elif yn is None:
            choice = 0
            edges = (xn,)
        else:
            choice = 2
            edges = (xn, yn)
        variable._node = node = new(Node)
        node.plan = plan = plans[choice] or planned(plans, rule.variant((x.ndim, y.ndim)), choice)
        node.edges = edges
        node.saved = plan.save(z, x, y)
        node.seq = tick()
        node.kind = None
        node.restore = None
        if not exact:
            kinds = (x.shape, dtype), (y.shape, y.dtype)
            node.restore = kinds if choice == 2 else kinds[choice:choice + 1]
        return variable

    def reflected(self: Variable, other: Any) -> Any:
        return apply(rule, (other, self), {}, compute) if usable(other) else NotImplemented

    return forward, reflected


def planned(plans: list[Plan | None], rule: Rule, choice: int) -> Plan:
    """The plan of a rule for the left operand, the right one or both, kept among ``plans``."""
    named = tuple(rule.parameters)[:2]
    plans[choice] = plan = plan_for(rule, named if choice == 2 else named[choice:choice + 1])
    return plan


def unrecorded(rule: Rule, compute: Callable[[Any, Any], Any], self: Variable, other: Any) -> Any:
    """``v op other`` where somebody has recording switched off: this thread or task, perhaps."""
    if not is_grad_enabled() and type(self) is Variable:
        if type(other) is Variable:
            variable = new(Variable)
            variable._value = compute(self._value, other._value)
            variable._node = VOLATILE if self._node is VOLATILE or other._node is VOLATILE else None
            return variable
        if type(other) in PLAIN:
            variable = new(Variable)
            variable._value = compute(self._value, other)
            variable._node = VOLATILE if self._node is VOLATILE else None
            return variable
    return general(rule, compute, self, other)


def general(rule: Rule, compute: Callable[[Any, Any], Any], self: Variable, other: Any) -> Any:
    """``v op other`` by the way that everything can go."""
    return apply(rule, (self, other), {}, compute) if usable(other) else NotImplemented


def bring_up_to_date(*operands: Any) -> None:
    """Let operands that are views see what was changed in place through others; nothing, where nothing is recorded."""
    for operand in () if OFF else operands:
        if type(operand) is Variable:
            refresh(operand)


def piecewise_constant(rule: Rule, compute: Callable[[Any, Any], Any]) -> tuple[Any, Any]:
    """The same two methods of an operator whose result is piecewise constant."""

    def forward(self: Variable, other: Any) -> Any:
        return apply(rule, (self, other), {}, compute) if usable(other) else NotImplemented

    def reflected(self: Variable, other: Any) -> Any:
        return apply(rule, (other, self), {}, compute) if usable(other) else NotImplemented

    return forward, reflected


def unary(function: Any, compute: Callable[[Any], Any], rule: Rule | None = None) -> Any:
    """A method for a function of one float array; ``rule``: its rule, of a function that has none in the table."""
    rule = rule or rule_for(function)
    assert rule is not None
    plan: Plan | None = None

    def method(self: Variable) -> Any:
        nonlocal plan
        if REWRITTEN:
            bring_up_to_date(self)
        x = self._value
        xn = self._node
        if OFF or type(x) is not ndarray or type(self) is not Variable:
            if OFF and not is_grad_enabled() and type(self) is Variable:  # under no_grad
                variable = new(Variable)
                variable._value = compute(x)
                variable._node = VOLATILE if xn is VOLATILE else None
                return variable
            return apply(rule, (self,), {}, compute)
        variable = new(Variable)
        variable._value = z = compute(x)
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
        node.kind = xn.kind
        node.restore = None
        return variable

    method.__name__ = function.__name__
    method.__doc__ = f"``np.{function.__name__}(x)``."
    return method


def usable(other: Any) -> bool:
    """Whether an operand is an array, a number or a Variable: for all else the other operand's method is asked."""
    if is_host_array(other) and not is_plain_array(other):
        plainly(other)
    if isinstance(other, (Variable, int, float, complex, list, tuple)) or is_array(other) or is_number(other):
        return True
    if type(other).__module__.startswith("scipy.sparse"):
        raise refused(MissingRuleError(
            f"an operator of a value that is being differentiated and a {type(other).__name__} has no derivative rule",
            why="SciPy computes it by functions of its own", remedy="make it a plain array by its toarray()",
        ))
    return False


def comparison(compute: Callable[[Any, Any], Any]) -> Any:
    """A comparison: of the values, giving an array (a bool of numbers), never a Variable."""

    def method(self: Variable, other: Any) -> Any:
        return compute(self._value, raw(other)) if usable(other) else NotImplemented

    return method


BINARY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.divide, "pow": np.power, "matmul": np.matmul,
    "mod": np.remainder, "floordiv": np.floor_divide,
}
UNARY = {"neg": np.negative, "pos": np.positive, "abs": np.absolute}


UFUNCS: dict[Any, Any] = {}
"""The ufuncs of one argument, as methods."""

PAIRS: dict[Any, tuple[Any, Any]] = {}
"""Those of two arguments, as the methods of the first and of the second."""

HALF = frozenset({np.copysign, np.heaviside})
"""Those with a derivative in one argument only: :func:`apply` looks which one it is."""


def operators() -> dict[str, Callable[..., Any]]:
    """The operators, as methods."""
    methods: dict[str, Callable[..., Any]] = {}
    for name, function in BINARY.items():
        if function is np.matmul:
            forward, reflected = PAIRS[function] = product(rule_for(function), operator.matmul)
        else:
            forward, reflected = binary(function, getattr(operator, name))
        methods[f"__{name}__"], methods[f"__r{name}__"] = forward, reflected
    for name, function in UNARY.items():
        methods[f"__{name}__"] = unary(function, getattr(operator, name))
    for known, rule in RULES.items():
        if isinstance(known, np.ufunc) and rule.kind == "elementwise" and known.nin * "f" + "->f" in known.types:  # keeps the dtype
            if known.nin == 1:
                UFUNCS[known] = unary(known, known)
            elif known.nin == 2 and known not in HALF:
                PAIRS[known] = binary(known, known)
    power, squared = methods["__pow__"], unary(np.square, lambda x: x**2)
    reflected = methods["__rpow__"]
    methods |= {  # NumPy squares for an exponent of 2, and the rule of square is much the simpler one
        "__pow__": lambda self, other: squared(self) if type(other) is int and other == 2 else of_negative(power(self, other), self, other),
        "__rpow__": lambda self, other: of_negative(reflected(self, other), other, self),
        "__divmod__": lambda self, other: (self // other, self % other),
        "__rdivmod__": lambda self, other: (other // self, other % self),
        "__round__": lambda self, *ndigits: round(self._value, *ndigits),  # piecewise constant
    }
    PAIRS[np.divmod] = methods["__divmod__"], methods["__rdivmod__"]  # ``divmod(array, variable)``
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        methods[f"__{name}__"] = comparison(getattr(operator, name))
    return methods


def of_negative(made: Any, base: Any, exponent: Any) -> Any:
    """A power as it was ``made``; one of a negative Python number, which is complex, is made of a complex number."""
    if isinstance(made, Variable) and type(made._value) is complex and type(raw(base)) in (float, int):
        return (base * (1 + 0j)) ** exponent
    return made


METHODS = operators()
"""The operators of Variable, which fill the tables above too."""
