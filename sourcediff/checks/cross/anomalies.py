"""``detect_anomaly`` for compiled code: the generated function is run statement by statement, and the first NaN or infinity is named."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...backends.python import origin
from ...dispatch.cache import Loaded
from ...errors import AnomalyError, Place, line_at
from ...runtime.arrays import is_array
from ...runtime.linked_calls import Link
from ...runtime.trees import leaves
from .listing import Line, Listing
from .watching import Watcher

DERIVATIVES = {"_bar": "adjoint", "_dot": "tangent"}


class Born(NamedTuple):
    """Where a value that is not finite was first seen: the generated line, the name, the value, the indices of the loops around it."""

    line: Line
    name: str
    words: str
    trips: str


class AnomalyWatch:
    """Looks at what each statement leaves, until it has seen the first value, and the first derivative, that are not finite."""

    def __init__(self, listing: Listing):
        self.loops = list(loops_of(listing.text))
        self.value: Born | None = None
        self.derivative: Born | None = None

    def after(self, line: Line, local: Mapping[str, Any]) -> dict[str, Any]:
        for name in sorted(line.writes if self.derivative is None else ()):
            derivative = name.rstrip("0123456789").endswith(tuple(DERIVATIVES))
            if name not in local or not derivative and self.value is not None:
                continue
            words = odd(local[name], infinite=derivative)
            if words and derivative:
                self.derivative = Born(line, name, words, self.trips(line, local))
            elif words:
                self.value = Born(line, name, words, self.trips(line, local))
        return {}

    def trips(self, line: Line, local: Mapping[str, Any]) -> str:
        """Where the loops around a line are: ``i = 3, k = 0``."""
        around = [name for first, last, names in self.loops if first < line.number <= last for name in names]
        return ", ".join(f"{name} = {local[name]}" for name in around if isinstance(local.get(name), (int, np.integer)))


def run_watched(call: Callable[..., Any], loaded: Loaded, *values: Any) -> Any:
    """Call a generated function and return its result.

    Raises AnomalyError if a derivative becomes NaN or infinite, or if the result is: with the line at which that first happened, in
    the generated text and in the user's, the variable, and the indices of the loops.
    """
    listing = Listing(loaded.text, call.__name__)
    looking = AnomalyWatch(listing)
    watcher = Watcher(inspect.unwrap(call).__code__, listing, lambda line, local: {}, looking.after)
    result = watcher.run(call, *values)
    words = next((f"{path} {said}".strip() for path, leaf in leaves(result) if (said := odd(leaf))), "")
    if looking.derivative is None and not words:
        return result
    raise anomaly(call.__name__, loaded.text, loaded.path, looking, words)


def anomaly(entry: str, text: str, path: str, looking: AnomalyWatch, words: str) -> AnomalyError:
    """The error: what was born first, and where."""
    first = looking.value or looking.derivative
    if first is None:
        return AnomalyError(f"the result of {entry} is not finite: {words}", remedy="look at the last line of the generated text")
    kind = next((word for suffix, word in DERIVATIVES.items() if first is looking.derivative and suffix in first.name), "value")
    stem = first.name
    for suffix in DERIVATIVES:
        stem = stem.removesuffix(suffix)
    trips = f", at {first.trips}" if first.trips else ""
    row = text.splitlines()[first.line.number - 1]
    places = []
    if (user := origin(text, first.line.number)) is not None:
        line = line_at(user.path, user.line)
        places.append(Place(user.path, user.line, None, line, "here, in the program" if kind == "value" else f"the {kind} of this line"))
    places.append(Place(path, first.line.number, len(row) - len(row.lstrip()), row, "here, in the generated text"))
    why = ""
    if looking.derivative is not None and first is looking.value:
        why = f"what follows from it: {looking.derivative.name} in line {looking.derivative.line.number} of the generated text"
    return AnomalyError(
        f"the {kind} of {stem} became {first.words}{trips}", places=places, why=why,
        remedy="look at the values there: sqrt or a division at 0, log of 0 …; np.where with both sides finite",
    )


def odd(value: Any, infinite: bool = True) -> str:
    """What of a value is not finite, in words: ``nan at [3]``; empty if all is well. Without ``infinite`` a NaN alone counts."""
    for path, leaf in leaves(value):
        if isinstance(leaf, Link):  # its arguments had names before
            if words := odd(leaf.value, infinite):
                return words
            continue
        if not isinstance(leaf, (float, complex, np.generic)) and not is_array(leaf):
            continue
        array = np.asarray(leaf)
        if array.dtype.kind not in "fc":
            continue
        bad = np.isnan(array) | np.isinf(array) if infinite else np.isnan(array)
        if bad.any():
            index = tuple(map(int, np.argwhere(bad)[0])) if array.ndim else ()
            place = path + (f"[{', '.join(map(str, index))}]" if index else "")
            return f"{array[index]!s} at {place}" if place else str(array[index])
    return ""


def loops_of(text: str) -> Iterator[tuple[int, int, list[str]]]:
    """The loops of a text, outer ones first: first and last line, the names of their variables."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.For):
            names = [part.id for part in ast.walk(node.target) if isinstance(part, ast.Name)]
            yield node.lineno, node.end_lineno or node.lineno, names
