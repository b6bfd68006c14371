"""Solvers in a library run: what ``runtime/solving.py`` asks of the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import MissingRuleError
from ...runtime.arrays import is_array
from ...runtime.solving import SOLVING
from ..engine.apply import raw, stacked, variables_in
from ..engine.backward import grad
from ..engine.nodes import Leaf, Recorded
from ..engine.scopes import no_grad
from ..engine.variable import Variable
from .live import Live
from .type_proxies import Replacement, original_of
from .watch import WATCH, refused


def settled(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call with values alone; nothing of it is recorded."""
    with no_grad():
        return values(original_of(function)(*map(plain_argument, args), **{name: plain_argument(part) for name, part in kwargs.items()}))


def values(result: Any) -> Any:
    """A structure with the values of the Variables in it."""
    if isinstance(result, Recorded):
        return np.array(result._value) if is_array(result._value) else result._value
    if isinstance(result, dict) and type(result) is dict:
        return {key: values(part) for key, part in result.items()}
    if type(result) in (list, tuple):
        return type(result)(map(values, result))
    return original_of(result) if isinstance(result, Replacement) else result


def plain_argument(value: Any) -> Any:
    """An argument for a solver: of a function one that gives values."""
    value = values(value)
    if type(value) in (list, tuple):
        return type(value)(map(plain_argument, value))
    if type(value) is dict:
        return {key: plain_argument(part) for key, part in value.items()}
    if not callable(value) or isinstance(value, (type, np.ufunc)):
        return value

    def called(*args: Any, **kwargs: Any) -> Any:
        return values(value(*args, **kwargs))

    vars(called).update(getattr(value, "__dict__", {}), __wrapped__=value)  # marks of events; whose signature curve_fit asks
    return called


def linearised(function: Callable[[Any], Any], x: Any) -> tuple[Any, Any]:
    """The value and the Jacobian, recorded: of what the function reads from outside, and of x if that is on the graph."""
    at = x if isinstance(x, Recorded) and x._node is not None else _leaf(raw(x))
    value: Any = function(at)
    value = stacked(value) if isinstance(value, (list, tuple)) else value
    if getattr(value, "_node", None) is None:
        return value, np.zeros(np.shape(raw(value)) + np.shape(raw(at)))
    entries = [value] if np.ndim(value._value) == 0 else [value[index] for index in np.ndindex(np.shape(value._value))]
    rows = [_row(entry, at) for entry in entries]
    return value, rows[0] if np.ndim(value._value) == 0 else np.reshape(stacked(rows), np.shape(value._value) + np.shape(raw(at)))


def _leaf(value: Any) -> Live:
    data = np.array(value, dtype=float) if np.ndim(value) else float(value)
    leaf = Variable(data, requires_grad=True)
    return Live(data, leaf._node if leaf._node is not None else Leaf(leaf))


def _row(entry: Any, at: Any) -> Any:
    (row,) = grad(entry, at, create_graph=True, allow_unused=True)
    return np.zeros(np.shape(raw(at))) if row is None else Live(row._value, row._node)


class Withheld:
    """A part of a solver's answer that is not differentiated: it may be passed over, not used."""

    def __init__(self, name: str):
        self._name = name

    def __repr__(self) -> str:
        return f"<{self._name}, which has no derivative rule>"

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise refused(MissingRuleError(
            f"{self._name} has no derivative rule", why="the solver computes it on its way, from values alone",
            remedy="use the solution itself, or compute it from that",
        ))

    __array__ = __getitem__ = __len__ = __iter__ = __float__ = __call__ = __bool__ = __eq__ = __lt__ = __gt__ = _refuse  # type: ignore[assignment]
    __add__ = __radd__ = __mul__ = __rmul__ = __sub__ = __rsub__ = __truediv__ = __rtruediv__ = __matmul__ = __rmatmul__ = _refuse
    __neg__ = __abs__ = __pow__ = _refuse
    __hash__ = object.__hash__


def records_call(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a call may have to be recorded: in a run it may read Variables from outside."""
    return bool(WATCH.depth or variables_in([*args, *kwargs.values()]))


SOLVING.update(settled=settled, linearised=linearised, withheld=Withheld, records=records_call)
