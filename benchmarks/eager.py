"""The eager engine on chains of small operations, forward and backward, against PyTorch and HIPS autograd (CPU, one thread)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sourcediff.eager import Variable, no_grad
from sourcediff.eager.run import run_gradient

from .measure import Row, medians, same

LENGTH = 300
BAR = 1.0


def arithmetic(x: Any, y: Any, lib: Any) -> Any:
    z = x
    for _ in range(LENGTH // 4):
        z = z * y
        z = z + x
        z = z - y
        z = z * 0.5
    return lib.sum(z)


def functions(x: Any, y: Any, lib: Any) -> Any:
    z = x
    for _ in range(LENGTH // 4):
        z = lib.sin(z)
        z = lib.exp(z)
        z = lib.tanh(z)
        z = z * y
    return lib.sum(z)


def products(x: Any, y: Any, lib: Any) -> Any:
    w, b = y[:, :8], y[0, 8:]
    z = x
    for _ in range(LENGTH // 2):
        z = z @ w
        z = z + b
    return lib.sum(z)


def indexing(x: Any, y: Any, lib: Any) -> Any:
    z = x
    for _ in range(LENGTH // 3):
        row = z[1]
        z = z * y
        z = z + row
    return lib.sum(z)


def sizes() -> list[tuple[str, Callable[..., Any], np.ndarray, np.ndarray]]:
    """The chains, each with its two float32 arguments."""
    rng = np.random.default_rng(0)

    def array(low: float, high: float, *shape: int) -> np.ndarray:
        return rng.uniform(low, high, shape).astype(np.float32)

    x = array(0.5, 1.0, 4, 8)
    rotation = np.linalg.qr(rng.standard_normal((8, 8)))[0].astype(np.float32)  # keeps what is multiplied by it at its size
    return [
        ("arithmetic", arithmetic, x, array(0.9, 1.1, 4, 8)),
        ("functions", functions, x, array(0.9, 1.1, 4, 8)),
        ("matrix products with bias", products, x, np.hstack([rotation, array(-0.3, 0.3, 8, 8)])),
        ("indexing", indexing, x, array(0.1, 0.4, 4, 8)),
    ]


def ours(chain: Callable[..., Any], x: np.ndarray, y: np.ndarray) -> Callable[[], Any]:
    def run() -> Any:
        u, v = Variable(x, requires_grad=True), Variable(y, requires_grad=True)
        chain(u, v, np).backward()
        return u.grad.data, v.grad.data

    return run


def torchs(chain: Callable[..., Any], x: np.ndarray, y: np.ndarray) -> Callable[[], Any]:
    import torch

    def run() -> Any:
        u, v = (torch.from_numpy(array).requires_grad_() for array in (x, y))
        chain(u, v, torch).backward()
        return u.grad.numpy(), v.grad.numpy()

    return run


def hips(chain: Callable[..., Any], x: np.ndarray, y: np.ndarray) -> Callable[[], Any]:
    from autograd import grad
    from autograd import numpy as anp

    gradient = grad(lambda u, v: chain(u, v, anp), (0, 1))
    return lambda: gradient(x, y)


def rows() -> list[Row]:
    """Seconds per operation. Equal gradients are seen before anything is timed."""
    import torch

    torch.set_num_threads(1)
    found = []
    for case, chain, x, y in sizes():
        runs = [ours(chain, x, y), torchs(chain, x, y), hips(chain, x, y)]
        expected = runs[1]()
        for run in runs[::2]:
            same(run(), expected, tolerance=1e-4)  # float32: long chains round differently
        mine, torch_time, hips_time = (seconds / LENGTH for seconds in medians(*runs))
        found.append(Row("eager chain, per operation", case, mine, "PyTorch", torch_time, BAR))
        found.append(Row("eager chain, per operation", case, mine, "HIPS autograd", hips_time))
    return found + unrecorded() + library_runs()


def unrecorded() -> list[Row]:
    """One operation on small arrays under ``no_grad`` against NumPy's own."""
    x = np.ones((4, 8), np.float32)
    v = Variable(x, requires_grad=True)
    found = []
    for case, operation in (("x * x", lambda a: a * a), ("np.sin(x)", np.sin)):
        def unrecorded_operation(operation: Any = operation) -> None:
            for _ in range(100):
                operation(v)

        def bare(operation: Any = operation) -> None:
            for _ in range(100):
                operation(x)

        with no_grad():
            mine, numpys = (seconds / 100 for seconds in medians(unrecorded_operation, bare))
        found.append(Row("eager, under no_grad", case, mine, "NumPy", numpys))
    return found


def heat(u, c):
    u = u.copy()
    for _ in range(100):
        u[1:-1] += c * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u ** 2)


def library_runs() -> list[Row]:
    """A plain in-place function through a library run, against its forward in NumPy."""
    u = np.linspace(0.0, 1.0, 1000) ** 2
    mine, numpys = medians(lambda: run_gradient(heat, {"u": u, "c": 0.2}, ("u",)), lambda: heat(u, 0.2))
    return [Row("eager library run", "heat equation in place, 100 steps of 1000", mine, "NumPy forward", numpys)]
