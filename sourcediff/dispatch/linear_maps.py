"""The derivative of one call as a linear map that generated code applies: a pullback, and a sweep that carries many tangents at once."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..eager.engine.linear_maps import FORWARD_COST, Map
from ..eager.engine.trees import Slot, Tree
from ..errors import InternalError, NonDifferentiableError, SourcediffError
from ..runtime.arrays import as_array, blank, is_foreign, on_device, on_host
from ..runtime.function_cache import OfFunction, kept
from ..runtime.structures import copied
from ..runtime.user_objects import changeable_in
from .arguments import asked_of, signature_of, tangents_of
from .dispatcher import Dispatcher
from .fallback import Fall, annotated
from .pullbacks import Pulled, puller
from .restore import mutated_parameters
from .tangents import pusher

Tangents = Callable[[Slot, int, int, int, Any], Any]
"""Of vectors of all inputs, ``number`` of them from ``start`` on, the part that is one input's, in the library of what is given last; it
begins at ``first``."""

ROOM = 1 << 22
"""Entries of the largest array that a sweep with many tangents is to make, roughly: there are several sweeps, if it takes more."""


class Generated(Map):
    """The derivative of a function at its arguments, by the generated pair of sweeps."""

    def __init__(self, inputs: Tree, outputs: Tree, found: Pulled, function: Any, wrt: tuple[str, ...]):
        super().__init__(inputs, outputs)
        self.found = found
        self.function = function
        self.wrt = wrt

    def pull(self, seeds: Sequence[Any]) -> list[Any]:
        """Jᵀ of a cotangent for each output: a call of the pullback."""
        given = [slot.filled(seed) for slot, seed in zip(self.outputs.slots, seeds)]
        return self.inputs.flat(self.found.pull(self.outputs.like(given)))

    def push(self, tangents: Sequence[Any]) -> list[Any]:
        """J of a tangent for each input: a call of the sweep with one tangent."""
        names = list(signature_of(self.function).parameters)
        moved = dict(zip(self.wrt, self.inputs.like(tangents)))
        found = pusher(self.function, self.wrt)(dict(zip(names, copied(self.found.before, True))), moved, "compiled", "jacobian")
        assert found is not None  # in this mode
        return self.outputs.flat(found[1])

    def swept(self, vectors: Any) -> Any:
        """J of each row of a matrix, in the sweep with many tangents."""
        size = len(vectors)
        moved = batcher(self.function, self.wrt)(self.inputs, self.found.before, self.most, size, given_tangents(vectors)) if size else None
        if moved is None:
            return None
        parts = zip(self.outputs.slots, self.outputs.flat(moved))
        return np.concatenate([
            np.zeros((size, slot.size), slot.dtype) if part is None else np.reshape(on_host(part), (size, slot.size))
            for slot, part in parts
        ], axis=1)

    @property
    def most(self) -> int:
        """The number of tangents in one sweep, at most."""
        return max(1, ROOM // max(*(slot.size for slot in (*self.inputs.slots, *self.outputs.slots)), 1))

    def jacobian(self, direction: str) -> list[list[Any]]:
        """The blocks: of one sweep with a tangent for each entry of the inputs, else of one for each, if they are far fewer, or row by row.

        In a sweep a NaN or an infinity meets the zeros of all the unit vectors; in a row it spoils no entry but its own.
        """
        inputs, outputs = self.inputs.size, self.outputs.size
        if inputs and (direction == "forward" or direction == "auto" and inputs < FORWARD_COST * outputs):
            columns = batcher(self.function, self.wrt)(self.inputs, self.found.before, self.most, inputs, unit_tangents)
            if columns is not None and all(part is None or np.all(np.isfinite(part)) for part in self.outputs.flat(columns)):
                return self._split(columns)
            fewer = direction == "forward" or FORWARD_COST * inputs < outputs
            if fewer and self.found.before and not self.changes:
                with contextlib.suppress(SourcediffError):  # then rows will do
                    blocks = self._columns()
                    if all(np.all(np.isfinite(on_host(block))) for row in blocks for block in row):
                        return blocks
        return self._rows()

    @property
    def changes(self) -> bool:
        """Whether a call draws numbers, or changes its arguments or what it reads from outside: for each column it would do so again."""
        made = [entry for dispatcher in puller(self.function, self.wrt).dispatchers.values() for entry in dispatcher.made.entries.values()]
        return any(entry.random or mutated_parameters(entry.loaded.namespace) for entry in made)

    def _split(self, columns: Any) -> list[list[Any]]:
        """The blocks, of tangents of the result with all columns along their leading axis."""
        starts = np.cumsum([0, *(slot.size for slot in self.inputs.slots)])
        blocks = []
        for output, tangents in zip(self.outputs.slots, self.outputs.flat(columns)):
            row = []
            for slot, start in zip(self.inputs.slots, starts):
                whole = output.by(slot)
                columns = tangents if tangents is None or is_foreign(tangents) else np.asarray(tangents)
                part = None if columns is None else np.moveaxis(columns[start:start + slot.size], 0, -1)
                row.append(whole.finished(None if part is None else np.reshape(part, whole.shape), False))
            blocks.append(row)
        return blocks


class BatchedSweep(OfFunction):
    """The generated sweep of one function that carries many tangents. ``refused``: there is none."""

    def __init__(self, function: types.FunctionType, wrt: tuple[str, ...]):
        super().__init__(function)
        self.wrt = wrt
        self.dispatcher = Dispatcher(function, wrt, False, True, mode="batched")
        self.refused = False

    def __call__(self, inputs: Tree, values: list[Any], most: int, total: int, tangents_from: Tangents) -> Any:
        """The tangents of the result for ``total`` vectors of all inputs, ``most`` in one sweep; None where there is no such sweep."""
        if self.refused:
            return None
        try:
            entry = self.dispatcher.entry(values)
        except NonDifferentiableError:
            raise
        except SourcediffError as error:  # then rows will do
            self.refused = True
            if isinstance(error, InternalError):
                Fall(self.dispatcher.function, "the sweep with many tangents", error).say("")
            return None
        by_name = dict(zip(self.dispatcher.parameters, values))
        like = next((part for value in values for part in changeable_in(value) or (value,) if on_device(part)), None)
        found = []
        for start in range(0, total, most):
            number = min(most, total - start)
            given = inputs.like([
                tangents_from(slot, first, start, number, slot.foreign if like is None else like)
                for slot, first in zip(inputs.slots, firsts(inputs))
            ])
            moved = tangents_of([by_name[name] for name in self.wrt], given)
            own = copied(values, True) if entry.mutated else values
            _, tangents = annotated(self.dispatcher.called, entry, [*own, *moved, number])
            found.append(tangents)
        return found[0] if len(found) == 1 else joined_columns(found)


def unit_tangents(slot: Slot, first: int, start: int, number: int, like: Any) -> Any:
    """Of the unit vectors of all inputs with the numbers from ``start`` on, the part that is one input's, in the library of ``like``;
    it begins at ``first``."""
    rows = blank((number, slot.size), like, float if slot.dtype is float else slot.dtype)
    inside = np.arange(max(first, start), min(first + slot.size, start + number))
    rows[inside - start, inside - first] = 1
    return np.reshape(rows, (number, *slot.shape))


def given_tangents(vectors: Any) -> Tangents:
    """As :func:`unit_tangents`, of the rows of a matrix in place of the unit vectors."""

    def made(slot: Slot, first: int, start: int, number: int, like: Any) -> Any:
        rows = vectors[start:start + number, first:first + slot.size]
        return as_array(rows.reshape(number, *slot.shape), like, float if slot.dtype is float else slot.dtype)

    return made


def firsts(inputs: Tree) -> Iterator[int]:
    """Where the entries of each input begin among all."""
    start = 0
    for slot in inputs.slots:
        yield start
        start += slot.size


def joined_columns(parts: list[Any]) -> Any:
    """Structures of arrays joined along the leading axis."""
    first = parts[0]
    if isinstance(first, dict):
        return {key: joined_columns([part[key] for part in parts]) for key in first}
    if isinstance(first, (list, tuple)):
        return [joined_columns([part[position] for part in parts]) for position in range(len(first))]
    return None if first is None else np.concatenate(parts)


def batcher(function: types.FunctionType, wrt: tuple[str, ...]) -> BatchedSweep:
    """The one batcher of a function with respect to these parameters."""
    return kept(function, ("batch", wrt), lambda: BatchedSweep(function, wrt))


def generated(
    function: Any, arguments: Mapping[str, Any], wrt: Sequence[str], mode: str, door: str, as_given: bool = False,
) -> tuple[Generated, Any] | None:
    """The derivative with respect to the parameters ``wrt``, and the value; None where the eager engine is to answer."""
    pull = puller(function, tuple(wrt), as_given)
    parts = {path: part for name, value in arguments.items() for path, part in asked_of(name, value, tuple(wrt))}
    inputs = Tree(tuple(parts[path] for path in wrt), "", names=tuple(wrt))
    found = pull(arguments, mode, door, door != "vjp")
    if found is None:
        return None
    return Generated(inputs, Tree(found.value, "the result"), found, function, tuple(wrt)), found.value
