"""Changes in place of Variables that a user made: right, or refused with the operation and the remedy."""

import numpy as np
import pytest

from sourcediff.eager import Variable, no_grad
from sourcediff.errors import InPlaceError, NonDifferentiableError

from .numbers import agree

X = np.array([1.5, -2.0, 0.5, 3.0])


def leaf(array=X):
    return Variable(np.array(array), requires_grad=True)


def stores(x):
    y = x * 1.0
    y[0] = y[1] * x[2]
    y[1:3] = x[:2] ** 2
    y[-1] = 5.0
    return np.sum(y * x)


def updates(x):
    y = x * 1.0
    y += x
    y *= 3
    y -= x ** 2
    y /= 2
    y **= 2
    return np.sum(y)


def slices(x):
    y = np.sin(x)
    y[1:3] *= 2
    y[:2] += x[2:] * x[1]
    y[0] -= x[3]
    return np.sum(y ** 2)


def fancy(x):
    y = x * 1.0
    y[[0, 2]] = x[[1, 1]]
    y[x > 0] *= 2
    return np.sum(y * x)


def swap(x):
    y = x * 1.0
    y[0], y[1] = y[1], y[0]
    return np.sum(y * x)


def buffer(x):
    out = np.zeros_like(x)
    for i in range(4):
        out[i] = x[i] * x[3 - i]
    return np.sum(out * x)


def broadcast_into(x):
    y = np.outer(x, x)
    y[1] = x[0]
    y[:, 2] = x
    return np.sum(y ** 2)


@pytest.mark.parametrize("f", [stores, updates, slices, fancy, swap, buffer, broadcast_into], ids=lambda f: f.__name__)
def test_in_place_programs_are_right(f):
    agree(f, X)


def test_in_place_methods():
    x = leaf()
    y = x * 1.0
    y.add_(x).mul_(2.0).sub_(1.0).div_(4.0).clamp_(min=-0.5)
    np.testing.assert_allclose(y.data, np.maximum(X - 0.25, -0.5))
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.data, (X - 0.25 >= -0.5) * 1.0)
    z = leaf() * 1.0
    assert z.fill_(3.0) is z and not z.requires_grad and z.data.tolist() == [3.0] * 4
    z.copy_(X)
    np.testing.assert_array_equal(z.data, X)
    assert z.zero_().data.tolist() == [0.0] * 4


CHANGES = {
    "x += y": lambda x: x.__iadd__(1), "x *= y": lambda x: x.__imul__(2), "x[0] = y": lambda x: x.__setitem__(0, 1.0),
    ".mul_": lambda x: x.mul_(2), ".zero_": lambda x: x.zero_(), "a view": lambda x: x[1:].__imul__(2),
    "a view's view": lambda x: x[1:].T[:1].fill_(0),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_leaf_that_requires_grad_is_not_changed(name):
    x = leaf()
    with pytest.raises(InPlaceError, match=r"leaf that requires grad(.|\n)*no_grad"):
        CHANGES[name](x)
    np.testing.assert_array_equal(x.data, X)


@pytest.mark.parametrize("name", CHANGES)
def test_but_it_is_under_no_grad(name):
    x = leaf()
    with no_grad():
        CHANGES[name](x)
    assert not np.array_equal(x.data, X) and x.requires_grad and x.is_leaf
    (x * x).sum().backward()
    np.testing.assert_array_equal(x.grad.data, 2 * x.data)


WRITES = [lambda y: y.__iadd__(1), lambda y: y.__setitem__(0, 1.0), lambda y: y.mul_(2), lambda y: y[1:].__imul__(2)]


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("use", [lambda y: y * y, np.sin, lambda y: y ** 2, np.log])
def test_overwriting_an_input_that_backward_needs_is_refused(write, use):
    y = leaf(np.abs(X)) * 2
    z = np.sum(use(y))
    write(y)
    with pytest.raises(InPlaceError, match="in-place operation"):
        z.backward()


@pytest.mark.parametrize("write", WRITES[:3])
@pytest.mark.parametrize("use", [np.exp, np.sqrt, np.tanh])
def test_overwriting_a_result_that_backward_needs_is_refused(write, use):
    z = use(leaf(np.abs(X)))
    write(z)
    with pytest.raises(InPlaceError, match=f"np.{use.__name__} needs was changed by the in-place operation"):
        z.sum().backward()


def test_other_parts_of_the_same_memory_count_as_changed():
    x = leaf()
    y = x * 1.0
    y[:2] += y[2:] * x[1]  # saves y[2:]; one counter stands for all of y
    with pytest.raises(InPlaceError, match="change a copy"):
        y.sum().backward()


def test_changes_of_data_are_seen_where_the_array_stays():
    w = leaf()
    y = (w * w).sum()
    w.data -= 1.0
    with pytest.raises(InPlaceError, match=r"np.multiply needs was changed by the in-place operation .data"):
        y.backward()
    w.data = w.data + 1.0
    (w * w).sum().backward()
    np.testing.assert_allclose(w.grad.data, 2 * w.data)


def test_data_of_another_shape():
    w = leaf()
    y = (w * w).sum()
    w.data = np.ones(2)
    with pytest.raises(InPlaceError, match="data of shape"):
        y.backward()
    (w * w).sum().backward()
    assert w.grad.data.tolist() == [2.0, 2.0]


def test_volatile_is_contagious_in_place():
    y, volatile = leaf() * 1.0, Variable(X, volatile=True)
    y += volatile
    assert y.volatile
    z = leaf() * 1.0
    z[0] = volatile[0]
    assert z.volatile and not z.requires_grad


def test_a_training_loop_changes_its_weights_between_walks():
    w = leaf()
    for _ in range(3):
        w.grad = None
        (w * w).sum().backward()
        with no_grad():
            w -= 0.25 * w.grad
    np.testing.assert_allclose(w.data, X / 8)


def test_stale_views_are_refused():
    y = leaf() * 1.0
    view = y[1:]
    y[1] = 7.0
    with pytest.raises(InPlaceError, match="take the view again"):
        view.sum()
    assert y[1:].sum().item() == 10.5
    base = leaf() * 1.0
    part = base[1:]
    part *= 2
    part.sum()
    with pytest.raises(InPlaceError, match="shares memory"):
        base.sum()


def test_a_constant_buffer_that_becomes_active_leaves_no_view_behind():
    out = Variable(np.zeros(3))
    view = out[:2]
    out[0] = leaf()[1]
    assert out.requires_grad
    with pytest.raises(InPlaceError, match="shares memory"):
        view.sum()


def test_numbers_are_rebound_not_changed():
    x = Variable(2.0, requires_grad=True)
    y = x
    y += 1
    assert y is not x and x.data == 2.0 and y.requires_grad


def test_plain_arrays_do_not_take_variables():
    x, array = leaf(), np.zeros(4)
    with pytest.raises(InPlaceError, match="plain array"):
        array += x
    with pytest.raises(InPlaceError, match="plain array"):
        np.add(x, 1.0, out=array)
    with pytest.raises((NonDifferentiableError, ValueError)):
        array[0] = x[0]
    with pytest.raises(NonDifferentiableError, match=r"np.stack"):
        (x * 1.0)[:2] = [x[0], x[1]]
    assert not array.any()


def test_results_that_do_not_fit_are_refused_as_by_numpy():
    y = leaf() * 1.0
    with pytest.raises(ValueError, match="does not fit"):
        y += np.ones((2, 4))
    with pytest.raises(ValueError):
        y[:2] = np.ones(3)
    np.testing.assert_array_equal(y.data, X)
    y.sum().backward()
