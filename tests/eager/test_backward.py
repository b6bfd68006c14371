"""EAGER_API, "backward and grad"."""

import numpy as np
import pytest

from sourcediff import autograd
from sourcediff.eager import Variable, detect_anomaly, grad, no_grad
from sourcediff.errors import AnomalyError, GraphFreedError, NonDifferentiableError
from sourcediff.runtime.arrays import indexing

from .numbers import agree, second_order_agrees

X = np.array([1.5, -2.0, 0.5])


def leaf(array=X):
    return Variable(np.array(array), requires_grad=True)


def test_one_entry_needs_no_seed():
    x = leaf()
    (x * x).sum().backward()
    np.testing.assert_array_equal(x.grad.data, 2 * X)
    y = leaf([3.0])
    (y * y).backward()
    assert y.grad.data.tolist() == [6.0]


def test_more_entries_need_a_seed_of_their_shape():
    x = leaf()
    with pytest.raises(NonDifferentiableError, match=r"shape \(3,\) needs a seed"):
        (x * 2).backward()
    with pytest.raises(NonDifferentiableError, match=r"seed of shape \(2,\)"):
        (x * 2).backward(np.ones(2))
    (x * x).backward(np.array([0.1, 1.0, 0.0001]))
    np.testing.assert_allclose(x.grad.data, 2 * X * [0.1, 1.0, 0.0001])


def test_gradients_accumulate_and_can_be_zeroed():
    x = leaf()
    for _ in range(2):
        (x * x).sum().backward()
    np.testing.assert_array_equal(x.grad.data, 4 * X)
    x.grad.zero_()
    np.testing.assert_array_equal(x.grad.data, 0 * X)


def test_a_gradient_that_was_taken_hold_of_is_not_changed_by_the_next():
    x = leaf()
    (x * x).sum().backward()
    first = x.grad
    (x * x).sum().backward()
    np.testing.assert_array_equal(first.data, 2 * X)


def test_gradients_share_no_memory():
    x, y, seed = leaf(), leaf(), np.ones(3)
    (x + y).backward(seed)
    arrays = [x.grad.data, y.grad.data, seed, x.data, y.data]
    for i, a in enumerate(arrays):
        assert a.flags.writeable
        assert not any(np.shares_memory(a, b) for b in arrays[:i])
    total = leaf(2.0)
    (np.ones(4) * total).sum().backward()
    z = leaf(np.ones((2, 3)))
    z.T.sum().backward()
    z.grad.data[0, 0] = 7.0  # an array of its own, not a broadcast one
    assert z.grad.data.tolist() == [[7.0, 1.0, 1.0], [1.0, 1.0, 1.0]]


@pytest.mark.parametrize(
    "data, kind", [(2.0, float), (np.float64(2.0), np.float64), (np.float32(2.0), np.float32), (np.array(2.0), np.ndarray)],
)
def test_a_gradient_is_of_the_kind_of_its_leaf(data, kind):
    x = Variable(data, requires_grad=True)
    (x * np.ones(3)).sum().backward()
    assert type(x.grad.data) is kind and x.grad.data == 3.0 and x.grad.dtype == x.dtype


def test_the_second_walk_says_that_the_graph_is_freed():
    x = leaf()
    y = (x * x).sum()
    y.backward()
    with pytest.raises(GraphFreedError, match="retain_graph=True"):
        y.backward()
    z = x * 2
    z.sum().backward()
    with pytest.raises(GraphFreedError):
        (z * x).sum().backward()  # a part of it is
    np.testing.assert_array_equal(x.grad.data, 2 * X + 2)  # and the failed walk left nothing behind


def test_retain_graph():
    x = leaf()
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    np.testing.assert_array_equal(x.grad.data, 4 * X)


def test_a_diamond_is_visited_once_per_node():
    x = leaf()
    y = x
    for _ in range(60):  # 2**60 paths
        y = y + y
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.data, np.full(3, 2.0 ** 60))


def test_backward_needs_a_graph():
    for y in (Variable(1.0), leaf().detach().sum(), Variable(1.0, volatile=True) * leaf(2.0)):
        with pytest.raises(NonDifferentiableError, match="does not require grad"):
            y.backward()


def test_grad_gives_variables_and_touches_no_grad():
    x, y = leaf(), leaf(2.0)
    gx, gy = autograd.grad((x * x * y).sum(), [x, y])
    np.testing.assert_array_equal(gx.data, 4 * X)
    assert gy.data == np.sum(X ** 2) and x.grad is None and y.grad is None and not gx.requires_grad


def test_grad_of_several_outputs_with_seeds():
    x = leaf()
    (g,) = grad([x * 2, (x * x).sum()], x, grad_outputs=[X, None])
    np.testing.assert_allclose(g.data, 4 * X)
    with pytest.raises(NonDifferentiableError, match="2 seeds"):
        grad([x * 2, x.sum()], x, grad_outputs=[X])


def test_grad_of_an_input_in_the_middle():
    x = leaf()
    y = np.sin(x)
    (g,) = grad((y * y).sum(), y)
    np.testing.assert_allclose(g.data, 2 * np.sin(X))
    (g,) = grad(y, y, grad_outputs=X)
    np.testing.assert_array_equal(g.data, X)


def test_what_does_not_lead_to_the_inputs_is_neither_walked_nor_freed():
    x, w = leaf(), leaf()
    side = np.exp(w)
    total = (x * x).sum() + (side * side).sum()
    grad(total, x)
    (g,) = grad((side * side).sum(), w)
    np.testing.assert_allclose(g.data, 2 * np.exp(2 * X))


def test_unused_inputs():
    x, y = leaf(), leaf()
    with pytest.raises(NonDifferentiableError, match=r"input 1(.|\n)*allow_unused"):
        grad(x.sum(), [x, y])
    assert grad(x.sum(), [x, y], allow_unused=True)[1] is None
    with pytest.raises(NonDifferentiableError, match="input 0 does not require grad"):
        grad(x.sum(), Variable(X))


def test_hooks_see_and_change_the_gradient():
    x = leaf()
    y = x * 2
    seen = []
    remove = y.register_hook(lambda g: seen.append(g.data.copy()))
    y.register_hook(lambda g: g * 10)
    (y * y).sum().backward(retain_graph=True)
    np.testing.assert_array_equal(seen[0], 4 * X)
    np.testing.assert_array_equal(x.grad.data, 80 * X)
    remove()
    (y * y).sum().backward()
    assert len(seen) == 1


def test_retain_grad_keeps_the_gradient_of_an_inner_variable():
    x = leaf()
    y = x * 2
    y.retain_grad()
    (y * y).sum().backward()
    np.testing.assert_array_equal(y.grad.data, 4 * X)


def test_detect_anomaly_names_the_forward_line():
    x = leaf([0.0, 1.0])
    with detect_anomaly(), np.errstate(divide="ignore"):
        y = np.sqrt(x)
        with pytest.raises(AnomalyError, match=r"np.sqrt gave inf(.|\n)*test_backward.py:[0-9]+: y = np.sqrt"):
            y.sum().backward()
    with np.errstate(divide="ignore"):
        np.sqrt(x).sum().backward()
    assert x.grad.data[0] == np.inf


def test_accumulated_gradients_of_a_recorded_walk_can_be_differentiated():
    x = leaf()
    (x * x * x).sum().backward(create_graph=True)
    (g,) = grad(x.grad.sum(), x)
    np.testing.assert_allclose(g.data, 6 * X)


def test_any_order():
    x = Variable(0.7, requires_grad=True)
    y = np.sin(x)
    for n, expected in enumerate([np.cos, lambda t: -np.sin(t), lambda t: -np.cos(t), np.sin, np.cos]):
        (y,) = grad(y, x, create_graph=True)
        np.testing.assert_allclose(y.item(), expected(0.7), err_msg=f"order {n + 1}")


SECOND = {
    "arithmetic": lambda x: np.sum(x * x / (x + 4) - x ** 3),
    "functions": lambda x: np.sum(np.exp(np.sin(x)) * np.tanh(x)) + np.log(np.sum(x * x)),
    "reductions": lambda x: np.mean(x) ** 2 + np.var(x) * np.sum(x) + np.std(x) + np.prod(x),
    "broadcasting": lambda x: np.sum(np.reshape(x, (3, 1)) * x ** 2),
    "indexing": lambda x: x[0] ** 2 * x[1] + np.sum(x[1:] ** 3) + np.sum(x[[0, 0, 2]] ** 2),
    "products": lambda x: np.sum(np.sin(np.outer(x, x) @ x)) + np.dot(x, x) ** 2,
    "joining": lambda x: np.sum(np.concatenate([x, x * x]) ** 2) + np.sum(np.stack([x, x ** 2])[1] ** 2),
    "selection": lambda x: np.sum(np.where(x > 0, x ** 3, x ** 2)) + np.sum(np.maximum(x, 0.1) ** 2),
    "linear algebra": lambda x: np.linalg.slogdet(np.outer(x, x) + np.eye(3))[1] + np.sum(np.linalg.inv(np.outer(x, x) + 2 * np.eye(3))),
}


@pytest.mark.parametrize("name", SECOND)
def test_first_and_second_order(name):
    agree(SECOND[name], X)
    second_order_agrees(SECOND[name], X)


@np.errstate(divide="ignore", invalid="ignore")
def test_selected_zeros_stay_zero():
    x = leaf([4.0, 0.0])
    np.sqrt(x)[0].backward()
    np.testing.assert_array_equal(x.grad.data, [0.25, 0.0])
    y = leaf([4.0, 0.0])
    np.sqrt(y).backward(np.array([1.0, 0.0]))
    np.testing.assert_array_equal(y.grad.data, [0.25, 0.0])
    z = leaf([4.0, 0.0])
    (0 * np.sqrt(z)).sum().backward()
    assert np.isnan(z.grad.data[1])  # a factor is no selection: 0 times infinity


def test_grad_under_no_grad_walks_what_was_recorded_before():
    x = leaf()
    y = (x * x).sum()
    with no_grad():
        (g,) = grad(y, x)
    np.testing.assert_array_equal(g.data, 2 * X)


def test_reading_entries_one_by_one_makes_no_array_of_zeros_for_each(monkeypatch):
    made = []
    blank = indexing.blank
    monkeypatch.setattr(indexing, "blank", lambda *args: made.append(args) or blank(*args))
    x = Variable(np.linspace(1.0, 2.0, 500), requires_grad=True)
    total = 0.0
    for i in range(500):
        total = total + x[i] * x[i] * x[-1 - i]
    total.backward()
    own = x.data
    assert np.allclose(x.grad.data, 2 * own * own[::-1] + own[::-1] ** 2)
    assert len(made) == 1


@pytest.mark.parametrize("index", [2, -1, slice(1, None, 2), [0, 0, 3], np.array([True, False, True, True]), (Ellipsis, 1), (None, 2)])
def test_what_is_read_at_an_index_is_added_to_what_is_there(index):
    data = np.array([0.5, -1.0, 2.0, 3.0])
    x = Variable(data, requires_grad=True)
    ((x * x).sum() + (x[index] * 3).sum() + (x[index] * x[index]).sum()).backward()
    counts = np.zeros(4)
    np.add.at(counts, index, 1.0)
    assert np.allclose(x.grad.data, 2 * data + counts * (3 + 2 * data))


def test_adding_at_an_index_changes_no_array_of_the_callers():
    x = Variable(np.arange(3.0), requires_grad=True)
    y = x * 1.0
    seed = np.ones(3)
    seen = []
    y.register_hook(lambda g: seen.append(g.data.copy()))
    y.backward(seed, retain_graph=True)
    z = y.sum() + y[0] * 5
    z.backward(retain_graph=True)
    (first,) = grad([y, y[1]], [x], [seed, None], retain_graph=True)
    assert seed.tolist() == [1, 1, 1] and first.data.tolist() == [1, 2, 1]
    assert [g.tolist() for g in seen] == [[1, 1, 1], [6, 1, 1], [1, 2, 1]]
    assert x.grad.data.tolist() == [7, 2, 2]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_selections_keep_what_was_selected_to_the_last_bit_and_nothing_else(dtype):
    """Arrays of more than 500 entries go by their bits: what was not selected is 0.0 even from inf and nan, and never −0.0."""
    x = np.resize(np.array([-1.0, 0.0, 2.0, -3.0, 5.0], dtype), (40, 30))
    seed = np.resize(np.array([np.inf, -1.5, np.nan, -1.0, np.inf, np.nan, 0.1], dtype), (40, 30))
    expected = np.where(x >= 0, seed, 0)
    u = Variable(x, requires_grad=True)
    for found in (autograd.grad(np.maximum(u, 0), u, seed)[0], autograd.grad(np.maximum(u, 0), u, seed, create_graph=True)[0]):
        assert found.data.dtype == dtype
        np.testing.assert_array_equal(found.data, expected)
        np.testing.assert_array_equal(np.signbit(found.data), np.signbit(expected))
    every_other = autograd.grad(np.maximum(u.T[::-1], 0), u, seed.T[::-1])[0]
    np.testing.assert_array_equal(every_other.data, expected)
