"""Graph attention network on edge lists: segment softmax with np.maximum.at / np.add.at, skip connections, link prediction."""
import numpy as np


def segment_sum(values, index, n):
    out = np.zeros((n,) + values.shape[1:])
    np.add.at(out, index, values)
    return out


def segment_softmax(scores, index, n):
    top = np.full((n,) + scores.shape[1:], -np.inf)
    np.maximum.at(top, index, scores)
    e = np.exp(scores - top[index])
    return e / (segment_sum(e, index, n)[index] + 1e-12)


def leaky_relu(x, slope=0.2):
    return np.where(x > 0, x, slope * x)


def elu(x):
    return np.where(x > 0, x, np.expm1(np.minimum(x, 0)))


class GATLayer:
    def __init__(self, W, att_src, att_dst, heads=2, activation=elu):
        self.W, self.att_src, self.att_dst = W, att_src, att_dst
        self.heads = heads
        self.activation = activation

    def __call__(self, h, edges):
        n = h.shape[0]
        src, dst = edges
        z = (h @ self.W).reshape(n, self.heads, -1)
        a = (z * self.att_src).sum(-1)[src] + (z * self.att_dst).sum(-1)[dst]
        alpha = segment_softmax(leaky_relu(a), dst, n)
        out = segment_sum(alpha[..., None] * z[src], dst, n).reshape(n, -1)
        if self.activation:
            out = self.activation(out)
        if out.shape == h.shape:
            out += h
        return out


class GAT:
    def __init__(self, layers):
        self.layers = layers

    @classmethod
    def from_params(cls, params):
        *hidden, last = params
        return cls([GATLayer(**p) for p in hidden] + [GATLayer(**last, activation=None)])

    def embed(self, x, edges):
        n = len(x)
        loops = np.arange(n)
        edges = tuple(np.concatenate([e, loops]) for e in edges)
        for layer in self.layers:
            x = layer(x, edges)
        return x


def bce(logit, label):
    return np.maximum(logit, 0) - logit * label + np.log1p(np.exp(-np.abs(logit)))


def f(params, x, edges, positive, negative):
    model = GAT.from_params(params)
    h = model.embed(x, edges)
    h = h / np.sqrt(1e-6 + np.sum(h**2, axis=1, keepdims=True))
    loss = 0.0
    for pairs, label in ((positive, 1.0), (negative, 0.0)):
        u, v = np.array(pairs).T
        loss += bce(3 * np.sum(h[u] * h[v], axis=-1), label).mean()
    return loss


WRT = (0, 1)


def args():
    rng = np.random.default_rng(27)
    w = lambda *s: 0.5 * rng.normal(size=s)
    params = [{"W": w(4, 6), "att_src": w(2, 3), "att_dst": w(2, 3)}, {"W": w(6, 6), "att_src": w(2, 3), "att_dst": w(2, 3)}]
    src, dst = np.array([0, 1, 2, 3, 4, 5, 6, 0, 2, 5]), np.array([1, 2, 3, 4, 5, 6, 0, 3, 6, 1])
    return params, rng.normal(size=(7, 4)), (src, dst), [(0, 1), (2, 3), (5, 6)], [(0, 4), (1, 6)]
