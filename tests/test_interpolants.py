"""Splines and interpolants made of what is differentiated: SciPy's values, and the derivatives of these, to second order."""

import numpy as np
import pytest

import sourcediff

from .eager.numbers import differences
from .sampling import is_chosen, sampled

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

GRID = np.arange(4.0), np.arange(3.0) ** 1.5
PLANE = np.array([[0.0, 0.0], [1.0, 0.1], [0.1, 1.0], [1.1, 1.0], [0.5, 0.45], [0.3, 0.8], [0.8, 0.2]])
WHERE = np.array([[0.4, 0.3], [0.6, 0.62], [0.35, 0.5]])


def b_spline(y):
    curve = interpolate.BSpline(np.arange(12.0), y, 3)
    slope = curve.derivative()
    return np.sum(curve(4 + T + 0.1 * y[:5]) ** 2) + curve(5.0, 2) + np.sum(slope(4 + T) ** 2) + curve.integrate(2.0, y[0] + 6) ** 2


def b_splines_beyond(y):
    held = interpolate.BSpline(np.arange(12.0), np.stack([y, y**2], axis=1), 3, extrapolate=False)
    turning = interpolate.BSpline(np.arange(12.0), y, 3, "periodic")
    return np.nansum(held(np.array([1.0, 5.5, 9.0]))) + turning(17.3) ** 2 + held.antiderivative()(5.0)[1] + held.integrate(1.0, 5.0)[0]


def of_other_degrees(y):
    even, steep = interpolate.make_interp_spline(X, y, k=2), interpolate.make_interp_spline(X, y, 5)
    flat = interpolate.make_interp_spline(X, y, bc_type="natural")
    return np.sum(even(T) ** 2) + np.sum(steep(T + 0.1 * y[:5], 1) ** 2) + np.sum(flat(T) ** 2) + np.sum(even.c**2)


def univariate_spline(y):
    curve = interpolate.InterpolatedUnivariateSpline(X, y, k=4)
    zero = interpolate.InterpolatedUnivariateSpline(X, y, ext=1)
    held = interpolate.InterpolatedUnivariateSpline(X, y, ext=3)
    return np.sum(curve(T + 0.1 * y[:5]) ** 2) + zero(9.0) + held(9.0) ** 2 + zero.integral(0.3, 9.0) ** 2 + np.sum(curve(T, 1))


def regular_grid(y):
    values = np.reshape(np.concatenate([y, np.cos(y[:4])]), (4, 3))
    held = interpolate.RegularGridInterpolator(GRID, values, bounds_error=False, fill_value=None)
    nearest = interpolate.RegularGridInterpolator(GRID, np.stack([values, values**2], -1), "nearest")
    at = np.stack([T[:3], T[1:4]], axis=1) + 0.1 * np.reshape(y[:6], (3, 2))
    return np.sum(held(at) ** 2) + np.sum(held((T, T + y[0]))) + np.sum(nearest(at / 2) ** 2) + held(np.stack([y[1] + 1, 9.0]))[0]


PYRAMID = interpolate.RegularGridInterpolator((X, X[:4], X[1:]), np.sin(np.arange(224.0).reshape(8, 4, 7)))


def constant_grid(y):
    one = PYRAMID((0.6 + 0.1 * y[0], 0.3, 1.0 + y[1])) * PYRAMID((0.6 + 0.1 * y[:3], 0.5, 1.0))[2]
    return one + np.sum(PYRAMID(0.6 + 0.1 * np.reshape(y[:6], (2, 3))) ** 2) + np.sum(interpolate.interpn((X,), y, T) ** 2)


def scattered(y):
    flat = interpolate.LinearNDInterpolator(PLANE, y[:7], 0.0)
    nearest = interpolate.griddata(PLANE, y[:7], (WHERE[:, 0], WHERE[:, 1]), method="nearest")
    linear = interpolate.griddata(PLANE, np.stack([y[:7], y[1:]], axis=1), WHERE + 0.01 * np.reshape(y[:6], (3, 2)))
    return np.sum(flat(WHERE) ** 2) + np.sum(flat(WHERE + 9)) + np.sum(nearest**2) + np.sum(linear**2)


SURFACE = interpolate.LinearNDInterpolator(PLANE, np.sin(9 * PLANE[:, 0]))
BUMPS = interpolate.RBFInterpolator(PLANE, PLANE**2, smoothing=0.1)
TILE = interpolate.RectBivariateSpline(X, X, np.sin(np.add.outer(X, X**2)))


HELD = interpolate.UnivariateSpline(X, Y, s=0, ext=3)


def constant_surfaces(y):
    at = WHERE + 0.01 * np.reshape(y[:6], (3, 2))
    tiles = np.sum(TILE(np.sort(0.1 + y[:3]), np.sort(y[3:5])) ** 3) + TILE(y[1], 0.4)[0, 0]
    tiles = tiles + np.sum(TILE(at[:, 0], at[:, 1], grid=False) ** 2)
    tiles = tiles + TILE.ev(4 + y[0], y[1]) + np.sum(HELD(T + y[:5] + 1) ** 2)
    return tiles + np.sum(SURFACE(at) ** 2) + np.sum(BUMPS(at) ** 2) + np.sum(TILE.ev(at[:, 0], at[:, 1]) ** 2)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_slopes_of_surfaces(mode):
    def slope(y):
        return TILE.ev(y[1] + 1, 0.5, dx=1) + np.sum(TILE(y[:3] + 1, y[3:6], dy=1, grid=False) ** 2)

    np.testing.assert_allclose(sourcediff.grad(slope, mode=mode)(Y), *differences(slope, Y), rtol=1e-6, atol=1e-6)


def outside_of_triangles(y):
    linear = interpolate.griddata(PLANE, y[:7], np.concatenate([WHERE, WHERE + 9]))
    return np.nansum(linear**2) + np.nansum(interpolate.LinearNDInterpolator(PLANE, y[:7])(WHERE + 0.01 * np.reshape(y[:6], (3, 2))))


def filled_with_nan(y):
    line = interpolate.interp1d(X, y, bounds_error=False, fill_value=np.nan)
    return np.nansum(line(np.array([-1.0, 0.5, 9.0])) ** 2) + np.nansum(interpolate.griddata(PLANE, y[:7], WHERE + 9, fill_value=np.nan))


def b_form(y):
    tck = interpolate.splrep(X, y, k=2)
    t, c, k = tck
    curve = interpolate.splev(T + 0.1 * y[:5], tck, der=1)
    return np.sum(curve**2) + interpolate.splint(0.3, 9.0, tck) + np.sum(c**2) + interpolate.BSpline(t, c, k)(y[1])


def through_all_points(y):
    return np.sum(interpolate.UnivariateSpline(X, y, s=0)(T + 0.1 * y[:5]) ** 2)


def thin_plate(y):
    return np.sum(interpolate.RBFInterpolator(PLANE, y[:7])(WHERE + 0.1 * np.reshape(y[:6], (3, 2))) ** 2)


def radial_in_everything(y):
    total = 0.0
    for kernel in ("gaussian", "multiquadric", "inverse_quadratic", "inverse_multiquadric"):
        f = interpolate.RBFInterpolator(PLANE[:4] + 0.1 * np.reshape(y, (4, 2)), y[4:], kernel=kernel, epsilon=2 + y[0], smoothing=0.1)
        total = total + np.sum(f(WHERE) ** 2)
    return total


def radial_of_scale_1(y):
    d = np.stack([y[:7], y[1:]], axis=1)
    line, cube = interpolate.RBFInterpolator(PLANE, d, kernel="linear"), interpolate.RBFInterpolator(PLANE, d, kernel="cubic")
    steep = interpolate.RBFInterpolator(PLANE, d, kernel="quintic")
    return np.sum(line(WHERE) ** 2) + np.sum(cube(WHERE + 0.1 * y[0]) ** 2) + np.sum(steep(WHERE))


def points_of_a_cubic(y):
    x = np.cumsum(1.5 + np.cos(y))
    curve, flat = interpolate.make_interp_spline(x, y), interpolate.make_interp_spline(x, y**2, bc_type="natural")
    at = x[0] + np.linspace(0, 1, 5) * (x[-1] - x[0])
    return np.sum(curve(at) ** 2) + curve.derivative()(at[1]) ** 2 + curve.integrate(x[1], x[4]) + np.sum(flat(at, 1) ** 2)


def parts_of_a_cubic(y):
    curve = interpolate.make_interp_spline(X, y)
    return np.sum(curve.c**2) + curve.t[5] * curve.antiderivative()(9.0) + curve(3.3, 2)


def points_in_the_plane(y):
    places = PLANE + 0.01 * np.stack([y[:7], y[1:]], axis=1)
    f = interpolate.LinearNDInterpolator(places, y[1:])
    return np.sum(interpolate.griddata(places, y[:7] ** 2, WHERE)) + np.sum(f(WHERE) ** 2)


PROGRAMS = [
    points_of_a_cubic, parts_of_a_cubic, points_in_the_plane,
    line, interpolant_of_degree_3, constant_ones, cubic, natural, knots, ends, periodic, few, in_the_plane, not_beyond,
    shape_preserving, hermite, polynomials, b_spline, b_splines_beyond, of_other_degrees, univariate_spline, regular_grid,
    thin_plate, radial_in_everything, radial_of_scale_1, constant_grid, constant_surfaces, outside_of_triangles, filled_with_nan, b_form,
    through_all_points]


@sampled(4, "f, mode", PROGRAMS, ["compiled", "eager"], ids=lambda part: getattr(part, "__name__", part))
def test_derivatives(f, mode):
    value, gradient = sourcediff.value_and_grad(f, mode=mode)(Y)
    np.testing.assert_allclose(value, f(Y), rtol=1e-12)
    np.testing.assert_allclose(gradient, *differences(f, Y), rtol=1e-6, atol=1e-6)
    if mode == "compiled" and is_chosen(3, f.__name__):
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

    def pieces(y):
        return np.sum(interpolate.PPoly(np.reshape(y, (2, 2, 2)), np.array([0.0, 1.0, 2.0]), axis=1)(T))

    for refused in (f, pieces):
        with pytest.raises(sourcediff.errors.MissingRuleError, match="axis=1"):
            sourcediff.grad(refused, mode=mode)(Y)


def test_smoothing_is_refused():
    def f(y):
        return np.sum(interpolate.splev(T, interpolate.splrep(X, y, s=0.1)) ** 2)

    with pytest.raises(sourcediff.errors.MissingRuleError, match="all points"):
        sourcediff.grad(f, mode="eager")(Y)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_knots_are_refused(mode):
    def f(t):
        return interpolate.BSpline(t, np.arange(4.0), 3)(3.4)

    with pytest.raises(sourcediff.errors.MissingRuleError):
        sourcediff.grad(f, mode=mode)(np.arange(8.0))


def other_degrees(t):
    return interpolate.make_interp_spline(np.cumsum(t), np.sin(t), k=2)(1.5)


def knots_of_fitpack(t):
    return interpolate.splev(1.5, interpolate.splrep(np.cumsum(t), np.sin(t)))


def univariate(t):
    return interpolate.UnivariateSpline(np.cumsum(t), np.sin(t), s=0)(1.5)


def coefficients_of_a_cubic(t):
    return interpolate.make_interp_spline(np.cumsum(t), np.sin(t)).c[1]


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("f", [other_degrees, knots_of_fitpack, univariate, coefficients_of_a_cubic], ids=lambda f: f.__name__)
def test_points_of_b_splines_are_refused(f, mode):
    """They were taken for constants, silently."""
    with pytest.raises(sourcediff.errors.MissingRuleError):
        sourcediff.grad(f, mode=mode)(0.5 + 0.1 * Y**2)


def element(y):
    return np.sum(interpolate.BSpline.basis_element([0, 1, 2.5, 4, 5], extrapolate=False)(T) * y[:5] ** 2)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_a_constant_spline_that_its_class_makes(mode):
    values = interpolate.BSpline.basis_element([0, 1, 2.5, 4, 5])(T)
    np.testing.assert_allclose(sourcediff.grad(element, mode=mode)(Y)[:5], 2 * Y[:5] * values)
