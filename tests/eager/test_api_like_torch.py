"""The methods that keep PyTorch's names give PyTorch's values and gradients: the same calls on its tensors and on Variables."""

import numpy as np
import pytest

from sourcediff.eager import Variable, grad

torch = pytest.importorskip("torch", reason="the same calls are made on PyTorch's tensors")

X = np.array([[1.51, 2.2, 0.53, -0.4], [0.27, -3.1, 1.04, 0.9], [2.5, 0.1, -1.2, 1.7]])
INDEX = np.array([[2, 0, 1, 3], [3, 3, 0, 1]])

CALLS = {
    "mm": lambda x: x.mm(x.t()), "mv": lambda x: x.mv(x[0]), "dot": lambda x: x[0].dot(x[1]), "ger": lambda x: x[0].ger(x[1]),
    "bmm": lambda x: x.view(3, 2, 2).bmm(x.view(3, 2, 2)), "matmul": lambda x: x.matmul(x[0]),
    "addmm": lambda x: x.mm(x.t()).addmm(x, x.t(), beta=0.5, alpha=2), "addmv": lambda x: x[:, 0].addmv(x, x[1], alpha=3),
    "baddbmm": lambda x: x.view(3, 2, 2).baddbmm(x.view(3, 2, 2), x.view(3, 2, 2), alpha=0.5),
    "permute": lambda x: x.view(3, 2, 2).permute(2, 0, 1), "view": lambda x: x.view(-1, 6), "view size": lambda x: x.view(x.size(1), -1),
    "squeeze": lambda x: x.view(1, 3, 1, 4).squeeze(), "squeeze dim": lambda x: x.squeeze(dim=0),
    "unsqueeze": lambda x: x.unsqueeze(-1) * x.unsqueeze(1)[:, :, :1], "expand": lambda x: x[0].expand(2, -1),
    "expand_as": lambda x: x[:1].expand_as(x), "contiguous": lambda x: x.t().contiguous().view(-1), "clone": lambda x: x.clone() * x,
    "narrow": lambda x: x.narrow(1, 1, 2), "select": lambda x: x.select(1, -1), "chunk": lambda x: x.chunk(3, 1)[1],
    "chunk 0": lambda x: x.chunk(2)[1], "split": lambda x: x.split(3, 1)[1], "split sizes": lambda x: x.split([1, 2], 0)[1],
    "split dim": lambda x: x.split(3, dim=1)[0], "unbind": lambda x: x.unbind(1)[2],
    "index_select": lambda x: x.index_select(1, like(x, np.array([3, 1, 1]))), "gather": lambda x: x.gather(1, like(x, INDEX)),
    "gather 0": lambda x: x.gather(0, like(x, INDEX % 3)), "masked_fill": lambda x: x.masked_fill(x > 1, 2.5),
    "masked_select": lambda x: x.masked_select(x > 1), "where": lambda x: x.where(x > 1, x * x),
    "max": lambda x: x.max(), "max dim": lambda x: x.max(dim=1)[0], "min dim": lambda x: x.min(dim=0, keepdim=True)[0],
    "max indices": lambda x: x * x.max(dim=1, keepdim=True)[1], "sort": lambda x: x.sort(dim=1)[0],
    "sort descending": lambda x: x.sort(dim=0, descending=True)[0], "sort indices": lambda x: x * x.sort(dim=1)[1],
    "topk": lambda x: x.topk(2, dim=1)[0], "topk smallest": lambda x: x.topk(3, dim=1, largest=False)[0],
    "argsort": lambda x: x * x.argsort(dim=0, descending=True),
    "sum": lambda x: x.sum(1), "sum keepdim": lambda x: x.sum(1, True), "sum dims": lambda x: x.sum(dim=(0, 1)),
    "mean": lambda x: x.mean(dim=0, keepdim=True), "prod": lambda x: x.prod(1), "var": lambda x: x.var(dim=1, unbiased=False),
    "std": lambda x: x.std(dim=1, unbiased=True), "norm": lambda x: x.norm(), "norm 2 1": lambda x: x.norm(2, 1),
    "norm 3": lambda x: x.norm(3, 0, True), "norm 1": lambda x: x.norm(1), "norm inf": lambda x: x.norm(float("inf"), 1),
    "dist": lambda x: x.dist(x * x), "cumsum": lambda x: x.cumsum(1), "cumprod": lambda x: x.cumprod(dim=0),
    "logsumexp": lambda x: x.logsumexp(dim=1), "softmax": lambda x: x.softmax(1), "log_softmax": lambda x: x.log_softmax(dim=0),
    "sigmoid": lambda x: x.sigmoid(), "relu": lambda x: x.relu(), "tanh": lambda x: x.tanh(), "abs": lambda x: x.abs(),
    "clamp": lambda x: x.clamp(-1, 1), "clamp min": lambda x: x.clamp(min=0), "clamp max": lambda x: x.clamp(max=1.0),
    "exp log": lambda x: x.exp().log1p().sqrt().rsqrt(), "pow": lambda x: x.pow(3) + x.abs().pow(1.5), "square": lambda x: x.square(),
    "trigonometry": lambda x: x.sin() * x.cos() + (x / 4).tan() + (x / 4).asin() * (x / 4).acos() + x.atan() * x.sinh() * x.cosh(),
    "atan2": lambda x: x.atan2(x * x + 1), "reciprocal": lambda x: x.reciprocal(), "neg": lambda x: x.neg(),
    "trunc": lambda x: x * x.trunc(), "frac": lambda x: x.frac(), "floor": lambda x: x * x.floor(),
    "ceil": lambda x: x * x.ceil(), "sign": lambda x: x * x.sign(), "round": lambda x: x * x.round(),
    "fmod": lambda x: x.fmod(0.7), "remainder": lambda x: x.remainder(0.7),
    "lerp": lambda x: x.lerp(x * x, 0.25), "add alpha": lambda x: x.add(x * x, alpha=0.5), "sub": lambda x: x.sub(x * x, alpha=2),
    "mul div": lambda x: x.mul(x).div(x + 7), "addcmul": lambda x: x.addcmul(x, x, value=0.5),
    "addcdiv": lambda x: x.addcdiv(x, x * x + 1, value=2), "diag": lambda x: x.mm(x.t()).diag(), "trace": lambda x: x.mm(x.t()).trace(),
    "tril triu": lambda x: x.tril() * x.triu(), "cross": lambda x: x[0, :3].cross(x[1, :3], dim=0),
    "comparisons": lambda x: x * x.gt(1) + x * x.le(0) + x * x.eq(x), "double": lambda x: x.float().double() * x,
    "exp_": lambda x: x.mul(0.5).exp_(), "add_": lambda x: x.mul(2).add_(x, alpha=0.5).mul_(x).sub_(1),
    "div_": lambda x: (x * 1).div_(x + 7), "tanh_": lambda x: (x * 2).tanh_(),
    "clamp_": lambda x: (x * 2).clamp_(min=0.5), "fill_": lambda x: (x * 2).fill_(3) + x, "zero_": lambda x: (x * 2).zero_() + x,
    "copy_": lambda x: (x * 2).copy_(x[0]), "sigmoid_": lambda x: (x * 2).sigmoid_(), "neg_": lambda x: (x * 2).neg_().relu_(),
    "masked_fill_": lambda x: (x * 2).masked_fill_(x > 0, -1.0), "item": lambda x: x * x[0, 1].item(), "T": lambda x: x.T @ x,
}


def like(x, index):
    """An index in the kind of the array that it is for."""
    return index if isinstance(x, Variable) else torch.tensor(index)


@pytest.mark.parametrize("name", CALLS)
def test_the_same_call(name):
    call = CALLS[name]
    tensor = torch.tensor(X, requires_grad=True)
    x = Variable(X.copy(), requires_grad=True)
    expected, got = call(tensor), call(x)
    assert got.shape == tuple(expected.shape)
    np.testing.assert_allclose(got.data, expected.detach().numpy(), rtol=1e-12, atol=1e-15)
    weights = np.cos(np.arange(got.numel())).reshape(got.shape)
    (slopes,) = torch.autograd.grad((expected * torch.tensor(weights)).sum(), tensor)
    (gradient,) = grad((got * weights).sum(), x)
    np.testing.assert_allclose(gradient.data, slopes.numpy(), rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("name", ["max", "min"])
def test_ties_are_shared_evenly_where_there_is_one_result(name):
    """Along a dim PyTorch gives the whole gradient to the entry whose index it returns: a kink, and ours is the other convention."""
    tied = np.array([2.0, 1.0, 2.0, 1.0])
    tensor, x = torch.tensor(tied, requires_grad=True), Variable(tied, requires_grad=True)
    getattr(tensor, name)().backward()
    getattr(x, name)().backward()
    np.testing.assert_array_equal(x.grad.data, tensor.grad.numpy())
