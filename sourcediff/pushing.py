"""From a call of ``jvp`` to the generated code for it, found again for each function."""

from __future__ import annotations

import functools
import types
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from .api import FALLS_BACK
from .arguments import as_float
from .arrays import has_complex
from .backends.python import annotate
from .check import leaves
from .dispatch import Dispatcher, holds_variables
from .errors import FallbackWarning, NonDifferentiableError


class Pusher:
    """The generated tangents of one function with respect to some parameters, for tangents without zeros and for those with.

    ``refused``: the compiler does not take the function, so the eager engine runs it from now on.
    """

    def __init__(self, function: types.FunctionType, wrt: tuple[str, ...]):
        self.function = function
        self.wrt = wrt
        self.dispatchers: dict[bool, Dispatcher] = {}
        self.refused = False
        self.verified: set[int] = set()

    def __call__(
        self, arguments: Mapping[str, Any], tangents: Mapping[str, Any], mode: str, check: bool = False,
    ) -> tuple[Any, Any] | None:
        """The value and its tangent; None where the eager engine is to answer. ``check``: cross-checked at first."""
        if mode == "eager" or not self.wrt or self.refused and mode == "auto" or holds_variables([arguments, tangents]):
            return None
        if any(has_complex(leaf) for name in self.wrt for _, leaf in leaves(arguments[name])):
            return None  # it refuses them by name
        values = [as_float(value) if name in self.wrt else value for name, value in arguments.items()]
        given = self.given(dict(zip(arguments, values)), tangents)
        strong = any(not np.all(leaf) for _, leaf in leaves(given))
        try:
            dispatcher = self.dispatchers.get(strong)
            if dispatcher is None:
                dispatcher = self.dispatchers[strong] = Dispatcher(self.function, self.wrt, False, True, mode="forward", strong=strong)
            if dispatcher.holds_variables(values):
                return None
            entry = dispatcher.entry(values)
        except FALLS_BACK as error:
            if mode == "compiled":
                raise
            self.refused = True
            warnings.warn(f"jvp of {self.function.__qualname__} runs on the eager engine\n{error}", FallbackWarning, stacklevel=4)
            return None
        except NonDifferentiableError:
            if mode == "compiled":
                raise
            return None  # it says why, or knows better
        if check and id(entry) not in self.verified:
            from .crosscheck import check_tangents

            check_tangents(dispatcher, entry, values, given)
            self.verified.add(id(entry))
        try:
            found: tuple[Any, Any] = dispatcher.called(entry, [*values, *given])
        except Exception as error:
            annotate(error)
            raise
        return found

    def given(self, arguments: Mapping[str, Any], tangents: Mapping[str, Any]) -> list[Any]:
        """The tangents in the kinds of their arguments, zeros where there is None. Raises NonDifferentiableError where one does not fit."""
        found = []
        for name in self.wrt:
            value, tangent = arguments[name], tangents[name]
            plain = type(value) is type(tangent) is np.ndarray and value.dtype == tangent.dtype and value.shape == tangent.shape
            found.append(tangent if plain or type(value) is type(tangent) is float else self.fitted(name, value, tangent))
        return found

    def fitted(self, name: str, value: Any, tangent: Any) -> Any:
        """A tangent in the structure, shapes and dtypes of its argument."""
        from .eager.trees import Tree

        tree = Tree((value,), "", names=(name,))
        seeds = tree.seeds((tangent,), "tangent", self.function.__qualname__)
        zeros = (0.0 if slot.dtype is None else slot.zeros() for slot in tree.slots)
        return tree.like([zero if seed is None else seed for zero, seed in zip(zeros, seeds)])[0]


@functools.lru_cache(maxsize=256)
def pusher(function: types.FunctionType, wrt: tuple[str, ...]) -> Pusher:
    """The one pusher of a function with respect to these parameters; those that have not been asked for longest are forgotten."""
    return Pusher(function, wrt)
