"""Generated code against the reference, step by step: the first step that leaves a wrong value.

A generated statement is held against the moments of the normal form's run that it can stand for: those when statements from the
same line of the user's were run. The k-th trip of the forward sweep is the k-th of the run, the k-th of the reverse sweep the
k-th from the end; where the numbers of executions do not match, the statement says nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ...backends.python import origin
from ...dispatch.cache import Loaded
from ...errors import Place, line_at
from ...runtime.copies import copied
from .closeness import Off, Tolerance, Wanted, off
from .listing import Line, Listing
from .reference import Reference
from .watching import WatchedStep

BAR = "_bar"
SAVED = re.compile(r"(\w+_)?saved\d*")
Span = tuple[int, int]


class Difference(NamedTuple):
    """A wrong value: the line that wrote it, its name, and how it is wrong."""

    line: Line
    name: str
    words: str


def places_of(first: Difference, loaded: Loaded) -> list[Place]:
    """The line that wrote the first wrong value, in the generated text, and the user's that it comes from."""
    row = loaded.text.splitlines()[first.line.number - 1]
    problem = f"the first wrong line: {first.name}{'' if first.words.startswith('[') else ' '}{first.words}"
    places = [Place(loaded.path, first.line.number, len(row) - len(row.lstrip()), row, problem)]
    if (user := origin(loaded.text, first.line.number)) is not None:
        text = line_at(user.path, user.line)
        places.append(Place(user.path, user.line, None, text, "which comes from here"))
    return places


class Findings(NamedTuple):
    """How many values agree, the largest relative difference among these, how many do not, and the first of those."""

    agree: int = 0
    largest: float = 0.0
    differ: int = 0
    first: Difference | None = None


class Looking:
    """What to look at in a generated function: names of the normal form, adjoints of these, and what is saved of them.

    ``partial`` are adjoints whose last term is added where they are read: they are never whole.
    """

    def __init__(self, names: frozenset[str], partial: frozenset[str] = frozenset()):
        self.names = names
        self.partial = partial

    def adjoint_of(self, name: str) -> str:
        """``x`` for ``x_bar``, empty for what is none, or a part of one, or, in a program that has names like that, of several names."""
        found: list[str] = []
        if name in self.partial:
            return ""
        while name.endswith(BAR) and (not found or name in self.names):
            stem = name.removesuffix(BAR)
            if not found and (name in self.names or stem not in self.names):
                return ""
            found += [stem] if stem in self.names else []
            name = stem
        return found[0] if len(found) == 1 else ""

    def back(self, line: Line) -> bool:
        """Whether a statement can only stand in the reverse sweep: it writes an adjoint, or takes back what was saved."""
        return any(map(self.adjoint_of, line.writes)) or bool(line.writes) and any(map(SAVED.fullmatch, line.reads - self.names))

    def before(self, line: Line, local: Mapping[str, Any]) -> dict[str, Any]:
        """The adjoints that a statement is about to read."""
        return {name: copied(local[name]) for name in line.reads if name in local and self.adjoint_of(name)}

    def after(self, line: Line, local: Mapping[str, Any]) -> dict[str, Any]:
        """What a statement wrote: values, adjoints, and the last thing saved."""
        seen = {name: copied(local[name]) for name in line.writes if name in local and (name in self.names or self.adjoint_of(name))}
        if line.keeps in self.names:
            lists = [local.get(name) for name in (*line.writes, *line.reads) if name.startswith(f"{line.keeps}_saved")]
            for kept in lists:
                seen["saved"] = copied(kept[-1] if isinstance(kept, list) and kept and not line.writes else kept)
        return seen


def names_alike(listing: Listing, reference: Reference) -> frozenset[str]:
    """The names that stand for the same in a generated text and in the normal form: not those that the text binds more often."""
    bound = Counter(name for line in listing.lines for name in line.writes if not any(map(SAVED.fullmatch, line.reads)))
    form = Counter(name for _, name in {(step.line.number, name) for step in reference.steps for name in step.line.writes})
    return frozenset(name for name in reference.names if bound[name] <= form[name] or not form[name])


class Locator:
    """Walks the steps of a generated function in the order in which they were executed."""

    def __init__(self, listing: Listing, steps: list[WatchedStep], reference: Reference, allowed: Tolerance, finished: bool = True):
        self.steps = steps
        self.reference = reference
        self.allowed = allowed
        self.finished = finished
        self.looking = Looking(names_alike(listing, reference), listing.partial)
        back = [line.top for line in listing.lines if self.looking.back(line)]
        self.reverse_from = min(back, default=len(listing.rows) + 1)
        self.families = families(reference.steps)
        self.counts = Counter(step.line.number for step in steps)
        self.agree = 0
        self.largest = 0.0
        self.wrong: list[tuple[int, Difference]] = []

    def findings(self) -> Findings:
        """Compare step by step."""
        done: Counter[int] = Counter()
        written: dict[str, Line] = {}
        doubts: dict[str, tuple[int, Difference]] = {}  # wrong so far, and perhaps not finished

        def settle(name: str) -> None:
            if name in doubts:
                self.wrong.append(doubts.pop(name))

        for number, step in enumerate(self.steps):
            line = step.line
            spans = self.spans(line, done[line.number])
            done[line.number] += 1
            for name in [name for name, (since, _) in doubts.items() if self.steps[since].line.user != line.user]:
                settle(name)
            for name, found in step.before.items():
                settle(name)
                words = self.wrong_adjoint(name, found, spans)
                if words and not self.wrong:  # it may have been finished long before it is read
                    words = self.nearest(found, self.reference.complete(self.looking.adjoint_of(name)))
                if words:
                    self.wrong.append((number, Difference(written.get(name, line), name, words)))
            for name, found in step.after.items():
                if self.looking.adjoint_of(name):
                    words = self.wrong_adjoint(name, found, spans)
                    written[name] = line
                    if words:
                        doubts.setdefault(name, (number, Difference(line, name, words)))
                    else:
                        doubts.pop(name, None)
                elif not line.loop and (words := self.wrong_value(line, name, found, spans)):
                    self.wrong.append((number, Difference(line, f"what is saved of {line.keeps}" if name == "saved" else name, words)))
        for name in list(doubts):
            settle(name)
        first = min(self.wrong, key=lambda found: found[0])[1] if self.wrong else None
        return Findings(self.agree, self.largest, len(self.wrong), first)

    def spans(self, line: Line, turn: int) -> list[Span]:
        """The stretches of the run that the given execution of a generated line (from 0) can stand for."""
        if line.returns:
            return [(0, 0)]
        count = self.counts[line.number]
        turn = -1 - turn if self.in_reverse(line) else turn
        families = self.families.get(line.user, ())
        return list(dict.fromkeys(
            family[turn] for family in families if len(family) == count or not self.finished and len(family) > count
        ))

    def in_reverse(self, line: Line) -> bool:
        """Whether a generated line belongs to the reverse sweep."""
        return line.number >= self.reverse_from

    def wrong_adjoint(self, name: str, found: Any, spans: list[Span]) -> str:
        """How an adjoint is wrong, in words; empty if it is right or cannot be judged."""
        stem = self.looking.adjoint_of(name)
        return self.nearest(found, (state for first, last in spans for state in self.reference.adjoints(stem, first, last)))

    def wrong_value(self, line: Line, name: str, found: Any, spans: list[Span]) -> str:
        """How a value of the function's own is wrong, in words; empty if it is right or cannot be judged."""
        name, saved = (line.keeps, True) if name == "saved" else (name, False)
        moments = {time for first, last in spans for time in range(first, last + 1)}
        if not saved and not self.in_reverse(line):  # the forward sweep binds what the step binds, it brings nothing back
            moments = moments & set(self.reference.times[name]) - {first for first, _ in spans} or moments
        states = (self.reference.value(name, time) for time in sorted(moments, reverse=True))
        return self.nearest(found, (state for state in states if state is not None))

    def nearest(self, found: Any, states: Iterator[dict[str, Wanted]]) -> str:
        """Empty if a value agrees with one of the states (or if one of them is unknown), else how far it is from the nearest."""
        nearest: Off | None = None
        unknown = found is None or found is ...  # what stands for a name that is not bound
        for state in states:
            if not state:
                unknown = True
                continue
            one = off(found, state, self.allowed)
            if one.within:
                self.agree += 1
                self.largest = max(self.largest, one.relative)
                return ""
            if nearest is None or one.relative < nearest.relative:
                nearest = one
        return nearest.words if nearest and not unknown else ""


def families(steps: list[WatchedStep]) -> dict[str, list[list[Span]]]:
    """For each line of the user's the stretches of a run in which it was executed, one list for each way of counting.

    A simple statement counts as often as it is executed, and stands for the whole run of statements from its line; a branch or
    a loop as often as it is entered; a loop also trip by trip.
    """
    starts, ends = runs(steps)
    counted: dict[tuple[str, int, str], list[Span]] = {}

    def count(line: Line, way: str, span: Span) -> None:
        counted.setdefault((line.user, line.number, way), []).append(span)

    inside: list[tuple[int, Line, int]] = []  # compound statements that we are in: entered when, which, its trip began when
    for time, step in enumerate(steps):
        line = step.line
        while inside and not inside[-1][1].number <= line.number <= inside[-1][1].last:
            entered, compound, _ = inside.pop()
            count(compound, "entered", (entered, time))
        if inside and inside[-1][1] is line:  # the head of a loop, once more
            count(line, "trip", (inside[-1][2], time))
            inside[-1] = (inside[-1][0], line, time + 1)
        elif line.compound:
            inside.append((time, line, time + 1))
        else:
            count(line, "executed", (starts[time], ends[time]))
    for entered, compound, _ in reversed(inside):
        count(compound, "entered", (entered, len(steps)))
    found: dict[str, list[list[Span]]] = {}
    for (user, _, _), spans in counted.items():
        if spans not in found.setdefault(user, []):
            found[user].append(spans)
    return found


def runs(steps: list[WatchedStep]) -> tuple[list[int], list[int]]:
    """For each step the start and the end of the unbroken run of steps from its line of the user's."""
    starts, ends = [0] * len(steps), [0] * len(steps)
    for time, step in enumerate(steps):
        before = time and steps[time - 1].line.user == step.line.user and not steps[time - 1].line.compound
        starts[time] = starts[time - 1] if before else time
    for time in range(len(steps) - 1, -1, -1):
        together = time + 1 < len(steps) and starts[time + 1] == starts[time]
        ends[time] = ends[time + 1] if together else time + 1
    return starts, ends
