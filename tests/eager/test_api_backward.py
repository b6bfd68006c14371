"""EAGER_API, section "backward and grad": one test for each of its clauses."""

import numpy as np
import pytest

from sourcediff import autograd
from sourcediff.eager import Variable, detect_anomaly, grad
from sourcediff.errors import GraphFreedError, InPlaceError, NonDifferentiableError

from .numbers import agree, differences, second_order_agrees

X = np.array([1.5, -2.0, 0.5])
FLOATS = [np.float16, np.float32, np.float64, np.longdouble]


def leaf(data=X):
    return Variable(np.array(data), requires_grad=True)


# v.backward(gradient=None, retain_graph=False, create_graph=False)


@pytest.mark.parametrize("data", [2.0, np.float32(2.0), np.array(2.0), np.array([2.0]), np.array([[[2.0]]])], ids=repr)
def test_a_one_element_variable_needs_no_gradient(data):
    x = Variable(data, requires_grad=True)
    (x * x).backward()
    assert np.all(x.grad.data == 4.0) and x.grad.shape == x.shape and type(x.grad.data) is type(data) and x.grad.dtype == x.dtype


@pytest.mark.parametrize("shape", [(2,), (3, 1), (0,), (2, 2)])
def test_a_larger_one_needs_a_gradient_of_the_same_shape(shape):
    x = leaf(np.ones(shape))
    y = x * 2
    with pytest.raises(NonDifferentiableError, match=r"needs a seed(.|\n)*sum\(\)"):
        y.backward()
    for wrong in (np.ones((5,)), 1.0, np.ones((*shape, 1))):
        with pytest.raises(NonDifferentiableError, match=r"seed of shape(.|\n)*output of shape"):
            y.backward(wrong)
    seed = np.arange(np.size(x.data), dtype=float).reshape(shape)
    y.backward(seed)
    np.testing.assert_array_equal(x.grad.data, 2 * seed)


SEED = [0.1, 1.0, 0.0001]


@pytest.mark.parametrize("seed", [np.array(SEED), SEED, tuple(SEED), Variable(SEED), np.array(SEED, np.float32)], ids=repr)
def test_the_gradient_seeds_the_jacobian_product(seed):
    x = leaf()
    (x * x).backward(seed)
    np.testing.assert_allclose(x.grad.data, 2 * X * [0.1, 1.0, 0.0001], rtol=1e-7)
    (g,) = grad(x * x, x, grad_outputs=seed)
    np.testing.assert_allclose(g.data, 2 * X * [0.1, 1.0, 0.0001], rtol=1e-7)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(), (1,), (0,), (2, 0), (3,), (2, 3)])
def test_gradients_have_the_shape_and_dtype_of_what_they_belong_to(shape, dtype):
    x = leaf(np.full(shape, 0.5, dtype))
    w = leaf(np.full(shape[-1:], 2.0, np.float32))
    y = np.sin(x) * w + x.sum() - np.exp(w.mean() if w.size else w.sum()) * x ** 2
    (g,) = grad(y, x, grad_outputs=np.ones(shape), retain_graph=True)
    y.backward(np.ones(shape))
    for variable in (x, w):
        assert type(variable.grad.data) is np.ndarray and (variable.grad.shape, variable.grad.dtype) == (variable.shape, variable.dtype)
    assert (g.shape, g.dtype) == (shape, dtype)


def test_gradients_of_half_and_extended_precision_are_right():
    for dtype, tolerance in ((np.float16, 2e-3), (np.longdouble, 1e-15)):
        x = leaf(X.astype(dtype))
        (np.sin(x) * x).sum().backward()
        np.testing.assert_allclose(x.grad.data, np.cos(x.data) * x.data + np.sin(x.data), rtol=tolerance)


# The graph is freed as it is walked


def test_a_second_call_raises_graph_freed_error_which_names_retain_graph():
    for second in (lambda y, x: y.backward(), lambda y, x: grad(y, x)):
        x = leaf()
        y = (x * x).sum()
        y.backward()
        with pytest.raises(GraphFreedError, match="retain_graph=True"):
            second(y, x)
        np.testing.assert_array_equal(x.grad.data, 2 * X)


def test_retain_graph_keeps_it_and_create_graph_does_too():
    x = leaf()
    y = (x * x * x).sum()
    y.backward(retain_graph=True)
    grad(y, x, create_graph=True)
    y.backward()
    np.testing.assert_array_equal(x.grad.data, 6 * X ** 2)
    z = (x * x).sum()
    grad(z, x, retain_graph=False, create_graph=True)
    with pytest.raises(GraphFreedError):
        z.backward()


def test_a_failed_walk_leaves_no_gradient_half_added():
    x, w = leaf(), leaf()
    inner = x * x
    inner.sum().backward()
    x.grad = None
    with pytest.raises(GraphFreedError):
        (inner * w).sum().backward()
    assert x.grad is None and w.grad is None


# autograd.grad


def test_grad_returns_a_tuple_of_variables_and_touches_no_grad():
    x, y, w = leaf(), leaf(2.0), leaf()
    found = autograd.grad((x * x * y * w).sum(), [x, y])
    assert type(found) is tuple and [type(g) for g in found] == [Variable, Variable]
    np.testing.assert_allclose(found[0].data, 4 * X ** 2)
    np.testing.assert_allclose(found[1].data, np.sum(X ** 3))
    assert x.grad is y.grad is w.grad is None
    assert type(grad(x.sum(), x)) is tuple and type(grad((x.sum(),), (x,))) is tuple


def test_backward_as_a_function_takes_several_variables():
    x = leaf()
    autograd.backward([x.sum(), x * x], [None, X])
    np.testing.assert_allclose(x.grad.data, 1 + 2 * X ** 2)
    autograd.backward(x.sum())
    np.testing.assert_allclose(x.grad.data, 2 + 2 * X ** 2)


def test_grad_outputs_are_seeds_one_for_each_output():
    x = leaf()
    (g,) = grad([x * 2, (x * x).sum()], x, grad_outputs=[X, None])
    np.testing.assert_allclose(g.data, 4 * X)
    (g,) = grad([x * 2, x * x], x, [X, Variable(X)])
    np.testing.assert_allclose(g.data, 2 * X + 2 * X ** 2)
    for seeds in ([X], [X, None, None], X):
        with pytest.raises(NonDifferentiableError, match="2 seeds"):
            grad([x * 2, x.sum()], x, grad_outputs=seeds)
    with pytest.raises(NonDifferentiableError, match=r"seed of shape \(2,\)"):
        grad([x * 2, x.sum()], x, grad_outputs=[X[:2], None])
    with pytest.raises(NonDifferentiableError, match="needs a seed"):
        grad([x * 2, x.sum()], x, grad_outputs=[None, None])


def test_several_outputs_share_a_graph():
    x = leaf()
    shared = np.sin(x)
    (g,) = grad([(shared * shared).sum(), shared * x], x, grad_outputs=[2.0, X])
    (expected,) = differences(lambda a: float(2 * np.sum(np.sin(a) ** 2) + np.sum(np.sin(a) * a * X)), X)
    np.testing.assert_allclose(g.data, expected, rtol=1e-7)
    y = x.sum()
    (g,) = grad([y, y], x)
    np.testing.assert_array_equal(g.data, np.full(3, 2.0))


def test_inputs_may_be_no_leaves_come_twice_and_be_outputs():
    x = leaf()
    y = np.sin(x)
    z = (y * y).sum()
    gy, gx, again = grad(z, [y, x, y], retain_graph=True)
    np.testing.assert_allclose(gy.data, 2 * np.sin(X))
    np.testing.assert_allclose(gx.data, 2 * np.sin(X) * np.cos(X))
    np.testing.assert_array_equal(again.data, gy.data)
    assert not np.shares_memory(again.data, gy.data)
    one, gy = grad([z, y], [z, y], grad_outputs=[None, X])
    assert one.item() == 1.0
    np.testing.assert_allclose(gy.data, 2 * np.sin(X) + X)
    (g,) = grad(x, x, grad_outputs=X)
    np.testing.assert_array_equal(g.data, X)
    assert not np.shares_memory(g.data, X)


def test_allow_unused_gives_none():
    x, y = leaf(), leaf()
    with pytest.raises(NonDifferentiableError, match=r"input 1(.|\n)*allow_unused"):
        grad(x.sum(), [x, y])
    used, unused = grad(x.sum(), [x, y], allow_unused=True)
    assert used.data.tolist() == [1.0, 1.0, 1.0] and unused is None
    for allow_unused in (False, True):
        with pytest.raises(NonDifferentiableError, match="input 0 does not require grad"):
            grad(x.sum(), Variable(X), allow_unused=allow_unused)


def test_any_order_with_create_graph():
    x = Variable(0.7, requires_grad=True)
    y = np.exp(2 * x) * np.sin(x)
    exact = (2 + 1j) * np.exp((2 + 1j) * 0.7)  # the imaginary part of the derivatives of exp((2 + i) x)
    for _ in range(5):
        (y,) = grad(y, x, create_graph=True)
        np.testing.assert_allclose(y.item(), exact.imag, rtol=1e-12)
        exact *= 2 + 1j


def test_third_order_of_many_variables():
    """Along a random direction, three derivatives of a scalar function, against differences of the second one."""
    d, e = np.array([0.3, -1.0, 0.5]), np.array([1.0, 0.2, -0.7])

    def directional(f, v, direction):
        (g,) = grad(f, v, create_graph=True)
        return (g * direction).sum()

    def second(point):
        v = leaf(point)
        return directional(directional(np.prod(v) * np.sum(np.exp(np.sin(v)) / (v * v + 1)), v, d), v, e)

    v = leaf()
    f = np.prod(v) * np.sum(np.exp(np.sin(v)) / (v * v + 1))
    (third,) = grad(directional(directional(f, v, d), v, e), v)
    (expected,) = differences(lambda point: second(point).item(), X)
    np.testing.assert_allclose(third.data, expected, rtol=1e-6)


def test_create_graph_of_backward_makes_grad_differentiable():
    x = leaf()
    (x * x * x).sum().backward(create_graph=True)
    assert x.grad.requires_grad
    (g,) = grad(x.grad.sum(), x)
    np.testing.assert_allclose(g.data, 6 * X)
    x.grad = None  # and with it the graph
    (x * x).sum().backward()
    assert not x.grad.requires_grad


def test_a_penalty_on_the_gradient():
    second_order_agrees(lambda x: np.sum(np.tanh(x) * x), X)
    x = leaf()
    value = np.sum(np.tanh(x) * x)
    (g,) = grad(value, x, create_graph=True)
    (value + (g * g).sum()).backward()

    def penalised(a):
        slope = np.tanh(a) + a * (1 - np.tanh(a) ** 2)
        return float(np.sum(np.tanh(a) * a) + np.sum(slope ** 2))

    (expected,) = differences(penalised, X)
    np.testing.assert_allclose(x.grad.data, expected, rtol=1e-6)


# Long chains, diamonds


def test_a_chain_of_20000_operations():
    x = leaf(1.0)
    y = x
    for _ in range(20_000):
        y = y + 1e-6
    y.backward()
    assert x.grad.item() == 1.0 and x.item() == 1.0
    y = x
    for _ in range(20_000):
        y = np.negative(y)
    del y  # dropped without recursion


def test_a_diamond_is_visited_once_per_node():
    visits = []
    x = leaf()
    y = x
    for _ in range(40):  # 2**40 paths
        y.register_hook(lambda g: visits.append(1))
        y = y + y
    y.sum().backward()
    assert len(visits) == 40
    np.testing.assert_array_equal(x.grad.data, np.full(3, 2.0 ** 40))


# Hooks


def test_hooks_see_the_whole_gradient_of_leaves_and_of_inner_values():
    x = leaf()
    y = np.sin(x)
    seen = {}
    x.register_hook(lambda g: seen.update(x=g))
    y.register_hook(lambda g: seen.update(y=g))
    (y * y + x * y).sum().backward()
    assert all(type(g) is Variable for g in seen.values())
    np.testing.assert_allclose(seen["y"].data, 2 * np.sin(X) + X)
    np.testing.assert_array_equal(seen["x"].data, x.grad.data)
    kept = seen["x"].data.copy()
    x.grad.zero_()
    np.testing.assert_array_equal(seen["x"].data, kept)


def test_what_a_hook_returns_replaces_the_gradient_in_their_order():
    order = []
    x = leaf()
    y = x * 2
    y.register_hook(lambda g: order.append(g.data.tolist()))
    y.register_hook(lambda g: g * 10)
    y.register_hook(lambda g: order.append(g.data.tolist()))
    y.register_hook(lambda g: g.data + 1.0)
    y.sum().backward()
    assert order == [[1.0] * 3, [10.0] * 3]
    np.testing.assert_array_equal(x.grad.data, np.full(3, 22.0))
    (g,) = grad((x * x).sum(), x)
    x.register_hook(lambda g: -g)
    (h,) = grad((x * x).sum(), x)
    np.testing.assert_array_equal(h.data, -g.data)


def test_a_hook_can_be_removed():
    x = leaf()
    calls = []
    first, second = (x.register_hook(lambda g, i=i: calls.append(i)) for i in (1, 2))
    first()
    first()
    x.sum().backward()
    second.remove()
    x.sum().backward()
    assert calls == [2]


def test_a_hook_cannot_change_the_gradient_in_place_behind_the_back_of_others():
    x, w = leaf(), leaf()
    y, z = x * 1.0, w * 1.0
    y.register_hook(lambda g: g.mul_(0.0))
    with pytest.raises(InPlaceError, match=r"read-only(.|\n)*return"):
        (y + z).sum().backward()


@pytest.mark.parametrize("replacement", [np.ones(2), 1.0, np.ones((1, 3)), "text", np.array([1, 2, 3j])], ids=repr)
def test_a_hook_that_returns_what_cannot_be_the_gradient_is_refused(replacement):
    for create_graph in (False, True):
        x = leaf()
        x.register_hook(lambda g: replacement)
        with pytest.raises(NonDifferentiableError, match="hook returned"):
            grad((x * x).sum(), x, create_graph=create_graph)


def test_hooks_under_create_graph_are_recorded():
    x = leaf()
    x.register_hook(lambda g: g * x)
    (g,) = grad((x * x).sum(), x, create_graph=True)
    np.testing.assert_array_equal(g.data, 2 * X * X)
    x2 = leaf()
    y = x2 * x2
    remove = y.register_hook(lambda g: g * y)
    (g,) = grad(y.sum(), x2, create_graph=True)  # y * 2 x = 2 x^3
    remove()  # the next walk comes through y too
    (h,) = grad(g.sum(), x2)
    np.testing.assert_allclose(h.data, 6 * X ** 2)
    z = leaf()
    z.register_hook(lambda g: np.ones(3))
    (g,) = grad((z * z).sum(), z, create_graph=True)
    assert g.data.tolist() == [1.0] * 3


def test_a_hook_needs_a_variable_that_requires_grad():
    with pytest.raises(NonDifferentiableError, match="hook"):
        Variable(X).register_hook(print)


def test_retain_grad_keeps_the_gradient_of_what_is_no_leaf():
    x = leaf()
    y = x * 2
    y.retain_grad()
    y.retain_grad()  # once is enough
    y.register_hook(lambda g: g * 3)
    (y * y).sum().backward(retain_graph=True)
    np.testing.assert_array_equal(y.grad.data, 12 * X)
    np.testing.assert_array_equal(x.grad.data, 24 * X)
    (y * y).sum().backward()
    np.testing.assert_array_equal(y.grad.data, 24 * X)
    y.grad.zero_()
    assert not y.grad.data.any()
    x.retain_grad()
    with pytest.raises(NonDifferentiableError, match="requires grad"):
        Variable(X).retain_grad()


# What comes out belongs to nobody else


def test_gradients_share_no_memory():
    x, y, seed = leaf(), leaf(), np.ones(3)
    out = x + y
    out.backward(seed)
    gx, gy = grad(x + y, [x, y], grad_outputs=seed)
    arrays = [x.grad.data, y.grad.data, gx.data, gy.data, seed, x.data, y.data]
    for i, a in enumerate(arrays):
        assert a.flags.writeable and a.flags.owndata
        assert not any(np.shares_memory(a, b) for b in arrays[:i])


def test_an_output_without_a_graph_says_why():
    x = leaf()
    for y in (Variable(1.0), x.detach().sum(), Variable(1.0, volatile=True) * leaf(2.0), Variable(X).sum()):
        for call in (y.backward, lambda y=y: grad(y, x)):
            with pytest.raises(NonDifferentiableError, match="does not require grad"):
                call()


def test_agreement_with_central_differences_of_a_mixed_program():
    def f(x, w):
        h = np.tanh(np.stack([x, x[::-1], x * 2]) @ w)
        for i in range(3):
            h = h + x[i] * np.sum(h[i]) if np.sum(h[i]) > 0 else h - np.exp(-x[i] ** 2)
        return np.sum(h * h) / (1 + np.mean(np.abs(h)))

    agree(f, X, np.linspace(-1, 1, 9).reshape(3, 3))


# detect_anomaly: its own file; here that it leaves right programs alone


def test_right_programs_run_under_detect_anomaly_too():
    with detect_anomaly():
        agree(lambda x: np.sum(np.sin(x) * x[::-1] / (x * x + 1)), X)
        second_order_agrees(lambda x: np.sum(np.sin(x) * x), X)
