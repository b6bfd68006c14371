"""The derivative of one run as what it is: a linear map, which can be applied to cotangents and to tangents, any number of times.

*Pulling back* is the walk of the graph. *Pushing forward* is done by transposing twice: the pullback u ↦ Jᵀu is linear in u, so walking
its own recorded graph carries tangents t to J t (Townsend, "A new trick for calculating Jacobian vector products", 2017). A sweep
forwards over the nodes would need the inputs of each; a node has saved the slice that its pullback reads, and that is enough here.
So whatever can be pulled back twice can be pushed forward, in-place programs included, and what is saved need not grow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import NonDifferentiableError
from ...runtime.arrays.library import may_hold_zeros, on_device
from ..library_run.recording import parted_result, record_run
from .apply import raw, variables_in
from .graph import walk_graph
from .graph_boundary import behind_boundary, snapshot
from .linear_maps import Map
from .nodes import VOLATILE, Recorded
from .scopes import enable_grad
from .trees import Slot, Tree, handed_on
from .variable import on_graph


class Linear(Map):
    """The derivative of ``outputs`` with respect to ``inputs``, by the nodes that were made from number ``first`` on.

    ``inside``: the graph leads on to others than the inputs, so what is computed is recorded in turn. ``variables``: results are
    Variables, since it is so or since Variables came in.
    """

    def __init__(self, inputs: Tree, outputs: Tree, first: int, variables: bool = False):
        super().__init__(inputs, outputs, variables)
        self.first = first
        self.nodes, self.inside = behind_boundary([slot.node for slot in outputs.slots], [slot.node for slot in inputs.slots], first)
        self.variables = variables or self.inside
        self._transposed: tuple[list[Any], list[Any]] | None = None
        if self.inside:  # what is recorded of it may be asked for after the program around it has changed its arrays
            self.snapshot()

    def snapshot(self) -> None:
        """Make what the nodes have saved their own: later changes of the caller's arrays do not reach it."""
        snapshot(self.nodes)

    # Both ways

    def pull(self, seeds: Sequence[Any]) -> list[Any]:
        """Jᵀ of a cotangent for each output: the walk of the graph."""
        pairs = [(slot.node, slot.placed(g)) for slot, g in zip(self.outputs.slots, seeds) if slot.node is not None and g is not None]
        wanted = [slot.node for slot in self.inputs.slots] if self.inside else None  # else there are no others
        found = _walked(pairs, wanted, self.inside)
        return [found.get(slot.node) for slot in self.inputs.slots]

    def push(self, tangents: Sequence[Any]) -> list[Any]:
        """J of a tangent for each input: the walk of the graph of the pullback."""
        if self._transposed is None:
            self._transposed = self._transpose()
        contributions, cotangents = self._transposed
        pairs = [(c._node, _fitting_tangent(t, c._value)) for c, t in zip(contributions, tangents) if c is not None and t is not None]
        found = _walked(pairs, [u._node for u in cotangents if u is not None], self.inside)
        return [None if u is None else found.get(u._node) for u in cotangents]

    def _transpose(self) -> tuple[list[Any], list[Any]]:
        """The graph of the pullback: the inputs' adjoints, if they have one, and the cotangents (Variables) that these depend on."""
        cotangents = [None if slot.node is None else slot.generic() for slot in self.outputs.slots]
        seeds = [(slot.node, u, False) for slot, u in zip(self.outputs.slots, cotangents) if u is not None]
        with enable_grad(), np.errstate(all="ignore"):  # what the cotangents' values become matters to nobody
            found = walk_graph(seeds, [slot.node for slot in self.inputs.slots], retain=True, recording=True)
        adjoints = [found.get(slot.node) for slot in self.inputs.slots]
        return [None if adjoint is None or adjoint._node is None else adjoint for adjoint in adjoints], cotangents

    def constant(self, output: Slot) -> bool:
        """Whether no node leads from an output to the inputs."""
        return output.node is None

    def gradient(self, name: str) -> Linear:
        """The derivative of the gradient, of a scalar: the linear map that is its Hessian."""
        self.require_floats(name)
        if len(self.outputs.slots) != 1 or not isinstance(self.outputs.structure, Slot) or self.outputs.slots[0].shape:
            what = f"an array of shape {self.outputs.slots[0].shape}" if isinstance(self.outputs.structure, Slot) else "a structure"
            raise NonDifferentiableError(
                f"{name} returned {what}, and its second derivatives were asked for", why="a scalar has a Hessian",
                remedy="return one float, for example np.sum(...) of an array, or take the jacobian of a jacobian",
            )
        (output,) = self.outputs.slots
        found: dict[Any, Any] = {}
        if output.node is not None:
            with enable_grad():
                seed = output.node, on_graph(output.one(), None), False
                found = walk_graph([seed], [slot.node for slot in self.inputs.slots], retain=True, recording=True)
        gradients = [slot.finished(found.get(slot.node), True) for slot in self.inputs.slots]
        return Linear(self.inputs, Tree(self.inputs.like(gradients), "the gradient"), self.first, self.variables)


def _fitting_tangent(tangent: Any, adjoint: Any) -> Any:
    """The tangent of a number, as an array without dimensions where the adjoint of that number is NumPy's or a device's."""
    if not hasattr(adjoint, "dtype") or hasattr(raw(tangent), "dtype"):
        return tangent
    return tangent + np.zeros_like(adjoint) if on_device(adjoint) else np.copy(tangent)


def _walked(pairs: list[tuple[Any, Any]], wanted: list[Any] | None, inside: bool) -> dict[Any, Any]:
    """The walk from nodes with what the caller has seeded them with: the zeros of a seed are a selection of the rest."""
    if not pairs:
        return {}
    recording = inside or any(isinstance(g, Recorded) and g._node not in (None, VOLATILE) for _, g in pairs)
    seeds = []
    for node, g in pairs:
        data = g._value if isinstance(g, Recorded) else g
        seed = data if not recording else g if isinstance(g, Recorded) else on_graph(g, None)
        seeds.append((node, seed, may_hold_zeros(data)))
    if not recording:
        return walk_graph(seeds, wanted, retain=True)
    with enable_grad():
        return walk_graph(seeds, wanted, retain=True, recording=True)


def linearise(
    function: Callable[..., Any], arguments: dict[str, Any], wrt: Sequence[str], has_aux: bool = False, as_given: bool = False,
) -> tuple[Linear, Any, Any]:
    """The derivative of a function at its arguments (all of them, by name) with respect to those in ``wrt``, its value, and its aux.

    Where Variables came in, the value has Variables too. Raises as :func:`~sourcediff.eager.library_run.recording.record_run` does.
    """
    run = record_run(function, arguments, wrt, as_given)
    result, extra = parted_result(run.result, function) if has_aux else (run.result, None)
    value, aux = run.value if has_aux else (run.value, None)
    inputs = Tree(run.inputs, "", names=wrt)
    linear = Linear(inputs, Tree(result, "the result"), run.first, bool(variables_in([arguments])))
    if linear.variables:
        value, aux = handed_on((result, extra), linear.inside)
    return linear, value, aux
