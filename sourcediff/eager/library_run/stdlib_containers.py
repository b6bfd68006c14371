"""Objects of Python's own library that hold those of the user, so that these have one stand-in in a run, however they are reached."""

from __future__ import annotations

import collections
import gc
import queue
import threading
import types
import weakref
from collections.abc import Callable
from typing import Any

HOLDING = frozenset((
    types.SimpleNamespace, collections.UserDict, collections.UserList, queue.Queue, queue.LifoQueue, queue.PriorityQueue, threading.local,
    weakref.WeakSet, weakref.WeakKeyDictionary, weakref.WeakValueDictionary,
))
"""The kinds that hold what they hold in attributes."""

REFERRING = frozenset((
    weakref.ref, weakref.WeakMethod, weakref.KeyedRef, weakref.ProxyType, weakref.CallableProxyType, types.MappingProxyType, frozenset,
))
"""The kinds that cannot be changed, and speak of what can."""


def referring(value: Any, made: Callable[[Any], Any]) -> Any:
    """What speaks as ``value`` does of what ``made`` makes of its objects; the value itself where these are the same."""
    kind = type(value)
    if kind is frozenset:
        parts = [made(part) for part in value]
        return value if all(one is other for one, other in zip(parts, value)) else frozenset(parts)
    if kind is types.MappingProxyType:
        (mapping,) = gc.get_referents(value)
        inner = made(mapping)
        return value if inner is mapping else kind(inner)
    try:
        target = value.__reduce_ex__.__self__ if kind in (weakref.ProxyType, weakref.CallableProxyType) else value()
    except ReferenceError:  # it is gone
        return value
    inner = made(target)
    if inner is target:
        return value
    if kind is weakref.KeyedRef:
        return weakref.KeyedRef(inner, None, value.key)  # type: ignore[arg-type]
    return weakref.proxy(inner) if kind is weakref.ProxyType or kind is weakref.CallableProxyType else kind(inner)
