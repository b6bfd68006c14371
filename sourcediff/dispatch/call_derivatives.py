"""What runs the calls that generated code makes (``runtime/linked_calls.py``): the sweeps of the called function, or the eager engine."""

from __future__ import annotations

import inspect
import types
import warnings
from collections.abc import Callable, Mapping, Sequence
from threading import get_ident
from typing import TYPE_CHECKING, Any

import numpy as np

from ..backends.python import annotate, outside_of_library
from ..eager.engine.anomaly import ANOMALY
from ..eager.engine.nodes import Recorded
from ..eager.library_run.recording import record_run
from ..errors import FallbackWarning, NonDifferentiableError
from ..frontend.read.unsupported import refusal
from ..runtime.arrays import is_plain_array, on_device
from ..runtime.function_cache import kept, known
from ..runtime.linked_calls import ENGINE, Link, followed, leaves_of_link, moves, unfollowed
from ..runtime.structures import like, refilled
from .linear_maps import Generated
from .made import LASTING, shapes_of
from .pullbacks import FLOATS, puller
from .tangents import pushed_again
from .transform_calls import TransformCall, value_and_tangent

if TYPE_CHECKING:
    from .dispatcher import Dispatcher

DOOR = "the derivative"


Pulling = tuple[Any, Callable[[Any], Sequence[Any]] | None]
"""A value and its pullback."""


def pull(function: Callable[..., Any], args: Sequence[Any], moving: Sequence[int]) -> Pulling:
    """The value of ``function(*args)``, and its pullback with respect to the arguments at the positions ``moving``.

    On Variables the call is recorded as any other: there is no pullback then.
    """
    if any(isinstance(leaf, Recorded) for leaf in leaves_of_link(args)):
        return function(*args), None
    if (repeat := getattr(function, "__repeated__", None)) is not None:
        try:
            if (found := repeated(repeat, args, moving, pull)) is not None:
                return found
        except LASTING:  # what the compiler does not take is the eager engine's
            function.__repeated__ = None  # type: ignore[attr-defined]
    call = TransformCall(function, args, {}, mode_for(function), DOOR, as_given=True)
    names = list(call.call.arguments)
    wrt = [names[position + len(call.owners)] for position in moving]
    linear, value, _ = call.answered(lambda: call.linearised(wrt, False))
    linear.require_real(call.name)
    slots = linear.outputs.slots
    if isinstance(linear, Generated) and not call.owners:
        learn(function, tuple(moving), linear.wrt, args)

    def pullback(g: Any) -> Sequence[Any]:
        parts = linear.outputs.flat(finished(g, value))
        adjoints: Sequence[Any] = linear.pulled([None if slot.dtype is None else part for slot, part in zip(slots, parts)])
        return adjoints

    return value, pullback


def repeated(repeat: Any, args: Sequence[Any], moving: Sequence[int], run: Callable[..., Any]) -> Pulling | None:
    """The same of a solver's call (``frontend/read/solver_calls.py``): the solver's own value, and the pullback of what computes it
    again, or of the equation that holds there. None where a quick ``run`` knows nothing of it, or the eager engine is to derive it."""
    if any(isinstance(leaf, Recorded) or on_device(leaf) for leaf in leaves_of_link(args)):
        return None
    known, settling, again, parts = repeat
    answer, found = settling(*args)
    if found is None:
        return None
    moved = [position + 1 for position in moving]
    swept = solved(again, found, args, moved, run) if known.equation else run(again, (found, *args), moved)
    if swept is None:
        return None
    back: Any = swept[1]
    pieces = [getattr(answer, part) for part in parts]
    value = answer if not parts else pieces[0] if len(parts) == 1 else tuple(pieces)

    def pullback(g: Any) -> Sequence[Any]:
        g = finished(g, value)
        if known.parts:
            given = dict(zip(parts, g if len(parts) > 1 else [g]))
            g = tuple(given.get(part, 0.0) for part in known.parts) if len(known.parts) > 1 else given.get(known.parts[0], 0.0)
        adjoints: Sequence[Any] = back(g[0] if isinstance(answer, tuple) else g)
        return adjoints

    return value, pullback


def solved(again: Any, x: Any, args: Sequence[Any], moved: Sequence[int], run: Callable[..., Any]) -> Pulling | None:
    """The pullback of what solves an equation, by the implicit function theorem, at the solver's answer after a step of Newton's method."""
    for refined in (False, True):
        if (swept := run(again, (x, *args), [0, *moved])) is None:
            return None
        left, back = swept
        if np.ndim(x) == 0:
            slope = back(1.0)[0]
            if slope == 0:
                return None
            x = x if refined else x - left / slope
        else:
            slope = np.array([np.ravel(back(unit)[0]) for unit in np.eye(np.size(x)).reshape((-1, *np.shape(x)))])
            x = x if refined else x - np.reshape(np.linalg.solve(slope, np.ravel(left)), np.shape(x))

    def pullback(g: Any) -> Sequence[Any]:
        force = -g / slope if np.ndim(x) == 0 else np.reshape(np.linalg.solve(slope.T, -np.ravel(g)), np.shape(x))
        return back(force)[1:]  # type: ignore[no-any-return]

    return x, pullback


def finished(g: Any, value: Any) -> Any:
    """The adjoint of a value in its structure, shapes and dtypes, where it lies."""
    kind = type(value)
    if kind in FLOATS and type(g) in FLOATS:
        return kind(g)
    plain = is_plain_array(value) and is_plain_array(g)
    if plain and not on_device(value) and g.shape == value.shape and g.dtype == value.dtype and g.dtype.kind == "f":
        return g.copy()
    if any(map(on_device, leaves_of_link(value))):
        from ..on_cupy import like as there

        return there(g, value)
    return like(g, value)


def learn(function: Any, moving: tuple[int, ...], wrt: tuple[str, ...], args: Sequence[Any]) -> None:
    """Note that generated code answers such calls."""
    if not isinstance(function, types.FunctionType):
        return
    dispatcher = kept(function, ("linked", moving), lambda: puller(function, wrt, True).dispatcher("auto"))
    dispatcher.entry_by_shapes(args)


class Running:
    """A function while it runs: what it reads from outside is looked at when it begins."""

    __slots__ = ("dispatcher", "known", "made", "moving", "outside", "quiet")

    def __init__(self, dispatcher: Dispatcher, moving: tuple[int, ...]):
        self.dispatcher = dispatcher
        self.moving = moving
        self.made = dispatcher.now()
        self.outside = self.made.with_outside(())
        self.known: dict[Any, tuple[Any, Any, list[Any]]] = {}  # by shapes of arguments: the two sweeps, what the first reads from outside
        self.quiet = False  # whether NumPy's warnings are silenced

    def sweeps(self, shapes: Any) -> tuple[Any, Any, list[Any]] | None:
        """The two sweeps for arguments of these shapes, and what the first reads from outside; None where there are none."""
        entry = self.made.fast.get(shapes + self.outside)
        if entry is None or entry.mutated or entry.refusing:
            return None
        call, back = ((getattr(sweep, "__wrapped__", sweep) if self.quiet else sweep) for sweep in (entry.call, entry.back))
        return call, back, self.dispatcher.captured(entry)


RUNNING: dict[tuple[int, tuple[int, ...], int], Running] = {}
"""What runs, by function, what may be differentiated, and thread: a function that calls itself is looked at once."""


def quick(function: Any, args: tuple[Any, ...], asked: tuple[int, ...]) -> Link | None:
    """The call, where arguments of these shapes have been given before to generated code that leaves them as they are."""
    if ANOMALY:
        return None
    key, shapes = (id(function), asked, get_ident()), shapes_of(args)
    running = RUNNING.get(key)
    if running is not None and (sweeps := running.known.get(shapes)) is not None:
        return ran(function, args, asked, running.moving, *sweeps)
    moving = tuple([position for position in asked if moves(args[position])])
    if not moving:
        return None
    if (repeat := getattr(function, "__repeated__", None)) is not None:
        return quickly_repeated(function, repeat, args, asked, moving)
    if running is not None and running.moving == moving:
        if (sweeps := running.sweeps(shapes)) is None:
            return None
        running.known[shapes] = sweeps
        return ran(function, args, asked, moving, *sweeps)
    if (dispatcher := (known(function) or {}).get(("linked", moving))) is None:
        return None
    running, around = Running(dispatcher, moving), running
    if (sweeps := running.sweeps(shapes)) is None:
        return None
    running.quiet = all(hasattr(sweep, "__wrapped__") for sweep in sweeps[:2])
    RUNNING[key] = running
    try:
        return ran(function, args, asked, moving, *sweeps)
    finally:
        if around is None:
            del RUNNING[key]
        else:
            RUNNING[key] = around


def ran(function: Any, args: Any, asked: tuple[int, ...], moving: tuple[int, ...], call: Any, back: Any, captured: list[Any]) -> Link:
    """The call, of which the two sweeps are known."""
    try:
        value, tape = call(*args, *captured)
    except Exception as error:
        annotate(error)
        if isinstance(error, (NonDifferentiableError, RecursionError)):
            raise unfollowed(function, error) from error
        raise

    def pull(g: Any) -> Any:
        try:
            return back(tape, finished(g, value))
        except Exception as error:
            annotate(error)
            raise

    return Link.done(args, function, asked, moving, value, pull)


def quickly_repeated(function: Any, repeat: Any, args: tuple[Any, ...], asked: tuple[int, ...], moving: tuple[int, ...]) -> Link | None:
    """The same of a solver's call."""
    moved = tuple(position + 1 for position in moving)
    moved = (0, *moved) if repeat[0].equation else moved
    with followed(function):
        found = repeated(repeat, args, moving, quick_pull) if ("linked", moved) in (known(repeat[2]) or {}) else None
    return None if found is None or found[1] is None else Link.done(args, function, asked, moving, found[0], found[1])


def quick_pull(function: Any, args: tuple[Any, ...], moving: Sequence[int]) -> Pulling | None:
    """The same as :func:`pull`, where it can be had quickly."""
    link = quick(function, args, tuple(moving))
    return None if link is None else (link.value, link.pull)


def mode_for(function: Any) -> str:
    """The mode for a function: what computes a solver's answer again is compiled; that of an island is known, and said once."""
    if not hasattr(function, "__island__"):
        return "compiled" if hasattr(function, "__again__") else "auto"
    if function.__island__ is not None:
        of, places = function.__island__
        function.__island__ = None
        said = f"a part of {of.__qualname__} runs on the eager engine: {refusal(of, list(places)).in_short()}"
        warnings.warn(said, FallbackWarning, stacklevel=outside_of_library())
    return "eager"


def push(function: Any, args: Sequence[Any], tangents: Mapping[int, Any]) -> tuple[Any, Any]:
    """The value of ``function(*args)`` and its tangent, for tangents of the arguments at some positions."""
    mode, moved = mode_for(function), tuple(only_moving(tangents.get(position), arg) for position, arg in enumerate(args))
    value, tangent = (pushed_again(function, args, moved, mode) if mode == "auto" else None) or pushed_along(function, args, moved, mode)
    return value, without_none(tangent)


def only_moving(tangent: Any, value: Any) -> Any:
    """A tangent with None for what has no derivative: an int, a name, a flag among the numbers stays what it is."""
    if isinstance(value, dict):
        return None if tangent is None else {key: only_moving(tangent[key], part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return None if tangent is None else refilled(value, map(only_moving, tangent, value))
    return tangent if isinstance(value, Recorded) or moves(value) else None


def pushed_along(function: Any, args: Sequence[Any], tangents: Sequence[Any], mode: str) -> tuple[Any, ...]:
    """The value of ``function(*args)`` and its tangent, None for one of an argument that stays."""
    call = TransformCall(function, args, {}, mode, DOOR, as_given=True)
    moved = {name: tangent for name, tangent in call.by_name(tangents).items() if tangent is not None}
    return call.answered(lambda: value_and_tangent(call, moved))


def pulled_by_call(function: Any, args: Sequence[Any], moving: Sequence[int]) -> tuple[Any, Callable[[Any], Any]]:
    """The value of ``function(*args)`` on the eager engine, and its pullback with respect to the arguments at the positions ``moving``."""
    call = TransformCall(function, args, {}, "eager", DOOR, as_given=True)
    names = list(call.call.arguments)
    linear, value, _ = call.recorded([names[position + len(call.owners)] for position in moving], False)
    return value, lambda g: linear.pulled(linear.outputs.seeds(g, "cotangent", call.name))


def without_none(tangent: Any) -> Any:
    """A tangent with 0.0 for what has none."""
    if isinstance(tangent, dict):
        return {key: without_none(part) for key, part in tangent.items()}
    if isinstance(tangent, (list, tuple)):
        return [without_none(part) for part in tangent]
    return 0.0 if tangent is None else tangent


def pull_again(function: Callable[..., Any], args: Sequence[Any], moving: Sequence[int], g: Any, tangents: Mapping[int, Any]) -> Any:
    """The gradient of g · J t with respect to the arguments at the positions ``moving``, J being the derivative there."""

    def along_them(moved: Any) -> Any:
        return push(function, put_into(args, moving, moved), tangents)[1]

    value, pullback = pulled_by_call(along_them, [[args[position] for position in moving]], [0])
    return pullback(seeded(g, value))[0]


def seeded(g: Any, value: Any) -> Any:
    """A cotangent in the structure of a value, each part by itself: together they would be made one array where they are recorded."""
    if isinstance(value, dict):
        return {key: seeded(g[key], part) for key, part in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(seeded(g[position], part) for position, part in enumerate(value)))
    if isinstance(value, (list, tuple)):
        parts = [seeded(g[position], part) for position, part in enumerate(value)]
        return parts if isinstance(value, list) else tuple(parts)
    if not moves(value):
        return None
    return g if np.shape(g) == np.shape(value) else np.broadcast_to(g, np.shape(value))


def pull_along(function: Callable[..., Any], args: Sequence[Any], moving: Sequence[int], g: Any, tangents: Mapping[int, Any]) -> Any:
    """The derivative of Jᵀ g with respect to these arguments, along their tangents."""

    def pulled(moved: Any) -> Any:
        value, pullback = pulled_by_call(function, put_into(args, moving, moved), moving)
        return pullback(seeded(g, value))

    moved = [args[position] for position in moving]
    return pushed_along(pulled, [moved], [[only_moving(tangents[position], args[position]) for position in moving]], "eager")[1]


def put_into(args: Sequence[Any], moving: Sequence[int], moved: Sequence[Any]) -> list[Any]:
    """The arguments, with others at the positions ``moving``."""
    given = list(args)
    for position, value in zip(moving, moved):
        given[position] = value
    return given


def value_alone(function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """The value of a call on the eager engine, of which nothing is differentiated."""
    call = inspect.signature(function).bind(*args, **kwargs)
    call.apply_defaults()
    return record_run(function, call.arguments, (), as_given=True).value


ENGINE.update(quick=quick, pull=pull, push=push, pull_again=pull_again, pull_along=pull_along, value=value_alone)
