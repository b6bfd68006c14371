"""SciPy's B-splines, and FITPACK's functions of them."""

from typing import Any, NamedTuple

import numpy as np
from scipy import interpolate

from ...errors import MissingRuleError
from ..families import itself
from ..frames import constant, general
from ..library_functions import composite
from .pieces import Cubic, upright, whole_turns, within


def b_splines(x, t, k, nu=0):
    """The derivatives of the B-splines of degree ``k`` with knots ``t``, at places, along a last axis."""
    return interpolate.BSpline(t, np.eye(len(t) - k - 1), k)(x, nu)


@general(b_splines, refuses=("t",))
def slopes_of_b_splines(g, z, x, t, k, nu=0):
    return np.sum(g * itself(x, t, k, nu + 1), axis=-1), None


@slopes_of_b_splines.pushforward
def slopes_of_b_splines_forward(z, dx, x, t, k, nu=0):
    return np.expand_dims(dx, -1) * itself(x, t, k, nu + 1)


def basis(t, k, nu):
    """The ``nu``-th derivatives of the B-splines, as splines; of a negative one, their integrals."""
    splines = interpolate.BSpline(t, np.eye(len(t) - k - 1), k)
    return splines.derivative(nu) if nu >= 0 else splines.antiderivative(-nu)


def basis_knots(t, k, nu):
    return basis(t, k, nu).t


def basis_coefficients(t, k, nu):
    return basis(t, k, nu).c


def cardinal_knots(x, k, t=None, bc_type=None):
    """The knots of the spline through points."""
    return interpolate.make_interp_spline(x, np.eye(len(x)), k, t, bc_type).t


def cardinal_coefficients(x, k, t=None, bc_type=None):
    """What gives the coefficients of the spline through points, multiplied by the values at the points."""
    return interpolate.make_interp_spline(x, np.eye(len(x)), k, t, bc_type).c


def ends(t, k):
    """The first and the last of the places where all B-splines are there."""
    return np.asarray(t)[[k, len(t) - k - 1]]


def numbers(t, k):
    """The numbers of the B-splines, whose coefficients zeros may come after."""
    return np.arange(len(t) - k - 1)


constant(ends, numbers)


@general(basis_knots, basis_coefficients, refuses=("t",))
def of_knots(g, z, t, k, nu):
    return None,


@general(cardinal_knots, cardinal_coefficients, refuses=("x", "t"))
def of_points(g, z, x, k, t=None, bc_type=None):
    return None, None


@composite(interpolate.BSpline)
class Spline:
    """A sum of B-splines."""

    def __init__(self, t, c, k, extrapolate=True, axis=0):
        if axis != 0:
            raise MissingRuleError(f"splines have a derivative rule, but not with axis={axis}", remedy="give np.moveaxis(c, axis, 0)")
        self.t, self.c, self.k, self.extrapolate = np.asarray(t), np.asarray(c), k, extrapolate

    def __call__(self, x, nu=0, extrapolate=None):
        beyond = self.extrapolate if extrapolate is None else extrapolate
        base = ends(self.t, self.k)
        x = x - whole_turns(base, x, beyond) * (base[1] - base[0])
        z = np.tensordot(b_splines(x, self.t, self.k, nu), self.c[numbers(self.t, self.k)], 1)
        return np.where(upright(within(base, x, beyond), self.c), z, np.nan)

    def derivative(self, nu=1):
        c = np.tensordot(basis_coefficients(self.t, self.k, nu), self.c[numbers(self.t, self.k)], 1)
        return Spline(basis_knots(self.t, self.k, nu), c, self.k - nu, self.extrapolate)

    def antiderivative(self, nu=1):
        return self.derivative(-nu)

    def integrate(self, a, b, extrapolate=None):
        beyond = self.extrapolate if extrapolate is None else extrapolate
        if beyond == "periodic":
            raise MissingRuleError("integrate has a derivative rule, but not of periodic splines", remedy="use CubicSpline")
        base = ends(self.t, self.k)
        whole = self.derivative(-1)
        if not beyond:
            return whole(np.clip(b, base[0], base[1])) - whole(np.clip(a, base[0], base[1]))
        return whole(b) - whole(a)


class Through(Spline):
    """The spline through points, of which it has no derivative."""

    def __init__(self, x, y, k, t, bc_type):
        self.t, self.k, self.extrapolate = cardinal_knots(x, k, t, bc_type), k, "periodic" if bc_type == "periodic" else True
        self.c = np.tensordot(cardinal_coefficients(x, k, t, bc_type), y, 1)


class CubicThrough:
    """The cubic spline through points, which is SciPy's ``CubicSpline`` and has a derivative of the points, too."""

    def __init__(self, x, y, bc_type):
        self.pieces, self.k = Cubic(x, y, 0, bc_type, True if bc_type != "periodic" else "periodic"), 3
        self.x, self.y, self.bc_type = np.asarray(x), np.asarray(y), bc_type

    @property
    def t(self):
        return cardinal_knots(self.x, 3, None, self.bc_type)

    @property
    def c(self):
        return np.tensordot(cardinal_coefficients(self.x, 3, None, self.bc_type), self.y, 1)

    def __call__(self, x, nu=0, extrapolate=None):
        return self.pieces(x, nu, extrapolate)

    def derivative(self, nu=1):
        return self.pieces.derivative(nu)

    def antiderivative(self, nu=1):
        return Spline(self.t, self.c, 3).derivative(-nu)

    def integrate(self, a, b, extrapolate=None):
        return self.pieces.integrate(a, b, extrapolate)


@composite(interpolate.make_interp_spline)
def make_interp_spline(x, y, k=3, t=None, bc_type=None, axis=0, check_finite=True):
    if axis != 0 or bc_type is not None and not isinstance(bc_type, str):
        raise MissingRuleError(
            "make_interp_spline has a derivative rule, but not with an axis or numbers for the ends",
            remedy="give np.moveaxis(y, axis, 0), or use CubicSpline")
    if k == 3 and t is None:
        return CubicThrough(x, y, "not-a-knot" if bc_type is None else bc_type)
    return Through(np.asarray(x), np.asarray(y), k, t, bc_type)


class Parts(NamedTuple):
    """The knots, the coefficients and the degree of a spline."""

    t: Any
    c: Any
    k: Any


@composite(interpolate.splrep)
def splrep(x, y, w=None, xb=None, xe=None, k=3, task=0, s=None, t=None, full_output=0, per=0, quiet=1):
    if w is not None and s is None or s is not None and s != 0 or task != 0 or full_output or per or xb is not None or xe is not None:
        raise MissingRuleError(
            "splrep has a derivative rule in y, but only of the spline through all points (s=0)",
            why="the knots of a smoothing spline are chosen by the values", remedy="give s=0, or fit coefficients with np.linalg.lstsq")
    return Parts(cardinal_knots(x, k), np.concatenate([cardinal_coefficients(x, k) @ y, np.zeros(k + 1)]), k)


@composite(interpolate.splev)
def splev(x, tck, der=0, ext=0):
    t, c, k = tck[0], tck[1], tck[2]
    if np.ndim(c) != 1:
        raise MissingRuleError("splev has a derivative rule, but not of a curve", remedy="call it for one list of coefficients at a time")
    return with_ends(x, np.asarray(t), c, k, der, ext)


def with_ends(x, t, c, k, der, ext):
    """A spline, with FITPACK's ways to go on."""
    base = ends(t, k)
    place = np.clip(x, base[0], base[1]) if ext == 3 or ext == "const" else np.asarray(x)
    z = b_splines(place, t, k, der) @ np.asarray(c)[numbers(t, k)]
    return np.where(outside(x, base, ext), 0.0, z)


def outside(x, base, ext):
    """Where a spline is to be zero, for it is not between its ends. ValueError if it must not be there."""
    found = (np.asarray(x) < base[0]) | (np.asarray(x) > base[1])
    if (ext == 2 or ext == "raise") and np.any(found):
        raise ValueError("A value of x is outside of the knots of the spline.")
    return found & (ext != 0) & (ext != "extrapolate") & (ext != 3) & (ext != "const")


constant(outside)


@composite(interpolate.splint)
def splint(a, b, tck, full_output=0):
    t, c, k = tck[0], tck[1], tck[2]
    return Spline(t, c, k, False).integrate(a, b)


@composite(interpolate.InterpolatedUnivariateSpline)
class Univariate:
    """A spline through all points, with FITPACK's ways to go on."""

    def __init__(self, x, y, w=None, bbox=(None, None), k=3, ext=0, check_finite=False):
        if bbox[0] is not None or bbox[1] is not None:
            raise MissingRuleError("InterpolatedUnivariateSpline has a derivative rule, but not with bbox=", remedy="leave bbox out")
        self.t, self.c, self.k, self.ext = cardinal_knots(x, k), cardinal_coefficients(x, k) @ y, k, ext

    def __call__(self, x, nu=0, ext=None):
        return with_ends(x, self.t, self.c, self.k, nu, self.ext if ext is None else ext)

    def integral(self, a, b):
        return Spline(self.t, self.c, self.k, False).integrate(a, b)


@composite(interpolate.UnivariateSpline)
class Smoothing(Univariate):
    def __init__(self, x, y, w=None, bbox=(None, None), k=3, s=None, ext=0, check_finite=False):
        if s is None or s != 0 or bbox[0] is not None or bbox[1] is not None:
            raise MissingRuleError(
                "UnivariateSpline has a derivative rule in y, but only of the spline through all points (s=0)",
                why="the knots of a smoothing spline are chosen by the values", remedy="give s=0, or fit coefficients with np.linalg.lstsq")
        self.t, self.c, self.k, self.ext = cardinal_knots(x, k), cardinal_coefficients(x, k) @ y, k, ext
