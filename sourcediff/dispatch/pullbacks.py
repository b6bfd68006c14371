"""From a call of ``vjp`` to the generated code for it: the forward sweep, and the pullback that takes its tape."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..backends.python import annotate
from ..eager.engine.anomaly import ANOMALY
from ..eager.engine.nodes import Recorded
from ..errors import DegenerateError, SourcediffError
from ..runtime.function_cache import OfFunction, kept
from ..runtime.structures import copied
from ..runtime.whose_error import may_be_ours
from ..syntax.function import definition
from .arguments import as_float, located
from .dispatcher import Dispatcher
from .fallback import Fall, compiled_or_none, run_or_none
from .internal_errors import NUMERIC, own_error
from .shapes import blank, shape

if TYPE_CHECKING:
    from ..eager.engine.trees import Tree

FLOATS = (float, np.float64, np.float32)


class Pulled(NamedTuple):
    """One forward sweep: the value of the function, and ``pull``, from a cotangent in the structure of the value to the adjoints.

    ``before`` are the arguments as they were before the sweep, if they are kept.
    """

    value: Any
    pull: Callable[[Any], tuple[Any, ...]]
    before: list[Any]


class Puller(OfFunction):
    """The generated pair of sweeps of one function with respect to some parameters.

    ``as_given``: what has no derivative may stand among what is differentiated.
    ``fall``: the compiler does not take the function, so the eager engine runs it from now on.
    """

    def __init__(self, function: types.FunctionType, wrt: tuple[str, ...], as_given: bool = False):
        super().__init__(function)
        self.wrt = wrt
        self.as_given = as_given
        self.dispatchers: dict[str, Dispatcher] = {}
        self.fall: Fall | None = None

    def __call__(self, arguments: Mapping[str, Any], mode: str, door: str, keep: bool) -> Pulled | None:
        """The value and the pullback; None where the eager engine is to answer. ``keep``: the arguments as they are now, too."""
        values = list(arguments.values())
        entry = compiled_or_none(self, lambda: self.dispatcher(mode), values, mode, door)
        if entry is None:
            return None
        before = copied(values, True) if keep and entry.mutated or entry.deciding else values
        found = run_or_none(self, self.dispatcher(mode), entry, values, mode, door)
        if found is None:
            return None
        value, tape = found
        return Pulled(value, functools.partial(pulled_back, self.function, entry.back, tape, keep), before)

    def again(self, args: tuple[Any, ...], kwargs: dict[str, Any], mode: str, single: bool) -> Again | None:
        """The value and the pullback where it is known already which generated code answers: at a later call.

        None where it is not. ``single``: the pullback returns the adjoint of one parameter, else a tuple.
        """
        dispatcher = self.dispatchers.get(mode)
        if dispatcher is None or ANOMALY or self.fall is not None:
            return None
        made = dispatcher.made if dispatcher.made.unchanged() else dispatcher.look()  # as now() does, without a call
        values = args if not kwargs and len(args) == made.positional == made.count else made.arranged(args, kwargs)
        if values is None:
            return None
        shapes = made.shapes(values)
        entry = made.known(shapes)
        if entry is None and None in shapes:  # there are objects
            values = [as_float(value) if name in self.wrt else value for name, value in zip(made.parameters, values)]
            try:
                entry = compiled_or_none(self, lambda: dispatcher, values, mode, "vjp")
            except SourcediffError:
                return None  # the usual way says it, with its place
        if entry is None or entry.deciding or (found := run_or_none(self, dispatcher, entry, values, mode, "vjp")) is None:
            return None
        pull = functools.partial(pulled_back, self.function, entry.back, found[1], False)
        return Again(found[0], pull, self.wrt, single, made.parameters, shapes)

    def dispatcher(self, mode: str) -> Dispatcher:
        """What finds the generated code in a mode; it looks at all that the function reads, so it is made when it is asked for."""
        if mode not in self.dispatchers:
            self.dispatchers[mode] = Dispatcher(
                self.function, self.wrt, False, True, mode="pullback", islands=mode == "auto", as_given=self.as_given)
        return self.dispatchers[mode]


def pulled_back(function: types.FunctionType, back: Callable[..., Any] | None, tape: Any, kept: bool, g: Any) -> Any:
    """The reverse sweep. The function itself has returned by then, so what the sweep raises without meaning to is a fault of ours.

    ``kept``: the arguments are as they were, so the eager engine can do it again where Python's numbers do not divide by 0, the length of
    an empty array for example.
    """
    assert back is not None
    try:
        return back(tape, g)
    except Exception as error:
        annotate(error)
        if isinstance(error, ZeroDivisionError):
            by_zero = DegenerateError(
                f"the derivative of {function.__qualname__} divides by a number that is 0 here",
                why="the length of an empty array, for example", remedy="mode=\"eager\" differentiates it without the compiler",
                places=[definition(function, "in the derivative of this function")],
            )
            by_zero.undecided = kept
            raise by_zero from error
        if isinstance(error, (SourcediffError, *NUMERIC)) or not may_be_ours(error):
            raise
        raise own_error(error, function) from error


class Again:
    """The value of a call that generated code has answered without further questions, and its pullback, called with a cotangent.

    ``shapes`` are those of the arguments for the ``parameters``.
    """

    __slots__ = ("kind", "outputs", "parameters", "pull", "shapes", "single", "value", "wrt")

    def __init__(
        self, value: Any, pull: functools.partial[tuple[Any, ...]], wrt: tuple[str, ...], single: bool, parameters: list[str],
        shapes: tuple[Any, ...],
    ):
        self.parameters = parameters
        self.shapes = shapes
        self.value = value
        self.pull = pull
        self.wrt = wrt
        self.single = single
        self.kind = shape(value)
        self.outputs = None if self.kind is not None else tree(value)

    def __call__(self, cotangent: Any) -> Any:
        g = fitted(cotangent, self.kind)
        try:
            adjoints = self.pull(g) if g is not None else self.pulled(cotangent)
        except DegenerateError as error:
            raise located(error, self.pull.args[0]) from None
        if np.float64 in map(type, adjoints):  # a helper has made one of a Python number
            adjoints = tuple(map(self.finished, self.wrt, adjoints))
        return adjoints[0] if self.single else adjoints

    def finished(self, name: str, adjoint: Any) -> Any:
        """The adjoint of a parameter, of a Python number a Python number."""
        of_number = name in self.parameters and self.shapes[self.parameters.index(name)] is float
        return float(adjoint) if of_number and type(adjoint) is np.float64 else adjoint

    def pulled(self, cotangent: Any) -> Any:
        """The adjoints for any cotangent: it is looked at entry by entry."""
        outputs = self.outputs = self.outputs or tree(blank(self.kind))
        seeds = outputs.seeds(cotangent, "cotangent", self.pull.args[0].__qualname__)
        adjoints = self.pull(outputs.like([slot.filled(seed) for slot, seed in zip(outputs.slots, seeds)]))
        if not any(isinstance(seed, Recorded) for seed in seeds):
            return adjoints
        zeros = self.pull(outputs.like([slot.filled(None) for slot in outputs.slots]))
        inputs = tree(zeros, "", self.wrt)
        return inputs.like([
            0.0 if slot.dtype is None else slot.finished(g, True) for slot, g in zip(inputs.slots, inputs.flat(adjoints))])


def tree(value: Any, path: str = "the result", names: tuple[str, ...] = ()) -> Tree:
    """The result of a function, or its adjoints by ``names``, as a structure of what has a cotangent."""
    from ..eager.engine.trees import Tree

    return Tree(value, path, names=names)


def fitted(cotangent: Any, kind: Any) -> Any:
    """A cotangent if it is of the shapes and dtypes that ``kind`` says, a number as one of that kind; None where more is to be asked.

    >>> fitted(1.0, np.float64), fitted(1.0, (np.dtype(float), (3,)))
    (np.float64(1.0), None)
    """
    found = shape(cotangent)
    if found == kind:
        return cotangent if holds_floats_alone(kind) else None
    return kind(cotangent) if kind in FLOATS and (found in FLOATS or found is int) else None


@functools.lru_cache(maxsize=1024)
def holds_floats_alone(kind: Any) -> bool:
    """Whether what is of this kind holds real floating-point numbers and arrays of them, and nothing else."""
    if not isinstance(kind, tuple):
        return kind in FLOATS
    return kind[0].kind == "f" if isinstance(kind[0], np.dtype) else all(map(holds_floats_alone, kind[-1]))


def puller(function: types.FunctionType, wrt: tuple[str, ...], as_given: bool = False) -> Puller:
    """The one puller of a function with respect to these parameters."""
    return kept(function, ("pull", wrt, as_given), lambda: Puller(function, wrt, as_given))
