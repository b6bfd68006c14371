"""What values hold, at any depth, and whether who has read it can read it again."""

from __future__ import annotations

import builtins
import collections
import dis
import enum
import functools
import sys
import types
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

import numpy as np

from .arrays.library import on_device
from .copies import GENERATORS
from .user_objects import held_by, is_users

FIXED = (bool, int, float, complex, str, bytes, type(None), type(...), range, slice, type, types.ModuleType, np.dtype, enum.Enum)
"""The types of what stays as it is."""

SEQUENCES = {list, tuple, collections.deque}
MAPPINGS = {dict, collections.OrderedDict, collections.defaultdict, collections.Counter}
SETS = {set, frozenset}
CONTAINERS = (list, tuple, collections.deque, dict, set, frozenset)

ASKING = (builtins.input, builtins.open)
"""Functions that take from the world."""

READ_AGAIN = {
    "abc", "array", "builtins", "collections", "dataclasses", "datetime", "decimal", "enum", "fractions", "functools", "logging", "numpy",
    "operator", "pandas", "pathlib", "re", "scipy", "sourcediff", "types", "typing", "xarray",
}
"""Packages of classes whose objects, iterators apart, can be read as often as one likes."""

TAKING = frozenset("read readline readlines recv get_nowait fetchone fetchall".split())
"""Methods after which what they gave is gone."""


def parts_within(
    values: Iterable[Any], plain: Callable[[Any], bool] = lambda part: False,
) -> Iterator[tuple[Any, Collection[Any] | None]]:
    """All that is in some values, at any depth, containers and objects once, each with what it holds in turn: see :func:`inside`."""
    pending, seen = list(values), set()
    while pending:
        part = pending.pop()
        found = inside(part, plain)
        if found:
            if id(part) in seen:
                continue
            seen.add(id(part))
            pending += found
        yield part, found


def inside(part: Any, plain: Callable[[Any], bool]) -> Collection[Any] | None:
    """What a container or an object holds, nothing for what stays as it is or is ``plain``; None for what nobody can look into."""
    kind = type(part)
    if kind is np.ndarray or isinstance(part, np.generic) or on_device(part):
        return None if part.dtype.hasobject else ()
    if isinstance(part, FIXED) or kind in SETS or plain(part):
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
    """Whether who has read something cannot read it again: an iterator, a file, a queue, what changes as it is asked, ``input``.

    >>> used_up([2.0, {"x": np.zeros(2)}]), used_up([2.0, {"x": iter([1.0])}])
    (False, True)
    """
    pending, seen = [value], set()
    while pending:
        for part, found in parts_within([pending.pop()]):
            if found is None and id(part) not in seen:
                seen.add(id(part))
                kind: Any = type(part)
                if kind in (types.BuiltinFunctionType, types.MethodWrapperType):
                    if part in ASKING:
                        return True
                    pending.append(part.__self__)
                elif isinstance(part, Iterator) or not isinstance(part, (np.ndarray, *GENERATORS)) and not _read_again(kind):
                    return True
                elif isinstance(part, CONTAINERS):
                    pending += [*getattr(part, "__dict__", {}).values(), *_items_held(part)]
                elif _package_of(part) not in READ_AGAIN:
                    pending += getattr(part, "__dict__", {}).values()
    return False


def _items_held(part: Any) -> Iterable[Any]:
    return dict.values(part) if isinstance(part, dict) else plain_kind(part).__iter__(part)


def plain_kind(part: Any) -> Any:
    """The class of Python's own that a container is of, or that its class is made of."""
    return next(base for base in type(part).__mro__ if base.__module__ in ("builtins", "collections"))


@functools.lru_cache(maxsize=256)
def _read_again(kind: Any) -> bool:
    """Whether the objects of a class of which nothing else is known are as they were when one of their methods has been called."""
    for base in kind.__mro__:
        package = _package_of(base)
        if package not in READ_AGAIN and (
            package in sys.stdlib_module_names or TAKING.intersection(vars(base)) or any(map(_sets, vars(base).values()))
        ):
            return False
    return True


def _package_of(part: Any) -> str:
    return (getattr(part, "__module__", None) or "").split(".")[0].lstrip("_")


def _sets(method: Any) -> bool:
    """Whether a method, other than what makes an object, gives something a new value."""
    if not isinstance(method, types.FunctionType) or method.__name__ in ("__init__", "__new__", "__post_init__", "__setstate__"):
        return False
    return any(step.opname in ("STORE_ATTR", "STORE_SUBSCR", "DELETE_ATTR", "DELETE_SUBSCR") for step in dis.get_instructions(method))
