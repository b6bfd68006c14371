"""One call of a function for a transform: its arguments, and the derivative that answers it, compiled or recorded."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ..analysis.environment.captured import Surroundings
from ..errors import DegenerateError, NonDifferentiableError, UnsupportedSyntaxError
from ..runtime.user_objects import is_mixed, is_users
from ..syntax.function import definition, held, plain
from .arguments import as_float, as_float_along, checked_along, checked_attributes, located, signature_of, without_unmoved
from .blame import of_int
from .dispatcher import MODES
from .fallback import Fall, answered, check_again
from .internal_errors import too_deep
from .pullbacks import puller
from .replayable import finds_again
from .tangents import pusher

if TYPE_CHECKING:
    from ..eager.engine.linear import Linear
    from ..eager.engine.linear_maps import Map

Answer = TypeVar("Answer")


def value_and_tangent(call: TransformCall, moved: dict[str, Any], has_aux: bool = False, check: bool = False) -> tuple[Any, ...]:
    """The value of a call and its tangent, for the tangents of some parameters, and the aux with ``has_aux``."""
    if (compiled := call.pushed(call.function, moved, check)) is not None:
        if not has_aux:
            return compiled
        from ..eager.library_run.recording import parted_result

        (value, aux), (tangent, _) = parted_result(compiled[0], call.function), compiled[1]
        return value, tangent, aux
    linear, value, aux = call.recorded(tuple(moved), has_aux)
    linear.require_real(call.name)
    tangent = linear.pushed(linear.inputs.seeds(tuple(moved.values()), "tangent", call.name))
    return (value, tangent, aux) if has_aux else (value, tangent)


class TransformCall:
    """One call of a function for a transform: its arguments by name, and a way back to positions.

    ``as_given``: what is differentiated may hold what has no derivative, and it stays what it is; else an int there counts as a float.
    """

    def __init__(self, function: Any, args: Sequence[Any], kwargs: dict[str, Any], mode: str, door: str, as_given: bool = False):
        self.function = plain(function)
        self.mode = check_mode(mode, False, self.function)
        self.door = door
        self.owners, named = held(function)
        self.call = signature_of(self.function).bind(*self.owners, *args, **{**named, **kwargs})
        self.given = len(args)
        self.as_given = as_given
        self.call.apply_defaults()
        self.own = dict(self.call.arguments)
        self.wrt: Sequence[str] = ()
        self.fall: Fall | None = None

    @property
    def name(self) -> str:
        """The function's name, for errors."""
        return self.function.__qualname__

    def values(self, wrt: Sequence[str]) -> dict[str, Any]:
        """The arguments by name, as the function is to get them where the parameters ``wrt`` are differentiated."""
        given = self.call.arguments
        self.wrt = wrt
        return dict(given) if self.as_given else {name: as_float(value) if name in wrt else value for name, value in given.items()}

    def moving(self, tangents: Mapping[str, Any]) -> dict[str, Any]:
        """The tangents of what is moved: an int that has the tangent 0 is not, unless nothing else was named."""
        found = {name: without_unmoved(tangent, self.call.arguments[name]) for name, tangent in tangents.items()}
        return {name: tangent for name, tangent in found.items() if not is_none(tangent)} or dict(tangents)

    def keep(self, tangents: Mapping[str, Any]) -> None:
        """Take as given what has no tangent; an int that has one counts as a float. Raises as ``checked`` does of what has one."""
        for name, tangent in tangents.items():
            value = self.call.arguments[name] = as_float_along(self.call.arguments[name], tangent)
            try:
                checked_along(name, value, tangent, self.function)
            except NonDifferentiableError as error:
                raise located(error, self.function) from None
        self.as_given = True

    def by_name(self, values: Sequence[Any]) -> dict[str, Any]:
        """Values for the arguments that were given by position, by the names of their parameters."""
        arguments = self.call.signature.bind_partial(*self.owners, *values).arguments
        return dict(list(arguments.items())[len(self.owners):])

    def positional(self) -> tuple[tuple[str, ...], bool]:
        """The names of the parameters of the arguments that were given by position; they are several."""
        return tuple(self.by_name([None] * self.given)), False

    def by_position(self, values: dict[str, Any]) -> tuple[Any, ...]:
        """The inverse of :meth:`by_name`."""
        own = dict(zip(self.call.signature.parameters, self.owners))
        return inspect.BoundArguments(self.call.signature, own | values).args[len(self.owners):]

    def answered(self, compute: Callable[[], Answer]) -> Answer:
        """What ``compute()`` gives, and where the eager engine has had to answer, what is to be said about it.

        Raises NonDifferentiableError for an argument that holds itself, or is nested very deeply, and for an int that has to be one.
        """
        try:
            return answered(lambda: self.fall, compute)
        except RecursionError:
            if (refusal := too_deep(self.function, self.call.arguments.items())) is not None:
                raise refusal from None
            raise
        except (TypeError, IndexError) as error:
            if (said := of_int(error, self.function, self.own, self.wrt)) is not error:
                raise said from error
            raise

    def refuse_none(self, value: Any) -> None:
        """Raise NonDifferentiableError where the function has returned nothing, on one of its paths perhaps."""
        if value is None:
            raise NonDifferentiableError(
                f"{self.name} returned None, which has no derivative",
                why="Python gives None where a path of a function ends without return",
                remedy="return a number, an array, or a structure of them on every path", places=[definition(self.function, "called here")],
            )

    def linearised(self, wrt: Sequence[str], has_aux: bool) -> tuple[Map, Any, Any]:
        """The derivative with respect to the parameters ``wrt``, by generated code where there is some, the value, and the aux."""
        if has_aux or (found := self.generated(self.function, wrt)) is None:
            return self.recorded(wrt, has_aux)
        return *found, None

    def refuse_objects(self, wrt: Sequence[str]) -> None:
        """Raise NonDifferentiableError for objects (other than named tuples) and attributes, of which there are no Jacobians and Hessians.

        Of these it raises as ``checked_attributes`` does.
        """
        if self.door in ("vjp", "jvp"):
            for name, value in self.call.arguments.items():
                checked_attributes(name, value, tuple(wrt), self.function)
            return
        for path in wrt:
            value = self.call.arguments.get(path.split(".")[0])
            if "." in path or is_users(type(value)) and not isinstance(value, tuple) or is_mixed(value):
                raise NonDifferentiableError(
                    f"{self.door} of {self.name} was asked for with respect to {path}",
                    why="objects, and words among floats, are taken by grad, value_and_grad, vjp and jvp alone",
                    remedy="write a function of the floats that it holds", places=[definition(self.function, "asked of this function")],
                )

    def where_degenerate(self, error: DegenerateError, linear: Any = None) -> TransformCall:
        """This call for the eager engine, which takes the limit where eigenvalues are equal; of the arguments that ``linear`` has kept.

        Raises the error if only compiled code may answer, and if it is the eager engine's own.
        """
        if self.mode != "auto" or not error.undecided:
            raise located(error, self.function) from None
        surroundings = Surroundings(self.function)
        check_again(located(error, self.function), finds_again(surroundings, self.call.arguments.values(), linear is not None))
        self.mode = "eager"
        if linear is not None:
            self.call.arguments.update(zip(self.call.arguments, linear.found.before))
        return self

    def recorded(self, wrt: Sequence[str], has_aux: bool) -> tuple[Linear, Any, Any]:
        """The same by the graph of one run on the eager engine."""
        from ..eager.engine.linear import linearise

        self.refuse_objects(wrt)
        try:
            linear, value, aux = linearise(self.function, self.values(wrt), wrt, has_aux, self.as_given)
        except NonDifferentiableError as error:
            raise located(error, self.function) from None
        linear.snapshot()
        return linear, value, aux

    def generated(self, function: Any, wrt: Sequence[str]) -> tuple[Map, Any] | None:
        """The derivative of a function of these arguments, and its value, by generated code; None where the eager engine is to answer."""
        from .linear_maps import generated

        self.refuse_objects(wrt)
        try:
            found = generated(function, self.values(wrt), wrt, self.mode, self.door, self.as_given)
        except NonDifferentiableError as error:
            raise located(error, self.function) from None
        self.eager_for(puller(function, tuple(wrt), self.as_given).fall if found is None else None)
        return found

    def pushed(self, function: Any, tangents: Mapping[str, Any], check: bool = False) -> tuple[Any, Any] | None:
        """The value of a function of these arguments, and its tangent; None where the eager engine is to answer."""
        push = pusher(function, tuple(tangents), self.as_given)
        try:
            found = push(self.values(tuple(tangents)), tangents, self.mode, self.door, check)
        except DegenerateError as error:
            self.where_degenerate(error)
            return None
        except NonDifferentiableError as error:
            raise located(error, self.function) from None
        self.eager_for(push.fall if found is None else None)
        return found

    def eager_for(self, fall: Fall | None) -> None:
        """From here on the eager engine is at work, if the compiler has refused."""
        self.fall = fall
        if fall is not None:
            fall.begin()


def check_mode(mode: str, has_aux: bool, function: Any) -> str:
    """The mode. Raises ValueError for an unknown one, UnsupportedSyntaxError for the compiler's with ``has_aux``."""
    if mode not in MODES:
        raise ValueError(f"mode is one of {', '.join(MODES)}, not {mode!r}")
    if mode == "compiled" and has_aux:
        raise UnsupportedSyntaxError(
            f"{function.__qualname__} cannot be compiled with has_aux=True", why="the aux has no place on the tape",
            remedy="leave mode out, or give mode='eager'", places=[definition(function, "asked of this function")],
        )
    return mode


def is_none(tangent: Any) -> bool:
    """Whether nothing of an argument is differentiated: None, or nothing but None for what ``*args`` has taken."""
    return tangent is None or isinstance(tangent, tuple) and bool(tangent) and all(part is None for part in tangent)
