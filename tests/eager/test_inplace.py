"""Changes in place of Variables that a user made: right, or refused with the operation and the remedy."""

import operator

import numpy as np
import pytest

import sourcediff
from sourcediff.eager import Function, Variable, grad, no_grad
from sourcediff.eager.engine import mutation
from sourcediff.errors import GraphFreedError, InPlaceError, NonDifferentiableError

from .numbers import agree, second_order_agrees

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


def other_part(x):
    y = x * 1.0
    y[:2] += y[2:] * x[1]  # saves y[2:]
    return np.sum(y)


def rows_in_a_row(x):
    u = np.zeros((30, 4)) + x
    for i in range(29):
        u[i + 1] = u[i] * u[i] * 0.1 + u[i + 1]  # saves rows that stay as they are
    return np.sum(u)


def columns_in_a_row(x):
    u = np.zeros((4, 30)) + x[:, np.newaxis]
    for i in range(29):
        u[:, i + 1] = u[:, i] * u[:, i] * 0.1 + x
    return np.sum(u)


def every_second(x):
    y = np.outer(x, x).ravel()
    y[::2] = y[1::2] * y[1::2]
    return np.sum(y)


@pytest.mark.parametrize("f", [other_part, rows_in_a_row, columns_in_a_row, every_second], ids=lambda f: f.__name__)
def test_what_was_saved_of_other_parts_of_the_memory_counts_as_it_is(f):
    agree(f, X / 4)


@pytest.mark.parametrize("write", [
    lambda u: u[1].fill_(0.0), lambda u: u[:, 1:2].fill_(0.0), lambda u: u.__setitem__((1, 3), 0.0), lambda u: u[::-2, ::-3].fill_(0.0),
    lambda u: u.__setitem__(([1, 0], [0, 1]), 0.0), lambda u: u.reshape(-1)[4:5].fill_(0.0),
])
def test_a_change_of_one_entry_of_what_was_saved_is_refused(write):
    u = np.outer(leaf(), leaf())
    z = np.sum(u[1] * u[1])
    write(u)
    with pytest.raises(InPlaceError, match="was changed by the in-place operation"):
        z.backward()


def test_many_changes_of_one_memory_are_counted_as_one_of_all_of_it(monkeypatch):
    monkeypatch.setattr(mutation, "MANY", 20)
    u = Variable(np.zeros((30, 4)))
    z = leaf() * u[29]
    for i in range(25):
        u[i] = 1.0
    with pytest.raises(InPlaceError):
        z.sum().backward()  # u[29] has not changed, but nobody knows that any more
    (leaf() * u[28]).sum().backward()


def test_memory_that_comes_from_elsewhere():
    """Two arrays over one buffer share no array as their base."""
    buffer = bytearray(np.ones(4).tobytes())
    strided = np.lib.stride_tricks.as_strided
    base = np.ones(4)
    for u, v in (
        (np.frombuffer(buffer), np.frombuffer(buffer)), (base, strided(base, (2,), (16,))), (base, np.asarray(memoryview(base))),
        (base, np.asarray(memoryview(memoryview(base)[1:])[:2])),
    ):
        y = np.sum(leaf() * Variable(u))
        Variable(v).add_(1)
        with pytest.raises(InPlaceError):
            y.backward()


def test_a_new_array_at_the_place_of_a_dropped_one_is_unchanged():
    for _ in range(200):
        u = Variable(np.ones(1000))
        u += 1
        number = id(u.data)
        del u
        v = Variable(np.ones(1000))
        assert number not in mutation.MUTATED or number != id(v.data)
        (leaf(np.ones(1000)) * v).sum().backward()


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


def base_changed(x):
    y = x * 1.0
    view = y[1:]
    y[1] = x[0] ** 2
    y *= x
    return np.sum(view ** 2)


def view_changed(x):
    y = x * 1.0
    part = y[1:]
    part *= x[:3]
    return np.sum(y ** 3)


def view_of_a_view(x):
    y = np.outer(x, x)
    row, corner = y[1:], y[1:][:, 2:].T
    corner *= x[1]
    y[:, 3] += x
    return np.sum(row ** 2) + np.sum(corner[0] * x[1:])


def two_views(x):
    y = np.outer(x, x)
    rows, columns = y[:2], y[:, :2]
    rows += x
    columns *= x[3]
    rows[1] -= 1
    return np.sum(rows * 2) + np.sum(columns ** 2) + np.sum(y[2:])


def chained_indices(x):
    y = np.outer(x, x)
    y[1][2] = x[0] ** 2
    y.T[0] = x
    y[2][1:][::2] *= 3
    return np.sum(y ** 2)


def reshaped(x):
    y = np.outer(x, x)
    flat = y.reshape(-1)
    flat[3:7] = x
    np.ravel(y)[-1:] *= x[0]
    y[2] *= 2
    return np.sum(flat ** 2)


def copied_by_reshape(x):
    y = np.outer(x, x)
    flat = y.T.reshape(-1)  # not a view
    flat[3:7] = x
    y[2] *= 2
    return np.sum(flat ** 2) + np.sum(y)


def many_kinds_of_view(x):
    y = np.outer(x, x)
    for view in (y[::-1], y.swapaxes(0, 1), np.expand_dims(y, 1), np.squeeze(y[:1]), np.flip(y), np.rot90(y), np.split(y, 2)[1]):
        view *= view.shape[0] * 0.4
        y += x
    return np.sum(y ** 2)


def buffer_by_rows(x):
    out = np.zeros((4, 4)) if isinstance(x, np.ndarray) else Variable(np.zeros((4, 4)))
    for i in range(4):
        row = out[i]
        row[i:] = x[i:] * x[i]
    return np.sum(out ** 2)


def broadcast_view(x):
    y = x * 1.0
    wide = np.broadcast_to(y, (3, 4))
    y[1:] *= x[:3]
    return np.sum(wide * np.outer(x[:3], x))


def overlapping(x):
    y = x * 1.0
    y[1:] += y[:-1]
    y[:-1] *= y[1:]
    y[:] = y[::-1] + x
    z = np.outer(x, x) + x
    z -= z.T
    z += z
    z *= z
    return np.sum(y) + np.sum(z * np.outer(x, x))


def repeated(x):
    y = np.outer(x, x)
    y[[0, 1, 0]] += x  # the last of two stores stays
    y[[1, 1], [2, 2]] = x[:2]
    y[y > 0.123] *= 2
    y[y < -1.234] = x[2]
    y[...] = y - 1
    return np.sum(y ** 2)


VIEWED = [
    base_changed, view_changed, view_of_a_view, two_views, chained_indices, reshaped, copied_by_reshape, many_kinds_of_view, buffer_by_rows,
    broadcast_view, overlapping, repeated,
]


@pytest.mark.parametrize("f", VIEWED, ids=lambda f: f.__name__)
def test_changes_through_views_and_of_their_bases_are_followed(f):
    agree(f, X)


@pytest.mark.parametrize("f", [f for f in VIEWED if f is not buffer_by_rows], ids=lambda f: f.__name__)
def test_and_in_the_second_order(f):
    second_order_agrees(f, X / 2)


def test_a_view_that_dies_has_changed_its_base():
    x = leaf()
    y = x * 1.0
    y[1:].mul_(3.0)
    y.reshape(2, 2)[0].T.add_(x[1:3])
    y.backward(np.ones(4))
    assert x.grad.data.tolist() == [1.0, 4.0, 4.0, 3.0]


def test_the_seed_of_a_changed_base_goes_to_what_it_is_now():
    x = leaf()
    y = x * 1.0
    view = y[1:]
    view *= 2
    assert y.grad_fn.name == "store" and grad(y, x, np.ones(4))[0].data.tolist() == [1.0, 2.0, 2.0, 2.0]


def test_a_library_run_of_a_changed_base():
    x = leaf()
    y = x * 1.0
    y[1:].mul_(2.0)
    (g,) = grad(np.sum(sourcediff.grad(lambda a: np.sum(a ** 3), mode="eager")(y)), x)
    np.testing.assert_allclose(g.data, [6 * X[0], *(24 * X[1:])])


def test_other_variables_over_the_same_array_are_stale():
    array = np.zeros(4)
    u, v = Variable(array), Variable(array)
    u[1] = leaf()[0]
    with pytest.raises(InPlaceError, match=r"shares memory(.|\n)*clone"):
        v.sum()
    assert "array of size 4" in repr(v)  # but can be looked at
    w = Variable(np.ones(4), requires_grad=True)
    alias = Variable(w.data)
    alias *= leaf()
    with pytest.raises(InPlaceError, match="shares memory"):
        w.sum()


def test_a_view_of_a_constant_buffer_becomes_active_with_it():
    x = leaf()
    out = Variable(np.zeros(4))
    view, apart = out[:2], out[2:]
    out[0] = x[1] ** 2
    seen = []
    view.register_hook(lambda g: seen.append(g.data.tolist()))
    view.backward(np.ones(2))
    assert x.grad.data.tolist() == [0.0, 2 * X[1], 0.0, 0.0] and seen == [[1.0, 1.0]]
    assert not (apart * 1).requires_grad


def test_a_function_that_returns_its_input_is_no_view_of_it():
    class Reversed(Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return -g

    y = leaf() * 1.0
    z = Reversed.apply(y)
    y += 1
    with pytest.raises(InPlaceError, match="shares memory"):
        z.sum()


def test_detached_means_the_numbers_as_they_are():
    x = leaf()
    y = x * 2.0
    before = y.detach()
    y *= 3
    with no_grad():
        seen = y[1:]
    for constant in (before, y.detach(), Variable(y.data), seen, before[1:], y.detach()[::2]):
        assert not constant.sum().requires_grad
    y[1:] = y.detach()[1:]
    y.sum().backward()
    assert x.grad.data.tolist() == [6.0, 0.0, 0.0, 0.0]  # cut off, though no number has changed
    d = (leaf() * 1.0).detach_()
    d += 1
    assert not d.requires_grad


def test_other_data_end_a_view():
    y = leaf() * 1.0
    view = y[1:]
    view.data = np.zeros(3)
    view += 1
    y.sum().backward()
    np.testing.assert_array_equal(y.data, X)


def test_what_is_overwritten_with_constants_is_constant():
    x = leaf()
    y, z = x * 1.0, np.outer(x, x)
    row = z[1]
    y.zero_()
    row.fill_(2.0)
    assert not (y + 1).requires_grad
    np.sum(z * 3 + row + y).backward()
    others = X.sum() - X[1]
    np.testing.assert_allclose(x.grad.data, [3 * (X.sum() + others), 3 * others, *[3 * (X.sum() + others)] * 2])


def test_copies_are_independent():
    x = leaf()
    y = x * 1.0
    copies = y.clone(), y.copy(), y[[0, 1, 2, 3]], y.flatten(), y.reshape(2, 2).T.reshape(-1)[[0, 2, 1, 3]]
    y *= 5
    for z in copies:
        assert grad(z.sum(), x, retain_graph=True)[0].data.tolist() == [1.0] * 4


def test_copy_has_a_place_of_its_own():
    x = leaf()
    z = x * 2
    w = z * 3
    y = leaf() * 1.0
    y.copy_(z)
    (w + y).sum().backward()
    assert x.grad.data.tolist() == [8.0] * 4 and y.grad_fn is not z.grad_fn
    y = leaf() * 1.0
    y.copy_(x)
    y.mul_(2)
    assert not y.is_leaf


def test_integers_take_no_derivative():
    counts = Variable(np.arange(4))
    with pytest.raises(NonDifferentiableError, match="int64"):
        counts[0] = leaf()[1]
    with pytest.raises(TypeError):  # NumPy's own
        counts += leaf()
    assert counts.data.tolist() == [0, 1, 2, 3] and not counts.requires_grad


def test_dtypes_in_place():
    single, double = Variable(np.ones(4, np.float32), requires_grad=True), leaf()
    y = single * 1
    y += double
    y *= double
    assert y.dtype == np.float32
    y.sum().backward()
    assert (single.grad.dtype, double.grad.dtype) == (np.float32, np.float64)
    np.testing.assert_allclose(double.grad.data, 1 + 2 * X, rtol=1e-6)


def test_out():
    x = leaf()
    y = x * 1.0
    assert np.multiply(x, x, out=y) is y
    np.add(y, x, out=y)
    y.sum().backward()
    np.testing.assert_allclose(x.grad.data, 2 * X + 1)
    saved = x * 1.0
    z = np.sum(saved ** 2)
    np.exp(x, out=saved)
    with pytest.raises(InPlaceError, match=r"np.exp\(out=…\)"):
        z.backward()


def test_a_function_that_marks_a_view_dirty_has_changed_its_base():
    class Doubled(Function):
        @staticmethod
        def forward(ctx, x):
            x *= 2
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, g):
            return 2 * g

    x = leaf()
    y = x * 1.0
    Doubled.apply(y[:2])
    y.sum().backward()
    assert x.grad.data.tolist() == [2.0, 2.0, 1.0, 1.0]


def test_what_a_function_keeps_as_an_attribute_is_watched_too():
    class Square(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.x = x
            return x * x

        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.x * g

    y = leaf() * 1.0
    z = Square.apply(y).sum()
    y *= 2
    with pytest.raises(InPlaceError, match="Square needs"):
        z.backward()


def test_hooks_stay_and_retained_gradients_go_along():
    y = leaf() * 1.0
    seen = []
    y.register_hook(lambda g: seen.append(g.data.tolist()))
    y.retain_grad()
    y *= 2
    y *= 3
    y.sum().backward()
    assert seen == [[6.0] * 4] and y.grad.data.tolist() == [1.0] * 4


def test_changes_under_no_grad_between_forward_and_backward():
    w = leaf()
    needed, not_needed = np.sum(w * w), np.sum(w + 1)
    with no_grad():
        w += 1
        w[0] = 3.0
    not_needed.backward()
    assert w.grad.data.tolist() == [1.0] * 4
    with pytest.raises(InPlaceError):
        needed.backward()


def test_a_second_walk_after_a_change():
    y = leaf() * 1.0
    z = np.sum(y * y)
    z.backward(retain_graph=True)
    y *= 2
    with pytest.raises(InPlaceError):
        z.backward()


def test_requires_grad_after_a_change():
    v = Variable(np.ones(4))
    v *= 3
    v.requires_grad = True
    np.sum(v * v).backward()
    assert v.grad.data.tolist() == [6.0] * 4


def test_a_volatile_part_makes_the_base_and_its_views_volatile():
    y = leaf() * 1.0
    other, apart = y[1:3], y[2:]
    y[:2].add_(Variable(np.ones(2), volatile=True))
    assert y.volatile and (other * 1).volatile and (apart * 1).requires_grad


def test_parameters_updated_through_data_between_walks():
    w = leaf()
    for _ in range(3):
        w.grad = None
        np.sum(w * w).backward()
        w.data -= 0.25 * w.grad.data
    np.testing.assert_allclose(w.data, X / 8)


def test_a_graph_that_was_partly_freed_is_refused():
    x = leaf()
    y = x * x
    y.sum().backward()
    for allow_unused in (False, True):
        with pytest.raises(GraphFreedError):
            grad((y * x).sum(), x, allow_unused=allow_unused)
    z = leaf()
    assert grad((y * z).sum(), z)[0].data.tolist() == y.data.tolist()  # does not go through it


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


@pytest.mark.parametrize("update", [lambda x: operator.ifloordiv(x, 1), lambda x: operator.imul(x, Variable(2.0, volatile=True))])
def test_an_update_of_a_number_without_a_gradient_leaves_the_leaf(update):
    x = Variable(1.5, requires_grad=True)
    assert update(x) is not x
    (x * x).backward()
    assert x.grad.item() == 3.0


@pytest.mark.parametrize("key", [slice(4, None), slice(0, 0), (slice(None, 0),)])
def test_an_empty_update_of_a_leaf_is_refused_as_any(key):
    x = leaf()
    with pytest.raises(InPlaceError):
        x[key] *= 2
    part = x[key]
    with pytest.raises(InPlaceError):
        part *= 2
    assert x.is_leaf
