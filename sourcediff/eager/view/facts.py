"""The facts that a graph to look at is made of: its nodes and its edges, and how sizes and numbers are said.

It is a snapshot. It holds no arrays and no part of the graph itself, so looking at a graph keeps no memory alive.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np


class Result(NamedTuple):
    """The shape and the dtype of a result, each None where the graph does not tell."""

    shape: tuple[int, ...] | None
    dtype: np.dtype[Any] | None

    def __str__(self) -> str:
        return " ".join(str(fact) for fact in (self.dtype, self.shape) if fact is not None)


class Saved(NamedTuple):
    """One thing that a node has saved for its backward pass.

    ``name`` is the parameter of the operation, ``result``, or ``x.shape`` and the like; ``shape`` and ``dtype`` are None where it is
    no array. ``bytes`` are those of its entries, ``keeps`` those that it keeps in memory: a view keeps the whole array alive that
    it is a view of, a broadcast one only the entries before it was broadcast.
    """

    name: str
    shape: tuple[int, ...] | None
    dtype: np.dtype[Any] | None
    bytes: int
    keeps: int

    def __str__(self) -> str:
        kept = f", keeps {weight(self.keeps)}" if self.keeps != self.bytes else ""
        return f"{self.name} {'' if self.shape is None else f'{self.dtype} {self.shape} '}{weight(self.bytes)}{kept}"


@dataclass(eq=False, repr=False, slots=True)
class GraphNode:
    """One node of a :class:`Graph`.

    ``kind`` is ``"leaf"``, ``"operation"``, ``"output"`` (a Variable that the graph was asked for) or ``"apart"`` (a Variable in
    ``names`` that the outputs do not lead to). ``number`` is its position in :attr:`Graph.nodes`, ``name`` that of the operation
    (``np.sin``, a Function's class), ``label`` what ``names`` calls it, else empty. ``results``: one for each result; of a leaf and
    an output what the Variable holds now, of an operation what was recorded of it or follows from that.

    ``saved_bytes``: what its saved arrays keep in memory, each array counted once. ``freed``: a backward pass has been here.
    ``hooks``: how many are registered. ``line``: where it was made, if ``detect_anomaly`` has noted that. ``has_grad``: there is a
    gradient in the Variable's ``grad``. ``note``: what else there is to say (why nothing is recorded, that the Variable is gone).
    """

    number: int
    kind: str
    name: str
    label: str = ""
    results: tuple[Result, ...] = (Result(None, None),)
    saved: tuple[Saved, ...] = ()
    saved_bytes: int = 0
    freed: bool = False
    hooks: int = 0
    line: str = ""
    has_grad: bool = False
    note: str = ""
    _variable: weakref.ref[Any] | None = None

    @property
    def shape(self) -> tuple[int, ...] | None:
        """The shape of the only result; None where it is not known, or where there are several."""
        return self.results[0].shape if len(self.results) == 1 else None

    @property
    def dtype(self) -> np.dtype[Any] | None:
        """The dtype of the only result; None where it is not known, or where there are several."""
        return self.results[0].dtype if len(self.results) == 1 else None

    @property
    def variable(self) -> Any:
        """The Variable of a leaf or an output; None of an operation, and where the Variable is gone."""
        return self._variable and self._variable()

    @property
    def title(self) -> str:
        """What it is called: the label, else the name; of an operation that is labelled both."""
        return f"{self.label} = {self.name}" if self.label and self.kind == "operation" else self.label or self.name

    @property
    def remarks(self) -> list[str]:
        """Short words on its state: ``freed``, ``has grad``, hooks, the note."""
        hooks = f"{self.hooks} hook{'s' * (self.hooks > 1)}" if self.hooks else ""
        return [remark for remark in ("freed" * self.freed, "has grad" * self.has_grad, hooks, self.note) if remark]

    @property
    def description(self) -> str:
        """All that is known of it, line by line; of what it saved the arrays."""
        results = [str(result) for result in self.results if str(result)]
        saved = [f"saved {saved}" for saved in self.saved if saved.bytes]
        return "\n".join([self.title, *results, *saved, *self.remarks, *([self.line] if self.line else [])])

    def __repr__(self) -> str:
        return f"<{self.kind} {self.number}: {self.title}>"


class GraphEdge(NamedTuple):
    """Data flows from ``source``, its result number ``result``, to ``target``, as the argument of that name."""

    source: GraphNode
    target: GraphNode
    result: int
    argument: str


def times(number: int, one: str, many: str = "") -> str:
    """A number and its noun.

    >>> times(1, "edge"), times(2000, "leaf", "leaves")
    ('1 edge', '2,000 leaves')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def weight(size: int) -> str:
    """A number of bytes in three digits or so.

    >>> weight(96), weight(256_000), weight(1_234_567), weight(999_999)
    ('96 B', '256 kB', '1.23 MB', '1 MB')
    """
    if size < 1000:
        return f"{size} B"
    units = iter(("kB", "MB", "GB", "TB", "PB"))
    value = float(size)
    while float(f"{value:.3g}") >= 1000:
        value, unit = value / 1000, next(units)
    return f"{float(f'{value:.3g}'):g} {unit}"
