"""The engine's core as programs on one array, and what has to hold of them on the arrays of another library than NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import sourcediff
from sourcediff.eager import Function, Variable, grad, no_grad

X = np.arange(1.0, 7.0).reshape(2, 3) / 3


def stores(x):
    y = x * 1.0
    y[0] = y[1] * 2
    y[:, 1] *= 3
    y += x
    y *= 2.0
    return y * x


def buffer(x):
    out = np.zeros_like(x)
    for i in range(2):
        out[i] = x[i] * x[1 - i]
    return out * x


def fancy_stores(x):
    y = x * 1.0
    y[:, [0, 2]] = x[:, [1, 1]]
    y[x.data > 1.0] *= 2
    return y * x


def in_place_methods(x):
    y = x * 1.0
    y.add_(x).mul_(2.0).clamp_(min=1.0)
    return y * x


class Relu(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x)
        return np.maximum(x, 0.5), y * 1.0

    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        return g * (x > 0.5), None


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "arithmetic": lambda x: x * x * 3 + (2 - x) / x - x / 2 + 1 / x, "powers": lambda x: x**2 + x**2.5 + 2.0**x + x % 0.37,
    "broadcasting": lambda x: x * x[0] + x[:, :1] - abs(-x), "numpy numbers": lambda x: np.float64(2.0) * x + np.float32(1.5),
    "functions": lambda x: np.exp(x) + np.log(x) + np.sin(x) + np.tanh(x), "choices": lambda x: np.maximum(x, 0.5) + np.minimum(x, x * x),
    "entries": lambda x: x[1] * x[0, 2], "lists": lambda x: x[:, [0, 0, 2]], "integer arrays": lambda x: x[np.array([0, 1, 0])],
    "masks": lambda x: x[x.data > 0.5], "new axes": lambda x: x[..., None, 1:], "take": lambda x: np.take(x, [0, 0, 1], axis=1),
    "matrices": lambda x: x.T @ x, "matrix and vector": lambda x: x @ x[0], "vectors": lambda x: x[0] @ x[1],
    "vector and matrix": lambda x: x[:, 0] @ x, "stacks of matrices": lambda x: np.stack([x, x]) @ x.T, "dot": lambda x: np.dot(x, x.T),
    "outer and inner": lambda x: np.outer(x[0], x[1]).sum() + np.inner(x, x), "tensordot": lambda x: np.tensordot(x, x.T, 1),
    "einsum": lambda x: np.einsum("ij,kj->ik", x, x), "einsum of one": lambda x: np.einsum("ij->j", x),
    "relu": lambda x: (x - 1).relu(), "clamp": lambda x: x.clamp(min=0.5) + x.clamp(0.5, 1.0), "sigmoid": lambda x: x.sigmoid(),
    "softmax": lambda x: x.softmax(1), "log_softmax": lambda x: x.log_softmax(1), "logsumexp": lambda x: x.logsumexp(1),
    "norm": lambda x: x.norm() + x.norm(dim=1).sum(), "sums": lambda x: x.sum(1, keepdims=True) + x.mean(0), "prod": lambda x: x[0].prod(),
    "extrema": lambda x: x.max(1).sum() + np.max(x) * np.min(x), "moments": lambda x: x.var(0) + x.std(0), "cumsum": lambda x: x.cumsum(0),
    "concatenate": lambda x: np.concatenate([x, x * 2]), "stack": lambda x: np.stack([x, x * 2], 1), "hstack": lambda x: np.hstack([x, x]),
    "where": lambda x: np.where(x > 0.6, x, 0.0) + np.where(x.data > 0.6, x, 2 * x), "diff": lambda x: np.diff(x),
    "shapes": lambda x: x.reshape(3, 2) * x.view(-1).reshape(3, 2) + x.T, "permute": lambda x: x.permute(1, 0) * x.t(),
    "unsqueeze": lambda x: x.unsqueeze(0).squeeze(), "expand": lambda x: x[0].expand(4, 3), "split": lambda x: x.split(1)[0],
    "copies": lambda x: x.clone() * x.copy() + x.flatten().reshape(2, 3), "tile": lambda x: np.tile(x, 2),
    "repeat": lambda x: np.repeat(x, 2, axis=1), "order": lambda x: np.flip(x, 1) + np.roll(x, 1), "rot90": lambda x: np.rot90(x),
    "diagonals": lambda x: np.diag(x[0]).sum() + np.diag(x @ x.T), "triangle": lambda x: np.tril(x @ x.T),
    "masked": lambda x: x.masked_fill(x.data > 1, 0.0) + x.masked_select(x.data > 1).sum(),
    "rows": lambda x: sum((r * r for r in x), start=0.0),
    "float32": lambda x: x.float() * x, "like": lambda x: np.zeros_like(x) + np.ones_like(x) * x, "number": lambda x: x[0, 0] * x,
    "inv": lambda x: np.linalg.inv(x[:, :2]), "solve": lambda x: np.linalg.solve(x[:, :2], x[:, 2]),
    "stores": stores, "buffer": buffer, "fancy stores": fancy_stores, "in-place methods": in_place_methods,
}


def scalar(f: Callable[[Any], Any], x: Any) -> Any:
    z = f(x)
    return np.sum(z * z) if z.ndim else z * z


def derivatives(f: Callable[[Any], Any], array: Any) -> list[Any]:
    """Value, gradient, and the gradient of the squared length of the gradient, on the library of ``array``."""
    x = Variable(array, requires_grad=True)
    z = scalar(f, x)
    (first,) = grad(z, x, create_graph=True)
    found = [z.data, first.data]
    if first.requires_grad:
        (second,) = grad(np.sum(first * first), x, allow_unused=True)
        found += [] if second is None else [second.data]
    return found


def same_on(make: Callable[[Any], Any], back: Callable[[Any], Any], f: Callable[[Any], Any], tolerance: float) -> None:
    """Assert that a program has on another library's arrays the derivatives that it has on NumPy's, and of that library's type."""
    for got, expected in zip(derivatives(f, make(X)), derivatives(f, X.copy()), strict=True):
        assert type(got) is type(make(X)) and got.dtype == expected.dtype and got.shape == expected.shape
        np.testing.assert_allclose(back(got), expected, rtol=tolerance, atol=tolerance)


def train(make: Callable[[Any], Any], steps: int = 20) -> Any:
    """The losses of the two-layer net, trained by hand; as the library has them."""
    rng = np.random.default_rng(0)
    x, y, w1, w2 = (make(rng.standard_normal(shape)) for shape in ((8, 5), (8, 2), (5, 4), (4, 2)))
    weights = [Variable(w, requires_grad=True) for w in (w1, w2)]
    losses = []
    for _ in range(steps):
        hidden = Variable(x).mm(weights[0]).clamp(min=0)
        loss = ((hidden.mm(weights[1]) - y) ** 2).sum()
        losses.append(loss.data)
        for w in weights:
            w.grad = None
        loss.backward()
        with no_grad():
            for w in weights:
                w -= 1e-2 * w.grad
    return losses


def plain_net(x, w1, w2):
    """A user's own function: calls that follow the protocols, a buffer included."""
    hidden = np.maximum(x @ w1, 0.0)
    out = np.zeros_like(hidden)
    for i in range(len(out)):
        out[i] = hidden[i] * (i + 1)
    e = np.exp(out @ w2 - np.max(out @ w2, axis=1, keepdims=True))
    return -np.sum(np.log(e / np.sum(e, axis=1, keepdims=True))[:, 0])


NET = [X, np.cos(np.arange(6.0)).reshape(3, 2), np.sin(np.arange(4.0)).reshape(2, 2)]


def gradients_of_net(make: Callable[[Any], Any]) -> tuple[Any, ...]:
    return sourcediff.grad(plain_net, wrt=(0, 1, 2), mode="eager")(*map(make, NET))  # type: ignore[no-any-return]
