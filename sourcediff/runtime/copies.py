"""Copies of what a program holds, and the states of generators of random numbers: what an experiment is made on."""

from __future__ import annotations

import copy
import random
from typing import Any

import numpy as np

from .arrays.library import on_device
from .user_objects import is_open, object_alike, own

GENERATORS = (np.random.RandomState, np.random.Generator, random.Random)
"""What draws numbers: each is drawn once, so a function that draws does not run again."""

DRAWING = frozenset(name for kind in GENERATORS for name in dir(kind) if not name.startswith("_"))
"""Methods that draw random numbers."""


def copied(value: Any, known: dict[int, Any] | None = None) -> Any:
    """A copy of arrays, generators of random numbers, structures and objects of them; one array given twice is one array in the copy."""
    known = {} if known is None else known
    if id(value) in known:
        return known[id(value)]
    if on_device(value):
        made: Any = value.copy()
    elif isinstance(value, np.ndarray):
        made = value.copy(order="K")
        made.flags.writeable = value.flags.writeable
    elif isinstance(value, dict):
        made = value.copy()
        for key, part in value.items():  # the update of a Counter adds
            made[key] = copied(part, known)
    elif isinstance(value, (list, tuple)) and not hasattr(value, "more"):
        parts = [copied(part, known) for part in value]
        made = type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    elif isinstance(value, GENERATORS):
        made = copy.deepcopy(value)
    elif is_open(value):
        made = known[id(value)] = object_alike(value)  # before what it holds, which may be the object itself
        for name, part in own(value).items():
            object.__setattr__(made, name, copied(part, known))
    else:
        return value
    known[id(value)] = made
    return made


def state_of(generator: Any) -> Any:
    """The state of a generator of random numbers, a copy."""
    if isinstance(generator, random.Random):
        return generator.getstate()
    return copy.deepcopy(generator.bit_generator.state if isinstance(generator, np.random.Generator) else generator.get_state())


def set_state(generator: Any, state: Any) -> None:
    """Give a generator the state that it had."""
    if isinstance(generator, random.Random):
        generator.setstate(state)
    elif isinstance(generator, np.random.Generator):
        generator.bit_generator.state = state
    else:
        generator.set_state(state)


class RandomStates:
    """The states of NumPy's and Python's own generators and of others, to be brought back."""

    def __init__(self, others: list[Any]):
        self.state = np.random.get_state(), random.getstate()  # noqa: NPY002  (it is the user who draws from it)
        self.others = [(value, state_of(value)) for value in others if isinstance(value, GENERATORS)]

    def restore(self) -> None:
        """Bring the states back."""
        np.random.set_state(self.state[0])  # noqa: NPY002
        random.setstate(self.state[1])
        for generator, state in self.others:
            set_state(generator, state)
