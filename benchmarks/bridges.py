"""What ``sourcediff.interop`` adds to a value and a gradient inside another library, in the processor's time.

    python -m benchmarks bridges

After PyTorch's backward pass, and in the thread in which JAX calls back, NumPy's code has left the caches, so a ``value_and_grad`` costs
more there than in a loop of its own. What is compared meets that alike: the calls stand in one thunk, one after another.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

import sourcediff
from tests.golden.experts import loss

from .generated import net
from .measure import Row, Thunk, medians, same

NAN = float("nan")
SIZES = ((8, 16, 16, 4), (32, 64, 32, 10), (64, 1000, 100, 10))


def in_torch(args: tuple[Any, ...]) -> Iterator[tuple[str, Thunk, Thunk, float]]:
    torch, bridge = import_module("torch"), import_module("sourcediff.interop.torch")
    torch.set_num_threads(1)

    class Empty(torch.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, *tensors: Any) -> Any:
            ctx.save_for_backward(*tensors)
            return tensors[0].new_zeros(())

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            w1, w2, _, _ = ctx.saved_tensors
            return w1, w2, None, None

    class ByHand(torch.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, *tensors: Any) -> Any:
            ctx.save_for_backward(*tensors)
            value, ctx.gradient = gradient(*[tensor.detach().numpy() for tensor in tensors])
            return torch.tensor(value)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            first, second = map(torch.from_numpy, ctx.gradient)
            return g * first, g * second, None, None

    tensors = [torch.from_numpy(array) for array in args]
    weights = [tensor.requires_grad_() for tensor in tensors[:2]]
    gradient, function = sourcediff.value_and_grad(loss, (0, 1)), bridge.function(loss)

    def called(function: Callable[..., Any]) -> Any:
        value = function(*tensors)
        return value.detach(), torch.autograd.grad(value, weights)

    ours, by_hand = functools.partial(called, function), functools.partial(called, ByHand.apply)

    def bounded() -> None:
        torch.autograd.grad(Empty.apply(*tensors), weights)
        gradient(*args)
        gradient(*args)

    for each in (ours, by_hand):
        same(each(), gradient(*args))
    yield "an empty autograd.Function and 2 × value_and_grad", ours, bounded, 1.0
    yield "an autograd.Function of value_and_grad, by hand", ours, by_hand, 1.1


def in_jax(args: tuple[Any, ...]) -> Iterator[tuple[str, Thunk, Thunk, float | None]]:
    jax, bridge = import_module("jax"), import_module("sourcediff.interop.jax")
    jax.config.update("jax_enable_x64", True)
    shapes = jax.ShapeDtypeStruct((), float), tuple(jax.ShapeDtypeStruct(array.shape, float) for array in args[:2])
    zeros = np.zeros(()), tuple(np.zeros(array.shape) for array in args[:2])
    gradient, arrays = sourcediff.value_and_grad(loss, (0, 1)), [jax.device_put(array) for array in args]

    def called(host: Callable[..., Any]) -> Thunk:
        compiled = jax.jit(lambda *arrays: jax.pure_callback(host, shapes, *arrays))
        return lambda: jax.block_until_ready(compiled(*arrays))

    compiled = jax.jit(jax.value_and_grad(bridge.function(loss), (0, 1)))
    ours = lambda: jax.block_until_ready(compiled(*arrays))  # noqa: E731
    same(ours(), gradient(*args))
    yield "an empty pure_callback", ours, called(lambda *arrays: zeros), 1.2 if args is CASES[0] else None
    yield "a pure_callback of value_and_grad, by hand", ours, called(lambda *arrays: gradient(*map(np.asarray, arrays))), 1.2


def in_pytensor(args: tuple[Any, ...]) -> Iterator[tuple[str, Thunk, Thunk, float]]:
    pytensor, bridge = import_module("pytensor"), import_module("sourcediff.interop.pytensor")
    variables = [pytensor.tensor.matrix(dtype="float64", shape=array.shape) for array in args[:2]]
    value = bridge.op(loss)(*variables, *args[2:])
    compiled = pytensor.function(variables, [value, *pytensor.grad(value, variables)], trust_input=True)
    gradient = sourcediff.value_and_grad(loss, (0, 1))
    ours = functools.partial(compiled, *args[:2])
    value, *gradients = ours()
    same((value, tuple(gradients)), gradient(*args))
    yield "value_and_grad", ours, functools.partial(gradient, *args), 2.0


CASES = [net(*sizes) for sizes in SIZES]
LIBRARIES = {"torch": in_torch, "jax": in_jax, "pytensor": in_pytensor}


def rows() -> list[Row]:
    """Each library that is installed, with two-layer nets of three sizes."""
    found = []
    for library, compared in LIBRARIES.items():
        if find_spec(library) is None:
            found.append(Row("bridges", library, NAN, library, NAN, note=f"{library} is not installed"))
            continue
        for sizes, args in zip(SIZES, CASES):
            for peer, ours, theirs, bar in compared(args):
                mine, other = medians(ours, theirs, clock=time.process_time, rounds=51)
                found.append(Row("bridges", f"{library}, net {'×'.join(map(str, sizes))}", mine, peer, other, bar))
    return found
