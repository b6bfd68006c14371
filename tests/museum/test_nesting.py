"""Derivatives of derivatives that other tools took for one another: perturbation confusion, and its relatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sourcediff import grad, hessian, jacobian, jvp

MODES = ("auto", "eager")
pytestmark = pytest.mark.filterwarnings("ignore::sourcediff.errors.FallbackWarning")


@pytest.fixture(params=MODES)
def d(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """``d(f)(x)``, in each mode that takes functions made at run time."""
    mode = request.param
    return lambda f: grad(f, mode=mode)


def test_the_inner_function_sees_the_outer_argument(d: Any) -> None:
    """JuliaDiff/ForwardDiff.jl#83: d/dx (x · d/dy (x + y)) is 1; it was 2."""
    assert d(lambda x: x * d(lambda y: x + y)(1.0))(1.0) == 1.0


def test_a_product_with_the_outer_argument(d: Any) -> None:
    """JuliaDiff/ReverseDiff.jl#45: d/dx (x · d/dy (x y)) is 2x; it was 1."""
    assert d(lambda x: x * d(lambda y: x * y)(1.0))(4.0) == 8.0


def test_the_norm_of_the_outer_argument(d: Any) -> None:
    """JuliaDiff/ForwardDiff.jl#83, the second example."""
    v = np.array([3.0, 4.0])
    found = d(lambda v: np.sum(v) * d(lambda y: y * np.linalg.norm(v))(1.0))(v)
    np.testing.assert_allclose(found, 5.0 + 7.0 * v / 5.0)


def test_nested_derivatives_of_products(d: Any) -> None:
    """tsotchke/eshkol#75: differences in place of a second derivative, and 0 for 1."""
    assert d(lambda x: d(lambda y: x * y)(5.0))(5.0) == 1.0
    assert d(d(lambda x: x**3))(2.0) == 12.0
    assert d(lambda x: x * d(lambda y: y**2)(x))(1.0) == 4.0


def test_an_outer_variable_that_is_rebound(d: Any) -> None:
    """JuliaDiff/ForwardDiff.jl#443: x = x · y inside; each derivative sees the x of its time, and the answer is 1, not 2."""

    def outer(x: Any) -> Any:
        def f(y: Any) -> Any:
            nonlocal x
            x = x * y
            return x

        d(f)(1.0)
        return d(f)(1.0)

    assert d(outer)(1.0) == 1.0


class Confuse:
    """A callable that differentiates one of its own kind: tags by type do not tell the two apart."""

    def __init__(self, outermost: bool, x: Any, d: Any):
        self.outermost, self.x, self.d = outermost, x, d

    def __call__(self, xy: Any) -> Any:
        return xy * self.d(Confuse(False, xy, self.d).__call__)(1.0) if self.outermost else self.x + xy


def test_two_derivatives_of_one_class(d: Any) -> None:
    """JuliaDiff/ForwardDiff.jl#313."""
    assert d(Confuse(True, 0.0, d).__call__)(1.0) == 1.0


def test_a_lagrangian_in_mixed_variables() -> None:
    """JuliaDiff/ForwardDiff.jl#238: the mixed second derivatives of a Lagrangian, which was refused, are zero."""

    def lagrangian(q: Any, velocity: Any) -> Any:
        return 0.5 * velocity @ velocity - 9.8 * q[1]

    q, velocity = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    mixed = jacobian(lambda q, velocity: grad(lagrangian, 1, mode="eager")(q, velocity))(q, velocity)
    assert np.array_equal(mixed, np.zeros((2, 2)))
    assert np.array_equal(jacobian(lambda q, velocity: grad(lagrangian, 1, mode="eager")(q, velocity), 1)(q, velocity), np.eye(2))


def test_a_gradient_differentiated_by_another_argument() -> None:
    """JuliaDiff/ForwardDiff.jl#423: ∂²f/∂p∂u of u₁² u₂² p²."""

    def f(u: Any, p: Any) -> Any:
        return u[0] ** 2 * u[1] ** 2 * p[0] ** 2

    found = jacobian(lambda u: grad(f, 1, mode="eager")(u, np.array([4.0])))(np.array([2.0, 3.0]))
    assert np.array_equal(found, [[288.0, 192.0]])


def test_a_derivative_of_one_entry_beside_the_other() -> None:
    """JuliaDiff/ForwardDiff.jl#59: f'(x₁) f(x₂) did not come back."""

    def half(x: Any) -> Any:
        return x / 2

    found = grad(lambda x: grad(half, mode="eager")(x[0]) * half(x[1]), mode="eager")(np.array([1.0, 2.0]))
    assert np.array_equal(found, [0.0, 0.25])


@pytest.mark.parametrize("bell", [lambda x: np.exp(-(x * x)), lambda x: np.exp(-(x**2))], ids=["product", "power"])
def test_four_derivatives_of_a_bell(bell: Callable[[Any], Any]) -> None:
    """HIPS/autograd#116: 0, −2, 0, 12; with a power in place of the product NaN from the third on."""
    found = []
    for _ in range(4):
        bell = grad(bell, mode="eager")
        found.append(bell(0.0))
    np.testing.assert_allclose(found, [0.0, -2.0, 0.0, 12.0], atol=1e-12)


def test_a_hessian_without_anything_to_say() -> None:
    """JuliaDiff/DifferentiationInterface.jl#1013: zero, not an error, for a function that does not depend on x."""
    assert np.array_equal(hessian(lambda x: 42.0)(np.ones(3)), np.zeros((3, 3)))


def test_forward_mode_agrees_where_only_it_did() -> None:
    """jax-ml/jax#654: reverse and forward mode gave different Jacobians of one function."""

    def lengths(x: Any) -> Any:
        apart = x[:, None] - x[None, :]
        return np.sum(np.where(apart != 0, np.sqrt(apart * apart), 0.0), axis=1)

    x = np.array([0.3, 1.1, -0.4])
    forward, reverse = (jacobian(lengths, direction=direction)(x) for direction in ("forward", "reverse"))
    assert np.array_equal(forward, reverse) and np.all(np.isfinite(forward))
    with np.errstate(invalid="ignore"):  # 0/0 where the root is 0, which is not selected
        assert jvp(lengths, (x,), (np.ones(3),))[1] == pytest.approx(np.zeros(3))
