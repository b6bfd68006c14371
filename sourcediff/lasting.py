"""Whether a call of a function can be made again later: what it reads from outside is kept, to be compared with what is there then."""

from __future__ import annotations

import collections
import dis
import enum
import functools
import sys
import types
import weakref
from collections.abc import Collection, Iterable, Iterator
from typing import Any

import numpy as np

from .analysis.surroundings import Surroundings, current, defaults_of, is_derivative, is_user_function
from .copies import GENERATORS
from .errors import InPlaceError
from .objects import held_by, is_users
from .rules.frames import rule_for
from .syntax.function import definition

FIXED = (bool, int, float, complex, str, bytes, type(None), type(...), range, slice, type, types.ModuleType, np.dtype, enum.Enum)
"""The types of what stays as it is."""

SEQUENCES = {list, tuple, collections.deque}
MAPPINGS = {dict, collections.OrderedDict, collections.defaultdict, collections.Counter}
SETS = {set, frozenset}
CALLS = {functools.partial, types.MethodType}

READ_AGAIN = {
    "abc", "array", "builtins", "collections", "dataclasses", "datetime", "decimal", "enum", "fractions", "functools", "logging", "numpy",
    "operator", "pandas", "pathlib", "re", "scipy", "sourcediff", "types", "typing", "xarray",
}
"""Packages of classes whose objects, iterators apart, can be read as often as one likes."""

TAKING = frozenset("read readline readlines recv get_nowait fetchone fetchall pop popleft popitem".split())
"""Methods after which what they gave is gone."""


class Lasting:
    """What a call reads from outside: its surroundings, and ``given``, the parts of its arguments that others may change.

    ``known`` is whether the call can be made again: all that it reads is known, and the function does the same with the same values.
    """

    def __init__(self, surroundings: Surroundings, given: dict[str, Any]):
        self.surroundings = surroundings
        self.given = given
        self.kept = [contents(value) for _, value in self.read()]
        self.known = None not in self.kept and repeats(surroundings)

    def read(self) -> list[tuple[str, Any]]:
        """What is read from outside, as it is now, and its names."""
        found = list(self.given.items())
        for function in self.surroundings.functions:
            if not is_derivative(function) and (function.__defaults__ or function.__kwdefaults__ or function.__dict__):
                found += [(f"{function.__qualname__}: {name}", value) for name, value in (defaults_of(function) | vars(function)).items()]
        return found + [(name, current(function, name)) for function, name in self.surroundings.data]

    def check(self) -> None:
        """Raise InPlaceError unless all is as it was."""
        changed = "a function, or what a class holds"
        if self.surroundings.unchanged():
            now = [(name, contents(value)) for name, value in self.read()]
            found = [name for (name, one), other in zip(now, self.kept) if not same(one, other)]
            if not found:
                return
            changed = found[0]
        function = self.surroundings.functions[0]
        raise InPlaceError(
            f"{function.__qualname__} reads {changed}, which has changed since the call whose second derivative is asked for",
            why="the second derivative runs the function again, on what is there now",
            remedy=f"call backward (or autograd.grad) before the change, or give mode='eager' to the gradient of {function.__qualname__}",
            places=[definition(function, "called with Variables")],
        )


_repeating: weakref.WeakKeyDictionary[Surroundings, bool] = weakref.WeakKeyDictionary()


def repeats(surroundings: Surroundings) -> bool:
    """Whether a function and all that it calls do the same when they run again on the same values."""
    if surroundings not in _repeating:
        from .analysis import effective  # which reads the sources

        _repeating[surroundings] = all(effective.repeats(function) for function in surroundings.functions if not is_derivative(function))
    return _repeating[surroundings]


def finds_again(surroundings: Surroundings, given: Iterable[Any], drawn: bool = False) -> bool:
    """Whether another run of a function finds all as the last one did: it has used up nothing of what it read.

    What containers held, and what random numbers come next, has been brought back; if the numbers stay ``drawn``, they count too.
    """
    if any(map(used_up, (*given, *surroundings.data_now()))):
        return False
    from .analysis import effective

    return not any(effective.uses_up(function, drawn) for function in surroundings.functions if not is_derivative(function))


def contents(value: Any) -> list[Any] | None:
    """All that a value holds, at any depth, flat and as it is now.

    None where it cannot be told whether something in it has changed: an iterator, a generator of random numbers, a file.

    >>> contents({"k": [2.0, np.zeros(1)]})
    [<class 'dict'>, ('k',), <class 'list'>, 2, (1,), dtype('float64'), b'\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00', 2.0]
    """
    found: list[Any] = []
    for part, inside in within([value]):
        kind = type(part)
        if inside is None:
            return None
        if isinstance(part, (np.ndarray, np.generic)):
            found += (part.shape, part.dtype, part.tobytes())
        elif kind in SEQUENCES:
            found += (kind, len(part))
        elif kind in MAPPINGS:
            found += (kind, tuple(part))
        elif kind in SETS:
            found += (kind, frozenset(part))
        elif is_users(kind):
            found += (part, *held_by(part))
        else:
            found.append(kind if kind in CALLS else part)
    return found


def within(values: Iterable[Any]) -> Iterator[tuple[Any, Collection[Any] | None]]:
    """All that is in some values, at any depth, containers and objects once, each with what it holds in turn: see :func:`inside`."""
    pending, seen = list(values), set()
    while pending:
        part = pending.pop()
        found = inside(part)
        if found:
            if id(part) in seen:
                continue
            seen.add(id(part))
            pending += found
        yield part, found


def inside(part: Any) -> Collection[Any] | None:
    """What a container or an object holds, nothing for what stays as it is; None for what nobody can look into."""
    kind = type(part)
    if kind is np.ndarray or isinstance(part, np.generic):
        return None if part.dtype.hasobject else ()
    if isinstance(part, FIXED) or kind in SETS or rule_for(part) is not None or is_user_function(part) or is_derivative(part):
        return ()
    if kind in SEQUENCES:
        return part  # type: ignore[no-any-return]
    if kind in MAPPINGS:
        return part.values()  # type: ignore[no-any-return]
    if is_users(kind):
        return held_by(part).values()
    if kind is functools.partial:
        return part.func, part.args, part.keywords
    return (part.__func__, part.__self__) if kind is types.MethodType else None


def used_up(value: Any) -> bool:
    """Whether who has read something cannot read it again: an iterator, a file, a queue, what changes as it is asked.

    >>> used_up([2.0, {"x": np.zeros(2)}]), used_up([2.0, {"x": iter([1.0])}])
    (False, True)
    """
    pending, seen = [value], set()
    while pending:
        for part, found in within([pending.pop()]):
            if found is None and id(part) not in seen:
                seen.add(id(part))
                kind: Any = type(part)
                if kind in (types.BuiltinFunctionType, types.MethodWrapperType):
                    pending.append(part.__self__)
                elif isinstance(part, Iterator) or not isinstance(part, (np.ndarray, *GENERATORS)) and not _read_again(kind):
                    return True
                elif _package(part) not in READ_AGAIN:
                    pending += getattr(part, "__dict__", {}).values()
    return False


@functools.lru_cache(maxsize=256)
def _read_again(kind: Any) -> bool:
    """Whether the objects of a class of which nothing else is known are as they were when one of their methods has been called."""
    package = _package(kind)
    if package in READ_AGAIN or package in sys.stdlib_module_names:
        return package in READ_AGAIN
    return not any(TAKING.intersection(vars(base)) or any(map(_sets, vars(base).values())) for base in kind.__mro__[:-1])


def _package(part: Any) -> str:
    return (getattr(part, "__module__", None) or "").split(".")[0].lstrip("_")


def _sets(method: Any) -> bool:
    """Whether a method, other than what makes an object, gives something a new value."""
    if not isinstance(method, types.FunctionType) or method.__name__ in ("__init__", "__new__", "__post_init__", "__setstate__"):
        return False
    return any(step.opname in ("STORE_ATTR", "STORE_SUBSCR", "DELETE_ATTR", "DELETE_SUBSCR") for step in dis.get_instructions(method))


def same(one: list[Any] | None, other: list[Any] | None) -> bool:
    """Whether contents are what they were."""
    if one is None or other is None or len(one) != len(other):
        return False
    return all(
        part is was or type(part) is type(was) and isinstance(part, (*FIXED, tuple, frozenset)) and part == was
        for part, was in zip(one, other)
    )
