"""The hot path remembers the shape and dtype of what stands at a node: gradients have those of what they belong to all the same."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from sourcediff import Variable, autograd
from tests.sampling import sampled

SHAPES = [(), (1,), (3,), (2, 1), (1, 3), (2, 3), (1, 2, 3), (2, 2, 3), (0, 3)]
DTYPES = [np.float16, np.float32, np.float64, np.longdouble]


@sampled(2, "left, right", SHAPES, SHAPES, ids=str)
def test_contributions_have_the_shape_of_their_operand(left, right):
    x, y = Variable(np.full(left, 2.0), requires_grad=True), Variable(np.full(right, 3.0), requires_grad=True)
    try:
        shape = np.broadcast_shapes(left, right)
    except ValueError:
        with pytest.raises(ValueError):
            x + y
        return
    once = x * y + y  # the second time the kinds are known
    twice = once * y - x
    twice.backward(np.ones(shape))
    repeats_x, repeats_y = np.ones(shape).size / max(x.numel(), 1), np.ones(shape).size / max(y.numel(), 1)
    np.testing.assert_array_equal(x.grad.data, np.full(left, (9.0 - 1) * repeats_x))  # d(x y² + y² - x)
    np.testing.assert_array_equal(y.grad.data, np.full(right, (2 * 2 * 3 + 2 * 3.0) * repeats_y))


@pytest.mark.parametrize("left, right", [*itertools.product(DTYPES, repeat=2)], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("shape", [(3,), (2, 3)])
def test_gradients_have_the_dtype_of_their_operand(left, right, shape):
    x, y = Variable(np.ones(shape, left), requires_grad=True), Variable(np.ones(3, right), requires_grad=True)
    w = Variable(np.ones((3, 3), right), requires_grad=True)
    z = ((x + y) * y) @ w + y
    assert z.dtype == np.result_type(left, right)
    z.sum().backward()
    assert [v.grad.dtype for v in (x, y, w)] == [left, right, right]
    assert [v.grad.shape for v in (x, y, w)] == [shape, (3,), (3, 3)]


def test_a_function_that_changes_the_dtype_is_followed():
    x = Variable(np.ones(3, np.float32), requires_grad=True)
    z = np.float_power(x, x)
    assert z.dtype == np.float64
    z.sum().backward()
    assert x.grad.dtype == np.float32
    np.testing.assert_allclose(x.grad.data, 1.0)


def test_data_of_another_shape_are_seen_by_the_next_operation():
    w = Variable(np.ones(3), requires_grad=True)
    assert (w + Variable(np.ones(3))).shape == (3,)
    w.data = np.ones((2, 3), np.float32)
    (w * np.arange(3.0)).sum().backward()
    np.testing.assert_array_equal(w.grad.data, np.tile(np.arange(3.0), (2, 1)))
    assert w.grad.dtype == np.float32


def test_a_sum_of_contributions_never_writes_to_somebody_elses_array():
    seed = np.ones(3)
    x = Variable(np.zeros(3), requires_grad=True)
    y = x + 0.0
    z = y + x + y + x + x
    first, second = autograd.grad(z, (x, y), grad_outputs=seed, retain_graph=True)
    np.testing.assert_array_equal(seed, np.ones(3))
    np.testing.assert_array_equal(first.data, np.full(3, 5.0))
    np.testing.assert_array_equal(second.data, np.full(3, 2.0))
    z.backward(seed)
    np.testing.assert_array_equal(seed, np.ones(3))
    np.testing.assert_array_equal(x.grad.data, first.data)
