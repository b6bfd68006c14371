"""Copies to experiment on, and everything back as it was afterwards."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..arguments import arrays_in
from ..copies import RandomStates


class Bench:
    """A place to run a function several times under the same conditions: same random state, same contents of outer arrays."""

    def __init__(self, outside: list[Any]):
        self.states = RandomStates(outside)
        self.arrays = [(array, array.copy()) for value in outside for array in arrays_in(value)]

    def restore(self) -> None:
        """Bring back what was there when the bench was set up."""
        self.states.restore()
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

