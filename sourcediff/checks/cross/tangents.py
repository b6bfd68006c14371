"""Cross-check of forward mode: the compiled tangent against the eager engine's, which pushes by transposing the graph twice.

Where the function returns one number, the dot-product identity u·(Jv) = (Jᵀu)·v ties both to the eager gradient.
"""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...dispatch.arguments import as_float, tangents_of
from ...dispatch.dispatcher import Dispatcher
from ...dispatch.entry import Entry
from ...eager.engine.linear import linearise
from ...errors import CrossCheckError, MissingRuleError
from ...runtime.arrays.library import as_array, is_array, is_number
from ...runtime.copies import copied
from ...runtime.trees import leaves, mapped
from ...syntax.function import current, definition
from ..numeric import vector
from .closeness import Wanted, off, tolerance
from .copying import Bench, check_readable
from .locate import Difference, places_of
from .reference import size_of
from .slopes import first_wrong


class TangentCheck(NamedTuple):
    """What was compared: the function, what moved, the generated file, the largest relative difference, and what was not."""

    function: str
    wrt: tuple[str, ...]
    path: str
    largest: float
    remark: str = ""

    def __str__(self) -> str:
        compared = f"the value and its tangent, for tangents of {', '.join(self.wrt)}; and the dot products of both modes"
        return agreement(self, "tangent", compared)


def agreement(check: Any, what: str, compared: str) -> str:
    """What a cross-check that found nothing wrong tells: of ``what`` it was, and what was compared."""
    lines = [
        f"{check.function}: the compiled {what} and the eager graph agree", f"  {compared}",
        f"  largest relative difference {check.largest:.1g}", f"  {check.path}",
    ]
    return "\n".join(lines + ([f"  {check.remark}"] if check.remark else []))


def magnitude(value: Any) -> float:
    """The largest finite entry of a structure of numbers."""
    return max((size_of(leaf) for _, leaf in leaves(value)), default=0.0)


def random_tangents(values: Sequence[Any]) -> list[Any]:
    """Random numbers in the structures, shapes and dtypes of values; None for what is no floating-point number."""
    random = np.random.default_rng(0)
    return [mapped(lambda part: _in_structure(random.uniform(-1.0, 1.0, np.shape(part)), part), value) for value in values]


def _in_structure(numbers: Any, part: Any) -> Any:
    if not hasattr(part, "dtype"):
        return type(part)(numbers) if isinstance(part, (float, complex)) else None
    made = as_array(numbers, part, part.dtype)
    return made[()] if isinstance(part, np.generic) else made


def check_tangents(dispatcher: Dispatcher, entry: Entry, values: Sequence[Any], tangents: Sequence[Any]) -> TangentCheck:
    """Compare one specialisation of forward mode, for these arguments (all, in order) and tangents, with the eager engine.

    Raises CrossCheckError that names the wrong entry, and what either engine raises.
    """
    function = dispatcher.function
    outside = [current(owner, name) for owner, name in dispatcher.surroundings.data]
    check_readable(function, [*values, *outside])
    bench = Bench(outside)
    arguments = dict(zip(dispatcher.parameters, values))
    remark = ""
    with bench.run():
        linear, expected_value, _ = linearise(function, copied(arguments), dispatcher.wrt, False)
        linear.require_real(function.__qualname__)
        given = linear.inputs.seeds(tuple(tangents), "tangent", function.__qualname__)
        try:
            expected = linear.pushed(given)
        except MissingRuleError as missing:  # of what a rule of one's own calls: pulling back needs none
            expected, remark = None, f"the tangent was not compared: {missing.problem}"
        seeds = [slot.zeros() + 1 if slot.node is not None else None for slot in linear.outputs.slots]
        found = zip(linear.inputs.slots, linear.pull(seeds), given)
        adjoints = vector([slot.finished(g, False) for slot, g, along in found if along is not None])
    with bench.run():
        captured = copied(dispatcher.captured(entry))
        moved = tangents_of([arguments[name] for name in dispatcher.wrt], tangents)
        value, tangent = entry.call(*copied([*values, *moved]), *captured)
    moving = magnitude(list(tangents))
    largest = max(magnitude(expected), magnitude(expected_value), moving, magnitude(adjoints) * moving)  # what may have cancelled
    allowed = tolerance([list(values), list(tangents)], largest)

    def wrong(what: str) -> CrossCheckError:
        positions = {dispatcher.parameters.index(name): tangent for name, tangent in zip(dispatcher.wrt, tangents)}
        with bench.run():
            first = first_wrong(entry.call, entry.loaded, values, positions, captured)
        return error(function, what, entry, first)

    relative = 0.0
    for what, found, wanted in (("the value", value, expected_value), ("the tangent", tangent, expected)):
        parts = {path: Wanted(leaf) for path, leaf in leaves(wanted) if isinstance(leaf, float) or is_array(leaf) or is_number(leaf)}
        one = off(found, parts, allowed)
        if not one.within:
            raise wrong(f"{what} {one.words}")
        relative = max(relative, one.relative)
    forward = sum(float(np.sum(leaf)) for path, leaf in leaves(tangent))
    reverse = float(adjoints @ vector(given))
    scale = float(np.abs(adjoints) @ np.abs(vector(given))) + abs(forward)
    if np.isfinite(forward) and np.isfinite(reverse) and not abs(forward - reverse) <= 10 * allowed.relative * scale + allowed.absolute:
        raise wrong(f"u·(Jv) is {forward:.10g}, and (Jᵀu)·v is {reverse:.10g}")
    return TangentCheck(function.__qualname__, dispatcher.wrt, entry.loaded.path, relative, remark)


def cross_check_tangent(function: Any, names: tuple[str, ...], arguments: Mapping[str, Any]) -> TangentCheck:
    """Compare the compiled tangent of a function for random tangents of the parameters ``names`` with the eager engine's."""
    dispatcher = Dispatcher(function, names, False, True, mode="forward", strong=False)
    given = {name: as_float(value) if name in names else value for name, value in arguments.items()}
    values = list(given.values())
    return check_tangents(dispatcher, dispatcher.entry(values), values, random_tangents([given[name] for name in names]))


def error(function: types.FunctionType, what: str, entry: Entry, first: Difference | None) -> CrossCheckError:
    """The error: what is wrong, and the first wrong line, in the generated text and in the user's."""
    places = [definition(function, "the function that was checked")] if first is None else places_of(first, entry.loaded)
    return CrossCheckError(
        f"the compiled tangent of {function.__qualname__} is wrong: {what}", places=places,
        why=f"the eager engine gives something else; the generated text is {entry.loaded.path}",
        remedy="use mode='eager' for this function, and report it, please, with the function and its arguments",
    )
