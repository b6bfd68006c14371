"""What the compiler fails at without meaning to: deep programs get room, and a fault of its own becomes an error of the family."""

from __future__ import annotations

import contextvars
import sys
import threading
import types
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np

from ..errors import InternalError, NonDifferentiableError, Place, SourcediffError, UnsupportedSyntaxError
from ..runtime.whose_error import pass_on
from ..syntax.function import definition

Made = TypeVar("Made")

STACK = 256 << 20
"""Bytes of stack for a program that is nested too deeply for the caller's: they are reserved, and only used as far as they are needed."""

FRAMES = 100_000
"""Calls within one another that fit into that stack."""

DEEPEST = 100
"""Levels of containers in containers that an argument may have."""

ROOMY = threading.Lock()
"""One such thread at a time: the limit of recursion is the whole interpreter's."""

REPORT = "a fault of sourcediff, not of the program: please report it, with the function"


NUMERIC = (ArithmeticError, MemoryError, np.linalg.LinAlgError, Warning)
"""What a derivative raises for the numbers that it is given (a singular matrix, say), where the function itself may return."""


def attempted(function: types.FunctionType, work: Callable[[], Made]) -> Made:
    """What ``work()`` gives: the compiler at work on a function, with room for one that is nested deeply.

    Raises what it raises on purpose, and for anything else an error of the family (:func:`own_error`).
    """
    try:
        try:
            return work()
        except RecursionError as error:
            return in_a_thread(work, error)
    except (InternalError, MemoryError, Warning):
        raise
    except SourcediffError as error:
        raise error.with_traceback(None) from error.__cause__  # where the compiler was when it refused tells nobody anything
    except Exception as error:
        pass_on(error)
        raise own_error(error, function) from error


def in_a_thread(work: Callable[[], Made], error: RecursionError) -> Made:
    """What ``work()`` gives, in a thread with a large stack; in the caller's it ended in ``error``. Raises what it raises."""
    found: list[Made] = []
    raised: list[BaseException] = []

    def run() -> None:
        try:
            found.append(work())
        except BaseException as problem:
            raised.append(problem)

    thread = threading.Thread(target=contextvars.copy_context().run, args=(run,), name="sourcediff")
    with ROOMY:
        limit, stack = sys.getrecursionlimit(), threading.stack_size(STACK)
        try:
            sys.setrecursionlimit(max(limit, FRAMES))
            thread.start()
            threading.stack_size(stack)
            thread.join()
        except RuntimeError:  # no thread could be started, or none with such a stack
            raise error from None
        finally:
            threading.stack_size(stack)
            sys.setrecursionlimit(limit)
    if raised:
        raise raised[0]
    return found[0]


def own_error(error: Exception, function: types.FunctionType, arguments: Iterable[tuple[str, Any]] = ()) -> SourcediffError:
    """The error of the family for an exception that the compiler did not mean to raise on the way to a function's derivative."""
    while hasattr(function, "sourcediff"):  # a derivative: of a function of the user's
        function = function.sourcediff.function
    if isinstance(error, RecursionError):
        return too_deep(function, arguments) or UnsupportedSyntaxError(
            f"{function.__qualname__} is nested too deeply for the compiler",
            places=[definition(function, "in this function, or in what it calls")], why="Python's limit of calls within calls was reached",
            remedy="name parts of long expressions, and flatten the calls",
        )
    at = innermost(error)
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return InternalError(
        f"the compiler failed on {function.__qualname__}: {said}{f' ({at})' if at else ''}",
        places=[place_of_failure(error, function)], why=REPORT, remedy="mode=\"eager\" differentiates it without the compiler",
    )


def too_deep(function: types.FunctionType, arguments: Iterable[tuple[str, Any]]) -> NonDifferentiableError | None:
    """The refusal of an argument that holds itself, or containers in very many containers; None if there is none."""
    for name, value in arguments:
        if not (why := unending(value)):
            continue
        return NonDifferentiableError(
            f"the argument {name} of {function.__qualname__} is nested too deeply", why=why,
            remedy="pass arrays, or lists and dicts of a few levels", places=[definition(function, "called with it")],
        )
    return None


def unending(value: Any) -> str:
    """Why a structure is not gone through to its end; empty if it is.

    >>> cyclic = [1.0]
    >>> cyclic.append(cyclic)
    >>> unending(cyclic), unending([[1.0], [2.0]])
    ('it holds itself', '')
    """
    above: list[tuple[Any, list[Any]]] = [(value, parts_held(value))]
    seen: set[int] = set()
    while above:
        if not above[-1][1]:
            above.pop()
            continue
        part = above[-1][1].pop()
        inner = parts_held(part)
        if inner and any(part is container for container, _ in above):
            return "it holds itself"
        if inner and id(part) not in seen:
            seen.add(id(part))
            above.append((part, inner))
        if len(above) > DEEPEST:
            return f"it has more than {DEEPEST} levels of containers within one another"
    return ""


def parts_held(value: Any) -> list[Any]:
    """What a container holds."""
    return list(value.values()) if isinstance(value, dict) else list(value) if isinstance(value, (list, tuple)) else []


def innermost(error: Exception) -> str:
    """The line of the library's in which an exception was raised, for a report; empty where none was."""
    found, trace = "", error.__traceback__
    while trace is not None:
        module = str(trace.tb_frame.f_globals.get("__name__", ""))
        if module.split(".")[0] == "sourcediff":
            found = f"{module}, line {trace.tb_lineno}"
        trace = trace.tb_next
    return found


def place_of_failure(error: Exception, function: types.FunctionType) -> Place:
    """The statement of the user's that the compiler was at, as far as that is to be seen; else the whole function."""
    from ..syntax import nodes as n
    from ..syntax.source import located_in

    found, trace = definition(function, "in this function"), error.__traceback__
    while trace is not None:
        for value in list(trace.tb_frame.f_locals.values()):
            if isinstance(value, n.stmt) and not isinstance(value, n.FunctionDef) and hasattr(value, "lineno"):
                found = located_in(value, value.__dict__.get("file", function.__code__.co_filename), "near this statement")
        trace = trace.tb_next
    return found
