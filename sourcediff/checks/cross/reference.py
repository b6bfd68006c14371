"""The normal form of a function run on the eager engine: the value and the adjoint of every name at every moment.

The adjoint of a name at a moment is what the rest of the run makes of it: the sum of the contributions of all that is recorded
later. That is what a reverse sweep that has come back to this moment must have found.
"""

from __future__ import annotations

import inspect
import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from ...analysis.statements import binds, grown, simple
from ...backends.python import source_head
from ...compiler.pipeline import run
from ...compiler.unit import Unit
from ...eager.engine.contributions import contributions
from ...eager.engine.nodes import tick
from ...eager.engine.variable import Variable
from ...eager.library_run.live import Live
from ...eager.library_run.recording import record_run
from ...errors import SourcediffError
from ...naming import label
from ...runtime.arrays.library import library_of, on_device, on_host
from ...runtime.trees import leaves
from ...syntax.function import name_of
from ...syntax.text import block_lines
from ...syntax.unwarned import unwarned
from .closeness import Wanted, numbers_of
from .listing import Line, Listing
from .watching import WatchedStep, Watcher

ROOM = 256 << 20
"""The most bytes of values, and of adjoints, that are kept; a longer run is compared by its results alone."""

EMPTY = re.compile(r"\bempty(_like)?\(")


class Held(NamedTuple):
    """A value at a moment: its place in the graph, and a copy. ``filled`` False: it lies in a buffer that ``np.empty`` has made."""

    node: Any
    data: Any
    filled: bool = True


class Arriving:
    """What arrives at a node on the way back, latest first, and the sums so far."""

    def __init__(self) -> None:
        self.order: list[float] = []  # minus the number of the node that each comes from: ascending
        self.parts: list[Any] = []
        self.sums: list[Any] = []
        self.scale = 0.0

    def add(self, seq: float, adjoint: Any) -> None:
        adjoint = on_host(adjoint)
        self.order.append(-seq)
        self.parts.append(adjoint)
        self.sums.append(self.sums[-1] + adjoint if self.sums else adjoint)
        self.scale = max(self.scale, size_of(adjoint))

    def after(self, mark: float) -> Any:
        """The sum of what comes from nodes later than ``mark``."""
        count = bisect_left(self.order, -mark)
        return self.sums[count - 1] if count else 0.0

    def between(self, earlier: float, later: float) -> list[Any]:
        """What comes from nodes after ``earlier``, up to ``later``."""
        return self.parts[bisect_left(self.order, -later):bisect_left(self.order, -earlier)]


NOTHING = Arriving()


class Reference:
    """What the eager run of the normal form left."""

    def __init__(self, steps: list[WatchedStep], marks: list[int], output: Any, own: frozenset[str], opened: Collection[str] = ()):
        self.steps = steps
        self.marks = marks
        self.own = own.union(opened)  # the user's own names, and those of what is read once of arguments
        self.opened = opened
        self.times: dict[str, list[int]] = {}
        self.held: dict[str, list[dict[str, Held]]] = {}
        for time, step in enumerate(steps):
            for moment, seen in ((time, step.before), (time + 1, step.after)):
                for name, value in seen.items():
                    self.times.setdefault(name, []).append(moment)
                    self.held.setdefault(name, []).append(value)
        self.shared = self._nodes_of_several()
        self.arriving: dict[Any, Arriving] = {}
        self.largest = 0.0
        self._gather(output)

    def _nodes_of_several(self) -> set[tuple[Any, bool]]:
        """The nodes that several names stand for (``y = x``): what arrives there is not the adjoint of one name alone.

        An entry of a container that the compiler gives a name (``t = p["w"]``) still is that entry: there the second part is False; it is
        that name, where it is differentiated by it.
        """
        owners: dict[tuple[Any, bool], str] = {}
        leaves_of = [(name, path, leaf) for name, values in self.held.items() for value in values for path, leaf in value.items()]
        shared = {
            (leaf.node, bool(path)) for name, path, leaf in leaves_of
            if leaf.node is not None and owners.setdefault((leaf.node, bool(path)), name) != name
        }
        named = {leaf.node for name, path, leaf in leaves_of if not path and name in self.own}
        entries = {(node, False) for node, inside in owners if inside and owners.get((node, False)) not in self.opened}
        return shared | entries | {(node, True) for node in named}

    def _gather(self, output: Any) -> None:
        if not isinstance(output, Variable) or output._node is None:
            return
        data = output.data
        seed = np.ones_like(data) if on_device(data) else data.dtype.type(1) if hasattr(data, "dtype") else 1.0
        self.arriving[output._node] = Arriving()
        self.arriving[output._node].add(np.inf, seed)
        room = Watching()
        for seq, node, adjoint in contributions(output, seed):
            if isinstance(adjoint, (dict, tuple)):  # several results, or a part of them: nothing that has a name
                continue
            self.arriving.setdefault(node, Arriving()).add(seq, adjoint)
            room.take(2 * getattr(adjoint, "nbytes", 8))
        self.largest = max(arriving.scale for arriving in self.arriving.values())

    @property
    def names(self) -> frozenset[str]:
        """Every name that was bound."""
        return frozenset(self.times)

    def at(self, name: str, time: int) -> dict[str, Held] | None:
        """A name's value before step ``time``, leaf by leaf; None if it had none yet."""
        position = bisect_right(self.times.get(name, []), time) - 1
        return self.held[name][position] if position >= 0 else None

    def value(self, name: str, time: int) -> dict[str, Wanted] | None:
        """What a name stands for before step ``time``."""
        held = self.at(name, time)
        return None if held is None else {path: Wanted(leaf.data) for path, leaf in held.items() if numeric(leaf.data) and leaf.filled}

    def adjoints(self, name: str, first: int, last: int) -> Iterator[dict[str, Wanted]]:
        """Every adjoint that a name has from step ``last`` back to step ``first``, the states within a step included."""
        for time in range(last, first - 1, -1):
            held = self.at(name, time)
            if held is None:  # not bound yet: nothing can have arrived
                for empty in self.held.get(name, [])[:1]:
                    yield {path: Wanted(np.zeros(np.shape(leaf.data))) for path, leaf in empty.items()}
                continue
            if time > first:  # while this step is taken back: some of its contributions have arrived, others have not
                later, earlier = self.marks[time], self.marks[time - 1]
                before = self.at(name, time - 1)
                yield from self._within(before if before is not None else held, earlier, later)
            yield self._state(held, self.marks[time])

    def complete(self, name: str) -> Iterator[dict[str, Wanted]]:
        """The adjoints of a name when it was bound or changed: all that its later uses contribute."""
        for time, held in zip(self.times.get(name, []), self.held.get(name, [])):
            yield self._state(held, self.marks[time])

    def _state(self, held: dict[str, Held], mark: float) -> dict[str, Wanted]:
        """What does not depend on the inputs has no adjoint to compare with."""
        return {
            path: self._sum(leaf, mark) for path, leaf in held.items()
            if leaf.node is not None and (leaf.node, bool(path)) not in self.shared
        }

    def _sum(self, leaf: Held, mark: float) -> Wanted:
        arriving = self.arriving.get(leaf.node, NOTHING)
        return Wanted(np.broadcast_to(_of_real(arriving.after(mark), leaf), np.shape(leaf.data)), arriving.scale)

    def _within(self, held: dict[str, Held], earlier: float, later: float) -> Iterator[dict[str, Wanted]]:
        for path, leaf in held.items():
            parts = [] if leaf.node is None else self.arriving.get(leaf.node, NOTHING).between(earlier, later)
            if 2 <= len(parts) <= 4:
                start = self._sum(leaf, later)
                rest = self._state({key: value for key, value in held.items() if key != path}, later)
                for count in range(1, len(parts)):
                    for chosen in combinations(parts, count):
                        yield {**rest, path: Wanted(_of_real(sum(chosen, start.value), leaf), start.scale)}


def _of_real(adjoint: Any, leaf: Held) -> Any:
    """The adjoint of a real number, which complex ones reach: the engine takes its real part at the end."""
    return adjoint if np.iscomplexobj(leaf.data) else np.real(adjoint)


class Watching:
    """How much may be kept. Raises SourcediffError when it is used up."""

    def __init__(self, size: int = ROOM):
        self.left = size

    def take(self, size: int) -> None:
        self.left -= size
        if self.left < 0:
            raise SourcediffError("the run is too long to keep all its values")


def numeric(data: Any) -> bool:
    return isinstance(data, (int, float, complex, np.number, np.bool_)) or bool(library_of(data)) and data.dtype.kind in "biufc"


def size_of(adjoint: Any) -> float:
    """The largest finite entry."""
    magnitudes = np.abs(numbers_of(adjoint))
    return float(np.max(magnitudes, initial=0.0, where=np.isfinite(magnitudes)))


def normal_form(unit: Unit) -> tuple[Any, Listing]:
    """The function in normal form, one application a statement, an array under one name, and its listing; the unit is brought that far."""
    run(unit, "rewrite_views", frozenset({"record_control_flow"}))
    assert unit.source is not None
    unit.body = [node for node in unit.body if unit.aux not in binds(node)]  # that is handed on, whatever it is
    body = [*unit.opening(unit.body), *unit.body]
    lines = [f"def {name_of(unit.function)}({', '.join(unit.parameters)}):", *block_lines(body, 1, [""]), f"    return {unit.output}"]
    text = source_head({label(unit.source.file): unit.source.file}) + "\n".join(lines) + "\n"
    namespace = {name: free.value for name, free in unit.scope.free.items()}
    namespace.update(unit.scope.helpers, __name__=unit.function.__module__)
    with unwarned():
        code = compile(text, f"<normal form of {unit.function.__qualname__}>", "exec", dont_inherit=True)
    exec(code, namespace)
    return namespace[name_of(unit.function)], Listing(text, name_of(unit.function))


def run_reference(unit: Unit, arguments: dict[str, Any]) -> Reference:
    """Run the normal form on the eager engine, every statement watched.

    Raises what the compiler's first passes and the eager engine raise.
    """
    function, listing = normal_form(unit)
    marks: list[int] = []
    lists = set(map(grown, simple(unit.body)))  # what grows has other entries at each moment: these are compared where they have names
    empty: list[Any] = []  # buffers: what is in them before it is written differs from run to run
    room = Watching()

    def before(line: Line, local: Mapping[str, Any]) -> dict[str, Any]:
        seen = {} if marks else {name: held_values(value) for name, value in local.items()}
        marks.append(tick())
        return seen

    def after(line: Line, local: Mapping[str, Any]) -> dict[str, Any]:
        seen = {name: local[name] for name in line.writes if name in local and name not in unit.scope.flags | lists}
        if line.changes:  # views of a buffer change with it
            buffers = [value._buffer for value in seen.values() if type(value) is Live]
            seen.update((name, value) for name, value in local.items() if type(value) is Live and value._buffer in buffers)
        seen = {name: value for name, value in seen.items() if name not in unit.scope.mirrors}  # what is stored gets home at another moment
        if EMPTY.search(listing.rows[line.number - 1]):
            empty.extend(value._buffer for value in seen.values() if type(value) is Live)
        kept = {name: held_values(value, empty) for name, value in seen.items()}
        room.take(sum(getattr(leaf.data, "nbytes", 8) for value in kept.values() for leaf in value.values()))
        return kept

    watcher = Watcher(inspect.unwrap(function).__code__, listing, before, after)
    recording = watcher.run(record_run, function, arguments, unit.request.wrt)
    marks.append(tick())
    return Reference(watcher.steps, marks, recording.result, unit.user_names, unit.opened)


def held_values(value: Any, empty: Sequence[Any] = ()) -> dict[str, Held]:
    """The leaves of a value as they are now; ``empty`` are the buffers that may not be filled yet."""
    found = {}
    for path, leaf in leaves(value):
        data = leaf.data if isinstance(leaf, Variable) else leaf
        node = leaf._node if isinstance(leaf, Variable) else None
        filled = not any(getattr(leaf, "_buffer", None) is buffer for buffer in empty)
        found[path] = Held(node, data.copy() if library_of(data) else data, filled)
    return found
