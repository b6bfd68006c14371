"""RealNVP density model on two moons, with actnorm and permutations, modules in the style of PyTorch but in NumPy."""
import itertools
import numpy as np


class Module:
    def __call__(self, x):
        return self.forward(x)


class ParamStore:
    """Hands out consecutive chunks of a flat parameter vector."""

    def __init__(self, flat):
        self._flat, self._pos = flat, 0

    def take(self, *shape):
        size = int(np.prod(shape))
        self._pos += size
        return self._flat[self._pos - size:self._pos].reshape(shape)

    @property
    def exhausted(self):
        return self._pos == len(self._flat)


leaky_relu = lambda x, slope=0.1: np.where(x > 0, x, slope * x)


class Linear(Module):
    def __init__(self, store, n_in, n_out):
        self.weight = store.take(n_in, n_out) / np.sqrt(n_in)
        self.bias = store.take(n_out)

    def forward(self, x):
        return x @ self.weight + self.bias


class Sequential(Module):
    def __init__(self, *layers):
        self.layers = layers

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class ActNorm(Module):
    def __init__(self, store, dim):
        self.log_scale = store.take(dim)
        self.shift = store.take(dim)

    def forward(self, x):
        return (x + self.shift) * np.exp(self.log_scale), self.log_scale.sum()


class AffineCoupling(Module):
    def __init__(self, store, dim, hidden):
        self.half = dim // 2
        rest = dim - self.half
        self.net = Sequential(Linear(store, self.half, hidden), leaky_relu, Linear(store, hidden, hidden), np.tanh,
                              Linear(store, hidden, 2 * rest))

    def forward(self, x):
        x1, x2 = x[:, :self.half], x[:, self.half:]
        s, t = np.split(self.net(x1), 2, axis=1)
        s = 2.0 * np.tanh(s / 2.0)
        return np.hstack([x1, x2 * np.exp(s) + t]), s.sum(axis=-1)


class Flow(Module):
    def __init__(self, flat, dim=2, hidden=8, n_blocks=3):
        store = ParamStore(flat)
        self.steps = list(itertools.chain.from_iterable(
            (ActNorm(store, dim), AffineCoupling(store, dim, hidden), lambda x: (x[:, ::-1], 0.0)) for _ in range(n_blocks)))
        assert store.exhausted

    def forward(self, x):
        logdet = np.zeros(len(x))
        for step in self.steps:
            x, ld = step(x)
            logdet += ld
        return x, logdet

    def log_prob(self, x):
        z, logdet = self(x)
        return -0.5 * (z**2 + np.log(2 * np.pi)).sum(axis=1) + logdet


def batches(data, size):
    for start in range(0, len(data), size):
        yield data[start:start + size]


def f(flat, data, weight_decay=1e-3):
    model = Flow(flat)
    total = 0.0
    for batch in batches(data, 16):
        total -= model.log_prob(batch).sum()
    return (total / len(data) + weight_decay * np.linalg.norm(flat) ** 2).item()


def args():
    rng = np.random.default_rng(2017)
    a = np.pi * rng.uniform(size=40)
    up = np.arange(40) % 2 == 0
    data = np.where(up[:, None], np.c_[np.cos(a), np.sin(a)], np.c_[1 - np.cos(a), 0.5 - np.sin(a)])
    n_block = 2 * 2 + (8 + 8) + (64 + 8) + (16 + 2)
    return rng.normal(0, 0.4, 3 * n_block), data + rng.normal(0, 0.05, data.shape)
