"""Where the compiler refuses: which calls of a transform the eager engine answers, and what is said about it, once for each function."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, Protocol, TypeVar

from ..backends.python import annotate, outside_of_library
from ..eager.engine.anomaly import ANOMALY
from ..eager.engine.nodes import tick
from ..errors import (
    FALLS_BACK,
    AliasingError,
    FallbackWarning,
    HandledError,
    MissingRuleError,
    NonDifferentiableError,
    SourcediffError,
    SourceUnavailableError,
    UnsupportedSyntaxError,
)
from ..runtime.arrays import has_complex
from ..runtime.function_cache import kept
from ..runtime.trees import leaves
from ..runtime.whose_error import from_outside
from .blame import judged
from .dispatcher import Dispatcher
from .entry import Entry
from .replayable import finds_again

Answer = TypeVar("Answer")

RANGE = "compiled code takes about as long for large arrays, a tenth of it for small ones, a hundredth for single numbers"
"""What a run on the eager engine costs beside compiled code; docs/eager.md has the table."""


class Fall:
    """The compiler has refused a function, for the reason ``error``: the eager engine answers. ``ended``: it has, and its user knows."""

    def __init__(self, function: Any, door: str, error: SourcediffError):
        self.what = f"{door} of {function.__qualname__}" if door else function.__qualname__
        self.error = without_traces(error)
        self.told = told(function)
        self.ended = False
        self.begin()

    def begin(self) -> None:
        """The eager engine begins."""
        self.began, self.first = perf_counter(), tick()

    def end(self, error: BaseException | None) -> None:
        """It has answered, or raised ``error``: tell the user.

        Of two refusals there is one: the compiler's (raised here) where that engine has no derivative either, since it was found in the
        source; else the engine's, which then is what is in the way.
        """
        if self.ended or error is not None and from_outside(error):
            return
        if isinstance(error, SourcediffError):
            if isinstance(self.error, MissingRuleError) and not error.at_run_time:
                raise self.error.with_traceback(None) from None
        else:
            self.say(cost(perf_counter() - self.began, tick() - self.first - 1) if error is None else "")

    def say(self, cost: str) -> None:
        """Tell the user, who has not been told of this refusal by another derivative of the function."""
        warn_once(self.told, f"{self.what} runs on the eager engine", self.error, cost)
        self.ended = True


AT_THE_PROMPT: set[str] = set()
"""The refusals of functions typed at Python's prompt that the user has been told of."""


def told(function: Any) -> set[str]:
    """The refusals of a function that its user has been told of; a function that is made again and again, as in a loop, is one, and so are
    all that are typed at a prompt."""
    function = getattr(function, "__func__", function)
    if getattr(getattr(function, "__code__", None), "co_filename", "") == "<stdin>":
        return AT_THE_PROMPT
    return kept(getattr(function, "__code__", function), "told", set)


def warn_once(told: set[str], what: str, error: SourcediffError, cost: str = "") -> None:
    """Say where a function runs and why, if that has not been said. Where warnings are errors they are so each time."""
    refusal = error.why if isinstance(error, SourceUnavailableError) else str(error)
    if refusal not in told:
        warnings.warn(f"{what}: {error.in_short()}{cost}", FallbackWarning, stacklevel=outside_of_library())
        told.add(refusal)


def answered(fall: Callable[[], Fall | None], compute: Callable[[], Answer]) -> Answer:
    """What ``compute()`` gives; where ``fall()`` says then that the eager engine has answered, the user is told."""
    try:
        found = compute()
    except BaseException as error:
        if (fallen := fall()) is not None:
            fallen.end(error)
        raise
    if (fallen := fall()) is not None:
        fallen.end(None)
    return found


def without_traces(error: SourcediffError) -> SourcediffError:
    """An error that keeps no frames, and so nothing of what the compiler was at, alive."""
    found: BaseException | None = error
    while found is not None:
        found.__traceback__ = None
        found = found.__cause__ or found.__context__
    return error


def cost(seconds: float, operations: int) -> str:
    """What a run on the eager engine costs, in words.

    >>> print(cost(0.0213, 5021))
    <BLANKLINE>
      cost: this call took 21 ms and recorded about 5,000 operations; compiled code takes about as long for large arrays, \
a tenth of it for small ones, a hundredth for single numbers
    """
    took = f"{seconds:.2g} s" if seconds >= 1 else f"{seconds * 1000:.2g} ms"
    return f"\n  cost: this call took {took} and recorded about {rounded(operations):,} operations; {RANGE}"


def rounded(number: int) -> int:
    """A number with two digits that say something."""
    unit: int = 10 ** max(0, len(str(number)) - 2)
    return round(number / unit) * unit


class Compiling(Protocol):
    """What calls generated code: the function, the parameters to differentiate, and what the compiler has refused before, if it has."""

    wrt: tuple[str, ...]
    fall: Fall | None

    @property
    def function(self) -> Any:
        """The function."""


def compiled_or_none(caller: Compiling, dispatcher: Callable[[], Dispatcher], values: Sequence[Any], mode: str, door: str) -> Entry | None:
    """The generated code for these arguments (all of the function's, in order); None where the eager engine is to answer.

    Raises what the compiler refuses in mode ``"compiled"``; in ``"auto"`` the caller notes it.
    """
    if mode == "eager" or not caller.wrt or caller.fall is not None and mode == "auto":
        return None
    try:
        found = dispatcher()
        if found.holds_variables(list(values)):
            return None
        if any(has_complex(leaf) for name, value in zip(found.parameters, values) if name in caller.wrt for _, leaf in leaves(value)):
            return None  # it refuses them by name
        return found.entry_by_shapes(values)
    except FALLS_BACK as error:
        if mode == "compiled" or error.at_run_time and not isinstance(error, HandledError):
            raise
        caller.fall = Fall(caller.function, door, error)
    except NonDifferentiableError:
        if mode == "compiled":
            raise  # else the eager engine says why, or knows better
    return None


def run_or_none(caller: Compiling, dispatcher: Dispatcher, entry: Entry, values: Sequence[Any], mode: str, door: str) -> Any:
    """What the generated code gives; None where it has found that the eager engine is to answer."""
    try:
        try:
            return entry.call(*values) if entry.direct and not ANOMALY else dispatcher.called(entry, values)
        except Exception as error:
            annotate(error)
            raise
    except HandledError as error:
        if mode == "compiled":
            raise
        check_again(error, finds_again(dispatcher.surroundings, values))
        warn_of_call(caller, error, door)
        return None
    except AliasingError as error:
        if mode == "compiled" or error.at_run_time:
            raise
        caller.fall = Fall(caller.function, door, error)
        return None
    except Exception as error:
        said = judged(error, dispatcher, values)
        if said is error:
            raise
        if mode == "compiled" or not isinstance(said, HandledError):
            raise said from error
        warn_of_call(caller, said, door)
        return None


def check_again(error: SourcediffError, found: bool) -> None:
    """Raise the error of generated code that has broken off, if the eager engine would not have ``found`` all as that code did."""
    if not found:
        raise UnsupportedSyntaxError(
            error.problem, places=error.places, at_run_time=True,
            why="the eager engine would have to begin again, and what the function has read by now (an iterator, a file) is used up",
            remedy="give mode=\"eager\", or pass a list of what is read",
        ) from None


def warn_of_call(caller: Any, error: HandledError, door: str) -> None:
    """Warn once that the eager engine answers a call; generated code goes on answering others."""
    what = f"{door} of {caller.function.__qualname__}" if door else caller.function.__qualname__
    warn_once(told(caller.function), f"{what} runs on the eager engine for this call and for others like it", error)


def annotated(function: Callable[..., Any], *args: Any) -> Any:
    """Call generated code; an error in it gets a note with the user's line."""
    try:
        return function(*args)
    except Exception as error:
        annotate(error)
        raise
