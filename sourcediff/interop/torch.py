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
from ..runtime.trees import mapped
from .bridge import adjoint, paths, real
from .foreign import Library, ruled

PART = (torch.Tensor, np.ndarray, np.floating, float)


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
        wrt = tuple([k for k, arg in enumerate(args) if needs_gradient(arg)]) if torch.is_grad_enabled() else ()
        if not wrt:
            found, result = parts(f(*whole([array_of(leaf) for leaf in leaves], form)))
            return whole([tensor_of(part) for part in found], result)
        call = Call(args, form, derivatives(wrt))
        return whole(Node.apply(call, *leaves), call.result)

    return called


def rule(fn: Callable[..., Any], *, wrt: Sequence[str] | None = None, outputs: int = 1) -> Callable[..., Any]:
    """A function of PyTorch's as a function of NumPy's with a rule: arrays in, arrays out, two derivatives in both modes.

    ``wrt`` names the parameters that have a derivative (all, if left out), ``outputs`` says how many results there are. The derivatives are
    those of ``torch.func``. Raises RuleError for a function that does not say what it takes.
    """

    def on_arrays(fn: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any) -> Any:
            found, form = parts(fn(*map(tensor_of, args)))
            return whole([array_of(part) for part in found], form)

        return called

    return ruled(fn, Library(torch.func.vjp, torch.func.jvp, on_arrays), wrt, outputs)


class Derivatives:
    """The derivatives of a function with respect to the arguments in the positions ``wrt``.

    ``scalar``: the last result was one number, so the next call computes the gradient together with the value.
    """

    def __init__(self, f: Callable[..., Any], wrt: tuple[int, ...]):
        self.wrt, self.scalar = wrt, False
        self.forward, self.value_and_grad = prepared(f, wrt).forward, value_and_grad(f, wrt)
        self.again = functools.cache(lambda places: function(adjoint(f, places, wrt)))

    def __call__(self, *args: Any) -> tuple[Any, Callable[[Any], Any]]:
        """The value and the pullback."""
        if self.scalar:
            try:
                value, adjoints = self.value_and_grad(*args)
                return value, lambda g: mapped(lambda part: part * g if g else np.zeros_like(part), adjoints)
            except NonDifferentiableError:  # not one number this time, or a refusal, which comes again
                self.scalar = False
        value, pull = self.forward(*args)
        self.scalar = isinstance(value, (float, np.floating))
        return value, pull


class Call:
    """One call: its arguments; then the structure of its result, and its pullback."""

    def __init__(self, args: Sequence[Any], form: Any, derivatives: Derivatives):
        self.args, self.form, self.derivatives = args, form, derivatives


class Node(torch.autograd.Function):
    """What stands for a call in PyTorch's graph."""

    @staticmethod
    def forward(ctx: Any, call: Call, *leaves: Any) -> Any:
        ctx.call = call
        ctx.save_for_backward(*[leaf for leaf in leaves if isinstance(leaf, torch.Tensor)])
        value, call.pull = call.derivatives(*whole([array_of(leaf) for leaf in leaves], call.form))
        found, call.result = parts(value)
        return tuple([tensor_of(part) for part in found])

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        call, derivatives = ctx.call, ctx.call.derivatives
        cotangents = tuple([g if isinstance(g, torch.Tensor) and g.is_floating_point() else None for g in cotangents])
        if torch.is_grad_enabled():  # the adjoints are to be differentiated in turn
            saved = iter(ctx.saved_tensors)  # which asks whether somebody has changed them
            args = whole([next(saved) if isinstance(leaf, torch.Tensor) else leaf for leaf in parts(call.args)[0]], call.form)
            given = [g for g in cotangents if g is not None]
            adjoints = derivatives.again(paths(whole(cotangents, call.result)))(*given, *args)
        else:
            adjoints = call.pull(whole([array_of(g) for g in cotangents], call.result))
        args = list(call.args)
        for k, adjoint in zip(derivatives.wrt, adjoints):
            args[k] = adjoint
        return None, *[tensor_of(x) if needed else None for x, needed in zip(parts(tuple(args))[0], ctx.needs_input_grad[1:])]


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
    if type(tree) is tuple and all([isinstance(part, PART) for part in tree]):
        return tree, None
    return tree_flatten(tree)


def whole(found: Sequence[Any], form: Any) -> Any:
    """The structure again."""
    return tuple(found) if form is None else found[0] if form == () else tree_unflatten(found, form)


def needs_gradient(arg: Any) -> bool:
    """Whether the gradient of a tensor in an argument is asked for."""
    return arg.requires_grad if isinstance(arg, torch.Tensor) else any([getattr(part, "requires_grad", False) for part in tree_leaves(arg)])


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
    real(array.dtype, "PyTorch")
    array.flags.writeable = False
    return array if array.ndim else array[()]


def tensor_of(x: Any) -> Any:
    """An array or a number of NumPy's as a tensor, without a copy if PyTorch can write to it. None, an int, a string as they are."""
    if x is None or isinstance(x, (torch.Tensor, int, str)):
        return x
    array = np.asarray(x)
    real(array.dtype, "PyTorch")
    return torch.from_numpy(array if array.flags.forc and array.flags.writeable else array.copy())
