"""NumPy functions in PyTorch, and PyTorch's in NumPy: ``sourcediff.interop.torch``."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch.utils._pytree import tree_flatten, tree_leaves, tree_unflatten

from ..api.gradients import value_and_grad
from ..api.prepared import prepared
from ..errors import DeviceError, NonDifferentiableError
from .bridge import adjoint, of_complex, paths
from .foreign import Library, ruled

PART = (torch.Tensor, np.ndarray, np.floating, float)
PLAIN = {torch.Tensor, torch.nn.Parameter, np.ndarray, np.float64, np.float32, float}


def function(f: Callable[..., Any]) -> Callable[..., Any]:
    """A NumPy function as a differentiable function of PyTorch: tensors in, tensors out, ``backward`` by generated code.

    Tensors may stand in dicts, lists and tuples, in the arguments and in the result; what is no tensor is handed on as it is, and so is
    what is no array or float in the result. ``f`` gets arrays that share the tensors' memory and cannot be written to, a NumPy number for a
    tensor without dimensions; dtypes are kept. Derivatives of any order (``create_graph=True``).

    Raises DeviceError for a tensor that NumPy cannot read (on another device, sparse, bfloat16), and what :func:`sourcediff.vjp` raises.
    """
    derivatives = functools.cache(functools.partial(Derivatives, f))

    @functools.wraps(f)
    def called(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            args = by_position(f, args, kwargs)
        leaves, form = parts(args)
        wrt, slots = differentiated(args, leaves, form) if torch.is_grad_enabled() else ((), ())
        if not wrt:
            found, result = parts(f(*whole([array_of(leaf) for leaf in leaves], form)))
            return whole([tensor_of(part) for part in found], result)
        call = Call(derivatives(wrt), leaves, form, slots)
        return whole(Node.apply(call, *[leaves[k] for k in slots]), call.result)

    return called


def rule(fn: Callable[..., Any], *, wrt: Sequence[str] | None = None, outputs: int = 1) -> Callable[..., Any]:
    """A function of PyTorch's as a function of NumPy's with a rule: arrays in, arrays out, two derivatives in both modes.

    ``wrt`` names the parameters that have a derivative (all, if left out), ``outputs`` says how many results there are. The derivatives are
    those of ``torch.func``. Raises RuleError for a function that does not say what it takes.
    """

    def on_arrays(fn: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any) -> Any:
            found, form = parts(fn(*map(tensor_of, args)))
            return whole([np.array(array_of(part))[()] for part in found], form)  # arrays of their own

        return called

    return ruled(fn, Library(torch.func.vjp, torch.func.jvp, on_arrays), wrt, outputs)


class Derivatives:
    """The derivatives of a function with respect to the arguments in the positions ``wrt``.

    ``scalar``: the last result was one number, so the next call computes the gradient together with the value.
    """

    def __init__(self, f: Callable[..., Any], wrt: tuple[int, ...]):
        self.scalar = False
        self.forward, self.value_and_grad = prepared(f, wrt).forward, value_and_grad(f, wrt)
        self.again = functools.cache(lambda places: function(adjoint(f, places, wrt)))


class Call:
    """One call: the form of its arguments and of its result, and where the parts are that it is differentiated by."""

    def __init__(self, derivatives: Derivatives, leaves: Sequence[Any], form: Any, slots: Sequence[int]):
        self.derivatives, self.leaves, self.form, self.slots = derivatives, leaves, form, slots
        self.pull: Any = None
        self.gradient: Any = None
        self.result: Any = None

    def forward(self, leaves: Sequence[Any]) -> Sequence[Any]:
        """The parts of the value; what is kept is the gradient, or the pullback."""
        derivatives, args = self.derivatives, whole([array_of(leaf) for leaf in leaves], self.form)
        if derivatives.scalar:
            try:
                value, adjoints = derivatives.value_and_grad(*args)
                self.result, self.gradient = (), [tensor_of(part) for part in parts(adjoints)[0]]
                return (tensor_of(value),)
            except NonDifferentiableError:  # not one number this time, or a refusal, which comes again
                derivatives.scalar = False
        value, self.pull = derivatives.forward(*args)
        derivatives.scalar = isinstance(value, (float, np.floating))
        found, self.result = parts(value)
        return tuple([tensor_of(part) for part in found])

    def backward(self, cotangents: Sequence[Any], leaves: Callable[[], Sequence[Any]]) -> Sequence[Any]:
        """The adjoints, a tensor for each slot. A gradient is given away once; whoever asks again has it computed again."""
        if self.pull is None and self.gradient is None:
            self.forward(leaves())
        if self.pull is not None:
            adjoints = self.pull(whole([array_of(g) for g in floats(cotangents)], self.result))
            return [tensor_of(part) for part in parts(adjoints)[0]]
        g, gradient, self.gradient = cotangents[0].item(), self.gradient, None
        return gradient if g == 1 else [part.mul_(g) if g else part.zero_() for part in gradient]


class Node(torch.autograd.Function):
    """What stands for a call in PyTorch's graph."""

    @staticmethod
    def forward(ctx: Any, call: Call, *differentiated: Any) -> Any:
        ctx.call = call
        ctx.save_for_backward(*[leaf if isinstance(leaf, torch.Tensor) else None for leaf in call.leaves])
        return call.forward(call.leaves)

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        call, needed = ctx.call, ctx.needs_input_grad

        def leaves() -> list[Any]:  # PyTorch raises an error where a saved tensor has been changed
            return [leaf if saved is None else saved for saved, leaf in zip(ctx.saved_tensors, call.leaves)]

        if torch.is_grad_enabled():  # the adjoints are to be differentiated in turn
            given = floats(cotangents)
            again = call.derivatives.again(paths(whole(given, call.result)))
            adjoints = parts(again(*[g for g in given if g is not None], *whole(leaves(), call.form)))[0]
        else:
            adjoints = call.backward(cotangents, leaves)
        return None, *[part if asked else None for part, asked in zip(adjoints, needed[1:])]


def floats(cotangents: Sequence[Any]) -> list[Any]:
    """The cotangents, None for a part that has no derivative."""
    return [g if isinstance(g, torch.Tensor) and g.is_floating_point() else None for g in cotangents]


def differentiated(args: Sequence[Any], leaves: Sequence[Any], form: Any) -> tuple[tuple[int, ...], Sequence[int]]:
    """The positions of the arguments that hold a tensor whose gradient is asked for, and those of all that they hold among the parts."""
    asked = [getattr(leaf, "requires_grad", False) for leaf in leaves]
    if form is None:
        wrt = tuple([k for k, needed in enumerate(asked) if needed])
        return wrt, wrt
    ends = np.cumsum([len(tree_leaves(arg)) for arg in args])
    wrt = tuple([k for k, (start, end) in enumerate(zip([0, *ends], ends)) if any(asked[start:end])])
    return wrt, [slot for k in wrt for slot in range(ends[k] - len(tree_leaves(args[k])), ends[k])]


def by_position(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments of a call by position. Raises NonDifferentiableError where some are by keyword only."""
    bound = inspect.signature(f).bind(*args, **kwargs)
    if bound.kwargs:
        raise NonDifferentiableError(
            f"{', '.join(bound.kwargs)} of {f.__name__} can be given by keyword only", why="tensors are counted by position",
            remedy="give a function of the tensors alone: functools.partial(f, flag=True)",
        )
    return bound.args


def parts(tree: Any) -> tuple[Sequence[Any], Any]:
    """The parts of a structure, and its form: () of one tensor or array, None of a tuple of such."""
    if isinstance(tree, PART):
        return (tree,), ()
    if type(tree) is tuple and PLAIN.issuperset(map(type, tree)):
        return tree, None
    return tree_flatten(tree)


def whole(found: Sequence[Any], form: Any) -> Any:
    """The structure again."""
    return tuple(found) if form is None else found[0] if form == () else tree_unflatten(found, form)


def array_of(x: Any) -> Any:
    """A tensor as an array that shares its memory and cannot be written to, or as a number. Anything else as it is."""
    if not isinstance(x, torch.Tensor):
        return x
    try:
        array = x.detach().numpy()
    except (TypeError, RuntimeError) as error:
        raise DeviceError(
            f"NumPy cannot read a tensor of {x.dtype} on {x.device} ({x.layout})", why=str(error),
            remedy="give a dense tensor of float32 or float64 on the CPU: x.cpu()",
        ) from None
    if array.dtype.kind == "c":
        raise of_complex("PyTorch")
    array.setflags(write=False)
    return array if array.ndim else array[()]


def tensor_of(x: Any) -> Any:
    """An array or a number of NumPy's as a tensor, without a copy if PyTorch can write to it. None, an int, a string as they are."""
    if x is None or isinstance(x, (torch.Tensor, int, str)):
        return x
    array = np.asarray(x)
    if array.dtype.kind == "c":
        raise of_complex("PyTorch")
    return torch.from_numpy(array if array.flags.forc and array.flags.writeable else array.copy())
