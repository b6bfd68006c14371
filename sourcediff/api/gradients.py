"""The doors: gradients of functions, and their source."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any, TypeVar, overload

from ..dispatch.arguments import as_float, checked_attributes, checked_places, located, parameters_named, signature_of
from ..dispatch.blame import judged, of_int
from ..dispatch.called_directly import as_python
from ..dispatch.dispatcher import MODES, Dispatcher
from ..dispatch.fallback import Fall, answered, check_again, warn_of_call
from ..dispatch.forwarding import Forwarding
from ..dispatch.internal_errors import attempted, too_deep
from ..dispatch.parcels import parcel_of
from ..dispatch.replayable import finds_again
from ..dispatch.request import requested
from ..dispatch.sent import Parcel
from ..dispatch.wrappers import forwards
from ..errors import FALLS_BACK, DegenerateError, HandledError, NonDifferentiableError, SourcediffError, UnsupportedSyntaxError
from ..runtime.derivative import handed
from ..runtime.function_cache import holds_data, kept, twin
from ..syntax.function import as_transform, definition, held, is_called, plain

F = TypeVar("F", bound=Callable[..., Any])
Wrt = int | str | tuple[int | str, ...]

DECORATING = ...
"""What stands for the function where ``@grad(wrt=…)`` is still to be given it."""


@overload
def grad(
    function: Callable[..., Any], wrt: Wrt = ..., *, mode: str = ..., has_aux: bool = ..., check: bool = ...
) -> Callable[..., Any]: ...
@overload
def grad(
    function: types.EllipsisType = ..., wrt: Wrt = ..., *, mode: str = ..., has_aux: bool = ..., check: bool = ...
) -> Callable[[Callable[..., Any]], Callable[..., Any]]: ...
@as_transform
def grad(function: Any = DECORATING, wrt: Wrt = 0, *, mode: str = "auto", has_aux: bool = False, check: bool = False) -> Any:
    """The gradient of a function that returns a scalar, as a function of the same arguments. Also a decorator.

    ``wrt`` is a parameter's position or name, or a tuple of these (then the gradient is a tuple); of a method, positions count
    from the first parameter after ``self``, and ``"self.k"`` is an attribute. The gradient of an object (a dataclass, a named
    tuple, an object of any class of yours) is one of the same class, with None for attributes that have none; that of a list, tuple or
    dict of objects, or of one in which words, tests or None stand beside floats, is such a container, with None where there is no float
    (an int is a count there, and in what an object holds; elsewhere it is taken as a float). A gradient has the structure, the shapes and
    the dtypes of its argument; a Python number's is a float. ``mode`` is ``"compiled"`` (generated code, or an
    error), ``"eager"`` (the run-time graph) or ``"auto"``: compiled, and eager with a FallbackWarning where the compiler must
    refuse. With ``has_aux`` the function returns ``(scalar, anything)``, and its gradient ``(gradient, anything)``; the eager engine
    does that. ``check=True`` compares the two engines at the first call of each specialisation.

    Raises UnknownParameterError, NonDifferentiableError, MissingRuleError; in mode ``"compiled"`` also UnsupportedSyntaxError,
    SourceUnavailableError and AliasingError; CrossCheckError with ``check=True``.

    >>> import sourcediff
    >>> def square_sum(x, scale):
    ...     return scale * sum(x ** 2)
    >>> import numpy as np
    >>> sourcediff.grad(square_sum)(np.array([1.0, 2.0]), 3.0)
    array([ 6., 12.])
    """
    return _gradient_of(function, wrt, mode, has_aux, check, value=False)


@overload
def value_and_grad(
    function: Callable[..., Any], wrt: Wrt = ..., *, mode: str = ..., has_aux: bool = ..., check: bool = ...
) -> Callable[..., Any]: ...
@overload
def value_and_grad(
    function: types.EllipsisType = ..., wrt: Wrt = ..., *, mode: str = ..., has_aux: bool = ..., check: bool = ...
) -> Callable[[Callable[..., Any]], Callable[..., Any]]: ...
@as_transform
def value_and_grad(function: Any = DECORATING, wrt: Wrt = 0, *, mode: str = "auto", has_aux: bool = False, check: bool = False) -> Any:
    """The value of a function and its gradient, ``(value, gradient)``, from one forward sweep. Otherwise as :func:`grad`.

    With ``has_aux``: ``((value, anything), gradient)``.

    >>> import sourcediff
    >>> def cube(x):
    ...     return x ** 3
    >>> sourcediff.value_and_grad(cube)(2.0)
    (8.0, 12.0)
    """
    return _gradient_of(function, wrt, mode, has_aux, check, value=True)


def _gradient_of(function: Any, wrt: Wrt, mode: str, has_aux: bool, check: bool, value: bool) -> Any:
    if mode not in MODES:
        raise ValueError(f"mode is one of {', '.join(MODES)}, not {mode!r}")
    if function is DECORATING:
        return functools.partial(_gradient_of, wrt=wrt, mode=mode, has_aux=has_aux, check=check, value=value)
    function = as_python(function)
    inner = plain(function)
    if forwards(function, wrt):
        runner: Any = Forwarding(function, wrt, lambda f, asked: _gradient_of(f, asked, mode, has_aux, check, value))
    else:
        kind = Runner if twin(inner) is inner else OfLambda
        runner = kind(inner, *parameters_named(function, wrt), value, mode, has_aux, check)
    door = value_and_grad if value else grad
    return offered(function, runner, door, wrt=wrt, mode=mode, has_aux=has_aux, check=check)


def offered(function: Any, runner: Any, door: Callable[..., Any], **options: Any) -> Any:
    """``runner(args, kwargs)`` as a thing that is called as the function is: what ``door(function, **options)`` returns."""
    first, named = ((), {}) if isinstance(runner, Forwarding) and is_called(function) else held(function)
    return handed(door, function, options, runner, first, named, is_called(function))


class Runner:
    """One gradient function: calls generated code, or the eager engine where that is asked for or has to be."""

    def __init__(self, function: Any, wrt: tuple[str, ...], single: bool, value: bool, mode: str, has_aux: bool, check: bool):
        self.function = function
        self.wrt = wrt
        self.single = single
        self.value = value
        self.mode = mode
        self.has_aux = has_aux
        self.check = check
        self.parameters = list(signature_of(function).parameters)
        self.fall: Fall | None = None
        self.dispatcher = None if mode == "eager" else self.dispatching()
        self.verified: set[Callable[..., Any]] = set()

    def __repr__(self) -> str:
        what = "value and gradient" if self.value else "gradient"
        return f"<{what} of {self.function.__qualname__} with respect to {self.wrt} ({self.single}, {self.mode}, {self.has_aux})>"

    def dispatching(self) -> Dispatcher | None:
        """What finds the generated code; None where the compiler fails on the function before it sees arguments."""
        islands = self.mode == "auto"
        try:
            function = self.twin = twin(self.function)  # the dispatcher does not keep it alive
            asked = "gradient", self.wrt, self.single, self.value, islands, self.has_aux, *self.parameters
            return kept(function, asked, lambda: Dispatcher(
                function, self.wrt, self.single, self.value, islands=islands, has_aux=self.has_aux, guarded=False))
        except FALLS_BACK as error:
            if self.mode == "compiled":
                raise
            self.fall = Fall(self.function, "", error)
            return None

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        dispatcher = self.dispatcher
        try:
            if dispatcher is None:
                return self.eager(args, kwargs) if self.fall is None or self.fall.ended else self.fallen(args, kwargs)
            return self.checked(args, kwargs) if self.check else dispatcher.__call__(args, kwargs, self.on_graph)
        except HandledError as error:
            if self.mode == "compiled" or dispatcher is None:
                raise
            check_again(error, finds_again(dispatcher.surroundings, dispatcher.bound(args, kwargs)))
            warn_of_call(self, error, "")
        except FALLS_BACK as error:
            if dispatcher is None or self.mode == "compiled" or error.at_run_time:
                raise
            self.fall_back(error)
            return self(args, kwargs)
        except DegenerateError as error:
            if dispatcher is None or self.mode == "compiled" or not error.undecided:
                raise located(error, self.function) from None
            check_again(located(error, self.function), finds_again(dispatcher.surroundings, dispatcher.bound(args, kwargs)))
        except NonDifferentiableError as error:
            raise located(error, self.function) from None
        except Exception as error:
            if isinstance(error, RecursionError):
                given = named_parameters(self.parameters, args, kwargs).items()
                if (refusal := too_deep(self.function, given)) is not None:
                    raise refusal from None
            _annotated(error)
            if (said := self.judged(error, dispatcher, args, kwargs)) is error:
                raise
            if self.mode == "compiled" or not isinstance(said, HandledError):
                raise said from error
            warn_of_call(self, said, "")
        try:
            return self.eager(args, kwargs)
        except NonDifferentiableError as error:
            raise located(error, self.function) from None

    def judged(self, error: Exception, dispatcher: Dispatcher | None, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Exception:
        """What is to be raised for an error of a call: see :mod:`sourcediff.dispatch.blame`."""
        try:
            given = signature_of(self.function).bind(*args, **kwargs).arguments
        except TypeError:  # the function does not take these arguments
            return error
        said = of_int(error, self.function, given, self.wrt)
        if said is not error or dispatcher is None:
            return said
        return judged(error, dispatcher, dispatcher.bound(args, kwargs))

    def fallen(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The answer of the eager engine, for the first time."""
        assert self.fall is not None
        self.fall.begin()
        return answered(lambda: self.fall, lambda: self.eager(args, kwargs))

    def source(self) -> str:
        """The generated text of the last kind of call; before the first the general one, which says so."""
        found = None if self.dispatcher is None else self.dispatcher.last()
        return gradient_source(self.function, self.asked, value=self.value) if found is None else found.text

    def file(self) -> str | None:
        """The file that the generated text of the last kind of call is in."""
        found = None if self.dispatcher is None else self.dispatcher.last()
        return None if found is None else found.path

    def parcel(self) -> Parcel:
        """What is sent with it to another process."""
        return parcel_of(self)

    @property
    def asked(self) -> Any:
        """``wrt`` by names."""
        return self.wrt[0] if self.single else self.wrt

    def fall_back(self, error: SourcediffError) -> None:
        """Run eagerly from now on."""
        self.dispatcher = None
        self.fall = Fall(self.function, "", error)

    def request(self, arguments: Any) -> Any:
        """What the compiler is asked for where the gradient is differentiated in turn. Refuses what it does not write."""
        from ..compiler.pipeline import Request

        if self.mode == "eager":
            raise UnsupportedSyntaxError(
                f"the gradient of {self.function.__qualname__} was asked for with mode='eager'",
                why="then there is no source to differentiate", remedy="leave mode out",
                places=[definition(self.function, "asked of this function")],
            )
        if self.has_aux:
            raise self.uncompiled()
        return Request(self.wrt, self.single, self.value, arguments)

    def uncompiled(self) -> UnsupportedSyntaxError:
        """The error of the compiler where a gradient with ``has_aux`` is differentiated in turn."""
        return UnsupportedSyntaxError(
            f"the gradient of {self.function.__qualname__} with has_aux=True cannot be differentiated by the compiler",
            why="the compiler differentiates functions that return one value", remedy="give mode='eager'",
            places=[definition(self.function, "asked of this function")],
        )

    def on_graph(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The answer for Variables: one node of their graph where that can be, else the run-time graph of all that the function does."""
        from ..dispatch.graph_node import one_node

        assert self.dispatcher is not None
        found = None if self.has_aux else one_node(self.dispatcher, args, kwargs)
        if found is None:
            return self.eager(args, kwargs)
        value, gradients = found
        gradient = gradients[0] if self.single else gradients
        return (value, gradient) if self.value else gradient

    def eager(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The same answer from the run-time graph."""
        from ..eager.library_run.recording import run_gradient

        signature = signature_of(self.function)
        checked_places(self.function, self.wrt, self.parameters, signature)
        call = signature.bind(*args, **kwargs)
        call.apply_defaults()
        for name, value in call.arguments.items():
            checked_attributes(name, value, self.wrt, self.function)
        arguments = {name: as_float(value) if name in self.wrt else value for name, value in call.arguments.items()}
        value, gradients = run_gradient(self.function, arguments, self.wrt, self.has_aux)
        gradient = gradients[0] if self.single else gradients
        if self.value:
            return value, gradient
        return (gradient, value[1]) if self.has_aux else gradient

    def checked(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The answer, cross-checked at the first call of each specialisation."""
        from ..checks.cross import check_entry

        assert self.dispatcher is not None
        values = self.dispatcher.bound(args, kwargs)
        if self.dispatcher.holds_variables(values):
            return self.on_graph(args, kwargs)
        entry = self.dispatcher.entry(values)
        if entry.call not in self.verified:
            check_entry(self.dispatcher, entry, values)
            self.verified.add(entry.call)
        return self.dispatcher(args, kwargs, self.on_graph)


class OfLambda(Runner):
    """The gradient function of a lambda, for which the generated code of one just like it is called, as long as it is that."""

    def __init__(self, function: Any, *asked: Any):
        super().__init__(function, *asked)
        self.code = function.__code__

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if (self.function.__code__ is not self.code or holds_data(self.function)) and self.dispatcher is not None:
            self.code, self.dispatcher = self.function.__code__, self.dispatching()
        return super().__call__(args, kwargs)


def named_parameters(parameters: list[str], args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call by name, as far as there are parameters."""
    return {**dict(zip(parameters, args)), **kwargs}


def _annotated(error: BaseException) -> None:
    from ..backends.python import annotate

    annotate(error)


def _unit(function: Any, wrt: Wrt, args: Any, value: bool, mode: str = "reverse", guarded: bool = False) -> Any:
    """The compilation of a request, general or for these arguments; ``guarded``: as one that stands alone."""
    from ..compiler.pipeline import compile_gradient

    try:
        inner, request = requested(function, wrt, args, value, mode)
        request = request._replace(guarded=True, assuming=False) if guarded else request
        return attempted(inner, lambda: compile_gradient(inner, request))
    except NonDifferentiableError as error:
        raise located(error, plain(function)) from None


def gradient_source(
    function: Callable[..., Any], wrt: Wrt = 0, args: Any = None, value: bool = False, mode: str = "reverse",
) -> str:
    """The source of a function's gradient: the text of a module that runs.

    Without ``args`` the general version, which asks at run time what it cannot know, and says that it is general; with a tuple of example
    arguments the one for their kinds, dtypes and ranks. What runs is the ``source`` of what :func:`grad` returns, once it was called.
    ``value=True``: of the value and the gradient. ``mode="forward"``: of the value and its tangent, which takes a tangent ``x_dot`` for
    each parameter of ``wrt`` after the function's own arguments. A text that says ``UNGUARDED`` has NaN where a zero adjoint meets an
    infinite factor, which a call of :func:`grad` sees and mends; :func:`save_gradient` writes one that has not.
    Raises what :func:`grad` raises, and ValueError for another mode.

    >>> import sourcediff
    >>> def cube(x):
    ...     return x ** 3
    >>> print(sourcediff.gradient_source(cube, args=(2.0,)).split("def ")[1].split("  #")[0])
    cube_grad(x):
    """
    text: str = _unit(function, wrt, args, value, known_mode(mode)).text
    if args is not None:
        return text
    return f"{text.rstrip()}\n\n\n{GENERAL}\n"


GENERAL = "# The general text. A call runs one for the kinds of its arguments, which is shorter: give examples, args=(...) or --args."
"""What stands below a text that was not made for arguments of certain kinds."""


def known_mode(mode: str) -> str:
    """The mode of differentiation. Raises ValueError for one that is none."""
    if mode not in ("reverse", "forward", "pullback", "batched", "vectorised"):
        raise ValueError(f"mode is reverse, forward, pullback, batched or vectorised, not {mode!r}")
    return mode


def explain(
    function: Callable[..., Any], wrt: Wrt = 0, args: Any = None, mode: str = "reverse", passes: bool = False,
) -> str:
    """The text of a function after every stage of the compiler, each under a heading that is a comment.

    ``mode="forward"``: on the way to its tangent. ``passes=True``: also after every pass that changes its body, or that of a function that
    it calls. Of what :func:`batched` has made: whether its calls are one. Raises what :func:`gradient_source` raises.

    >>> def cube(x):
    ...     return x * x * x
    >>> [line.split(":")[0] for line in explain(cube, args=(2.0,)).splitlines() if line.startswith("# -- ")][:2]
    ['# -- read/source', '# -- lower/lowering']
    """
    from .batched import Batched
    from .explain import explained

    if isinstance(function, Batched):
        return function.explained(args)
    return explained(function, wrt, args, known_mode(mode), passes)


def save_gradient(function: Callable[..., Any], path: Any, wrt: Wrt = 0, args: Any = None) -> None:
    """Write a function's gradient as a module of its own: it needs what the function itself imports, and no sourcediff.

    Raises what :func:`gradient_source` raises, and OSError where the file cannot be written; then nothing is left half-written.

    >>> import pathlib, tempfile
    >>> def cube(x):
    ...     return x * x * x
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_gradient(cube, pathlib.Path(folder) / "cube.py", args=(2.0,))
    ...     "def cube_grad(x)" in (pathlib.Path(folder) / "cube.py").read_text()
    True
    """
    from .save import save

    save(_unit(function, wrt, args, False, guarded=True), path)

