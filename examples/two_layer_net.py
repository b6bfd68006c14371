"""A two-layer net fitted by gradient descent, its gradient obtained in four ways: all four print the same losses.

    python examples/two_layer_net.py

by hand     the gradient written out in NumPy
variables   the forward pass on Variables, backward() through the recorded graph
function    the same, with a relu of one's own: a Function with forward and backward
compiled    @value_and_grad on the plain NumPy function: compiled once, run 500 times
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from sourcediff import Function, Variable, value_and_grad

Array = Any
RATE = 1e-6
EVERY = 100  # steps between two printed losses


def data(n: int = 64, inputs: int = 1000, hidden: int = 100, outputs: int = 10) -> tuple[Array, Array, Array, Array]:
    """Inputs (n, inputs), targets (n, outputs) and the two first weights, all float32, the same on every call."""
    rng = np.random.default_rng(0)
    shapes = (n, inputs), (n, outputs), (inputs, hidden), (hidden, outputs)
    x, y, w1, w2 = (rng.standard_normal(shape).astype(np.float32) for shape in shapes)
    return x, y, w1, w2


def by_hand(x: Array, y: Array, w1: Array, w2: Array, steps: int) -> list[float]:
    """The gradient written out."""
    losses = []
    for step in range(steps):
        t = x @ w1
        h = np.maximum(t, 0)
        residual = h @ w2 - y
        losses.append(float(np.sum(residual**2)))

        residual_bar = 2 * residual
        h_bar = residual_bar @ w2.T
        w2_bar = h.T @ residual_bar
        w1_bar = x.T @ (h_bar * (t >= 0))
        w1 -= RATE * w1_bar
        w2 -= RATE * w2_bar
    return losses


def variables(x: Array, y: Array, w1: Array, w2: Array, steps: int) -> list[float]:
    """The graph is recorded while the net runs, and walked by backward()."""
    return _descend(x, y, w1, w2, steps, relu=lambda t: t.clamp(min=0))


class MyReLU(Function):
    """A relu of one's own: forward and backward on plain arrays."""

    @staticmethod
    def forward(ctx: Any, t: Array) -> Array:
        ctx.save_for_backward(t)
        return np.maximum(t, 0)

    @staticmethod
    def backward(ctx: Any, h_bar: Array) -> Array:
        (t,) = ctx.saved_tensors
        return h_bar * (t >= 0)


def function(x: Array, y: Array, w1: Array, w2: Array, steps: int) -> list[float]:
    """As before, with MyReLU in the graph."""
    return _descend(x, y, w1, w2, steps, relu=MyReLU.apply)


def _descend(x: Array, y: Array, w1: Array, w2: Array, steps: int, relu: Callable[[Variable], Variable]) -> list[float]:
    x, y = Variable(x), Variable(y)
    w1, w2 = Variable(w1, requires_grad=True), Variable(w2, requires_grad=True)
    losses = []
    for step in range(steps):
        loss = (relu(x.mm(w1)).mm(w2) - y).pow(2).sum()
        losses.append(loss.item())

        loss.backward()
        for w in (w1, w2):
            w.data -= RATE * w.grad.data
            w.grad.zero_()
    return losses


@value_and_grad(wrt=("w1", "w2"))
def loss(w1: Array, w2: Array, x: Array, y: Array) -> Array:
    h = np.maximum(x @ w1, 0)
    return np.sum((h @ w2 - y) ** 2)


def compiled(x: Array, y: Array, w1: Array, w2: Array, steps: int) -> list[float]:
    """The gradient is generated from the function's source at the first call."""
    losses = []
    for step in range(steps):
        value, (w1_bar, w2_bar) = loss(w1, w2, x, y)
        losses.append(float(value))
        w1 -= RATE * w1_bar
        w2 -= RATE * w2_bar
    return losses


VARIANTS = (by_hand, variables, function, compiled)


def main(steps: int = 500, **sizes: int) -> dict[str, list[float]]:
    """Run the four variants, print their losses side by side, and return all of them."""
    losses, seconds = {}, {}
    for variant in VARIANTS:
        print(f"{variant.__name__.replace('_', ' ')} …", flush=True)
        start = time.perf_counter()
        losses[variant.__name__] = variant(*data(**sizes), steps)
        seconds[variant.__name__] = time.perf_counter() - start

    print("\n  step" + "".join(f"{name.replace('_', ' '):>14}" for name in losses))
    for step in sorted({*range(0, steps, EVERY), steps - 1}):
        print(f"{step:6}" + "".join(f"{history[step]:14.6g}" for history in losses.values()))
    print("  time" + "".join(f"{seconds[name]:12.2f} s" for name in losses))
    return losses


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=500)
    main(parser.parse_args().steps)
