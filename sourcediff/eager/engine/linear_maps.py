"""A linear map between two structures, whichever engine applies it: matrices, diagonals, and what is asked of both ends."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import MissingRuleError, NonDifferentiableError
from ...runtime.arrays.library import on_host, stacked
from .apply import raw
from .nodes import Recorded
from .trees import Slot, Tree

FORWARD_COST = 2
"""A push takes about as long as two pulls: on the eager engine it walks the graph of a walk."""


class Map(ABC):
    """The derivative of ``outputs`` with respect to ``inputs``; ``variables``: results are Variables."""

    def __init__(self, inputs: Tree, outputs: Tree, variables: bool = False):
        self.inputs = inputs
        self.outputs = outputs
        self.variables = variables

    @abstractmethod
    def pull(self, seeds: Sequence[Any]) -> list[Any]:
        """Jᵀ of a cotangent for each output (None: zero): the adjoint of each input, in its shape and dtype, None where it is zero."""

    @abstractmethod
    def push(self, tangents: Sequence[Any]) -> list[Any]:
        """J of a tangent for each input (None: zero): the tangent of each output, None where it is zero."""

    def constant(self, output: Slot) -> bool:
        """Whether an output is known to depend on no input."""
        return False

    def pulled(self, seeds: Sequence[Any]) -> Any:
        """The same as :meth:`pull`, in the structure of the inputs, as a result."""
        variables = self.variables or any(isinstance(seed, Recorded) for seed in seeds)
        found = zip(self.inputs.slots, self.pull(seeds))
        return self.inputs.like([0.0 if slot.dtype is None else slot.finished(g, variables) for slot, g in found])

    def pushed(self, tangents: Sequence[Any]) -> Any:
        """The same as :meth:`push`, in the structure of the outputs, as a result; None for an output without a derivative."""
        variables = self.variables or any(isinstance(tangent, Recorded) for tangent in tangents)
        found = zip(self.outputs.slots, self.push(tangents))
        return self.outputs.like([None if slot.dtype is None else slot.finished(t, variables) for slot, t in found])

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
        if not self.constant(output):
            v = output.generic()._value
            for slot, ones, vs in zip(self.inputs.slots, self.pull([output.one()]), self.pull([v])):
                if ones is not None and not _close(raw(vs), v * raw(ones)):
                    raise _not_elementwise(name, f"an entry of the result depends on another entry of {slot.path}")
        return self.pulled([output.one()])

    # Matrices

    @property
    def eps(self) -> float:
        """The relative error of a rounded number, in the least exact dtype at both ends."""
        return max(float(np.finfo(slot.dtype).eps) for slot in (*self.inputs.slots, *self.outputs.slots) if slot.dtype is not None)

    def rows(self, vectors: Any) -> Any:
        """Jᵀ of each row of a matrix, as the rows of one."""
        found = [self.inputs.joined(self.pull(self.outputs.parted(vector))) for vector in vectors]
        return np.reshape(found, (len(vectors), self.inputs.size))

    def columns(self, vectors: Any) -> Any:
        """J of each row of a matrix, as the rows of one."""
        swept = self.swept(vectors)
        if swept is not None:
            return swept
        found = [self.outputs.joined(self.push(self.inputs.parted(vector))) for vector in vectors]
        return np.reshape(found, (len(vectors), self.outputs.size))

    def swept(self, vectors: Any) -> Any:
        """The same in one sweep; None where there is none."""
        return None

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
            rows = [] if self.constant(output) else [self.pull(_alone(i, unit, self.outputs.slots)) for unit in output.basis()]
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
        found = stacked([part.zeros() if vector is None else vector for vector in vectors], axis)
        return whole.finished(np.reshape(found, whole.shape), self.variables)


def _close(a: Any, b: Any) -> bool:
    """Whether two arrays differ by rounding alone."""
    a, b = np.asarray(on_host(a)), np.asarray(on_host(b))
    size = np.max(np.abs(b), initial=0, where=np.isfinite(b)) if b.ndim else abs(b)
    eps = float(np.finfo(b.dtype).eps) ** 0.5
    with np.errstate(invalid="ignore"):
        return bool(np.all(np.isclose(a, b, rtol=eps, atol=eps * float(size), equal_nan=True)))


def _not_elementwise(name: str, problem: str) -> NonDifferentiableError:
    return NonDifferentiableError(
        f"{name} is not elementwise: {problem}", why="the derivatives of its entries are a matrix, and more than a diagonal",
        remedy="use jacobian, or grad of the sum of its entries",
    )


def _alone(position: int, unit: Any, slots: Sequence[Slot]) -> list[Any]:
    return [unit if i == position else None for i, _ in enumerate(slots)]


