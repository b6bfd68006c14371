"""Library runs: a user's unmodified NumPy function, recorded on the eager engine, buffers and all."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import NonDifferentiableError, UnknownParameterError
from .accepting import differentiable
from .apply import plain, variables_in
from .backward import grad
from .graph import SAME, VOLATILE, Leaf, Recorded
from .graph import record as record_node
from .live import Live, external
from .rebind import Rebinder
from .scopes import enable_grad
from .variable import Variable, on_graph


class Recording(NamedTuple):
    """What one run left: its result (Variables in it), the value in plain terms, and the inputs to differentiate, by ``wrt``."""

    result: Any
    value: Any
    inputs: tuple[Any, ...]


def record(function: Callable[..., Any], arguments: dict[str, Any], wrt: Sequence[str]) -> Recording:
    """Run a function on its arguments (all of them, by name) with everything recorded that depends on those in ``wrt``.

    The caller's arrays, lists and dicts are afterwards as a plain call leaves them. The inputs of the recording have the structure
    of the arguments in ``wrt``, with a Variable for every array or number.
    """
    for name in wrt:
        if name not in arguments:
            raise UnknownParameterError(f"{getattr(function, '__qualname__', function)} has no parameter {name!r}")
    rebinder = Rebinder()
    entering = _Entering(rebinder)
    wrapped: dict[str, Any] = {}
    inputs: dict[str, Any] = {}
    for name, value in arguments.items():
        if name in wrt:
            wrapped[name], inputs[name] = entering.active(value, name)
        else:
            wrapped[name] = entering.passive(value)
    entering.freeze_shared()
    rebinder.arguments = entering.arrays
    signature = inspect.signature(function)
    call = inspect.BoundArguments(signature, wrapped)  # type: ignore[arg-type]
    bound = rebinder.entry(function)
    try:
        with enable_grad():
            result = bound(*call.args, **call.kwargs)
    finally:
        entering.give_back()
        rebinder.finish()
    return Recording(result, entering.left(result), tuple(inputs[name] for name in wrt))


def run_gradient(
    function: Callable[..., Any], arguments: dict[str, Any], wrt: tuple[str, ...], has_aux: bool = False,
) -> tuple[Any, tuple[Any, ...]]:
    """The value of a function and its gradients with respect to the parameters ``wrt``, computed on the eager engine.

    ``arguments`` are all parameters by name. A gradient has the structure, shapes and dtypes of its argument (ints count as
    floats); where a Variable came in, Variables come out. With ``has_aux`` the function returns ``(scalar, anything)``.
    Raises NonDifferentiableError for an argument without a gradient and for a result that is no scalar.

    >>> def f(x, k):
    ...     out = np.zeros(3)
    ...     out[k] = x * x
    ...     return np.sum(out)
    >>> run_gradient(f, {"x": 3.0, "k": 1}, ("x",))
    (np.float64(9.0), (6.0,))
    """
    nested = bool(variables_in([arguments]))
    run = record(function, arguments, wrt)
    output = run.result[0] if has_aux else run.result
    _scalar(output, function)
    variables = variables_in(run.inputs)
    gradients: dict[int, Any] = {}
    if isinstance(output, Recorded) and output._node is not None:
        found = grad([output], variables, create_graph=nested, allow_unused=True)  # type: ignore[list-item]
        gradients = {id(variable): gradient for variable, gradient in zip(variables, found) if gradient is not None}

    def gradient_of(variable: Variable) -> Any:
        gradient = gradients.get(id(variable))
        data = variable._value
        if nested:
            return gradient if gradient is not None else on_graph(np.zeros_like(data) if hasattr(data, "dtype") else 0.0, None)
        if gradient is not None:
            return gradient._value
        return np.zeros_like(data) if isinstance(data, np.ndarray) else type(data)(0)

    value = run.value
    if nested and isinstance(output, Recorded):
        value = (output, *value[1:]) if has_aux else output
    return value, tuple(_mapped(part, gradient_of) for part in run.inputs)


def held(value: Any) -> Any:
    """A Variable as it is now: a later change of its memory changes neither the copy's values nor its place in the graph."""
    if not isinstance(value, Recorded):
        return value
    data = value._value
    return on_graph(np.array(data) if isinstance(data, np.ndarray) else data, value._node)


def gradients_of(output: Any, variables: Sequence[Variable]) -> list[Any]:
    """The gradients of a scalar with respect to Variables anywhere in its graph; None where it does not depend on one.

    The graph is kept, so that it can be asked again.
    """
    if not isinstance(output, Recorded) or output._node is None:
        return [None] * len(variables)
    asked = [variable for variable in variables if variable.requires_grad]
    found = iter(grad([output], asked, retain_graph=True, allow_unused=True) if asked else ())
    return [next(found) if variable.requires_grad else None for variable in variables]


class _Entering:
    """Carries arguments into a run and back: arrays become Live over their own memory, containers become containers of these."""

    def __init__(self, rebinder: Rebinder) -> None:
        self.rebinder = rebinder
        self.arrays: list[Live] = []
        self.passive_arrays: dict[int, Live] = {}
        self.containers: list[tuple[Any, Any, Any]] = []  # the caller's, the run's, what was in the run's at first
        self.inside: dict[int, Any] = {}

    def active(self, value: Any, path: str) -> tuple[Any, Any]:
        """A differentiated argument: what the function gets, and the same structure of Variables to differentiate by."""
        if isinstance(value, Recorded):
            node = record_node(SAME, (value._node,), ()) if value._node not in (None, VOLATILE) else None
            return self._leaf(value._value, node)
        if isinstance(value, (dict, list, tuple)):
            items = value.items() if isinstance(value, dict) else enumerate(value)
            both = {key: self.active(item, f"{path}[{key!r}]") for key, item in items}
            given = self._container(value, {key: pair[0] for key, pair in both.items()})
            return given, _rebuilt(value, {key: pair[1] for key, pair in both.items()})
        if isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if not isinstance(value, (float, np.ndarray, np.generic)):
            raise NonDifferentiableError(
                f"{path} is a {type(value).__name__}, which has no derivative",
                remedy="leave it out of wrt, or give a float, an array of floats, or a dict, list or tuple of these",
            )
        try:
            differentiable(value)
        except NonDifferentiableError as error:
            raise NonDifferentiableError(f"{path}: {error.problem}", why=error.why, remedy=error.remedy) from None
        return self._leaf(value, None)

    def _leaf(self, data: Any, node: Any) -> tuple[Any, Any]:
        live = external(data)
        leaf = on_graph(data, node)
        if node is None:
            leaf._node = Leaf(leaf)
        live._place = leaf._node
        if isinstance(data, np.ndarray):
            self.arrays.append(live)
        return live, leaf

    def passive(self, value: Any) -> Any:
        """Any other argument."""
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            if id(value) not in self.passive_arrays:  # one array given twice is one array
                self.passive_arrays[id(value)] = external(value)
                self.arrays.append(self.passive_arrays[id(value)])
            return self.passive_arrays[id(value)]
        if type(value) in (dict, list, tuple):
            if id(value) in self.inside:
                return self.inside[id(value)]
            items = value.items() if isinstance(value, dict) else enumerate(value)
            given = self._container(value, {key: self.passive(item) for key, item in items})
            self.inside[id(value)] = given
            return given
        return self.rebinder.rebound(value)

    def _container(self, value: Any, parts: dict[Any, Any]) -> Any:
        given = _rebuilt(value, parts)
        self.containers.append((value, given, dict(given) if isinstance(given, dict) else list(given)))
        return given

    def freeze_shared(self) -> None:
        """Arguments that overlap in memory may be read, but a change of one would change the other unseen."""
        for i, one in enumerate(self.arrays):
            for other in self.arrays[:i]:
                if np.may_share_memory(one._value, other._value):
                    for live in (one, other):
                        live._buffer.frozen = "but two of the function's arguments share its memory"

    def give_back(self) -> None:
        """What the function did to its dicts and lists is done to the caller's."""
        for mine, theirs, before in self.containers:
            if isinstance(theirs, dict):
                if len(theirs) != len(before) or any(key not in before or theirs[key] is not before[key] for key in theirs):
                    kept = {key: mine[key] if key in before and theirs[key] is before[key] else self.left(theirs[key]) for key in theirs}
                    mine.clear()
                    mine.update(kept)
            elif isinstance(theirs, list):
                if len(theirs) != len(before) or any(a is not b for a, b in zip(theirs, before)):
                    place = {id(a): b for a, b in zip(before, mine)}
                    mine[:] = [place[id(item)] if id(item) in place else self.left(item) for item in theirs]

    def left(self, value: Any) -> Any:
        """A result in plain terms: arrays, numbers, and the caller's own containers where those are returned."""
        for mine, theirs, _ in self.containers:
            if value is theirs:
                return mine
        if isinstance(value, Recorded):
            return value._value
        if isinstance(value, (dict, list, tuple)):
            return _mapped(value, lambda variable: variable._value) if variables_in([value]) else value
        return value


def _rebuilt(value: Any, parts: dict[Any, Any]) -> Any:
    """A container of the same kind with other parts."""
    if isinstance(value, dict):
        copied = value.copy()  # a defaultdict keeps its factory
        copied.update(parts)
        return copied
    return type(value)(*parts.values()) if hasattr(value, "_fields") else type(value)(parts.values())


def _mapped(value: Any, function: Callable[[Any], Any]) -> Any:
    """A structure with a function applied to each Variable in it."""
    if isinstance(value, Recorded):
        return function(value)
    if isinstance(value, dict):
        return _rebuilt(value, {key: _mapped(item, function) for key, item in value.items()})
    if isinstance(value, (list, tuple)):
        return _rebuilt(value, dict(enumerate(_mapped(item, function) for item in value)))
    return value


def _scalar(output: Any, function: Any) -> None:
    """Raise NonDifferentiableError unless the output is one float."""
    name = getattr(function, "__qualname__", repr(function))
    data = plain(output)
    if not isinstance(data, (float, np.floating, np.ndarray)) or isinstance(data, np.ndarray) and data.dtype.kind != "f":
        kind = f"an array of {data.dtype}" if isinstance(data, (np.ndarray, np.generic)) else f"a {type(data).__name__}"
        raise NonDifferentiableError(f"{name} returned {kind}, which has no gradient", remedy="return a float")
    if np.ndim(data):
        raise NonDifferentiableError(
            f"{name} returned an array of shape {np.shape(data)}; a gradient needs a scalar",
            remedy="return one number (np.sum of it, say), or use vjp with a seed",
        )


__all__ = ["Recording", "gradients_of", "held", "record", "run_gradient"]
