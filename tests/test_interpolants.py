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


def line(y):
    held = interpolate.interp1d(X, y, bounds_error=False)
    ended = interpolate.interp1d(X[::-1] + 0.1 * y, y, fill_value="extrapolate")
    return np.sum(held(T + 0.1 * y[:5]) ** 2) + ended(9.0) ** 2 + np.nansum(held(np.array([-1.0, 9.0])))


def interpolant_of_degree_3(y):
    return np.sum(interpolate.interp1d(X, y, kind="cubic")(T) ** 2) + np.sum(interpolate.make_interp_spline(X, y)(T + 0.1 * y[:5]))


LINE, CURVE = interpolate.interp1d(X, Y), interpolate.interp1d(X, np.stack([Y, X], axis=1), "quadratic", 0, fill_value="extrapolate")
SMOOTH, BASIS = interpolate.UnivariateSpline(X, Y, s=0.01), interpolate.make_interp_spline(X, Y)


def constant_ones(y):
    t = T + 0.1 * y[:5]
    return np.sum(LINE(t) ** 2) + np.sum(CURVE(t) ** 2) + CURVE(9.0 * y[1])[0] + np.sum(SMOOTH(t) ** 2) + np.sum(BASIS(t, 1) ** 2)


PROGRAMS = [
    line, interpolant_of_degree_3, constant_ones, cubic, natural, knots, ends, periodic, few, in_the_plane, not_beyond,
    shape_preserving, hermite, polynomials]


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_derivatives(f, mode):
    value, gradient = sourcediff.value_and_grad(f, mode=mode)(Y)
    np.testing.assert_allclose(value, f(Y), rtol=1e-12)
    np.testing.assert_allclose(gradient, *differences(f, Y), rtol=1e-6, atol=1e-6)
    if mode == "compiled":
        sourcediff.check_grads(f, Y, order=2)


def filled(y):
    return np.sum(interpolate.interp1d(X, y, bounds_error=False, fill_value=(y[0], 2 * y[-1]))(np.array([-1.0, 0.5, 9.0])) ** 2)


def test_ends_as_fill_values():
    np.testing.assert_allclose(sourcediff.grad(filled, mode="eager")(Y), *differences(filled, Y), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_outside_of_the_points_is_an_error(mode):
    def f(y):
        return interpolate.interp1d(X, y)(9.0)

    with pytest.raises(ValueError, match="range"):
        sourcediff.grad(f, mode=mode)(Y)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_another_axis_is_refused(mode):
    def f(y):
        return np.sum(interpolate.CubicSpline(X, np.stack([y, y]), axis=1)(T))

    with pytest.raises(sourcediff.errors.MissingRuleError, match="axis=1"):
        sourcediff.grad(f, mode=mode)(Y)
