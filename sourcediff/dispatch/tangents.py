"""From a call of ``jvp`` to the generated code for it, found again for each function."""

from __future__ import annotations

import types
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..backends.python import annotate
from ..eager.engine.anomaly import ANOMALY
from ..runtime.arrays import has_complex, is_plain_array, may_hold_zeros
from ..runtime.function_cache import OfFunction, kept, known
from ..runtime.trees import leaves
from .arguments import holds_variables, tangents_of
from .blame import judged
from .dispatcher import Dispatcher
from .fallback import Fall, compiled_or_none, run_or_none
from .hooks import CHECKS

PUSHED = {"auto": "pushed", "compiled": "pushed, compiled"}
"""Under which word what answered a call is kept of its function, by mode."""


class Pusher(OfFunction):
    """The generated tangents of one function with respect to some parameters, for tangents without zeros and for those with.

    ``as_given``: what has no derivative may stand among what is differentiated.
    ``fall``: the compiler does not take the function, so the eager engine runs it from now on.
    """

    def __init__(self, function: types.FunctionType, wrt: tuple[str, ...], as_given: bool = False):
        super().__init__(function)
        self.wrt = wrt
        self.as_given = as_given
        self.dispatchers: dict[tuple[bool, str], Dispatcher] = {}
        self.fall: Fall | None = None
        self.verified: weakref.WeakSet[Callable[..., Any]] = weakref.WeakSet()

    def __call__(
        self, arguments: Mapping[str, Any], tangents: Mapping[str, Any], mode: str, door: str, check: bool = False,
    ) -> tuple[Any, Any] | None:
        """The value and its tangent; None where the eager engine is to answer. ``check``: cross-checked at first."""
        if mode == "eager" or not self.wrt or holds_variables(list(tangents.values())):
            return None
        values = list(arguments.values())
        if any(has_complex(leaf) for name in self.wrt for _, leaf in leaves(arguments[name])):
            return None  # it refuses them by name
        given = self.given(dict(zip(arguments, values)), tangents, "vector" if door == "hvp" else "tangent")
        strong = any(map(may_hold_zeros, (leaf for _, leaf in leaves(given))))
        entry = compiled_or_none(self, lambda: self.dispatcher(strong, mode), values, mode, door)
        if entry is None:
            return None
        dispatcher = self.dispatcher(strong, mode)
        if not strong and self.wrt == tuple(dispatcher.parameters):
            kept(self.function, PUSHED[mode], lambda: dispatcher)
        if check and entry.call not in self.verified:
            CHECKS["check_tangents"](dispatcher, entry, values, given)
            self.verified.add(entry.call)
        moved = tangents_of([arguments[name] for name in self.wrt], given)
        found: tuple[Any, Any] | None = run_or_none(self, dispatcher, entry, [*values, *moved], mode, door)
        return found

    def dispatcher(self, strong: bool, mode: str) -> Dispatcher:
        """What finds the generated code in a mode, for tangents with zeros or without."""
        found = self.dispatchers.get((strong, mode))
        if found is None:
            found = self.dispatchers[strong, mode] = Dispatcher(
                self.function, self.wrt, False, True, mode="forward", strong=strong, islands=mode == "auto",
                as_given=self.as_given)
        return found

    def given(self, arguments: Mapping[str, Any], tangents: Mapping[str, Any], what: str = "tangent") -> list[Any]:
        """The tangents in the kinds of their arguments, zeros where there is None. Raises NonDifferentiableError where one does not fit."""
        found = []
        for name in self.wrt:
            value, tangent = arguments[name], tangents[name]
            plain = is_plain_array(value) and type(value) is type(tangent) and value.dtype == tangent.dtype and value.shape == tangent.shape
            found.append(tangent if plain or type(value) is type(tangent) is float else self.fitted(name, value, tangent, what))
        return found

    def fitted(self, name: str, value: Any, tangent: Any, what: str) -> Any:
        """A tangent in the structure, shapes and dtypes of its argument."""
        from ..eager.engine.trees import Tree

        tree = Tree((value,), "", names=(name,))
        seeds = tree.seeds((tangent,), what, self.function.__qualname__)
        zeros = (0.0 if slot.dtype is None else slot.zeros() for slot in tree.slots)
        return tree.like([zero if seed is None else seed for zero, seed in zip(zeros, seeds)])[0]


def kinds(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, ...] | None:
    """The kinds of arguments that are arrays and floats, each with a tangent like it in which nothing is zero; None for any others."""
    found: list[Any] = []
    for x, x_dot in zip(primals, tangents):
        if type(x) is type(x_dot) is np.ndarray:
            if x.shape != x_dot.shape or x.dtype != x_dot.dtype or np.count_nonzero(x_dot) != x_dot.size:
                return None
            found.append((x.dtype, x.shape))
        elif type(x) is type(x_dot) is float and x_dot:
            found.append(float)
        else:
            return None
    return tuple(found)


def pushed_again(function: types.FunctionType, primals: Sequence[Any], tangents: Sequence[Any], mode: str) -> tuple[Any, Any] | None:
    """The value and its tangent by generated code that arguments of the same kinds have been given to before, without further questions."""
    found = known(function)
    dispatcher = None if found is None else found.get(PUSHED[mode])
    if dispatcher is None or ANOMALY or type(tangents) not in (tuple, list) or len(primals) != len(tangents):
        return None
    shapes = kinds(primals, tangents)
    if shapes is None:
        return None
    made = dispatcher.made if dispatcher.made.unchanged() else dispatcher.look()
    entry = made.known(made.with_outside(shapes) if made.surroundings.read else shapes)
    if entry is None or not entry.direct and (entry.mutated or entry.refusing):
        return None
    result: tuple[Any, Any]
    try:
        result = entry.call(*primals, *tangents, *(() if entry.direct else dispatcher.captured(entry)))
    except Exception as error:
        annotate(error)
        if judged(error, dispatcher, primals) is not error:
            return None  # the usual way answers, or says why not
        raise
    return result


def pusher(function: types.FunctionType, wrt: tuple[str, ...], as_given: bool = False) -> Pusher:
    """The one pusher of a function with respect to these parameters."""
    return kept(function, ("push", wrt, as_given), lambda: Pusher(function, wrt, as_given))
