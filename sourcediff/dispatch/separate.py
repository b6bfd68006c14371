"""Arguments that share memory, where generated code changes one of them in place: they are refused."""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import Any

from ..analysis.environment.captured import current
from ..errors import AliasingError
from ..runtime.arrays.library import library_of
from ..runtime.user_objects import changeable_in, changeable_in_classes
from ..syntax.function import definition
from .entry import Entry
from .restore import is_one


def check_separate(
    function: types.FunctionType, parameters: Sequence[str], entry: Entry, values: Sequence[Any], captured: Sequence[Any],
) -> None:
    """Refuse arguments that share memory (with one another, or with what is read from outside) where one is changed in place."""
    changed, resized = (entry.loaded.namespace.get(title, ()) for title in ("MUTATED", "RESIZED"))
    named = [*zip(parameters, values), *((name, value) for (_, name), value in zip(entry.captured, captured))]
    parts = [(name, part) for name, value in named for part in changeable_in(value)]
    members = [(path, current(reader, path)) for reader, path in entry.surroundings.data if "." in path]  # of classes and modules
    reached = [(path, part) for path, value in members for part in changeable_in(value)]
    reached += [(name, part) for name, value in named + members for part in changeable_in_classes(value)]
    for position, (name, part) in enumerate(parts):
        if name not in changed and (name not in resized or library_of(part)):  # it is the list that is changed
            continue
        for place, (other, second) in enumerate(parts + reached):
            if place != position and is_one(part, second):
                error = AliasingError(
                    f"{function.__qualname__} changes {name} in place, and {other} shares its memory",
                    places=[definition(function, "called with arguments that share memory")],
                    why="the change would be seen through both, which the gradient was not derived for",
                    remedy=f"pass a copy of {other}",
                )
                error.at_run_time = True  # of this call alone
                raise error
