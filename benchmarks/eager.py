"""The eager engine, forward and backward, against PyTorch, HIPS autograd and NumPy by hand (CPU, one thread)."""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from sourcediff.eager import Variable, no_grad
from sourcediff.eager.library_run.recording import run_gradient
from tests.golden.experts import loss_value_and_grad

from .generated import net
from .measure import Row, medians, same

LENGTH = 300
NAN = float("nan")


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
    torch = import_module("torch")
    torch.set_num_threads(1)

    def run() -> Any:
        u, v = (torch.from_numpy(array).requires_grad_() for array in (x, y))
        chain(u, v, torch).backward()
        return u.grad.numpy(), v.grad.numpy()

    return run


def hips(chain: Callable[..., Any], x: np.ndarray, y: np.ndarray) -> Callable[[], Any]:
    autograd, anp = import_module("autograd"), import_module("autograd.numpy")
    gradient = autograd.grad(lambda u, v: chain(u, v, anp), (0, 1))
    return lambda: gradient(x, y)


PEERS: tuple[tuple[str, str, Any, float | None, float], ...] = (
    ("PyTorch", "torch", torchs, 0.8, 0.6), ("HIPS autograd", "autograd", hips, None, 0.3),
)
"""Name, package, how it runs a chain, the bar for each chain, and that for their geometric mean."""


def rows() -> list[Row]:
    """Equal results are seen before anything is timed."""
    return [*chains(), *long_chain(), *two_layer_net(), *unrecorded(), *library_runs()]


def chains() -> list[Row]:
    """Seconds per operation of the chains, against each peer."""
    section = "eager chain, per operation"
    found = []
    for name, package, theirs, bar, mean_bar in PEERS:
        if find_spec(package) is None:
            found.append(Row(section, "all", NAN, name, NAN, mean_bar, f"{name} is not installed"))
            continue
        own = []
        for case, chain, x, y in sizes():
            mine, peer = ours(chain, x, y), theirs(chain, x, y)
            same(mine(), peer(), tolerance=1e-4)  # float32: long chains round differently
            own.append(Row(section, case, *_alternating(mine, peer, name, LENGTH), bar))
        means = [math.prod(times) ** (1 / len(own)) for times in zip(*((row.ours, row.theirs) for row in own))]
        found += [*own, Row(section, "geometric mean of these", means[0], name, means[1], mean_bar)]
    return found


def _alternating(mine: Callable[[], Any], theirs: Callable[[], Any], peer: str, count: int) -> tuple[float, str, float]:
    """Our seconds for one of ``count`` operations, the peer's name, its seconds: the middle of a row."""
    seconds, others = medians(mine, theirs)
    return seconds / count, peer, others / count


def long_chain() -> list[Row]:
    """A chain of 100,000 operations (built, walked, dropped) against one of 1,000, in seconds per operation."""
    x = np.ones((4, 8), np.float32)

    def chain(length: int) -> Callable[[], None]:
        def run() -> None:
            u = Variable(x, requires_grad=True)
            z = u
            for _ in range(length // 2):
                z = z * 0.5
                z = z + u
            z.sum().backward()

        return run

    mine, short = medians(chain(100_000), chain(1_000), rounds=21)
    return [Row("eager, long chain, per operation", "100,000 operations", mine / 100_000, "1,000 operations", short / 1_000, 1.3)]


def two_layer_net() -> list[Row]:
    """Value and gradients of the net on Variables against the same written out in NumPy."""
    w1, w2, x, y = (array.astype(np.float32) for array in net(64, 1000, 100, 10))
    x_, y_ = Variable(x), Variable(y)

    def mine() -> Any:
        u1, u2 = Variable(w1, requires_grad=True), Variable(w2, requires_grad=True)
        value = ((x_.mm(u1).clamp(min=0).mm(u2) - y_) ** 2).sum()
        value.backward()
        return value.data, (u1.grad.data, u2.grad.data)

    def by_hand() -> Any:
        return loss_value_and_grad(w1, w2, x, y)

    same(mine(), by_hand(), tolerance=1e-5)
    return [Row("eager, two-layer net", "64×1000×100×10, float32", *_alternating(mine, by_hand, "by hand", 1), 1.25)]


OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "x * x": lambda x, w: x * x, "x + 1.0": lambda x, w: x + 1.0, "-x": lambda x, w: -x, "x @ w": lambda x, w: x @ w,
    "x.exp()": lambda x, w: x.exp() if type(x) is Variable else np.exp(x), "x.sum(0)": lambda x, w: x.sum(0),
    "x.mean()": lambda x, w: x.mean(), "np.sum(x)": lambda x, w: np.sum(x), "np.maximum(x, 0.5)": lambda x, w: np.maximum(x, 0.5),
    "np.exp(x)": lambda x, w: np.exp(x), "x[1]": lambda x, w: x[1], "x.reshape(8, 4)": lambda x, w: x.reshape(8, 4),
}


class Passing:
    """The least that an operation can cost: by NumPy's protocol it hands on the array, by index an object that holds the entries."""

    __slots__ = ("value",)

    def __init__(self, value: Any):
        self.value = value

    def __array_ufunc__(self, ufunc: Any, method: str, x: Any) -> Any:
        return ufunc(x.value)

    def __getitem__(self, key: Any) -> Any:
        made = object.__new__(Passing)
        made.value = self.value[key]
        return made

    def reshape(self, *shape: int) -> Passing:
        made = object.__new__(Passing)
        made.value = self.value.reshape(*shape)
        return made


def unrecorded() -> list[Row]:
    """Operations on small arrays under ``no_grad`` against NumPy's own."""
    x, w = np.ones((4, 8), np.float32), np.ones((8, 8), np.float32)
    u, v = Variable(x, requires_grad=True), Variable(w, requires_grad=True)

    def repeated(operation: Any, first: Any, second: Any) -> Callable[[], None]:
        def run() -> None:
            for _ in range(100):
                operation(first, second)

        return run

    own = []
    with no_grad():
        for case, operation in OPERATIONS.items():
            same(operation(u, v).data, operation(x, w))
            times = _alternating(repeated(operation, u, v), repeated(operation, x, w), "NumPy", 100)
            own.append(Row("eager, under no_grad", case, *times, 2.5))
    exp, entry = OPERATIONS["np.exp(x)"], OPERATIONS["x[1]"]
    by_protocol = _alternating(repeated(exp, Passing(x), w), repeated(exp, x, w), "NumPy", 100)
    by_index = _alternating(repeated(entry, Passing(x), w), repeated(entry, x, w), "NumPy", 100)
    reshaped = OPERATIONS["x.reshape(8, 4)"]
    by_method = _alternating(repeated(reshaped, Passing(x), w), repeated(reshaped, x, w), "NumPy", 100)
    return [*own, Row("eager, under no_grad", "np.exp by protocol, making nothing", *by_protocol, note=(
        "by NumPy's protocol a function of a small array takes more than twice its time before a Variable is made; x.exp() does without"
    )), Row("eager, under no_grad", "x[1], in an object that does nothing else", *by_index, note=(
        "a view is NumPy's quickest operation, quicker than Python makes an object"
    )), Row("eager, under no_grad", "x.reshape(8, 4), in an object that does nothing else", *by_method)]


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
