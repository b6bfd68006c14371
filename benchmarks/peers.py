"""The same programs in other tools, each written as its own users would: value and gradient in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

import sourcediff
from tests.golden.experts import heat, loss

from .generated import net, rod
from .measure import Row, medians, same

NAN = float("nan")
Thunk = Callable[[], Any]


def pytorch_net(w1: Any, w2: Any, x: Any, y: Any) -> Thunk:
    torch = import_module("torch")
    torch.set_num_threads(1)
    w1, w2, x, y = map(torch.from_numpy, (w1, w2, x, y))
    w1.requires_grad_()
    w2.requires_grad_()

    def call() -> Any:
        value = ((torch.relu(x @ w1) @ w2 - y) ** 2).sum()
        return value.detach(), torch.autograd.grad(value, (w1, w2))

    return call


def jax_net(w1: Any, w2: Any, x: Any, y: Any) -> Thunk:
    jax, jnp = import_module("jax"), import_module("jax.numpy")

    def net_loss(w1: Any, w2: Any, x: Any, y: Any) -> Any:
        return jnp.sum((jnp.maximum(x @ w1, 0) @ w2 - y) ** 2)

    compiled = jax.jit(jax.value_and_grad(net_loss, (0, 1)))
    arrays = [jax.device_put(array) for array in (w1, w2, x, y)]
    return lambda: jax.block_until_ready(compiled(*arrays))


def autograd_net(w1: Any, w2: Any, x: Any, y: Any) -> Thunk:
    autograd, anp = import_module("autograd"), import_module("autograd.numpy")

    def net_loss(weights: Any) -> Any:
        w1, w2 = weights
        return anp.sum((anp.maximum(x @ w1, 0) @ w2 - y) ** 2)

    return partial(autograd.value_and_grad(net_loss), (w1, w2))


def pytorch_heat(u: Any, c: float, steps: int) -> Thunk:
    torch = import_module("torch")
    torch.set_num_threads(1)
    start = torch.from_numpy(u).requires_grad_()

    def call() -> Any:
        u = start
        for k in range(steps):  # a change in place of u[1:-1] is refused by backward, so the rod is put together anew
            u = torch.cat([u[:1], u[1:-1] + c * (u[2:] - 2 * u[1:-1] + u[:-2]), u[-1:]])
        value = (u**2).sum()
        return value.detach(), torch.autograd.grad(value, start)[0]

    return call


def jax_heat(u: Any, c: float, steps: int) -> Thunk:
    jax, jnp = import_module("jax"), import_module("jax.numpy")

    def final(u: Any) -> Any:
        def step(u: Any, _: None) -> Any:
            return u.at[1:-1].add(c * (u[2:] - 2 * u[1:-1] + u[:-2])), None

        return jnp.sum(jax.lax.scan(step, u, None, length=steps)[0] ** 2)

    compiled, start = jax.jit(jax.value_and_grad(final)), jax.device_put(u)
    return lambda: jax.block_until_ready(compiled(start))


def autograd_heat(u: Any, c: float, steps: int) -> Thunk:
    autograd, anp = import_module("autograd"), import_module("autograd.numpy")

    def final(u: Any) -> Any:
        for k in range(steps):  # it has no assignment to a part of an array
            u = anp.concatenate([u[:1], u[1:-1] + c * (u[2:] - 2 * u[1:-1] + u[:-2]), u[-1:]])
        return anp.sum(u**2)

    return partial(autograd.value_and_grad(final), u)


PEERS: dict[str, tuple[str, dict[Any, Callable[..., Thunk]]]] = {
    # module: its name, and how the programs are written for it
    "torch": ("PyTorch", {loss: pytorch_net, heat: pytorch_heat}),
    "jax": ("JAX jit", {loss: jax_net, heat: jax_heat}),
    "autograd": ("HIPS autograd", {loss: autograd_net, heat: autograd_heat}),
}


def cases() -> Iterator[tuple[str, Any, Any, tuple[Any, ...]]]:
    """What it is, the program, by what it is differentiated, and arguments in float32."""
    for sizes in ((8, 16, 16, 4), (64, 1000, 100, 10)):
        yield f"net {'×'.join(map(str, sizes))}", loss, (0, 1), tuple(array.astype(np.float32) for array in net(*sizes))
    for points in (100, 10_000):
        u, c, steps = rod(points)
        yield f"heat, {points:,} points × {steps} steps", heat, 0, (u.astype(np.float32), c, steps)


def rows() -> list[Row]:
    """Each case against each tool that is installed."""
    found = []
    for module, (peer, programs) in PEERS.items():
        if find_spec(module) is None:
            found.append(Row("other tools", "all", NAN, peer, NAN, note=f"{peer} is not installed"))
            continue
        for case, program, wrt, args in cases():
            ours = partial(sourcediff.value_and_grad(program, wrt, mode="compiled"), *args)
            theirs = programs[program](*args)
            same(theirs(), ours(), tolerance=1e-5)  # float32, and each adds up in its own order
            mine, other = medians(ours, theirs)
            found.append(Row("other tools", case, mine, peer, other))
    return found
