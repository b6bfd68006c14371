"""SciPy's interpolants of pieces: cubic splines, and what is linear between points.

What is made of differentiated numbers is said in plain NumPy: cubic pieces by the values and the slopes at their ends (C. de Boor, "A
Practical Guide to Splines", chapter IV).
"""

import math

import numpy as np
from scipy import interpolate
from scipy.linalg import solve_banded

from ...errors import MissingRuleError
from ..families import itself
from ..frames import constant, general
from ..library_functions import composite, noinline


def piece(x, t):
    """The number of the piece between knots ``x`` that a place is in; the outermost ones go on."""
    return np.clip(np.searchsorted(x, t, "right") - 1, 0, len(x) - 2)


def within(x, t, beyond):
    """Where pieces between knots say a value: not outside of the knots, if they are not to go on there."""
    return (beyond is not False) | (t >= x[0]) & (t <= x[-1])


def whole_turns(x, t, beyond):
    """How far a place is moved to be between the knots of what is periodic."""
    return np.floor((t - x[0]) / (x[-1] - x[0])) if beyond == "periodic" else np.zeros_like(t, float)


constant(piece, within, whole_turns)


def upright(x, y):
    """A column, of as many dimensions as ``y`` has, that multiplies the rows of ``y``."""
    return x if np.ndim(y) == 1 else np.reshape(x, np.shape(x) + (1,) * (np.ndim(y) - 1))


def powers(s, degree, nu=0):
    """The ``nu``-th derivatives of the powers of ``s``, the highest first, along a first axis; of -1 their integrals from 0."""
    exponents = range(degree, -1, -1)
    factors = [math.prod(range(e, e - nu, -1)) if nu >= 0 else 1 / (e + 1) for e in exponents]
    return np.stack([float(factor) * s ** max(e - nu, 0) for factor, e in zip(factors, exponents)])


@general(powers)
def slopes_of_powers(g, z, s, degree, nu=0):
    return np.sum(g * itself(s, degree, nu + 1), axis=0),


@slopes_of_powers.pushforward
def slopes_of_powers_forward(z, ds, s, degree, nu=0):
    return ds * itself(s, degree, nu + 1)


@composite(interpolate.PPoly)
class Pieces:
    """Polynomials between knots, or a derivative of them (``order`` 1, 2, …)."""

    def __init__(self, c, x, extrapolate=True, axis=0, order=0):
        if axis != 0:
            raise MissingRuleError(
                f"PPoly has a derivative rule, but not with axis={axis}", remedy="give np.moveaxis(c, (axis, axis + 1), (0, 1))")
        self.c, self.x, self.extrapolate, self.order = np.asarray(c), np.asarray(x), extrapolate, order

    def __call__(self, x, nu=0, extrapolate=None):
        return pieces_at(x, self.c, self.x, self.order + nu, self.extrapolate if extrapolate is None else extrapolate)

    def derivative(self, nu=1):
        return Pieces(self.c, self.x, self.extrapolate, 0, self.order + nu)

    def integrate(self, a, b, extrapolate=None):
        beyond = self.extrapolate if extrapolate is None else extrapolate
        return area_to(b, self.c, self.x, self.order, beyond) - area_to(a, self.c, self.x, self.order, beyond)


@noinline(lambda t, c, *others: t + c - 2)
def pieces_at(t, c, x, nu, beyond):
    """Polynomials between knots, or their derivatives, at places."""
    t = t - whole_turns(x, t, beyond) * (x[-1] - x[0])
    i = piece(x, t)
    z = np.sum(c[:, i] * upright(powers(t - x[i], len(c) - 1, nu), c[0]), axis=0)
    return np.where(upright(within(x, t, beyond), c[0]), z, np.nan)


@noinline(lambda t, c, *others: t + c - 2)
def area_to(t, c, x, nu, beyond):
    """The integral of polynomials between knots from the first knot to a place, of their derivatives or of themselves."""
    widths = powers(np.diff(x), len(c) - 1, nu - 1)
    areas = np.sum(c * upright(widths, c[0]), axis=0)
    turns = whole_turns(x, t, beyond)
    before = np.concatenate([0 * areas[:1], np.cumsum(areas, axis=0)])
    i = piece(x, t - turns * (x[-1] - x[0]))
    return pieces_at(t, c, x, nu - 1, beyond) + before[i] + turns * before[-1]


@noinline(lambda x, y, *others: y + 1)
def cubics(x, y, slope, axis):
    """The coefficients of cubic pieces from the values and the slopes at their ends."""
    if axis != 0:
        raise MissingRuleError(f"splines have a derivative rule, but not with axis={axis}", remedy="give np.moveaxis(y, axis, 0)")
    h = upright(np.diff(x), y)
    rise = np.diff(y, axis=0) / h
    bend = (slope[:-1] + slope[1:] - 2 * rise) / h
    return np.stack([bend / h, (rise - slope[:-1]) / h - bend, slope[:-1], y[:-1]])


@composite(interpolate.CubicHermiteSpline)
class Hermite(Pieces):
    def __init__(self, x, y, dydx, axis=0, extrapolate=True):
        self.x, self.extrapolate, self.order = np.asarray(x), extrapolate, 0
        self.c = cubics(self.x, np.asarray(y), np.asarray(dydx), axis)


@composite(interpolate.CubicSpline)
class Cubic(Pieces):
    def __init__(self, x, y, axis=0, bc_type="not-a-knot", extrapolate=None):
        self.x, self.order = np.asarray(x), 0
        self.extrapolate = "periodic" if extrapolate is None and bc_type == "periodic" else extrapolate
        self.c = cubics(self.x, np.asarray(y), spline_slopes(self.x, np.asarray(y), bc_type), axis)


@composite(interpolate.PchipInterpolator)
class Pchip(Pieces):
    def __init__(self, x, y, axis=0, extrapolate=True):
        self.x, self.extrapolate, self.order = np.asarray(x), extrapolate, 0
        self.c = cubics(self.x, np.asarray(y), monotone_slopes(self.x, np.asarray(y)), axis)


@composite(interpolate.Akima1DInterpolator)
class Akima(Pieces):
    def __init__(self, x, y, axis=0, *, method="akima", extrapolate=False):
        self.x, self.extrapolate, self.order = np.asarray(x), extrapolate, 0
        self.c = cubics(self.x, np.asarray(y), akima_slopes(self.x, np.asarray(y), method), axis)


@composite(interpolate.interp1d)
class Interpolant:
    def __init__(self, x, y, kind="linear", axis=-1, copy=True, bounds_error=None, fill_value=None, assume_sorted=False):
        if np.ndim(y) > 1 and axis != 0:
            raise MissingRuleError("interp1d has a derivative rule, but not with this axis", remedy="give np.moveaxis(y, axis, 0), axis=0")
        order = np.argsort(x, kind="stable")
        self.x = np.asarray(x)[order]
        self.c = coefficients(self.x, np.asarray(y)[order], kind)
        self.fill, self.bounds_error = np.nan if fill_value is None else fill_value, bounds_error

    def __call__(self, x):
        z = pieces_at(x, self.c, self.x, 0, True)
        if isinstance(self.fill, str):
            return z
        if isinstance(self.fill, tuple):
            low, high = self.fill
        else:
            low = high = self.fill
        place = upright(side(self.x, x, self.bounds_error), self.c[0])
        return np.where(place < 0, low, np.where(place > 0, high, z))


def coefficients(x, y, kind):
    """The coefficients of an interpolant's pieces, from degree 1 or 3."""
    if kind == "cubic" or kind == 3:
        return cubics(x, y, spline_slopes(x, y, "not-a-knot"), 0)
    if kind != "linear" and kind != "slinear" and kind != 1:
        raise MissingRuleError("interpolants have a derivative rule in their values, but of degree 1 and 3 only")
    return np.stack([np.diff(y, axis=0) / upright(np.diff(x), y), y[:-1]])


def side(x, t, bounds_error):
    """Whether places are before (-1) or after (1) the points of an interpolant. ValueError if they may not."""
    found = np.where(t < x[0], -1, 0) + np.where(t > x[-1], 1, 0)
    if bounds_error is not False and np.any(found):
        raise ValueError("A value in x_new is outside the interpolation range.")
    return found


constant(side)


@noinline(lambda x, y, *others: y)
def spline_slopes(x, y, bc_type):
    """The slopes with which the curvature of cubic pieces has no jumps, and what is asked of the ends holds."""
    h = np.diff(x)
    rise = np.diff(y, axis=0) / upright(h, y)
    if bc_type == "periodic":
        before, one = np.roll(h, 1), np.eye(len(h))
        rows = 2 * (before + h) * one + h * np.roll(one, -1, 0) + before * np.roll(one, 1, 0)
        slope = np.linalg.solve(rows.T, 3 * (upright(h, y) * np.roll(rise, 1, 0) + upright(before, y) * rise))
        return np.concatenate([slope, slope[:1]])
    if bc_type == "not-a-knot" and len(x) == 3:
        slope = (h[1] * rise[0] + h[0] * rise[1]) / (h[0] + h[1])
        return np.stack([2 * rise[0] - slope, slope, 2 * rise[1] - slope])
    second = min(1, len(h) - 1)
    if bc_type == "not-a-knot" or bc_type == "natural" or bc_type == "clamped":
        d0, o0, r0 = end(bc_type, 0.0, h[0], h[second], rise[0], rise[second])
        d1, o1, r1 = end(bc_type, 0.0, h[-1], h[-1 - second], rise[-1], rise[-1 - second])
    else:
        kind0, value0 = (bc_type[0], 0.0) if isinstance(bc_type[0], str) else bc_type[0]
        kind1, value1 = (bc_type[1], 0.0) if isinstance(bc_type[1], str) else bc_type[1]
        if len(x) < 4 and (kind0 == "not-a-knot" or kind1 == "not-a-knot"):
            raise MissingRuleError("CubicSpline has a derivative rule, but with not-a-knot at one end of four points or more only")
        d0, o0, r0 = end(kind0, value0, h[0], h[second], rise[0], rise[second])
        d1, o1, r1 = end(kind1, value1, -h[-1], -h[-1 - second], rise[-1], rise[-1 - second])
    outside = 0 * h[:1]  # an array: what joins on a device takes no numbers
    above, below = np.concatenate([outside, np.stack([o0]), h[:-1]]), np.concatenate([h[1:], np.stack([o1]), outside])
    diagonal = np.concatenate([np.stack([d0]), 2 * (h[:-1] + h[1:]), np.stack([d1])])
    middle = 3 * (upright(h[1:], y) * rise[:-1] + upright(h[:-1], y) * rise[1:])
    return solve_banded((1, 1), np.stack([above, diagonal, below]), np.concatenate([np.stack([r0]), middle, np.stack([r1])]))


def end(kind, value, h, h1, rise, rise1):
    """What is asked of an end: what the slope there is multiplied by, and the one beside it, and what their sum is."""
    if kind == "not-a-knot":
        return h1, h + h1, ((3 * h + 2 * h1) * h1 * rise + h**2 * rise1) / (h + h1)
    if kind == "clamped" or kind == 1:
        return h, 0 * h, h * value + 0 * rise
    return 2 * h, h, 3 * h * rise - 0.5 * value * h**2


@noinline(lambda x, y: y)
def monotone_slopes(x, y):
    """Slopes with which cubic pieces rise and fall where the values do (F. N. Fritsch, J. Butland, SIAM J. Sci. Stat. Comput. 5, 1984)."""
    h = upright(np.diff(x), y)
    rise = np.diff(y, axis=0) / h
    if len(x) == 2:
        return np.concatenate([rise, rise])
    same = rise[1:] * rise[:-1] > 0
    before, after = np.where(same, rise[:-1], 1.0), np.where(same, rise[1:], 1.0)
    w1, w2 = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    middle = np.where(same, (w1 + w2) / (w1 / before + w2 / after), 0.0)
    first, last = end_slope(h[0], h[1], rise[0], rise[1]), end_slope(h[-1], h[-2], rise[-1], rise[-2])
    return np.concatenate([np.stack([first]), middle, np.stack([last])])


def end_slope(h0, h1, rise0, rise1):
    """The slope of a parabola at an end, where that does not turn."""
    slope = ((2 * h0 + h1) * rise0 - h0 * rise1) / (h0 + h1)
    steep = (np.sign(rise0) != np.sign(rise1)) & (np.abs(slope) > 3 * np.abs(rise0))
    return np.where(np.sign(slope) != np.sign(rise0), 0.0, np.where(steep, 3 * rise0, slope))


@noinline(lambda x, y, *others: y)
def akima_slopes(x, y, method):
    """Slopes from those of the two pieces on either side (H. Akima, J. ACM 17, 1970), as ``makima`` with less overshoot."""
    rise = np.diff(y, axis=0) / upright(np.diff(x), y)
    if len(x) == 2:
        return np.concatenate([rise, rise])
    first, last = 2 * rise[:1] - rise[1:2], 2 * rise[-1:] - rise[-2:-1]
    m = np.concatenate([2 * first - rise[:1], first, rise, last, 2 * last - rise[-1:]])
    turn = np.abs(np.diff(m, axis=0)) + (0.5 * np.abs(m[1:] + m[:-1]) if method == "makima" else 0.0)
    after, before = turn[2:], turn[:-2]
    bent = after + before > 1e-9 * np.max(after + before)
    return np.where(bent, m[1:-2] + before / np.where(bent, after + before, 1.0) * (m[2:-1] - m[1:-2]), 0.5 * (m[3:] + m[:-3]))
