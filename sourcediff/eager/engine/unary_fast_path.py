"""The short way of functions with one Variable, the first argument, beside constants: ``np.sum(x, axis=0)``, ``x.reshape(2, 3)``.

:func:`apply` can do all that is done here. Looking for Variables in every argument takes it longer than NumPy needs for a small array.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ...errors import MissingRuleError
from ...rules.frames import Rule, rule_for
from .apply import binder
from .graph import record
from .mutation import REWRITTEN
from .nodes import VOLATILE, Recorded
from .plans import Plan, plan_for
from .scopes import OFF, is_grad_enabled
from .variable import Variable, new
from .views import BY_ENTRIES, DETACHED, refresh

ndarray = np.ndarray
CONSTANTS = frozenset({int, float, bool, type(None), str, type, np.dtype})
INTEGERS = frozenset({int})
FLOATS = frozenset({np.dtype(kind) for kind in (np.float16, np.float32, np.float64, np.longdouble)})
NAMESAKES = {getattr(np, name): getattr(ndarray, name) for name in (
    "sum mean prod var std max min cumsum reshape transpose ravel repeat swapaxes squeeze diagonal trace"
).split()}
"""Functions that do no more than to call the method of an array: what they look into before takes longer than small sums."""


class Form:
    """One form of call, by function, number of arguments and keywords: what computes it, and how it is recorded."""

    __slots__ = ("bind", "compute", "plan", "rule")

    def __init__(self, function: Callable[..., Any], rule: Rule, count: int, names: tuple[str, ...]):
        self.rule = rule
        alike = {"axis", "keepdims"}.issuperset(names) and (count < 3 or function is not np.reshape)  # whose method's order is a keyword
        self.compute = NAMESAKES.get(function, function) if alike else function
        self.bind = binder(rule, count, names)
        self.plan: Plan | None = None

    def planned(self) -> Plan:
        """How to go backward."""
        if self.plan is None:
            self.plan = plan_for(self.rule, (next(iter(self.rule.parameters)),))
        return self.plan

    def saved(self, z: Any, x: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """What that reads."""
        return self.planned().save(z, *self.bind((x, *args[1:]), kwargs))  # type: ignore[no-any-return]

    def restored(self, z: Any, x: Any) -> tuple[Any, ...] | None:
        """The kind of what the contribution belongs to, where it is another one than that of the result."""
        return None if x.dtype is z.dtype else ((x.shape, x.dtype),)


@cache
def call_form(function: Callable[..., Any], count: int, names: tuple[str, ...]) -> Form | None:
    """The form of such calls; None where only the general way will do."""
    rule = rule_for(function)
    if rule is None or rule.kind == "constant" or rule.outputs != 1 or rule.sequence or rule.variants or "out" in names:
        return None
    first = next(iter(rule.parameters), None)
    if first not in rule.differentiable or not set(names) <= set(rule.parameters) - {first} or count > len(rule.parameters):
        return None
    try:
        return Form(function, rule, count, names)
    except (TypeError, MissingRuleError):  # for the rule there are too few or too many arguments, or unknown ones
        return None


def short(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``function(*args, **kwargs)``, recorded where the Variable requires grad; NotImplemented where only the general way will do."""
    variable: Any = args[0] if args else None
    own = type(variable) is Variable
    if not own and not (isinstance(variable, Recorded) and variable._leads):
        return NotImplemented
    x = variable._value
    if type(x) is not ndarray or not own and x.dtype not in FLOATS:
        return NotImplemented
    if not CONSTANTS.issuperset(map(type, args[1:])) and not all(map(is_constant, args[1:])):
        return NotImplemented
    if kwargs and not all(map(is_constant, kwargs.values())):
        return NotImplemented
    known = call_form(function, len(args), tuple(kwargs))
    if known is None:
        return NotImplemented
    if REWRITTEN and not OFF:
        refresh(variable)
    node = variable._node
    z = known.compute(x, *args[1:], **kwargs)
    if type(z) is not ndarray and not isinstance(z, np.floating) or z.dtype not in FLOATS:
        return NotImplemented
    if not own:
        if OFF and is_grad_enabled():
            return NotImplemented
        active = node is not None and node is not VOLATILE and not OFF
        node = record(known.planned(), (node,), known.saved(z, x, args, kwargs), known.restored(z, x)) if active else (
            node if node is VOLATILE else None)
        if type(z) is np.float64 and not (active and known.planned().holds):
            return z if node is None else variable._number(z, node)
        return variable._result(z, node, function, args, kwargs)
    made = new(Variable)
    made._value = z
    if z is x or z.base is not None and (z.base is x or z.base is x.base):
        made._base = (variable, BY_ENTRIES) if not OFF else DETACHED
    if OFF:
        if is_grad_enabled():
            return NotImplemented  # somebody looks for anomalies
        made._node = VOLATILE if node is VOLATILE else None
        return made
    if node is None or node is VOLATILE:
        made._node = node
        return made
    made._node = record(known.planned(), (node,), known.saved(z, x, args, kwargs), known.restored(z, x))
    return made


def is_constant(value: Any) -> bool:
    """Whether a value is one that holds no Variable: a number, a name, or a tuple of integers (a shape, axes)."""
    return type(value) in CONSTANTS or type(value) is tuple and INTEGERS.issuperset(map(type, value))
