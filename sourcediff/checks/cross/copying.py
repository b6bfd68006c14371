"""Copies to experiment on, and everything back as it was afterwards."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ...dispatch.arguments import arrays_in
from ...errors import UnsupportedSyntaxError
from ...runtime.copies import RandomStates
from ...runtime.parts import used_up
from ...syntax.function import definition


def check_readable(function: Any, values: Iterable[Any]) -> None:
    """Raise UnsupportedSyntaxError where a function is given, or reads from outside, what can be read once: it is run several times."""
    if any(map(used_up, values)):
        raise UnsupportedSyntaxError(
            f"{function.__qualname__} cannot be checked with these arguments", at_run_time=True,
            places=[definition(function, "checked")],
            why="a check runs it several times, and what it reads (an iterator, a file, a queue) can be read once",
            remedy="give a list of what is read",
        )


class Bench:
    """A place to run a function several times under the same conditions: same random state, same contents of outer arrays."""

    def __init__(self, outside: list[Any]):
        self.states = RandomStates(outside)
        self.arrays = [(array, array.copy()) for value in outside for array in arrays_in(value)]

    def restore(self) -> None:
        """Bring back what was there when the bench was set up."""
        self.states.restore()
        for array, contents in self.arrays:
            if getattr(array.flags, "writeable", True) and array.tobytes() != contents.tobytes():
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

