"""EAGER_API, section Function: one test for each of its clauses, and the corners of them."""

import gc
import weakref

import numpy as np
import pytest

from sourcediff.eager import Function, Variable, detect_anomaly, grad, no_grad
from sourcediff.errors import GraphFreedError, InPlaceError, MissingRuleError, NonDifferentiableError

from .numbers import agree, second_order_agrees

X = np.array([1.5, -2.0, 0.5])


def leaf(data=X):
    return Variable(np.array(data), requires_grad=True)


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x ** 2


class Scaled(Function):
    """scale * x ** power, with both as attributes."""

    @staticmethod
    def forward(ctx, x, power, scale=1.0):
        ctx.x, ctx.power, ctx.scale = x, power, scale
        return scale * x ** power

    @staticmethod
    def backward(ctx, g):
        return g * (ctx.scale * ctx.power) * ctx.x ** (ctx.power - 1), None


class Product(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * y if ctx.needs_input_grad[0] else None, g * x if ctx.needs_input_grad[1] else None


class Polar(Function):
    """Two outputs."""

    @staticmethod
    def forward(ctx, x, y):
        r = np.hypot(x, y)
        ctx.save_for_backward(x, y, r)
        return r, np.arctan2(y, x)

    @staticmethod
    def backward(ctx, g_r, g_t):
        x, y, r = ctx.saved_tensors
        return g_r * x / r - g_t * y / r ** 2, g_r * y / r + g_t * x / r ** 2


def test_static_forward_on_arrays_and_static_backward_by_apply():
    seen = []

    class Watched(Cube):
        @staticmethod
        def forward(ctx, x):
            seen.append(type(x))
            return Cube.forward(ctx, x)

        @staticmethod
        def backward(ctx, g):
            seen.append(type(g))
            return Cube.backward(ctx, g)

    x = leaf()
    y = Watched.apply(x)
    assert type(y) is Variable and y.grad_fn.name == "Watched"
    y.sum().backward()
    assert seen == [np.ndarray, np.ndarray]
    agree(lambda v: np.sum(Watched.apply(v)), X)


def test_on_plain_arrays_it_is_forward():
    assert type(Cube.apply(X)) is np.ndarray
    np.testing.assert_array_equal(Cube.apply(X), X ** 3)
    r, t = Polar.apply(3.0, 4.0)
    assert r == 5.0 and type(t) is np.float64


def test_saved_tensors_have_the_alias_saved_variables():
    class Both(Function):
        @staticmethod
        def forward(ctx, x):
            assert ctx.saved_tensors == ()
            ctx.save_for_backward(x, None, 3)
            return x ** 3

        @staticmethod
        def backward(ctx, g):
            x, nothing, three = ctx.saved_variables
            assert nothing is None and three == 3 and ctx.saved_tensors[0] is x
            return g * three * x ** 2

    agree(lambda v: np.sum(Both.apply(v)), X)
    second_order_agrees(lambda v: np.sum(Both.apply(v)), X)


def test_needs_input_grad_is_by_position():
    seen = []

    class Needs(Product):
        @staticmethod
        def forward(ctx, x, y):
            seen.append(ctx.needs_input_grad)
            return Product.forward(ctx, x, y)

        @staticmethod
        def backward(ctx, g):
            seen.append(ctx.needs_input_grad)
            return Product.backward(ctx, g)

    Needs.apply(leaf(), Variable(X)).sum().backward()
    Needs.apply(X, leaf()).sum().backward()
    with no_grad():
        Needs.apply(leaf(), leaf())
    Needs.apply(Variable(X, volatile=True), leaf())
    assert seen == [(True, False)] * 2 + [(False, True)] * 2 + [(False, False)] * 2


def test_mark_non_differentiable():
    class Top(Function):
        @staticmethod
        def forward(ctx, x):
            where = np.argmax(x)
            rounded = np.round(x)
            ctx.mark_non_differentiable(where, rounded)
            ctx.save_for_backward(x)
            return x * x, where, rounded

        @staticmethod
        def backward(ctx, g, none, neither):
            (x,) = ctx.saved_tensors
            return 2 * g * x

    x = leaf()
    square, where, rounded = Top.apply(x)
    assert where == 0 and square.requires_grad and not rounded.requires_grad
    (square * rounded).sum().backward()
    np.testing.assert_array_equal(x.grad.data, 2 * X * np.round(X))


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
    assert Double.apply(y) is y
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.data, np.full(3, 6.0))
    with pytest.raises(InPlaceError, match="Double"):
        Double.apply(leaf())

    y = x * 3
    z = y * y
    Double.apply(y)
    with pytest.raises(InPlaceError, match="Double"):
        z.sum().backward()  # needs what y was

    y = x * 3
    z = y * y
    with no_grad():
        assert Double.apply(y) is y
    with pytest.raises(InPlaceError, match="Double"):
        z.sum().backward()

    class Elsewhere(Double):
        @staticmethod
        def forward(ctx, x):
            return Double.forward(ctx, x) + 1

    with pytest.raises(InPlaceError, match=r"Elsewhere(.|\n)*return"):
        Elsewhere.apply(x * 3)


def test_ctx_takes_any_attribute_and_keyword_arguments_reach_forward():
    agree(lambda v: np.sum(Scaled.apply(v, 3, scale=2.0)), X)
    second_order_agrees(lambda v: np.sum(Scaled.apply(v, 3, scale=2.0)), X)
    with pytest.raises(MissingRuleError, match="positional"):
        Scaled.apply(X, 3, scale=leaf(2.0))
    assert not Scaled.apply(leaf().detach(), 3, scale=Variable(2.0)).requires_grad


def test_several_outputs():
    y = X + 3
    agree(lambda u, v: np.sum(np.sin(Polar.apply(u, v)[0]) * Polar.apply(u, v)[1]), X, y)
    agree(lambda u, v: np.sum(np.stack(list(Polar.apply(u, v))) ** 2), X, y)
    second_order_agrees(lambda u, v: np.sum(Polar.apply(u, v)[0] * np.sin(Polar.apply(u, v)[1])), X, y)


def test_an_output_that_is_not_used_contributes_zero():
    for index in (0, 1):
        agree(lambda u, v, index=index: np.sum(Polar.apply(u, v)[index] ** 2), X, X + 3)
        second_order_agrees(lambda u, v, index=index: np.sum(Polar.apply(u, v)[index] ** 2), X, X + 3)


def test_a_list_of_outputs_or_gradients_is_as_good_as_a_tuple():
    class Listed(Polar):
        @staticmethod
        def forward(ctx, x, y):
            return list(Polar.forward(ctx, x, y))

        @staticmethod
        def backward(ctx, *g):
            return list(Polar.backward(ctx, *g))

    agree(lambda u, v: np.sum(Listed.apply(u, v)[0] * Listed.apply(u, v)[1]), X, X + 3)


def test_none_for_an_input_without_gradient_and_none_as_an_input():
    class Biased(Function):
        @staticmethod
        def forward(ctx, x, bias, name):
            assert name == "b"
            return 2 * x if bias is None else 2 * x + bias

        @staticmethod
        def backward(ctx, g):
            return 2 * g, None, None

    x = leaf()
    Biased.apply(x, None, "b").sum().backward()
    Biased.apply(x, X, "b").sum().backward()
    np.testing.assert_array_equal(x.grad.data, np.full(3, 4.0))
    b = leaf()
    (Biased.apply(x, b, "b") + b).sum().backward()  # None where a gradient was needed is a zero
    np.testing.assert_array_equal(b.grad.data, np.ones(3))


def test_under_create_graph_backward_gets_variables_and_is_differentiable_in_turn():
    seen = []

    class Watched(Cube):
        @staticmethod
        def backward(ctx, g):
            seen.extend([type(g), type(ctx.saved_tensors[0])])
            return Cube.backward(ctx, g)

    x = leaf()
    y = Watched.apply(x)
    (first,) = grad(y.sum(), x, create_graph=True)
    assert seen == [Variable, Variable]
    (second,) = grad(first.sum(), x, create_graph=True)
    (third,) = grad(second.sum(), x, create_graph=True)
    np.testing.assert_allclose(second.data, 6 * X)
    np.testing.assert_allclose(third.data, np.full(3, 6.0))
    for function in (Cube.apply, lambda v: Product.apply(v, v), lambda v: Product.apply(v, np.sin(v)), lambda v: Scaled.apply(v, 3)):
        second_order_agrees(lambda v, function=function: np.sum(np.sin(function(v))), X)


def test_the_same_array_as_input_and_as_constant_are_told_apart():
    x = leaf()
    for y in (Product.apply(x, x.detach()), Product.apply(x.detach(), x), Product.apply(x, x.data)):
        (first,) = grad((y * y).sum(), x, create_graph=True)
        (second,) = grad(first.sum(), x)
        np.testing.assert_allclose(first.data, 2 * X ** 3)
        np.testing.assert_allclose(second.data, 2 * X ** 2)  # of x² c², where c is a constant
    number = 2.0
    x = Variable(number, requires_grad=True)
    (first,) = grad(Product.apply(x, number) ** 2, x, create_graph=True)
    (second,) = grad(first, x)
    assert (first.item(), second.item()) == (16.0, 8.0)


def test_what_backward_reads_unrecorded_is_refused_when_it_is_to_be_differentiated():
    class ByAttribute(Cube):
        @staticmethod
        def forward(ctx, x):
            ctx.square = x * x
            return x ** 3

        @staticmethod
        def backward(ctx, g):
            return 3 * g * ctx.square

    class InAList(ByAttribute):
        @staticmethod
        def forward(ctx, x):
            ctx.square = [x * x]
            return x ** 3

        @staticmethod
        def backward(ctx, g):
            return 3 * g * ctx.square[0]

    class ANumber(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.total = np.sum(x)
            return np.sum(x) ** 2

        @staticmethod
        def backward(ctx, g):
            return np.full(3, 2 * g * ctx.total) if isinstance(g, np.generic) else np.broadcast_to(2 * g * ctx.total, 3)

    class Saved(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x * x)
            return x ** 3

        @staticmethod
        def backward(ctx, g):
            return 3 * g * ctx.saved_tensors[0]

    for function in (ByAttribute, InAList, ANumber, Saved):
        x = leaf()
        grad(function.apply(x).sum(), x)
        with pytest.raises(MissingRuleError, match=rf"{function.__name__}\.backward(.|\n)*inputs and outputs"):
            grad(function.apply(x).sum(), x, create_graph=True)


def test_what_ctx_holds_is_watched_for_changes_and_freed():
    class ByAttribute(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.x = x
            ctx.parts = [x, {"x": x}]
            return x ** 3

        @staticmethod
        def backward(ctx, g):
            return g * ctx.x * (ctx.parts[0] + 2 * ctx.parts[1]["x"])

    x = leaf()
    agree(lambda v: np.sum(ByAttribute.apply(v)), X)
    y = x * 1.0
    z = ByAttribute.apply(y)
    y += 1
    with pytest.raises(InPlaceError, match=r"ByAttribute(.|\n)*\+="):
        z.sum().backward()

    class InAList(ByAttribute):
        @staticmethod
        def forward(ctx, x):
            ctx.parts = [x]
            return x ** 2

        @staticmethod
        def backward(ctx, g):
            return 2 * g * ctx.parts[0]

    y = x * 1.0
    z = InAList.apply(y)
    y += 1  # a list is kept as it was
    (g,) = grad(z.sum(), x)
    np.testing.assert_array_equal(g.data, 2 * X)

    y = x * 1.0
    alive = weakref.ref(y.data)
    z = Scaled.apply(y, 2).sum()
    del y
    assert alive() is not None
    z.backward()
    assert alive() is None


def test_a_wrong_number_or_shape_of_gradients_raises_naming_the_class():
    def made(gradients):
        class Wrong(Function):
            @staticmethod
            def forward(ctx, x, y):
                return x + y

            @staticmethod
            def backward(ctx, g):
                return gradients(g)

        return Wrong

    for gradients, said in (
        (lambda g: g, r"Wrong\.backward returned 1 gradients for 2 arguments"),
        (lambda g: (g, g, g), r"Wrong\.backward returned 3 gradients for 2 arguments"),
        (lambda g: (g[:2], g), r"Wrong\.backward returned a gradient of shape \(2,\) for an argument of shape \(3,\)"),
        (lambda g: (g, g[0]), r"Wrong\.backward returned a gradient of shape \(\)"),
        (lambda g: (g, "text"), r"Wrong\.backward returned a str"),
    ):
        for create_graph in (False, True):
            x, y = leaf(), leaf()
            with pytest.raises(NonDifferentiableError, match=said):
                grad(made(gradients).apply(x, y).sum(), [x, y], create_graph=create_graph)
    x, y = leaf(), leaf()
    grad(made(lambda g: (g, g, None)).apply(x, y).sum(), [x, y])  # further Nones do no harm


def test_gradients_have_the_dtype_of_their_argument():
    class Wide(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return np.asarray(g, np.float64) * 2

    x = leaf(X.astype(np.float32))
    Wide.apply(x).sum().backward()
    assert x.grad.dtype == np.float32 and x.grad.data.tolist() == [2.0, 2.0, 2.0]


def test_the_old_style_is_refused_with_a_line_saying_what_to_write():
    class Old(Function):
        def forward(self, x):
            return x

        def backward(self, g):
            return g

    with pytest.raises(NonDifferentiableError, match=r"old style(.|\n)*static(.|\n)*Old\.apply"):
        Old()(leaf())
    with pytest.raises(NonDifferentiableError, match=r"Old\.forward is not static(.|\n)*@staticmethod"):
        Old.apply(leaf())

    class Half(Function):
        @staticmethod
        def forward(ctx, x):
            return x

    with pytest.raises(NotImplementedError, match="backward"):
        Half.apply(leaf()).sum().backward()


def test_an_input_returned_unchanged():
    class Reversed(Function):
        """The identity, whose gradient is turned round."""

        @staticmethod
        def forward(ctx, x, strength):
            ctx.strength = strength
            return x

        @staticmethod
        def backward(ctx, g):
            return -ctx.strength * g, None

    x = leaf()
    y = Reversed.apply(x, 0.5)
    assert y is not x and y.grad_fn.name == "Reversed" and x.is_leaf
    (y * X).sum().backward()
    np.testing.assert_array_equal(x.grad.data, -0.5 * X)
    assert not Reversed.apply(Variable(X), 0.5).requires_grad


def test_used_twice_in_one_graph_each_has_its_own_ctx():
    agree(lambda v: np.sum(Scaled.apply(Scaled.apply(v, 3), 2, scale=0.5) * Cube.apply(Cube.apply(v))), X / 2 + 0.2)
    second_order_agrees(lambda v: np.sum(Scaled.apply(Scaled.apply(v, 3), 2, scale=0.5)), X)


def test_a_subclass_of_a_subclass():
    class Middle(Cube):
        pass

    class Negative(Middle):
        @staticmethod
        def backward(ctx, g):
            return -Cube.backward(ctx, g)

    x = leaf()
    y = Negative.apply(x)
    assert y.grad_fn.name == "Negative"
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.data, -3 * X ** 2)
    agree(lambda v: np.sum(Middle.apply(v)), X)


def test_backward_may_run_twice_and_what_it_does_to_ctx_is_its_own():
    class Counting(Cube):
        @staticmethod
        def forward(ctx, x):
            ctx.calls = 0
            return Cube.forward(ctx, x)

        @staticmethod
        def backward(ctx, g):
            ctx.calls += 1
            assert ctx.calls == 1
            made = Cube.backward(ctx, g)
            ctx.save_for_backward()
            return made

    x = leaf()
    y = Counting.apply(x).sum()
    y.backward(retain_graph=True)
    (first,) = grad(y, x, create_graph=True)
    y.backward()
    np.testing.assert_array_equal(x.grad.data, 6 * X ** 2)
    np.testing.assert_array_equal(first.data, 3 * X ** 2)
    with pytest.raises(GraphFreedError, match="retain_graph"):
        y.backward()


def test_a_graph_with_functions_dies_by_reference_counting_also_after_a_recorded_walk():
    gc.disable()
    try:
        x = leaf()
        y = Cube.apply(Scaled.apply(x, 2))
        (first,) = grad(y.sum(), x, create_graph=True)
        dead = [weakref.ref(v.grad_fn) for v in (y, first)]
        del y, first
        assert [reference() for reference in dead] == [None, None]
    finally:
        gc.enable()


def test_an_anomaly_in_a_function_names_its_class_and_line():
    class Broken(Function):
        @staticmethod
        def forward(ctx, x):
            return x + 1

        @staticmethod
        def backward(ctx, g):
            return g * np.nan

    with detect_anomaly(), pytest.raises(Exception, match=r"Broken gave nan(.|\n)*test_api_function.py:[0-9]+: Broken.apply"):
        Broken.apply(leaf()).sum().backward()
