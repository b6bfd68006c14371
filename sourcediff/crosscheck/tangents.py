"""Cross-check of forward mode: the compiled tangent against the eager engine's, which pushes by transposing the graph twice.

Where the function returns one number, the dot-product identity u·(Jv) = (Jᵀu)·v ties both to the eager gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..analysis.scope import current
from ..arguments import as_float
from ..check import leaves, mapped, vector
from ..dispatch import Dispatcher, Entry
from ..eager.linear import linearise
from ..errors import CrossCheckError
from ..syntax.function import definition
from .closeness import Wanted, off, tolerance
from .copying import Bench, copied


class TangentCheck(NamedTuple):
    """What was compared: the function, what moved, the generated file, the largest relative difference."""

    function: str
    wrt: tuple[str, ...]
    path: str
    largest: float

    def __str__(self) -> str:
        return "\n".join([
            f"{self.function}: the compiled tangent and the eager graph agree",
            f"  the value and its tangent, for tangents of {', '.join(self.wrt)}; and the dot products of both modes",
            f"  largest relative difference {self.largest:.1g}",
            f"  {self.path}",
        ])


def random_tangents(values: Sequence[Any]) -> list[Any]:
    """Random numbers in the structures, shapes and dtypes of values."""
    random = np.random.default_rng(0)
    return [mapped(lambda part: _like(random.uniform(-1.0, 1.0, np.shape(part)), part), value) for value in values]


def _like(numbers: Any, part: Any) -> Any:
    return float(numbers) if isinstance(part, float) and not hasattr(part, "dtype") else np.asarray(numbers, part.dtype)[()]


def check_tangents(dispatcher: Dispatcher, entry: Entry, values: Sequence[Any], tangents: Sequence[Any]) -> TangentCheck:
    """Compare one specialisation of forward mode, for these arguments (all, in order) and tangents, with the eager engine.

    Raises CrossCheckError that names the wrong entry, and what either engine raises.
    """
    function = dispatcher.function
    bench = Bench([current(owner, name) for owner, name in dispatcher.surroundings.data])
    arguments = dict(zip(dispatcher.parameters, values))
    with bench.run():
        captured = copied([current(owner, name) for owner, name in entry.captured])
        value, tangent = entry.call(*copied([*values, *tangents]), *captured)
    with bench.run():
        linear, expected_value, _ = linearise(function, copied(arguments), dispatcher.wrt, False)
        expected = linear.pushed(linear.inputs.seeds(tuple(tangents), "tangent", function.__qualname__))
        seeds = [slot.zeros() + 1 if slot.node is not None else None for slot in linear.outputs.slots]
        adjoints = linear.inputs.like([slot.finished(g, False) for slot, g in zip(linear.inputs.slots, linear.pull(seeds))])
    largest = float(max([np.max(np.abs(vector(part)), initial=0.0) for part in (adjoints, tangents, expected)]))
    allowed = tolerance([list(values), list(tangents)], largest * largest if largest > 1 else largest)
    relative = 0.0
    for what, found, wanted in (("the value", value, expected_value), ("the tangent", tangent, expected)):
        parts = {path: Wanted(leaf) for path, leaf in leaves(wanted) if isinstance(leaf, (float, np.ndarray, np.generic))}
        one = off(found, parts, allowed)
        if not one.within:
            raise wrong(function, f"{what} {one.words}", entry)
        relative = max(relative, one.relative)
    forward = sum(float(np.sum(leaf)) for path, leaf in leaves(tangent))
    reverse = float(vector(adjoints) @ vector(list(tangents)))
    scale = float(np.abs(vector(adjoints)) @ np.abs(vector(list(tangents)))) + abs(forward)
    if np.isfinite(forward) and np.isfinite(reverse) and not abs(forward - reverse) <= 10 * allowed.relative * scale + allowed.absolute:
        raise wrong(function, f"u·(Jv) is {forward:.10g}, and (Jᵀu)·v is {reverse:.10g}", entry)
    return TangentCheck(function.__qualname__, dispatcher.wrt, entry.loaded.path, relative)


def cross_check_tangent(function: Any, names: tuple[str, ...], arguments: Mapping[str, Any]) -> TangentCheck:
    """Compare the compiled tangent of a function for random tangents of the parameters ``names`` with the eager engine's."""
    dispatcher = Dispatcher(function, names, False, True, mode="forward", strong=False)
    given = {name: as_float(value) if name in names else value for name, value in arguments.items()}
    values = list(given.values())
    return check_tangents(dispatcher, dispatcher.entry(values), values, random_tangents([given[name] for name in names]))


def wrong(function: Callable[..., Any], what: str, entry: Entry) -> CrossCheckError:
    return CrossCheckError(
        f"the compiled tangent of {function.__qualname__} is wrong: {what}",
        places=[definition(function, "the function that was checked")],  # type: ignore[arg-type]
        why=f"the eager engine gives something else; the generated text is {entry.loaded.path}",
        remedy="use mode='eager' for this function, and report it, please, with the function and its arguments",
    )
