"""Whether a call of a function can be made again later: what it reads from outside is kept, to be compared with what is there then."""

from __future__ import annotations

import functools
import types
import weakref
from collections.abc import Iterable
from typing import Any

from ..analysis.environment.asked_of_classes import is_derivative
from ..analysis.environment.captured import Surroundings, current, defaults_of, is_user_function
from ..errors import InPlaceError
from ..rules.frames import rule_for
from ..runtime.arrays.library import is_number, library_of
from ..runtime.parts import FIXED, MAPPINGS, SEQUENCES, SETS, parts_within, used_up
from ..runtime.user_objects import held_by, is_users
from ..syntax.function import definition

CALLS = {functools.partial, types.MethodType}


class Lasting:
    """What a call reads from outside: its surroundings, and ``given``, the parts of its arguments that others may change.

    ``known`` is whether the call can be made again: all that it reads is known, and the function does the same with the same values.
    """

    def __init__(self, surroundings: Surroundings, given: dict[str, Any]):
        self.surroundings = surroundings
        self.given = given
        self.kept = [contents(value) for _, value in self.read()]
        self.known = None not in self.kept and repeats_exactly(surroundings)

    def read(self) -> list[tuple[str, Any]]:
        """What is read from outside, as it is now, and its names."""
        found = list(self.given.items())
        for function in self.surroundings.functions:
            if not is_derivative(function) and (function.__defaults__ or function.__kwdefaults__ or function.__dict__):
                found += [(f"{function.__qualname__}: {name}", value) for name, value in (defaults_of(function) | vars(function)).items()]
        return found + [(name, current(function, name)) for function, name in self.surroundings.data]

    def check(self) -> None:
        """Raise InPlaceError unless all is as it was."""
        changed = "a function, or what a class holds"
        if self.surroundings.unchanged():
            now = [(name, contents(value)) for name, value in self.read()]
            found = [name for (name, one), other in zip(now, self.kept) if not same_contents(one, other)]
            if not found:
                return
            changed = found[0]
        function = self.surroundings.functions[0]
        raise InPlaceError(
            f"{function.__qualname__} reads {changed}, which has changed since the call whose second derivative is asked for",
            why="the second derivative runs the function again, on what is there now",
            remedy=f"call backward (or autograd.grad) before the change, or give mode='eager' to the gradient of {function.__qualname__}",
            places=[definition(function, "called with Variables")],
        )


_repeating: weakref.WeakKeyDictionary[Surroundings, bool] = weakref.WeakKeyDictionary()


def repeats_exactly(surroundings: Surroundings) -> bool:
    """Whether a function and all that it calls do the same when they run again on the same values."""
    if surroundings not in _repeating:
        from ..analysis.source import repeatable  # which reads the sources

        _repeating[surroundings] = all(repeatable.repeats(function) for function in surroundings.functions if not is_derivative(function))
    return _repeating[surroundings]


def finds_again(surroundings: Surroundings, given: Iterable[Any], drawn: bool = False) -> bool:
    """Whether another run of a function finds all as the last one did: it has used up nothing of what it read.

    What containers held, and what random numbers come next, has been brought back; if the numbers stay ``drawn``, they count too.
    """
    if any(map(used_up, (*given, *surroundings.data_now()))):
        return False
    from ..analysis.source import repeatable

    return not any(repeatable.uses_up(function, drawn) for function in surroundings.functions if not is_derivative(function))


def contents(value: Any) -> list[Any] | None:
    """All that a value holds, at any depth, flat and as it is now.

    None where it cannot be told whether something in it has changed: an iterator, a generator of random numbers, a file.

    >>> import numpy as np
    >>> contents({"k": [2.0, np.zeros(1)]})
    [<class 'dict'>, ('k',), <class 'list'>, 2, (1,), dtype('float64'), b'\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00', 2.0]
    """
    found: list[Any] = []
    for part, inside in parts_within([value], is_repeatable):
        kind = type(part)
        if inside is None:
            return None
        if library_of(part) or is_number(part):
            found += (part.shape, part.dtype, part.tobytes())
        elif kind in SEQUENCES:
            found += (kind, len(part))
        elif kind in MAPPINGS:
            found += (kind, tuple(part))
        elif kind in SETS:
            found += (kind, frozenset(part))
        elif is_users(kind):
            found += (part, *held_by(part))
        else:
            found.append(kind if kind in CALLS else part)
    return found


def is_repeatable(part: Any) -> bool:
    """Whether something is a function of which all is known that a call reads: one with a rule, the user's, a derivative."""
    return rule_for(part) is not None or is_user_function(part) or is_derivative(part)


def same_contents(one: list[Any] | None, other: list[Any] | None) -> bool:
    """Whether contents are what they were."""
    if one is None or other is None or len(one) != len(other):
        return False
    return all(
        part is was or type(part) is type(was) and isinstance(part, (*FIXED, tuple, frozenset)) and part == was
        for part, was in zip(one, other)
    )
