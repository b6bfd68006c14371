"""What attacks on the engine have found, each with the smallest program that showed it."""

import sys
from collections import Counter

import numpy as np
import pytest

from sourcediff.eager import Function, Variable, grad, no_grad
from sourcediff.errors import InPlaceError, MissingRuleError, NonDifferentiableError

W = np.array([1.0, 2.0, 3.0])


class Weighted(Function):
    """sum(W x), whose backward returns an array that is not its own to give away."""

    @staticmethod
    def forward(ctx, x):
        return (x * W).sum()

    @staticmethod
    def backward(ctx, g):
        return W


def leaf():
    return Variable(np.array([0.5, -1.0, 2.0]), requires_grad=True)


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_gradient_is_never_the_array_that_a_function_returned(create_graph):
    x = leaf()
    Weighted.apply(x).backward(create_graph=create_graph)
    x.grad.data[...] = 0
    assert W.tolist() == [1, 2, 3]


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("given", [W, Variable(W)])
def test_a_gradient_is_never_the_array_that_a_hook_returned(given, create_graph):
    x = leaf()
    x.register_hook(lambda g: given)
    (x * x).sum().backward(create_graph=create_graph)
    assert x.grad.data.tolist() == [1, 2, 3]
    x.grad.data[...] = 0
    assert W.tolist() == [1, 2, 3]


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_retained_gradient_is_its_own(create_graph):
    x = leaf()
    y = x + 1
    y.retain_grad()
    y.sum().backward(create_graph=create_graph)
    y.grad.data[...] = 7
    assert x.grad.data.tolist() == [1, 1, 1]


def test_a_view_that_was_taken_again_keeps_its_gradient():
    x = leaf()
    y = x * 1
    view = y[1:]
    view.retain_grad()
    y *= 2
    (view * 3).sum().backward()
    assert view.grad.data.tolist() == [3, 3]


def test_a_leaf_that_requires_grad_again_gets_what_was_recorded_before():
    x = leaf()
    y = (x * x).sum()
    x.requires_grad = False
    x.requires_grad = True
    y.backward()
    assert x.grad.data.tolist() == [1, -2, 4]


@pytest.mark.parametrize("number", [3.0, np.float32(3)])
def test_a_parameter_that_is_a_number_is_updated_without_a_graph(number):
    x = Variable(number, requires_grad=True)
    same, y = x, x * x
    with no_grad():
        x -= 0.5
    assert x is same and x.requires_grad and x.item() == 2.5 and type(x.data) is type(number)
    y.backward()
    assert x.grad.item() == 6
    assert (x.__iadd__(1)).grad_fn is not None  # recorded as any sum


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("seed", [np.array([1, 2, 3]), np.array([0.1, 0.2, 0.3], np.float32)])
def test_the_seed_is_of_the_dtype_of_what_it_weighs(seed, create_graph):
    x = leaf()
    seen = []
    y = x / 3
    y.register_hook(lambda g: seen.append(g.dtype))
    y.backward(Variable(seed), create_graph=create_graph)
    assert seen == [np.float64]
    np.testing.assert_array_equal(x.grad.data, seed.astype(float) / 3)


def test_constants_in_memory_that_was_written_to_take_part_in_second_order():
    x = leaf()
    buffer = Variable(np.zeros(3))
    buffer[...] = x * 2
    constant = buffer.data
    first, = grad((x * x * constant).sum(), x, create_graph=True)
    np.testing.assert_array_equal(grad(first.sum(), x)[0].data, 2 * constant)
    first, = grad(x * x, x, constant, create_graph=True)
    np.testing.assert_array_equal(grad(first.sum(), x)[0].data, 2 * constant)


@pytest.mark.parametrize("create_graph", [False, True])
def test_gradients_are_recorded_if_asked_for_also_where_nothing_else_is(create_graph):
    x, y = leaf(), leaf()
    total = ((x + y) ** 3).sum()
    with no_grad():
        first, second = grad(total, [x, y], create_graph=create_graph, retain_graph=True)
        total.backward(create_graph=create_graph, retain_graph=True)
        total.backward(create_graph=create_graph)
    assert [g.requires_grad for g in (first, second, x.grad, y.grad)] == [create_graph] * 4


def test_what_a_function_gives_back_as_it_is_follows_it():
    x = Variable(np.array([[1.0, 2.0]]), requires_grad=True)
    y = x * 1
    same = np.atleast_2d(y)  # the very array
    y *= 3
    (same * same).sum().backward()
    assert x.grad.data.tolist() == [[18, 36]]


def test_views_of_an_array_without_axes_are_followed():
    x = Variable(2.0, requires_grad=True)
    cell = Variable(np.array(1.0))
    view = np.atleast_2d(cell)
    view *= x
    flat = cell.reshape(1)
    flat += view[0]
    assert cell.data == 4
    (cell * cell).backward()
    assert x.grad.item() == 16


def test_an_order_by_position_is_read_as_one():
    x = Variable(np.arange(6.0).reshape(2, 3), requires_grad=True)
    np.testing.assert_array_equal(np.reshape(x, (3, 2), "C").data, np.reshape(x.data, (3, 2)))
    np.testing.assert_array_equal(np.reshape(x, (3, 2), "F").data, np.reshape(x.data, (3, 2), "F"))
    with pytest.raises(MissingRuleError, match="order='A'"):
        np.reshape(x, (3, 2), "A")


def test_the_sum_of_integers_is_a_variable_as_their_sums_are():
    x = Variable(np.array([[1, 2], [3, 4]]))
    assert isinstance(x.sum(0), Variable) and isinstance(x.sum(), Variable) and x.sum().data == 10


def test_a_long_chain_of_views_costs_the_same_for_each_while_memory_is_rewritten():
    x = Variable(np.ones((3, 3)), requires_grad=True)
    buffer = Variable(np.zeros((3, 3)))
    buffer[...] = x

    def calls(count):
        view, seen = x, Counter()
        sys.setprofile(lambda frame, event, argument: seen.update([event]))
        try:
            for _ in range(count):
                view = view.T
        finally:
            sys.setprofile(None)
        return seen["call"] + seen["c_call"]

    calls(10)
    assert calls(800) < 9 * calls(100)


class Doubled(Function):
    """2x, whose backward writes to the gradient that it is given."""

    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, g):
        g *= 2
        return g


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_function_cannot_write_to_the_gradient_that_others_get_too(create_graph):
    x, y = leaf(), leaf()
    with pytest.raises(InPlaceError, match=r"Doubled\.backward"):
        (Doubled.apply(x) + y).sum().backward(create_graph=create_graph)


def test_a_hook_cannot_write_to_a_recorded_gradient_either():
    x, y = leaf(), leaf()
    x.register_hook(lambda g: g.mul_(2))
    with pytest.raises(InPlaceError, match="a hook"):
        (x + y).sum().backward(create_graph=True)


@pytest.mark.parametrize("returned", [
    lambda x: {"double": 2 * x}, lambda x: (x * 1, [2 * x]), lambda x: 2 * x * Variable(W, requires_grad=True),
])
def test_results_of_a_function_that_could_not_be_recorded_are_refused(returned):
    class Odd(Function):
        @staticmethod
        def forward(ctx, x):
            return returned(x)

    with pytest.raises(NonDifferentiableError, match=r"Odd\.forward returned"):
        Odd.apply(leaf())


def test_a_gradient_that_holds_no_numbers_is_refused():
    class Odd(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return np.array(["a", "b", "c"])

    with pytest.raises(NonDifferentiableError, match=r"Odd\.backward returned an array of <U1"):
        Odd.apply(leaf()).sum().backward()
