"""EAGER_API, "Function"."""

import numpy as np
import pytest

from sourcediff.eager import Function, Variable, grad, no_grad
from sourcediff.errors import InPlaceError, MissingRuleError, NonDifferentiableError

X = np.array([1.5, -2.0, 0.5])


class Cube(Function):
    @staticmethod
    def forward(ctx, x, scale=1.0):
        assert isinstance(x, np.ndarray)
        ctx.save_for_backward(x)
        ctx.scale = scale
        return scale * x ** 3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        assert ctx.saved_variables == ctx.saved_tensors
        return g * (3 * ctx.scale) * x ** 2


class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        z = np.exp(x)
        ctx.save_for_backward(z)
        return z

    @staticmethod
    def backward(ctx, g):
        (z,) = ctx.saved_tensors
        return g * z


class ProductAndSum(Function):
    @staticmethod
    def forward(ctx, x, y, n):
        ctx.save_for_backward(x, y)
        ctx.needs = ctx.needs_input_grad
        return x * y * n, x + y

    @staticmethod
    def backward(ctx, g, h):
        x, y = ctx.saved_tensors
        return g * y * 2 + h, g * x * 2 + h, None


def leaf(array=X):
    return Variable(np.array(array), requires_grad=True)


def test_forward_on_arrays_and_backward():
    x = leaf()
    y = Cube.apply(x, scale=2.0)
    assert y.grad_fn.name == "Cube"
    np.testing.assert_array_equal(y.data, 2 * X ** 3)
    y.sum().backward()
    np.testing.assert_allclose(x.grad.data, 6 * X ** 2)


def test_several_outputs_and_none_for_a_number():
    x, y = leaf(), leaf(X + 1)
    p, s = ProductAndSum.apply(x, y, 2)
    gx, gy = grad((p * s).sum(), [x, y])
    a, b = X, X + 1
    np.testing.assert_allclose(gx.data, 2 * b * (a + b) + 2 * a * b)
    np.testing.assert_allclose(gy.data, 2 * a * (a + b) + 2 * a * b)
    x, y = leaf(), leaf(X + 1)
    p, s = ProductAndSum.apply(x, y, 2)
    (gx,) = grad(s.sum(), x)  # the other output is not used: its adjoint is zero
    np.testing.assert_array_equal(gx.data, np.ones(3))


def test_needs_input_grad():
    seen = []

    class Watch(Function):
        @staticmethod
        def forward(ctx, x, y, n):
            seen.append(ctx.needs_input_grad)
            return x + y

        @staticmethod
        def backward(ctx, g):
            return g, g, None

    Watch.apply(leaf(), Variable(X), 3)
    with no_grad():
        assert not Watch.apply(leaf(), leaf(), 3).requires_grad
    assert seen == [(True, False, False), (False, False, False)]


@pytest.mark.parametrize("function, expected", [(Cube.apply, 6 * X), (Exp.apply, np.exp(X))])
def test_differentiable_in_turn(function, expected):
    x = leaf()
    (first,) = grad(function(x).sum(), x, create_graph=True)
    (second,) = grad(first.sum(), x)
    np.testing.assert_allclose(second.data, expected)


def test_second_order_through_several_outputs():
    x, y = leaf(), leaf(X + 1)
    p, s = ProductAndSum.apply(x, y, 2)
    (first,) = grad((p * s).sum(), x, create_graph=True)
    (second,) = grad(first.sum(), x)
    np.testing.assert_allclose(second.data, 4 * (X + 1))


def test_what_backward_reads_unrecorded_cannot_be_differentiated_silently():
    class Hidden(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.square = x * x
            return x ** 3

        @staticmethod
        def backward(ctx, g):
            return 3 * g * ctx.square

    class Inner(Cube):
        @staticmethod
        def forward(ctx, x):
            ctx.scale = 1.0
            ctx.save_for_backward(np.abs(x))
            return x ** 3

    for function, what in ((Hidden, "ctx.square"), (Inner, "something that Inner.forward saved")):
        x = leaf()
        np.testing.assert_allclose(grad(function.apply(x).sum(), x)[0].data, 3 * X ** 2)
        with pytest.raises(MissingRuleError, match=what):
            grad(function.apply(x).sum(), x, create_graph=True)


def test_wrong_numbers_and_shapes_name_the_class():
    class TooFew(Function):
        @staticmethod
        def forward(ctx, x, y):
            return x + y

        @staticmethod
        def backward(ctx, g):
            return g

    class WrongShape(Function):
        @staticmethod
        def forward(ctx, x):
            return x + 1

        @staticmethod
        def backward(ctx, g):
            return g[:2]

    with pytest.raises(NonDifferentiableError, match=r"TooFew.backward returned 1 gradients for 2 arguments"):
        TooFew.apply(leaf(), leaf()).sum().backward()
    with pytest.raises(NonDifferentiableError, match=r"WrongShape.backward returned a gradient of shape \(2,\)"):
        WrongShape.apply(leaf()).sum().backward()


def test_none_is_a_zero():
    class Stop(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return None

    x = leaf()
    (Stop.apply(x) + x).sum().backward()
    np.testing.assert_array_equal(x.grad.data, np.ones(3))


def test_mark_non_differentiable():
    class Split(Function):
        @staticmethod
        def forward(ctx, x):
            top = np.floor(x)
            ctx.mark_non_differentiable(top)
            return x - top, top

        @staticmethod
        def backward(ctx, g, none):
            return g

    rest, top = Split.apply(leaf())
    assert rest.requires_grad and not top.requires_grad


def test_mark_dirty():
    class Double(Function):
        @staticmethod
        def forward(ctx, x):
            x *= 2
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, g):
            return 2 * g

    x = leaf()
    y = x * 3
    z = Double.apply(y)
    assert z is y
    np.testing.assert_array_equal(y.data, 6 * X)
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.data, np.full(3, 6.0))
    with pytest.raises(InPlaceError, match="Double"):
        Double.apply(leaf())


def test_old_styles_are_refused_with_what_to_write():
    class Old(Function):
        def forward(self, x):
            return x

        def backward(self, g):
            return g

    with pytest.raises(NonDifferentiableError, match=r"Old\.apply"):
        Old()(leaf())
    with pytest.raises(NonDifferentiableError, match="@staticmethod"):
        Old.apply(leaf())
    with pytest.raises(MissingRuleError, match="positional"):
        Cube.apply(X, scale=leaf(2.0))
