"""SciPy's B-splines, and interpolants on grids, of scattered points and by radial functions."""

import numpy as np
from scipy import interpolate
from scipy.spatial import Delaunay, cKDTree

from ...errors import MissingRuleError
from ..frames import composite, constant, general, record
from .interpolate import piece, upright, whole_turns, within


def fixed(x):
    """Knots or points, of which an interpolant is no function that has a derivative rule."""
    return np.asarray(x)


@general(fixed, refuses=("x",))
def fixed_points(g, z, x):
    return None,


@fixed_points.pushforward
def fixed_points_forward(z, x):
    return np.zeros(np.shape(z))


def b_splines(x, t, k, nu=0):
    """The derivatives of the B-splines of degree ``k`` with knots ``t``, at places, along a last axis."""
    return interpolate.BSpline(t, np.eye(len(t) - k - 1), k)(x, nu)


@general(b_splines, refuses=("t",))
def slopes_of_b_splines(g, z, x, t, k, nu=0):
    return np.sum(g * b_splines(x, t, k, nu + 1), axis=-1), None


@slopes_of_b_splines.pushforward
def slopes_of_b_splines_forward(z, dx, x, t, k, nu=0):
    return np.expand_dims(dx, -1) * b_splines(x, t, k, nu + 1)


def sum_of_b_splines(x, t, c, k, nu):
    return np.tensordot(b_splines(x, t, k, nu), c[:len(t) - k - 1], 1)


@composite(interpolate.BSpline)
class Spline:
    """A sum of B-splines."""

    def __init__(self, t, c, k, extrapolate=True, axis=0):
        if axis != 0:
            raise MissingRuleError(f"splines have a derivative rule, but not with axis={axis}", remedy="give np.moveaxis(c, axis, 0)")
        self.t, self.c, self.k, self.extrapolate = fixed(t), np.asarray(c), k, extrapolate

    def __call__(self, x, nu=0, extrapolate=None):
        beyond = self.extrapolate if extrapolate is None else extrapolate
        base = self.t[self.k:len(self.t) - self.k]
        x = x - whole_turns(base, x, beyond) * (base[-1] - base[0])
        return np.where(upright(within(base, x, beyond), self.c), sum_of_b_splines(x, self.t, self.c, self.k, nu), np.nan)

    def derivative(self, nu=1):
        basis = interpolate.BSpline(self.t, np.eye(len(self.t) - self.k - 1), self.k).derivative(nu)
        return Spline(basis.t, np.tensordot(basis.c, self.c[:len(self.t) - self.k - 1], 1), basis.k, self.extrapolate)

    def antiderivative(self, nu=1):
        basis = interpolate.BSpline(self.t, np.eye(len(self.t) - self.k - 1), self.k).antiderivative(nu)
        return Spline(basis.t, np.tensordot(basis.c, self.c[:len(self.t) - self.k - 1], 1), basis.k, self.extrapolate)

    def integrate(self, a, b, extrapolate=None):
        beyond = self.extrapolate if extrapolate is None else extrapolate
        if beyond == "periodic":
            raise MissingRuleError("integrate has a derivative rule, but not of periodic splines", remedy="use CubicSpline")
        if not beyond:
            a, b = np.clip(a, self.t[self.k], self.t[-self.k - 1]), np.clip(b, self.t[self.k], self.t[-self.k - 1])
        whole = self.antiderivative()
        return whole(b, 0, True) - whole(a, 0, True)


@composite(interpolate.make_interp_spline)
class Through(Spline):
    def __init__(self, x, y, k=3, t=None, bc_type=None, axis=0, check_finite=True):
        if axis != 0 or bc_type is not None and not isinstance(bc_type, str):
            raise MissingRuleError(
                "make_interp_spline has a derivative rule, but not with an axis or numbers for the ends",
                remedy="give np.moveaxis(y, axis, 0), or use CubicSpline")
        basis = interpolate.make_interp_spline(fixed(x), np.eye(len(x)), k, t, bc_type)
        self.t, self.c, self.k, self.extrapolate = basis.t, np.tensordot(basis.c, y, 1), k, basis.extrapolate


@composite(interpolate.splrep)
def splrep(x, y, w=None, xb=None, xe=None, k=3, task=0, s=None, t=None, full_output=0, per=0, quiet=1):
    if w is not None and s is None or s is not None and s != 0 or task != 0 or full_output or per or xb is not None or xe is not None:
        raise MissingRuleError(
            "splrep has a derivative rule in y, but only of the spline through all points (s=0)",
            why="the knots of a smoothing spline are chosen by the values", remedy="give s=0, or fit coefficients with np.linalg.lstsq")
    basis = interpolate.make_interp_spline(fixed(x), np.eye(len(x)), k)
    return basis.t, np.concatenate([basis.c @ y, np.zeros(k + 1)]), k


@composite(interpolate.splev)
def splev(x, tck, der=0, ext=0):
    t, c, k = tck
    if np.ndim(c) != 1:
        raise MissingRuleError("splev has a derivative rule, but not of a curve", remedy="call it for one list of coefficients at a time")
    first, last = t[k], t[len(t) - k - 1]
    if ext == 3 or ext == "const":
        return sum_of_b_splines(np.clip(x, first, last), t, c, k, der)
    z = sum_of_b_splines(np.asarray(x), t, c, k, der)
    if ext == 0 or ext == "extrapolate":
        return z
    return np.where(inside(x, first, last, ext), z, 0.0)


def inside(x, first, last, ext):
    """Whether places are between the ends of a spline. ValueError if they have to be."""
    found = (np.asarray(x) >= first) & (np.asarray(x) <= last)
    if (ext == 2 or ext == "raise") and not np.all(found):
        raise ValueError("A value of x is outside of the knots of the spline.")
    return found


constant(inside)


@composite(interpolate.splint)
def splint(a, b, tck, full_output=0):
    t, c, k = tck
    return Spline(t, c, k, False).integrate(a, b)


@composite(interpolate.InterpolatedUnivariateSpline)
class Univariate:
    """A spline through all points, with FITPACK's ways to go on."""

    def __init__(self, x, y, w=None, bbox=(None, None), k=3, ext=0, check_finite=False):
        if bbox[0] is not None or bbox[1] is not None:
            raise MissingRuleError("InterpolatedUnivariateSpline has a derivative rule, but not with bbox=", remedy="leave bbox out")
        self.tck, self.ext = splrep(x, y, None, None, None, k), ext

    def __call__(self, x, nu=0, ext=None):
        return splev(x, self.tck, nu, self.ext if ext is None else ext)

    def integral(self, a, b):
        return splint(a, b, self.tck)
