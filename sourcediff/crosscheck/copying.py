"""Copies to experiment on, and everything back as it was afterwards."""

from __future__ import annotations

import contextlib
import copy
import io
import random
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..analysis.state import GENERATORS
from ..arguments import arrays_in
from ..objects import alike, is_open, own


def copied(value: Any, known: dict[int, Any] | None = None) -> Any:
    """A copy of arrays, generators of random numbers, structures and objects of them; one array given twice is one array in the copy."""
    known = {} if known is None else known
    if id(value) in known:
        return known[id(value)]
    if isinstance(value, np.ndarray):
        made: Any = value.copy(order="K")
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
        made = known[id(value)] = alike(value)  # before what it holds, which may be the object itself
        for name, part in own(value).items():
            object.__setattr__(made, name, copied(part, known))
    else:
        return value
    known[id(value)] = made
    return made


class Bench:
    """A place to run a function several times under the same conditions: same random state, same contents of outer arrays."""

    def __init__(self, outside: list[Any]):
        self.state = np.random.get_state(), random.getstate()  # noqa: NPY002  (it is the user who draws from it)
        self.generators = [(value, copy.deepcopy(state_of(value))) for value in outside if isinstance(value, GENERATORS)]
        self.arrays = [(array, array.copy()) for value in outside for array in arrays_in(value)]

    def restore(self) -> None:
        """Bring back what was there when the bench was set up."""
        np.random.set_state(self.state[0])  # noqa: NPY002
        random.setstate(self.state[1])
        for generator, state in self.generators:
            set_state(generator, state)
        for array, contents in self.arrays:
            if array.flags.writeable and array.tobytes() != contents.tobytes():
                array[...] = contents

    @contextlib.contextmanager
    def run(self) -> Iterator[None]:
        """One run: it prints nothing, warns of nothing, and leaves no trace."""
        try:
            with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                yield
        finally:
            self.restore()


def state_of(generator: Any) -> Any:
    if isinstance(generator, random.Random):
        return generator.getstate()
    return generator.bit_generator.state if isinstance(generator, np.random.Generator) else generator.get_state()


def set_state(generator: Any, state: Any) -> None:
    if isinstance(generator, random.Random):
        generator.setstate(state)
    elif isinstance(generator, np.random.Generator):
        generator.bit_generator.state = state
    else:
        generator.set_state(state)
