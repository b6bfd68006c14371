"""What a call may change, noted before it and put back after a refusal."""

from __future__ import annotations

import collections
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..runtime.arrays.library import is_host_array, library_of, on_device
from ..runtime.parts import plain_kind
from ..runtime.user_objects import changeable_in


def mutated_parameters(namespace: Mapping[str, Any]) -> tuple[str, ...]:
    """The parameters that generated code changes: what they hold, or how long they are."""
    return *namespace.get("MUTATED", ()), *namespace.get("RESIZED", ())


def uncounted(part: Any) -> bool:
    """Whether a value is a container of which generated code does not say that it changes it."""
    return isinstance(part, (list, dict, set, bytearray, collections.deque)) and type(part) not in (list, dict)


def held_in(part: Any) -> Any:
    """A copy of what is in an array or a container, however its class goes over it."""
    if library_of(part):
        return part.copy()
    kind = plain_kind(part)
    return [*(kind.items(part) if isinstance(part, dict) else kind.__iter__(part))]


def held_by_changed(namespace: Mapping[str, Any], parameters: Sequence[str], values: Sequence[Any]) -> list[tuple[Any, Any]]:
    """The arrays and containers that generated code may change, and copies of what is in them."""
    names = mutated_parameters(namespace)
    changed = [value for name, value in zip(parameters, values) if name in names]
    return [(part, held_in(part)) for value in changed for part in changeable_in(value)]


def restored(part: Any, held: Any) -> None:
    """Give an array or a container back what was in it."""
    if library_of(part):
        part[...] = held
        return
    kind = plain_kind(part)
    kind.clear(part)
    if isinstance(part, dict):
        for key, value in held:
            kind.__setitem__(part, key, value)
    else:
        (kind.update if isinstance(part, set) else kind.extend)(part, held)


def is_one(part: Any, other: Any) -> bool:
    """Whether two arrays share memory, or two containers are one."""
    if is_host_array(part) and is_host_array(other):
        return np.may_share_memory(part, other) and np.shares_memory(part, other)
    if on_device(part) and on_device(other):
        return bool(np.may_share_memory(part, other))
    return part is other
