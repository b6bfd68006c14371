"""The first generated line that leaves a wrong tangent: the generated function is run at three points, every statement watched.

The k-th value that is bound to ``x_dot`` belongs to the k-th that is bound to ``x``; how that moves with the arguments, differences
tell. They tell roughly, which is enough: that the tangent is wrong is known already.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...dispatch.arguments import tangents_of
from ...dispatch.cache import Loaded
from ...runtime.copies import copied
from ...runtime.trees import leaves
from ..numeric import moved_along
from .listing import Line, Listing
from .locate import Difference
from .watching import Watcher

STEP = 1e-6
ROUGHLY = 1e-4
DOT = "_dot"


def first_wrong(
    call: Callable[..., Any], loaded: Loaded, values: Sequence[Any], tangents: Mapping[int, Any], rest: Sequence[Any],
) -> Difference | None:
    """The first wrong tangent, None where none is found. ``tangents`` are those of ``values``, by their positions."""
    listing = Listing(loaded.text, call.__name__)
    along = [tangents.get(position) for position in range(len(values))]

    def run(step: float) -> dict[str, list[tuple[int, Line, Any]]]:
        moved = tangents_of([values[position] for position in tangents], list(tangents.values()))
        return bound_at_points(call, listing, [*moved_along(copied(list(values)), along, step), *copied([*moved, *rest])])

    at, ahead, behind = run(0.0), run(STEP), run(-STEP)
    for name, number, line, found in statements_in_order(at):
        stem = name.removesuffix(DOT)
        if len({len(times.get(stem, ())) for times in (at, ahead, behind)} | {len(at[name])}) != 1:
            continue  # the runs have parted, or one of the two names was nested away
        pairs = zip(leaves(found), leaves(ahead[stem][number][2]), leaves(behind[stem][number][2]))
        for (path, tangent), (_, after), (_, before) in pairs:
            expected = (np.asarray(after, dtype=float) - before) / (2 * STEP)
            scale = 1.0 + np.max(np.abs(expected), initial=0.0)
            off = np.abs(tangent - expected)
            if np.shape(off) == np.shape(expected) and np.any(off > ROUGHLY * scale):
                where = np.unravel_index(int(np.argmax(off)), np.shape(off)) if np.ndim(off) else ()
                index = f"[{', '.join(map(str, where))}]" if where else ""
                words = f"{path}{index} is {np.asarray(tangent)[where]:.6g}, but should be about {expected[where]:.6g}"
                return Difference(line, name, words)
    return None


def bound_at_points(call: Callable[..., Any], listing: Listing, values: list[Any]) -> dict[str, list[tuple[int, Line, Any]]]:
    """All that was bound to each name in one run: when, in which line, and what."""
    found: dict[str, list[tuple[int, Line, Any]]] = {}
    clock = iter(range(1 << 60))

    def after(line: Line, local: Mapping[str, Any]) -> dict[str, Any]:
        for name in line.writes:
            if name in local:
                found.setdefault(name, []).append((next(clock), line, copied(local[name])))
        return {}

    Watcher(inspect.unwrap(call).__code__, listing, lambda line, local: {}, after).run(call, *values)
    return found


def statements_in_order(found: dict[str, list[tuple[int, Line, Any]]]) -> list[tuple[str, int, Line, Any]]:
    """The tangents in the order in which they were bound: name, the how manieth of that name, line, value."""
    everything = [(when, name, number, line, value) for name, times in found.items() if name.endswith(DOT)
                  for number, (when, line, value) in enumerate(times)]
    return [(name, number, line, value) for _, name, number, line, value in sorted(everything, key=lambda one: one[0])]
