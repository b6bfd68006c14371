"""NumPy functions in PyTensor, and so in PyMC: ``sourcediff.interop.pytensor``."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytensor.tensor as pt
from pytensor.gradient import DisconnectedType
from pytensor.graph import Apply, Constant, Op

from ..api.gradients import value_and_grad
from ..errors import NonDifferentiableError
from .bridge import adjoint, fitted, of_complex


def op(f: Callable[..., Any], out: Any = None) -> Callable[..., Any]:
    """A NumPy function as a function of PyTensor's variables, with a gradient of any order: an Op, as PyMC's models take it.

    The result is an array, a number or a tuple of such; ``out`` is its type (``pt.dvector``, or a tuple of types). Without it ``f`` is run
    once on ones, for which the shapes of the arguments have to be known. ``f`` gets arrays that cannot be written to, a NumPy number for a
    scalar. A function that returns one number computes its gradient in the same node.

    Raises NonDifferentiableError for a shape that is not known, ComplexError, and what :func:`sourcediff.vjp` raises.
    """
    gradient = functools.cache(functools.partial(value_and_grad, f))

    @functools.wraps(f)
    def called(*args: Any) -> Any:
        inputs = [pt.as_tensor_variable(arg) for arg in args]
        kinds = result_on_ones(f, inputs) if out is None else out
        wrt = floats(inputs)
        if isinstance(kinds, (tuple, list)):
            return tuple(Call(f, wrt, tuple(kinds))(*inputs, return_list=True))
        if kinds.ndim or not wrt or not kinds.dtype.startswith("float"):
            return Call(f, wrt, (kinds,), alone=True)(*inputs)
        return Call(gradient(wrt), wrt, (kinds, *[inputs[k].type for k in wrt]), with_gradient=True)(*inputs)[0]

    return called


class Call(Op):  # type: ignore[misc]
    """The call of a function that returns arrays of these kinds: a tuple, one alone, or a number and its gradient."""

    __props__ = ("f", "wrt", "kinds", "alone", "with_gradient")

    def __init__(
        self, f: Callable[..., Any], wrt: tuple[int, ...], kinds: tuple[Any, ...], alone: bool = False, with_gradient: bool = False,
    ):
        self.f, self.wrt, self.kinds, self.alone, self.with_gradient = f, wrt, kinds, alone, with_gradient
        if any(kind.dtype.startswith("complex") for kind in kinds):
            raise of_complex("PyTensor")

    def make_node(self, *inputs: Any) -> Apply:
        return Apply(self, list(inputs), [kind() for kind in self.kinds])

    def perform(self, node: Apply, inputs: Sequence[Any], outputs: Sequence[list[Any]]) -> None:
        value = self.f(*map(constant, inputs))
        parts = (value,) if self.alone else (value[0], *value[1]) if self.with_gradient else value
        for part, kind, storage in zip(parts, self.kinds, outputs, strict=True):
            array = fitted(part, kind.shape, kind.dtype)
            storage[0] = array if array.flags.writeable else array.copy()

    def L_op(self, inputs: Sequence[Any], outputs: Sequence[Any], output_grads: Sequence[Any]) -> list[Any]:
        given = [k for k, g in enumerate(output_grads) if not isinstance(g.type, DisconnectedType) and outputs[k].dtype.startswith("float")]
        if self.with_gradient and given == [0]:
            adjoints = [output_grads[0] * part for part in outputs[1:]]
        else:
            places = tuple(["" if self.alone else f"[1][{k - 1}]" if self.with_gradient and k else f"[{k}]" for k in given])
            moved = floats([*[output_grads[k] for k in given], *inputs])
            pulled = Call(adjoint(self.f, places, self.wrt), moved, tuple([inputs[k].type for k in self.wrt]))
            adjoints = pulled(*[output_grads[k] for k in given], *inputs, return_list=True)
        found = dict(zip(self.wrt, adjoints))
        return [found.get(k, x.zeros_like(dtype="float64")) for k, x in enumerate(inputs)]

    pullback = L_op  # its name in later releases


def floats(inputs: Sequence[Any]) -> tuple[int, ...]:
    """The positions of the inputs that have a derivative: floats, if they are no constants."""
    if any(x.type.dtype.startswith("complex") for x in inputs):
        raise of_complex("PyTensor")
    return tuple([k for k, x in enumerate(inputs) if x.type.dtype.startswith("float") and not isinstance(x, Constant)])


def result_on_ones(f: Callable[..., Any], inputs: Sequence[Any]) -> Any:
    """The type of the result, by one run on ones."""
    if unknown := [str(x) for x in inputs if None in x.type.shape]:
        raise NonDifferentiableError(
            f"the type of the result of {f.__name__} is not known", why=f"it is run on ones, and the shape of {unknown[0]} is not known",
            remedy="give the type: op(f, out=pytensor.tensor.dscalar)",
        )
    value = f(*[constant(np.ones(x.type.shape, x.type.dtype)) for x in inputs])
    return tuple(map(kind_of, value)) if isinstance(value, (tuple, list)) else kind_of(value)


def kind_of(value: Any) -> Any:
    """The type of an array or a number."""
    return pt.as_tensor_variable(np.asarray(value)).type


def constant(x: Any) -> Any:
    """An array that cannot be written to; a number, if it has no dimensions."""
    if not x.ndim:
        return x[()]
    x = x.view()
    x.flags.writeable = False
    return x
