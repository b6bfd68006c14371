"""scipy.interpolate."""

import numpy as np
from scipy import interpolate
from scipy.interpolate import (
    Akima1DInterpolator,
    BarycentricInterpolator,
    BSpline,
    CubicHermiteSpline,
    CubicSpline,
    InterpolatedUnivariateSpline,
    LinearNDInterpolator,
    PchipInterpolator,
    RBFInterpolator,
    RectBivariateSpline,
    RegularGridInterpolator,
    UnivariateSpline,
    griddata,
    interp1d,
    interpn,
    make_interp_spline,
    splev,
    splint,
    splrep,
)

from tests.corpus.case import array

from .call import between, call, increasing, near

GRID = np.linspace(0, 3, 8)
INSIDE = np.array([0.2, 0.95, 1.5, 2.1, 2.8])
DATA = np.sin(2 * GRID) + 0.3 * GRID
PLANE = np.array([[0.0, 0.0], [1.0, 0.1], [0.1, 1.0], [1.1, 1.0], [0.5, 0.45], [0.3, 0.8]])
QUERIES = np.array([[0.4, 0.3], [0.6, 0.6], [0.35, 0.55]])


@call(array("8"))
def linear_in_the_values(y):
    f = interp1d(GRID, y)
    return np.sum(f(INSIDE) ** 2)


@call(between(0.2, 2.6, "5"))
def linear_in_the_points(t):
    return np.sum(np.interp(t, GRID, DATA) ** 2) + np.sum(interp1d(GRID, DATA)(t))


@call(array("8"), between(0.2, 2.6, "5"))
def cubic_kind(y, t):
    f2 = interp1d(GRID, y, kind="cubic")
    return np.sum(f2(t) ** 2)


@call(near(3.4, -0.2))
def extrapolated(t):
    f = interp1d(GRID, DATA, fill_value="extrapolate")
    return np.sum(f(t) ** 2)


@call(array("8"))
def cubic_spline_in_the_values(y):
    return np.sum(CubicSpline(GRID, y)(INSIDE) ** 2)


@call(between(0.2, 2.6, "5"))
def cubic_spline_in_the_points(t):
    cs = CubicSpline(GRID, DATA)
    return np.sum(cs(t) ** 2)


@call(increasing(0.0, 3.0, "8"), array("8"))
def cubic_spline_in_everything(x, y):
    return np.sum(CubicSpline(x, y, bc_type="natural")(np.array([0.9, 1.5, 2.2])) ** 2)


@call(array("8"))
def slope_of_a_spline(y):
    cs = CubicSpline(GRID, y, bc_type="clamped")
    return np.sum(cs(INSIDE, 1) ** 2) + np.sum(cs.derivative()(INSIDE))


@call(array("8"), near(0.35), near(2.2))
def area_under_a_spline(y, a, b):
    return CubicSpline(GRID, y).integrate(a[0], b[0]) ** 2


@call(array("8 2"))
def curve_in_the_plane(points):
    curve = CubicSpline(GRID, points)
    velocity = curve(INSIDE, 1)
    return np.sum(np.hypot(velocity[:, 0], velocity[:, 1]))


@call(array("8"), between(0.2, 2.6, "5"))
def pchip(y, t):
    return np.sum(PchipInterpolator(GRID, y)(t) ** 2)


@call(array("8"), between(0.2, 2.6, "5"))
def akima(y, t):
    return np.sum(Akima1DInterpolator(GRID, y)(t) ** 2)


@call(array("8"), array("8"))
def hermite(y, dydx):
    return np.sum(CubicHermiteSpline(GRID, y, dydx)(INSIDE) ** 2)


@call(array("8"), between(0.2, 2.6, "5"))
def interpolating_b_spline(y, t):
    bspl = make_interp_spline(GRID, y, k=3)
    return np.sum(bspl(t) ** 2)


@call(array("6"), between(2.1, 4.9, "5"))
def b_spline_of_coefficients(c, x):
    spl = BSpline(np.arange(10.0), c, 3)
    return np.sum(spl(np.clip(x, 3, 6)) ** 2)


@call(array("8"))
def b_form_of_values(y):
    tck = splrep(GRID, y, s=0)
    return np.sum(splev(INSIDE, tck) ** 2)


@call(between(0.2, 2.6, "5"))
def derivative_of_a_b_form(x):
    tck = interpolate.splrep(GRID, DATA)
    return np.sum(interpolate.splev(x, tck, der=1) ** 2)


@call(array("8"))
def integral_of_a_b_form(y):
    return splint(0.3, 2.0, splrep(GRID, y)) ** 2


@call(array("8"))
def interpolated_univariate(y):
    spl = InterpolatedUnivariateSpline(GRID, y)
    return np.sum(spl(INSIDE) ** 2)


@call(between(0.2, 2.6, "5"))
def univariate_through_data(x):
    spl = UnivariateSpline(GRID, DATA, s=0.01)
    return np.sum(spl(x) ** 2)


@call(array("6"), between(0.2, 2.6, "4"))
def barycentric(y, t):
    return np.sum(BarycentricInterpolator(np.linspace(0, 3, 6), y)(t) ** 2)


@call(array("4 5"), between(0.2, 2.8, "3 2"))
def regular_grid(values, points):
    interp = RegularGridInterpolator((np.arange(4.0), np.arange(5.0)), values)
    return np.sum(interp(points) ** 2)


@call(array("5 5"), between(0.2, 3.8, "3 2"))
def regular_grid_cubic(values, points):
    interp = RegularGridInterpolator((np.arange(5.0), np.arange(5.0)), values, method="cubic")
    return np.sum(interp(points))


@call(array("4 5"), between(0.2, 2.8, "3 2"))
def interpn_in_one_call(values, xi):
    return np.sum(interpn((np.arange(4), np.arange(5)), values, xi) ** 2)


@call(array("6"), between(0.1, 0.9, "3 2"))
def radial_basis(d, x):
    return np.sum(RBFInterpolator(PLANE, d)(x) ** 2)


@call(array("6 2"), array("6"))
def radial_basis_in_the_centres(centres, d):
    return np.sum(RBFInterpolator(centres, d, kernel="gaussian", epsilon=1.0, smoothing=0.1)(QUERIES))


@call(array("6"))
def scattered_data(values):
    return np.sum(griddata(PLANE, values, QUERIES, method="linear") ** 2)


@call(array("6"), near([0.4, 0.3], [0.62, 0.6]))
def linear_on_triangles(z, x):
    interp = LinearNDInterpolator(PLANE, z)
    return np.sum(interp(x) ** 2)


@call(array("5 5"), between(0.2, 3.8, "3"), between(0.2, 3.8, "3"))
def bivariate_spline(z, x, y):
    spline = RectBivariateSpline(np.arange(5.0), np.arange(5.0), z)
    return np.sum(spline.ev(x, y) ** 2)
