"""MAML on sinusoid regression: inner SGD steps with a hand-written backward pass, outer loss on the query set."""
import numpy as np

SIZES = (1, 12, 12, 1)


def unflatten(vec, sizes=SIZES):
    params, pos = {}, 0
    for i, (m, n) in enumerate(zip(sizes[:-1], sizes[1:]), start=1):
        params[f"W{i}"] = vec[pos:pos + m * n].reshape(m, n)
        pos += m * n
        params[f"b{i}"] = vec[pos:pos + n]
        pos += n
    assert pos == vec.size, (pos, vec.size)
    return params


def forward(params, x):
    cache = {"h0": x}
    n_layers = len(params) // 2
    h = x
    for i in range(1, n_layers + 1):
        z = h @ params[f"W{i}"] + params[f"b{i}"]
        h = np.tanh(z) if i < n_layers else z
        cache[f"h{i}"] = h
    return h, cache


def backward(params, cache, dout):
    grads = {}
    n_layers = len(params) // 2
    for i in reversed(range(1, n_layers + 1)):
        if i < n_layers:
            dout = dout * (1 - cache[f"h{i}"] ** 2)
        grads[f"W{i}"] = cache[f"h{i-1}"].T @ dout
        grads[f"b{i}"] = dout.sum(0)
        dout = dout @ params[f"W{i}"].T
    return grads


def mse(pred, y):
    return ((pred - y) ** 2).mean()


class SGD:
    def __init__(self, lr, momentum=0.0):
        self.lr = lr
        self.momentum = momentum
        self.state = {}

    def step(self, params, grads):
        for k, g in grads.items():
            v = self.state.setdefault(k, np.zeros_like(g))
            self.state[k] = v = self.momentum * v + g
            lr = self.lr[k[0]]
            params[k] = params[k] - lr * v
        return params


def clip_(grads, max_norm):
    total = np.sqrt(sum((g**2).sum() for g in grads.values()))
    if total > max_norm:
        for k in grads:
            grads[k] *= max_norm / total
    return total


def adapt(params, x, y, lr, steps=3):
    fast = dict(params)
    opt = SGD(lr, momentum=0.5)
    for _ in range(steps):
        pred, cache = forward(fast, x)
        grads = backward(fast, cache, 2 * (pred - y) / y.size)
        clip_(grads, 5.0)
        fast = opt.step(fast, grads)
    return fast


def f(theta, log_lr, tasks):
    params = unflatten(theta)
    lr = dict(zip("Wb", np.exp(log_lr)))
    losses = []
    for (xs, ys), (xq, yq) in tasks:
        fast = adapt(params, xs, ys, lr)
        losses.append(mse(forward(fast, xq)[0], yq))
    return np.mean(losses)


WRT = (0, 1)


def args():
    rng = np.random.default_rng(17)
    n = sum(m * n + n for m, n in zip(SIZES[:-1], SIZES[1:]))
    tasks = []
    for _ in range(4):
        amp, phase = rng.uniform(0.5, 3), rng.uniform(0, np.pi)
        x = rng.uniform(-3, 3, (15, 1))
        y = amp * np.sin(x + phase)
        tasks.append(((x[:5], y[:5]), (x[5:], y[5:])))
    return rng.normal(0, 0.5, n), np.log([0.02, 0.05]), tasks
