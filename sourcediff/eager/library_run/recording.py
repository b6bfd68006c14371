"""Library runs: a user's unmodified NumPy function, recorded on the eager engine, buffers and all."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from types import FrameType, FunctionType
from typing import Any, NamedTuple

import numpy as np

from ...errors import OF_SEVERAL, NonDifferentiableError, UnknownParameterError, article
from ...runtime.arrays import has_complex, is_array, is_number
from ...runtime.arrays.library import DEVICE, device_class
from ...runtime.placement import is_refused, library_of_call, not_taken
from ...runtime.whose_error import from_outside
from ..engine.apply import raw, variables_in
from ..engine.backward import grad, grad_of_leaves
from ..engine.graph_boundary import behind_boundary, snapshot
from ..engine.nodes import Recorded, tick
from ..engine.scopes import OFF, enable_grad
from ..engine.trees import Slot, handed_on
from ..engine.variable import Variable, on_graph
from .before import Before
from .entering import Entering, mapped_into_run
from .namespaces import Namespace
from .rebind import Rebinder
from .releasing import Reclassing, release_error
from .verdict import verdict
from .watch import WATCH, definition_of_run, locate, refusal_in


class Recording(NamedTuple):
    """What one run left: its result (Variables in it), the value in plain terms, the inputs to differentiate, by ``wrt``, and the
    number from which on its nodes were made."""

    result: Any
    value: Any
    inputs: tuple[Any, ...]
    first: int


def record_run(function: Callable[..., Any], arguments: dict[str, Any], wrt: Sequence[str], as_given: bool = False) -> Recording:
    """Run a function on its arguments (all of them, by name) with everything recorded that depends on those in ``wrt``.

    The caller's arrays, lists and dicts are afterwards as a plain call leaves them, or, if the run is refused midway, as they were
    before it; so are the function's globals, outer variables and objects, but for entries of integer arrays there. The inputs of
    the recording have the structure of the arguments in ``wrt``, with a Variable for every array or number. With ``as_given``
    what has no derivative there stays what it is; else an int counts as a float.
    A refusal names the user's line that was running; it ends the run also where the program catches it.
    """
    for name in wrt:
        if name.split(".")[0] not in arguments:
            raise UnknownParameterError(
                f"{_named_arguments(function)} has no parameter {name!r}", why=f"its parameters are {', '.join(arguments) or 'none'}",
                remedy="give the name or the position of one of them",
            )
    first = tick()
    before = Before()
    rebinder = Rebinder(before)
    variables = variables_in(arguments.values())
    rebinder.on_device = is_for_device(function, arguments, variables)
    entering = Entering(rebinder, function, as_given)
    outer, around, outside, there = WATCH.refusal, WATCH.variables, WATCH.outside, WATCH.on_device
    WATCH.on_device = rebinder.on_device
    WATCH.refusal = None
    WATCH.variables = around or any(not variable._leads for variable in variables)
    with WATCH:
        try:
            wrapped, inputs = entering.arguments(arguments, wrt)
            given = as_called(function, wrapped)
            bound = rebinder.entry(function)
            with enable_grad() if OFF else nullcontext():
                result = bound(*given.args, **given.kwargs)
            if WATCH.refusal is not None:
                raise WATCH.refusal
            value = rebinder.finish()(result)
            if isinstance(result, (tuple, list, dict)):
                result = Reclassing(rebinder)(result)
        except BaseException as raised:
            error, trace = raised, raised.__traceback__
            judged = error if isinstance(error, Exception) and not from_outside(error) else None
            refusal = None if judged is None else refusal_in(judged) or WATCH.refusal
            if refusal is None and judged is not None and WATCH.depth == 1:  # of runs within others the outermost one decides
                error = verdict(judged, function, arguments, rebinder)
                refusal = refusal_in(error)
            if refusal is None:  # the program's own: what it has changed until then stays changed, as in a plain call
                release_error(error, rebinder.finish())
                raise error  # noqa: B904  (by the class that it has now, with the cause that it has)
            before.restore()
            swallowed = error is not refusal and error.__cause__ is not refusal and refusal.__traceback__ is not None
            locate(refusal, function, refusal.__traceback__ if swallowed else trace, _is_of_user)
            outer = outer or refusal
            raise refusal from refusal.__cause__
        finally:
            entering.thaw()
            rebinder.clear()
            WATCH.refusal, WATCH.variables, WATCH.outside, WATCH.on_device = outer, around, outside, there
    return Recording(result, value, tuple(inputs[name] for name in wrt), first)


class Given(NamedTuple):
    """The arguments of a call by position, and by name."""

    args: Sequence[Any]
    kwargs: dict[str, Any]


def as_called(function: Any, arguments: dict[str, Any]) -> Any:
    """All the arguments of a function, as they are given to it: by position, as far as may be."""
    if type(function) is FunctionType and not function.__dict__:
        code = function.__code__
        simple = not code.co_kwonlyargcount and not code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
        if simple and tuple(arguments) == code.co_varnames[:code.co_argcount]:
            return Given(tuple(arguments.values()), {})
    return inspect.BoundArguments(inspect.signature(function), arguments)  # type: ignore[arg-type]


def _is_of_user(frame: FrameType) -> bool:
    return isinstance(frame.f_globals, Namespace) and frame.f_globals.original.get("__name__", "").split(".")[0] not in ("numpy", "scipy")


def _named_arguments(function: Any) -> str:
    return getattr(function, "__qualname__", None) or repr(function)


def is_for_device(function: Any, arguments: dict[str, Any], variables: Sequence[Any]) -> bool:
    """Whether a run computes on a device: its arguments lie there, or, if they are no arrays, what the function reads from outside.

    Raises NonDifferentiableError for arguments of both libraries.
    """
    if device_class() is None:
        return False
    given = [*arguments.items(), *(("a Variable", variable._value) for variable in variables)]
    read: dict[str, Any] = {}
    if isinstance(function, FunctionType):
        outside = inspect.getclosurevars(function)
        read = {**outside.globals, **outside.nonlocals}
    return library_of_call(function, given, read.items()) == DEVICE


def run_gradient(
    function: Callable[..., Any], arguments: dict[str, Any], wrt: tuple[str, ...], has_aux: bool = False,
) -> tuple[Any, tuple[Any, ...]]:
    """The value of a function and its gradients with respect to the parameters ``wrt``, computed on the eager engine.

    ``arguments`` are all parameters by name. A gradient has the structure, shapes and dtypes of its argument (ints count as
    floats); where a Variable came in, or the function reads one, Variables come out. With ``has_aux`` the function returns
    ``(scalar, anything)``.
    Raises NonDifferentiableError for an argument without a gradient and for a result that is no scalar.

    >>> def f(x, k):
    ...     out = np.zeros(3)
    ...     out[k] = x * x
    ...     return np.sum(out)
    >>> run_gradient(f, {"x": 3.0, "k": 1}, ("x",))
    (np.float64(9.0), (6.0,))
    """
    run = record_run(function, arguments, wrt)
    output, _ = parted_result(run.result, function) if has_aux else (run.result, None)
    _scalar(output, function)
    variables: list[Variable] = []
    mapped_into_run(run.inputs, variables.append)  # in named tuples too
    nodes, inside = behind_boundary([getattr(output, "_node", None)], [variable._node for variable in variables], run.first)
    if inside:
        snapshot(nodes)
    gradients: dict[int, Any] = {}
    if isinstance(output, Recorded) and output._node is not None:
        try:
            found: Sequence[Any]
            if inside:
                found = grad([output], variables, create_graph=True, allow_unused=True)  # type: ignore[list-item]
            else:
                found = grad_of_leaves(output, variables, nodes)  # type: ignore[arg-type]
        except Exception as error:
            if not is_refused(error) or not is_for_device(function, arguments, variables_in(arguments.values())):
                raise
            refusal = not_taken(_named_arguments(function), error)
            place = definition_of_run(function)
            raise refusal.said(refusal.problem, [place] if place else []) from error
        gradients = {id(variable): gradient for variable, gradient in zip(variables, found) if gradient is not None}
    nested = inside or bool(variables_in([arguments]))
    value = handed_on(run.result, inside) if nested else run.value
    return value, tuple(
        mapped_into_run(part, lambda variable: Slot(variable, "").finished(gradients.get(id(variable)), nested)) for part in run.inputs
    )


def held_by_run(value: Any) -> Any:
    """A Variable as it is now: a later change of its memory changes neither the copy's values nor its place in the graph."""
    if not isinstance(value, Recorded):
        return value
    data = value._value
    return on_graph(np.copy(data) if is_array(data) else data, value._node)


def gradients_of(output: Any, variables: Sequence[Variable]) -> list[Any]:
    """The gradients of a scalar with respect to Variables anywhere in its graph; None where it does not depend on one.

    The graph is kept, so that it can be asked again.
    """
    if not isinstance(output, Recorded) or output._node is None:
        return [None] * len(variables)
    asked = [variable for variable in variables if variable.requires_grad]
    found = iter(grad([output], asked, retain_graph=True, allow_unused=True) if asked else ())
    return [next(found) if variable.requires_grad else None for variable in variables]


def parted_result(result: Any, function: Any) -> tuple[Any, Any]:
    """The result of a function with ``has_aux``. Raises NonDifferentiableError unless it is a pair."""
    if isinstance(result, tuple) and len(result) == 2:
        return result  # type: ignore[return-value]
    place = definition_of_run(function)
    raise NonDifferentiableError(
        f"{_named_arguments(function)} returned {article(type(raw(result)).__name__)}, and has_aux=True was given",
        why="it stands for a pair: what is to be differentiated, and anything else",
        remedy="return such a pair, or leave has_aux out", places=[place] if place else [],
    )


def _scalar(output: Any, function: Any) -> None:
    """Raise NonDifferentiableError unless the output is one float."""
    data = raw(output)
    remedy = "return one float, for example np.sum(...) of an array"
    if is_array(data) and data.ndim:
        what, why, remedy = f"an array of shape {data.shape}", "a gradient is of one number", OF_SEVERAL
    elif has_complex(data):
        what, why = "a complex number", "it has no gradient: it does not grow or fall"
        remedy = "return np.real(...), np.imag(...) or np.abs(...) of it"
    elif (is_array(data) or is_number(data)) and data.dtype.kind != "f":
        what, why = f"a number of {data.dtype}", "only floating-point numbers have a gradient here"
    elif not isinstance(data, float) and not is_number(data) and not is_array(data):
        what, why = f"{article(type(data).__name__)}", "only floating-point numbers have a gradient here"
    else:
        return
    place = definition_of_run(function)
    raise NonDifferentiableError(
        f"{_named_arguments(function)} returned {what}, and its gradient was asked for", why=why,
        remedy=remedy, places=[place] if place else [],
    )


__all__ = ["Recording", "gradients_of", "held_by_run", "parted_result", "record_run", "run_gradient"]
