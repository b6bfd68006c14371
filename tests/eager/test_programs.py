"""The programs of EAGER_API that must run."""

import numpy as np
import pytest

from sourcediff.eager import Function, Variable, grad
from sourcediff.eager.library_run.recording import run_gradient


@pytest.mark.parametrize("factor, expected", [(3, 4.5), (2, 3.0)])
def test_program_1_the_first_graph(factor, expected):
    x = Variable(np.ones((2, 2)), requires_grad=True)
    y = x + 2
    assert y.grad_fn.name == "np.add"
    z = y * y * factor
    out = z.mean()
    out.backward()
    np.testing.assert_array_equal(x.grad.data, np.full((2, 2), expected))
    values = np.array2string(np.full((2, 2), expected))
    assert str(x.grad) == f"Variable containing:\n{values}\n[float64 array of size 2x2]"


def test_program_2_a_loop_that_depends_on_the_data():
    x = Variable(np.array([0.7, -1.3, 0.2]), requires_grad=True)
    y = x * 2
    doublings = 1
    while np.linalg.norm(y.data) < 1000:
        y = y * 2
        doublings += 1
    seed = np.array([0.1, 1.0, 0.0001])
    y.backward(seed)
    np.testing.assert_array_equal(x.grad.data, 2.0 ** doublings * seed)


def test_program_3_three_graphs():
    rng = np.random.default_rng(0)
    a, b, c = rng.standard_normal((3, 2)), rng.standard_normal((2, 4)), rng.uniform(1, 2, (3, 4))
    x, y, z = Variable(a, requires_grad=True), Variable(b, requires_grad=True), Variable(c)
    seed = rng.standard_normal((3, 4))

    first = x @ y + z
    assert first.requires_grad and not z.requires_grad and not (z + 1).requires_grad
    gx, gy = grad(first, [x, y], grad_outputs=seed)
    np.testing.assert_allclose(gx.data, seed @ b.T)
    np.testing.assert_allclose(gy.data, a.T @ seed)

    z.requires_grad = True
    second = x @ y / z
    gx, gz = grad(second, [x, z], grad_outputs=[seed])
    np.testing.assert_allclose(gx.data, (seed / c) @ b.T)
    np.testing.assert_allclose(gz.data, -seed * (a @ b) / c ** 2)

    with_volatile = Variable(a, volatile=True) @ y
    assert with_volatile.volatile and not with_volatile.requires_grad
    assert x.grad is None and y.grad is None and z.grad is None


STEPS, RATE = 500, np.float32(1e-6)


def net():
    """Inputs, targets and weights of the two-layer net, in float32."""
    rng = np.random.default_rng(0)
    return [rng.standard_normal(shape).astype(np.float32) for shape in ((64, 1000), (64, 10), (1000, 100), (100, 10))]


def loss_of(w1, w2, x, y):
    h = np.maximum(x @ w1, 0)
    residual = h @ w2 - y
    return np.sum(residual ** 2)


class MyReLU(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return np.maximum(x, 0)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return np.where(x >= 0, g, 0)


def by_hand(steps):
    x, y, w1, w2 = net()
    losses = []
    for _ in range(steps):
        t = x @ w1
        h = np.maximum(t, 0)
        residual = h @ w2 - y
        losses.append(np.sum(residual ** 2))
        residual_bar = 2 * residual
        t_bar = np.where(t >= 0, residual_bar @ w2.T, 0)
        w1, w2 = w1 - RATE * (x.T @ t_bar), w2 - RATE * (h.T @ residual_bar)
    return losses


def with_variables(steps, relu):
    x, y, *weights = net()
    w1, w2 = (Variable(w, requires_grad=True) for w in weights)
    losses = []
    for _ in range(steps):
        loss = ((relu(Variable(x).mm(w1)).mm(w2) - y) ** 2).sum()
        losses.append(loss.item())
        loss.backward()
        for w in (w1, w2):
            assert w.grad.dtype == np.float32
            w.data -= RATE * w.grad.data
            w.grad.zero_()
    return losses


def by_a_library_run(steps):
    x, y, w1, w2 = net()
    losses = []
    for _ in range(steps):
        value, (g1, g2) = run_gradient(loss_of, {"w1": w1, "w2": w2, "x": x, "y": y}, ("w1", "w2"))
        losses.append(value)
        w1, w2 = w1 - RATE * g1, w2 - RATE * g2
    return losses


def test_program_4_the_two_layer_net_in_its_variants():
    hand = by_hand(60)
    for losses in (
        with_variables(60, lambda t: t.clamp(min=0)), with_variables(60, MyReLU.apply), by_a_library_run(60),
    ):
        np.testing.assert_allclose(losses, hand, rtol=1e-4)
    assert hand[-1] < hand[0] / 1000


def test_program_4_learns_in_500_steps():
    losses = with_variables(STEPS, lambda t: t.clamp(min=0))
    assert losses[-1] < 1e-2 < losses[0]


def test_program_5_sequences_of_different_lengths():
    rng = np.random.default_rng(0)
    w, u = rng.standard_normal((3, 3)) / 2, rng.standard_normal((3, 2))
    samples = [rng.standard_normal((length, 2)) for length in (1, 4, 2, 7)]

    def loss(w, u):
        total = 0.0
        for sample in samples:
            h = np.zeros(3)
            for x in sample:
                h = np.tanh(w @ h + u @ x)
            total = total + np.sum(h ** 2)
        return total

    wv, uv = Variable(w, requires_grad=True), Variable(u, requires_grad=True)
    loss(wv, uv).backward()
    step = 1e-6
    for variable, array in ((wv, w), (uv, u)):
        for index in np.ndindex(array.shape):
            kept = array[index]
            array[index] = kept + step
            up = loss(w, u)
            array[index] = kept - step
            slope = (up - loss(w, u)) / (2 * step)
            array[index] = kept
            np.testing.assert_allclose(variable.grad.data[index], slope, rtol=1e-5, atol=1e-8)
