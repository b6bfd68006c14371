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

from ..errors import MissingRuleError, NonDifferentiableError
from .apply import plain, variables_in
from .behind import behind, snapshot
from .graph import VOLATILE, Recorded, walk
from .runs.recording import parted, record
from .scopes import enable_grad
from .strong import strengthen
from .trees import Slot, Tree, handed_on
from .variable import on_graph

FORWARD_COST = 2
"""A push takes about as long as two pulls: it walks the graph of a walk."""


class Linear:
    """The derivative of ``outputs`` with respect to ``inputs``, by the nodes that were made from number ``first`` on.

    ``inside``: the graph leads on to others than the inputs, so what is computed is recorded in turn. ``variables``: results are
    Variables, since it is so or since Variables came in.
    """

    def __init__(self, inputs: Tree, outputs: Tree, first: int, variables: bool = False):
        self.inputs = inputs
        self.outputs = outputs
        self.first = first
        self.nodes, self.inside = behind([slot.node for slot in outputs.slots], [slot.node for slot in inputs.slots], first)
        self.variables = variables or self.inside
        self._transposed: tuple[list[Any], list[Any]] | None = None
        if self.inside:  # what is recorded of it may be asked for after the program around it has changed its arrays
            self.snapshot()

    def snapshot(self) -> None:
        """Make what the nodes have saved their own: later changes of the caller's arrays do not reach it."""
        snapshot(self.nodes)

    # Both ways

    def pull(self, seeds: Sequence[Any]) -> list[Any]:
        """Jᵀ of a cotangent for each output (None: zero): the adjoint of each input, in its shape and dtype, None where it is zero."""
        pairs = [(slot.node, g) for slot, g in zip(self.outputs.slots, seeds) if slot.node is not None and g is not None]
        wanted = [slot.node for slot in self.inputs.slots] if self.inside else None  # else there are no others
        found = _walked(pairs, wanted, self.inside)
        return [found.get(slot.node) for slot in self.inputs.slots]

    def push(self, tangents: Sequence[Any]) -> list[Any]:
        """J of a tangent for each input (None: zero): the tangent of each output, None where it is zero."""
        if self._transposed is None:
            self._transposed = self._transpose()
        contributions, cotangents = self._transposed
        pairs = [(c, t) for c, t in zip(contributions, tangents) if c is not None and t is not None]
        found = _walked(pairs, [u._node for u in cotangents if u is not None], self.inside)
        return [None if u is None else found.get(u._node) for u in cotangents]

    def pulled(self, seeds: Sequence[Any]) -> Any:
        """The same as :meth:`pull`, in the structure of the inputs, as a result."""
        variables = self.variables or any(isinstance(seed, Recorded) for seed in seeds)
        return self.inputs.like([slot.finished(g, variables) for slot, g in zip(self.inputs.slots, self.pull(seeds))])

    def pushed(self, tangents: Sequence[Any]) -> Any:
        """The same as :meth:`push`, in the structure of the outputs, as a result; None for an output without a derivative."""
        variables = self.variables or any(isinstance(tangent, Recorded) for tangent in tangents)
        found = zip(self.outputs.slots, self.push(tangents))
        return self.outputs.like([None if slot.dtype is None else slot.finished(t, variables) for slot, t in found])

    def _transpose(self) -> tuple[list[Any], list[Any]]:
        """The graph of the pullback: the nodes of the inputs' adjoints, and the cotangents (Variables) that these depend on."""
        cotangents = [None if slot.node is None else slot.generic() for slot in self.outputs.slots]
        seeds = [(slot.node, u, False) for slot, u in zip(self.outputs.slots, cotangents) if u is not None]
        first = max((u._node.seq for _, u, _ in seeds), default=0)
        with enable_grad(), np.errstate(all="ignore"):  # what the cotangents' values become matters to nobody
            found = walk(seeds, [slot.node for slot in self.inputs.slots], retain=True, recording=True)
        contributions = [found[slot.node]._node if slot.node in found else None for slot in self.inputs.slots]
        strengthen(contributions, first)
        return contributions, cotangents

    def require_floats(self, name: str) -> None:
        """Raise NonDifferentiableError unless all of the function's result is real floats, and so are its arguments."""
        self.require_real(name)
        for slot in self.outputs.slots:
            if slot.dtype is None:
                raise NonDifferentiableError(
                    f"{slot.path} of {name} is {slot.what}, which has no derivative", why="only floating-point numbers have one",
                    remedy="return floats and arrays of them, with has_aux=True for anything else",
                )

    def require_real(self, name: str) -> None:
        """Raise NonDifferentiableError if an argument or a part of the function's result is complex."""
        for slot in (*self.inputs.slots, *self.outputs.slots):
            if slot.dtype is not None and np.dtype(slot.dtype).kind == "c":
                raise NonDifferentiableError(
                    f"{slot.path} of {name} is complex", why="the derivative is not one complex number, but a matrix of four real ones",
                    remedy="use the real and the imaginary part as two real arguments, or two real results",
                )

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
                found = walk([seed], [slot.node for slot in self.inputs.slots], retain=True, recording=True)
        gradients = [slot.finished(found.get(slot.node), True) for slot in self.inputs.slots]
        return Linear(self.inputs, Tree(self.inputs.like(gradients), "the gradient"), self.first, self.variables)

    def diagonal(self, name: str) -> Any:
        """The derivative of each entry of the output by the same entry of each input, where there is no other.

        Raises NonDifferentiableError where an entry depends on another one. Only a diagonal matrix D has Dᵀv = v · Dᵀ1 for a v that no
        two entries of which are alike: one more walk tells.
        """
        if not isinstance(self.outputs.structure, Slot):
            raise _not_elementwise(name, "it returned a structure")
        (output,) = self.outputs.slots
        for slot in self.inputs.slots:
            if slot.shape != output.shape:
                raise _not_elementwise(name, f"{slot.path} has the shape {slot.shape}, and the result {output.shape}")
        if output.node is not None:
            v = output.generic()._value
            for slot, ones, vs in zip(self.inputs.slots, self.pull([output.one()]), self.pull([v])):
                if ones is not None and not _close(plain(vs), v * plain(ones)):
                    raise _not_elementwise(name, f"an entry of the result depends on another entry of {slot.path}")
        return self.pulled([output.one()])

    # Matrices

    def jacobian(self, direction: str) -> list[list[Any]]:
        """For each output and each input the block of derivatives, of shape output.shape + input.shape."""
        outputs = sum(slot.size for slot in self.outputs.slots)
        inputs = sum(slot.size for slot in self.inputs.slots)
        if direction == "forward":
            return self._columns()
        if direction == "auto" and FORWARD_COST * inputs < outputs:
            try:
                return self._columns()
            except MissingRuleError:  # a Function whose backward cannot be differentiated: it can be pulled back all the same
                pass
        return self._rows()

    def _rows(self) -> list[list[Any]]:
        blocks = []
        for i, output in enumerate(self.outputs.slots):
            rows = [self.pull(_alone(i, unit, self.outputs.slots)) for unit in output.basis()] if output.node is not None else []
            blocks.append([
                self._block(output, slot, [row[j] for row in rows], 0) for j, slot in enumerate(self.inputs.slots)
            ])
        return blocks

    def _columns(self) -> list[list[Any]]:
        blocks: list[list[Any]] = [[] for _ in self.outputs.slots]
        for j, slot in enumerate(self.inputs.slots):
            columns = [self.push(_alone(j, unit, self.inputs.slots)) for unit in slot.basis()]
            for i, output in enumerate(self.outputs.slots):
                blocks[i].append(self._block(output, slot, [column[i] for column in columns], -1))
        return blocks

    def _block(self, output: Slot, slot: Slot, vectors: list[Any], axis: int) -> Any:
        """One block, of its rows or columns; None among them (or none at all) stands for zeros."""
        whole = output.by(slot)
        if all(vector is None for vector in vectors):
            return whole.finished(None, self.variables)
        part = slot if axis == 0 else output
        stacked = np.stack([part.zeros() if vector is None else vector for vector in vectors], axis)
        return whole.finished(np.reshape(stacked, whole.shape), self.variables)


def _close(a: Any, b: Any) -> bool:
    """Whether two arrays differ by rounding alone."""
    size = np.max(np.abs(b), initial=0, where=np.isfinite(b)) if np.ndim(b) else abs(b)
    eps = float(np.finfo(np.asarray(b).dtype).eps) ** 0.5
    with np.errstate(invalid="ignore"):
        return bool(np.all(np.isclose(a, b, rtol=eps, atol=eps * float(size), equal_nan=True)))


def _not_elementwise(name: str, problem: str) -> NonDifferentiableError:
    return NonDifferentiableError(
        f"{name} is not elementwise: {problem}", why="the derivatives of its entries are a matrix, and more than a diagonal",
        remedy="use jacobian, or grad of the sum of its entries",
    )


def _alone(position: int, unit: Any, slots: Sequence[Slot]) -> list[Any]:
    return [unit if i == position else None for i, _ in enumerate(slots)]


def _walked(pairs: list[tuple[Any, Any]], wanted: list[Any] | None, inside: bool) -> dict[Any, Any]:
    """The walk from nodes with what the caller has seeded them with: the zeros of a seed are a selection of the rest."""
    if not pairs:
        return {}
    recording = inside or any(isinstance(g, Recorded) and g._node not in (None, VOLATILE) for _, g in pairs)
    seeds = []
    for node, g in pairs:
        data = g._value if isinstance(g, Recorded) else g
        seed = data if not recording else g if isinstance(g, Recorded) else on_graph(g, None)
        seeds.append((node, seed, not np.all(data)))
    if not recording:
        return walk(seeds, wanted, retain=True)
    with enable_grad():
        return walk(seeds, wanted, retain=True, recording=True)


def linearise(
    function: Callable[..., Any], arguments: dict[str, Any], wrt: Sequence[str], has_aux: bool = False,
) -> tuple[Linear, Any, Any]:
    """The derivative of a function at its arguments (all of them, by name) with respect to those in ``wrt``, its value, and its aux.

    Where Variables came in, the value has Variables too. Raises as :func:`~sourcediff.eager.runs.recording.record` does.
    """
    run = record(function, arguments, wrt)
    result, extra = parted(run.result, function) if has_aux else (run.result, None)
    value, aux = run.value if has_aux else (run.value, None)
    inputs = Tree(run.inputs, "", names=wrt)
    linear = Linear(inputs, Tree(result, "the result"), run.first, bool(variables_in([arguments])))
    if linear.variables:
        value, aux = handed_on((result, extra), linear.inside)
    return linear, value, aux
