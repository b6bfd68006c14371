"""What is kept of a function from one call of a door to the next: ``jvp(f, …)`` finds what was made of ``f`` before.

It is forgotten with the function: nothing here, nor in what is kept, keeps a function alive, nor the arrays that it closes over.

>>> def f(x):
...     return x
>>> kept(f, "answer", lambda: 42), kept(f, "answer", lambda: 43)
(42, 42)
>>> before = len(_kept)
>>> del f
>>> before - len(_kept)
1
"""

from __future__ import annotations

import gc
import types
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")

MOST = 256
"""Functions that something is kept of; those that were met first are forgotten."""

MOST_HELD = 32
"""The same for functions that are reached from what they close over: what is kept of them keeps them alive."""

LOOKED_AT = 400
"""Objects that are looked at to find that out."""

ENDS = (
    types.ModuleType, types.CodeType, types.BuiltinFunctionType, str, bytes, int, float, complex, type(None),
    np.ndarray, np.generic, np.ufunc,
)
"""The types of what is not looked into for that."""

_kept: dict[int, tuple[weakref.ref[Any], dict[Any, Any]]] = {}
_held: deque[int] = deque()


class OfFunction:
    """What is made of a function, and does not keep it alive: whoever asks something of it holds the function."""

    def __init__(self, function: types.FunctionType):
        self.reference = weakref.ref(function)

    @property
    def function(self) -> Any:
        """The function (a types.FunctionType)."""
        function = self.reference()
        assert function is not None
        return function


def kept(function: Any, what: Any, make: Callable[[], T]) -> T:
    """What is kept of a function (or of another callable) under a key; made where there is nothing."""
    found = known(function)
    if found is None:
        try:
            found = _new(function)
        except TypeError:  # an object of a class without room for weak references
            return make()
    if what not in found:
        if len(found) > MOST:
            found.clear()
        found[what] = make()
    return found[what]  # type: ignore[no-any-return]


def known(function: Any) -> dict[Any, Any] | None:
    """All that is kept of a function."""
    found = _kept.get(id(function))
    return None if found is None or found[0]() is not function else found[1]


def forget_function(function: Any, what: Any) -> None:
    """Forget what is kept of a function under a key."""
    (known(function) or {}).pop(what, None)


def forget_functions() -> None:
    """Forget what is kept of all functions, but for the lambdas that stand for all of one code: derivatives hold them weakly."""
    for _, found in list(_kept.values()):
        for what in [what for what in found if not (isinstance(what, tuple) and what and what[0] is twin)]:
            del found[what]


def _new(function: Any) -> dict[Any, Any]:
    key = id(function)

    def gone(reference: weakref.ref[Any], all_kept: Any = _kept) -> None:  # which is there up to the end of the process
        if (found := all_kept.get(key)) is not None and found[0] is reference:
            all_kept.pop(key, None)

    while len(_kept) >= MOST:
        _kept.pop(next(iter(list(_kept)), 0), None)  # of a list: a function may go at any moment
    made: dict[Any, Any] = {}
    _kept[key] = weakref.ref(function, gone), made
    if isinstance(function, types.FunctionType) and in_a_circle(function):
        keeping_alive(function)
    return made


def keeping_alive(function: Any) -> None:
    """Note that what is kept of a function keeps it alive."""
    if id(function) in _kept and id(function) not in _held:
        _held.append(id(function))
        while len(_held) > MOST_HELD:
            _kept.pop(_held.popleft(), None)


def lasting(function: types.FunctionType, what: Any, make: Callable[[], T]) -> T:
    """As :func:`kept`, of what holds the function itself; it is kept where the function holds no data, and of a few functions."""
    if holds_data(function):
        return make()
    found = kept(function, what, make)
    keeping_alive(function)
    return found


def holds_data(function: types.FunctionType) -> bool:
    """Whether a function holds more than code: variables of a function around it, defaults, attributes."""
    return bool(function.__closure__ or function.__defaults__ or function.__kwdefaults__ or function.__dict__)


def twin(function: types.FunctionType) -> types.FunctionType:
    """A lambda that is made again and again does the same each time, if it holds no data: the one of which things are kept.

    >>> def made():
    ...     return lambda x: x
    >>> twin(made()) is twin(made()), twin(twin) is twin
    (True, True)
    """
    code = function.__code__
    if code.co_name != "<lambda>" or holds_data(function):
        return function

    def made() -> types.FunctionType:
        copied = types.FunctionType(code, function.__globals__)
        copied.__qualname__ = function.__qualname__  # before 3.11 the code does not say it
        return copied

    found = kept(code, (twin, id(function.__globals__)), made)
    keeping_alive(code)
    return found


def in_a_circle(function: types.FunctionType) -> bool:
    """Whether a function can be reached from what it closes over, otherwise than by its own variable.

    >>> def around():
    ...     def even(n): return n == 0 or odd(n - 1)
    ...     def odd(n): return n > 0 and even(n - 1)
    ...     def own(n): return n and own(n - 1)
    ...     return even, own
    >>> [in_a_circle(function) for function in around()]
    [True, False]
    """
    cells = [part for part in gc.get_referents(*(function.__closure__ or ())) if part is not function]
    pending = [*cells, *(function.__defaults__ or ()), *vars(function).values()]
    seen = {id(part) for part in pending}
    for part in pending:  # which grows
        if len(pending) > LOOKED_AT:
            return True
        if isinstance(part, ENDS) or isinstance(part, types.FunctionType) and not part.__closure__ and not part.__defaults__:
            continue
        inside = gc.get_referents(part)
        if isinstance(part, types.FunctionType):  # not its globals, nor Python's own
            inside = [*gc.get_referents(*(part.__closure__ or ())), *(part.__defaults__ or ()), *vars(part).values()]
        for other in inside:
            if other is function:
                return True
            if id(other) not in seen:
                seen.add(id(other))
                pending.append(other)
    return False
