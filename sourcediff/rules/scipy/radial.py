"""SciPy's interpolants by radial functions."""

import numpy as np
from scipy import interpolate

from ...errors import MissingRuleError
from ..frames import constant
from ..library_functions import composite
from ..library_objects import record


def monomials(x, degree, y):
    """The monomials up to a degree, at places; moved and scaled as the points ``y`` are."""
    if degree < 0:
        return np.zeros((len(x), 0))
    s = np.expand_dims((x - middle(y)) / reach(y), 1)
    return np.prod(s ** exponents(degree, np.shape(y)[1]), axis=-1)


def middle(y):
    return (np.max(y, axis=0) + np.min(y, axis=0)) / 2


def reach(y):
    half = (np.max(y, axis=0) - np.min(y, axis=0)) / 2
    return np.where(half == 0, 1.0, half)


def exponents(degree, dimensions):
    powers = np.moveaxis(np.indices((degree + 1,) * dimensions), 0, -1).reshape(-1, dimensions)
    return powers[np.sum(powers, axis=1) <= degree]


constant(middle, reach, exponents)  # by which the interpolant does not change


def radial(x, y, kernel, epsilon):
    """A radial function of the distances of places from points."""
    q = np.sum((np.expand_dims(x, 1) - y) ** 2, axis=-1) * epsilon**2
    off = np.where(q > 0, q, 1.0)
    if kernel == "thin_plate_spline":
        return np.where(q > 0, 0.5 * off * np.log(off), 0.0)
    if kernel == "linear" or kernel == "cubic" or kernel == "quintic":
        return np.where(q > 0, -np.sqrt(off) if kernel == "linear" else off**1.5 if kernel == "cubic" else -off**2.5, 0.0)
    if kernel == "gaussian":
        return np.exp(-q)
    if kernel == "multiquadric":
        return -np.sqrt(q + 1)
    return 1 / np.sqrt(q + 1) if kernel == "inverse_multiquadric" else 1 / (q + 1)


@composite(interpolate.RBFInterpolator)
class Radial:
    """A sum of radial functions around the points and a polynomial (G. Fasshauer, "Meshfree Approximation Methods", chapter 6)."""

    def __init__(self, y, d, neighbors=None, smoothing=0.0, kernel="thin_plate_spline", epsilon=None, degree=None):
        if neighbors is not None:
            raise MissingRuleError("RBFInterpolator has a derivative rule, but not with neighbors=", remedy="leave neighbors out")
        free = kernel == "linear" or kernel == "thin_plate_spline" or kernel == "cubic" or kernel == "quintic"
        if epsilon is None and not free:
            raise ValueError("`epsilon` must be specified if `kernel` is none of linear, thin_plate_spline, cubic, quintic.")
        usual = 2 if kernel == "quintic" else 1 if kernel == "thin_plate_spline" or kernel == "cubic" else 0
        self.y, self.kernel, self.epsilon = np.asarray(y), kernel, 1.0 if epsilon is None else epsilon
        self.degree = usual if degree is None else degree
        p, d = monomials(self.y, self.degree, self.y), np.asarray(d)
        a = radial(self.y, self.y, kernel, self.epsilon) + smoothing * np.eye(len(self.y))
        rows = np.concatenate([np.concatenate([a, p], axis=1), np.concatenate([p.T, np.zeros((p.shape[1], p.shape[1]))], axis=1)])
        self.c = np.linalg.solve(rows, np.concatenate([d, np.zeros((p.shape[1],) + np.shape(d)[1:])]))

    def __call__(self, x):
        x = np.asarray(x)
        rows = np.concatenate([radial(x, self.y, self.kernel, self.epsilon), monomials(x, self.degree, self.y)], axis=1)
        return np.tensordot(rows, self.c, 1)


@composite(interpolate.RBFInterpolator.__call__)
def constant_radial(self, x):
    if np.iscomplexobj(self(self.y[:1])):
        raise MissingRuleError("RBFInterpolator has a derivative rule, but not of complex values", remedy="take two of them")
    degree = int(np.max(np.sum(self.powers, axis=1))) if len(self.powers) else -1
    z = Radial(self.y, self.d, self.neighbors, self.smoothing, self.kernel, self.epsilon, degree)(x)
    return np.reshape(z, (-1,) + self.d_shape)


record(interpolate.RBFInterpolator)
