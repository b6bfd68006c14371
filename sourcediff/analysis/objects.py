"""Objects of the user's classes: which there are, what they hold, and what their class says of an attribute."""

from __future__ import annotations

import abc
import functools
import sys
import types
from typing import Any

import numpy as np

from ..rules.frames import spelling

FOREIGN = ("numpy", "scipy", "sourcediff")
"""Packages whose objects are not looked into; nor are those of Python's own library."""

HEAP = 1 << 9
"""The flag of a class that was made while the program runs, by ``class`` or ``type``."""

BUILT_IN = (dict, list, str, int, float, complex, set, frozenset, bytes, type, BaseException, types.ModuleType, np.ndarray)

DATA = (int, float, bool, str, type(None), np.ndarray, np.generic, tuple, list, dict)
"""What a class may hold for its objects to read, other than methods."""


class Same:
    """A function or class as a part of what can be compared: equal to itself alone."""

    __slots__ = ("value",)

    def __init__(self, value: Any):
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)

    def __repr__(self) -> str:
        return f"{getattr(self.value, '__module__', '')}.{getattr(self.value, '__qualname__', '') or spelling(self.value)}"


def is_users(kind: Any) -> bool:
    """Whether a class is the user's own, and looking up attributes of its objects does nothing but that."""
    known: bool = _is_users(kind)
    return known


@functools.lru_cache(maxsize=1024)
def _is_users(kind: Any) -> bool:
    if kind is types.SimpleNamespace:
        return True
    package = kind.__module__.split(".")[0]
    if not kind.__flags__ & HEAP or package in FOREIGN or package in sys.stdlib_module_names:
        return False
    if issubclass(kind, BUILT_IN) or issubclass(kind, tuple) and not hasattr(kind, "_fields"):
        return False
    usual = all(getattr(kind, name, None) is getattr(object, name, None) for name in ("__getattribute__", "__getattr__"))
    return usual and issubclass(type(kind), (type(abc.ABC), type)) and type(kind).__call__ in (type.__call__, abc.ABCMeta.__call__)


def member(kind: type, name: str) -> Any:
    """What a class holds under a name, as it stands there (a property as a property); None if nothing."""
    for base in kind.__mro__:
        if name in vars(base):
            return vars(base)[name]
    return None


def held_by(value: Any) -> dict[str, Any]:
    """The data that an object's attributes are: its own, and those of its class."""
    kind = type(value)
    found: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        for name, part in vars(base).items():
            if isinstance(part, types.MemberDescriptorType):
                if hasattr(value, name):
                    found[name] = getattr(value, name)
            elif isinstance(part, DATA) and not name.startswith("__"):
                found[name] = part
            else:
                found.pop(name, None)
    if isinstance(value, tuple):
        return found | dict(zip(kind._fields, value))  # type: ignore[attr-defined]
    own = getattr(value, "__dict__", {})
    return found | {name: part for name, part in own.items() if not hasattr(type(member(kind, name)), "__set__")}


def methods_of(kind: type) -> list[tuple[type, str, Any]]:
    """The functions of a class and its bases: where each stands, its name, and the function itself."""
    found = []
    for base in kind.__mro__:
        if is_users(base):
            for name, part in vars(base).items():
                inner = part.fget if isinstance(part, property) else getattr(part, "__func__", part)
                if isinstance(inner, types.FunctionType):
                    found.append((base, name, inner))
    return found
