"""Lengths that generated code takes for equal, where the function itself would raise of others."""

from __future__ import annotations

import inspect
import types
from typing import Any

from ..analysis.environment.captured import Surroundings, current
from ..analysis.lengths_within import symbolic_lengths
from ..errors import HandledError
from ..runtime.copies import copied
from ..syntax.function import definition
from .replayable import finds_again
from .request import length_named, sizes_of


def check_lengths(
    function: types.FunctionType, signature: inspect.Signature, pairs: tuple[tuple[str, str], ...], values: list[Any],
    surroundings: Surroundings, handled: bool,
) -> None:
    """Let the function itself raise where lengths differ that it needs equal: the generated code may have left that part out.

    Raises HandledError where it does not, but might have caught what is raised: it has ``handled`` exceptions.
    """
    known = sizes_of(zip(signature.parameters, values))
    for reader, name in surroundings.data:
        known.update(symbolic_lengths(current(reader, name), name))
    for pair in pairs:
        one, other = (length_named(text, known) for text in pair)
        if one is not None and other is not None and one != other:
            call = inspect.BoundArguments(signature, dict(zip(signature.parameters, copied(values))))
            function(*call.args, **call.kwargs)
            if handled or not finds_again(surroundings, values):
                raise HandledError(
                    f"{function.__qualname__} may catch the error of a wrong number of values: a length is {one}, not {other}",
                    places=[definition(function, "it has a try, of which the compiler takes the way without exceptions alone")],
                    remedy="use mode='eager', or test the length with if", at_run_time=True,
                )
            return
