"""From a call of ``vjp`` to the generated code for it: the forward sweep, and the pullback that takes its tape."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..backends.python import annotate, entry_name
from ..eager.engine.anomaly import ANOMALY
from ..errors import DegenerateError, SourcediffError
from ..runtime.equal_spectra import DECIDING
from ..runtime.function_cache import OfFunction, kept, known
from ..runtime.structures import copied
from ..runtime.whose_error import may_be_ours
from ..syntax.function import definition
from .blame import judged
from .dispatcher import Dispatcher
from .entry import Entry
from .fallback import Fall, annotated, compiled_or_none, run_or_none
from .internal_errors import NUMERIC, own_error

PULLED = {"auto": "pulled", "compiled": "pulled, compiled"}
"""Under which word what answered a call is kept of its function, by mode."""


class Pulled(NamedTuple):
    """One forward sweep: the value of the function, and ``pull``, from a cotangent in the structure of the value to the adjoints.

    ``before`` are the arguments as they were before the sweep, if they are kept.
    """

    value: Any
    pull: Callable[[Any], tuple[Any, ...]]
    before: list[Any]


class Puller(OfFunction):
    """The generated pair of sweeps of one function with respect to some parameters.

    ``as_given``: what has no derivative may stand among what is differentiated.
    ``fall``: the compiler does not take the function, so the eager engine runs it from now on.
    """

    def __init__(self, function: types.FunctionType, wrt: tuple[str, ...], as_given: bool = False):
        super().__init__(function)
        self.wrt = wrt
        self.as_given = as_given
        self.dispatchers: dict[str, Dispatcher] = {}
        self.fall: Fall | None = None

    def __call__(self, arguments: Mapping[str, Any], mode: str, door: str, keep: bool) -> Pulled | None:
        """The value and the pullback; None where the eager engine is to answer. ``keep``: the arguments as they are now, too."""
        values = list(arguments.values())
        entry = compiled_or_none(self, lambda: self.dispatcher(mode), values, mode, door)
        if entry is None:
            return None
        dispatcher = self.dispatcher(mode)
        again = not DECIDING.isdisjoint(entry.loaded.namespace)
        before = copied(values, True) if keep and entry.mutated or again else values
        found = run_or_none(self, dispatcher, entry, values, mode, door)
        if found is None:
            return None
        value, tape = found
        if door == "vjp" and not self.as_given and self.wrt == tuple(dispatcher.parameters):
            kept(self.function, PULLED[mode], lambda: dispatcher)
        return Pulled(value, functools.partial(pulled_back, self.function, entry, tape, keep), before)

    def dispatcher(self, mode: str) -> Dispatcher:
        """What finds the generated code in a mode; it looks at all that the function reads, so it is made when it is asked for."""
        if mode not in self.dispatchers:
            self.dispatchers[mode] = Dispatcher(
                self.function, self.wrt, False, True, mode="pullback", islands=mode == "auto", as_given=self.as_given)
        return self.dispatchers[mode]


def pulled_back(function: types.FunctionType, entry: Entry, tape: Any, kept: bool, g: Any) -> Any:
    """The reverse sweep. The function itself has returned by then, so what the sweep raises without meaning to is a fault of ours.

    ``kept``: the arguments are as they were, so the eager engine can do it again where Python's numbers do not divide by 0, the length of
    an empty array for example.
    """
    try:
        return annotated(entry.loaded.namespace[entry_name(function, "back")], tape, g)
    except ZeroDivisionError as error:
        by_zero = DegenerateError(
            f"the derivative of {function.__qualname__} divides by a number that is 0 here",
            why="the length of an empty array, for example", remedy="mode=\"eager\" differentiates it without the compiler",
            places=[definition(function, "in the derivative of this function")],
        )
        by_zero.undecided = kept
        raise by_zero from error
    except (SourcediffError, *NUMERIC):
        raise
    except Exception as error:
        if not may_be_ours(error):
            raise
        raise own_error(error, function) from error


def pulled_again(function: types.FunctionType, primals: Sequence[Any], mode: str) -> Pulled | None:
    """The value and the pullback by generated code that arrays and floats of the same shapes have been given to before, without further
    questions."""
    found = known(function)
    dispatcher = None if found is None else found.get(PULLED[mode])
    if dispatcher is None or ANOMALY or any(type(primal) is not np.ndarray and type(primal) is not float for primal in primals):
        return None
    entry = dispatcher.again(primals)
    if entry is None or entry.mutated or entry.refusing or not DECIDING.isdisjoint(entry.loaded.namespace):
        return None
    try:
        value, tape = dispatcher.called(entry, primals)
    except Exception as error:
        annotate(error)
        if judged(error, dispatcher, primals) is not error:
            return None  # the usual way answers, or says why not
        raise
    return Pulled(value, functools.partial(pulled_back, function, entry, tape, False), list(primals))


def puller(function: types.FunctionType, wrt: tuple[str, ...], as_given: bool = False) -> Puller:
    """The one puller of a function with respect to these parameters."""
    return kept(function, ("pull", wrt, as_given), lambda: Puller(function, wrt, as_given))
