"""The doors to the other forms of the derivative: ``vjp``, ``jvp``, ``jacobian``, ``hessian``, ``hvp``, ``elementwise_grad``.

All of them are compiled: ``jvp`` as one sweep, the others as a pair of sweeps (or as a sweep that carries many tangents at once), and what
is of second order by differentiating generated code again. Where the compiler must refuse, the eager engine runs the function once,
and the same linear map is applied by walks of its graph.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ..analysis.environment.captured import Surroundings
from ..dispatch.arguments import as_float, as_float_along, checked_along, located, parameters_named, signature_of, without_unmoved
from ..dispatch.blame import of_int
from ..dispatch.dispatcher import MODES
from ..dispatch.fallback import Fall, answered, check_again
from ..dispatch.internal_errors import too_deep
from ..dispatch.pullbacks import puller
from ..dispatch.replayable import finds_again
from ..dispatch.tangents import pushed_again, pusher
from ..dispatch.wrappers import Forwarding, forwards, of_call
from ..errors import DegenerateError, NonDifferentiableError, UnsupportedSyntaxError, article
from ..runtime.derivative import form
from ..runtime.user_objects import is_users
from ..syntax.function import TRANSFORMS, definition, held, plain
from .gradients import DECORATING, Wrt, grad, gradient_source, offered

if TYPE_CHECKING:
    from ..eager.engine.linear import Linear
    from ..eager.engine.linear_maps import Map

Answer = TypeVar("Answer")
Pullback = Callable[[Any], Any]
DIRECTIONS = ("auto", "reverse", "forward")


def vjp(
    function: Callable[..., Any], *primals: Any, wrt: Wrt | None = None, mode: str = "auto", has_aux: bool = False, **keywords: Any,
) -> tuple[Any, ...]:
    """The value of ``function(*primals, **keywords)`` and its pullback there: ``(value, pullback)``, and the aux with ``has_aux``.

    ``pullback(cotangent)`` takes a cotangent in the structure and the shapes of the value (None for a part without one) and returns
    the adjoint of each primal, as a tuple; with ``wrt`` the adjoint of that parameter, or a tuple for a tuple. It is linear, can be
    called any number of times, and keeps what it reads: changing arrays between two calls does not change it. The zeros of a
    cotangent are strong: what they leave out stays zero, also where a derivative is infinite.

    Raises NonDifferentiableError for a primal that has no derivative and for a cotangent of another structure, shape or kind,
    UnknownParameterError, MissingRuleError; UnsupportedSyntaxError with ``mode="compiled"``.

    >>> import numpy as np, sourcediff
    >>> def scaled(x, s):
    ...     return x * s
    >>> value, pullback = sourcediff.vjp(scaled, np.array([1.0, 2.0]), 3.0)
    >>> value, pullback(np.array([1.0, 0.0]))
    (array([3., 6.]), (array([3., 0.]), 1.0))
    """
    if forwards(function, () if wrt is None else wrt):
        function, wrt = of_call(function, len(primals), tuple(keywords), wrt)
    call = Call(function, primals, keywords, mode, "vjp")
    check_mode(mode, has_aux, call.function)
    names, single = call.positional() if wrt is None else parameters_named(function, wrt)
    linear, value, aux = call.answered(lambda: call.linearised(names, has_aux))

    def pullback(cotangent: Any) -> Any:
        try:
            adjoints = linear.pulled(linear.outputs.seeds(cotangent, "cotangent", call.name))
        except DegenerateError as error:
            again = call.where_degenerate(error, linear).recorded(names, has_aux)[0]
            adjoints = again.pulled(again.outputs.seeds(cotangent, "cotangent", call.name))
        if wrt is None:
            return call.by_position(dict(zip(names, adjoints)))
        return adjoints[0] if single else adjoints

    return (value, pullback, aux) if has_aux else (value, pullback)


def jvp(
    function: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], mode: str = "auto", has_aux: bool = False,
    check: bool = False, **keywords: Any,
) -> tuple[Any, ...]:
    """The value of ``function(*primals, **keywords)`` and its derivative along ``tangents``: ``(value, tangent)``, then the aux.

    There is one tangent for each primal, in its structure and shapes; a primal whose tangent is None is not differentiated (it can be
    anything). The tangent of the value has its structure, shapes and dtypes, with None for what is no floating-point number. The zeros
    of a tangent are strong, as those of a cotangent are. ``mode`` and ``check`` are those of :func:`~sourcediff.grad`.

    Raises as :func:`vjp` does; in mode ``"compiled"`` also SourceUnavailableError and AliasingError.

    >>> import sourcediff
    >>> def product(x, y):
    ...     return x * y
    >>> sourcediff.jvp(product, (2.0, 3.0), (1.0, None))
    (6.0, 3.0)
    """
    usual = mode in ("auto", "compiled") and not (has_aux or check or keywords)
    if usual and type(function) is types.FunctionType and type(primals) is tuple:
        try:
            if (found := pushed_again(function, primals, tangents, mode)) is not None:
                return found
        except DegenerateError:
            pass  # it comes again, and then it is known whose it is
    function = form(function)
    for what, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, (tuple, list)):
            raise NonDifferentiableError(
                f"the {what} are {article(type(given).__name__)}", why="there is one for each argument", remedy=f"give a tuple of {what}",
            )
    if forwards(function):
        function, _ = of_call(function, len(primals), tuple(keywords))
    call = Call(function, primals, keywords, mode, "jvp")
    if len(primals) != len(tangents):
        raise NonDifferentiableError(
            f"{call.name} was given {len(primals)} primals and {len(tangents)} tangents", why="each primal has a tangent",
            remedy="give None for a primal that is not to be differentiated",
        )
    named = {name: tangent for name, tangent in call.by_name(tangents).items() if not _is_none(tangent)}

    def moving() -> tuple[Any, ...]:
        moved = call.moving(named)
        call.keep(moved)
        return along(call, moved, has_aux, check)

    return call.answered(moving)


def along(call: Call, moved: dict[str, Any], has_aux: bool = False, check: bool = False) -> tuple[Any, ...]:
    """The value of a call and its tangent, for the tangents of some parameters, and the aux with ``has_aux``."""
    if (compiled := call.pushed(call.function, moved, check)) is not None:
        if not has_aux:
            return compiled
        from ..eager.library_run.recording import parted

        (value, aux), (tangent, _) = parted(compiled[0], call.function), compiled[1]
        return value, tangent, aux
    linear, value, aux = call.recorded(tuple(moved), has_aux)
    linear.require_real(call.name)
    tangent = linear.pushed(linear.inputs.seeds(tuple(moved.values()), "tangent", call.name))
    return (value, tangent, aux) if has_aux else (value, tangent)


def jacobian(
    function: Any = DECORATING, wrt: Wrt = 0, direction: str = "auto", *, mode: str = "auto", has_aux: bool = False,
) -> Any:
    """The matrix of all derivatives of a function's result, as a function of the same arguments. Also a decorator.

    Its shape is that of the result, then that of the argument, and its dtype the argument's. A structure in the result, and then one
    in the argument, becomes a structure of such arrays. ``direction`` is ``"reverse"`` (one sweep for each entry of the result),
    ``"forward"`` (one for each entry of the argument) or ``"auto"``, by their numbers. With ``has_aux`` the function returns
    ``(result, anything)``, and its Jacobian ``(jacobian, anything)``.

    Raises as :func:`~sourcediff.grad` does, and NonDifferentiableError for a result that holds something else than floats.

    >>> import numpy as np, sourcediff
    >>> @sourcediff.jacobian
    ... def polar(p):
    ...     return np.array([p[0] * np.cos(p[1]), p[0] * np.sin(p[1])])
    >>> polar(np.array([2.0, 0.0]))
    array([[1., 0.],
           [0., 2.]])
    """
    if direction not in DIRECTIONS:
        raise ValueError(f"direction is one of {', '.join(DIRECTIONS)}, not {direction!r}")
    return _transformed(function, wrt, mode, has_aux, functools.partial(_jacobian, direction=direction), "jacobian")


def hessian(function: Any = DECORATING, wrt: Wrt = 0, *, mode: str = "auto", has_aux: bool = False) -> Any:
    """The matrix of all second derivatives of a function that returns a scalar. Also a decorator.

    It is the Jacobian of the gradient: of the argument's shape twice over, for a structure the structure twice over, symmetric up to
    rounding. Otherwise as :func:`jacobian`.

    >>> import numpy as np, sourcediff
    >>> def f(x):
    ...     return x[0] ** 2 * x[1]
    >>> sourcediff.hessian(f)(np.array([3.0, 5.0]))
    array([[10.,  6.],
           [ 6.,  0.]])
    """
    return _transformed(function, wrt, mode, has_aux, _hessian, "hessian")


def hvp(function: Any = DECORATING, wrt: Wrt = 0, *, mode: str = "auto", has_aux: bool = False) -> Any:
    """The product of the Hessian of a scalar function and a vector, ``hvp(f)(*args, v)``, in a small multiple of the time of ``f``.

    ``v`` has the structure and shapes of the argument (a tuple for a tuple ``wrt``), and so has the result. Also a decorator.

    A tangent is pushed through the generated gradient (Pearlmutter, "Fast exact multiplication by the Hessian", 1994). On the eager engine
    the gradient is walked backwards a second time, with ``v`` as the seed, since the Hessian is its own transpose.

    >>> import numpy as np, sourcediff
    >>> def f(x):
    ...     return x[0] ** 2 * x[1]
    >>> sourcediff.hvp(f)(np.array([3.0, 5.0]), np.array([1.0, 0.0]))
    array([10.,  6.])
    """
    return _transformed(function, wrt, mode, has_aux, _hvp, "hvp", extra=1)


def elementwise_grad(function: Any = DECORATING, wrt: Wrt = 0, *, mode: str = "auto") -> Any:
    """The derivative, entry by entry, of a function that treats each entry of its argument alike. Also a decorator.

    The result has the shape of the argument, which is the result's too. Each call makes sure that the Jacobian is a diagonal matrix;
    where it is not, NonDifferentiableError is raised, since the column sums that one walk gives would be no derivative.

    >>> import numpy as np, sourcediff
    >>> @sourcediff.elementwise_grad
    ... def soft(x):
    ...     return np.log(1 + np.exp(x))
    >>> soft(np.array([0.0, 100.0]))
    array([0.5, 1. ])
    """
    return _transformed(function, wrt, mode, False, _elementwise, "elementwise_grad")


class Call:
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
        return {name: tangent for name, tangent in found.items() if not _is_none(tangent)} or dict(tangents)

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

    def linearised(self, wrt: Sequence[str], has_aux: bool) -> tuple[Map, Any, Any]:
        """The derivative with respect to the parameters ``wrt``, by generated code where there is some, the value, and the aux."""
        if has_aux or (found := self.generated(self.function, wrt)) is None:
            return self.recorded(wrt, has_aux)
        return *found, None

    def refuse_objects(self, wrt: Sequence[str]) -> None:
        """Raise NonDifferentiableError for objects (other than named tuples) and attributes, which have a gradient alone."""
        for path in wrt:
            value = self.call.arguments.get(path.split(".")[0])
            if "." in path or is_users(type(value)) and not isinstance(value, tuple):
                raise NonDifferentiableError(
                    f"{self.door} of {self.name} was asked for with respect to {path}",
                    why="an object and its attributes are taken by grad and value_and_grad alone",
                    remedy="write a function of what the object holds", places=[definition(self.function, "asked of this function")],
                )

    def where_degenerate(self, error: DegenerateError, linear: Any = None) -> Call:
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
        from ..dispatch.linear_maps import generated

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


class Transform:
    """A function made by a decorator: it computes something of the linear map that one run of ``function`` leaves.

    ``compute(linear, transform, *given)`` gets it, and the ``extra`` arguments that are given after the function's own.
    """

    def __init__(
        self, function: Any, wrt: tuple[str, ...], single: bool, mode: str, has_aux: bool, compute: Callable[..., Any], door: str,
        extra: int,
    ):
        self.function = function
        self.wrt = wrt
        self.single = single
        self.mode = mode
        self.has_aux = has_aux
        self.compute = compute
        self.door = door
        self.extra = extra

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if len(args) < self.extra:
            raise TypeError(f"{self.door}({self.function.__qualname__}) takes the arguments of the function and then a vector")
        own = len(args) - self.extra
        call = Call(self.function, args[:own], kwargs, self.mode, self.door)
        try:
            try:
                return call.answered(lambda: self.compute(self, call, *args[own:]))
            except DegenerateError as error:
                return self.compute(self, call.where_degenerate(error), *args[own:])
        except NonDifferentiableError as error:
            if call.name not in str(error):  # raised by generated code, which does not know whose it is
                problem = f"{self.door} of {call.name}: {error.problem}"
                error = error.said(problem, located(error, self.function).places)
            raise located(error, self.function) from None

    def __repr__(self) -> str:
        return f"<{self.door} of {self.function.__qualname__} with respect to {self.wrt} ({self.single}, {self.mode}, {self.has_aux})>"

    @functools.cached_property
    def gradient(self) -> Any:
        """The gradient of the function, as a function: what is differentiated for second derivatives."""
        return form(grad(self.function, self.wrt))

    def source(self) -> str:
        """The general text of the sweeps (what is generated for a call is kept by its kind)."""
        if self.door in ("hessian", "hvp"):
            return gradient_source(self.gradient, self.wrt, mode="pullback" if self.door == "hessian" else "forward")
        return gradient_source(self.function, self.wrt, mode="pullback")

    def file(self) -> str | None:
        """The file of the generated text, where there is one for all kinds of calls; there is none."""
        return None

    def second(self, call: Call) -> tuple[Map, Any]:
        """The derivative of the gradient, and the aux."""
        if not self.has_aux and (found := call.generated(self.gradient, self.wrt)) is not None:
            return found[0], None
        linear, _, aux = call.recorded(self.wrt, self.has_aux)
        return linear.gradient(call.name), aux

    def request(self, arguments: Any) -> Any:
        """Refuse what the compiler does not write where this is differentiated in turn."""
        if self.mode == "eager" or self.has_aux or self.extra:
            raise UnsupportedSyntaxError(
                f"{self.door} of {self.function.__qualname__} cannot be differentiated by the compiler",
                why="it takes a vector too" if self.extra else "it was asked for with mode='eager' or has_aux=True",
                remedy="differentiate a function that calls it, and leave mode and has_aux out",
                places=[definition(self.function, f"{self.door} was asked of this function")],
            )

    def of_arguments(self, parts: tuple[Any, ...]) -> Any:
        """One part for each parameter in ``wrt``: the part alone, if that is no tuple."""
        return parts[0] if self.single else parts


def _transformed(
    function: Any, wrt: Wrt, mode: str, has_aux: bool, compute: Callable[..., Any], door: str, extra: int = 0,
) -> Any:
    if function is DECORATING:
        return functools.partial(_transformed, wrt=wrt, mode=mode, has_aux=has_aux, compute=compute, door=door, extra=extra)
    inner = plain(function)
    check_mode(mode, has_aux, inner)
    if forwards(function, wrt):
        runner: Any = Forwarding(function, wrt, lambda f, asked: _transformed(f, asked, mode, has_aux, compute, door, extra), extra)
    else:
        runner = Transform(inner, *parameters_named(function, wrt), mode, has_aux, compute, door, extra)
    options: dict[str, Any] = {"wrt": wrt, "mode": mode} | ({} if door == "elementwise_grad" else {"has_aux": has_aux})
    options |= compute.keywords if isinstance(compute, functools.partial) else {}
    return offered(function, runner, globals()[door], **options)


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


def _jacobian(transform: Transform, call: Call, direction: str = "auto") -> Any:
    linear, _, aux = call.linearised(transform.wrt, transform.has_aux)
    linear.require_floats(call.name)
    found = linear.outputs.like([transform.of_arguments(linear.inputs.like(row)) for row in linear.jacobian(direction)])
    return (found, aux) if transform.has_aux else found


def _hessian(transform: Transform, call: Call) -> Any:
    gradient, aux = transform.second(call)
    rows = [transform.of_arguments(gradient.inputs.like(row)) for row in gradient.jacobian("reverse")]
    found = transform.of_arguments(gradient.outputs.like(rows))
    return (found, aux) if transform.has_aux else found


def _hvp(transform: Transform, call: Call, v: Any) -> Any:
    vectors = (v,) if transform.single else v
    if not transform.has_aux and (pushed := call.pushed(transform.gradient, dict(zip(transform.wrt, vectors)))) is not None:
        return transform.of_arguments(pushed[1])
    gradient, aux = transform.second(call)
    found = transform.of_arguments(gradient.pulled(gradient.inputs.seeds(vectors, "vector", call.name)))
    return (found, aux) if transform.has_aux else found


def _elementwise(transform: Transform, call: Call) -> Any:
    linear, _, _ = call.linearised(transform.wrt, False)
    linear.require_floats(call.name)
    return transform.of_arguments(linear.diagonal(call.name))


def _is_none(tangent: Any) -> bool:
    """Whether nothing of an argument is differentiated: None, or nothing but None for what ``*args`` has taken."""
    return tangent is None or isinstance(tangent, tuple) and bool(tangent) and all(part is None for part in tangent)


TRANSFORMS.update((vjp, jvp, jacobian, hessian, hvp, elementwise_grad))
