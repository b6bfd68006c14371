"""Whose an error of generated code is: the function's own, which a plain call raises too, or a fault of the library.

What is from outside, and so nobody's here, :mod:`sourcediff.runtime.whose_error` says; the same question of runs on the eager engine is
answered by :mod:`sourcediff.eager.library_run.verdict`.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..analysis.environment.captured import Surroundings
from ..errors import HandledError, NonDifferentiableError, SourcediffError
from ..runtime.copies import RandomStates, copied
from ..runtime.parts import parts_within
from ..runtime.whose_error import from_outside, may_be_ours, pass_on
from ..syntax.function import definition
from .arguments import as_float, signature_of
from .dispatcher import Dispatcher
from .internal_errors import NUMERIC, REPORT
from .replayable import finds_again
from .restore import uncounted


def judged(error: Exception, dispatcher: Dispatcher, values: Sequence[Any]) -> Exception:
    """What the caller is to see of an error that generated code has raised, for these arguments (all of the function's, in order).

    The error itself, or what the plain call raises instead of it; a HandledError where that returns. Where the function changes its
    arguments, or uses up what it reads, that may have happened already, so there it is the error itself.
    """
    zero = isinstance(error, ZeroDivisionError)  # by the length of an empty array, say: the eager engine divides as NumPy does
    if isinstance(error, (SourcediffError, *NUMERIC)) and not zero or not may_be_ours(error):
        return error
    values = values[:len(dispatcher.parameters)]  # tangents come after them
    entry = dispatcher.entry(list(values))
    captured = dispatcher.captured(entry)
    parts = [part for part, _ in parts_within([*values, *captured])]
    if entry.mutated or any(uncounted(part) for part in parts) or not finds_again(entry.surroundings, values):
        return error
    plain = raised(dispatcher.function, dict(zip(dispatcher.parameters, values)), parts)
    if plain is not None:
        return error if type(plain) is type(error) else plain
    return HandledError(
        f"the generated code raised {type(error).__name__}: {error}, and a plain call does not",
        places=[definition(dispatcher.function, "in the derivative of this function")],
        why="the derivative divides by a number that is 0 here, the length of an empty array for example" if zero else REPORT,
        remedy="mode=\"eager\" differentiates it without the compiler", at_run_time=True,
    )


def of_int(error: Exception, function: types.FunctionType, given: Mapping[str, Any], wrt: Sequence[str]) -> Exception:
    """The refusal of an int that counts as a float, since it is differentiated, where the function needs it to be one; else the error.

    ``given`` are the arguments by name, as the caller gave them: of an index or a length a plain call with these returns.
    """
    counted = [name for name in wrt if name in given and as_float(given[name]) is not given[name]]
    if not counted or not isinstance(error, (TypeError, IndexError)) or from_outside(error):
        return error
    if not finds_again(Surroundings(function), given.values()):
        return error
    if raised(function, given, [part for part, _ in parts_within(list(given.values()))]) is not None:
        return error
    return NonDifferentiableError(
        f"{function.__qualname__} needs {counted[0]} to be an int, or to hold one, and it was asked to differentiate by it",
        why=f"an int that is differentiated counts as a float, of which Python said {type(error).__name__}: {error}",
        remedy=f"leave {counted[0]} out of what is differentiated, or hand the int in by an argument of its own",
        places=[definition(function, "called with it")],
    )


def raised(function: types.FunctionType, given: Mapping[str, Any], parts: list[Any]) -> Exception | None:
    """What a plain call with copies of these arguments raises, None if it returns; of generators among the ``parts`` nothing is drawn."""
    states = RandomStates(parts)
    try:
        call = inspect.BoundArguments(signature_of(function), dict(zip(given, copied(list(given.values())))))
        with np.errstate(all="ignore"):
            function(*call.args, **call.kwargs)
    except Exception as plain:
        pass_on(plain)
        return plain
    finally:
        states.restore()
    return None
