"""Whose an error in a library run is: the program's own, or ours, who have handed other people's code what it does not take.

Code of C, Python's library and packages that are not followed take arrays and numbers, and a run gives them what stands for these. What
they say then is no error of the program. One call of the function as it is decides: if it raises the like, the error is the program's
and comes through; if it returns, the error becomes a refusal.
"""

from __future__ import annotations

import builtins
import contextlib
import inspect
import re
import types
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import NonDifferentiableError, SourcediffError
from ...runtime.copies import RandomStates, copied
from ...runtime.parts import used_up
from ...runtime.placement import is_refused, not_taken
from ...runtime.whose_error import pass_on
from ...syntax.function import codes
from ..engine.apply import variables_in
from ..engine.nodes import Recorded
from .entering import mapped_into_run
from .namespaces import Namespace
from .object_proxies import MISSING, Shadow, attributes_of, content_of, items_of, refill, set_attribute, unset
from .watch import WATCH

if TYPE_CHECKING:
    from .rebind import Rebinder


ENGINES = re.compile(r"\bLive(Number)?\b")
"""The names of the engine's classes, of which no user has heard."""


def verdict(error: Exception, function: Callable[..., Any], arguments: dict[str, Any], rebinder: Rebinder) -> Exception:
    """What the caller is to see: the error itself, what the plain call raises instead of it, or a refusal.

    Where what the function reads is used up by now, no call can decide: there it is the error, unless it speaks of the engine.
    """
    if rebinder.on_device and is_refused(error):
        return not_taken(getattr(function, "__qualname__", repr(function)), error)
    said = ENGINES.sub(lambda found: "number" if found[1] else "array", f"{type(error).__name__}: {error}")
    if any(map(used_up, (*arguments.values(), *read_outside(rebinder)))):
        return error if said.endswith(str(error)) else disturbed(said, "")
    try:
        with undisturbed(rebinder):
            call = inspect.BoundArguments(inspect.signature(function), _copies(arguments))  # type: ignore[arg-type]
            function(*call.args, **call.kwargs)
    except Exception as plain:
        pass_on(plain)
        if type(plain) is type(error) and not ENGINES.search(str(error)):
            return error
        plain.__suppress_context__ = True  # of the one that the run raised instead
        return plain
    return disturbed(said, ", and a plain call does not raise it")


def read_outside(rebinder: Rebinder) -> Iterator[Any]:
    """What the functions of a run read from outside: globals, builtins, cells and defaults, whether the run has come to them or not."""
    for function, _ in list(rebinder.known.values()):
        if isinstance(function, types.FunctionType) and id(function) in rebinder.copies:
            for name in {name for code in codes(function.__code__) for name in code.co_names}:
                yield function.__globals__.get(name, vars(builtins).get(name))
            yield from map(content_of, function.__closure__ or ())
            yield from (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())


def disturbed(said: str, beside: str) -> NonDifferentiableError:
    """The refusal of what other people's code has ``said``."""
    return NonDifferentiableError(
        "a value that is being differentiated was given to code that takes plain numbers and arrays only", why=f"it said {said}{beside}",
        remedy="use NumPy's functions, or keep the value that is being differentiated out of it",
    )


def _copies(arguments: dict[str, Any]) -> Any:
    return copied(mapped_into_run(arguments, _held_data) if variables_in([arguments]) else arguments)


def _held_data(variable: Recorded) -> Any:
    return np.copy(variable._value) if hasattr(variable._value, "shape") else variable._value


@contextlib.contextmanager
def undisturbed(rebinder: Rebinder) -> Iterator[None]:
    """A scope in which all that the program can reach is as it was before the run; afterwards it is as the run has left it."""
    refusal, depth = WATCH.refusal, WATCH.depth
    reach(rebinder)
    states = RandomStates([value for value, _ in rebinder.known.values()])
    shadows = list(rebinder.shadows.made)
    cells = [(cell, content) for cell, _, content in rebinder.shadows.cells.values()]
    classes = [(kind, dict(vars(kind))) for kind, _, _ in rebinder.classes.made]
    with rebinder.before.undone(), np.errstate(all="ignore"):
        WATCH.refusal, WATCH.depth = None, 0  # a run that the plain call makes is a run of its own
        try:
            yield
        finally:
            WATCH.refusal, WATCH.depth = refusal, depth
            states.restore()
            for shadow in shadows:
                as_before(shadow)
            for cell, content in cells:
                _fill_cell(cell, content)
            for kind, held in classes:
                _reset(kind, held)


def reach(rebinder: Rebinder) -> None:
    """Make the stand-ins of all that the functions of the run read, also of what they have not come to: so it is known how it was."""
    done: set[int] = set()
    while pending := [part for key, part in list(rebinder.copies.items()) if key not in done]:
        for copy in pending:
            done.add(next(key for key, part in rebinder.copies.items() if part is copy))
            for name in {name for code in codes(copy.__code__) for name in code.co_names}:
                original = copy.__globals__.original if isinstance(copy.__globals__, Namespace) else {}
                with contextlib.suppress(SourcediffError):  # what cannot be followed is not changed by the run
                    rebinder.rebound(original.get(name))
        for stand in [shadow.stand for shadow in rebinder.shadows.made if id(shadow.stand) in rebinder.shadows.waiting]:
            with contextlib.suppress(SourcediffError):
                rebinder.shadows.read(stand, "__dict__")


def as_before(shadow: Shadow) -> None:
    """Give an original what it held when its stand-in was made."""
    original = shadow.original
    if shadow.attributes is not None:
        now = attributes_of(original)
        for name in now.keys() - shadow.attributes.keys():
            unset(original, name)
        for name, value in shadow.attributes.items():
            if now.get(name, MISSING) is not value:
                set_attribute(original, name, value)
    if shadow.items is not None:
        now_held = items_of(original)
        if len(now_held) != len(shadow.items) or any(one is not other for one, other in zip(now_held, shadow.items)):
            refill(original, shadow.items)


def _fill_cell(cell: Any, content: Any) -> None:
    now = content_of(cell)
    if content is not MISSING and now is not content:
        cell.cell_contents = content
    elif content is MISSING and now is not MISSING:
        del cell.cell_contents


def _reset(kind: type, held: dict[str, Any]) -> None:
    for name in vars(kind).keys() - held.keys():
        type.__delattr__(kind, name)
    for name, part in held.items():
        if vars(kind).get(name, MISSING) is not part:
            type.__setattr__(kind, name, part)
