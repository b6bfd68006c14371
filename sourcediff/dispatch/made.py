"""What has been made of one function: for as long as all that it was made from stays as it is.

Every door to generated code goes through :meth:`Dispatcher.now`, which asks that in one place and throws away what is old.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Sequence
from typing import Any

from numpy import ndarray

from ..analysis.abstract import Abstract, known_callables
from ..analysis.environment.callables import Same
from ..analysis.environment.captured import Surroundings
from ..errors import AliasingError, ComplexError, MissingRuleError, SourcediffError, UnsupportedSyntaxError
from ..rules.frames import OWN, RULES
from .arguments import signature_of
from .entry import Entry
from .shapes import QUICK, shape_of_argument, shape_of_data

LASTING = (UnsupportedSyntaxError, MissingRuleError, AliasingError, ComplexError)
"""Refusals that depend on the program and on the rules alone: not on files, nor on what fails in the compiler."""

MANY = 256
FEW = 16
"""Choices of functions and classes among the arguments, which are kept alive with what they close over."""


class Made:
    """A function as it is now: its parameters, what it reads from outside, and its specialisations, by kinds and by exact shapes."""

    def __init__(self, function: types.FunctionType):
        signature = signature_of(function)
        kinds = [parameter.kind for parameter in signature.parameters.values()]
        self.signature = signature
        self.parameters = list(signature.parameters)
        self.count = len(self.parameters)
        self.regular = all(kind in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY) for kind in kinds)
        self.positional = kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD)
        self.defaults = {name: given.default for name, given in signature.parameters.items() if given.default is not given.empty}
        self.surroundings = Surroundings(function)
        self.unchanged = self.surroundings.unchanged
        self.given: dict[tuple[Same, ...], Surroundings] = {}  # by the functions and classes among the arguments
        self.entries: dict[Any, Entry] = {}
        self.fast: dict[Any, Entry] = {}
        self.sent: dict[Any, tuple[Any, Any]] = {}  # arrays from outside, as they were, and on the device
        self.refusals: dict[Any, tuple[int, SourcediffError]] = {}  # with the number of rules of then

    def around(self, function: types.FunctionType, arguments: tuple[Abstract, ...]) -> Surroundings:
        """What the function reads from outside, with what the functions and objects do that it is given."""
        given = tuple(dict.fromkeys(map(Same, known_callables(arguments))))
        if not given:
            return self.surroundings
        if given not in self.given:
            if len(self.given) >= FEW:
                self.given.clear()
                self.entries.clear()
            self.given[given] = Surroundings(function, [same.value for same in given])
        return self.given[given]

    def check_refused(self, kinds: Any) -> None:
        """Raise what the compiler has said to these kinds of arguments before, if nothing that it depends on can have changed since."""
        rules, error = self.refusals.get(kinds, (0, None))
        if error is not None and rules == len(RULES) + len(OWN):
            raise error.said(error.problem, error.places)

    def refuses(self, kinds: Any, error: SourcediffError) -> None:
        """Note what the compiler says to these kinds of arguments, without what it was at."""
        if isinstance(error, LASTING) and not error.at_run_time:
            self.refusals[kinds] = len(RULES) + len(OWN), error.said(error.problem, error.places)

    def shapes(self, given: Sequence[Any]) -> tuple[Any, ...]:
        """What the specialisation depends on, or more: the shapes of the arguments, and of the data that is read from outside."""
        found = shapes_of(given)
        return self.with_outside(found) if self.surroundings.read else found

    def with_outside(self, shapes: tuple[Any, ...]) -> tuple[Any, ...]:
        """The shapes of arguments, and of the data that is read from outside."""
        return shapes + tuple(map(shape_of_data, self.surroundings.data_now())) if self.surroundings.read else shapes

    def remember(self, shapes: Any, values: Sequence[Any], entry: Entry) -> None:
        """Find this entry by exact shapes next time; a program that never repeats its shapes does not fill the memory."""
        if None in shapes or tuple(map(shape_of_argument, values)) != shapes[:self.count] or not by_shape(entry):
            return
        if len(self.fast) > MANY:
            self.fast.clear()
        self.fast[shapes] = entry

    def known(self, shapes: Any) -> Entry | None:
        """The entry for these shapes; None if there is none, or if what it reads of the classes of its arguments has changed."""
        entry = self.fast.get(shapes)
        return None if entry is None or entry.surroundings is not self.surroundings and not entry.surroundings.unchanged() else entry

    def arranged(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any] | None:
        """The value of every parameter, in order; None where that is not plain (or not right)."""
        if not self.regular or len(args) > self.positional:
            return None
        values, unused = list(args), len(kwargs)
        for name in self.parameters[len(args):]:
            if name in kwargs:
                values.append(kwargs[name])
                unused -= 1
            elif name in self.defaults:
                values.append(self.defaults[name])
            else:
                return None
        return None if unused else values


def shapes_of(given: Sequence[Any]) -> tuple[Any, ...]:
    """The shapes of arguments."""
    return tuple([
        (value.dtype, value.shape) if type(value) is ndarray else QUICK.get(type(value)) or shape_of_argument(value) for value in given
    ])


def by_shape(entry: Entry) -> bool:
    """Whether what an entry asks of the lengths of its arguments depends on shapes alone, not on the value of an int."""
    if not all(path.rpartition(".")[2].isdigit() or isinstance(value, (str, bool, type(None))) for path, value in entry.settled):
        return False
    pairs = entry.loaded.namespace.get("EQUAL", ())
    parts = [part for pair in pairs for text in pair for part in text.split(" + ")]
    return all(part.rpartition(".")[2].split("-")[0].isdigit() for part in parts)
