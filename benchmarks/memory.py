"""The most memory that a loop of 1,000 steps takes, forward and backward, beside what its rules have to save.

    python -m benchmarks.memory

Memory is that of NumPy's arrays and Python's objects (``tracemalloc``), beyond what was there before the loop. Of PyTorch, whose
allocations Python does not see, it is the bytes of the tensors that its graph has saved. In arrays of one step, so that 1,000 is one
array for each step.
"""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from sourcediff.eager import Variable, no_grad

STEPS = 1000
SIZE = 64  # arrays of 64×64 numbers


class Loop(NamedTuple):
    """A loop on ``x`` and the functions of one library, and how many arrays its rules save at each step."""

    name: str
    saves: int
    run: Callable[[Any, Any], Any]


def recurrence(x: Any, lib: Any) -> Any:
    y = x
    for _ in range(STEPS):
        y = lib.tanh(y * 0.9 + x)
    return lib.sum(y)


def layers(x: Any, lib: Any) -> Any:
    y = x
    for _ in range(STEPS):
        y = lib.tanh(y @ x)
    return lib.sum(y)


def products(x: Any, lib: Any) -> Any:
    y = x
    for _ in range(STEPS):
        y = y * x
    return lib.sum(y)


def sums(x: Any, lib: Any) -> Any:
    y = x
    for _ in range(STEPS):
        y = y * 0.5 + x
    return lib.sum(y)


def in_place(x: Any, lib: Any) -> Any:
    y = x * 1.0
    for _ in range(STEPS):
        y *= 0.5
        y += x
    return lib.sum(y)


LOOPS = [
    Loop("y = tanh(0.9 y + x)", 1, recurrence), Loop("y = tanh(y @ x)", 1, layers), Loop("y = y * x", 1, products),
    Loop("y = 0.5 y + x", 0, sums), Loop("y *= 0.5; y += x", 0, in_place),
]


def peak(thunk: Callable[[], Any]) -> int:
    """The most bytes that were allocated at one time while the thunk ran; it runs once before, to fill caches."""
    thunk()
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        thunk()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def start() -> np.ndarray:
    return np.random.default_rng(0).uniform(-0.1, 0.1, (SIZE, SIZE))


def recorded(loop: Loop) -> int:
    x = Variable(start(), requires_grad=True)

    def run() -> None:
        loop.run(x, np).backward()
        x.grad = None

    return peak(run)


def unrecorded(loop: Loop) -> int:
    x = Variable(start(), requires_grad=True)
    with no_grad():
        return peak(lambda: loop.run(x, np))


def hips(loop: Loop) -> int | None:
    """HIPS autograd, which has no in-place operations."""
    if loop.run is in_place:
        return None
    from autograd import grad
    from autograd import numpy as anp

    x = start()
    return peak(lambda: grad(lambda x: loop.run(x, anp))(x))


def torchs(loop: Loop) -> int:
    """The bytes of the different storages that PyTorch's graph holds when the backward pass begins."""
    import torch

    x = torch.from_numpy(start()).requires_grad_()
    held: dict[int, int] = {x.data_ptr(): 0}

    def pack(tensor: Any) -> Any:
        held.setdefault(tensor.data_ptr(), tensor.untyped_storage().nbytes())
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        loop.run(x, torch)
    return sum(held.values())


def table() -> str:
    """The measurements as markdown, in arrays."""
    lines = [("one step", "saved by its rules", "sourcediff", "under no_grad", "HIPS autograd", "PyTorch, saved"), ("---",) * 6]
    for loop in LOOPS:
        found = [recorded(loop), unrecorded(loop), hips(loop), torchs(loop)]
        shown = ["–" if size is None else f"{size / start().nbytes:,.0f}" for size in found]
        lines.append((loop.name, f"{loop.saves * STEPS:,}", *shown))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


if __name__ == "__main__":
    print(table())
