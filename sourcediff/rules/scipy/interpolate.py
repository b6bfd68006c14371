"""SciPy's splines and interpolants."""

import numpy as np
from scipy import interpolate

from ..frames import general, record


@general(interpolate.PPoly.__call__)
def piecewise_polynomial(g, z, self, x, nu=0, extrapolate=None):
    return None, np.sum(np.reshape(g * self(x, nu + 1, extrapolate), np.shape(x) + (-1,)), axis=-1)


@piecewise_polynomial.pushforward
def piecewise_polynomial_forward(z, dx, self, x, nu=0, extrapolate=None):
    slope = self(x, nu + 1, extrapolate)
    return slope * np.reshape(dx, np.shape(x) + (1,) * (np.ndim(slope) - np.ndim(x)))


record(interpolate.PPoly, alike="derivative antiderivative")
