"""What a call may change, noted before it and put back after a refusal."""

from __future__ import annotations

import collections
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import AliasingError, DegenerateError
from ..runtime.arrays.library import is_host_array, library_of, on_device
from ..runtime.copies import GENERATORS, RandomStates
from ..runtime.parts import parts_within, plain_kind
from ..runtime.user_objects import changeable_in
from .entry import Entry
from .guarded_lines import would_be_caught

PLAIN = frozenset({np.ndarray, float, int, bool, complex, str, type(None)})
"""The types of values that hold no others."""


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


def restoring(entry: Entry, parameters: Sequence[str], values: Sequence[Any], captured: Sequence[Any]) -> Any:
    """Call generated code that may refuse the call half-way: then the arguments are given back as they were."""
    before, generators = held_by_changed(entry.loaded.namespace, parameters, values), []
    for part, _ in parts_within([value for value in (*values, *captured) if type(value) not in PLAIN]):
        if uncounted(part):
            before.append((part, held_in(part)))
        elif isinstance(part, GENERATORS):
            generators.append(part)
    states = RandomStates(generators) if entry.random or generators else None
    try:
        return entry.call(*values, *captured)
    except Exception as error:
        refused = would_be_caught(error, entry.loaded.namespace.get("TRIED", {}))
        if refused is not None or isinstance(error, (AliasingError, DegenerateError)):
            for part, kept in before:
                restored(part, kept)
        if states is not None and (refused is not None or isinstance(error, DegenerateError)):
            states.restore()
        if refused is not None:
            raise refused from error
        raise
