"""NumPy functions in PyTorch, and PyTorch's in NumPy."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import sourcediff

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'sourcediff[torch]'")

from sourcediff.errors import ComplexError, DeviceError, NonDifferentiableError, RuleError  # noqa: E402
from sourcediff.interop.torch import function, rule  # noqa: E402

from .programs import X, Y, in_place, number, of_mixed, product, returned, reversed_, several, structured, waves  # noqa: E402


def leaf(array, **options):
    return torch.tensor(array, dtype=options.pop("dtype", torch.float64), requires_grad=True, **options)


@pytest.mark.parametrize("f", [product, number, several])
def test_first_and_second_derivatives(f):
    g = function(f)
    for _ in range(2):  # of a function that returns one number, the second call computes the gradient with the value
        assert torch.autograd.gradcheck(g, (leaf(X), leaf(Y)))
        assert torch.autograd.gradgradcheck(g, (leaf(X), leaf(Y)))
    assert torch.autograd.gradgradcheck(g, (leaf(X), torch.tensor(Y)))


def test_structures_and_what_is_no_tensor():
    g = function(structured)
    w, y = leaf(X), leaf(Y)
    found = g({"w": w}, y=y)
    assert found["count"] == 3 and found["rest"][1].dtype == torch.int64 and found["number"].requires_grad
    assert torch.autograd.gradgradcheck(lambda w, y: (g({"w": w}, y)["number"], g({"w": w}, y)["rest"][0]), (w, y))
    half = {"w": w}, torch.tensor(Y)
    (gradient,) = torch.autograd.grad(g(*half)["number"], w)
    np.testing.assert_allclose(gradient, 2 * X * Y)


def test_third_derivatives():
    x = leaf([2.0, 3.0])
    found = function(lambda x: x**4)(x)
    for factor in (4, 12, 24):
        (found,) = torch.autograd.grad(found.sum(), x, create_graph=True)
        np.testing.assert_allclose(found.detach(), factor * x.detach() ** (3 - (factor > 4) - (factor > 12)))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_dtypes_and_numbers(dtype):
    u, rate = leaf(np.linspace(0, 1, 5), dtype=dtype), leaf(0.3, dtype=dtype)
    value = function(waves)(u, rate, 4)
    value.backward()
    assert value.dtype == u.grad.dtype == rate.grad.dtype == dtype and rate.grad.shape == ()
    plain = sourcediff.grad(waves, (0, 1))(u.detach().numpy().astype(float), rate.item(), 4)
    np.testing.assert_allclose(u.grad, plain[0], rtol=1e-5)
    np.testing.assert_allclose(rate.grad, plain[1], rtol=1e-5)


def test_memory_is_shared_where_it_can_be():
    seen = []

    def f(x):
        seen.append(x)
        return x * 2

    x = torch.tensor(X)
    function(f)(x)
    assert np.shares_memory(seen[0], x.numpy()) and not seen[0].flags.writeable
    whole = leaf(np.arange(6.0).reshape(2, 3))
    for g in function(returned), function(reversed_), function(np.transpose):
        found = g(whole)
        assert not np.shares_memory(found.detach().numpy(), whole.detach().numpy())
        assert torch.autograd.gradgradcheck(g, (whole,)) and torch.autograd.gradgradcheck(g, (whole.T,))


def test_what_is_changed_in_between_does_not_change_the_gradient():
    g = function(np.exp)
    x = leaf(np.zeros(3))
    y = g(x)
    y.mul_(2)
    with torch.no_grad():
        x += 1
    y.sum().backward()
    np.testing.assert_array_equal(x.grad, np.full(3, 2.0))
    y = g(x)
    with torch.no_grad():
        x += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        torch.autograd.grad(y.sum(), x, create_graph=True)


def test_backward_twice():
    g, x = function(lambda x: np.sum(x**2)), leaf(X)
    for _ in range(2):
        value = g(x)
        (first,) = torch.autograd.grad(value, x, retain_graph=True)
        first += 1
        (second,) = torch.autograd.grad(3 * value, x, retain_graph=True)
        np.testing.assert_allclose(second, 6 * X)
    with torch.no_grad():
        x += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):  # it would be computed again
        torch.autograd.grad(value, x)


def test_backward_twice_when_the_function_has_returned_an_array_meanwhile():
    g, x = function(lambda x: np.sum(x**2, axis=0)), leaf(X)
    _, value, _ = g(x), g(x), g(leaf(np.eye(2)))
    for _ in range(2):
        np.testing.assert_allclose(torch.autograd.grad(value, x, retain_graph=True)[0], 2 * X)


def test_a_zero_cotangent_stays_zero_where_the_derivative_is_infinite():
    g, x = function(lambda x: np.sum(np.sqrt(x))), leaf([0.0, 1.0])
    for _ in range(2):
        with np.errstate(divide="ignore"):
            (gradient,) = torch.autograd.grad(0 * g(x), x)
        np.testing.assert_array_equal(gradient, [0.0, 0.0])


def test_a_result_that_is_sometimes_a_number():
    g = function(lambda x: np.sum(x, axis=0) ** 2)
    for shape in ((3,), (3, 2), (3,), (3, 2)):
        assert torch.autograd.gradcheck(g, (torch.randn(shape, dtype=torch.float64, requires_grad=True),))


def test_integers_and_constants():
    g, x = function(lambda x, i, scale: np.sum(x[i] ** 2) * scale), leaf(np.arange(4.0))
    (gradient,) = torch.autograd.grad(g(x, torch.tensor([1, 2, 2]), 0.5), x)
    np.testing.assert_array_equal(gradient, [0.0, 1.0, 4.0, 0.0])
    with torch.no_grad():
        assert not g(x, torch.tensor([1]), scale=2.0).requires_grad


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.zeros(2))
        self.layer = function(lambda x, w: np.tanh(x @ w))

    def forward(self, x):
        return self.layer(x, self.w)


@pytest.mark.parametrize("optimiser", [functools.partial(torch.optim.Adam, lr=0.1), functools.partial(torch.optim.LBFGS, max_iter=40)])
def test_a_module_under_an_optimiser(optimiser):
    torch.manual_seed(0)
    x = torch.randn(20, 2)
    expected = torch.tensor([1.0, -1.0])
    model = Model()
    method = optimiser(model.parameters())

    def closure():
        method.zero_grad()
        loss = torch.mean((model(x) - torch.tanh(x @ expected)) ** 2)
        loss.backward()
        return loss

    for _ in range(150 if isinstance(method, torch.optim.Adam) else 1):
        method.step(closure)
    assert torch.allclose(model.w, expected, atol=1e-2)


def test_what_is_refused():
    x = leaf(X)
    for needed in x, x.detach():
        with pytest.raises(ValueError, match="read-only"):
            function(in_place)(needed)
    for tensor in x.to("meta"), x.to(torch.bfloat16), torch.eye(2).to_sparse():
        with pytest.raises(DeviceError, match=r"NumPy cannot read a tensor of .*\n(.*\n)*  instead: give a dense tensor"):
            function(product)(tensor, x)
    with pytest.raises(ComplexError):
        function(returned)(torch.ones(2, dtype=torch.complex64))
    for f in (lambda x: x * 1j), (lambda x: complex(np.sum(x))):
        with pytest.raises(ComplexError):
            function(f)(x.detach())
    with pytest.raises(NonDifferentiableError, match="flag of f can be given by keyword only"):
        def f(x, *, flag=True):
            return x
        function(f)(x, flag=False)


# The other way round


def mixed(x, y):
    return torch.sin(x) * y + y**3


def polar(z, g):
    return torch.hypot(z, g), torch.atan2(g, z)


def test_a_function_of_torch_in_numpy_functions():
    of_numpy, to_polar = rule(mixed), rule(polar, outputs=2)

    def f(x, y):
        r, angle = to_polar(x, y)
        return np.sum(of_numpy(r, angle) * of_numpy(x, y))

    for mode in "compiled", "eager":
        np.testing.assert_allclose(sourcediff.grad(f, (0, 1), mode=mode)(X, Y), sourcediff.grad(of_mixed, (0, 1))(X, Y))
        np.testing.assert_allclose(sourcediff.jvp(f, (X, Y), (Y, X), mode=mode), sourcediff.jvp(of_mixed, (X, Y), (Y, X)))
        np.testing.assert_allclose(sourcediff.hessian(f, mode=mode)(X, Y), sourcediff.hessian(of_mixed)(X, Y))
        np.testing.assert_allclose(sourcediff.hvp(f, mode=mode)(X, Y, Y), sourcediff.hvp(of_mixed)(X, Y, Y))


def test_such_a_rule_is_right():
    for of_numpy in rule(mixed), rule(polar, outputs=2):
        assert "second order" in str(sourcediff.check_rule(of_numpy, X, Y))
    only = rule(lambda x, n: torch.cumsum(x, 0) ** n, wrt=["x"])
    assert "both modes" in str(sourcediff.check_rule(only, X, 2))
    view = rule(lambda x: x)
    assert not np.shares_memory(view(X), X)


def test_a_module_says_what_it_takes():
    with pytest.raises(RuleError, match="wrap it in a function"):
        rule(torch.nn.Linear(2, 2))
