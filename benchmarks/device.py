"""The same function on arrays of a GPU, against PyTorch and JAX there: value and gradient in one call, waited for.

    python -m benchmarks device
"""

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
from .measure import Row, Thunk, medians, same
from .peers import jax_heat, jax_net

NAN = float("nan")


def plate(u: Any, steps: int) -> Any:
    """Heat in a plate, in place: sweeps of a stencil."""
    u = u.copy()
    for _ in range(steps):
        u[1:-1, 1:-1] += 0.2 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
    return np.sum(u**2)


def mixture(weights: Any, means: Any, scales: Any, x: Any) -> Any:
    """The negative log-likelihood of a mixture of Gaussians."""
    z = (x[:, None, :] - means) / scales
    terms = weights - np.log(np.sum(np.exp(weights))) - np.sum(z**2, axis=2) / 2 - np.sum(np.log(scales), axis=1)
    top = np.max(terms, axis=1, keepdims=True)
    return -np.sum(top[:, 0] + np.log(np.sum(np.exp(terms - top), axis=1)))


def in_torch(function: Callable[..., Any], count: int, args: tuple[Any, ...]) -> Thunk:
    torch = import_module("torch")
    tensors = [torch.from_numpy(arg).cuda() if isinstance(arg, np.ndarray) else arg for arg in args]
    given = [tensor.requires_grad_() for tensor in tensors[:count]]

    def call() -> Any:
        value = function(torch, *tensors)
        found = value.detach(), torch.autograd.grad(value, given)
        torch.cuda.synchronize()
        return found

    return call


def in_jax(function: Callable[..., Any], count: int, args: tuple[Any, ...]) -> Thunk:
    jax, jnp = import_module("jax"), import_module("jax.numpy")
    arrays = [jax.device_put(arg) for arg in args if isinstance(arg, np.ndarray)]
    numbers = [arg for arg in args if not isinstance(arg, np.ndarray)]
    compiled = jax.jit(jax.value_and_grad(lambda *arrays: function(jnp, *arrays, *numbers), tuple(range(count))))
    return lambda: jax.block_until_ready(compiled(*arrays))


def torch_net(torch: Any, w1: Any, w2: Any, x: Any, y: Any) -> Any:
    return ((torch.relu(x @ w1) @ w2 - y) ** 2).sum()


def torch_heat(torch: Any, u: Any, c: float, steps: int) -> Any:
    for _ in range(steps):
        u = torch.cat([u[:1], u[1:-1] + c * (u[2:] - 2 * u[1:-1] + u[:-2]), u[-1:]])
    return (u**2).sum()


def torch_plate(torch: Any, u: Any, steps: int) -> Any:
    for _ in range(steps):  # a change in place of a view is refused by backward
        inner = u[1:-1, 1:-1] + 0.2 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
        u = torch.nn.functional.pad(inner, (1, 1, 1, 1)) + u * edge(torch, u)
    return (u**2).sum()


def edge(torch: Any, u: Any) -> Any:
    mask = torch.ones_like(u)
    mask[1:-1, 1:-1] = 0
    return mask


def jax_plate(jnp: Any, u: Any, steps: int) -> Any:
    lax = import_module("jax.lax")

    def step(u: Any, _: None) -> Any:
        return u.at[1:-1, 1:-1].add(0.2 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])), None

    return jnp.sum(lax.scan(step, u, None, length=steps)[0] ** 2)


def torch_mixture(torch: Any, weights: Any, means: Any, scales: Any, x: Any) -> Any:
    z = (x[:, None, :] - means) / scales
    terms = torch.log_softmax(weights, 0) - (z**2).sum(2) / 2 - torch.log(scales).sum(1)
    return -torch.logsumexp(terms, 1).sum()


def jax_mixture(jnp: Any, weights: Any, means: Any, scales: Any, x: Any) -> Any:
    jax = import_module("jax")
    z = (x[:, None, :] - means) / scales
    terms = jax.nn.log_softmax(weights) - jnp.sum(z**2, axis=2) / 2 - jnp.sum(jnp.log(scales), axis=1)
    return -jnp.sum(jax.nn.logsumexp(terms, axis=1))


def cases() -> Iterator[tuple[str, Any, int, tuple[Any, ...], Callable[..., Thunk], Callable[..., Thunk]]]:
    """What it is, the program, how many of its arguments it is differentiated by, the arguments, and how others make it."""
    random = np.random.default_rng(0)
    for sizes in ((64, 1000, 100, 10), (4096, 1024, 1024, 10)):
        args = tuple(array.astype(np.float32) for array in net(*sizes))
        yield f"net {'×'.join(map(str, sizes))}", loss, 2, args, partial(in_torch, torch_net, 2), lambda args: jax_net(*args)
    u, c, _ = rod(1_000_000)
    args = (u.astype(np.float32), c, 20)
    yield "rod, 1,000,000 points × 20 steps", heat, 1, args, partial(in_torch, torch_heat, 1), lambda args: jax_heat(*args)
    for points in (150, 2000):
        args = (random.standard_normal((points, points)).astype(np.float32), 20)
        yield f"plate, {points}² × 20 sweeps", plate, 1, args, partial(in_torch, torch_plate, 1), partial(in_jax, jax_plate, 1)
    k, d, rows_ = 16, 8, 100_000
    args = (*(random.uniform(0.5, 1.5, shape).astype(np.float32) for shape in ((k,), (k, d), (k, d))),
            random.standard_normal((rows_, d)).astype(np.float32))
    yield f"mixture of {k}, {rows_:,}×{d}", mixture, 3, args, partial(in_torch, torch_mixture, 3), partial(in_jax, jax_mixture, 3)


def gradients(found: Any) -> list[Any]:
    """Value and gradients on the host, flat."""
    parts = found if isinstance(found, (tuple, list)) else [found]
    flat = [part for inner in parts for part in (inner if isinstance(inner, (tuple, list)) else [inner])]
    return [part.get() if hasattr(part, "get") else part.cpu().numpy() if hasattr(part, "cpu") else np.asarray(part) for part in flat]


def rows() -> list[Row]:
    """Each case against each tool that is installed, and against NumPy on the processor."""
    if find_spec("cupy") is None or not import_module("cupy").cuda.is_available():
        return [Row("on a GPU", "all", NAN, "PyTorch, JAX", NAN, note="there is no GPU that CuPy can use")]
    cupy = import_module("cupy")
    if find_spec("jax") is not None:  # its products of float32 have ten bits otherwise
        import_module("jax").config.update("jax_default_matmul_precision", "highest")
    name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    found = []
    for case, program, count, args, in_pytorch, in_jax_ in cases():
        there = tuple(cupy.asarray(arg) if isinstance(arg, np.ndarray) else arg for arg in args)
        derived = sourcediff.value_and_grad(program, tuple(range(count)) if count > 1 else 0, mode="compiled")

        def ours(derived: Any = derived, there: Any = there) -> Any:
            result = derived(*there)
            cupy.cuda.get_current_stream().synchronize()
            return result

        expected = gradients(ours())
        plain = partial(derived, *args)
        same(gradients(plain()), expected, tolerance=1e-3)
        for module, peer, make in (("torch", "PyTorch", in_pytorch), ("jax", "JAX jit", in_jax_)):
            if find_spec(module) is None:
                continue
            theirs = make(args)
            same(gradients(theirs()), expected, tolerance=1e-3)  # float32, and each adds up in its own order
            mine, other = medians(ours, theirs, rounds=15)
            found.append(Row("on a GPU", case, mine, peer, other, note=f"{name}, CuPy {cupy.__version__}"))
        mine, other = medians(ours, plain, rounds=3)
        found.append(Row("on a GPU", case, mine, "NumPy, compiled", other, note=name))
    return found
