"""EAGER_API, methods: NumPy's names and PyTorch's, ``dim``/``axis`` and ``keepdim``/``keepdims``."""

import numpy as np
import pytest

from sourcediff.eager import Variable, grad
from sourcediff.eager.torch_api import METHODS

from .numbers import differences

X = np.array([[1.5, 2.0, 0.5], [0.25, 3.0, 1.0]])
A = np.array([[1.0, -2.0], [0.5, 1.0], [3.0, 0.1]])
INDEX = np.array([[0, 2, 1], [1, 1, 0]])
T = np.arange(24.0).reshape(4, 2, 3) / 10

# the method on a Variable, and what it is on an array
SAME = {
    "mm": (lambda v: v.mm(A), lambda x: x @ A), "matmul": (lambda v: v.matmul(A), lambda x: x @ A),
    "bmm": (lambda v: (v * T).bmm(np.ones((4, 3, 1))), lambda x: (x * T) @ np.ones((4, 3, 1))),
    "dot": (lambda v: v[0].dot(v[1]), lambda x: x[0] @ x[1]), "addmm": (lambda v: v.addmm(X, np.eye(3)), lambda x: x + X),
    "t": (lambda v: v.t() * A, lambda x: x.T * A), "T": (lambda v: v.T * A, lambda x: x.T * A),
    "transpose": (lambda v: v.transpose(1, 0) * A, lambda x: x.T * A), "permute": (lambda v: v.permute(1, 0) * A, lambda x: x.T * A),
    "view": (lambda v: v.view(3, -1) * A, lambda x: x.reshape(3, 2) * A),
    "reshape": (lambda v: v.reshape(3, 2) * A, lambda x: x.reshape(3, 2) * A),
    "squeeze": (lambda v: v[:, :1].squeeze(1), lambda x: x[:, 0]), "squeeze dim": (lambda v: v.squeeze(dim=0), lambda x: x),
    "unsqueeze": (lambda v: v.unsqueeze(1), lambda x: x[:, None]),
    "expand": (lambda v: v.unsqueeze(0).expand(4, -1, 3) * T, lambda x: x * T),
    "flatten": (lambda v: v.flatten()[1:], lambda x: x.ravel()[1:]),
    "clamp": (lambda v: v.clamp(0.6, 1.7), lambda x: np.clip(x, 0.6, 1.7)),
    "clamp min": (lambda v: v.clamp(min=0.6), lambda x: np.maximum(x, 0.6)),
    "clamp max": (lambda v: v.clamp(max=1.7), lambda x: np.minimum(x, 1.7)),
    "clip": (lambda v: v.clip(0.6, 1.7), lambda x: np.clip(x, 0.6, 1.7)),
    "rsqrt": (lambda v: v.rsqrt(), lambda x: x ** -0.5), "pow": (lambda v: v.pow(3), lambda x: x ** 3),
    "neg": (lambda v: v.neg(), lambda x: -x),
    "sigmoid": (lambda v: v.sigmoid(), lambda x: 1 / (1 + np.exp(-x))),
    "relu": (lambda v: (v - 1.2).relu(), lambda x: np.maximum(x - 1.2, 0)),
    "softmax": (lambda v: v.softmax(dim=1), lambda x: np.exp(x) / np.exp(x).sum(1, keepdims=True)),
    "log_softmax": (lambda v: v.log_softmax(axis=0), lambda x: x - np.log(np.exp(x).sum(0, keepdims=True))),
    "logsumexp": (lambda v: v.logsumexp(dim=1, keepdim=True), lambda x: np.log(np.exp(x).sum(1, keepdims=True))),
    "logsumexp all": (lambda v: v.logsumexp(), lambda x: np.log(np.exp(x).sum())),
    "sum": (lambda v: v.sum(dim=1, keepdim=True), lambda x: x.sum(axis=1, keepdims=True)),
    "mean": (lambda v: v.mean(0), lambda x: x.mean(0)),
    "prod": (lambda v: v.prod(dim=1), lambda x: x.prod(1)), "var": (lambda v: v.var(axis=1), lambda x: x.var(1)),
    "std": (lambda v: v.std(dim=0), lambda x: x.std(0)), "max": (lambda v: v.max(dim=1)[0], lambda x: x.max(1)),
    "max axis": (lambda v: v.max(axis=1), lambda x: x.max(1)), "min": (lambda v: v.min(), lambda x: x.min()),
    "norm": (lambda v: v.norm(), lambda x: np.sqrt(np.sum(x ** 2))), "norm 1": (lambda v: v.norm(1, dim=1), lambda x: np.abs(x).sum(1)),
    "norm 3": (lambda v: v.norm(3), lambda x: np.sum(np.abs(x) ** 3) ** (1 / 3)),
    "cumsum": (lambda v: v.cumsum(dim=1), lambda x: x.cumsum(1)),
    "index_select": (lambda v: v.index_select(1, [2, 0, 2]), lambda x: x[:, [2, 0, 2]]),
    "gather": (lambda v: v.gather(1, INDEX), lambda x: np.take_along_axis(x, INDEX, 1)),
    "masked_fill": (lambda v: v.masked_fill(X > 1, 7.0), lambda x: np.where(X > 1, 7.0, x)),
    "masked_select": (lambda v: v.masked_select(X > 1), lambda x: x[X > 1]),
    "where": (lambda v: v.where(X > 1, 2 * v), lambda x: np.where(X > 1, x, 2 * x)),
    "chunk": (lambda v: v.chunk(2, dim=1)[1], lambda x: x[:, 2:]), "split": (lambda v: v.split(2, dim=1)[0], lambda x: x[:, :2]),
    "split sizes": (lambda v: v.split([1, 2], dim=1)[1], lambda x: x[:, 1:]),
    "take": (lambda v: v.take([0, 5, 5]), lambda x: x.take([0, 5, 5])),
    "repeat": (lambda v: v.repeat(2, axis=0), lambda x: x.repeat(2, axis=0)),
    "swapaxes": (lambda v: v.swapaxes(0, 1) * A, lambda x: x.T * A), "trace": (lambda v: v.trace(), np.trace),
    "diagonal": (lambda v: v.diagonal(), np.diagonal), "astype": (lambda v: v.astype(np.float64), lambda x: x),
    "add": (lambda v: v.add(v).sub(1).mul(v).div(2.0), lambda x: (2 * x - 1) * x / 2), "clone": (lambda v: v.clone(), lambda x: x),
    "ravel": (lambda v: v.ravel(), np.ravel),
}
FUNCTIONS = "exp log log1p log2 log10 expm1 sqrt square sin cos tan arctan sinh cosh tanh abs reciprocal".split()
SAME |= {name: (lambda v, name=name: getattr(v, name)(), getattr(np, name)) for name in FUNCTIONS}


@pytest.mark.parametrize("name", SAME)
def test_values_and_gradients(name):
    method, plain = SAME[name]
    weights = np.cos(np.arange(np.size(plain(X)))).reshape(np.shape(plain(X)))
    x = Variable(X, requires_grad=True)
    y = method(x)
    np.testing.assert_allclose(y.data, plain(X), rtol=1e-12)
    (gradient,) = grad(np.sum(y * weights), x)
    (expected,) = differences(lambda a: float(np.sum(plain(a) * weights)), X)
    np.testing.assert_allclose(gradient.data, expected, rtol=1e-6, atol=1e-7)


def test_max_and_min_with_dim_give_the_indices_too():
    values, indices = Variable(X).max(dim=1)
    assert indices.tolist() == [1, 1] and values.data.tolist() == [2.0, 3.0]
    values, indices = Variable(X).min(dim=0, keepdim=True)
    assert indices.tolist() == [[1, 0, 0]] and values.shape == (1, 3)


def test_conversions():
    x = Variable(X, requires_grad=True)
    y = x.float()
    assert y.dtype == np.float32 and y.requires_grad and y.double().dtype == np.float64 and x.type(np.float32).dtype == np.float32
    (g,) = grad((y * y).sum(), x)
    assert g.dtype == np.float64
    assert x.astype(int).dtype == int and x.cpu() is x


def test_softmax_and_sigmoid_of_large_numbers():
    x = Variable(np.array([1000.0, -1000.0, 999.0]), requires_grad=True)
    assert np.isfinite(x.softmax(0).data).all() and np.isfinite(x.logsumexp().item()) and x.sigmoid().data.tolist() == [1.0, 0.0, 1.0]


def test_every_method_has_a_docstring_or_is_one_expression():
    for name, method in METHODS.items():
        assert method.__doc__ or method.__name__ == "<lambda>", name
