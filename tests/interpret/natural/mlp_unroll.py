"""MLP with batch norm and a list of layer objects; a few Adam steps by hand-written backprop; validation loss as a function of the start and the rate."""
import numpy as np


class Linear:
    def __init__(self, W, b):
        self.params = {"W": W, "b": b}
        self.grads = {}

    def forward(self, x):
        self.x = x
        return x @ self.params["W"] + self.params["b"]

    def backward(self, dy):
        self.grads["W"] = self.x.T @ dy
        self.grads["b"] = dy.sum(axis=0)
        return dy @ self.params["W"].T


class BatchNorm:
    eps = 1e-5

    def __init__(self, gain, shift):
        self.params = dict(gain=gain, shift=shift)
        self.grads = {}

    def forward(self, x):
        self.inv = 1 / np.sqrt(x.var(0) + self.eps)
        self.xhat = (x - x.mean(0)) * self.inv
        return self.params["gain"] * self.xhat + self.params["shift"]

    def backward(self, dy):
        self.grads = {"gain": np.sum(dy * self.xhat, 0), "shift": np.sum(dy, 0)}
        d = dy * self.params["gain"]
        return self.inv * (d - d.mean(0) - self.xhat * np.mean(d * self.xhat, 0))


class Tanh:
    params, grads = {}, {}

    def forward(self, x):
        self.y = np.tanh(x)
        return self.y

    def backward(self, dy):
        return dy * (1 - self.y**2)


class Adam:
    def __init__(self, layers, lr, betas=(0.9, 0.99)):
        self.layers, self.lr, self.betas = layers, lr, betas
        self.m, self.v, self.t = {}, {}, 0

    def step(self):
        self.t += 1
        b1, b2 = self.betas
        for n, layer in enumerate(self.layers):
            for name, g in layer.grads.items():
                key = (n, name)
                self.m[key] = b1 * self.m.get(key, 0.0) + (1 - b1) * g
                self.v[key] = b2 * self.v.get(key, 0.0) + (1 - b2) * g**2
                mhat = self.m[key] / (1 - b1**self.t)
                vhat = self.v[key] / (1 - b2**self.t)
                layer.params[name] = layer.params[name] - self.lr * mhat / np.sqrt(vhat + 1e-8)


def run(layers, x):
    for layer in layers:
        x = layer.forward(x)
    return x


def f(weights, log_lr, train, valid, steps=4):
    (x, y), (xv, yv) = train, valid
    W1, b1, W2, b2 = weights
    layers = [Linear(W1, b1), BatchNorm(np.ones(b1.size), np.zeros(b1.size)), Tanh(), Linear(W2, b2)]
    optimizer = Adam(layers, lr=10**log_lr)
    for _ in range(steps):
        dy = 2 * (run(layers, x) - y) / len(x)
        for layer in reversed(layers):
            dy = layer.backward(dy)
        optimizer.step()
    return np.mean((run(layers, xv) - yv) ** 2)


WRT = (0, 1)


def args():
    rng = np.random.default_rng(14)
    data = lambda n: (rng.normal(size=(n, 3)), rng.normal(size=(n, 2)))
    return [rng.normal(size=(3, 6)), np.zeros(6) + 0.1, 0.5 * rng.normal(size=(6, 2)), np.zeros(2)], -1.3, data(16), data(10)
