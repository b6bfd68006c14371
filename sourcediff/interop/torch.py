"""A NumPy function in PyTorch: ``sourcediff.interop.torch.function(f)``."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch.utils._pytree import tree_flatten, tree_unflatten

from ..errors import DeviceError
from .adjoint import adjoint, paths


def prepared(f, wrt):
    import sourcediff
    class P:
        @staticmethod
        def forward(*args):
            return sourcediff.vjp(f, *args, wrt=wrt)
    return P


def function(f: Callable[..., Any]) -> Callable[..., Any]:
    made = functools.cache(lambda wrt: prepared(f, wrt).forward)
    again = functools.cache(lambda places, wrt: function(adjoint(f, places, wrt)))

    @functools.wraps(f)
    def called(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            args = inspect.signature(f).bind(*args, **kwargs).args
        leaves, form = flattened(args)
        wrt = tuple([k for k, arg in enumerate(args) if any([getattr(leaf, "requires_grad", False) for leaf in flattened((arg,))[0]])])
        call = Call(form, wrt, made(wrt) if wrt and torch.is_grad_enabled() else lambda *args: (f(*args), None), again)
        return restored(Node.apply(call, *leaves), call.result)

    return called


class Call:
    """One call: how its arguments are put together, by which of them it is differentiated, and how; ``again`` are its adjoints."""

    def __init__(self, form: Any, wrt: tuple[int, ...], run: Callable[..., Any], again: Callable[..., Any]):
        self.form, self.wrt, self.run, self.again = form, wrt, run, again


class Node(torch.autograd.Function):
    """What stands for a call in PyTorch's graph."""

    @staticmethod
    def forward(ctx: Any, call: Call, *leaves: Any) -> Any:
        ctx.call = call
        ctx.constants = [None if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        ctx.save_for_backward(*[leaf if isinstance(leaf, torch.Tensor) else None for leaf in leaves])
        value, call.pull = call.run(*restored([array_of(leaf) for leaf in leaves], call.form))
        if isinstance(value, (np.ndarray, float)):
            call.result = ONE
            return tensor_of(value)
        parts, call.result = tree_flatten(value)
        return tuple([tensor_of(part) for part in parts])

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        call = ctx.call
        args = restored([saved if saved is not None else constant for saved, constant in zip(ctx.saved_tensors, ctx.constants)], call.form)
        if torch.is_grad_enabled():  # it is to be differentiated itself
            given = tuple([g for g in cotangents if isinstance(g, torch.Tensor)])
            adjoints = call.again(paths(restored(cotangents, call.result)), call.wrt)(*given, *args)
        else:
            adjoints = call.pull(restored([array_of(g) for g in cotangents], call.result))
        whole = list(args)
        for k, adjoint in zip(call.wrt, adjoints):
            whole[k] = adjoint
        return None, *[tensor_of(x) if needed else None for x, needed in zip(flattened(tuple(whole))[0], ctx.needs_input_grad[1:])]


ONE = object()

def flattened(tree: tuple[Any, ...]) -> tuple[Sequence[Any], Any]:
    """What a tuple holds, and how it is put together again; None says that it holds nothing but tensors and arrays."""
    if all([isinstance(part, (torch.Tensor, np.ndarray, float)) for part in tree]):
        return tree, None
    return tree_flatten(tree)


def restored(leaves: Sequence[Any], form: Any) -> Any:
    """The inverse."""
    return leaves if form is None else leaves[0] if form is ONE and isinstance(leaves, (list, tuple)) else leaves if form is ONE else tree_unflatten(leaves, form)


def array_of(x: Any) -> Any:
    """A tensor as an array that shares its memory and cannot be changed; a number, if it has no dimensions."""
    if not isinstance(x, torch.Tensor):
        return x
    try:
        array = x.detach().numpy()
    except (TypeError, RuntimeError) as error:
        raise DeviceError(f"a tensor of {x.dtype} on {x.device}, {x.layout}, is no NumPy array", why=str(error), remedy="give it as a dense tensor of float32 or float64 on the CPU: x.cpu().double()") from None
    array.flags.writeable = False
    return array if array.ndim else array[()]


def tensor_of(x: Any) -> Any:
    """An array or a number as a tensor that shares its memory, if it can be changed; anything else as it is."""
    if not isinstance(x, (np.ndarray, np.generic, float)):
        return x
    array = np.asarray(x)
    return torch.from_numpy(array if array.flags.forc and array.flags.writeable else array.copy())
