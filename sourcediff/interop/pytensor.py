"""A NumPy function in PyTensor, and so in PyMC: ``sourcediff.interop.pytensor.op(f)``."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytensor.tensor as pt
from pytensor.gradient import DisconnectedType
from pytensor.graph import Apply, Op

from ..api.gradients import value_and_grad
from ..errors import NonDifferentiableError
from ..runtime.trees import leaves
from .adjoint import adjoint, paths


def op(f: Callable[..., Any], out: Any = None) -> Callable[..., Any]:
    @functools.wraps(f)
    def called(*args: Any) -> Any:
        inputs = [pt.as_tensor_variable(arg) for arg in args]
        kinds = result_on_ones(f, inputs) if out is None else out
        if isinstance(kinds, (tuple, list)):
            return Call(f, tuple(kinds), tuple([f"[{k}]" for k in range(len(kinds))]))(*inputs, return_list=True)
        wrt = floats(inputs)
        if kinds.ndim or not wrt or not kinds.dtype.startswith("float"):
            return Call(f, (kinds,), ("",))(*inputs)
        return Call(value_and_grad(f, wrt), (kinds, *[inputs[k].type for k in wrt]), ("[0]", *[f"[1][{k}]" for k in range(len(wrt))]))(*inputs)[0]

    return called


class Call(Op):  # type: ignore[misc]
    """The call of a NumPy function: what ``places`` of its result are, as subscripts, and their types."""

    __props__ = ("f", "kinds", "places")

    def __init__(self, f: Callable[..., Any], kinds: tuple[Any, ...], places: tuple[str, ...]):
        self.f, self.kinds, self.places = f, kinds, places

    def make_node(self, *inputs: Any) -> Apply:
        return Apply(self, list(inputs), [kind() for kind in self.kinds])

    def perform(self, node: Apply, inputs: Sequence[Any], outputs: Sequence[list[Any]]) -> None:
        value = self.f(*[x if x.ndim else x[()] for x in inputs])
        for (_, part), kind, storage in zip(leaves(value), self.kinds, outputs, strict=True):
            storage[0] = np.asarray(part, kind.dtype)

    def L_op(self, inputs: Sequence[Any], outputs: Sequence[Any], output_grads: Sequence[Any]) -> list[Any]:
        wrt = floats(inputs)
        given = [k for k, g in enumerate(output_grads) if not isinstance(g.type, DisconnectedType) and self.kinds[k].dtype.startswith("float")]
        if given == [0] and self.places[-1].startswith("[1]["):
            adjoints = [output_grads[0] * part for part in outputs[1:]]
        else:
            pulled = Call(adjoint(self.f, tuple([self.places[k] for k in given]), wrt), tuple([inputs[k].type for k in wrt]), tuple([f"[{k}]" for k in range(len(wrt))]))
            adjoints = pulled(*[output_grads[k] for k in given], *inputs, return_list=True)
        found = dict(zip(wrt, adjoints))
        return [found.get(k, x.zeros_like(dtype="float64")) for k, x in enumerate(inputs)]

    pullback = L_op


def floats(inputs: Sequence[Any]) -> tuple[int, ...]:
    """The positions of the inputs that have a derivative."""
    return tuple([k for k, x in enumerate(inputs) if x.type.dtype.startswith("float")])


def result_on_ones(f: Callable[..., Any], inputs: Sequence[Any]) -> Any:
    """The type of the result, of one run on ones."""
    shapes = [x.type.shape for x in inputs]
    if any(None in shape for shape in shapes):
        raise NonDifferentiableError("")
    value = f(*[np.ones(shape, x.type.dtype) if shape else np.ones((), x.type.dtype)[()] for x, shape in zip(inputs, shapes)])
    kind = lambda part: pt.as_tensor_variable(np.asarray(part)).type
    return tuple(map(kind, value)) if isinstance(value, (tuple, list)) else kind(value)
