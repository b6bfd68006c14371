"""Splines and interpolants made of what is differentiated: SciPy's values, and the derivatives of these, to second order."""

import numpy as np
import pytest

import sourcediff

from .eager.numbers import differences

interpolate = pytest.importorskip("scipy.interpolate", reason="SciPy is not installed")

X = np.linspace(0.0, 3.0, 8) ** 1.1
T = np.array([0.2, 0.95, 1.5, 2.1, 2.8])
Y = np.sin(2 * X) + 0.3 * X


def cubic(y):
    curve = interpolate.CubicSpline(X, y)
    return np.sum(curve(T) ** 2) + curve(-0.5, 1) + np.sum(curve.derivative()(T, 1) ** 2) + curve.integrate(0.3, 3.5) ** 2


def natural(y):
    return np.sum(interpolate.CubicSpline(X, y, bc_type="natural")(T + 0.1 * y[:5]) ** 2)


def knots(y):
    return np.sum(interpolate.CubicSpline(X + 0.1 * y, y, bc_type="clamped")(T) ** 2) + interpolate.CubicSpline(np.sort(y), X)(0.4)


def ends(y):
    curve = interpolate.CubicSpline(X, y, bc_type=((1, 0.5), (2, y[1])))
    mixed = interpolate.CubicSpline(X, y, bc_type=("natural", "not-a-knot"))
    return np.sum(curve(T) ** 2) + np.sum(mixed(T) ** 2)


def periodic(y):
    curve = interpolate.CubicSpline(X, np.concatenate([y[:7], y[:1]]), bc_type="periodic")
    return np.sum(curve(T + 4 * y[0]) ** 2) + curve.integrate(-0.3, 7.0 + y[1])


def few(y):
    two, three = interpolate.CubicSpline([0.0, 1.0], y[:2]), interpolate.CubicSpline([0.0, 1.0, 3.0], y[:3])
    ended = interpolate.CubicSpline([0.0, 1.0], y[:2], bc_type="natural")
    return two(y[0]) + three(0.3) ** 2 + ended(0.3) + interpolate.CubicSpline([0, 1], [y[0], 2 * y[1]], bc_type="clamped")(0.3)


def in_the_plane(y):
    curve = interpolate.CubicSpline(X, np.stack([y, np.cos(y)], axis=1))
    return np.sum(np.hypot(curve(T, 1)[:, 0], curve(T)[:, 1])) + np.sum(curve.integrate(0.1, 2.0) ** 2)


def not_beyond(y):
    return np.nansum(interpolate.CubicSpline(X, y, extrapolate=False)(np.array([-1.0, 0.5, 9.0])) ** 2)


def shape_preserving(y):
    low, bent = interpolate.PchipInterpolator(X + 0.1 * y, y), interpolate.Akima1DInterpolator(X, y)
    return np.sum(low(T) ** 2) + np.sum(bent(T + 0.1 * y[:5]) ** 2) + np.sum(interpolate.Akima1DInterpolator(X, y, method="makima")(T, 1))


def hermite(y):
    return np.sum(interpolate.CubicHermiteSpline(X, y, np.cos(y))(T + 0.1 * y[0]) ** 2)


def polynomials(y):
    pieces = interpolate.PPoly(np.stack([y[1:], y[:-1] ** 2]), np.sort(y))
    return pieces(0.4) ** 2 + pieces.integrate(0.1, y[2])


PROGRAMS = [cubic, natural, knots, ends, periodic, few, in_the_plane, not_beyond, shape_preserving, hermite, polynomials]


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_derivatives(f, mode):
    value, gradient = sourcediff.value_and_grad(f, mode=mode)(Y)
    np.testing.assert_allclose(value, f(Y), rtol=1e-12)
    np.testing.assert_allclose(gradient, *differences(f, Y), rtol=1e-6, atol=1e-6)
    if mode == "compiled":
        sourcediff.check_grads(f, Y, order=2)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_another_axis_is_refused(mode):
    def f(y):
        return np.sum(interpolate.CubicSpline(X, np.stack([y, y]), axis=1)(T))

    with pytest.raises(sourcediff.errors.MissingRuleError, match="axis=1"):
        sourcediff.grad(f, mode=mode)(Y)
