"""Every transform, taken inside of a function that is differentiated, compiled: against differences of the function as Python runs it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff import elementwise_grad, grad, hessian, hvp, jacobian, jvp, stop_gradient, value_and_grad, vjp
from sourcediff.errors import NonDifferentiableError, UnsupportedSyntaxError
from tests.corpus.asserts import assert_as_eager
from tests.sampling import sampled

RAMP = np.arange(1, 4.0)


def wave(y, s):
    return s * np.tanh(y) + y[0]


def energy(y, s):
    return np.sum(np.sin(y * s) * y[::-1])


curvature = hessian(energy)
slopes_of_waves = jacobian(wave, (0, 1))
steepness = elementwise_grad(lambda y: y ** 3)


def pushed_scalar(x):
    return jvp(lambda y: y ** 3 * x, (x,), (1.0,))[1]


def pushed_array(x):
    value, tangent = jvp(lambda y: np.sin(y * x), (x * np.ones(3),), (np.arange(3.0),))
    return np.sum(value * tangent)


def pushed_one_of_two(x):
    return jvp(lambda y, k: y ** k * x, (x, 3), (1.0, None))[1]


def pushed_with_a_default(x):
    return jvp(lambda y, z=2.0: y ** 3 * z * x, (x,), (1.0,))[1]


def pushed_where_it_is_steep(x):
    return np.sum(jvp(lambda y: np.sqrt(y) * x, (np.array([0.0, 4.0]),), (np.array([0.0, x]),))[1])


def kept_in_a_dict(x):
    out = {"v": jvp(lambda y: y ** 2, (x,), (x,))}
    return out["v"][1] * out["v"][0]


def matrix(x):
    return np.sum(jacobian(lambda y: np.sin(y * x) * y[0])(x * RAMP) ** 2)


def matrix_of_a_loop(x):
    def march(y):
        z = np.zeros(3)
        for k in range(3):
            z[k] = y[k] ** 2 * x + (z[k - 1] if k else 0.0)
        return np.sort(z, axis=0)

    return np.sum(jacobian(march)(x * RAMP) ** 2)


def matrices_of_two(x):
    by_y, by_s = slopes_of_waves(x * RAMP, x)
    return np.sum(by_y ** 2) + np.sum(by_s * x)


def matrix_of_matrices(x):
    return np.sum(jacobian(lambda y: y @ y.T)(x * np.ones((2, 3))) ** 2)


def matrix_of_a_number(x):
    return jacobian(lambda y: np.array([y * x, y ** 2]))(x)[1] * x


def second_matrix(x):
    return np.sum(hessian(lambda y: np.sum(np.sin(y * x) * y[::-1]))(x * RAMP) ** 2)


def second_matrix_of_a_matrix(x):
    return np.sum(hessian(lambda y: np.sum(y @ y.T * x))(x * np.ones((2, 2))) ** 2)


def second_of_a_number(x):
    return hessian(lambda y: y ** 4 * x)(x) * elementwise_grad(lambda y: y ** 3 * x)(x)


def made_outside(x):
    return np.sum(curvature(x * RAMP, x) ** 2) + np.sum(steepness(x * RAMP))


def product_with_a_vector(x):
    return np.sum(hvp(lambda y: np.sum(np.sin(y * x) * y[::-1]))(x * RAMP, np.ones(3) * x) ** 2)


def product_with_two_vectors(x):
    return hvp(lambda y, z: y ** 3 * z * x, (0, 1))(x, 2.0, (1.0, x))[1]


def entry_by_entry(x):
    return np.sum(elementwise_grad(lambda y: np.where(y > 1, y ** 2 * x, y))(x * np.linspace(0.1, 2, 4)))


def pulled_twice(x):
    value, pull = vjp(lambda y: np.sin(y * x) * y[0], x * RAMP)
    return np.sum(pull(value * x)[0] ** 2) + np.sum(pull(np.arange(3.0))[0] * value)


def pulled_at_once(x):
    return vjp(lambda y, z: y ** 3 * z * x, x, 2.0, wrt="y")[1](x) + vjp(lambda y, z: y ** 3 * z * x, x, 2.0, wrt=(1, 0))[1](x)[1]


def pulled_after_what_it_reads_is_bound_anew(x):
    value, pull = vjp(lambda y: y ** 2 * x, x)
    x = x * 2
    return pull(x)[0] * value


def pulled_after_what_it_reads_is_changed(x):
    a = x * np.ones(3)

    def runs_on(y):
        y[1:] *= y[:-1]
        return y * x

    value, pull = vjp(runs_on, a)
    a *= 3
    value *= 2
    return np.sum(pull(value)[0] * a)


def pulled_through_nothing(x):
    a = x * np.ones(3)
    return np.sum(vjp(lambda y: y, a)[1](a)[0] * a)


def pulled_in_a_loop(x):
    total = 0.0
    for k in range(3):
        value, pull = vjp(lambda y: y ** k * x, x)  # noqa: B023
        total = total + pull(value)[0]
    return total


def pulled_from_a_loop(x):
    def grows(y):
        total = y * 0.0
        for k in range(3):
            if k != 1:
                total = np.sin(total + y * x)
        return total

    value, pull = vjp(grows, x * RAMP)
    return np.sum(pull(value)[0] * pull(np.ones(3))[0])


def in_no_trip(x):
    total = x
    for _ in range(0):
        total += hessian(lambda y: y ** 3 * x)(x)
    return total


def on_a_path(x):
    if x > 5:
        return jvp(lambda y: y ** 2 * x, (x,), (1.0,))[1]
    return np.sum(jacobian(lambda y: np.outer(y, y) * x)(np.ones(2) * x) ** 2)


def third(x):
    return np.sum(jacobian(curvature)(x * RAMP, x) ** 2)


def matrix_of_a_matrix_bound_to_a_name(x):
    first = jacobian(wave)
    second = jacobian(first)
    return np.sum(second(x * RAMP, x) ** 2)


def slopes_of_slopes(x):
    return np.sum(elementwise_grad(elementwise_grad(lambda y: np.sin(y * x)))(x * RAMP))


def pushed_through_a_transform(x):
    return jvp(elementwise_grad(lambda y: y ** 4 * x), (x,), (x,))[1] * vjp(hessian(lambda y: y ** 4 * x), x)[1](x)[0]


def gradient_of_a_tangent(x):
    return grad(lambda y: jvp(lambda z: z ** 3 * y, (y,), (x,))[1])(x)


def tangent_of_a_gradient(x):
    return jvp(lambda y: grad(lambda z: z ** 3 * y)(y) * x, (x,), (x,))[1]


def of_a_function_that_reads_a_derivative(x):
    slope = grad(lambda y: np.sin(y) * x)

    def inner(y):
        return slope(y) * y

    return grad(inner)(x) * grad(slope)(x)


# Programs


def newton(a):
    """The minimum of a convex function by Newton's method: with the Hessian inside, as in logistic regression or geodesy."""
    def cost(y):
        return np.sum(np.cosh(y - a)) + 0.5 * np.sum(y ** 2) * a[0]

    y = np.zeros(3)
    for _ in range(3):
        y = y - np.linalg.solve(hessian(cost)(y), grad(cost)(y))
    return np.sum(y ** 2)


def robertson(y, k):
    return np.array([
        -k[0] * y[0] + k[1] * y[1] * y[2],
        k[0] * y[0] - k[1] * y[1] * y[2] - k[2] * y[1] ** 2,
        k[2] * y[1] ** 2,
    ])


def implicit_euler(k):
    """Robertson's stiff reactions (1966): implicit Euler, each step solved by Newton's method with the Jacobian inside."""
    y, h = np.array([1.0, 0.2, 0.1]), 0.1
    jac = jacobian(robertson)
    for _ in range(2):
        z = y.copy()
        for _ in range(2):
            residual = z - y - h * robertson(z, k)
            z = z - np.linalg.solve(np.eye(3) - h * jac(z, k), residual)
        y = z
    return np.sum(y * RAMP)


def potential(q, s):
    return 0.5 * np.sum(q ** 2 * s) + np.sum(q[1:] ** 2 * q[:-1] ** 2)


force = grad(potential)


def leapfrog(s):
    """A trajectory of Hamiltonian Monte Carlo (Neal, 2011): kicks by the gradient of the potential."""
    q, p = np.array([1.0, -0.5, 0.3]), np.array([0.2, 0.1, -0.4])
    for _ in range(3):
        p = p - 0.05 * force(q, s)
        q = q + 0.1 * p
        p -= 0.05 * force(q, s)
    return np.sum(q ** 2) + 0.5 * np.sum(p ** 2)


def decay(w, t):
    return w[0] * np.exp(-w[1] * t) + w[2]


def gauss_newton(data):
    """A curve fitted by the method of Gauss and Newton, damped as Levenberg did."""
    t, w = np.linspace(0, 1, 5), np.array([1.0, 0.5, 0.1])
    for _ in range(2):
        residual = decay(w, t) - data
        J = jacobian(decay)(w, t)
        w = w - np.linalg.solve(J.T @ J + 0.1 * np.eye(3), J.T @ residual)
    return np.sum(w ** 2)


def task_loss(w, x, y):
    return np.mean((np.tanh(x * w[0] + w[1]) * w[2] - y) ** 2)


def meta_learning(w):
    """Finn, Abbeel & Levine, "Model-agnostic meta-learning" (2017): the loss after two steps of descent on each task."""
    total = 0.0
    for phase in (0.1, 0.7):
        x = np.linspace(-1, 1, 6)
        y = np.sin(x + phase)
        adapted = w
        for _ in range(2):
            adapted = adapted - 0.1 * grad(task_loss)(adapted, x, y)
        total += task_loss(adapted, x[::2], y[::2])
    return total


def net(x, w):
    return np.tanh(x * w[0] + w[1]) * w[2]


def physics_informed(w):
    """Raissi, Perdikaris & Karniadakis (2019): a network's own derivatives in the loss, here of Burgers' equation at rest."""
    x = np.linspace(0, 1, 5)
    u = net(x, w)
    u_x = elementwise_grad(net)(x, w)
    u_xx = elementwise_grad(elementwise_grad(net))(x, w)
    return np.mean((u_xx - u_x * u - np.sin(x)) ** 2) + u[0] ** 2


def physics_informed_by_points(w):
    total = 0.0
    for x in np.linspace(0, 1, 3):
        slope = grad(net)
        total += (grad(slope)(x, w) + net(x, w) * slope(x, w)) ** 2
    return total


def physics_informed_forwards(w):
    x = np.linspace(0, 1, 5)

    def slope(x):
        return jvp(lambda x: net(x, w), (x,), (np.ones(5),))[1]

    return np.sum(jvp(slope, (x,), (np.ones(5),))[1] ** 2)


def conjugate_gradients(a):
    """Steps of the conjugate gradients with products of the Hessian and a vector, as in Hessian-free optimisation (Martens, 2010)."""
    def cost(y):
        return np.sum(np.cosh(y * a)) + np.sum(y) ** 2

    y, b = np.array([0.3, 0.1, -0.2]), np.array([1.0, 2.0, 0.5])
    step, r, d = np.zeros(3), b, b
    for _ in range(2):
        along = hvp(cost)(y, d)
        alpha = (r @ r) / (d @ along)
        step = step + alpha * d
        left = r - alpha * along
        d = left + (left @ left) / (r @ r) * d
        r = left
    return np.sum(step * b)


def sensitivity_of_a_fit(w):
    value, pull = vjp(decay, w, np.linspace(0, 1, 4))
    by_w, _ = pull(value - 1.0)
    return np.sum(by_w ** 2)


X, W = 1.3, np.array([0.7, 0.4, 1.2])
SMALL = [
    pushed_scalar, pushed_array, pushed_one_of_two, pushed_with_a_default, pushed_where_it_is_steep, kept_in_a_dict, matrix,
    matrix_of_a_loop, matrices_of_two, matrix_of_matrices, matrix_of_a_number, second_matrix, second_matrix_of_a_matrix,
    second_of_a_number, made_outside, product_with_a_vector, product_with_two_vectors, entry_by_entry, pulled_twice, pulled_at_once,
    pulled_after_what_it_reads_is_bound_anew, pulled_after_what_it_reads_is_changed, pulled_through_nothing, pulled_in_a_loop,
    pulled_from_a_loop, in_no_trip, on_a_path, third, matrix_of_a_matrix_bound_to_a_name, slopes_of_slopes, pushed_through_a_transform,
    gradient_of_a_tangent, tangent_of_a_gradient, of_a_function_that_reads_a_derivative,
]
def descended(slope, y):
    for _ in range(3):
        y = y - 0.1 * slope(y)
    return y


def handed_to_a_helper(x):
    return np.sum(descended(grad(lambda y: np.sum((y - 1.0) ** 2 * x)), 2 * x) ** 2)


def by_newtons_method(slope, matrix, y):
    for _ in range(2):
        y = y - np.linalg.solve(matrix(y), slope(y))
    return y


def quartic(y):
    return np.sum(y ** 4) + np.sum(y) ** 2


def two_handed_to_a_helper(x):
    return np.sum(by_newtons_method(grad(quartic), hessian(quartic), x))


PROGRAMS = [
    handed_to_a_helper, two_handed_to_a_helper,
    newton, implicit_euler, leapfrog, gauss_newton, meta_learning, physics_informed, physics_informed_by_points,
    physics_informed_forwards, conjugate_gradients, sensitivity_of_a_fit,
]
CASES = [(f, X) for f in SMALL] + [(f, np.linspace(1, 0.3, 5) if f is gauss_newton else W) for f in PROGRAMS]


def units(x: Any) -> list[Any]:
    return list(np.eye(len(x))) if isinstance(x, np.ndarray) else [1.0]


def differences(f: Any, x: Any) -> Any:
    """Central differences along each unit vector, one step of Richardson's."""
    def along(unit: Any, h: float) -> Any:
        return (np.asarray(f(x + h * unit)) - f(x - h * unit)) / (2 * h)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [(4 * along(unit, 5e-4) - along(unit, 1e-3)) / 3 for unit in units(x)]
    return np.stack(found)


@sampled(4, "f, x", CASES, ids=lambda part: getattr(part, "__name__", ""))
def test_a_transform_inside_is_differentiated_in_both_modes(f: Any, x: Any) -> None:
    expected = differences(f, x)
    scale = 1 + np.max(np.abs(expected))
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(np.ravel(grad(f, mode="compiled")(x)), expected, rtol=1e-7, atol=1e-8 * scale)
        pushed = [jvp(f, (x,), (unit,), mode="compiled")[1] for unit in units(x)]
    np.testing.assert_allclose(pushed, expected, rtol=1e-7, atol=1e-8 * scale)


@sampled(6, "f, x", [case for case in CASES if case[0] is not third], ids=lambda part: getattr(part, "__name__", ""))
def test_and_to_second_order(f: Any, x: Any) -> None:
    with np.errstate(divide="ignore"):
        expected = differences(grad(f, mode="compiled"), x)
        scale = 1 + np.max(np.abs(expected))
        forward = [hvp(f, mode="compiled")(x, unit) for unit in units(x)]
        np.testing.assert_allclose(forward, expected, rtol=1e-6, atol=1e-7 * scale)
        pulled = vjp(grad(f, mode="compiled"), x, mode="compiled")[1]
        backward = [pulled(unit)[0] for unit in units(x)]
    np.testing.assert_allclose(backward, expected, rtol=1e-6, atol=1e-7 * scale)


@pytest.mark.parametrize("f", [pushed_array, matrix_of_a_loop, second_matrix, pulled_in_a_loop, entry_by_entry, product_with_a_vector])
def test_both_engines_agree(f: Any) -> None:
    assert grad(f, mode="compiled")(X) == pytest.approx(grad(f, mode="eager")(X), rel=1e-10)


# Siskind & Pearlmutter, "Perturbation confusion and referential transparency" (2005), and "Nesting forward-mode AD in a functional
# framework" (2008): d/dx of x · (d/dy of x + y) is 1, not 2; and of x · (d/dy of x · y) it is 2x

INNER = {
    "grad": lambda f, y: grad(f)(y),
    "value_and_grad": lambda f, y: value_and_grad(f)(y)[1],
    "jvp": lambda f, y: jvp(f, (y,), (1.0,))[1],
    "vjp": lambda f, y: vjp(f, y)[1](1.0)[0],
    "jacobian": lambda f, y: jacobian(f)(y),
    "elementwise_grad": lambda f, y: elementwise_grad(f)(y),
}


@pytest.mark.parametrize("door", INNER)
def test_no_perturbation_is_taken_for_another(door: str) -> None:
    take = INNER[door]

    def of_a_sum(x):
        return x * take(lambda y: x + y, 1.0)

    def of_a_product(x):
        return x * take(lambda y: x * y, 1.0)

    def of_three(x):
        return take(lambda y: y * take(lambda z: x * y * z ** 2, y), x)

    for f, slope, bend in ((of_a_sum, 1.0, 0.0), (of_a_product, 6.0, 2.0), (of_three, 162.0, 108.0)):
        assert grad(f, mode="compiled")(3.0) == jvp(f, (3.0,), (1.0,), mode="compiled")[1] == slope
        assert hvp(f, mode="compiled")(3.0, 1.0) == grad(grad(f))(3.0) == bend
        assert hessian(f, mode="compiled")(3.0) == bend


def test_what_is_stopped_is_constant_for_every_transform_around_it() -> None:
    def stopped(x):
        return grad(lambda y: y ** 2 * stop_gradient(x * y))(x) * x

    assert grad(stopped, mode="compiled")(3.0) == grad(stopped, mode="eager")(3.0) == 4 * 27.0
    assert hvp(stopped, mode="compiled")(3.0, 1.0) == 4 * 9.0


def test_transforms_of_transforms_are_compiled() -> None:
    x = RAMP / 3
    expected = jacobian(hessian(energy), mode="eager")(x, 1.2)
    np.testing.assert_allclose(jacobian(hessian(energy), mode="compiled")(x, 1.2), expected, rtol=1e-10, atol=1e-12)
    twice = jacobian(jacobian(wave), mode="eager")(x, 1.2)
    np.testing.assert_allclose(jacobian(jacobian(wave), mode="compiled")(x, 1.2), twice, atol=1e-12)
    np.testing.assert_allclose(jvp(hessian(energy), (x, 1.2), (x, None), mode="compiled")[1], expected @ x, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(("f", "error", "problem"), [
    (lambda x: np.sum(jvp(lambda y: y * x, (np.ones(3),), (np.ones(2),))[1]), NonDifferentiableError, "shape"),
    (lambda x: np.sum(vjp(lambda y: y * x, np.ones(3))[1](1.0)[0]), NonDifferentiableError, "shape"),
    (lambda x: np.sum(elementwise_grad(lambda y: np.cumsum(y * x))(np.ones(3))), NonDifferentiableError, "not elementwise"),
    (lambda x: np.sum(elementwise_grad(lambda y: np.sum(y * x))(np.ones(3))), NonDifferentiableError, "not elementwise"),
    (lambda x: np.sum(grad(lambda y: np.sum(y ** 2 * x))(np.arange(3))), UnsupportedSyntaxError, "integers"),
    (lambda x: np.sum(jacobian(lambda y: y * x)(np.arange(3))), UnsupportedSyntaxError, "integers"),
    (lambda x: np.sum(jacobian(lambda y: (y * x, y))(np.ones(3))[0]), UnsupportedSyntaxError, "structure"),
    (lambda x: np.sum(jacobian(lambda y: y * x, mode="eager")(np.ones(3))), UnsupportedSyntaxError, "derivative inside"),
    (lambda x: np.sum(jacobian(hvp(lambda y: y ** 3 * x))(x, x)), UnsupportedSyntaxError, "derivative inside"),
    (lambda x: hessian(lambda y, z: y * z * x, (0, 1))(x, x)[0][1], UnsupportedSyntaxError, "hessian inside"),
])
def test_what_cannot_be_right_is_refused(f: Any, error: Any, problem: str) -> None:
    with pytest.raises(error, match=problem):
        grad(f, mode="compiled")(2.0)


def test_a_name_for_several_derivatives_is_refused() -> None:
    def one_or_the_other(x):
        slope = grad(lambda y: y ** 2)
        if x > 0:
            slope = grad(lambda y: y ** 3)
        return slope(x)

    def one_pullback_or_the_other(x):
        _, pull = vjp(lambda y: y ** 2, x)
        if x > 0:
            _, pull = vjp(lambda y: y ** 3, x)
        return pull(1.0)[0]

    for f in (one_or_the_other, one_pullback_or_the_other):
        with pytest.raises(UnsupportedSyntaxError, match="a derivative"):
            grad(f, mode="compiled")(2.0)
        with pytest.warns(sourcediff.FallbackWarning):
            assert grad(f)(2.0) == 12.0


def test_arguments_are_as_after_one_plain_call() -> None:
    def changes(x):
        x[1:] *= x[:-1]
        return np.sum(x ** 2)

    def outer(x):
        y = x * 1.0
        value, pull = vjp(changes, y)
        return np.sum(y) * value * np.sum(pull(1.0)[0]) + np.sum(hessian(changes)(y.copy()))

    assert_as_eager(outer, RAMP)


def test_lengths_that_do_not_fit_are_noticed_where_no_sweep_that_is_kept_would() -> None:
    def weighted(y, w):
        return np.sum(y * w)

    def inside(y, w):
        return np.sum(grad(weighted)(y, w) ** 2)

    y, w = np.ones(3), np.ones(2)
    for call in (
        lambda: grad(inside, (0, 1), mode="compiled")(y, w), lambda: hvp(weighted, mode="compiled")(y, w, y),
        lambda: hessian(weighted, mode="compiled")(y, w), lambda: jacobian(grad(weighted, mode="compiled"), mode="compiled")(y, w),
        lambda: grad(lambda y, w: np.sum(hessian(weighted)(y, w)), mode="compiled")(y, w),
    ):
        with pytest.raises(ValueError, match="could not be broadcast"):
            call()
    np.testing.assert_array_equal(grad(inside, 1, mode="compiled")(y, np.ones(3)), [2.0, 2.0, 2.0])


class Weighted:
    def __init__(self, w):
        self.w = w

    def loss(self, p):
        return np.sum(p ** 2 * self.w)


def steps_of_a_method(w):
    net, p = Weighted(w), np.ones(3)
    for _ in range(2):
        p = p - 0.1 * grad(net.loss)(p)
    return np.sum(p)


def method_and_its_object(w):
    net = Weighted(w)
    return np.sum(grad(net.loss)(np.ones(3))) * np.sum(net.w)


def test_an_object_is_used_again_after_a_derivative_of_its_method() -> None:
    w = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(grad(steps_of_a_method, mode="eager")(w), [-0.32, -0.24, -0.16], rtol=1e-12)
    np.testing.assert_allclose(grad(method_and_its_object, mode="eager")(w), np.full(3, 24.0), rtol=1e-12)
