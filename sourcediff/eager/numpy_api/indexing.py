"""Reading entries of a Variable."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...rules.frames import rule_for
from ...runtime.arrays import is_array, on_device
from ..engine.apply import apply, raw
from ..engine.mutation import REWRITTEN
from ..engine.nodes import VOLATILE, Node, Recorded, tick
from ..engine.plans import Plan, plan_for
from ..engine.scopes import OFF, is_grad_enabled
from ..engine.variable import Variable, new
from ..engine.views import DETACHED, refresh

ndarray = np.ndarray
GETITEM = rule_for(operator.getitem)
assert GETITEM is not None
_plan: list[Plan] = []


def index_of(key: Any) -> Any:
    """An index in plain NumPy terms: of Variables the values, of lists arrays that nobody else can change."""
    if isinstance(key, (int, slice)) or key is None or key is Ellipsis:
        return key if not isinstance(key, slice) else slice(*map(bound_of, (raw(key).start, raw(key).stop, raw(key).step)))
    if isinstance(key, tuple):
        return tuple(index_of(part) for part in key)
    if isinstance(key, Recorded):
        key = key._value
    if on_device(key) and not key.ndim:
        return operator.index(key.item())  # which gives a view, as NumPy's numbers do
    if isinstance(key, list):
        return np.array(raw(key)) if key else np.array([], int)
    return np.copy(key) if is_array(key) else key


def bound_of(bound: Any) -> Any:
    """A bound of a slice: a number on a device as it is now."""
    return int(bound) if on_device(bound) else bound


def is_basic(key: Any) -> bool:
    """Whether indexing with ``key`` gives a view (or an entry): integers, slices, Ellipsis and None only."""
    parts = key if isinstance(key, tuple) else (key,)
    return all(
        part is None or part is Ellipsis or isinstance(part, (int, np.integer, slice)) and not isinstance(part, bool) for part in parts
    )


def item(self: Variable, key: Any) -> Any:
    """``variable[key]``."""
    if REWRITTEN and not OFF and type(self) is Variable:
        refresh(self)
    x = self._value
    xn = self._node
    kind = type(key)
    if kind is not int and (kind is not slice or type(x) is not ndarray):
        key = index_of(key)
    if OFF or type(x) is not ndarray or type(self) is not Variable:
        if not (OFF and not is_grad_enabled() and type(self) is Variable and type(x) is ndarray):
            return apply(GETITEM, (self, key), {})
        variable = new(Variable)  # under no_grad
        variable._value = x[key]
        variable._node = VOLATILE if xn is VOLATILE else None
        variable._base = DETACHED
        return variable
    variable = new(Variable)
    variable._value = z = x[key]
    if z.base is not None:
        variable._base = self, key
    if xn is None or xn is VOLATILE:
        variable._node = xn
        return variable
    variable._node = node = new(Node)
    if not _plan:
        _plan.append(plan_for(GETITEM, ("a",)))
    node.plan = plan = _plan[0]
    node.edges = (xn,)
    node.saved = plan.save(z, x, key)
    node.seq = tick()
    node.kind = None
    node.restore = None
    return variable
