"""Solvers in a library run: what ``runtime/solving.py`` asks of the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import MissingRuleError
from ...runtime.arrays import as_array, blank, is_array, is_host_array
from ...runtime.arrays.library import to_device
from ...runtime.solving import SOLVING
from ...runtime.waits import waited
from ..engine.apply import raw, stacked, variables_in
from ..engine.backward import grad
from ..engine.nodes import Leaf, Recorded
from ..engine.scopes import no_grad
from ..engine.variable import Variable
from .live import Live
from .type_proxies import Replacement, original_of
from .watch import WATCH, refused


def settled(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call with values alone; nothing of it is recorded. On arrays of a device a solver computes in the computer's own memory."""
    if WATCH.on_device and (args or kwargs):
        return sent_back(at_home(function, args, kwargs))
    with no_grad():
        return values(original_of(function)(*map(plain_argument, args), **{name: plain_argument(part) for name, part in kwargs.items()}))


def at_home(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call with values in the computer's own memory: what its functions are given goes to the device, what they give is waited for."""

    def here(value: Any) -> Any:
        value = values(value)
        if type(value) in (list, tuple):
            return type(value)(map(here, value))
        if not callable(value) or isinstance(value, (type, np.ufunc)):
            return waited(value)

        def called(*args: Any, **kwargs: Any) -> Any:
            return here(value(*map(sent_back, args), **kwargs))

        vars(called).update(getattr(value, "__dict__", {}), __wrapped__=value)
        return called

    with no_grad():
        return original_of(function)(*map(here, args), **{name: here(part) for name, part in kwargs.items()})


def sent_back(result: Any) -> Any:
    """Arrays on the device: by themselves, in a tuple, or as the place that an optimizer has found."""
    if isinstance(result, dict) and "x" in result:
        result["x"] = sent_back(result["x"])
    return tuple(map(sent_back, result)) if type(result) is tuple else to_device(result) if is_host_array(result) else result


def values(result: Any) -> Any:
    """A structure with the values of the Variables in it."""
    if isinstance(result, Recorded):
        return as_array(result._value, result._value) if is_array(result._value) else result._value
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
        return value, blank(np.shape(raw(value)) + np.shape(raw(at)), raw(at))
    entries = [value] if np.ndim(value._value) == 0 else [value[index] for index in np.ndindex(np.shape(value._value))]
    rows = [_row(entry, at) for entry in entries]
    return value, rows[0] if np.ndim(value._value) == 0 else np.reshape(stacked(rows), np.shape(value._value) + np.shape(raw(at)))


def _leaf(value: Any) -> Live:
    data = as_array(value, value, float) if np.ndim(value) else float(value)
    leaf = Variable(data, requires_grad=True)
    return Live(data, leaf._node if leaf._node is not None else Leaf(leaf))


def _row(entry: Any, at: Any) -> Any:
    (row,) = grad(entry, at, create_graph=True, allow_unused=True)
    return blank(np.shape(raw(at)), raw(at)) if row is None else Live(row._value, row._node)


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
