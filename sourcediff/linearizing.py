"""The derivative of one call as a linear map that generated code applies: a pullback, and a sweep with tangents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .arguments import as_float
from .eager.maps import Map
from .eager.trees import Tree
from .pulling import Pulled, puller


class Generated(Map):
    """The derivative of a function at its arguments, by the generated pair of sweeps."""

    def __init__(self, inputs: Tree, outputs: Tree, found: Pulled):
        super().__init__(inputs, outputs)
        self.found = found

    def pull(self, seeds: Sequence[Any]) -> list[Any]:
        """Jᵀ of a cotangent for each output: a call of the pullback."""
        given = [slot.filled(seed) for slot, seed in zip(self.outputs.slots, seeds)]
        return self.inputs.flat(self.found.pull(self.outputs.like(given)))

    def push(self, tangents: Sequence[Any]) -> list[Any]:
        """Not asked for: what goes forwards goes there for all tangents at once."""
        raise NotImplementedError

    def jacobian(self, direction: str) -> list[list[Any]]:
        """The blocks, row by row."""
        return self._rows()


def generated(function: Any, arguments: Mapping[str, Any], wrt: Sequence[str], mode: str, door: str) -> tuple[Generated, Any] | None:
    """The derivative with respect to the parameters ``wrt``, and the value; None where the eager engine is to answer."""
    found = puller(function, tuple(wrt))(arguments, mode, door)
    if found is None:
        return None
    inputs = Tree(tuple(as_float(arguments[name]) for name in wrt), "", names=tuple(wrt))
    return Generated(inputs, Tree(found.value, "the result"), found), found.value
