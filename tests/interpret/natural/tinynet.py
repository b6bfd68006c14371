"""Hypergradient-ish experiment: train a tiny net from scratch with hand-written
backprop for a few epochs and report the validation loss as a function of the
hyperparameters (learning rate, momentum, decay, per-feature scale, init)."""
import numpy as np

class Layer:
    params: tuple = ()
    def __rshift__(self, other):
        return Chain([self, other])

class Dense(Layer):
    params = ("W", "b")

    def __init__(self, W, b=None):
        self.W = np.array(W)
        self.b = np.zeros(self.W.shape[1]) if b is None else np.array(b)
        self.grads = {}

    def forward(self, x):
        self.x = x
        return x @ self.W + self.b

    def backward(self, g):
        self.grads["W"] = self.x.T @ g
        self.grads["b"] = g.sum(axis=0)
        return g @ self.W.T

class Tanh(Layer):
    def forward(self, x):
        self.y = np.tanh(x)
        return self.y

    def backward(self, g):
        return g * (1 - self.y ** 2)

class LayerNorm(Layer):
    params = ("gain",)

    def __init__(self, n, eps=1e-3):
        self.gain, self.eps, self.grads = np.ones(n), eps, {}

    def forward(self, x):
        xc = x - x.mean(axis=1, keepdims=True)
        self.inv = 1 / np.sqrt((xc ** 2).mean(axis=1, keepdims=True) + self.eps)
        self.xhat = xc * self.inv
        return self.xhat * self.gain

    def backward(self, g):
        self.grads["gain"] = (g * self.xhat).sum(0)
        gx = g * self.gain
        return self.inv * (gx - gx.mean(1, keepdims=True)
                           - self.xhat * (gx * self.xhat).mean(1, keepdims=True))

class Chain(Layer):
    def __init__(self, layers):
        self.layers = list(layers)

    def __rshift__(self, other):
        return Chain(self.layers + [other])

    def forward(self, x):
        for lay in self.layers:
            x = lay.forward(x)
        return x

    def backward(self, g):
        for lay in reversed(self.layers):
            g = lay.backward(g)
        return g

class Adamish:
    def __init__(self, lr, beta1, beta2, decay):
        self.lr, self.b1, self.b2, self.decay = lr, beta1, beta2, decay
        self.state, self.t = {}, 0

    def step(self, net):
        self.t += 1
        for k, lay in enumerate(net.layers):
            for name in lay.params:
                g = lay.grads[name]
                m, v = self.state.get((k, name), (np.zeros_like(g), np.zeros_like(g)))
                m = self.b1 * m + (1 - self.b1) * g
                v = self.b2 * v + (1 - self.b2) * g ** 2
                self.state[k, name] = m, v
                mh, vh = m / (1 - self.b1 ** self.t), v / (1 - self.b2 ** self.t)
                p = getattr(lay, name)
                p -= self.lr * (mh / np.sqrt(vh + 1e-4) + self.decay * p)

def f(hyper, scale, init, X, y):
    Xs = X * scale
    tr, va = slice(0, 48), slice(48, None)
    net = Dense(init["W1"]) >> LayerNorm(6) >> Tanh() >> Dense(init["W2"])
    opt = Adamish(**hyper)
    for epoch in range(6):
        for s in range(0, 48, 16):
            xb, yb = Xs[tr][s:s + 16], y[tr][s:s + 16]
            out = net.forward(xb)
            net.backward(2 * (out - yb[:, None]) / len(yb))
            opt.step(net)
    return float(np.mean((net.forward(Xs[va])[:, 0] - y[va]) ** 2))

def args():
    rng = np.random.default_rng(77)
    X = rng.normal(size=(64, 4))
    y = np.sin(X[:, 0]) + 0.5 * X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=64)
    hyper = dict(lr=0.03, beta1=0.85, beta2=0.97, decay=0.02)
    init = {"W1": rng.normal(size=(4, 6)) * 0.5, "W2": rng.normal(size=(6, 1)) * 0.4}
    return hyper, np.array([1.0, 0.9, 1.1, 0.7]), init, X, y

WRT = (0, 1, 2)
