"""EAGER_API, methods: as in PyTorch 0.3 and as in NumPy where the two agree; where they disagree NumPy wins, with three bridges."""

import numpy as np
import pytest

import sourcediff
from sourcediff.eager import Variable, grad
from sourcediff.errors import InPlaceError, MissingRuleError, NonDifferentiableError
from tests.sampling import sampled

from .numbers import agree, differences

X = np.array([[1.51, 2.2, 0.53], [0.27, 3.1, 1.04]])
TIES = np.array([[2.0, 1.0, 2.0], [1.0, 1.0, 3.0]])
WEIGHTS = np.arange(6.0).reshape(2, 3)
B = np.arange(24.0).reshape(2, 3, 4) / 7 - 1


def leaf(data=X):
    return Variable(np.array(data), requires_grad=True)


NAMED = (
    "mm bmm matmul dot addmm t transpose permute view reshape squeeze unsqueeze expand clamp clip abs exp log log1p sqrt rsqrt pow square "
    "sin cos tan tanh sigmoid relu softmax log_softmax logsumexp sum mean prod var std max min norm cumsum sort index_select gather "
    "masked_fill masked_select where chunk split add_ sub_ mul_ div_ clamp_ zero_ fill_ copy_ detach detach_ clone type float double cpu "
    "cuda numpy"
).split()
OF_ARRAYS = (
    "T real imag flat shape ndim size dtype all any argmax argmin argsort astype clip conj copy cumprod cumsum diagonal dot fill flatten "
    "item max mean min nonzero prod ptp ravel repeat reshape round sort squeeze std sum swapaxes take tolist trace transpose var view"
).split()


def test_the_names_exist():
    assert not [name for name in NAMED + OF_ARRAYS if not hasattr(leaf(), name)]


# dim= and axis=, keepdim= and keepdims=

REDUCTIONS = {name: getattr(np, name) for name in "sum mean prod var std max min".split()}
REDUCTIONS["norm"] = lambda x, axis=None, keepdims=False: np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims))
REDUCTIONS["logsumexp"] = lambda x, axis=None, keepdims=False: np.log(np.sum(np.exp(x), axis=axis, keepdims=keepdims))


@sampled(2, "name, axis, keep", REDUCTIONS, [0, 1, -1, (0, 1), None], [False, True], ids=repr)
def test_reductions_take_dim_or_axis_and_keepdim_or_keepdims(name, axis, keep):
    plain = REDUCTIONS[name]
    expected = plain(X, axis=axis, keepdims=keep)
    for axis_name in ("axis", "dim"):
        for keep_name in ("keepdim", "keepdims"):
            if axis_name == "dim" and name in ("max", "min"):
                continue  # values and indices: below
            got = getattr(leaf(), name)(**{axis_name: axis, keep_name: keep})
            assert got.requires_grad and got.shape == np.shape(expected)
            np.testing.assert_allclose(got.data, expected, rtol=1e-12)
            x = leaf()
            (g,) = grad(np.sum(getattr(x, name)(**{axis_name: axis, keep_name: keep}) ** 2), x)
            (slopes,) = differences(lambda a: float(np.sum(plain(a, axis=axis, keepdims=keep) ** 2)), X)
            np.testing.assert_allclose(g.data, slopes, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("name", "sum mean prod var std max min cumsum all any argmax argmin".split())
def test_a_positional_dim_means_what_it_means_in_numpy(name):
    got, expected = getattr(leaf(), name)(1), getattr(X, name)(1)
    np.testing.assert_allclose(getattr(got, "data", got) if isinstance(got, Variable) else got, expected)


@pytest.mark.parametrize("name", "sum mean prod max min".split())
def test_a_bool_after_the_dim_is_keepdim(name):
    np.testing.assert_allclose(getattr(leaf(), name)(1, True).data, getattr(X, name)(1, keepdims=True))


def test_both_spellings_at_once_are_refused():
    for call in (
        lambda v: v.sum(dim=0, axis=1), lambda v: v.sum(1, dim=0), lambda v: v.max(dim=0, axis=0), lambda v: v.softmax(dim=0, axis=0),
        lambda v: v.sum(1, keepdim=True, keepdims=False), lambda v: v.norm(dim=0, axis=0), lambda v: v.split(1, dim=0, axis=0),
        lambda v: v.logsumexp(dim=0, axis=0), lambda v: v.squeeze(dim=0, axis=0), lambda v: v.sort(dim=0, axis=0),
    ):
        with pytest.raises(TypeError, match=r"axis|dim"):
            call(leaf())


# Where the traditions disagree, NumPy wins


def test_std_and_var_have_ddof_0_and_unbiased_asks_for_1():
    for name in ("std", "var"):
        assert getattr(leaf(), name)().item() == getattr(X, name)()
        np.testing.assert_allclose(getattr(leaf(), name)(dim=1, unbiased=True).data, getattr(X, name)(axis=1, ddof=1))
        np.testing.assert_allclose(getattr(leaf(), name)(dim=1, unbiased=False).data, getattr(X, name)(axis=1))
        np.testing.assert_allclose(getattr(leaf(), name)(1, ddof=1).data, getattr(X, name)(1, ddof=1))
        agree(lambda v, name=name: np.sum(getattr(v, name)(1, ddof=1) ** 2), X)
        with pytest.raises(TypeError, match="unbiased"):
            getattr(leaf(), name)(1, True)


def test_transpose_permutes():
    for axes in ((2, 0, 1), (1, 0, 2), (-1, 0, 1)):
        for got in (leaf(B).transpose(*axes), leaf(B).transpose(axes), leaf(B).permute(*axes), leaf(B).permute(list(axes))):
            np.testing.assert_array_equal(got.data, B.transpose(axes))
    np.testing.assert_array_equal(leaf(B).transpose().data, B.T)
    np.testing.assert_array_equal(leaf(X).transpose(0, 1).data, X)  # the identity, as in NumPy
    with pytest.raises(ValueError, match=r"swapaxes\(1, 2\)"):
        leaf(B).transpose(1, 2)


def test_sort_sorts_in_place():
    for kwargs in ({}, {"axis": 0}, {"axis": -1}, {"axis": 1}):
        expected = X.copy()
        expected.sort(**kwargs)
        x = leaf()
        y = x * 1.0
        memory = y.data
        assert y.sort(**kwargs) is None and y.data is memory
        np.testing.assert_array_equal(y.data, expected)
        (g,) = grad(np.sum(y * y * WEIGHTS), x)
        (slopes,) = differences(lambda a, kw=kwargs: float(np.sum(np.sort(a, **{"axis": -1, **kw}) ** 2 * WEIGHTS)), X)
        np.testing.assert_allclose(g.data, slopes, rtol=1e-6)
    with pytest.raises(InPlaceError, match=r"\.sort"):
        leaf().sort()
    y = leaf() * 1.0
    assert y.sort(0) is None and y.data.tolist() == np.sort(X, 0).tolist()
    with pytest.raises(np.exceptions.AxisError):
        (leaf() * 1.0).sort(axis=2)
    ints = Variable(np.array([3, 1, 2]))
    ints.sort()
    assert ints.data.tolist() == [1, 2, 3]


def test_repeat_repeats_elements():
    agree(lambda v: np.sum(v.repeat(2, axis=1) ** 2 * np.arange(12.0).reshape(2, 6)), X)
    np.testing.assert_array_equal(leaf().repeat(2).data, X.repeat(2))
    np.testing.assert_array_equal(leaf().repeat([1, 2], dim=0).data, X.repeat([1, 2], axis=0))


# The bridges: max, min and sort with dim=


@pytest.mark.parametrize("data", [X, TIES], ids=["distinct", "ties"])
@pytest.mark.parametrize("name", ["max", "min"])
def test_max_and_min_with_dim_give_values_and_indices_with_axis_values(name, data):
    for dim in (0, 1, -1):
        for keep in (False, True):
            values, indices = getattr(leaf(data), name)(dim=dim, keepdim=keep)
            assert values.requires_grad and type(indices) is Variable and type(indices.data) is np.ndarray and indices.dtype.kind == "i"
            np.testing.assert_array_equal(values.data, getattr(data, name)(axis=dim, keepdims=keep))
            np.testing.assert_array_equal(indices, getattr(data, "arg" + name)(axis=dim, keepdims=keep))
            assert getattr(leaf(data), name)(axis=dim, keepdims=keep).data.tolist() == values.data.tolist()
    assert type(getattr(leaf(data), name)()) is Variable


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_sort_with_dim_gives_values_and_indices_and_leaves_the_variable_alone(dim, descending):
    x = leaf()
    values, indices = x.sort(dim=dim, descending=descending)
    expected = np.sort(X, dim) if not descending else np.flip(np.sort(X, dim), dim)
    np.testing.assert_array_equal(values.data, expected)
    np.testing.assert_array_equal(np.take_along_axis(X, indices, dim), expected)
    np.testing.assert_array_equal(x.data, X)
    (g,) = grad(np.sum(values * values * WEIGHTS), x)
    sign = -1 if descending else 1
    (slopes,) = differences(lambda a: float(np.sum((sign * np.sort(sign * a, dim)) ** 2 * WEIGHTS)), X)
    np.testing.assert_allclose(g.data, slopes, rtol=1e-6)


def test_topk_and_argsort():
    values, indices = leaf().topk(2, dim=1)
    assert values.data.tolist() == [[2.2, 1.51], [3.1, 1.04]] and indices.tolist() == [[1, 0], [1, 2]]
    values, indices = leaf().topk(1, dim=0, largest=False)
    assert values.data.tolist() == [[0.27, 2.2, 0.53]] and indices.tolist() == [[1, 0, 0]]
    np.testing.assert_array_equal(leaf().argsort(), X.argsort())
    np.testing.assert_array_equal(leaf().argsort(dim=0, descending=True), (-X).argsort(0))


def test_view_of_ints_reshapes():
    for got in (leaf().view(3, 2), leaf().view((3, 2)), leaf().view(-1, 2), leaf().view([3, 2]), leaf().view_as(np.zeros((3, 2))),
                leaf().view(Variable(np.zeros((3, 2))).size())):
        np.testing.assert_array_equal(got.data, X.reshape(3, 2))
    assert leaf().view(-1).shape == (6,) and leaf().view(leaf().size(0), -1).shape == (2, 3) and leaf().view().shape == (2, 3)
    for dtype in (np.float32, "f4", np.dtype(np.int64), int):
        with pytest.raises(MissingRuleError, match=r"\.view(.|\n)*astype"):
            leaf().view(dtype)
    x = leaf()
    assert x.view(np.float64).data.base is x.data


# Functions of the list


CALLS = {
    "sigmoid": (lambda v: v.sigmoid(), lambda x: 1 / (1 + np.exp(-x))),
    "relu": (lambda v: (v - 1.2).relu(), lambda x: np.maximum(x - 1.2, 0)),
    "softmax": (lambda v: v.softmax(1), lambda x: np.exp(x) / np.exp(x).sum(1, keepdims=True)),
    "softmax of the last": (lambda v: v.softmax(), lambda x: np.exp(x) / np.exp(x).sum(-1, keepdims=True)),
    "log_softmax": (lambda v: v.log_softmax(dim=0), lambda x: x - np.log(np.exp(x).sum(0, keepdims=True))),
    "norm(2, 1)": (lambda v: v.norm(2, 1), lambda x: np.sqrt((x * x).sum(1))),
    "norm(1, 0, True)": (lambda v: v.norm(1, 0, True), lambda x: np.abs(x).sum(0, keepdims=True)),
    "norm(3)": (lambda v: v.norm(3), lambda x: (np.abs(x) ** 3).sum() ** (1 / 3)),
    "norm(inf)": (lambda v: v.norm(np.inf, 1), lambda x: np.abs(x).max(1)),
    "norm(-inf)": (lambda v: v.norm(-np.inf), lambda x: np.abs(x).min()),
    "dist": (lambda v: v.dist(v * v), lambda x: np.sqrt(((x - x * x) ** 2).sum())),
    "expand": (lambda v: v[:, :1].expand(2, 3) + v[0].expand(2, -1), lambda x: x[:, :1] + x[:1]),
    "expand_as": (lambda v: v[0].expand_as(X), lambda x: np.broadcast_to(x[0], X.shape)),
    "unsqueeze": (lambda v: v.unsqueeze(-1), lambda x: x[..., None]),
    "unsqueeze dim": (lambda v: v.unsqueeze(dim=1), lambda x: x[:, None]),
    "squeeze": (lambda v: v[:1].squeeze(), lambda x: x[0]),
    "squeeze(0)": (lambda v: v[:1].squeeze(0), lambda x: x[0]),
    "narrow": (lambda v: v.narrow(1, 1, 2), lambda x: x[:, 1:3]),
    "select": (lambda v: v.select(1, -1), lambda x: x[:, -1]),
    "unbind": (lambda v: v.unbind(1)[2], lambda x: x[:, 2]),
    "split": (lambda v: v.split(2, 1)[1] * v.split(2, dim=1)[0], lambda x: x[:, 2:] * x[:, :2]),
    "chunk": (lambda v: v.chunk(3, 1)[2], lambda x: x[:, 2:]),
    "gather": (lambda v: v.gather(1, [[2, 2], [0, 1]]), lambda x: np.take_along_axis(x, np.array([[2, 2], [0, 1]]), 1)),
    "gather(-1)": (lambda v: v.gather(-1, [[2, 2]]), lambda x: x[0, [[2, 2]]]),
    "index_select": (lambda v: v.index_select(0, np.array([1, 1, 0])), lambda x: x[[1, 1, 0]]),
    "masked_fill": (lambda v: v.masked_fill(X > 1, -1.0), lambda x: np.where(X > 1, -1.0, x)),
    "masked_select": (lambda v: v.masked_select(v > 1), lambda x: x[X > 1]),
    "where": (lambda v: v.where(X > 1, v * 2), lambda x: np.where(X > 1, x, x * 2)),
    "clamp": (
        lambda v: v.clamp(0.6, 1.7) + v.clamp(min=0.6) * v.clamp(max=1.7),
        lambda x: np.clip(x, 0.6, 1.7) + np.clip(x, 0.6, None) * np.clip(x, None, 1.7),
    ),
    "clip": (
        lambda v: v.clip(0.6, 1.7) + v.clip(min=0.6) * v.clip(max=1.7),
        lambda x: x.clip(0.6, 1.7) + x.clip(min=0.6) * x.clip(max=1.7),
    ),
    "mm": (lambda v: v.mm(X.T), lambda x: x @ X.T), "matmul": (lambda v: v.matmul(v.t()), lambda x: x @ x.T),
    "bmm": (lambda v: v.view(2, 1, 3).bmm(B), lambda x: x.reshape(2, 1, 3) @ B),
    "dot": (lambda v: v[0].dot(v[1]) + v.dot(X.T).sum(), lambda x: x[0] @ x[1] + x.dot(X.T).sum()),
    "addmm": (lambda v: v.addmm(v @ np.ones((3, 2)), X, beta=0.5, alpha=2), lambda x: 0.5 * x + 2 * (x @ np.ones((3, 2))) @ X),
    "addmv": (lambda v: v[:, 0].addmv(v, np.ones(3)), lambda x: x[:, 0] + x @ np.ones(3)),
    "baddbmm": (lambda v: v.view(2, 3, 1).baddbmm(B, np.ones((2, 4, 1))), lambda x: x.reshape(2, 3, 1) + B @ np.ones((2, 4, 1))),
    "mv": (lambda v: v.mv(v[0]), lambda x: x @ x[0]), "ger": (lambda v: v[0].ger(v[1]), lambda x: np.outer(x[0], x[1])),
    "add(value, other)": (lambda v: v.add(-0.1, v * v), lambda x: x - 0.1 * x * x),
    "sub(alpha=)": (lambda v: v.sub(v * v, alpha=3), lambda x: x - 3 * x * x),
    "addcmul": (lambda v: v.addcmul(0.5, v, v), lambda x: x + 0.5 * x * x),
    "addcdiv": (lambda v: v.addcdiv(2.0, X, v), lambda x: x + 2 * X / x),
    "lerp": (lambda v: v.lerp(v * v, 0.25), lambda x: x + 0.25 * (x * x - x)),
    "cumsum": (lambda v: v.cumsum(0) * v.cumsum(dim=1), lambda x: x.cumsum(0) * x.cumsum(1)),
    "trunc and frac": (lambda v: v * v.trunc() + v.frac(), lambda x: x * np.trunc(x) + x - np.trunc(x)),
    "tril and triu": (lambda v: v.tril() + v.triu(1), lambda x: x),
    "remainder": (lambda v: v.remainder(0.7) + v.fmod(0.7), lambda x: 2 * (x % 0.7)),
    "trigonometry": (
        lambda v: (v / 4).acos() + (v / 4).asin() * v.atan() + v.sinh() * v.cosh() + v.atan2(X + 1),
        lambda x: np.arccos(x / 4) + np.arcsin(x / 4) * np.arctan(x) + np.sinh(x) * np.cosh(x) + np.arctan2(x, X + 1),
    ),
    "contiguous": (lambda v: v.t().contiguous(), lambda x: x.T),
    "conj and real": (lambda v: v.conj() * v.real, lambda x: x * x),
    "flat": (lambda v: np.stack(list(v.flat)) * v.flat[3] + v.flat[-1], lambda x: x.ravel() * x.flat[3] + x.flat[-1]),
    "round": (lambda v: v.round() * v + v.round(1), lambda x: x.round() * x + x.round(1)),  # the derivative of round is zero
}


@pytest.mark.parametrize("name", CALLS)
def test_values_and_gradients(name):
    call, plain = CALLS[name]
    expected = np.asarray(plain(X))
    weights = np.cos(np.arange(expected.size)).reshape(expected.shape)
    x = leaf()
    y = call(x)
    assert y.requires_grad
    np.testing.assert_allclose(y.data, expected, rtol=1e-12)
    (g,) = grad(np.sum(y * weights), x)
    (slopes,) = differences(lambda a: float(np.sum(plain(a) * weights)), X)
    np.testing.assert_allclose(g.data, slopes, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name, plain", [
    ("cumprod", lambda x: x.cumprod(1)), ("ptp", lambda x: np.ptp(x, 1)), ("diag", lambda x: np.diag(x)),
])
def test_methods_that_are_numpys_functions(name, plain):
    x = leaf()
    y = x.diag() if name == "diag" else getattr(x, name)(dim=1)
    np.testing.assert_allclose(y.data, plain(X))
    (g,) = grad(np.sum(y * y), x)
    (slopes,) = differences(lambda a: float(np.sum(plain(a) ** 2)), X)
    np.testing.assert_allclose(g.data, slopes, rtol=1e-6, atol=1e-7)


def test_the_norm_of_nothing_has_gradient_zero():
    for p in (1, 2, 3, 1.5, np.inf):
        x = leaf(np.zeros(3))
        (g,) = grad(x.norm(p), x)
        np.testing.assert_array_equal(g.data, np.zeros(3), err_msg=str(p))


def test_functions_of_large_numbers_stay_finite():
    for dtype in (np.float32, np.float64):
        x = leaf(np.array([1000.0, -1000.0, 999.0], dtype))
        for y in (x.softmax(0), x.log_softmax(0), x.logsumexp(), x.sigmoid()):
            (g,) = grad(y.sum(), x)
            assert y.dtype == dtype and np.isfinite(y.data).all() and np.isfinite(g.data).all()
        assert x.sigmoid().data.tolist() == [1.0, 0.0, 1.0]
    assert leaf(np.full(2, -np.inf)).logsumexp().item() == -np.inf


def test_facts_of_arrays_are_numpys_answers():
    x = leaf()
    np.testing.assert_array_equal(x.imag, X.imag)
    assert x.real is x and x.tolist() == X.tolist() and x.strides == X.strides and x.is_contiguous() and not x.t().is_contiguous()
    assert [part.tolist() for part in x.nonzero()] == [part.tolist() for part in X.nonzero()]
    assert x.all() and x.any(axis=0).tolist() == X.any(axis=0).tolist() and x.argmax() == 4 and x.argmin(dim=1).tolist() == [2, 0]
    assert len(x.flat) == 6 and x.mT.shape == (3, 2)


def test_flat_can_be_written_to():
    for data in (X, X.T):  # the second one is not contiguous: its ravel() is a copy
        x = leaf(X)
        y = x.clone() if data is X else x.clone().T
        expected = data.copy()
        y.flat[1], y.flat[-2:] = 7.0, x.flat[0] * np.array([2.0, 3.0])
        expected.flat[1], expected.flat[-2:] = 7.0, X[0, 0] * np.array([2.0, 3.0])
        np.testing.assert_array_equal(y.data, expected)
        (g,) = grad(y.sum(), x)
        kept = np.ones(6)
        kept[[1, 4, 5]] = 0.0
        expected = (kept.reshape(data.shape) if data is X else kept.reshape(data.shape).T).copy()
        expected[0, 0] += 5.0
        np.testing.assert_array_equal(g.data, expected)


def test_copy_fill_and_clone():
    x = leaf()
    assert not np.shares_memory(x.copy().data, x.data) and x.copy().requires_grad
    y = x * 1.0
    assert y.fill(3.0) is None and (y.data == 3.0).all()
    with pytest.raises(InPlaceError):
        x.fill(3.0)


# In place


def add_in_place(v):
    v += X
    return v


IN_PLACE = {
    "add_": (lambda v: v.add_(X), lambda x: x + X),
    "add_(value, other)": (lambda v: v.add_(-0.5, X), lambda x: x - 0.5 * X),
    "sub_": (lambda v: v.sub_(X * X), lambda x: x - X * X),
    "mul_": (lambda v: v.mul_(v), lambda x: x * x),
    "div_": (lambda v: v.div_(X), lambda x: x / X),
    "pow_": (lambda v: v.pow_(3), lambda x: x ** 3),
    "clamp_": (lambda v: v.clamp_(0.6, 1.7), lambda x: np.clip(x, 0.6, 1.7)),
    "clamp_(min=)": (lambda v: v.clamp_(min=0.6), lambda x: np.maximum(x, 0.6)),
    "zero_": (lambda v: v.zero_(), lambda x: x * 0),
    "fill_": (lambda v: v.fill_(2.0), lambda x: x * 0 + 2),
    "copy_": (lambda v: v.copy_(v[::-1] * 2), lambda x: x[::-1] * 2),
    "masked_fill_": (lambda v: v.masked_fill_(X > 1, 5.0), lambda x: np.where(X > 1, 5.0, x)),
    "addmm_": (lambda v: v.addmm_(X @ X.T, X), lambda x: x + X @ X.T @ X),
    "addcmul_": (lambda v: v.addcmul_(2.0, X, X), lambda x: x + 2 * X * X),
    "addcdiv_": (lambda v: v.addcdiv_(2.0, X, X + 1), lambda x: x + 2 * X / (X + 1)),
    "x += y": (add_in_place, lambda x: x + X),
} | {
    f"{name}_": (lambda v, name=name: getattr(v, f"{name}_")(), plain) for name, plain in {
        "neg": np.negative, "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "rsqrt": lambda x: x ** -0.5, "abs": np.abs, "sin": np.sin,
        "cos": np.cos, "tanh": np.tanh, "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "relu": lambda x: np.maximum(x, 0),
        "reciprocal": lambda x: 1 / x,
    }.items()
}


@pytest.mark.parametrize("name", IN_PLACE)
def test_in_place_forms_change_the_memory_and_are_recorded(name):
    change, plain = IN_PLACE[name]
    x = leaf()
    y = x * 1.0
    memory = y.data
    assert change(y) is y and y.data is memory
    np.testing.assert_allclose(y.data, plain(X), rtol=1e-12)
    weights = np.cos(np.arange(6.0)).reshape(2, 3)
    (slopes,) = differences(lambda a: float(np.sum(plain(a) * weights)), X)
    if y.requires_grad:
        (g,) = grad(np.sum(y * weights), x, allow_unused=True)
        np.testing.assert_allclose(np.zeros((2, 3)) if g is None else g.data, slopes, rtol=1e-6, atol=1e-7)
    else:
        assert not slopes.any()


@pytest.mark.parametrize("name, value", [("zero_", 0.0), ("fill_", 2.5), ("copy_", 2.5)])
def test_what_was_overwritten_with_constants_can_be_used_on(name, value):
    x = leaf()
    y = x * 3
    getattr(y, name)(*[value] * (name != "zero_"))
    z = (y * x).sum() + y[0, 0] * x[0, 0]
    (g,) = grad(z, x)
    expected = np.full((2, 3), value)
    expected[0, 0] *= 2
    np.testing.assert_array_equal(g.data, expected)
    y += x * x  # and can become active again
    (g,) = grad(y.sum(), x)
    np.testing.assert_array_equal(g.data, 2 * X)


@pytest.mark.parametrize("name", [name for name in IN_PLACE if name != "x += y"])
def test_an_in_place_change_of_a_leaf_that_requires_grad_says_which_and_what_to_do(name):
    x = leaf()
    with pytest.raises(InPlaceError, match=rf"\.{name.split('(')[0]}(.|\n)*no_grad"):
        IN_PLACE[name][0](x)
    np.testing.assert_array_equal(x.data, X)
    constant = Variable(X.copy())
    IN_PLACE[name][0](constant)
    np.testing.assert_allclose(constant.data, IN_PLACE[name][1](X))


def test_assignments_by_index_in_place():
    x = leaf(X[0])
    y = x * 1.0
    y[1:3] *= 2
    y[0] = y[1] * y[2]
    (g,) = grad((y * y).sum(), x)
    (slopes,) = differences(lambda a: float((4 * a[1] * a[2]) ** 2 + np.sum(4 * a[1:] ** 2)), X[0])
    np.testing.assert_allclose(g.data, slopes, rtol=1e-6, atol=1e-8)


# cat and stack, the functions


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_cat_and_stack_are_functions(dim):
    weights = np.cos(np.arange(12.0))
    for join, plain in ((sourcediff.cat, np.concatenate), (sourcediff.stack, np.stack)):
        for spelling in ("dim", "axis"):
            agree(lambda v, w, join=join, spelling=spelling: np.sum(np.ravel(join([v, w], **{spelling: dim})) * weights), X, X + 1)
        np.testing.assert_array_equal(join((leaf(), X), dim).data, plain([X, X], dim))
        assert type(join([X, X])) is np.ndarray
        volatile = join([leaf(), Variable(X, volatile=True)])
        assert volatile.volatile
        with pytest.raises(TypeError, match="dim"):
            join([X, X], dim=0, axis=0)


# What is not here says what to write


@pytest.mark.parametrize("name, remedy", [
    ("new", "np.zeros"), ("scatter_", r"\["), ("index_add_", r"np\.add\.at"), ("index_fill_", r"\["), ("normal_", "rng"),
    ("uniform_", "rng"),
    ("multinomial", "rng"), ("bernoulli", "rng"), ("kthvalue", "np.sort|sort"), ("median", "np.median"), ("storage", r"\.data"),
    ("stride", "strides"), ("data_ptr", r"\.data"), ("reinforce", "log"), ("unfold", "sliding_window_view"), ("erf", "scipy.special"),
    ("backward_", ""), ("tobytes", r"\.data\.tobytes"), ("searchsorted", r"np\.searchsorted"), ("partition", "sort"),
    ("ctypes", r"\.data\.ctypes"),
])
def test_a_method_that_does_not_exist_is_an_attribute_error_that_names_what_to_write(name, remedy):
    for x in (leaf(), Variable(X)):
        assert not hasattr(x, name)
        with pytest.raises(AttributeError, match=rf"'Variable' object has no attribute '{name}'(.|\n)*{remedy}"):
            getattr(x, name)


def test_methods_have_docstrings_and_signatures_that_help():
    for name in NAMED:
        assert getattr(Variable, name).__doc__, name


def test_arguments_that_make_no_sense_are_refused():
    for call in (lambda v: v.max(leaf()), lambda v: v.clamp(), lambda v: v.split(0), lambda v: v.chunk(0), lambda v: v.norm("fro", 0),
                 lambda v: v.gather(2, X), lambda v: v.expand(3), lambda v: v.mm(np.ones((4, 4))), lambda v: v.mm(np.ones(3)),
                 lambda v: v.bmm(X), lambda v: v.mv(X.T), lambda v: v.masked_fill(X[:, 0] > 0, 1.0),
                 lambda v: v.astype(object), lambda v: v.sum(keepdimz=True), lambda v: v.item(7), lambda v: v.topk(4)):
        with pytest.raises((TypeError, ValueError, IndexError, MissingRuleError, NonDifferentiableError)):
            call(leaf())
