"""SciPy's splines and interpolants: what they give where they are constant."""


import numpy as np
from scipy import interpolate

from ...errors import MissingRuleError
from ..frames import constant, general
from ..library_objects import record
from . import interpolants, radial, surfaces  # noqa: F401 (their rules)
from .pieces import upright


@general(interpolate.PPoly.__call__, interpolate.BSpline.__call__)
def piecewise_polynomial(g, z, self, x, nu=0, extrapolate=None):
    return None, np.sum(np.reshape(g * self(x, nu + 1, extrapolate), np.shape(x) + (-1,)), axis=-1)


@piecewise_polynomial.pushforward
def piecewise_polynomial_forward(z, dx, self, x, nu=0, extrapolate=None):
    slope = self(x, nu + 1, extrapolate)
    return slope * np.reshape(dx, np.shape(x) + (1,) * (np.ndim(slope) - np.ndim(x)))


def way_on(self, ext):
    """How the slope of a spline goes on outside of its points: as zero (1), where the spline itself goes on as it ends (3)."""
    found = self.ext if ext is None else ext
    return 1 if found in (3, "const") else found


constant(way_on)


@general(interpolate.UnivariateSpline.__call__)
def univariate(g, z, self, x, nu=0, ext=None):
    return None, g * self(x, nu + 1, way_on(self, ext))


@univariate.pushforward
def univariate_forward(z, dx, self, x, nu=0, ext=None):
    return dx * self(x, nu + 1, way_on(self, ext))


def interpolant_slope(self, x, nu=1):
    """A derivative of a constant interpolant at places."""
    return pieces_of(self)(x, nu)


@general(interpolate.interp1d.__call__)
def interpolant(g, z, self, x):
    return None, np.sum(np.reshape(g * interpolant_slope(self, x), np.shape(x) + (-1,)), axis=-1)


@interpolant.pushforward
def interpolant_forward(z, dx, self, x):
    slope = interpolant_slope(self, x)
    return slope * np.reshape(dx, np.shape(x) + (1,) * (np.ndim(slope) - np.ndim(x)))


@general(interpolant_slope)
def interpolant_bend(g, z, self, x, nu=1):
    return None, np.sum(np.reshape(g * interpolant_slope(self, x, nu + 1), np.shape(x) + (-1,)), axis=-1)


@interpolant_bend.pushforward
def interpolant_bend_forward(z, dx, self, x, nu=1):
    slope = interpolant_slope(self, x, nu + 1)
    return slope * np.reshape(dx, np.shape(x) + (1,) * (np.ndim(slope) - np.ndim(x)))


def pieces_of(f):
    """The pieces of an interpolant, whose degree it does not say: they end at its points or half-way, and six places tell each."""
    if np.ndim(f.y) > 1 and f.axis != 0:
        raise MissingRuleError("interp1d has a derivative rule, but not with this axis", remedy="give np.moveaxis(y, axis, 0) with axis=0")
    ends = np.union1d(f.x, (f.x[1:] + f.x[:-1]) / 2)
    if not f.bounds_error:
        ends = np.concatenate([2 * ends[:1] - ends[1:2], ends, 2 * ends[-1:] - ends[-2:-1]])
    places = 0.5 - 0.5 * np.cos(np.pi * (np.arange(6) + 0.5) / 6)
    values = f(ends[:-1] + np.outer(places, np.diff(ends)))
    c = np.reshape(np.linalg.solve(np.vander(places), np.reshape(values, (6, -1))), np.shape(values))
    return interpolate.PPoly(c / upright(np.diff(ends) ** np.reshape(np.arange(5.0, -1, -1), (-1, 1)), values[0]), ends)


record(interpolate.PPoly, alike="derivative antiderivative")
record(interpolate.BSpline, interpolate.BSpline.basis_element, interpolate.make_interp_spline, interpolate.make_lsq_spline,
       alike="derivative antiderivative")
record(interpolate.UnivariateSpline, alike="derivative antiderivative")
record(interpolate.interp1d)
